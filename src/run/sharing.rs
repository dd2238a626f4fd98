//! Order between a simulation and streams of CUDA that use the memory of its fields, without waits of the host.
//!
//! A stream is known from the first field that it is handed. Before the simulation submits anything, each known stream raises a
//! timeline after its work so far, and the submission waits for it. After the submission, each known stream waits for the
//! timelines of the simulation. So work of a stream has the order of the program: after the submissions before it, before
//! those after it.
//!
//! Buffers are CONCURRENT, and NVIDIA's driver demands no transfer of ownership between queues and CUDA.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::gpu::{CudaDevice, CudaSemaphore, CudaStream, Gpu, GpuError, Timeline};
use crate::plan::Lane;
use crate::plan::schedule::LANES;

use super::error::RunError;
use super::options::Share;

/// The device as CUDA sees it, if CUDA shares the fields.
pub fn device(gpu: &Gpu, share: Share) -> Result<Option<Arc<CudaDevice>>, RunError> {
    let is_host = gpu.report().kind == crate::gpu::DeviceKind::Cpu;
    let refused = |why: &str, help: &str| Err(RunError::Misuse(format!("{why}\n  help: {help}")));
    match share {
        Share::No => Ok(None),
        Share::Host if is_host => Ok(None),
        Share::Host => refused(
            &format!(
                "`{}` has memory of its own, which the host cannot share",
                gpu.report().name
            ),
            "share fields with CUDA, or read them",
        ),
        Share::Cuda => match gpu.uuid().and_then(CudaDevice::open) {
            Some(device) => Ok(Some(device)),
            None => refused(
                &format!(
                    "CUDA does not see `{}`, so it cannot share fields with it",
                    gpu.report().name
                ),
                "this requires an NVIDIA device with its driver (libcuda.so.1), or do not share fields",
            ),
        },
    }
}

/// The streams that use fields, and the timelines of both sides.
pub struct Sharing {
    cuda: Arc<CudaDevice>,
    /// The timelines of the lanes as CUDA sees them.
    lanes: [CudaSemaphore; LANES.len()],
    streams: RefCell<Vec<Stream>>,
    /// True if streams may have got work since the last submission.
    is_used: Cell<bool>,
    /// Drops the waits of streams, and those of submissions: for tests.
    drops: Cell<[bool; 2]>,
}

struct Stream {
    stream: CudaStream,
    /// Raised by the stream.
    timeline: Timeline,
    semaphore: CudaSemaphore,
    value: u64,
    /// The value that the submissions of each lane have waited for.
    awaited: [u64; LANES.len()],
    /// The value of each lane that the stream waits for.
    waits: [u64; LANES.len()],
}

impl Sharing {
    /// The timelines of the lanes, with their order if CUDA shares the fields.
    pub fn timelines(
        gpu: &Gpu,
        cuda: Option<&Arc<CudaDevice>>,
    ) -> Result<([Timeline; LANES.len()], Option<Sharing>), RunError> {
        let names = ["steps", "frames", "downloads"];
        let Some(cuda) = cuda else {
            let [steps, frames, downloads] = names.map(|name| gpu.timeline(name));
            return Ok(([steps?, frames?, downloads?], None));
        };
        let [steps, frames, downloads] = names.map(|name| timeline(gpu, name, cuda));
        let (steps, frames, downloads) = (steps?, frames?, downloads?);
        let sharing = Sharing {
            cuda: Arc::clone(cuda),
            lanes: [steps.1, frames.1, downloads.1],
            streams: RefCell::default(),
            is_used: Cell::new(false),
            drops: Cell::default(),
        };
        Ok(([steps.0, frames.0, downloads.0], Some(sharing)))
    }

    /// Makes a stream known.
    pub fn add(&self, gpu: &Gpu, stream: CudaStream) -> Result<(), RunError> {
        let mut streams = self.streams.borrow_mut();
        if !streams.iter().any(|known| known.stream == stream) {
            let (timeline, semaphore) = timeline(gpu, "a stream of CUDA", &self.cuda)?;
            streams.push(Stream {
                stream,
                timeline,
                semaphore,
                value: 0,
                awaited: [0; LANES.len()],
                waits: [0; LANES.len()],
            });
        }
        Ok(())
    }

    /// The known streams, for a simulation that continues this one.
    pub fn streams(&self) -> Vec<CudaStream> {
        self.streams.borrow().iter().map(|stream| stream.stream).collect()
    }

    /// Called when the program may have given work to streams.
    pub fn begin(&self) {
        self.is_used.set(true);
    }

    /// The timelines that the next submission of a lane must wait for, with their values.
    pub fn waits(&self, lane: Lane) -> Result<Vec<(Timeline, u64)>, GpuError> {
        let mut streams = self.streams.borrow_mut();
        if self.is_used.replace(false) {
            for stream in streams.iter_mut() {
                stream.value += 1;
                stream.semaphore.signal(stream.value, stream.stream)?;
            }
        }
        let [_, drops] = self.drops.get();
        let mut waits = Vec::new();
        for stream in streams.iter_mut() {
            let awaited = &mut stream.awaited[lane as usize];
            if *awaited < stream.value {
                *awaited = stream.value;
                waits.push((stream.timeline.clone(), stream.value));
            }
        }
        Ok(if drops { Vec::new() } else { waits })
    }

    /// Later work of all known streams waits for the submissions so far: `last` are the values of the lanes.
    pub fn hand_over(&self, last: [u64; LANES.len()]) -> Result<(), GpuError> {
        let [drops, _] = self.drops.get();
        for stream in self.streams.borrow_mut().iter_mut() {
            for (lane, semaphore) in self.lanes.iter().enumerate() {
                if last[lane] > stream.waits[lane] {
                    stream.waits[lane] = last[lane];
                    if !drops {
                        semaphore.wait(last[lane], stream.stream)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The values that the known streams raise their timelines to after all their work so far, for the host to wait for.
    pub fn ends(&self) -> Result<Vec<(Timeline, u64)>, GpuError> {
        let mut streams = self.streams.borrow_mut();
        for stream in streams.iter_mut() {
            stream.value += 1;
            stream.semaphore.signal(stream.value, stream.stream)?;
            stream.awaited = [stream.value; LANES.len()];
        }
        let ends = streams
            .iter()
            .map(|stream| (stream.timeline.clone(), stream.value));
        Ok(ends.collect())
    }

    /// Drops the waits of streams, or those of submissions: a test must notice it.
    pub fn drop_waits(&self, of_streams: bool, of_submissions: bool) {
        self.drops.set([of_streams, of_submissions]);
    }
}

fn timeline(gpu: &Gpu, name: &str, cuda: &Arc<CudaDevice>) -> Result<(Timeline, CudaSemaphore), RunError> {
    gpu.timeline_for_cuda(name, cuda)?.ok_or_else(|| {
        let help = "this requires VK_KHR_external_semaphore_fd and CUDA 11.2";
        RunError::Failed(format!(
            "CUDA and Vulkan cannot share a semaphore\n  help: {help}"
        ))
    })
}
