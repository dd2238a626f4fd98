//! Shadows of a run that looks for data races: for each dispatch, which memory has them and where they start.
//!
//! A dispatch has shadows of what it writes. All dispatches of a lane use the same memory one after another, because
//! marks bear the number of their dispatch.

use crate::ir::{FieldId, List, Marks, Pipeline, ResourceId};

use super::Plan;

/// Bytes of the shadow of one element: the greatest and the least user of three sorts of access.
pub const SHADOW_BYTES: u64 = 48;

/// The part of the device's memory that the shadows of steps, or of frames, may have.
const SHARE: u64 = 4;
/// The part that stays free: some drivers do not survive a device without memory.
const FREE: u64 = 10;

/// Most shadows of steps, or of frames, on a device with so many bytes of memory, of which the pipeline takes some.
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
    /// The first so many elements have shadows; the rest did not fit.
    pub held: u64,
}

/// The shadows of one dispatch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shadows {
    pub regions: Vec<Region>,
    /// By local field, the regions of what it reads and of what it writes.
    pub sides: Vec<[Option<usize>; 2]>,
}

impl Shadows {
    /// Number of shadows.
    pub fn held(&self) -> u64 {
        self.regions.iter().map(|region| region.held).sum()
    }

    /// Whether every element that it writes has a shadow.
    pub fn is_whole(&self) -> bool {
        self.regions.iter().all(|region| region.held == region.elements)
    }
}

/// Where a dispatch is: entry `number` of a list, in a phase of the rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct At {
    pub list: List,
    pub number: usize,
    pub slot: u32,
}

/// The shadows of a dispatch for the local fields with marks, `most` of them at most. `most_blocks` is the largest number
/// of active blocks of a sparse grid.
pub fn shadows(
    pipeline: &Pipeline,
    plan: &Plan,
    at: At,
    marks: &[Marks],
    most_blocks: &dyn Fn(ResourceId) -> u64,
    most: u64,
) -> Shadows {
    let stage = &pipeline.stages[at.list.entries(pipeline)[at.number].stage];
    let locals = &pipeline.kernel_of(stage).signature.fields;
    let steps = u64::from(at.slot);
    // What a local field reads and writes.
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
            Some(grid) => most_blocks(pipeline.fields[field].resource) * grid.layout.cells_per_block(),
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
pub fn dispatches(pipeline: &Pipeline) -> impl Iterator<Item = At> {
    let slots = |list: List| match list {
        List::Init => 1,
        List::Step | List::Frame => pipeline.slots(),
    };
    [List::Init, List::Step, List::Frame]
        .into_iter()
        .flat_map(move |list| {
            let entries = list.entries(pipeline).len();
            (0..slots(list)).flat_map(move |slot| (0..entries).map(move |number| At { list, number, slot }))
        })
}

/// Bytes of shadows for a checked run, of init and steps and of frames, if every field that a stage writes has them.
pub fn bytes(
    pipeline: &Pipeline,
    plan: &Plan,
    most_blocks: &dyn Fn(ResourceId) -> u64,
    most: u64,
) -> [u64; 2] {
    let mut bytes = [0; 2];
    for at in dispatches(pipeline) {
        let lane = usize::from(at.list == List::Frame);
        let stage = &pipeline.stages[at.list.entries(pipeline)[at.number].stage];
        let marks = vec![Marks::Own; stage.bindings.len()];
        let held = shadows(pipeline, plan, at, &marks, most_blocks, most).held();
        bytes[lane] = bytes[lane].max(held * SHADOW_BYTES);
    }
    bytes
}
