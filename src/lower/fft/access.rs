//! GLSL with which a pass loads and stores values.

use std::fmt::Write;

use super::groups::LineGroups;
use super::kernel::{LinePass, Order, Step};
use super::values::{PassOutput, Unit, scale};

impl LinePass {
    /// Pointers, and the functions that load and store values.
    pub(super) fn accesses(&self, text: &mut String) {
        let wide = self.is_wide();
        let index = self.index();
        let access = |block: &str, pointer: &str, unit: Unit| {
            if wide {
                format!("{block}(uint64_t({pointer}) + {}ul * at).v[0]", unit.bytes())
            } else {
                format!("{block}(uint64_t({pointer})).v[at]")
            }
        };
        let [from, to] = self.units;
        let _ = write!(
            text,
            "\nlayout(buffer_reference, scalar, buffer_reference_align = {}) readonly buffer Source {{ {} v[]; }};\n\
             layout(buffer_reference, scalar, buffer_reference_align = {}) buffer Target {{ {} v[]; }};\n\n\
             vec2 value({index} at) {{\n    return {};\n}}\n\nvoid put({index} at, vec2 value) {{\n    {} = {};\n}}\n\n",
            from.bytes(),
            from.memory(),
            to.bytes(),
            to.memory(),
            from.seen(&access("Source", "sg_p_source_values", from)),
            access("Target", "sg_q_target_values", to),
            to.stored("value"),
        );
        let low = self.lattice.low();
        let place = |i: &str| match low {
            1 => format!("base + {i}"),
            _ => format!("base + {index}({i}) * {low}u"),
        };
        if self.output.is_twiddled() {
            let apart = super::tables::low_roots(self.whole());
            let _ = write!(
                text,
                "// exp(-2 pi i m / {}).\nvec2 turn(uint m) {{\n    Table turns = Table(uint64_t(sg_p_turns));\n    \
                 return times(turns.v[m % {apart}u], turns.v[{apart}u + m / {apart}u]);\n}}\n\n",
                self.whole()
            );
        }
        let (n, is_first) = (self.chirped.unwrap_or(self.whole()), self.input.is_outer());
        let _ = writeln!(text, "vec2 load({index} base, uint i) {{");
        if let (Some(n), true) = (self.chirped, is_first) {
            let _ = writeln!(text, "    if (i >= {n}u) return vec2(0.0);");
        }
        let loaded = self.input.load(n, &|i| format!("value({})", place(i)));
        let _ = writeln!(text, "    vec2 loaded = {loaded};");
        let loaded = if self.chirped.is_some() && is_first {
            "times(loaded, Table(uint64_t(sg_p_chirp)).v[i])"
        } else {
            "loaded"
        };
        let _ = write!(
            text,
            "    return {loaded};\n}}\n\nvoid store({index} base, uint i, uint m, vec2 value) {{\n"
        );
        if let (Some(n), true) = (self.chirped, self.output.is_outer()) {
            let _ = writeln!(
                text,
                "    if (i >= {n}u) return;\n    value = times(value.yx, Table(uint64_t(sg_p_chirp)).v[i]);"
            );
        }
        let stored = self
            .output
            .store(n, &|i, value| format!("put({}, {value});", place(i)));
        let _ = writeln!(text, "    {stored}\n}}");
    }

    /// Elements from a value of a line to the next one.
    fn distance(&self, order: Order) -> u64 {
        match order {
            Order::Spread => self.mid * self.lattice.low(),
            Order::Packed => self.lattice.low(),
        }
    }

    /// Declares a pointer to value `i` of a line. The others of a butterfly have constant distances from it, so their
    /// addresses take no instructions.
    fn near(&self, text: &mut String, block: &str, pointer: &str, unit: Unit, line: &str, i: &str) {
        let _ = writeln!(
            text,
            "        {block} near = {block}(uint64_t({pointer}) + {}ul * ({line} + {}({i}) * {}u));",
            unit.bytes(),
            self.index(),
            self.lattice.low()
        );
    }

    pub(super) fn load(&self, text: &mut String, step: Step, side: &str, groups: &LineGroups) {
        let butterflies = self.n / step.radix;
        self.each_round(text, step.radix, side, groups, "", &mut |text, first| {
            let near = self
                .input
                .in_order()
                .filter(|_| self.chirped.is_none() || !self.input.is_outer());
            if near.is_some() {
                let base = self.in_whole(self.gather, "b", side);
                self.near(
                    text,
                    "Source",
                    "sg_p_source_values",
                    self.units[0],
                    &format!("from{side}"),
                    &base,
                );
            }
            for q in 0..step.radix {
                let v = first + q;
                let _ = match near {
                    Some(part) => {
                        let memory = format!("near.v[{}u]", q * butterflies * self.distance(self.gather));
                        writeln!(text, "        v{v} = {}{part};", self.units[0].seen(&memory))
                    }
                    None => {
                        let i = self.in_whole(self.gather, &format!("b + {}u", q * butterflies), side);
                        writeln!(text, "        v{v} = load(from{side}, {i});")
                    }
                };
            }
        });
    }

    pub(super) fn store(&self, text: &mut String, step: Step, side: &str, groups: &LineGroups) {
        let butterflies = self.n / step.radix;
        let condition = format!("STORES(is_line{side})");
        self.each_round(text, step.radix, side, groups, &condition, &mut |text, first| {
            let near = self.output.in_order() && (self.chirped.is_none() || !self.output.is_outer());
            if near {
                let base = self.in_whole(self.scatter, "b", side);
                self.near(
                    text,
                    "Target",
                    "sg_q_target_values",
                    self.units[1],
                    &format!("to{side}"),
                    &base,
                );
            }
            for q in 0..step.radix {
                let j = format!("b + {}u", q * butterflies);
                let v = first + q;
                let _ = if near {
                    let value = match self.output {
                        PassOutput::Twiddled => format!("times(v{v}, turn(mid{side} * ({j})))"),
                        PassOutput::Inverse => format!("v{v}.yx * {}", scale(self.n * self.mid)),
                        _ => format!("v{v}"),
                    };
                    let at = q * butterflies * self.distance(self.scatter);
                    writeln!(
                        text,
                        "        near.v[{at}u] = {};",
                        self.units[1].stored(&format!("({value})"))
                    )
                } else {
                    let i = self.in_whole(self.scatter, &j, side);
                    let m = if self.output.is_twiddled() {
                        format!("mid{side} * ({j})")
                    } else {
                        "0u".into()
                    };
                    writeln!(text, "        store(to{side}, {i}, {m}, v{v});")
                };
            }
        });
    }
}
