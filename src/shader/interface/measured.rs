//! What the engine's measuring stages see of fields: items, each a list of elements with up to four numbers. Numbers
//! come as keys, unsigned and in the order of the values (`spec::Class::key`), so that one kernel serves all types.

use crate::spec::{Element, Field, FieldId, Home, Measured, Part, SparseGrid};

use super::{Generator, line};

const KEYS: &str = "\
uint sg_key(float value) {
    uint bits = floatBitsToUint(value);
    return bits ^ ((bits >> 31) != 0u ? 0xffffffffu : 0x80000000u);
}
uint sg_key(int value) { return uint(value) ^ 0x80000000u; }
uint sg_key(uint value) { return value; }
";

impl Generator<'_> {
    /// Functions by number of an item of this stage.
    pub(super) fn measured(&mut self) {
        let stage = self.stage;
        if stage.measured.is_empty() {
            return;
        }
        self.text.push_str(KEYS);
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
    }

    fn by_item(&mut self, head: &str, otherwise: &str, body: impl Fn(&Self, &Measured) -> String) {
        line!(self, "{head} {{");
        line!(self, "    switch (item) {{");
        for (number, item) in self.stage.measured.iter().enumerate() {
            let body = body(self, item);
            line!(self, "    case {number}u: {{ {body} }}");
        }
        line!(self, "    }}");
        line!(self, "    return {otherwise};");
        line!(self, "}}");
    }

    fn sparse(&self, field: FieldId) -> Option<(&str, &SparseGrid)> {
        let pipeline = self.pipeline;
        let resource = &pipeline.resources[pipeline.fields[field].resource];
        let paged = pipeline.fields[field].home == Home::Pages;
        let grid = resource.sparse.as_deref().filter(|_| paged)?;
        Some((&resource.name, grid))
    }

    fn count_of(&self, item: &Measured) -> String {
        let pipeline = self.pipeline;
        let resource = &pipeline.resources[pipeline.fields[item.field].resource];
        let name = &resource.name;
        if item.only.is_some() {
            return "1ul".into();
        }
        if self.sparse(item.field).is_some() {
            return format!(
                "uint64_t({name}_active_count()) << (sg_{name}_b0 + sg_{name}_b1 + sg_{name}_b2)"
            );
        }
        if let Some(live) = resource.live {
            return format!("uint64_t(sg_p_{}.at[0])", self.symbol(live));
        }
        let sides = (0..resource.axes()).map(|axis| format!("uint64_t(sg_{name}_n{axis})"));
        sides.collect::<Vec<_>>().join(" * ")
    }

    fn keys_of(&self, item: &Measured) -> String {
        let field = &self.pipeline.fields[item.field];
        let symbol = self.symbol(item.field);
        let resource = &self.pipeline.resources[field.resource];
        let [nx, ny, _] = resource.size;
        let (before, element) = match (self.sparse(item.field), item.only) {
            (Some(_), Some(index)) => {
                let [x, y, z] = [index % nx, index / nx % ny, index / (nx * ny)];
                (String::new(), format!("{symbol}(ivec3({x}, {y}, {z}))"))
            }
            (Some((g, grid)), None) => self.element_in_block(item.field, field, g, grid),
            (None, only) => {
                let index = only.map_or("k".to_string(), |index| format!("{index}ul"));
                let bytes = field.element.bytes();
                let elements = resource.elements() * u64::from(field.element.components());
                // Array indices have 32 bits, and drivers take them for signed ones; they keep addresses cheap.
                let element = match elements >= 1 << 31 {
                    true => {
                        let pointer = self.pointer_type(item.field, false);
                        format!("{pointer}(uint64_t(sg_p_{symbol}) + {index} * {bytes}ul).at[0]")
                    }
                    false => format!("sg_p_{symbol}.at[int({index})]"),
                };
                (String::new(), element)
            }
        };
        let seen = field.element.accessor_type();
        let value = match field.element {
            Element::Rgba8 => format!("unpackUnorm4x8({element})"),
            _ => element,
        };
        let keys = keys(field.element, item.part);
        format!("{before}{seen} v = {value}; keys = uvec4({keys}); return true;")
    }

    /// Element `k` of the active blocks: what goes before, which leaves out cells beyond the domain, and the element.
    fn element_in_block(&self, id: FieldId, field: &Field, g: &str, grid: &SparseGrid) -> (String, String) {
        let channels = grid.channels.iter().take_while(|channel| **channel != id);
        let before: u64 = channels
            .map(|channel| self.pipeline.fields[*channel].element.bytes())
            .sum();
        let (memory, bytes) = (field.element.glsl(), field.element.bytes());
        let text = format!(
            "int bits = sg_{g}_b0 + sg_{g}_b1 + sg_{g}_b2, sub_bits = sg_{g}_u0 + sg_{g}_u1 + sg_{g}_u2; \
             uint number = sg_p_{g}_list.at[uint(k >> bits)], place = uint(k) & ((1u << bits) - 1u); \
             ivec3 within = ivec3(place, place >> sg_{g}_u0, place >> (sg_{g}_u0 + sg_{g}_u1)) & ((ivec3(1) << sg_{g}_u) - 1); \
             ivec3 cell = sg_{g}_corner(sg_{g}_block_at(number) << sg_{g}_b, place >> sub_bits) + within; \
             if (any(greaterThanEqual(cell, {g}_cells))) return false; "
        );
        let element = format!("sg_e_{memory}(sg_{g}_at(sg_{g}_find(number), {before}u, place, {bytes}u)).v");
        (text, element)
    }

    fn place_of(&self, item: &Measured) -> String {
        match (self.sparse(item.field), item.only) {
            (_, Some(index)) => format!("return {index}ul;"),
            (Some((g, _)), None) => format!(
                "int bits = sg_{g}_b0 + sg_{g}_b1 + sg_{g}_b2; \
                 return (uint64_t(sg_p_{g}_list.at[uint(k >> bits)]) << bits) | (k & ((1ul << bits) - 1ul));"
            ),
            (None, None) => "return k;".into(),
        }
    }
}

/// The four keys of element `v`.
fn keys(element: Element, part: Part) -> String {
    let count = match element {
        Element::Rgba8 => 4,
        element => element.components() as usize,
    };
    let component = |number: usize| match count {
        1 => "v".to_string(),
        _ => format!("v.{}", &"xyzw"[number..=number]),
    };
    match part {
        Part::Components => {
            let keys = (0..4)
                .map(|number| format!("sg_key({})", component(if number < count { number } else { 0 })));
            keys.collect::<Vec<_>>().join(", ")
        }
        Part::Component(number) => format!("sg_key({})", component(number as usize)),
        Part::Length => {
            let squares = (0..count).map(|number| format!("{0} * {0}", component(number)));
            format!("sg_key(sqrt({}))", squares.collect::<Vec<_>>().join(" + "))
        }
    }
}
