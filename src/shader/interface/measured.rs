//! The interface of the engine's measuring kernels: items, each a list of elements with up to four numbers. Numbers
//! are unsigned keys in the order of the values (`ir::Class::key`), so one kernel serves all types.

use crate::element::{Element, Scalar};
use crate::ir::{LocalField, LocalMeasured, LocalPlace, LocalShape, MeasuredPart, Over};

use super::conversion::seen;
use super::{Generator, line};

const KEYS: &str = "\
uint sg_key(float value) {
    uint bits = floatBitsToUint(value);
    return bits ^ ((bits >> 31) != 0u ? 0xffffffffu : 0x80000000u);
}
uint sg_key(int value) { return uint(value) ^ 0x80000000u; }
uint sg_key(uint value) { return value; }
";

/// Doubles are measured as the nearest floats; finite ones never become infinite.
const KEYS_OF_DOUBLES: &str = "\
uint sg_key(double value) {
    float nearest = float(value);
    bool beyond = isinf(nearest) && !isinf(value);
    return sg_key(beyond ? (value < 0.0lf ? -3.4028234663852886e38 : 3.4028234663852886e38) : nearest);
}
";

impl Generator<'_> {
    /// Functions by number of an item of this kernel.
    pub(super) fn measured(&mut self) {
        if self.signature.measured.is_empty() {
            return;
        }
        self.text.push_str(KEYS);
        let doubles = |item: &LocalMeasured| self.field_of(item).0.element.scalar() == Scalar::Double;
        if self.signature.measured.iter().any(doubles) {
            self.text.push_str(KEYS_OF_DOUBLES);
        }
        line!(self, "// The elements of an item.");
        self.by_item("uint64_t measured_count(uint item)", "0ul", |generator, item| {
            format!("return {};", generator.count_of(item))
        });
        line!(
            self,
            "// The keys of an element, the first one again where there are fewer than four; false where the domain ends."
        );
        self.by_item(
            "bool measured_keys(uint item, uint64_t k, out uvec4 keys)",
            "false",
            Generator::keys_of,
        );
        line!(
            self,
            "// Where an element stands whatever else there is: in a sparse grid, by the number of its block."
        );
        self.by_item(
            "uint64_t measured_place(uint item, uint64_t k)",
            "k",
            |generator, item| generator.place_of(item),
        );
        if self.signature.cut {
            line!(
                self,
                "// True if a run of elements belongs to the part of this rank: its first cell is there."
            );
            self.by_item(
                "bool measured_is_in_part(uint item, uint64_t k)",
                "true",
                |generator, item| generator.is_in_part(item),
            );
        }
    }

    fn by_item(&mut self, head: &str, otherwise: &str, body: impl Fn(&Self, &LocalMeasured) -> String) {
        line!(self, "{head} {{");
        line!(self, "    switch (item) {{");
        for (number, item) in self.signature.measured.iter().enumerate() {
            let body = body(self, item);
            line!(self, "    case {number}u: {{ {body} }}");
        }
        line!(self, "    }}");
        line!(self, "    return {otherwise};");
        line!(self, "}}");
    }

    fn field_of(&self, item: &LocalMeasured) -> (&LocalField, &str) {
        let field = &self.signature.fields[item.field];
        (field, &self.signature.resources[field.resource].name)
    }

    fn count_of(&self, item: &LocalMeasured) -> String {
        let (field, _) = self.field_of(item);
        if item.only.is_some() {
            return "1ul".into();
        }
        let each = self.count_of_entry(item);
        match field.count.filter(|_| item.entry.is_none()) {
            Some(count) => format!("({each}) * {count}ul"),
            None => each,
        }
    }

    /// Elements, whatever the number of entries of each.
    fn count_of_entry(&self, item: &LocalMeasured) -> String {
        let (field, name) = self.field_of(item);
        let resource = &self.signature.resources[field.resource];
        if let Some((within, over)) = item.within {
            let g = &self.signature.resources[within].name;
            return match over {
                Over::ActiveBlocks => format!("uint64_t({g}_active_count())"),
                Over::SubBlocks => format!("uint64_t({g}_sub_blocks())"),
                Over::ActiveCells => {
                    format!("uint64_t({g}_active_count()) << (sg_{g}_b0 + sg_{g}_b1 + sg_{g}_b2)")
                }
                _ => format!("uint64_t({g}_count)"),
            };
        }
        if field.place != LocalPlace::Buffer {
            return format!(
                "uint64_t({name}_active_count()) << (sg_{name}_b0 + sg_{name}_b1 + sg_{name}_b2)"
            );
        }
        if matches!(resource.shape, LocalShape::Set { live: Some(_) }) {
            return format!("uint64_t({name}_count)");
        }
        self.elements(field)
    }

    /// Elements that a field of a dense resource has room for.
    fn elements(&self, field: &LocalField) -> String {
        let axes = self.signature.resources[field.resource].axes();
        let sides = (0..axes).map(|axis| format!("uint64_t({})", self.side(field, axis as usize)));
        sides.collect::<Vec<_>>().join(" * ")
    }

    /// The statement that converts `k` to the place in memory of the k-th number of an array; empty for other fields.
    fn place_of_entry(&self, item: &LocalMeasured) -> String {
        let (field, name) = self.field_of(item);
        if field.count.is_none() || field.place != LocalPlace::Buffer {
            return String::new();
        }
        let is_dynamic = matches!(
            self.signature.resources[field.resource].shape,
            LocalShape::Set { live: Some(_) }
        );
        // Only the live elements of each entry.
        if item.entry.is_none() && is_dynamic {
            let elements = self.elements(field);
            return format!("k = k / {name}_count * ({elements}) + k % {name}_count; ");
        }
        let Some(entry) = item.entry else {
            return String::new();
        };
        let first = match item.only {
            Some((index, _)) => format!("k = {index}ul; "),
            None => String::new(),
        };
        let axes = self.signature.resources[field.resource].axes() as usize;
        let sides = (0..axes.min(2)).map(|axis| format!("uint64_t({})", self.side(field, axis)));
        let plane = sides.collect::<Vec<_>>().join(" * ");
        match (axes, field.count) {
            // Plane by plane in z.
            (3, Some(count)) => {
                format!(
                    "{first}{{ uint64_t plane = {plane}; k += (k / plane * {}ul + {entry}ul) * plane; }} ",
                    count - 1
                )
            }
            _ => format!("{first}k += {entry}ul * ({plane}); "),
        }
    }

    /// The statements that split `k` into an entry and an element of a block's array; empty for other fields.
    fn split_of_entry(&self, item: &LocalMeasured) -> String {
        match (self.field_of(item).0.count, item.entry) {
            (None, _) => String::new(),
            (Some(_), Some(entry)) => format!("uint entry = {entry}u; "),
            (Some(_), None) => {
                let each = self.count_of_entry(item);
                format!("uint64_t each = {each}; uint entry = uint(k / each); k %= each; ")
            }
        }
    }

    fn keys_of(&self, item: &LocalMeasured) -> String {
        let (field, name) = self.field_of(item);
        let (kind, symbol) = (field.element.accessor_type(), &field.name);
        let (before, value) = match (field.place, item.only) {
            (LocalPlace::Blocks { .. }, Some((_, [x, y, z]))) => {
                let entry = item.entry.map_or(String::new(), |entry| format!(", {entry}u"));
                (String::new(), format!("{symbol}(ivec3({x}, {y}, {z}){entry})"))
            }
            (LocalPlace::Blocks { before }, None) => {
                let (text, element) = self.element_of_blocks(field, name, before);
                (self.split_of_entry(item) + &text, seen(field.element, &element))
            }
            (LocalPlace::Buffer, only) => {
                let place = self.place_of_entry(item);
                let only = only.filter(|_| place.is_empty());
                let index = only.map_or("k".to_string(), |(index, _)| format!("{index}ul"));
                // Array indices have 32 bits, and drivers treat them as signed; they make addresses cheap.
                let narrow = seen(field.element, &format!("sg_p_{symbol}.at[int({index})]"));
                let wide = seen(field.element, &self.wide_element(field, false, &index));
                // Compilers refuse a constant that no 32-bit index reaches.
                let before = match only {
                    Some((index, _)) if index > i32::MAX as u64 => format!("{kind} v = {wide}; "),
                    // All entries together may have more components than one of them.
                    _ if field.count.is_some() => format!("{kind} v = {wide}; "),
                    _ => format!("{kind} v; if (sg_{name}_wide) v = {wide}; else v = {narrow}; "),
                };
                (place + &before, String::new())
            }
        };
        let keys = keys(field.element, item.part, item.is_squared);
        match value.as_str() {
            "" => format!("{before}keys = uvec4({keys}); return true;"),
            value => format!("{before}{kind} v = {value}; keys = uvec4({keys}); return true;"),
        }
    }

    /// Element `k` of the active blocks: the statements before it, which skip cells beyond the domain if the last blocks have
    /// some, and the element.
    fn element_of_blocks(&self, field: &LocalField, g: &str, before: u32) -> (String, String) {
        let (memory, bytes) = (field.element.glsl(), field.element.bytes());
        let text = format!(
            "int bits = sg_{g}_b0 + sg_{g}_b1 + sg_{g}_b2, sub_bits = sg_{g}_u0 + sg_{g}_u1 + sg_{g}_u2; \
             uint number = sg_{g}_listed(uint(k >> bits)), place = uint(k) & ((1u << bits) - 1u); \
             int x = sg_{g}_n0 & ((1 << sg_{g}_b0) - 1), y = sg_{g}_n1 & ((1 << sg_{g}_b1) - 1); \
             if ((x | y | sg_{g}_n2 & ((1 << sg_{g}_b2) - 1)) != 0) {{ \
             ivec3 within = ivec3(place, place >> sg_{g}_u0, place >> (sg_{g}_u0 + sg_{g}_u1)) & ((ivec3(1) << sg_{g}_u) - 1); \
             ivec3 cell = sg_{g}_corner(sg_{g}_block_at(number) << sg_{g}_b, place >> sub_bits) + within; \
             if (any(greaterThanEqual(cell, {g}_cells))) return false; }} "
        );
        let before = match field.count {
            None => format!("{before}u"),
            Some(_) => format!("{before}u + entry * {bytes}u"),
        };
        let element = format!("sg_e_{memory}(sg_{g}_at(sg_{g}_find(number), {before}, place, {bytes}u)).v");
        (text, element)
    }

    fn is_in_part(&self, item: &LocalMeasured) -> String {
        let (field, name) = self.field_of(item);
        let (g, sub_block) = match (item.within, field.place) {
            (Some((within, over)), _) => {
                let g = self.signature.resources[within].name.as_str();
                match over {
                    Over::ActiveCells => (g, format!("k >> (sg_{g}_u0 + sg_{g}_u1 + sg_{g}_u2)")),
                    Over::SubBlocks => (g, "k".to_string()),
                    _ => return "return true;".into(),
                }
            }
            (None, LocalPlace::Blocks { .. }) => {
                (name, format!("k >> (sg_{name}_u0 + sg_{name}_u1 + sg_{name}_u2)"))
            }
            (None, LocalPlace::Buffer) => return "return true;".into(),
        };
        format!(
            "ivec3 first = {g}_sub_block(uint({sub_block})) - sg_low; \
             return all(greaterThanEqual(first, ivec3(0))) && all(lessThan(first, sg_part));"
        )
    }

    fn place_of(&self, item: &LocalMeasured) -> String {
        let (field, g) = self.field_of(item);
        match (field.place, item.only) {
            (_, Some((index, _))) => format!("return {index}ul;"),
            (LocalPlace::Blocks { .. }, None) => {
                let place = format!(
                    "(uint64_t(sg_{g}_listed(uint(k >> bits))) << bits) | (k & ((1ul << bits) - 1ul))"
                );
                let split = self.split_of_entry(item);
                let entry = match field.count {
                    None => String::new(),
                    Some(_) => format!(" | uint64_t(entry) << (bits + sg_{g}_k0 + sg_{g}_k1 + sg_{g}_k2)"),
                };
                format!("{split}int bits = sg_{g}_b0 + sg_{g}_b1 + sg_{g}_b2; return {place}{entry};")
            }
            (LocalPlace::Buffer, None) => format!("{}return k;", self.place_of_entry(item)),
        }
    }
}

