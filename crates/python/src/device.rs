//! Devices, each opened once and shared by all simulations of the process.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use sastrugi::{Device, DeviceOptions, Error};

/// The name or number that a user gave, and whether the validation layer is on.
type Key = (Option<String>, bool);

static OPEN: Mutex<BTreeMap<Key, Device>> = Mutex::new(BTreeMap::new());

/// The device of this name, which stays open.
pub fn open(name: Option<&str>, validation: bool) -> Result<Device, Error> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (name.map(str::to_string), validation);
    if let Some(device) = open.get(&key) {
        return Ok(device.clone());
    }
    let device = Device::open(&DeviceOptions {
        device: key.0.clone(),
        validation,
        cache: sastrugi::cache_directory(),
        ..DeviceOptions::default()
    })?;
    open.insert(key, device.clone());
    Ok(device)
}

/// Forgets a device that was lost, so that the next simulation opens one again. Another one that has been opened since by
/// the same name stays.
pub fn forget(lost: &Device) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|_, device| !device.is_same(lost));
}

/// Name, driver, bytes of memory and usability of every device.
pub fn list() -> Result<Vec<(String, String, u64, bool)>, Error> {
    let found = Device::list()?;
    let facts = |device: sastrugi::DeviceInfo| {
        let usable = device.refused.is_empty();
        (device.name, device.driver, device.memory_bytes, usable)
    };
    Ok(found.into_iter().map(facts).collect())
}
