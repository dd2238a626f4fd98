//! Shadow memory of a run that searches for data races.
//!
//! Each element that a dispatch writes has a shadow, in which accesses leave marks. All dispatches of a lane use the same
//! shadow memory one after another; marks contain the number of their dispatch.

use crate::ir::{FieldId, List, Marks, Pipeline, ResourceId};

use super::Plan;

/// Bytes of the shadow of one element: the largest and the smallest accessor for each of three kinds of access.
pub const SHADOW_BYTES: u64 = 48;

/// Inverse of the fraction of device memory that the shadows of steps, or of frames, may take.
const SHARE: u64 = 4;
/// Inverse of the fraction that stays free: some drivers crash when device memory is exhausted.
const FREE: u64 = 10;

/// Largest number of shadows of steps, or of frames, on a device with `memory` bytes, of which the pipeline takes `taken`.
pub fn most(memory: u64, taken: u64) -> u64 {
    let room = (memory - memory / FREE).saturating_sub(taken);
    (memory / SHARE).min(room / 2) / SHADOW_BYTES
}

/// The shadows of one copy of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// A local field that writes it.
    pub local: usize,
    pub field: FieldId,
    pub copy: u32,
    /// Number of its first shadow in the memory of the lane.
    pub first: u64,
    /// Elements of one entry of an array, or of the field.
    pub of_entry: u64,
    pub elements: u64,
    /// Number of elements with shadows, from the first one on; the rest did not fit.
    pub held: u64,
}

/// The shadows of one dispatch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shadows {
    pub regions: Vec<Region>,
    /// By local field, the regions of the memory that it reads and of the memory that it writes.
    pub sides: Vec<[Option<usize>; 2]>,
}

impl Shadows {
    /// Number of shadows of all regions.
    pub fn held(&self) -> u64 {
        self.regions.iter().map(|region| region.held).sum()
    }

    /// Returns true if every element that the dispatch writes has a shadow.
    pub fn is_whole(&self) -> bool {
        self.regions.iter().all(|region| region.held == region.elements)
    }
}

/// A dispatch: entry `number` of a list, in a phase of the rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DispatchId {
    pub list: List,
    pub number: usize,
    pub phase: u32,
}

/// The shadows of a dispatch for the local fields with marks, at most `most` of them. `max_blocks` gives the largest number
/// of active blocks of a sparse grid.
pub fn shadows(
    pipeline: &Pipeline,
    plan: &Plan,
    at: DispatchId,
    marks: &[Marks],
    max_blocks: &dyn Fn(ResourceId) -> u64,
    most: u64,
) -> Shadows {
    let stage = &pipeline.stages[at.list.entries(pipeline)[at.number].stage];
    let locals = &pipeline.kernel_of(stage).signature.fields;
    let steps = u64::from(at.phase);
    // The memory and the copies that a local field reads and writes.
    let memory = |local: usize| {
        let field = stage.bindings[local];
        let (read, written) = plan.copies(at.list, at.number, field, steps);
        let owner = plan.memory(at.list, at.number, field, steps);
        [(owner, read), (owner, written)]
    };
    let mut regions: Vec<Region> = Vec::new();
    let marked = |local: usize| marks.get(local).is_some_and(|marks| *marks != Marks::None);
    for local in (0..locals.len()).filter(|local| locals[*local].writes && marked(*local)) {
        let [_, (field, copy)] = memory(local);
        if regions
            .iter()
            .any(|region| (region.field, region.copy) == (field, copy))
        {
            continue;
        }
        let of_entry = match pipeline.sparse_of(field) {
            Some(grid) => max_blocks(pipeline.fields[field].resource) * grid.layout.cells_per_block(),
            None => pipeline.elements_of(field),
        };
        let elements = of_entry * u64::from(pipeline.fields[field].count.unwrap_or(1));
        let first = regions.last().map_or(0, |last| last.first + last.held);
        regions.push(Region {
            local,
            field,
            copy,
            first,
            of_entry,
            elements,
            held: elements.min(most.saturating_sub(first)),
        });
    }
    let region = |wanted: (FieldId, u32)| {
        let of = |region: &Region| (region.field, region.copy) == wanted;
        regions.iter().position(of)
    };
    let sides = (0..locals.len()).map(|local| {
        let [read, written] = memory(local);
        let ordered = !stage.unordered.contains(&stage.bindings[local]);
        [
            (locals[local].reads && ordered).then(|| region(read)).flatten(),
            locals[local].writes.then(|| region(written)).flatten(),
        ]
    });
    Shadows {
        sides: sides.collect(),
        regions,
    }
}

/// Every dispatch of the pipeline.
pub fn dispatches(pipeline: &Pipeline) -> impl Iterator<Item = DispatchId> {
    let phases = |list: List| match list {
        List::Init => 1,
        List::Step | List::Frame => pipeline.phases(),
    };
    [List::Init, List::Step, List::Frame]
        .into_iter()
        .flat_map(move |list| {
            let entries = list.entries(pipeline).len();
            (0..phases(list))
                .flat_map(move |phase| (0..entries).map(move |number| DispatchId { list, number, phase }))
        })
}

/// Bytes of shadows for a checked run, of init and steps and of frames, if every written field has them.
pub fn bytes(
    pipeline: &Pipeline,
    plan: &Plan,
    max_blocks: &dyn Fn(ResourceId) -> u64,
    most: u64,
) -> [u64; 2] {
    let mut bytes = [0; 2];
    for at in dispatches(pipeline) {
        let lane = usize::from(at.list == List::Frame);
        let stage = &pipeline.stages[at.list.entries(pipeline)[at.number].stage];
        let marks = vec![Marks::Own; stage.bindings.len()];
        let held = shadows(pipeline, plan, at, &marks, max_blocks, most).held();
        bytes[lane] = bytes[lane].max(held * SHADOW_BYTES);
    }
    bytes
}
