//! Reductions: from elements to partial results, and from partial results to one value.
//!
//! The elements are those of a field, or values that the elements of a stage have written. Their distribution over
//! workgroups, and the order in which a workgroup combines them, depend on their number alone. On a dense grid, workgroups
//! reduce tiles, so that a rank can reduce those of its part.

use std::collections::HashMap;
use std::rc::Rc;

use super::DraftContext;
use super::meaning::{Action, ActionKind, Meaning, Origin};
use super::measures::{GROUP, groups, reads};
use crate::element::Element;
use crate::ir::{
    Domain, Draft, FieldId, List, Measured, MeasuredPart, Operation, Over, Pipeline, Resource, ResourceId,
    Tiles, max_elements,
};
use crate::shared_constants::device;

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
                let grid = tiled(&meaning.pipeline, found.resource)
                    .map(|_| (found.resource, meaning.pipeline.size_of(*field)));
                let resource = meaning.pipeline.resource_of(*field);
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

/// The dense grid that a stage runs over, and its elements along each axis; `None` if it runs over anything else.
fn grid_of(pipeline: &Pipeline, domain: &Domain) -> Option<(ResourceId, [u64; 3])> {
    let id = domain.resource.filter(|_| domain.over == Over::Elements)?;
    let grid = tiled(pipeline, id)?;
    (domain.axes == grid.axes()).then_some((id, domain.size))
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
/// Largest number of partial results that one workgroup combines, and of those that it should combine.
const MAX_PARTIALS: u64 = 4096;
const PARTIALS_EACH: u64 = 1024;
const MAX_GROUPS: u64 = 1024;

/// Elements of a tile of a grid along x, each processed with its column of the tile by an invocation.
const TILE_X: u32 = 32;
/// Tiles of a workgroup.
const TILES_OF_GROUP: u64 = (GROUP / TILE_X) as u64;

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
    /// The dense grid of the elements, and their number along each axis.
    pub grid: Option<(ResourceId, [u64; 3])>,
    pub operation: Operation,
    /// The buffer of the result.
    pub into: FieldId,
}

/// The first level of a reduction, whose partial results follow.
struct FirstLevel {
    stage: Draft,
    partials: u64,
    /// Consecutive partial results of one component.
    plane: u64,
}

/// A reduction that is being converted to stages.
struct Reduction<'a> {
    reduced: Reduced,
    components: u32,
    name: String,
    entry: DraftContext<'a>,
}

/// The grid of a resource whose elements are reduced in tiles: a dense one of two or three axes.
fn tiled(pipeline: &Pipeline, id: ResourceId) -> Option<&Resource> {
    let resource = &pipeline.resources[id];
    let lattice = resource.lattice().filter(|_| resource.is_grid())?;
    let is_tiled = lattice.sparse.is_none() && (2..=3).contains(&lattice.form.axes);
    is_tiled.then_some(resource)
}

/// The stages of a reduction: one if a single workgroup reduces all elements, else two, or three for many partial results.
/// `partials` returns a buffer of at least a number of words for a level of partial results.
fn reduce(
    pipeline: &mut Pipeline,
    reduced: Reduced,
    mut partials: impl FnMut(&mut Pipeline, u32, u64) -> FieldId,
    entry: DraftContext,
) -> Vec<Draft> {
    let reduction = Reduction {
        reduced,
        components: match reduced.operation {
            Operation::Count => 1,
            _ => reduced.element.components(),
        },
        name: pipeline.fields[reduced.into].symbol(),
        entry,
    };
    // One workgroup reduces few elements at once. Planes in z are workgroups.
    let fits = |(_, sides): &(ResourceId, [u64; 3])| {
        groups(sides.iter().product()) > 1 && sides[2] <= u64::from(device::MAX_GROUPS)
    };
    let mut last = match reduced.grid.filter(fits) {
        Some(grid) => reduction.tiles(pipeline, grid),
        None => reduction.strides(),
    };
    reduction.measure(pipeline, &mut last.stage);
    let mut stages = Vec::new();
    while last.partials > 1 {
        let words = PARTIAL_WORDS * last.partials * u64::from(reduction.components);
        let between = partials(pipeline, stages.len() as u32, words);
        last.stage.write_as("sg_reduced", between, Element::Uint);
        stages.push(last.stage);
        last = reduction.finish(last.partials, last.plane);
        last.stage.read("partials", between);
    }
    last.stage.write_as("sg_reduced", reduced.into, Element::Uint);
    stages.push(last.stage);
    stages
}

