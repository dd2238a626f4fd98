//! The search of a checked run for data races: kernels leave marks in shadow memory, which is compared after each dispatch.

use std::collections::HashMap;

use crate::gpu::{Buffer, BufferKind, ComputePipeline, Gpu, GpuError, Recorder};
use crate::ir::{List, Pipeline, ResourceId};
use crate::plan::shadows::{self, DispatchId, SHADOW_BYTES, Shadows};
use crate::plan::{self, Plan, paging};
use crate::shader::Module;

use super::built_in::built_in;
use super::device::abilities;
use super::error::RunError;
use super::host::Host;
use super::memory::{ClockOf, DeviceMemory};
use super::options::Options;
use super::pages::SparseGrids;

/// Bytes before the shadows of a lane: the number of the dispatch, a flag for workgroups as accessors, and the first race.
const HEAD_BYTES: u64 = 64;
/// Invocations of a workgroup that compares shadows, and the largest number of workgroups.
const LOCAL: u64 = 64;
const MAX_GROUPS: u64 = 65_535;

/// The optional feature of devices that marks require.
const FEATURE: &str = "shaderBufferInt64Atomics";

/// Instruments the kernels of a pipeline with marks and a shuffled order of workgroups, as the options of a run require.
/// Call it before shaders are compiled.
pub fn instrument(gpu: &Gpu, pipeline: &mut Pipeline, options: &Options) {
    // Worlds would share the marks.
    let marks = options.checked && options.races && can_search(gpu) && pipeline.other_worlds.is_empty();
    pipeline.instrument(marks, options.shuffle.is_some(), options.checked);
}

fn can_search(gpu: &Gpu) -> bool {
    gpu.report().optional_features.contains(&FEATURE)
}

/// Empty in a run that does not search for races.
#[derive(Default)]
pub struct Races {
    search: Option<Search>,
    /// Stages whose shadows do not fit.
    partial: Vec<String>,
}

struct Search {
    compare: ComputePipeline,
    name: ComputePipeline,
    /// By lane: head and shadows.
    shadows: [Option<Buffer>; 2],
    /// Tables of the marking kernels, and argument blocks of the comparing ones.
    blocks: Buffer,
    dispatches: HashMap<DispatchId, DispatchShadows>,
}

/// The blocks of a dispatch, by their offset, and its number of shadows.
struct DispatchShadows {
    table: u64,
    compare: u64,
    held: u64,
}

impl Races {
    /// Allocates shadows for the stages whose modules leave marks.
    pub fn new(
        host: &Host,
        pipeline: &Pipeline,
        plan: &Plan,
        modules: &[Module],
        memory: &DeviceMemory,
        pages: &SparseGrids,
    ) -> Result<Races, RunError> {
        let stage = |at: &DispatchId| at.list.entries(pipeline)[at.number].stage;
        let marked: Vec<DispatchId> = shadows::dispatches(pipeline)
            .filter(|at| !modules[stage(at)].kernel.marks.is_empty())
            .collect();
        if marked.is_empty() {
            return Ok(Races::default());
        }
        let gpu = &host.gpu;
        let most = max_shadows(gpu, pipeline, plan);
        let max_blocks = |grid: ResourceId| pages.max_blocks(grid);
        let found: Vec<(DispatchId, Shadows)> = (marked.into_iter())
            .map(|at| {
                let marks = &modules[stage(&at)].kernel.marks;
                (at, shadows::shadows(pipeline, plan, at, marks, &max_blocks, most))
            })
            .collect();
        let mut partial: Vec<String> = (found.iter())
            .filter(|(_, shadows)| !shadows.is_whole())
            .map(|(at, _)| pipeline.stages[stage(at)].name.clone())
            .collect();
        partial.sort();
        partial.dedup();
        let lane = |lane: usize, name: &str| {
            let of_lane = found.iter().filter(|(at, _)| lane_of(at.list) == lane);
            let held = of_lane.map(|(_, shadows)| shadows.held()).max();
            held.map(|held| allocate_shadows(host, name, held)).transpose()
        };
        let shadows = [lane(0, "shadows of steps")?, lane(1, "shadows of frames")?];
        let mut bytes: Vec<u8> = Vec::new();
        let mut dispatches = HashMap::new();
        for (at, found) in &found {
            let Some(buffer) = &shadows[lane_of(at.list)] else {
                continue;
            };
            let table = bytes.len() as u64;
            bytes.extend(table_of(pipeline, memory, pages, *at, found, buffer.address()));
            let compare = bytes.len() as u64;
            let fault = memory.fault(ClockOf::list(at.list), 0);
            bytes.extend(compare_block(
                pipeline,
                memory,
                *at,
                found,
                buffer.address(),
                fault,
            ));
            let held = found.held();
            dispatches.insert(*at, DispatchShadows { table, compare, held });
        }
        let blocks = gpu.buffer("tables of shadows", bytes.len() as u64, BufferKind::Upload)?;
        blocks.write(0, &bytes)?;
        let search = Search {
            compare: built_in(gpu, "compare_shadows", include_bytes!("compare_shadows.comp"))?,
            name: built_in(gpu, "name_race", include_bytes!("name_race.comp"))?,
            shadows,
            blocks,
            dispatches,
        };
        Ok(Races {
            search: Some(search),
            partial,
        })
    }

