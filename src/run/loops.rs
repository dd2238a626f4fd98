//! Device memory of repeats with `while`: the workgroup counts that gates write, and the conditions that the host reads.

use crate::gpu::{Buffer, BufferKind, ComputePipeline, Gpu, GpuError, Recorder};
use crate::ir::Pipeline;
use crate::plan::{COUNT_BYTES, Gate, MAX_CONDITIONS, NOTE_BYTES, Plan};
use crate::workgroups::Groups;

use super::built_in::built_in;
use super::error::RunError;
use super::memory::DeviceMemory;
use super::worlds::{WorldGates, WorldLists};

/// Empty in a run without such repeats.
pub struct LoopMemory {
    gates: Option<Gates>,
    notes: Option<Buffer>,
    /// In place of the gates, if there are several worlds.
    worlds: Option<WorldGates>,
}

struct Gates {
    program: ComputePipeline,
    /// Rows of group counts.
    counts: Buffer,
    blocks: Buffer,
    /// Offsets of the block of each gate, by phase.
    offsets: Vec<Vec<u64>>,
}

impl LoopMemory {
    pub fn new(
        gpu: &Gpu,
        pipeline: &Pipeline,
        plan: &Plan,
        memory: &DeviceMemory,
        lists: Option<&WorldLists>,
    ) -> Result<LoopMemory, RunError> {
        let notes = match plan.notes {
            0 => None,
            count => Some(gpu.buffer("ends of repeats", NOTE_BYTES * count as u64, BufferKind::Download)?),
        };
        let mut gates = None;
        let mut worlds = None;
        match lists {
            Some(lists) => {
                let of_worlds = WorldGates::new(gpu, (pipeline, plan), memory, lists, notes.as_ref());
                worlds = Some(of_worlds?);
            }
            None if plan.gates.is_empty() => {}
            None => gates = Some(Gates::new(gpu, pipeline, plan, memory)?),
        }
        Ok(LoopMemory { gates, notes, worlds })
    }

    /// Keeps memory that is accessed by address alive as long as a recording.
    pub fn hold(&self, recorder: &mut Recorder) -> Result<(), GpuError> {
        if let Some(worlds) = &self.worlds {
            worlds.hold(recorder)?;
            self.notes.iter().try_for_each(|notes| recorder.hold(notes))?;
        }
        match &self.gates {
            None => Ok(()),
            Some(gates) => recorder
                .hold(&gates.counts)
                .and_then(|()| recorder.hold(&gates.blocks)),
        }
    }

    /// Writes the workgroup counts of the dispatches of gate `number`.
    pub fn gate(
        &self,
        recorder: &mut Recorder,
        (number, gate): (usize, &Gate),
        phase: u32,
    ) -> Result<(), GpuError> {
        if let Some(worlds) = &self.worlds {
            return worlds.gate(recorder, (number, gate.entries.len() as u32), phase);
        }
        let Some(gates) = &self.gates else { return Ok(()) };
        let address = gates.blocks.address() + gates.offsets[phase as usize][number];
        recorder.dispatch(&gates.program, address, [1, 1, 1])
    }

    /// Dispatches a kernel with the workgroup counts of a row.
    pub fn dispatch(
        &self,
        recorder: &mut Recorder,
        program: &ComputePipeline,
        address: u64,
        row: usize,
    ) -> Result<(), GpuError> {
        let counts = match (&self.worlds, &self.gates) {
            (Some(worlds), _) => &worlds.counts,
            (None, Some(gates)) => &gates.counts,
            (None, None) => return Ok(()),
        };
        recorder.dispatch_indirect(program, address, counts, COUNT_BYTES * row as u64)
    }

    /// Copies the first word of a field, the condition of a part in a phase, to memory that the host can read.
    pub fn note(
        &self,
        recorder: &mut Recorder,
        field: &Buffer,
        (note, phase): (usize, u32),
    ) -> Result<(), GpuError> {
        match (&self.worlds, &self.notes) {
            (Some(worlds), _) => worlds.note(recorder, note, phase),
            (None, Some(notes)) => recorder.copy(field, 0, notes, NOTE_BYTES * note as u64, NOTE_BYTES),
            (None, None) => Ok(()),
        }
    }

    /// A word that [`LoopMemory::note`] has copied. Call this only after the work has ended.
    pub fn noted(&self, note: usize) -> Result<u32, RunError> {
        let Some(notes) = &self.notes else { return Ok(0) };
        let word = notes.bytes()?.chunks_exact(4).nth(note).unwrap_or_default();
        Ok(word
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u32::from(*byte)))
    }
}

impl Gates {
    fn new(gpu: &Gpu, pipeline: &Pipeline, plan: &Plan, memory: &DeviceMemory) -> Result<Gates, RunError> {
        let rows: usize = plan.gates.iter().map(|gate| gate.entries.len()).sum();
        let counts = gpu.buffer(
            "gated group counts",
            COUNT_BYTES * rows as u64,
            BufferKind::Device,
        )?;
        let mut bytes = Vec::new();
        let mut offsets = Vec::new();
        for phase in 0..pipeline.phases() {
            let mut of_phase = Vec::with_capacity(plan.gates.len());
            for gate in &plan.gates {
                of_phase.push(bytes.len() as u64);
                bytes.extend(block(
                    pipeline,
                    plan,
                    memory,
                    gate,
                    u64::from(phase),
                    counts.address(),
                )?);
            }
            offsets.push(of_phase);
        }
        let blocks = gpu.buffer("gates", bytes.len() as u64, BufferKind::Upload)?;
        blocks.write(0, &bytes)?;
        Ok(Gates {
            program: built_in(gpu, "gate", include_bytes!("gate.comp"))?,
            counts,
            blocks,
            offsets,
        })
    }
}

/// The argument block of a gate's kernel.
fn block(
    pipeline: &Pipeline,
    plan: &Plan,
    memory: &DeviceMemory,
    gate: &Gate,
    phase: u64,
    counts: u64,
) -> Result<Vec<u8>, RunError> {
    let mut bytes = Vec::with_capacity(gate.block_bytes() as usize);
    bytes.extend((counts + COUNT_BYTES * gate.first as u64).to_le_bytes());
    bytes.extend((gate.entries.len() as u32).to_le_bytes());
    bytes.extend(0u32.to_le_bytes());
    for entry in &gate.entries {
        let number = gate.list.entries(pipeline)[*entry].stage;
        let stage = &pipeline.stages[number];
        let address = |field| {
            let copy = plan.counted(gate.list, *entry, field, phase);
            memory
                .field(plan.memory(gate.list, *entry, field, phase), copy)
                .address()
        };
        let (counted, groups) = match plan.stage_groups[number] {
            Groups::Direct(groups) => (0, groups),
            Groups::Indirect { field, offset } => (address(field) + offset, [0; 3]),
        };
        bytes.extend(counted.to_le_bytes());
        bytes.extend(groups.iter().flat_map(|count| count.to_le_bytes()));
        bytes.extend((stage.conditions.len() as u32).to_le_bytes());
        for number in 0..MAX_CONDITIONS {
            let word = stage.conditions.get(number).map_or(0, |field| address(*field));
            bytes.extend(word.to_le_bytes());
        }
    }
    Ok(bytes)
}
