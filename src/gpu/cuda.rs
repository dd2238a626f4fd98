//! Copies between NVIDIA devices by the CUDA driver, which Vulkan does not offer: over NVLink, without the memory of the host. And
//! memory that Vulkan and the program's own use of CUDA share, with the order of their accesses ([`semaphore`]).
//!
//! CUDA allocates the memory, because a device copies at full speed only from memory that CUDA maps for it: copies from memory
//! of Vulkan on another device pass through the host. Vulkan imports it. The driver is loaded at run time. If it is missing, or
//! anything fails, the functions here return `None`, and the program does without.

mod functions;
mod semaphore;

use std::ffi::{CStr, c_char};
use std::fs::File;
use std::sync::Arc;
use std::thread::yield_now;
use std::time::{Duration, Instant};

use functions::{
    AccessDescription, Address, Allocation, DeviceNumber, Functions, Handle, NEAREST, NON_BLOCKING,
    NOT_READY, OPEN_FILE, Properties, Status, functions,
};

use super::GpuError;
use super::handles::{file, number};

pub use semaphore::{CudaSemaphore, CudaStream};

/// A device, with the context that all users of CUDA in this process share.
pub struct CudaDevice {
    functions: &'static Functions,
    number: DeviceNumber,
    context: Handle,
}

/// Memory of this device or another one, which this device can access.
pub struct CudaMemory {
    device: Arc<CudaDevice>,
    allocation: Allocation,
    /// 0 until it is mapped.
    address: Address,
    bytes: usize,
}

/// Copies by a device.
pub struct CudaCopies {
    device: Arc<CudaDevice>,
    stream: Handle,
}

/// A range of bytes in one memory, and its first byte in another.
pub struct CudaCopy<'a> {
    pub from: &'a CudaMemory,
    pub from_byte: u64,
    pub to: &'a CudaMemory,
    pub to_byte: u64,
    pub bytes: u64,
}

/// Turns the result of a function into one of Rust.
fn check(status: Status) -> Result<(), Status> {
    if status == 0 { Ok(()) } else { Err(status) }
}

impl CudaDevice {
    /// The device with a number of [`super::Gpu::uuid`]. `None` if CUDA does not see it here.
    pub fn open(uuid: [u8; 16]) -> Option<Arc<CudaDevice>> {
        let functions = functions()?;
        let mut count = 0;
        // SAFETY: the driver is initialised; it writes one integer.
        check(unsafe { (functions.device_count)(&mut count) }).ok()?;
        let number = (0..count).find(|number| {
            let mut found = [0; 16];
            // SAFETY: the number is below that of the devices; the driver writes 16 bytes.
            let status = unsafe { (functions.device_uuid)(&mut found, *number) };
            status == 0 && found == uuid
        })?;
        let mut context = 0;
        // SAFETY: as above; the driver writes one handle, which is released on drop.
        check(unsafe { (functions.retain_context)(&mut context, number) }).ok()?;
        Some(Arc::new(CudaDevice {
            functions,
            number,
            context,
        }))
    }

    /// Calls a function while the context of the device is the current one of this thread.
    fn within<T>(&self, call: impl FnOnce() -> Result<T, Status>) -> Result<T, Status> {
        // SAFETY: the context is retained as long as `self` lives.
        check(unsafe { (self.functions.push_context)(self.context) })?;
        let result = call();
        let mut popped = 0;
        // SAFETY: takes back what was pushed above; the driver writes one handle.
        check(unsafe { (self.functions.pop_context)(&mut popped) })?;
        result
    }

    /// A failure of a copy, with the driver's name for it.
    fn failed(&self, status: Status) -> GpuError {
        failure(self.name_of(status))
    }

    fn name_of(&self, status: Status) -> String {
        let mut name: *const c_char = std::ptr::null();
        // SAFETY: the driver writes one pointer.
        let found = unsafe { (self.functions.error_name)(status, &mut name) };
        if found == 0 && !name.is_null() {
            // SAFETY: the driver returns a constant text that ends with a zero byte.
            unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
        } else {
            format!("CUDA error {status}")
        }
    }
}

