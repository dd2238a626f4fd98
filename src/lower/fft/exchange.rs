//! GLSL statements that exchange values between the invocations of a line, through shared memory.

use std::fmt::Write;

use super::groups::LineGroups;
use super::kernel::{LinePass, Step};

impl LinePass {
    /// Moves the results of a stage to the invocations that load them in the next stage.
    pub(super) fn exchange(
        &self,
        text: &mut String,
        [before, next]: [Step; 2],
        [from, to]: [&str; 2],
        across: bool,
        again: bool,
        groups: &LineGroups,
    ) {
        let n = self.n;
        let parts = groups.parts;
        let part = n / parts;
        let slot = |j: &str, side: &str| {
            let at = if across {
                format!("({j}) * {}u + c{side}", groups.lines)
            } else {
                format!("c{side} * {part}u + {j}")
            };
            format!("exchanged[padded({at})]")
        };
        let mut is_first = !again;
        for member in [".x", ".y"] {
            for number in 0..parts {
                if !is_first {
                    text.push_str("    barrier();\n");
                }
                is_first = false;
                let together = before.length * before.radix;
                let condition = match parts {
                    1 => String::new(),
                    _ => format!("b / {}u == {number}u", part / before.radix),
                };
                self.each_round(
                    text,
                    before.radix,
                    from,
                    groups,
                    &condition,
                    &mut |text, first| {
                        let block = match before.length {
                            1 => format!("b * {together}u"),
                            length => format!("b / {length}u * {together}u + b % {length}u"),
                        };
                        let _ = writeln!(text, "        uint j = {block} - {}u;", number * part);
                        for q in 0..before.radix {
                            let j = format!("j + {}u", q * before.length);
                            let _ = writeln!(text, "        {} = v{}{member};", slot(&j, from), first + q);
                        }
                    },
                );
                text.push_str("    barrier();\n");
                let butterflies = n / next.radix;
                self.each_round(text, next.radix, to, groups, "", &mut |text, first| {
                    for q in 0..next.radix {
                        if q * butterflies / part == number {
                            let j = format!("b + {}u", q * butterflies - number * part);
                            let _ = writeln!(text, "        u{}{member} = {};", first + q, slot(&j, to));
                        }
                    }
                });
            }
        }
        for v in 0..groups.rounds(n, next.radix) * next.radix {
            let _ = writeln!(text, "    v{v} = u{v};");
        }
    }
}
