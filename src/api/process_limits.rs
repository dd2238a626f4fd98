//! Limits of the system on a process: the number of its threads, and its address space.

use std::error::Error as _;
use std::sync::OnceLock;

use rayon::ThreadPoolBuilder;

use super::error::Error;

static STARTED: OnceLock<Result<(), String>> = OnceLock::new();

/// Starts these threads, once per process: without them, the first work that they share would panic.
pub(super) fn start_threads() -> Result<(), String> {
    let start = || match ThreadPoolBuilder::new().build_global() {
        // The error without a source is that of a process that has started them itself.
        Err(error) if error.source().is_some() => {
            let wanted = std::thread::available_parallelism().map_or(1, usize::from);
            let cause = error.source().map(ToString::to_string).unwrap_or_default();
            Err(cannot_start(
                &format!("{wanted} threads for work on the processor cores"),
                &cause,
            ))
        }
        _ => Ok(()),
    };
    STARTED.get_or_init(start).clone()
}

/// Addresses that a driver with its compiler requires, in bytes; with fewer, some crash.
#[cfg(unix)]
const MIN_ADDRESSES: u64 = 3 << 30;

/// Refuses a process that may have too few addresses.
pub(super) fn check_addresses() -> Result<(), Error> {
    #[cfg(unix)]
    if let Some(allowed) = rustix::process::getrlimit(rustix::process::Resource::As).current
        && allowed < MIN_ADDRESSES
    {
        return Err(Error::failed(format!(
            "this process may have {allowed} bytes of addresses, but a Vulkan driver with its compiler requires {MIN_ADDRESSES}\n  \
             help: raise the limit (`ulimit -v {}`, or unlimited)",
            MIN_ADDRESSES >> 10
        )));
    }
    Ok(())
}

/// The message for threads that do not start.
fn cannot_start(what: &str, cause: &str) -> String {
    format!(
        "cannot start {what}: {cause}\n  help: allow more threads (`ulimit -u`) and address space (`ulimit -v`), or end other \
         programs"
    )
}

/// The error of a thread that does not start.
pub(super) fn not_started(what: &str, cause: &std::io::Error) -> Error {
    Error::failed(cannot_start(what, &cause.to_string()))
}
