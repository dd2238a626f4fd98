//! Memory of fields that other parts of the program use without copies.

use crate::gpu::{Buffer, CudaStream};

use super::error::Error;
use super::simulation::Simulation;

/// The memory of a field, which stays allocated as long as this exists, also if the simulation ends first.
#[derive(Clone)]
pub struct FieldMemory {
    buffer: Buffer,
    place: MemoryPlace,
}

/// The place of a memory, and its address there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryPlace {
    /// Memory of the host.
    Host {
        /// Its address.
        address: u64,
    },
    /// Memory that CUDA sees.
    Cuda {
        /// Its address for CUDA.
        address: u64,
        /// The number of the device in CUDA.
        device: i32,
    },
}

impl FieldMemory {
    /// Where it is.
    pub fn place(&self) -> MemoryPlace {
        self.place
    }

    /// Size, bytes.
    pub fn bytes(&self) -> u64 {
        self.buffer.size()
    }
}

impl Simulation {
    /// The memory of the newest values of a field, x fastest; an array has its entries after z. The simulation must have been
    /// started with [`Options::share`](crate::Options::share).
    ///
    /// Later steps write there, or to another copy of a field with several. After an update that compiles kernels, and after a
    /// restored state, the simulation has other memory, and this one keeps its values. On the host, call
    /// [`Simulation::wait`] before the values are used. For CUDA, `stream` (a handle, 1 or 2) waits for all submissions so far; from
    /// then on, its work runs after submissions before it and before submissions after it, without waits of the host. Without a
    /// stream there is no order.
    pub fn memory(&mut self, field: &str, stream: Option<usize>) -> Result<FieldMemory, Error> {
        let buffer = self.ask(|inner| inner.memory(field, stream.map(CudaStream)))?;
        let place = match buffer.cuda() {
            Some(memory) => MemoryPlace::Cuda {
                address: memory.address(),
                device: memory.device_number(),
            },
            None => MemoryPlace::Host {
                address: buffer.host_address().unwrap_or_default() as u64,
            },
        };
        Ok(FieldMemory { buffer, place })
    }

    /// Drops the waits of streams of CUDA, or those of submissions for them: a test must notice it.
    #[doc(hidden)]
    pub fn drop_waits_of_cuda(&mut self, of_streams: bool, of_submissions: bool) {
        if let Some(inner) = &self.inner {
            inner.drop_waits_of_cuda(of_streams, of_submissions);
        }
    }
}
