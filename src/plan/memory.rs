//! Memory that a pipeline requires on the device and for staging, in bytes, before anything is allocated.

use crate::ir::{
    BLOCK_ALIGNMENT, CLOCK_BYTES, FAULT_STRIDE, Field, FieldId, Home, Invocation, Output, Pipeline,
    ResourceId,
};

use super::paging::Choice;
use super::{COUNT_BYTES, NOTE_BYTES, Plan};

/// Number of staging buffers of a series, and the smallest number of an output: one is filled, one is written, one
/// waits.
pub const STAGING_BUFFERS: u64 = 3;
/// Largest number of writer threads.
const MAX_WRITERS: u64 = 16;
/// If the staging buffers of an output have more bytes than this, it gets only the smallest number.
const STAGING_BYTES: u64 = 512 << 20;

/// Number of writer threads of a run: one for each thread of the processor, up to a limit.
pub fn writers() -> u64 {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    cores.min(MAX_WRITERS)
}

/// Largest number of staging buffers of an output: one is filled, one waits, and one for each writer thread.
fn max_staging() -> u64 {
    (writers() + 2).max(STAGING_BUFFERS)
}

/// Number of frames of an output between device and disk at the same time: enough for all writer threads, fewer if
/// frames are large.
pub fn staging_buffers(pipeline: &Pipeline, output: &Output) -> u64 {
    let bytes = (output.fields.iter()).fold(0u64, |sum, field| {
        sum.saturating_add(pipeline.staged_bytes(output, *field))
    });
    (STAGING_BYTES / bytes.max(1)).clamp(STAGING_BUFFERS, max_staging())
}

/// One line of the memory plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryItem {
    pub name: String,
    /// The resource that it belongs to; `None` for staging.
    pub resource: Option<ResourceId>,
    /// Bytes of one copy, a buffer of its own.
    pub bytes: u64,
    pub copies: u64,
}

impl MemoryItem {
    pub fn total(&self) -> u64 {
        self.bytes.saturating_mul(self.copies)
    }
}

/// Memory of a run. A checkpoint needs its size in addition until it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryPlan {
    /// Fields, with their ring copies, and clocks.
    pub device: Vec<MemoryItem>,
    /// Staging buffers and other memory that the host can access.
    pub host: Vec<MemoryItem>,
}

