//! Levels of grids: their sizes and positions are in the argument block instead of constants, so one module and one
//! pipeline serve all levels. `stage_begin` loads them into variables.

use crate::ir::Form;

use super::{Generator, line};

impl Generator<'_> {
    /// Size and position of a level, from the argument block.
    pub(super) fn level(&mut self, name: &str, form: &Form) {
        let (axes, extent) = (form.axes as usize, form.extent);
        line!(self, "ivec{axes} {name}_{extent};");
        line!(self, "vec{axes} {name}_origin;");
        line!(self, "vec{axes} {name}_spacing;");
        for (axis, letter) in ["x", "y", "z"].iter().enumerate().take(axes) {
            line!(self, "#define sg_{name}_n{axis} {name}_{extent}.{letter}");
        }
        if form.cubes {
            line!(self, "#define {name}_dx {name}_spacing.x");
        }
    }

    /// The size of a domain that is a level; kernels of the engine ask for `sg_over_level`.
    pub(super) fn level_domain(&mut self) {
        line!(self, "#define sg_over_level");
        line!(self, "uvec3 sg_domain;");
        for letter in ["x", "y", "z"] {
            line!(self, "#define sg_domain_{letter} sg_domain.{letter}");
        }
    }

    /// The members of the argument block for levels.
    pub(super) fn level_members(&mut self, resource: usize) {
        let resource = &self.signature.resources[resource];
        let (name, axes) = (&resource.name, resource.axes());
        line!(
            self,
            "    ivec{axes} sg_n_{name};\n    vec{axes} sg_o_{name};\n    vec{axes} sg_s_{name};"
        );
    }

    /// The lines of `stage_begin` that load them.
    pub(super) fn load_level(&mut self, resource: usize) {
        let resource = &self.signature.resources[resource];
        let (name, extent) = (&resource.name, resource.form().map_or("", |form| form.extent));
        line!(self, "    {name}_{extent} = arg.sg_n_{name};");
        line!(self, "    {name}_origin = arg.sg_o_{name};");
        line!(self, "    {name}_spacing = arg.sg_s_{name};");
    }
}
