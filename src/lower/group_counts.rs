//! Workgroups whose number stands in a buffer: the stage that makes counts of them which devices accept.

use super::Entry;
use crate::element::Element;
use crate::ir::{Domain, Draft, FieldId, GROUP_COUNTS, Pipeline};

/// The counts along three axes, and the number of all groups along one.
const WORDS: u64 = 4;

/// The types of buffers that hold counts, and the axes of each.
pub(crate) fn axes(element: Element) -> Option<u32> {
    match element {
        Element::Uint => Some(1),
        Element::Uvec3 => Some(3),
        _ => None,
    }
}

/// A buffer for the counts, and the stage that fills it from the first element of `asked`.
pub(crate) fn count(pipeline: &mut Pipeline, asked: FieldId, entry: Entry) -> (FieldId, Draft) {
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
