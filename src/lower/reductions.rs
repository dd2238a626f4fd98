//! Reductions: from elements to partial results, and from those to one value.
//!
//! Elements are those of a field, or values that the elements of a stage have left. Which of them a workgroup takes, and
//! the tree in which it combines them, depend on their number alone.

use super::Entry;
use super::measures::{GROUP, groups, reads};
use crate::element::Element;
use crate::ir::{Domain, Draft, FieldId, Measured, Operation, Over, Part, Pipeline, ResourceId};

/// Words of a partial result of one component.
const PARTIAL_WORDS: u64 = 2;

/// What a reduction combines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reduced {
    pub field: FieldId,
    /// The type of the elements.
    pub element: Element,
    /// The domain whose elements left the values, where the device knows how many there are.
    pub within: Option<(ResourceId, Over)>,
    /// The most elements that there are.
    pub elements: u64,
    pub operation: Operation,
    /// The buffer of the result.
    pub into: FieldId,
}

/// The stages of a reduction: one where a workgroup takes all of them, else two. `partials` gives a buffer of
/// at least so many words.
pub(crate) fn reduce(
    pipeline: &mut Pipeline,
    reduced: Reduced,
    partials: impl FnOnce(&mut Pipeline, u64) -> FieldId,
    entry: Entry,
) -> Vec<Draft> {
    let components = match reduced.operation {
        Operation::Count => 1,
        _ => reduced.element.components(),
    };
    let items: Vec<Measured> = (0..components)
        .map(|component| Measured {
            field: reduced.field,
            part: Part::Component(component),
            entry: None,
            only: None,
            within: reduced.within,
        })
        .collect();
    let workgroups = groups(reduced.elements);
    let name = pipeline.fields[reduced.into].symbol();
    let constants = vec![
        ("OPERATION".to_string(), f64::from(reduced.operation as u32)),
        ("CLASS".to_string(), f64::from(reduced.element.class() as u32)),
        ("GROUPS".to_string(), f64::from(workgroups)),
    ];
    let stage = |verb: &str, shader: &'static str, groups: u32| {
        let size = [u64::from(groups) * u64::from(GROUP), u64::from(components), 1];
        let domain = Domain::elements(size, 2, None);
        let mut stage = entry.draft(format!("{verb}_{name}{}", entry.suffix), shader, domain);
        stage.stated.workgroup = Some([GROUP, 1, 1]);
        stage.constants.clone_from(&constants);
        stage
    };
    let mut first = stage("reduce", "measure/reduce.comp", workgroups);
    for field in reads(pipeline, &items) {
        let found = &pipeline.fields[field];
        match field == reduced.field && found.element != reduced.element {
            true => first.see(&found.symbol(), field, reduced.element, false),
            false => first.read(found.symbol(), field),
        }
    }
    first.measured = items;
    first.constants.extend([
        (
            "ELEMENTS_LOW".to_string(),
            (reduced.elements & 0xffff_ffff) as f64,
        ),
        ("ELEMENTS_HIGH".to_string(), (reduced.elements >> 32) as f64),
    ]);
    if workgroups == 1 {
        first.words("sg_reduced", reduced.into, true);
        return vec![first];
    }
    let words = PARTIAL_WORDS * u64::from(workgroups) * u64::from(components);
    let partials = partials(pipeline, words);
    first.words("sg_reduced", partials, true);
    let mut last = stage("finish", "measure/finish.comp", 1);
    last.read("partials", partials);
    last.words("sg_reduced", reduced.into, true);
    vec![first, last]
}
