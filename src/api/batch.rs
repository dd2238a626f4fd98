//! Several runs in one process: in sequence on one device, or distributed over several.
//!
//! [`cases`] lists the runs of a parameter sweep, [`Shard`] selects the runs of this process, and [`run`] runs a list
//! on devices.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::ScopedJoinHandle;

use crate::problem::{Problem, Problems};
use crate::run::Ending;

pub use super::sweep::{Case, cases};

use super::device::{Device, DeviceOptions};
use super::error::{Error, ErrorKind};
use super::process_limits;
use super::run::Run;

/// A share of a batch, for one of several processes or machines: `I/N` as text, with I from 1 to N.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let wrong = || format!("`{text}` is not a share: write I/N with I from 1 to N, such as 1/8");
        let (index, count) = text.split_once('/').ok_or_else(wrong)?;
        let (index, count) = (
            index.parse().map_err(|_| wrong())?,
            count.parse().map_err(|_| wrong())?,
        );
        if (1..=count).contains(&index) {
            Ok(Shard { index, count })
        } else {
            Err(wrong())
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl Shard {
    /// Selects every N-th item of a list, so that neighbours, which often take equally long, are in different shares.
    pub fn of<T>(&self, list: Vec<T>) -> Vec<T> {
        list.into_iter()
            .skip(self.index - 1)
            .step_by(self.count)
            .collect()
    }
}

/// Result of a batch.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Failed runs, by index in the list, in the order in which they ended.
    pub failed: Vec<(usize, Error)>,
    /// Runs that never began, by index in the list: all devices had ended.
    pub not_run: Vec<usize>,
    /// True if a run was interrupted; its device started no further runs.
    pub interrupted: bool,
}

/// Refuses two runs with the same directory.
pub fn check_directories(runs: &[Run]) -> Result<(), Problems> {
    let mut known: HashMap<PathBuf, &Run> = HashMap::new();
    for run in runs {
        let directory =
            std::path::absolute(run.directory()).unwrap_or_else(|_| run.directory().to_path_buf());
        if let Some(other) = known.insert(directory, run) {
            let [one, two] = [other, run].map(|run| run.pipeline().file().display());
            let message = format!(
                "{one} and {two} would both write to {}",
                run.directory().display()
            );
            let help = "rename one of the files, or run them apart with different --out";
            return Err(Problem::without_place(message).help(help).into());
        }
    }
    Ok(())
}

/// Runs every run of a list on the next free device. A failure does not stop the others. A device that was lost is opened
/// again. A device that hangs gets no more runs, and is never closed: end the process then.
///
/// `start` executes one run, and `failed` receives each failure at once. An error means that a device could not be
/// opened, and that nothing was run.
pub fn run(
    runs: &[Run],
    devices: &[DeviceOptions],
    start: impl Fn(&Device, &Run) -> Result<Ending, Error> + Sync,
    failed: impl Fn(&Run, &Error) + Sync,
) -> Result<Outcome, Error> {
    let opened = devices
        .iter()
        .map(Device::open)
        .collect::<Result<Vec<Device>, Error>>()?;
    let next = AtomicUsize::new(0);
    let outcome = Mutex::new(Outcome::default());
    let locked = || outcome.lock().unwrap_or_else(PoisonError::into_inner);
    let work = |options: &DeviceOptions, device: Device| {
        let mut device = Ok(device);
        loop {
            let number = next.fetch_add(1, Ordering::SeqCst);
            let Some(run) = runs.get(number) else { return };
            let result = match &device {
                Ok(device) => start(device, run),
                Err(error) => Err(Error::clone(error)),
            };
            let error = match result {
                Ok(Ending::Done) => continue,
                Ok(Ending::Interrupted) => {
                    locked().interrupted = true;
                    return;
                }
                Err(error) => error,
            };
            failed(run, &error);
            let kind = error.kind();
            locked().failed.push((number, error));
            match kind {
                ErrorKind::Lost => {
                    drop(std::mem::replace(
                        &mut device,
                        Err(Error::failed("the device is closed")),
                    ));
                    device = Device::open(options);
                }
                // Closing the device would wait for it.
                ErrorKind::Timeout => return std::mem::forget(device),
                _ if device.is_err() => return,
                _ => {}
            }
        }
    };
    let died = std::thread::scope(|scope| {
        let threads: Vec<_> = (devices.iter().zip(opened))
            .map(|(options, device)| {
                let thread = std::thread::Builder::new().name("device of a batch".into());
                thread.spawn_scoped(scope, || work(options, device))
            })
            .collect();
        let join = |thread: std::io::Result<ScopedJoinHandle<()>>| {
            let thread =
                thread.map_err(|cause| process_limits::not_started("a thread for a device", &cause))?;
            Ok(thread.join().is_err())
        };
        threads
            .into_iter()
            .map(join)
            .collect::<Result<Vec<bool>, Error>>()
    });
    if died?.contains(&true) {
        return Err(Error::failed("a thread of the batch panicked: please report it"));
    }
    let mut outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.not_run = (next.into_inner()..runs.len()).collect();
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_partition_the_list() {
        let list: Vec<u32> = (0..11).collect();
        let mut all = Vec::new();
        for index in 1..=4 {
            all.extend(format!("{index}/4").parse::<Shard>().unwrap().of(list.clone()));
        }
        all.sort_unstable();
        assert_eq!(all, list);
        assert_eq!("1/1".parse::<Shard>().unwrap().of(list.clone()), list);
        assert!("12/12".parse::<Shard>().unwrap().of(list).is_empty());
    }

    #[test]
    fn invalid_shards_are_refused() {
        for text in ["", "1", "0/4", "5/4", "1/0", "a/4", "-1/4", "1/2/3"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
