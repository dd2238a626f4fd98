//! Memory of several worlds: the lists of those that run in a dispatch, and the repeats of which only some have ended.
//!
//! A repeat with `while` goes on until its condition is 0 in every world. A gate lists the worlds where it is not, and the
//! dispatches after it have workgroups for these worlds alone. So a world that has ended costs nothing, and keeps its values.

use std::collections::HashMap;

use crate::gpu::{Access, Buffer, BufferKind, ComputePipeline, Gpu, GpuError, Recorder};
use crate::ir::{List, Pipeline};
use crate::plan::{COUNT_BYTES, Command, Gate, LoopPart, MAX_CONDITIONS, Plan, When};
use crate::shader::worlds::WorldAxis;
use crate::workgroups::Groups;

use super::built_in::built_in;
use super::error::RunError;
use super::memory::DeviceMemory;

/// The axis along which the workgroups of several worlds follow one another; `None` for one world. It is an error if they do
/// not fit a dispatch.
pub fn axis(gpu: &Gpu, pipeline: &Pipeline, plan: &Plan) -> Result<Option<WorldAxis>, String> {
    let worlds = pipeline.worlds() as u64;
    if worlds == 1 {
        return Ok(None);
    }
    let limits = gpu.report().limits.max_groups;
    let first_beyond = |axis: WorldAxis| {
        let stages = pipeline.stages.iter().zip(&plan.stage_groups);
        let count = |groups: &Groups| match groups {
            Groups::Direct(groups) => u64::from(groups[axis.number()]),
            Groups::Indirect { .. } => 0,
        };
        let mut counts = stages.map(|(stage, groups)| (stage, count(groups)));
        counts.find(|(_, count)| count * worlds > limits[axis.number()].into())
    };
    let Some((stage, count)) = first_beyond(WorldAxis::Z) else {
        return Ok(Some(WorldAxis::Z));
    };
    // Many devices have a much larger limit there.
    if first_beyond(WorldAxis::X).is_none() {
        return Ok(Some(WorldAxis::X));
    }
    let most = u64::from(limits[2]) / count;
    Err(format!(
        "stage `{}` has {count} workgroups in z, so at most {most} worlds fit a dispatch of this device, not {worlds}",
        stage.name
    ))
}

/// The lists of worlds of dispatches.
pub struct WorldLists {
    pub axis: WorldAxis,
    /// The list of all worlds, then one for each row of the gates.
    lists: Buffer,
    list_bytes: u64,
    /// The row of each entry that a gate starts.
    rows: HashMap<(List, usize), usize>,
}

impl WorldLists {
    pub fn new(gpu: &Gpu, pipeline: &Pipeline, plan: &Plan, axis: WorldAxis) -> Result<WorldLists, RunError> {
        let worlds = pipeline.worlds();
        let rows: usize = plan.gates.iter().map(|gate| gate.entries.len()).sum();
        let list_bytes = 4 * (1 + worlds as u64);
        let list: Vec<u8> = std::iter::once(worlds as u32)
            .chain(0..worlds as u32)
            .flat_map(u32::to_le_bytes)
            .collect();
        let lists = gpu.buffer(
            "lists of worlds",
            list_bytes * (1 + rows as u64),
            BufferKind::Upload,
        )?;
        lists.write(0, &list.repeat(1 + rows))?;
        Ok(WorldLists {
            axis,
            lists,
            list_bytes,
            rows: gated(plan),
        })
    }

    /// Address of the list of an entry's dispatch.
    pub fn of(&self, list: List, entry: usize) -> u64 {
        let number = self.rows.get(&(list, entry)).map_or(0, |row| 1 + row);
        self.lists.address() + self.list_bytes * number as u64
    }

    /// Address of the list of all worlds.
    pub fn all(&self) -> u64 {
        self.lists.address()
    }

