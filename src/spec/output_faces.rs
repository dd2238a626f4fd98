//! The triangles of an output that is a mesh.

use super::file::{OutputFile, Reference};
use super::output_sources::Source;
use super::resolver::Resolver;
use super::scope::Scope;
use crate::element::Element;
use crate::ir::*;
use crate::output::Faces;

impl Resolver<'_, '_> {
    /// The triangles that `faces` of an output names, with their fields as further parts of a payload.
    pub(super) fn faces(
        &self,
        reference: &Reference,
        file: &OutputFile,
        source: &Source,
        parts: &mut Vec<FieldId>,
    ) -> Option<Faces> {
        let (program, place) = (self.program, &reference.place);
        let vertices = &self.pipeline.resources[source.resource];
        if vertices.set().is_none() {
            let message = format!("`{}` are not particles, so no `faces` join them", source.text);
            return program.refuse(
                &source.place,
                message,
                "remove it, or name the particle set of the vertices",
            );
        }
        if let Some(place) = [
            file.region.as_ref().map(|region| &region.place),
            file.stride.as_ref().map(|stride| &stride.place),
        ]
        .into_iter()
        .flatten()
        .next()
        {
            let message = "a mesh is written whole: triangles need all their vertices";
            return program.refuse(place, message, "remove it, or remove `faces` to write points");
        }
        let id = self.field(&Scope::of(0), reference)?;
        let field = &self.pipeline.fields[id];
        let resource = &self.pipeline.resources[field.resource];
        let is_list = resource.set().is_some() || resource.is_buffer();
        if !is_list || !field.is(Element::Uvec3) {
            let message = format!("`{}` is not a uvec3 attribute or buffer", reference.text());
            let help = "name the field with the numbers of the three vertices of each triangle";
            return program.refuse(place, message, help);
        }
        let mut part = |field: FieldId| {
            parts.push(field);
            parts.len() - 1
        };
        Some(Faces {
            part: part(id),
            live: resource.live().map(&mut part),
            capacity: resource.size[0],
            sets: [vertices.name.clone(), resource.name.clone()],
        })
    }
}
