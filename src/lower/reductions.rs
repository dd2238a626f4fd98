//! Reductions: from elements to partial results, and from partial results to one value.
//!
//! The elements are those of a field, or values that the elements of a stage have written. Their distribution over
//! workgroups, and the order in which a workgroup combines them, depend on their number alone. On a dense grid, workgroups
//! reduce tiles, and on a sparse grid boxes of its blocks, so that a rank can reduce those of its part.

mod levels;

use std::collections::HashMap;
use std::rc::Rc;

use super::meaning::{Action, ActionKind, Meaning, Origin};
use crate::element::Element;
use crate::ir::{
    Domain, Draft, FieldId, List, Operation, Over, Pipeline, Resource, ResourceId, max_elements,
};
use levels::{Grid, Reduced, reduce};

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
                let resource = meaning.pipeline.resource_of(*field);
                let grid = match tiled(&meaning.pipeline, found.resource) {
                    Some(_) => Grid::Dense(found.resource, meaning.pipeline.size_of(*field)),
                    None if resource.sparse().is_some() => Grid::Sparse(found.resource, 0),
                    None => Grid::None,
                };
                let reduced = Reduced {
                    field: *field,
                    element: found.element,
                    within: None,
                    // Faces and nodes at the ends are more than cells.
                    elements: match resource.sparse() {
                        Some(_) => max_elements(resource),
                        None => meaning.pipeline.elements_of(*field),
                    },
                    grid,
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
                        grid: grid_of(&meaning.pipeline, domain),
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
        let partials = |level| match level {
            0 => format!("sg_{}_partials_{number}", at.0.key()),
            _ => format!("sg_{}_combined_{number}", at.0.key()),
        };
        let details = format!("{reduced:?}");
        let drafts = self.engine(
            at,
            ("reduction", resource, &details),
            |pipeline, shared, entry| {
                let partials =
                    |pipeline: &mut Pipeline, level, words| shared.get(pipeline, partials(level), words);
                reduce(pipeline, reduced, partials, entry)
            },
        );
        drafts
            .into_iter()
            .map(|draft| Action::dispatch(draft, Vec::new(), at.1, at.2))
            .collect()
    }
}

/// The grid over whose cells a stage runs.
fn grid_of(pipeline: &Pipeline, domain: &Domain) -> Grid {
    let has_all_axes = |id: ResourceId| domain.axes == pipeline.resources[id].axes();
    match (domain.over, domain.resource) {
        (Over::ActiveCells, Some(id)) => Grid::Sparse(id, 0),
        (Over::SubBlocks, Some(id)) => {
            let layout = pipeline.resources[id].sparse().map(|grid| &grid.layout);
            Grid::Sparse(id, layout.map_or(0, |layout| layout.sub_log2.iter().sum()))
        }
        (Over::Elements, Some(id)) if tiled(pipeline, id).is_some() && has_all_axes(id) => {
            Grid::Dense(id, domain.size)
        }
        _ => Grid::None,
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

/// The grid of a resource whose elements are reduced in tiles: a dense one of two or three axes.
fn tiled(pipeline: &Pipeline, id: ResourceId) -> Option<&Resource> {
    let resource = &pipeline.resources[id];
    let lattice = resource.lattice().filter(|_| resource.is_grid())?;
    let is_tiled = lattice.sparse.is_none() && (2..=3).contains(&lattice.form.axes);
    is_tiled.then_some(resource)
}