    /// Keeps the lists alive as long as a recording.
    pub fn hold(&self, recorder: &mut Recorder) -> Result<(), GpuError> {
        recorder.hold(&self.lists)
    }
}

/// The commands of all lists.
fn commands(plan: &Plan) -> impl Iterator<Item = (List, &Command)> {
    let lists = [List::Init, List::Step, List::Frame];
    let segments = lists.into_iter().flat_map(|list| plan.segments(list));
    segments.flat_map(|segment| segment.commands.iter().map(|command| (segment.list, command)))
}

/// The row of each entry that a gate starts.
fn gated(plan: &Plan) -> HashMap<(List, usize), usize> {
    let rows = commands(plan).filter_map(|(list, command)| match command {
        Command::Dispatch {
            invocation,
            when: When::Gated(row),
            ..
        } => Some(((list, *invocation), *row)),
        _ => None,
    });
    rows.collect()
}

/// The gates and notes of repeats in several worlds.
pub struct WorldGates {
    gate: ComputePipeline,
    note: ComputePipeline,
    /// Rows of group counts.
    pub counts: Buffer,
    blocks: Buffer,
    /// By phase, the offsets of the blocks of gates, then of notes.
    gates: Vec<Vec<u64>>,
    notes: Vec<HashMap<usize, u64>>,
}

/// The words of a condition in every world.
struct Condition {
    first: u64,
    /// Distance of the words of two worlds.
    distance: u64,
}

impl WorldGates {
    /// `noted` is the memory for the words of repeats that the host reads.
    pub fn new(
        gpu: &Gpu,
        (pipeline, plan): (&Pipeline, &Plan),
        memory: &DeviceMemory,
        lists: &WorldLists,
        noted: Option<&Buffer>,
    ) -> Result<WorldGates, RunError> {
        let rows: usize = plan.gates.iter().map(|gate| gate.entries.len()).sum();
        let counts = gpu.buffer(
            "gated group counts",
            COUNT_BYTES * rows.max(1) as u64,
            BufferKind::Device,
        )?;
        let blocks = Blocks {
            pipeline,
            plan,
            memory,
            lists,
            counts: counts.address(),
            noted: noted.map_or(0, Buffer::address),
        };
        let mut bytes = Vec::new();
        let (mut gates, mut notes) = (Vec::new(), Vec::new());
        for phase in 0..u64::from(pipeline.phases()) {
            let of_gates = plan.gates.iter().map(|gate| {
                let offset = bytes.len() as u64;
                bytes.extend(blocks.gate(gate, phase));
                offset
            });
            gates.push(of_gates.collect());
            let of_notes = noted_parts(plan).map(|(list, part)| {
                let offset = bytes.len() as u64;
                bytes.extend(blocks.note(list, part, phase));
                (part.note, offset)
            });
            notes.push(of_notes.collect());
        }
        let buffer = gpu.buffer("gates", bytes.len() as u64, BufferKind::Upload)?;
        buffer.write(0, &bytes)?;
        Ok(WorldGates {
            gate: built_in(gpu, "gate_worlds", include_bytes!("gate_worlds.comp"))?,
            note: built_in(gpu, "note_worlds", include_bytes!("note_worlds.comp"))?,
            counts,
            blocks: buffer,
            gates,
            notes,
        })
    }

    pub fn hold(&self, recorder: &mut Recorder) -> Result<(), GpuError> {
        recorder.hold(&self.counts)?;
        recorder.hold(&self.blocks)
    }

    /// Lists the worlds in which each dispatch of a gate runs, and writes their workgroup counts.
    pub fn gate(
        &self,
        recorder: &mut Recorder,
        (gate, rows): (usize, u32),
        phase: u32,
    ) -> Result<(), GpuError> {
        let address = self.blocks.address() + self.gates[phase as usize][gate];
        // The plan knows the counts, but not that kernels read the lists.
        recorder.barrier(&[Access::ShaderRead], &[Access::ShaderWrite])?;
        recorder.dispatch(&self.gate, address, [rows, 1, 1])?;
        recorder.barrier(
            &[Access::ShaderWrite],
            &[Access::ShaderRead, Access::IndirectRead],
        )
    }