/// A failure of copies.
fn failure(result: String) -> GpuError {
    GpuError::Vulkan {
        doing: "copying from another device",
        object: "messages between ranks".into(),
        result,
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        // SAFETY: retained when it was opened; memory and streams hold the device, so none is left.
        let released = unsafe { (self.functions.release_context)(self.number) };
        // There is nothing left to do if the driver refuses.
        let _ = released;
    }
}

impl CudaMemory {
    /// At least `bytes` bytes of the device, which other processes can open. `None` if the driver refuses.
    pub fn new(device: &Arc<CudaDevice>, bytes: u64) -> Option<CudaMemory> {
        let (allocation, bytes) = CudaMemory::allocated(device, bytes, &Properties::shared(device.number))?;
        CudaMemory::mapped(device, allocation, bytes)
    }

    /// At least `bytes` bytes of the host, which this device and those of other processes can open: kernels of all of them access
    /// it at any time, past their caches. It is not mapped for CUDA. `None` if the driver refuses.
    pub fn on_host(device: &Arc<CudaDevice>, bytes: u64) -> Option<CudaMemory> {
        let mut node = 0;
        // SAFETY: the number is that of a device; the driver writes one integer.
        let found = unsafe { (device.functions.attribute)(&mut node, NEAREST, device.number) };
        let node = if found == 0 { node.max(0) } else { 0 };
        let (allocation, bytes) = CudaMemory::allocated(device, bytes, &Properties::shared_on_host(node))?;
        Some(CudaMemory {
            device: Arc::clone(device),
            allocation,
            address: 0,
            bytes,
        })
    }

    fn allocated(
        device: &Arc<CudaDevice>,
        bytes: u64,
        properties: &Properties,
    ) -> Option<(Allocation, usize)> {
        let functions = device.functions;
        let made = device.within(|| {
            let mut granule = 0;
            // SAFETY: the properties are complete; the driver writes one number. Kind 1: the size for the fastest access.
            check(unsafe { (functions.granularity)(&mut granule, properties, 1) })?;
            let bytes = (bytes as usize).next_multiple_of(granule.max(1));
            let mut allocation = 0;
            // SAFETY: as above; there are no flags. Released on drop.
            check(unsafe { (functions.allocate)(&mut allocation, bytes, properties, 0) })?;
            Ok((allocation, bytes))
        });
        made.ok()
    }

    /// Opens memory of `bytes` bytes of this device or another one, in this process or another one. It keeps the memory from
    /// being freed. `None` if the driver refuses: for example if no link between the devices exists.
    pub fn open(device: &Arc<CudaDevice>, file: &File, bytes: u64) -> Option<CudaMemory> {
        let handle = number(file)? as Handle;
        let opened = device.within(|| {
            let mut allocation = 0;
            // SAFETY: the handle is an open file, which remains that of the caller; the driver writes one number.
            check(unsafe { (device.functions.import)(&mut allocation, handle, OPEN_FILE) })?;
            Ok(allocation)
        });
        CudaMemory::mapped(device, opened.ok()?, bytes as usize)
    }

    /// Maps an allocation, and releases it if the driver refuses.
    fn mapped(device: &Arc<CudaDevice>, allocation: Allocation, bytes: usize) -> Option<CudaMemory> {
        let functions = device.functions;
        let mut memory = CudaMemory {
            device: Arc::clone(device),
            allocation,
            address: 0,
            bytes,
        };
        let mapped = device.within(|| {
            let mut address = 0;
            // SAFETY: the driver writes one address. There are no flags and no wishes, here and below.
            check(unsafe { (functions.reserve)(&mut address, bytes, 0, 0, 0) })?;
            // SAFETY: the range was just reserved, and the allocation has as many bytes.
            let mapped = check(unsafe { (functions.map)(address, bytes, 0, allocation, 0) });
            if mapped.is_err() {
                // SAFETY: reserved above, and nothing is mapped there.
                unsafe { (functions.unreserve)(address, bytes) };
            }
            mapped?;
            memory.address = address;
            let access = AccessDescription::of(device.number);
            // SAFETY: the range was just mapped; one description follows.
            check(unsafe { (functions.set_access)(address, bytes, &access, 1) })
        });
        mapped.ok().map(|()| memory)
    }

    pub fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    /// Its address for CUDA.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The number of the device in CUDA.
    pub fn device_number(&self) -> i32 {
        self.device.number
    }