impl MemoryPlan {
    /// `blocks` has the memory for the blocks of sparse grids, as chosen for the device.
    pub fn of(pipeline: &Pipeline, plan: &Plan, blocks: &[(ResourceId, Choice)]) -> MemoryPlan {
        let item = |(id, field): (FieldId, &Field)| MemoryItem {
            name: field.name.clone(),
            resource: Some(field.resource),
            bytes: pipeline.memory_bytes(id),
            copies: u64::from(field.ring),
        };
        let worlds = pipeline.worlds() as u64;
        let fields = || pipeline.fields.iter().enumerate();
        let on_device = fields().filter(|(_, field)| field.home == Home::Device);
        let mapped = fields().filter(|(_, field)| matches!(field.home, Home::HostReads | Home::HostWrites));
        let blocks = blocks.iter().map(|(id, choice)| MemoryItem {
            name: format!("{} ({:?} blocks)", pipeline.resources[*id].name, choice.paging).to_lowercase(),
            resource: Some(*id),
            bytes: choice.max_bytes / choice.max_blocks,
            copies: choice.max_blocks,
        });
        let staging = pipeline.outputs.iter().flat_map(|output| {
            output.fields.iter().map(|field| MemoryItem {
                name: match output.fields.len() {
                    1 => format!("staging {}", output.name),
                    _ => format!("staging {} {}", output.name, pipeline.fields[*field].name),
                },
                resource: None,
                bytes: pipeline.staged_bytes(output, *field),
                copies: staging_buffers(pipeline, output) * worlds,
            })
        });
        let staging = staging.filter(|item| item.bytes > 0);
        let series = pipeline.series.iter().map(|series| MemoryItem {
            name: format!("staging {}", series.name),
            resource: None,
            bytes: pipeline.bytes_of_worlds(series.partials),
            copies: STAGING_BUFFERS,
        });
        let engine = |name: &str, bytes: u64, copies: u64| MemoryItem {
            name: name.to_string(),
            resource: None,
            bytes,
            copies,
        };
        let clocks = engine("clock", CLOCK_BYTES, 2 * worlds);
        let own = [
            engine("argument blocks", argument_bytes(pipeline), worlds),
            engine("fault records", 2 * FAULT_STRIDE, worlds),
        ];
        // Empty buffers are not allocated.
        let gates = || plan.gates.iter();
        let blocks_of_gates: u64 = gates().map(|gate| gate.block_bytes()).sum();
        let rows: usize = gates().map(|gate| gate.entries.len()).sum();
        let [counts, gates, notes] = [
            ("gated group counts", COUNT_BYTES * rows as u64),
            ("gates", blocks_of_gates * u64::from(pipeline.phases())),
            ("ends of repeats", NOTE_BYTES * plan.notes as u64),
        ]
        .map(|(name, bytes)| (bytes > 0).then(|| engine(name, bytes, 1)));
        MemoryPlan {
            device: (on_device.map(item).chain(blocks).chain([clocks]).chain(counts)).collect(),
            host: (staging
                .chain(series)
                .chain(mapped.map(item))
                .chain(own)
                .chain(gates)
                .chain(notes))
            .collect(),
        }
    }

    pub fn device_bytes(&self) -> u64 {
        self.device
            .iter()
            .fold(0, |sum, item| sum.saturating_add(item.total()))
    }

    pub fn host_bytes(&self) -> u64 {
        self.host
            .iter()
            .fold(0, |sum, item| sum.saturating_add(item.total()))
    }
}

/// Bytes of all argument blocks: one per invocation and phase of the rings, and two that advance the clocks.
fn argument_bytes(pipeline: &Pipeline) -> u64 {
    let kernels: Vec<u64> = (pipeline.kernels.iter())
        .map(|kernel| kernel.signature.block_bytes())
        .collect();
    let of = |list: &[Invocation]| {
        let kernels = list
            .iter()
            .map(|entry| kernels[pipeline.stages[entry.stage].kernel]);
        kernels.sum::<u64>()
    };
    let slots = u64::from(pipeline.phases());
    of(&pipeline.init) + slots * (of(&pipeline.step) + of(&pipeline.frame)) + 2 * BLOCK_ALIGNMENT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Document, from_document};

    #[test]
    fn small_frames_get_a_staging_buffer_per_writer_and_large_ones_the_minimum() {
        let copies = |count: u64| {
            let text = format!(
                r#"{{"run": {{"dt": 1}}, "particles": {{"p": {{"count": {count},
                "attributes": {{"position": "vec3", "age": "float"}}}}}},
                "step": [{{"stage": "s", "over": "p", "writes": ["p.position", "p.age"]}}],
                "outputs": {{"o": {{"source": "p"}}}}}}"#
            );
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("t.json");
            std::fs::write(&path, text).unwrap();
            let document = Document::read(&path).unwrap();
            let (pipeline, _) = from_document("t", &document, &Default::default()).unwrap();
            let memory = MemoryPlan::of(&pipeline, &crate::plan::plan(&pipeline).unwrap(), &[]);
            let sizes: Vec<u64> = memory.host.iter().map(|item| item.bytes).collect();
            assert_eq!(sizes[..2], [12 * count, 4 * count]);
            memory.host[0].copies
        };
        assert_eq!(copies(1000), max_staging());
        assert_eq!(copies(1 << 22), max_staging().min(8));
        assert_eq!(copies(1 << 30), STAGING_BUFFERS);
    }
}
