//! Stages and fields of a dynamic particle set: the buffer with its live count, and the stages before and after one
//! that emits.

use super::Entry;
use crate::element::Element;
use crate::ir::{Domain, Draft, FieldId, Identity, Over, Pipeline, ResourceId, Start};
use crate::particles::live;

/// Adds the buffer with the number of live particles of set `name`, initially `count`.
pub(crate) fn live_field(pipeline: &mut Pipeline, name: &str, ring: u32, count: u32) -> FieldId {
    let field = pipeline.add_words(&format!("{name}_live"), live::WORDS);
    let live = &mut pipeline.fields[field];
    live.start = Start::words(&live::words(count, 0, 0));
    // The same ring as the attributes, so that frames of older steps have their own count.
    live.ring = ring;
    field
}

/// Where the number of births comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Births {
    /// The file: an argument of the stage.
    Number,
    /// The first element of a buffer.
    Buffer(FieldId),
}

/// The stages before and after one that emits: the first determines the number of births, the last one adds it to the
/// live count. Those between them number the newborn particles, where that is needed.
pub(crate) fn emission(pipeline: &Pipeline, set: ResourceId, births: Births, entry: Entry) -> Vec<Draft> {
    let resource = &pipeline.resources[set];
    let Some(live) = resource.live() else {
        return Vec::new();
    };
    let stage = |verb: &str, shader: &'static str| {
        let name = format!("{verb}_{}{}", resource.name, entry.suffix);
        let mut stage = entry.draft(name, shader, Domain::list(1, Some(set)));
        stage.call("particles", set);
        stage.read("particles_live", live);
        stage
    };
    let mut admit = stage("admit", "particles/admit.comp");
    admit.write("particles_live", live);
    match births {
        Births::Number => admit.arguments.push(("births".into(), Element::Uint)),
        Births::Buffer(buffer) => admit.read("births", buffer),
    }
    let mut stages = vec![admit];
    if let Some(Identity {
        field,
        next: Some(next),
    }) = resource.identity()
    {
        let mut identify = stage("identify", "particles/identify.comp");
        identify.domain = Domain {
            over: Over::Newborn,
            ..Domain::list(resource.size[0], Some(set))
        };
        identify.read("next_identity", next);
        identify.write("identity", field);
        let mut advance = stage("advance", "particles/next_identity.comp");
        advance.read("next_identity", next);
        advance.write("next_identity", next);
        stages.extend([identify, advance]);
    }
    let mut emit = stage("emit", "particles/emit.comp");
    emit.write("particles_live", live);
    stages.push(emit);
    stages
}
