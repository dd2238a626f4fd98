//! Functions that read and write consecutive cells along x as one vector, for stages with a `vector_width`.

use crate::element::Element;
use crate::ir::{LocalField, LocalPlace};

use super::address::before_entry;
use super::check::FaultCause;
use super::conversion::background;
use super::{Generator, line};

const HALVES: &str = include_str!("halves.glsl");

/// The GLSL types of two and of four values.
fn seen_types(element: Element) -> [&'static str; 2] {
    match element {
        Element::Int => ["ivec2", "ivec4"],
        Element::Uint | Element::Uint8 | Element::Uint16 => ["uvec2", "uvec4"],
        _ => ["vec2", "vec4"],
    }
}

/// The type of `width` values in memory.
fn memory_type(element: Element, width: u32) -> &'static str {
    match (element, width) {
        (Element::Half | Element::Uint16, 2) | (Element::Uint8, 4) => "uint",
        (Element::Half | Element::Uint16, _) => "uvec2",
        (Element::Uint8, _) => "uint16_t",
        _ => seen_types(element)[usize::from(width == 4)],
    }
}

/// Converts a vector in memory to its GLSL value.
fn seen(element: Element, width: u32, memory: &str) -> String {
    match (element, width) {
        (Element::Half, _) => format!("sg_from_halves({memory})"),
        (Element::Uint16, 2) => format!("uvec2({memory}) >> uvec2(0u, 16u) & 65535u"),
        (Element::Uint16, _) => format!("({memory}).xxyy >> uvec4(0u, 16u, 0u, 16u) & 65535u"),
        (Element::Uint8, 2) => format!("uvec2(uint({memory})) >> uvec2(0u, 8u) & 255u"),
        (Element::Uint8, _) => format!("uvec4({memory}) >> uvec4(0u, 8u, 16u, 24u) & 255u"),
        _ => memory.to_string(),
    }
}

/// Converts the GLSL vector `value` to its form in memory.
fn stored(element: Element, width: u32) -> &'static str {
    match (element, width) {
        (Element::Half, _) => "sg_to_halves(value)",
        (Element::Uint16, 2) => "(value.x & 65535u) | value.y << 16",
        (Element::Uint16, _) => {
            "uvec2((value.x & 65535u) | value.y << 16, (value.z & 65535u) | value.w << 16)"
        }
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
            match field.place {
                LocalPlace::Blocks { before } => self.vector_in_block(field, width, before),
                _ => {
                    let [narrow, wide] = self
                        .vector_elements(field, width, false)
                        .map(|element| seen(field.element, width, &element));
                    let resource = &self.signature.resources[field.resource].name;
                    line!(self, "    if (sg_{resource}_wide) return {wide};");
                    line!(self, "    return {narrow};");
                }
            }
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
            let value = stored(field.element, width);
            match field.place {
                LocalPlace::Blocks { before } => {
                    let (find, _) = self.element_in_block(field, before, field.reach.writes);
                    let at = self.place_in_block(field, before);
                    let kind = pointer_type(field.element, width, true);
                    line!(self, "{find}");
                    line!(self, "    if (is_there) {kind}({at}).v = {value};");
                }
                _ => {
                    let [narrow, wide] = self.vector_elements(field, width, true);
                    let resource = &self.signature.resources[field.resource].name;
                    line!(self, "    if (sg_{resource}_wide) {wide} = {value};");
                    line!(self, "    else {narrow} = {value};");
                }
            }
        }
        line!(self, "}}");
    }

    /// The lines that read a vector of a sparse grid. A row of them is in one block, so it is there or not as a whole.
    fn vector_in_block(&mut self, field: &LocalField, width: u32, before: u32) {
        let g = &self.signature.resources[field.resource].name;
        let kind = seen_types(field.element)[usize::from(width == 4)];
        let background = format!("{kind}({})", background(field));
        let load = |address: &str| {
            let pointer = pointer_type(field.element, width, false);
            seen(field.element, width, &format!("{pointer}({address}).v"))
        };
        let anywhere = format!("uint64_t(sg_p_{g}_axes)");
        if let Some(reach @ 1..) = self.reach_in_blocks(field).filter(|_| self.has_own_block(field)) {
            let (before, bytes) = (before_entry(field, before), field.element.bytes());
            // Beyond the sides there is the row next to them, whose address is a multiple of its bytes.
            let near = format!(
                "sg_{g}_near(ivec3(clamp(i.x, 0, {g}_cells.x - {width}), i.yz), {reach}, {before}, {bytes}u)"
            );
            line!(self, "    if (sg_{g}_is_near({reach})) {{");
            line!(self, "        bool is_there = sg_{g}_is_active_near(i);");
            let value = load(&format!("is_there ? {near} : {anywhere}"));
            line!(self, "        {kind} value = {value};");
            line!(self, "        return is_there ? value : {background};");
            line!(self, "    }}");
        }
        let (find, _) = self.element_in_block(field, before, field.reach.all);
        let at = self.place_in_block(field, before);
        let value = load(&format!("is_there ? {at} : {anywhere}"));
        line!(self, "{find}");
        line!(self, "    {kind} value = {value};");
        line!(self, "    return is_there ? value : {background};");
    }

    /// The address of a channel at `place` of `block`.
    fn place_in_block(&self, field: &LocalField, before: u32) -> String {
        let g = &self.signature.resources[field.resource].name;
        let (before, bytes) = (before_entry(field, before), field.element.bytes());
        format!("sg_{g}_at(block, {before}, place.y, {bytes}u)")
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
