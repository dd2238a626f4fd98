//! Device memory of a pipeline: one buffer per field and ring copy, the clocks, the fault record.

use std::sync::Arc;

use crate::element;
use crate::gpu::{Access, Buffer, BufferKind, CudaDevice, GpuError, Recorder};
use crate::initial;
use crate::ir::{CLOCK_BYTES, FAULT_BYTES, FAULT_STRIDE, Field, FieldId, Home, List, Pipeline, Start};

use crate::shared_constants::clock;

use super::error::RunError;
use super::host::Host;

/// Distance of the clocks of two worlds.
const CLOCK_STRIDE: u64 = 32;

/// The passes that a clock counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockOf {
    Step,
    Frame,
}

impl ClockOf {
    /// The clock of a list; init stages have the clock of the first step.
    pub fn list(list: List) -> ClockOf {
        match list {
            List::Init | List::Step => ClockOf::Step,
            List::Frame => ClockOf::Frame,
        }
    }
}

/// All buffers that stages access.
pub struct DeviceMemory {
    /// By field and copy; channels of sparse grids have no buffers here.
    fields: Vec<Vec<Buffer>>,
    /// By field, the distance of the values of two worlds.
    world_bytes: Vec<u64>,
    step_clock: Buffer,
    frame_clock: Buffer,
    /// The fault records of steps and of frame stages, mapped: the host reads them even if the device hangs.
    faults: Buffer,
    /// Notices about the initial values.
    notices: Vec<String>,
}

/// The words of the clocks of all worlds after some steps and frames.
fn clocks_at(pipeline: &Pipeline, steps: u32, frame: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for world in 0..pipeline.worlds() {
        bytes.resize(world * CLOCK_STRIDE as usize, 0);
        bytes.extend(clock_at(pipeline, pipeline.seed_of(world), steps, frame));
    }
    bytes
}

