//! GLSL statements that exchange values between the invocations of a line, through shared memory.

use std::fmt::Write;

use super::groups::{BANKS, LineGroups, gcd};
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
        let lines = groups.lines;
        // Values of one line are `apart` slots apart.
        let apart = if across { lines } else { 1 };
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
                let slots = |block: String, side: &str, unit: u64, below: u64| Slots {
                    first: if across {
                        format!("({block}) * {lines}u + c{side}")
                    } else {
                        format!("c{side} * {part}u + {block}")
                    },
                    unit: gcd(unit, part) * apart,
                    below: below * apart,
                    padded: groups.padded,
                };
                self.each_round(
                    text,
                    before.radix,
                    from,
                    groups,
                    &condition,
                    &mut |text, first| {
                        let length = before.length;
                        let block =
                            format!("b / {length}u * {together}u + b % {length}u - {}u", number * part);
                        let slots = slots(block, from, together, length);
                        slots.define(text);
                        for q in 0..before.radix {
                            let slot = slots.at(q * before.length * apart);
                            let _ = writeln!(text, "        {slot} = v{}{member};", first + q);
                        }
                    },
                );
                text.push_str("    barrier();\n");
                let butterflies = n / next.radix;
                // Registers take their new values at once if all old ones have been written.
                let into = if parts == 1 { "v" } else { "u" };
                self.each_round(text, next.radix, to, groups, "", &mut |text, first| {
                    let slots = slots("b".into(), to, 1, 1);
                    slots.define(text);
                    for q in 0..next.radix {
                        if q * butterflies / part == number {
                            let slot = slots.at((q * butterflies - number * part) * apart);
                            let _ = writeln!(text, "        {into}{}{member} = {slot};", first + q);
                        }
                    }
                });
            }
        }
        if parts > 1 {
            for v in 0..groups.rounds(n, next.radix) * next.radix {
                let _ = writeln!(text, "    v{v} = u{v};");
            }
        }
    }
}

/// Slots of shared memory at constant distances from a first one, which is a multiple of `unit` plus a number less than
/// `below`.
struct Slots {
    first: String,
    unit: u64,
    below: u64,
    padded: bool,
}

impl Slots {
    fn define(&self, text: &mut String) {
        let _ = writeln!(text, "        uint first = {};", self.first);
        if self.padded {
            text.push_str("        uint slot = padded(first);\n");
        }
    }

    /// The slot at a distance. An address with a constant at its end takes no instruction of its own, so the padding of the
    /// first slot serves where it is equal.
    fn at(&self, distance: u64) -> String {
        let rest = distance % BANKS;
        if !self.padded {
            format!("exchanged[first + {distance}u]")
        } else if rest == 0 || rest + self.below <= gcd(self.unit, BANKS) {
            format!("exchanged[slot + {}u]", distance + distance / BANKS)
        } else {
            format!("exchanged[padded(first + {distance}u)]")
        }
    }
}
