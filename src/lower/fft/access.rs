//! GLSL functions with which a pass loads and stores values.

use std::fmt::Write;

use super::kernel::LinePass;
use super::values::Unit;

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
        let low = self.low;
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
}
