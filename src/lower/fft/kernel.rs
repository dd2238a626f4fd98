//! GLSL of the kernel of a pass: transforms of lines by Stockham's method, with values in registers that are exchanged
//! through shared memory.

use std::fmt::Write;

use super::butterfly::Code;
use super::groups::{LineGroups, Neighbours};
use super::lattice::LineLattice;
use super::radices::radices;
use super::values::{PassInput, PassOutput, Unit};

/// The order of the values of a line in the line of the whole transform, which `mid` lines of the pass share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Every `mid`-th value.
    Spread,
    /// Consecutive ones.
    Packed,
}

/// Transforms of the lines of a lattice, each by one workgroup.
#[derive(Debug, Clone)]
pub(super) struct LinePass {
    /// Values of a line.
    pub n: u64,
    /// Lines of this pass in one line of the whole transform.
    pub mid: u64,
    pub lattice: LineLattice,
    pub gather: Order,
    pub scatter: Order,
    pub input: PassInput,
    pub output: PassOutput,
    /// The line is multiplied by a table and transformed back.
    pub convolved: bool,
    /// The length of the discrete Fourier transform, where the pass is part of a convolution.
    pub chirped: Option<u64>,
    /// Values of a whole line in the source and in the target.
    pub lengths: [u64; 2],
    /// The types of values in the source and in the target.
    pub units: [Unit; 2],
}

/// A stage of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub radix: u64,
    /// Length of the transforms before it.
    pub length: u64,
    /// Offset of its factors in the table.
    factors: u64,
    /// It multiplies the results of the stage before by the table of the convolution, without an exchange.
    joined: bool,
}

/// Declarations that every kernel has.
const HEAD: &str = "\
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Table { vec2 v[]; };

vec2 times(vec2 a, vec2 b) {
    return vec2(fma(a.x, b.x, -a.y * b.y), fma(a.x, b.y, a.y * b.x));
}

// One slot of 33 is left out, so that values at distances of powers of two are in different banks.
uint padded(uint i) {
    return i + i / 32u;
}
";

/// The factors of butterfly `k`, the first of which is 1. From 4 on, most are products of two others, which takes less time
/// than to load them.
fn factors(code: &mut Code, step: Step) -> Vec<String> {
    let mut known = vec![String::new()];
    for q in 1..step.radix as usize {
        let at = step.factors + (q as u64 - 1) * step.length;
        let factor = match (q / 4, q % 4) {
            (0, _) | (_, 0) => format!("turns.v[{at}u]"),
            (_, rest) => format!("times({}, {})", known[q - rest], known[rest]),
        };
        known.push(code.value(&factor));
    }
    known
}

impl LinePass {
    pub(super) fn lines(&self) -> u64 {
        self.lattice.high() * self.mid * self.lattice.low()
    }

    /// Values of a line of the whole transform.
    pub(super) fn whole(&self) -> u64 {
        self.n * self.mid
    }

    /// Returns true if indices into the fields need 64 bits: drivers treat 32-bit indices as signed.
    pub(super) fn is_wide(&self) -> bool {
        let longest = self.lengths[0].max(self.lengths[1]);
        2 * self.lattice.high() * longest * self.lattice.low() >= 1 << 31
    }

