//! Unpacks channels of sparse grids into dense fields, for outputs.

use std::collections::HashMap;

use super::DraftContext;
use super::meaning::Meaning;
use crate::ir::{
    Domain, Field, FieldId, Home, Invocation, Lattice, List, Pipeline, Purpose, Resource, ResourceKind,
    StageId,
};

/// Lets outputs download dense copies of the channels of sparse grids, which frame stages write.
pub(super) fn lower(meaning: &mut Meaning) {
    let mut unpacked = Unpacked::default();
    let mut outputs = std::mem::take(&mut meaning.pipeline.outputs);
    for output in &mut outputs {
        let every = u32::try_from(output.every).unwrap_or(u32::MAX);
        let pointer = format!("/outputs/{}", crate::problem::pointer_part(&output.name));
        for field in &mut output.fields[..output.content.columns.len()] {
            if meaning.pipeline.sparse_of(*field).is_some() {
                *field = unpacked.get(&mut meaning.pipeline, *field, every, &pointer);
            }
        }
    }
    meaning.pipeline.outputs = outputs;
}

/// Name of the resource with the unpacked channel.
fn whole_name(pipeline: &Pipeline, channel: FieldId) -> String {
    format!("{}_whole", pipeline.fields[channel].symbol())
}

/// The unpacked channels, with their fields and stages.
#[derive(Debug, Default)]
struct Unpacked {
    known: HashMap<FieldId, (FieldId, StageId)>,
}

impl Unpacked {
    /// The field into which a channel is unpacked, at least in every n-th frame.
    fn get(&mut self, pipeline: &mut Pipeline, channel: FieldId, every: u32, pointer: &str) -> FieldId {
        if let Some((field, stage)) = self.known.get(&channel) {
            let stage = &mut pipeline.stages[*stage];
            if stage.every != every {
                // Two outputs of one channel with different `every`: unpack in all frames.
                (stage.every, stage.first) = (1, 0);
            }
            return *field;
        }
        let (field, stage) = lay_out(pipeline, channel, every, pointer);
        pipeline.frame.push(Invocation::without_arguments(stage));
        self.known.insert(channel, (field, stage));
        field
    }
}

/// Adds the field into which a channel is unpacked, and the frame stage that unpacks it in every n-th frame.
fn lay_out(pipeline: &mut Pipeline, channel: FieldId, every: u32, pointer: &str) -> (FieldId, StageId) {
    let name = whole_name(pipeline, channel);
    let symbol = pipeline.fields[channel].symbol();
    let grid = pipeline.fields[channel].resource;
    let resource = &pipeline.resources[grid];
    let dense = Resource {
        name: name.clone(),
        size: resource.size,
        kind: match &resource.kind {
            ResourceKind::Lattice(lattice) => ResourceKind::Lattice(Lattice {
                sparse: None,
                ..lattice.clone()
            }),
            set => set.clone(),
        },
        pointer: String::new(),
    };
    let size = dense.size;
    let whole = pipeline.add_resource(dense);
    let field = Field {
        name: format!("{name}.value"),
        resource: whole,
        home: Home::Device,
        pointer: String::new(),
        ..pipeline.fields[channel].clone()
    };
    let field = pipeline.add_field(field);
    let entry = DraftContext {
        list: List::Frame,
        every,
        suffix: "",
        pointer,
    };
    let domain = Domain::elements(size, 3, Some(whole));
    let mut draft = entry.draft(format!("unpack_{symbol}"), "grid/unpack.comp", domain);
    draft.name_resource("grid", grid);
    draft.name_resource("whole", whole);
    draft.read("grid_channel", channel);
    draft.write("grid_whole", field);
    draft.purpose = Purpose::Unpack;
    // Outputs write frames n, 2 n, ... counted from 1.
    draft.first = every - 1;
    (field, draft.finish(pipeline))
}
