//! The interface of a resource: its size and position, and conversions between cells and world space.

use crate::ir::{Form, LocalShape, Placement};
use crate::particles::live;

use super::constant_kind::ConstantKind;
use super::{Generator, line};

/// The particles of a rank: those that were sorted, and then those that are new since.
const HELD_WITH_NEW: &str = "\
#define @_held_count (@_held_end - @_held_first + uint(sg_part.z - sg_low.z))
uint sg_@_held_at(uint n) {
    uint sorted = @_held_end - @_held_first;
    return n < sorted ? @_held_first + n : uint(sg_low.z) + (n - sorted);
}
";

impl Generator<'_> {
    /// Number of entries of arrays: `<field>_entries`.
    pub(super) fn entries(&mut self) {
        for field in &self.signature.fields {
            if let Some(count) = field.count {
                line!(self, "#define {}_entries {count}u", field.name);
            }
        }
    }

    /// Constants of one local resource, their ids from `first` on.
    pub(super) fn resource(&mut self, number: usize, first: u32) {
        let resource = &self.signature.resources[number];
        let (name, axes) = (&resource.name, resource.axes() as usize);
        let kind = if axes == 1 { "uint" } else { "int" };
        let sides = if resource.is_level() { 0 } else { axes };
        for axis in 0..sides {
            let symbol = format!("sg_{name}_n{axis}");
            self.constant(
                first + axis as u32,
                kind,
                &symbol,
                "1",
                ConstantKind::Size(number, axis),
            );
        }
        let wide = format!("sg_{name}_wide");
        self.constant(first + 9, "bool", &wide, "false", ConstantKind::Wide(number));
        match &resource.shape {
            LocalShape::Lattice { form, pages, .. } => {
                self.lattice(number, first, form);
                if form.placement == Placement::Centres && pages.is_none() {
                    // As for sparse grids, so that a kernel serves both.
                    line!(
                        self,
                        "bool {name}_is_active(ivec{axes} cell) {{ return all(lessThan(uvec{axes}(cell), uvec{axes}({name}_cells))); }}"
                    );
                }
            }
            LocalShape::Set { live: Some(live) } => {
                let live = &self.signature.fields[*live].name;
                line!(self, "#define {name}_capacity sg_{name}_n0");
                for (symbol, word) in [("count", live::COUNT), ("born", live::BORN)] {
                    line!(self, "#define {name}_{symbol} sg_p_{live}.at[{word}]");
                }
            }
            LocalShape::Set { live: None } => line!(self, "#define {name}_count sg_{name}_n0"),
        }
        if let LocalShape::Set { .. } = &resource.shape {
            self.range(number, name);
        }
    }

    /// The particles of a set that the stage runs over, and a test whether one is not a copy of another rank's.
    fn range(&mut self, number: usize, name: &str) {
        let signature = self.signature;
        let is_cut = signature.cut && signature.shares.or(signature.domain) == Some(number);
        let (first, end, own) = if is_cut {
            (
                "uint(sg_low.x)",
                "uint(sg_part.x)".to_string(),
                "i >= uint(sg_low.y) && i < uint(sg_part.y)",
            )
        } else {
            ("0u", format!("{name}_count"), "true")
        };
        let is_dynamic = matches!(
            self.signature.resources[number].shape,
            LocalShape::Set { live: Some(_) }
        );
        line!(self, "#define {name}_held_first {first}");
        line!(self, "#define {name}_held_end {end}");
        if is_cut && is_dynamic {
            self.template(HELD_WITH_NEW, name);
        } else {
            line!(self, "#define {name}_held_count ({end} - {first})");
            line!(self, "#define sg_{name}_held_at(n) ({first} + (n))");
        }
        line!(self, "bool {name}_is_own(uint i) {{ return {own}; }}");
    }

    /// Size and position of a lattice.
    fn lattice(&mut self, number: usize, first: u32, form: &Form) {
        let resource = &self.signature.resources[number];
        let name = &resource.name;
        if resource.is_level() {
            self.level(name, form)
        } else {
            self.constant_lattice(number, first, form)
        }
        let axes = form.axes;
        let (index, spacing, offset) = match form.placement {
            Placement::Centres if form.cubes => ("cell", format!("{name}_dx"), " + 0.5"),
            Placement::Centres => ("cell", format!("{name}_spacing"), " + 0.5"),
            Placement::Vertices => ("vertex", format!("{name}_spacing"), ""),
            Placement::Pixels | Placement::Nowhere => return,
        };
        let place = match offset {
            "" => format!("vec{axes}({index})"),
            offset => format!("(vec{axes}({index}){offset})"),
        };
        line!(
            self,
            "vec{axes} {name}_position(ivec{axes} {index}) {{ return {name}_origin + {place} * {spacing}; }}"
        );
        line!(
            self,
            "vec{axes} {name}_coordinates(vec{axes} world) {{ return (world - {name}_origin) / {spacing}; }}"
        );
    }

    /// Size and position as constants. Vectors are variables: older validation layers reject vector operations on
    /// specialization constants, and drivers fold variables just as well.
    fn constant_lattice(&mut self, number: usize, first: u32, form: &Form) {
        let name = &self.signature.resources[number].name;
        let axes = form.axes as usize;
        let vector = |prefix: &str, letter: &str| {
            let parts: Vec<String> = (0..axes)
                .map(|axis| format!("sg_{name}_{letter}{axis}"))
                .collect();
            format!("{prefix}vec{axes}({})", parts.join(", "))
        };
        let extent = form.extent;
        if form.placement.is_in_the_world() {
            for axis in 0..axes {
                let id = first + 3 + axis as u32;
                let symbol = format!("sg_{name}_o{axis}");
                self.constant(id, "float", &symbol, "0.0", ConstantKind::Origin(number, axis));
            }
            for axis in 0..axes {
                let id = first + 6 + axis as u32;
                let symbol = format!("sg_{name}_s{axis}");
                self.constant(id, "float", &symbol, "1.0", ConstantKind::Spacing(number, axis));
            }
        }
        match axes {
            1 => line!(self, "#define {name}_{extent} sg_{name}_n0"),
            _ => line!(self, "ivec{axes} {name}_{extent} = {};", vector("i", "n")),
        }
        if !form.placement.is_in_the_world() {
            return;
        }
        line!(self, "vec{axes} {name}_origin = {};", vector("", "o"));
        if form.cubes {
            line!(self, "#define {name}_dx sg_{name}_s0");
            line!(self, "#define {name}_spacing vec{axes}({name}_dx)");
        } else {
            line!(self, "vec{axes} {name}_spacing = {};", vector("", "s"))
        }
    }
}
