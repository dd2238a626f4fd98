//! Reads beyond the border of a field.

use crate::ir::{Border, Borders, LocalField, LocalShape, Placement};

use super::check::FaultCause;
use super::{Generator, line};

impl Generator<'_> {
    /// The GLSL size of a field along an axis: that of its resource, or one more if values are at both ends of the
    /// grid.
    pub(super) fn side(&self, field: &LocalField, axis: usize) -> String {
        let name = &self.signature.resources[field.resource].name;
        match field.more(axis) {
            0 => format!("sg_{name}_n{axis}"),
            more => format!("(sg_{name}_n{axis} + {more})"),
        }
    }

    /// The GLSL size of a field of several axes.
    pub(super) fn sides(&self, field: &LocalField) -> String {
        let resource = &self.signature.resources[field.resource];
        let (name, axes) = (&resource.name, resource.axes() as usize);
        let extent = resource.form().map_or("", |form| form.extent);
        let more: Vec<u64> = (0..axes).map(|axis| field.more(axis)).collect();
        if more.iter().all(|more| *more == 0) {
            format!("{name}_{extent}")
        } else {
            let more: Vec<String> = more.iter().map(u64::to_string).collect();
            format!("({name}_{extent} + ivec{axes}({}))", more.join(", "))
        }
    }

    /// The GLSL condition that index `i` is outside the field.
    pub(super) fn outside(&self, field: &LocalField) -> String {
        let resource = &self.signature.resources[field.resource];
        let name = &resource.name;
        match &resource.shape {
            LocalShape::Lattice { form, .. } if form.axes > 1 => {
                let (axes, sides) = (form.axes, self.sides(field));
                format!("any(greaterThanEqual(uvec{axes}(i), uvec{axes}({sides})))")
            }
            LocalShape::Set { live: Some(_) } => format!("i >= {name}_count + {name}_born"),
            _ => format!("i >= sg_{name}_n0"),
        }
    }

    /// The GLSL type of an index.
    pub(super) fn index_type(&self, field: &LocalField) -> &'static str {
        match self.signature.resources[field.resource].axes() {
            1 => "uint",
            2 => "ivec2",
            _ => "ivec3",
        }
    }

    /// Index `i` with three axes, for the fault record; `i` may have another name.
    pub(super) fn reported_index(&self, field: &LocalField, i: &str) -> String {
        match self.signature.resources[field.resource].axes() {
            1 => format!("ivec3(int({i}), 0, 0)"),
            2 => format!("ivec3({i}, 0)"),
            _ => i.to_string(),
        }
    }

    /// The name of the index in a function that reads: `i`, or `asked` if a border may change it.
    pub(super) fn index_of_read(&self, field: &LocalField) -> &'static str {
        match field.border.map(Borders::same) {
            None | Some(Some(Border::Background)) => "i",
            Some(_) => "asked",
        }
    }

    /// The first lines of a function that reads. For an index beyond the border they wrap or clamp it, return `beyond`,
    /// or report a fault and return `faulty`.
    pub(super) fn cross_border(&mut self, number: usize, beyond: &str, faulty: &str) {
        let field = &self.signature.fields[number];
        let (index, sides) = (self.index_type(field), self.sides(field));
        let Some(borders) = field.border else {
            self.check(number, FaultCause::Read, faulty);
            return self.check_reach(number, FaultCause::ReadBeyond, "i");
        };
        self.check_reach(number, FaultCause::ReadBeyond, self.index_of_read(field));
        match borders.same() {
            None | Some(Border::Symmetric | Border::Antisymmetric) => {
                self.cross_borders(number, borders, beyond, faulty)
            }
            Some(Border::Background) => {
                let outside = self.outside(field);
                self.check_entry(number, FaultCause::Read, &format!(" {faulty}"), "i");
                line!(self, "    if ({outside}) return {beyond};");
            }
            Some(Border::Clamp) => {
                self.check_entry(number, FaultCause::Read, &format!(" {faulty}"), "asked");
                line!(self, "    {index} i = clamp(asked, {index}(0), {sides} - 1);");
            }
            Some(Border::Repeat) => {
                line!(
                    self,
                    "    {index} i = asked + {sides} * ({index}(lessThan(asked, {index}(0))) - {index}(greaterThanEqual(asked, {sides})));"
                );
                self.check_index(number, FaultCause::Read, faulty, "asked");
            }
        }
    }

    /// [`Generator::cross_border`] for axes with different borders. An axis that returns `beyond` overrides the others.
    fn cross_borders(&mut self, number: usize, borders: Borders, beyond: &str, faulty: &str) {
        let field = &self.signature.fields[number];
        let (index, sides) = (self.index_type(field), self.sides(field));
        self.check_entry(number, FaultCause::Read, &format!(" {faulty}"), "asked");
        line!(self, "    {index} i = asked;");
        if changes_sign(borders) {
            line!(self, "    bool opposite = false;");
        }
        for axis in 0..self.signature.resources[field.resource].axes() as usize {
            let c = letter(axis);
            match borders.along(axis) {
                Border::Background => {}
                Border::Clamp => line!(self, "    i.{c} = clamp(asked.{c}, 0, {sides}.{c} - 1);"),
                Border::Repeat => line!(
                    self,
                    "    i.{c} += {sides}.{c} * (int(asked.{c} < 0) - int(asked.{c} >= {sides}.{c}));"
                ),
                Border::Symmetric | Border::Antisymmetric => {
                    // The mirror is at the outermost values, or half a cell beyond them.
                    let [before, after] = if self.ends_at_border(field, axis) {
                        [0, 2]
                    } else {
                        [-1, 1]
                    };
                    line!(
                        self,
                        "    i.{c} = asked.{c} < 0 ? {before} - asked.{c} : asked.{c} >= {sides}.{c} ? 2 * {sides}.{c} - {after} - \
                         asked.{c} : asked.{c};"
                    );
                    line!(self, "    i.{c} = clamp(i.{c}, 0, {sides}.{c} - 1);");
                    if borders.along(axis) == Border::Antisymmetric {
                        line!(
                            self,
                            "    opposite = opposite != (uint(asked.{c}) >= uint({sides}.{c}));"
                        );
                    }
                }
            }
        }
        if let Some(background) = self.beyond_background(field, borders) {
            line!(self, "    if ({background}) return {beyond};");
        }
        if borders.axes_with(Border::Repeat, 3).next().is_some() {
            self.check_inside(number, FaultCause::Read, &format!(" {faulty}"), "asked");
        }
    }

    /// Returns true if the outermost values along an axis are on the border of the lattice.
    fn ends_at_border(&self, field: &LocalField, axis: usize) -> bool {
        let form = self.signature.resources[field.resource].form();
        field.more(axis) > 0 || form.is_some_and(|form| form.placement == Placement::Vertices)
    }

    /// The GLSL value of a read, with the sign that the borders give it.
    pub(super) fn with_sign(&self, field: &LocalField, value: &str) -> String {
        if field.border.is_some_and(changes_sign) {
            format!("opposite ? -({value}) : {value}")
        } else {
            value.to_string()
        }
    }

    /// The GLSL condition that index `i` is beyond the border along an axis where that gives the background.
    pub(super) fn beyond_background(&self, field: &LocalField, borders: Borders) -> Option<String> {
        let sides = self.sides(field);
        let axes = self.signature.resources[field.resource].axes() as usize;
        let along = borders.axes_with(Border::Background, axes).map(|axis| {
            let c = letter(axis);
            format!("uint(i.{c}) >= uint({sides}.{c})")
        });
        let conditions: Vec<String> = along.collect();
        (!conditions.is_empty()).then(|| conditions.join(" || "))
    }
}

/// Returns true if reads beyond a border may return the opposite of a value.
fn changes_sign(borders: Borders) -> bool {
    borders.axes_with(Border::Antisymmetric, 3).next().is_some()
}

/// The component of an index or a position along an axis.
pub(super) fn letter(axis: usize) -> &'static str {
    &"xyz"[axis..=axis]
}