    /// A handle with which the memory can be opened elsewhere. `None` if the driver refuses.
    pub fn file(&self) -> Option<File> {
        let mut descriptor = -1;
        let exported = self.device.within(|| {
            // SAFETY: the allocation was made for such handles; the driver writes one descriptor.
            check(unsafe { (self.device.functions.export)(&mut descriptor, self.allocation, OPEN_FILE, 0) })
        });
        exported.ok()?;
        file(descriptor)
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        let functions = self.device.functions;
        let freed = self.device.within(|| {
            if self.address != 0 {
                // Other users of CUDA in this process may have started work with the memory.
                // SAFETY: the context is current.
                check(unsafe { (functions.synchronize)() })?;
                // SAFETY: mapped by `mapped`, and unmapped once. Whoever copies borrows the memory.
                check(unsafe { (functions.unmap)(self.address, self.bytes) })?;
                // SAFETY: reserved by `mapped`; nothing is mapped there any more.
                check(unsafe { (functions.unreserve)(self.address, self.bytes) })?;
            }
            // SAFETY: allocated or opened by this process, and released once.
            check(unsafe { (functions.release)(self.allocation) })
        });
        // After a failure of the device, the driver frees everything at the end of the process.
        let _ = freed;
    }
}

impl CudaCopies {
    /// Copies to memory of a device. `None` if the driver refuses.
    pub fn new(device: &Arc<CudaDevice>) -> Option<CudaCopies> {
        let mut stream = 0;
        let made = device.within(|| {
            // SAFETY: the context is current; the driver writes one handle.
            check(unsafe { (device.functions.create_stream)(&mut stream, NON_BLOCKING) })
        });
        made.ok()?;
        Some(CudaCopies {
            device: Arc::clone(device),
            stream,
        })
    }

    /// Makes copies, and waits until all have ended. The caller ensures that nothing writes what is read, and that nothing uses
    /// what is written.
    pub fn run(&self, copies: &[CudaCopy], timeout: Duration) -> Result<(), GpuError> {
        if copies.iter().any(|copy| !copy.fits()) {
            return Err(failure("the range is not within the memory".into()));
        }
        let made = self.device.within(|| {
            for copy in copies.iter().filter(|copy| copy.bytes > 0) {
                self.start(copy)?;
            }
            self.wait(timeout)
        });
        match made {
            Ok(true) => Ok(()),
            Ok(false) => Err(failure(format!("no end after {} s", timeout.as_secs()))),
            Err(status) => Err(self.device.failed(status)),
        }
    }

    /// Starts a copy whose ranges were checked. The context of the device is current.
    fn start(&self, copy: &CudaCopy) -> Result<(), Status> {
        let to = copy.to.address + copy.to_byte;
        let from = copy.from.address + copy.from_byte;
        // SAFETY: both ranges lie within memory that is mapped for this device. `run` borrows it until the copy has ended; a copy
        // that does not end in time is a failure of the device, and touches only its memory.
        check(unsafe { (self.device.functions.copy)(to, from, copy.bytes as usize, self.stream) })
    }

    /// Waits for all copies. False if `timeout` passes first. The context of the device is current.
    fn wait(&self, timeout: Duration) -> Result<bool, Status> {
        let began = Instant::now();
        loop {
            // SAFETY: the stream lives as long as `self`.
            match unsafe { (self.device.functions.query_stream)(self.stream) } {
                NOT_READY if began.elapsed() > timeout => return Ok(false),
                // Most copies are shorter than a thread needs to sleep and wake.
                NOT_READY => yield_now(),
                status => return check(status).map(|()| true),
            }
        }
    }
}

impl CudaCopy<'_> {
    fn fits(&self) -> bool {
        let is_in = |memory: &CudaMemory, first: u64| {
            let end = first.checked_add(self.bytes);
            end.is_some_and(|end| end <= memory.bytes as u64)
        };
        is_in(self.from, self.from_byte) && is_in(self.to, self.to_byte)
    }
}

impl Drop for CudaCopies {
    fn drop(&mut self) {
        let destroyed = self.device.within(|| {
            // SAFETY: made by `new` and destroyed once.
            check(unsafe { (self.device.functions.destroy_stream)(self.stream) })
        });
        // As for memory.
        let _ = destroyed;
    }
}
