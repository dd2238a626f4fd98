//! Exchanges in which the devices of one host wait for each other, without the host: for small messages.
//!
//! Each rank has memory of the host that all devices map: a *window*. A device packs its messages there, and then writes the
//! number of the exchange beside them, its *signal*. A device that needs messages waits in a kernel until the signals of the
//! senders have that number. So the host submits many exchanges ahead.
//!
//! A device packs into the two halves of its window in turn. It packs the messages of an exchange after it has seen the signals
//! of the exchange before, which every other rank sends after it has unpacked the one before that: the half is free.

use std::collections::HashSet;

use crate::gpu::DeviceKind;
use crate::ranks::{Failure, Ranks};
use crate::run::prepared::Prepared;

/// The largest messages in bytes for which devices wait for each other; 0 for none.
const SWITCH: &str = "SASTRUGI_SIGNALS";
/// Larger messages travel faster between the memories of devices, or while an interior runs.
const LIMIT: u64 = 4 << 20;

/// The largest messages, in bytes, for which the devices of all ranks wait for each other; 0 if they never do. All ranks must
/// call it, and get the same.
pub fn limit(prepared: &Prepared, ranks: &Ranks) -> Result<u64, Failure> {
    let (limit, identity) = own_limit(prepared, ranks);
    let mut own = limit.to_le_bytes().to_vec();
    own.extend(identity);
    own.extend(ranks.host(ranks.rank()).into_bytes());
    let all = ranks.gather("of signals", &own, prepared.options.exchange_timeout())?;
    let limit = |own: &Vec<u8>| own.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let devices: HashSet<&[u8]> = all.iter().filter_map(|own| own.get(8..24)).collect();
    let hosts: HashSet<&[u8]> = all.iter().filter_map(|own| own.get(24..)).collect();
    // Two ranks that share a device would wait for each other in turn.
    if devices.len() < all.len() || hosts.len() > 1 {
        return Ok(0);
    }
    Ok(all.iter().map(limit).min().unwrap_or(0))
}

/// The limit of this rank, and a number of its device that no other device has.
fn own_limit(prepared: &Prepared, ranks: &Ranks) -> (u64, [u8; 16]) {
    if let Some(limit) = prepared.probe.signals_up_to() {
        return (limit, (ranks.rank() as u128).to_le_bytes());
    }
    let gpu = &prepared.host.gpu;
    let is_processor = gpu.report().kind == DeviceKind::Cpu;
    match gpu.uuid().filter(|_| !is_processor) {
        Some(uuid) => {
            let given = std::env::var(SWITCH).ok();
            (given.and_then(|bytes| bytes.parse().ok()).unwrap_or(LIMIT), uuid)
        }
        None => (0, [0; 16]),
    }
}
