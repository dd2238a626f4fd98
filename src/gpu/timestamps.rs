//! Timestamps: times of the device's clock between commands.

use std::sync::Arc;

use ash::vk;

use super::device::Device;
use super::{Gpu, GpuError};

/// A set of timestamps that recordings reset and write by index. Clones share it.
#[derive(Clone)]
pub struct Timestamps {
    inner: Arc<Inner>,
}

struct Inner {
    device: Arc<Device>,
    raw: vk::QueryPool,
    count: u32,
    /// The smallest number of meaningful bits among the families in use.
    bits: u32,
}

impl Gpu {
    /// Creates a set of `count` timestamps; an error on devices whose queues have no timestamps.
    pub fn timestamps(&self, count: u32) -> Result<Timestamps, GpuError> {
        let device = &self.inner.device;
        let families = device.report.queue_families.iter();
        let used = families.filter(|family| device.families.contains(&family.index));
        // Queues without timestamps are refused when a recording writes one.
        let bits = used
            .map(|family| family.timestamp_bits)
            .filter(|&bits| bits > 0)
            .min()
            .unwrap_or(0);
        if bits == 0 || device.report.limits.timestamp_period_ns <= 0.0 {
            return Err(GpuError::misuse(
                &device.report.name,
                "it has no timestamps; run without timing",
            ));
        }
        let count = count.max(1);
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(count);
        // SAFETY: the device is alive; `info` outlives the call.
        let raw = unsafe { device.raw.create_query_pool(&info, None) }.map_err(|result| {
            GpuError::vulkan("creating timestamps", format!("a pool of {count}"), result)
        })?;
        device.name(raw, "timestamps");
        // SAFETY: the feature is on, the pool is new and no command uses it.
        unsafe { device.raw.reset_query_pool(raw, 0, count) };
        Ok(Timestamps {
            inner: Arc::new(Inner {
                device: Arc::clone(device),
                raw,
                count,
                bits,
            }),
        })
    }
}

impl Timestamps {
    pub fn count(&self) -> u32 {
        self.inner.count
    }

    /// Resets all timestamps. No submission that uses them may be running.
    #[cfg(feature = "internals")]
    pub fn reset(&self) {
        // SAFETY: the feature is on and the pool is alive; that no command uses it is the caller's part.
        unsafe {
            self.inner
                .device
                .raw
                .reset_query_pool(self.inner.raw, 0, self.inner.count)
        };
    }

    /// Nanoseconds since the timestamp of index 0, per index; `None` until all of them are written since the last
    /// reset. Timestamps of different queues share one clock. Differences are correct only below half the range of the
    /// clock (minutes on some devices, years on most).
    pub fn read(&self) -> Result<Option<Vec<f64>>, GpuError> {
        let period = self.inner.device.report.limits.timestamp_period_ns;
        let Some(ticks) = self.ticks()? else {
            return Ok(None);
        };
        let first = ticks.first().copied().unwrap_or(0);
        Ok(Some(
            ticks
                .iter()
                .map(|&tick| difference(tick, first, self.inner.bits) as f64 * period)
                .collect(),
        ))
    }

    /// Nanoseconds since the first timestamp of another set, per index; otherwise as [`Timestamps::read`].
    pub fn since(&self, zero: &Timestamps) -> Result<Option<Vec<f64>>, GpuError> {
        let period = self.inner.device.report.limits.timestamp_period_ns;
        let (Some(ticks), Some(zero)) = (self.ticks()?, zero.ticks()?) else {
            return Ok(None);
        };
        let first = zero.first().copied().unwrap_or(0);
        let since = |&tick: &u64| difference(tick, first, self.inner.bits) as f64 * period;
        Ok(Some(ticks.iter().map(since).collect()))
    }

    /// The raw counter of the device, per index; `None` as for [`Timestamps::read`].
    pub fn ticks(&self) -> Result<Option<Vec<u64>>, GpuError> {
        let mut ticks = vec![0u64; self.inner.count as usize];
        let flags = vk::QueryResultFlags::TYPE_64;
        // SAFETY: the pool is alive and has as many queries as `ticks` has elements, all reset at least once.
        match unsafe {
            self.inner
                .device
                .raw
                .get_query_pool_results(self.inner.raw, 0, &mut ticks, flags)
        } {
            Ok(()) => Ok(Some(ticks)),
            Err(vk::Result::NOT_READY) => Ok(None),
            Err(result) => Err(GpuError::vulkan("reading timestamps", "the pool", result)),
        }
    }

    pub(super) fn raw(&self) -> vk::QueryPool {
        self.inner.raw
    }

    pub(super) fn of_device(&self, device: &Arc<Device>) -> bool {
        Arc::ptr_eq(&self.inner.device, device)
    }
}

/// `later - earlier` of counters with `bits` meaningful bits that wrap around; negative if `later` is before `earlier`.
fn difference(later: u64, earlier: u64, bits: u32) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    (later.wrapping_sub(earlier) << unused).cast_signed() >> unused
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: recordings hold their pools until they are done, so no command uses it any more.
        unsafe { self.device.raw.destroy_query_pool(self.raw, None) };
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn timestamp_differences_survive_counter_wraparound() {
        assert_eq!(difference(100, 40, 64), 60);
        assert_eq!(difference(40, 100, 64), -60);
        assert_eq!(difference(5, u64::MAX - 4, 64), 10);
        let top = (1u64 << 36) - 3;
        assert_eq!(difference(7, top, 36), 10);
        assert_eq!(difference(top, 7, 36), -10);
    }
}