    /// Notices about races that the search may miss.
    pub fn notices(&self, gpu: &Gpu, options: &Options) -> Vec<String> {
        let mut notices = Vec::new();
        if options.checked && options.races && !can_search(gpu) {
            notices.push(format!(
                "races are not searched for: {} lacks the feature {FEATURE}",
                gpu.report().name
            ));
        }
        if !self.partial.is_empty() {
            notices.push(format!(
                "of the fields that these stages write, only the first elements are searched for races, because shadows for \
                 all do not fit in device memory: {}",
                self.partial.join(", ")
            ));
        }
        notices
    }

    /// The address of the table that the kernel of a dispatch reads; 0 if it leaves no marks.
    pub fn table(&self, at: DispatchId) -> u64 {
        let search = self.search.as_ref();
        let found = search.and_then(|search| Some((search, search.dispatches.get(&at)?)));
        found.map_or(0, |(search, dispatch)| search.blocks.address() + dispatch.table)
    }

    /// Keeps memory that is accessed by address alive as long as a recording.
    pub fn hold(&self, recorder: &mut Recorder) -> Result<(), GpuError> {
        let Some(search) = &self.search else { return Ok(()) };
        let buffers = search.shadows.iter().flatten().chain([&search.blocks]);
        buffers.into_iter().try_for_each(|buffer| recorder.hold(buffer))
    }

    /// Compares the marks of a dispatch, if it leaves any.
    pub fn compare(&self, recorder: &mut Recorder, at: DispatchId) -> Result<(), GpuError> {
        let Some(search) = &self.search else { return Ok(()) };
        let Some(dispatch) = search.dispatches.get(&at) else {
            return Ok(());
        };
        let block = search.blocks.address() + dispatch.compare;
        let groups = dispatch.held.div_ceil(LOCAL).clamp(1, MAX_GROUPS) as u32;
        recorder.begin_label("search for races");
        // Dispatches share the shadows, so nothing else may run meanwhile.
        recorder.full_barrier();
        recorder.dispatch(&search.compare, block, [groups, 1, 1])?;
        recorder.full_barrier();
        recorder.dispatch(&search.name, block, [1, 1, 1])?;
        recorder.full_barrier();
        recorder.end_label();
        Ok(())
    }
}

/// Largest number of shadows that fit in device memory besides the pipeline.
fn max_shadows(gpu: &Gpu, pipeline: &Pipeline, plan: &Plan) -> u64 {
    let abilities = abilities(gpu.report());
    let choice = |(id, grid)| Some((id, paging::choose(grid, &abilities).ok()?));
    let blocks: Vec<_> = pipeline.sparse_grids().filter_map(choice).collect();
    let taken = plan::memory::MemoryPlan::of(pipeline, plan, &blocks).device_bytes();
    shadows::most(abilities.memory, taken)
}

/// The shadows of a list: steps and frames overlap, so they do not share shadows.
fn lane_of(list: List) -> usize {
    usize::from(list == List::Frame)
}

/// Shadows without marks, with the head of the first dispatch.
fn allocate_shadows(host: &Host, name: &str, held: u64) -> Result<Buffer, RunError> {
    let buffer = (host.gpu).buffer(name, HEAD_BYTES + held * SHADOW_BYTES, BufferKind::Device)?;
    host.run_once(name, |recorder| recorder.fill(&buffer, 0))?;
    let head: [u64; 2] = [1, u64::MAX];
    let bytes: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
    host.upload(&buffer, &bytes)?;
    Ok(buffer)
}

/// The table of a kernel: see `src/shader/interface/shadows.glsl`.
fn table_of(
    pipeline: &Pipeline,
    memory: &DeviceMemory,
    pages: &SparseGrids,
    at: DispatchId,
    shadows: &Shadows,
    lane: u64,
) -> Vec<u8> {
    let mut words = vec![lane];
    let stage = &pipeline.stages[at.list.entries(pipeline)[at.number].stage];
    for (local, sides) in shadows.sides.iter().enumerate() {
        let address = |side: Option<usize>| {
            side.map_or(0, |region| {
                lane + HEAD_BYTES + SHADOW_BYTES * shadows.regions[region].first
            })
        };
        let held = sides.iter().flatten().next();
        let held = held.map_or(0, |region| shadows.regions[*region].held);
        words.extend([address(sides[0]), address(sides[1]), held]);
        let resource = pipeline.fields[stage.bindings[local]].resource;
        words.extend(match pipeline.resources[resource].sparse() {
            Some(grid) => [
                memory.field(grid.fields.list, 0).address(),
                memory.field(grid.fields.header, 0).address(),
                pages.max_blocks(resource),
            ],
            None => [0; 3],
        });
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The block of the kernels that compare: see `shaders/engine/shadows.glsl`.
fn compare_block(
    pipeline: &Pipeline,
    memory: &DeviceMemory,
    at: DispatchId,
    shadows: &Shadows,
    lane: u64,
    fault: u64,
) -> Vec<u8> {
    let stage = at.list.entries(pipeline)[at.number].stage;
    let pair = |low: usize, high: usize| (high as u64) << 32 | low as u64;
    let mut words = vec![
        lane,
        lane + HEAD_BYTES,
        fault,
        shadows.held(),
        pair(stage, shadows.regions.len()),
    ];
    for region in &shadows.regions {
        let sparse = pipeline.sparse_of(region.field);
        let list = sparse.map_or(0, |grid| memory.field(grid.fields.list, 0).address());
        let bits = sparse.map_or(0, |grid| grid.layout.block_log2.iter().sum::<u32>());
        words.extend([region.first, region.held, region.of_entry, list]);
        words.push(pair(region.local, bits as usize));
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