/// The words of the clock of a world.
fn clock_at(pipeline: &Pipeline, seed: u32, steps: u32, frame: u32) -> Vec<u8> {
    // As in advance_clock.comp.
    let time = steps as f32 * pipeline.dt as f32;
    let mut words = [0; clock::CLOCK_WORDS as usize];
    let dt = (pipeline.dt as f32).to_bits();
    for (at, word) in [
        (clock::CLOCK_LEFT, dt),
        (clock::CLOCK_STEP, steps),
        (clock::CLOCK_FRAME, frame),
        (clock::CLOCK_TIME, time.to_bits()),
        (clock::CLOCK_DT, dt),
        (clock::CLOCK_SEED, seed),
    ] {
        words[at as usize] = word;
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl DeviceMemory {
    /// Allocates everything and writes the initial values: backgrounds, listed values, height images, sources of
    /// particles.
    ///
    /// Fields of the pipeline file are in memory of CUDA if there is such a device.
    pub fn new(
        host: &Host,
        pipeline: &Pipeline,
        cuda: Option<&Arc<CudaDevice>>,
    ) -> Result<DeviceMemory, RunError> {
        let gpu = &host.gpu;
        let mut fields = Vec::with_capacity(pipeline.fields.len());
        for (id, field) in pipeline.fields.iter().enumerate() {
            let kind = match field.home {
                Home::Device => BufferKind::Device,
                Home::HostReads => BufferKind::Download,
                Home::HostWrites => BufferKind::Upload,
                Home::Pages => {
                    fields.push(Vec::new());
                    continue;
                }
            };
            let (bytes, held) = (pipeline.bytes_of_worlds(id), pipeline.held_bytes(id));
            let copies = (0..field.ring).map(|copy| {
                let name = if field.ring == 1 {
                    field.name.clone()
                } else {
                    format!("{}[{copy}]", field.name)
                };
                let shared =
                    cuda.filter(|_| kind == BufferKind::Device && !field.pointer.is_empty() && bytes > 0);
                match (&held, shared) {
                    (Some(ranges), _) => Ok(gpu.partial_buffer(&name, bytes, ranges)?),
                    (None, Some(cuda)) => gpu
                        .cuda_buffer(&name, bytes, cuda)?
                        .ok_or_else(|| unshared(&name)),
                    (None, None) => Ok(gpu.buffer(&name, bytes, kind)?),
                }
            });
            fields.push(copies.collect::<Result<Vec<_>, RunError>>()?);
        }
        let worlds = pipeline.worlds() as u64;
        let clocks = CLOCK_STRIDE * (worlds - 1) + CLOCK_BYTES;
        let mut memory = DeviceMemory {
            fields,
            world_bytes: (0..pipeline.fields.len())
                .map(|id| pipeline.world_bytes(id))
                .collect(),
            step_clock: gpu.buffer("step clock", clocks, BufferKind::Device)?,
            frame_clock: gpu.buffer("frame clock", clocks, BufferKind::Device)?,
            faults: gpu.buffer("fault records", worlds * 2 * FAULT_STRIDE, BufferKind::Download)?,
            notices: Vec::new(),
        };
        memory.notices = memory.initialize(host, pipeline)?;
        Ok(memory)
    }

    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    pub fn field(&self, field: FieldId, copy: u32) -> &Buffer {
        &self.fields[field][copy as usize]
    }

    /// Address of a copy of a field in a world.
    pub fn address(&self, field: FieldId, copy: u32, world: usize) -> u64 {
        self.field(field, copy).address() + self.world_bytes[field] * world as u64
    }

    /// Address of the clock of a world.
    pub fn clock_address(&self, of: ClockOf, world: usize) -> u64 {
        self.clock(of).address() + CLOCK_STRIDE * world as u64
    }

    /// The clocks of all worlds.
    pub fn clock(&self, of: ClockOf) -> &Buffer {
        match of {
            ClockOf::Step => &self.step_clock,
            ClockOf::Frame => &self.frame_clock,
        }
    }

    /// Address of the fault record of a clock's stages in a world.
    pub fn fault(&self, of: ClockOf, world: usize) -> u64 {
        self.faults.address() + (2 * world as u64 + of as u64) * FAULT_STRIDE
    }

    /// The fault records of steps and of frame stages in every world, as they are now.
    pub fn fault_records(&self) -> Result<impl Iterator<Item = &[u8]>, GpuError> {
        let records = self.faults.bytes()?.chunks_exact(FAULT_STRIDE as usize);
        Ok(records.map(|record| &record[..FAULT_BYTES as usize]))
    }

    /// Every buffer that is accessed by address: recordings must keep them alive.
    pub fn buffers(&self) -> impl Iterator<Item = &Buffer> {
        self.fields
            .iter()
            .flatten()
            .chain([&self.step_clock, &self.frame_clock, &self.faults])
    }

    /// Resets the frame clock to a frame, so that the frame stages can run again.
    pub fn rewind_frame(&self, host: &Host, pipeline: &Pipeline, frame: u64) -> Result<(), RunError> {
        let frame = frame as u32;
        let steps = frame.wrapping_mul(pipeline.steps_per_frame);
        host.upload(&self.frame_clock, &clocks_at(pipeline, steps, frame))
    }

    /// Writes the initial values. Returns notices about them.
    fn initialize(&self, host: &Host, pipeline: &Pipeline) -> Result<Vec<String>, RunError> {
        let mut uploads: Vec<(&Buffer, Vec<u8>)> = Vec::new();
        for (id, field) in pipeline.fields.iter().enumerate() {
            if let Start::Values(_) = &field.start {
                let bytes = self.values_of_worlds(pipeline, id);
                uploads.extend(self.fields[id].iter().map(|buffer| (buffer, bytes.clone())));
            }
        }
        uploads.push((&self.step_clock, clocks_at(pipeline, 0, 0)));
        // Frame stages first run for frame 1, after the steps of one frame.
        uploads.push((
            &self.frame_clock,
            clocks_at(pipeline, pipeline.steps_per_frame, 1),
        ));
        self.fill(host, pipeline, &uploads)?;
        let mut start = WorldStart::default();
        self.start_world(host, pipeline, 0, &mut start)?;
        for (world, other) in pipeline.other_worlds.iter().enumerate() {
            self.start_world(host, &other.alone(), world + 1, &mut start)?;
        }
        start.upload(host)?;
        Ok(start.notices)
    }

    /// The listed initial values of a field in all worlds.
    fn values_of_worlds(&self, pipeline: &Pipeline, field: FieldId) -> Vec<u8> {
        let mut all = Vec::new();
        for world in 0..pipeline.worlds() {
            if let Start::Values(bytes) = &pipeline.values_of(world).fields[field].start {
                all.resize(world * self.world_bytes[field] as usize, 0);
                all.extend_from_slice(bytes);
            }
        }
        all
    }

    /// Adds the initial values of a world that files and formulas give.
    fn start_world<'a>(
        &'a self,
        host: &Host,
        pipeline: &Pipeline,
        world: usize,
        start: &mut WorldStart<'a>,
    ) -> Result<(), RunError> {
        for resource in 0..pipeline.resources.len() {
            let filled = initial::contents(pipeline, resource);
            for initial in filled.map_err(|problem| RunError::Input(problem.into()))? {
                let first = self.world_bytes[initial.field] * world as u64 + initial.first;
                if world == 0 {
                    start.notices.extend(initial.notice);
                }
                for buffer in &self.fields[initial.field] {
                    start.add(host, buffer, first, &initial.bytes)?;
                }
            }
        }
        Ok(())
    }

    /// Writes backgrounds, then `uploads`, which are small.
    fn fill(&self, host: &Host, pipeline: &Pipeline, uploads: &[(&Buffer, Vec<u8>)]) -> Result<(), RunError> {
        host.run_once("initial state", |recorder| {
            for (id, field) in pipeline.fields.iter().enumerate() {
                (self.fields[id].iter())
                    .try_for_each(|buffer| fill_background(host, recorder, field, buffer))?;
            }
            recorder.fill(&self.faults, 0)?;
            recorder.barrier(&[Access::TransferWrite], &[Access::TransferWrite])?;
            for (buffer, bytes) in uploads {
                let staging = host
                    .gpu
                    .buffer("upload", bytes.len() as u64, BufferKind::Upload)?;
                staging.write(0, bytes)?;
                recorder.copy(&staging, 0, buffer, 0, bytes.len() as u64)?;
            }
            Ok(())
        })
    }
}

/// Initial values on their way to the device: small ones in few uploads.
#[derive(Default)]
struct WorldStart<'a> {
    waiting: Vec<(&'a Buffer, u64, Vec<u8>)>,
    bytes: u64,
    notices: Vec<String>,
}

impl<'a> WorldStart<'a> {
    fn add(&mut self, host: &Host, buffer: &'a Buffer, first: u64, bytes: &[u8]) -> Result<(), RunError> {
        if bytes.len() as u64 > TILE_BYTES {
            return host.upload_at(buffer, first, bytes);
        }
        self.bytes += bytes.len() as u64;
        self.waiting.push((buffer, first, bytes.to_vec()));
        if self.bytes > TILE_BYTES {
            self.upload(host)
        } else {
            Ok(())
        }
    }

    fn upload(&mut self, host: &Host) -> Result<(), RunError> {
        self.bytes = 0;
        match std::mem::take(&mut self.waiting) {
            none if none.is_empty() => Ok(()),
            waiting => host.upload_all(&waiting),
        }
    }
}

fn unshared(name: &str) -> RunError {
    RunError::Failed(format!(
        "CUDA and Vulkan cannot share the memory of `{name}`\n  help: free memory of the device, or do not share fields"
    ))
}

/// Fills a buffer with the background of a field.
pub fn fill_background(
    host: &Host,
    recorder: &mut Recorder,
    field: &Field,
    buffer: &Buffer,
) -> Result<(), GpuError> {
    let component = field.element.component_bytes(field.background);
    let long = element::words(&component.repeat(8 / component.len()));
    match long[..] {
        // A fill command repeats 32 bits.
        [low, high] if low != high => tile(host, recorder, buffer, &component),
        _ => recorder.fill(buffer, long[0]),
    }
}

/// Largest number of bytes to stage for filling a buffer with a pattern.
const TILE_BYTES: u64 = 16 << 20;

/// Fills a buffer with a pattern of eight bytes.
fn tile(host: &Host, recorder: &mut Recorder, buffer: &Buffer, pattern: &[u8]) -> Result<(), GpuError> {
    let length = buffer.size().min(TILE_BYTES);
    let staging = host.gpu.buffer("background", length, BufferKind::Upload)?;
    staging.write(0, &pattern.repeat(length.div_ceil(8) as usize)[..length as usize])?;
    for first in (0..buffer.size()).step_by(TILE_BYTES as usize) {
        let bytes = length.min(buffer.size() - first);
        recorder.copy(&staging, 0, buffer, first, bytes)?;
    }
    Ok(())
}