impl Reduction<'_> {
    fn draft(&self, verb: &str, shader: &'static str, domain: Domain, partials: u64) -> Draft {
        let (reduced, entry) = (&self.reduced, self.entry);
        let mut stage = entry.draft(format!("{verb}_{}{}", self.name, entry.suffix), shader, domain);
        stage.stated.workgroup = Some([GROUP, 1, 1]);
        stage.constants = constants([
            ("OPERATION", reduced.operation as u64),
            ("CLASS", reduced.element.class() as u64),
            ("GROUPS", partials),
        ]);
        stage
    }

    /// The first level over elements of a grid: a partial result for each tile of it.
    fn tiles(&self, pipeline: &Pipeline, (grid, sides): (ResourceId, [u64; 3])) -> FirstLevel {
        // Larger ones would leave ranks less choice of their parts, smaller ones more partial results.
        let per = [TILE_X, if sides[1] < 256 { 16 } else { 32 }, 1];
        let tiles: [u64; 3] = std::array::from_fn(|axis| sides[axis].div_ceil(u64::from(per[axis])));
        let partials = tiles.iter().product();
        let mut domain = Domain::elements(tiles, 3, None);
        domain.over = Over::Groups;
        let mut stage = self.draft("reduce", "measure/reduce_tiles.comp", domain, partials);
        // Workgroups are as large as for lists: the device starts few of them.
        let group_z = tiles[2].min(TILES_OF_GROUP).ilog2();
        let per_group = [1, TILES_OF_GROUP as u32 >> group_z, 1 << group_z];
        stage.tiles = Some(Tiles {
            grid,
            per,
            per_group,
            more: std::array::from_fn(|axis| sides[axis].saturating_sub(pipeline.resources[grid].size[axis])),
        });
        stage.constants.extend(constants([
            ("SIDE_X", sides[0]),
            ("SIDE_Y", sides[1]),
            ("SIDE_Z", sides[2]),
            ("TILE_Y", per[1].into()),
            ("GROUP_Y", per_group[1].into()),
            ("ITEMS", self.components.into()),
        ]));
        FirstLevel {
            stage,
            partials,
            plane: tiles[0] * tiles[1],
        }
    }

    /// The first level over a list of elements: workgroups take them with a stride.
    fn strides(&self) -> FirstLevel {
        let elements = self.reduced.elements;
        let partials = groups(elements).into();
        let mut stage = self.draft("reduce", "measure/reduce.comp", self.domain(partials), partials);
        stage.constants.extend(constants([
            ("ELEMENTS_LOW", elements & 0xffff_ffff),
            ("ELEMENTS_HIGH", elements >> 32),
        ]));
        FirstLevel {
            stage,
            partials,
            plane: partials,
        }
    }

    /// A level over partial results.
    fn finish(&self, partials: u64, plane: u64) -> FirstLevel {
        let (verb, groups) = match partials {
            0..=MAX_PARTIALS => ("finish", 1),
            _ => ("combine", partials.div_ceil(PARTIALS_EACH).min(MAX_GROUPS)),
        };
        let mut stage = self.draft(verb, "measure/finish.comp", self.domain(groups), groups);
        stage.constants.extend(constants([
            ("PARTIALS", partials),
            ("PLANE", plane),
            ("ITEMS", self.components.into()),
        ]));
        FirstLevel {
            stage,
            partials: groups,
            plane: groups,
        }
    }

    /// Workgroups for each component.
    fn domain(&self, groups: u64) -> Domain {
        let size = [groups * u64::from(GROUP), self.components.into(), 1];
        Domain::elements(size, 2, None)
    }

    /// Lets the first level read the elements.
    fn measure(&self, pipeline: &Pipeline, first: &mut Draft) {
        let reduced = &self.reduced;
        let items: Vec<Measured> = (0..self.components)
            .map(|component| Measured {
                field: reduced.field,
                part: MeasuredPart::Component(component),
                is_squared: false,
                entry: None,
                only: None,
                within: reduced.within,
            })
            .collect();
        for field in reads(pipeline, &items) {
            let found = &pipeline.fields[field];
            if field == reduced.field && found.element != reduced.element {
                first.read_as(&found.symbol(), field, reduced.element)
            } else {
                first.read(found.symbol(), field)
            }
        }
        first.measured = items;
    }
}

fn constants<const N: usize>(values: [(&str, u64); N]) -> Vec<(String, f64)> {
    let named = values.into_iter();
    named
        .map(|(name, value)| (name.to_string(), value as f64))
        .collect()
}
