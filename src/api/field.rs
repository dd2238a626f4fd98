//! Fields of a pipeline.

use crate::element::Element;
use crate::ir;

/// A field: a channel, an attribute or a buffer, which stages and the host read and write by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// `<resource>.<channel>`, or the name of a buffer.
    pub name: String,
    /// Type of the value of one cell, particle, pixel or element.
    pub element: Element,
    /// Number of values per element of an array, or `None`. Memory holds value 0 of all elements, then value 1, ...
    pub count: Option<u32>,
    /// Number of elements along each axis of the resource; x varies fastest in memory.
    pub size: Vec<u64>,
    /// Number of copies that steps cycle through.
    pub ring: u32,
    /// Size of one copy in one world, bytes.
    pub bytes: u64,
    /// Distance of the values of two worlds in memory, bytes; reads and writes have no gaps between worlds.
    pub world_bytes: u64,
}

/// The fields that the document of a pipeline defines.
pub fn fields(pipeline: &ir::Pipeline) -> Vec<Field> {
    let fields = pipeline.fields.iter().enumerate();
    fields
        .filter(|(_, field)| !field.pointer.is_empty())
        .map(|(id, field)| {
            let resource = &pipeline.resources[field.resource];
            Field {
                name: field.name.clone(),
                element: field.element,
                count: field.count,
                size: resource.size_of(field)[..resource.axes() as usize].to_vec(),
                ring: field.ring,
                bytes: pipeline.field_bytes(id),
                world_bytes: pipeline.world_bytes(id),
            }
        })
        .collect()
}
