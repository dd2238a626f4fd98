//! Reductions: from elements to partial results, and from partial results to one value.
//!
//! The elements are those of a field, or values that the elements of a stage have written. Their distribution over
//! workgroups, and the order in which a workgroup combines them, depend on their number alone.

use std::collections::HashMap;
use std::rc::Rc;

use super::DraftContext;
use super::meaning::{Action, ActionKind, Meaning, Origin};
use super::measures::{GROUP, groups, reads};
use crate::element::Element;
use crate::ir::{
    Domain, Draft, FieldId, List, Measured, MeasuredPart, Operation, Over, Pipeline, ResourceId, max_elements,
};

/// Adds the stages of reductions after stages whose elements contribute values, and replaces reductions of fields.
pub(super) fn lower(meaning: &mut Meaning) {
    // The new draft of each stage with results.
    let mut known: HashMap<*const Draft, Rc<Draft>> = HashMap::new();
    meaning.replace(|meaning, list, mut action, into| {
        let (every, from) = (action.every, action.from.clone());
        match &mut action.kind {
            ActionKind::Reduce {
                field,
                operation,
                into: result,
            } => {
                let found = &meaning.pipeline.fields[*field];
                let reduced = Reduced {
                    field: *field,
                    element: found.element,
                    within: None,
                    elements: max_elements(meaning.pipeline.resource_of(*field)),
                    operation: *operation,
                    into: *result,
                };
                into.extend(meaning.reduction(reduced, 0, (list, every, &from)));
            }
            ActionKind::Dispatch(dispatch) if !dispatch.reduces.is_empty() => {
                let key = Rc::as_ptr(&dispatch.draft);
                let draft = known.entry(key).or_insert_with(|| {
                    let mut draft = Draft::clone(&dispatch.draft);
                    for (number, (name, operation, result)) in dispatch.reduces.iter().enumerate() {
                        let element = meaning.pipeline.fields[*result].element;
                        let values = meaning.values(list, &draft.domain, element, number);
                        draft.reduces.push((name.clone(), *operation, element, values));
                    }
                    Rc::new(draft)
                });
                dispatch.draft = draft.clone();
                let (draft, reduces) = (dispatch.draft.clone(), dispatch.reduces.clone());
                into.push(action);
                let (mut last, domain) = (Vec::new(), &draft.domain);
                for (number, ((name, operation, result), (.., values))) in
                    reduces.iter().zip(&draft.reduces).enumerate()
                {
                    let within = domain.resource.filter(|_| domain.over != Over::Elements);
                    let reduced = Reduced {
                        field: *values,
                        element: meaning.pipeline.fields[*result].element,
                        within: within.map(|resource| (resource, domain.over)),
                        elements: elements(&meaning.pipeline, domain),
                        operation: match operation {
                            // Elements have contributed 0 or 1, or a count.
                            Operation::Count => Operation::Sum,
                            other => *other,
                        },
                        into: *result,
                    };
                    let at = Origin {
                        pointer: format!("{}/reduces/{name}", from.pointer),
                        instance: from.instance,
                    };
                    let mut stages = meaning
                        .reduction(reduced, number, (list, every, &Rc::new(at)))
                        .into_iter();
                    into.extend(stages.next());
                    last.extend(stages);
                }
                into.extend(last);
            }
            _ => into.push(action),
        }
    });
}

impl Meaning {
    /// The field for the values of a stage's elements for its n-th result. Stages of a list share it: its values are reduced
    /// before the next stage runs.
    fn values(&mut self, list: List, domain: &Domain, element: Element, number: usize) -> FieldId {
        let words = elements(&self.pipeline, domain).saturating_mul(u64::from(element.components()));
        self.shared.get(
            &mut self.pipeline,
            format!("sg_{}_values_{number}", list.key()),
            words,
        )
    }

    fn reduction(&mut self, reduced: Reduced, number: usize, at: (List, u32, &Rc<Origin>)) -> Vec<Action> {
        let resource = self.pipeline.fields[reduced.into].resource;
        let partials = format!("sg_{}_partials_{number}", at.0.key());
        let details = format!("{reduced:?}");
        let drafts = self.engine(
            at,
            ("reduction", resource, &details),
            |pipeline, shared, entry| {
                let partials = |pipeline: &mut Pipeline, words| shared.get(pipeline, partials, words);
                reduce(pipeline, reduced, partials, entry)
            },
        );
        drafts
            .into_iter()
            .map(|draft| Action::dispatch(draft, Vec::new(), at.1, at.2))
            .collect()
    }
}

/// Largest number of elements of a domain.
fn elements(pipeline: &Pipeline, domain: &Domain) -> u64 {
    let resource = domain.resource.map(|id| &pipeline.resources[id]);
    let grid = resource.and_then(|resource| resource.sparse());
    match (domain.over, resource, grid) {
        (Over::ActiveCells, Some(resource), _) => max_elements(resource),
        (Over::ActiveBlocks, _, Some(grid)) => grid.max_blocks,
        (Over::SubBlocks, _, Some(grid)) => grid.max_blocks * u64::from(grid.layout.sub_blocks()),
        _ => domain.size.iter().product(),
    }
}

/// Words of a partial result of one component.
const PARTIAL_WORDS: u64 = 2;

/// The elements of a reduction, and its result.
#[derive(Debug, Clone, Copy)]
struct Reduced {
    pub field: FieldId,
    /// The type of the elements.
    pub element: Element,
    /// The domain whose elements wrote the values, if the device determines their number.
    pub within: Option<(ResourceId, Over)>,
    /// Largest number of elements.
    pub elements: u64,
    pub operation: Operation,
    /// The buffer of the result.
    pub into: FieldId,
}

/// The stages of a reduction: one if a single workgroup reduces all elements, else two. `partials` returns a buffer of at
/// least a number of words.
fn reduce(
    pipeline: &mut Pipeline,
    reduced: Reduced,
    partials: impl FnOnce(&mut Pipeline, u64) -> FieldId,
    entry: DraftContext,
) -> Vec<Draft> {
    let components = match reduced.operation {
        Operation::Count => 1,
        _ => reduced.element.components(),
    };
    let items: Vec<Measured> = (0..components)
        .map(|component| Measured {
            field: reduced.field,
            part: MeasuredPart::Component(component),
            is_squared: false,
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
        if field == reduced.field && found.element != reduced.element {
            first.read_as(&found.symbol(), field, reduced.element)
        } else {
            first.read(found.symbol(), field)
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
        first.write_as("sg_reduced", reduced.into, Element::Uint);
        return vec![first];
    }
    let words = PARTIAL_WORDS * u64::from(workgroups) * u64::from(components);
    let partials = partials(pipeline, words);
    first.write_as("sg_reduced", partials, Element::Uint);
    let mut last = stage("finish", "measure/finish.comp", 1);
    last.read("partials", partials);
    last.write_as("sg_reduced", reduced.into, Element::Uint);
    vec![first, last]
}
