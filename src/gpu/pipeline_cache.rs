//! Compiled pipelines of the driver, kept between processes: one file per device and driver.
//!
//! Drivers trust the data of a pipeline cache, so it is used only if it is complete (by the checksum of [`Cache`]) and
//! from the same driver and device (by the header that Vulkan prescribes).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use ash::vk;

use crate::cache::Cache;

/// Bytes of the header that Vulkan prescribes.
const HEADER_BYTES: usize = 16 + vk::UUID_SIZE;
/// One file may take 1 / this of the cache's limit. Data only grows, so a larger file is discarded.
const SHARE: u64 = 4;

/// A Vulkan pipeline cache with the file that it came from.
pub(super) struct PipelineCache {
    pub raw: vk::PipelineCache,
    identity: Identity,
    cache: Cache,
    /// Pipelines that the driver had to compile since the file was last read or written.
    compiled: AtomicU64,
    /// Hash of the data that was last read from or written to the file.
    kept: Mutex<Option<blake3::Hash>>,
}

/// The driver and device of cached data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    vendor: u32,
    device: u32,
    driver: u32,
    uuid: [u8; vk::UUID_SIZE],
}

impl Identity {
    pub(super) fn of(properties: &vk::PhysicalDeviceProperties) -> Identity {
        Identity {
            vendor: properties.vendor_id,
            device: properties.device_id,
            driver: properties.driver_version,
            uuid: properties.pipeline_cache_uuid,
        }
    }

    /// The name of the file.
    fn name(&self) -> String {
        let uuid: String = self.uuid.iter().map(|byte| format!("{byte:02x}")).collect();
        let Identity {
            vendor,
            device,
            driver,
            ..
        } = self;
        format!("pipelines-{vendor:04x}-{device:04x}-{driver:08x}-{uuid}")
    }

    /// True if data begins with the header of this device and driver.
    fn fits(&self, data: &[u8]) -> bool {
        let word = |number: usize| {
            let bytes = data.get(4 * number..4 * number + 4)?;
            Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        };
        let header = word(0).and_then(|length| usize::try_from(length).ok());
        header.is_some_and(|header| (HEADER_BYTES..=data.len()).contains(&header))
            && word(1) == Some(vk::PipelineCacheHeaderVersion::ONE.as_raw() as u32)
            && word(2) == Some(self.vendor)
            && word(3) == Some(self.device)
            && data.get(16..HEADER_BYTES) == Some(&self.uuid)
    }
}

impl PipelineCache {
    /// Created without data or handle; see [`PipelineCache::open`].
    pub(super) fn new(identity: Identity, cache: Cache) -> PipelineCache {
        PipelineCache {
            raw: vk::PipelineCache::null(),
            identity,
            cache,
            compiled: AtomicU64::new(0),
            kept: Mutex::new(None),
        }
    }

    /// Creates the cache, from the file if there is one. The device destroys it.
    pub(super) fn open(&mut self, device: &ash::Device) -> Result<(), vk::Result> {
        if let Some(data) = load(&self.cache, &self.identity)
            && let Ok(raw) = create(device, &data)
        {
            self.raw = raw;
            self.kept = Mutex::new(Some(blake3::hash(&data)));
            return Ok(());
        }
        // A driver may refuse its own data; then the cache starts empty.
        self.raw = create(device, &[])?;
        Ok(())
    }

