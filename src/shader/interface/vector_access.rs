//! Functions that read and write consecutive cells along x as one vector, for stages with a `vector_width`.

use crate::element::Element;
use crate::ir::LocalField;

use super::check::FaultCause;
use super::{Generator, line};

const HALVES: &str = include_str!("halves.glsl");

/// The GLSL types of two and of four values.
fn seen_types(element: Element) -> [&'static str; 2] {
    match element {
        Element::Int => ["ivec2", "ivec4"],
        Element::Uint | Element::Uint8 => ["uvec2", "uvec4"],
        _ => ["vec2", "vec4"],
    }
}

/// The type of `width` values in memory.
fn memory_type(element: Element, width: u32) -> &'static str {
    match (element, width) {
        (Element::Half, 2) | (Element::Uint8, 4) => "uint",
        (Element::Half, _) => "uvec2",
        (Element::Uint8, _) => "uint16_t",
        _ => seen_types(element)[usize::from(width == 4)],
    }
}

/// Converts a vector in memory to its GLSL value.
fn seen(element: Element, width: u32, memory: &str) -> String {
    match (element, width) {
        (Element::Half, _) => format!("sg_from_halves({memory})"),
        (Element::Uint8, 2) => format!("uvec2(uint({memory})) >> uvec2(0u, 8u) & 255u"),
        (Element::Uint8, _) => format!("uvec4({memory}) >> uvec4(0u, 8u, 16u, 24u) & 255u"),
        _ => memory.to_string(),
    }
}

/// Converts the GLSL vector `value` to its form in memory.
fn stored(element: Element, width: u32) -> &'static str {
    match (element, width) {
        (Element::Half, _) => "sg_to_halves(value)",
        (Element::Uint8, 2) => "uint16_t((value.x & 255u) | (value.y & 255u) << 8)",
        (Element::Uint8, _) => {
            "(value.x & 255u) | (value.y & 255u) << 8 | (value.z & 255u) << 16 | value.w << 24"
        }
        _ => "value",
    }
}

fn pointer_type(element: Element, width: u32, write: bool) -> String {
    let letter = if write { "w" } else { "r" };
    format!("sg_{letter}{width}_{}", element.glsl())
}

impl Generator<'_> {
    /// The vector accessors of all fields that can have them.
    pub(super) fn vector_accessors(&mut self) {
        let signature = self.signature;
        let Some(width) = signature.width else { return };
        let fields = signature.joined();
        if fields.clone().any(|(_, field)| field.element == Element::Half) {
            self.text.push_str(HALVES);
        }
        let mut known = Vec::new();
        // A stage of width 4 may also access pairs.
        let widths = [2, 4].into_iter().filter(|least| *least <= width);
        for ((number, field), width) in
            fields.flat_map(|field| widths.clone().map(move |width| (field, width)))
        {
            for write in [false, true] {
                if !(if write { field.writes } else { field.reads }) {
                    continue;
                }
                let kind = pointer_type(field.element, width, write);
                if !known.contains(&kind) {
                    self.vector_type(field.element, width, write, &kind);
                    known.push(kind);
                }
                if write {
                    self.write_vector(number, field, width)
                } else {
                    self.read_vector(number, field, width)
                }
            }
        }
    }

    fn vector_type(&mut self, element: Element, width: u32, write: bool, kind: &str) {
        let align = element.bytes() * u64::from(width);
        let readonly = if write { "" } else { "readonly " };
        line!(
            self,
            "layout(buffer_reference, scalar, buffer_reference_align = {align}) {readonly}buffer {kind} {{ {} v; }};",
            memory_type(element, width)
        );
    }

    fn read_vector(&mut self, number: usize, field: &LocalField, width: u32) {
        let (name, kind) = (&field.name, seen_types(field.element)[usize::from(width == 4)]);
        let (place, arguments) = self.vector_arguments(field, width);
        line!(self, "{kind} {name}_x{width}({place}) {{");
        self.check_aligned(number, field, width, FaultCause::ReadUnaligned);
        let calls = arguments.iter().map(|given| format!("{name}({given})"));
        let one_by_one = format!("{kind}({})", calls.collect::<Vec<_>>().join(", "));
        if self.signature.has_marks() {
            line!(self, "    return {one_by_one};");
        } else {
            line!(
                self,
                "    if (sg_checked || stage_width == 1) return {one_by_one};"
            );
            let [narrow, wide] = self
                .vector_elements(field, width, false)
                .map(|element| seen(field.element, width, &element));
            let resource = &self.signature.resources[field.resource].name;
            line!(self, "    if (sg_{resource}_wide) return {wide};");
            line!(self, "    return {narrow};");
        }
        line!(self, "}}");
    }

    fn write_vector(&mut self, number: usize, field: &LocalField, width: u32) {
        let (name, kind) = (&field.name, seen_types(field.element)[usize::from(width == 4)]);
        let (place, arguments) = self.vector_arguments(field, width);
        line!(self, "void set_{name}_x{width}({place}, {kind} value) {{");
        self.check_aligned(number, field, width, FaultCause::WriteUnaligned);
        let only = self.signature.has_marks();
        if !only {
            line!(self, "    if (sg_checked || stage_width == 1) {{");
        }
        for (given, letter) in arguments.iter().zip(["x", "y", "z", "w"]) {
            line!(self, "        set_{name}({given}, value.{letter});");
        }
        if !only {
            line!(self, "        return;");
            line!(self, "    }}");
            let [narrow, wide] = self.vector_elements(field, width, true);
            let value = stored(field.element, width);
            let resource = &self.signature.resources[field.resource].name;
            line!(self, "    if (sg_{resource}_wide) {wide} = {value};");
            line!(self, "    else {narrow} = {value};");
        }
        line!(self, "}}");
    }

    /// Reports a vector that does not begin at a multiple of its width.
    fn check_aligned(&mut self, number: usize, field: &LocalField, width: u32, wrong: FaultCause) {
        let report = self.report(number, field, wrong, "i");
        line!(
            self,
            "    if (sg_checked && (i.x & {}) != 0) {{ {report} }}",
            width - 1
        );
    }

    /// The parameters of a vector access, and the arguments that access each of its cells alone.
    fn vector_arguments(&self, field: &LocalField, width: u32) -> (String, Vec<String>) {
        let axes = self.signature.resources[field.resource].axes();
        let zeros = ", 0".repeat(axes as usize - 1);
        let (entry, k) = match field.count {
            None => ("", ""),
            Some(_) => (", uint k", ", k"),
        };
        let cell = |number: u32| match number {
            0 => format!("i{k}"),
            _ => format!("i + ivec{axes}({number}{zeros}){k}"),
        };
        (format!("ivec{axes} i{entry}"), (0..width).map(cell).collect())
    }

    /// The vector at cell `i` in memory: with a 32-bit index, and with a 64-bit index.
    fn vector_elements(&self, field: &LocalField, width: u32, write: bool) -> [String; 2] {
        let kind = pointer_type(field.element, width, write);
        self.addresses(field, write)
            .map(|address| format!("{kind}({address}).v"))
    }
}
