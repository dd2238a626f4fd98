//! Memory of fields for other parts of the program.

use crate::gpu::{Buffer, BufferKind, CudaStream};
use crate::ir::{FieldId, Home};
use crate::plan::schedule::LANES;

use super::super::error::RunError;
use super::super::options::Share;
use super::Simulation;

impl Simulation {
    /// The memory of the newest values of a field, which later steps may write again. With [`Share::Cuda`], `stream` waits for
    /// everything submitted so far, and from now on has the order of the program; otherwise the host has waited.
    pub fn memory(&mut self, field: &str, stream: Option<CudaStream>) -> Result<Buffer, RunError> {
        let id = self.field(field)?;
        let share = self.prepared.options.share;
        let refused = |why: &str| {
            Err(RunError::Misuse(format!(
                "`{field}` {why}\n  help: read it, which copies"
            )))
        };
        if self.ranked.is_some() {
            return refused("has no memory of its own: it is divided among ranks");
        }
        match self.prepared.pipeline.fields[id].home {
            Home::Device => {}
            Home::Pages => return self.copied(id),
            _ => return refused("is memory of the host"),
        }
        let (memory, copy) = self.newest(id);
        let buffer = self.prepared.memory.field(memory, copy).clone();
        match (share, &self.sharing, stream) {
            (Share::No, ..) => return refused("is not shared: the simulation was started without"),
            (Share::Cuda, Some(sharing), Some(stream)) if buffer.cuda().is_some() => {
                sharing.add(self.gpu(), stream)?;
                sharing.hand_over(LANES.map(|lane| self.schedule.last(lane)))?;
                // The stream may write it at any time.
                self.given.extend([id, memory]);
                return Ok(buffer);
            }
            // Without a stream, the caller wants no order, or takes care of it.
            (Share::Cuda, Some(_), None) if buffer.cuda().is_some() => {}
            (Share::Host, ..) if buffer.host_address().is_some() => {
                self.finish()?;
                self.prepared.host.run_once("before the host", |_| Ok(()))?;
            }
            _ => return refused("is in memory that cannot be shared"),
        }
        self.given.extend([id, memory]);
        Ok(buffer)
    }

    /// A copy of a channel of a sparse grid, in memory that is shared as that of fields. The host waits for it.
    fn copied(&mut self, id: FieldId) -> Result<Buffer, RunError> {
        self.finish()?;
        let prepared = &self.prepared;
        let (gpu, pipeline) = (&prepared.host.gpu, &prepared.pipeline);
        let (name, bytes) = (&pipeline.fields[id].name, pipeline.field_bytes(id));
        let refused = || {
            RunError::Misuse(format!(
                "`{name}` is in memory that cannot be shared\n  help: read it, which copies"
            ))
        };
        let copy = match (prepared.options.share, &prepared.cuda) {
            (Share::Cuda, Some(cuda)) => gpu.cuda_buffer(name, bytes, cuda)?.ok_or_else(refused)?,
            (Share::Host, _) => gpu.buffer(name, bytes, BufferKind::Device)?,
            _ => return Err(refused()),
        };
        if prepared.options.share == Share::Host && copy.host_address().is_none() {
            return Err(refused());
        }
        prepared.pages.copy_channel(&prepared.host, pipeline, id, &copy)?;
        Ok(copy)
    }

    /// Called before each use by a client: see [`super::super::sharing`].
    pub fn begin_use(&self) {
        if let Some(sharing) = &self.sharing {
            sharing.begin();
        }
    }

    /// Called after each use by a client.
    pub fn end_use(&self) -> Result<(), RunError> {
        if let Some(sharing) = &self.sharing {
            sharing.hand_over(LANES.map(|lane| self.schedule.last(lane)))?;
        }
        Ok(())
    }

    /// The host waits for the work of all known streams so far.
    pub(super) fn wait_for_streams(&self) -> Result<(), RunError> {
        let Some(sharing) = &self.sharing else {
            return Ok(());
        };
        for (timeline, value) in sharing.ends()? {
            let host = &self.prepared.host;
            host.wait(&timeline, value, "the work of a stream of CUDA")?;
        }
        Ok(())
    }

    /// Makes the streams of the simulation before known to one that continues it.
    pub(super) fn adopt_streams(&self, before: &Simulation) -> Result<(), RunError> {
        if let (Some(sharing), Some(before)) = (&self.sharing, &before.sharing) {
            for stream in before.streams() {
                sharing.add(self.gpu(), stream)?;
            }
        }
        Ok(())
    }

    /// Drops the waits of streams, or those of submissions: a test must notice it.
    pub fn drop_waits_of_cuda(&self, of_streams: bool, of_submissions: bool) {
        if let Some(sharing) = &self.sharing {
            sharing.drop_waits(of_streams, of_submissions);
        }
    }
}
