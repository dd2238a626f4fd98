//! Indirect workgroup counts: adds the stage that turns numbers in a buffer into counts within the limits of devices.

use std::collections::HashMap;
use std::rc::Rc;

use super::DraftContext;
use super::meaning::{Action, ActionKind, Meaning};
use crate::element::Element;
use crate::ir::{Domain, Draft, FieldId, GROUP_COUNTS, Over, Pipeline};

/// Adds a counting stage before each stage with indirect workgroup counts.
pub(super) fn lower(meaning: &mut Meaning) {
    // The new draft of each stage.
    let mut known: HashMap<*const Draft, Rc<Draft>> = HashMap::new();
    meaning.replace(|meaning, list, mut action, into| {
        let (every, from) = (action.every, action.from.clone());
        if let ActionKind::Dispatch(dispatch) = &mut action.kind
            && let Some(asked) = dispatch.group_count
        {
            let resource = meaning.pipeline.fields[asked].resource;
            let key = Rc::as_ptr(&dispatch.draft);
            let draft = dispatch.draft.clone();
            let counting = meaning.engine(
                (list, every, &from),
                ("count", resource, &draft.name),
                |pipeline, _, entry| {
                    let (counts, stage) = count(pipeline, asked, entry);
                    let mut counted = Draft::clone(&draft);
                    counted.domain.over = Over::CountedGroups(counts);
                    if counted.domain.axes == 1 {
                        counted.read(GROUP_COUNTS, counts);
                    }
                    known.insert(key, Rc::new(counted));
                    vec![stage]
                },
            );
            into.extend(
                counting
                    .into_iter()
                    .map(|draft| Action::dispatch(draft, Vec::new(), every, &from)),
            );
            if let Some(counted) = known.get(&key) {
                dispatch.draft = counted.clone();
            }
        }
        into.push(action);
    });
}

/// The counts along three axes, and the number of all groups along one.
const WORDS: u64 = 4;

/// The types of buffers that hold counts, and the axes of each.
pub fn axes(element: Element) -> Option<u32> {
    match element {
        Element::Uint => Some(1),
        Element::Uvec3 => Some(3),
        _ => None,
    }
}

/// A buffer for the counts, and the stage that fills it from the first element of `asked`.
fn count(pipeline: &mut Pipeline, asked: FieldId, entry: DraftContext) -> (FieldId, Draft) {
    let field = &pipeline.fields[asked];
    let (name, three) = (field.symbol(), axes(field.element) == Some(3));
    let counts = pipeline.add_words(&format!("{GROUP_COUNTS}_{name}{}", entry.suffix), WORDS);
    let name = format!("count_groups_of_{name}{}", entry.suffix);
    let mut stage = entry.draft(name, "engine/count_groups.comp", Domain::list(1, None));
    stage.stated.workgroup = Some([1, 1, 1]);
    stage.read(if three { "asked_of_axes" } else { "asked" }, asked);
    stage.write("groups", counts);
    (counts, stage)
}