    /// Counts a created pipeline if it was not in the cache.
    pub(super) fn count_created(&self, feedback: vk::PipelineCreationFeedback) {
        let found = vk::PipelineCreationFeedbackFlags::VALID
            | vk::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
        if !feedback.flags.contains(found) {
            self.compiled.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Writes the file if there are new pipelines, merged with those that other processes have written since.
    pub(super) fn save(&self, device: &ash::Device) {
        if self.cache.directory().is_none() || self.compiled.swap(0, Ordering::Relaxed) == 0 {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the cache belongs to the device and is alive; drivers synchronise it themselves.
        let Ok(mut data) = (unsafe { device.get_pipeline_cache_data(self.raw) }) else {
            return;
        };
        if *kept == Some(blake3::hash(&data)) {
            return;
        }
        let other = load(&self.cache, &self.identity);
        if let Some(other) = other.filter(|other| *kept != Some(blake3::hash(other))) {
            data = self.merged(device, &other).unwrap_or(data);
        }
        if data.len() as u64 <= self.cache.limit() / SHARE {
            self.cache.put(&self.identity.name(), &data);
            *kept = Some(blake3::hash(&data));
        }
    }

    /// The data of this cache, merged with other data.
    fn merged(&self, device: &ash::Device, other: &[u8]) -> Option<Vec<u8>> {
        // Merge into a new cache, since other threads may use this one and a merge modifies its target.
        let target = create(device, other).ok()?;
        // SAFETY: both belong to the device and are alive; no other thread knows the target.
        let merged = unsafe { device.merge_pipeline_caches(target, &[self.raw]) };
        let data = merged.and_then(|()| {
            // SAFETY: as above.
            unsafe { device.get_pipeline_cache_data(target) }
        });
        // SAFETY: made here, and no other thread knows it.
        unsafe { device.destroy_pipeline_cache(target, None) };
        data.ok()
    }
}

fn load(cache: &Cache, identity: &Identity) -> Option<Vec<u8>> {
    let data = cache.get(&identity.name())?;
    (identity.fits(&data) && data.len() as u64 <= cache.limit() / SHARE).then_some(data)
}

fn create(device: &ash::Device, data: &[u8]) -> Result<vk::PipelineCache, vk::Result> {
    let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
    // SAFETY: the device is alive; the data is empty, or whole and made by this driver for this device.
    unsafe { device.create_pipeline_cache(&info, None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: Identity = Identity {
        vendor: 0x10de,
        device: 0x2335,
        driver: 7,
        uuid: [9; vk::UUID_SIZE],
    };

    fn data() -> Vec<u8> {
        let words = [HEADER_BYTES as u32, 1, IDENTITY.vendor, IDENTITY.device];
        let mut data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        data.extend(IDENTITY.uuid);
        data.extend(b"what the driver keeps");
        data
    }

    #[test]
    fn cache_data_must_match_device_and_driver() {
        let good = data();
        assert!(IDENTITY.fits(&good), "the control");
        for length in 0..HEADER_BYTES {
            assert!(!IDENTITY.fits(&good[..length]), "{length}");
        }
        for byte in 0..HEADER_BYTES {
            let mut other = good.clone();
            other[byte] ^= 0x80;
            assert!(!IDENTITY.fits(&other), "{byte}");
        }
    }

    #[test]
    fn cache_names_differ_by_device_and_driver() {
        let others = [
            Identity {
                vendor: 1,
                ..IDENTITY
            },
            Identity {
                device: 1,
                ..IDENTITY
            },
            Identity {
                driver: 8,
                ..IDENTITY
            },
            Identity {
                uuid: [8; vk::UUID_SIZE],
                ..IDENTITY
            },
        ];
        assert!(others.iter().all(|other| other.name() != IDENTITY.name()));
        assert_eq!(
            IDENTITY.name(),
            format!("pipelines-10de-2335-00000007-{}", "09".repeat(16))
        );
    }

    #[test]
    fn foreign_cache_data_is_not_loaded() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::with_limit(directory.path(), 10_000);
        cache.put(&IDENTITY.name(), &data());
        assert_eq!(load(&cache, &IDENTITY), Some(data()), "the control");
        let mut foreign = data();
        foreign[8] ^= 1;
        cache.put(&IDENTITY.name(), &foreign);
        assert_eq!(load(&cache, &IDENTITY), None);
        let mut large = data();
        large.resize(3000, 0);
        cache.put(&IDENTITY.name(), &large);
        assert_eq!(load(&cache, &IDENTITY), None, "more than a quarter of the limit");
    }
}
