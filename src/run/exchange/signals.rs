//! Exchanges in which the devices of one host wait for each other, without the host.
//!
//! Each rank has memory that its device writes and others read: a *window*. The device packs its messages, and then writes the
//! number of the exchange into the window, its *signal*. The kernel of each receiver that unpacks the messages waits for the
//! signal. So the program submits many exchanges ahead. Devices read short messages in the windows of others. Long ones are copied
//! from device to device: a thread of the receiver starts the copy when it finds the signal, and writes the number into memory of
//! its device, where the kernel waits.
//!
//! Workgroups that wait may keep kernels of other queues from a device. So a rank must not need the end of such a kernel before it
//! submits what devices of others wait for.
//!
//! Messages have two places that are used in turn. A device packs those of an exchange after those of the exchange before have
//! arrived, which every other rank sends after it has unpacked the one before that: the place is free.

use std::collections::HashSet;

use crate::gpu::DeviceKind;
use crate::ranks::{Failure, Ranks};
use crate::run::prepared::Prepared;

use super::peers::are_wanted;

/// The longest messages, in bytes, for which the devices of all ranks wait for each other; 0 if they never do. All ranks must
/// call it, and get the same.
pub fn limit(prepared: &Prepared, ranks: &Ranks) -> Result<u64, Failure> {
    let (limit, device) = own_limit(prepared, ranks.rank());
    let mut own = limit.to_le_bytes().to_vec();
    own.extend(device);
    own.extend(ranks.host(ranks.rank()).into_bytes());
    let all = ranks.gather("of signals", &own, prepared.options.exchange_timeout())?;
    let limit = |own: &Vec<u8>| own.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let devices: HashSet<&[u8]> = all.iter().filter_map(|own| own.get(8..24)).collect();
    let hosts: HashSet<&[u8]> = all.iter().filter_map(|own| own.get(24..)).collect();
    // Ranks that share a device would wait for each other in turn.
    if devices.len() < all.len() || hosts.len() > 1 {
        return Ok(0);
    }
    Ok(all.iter().map(limit).min().unwrap_or(0))
}

/// The limit of this rank, and a number of its device that no other device has.
fn own_limit(prepared: &Prepared, rank: usize) -> (u64, [u8; 16]) {
    if let Some(limit) = prepared.probe.signals_up_to() {
        return (limit, (rank as u128).to_le_bytes());
    }
    let gpu = &prepared.host.gpu;
    let is_processor = gpu.report().kind == DeviceKind::Cpu;
    let uuid = gpu.uuid().filter(|_| !is_processor && are_wanted());
    uuid.map_or((0, [0; 16]), |uuid| (u64::MAX, uuid))
}