/// The four keys of element `v`.
fn keys(element: Element, part: MeasuredPart, is_squared: bool) -> String {
    let count = match element {
        Element::Rgba8 => 4,
        element => element.components() as usize,
    };
    let columns = element.columns() as usize;
    let component = |number: usize| match count {
        1 => "v".to_string(),
        _ if columns > 1 => format!("v[{}][{}]", number / columns, number % columns),
        _ => format!("v.{}", &"xyzw"[number..=number]),
    };
    let number_type = match element.scalar() {
        Scalar::Double => "double",
        _ => "float",
    };
    let square = |number: usize| format!("{number_type}({0}) * {number_type}({0})", component(number));
    let key = |number: usize| {
        let value = if is_squared {
            square(number)
        } else {
            component(number)
        };
        format!("sg_key({value})")
    };
    match part {
        MeasuredPart::Components(first) => {
            let first = first as usize;
            let keys = (first..first + 4).map(|number| key(if number < count { number } else { first }));
            keys.collect::<Vec<_>>().join(", ")
        }
        MeasuredPart::Component(number) => key(number as usize),
        MeasuredPart::Length => {
            let squares = (0..count).map(square).collect::<Vec<_>>().join(" + ");
            if is_squared {
                format!("sg_key({squares})")
            } else {
                format!("sg_key(sqrt({squares}))")
            }
        }
    }
}
