//! What lies beyond the border of a resource.

use crate::ir::{LocalField, LocalShape};

use super::Generator;

impl Generator<'_> {
    /// The GLSL condition that index `i` lies outside.
    pub(super) fn outside(&self, field: &LocalField) -> String {
        let resource = &self.signature.resources[field.resource];
        let name = &resource.name;
        match &resource.shape {
            LocalShape::Lattice { form, .. } if form.axes > 1 => {
                let (axes, extent) = (form.axes, form.extent);
                format!("any(greaterThanEqual(uvec{axes}(i), uvec{axes}({name}_{extent})))")
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

    /// Index `i` with three axes, for the fault record.
    pub(super) fn reported_index(&self, field: &LocalField) -> &'static str {
        match self.signature.resources[field.resource].axes() {
            1 => "ivec3(int(i), 0, 0)",
            2 => "ivec3(i, 0)",
            _ => "i",
        }
    }
}
