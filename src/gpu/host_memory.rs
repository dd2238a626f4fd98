//! Buffers of devices whose memory is that of the host, such as lavapipe: the program uses it without copies.

use gpu_allocator::vulkan::Allocation;

use super::buffer::{Buffer, BufferKind};
use super::report::DeviceKind;

impl Buffer {
    /// The address on the host of a buffer of the kind [`super::BufferKind::Device`]; `None` if the device has memory of its own,
    /// which the host reads slowly or not at all.
    pub fn host_address(&self) -> Option<usize> {
        let device = self.device();
        let [allocation] = self.allocations() else {
            return None;
        };
        let is_host = device.report.kind == DeviceKind::Cpu && self.kind() == BufferKind::Device;
        let mapped = is_host.then(|| Allocation::mapped_ptr(allocation)).flatten();
        mapped.map(|pointer| pointer.as_ptr() as usize)
    }

    /// The contents of such a buffer. The caller ensures that everything submitted has ended with a full barrier and was
    /// waited for, and that nothing writes the buffer while the slice is in use.
    pub fn host_bytes(&self) -> Option<&[u8]> {
        let address = self.host_address()?;
        // SAFETY: the mapping has as many bytes and stays until the buffer drops; that nothing writes is the caller's part.
        Some(unsafe { std::slice::from_raw_parts(address as *const u8, self.size() as usize) })
    }

    /// Writes all of such a buffer; false for another one. The caller ensures that no submission uses it.
    pub fn write_host(&self, data: &[u8]) -> bool {
        let Some(address) = self.host_address().filter(|_| data.len() as u64 == self.size()) else {
            return false;
        };
        let _writing = self.writing();
        // SAFETY: the mapping has as many bytes; the lock excludes other writers of the program, and the caller the device.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), address as *mut u8, data.len()) };
        true
    }
}