    /// Writes a word for the host: 0 if a repeat has ended in every world.
    pub fn note(&self, recorder: &mut Recorder, note: usize, phase: u32) -> Result<(), GpuError> {
        let Some(offset) = self.notes[phase as usize].get(&note) else {
            return Ok(());
        };
        // The plan expects a copy.
        recorder.barrier(&[Access::ShaderWrite], &[Access::ShaderRead, Access::ShaderWrite])?;
        recorder.dispatch(&self.note, self.blocks.address() + offset, [1, 1, 1])?;
        recorder.barrier(
            &[Access::ShaderRead, Access::ShaderWrite],
            &[Access::ShaderWrite, Access::HostRead],
        )
    }
}

/// The parts of repeats whose conditions the host reads.
fn noted_parts(plan: &Plan) -> impl Iterator<Item = (List, LoopPart)> {
    commands(plan).filter_map(|(list, command)| match command {
        Command::Note(part) => Some((list, *part)),
        _ => None,
    })
}

/// The sources of the argument blocks of gates and notes.
struct Blocks<'a> {
    pipeline: &'a Pipeline,
    plan: &'a Plan,
    memory: &'a DeviceMemory,
    lists: &'a WorldLists,
    counts: u64,
    noted: u64,
}

impl Blocks<'_> {
    /// The block of `gate_worlds.comp`.
    fn gate(&self, gate: &Gate, phase: u64) -> Vec<u8> {
        let lists = self.lists.all() + self.lists.list_bytes * (1 + gate.first as u64);
        let mut bytes = Vec::new();
        bytes.extend((self.counts + COUNT_BYTES * gate.first as u64).to_le_bytes());
        bytes.extend(lists.to_le_bytes());
        bytes.extend((self.pipeline.worlds() as u32).to_le_bytes());
        bytes.extend((self.lists.axis.number() as u32).to_le_bytes());
        for entry in &gate.entries {
            let number = gate.list.entries(self.pipeline)[*entry].stage;
            let conditions = &self.pipeline.stages[number].conditions;
            let groups = match self.plan.stage_groups[number] {
                Groups::Direct(groups) => groups,
                // Several worlds have no counted workgroups.
                Groups::Indirect { .. } => [0; 3],
            };
            bytes.extend(groups.iter().flat_map(|count| count.to_le_bytes()));
            bytes.extend((conditions.len() as u32).to_le_bytes());
            for number in 0..MAX_CONDITIONS {
                let words = conditions.get(number).map(|field| {
                    let memory = self.plan.memory(gate.list, *entry, *field, phase);
                    let copy = self.plan.counted(gate.list, *entry, *field, phase);
                    self.condition(memory, copy)
                });
                let words = words.unwrap_or(Condition {
                    first: 0,
                    distance: 0,
                });
                bytes.extend(words.first.to_le_bytes());
                bytes.extend(words.distance.to_le_bytes());
            }
        }
        bytes
    }

    /// The block of `note_worlds.comp`.
    fn note(&self, list: List, part: LoopPart, phase: u64) -> Vec<u8> {
        let memory = self.plan.memory(list, part.entry, part.condition, phase);
        let words = self.condition(memory, 0);
        let note = self.noted + crate::plan::NOTE_BYTES * part.note as u64;
        let mut bytes: Vec<u8> = [words.first, words.distance, note]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        bytes.extend((self.pipeline.worlds() as u32).to_le_bytes());
        bytes.extend(0u32.to_le_bytes());
        bytes
    }

    fn condition(&self, memory: usize, copy: u32) -> Condition {
        let first = self.memory.address(memory, copy, 0);
        Condition {
            first,
            distance: self.memory.address(memory, copy, 1) - first,
        }
    }
}