    pub(super) fn index(&self) -> &'static str {
        if self.is_wide() { "uint64_t" } else { "uint" }
    }

    /// For loads and for stores, true if neighbouring lines have neighbouring values.
    pub(super) fn across(&self) -> [bool; 2] {
        [self.gather, self.scatter].map(|order| match order {
            Order::Spread => self.lattice.low() * self.mid > 1,
            Order::Packed => self.lattice.low() > 1,
        })
    }

    pub(super) fn groups(&self) -> LineGroups {
        let neighbours = match self.across() {
            [false, false] => Neighbours::Rows,
            [true, true] if self.mid == 1 => Neighbours::Columns,
            [true, true] => Neighbours::Parts,
            _ => Neighbours::Turned,
        };
        LineGroups::new(self.n, self.lines(), neighbours, self.convolved)
    }

    fn steps(&self) -> Vec<Step> {
        let mut radices = radices(self.n).unwrap_or_default();
        if radices.is_empty() {
            radices.push(1);
        }
        let mut steps = Vec::new();
        let mut add = |radices: &[u64], joined: bool, first: u64| {
            let (mut length, mut factors) = (1, first);
            for radix in radices {
                let joined = joined && length == 1;
                steps.push(Step {
                    radix: *radix,
                    length,
                    factors,
                    joined,
                });
                factors += if length > 1 { (radix - 1) * length } else { 0 };
                length *= radix;
            }
            factors
        };
        let end = add(&radices, false, 0);
        if self.convolved {
            // The inverse takes the radices in the opposite order, so that its first stage needs no exchange.
            radices.reverse();
            add(&radices, true, end);
        }
        steps
    }

    /// The factors of all stages.
    pub(super) fn twiddles(&self) -> (String, Vec<[f64; 2]>) {
        let mut table = super::tables::line(self.n);
        let mut name = format!("sg_fft_{}", self.n);
        if self.convolved {
            let mut back = radices(self.n).unwrap_or_default();
            back.reverse();
            table.extend(super::tables::twiddles(&back));
            name.push_str("_and_back");
        }
        (name, table)
    }

    /// The kernel.
    pub(super) fn text(&self, groups: &LineGroups) -> String {
        let mut text = String::from("#version 460\n#include \"stage.glsl\"\n\n");
        let _ = writeln!(
            text,
            "// Transforms of {} values, {} lines a workgroup.",
            self.n, groups.lines
        );
        text.push_str(HEAD);
        let is_full = self.lines().is_multiple_of(groups.lines);
        self.lattice.numbering(&mut text, self.mid, is_full);
        self.accesses(&mut text);
        let _ = writeln!(text, "\nshared float exchanged[{}];", groups.shared(self.n));
        text.push_str("\nvoid stage(uvec3 group, uint local) {\n");
        let steps = self.steps();
        let [loads_across, stores_across] = match (self.across(), steps.len()) {
            // One stage both loads and stores.
            ([_, stores], 1) => [stores; 2],
            (across, _) => across,
        };
        self.place(&mut text, "a", loads_across, groups);
        let mixed = loads_across != stores_across;
        if mixed {
            self.place(&mut text, "b", stores_across, groups);
        }
        let last = if mixed { "b" } else { "a" };
        let most = steps
            .iter()
            .map(|step| groups.rounds(self.n, step.radix) * step.radix)
            .max();
        let most = most.unwrap_or(1);
        let list = |letter: &str, count: u64| {
            (0..count)
                .map(|i| format!("{letter}{i}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let _ = writeln!(text, "    vec2 {};", list("v", most));
        if steps.iter().skip(1).any(|step| !step.joined) {
            let _ = writeln!(text, "    vec2 {};", list("u", most));
        }
        for (number, step) in steps.iter().enumerate() {
            let side = if number + 1 == steps.len() { last } else { "a" };
            match number.checked_sub(1).map(|before| steps[before]) {
                None => self.load(&mut text, *step, side, groups),
                Some(_) if step.joined => self.join(&mut text, *step, side, groups),
                Some(before) => self.exchange(
                    &mut text,
                    [before, *step],
                    ["a", side],
                    mixed || loads_across,
                    number > 1,
                    groups,
                ),
            }
            self.transform(&mut text, *step, side, groups);
        }
        if let Some(step) = steps.last() {
            self.store(&mut text, *step, last, groups);
        }
        text.push_str("}\n");
        text
    }

    /// Declares the position of an invocation: its part of a line, the line, and the offset of the line.
    fn place(&self, text: &mut String, side: &str, across: bool, groups: &LineGroups) {
        let (width, threads) = (groups.lines, groups.threads);
        let [c, t] = if across {
            [format!("local % {width}u"), format!("local / {width}u")]
        } else {
            [format!("local / {threads}u"), format!("local % {threads}u")]
        };
        let (low, mid) = (self.lattice.low(), self.mid);
        let index = self.index();
        let end = if self.is_wide() { "ul" } else { "u" };
        let _ = write!(
            text,
            "    uint c{side} = {c}, t{side} = {t};\n    \
             // Lines beyond the last one repeat it and store nothing.\n    \
             bool is_line{side} = group.x * {width}u + c{side} < LINES;\n    \
             uint line{side} = line_of(min(group.x * {width}u + c{side}, LINES - 1u));\n    \
             uint mid{side} = line{side} / {low}u % {mid}u;\n    \
             {index} from{side} = {index}(line{side} / {both}u) * {source}{end} + line{side} % {low}u;\n    \
             {index} to{side} = {index}(line{side} / {both}u) * {target}{end} + line{side} % {low}u;\n",
            both = low * mid,
            source = self.lengths[0] * low,
            target = self.lengths[1] * low,
        );
    }

    /// The index in the whole line of value `j` of this line.
    pub(super) fn in_whole(&self, order: Order, j: &str, side: &str) -> String {
        match (self.mid, order) {
            (1, _) => j.to_string(),
            (mid, Order::Spread) => format!("({j}) * {mid}u + mid{side}"),
            (_, Order::Packed) => format!("mid{side} * {}u + {j}", self.n),
        }
    }

    /// Text for each round of butterflies of a stage: `inner` gets the number of the first register and that of the
    /// butterfly.
    pub(super) fn each_round(
        &self,
        text: &mut String,
        radix: u64,
        side: &str,
        groups: &LineGroups,
        condition: &str,
        inner: &mut dyn FnMut(&mut String, u64),
    ) {
        let (threads, butterflies) = (groups.threads, self.n / radix);
        for round in 0..groups.rounds(self.n, radix) {
            let _ = writeln!(text, "    {{\n        uint b = t{side} + {}u;", round * threads);
            let is_partial = (round + 1) * threads > butterflies;
            let guards = [
                if is_partial {
                    format!("b < {butterflies}u")
                } else {
                    String::new()
                },
                condition.to_string(),
            ];
            let guards: Vec<String> = guards.into_iter().filter(|guard| !guard.is_empty()).collect();
            if !guards.is_empty() {
                let _ = writeln!(text, "        if ({}) {{", guards.join(" && "));
            }
            inner(text, round * radix);
            text.push_str(if guards.is_empty() {
                "    }\n"
            } else {
                "        }\n    }\n"
            });
        }
    }

    /// The multiplication of a convolution. Real and imaginary parts change places, which makes the next transform an
    /// inverse one.
    fn join(&self, text: &mut String, step: Step, side: &str, groups: &LineGroups) {
        let butterflies = self.n / step.radix;
        self.each_round(text, step.radix, side, groups, "", &mut |text, first| {
            for q in 0..step.radix {
                let i = self.in_whole(Order::Spread, &format!("b + {}u", q * butterflies), side);
                let v = first + q;
                let _ = writeln!(
                    text,
                    "        v{v} = times(v{v}, Table(uint64_t(sg_p_kernel)).v[{i}]).yx;"
                );
            }
        });
    }

    /// Multiplies by the factors of the stage and transforms.
    fn transform(&self, text: &mut String, step: Step, side: &str, groups: &LineGroups) {
        let Step { radix, length, .. } = step;
        self.each_round(text, radix, side, groups, "", &mut |text, first| {
            let mut code = Code::default();
            let mut values: Vec<String> = (first..first + radix).map(|v| format!("v{v}")).collect();
            if length > 1 {
                let _ = writeln!(
                    code.text,
                    "        Table turns = Table(uint64_t(sg_p_twiddles) + 8ul * (b % {length}u));"
                );
                let factors = factors(&mut code, step);
                for (value, factor) in values.iter_mut().zip(factors).skip(1) {
                    *value = code.value(&format!("times({value}, {factor})"));
                }
            }
            let results = code.transform(&values);
            text.push_str(&code.text);
            for (q, result) in (first..).zip(results) {
                let _ = writeln!(text, "        v{q} = {result};");
            }
        });
    }
}
