//! Exchanges in which the devices of one host wait for each other, without the host: for small messages.
//!
//! Each rank has memory of the host that its device writes and others read: a *window*. The device packs its messages there, and
//! then writes the number of the exchange beside them, its *signal*. A thread of the receiver finds the signal, copies the
//! messages into memory of its device, and writes the number there, for which a kernel waits. So the program submits many
//! exchanges ahead.
//!
//! Windows and arrived messages have two halves that are used in turn. A device packs the messages of an exchange after those of
//! the exchange before have arrived, which every other rank sends after it has unpacked the one before that: the half is free.

use std::collections::HashSet;

use crate::gpu::DeviceKind;
use crate::problem::Problem;
use crate::ranks::Ranks;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

/// The largest messages in bytes for which devices wait for each other. None without it: hosts are faster so far (docs/ranks.md).
const SWITCH: &str = "SASTRUGI_SIGNALS";

/// The largest messages, in bytes, for which the devices of all ranks wait for each other; 0 if they never do. All ranks must
/// call it, and get the same.
pub fn limit(prepared: &Prepared, ranks: &Ranks) -> Result<u64, RunError> {
    let (limit, identity) = own_limit(prepared, ranks)?;
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
fn own_limit(prepared: &Prepared, ranks: &Ranks) -> Result<(u64, [u8; 16]), RunError> {
    if let Some(limit) = prepared.probe.signals_up_to() {
        return Ok((limit, (ranks.rank() as u128).to_le_bytes()));
    }
    let gpu = &prepared.host.gpu;
    let is_processor = gpu.report().kind == DeviceKind::Cpu;
    let uuid = gpu.uuid().filter(|_| !is_processor);
    match std::env::var(SWITCH) {
        Ok(given) => Ok((bytes(&given)?, uuid.unwrap_or_default())),
        Err(_) => Ok((0, uuid.unwrap_or_default())),
    }
}

fn bytes(given: &str) -> Result<u64, RunError> {
    given.parse().map_err(|_| {
        let problem = Problem::without_place(format!("{SWITCH} is `{given}`, which is no number of bytes"));
        RunError::Input(
            problem
                .help("set it to the largest messages for which devices wait, such as 262144, or to 0")
                .into(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_is_a_number_of_bytes() {
        assert_eq!(bytes("262144").unwrap(), 262144);
        let error = bytes("256k").unwrap_err().to_string();
        assert!(error.contains("SASTRUGI_SIGNALS is `256k`"), "{error}");
    }
}
