//! Stages and fields of a dynamic particle set: the buffer with its live count, and the stages before and after one
//! that emits.

use std::collections::HashSet;
use std::rc::Rc;

use super::DraftContext;
use super::meaning::{Action, ActionKind, Births, Meaning};
use super::reorder::units;
use crate::element::{Element, words};
use crate::ir::{
    Completed, Component, Domain, Draft, Field, FieldId, List, Over, ParticleIdentity, Pipeline, ResourceId,
    Role, Start, VARIABLES,
};
use crate::particles::live;

/// The kernels that give an attribute its background, by units of words, of two bytes and of one.
const CLEAR: [&str; 3] = [
    "particles/clear.comp",
    "particles/clear_halves.comp",
    "particles/clear_bytes.comp",
];

/// Adds the stages before and after stages that emit. In the list `frame`, the particles of the first one replace those of
/// the frame before: what a frame has does not depend on which frames were written earlier.
pub(super) fn lower(meaning: &mut Meaning) {
    let mut begun: HashSet<ResourceId> = HashSet::new();
    meaning.replace(|meaning, list, action, into| {
        let dispatch = match &action.kind {
            ActionKind::Dispatch(dispatch) => dispatch,
            _ => return into.push(action),
        };
        let (Some(births), Some(set)) = (dispatch.births, dispatch.draft.domain.resource) else {
            return into.push(action);
        };
        let (every, from) = (action.every, action.from.clone());
        let is_fresh = list == List::Frame && begun.insert(set);
        let details = if is_fresh { "fresh" } else { "" };
        let skipped = skipped(&meaning.pipeline, set, &dispatch.draft);
        let drafts = meaning.engine(
            (list, every, &from),
            ("emission", set, details),
            |pipeline, _, entry| emission(pipeline, set, (births, is_fresh), &skipped, entry),
        );
        let mut backgrounds = skipped.iter().map(|field| background(&meaning.pipeline, *field));
        let values = match births {
            Births::Number(count) => vec![vec![count]],
            Births::Buffer(_) => Vec::new(),
        };
        let put = |draft: &Rc<Draft>, values| Action::dispatch(draft.clone(), values, every, &from);
        let Some((admit, rest)) = drafts.split_first() else {
            return into.push(action);
        };
        let Some((emit, others)) = rest.split_last() else {
            return into.push(action);
        };
        into.push(put(admit, values));
        into.extend(
            others
                .iter()
                .map(|draft| put(draft, backgrounds.next().into_iter().collect())),
        );
        into.push(action);
        into.push(put(emit, Vec::new()));
    });
}

/// Adds the buffer with the number of live particles of set `name`, initially `count`.
pub fn live_field(pipeline: &mut Pipeline, name: &str, ring: u32, count: u32) -> FieldId {
    let field = pipeline.add_words(&format!("{name}_live"), live::WORDS);
    let live = &mut pipeline.fields[field];
    live.start = Start::words(&live::words(count, 0, 0));
    // As long as the rings of attributes, so that frames of older steps have their own count.
    live.ring = ring;
    field
}

/// Adds an attribute that numbers the particles of a set: sorts and removals move particles, but an output with a `stride`
/// writes the same particles in every frame. `live` is the number of particles of a dynamic set at the start.
pub fn identity(pipeline: &mut Pipeline, set: ResourceId, ring: u32, live: Option<u32>) -> ParticleIdentity {
    let name = pipeline.resources[set].name.clone();
    let number = crate::expr::Formula::variable(VARIABLES.len() - 1);
    let field = pipeline.add_field(Field {
        ring,
        start: Start::Formula(vec![Component::Formula(Box::new(number))]),
        ..Field::words(format!("{name}.sg_identity"), set)
    });
    let next = live.map(|count| {
        let next = pipeline.add_words(&format!("sg_{name}_next"), 1);
        pipeline.fields[next].start = Start::words(&[count]);
        next
    });
    ParticleIdentity { field, next }
}

/// The attributes that a stage does not write for the particles that it adds.
fn skipped(pipeline: &Pipeline, set: ResourceId, draft: &Draft) -> Vec<FieldId> {
    let written: Vec<FieldId> = draft.writes().collect();
    let identity = pipeline.resources[set].identity().map(|identity| identity.field);
    (0..pipeline.fields.len())
        .filter(|field| pipeline.fields[*field].resource == set)
        .filter(|field| !written.contains(field) && identity != Some(*field))
        .collect()
}

/// The background of a field as an argument: two words, which repeat.
fn background(pipeline: &Pipeline, field: FieldId) -> Vec<u32> {
    let field = &pipeline.fields[field];
    let component = field.element.component_bytes(field.background);
    words(&component.repeat(8 / component.len().clamp(1, 8)))
}

/// The stages before and after one that emits: the first determines the number of births, the last adds it to the live
/// count. Between them, attributes of the newborn particles that are `skipped` get their background, and stages number these
/// particles if an output needs identities.
fn emission(
    pipeline: &Pipeline,
    set: ResourceId,
    (births, is_fresh): (Births, bool),
    skipped: &[FieldId],
    entry: DraftContext,
) -> Vec<Draft> {
    let resource = &pipeline.resources[set];
    let Some(live) = resource.live() else {
        return Vec::new();
    };
    let stage = |verb: &str, shader: &'static str| {
        let name = format!("{verb}_{}{}", resource.name, entry.suffix);
        let mut stage = entry.draft(name, shader, Domain::list(1, Some(set)));
        stage.name_resource("particles", set);
        stage.read_role(set, Role::Live, live);
        stage
    };
    let mut admit = stage("admit", "particles/admit.comp");
    admit.write_role(set, Role::Live, live);
    if is_fresh {
        admit.constants.push(("FRESH".into(), 1.0));
    }
    match births {
        Births::Number(_) => admit.arguments.push(("births".into(), Element::Uint)),
        Births::Buffer(buffer) => admit.read("births", buffer),
    }
    let newborn = Domain {
        over: Over::Newborn,
        ..Domain::list(resource.size[0], Some(set))
    };
    let mut stages = vec![admit];
    stages.extend(skipped.iter().map(|field| {
        let attribute = &pipeline.fields[*field];
        let (shader, units) = units(attribute.element, CLEAR);
        let mut clear = stage("clear", shader);
        clear.name = format!("clear_{}{}", attribute.symbol(), entry.suffix);
        clear.domain = newborn.clone();
        clear.write_as("to", *field, Element::Uint);
        clear.arguments.push(("background".into(), Element::Uvec2));
        clear.constants = vec![
            ("UNITS".into(), units as f64),
            ("ENTRIES".into(), attribute.entries() as f64),
        ];
        clear
    }));
    if let Some(ParticleIdentity {
        field,
        next: Some(next),
    }) = resource.identity()
    {
        let mut identify = stage("identify", "particles/identify.comp");
        identify.domain = newborn;
        identify.read("next_identity", next);
        identify.write("identity", field);
        let mut advance = stage("advance", "particles/next_identity.comp");
        advance.read("next_identity", next);
        advance.write("next_identity", next);
        stages.extend([identify, advance]);
    }
    let mut emit = stage("emit", "particles/emit.comp");
    emit.write_role(set, Role::Live, live);
    emit.completes = Some(Completed::Emission(set));
    stages.push(emit);
    stages
}
