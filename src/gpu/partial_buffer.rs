//! Buffers with memory for a part of their bytes.

use std::ops::Range;
use std::sync::atomic::Ordering;

use ash::vk;

use super::buffer::{Buffer, BufferKind, Inner, create};
use super::{Gpu, GpuError};

impl Gpu {
    /// A buffer of [`BufferKind::Device`] that has memory for some ranges of its bytes, in order, and at most for the rest of
    /// their pages. Reads elsewhere are undefined, and writes have no effect. Without support for partly bound buffers, or if
    /// no page can be saved, it is an ordinary buffer.
    pub fn partial_buffer(&self, name: &str, bytes: u64, ranges: &[Range<u64>]) -> Result<Buffer, GpuError> {
        let ordinary = || self.buffer(name, bytes, BufferKind::Device);
        let (Some(facts), Some(page)) = (self.sparse(), self.sparse_granularity()) else {
            return ordinary();
        };
        let size = bytes.next_multiple_of(page);
        let held = whole_pages(ranges, page);
        let limit = self.report().limits.max_buffer_bytes;
        if held.iter().map(|range| range.end - range.start).sum::<u64>() >= size || size > limit {
            return ordinary();
        }
        let device = &self.inner.device;
        self.inner.queues.release_finished();
        let take = |reserved: u64| {
            let sum = reserved.checked_add(size);
            sum.filter(|sum| *sum <= facts.address_space_bytes)
        };
        let taken = device
            .reserved
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        if taken.is_err() {
            return ordinary();
        }
        let flags = vk::BufferCreateFlags::SPARSE_BINDING | vk::BufferCreateFlags::SPARSE_RESIDENCY;
        let raw = create(device, name, size, flags).inspect_err(|_| {
            device.reserved.fetch_sub(size, Ordering::Relaxed);
        })?;
        // From here on, a failure drops `inner`, which destroys its parts.
        let mut inner = Inner::unbound(device, raw, name, [bytes, size], BufferKind::Device);
        inner.reserved = size;
        // SAFETY: the buffer was just created from this device.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        inner.memory = self.bind_ranges(raw, name, requirements, &held)?;
        inner.find_address();
        Ok(Buffer::of(inner))
    }
}

/// The pages that contain ranges, which are in order, as ranges of bytes.
fn whole_pages(ranges: &[Range<u64>], page: u64) -> Vec<Range<u64>> {
    let mut pages: Vec<Range<u64>> = Vec::new();
    for range in ranges.iter().filter(|range| !range.is_empty()) {
        let (start, end) = (range.start / page * page, range.end.next_multiple_of(page));
        match pages.last_mut().filter(|last| last.end >= start) {
            Some(last) => last.end = last.end.max(end),
            None => pages.push(start..end),
        }
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_become_the_pages_that_contain_them() {
        let pages = |ranges: &[Range<u64>]| whole_pages(ranges, 16);
        assert_eq!(pages(&[]), []);
        assert_eq!(pages(&[3..4, 5..17, 50..51]), [0..32, 48..64]);
        assert_eq!(pages(&[0..16, 40..41, 60..80]), [0..16, 32..80]);
        assert_eq!(pages(&[16..16, 17..18, 90..96]), [16..32, 80..96]);
    }
}
