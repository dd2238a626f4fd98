//! Positions of the values of a field in world space, and interpolation between them: for float fields whose channel
//! has `at` or `border`.

use crate::element::Element;
use crate::ir::{Border, LocalField, LocalPlace};

use super::border::letter;
use super::{Generator, line};

impl Generator<'_> {
    /// Positions of values and samples between them, after the accessors that these call.
    pub(super) fn locations(&mut self) {
        let whole_blocks = self.signature.whole_blocks.is_some();
        for field in &self.signature.fields {
            let stated = field.at.is_some() || field.border.is_some();
            let Some(offsets) = self.offsets(field).filter(|_| stated) else {
                continue;
            };
            self.position(field, &offsets);
            let readable = field.reads && (field.place == LocalPlace::Buffer || !whole_blocks);
            if readable && is_of_floats(field.element) {
                self.sample(field, &offsets);
            }
        }
    }

    /// Position of the value with index 0, in spacings from the origin; `None` for fields without positions.
    fn offsets(&self, field: &LocalField) -> Option<String> {
        let resource = &self.signature.resources[field.resource];
        let (form, axes) = (resource.form()?, resource.axes() as usize);
        let offset = |axis: usize| form.placement.offset(field.location(), axis);
        let offsets: Option<Vec<String>> = (0..axes)
            .map(|axis| Some(format!("{:?}", offset(axis)?)))
            .collect();
        Some(format!("vec{axes}({})", offsets?.join(", ")))
    }

    fn position(&mut self, field: &LocalField, offsets: &str) {
        let (name, resource) = (&field.name, &self.signature.resources[field.resource]);
        let (g, axes) = (&resource.name, resource.axes());
        line!(
            self,
            "vec{axes} {name}_position(ivec{axes} i) {{ return {g}_origin + (vec{axes}(i) + {offsets}) * {g}_spacing; }}"
        );
    }

    /// Interpolates linearly between the values around a position. Beyond the outermost values it uses the result of
    /// reads there; without a border, the outermost values.
    fn sample(&mut self, field: &LocalField, offsets: &str) {
        let (name, resource) = (&field.name, &self.signature.resources[field.resource]);
        let (g, axes) = (&resource.name, resource.axes() as usize);
        let (kind, sides) = (field.element.accessor_type(), self.sides(field));
        let (parameter, entry) = match field.count {
            None => ("", ""),
            Some(_) => (", uint k", ", k"),
        };
        line!(self, "{kind} sample_{name}(vec{axes} world{parameter}) {{");
        line!(
            self,
            "    vec{axes} at = (world - {g}_origin) / {g}_spacing - {offsets};"
        );
        match field.border.map(|borders| (borders, borders.same())) {
            None => line!(
                self,
                "    at = clamp(at, vec{axes}(0.0), vec{axes}({sides} - 1));"
            ),
            // All reads beyond the border return the value of the first one beyond it.
            Some((_, Some(Border::Background | Border::Clamp))) => {
                line!(self, "    at = clamp(at, vec{axes}(-1.0), vec{axes}({sides}));")
            }
            Some((_, Some(Border::Repeat | Border::Symmetric | Border::Antisymmetric))) => {}
            Some((borders, None)) => {
                for axis in (0..axes).filter(|axis| !borders.along(*axis).continues()) {
                    let c = letter(axis);
                    line!(self, "    at.{c} = clamp(at.{c}, -1.0, float({sides}.{c}));");
                }
            }
        }
        line!(self, "    vec{axes} low = floor(at), part = at - low;");
        let next = match field.border {
            None => format!("min(a + 1, {sides} - 1)"),
            Some(_) => "a + 1".to_string(),
        };
        line!(self, "    ivec{axes} a = ivec{axes}(low), b = {next};");
        for corner in 0..1usize << axes {
            let index: Vec<String> = (0..axes)
                .map(|axis| {
                    let end = if corner >> axis & 1 == 0 { "a" } else { "b" };
                    format!("{end}.{}", letter(axis))
                })
                .collect();
            line!(
                self,
                "    {kind} v{corner} = {name}(ivec{axes}({}){entry});",
                index.join(", ")
            );
        }
        // Along x, then y, then z.
        for axis in 0..axes {
            let component = letter(axis);
            for pair in 0..1usize << (axes - axis - 1) {
                let [low, high] = [2 * pair, 2 * pair + 1];
                line!(
                    self,
                    "    v{pair} = v{low} + part.{component} * (v{high} - v{low});"
                );
            }
        }
        line!(self, "    return v0;");
        line!(self, "}}");
    }
}

/// True for types whose values can be interpolated.
fn is_of_floats(element: Element) -> bool {
    let seen = element.accessor_type();
    element != Element::Rgba8 && matches!(seen, "float" | "vec2" | "vec3" | "vec4")
}
