//! Several runs in one process: in sequence on one device, or distributed over several.

use std::collections::HashMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::gpu::{Gpu, GpuError};
use crate::ir::Pipeline;
use crate::problem::Problem;
use crate::run::{Ending, RunError};

use super::signals::INTERRUPTED;

/// One run.
#[derive(Clone)]
pub(super) struct Job {
    pub file: PathBuf,
    pub pipeline: Pipeline,
    pub directory: PathBuf,
    /// The file that receives its trace.
    pub trace: Option<PathBuf>,
}

/// A share of a batch: the `index`-th of `count`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shard {
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
        match (1..=count).contains(&index) {
            true => Ok(Shard { index, count }),
            false => Err(wrong()),
        }
    }
}

impl Shard {
    /// Every `count`-th item of a list, so that neighbours, which often take equally long, go to different shares.
    pub(super) fn of<T>(&self, list: Vec<T>) -> Vec<T> {
        list.into_iter()
            .skip(self.index - 1)
            .step_by(self.count)
            .collect()
    }
}

/// Refuses runs that would write to one directory.
pub(super) fn distinct(jobs: &[Job]) -> Result<(), RunError> {
    let mut known: HashMap<PathBuf, &Job> = HashMap::new();
    for job in jobs {
        let directory = std::path::absolute(&job.directory).unwrap_or_else(|_| job.directory.clone());
        if let Some(other) = known.insert(directory, job) {
            let (one, two) = (other.file.display(), job.file.display());
            let message = format!("{one} and {two} would both write to {}", job.directory.display());
            let problem = Problem::without_place(message);
            let help = "rename one of the files, or run them apart with different --out";
            return Err(RunError::Input(problem.help(help).into()));
        }
    }
    Ok(())
}

/// How the runs of a batch have ended so far.
#[derive(Default)]
struct Outcome {
    failed: Vec<String>,
    code: u8,
    /// A device that cannot be closed any more.
    hung: bool,
    interrupted: bool,
}

/// Runs every job on the next free device. A failure does not stop the others; the exit code is that of the worst one.
/// The error of a single job is that of the batch.
pub(super) fn run(
    jobs: &[Job],
    devices: &[Option<String>],
    open: impl Fn(&Option<String>) -> Result<Gpu, GpuError> + Sync,
    run: impl Fn(&Gpu, &Job) -> Result<Ending, RunError> + Sync,
    report: impl Fn(&RunError) + Sync,
) -> Result<u8, RunError> {
    let next = AtomicUsize::new(0);
    let outcome = Mutex::new(Outcome::default());
    let locked = || outcome.lock().unwrap_or_else(PoisonError::into_inner);
    // A device that does not open is an error before anything runs.
    let opened = devices
        .iter()
        .map(&open)
        .collect::<Result<Vec<Gpu>, GpuError>>()?;
    let work = |device: &Option<String>, mut gpu: Gpu| -> Result<(), GpuError> {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::SeqCst)) {
            let result = run(&gpu, job);
            let lost = matches!(result, Err(RunError::Lost { .. }));
            let mut so_far = locked();
            match result {
                Ok(Ending::Done) => {}
                Ok(Ending::Interrupted) => {
                    so_far.interrupted = true;
                    return Ok(());
                }
                Err(error) => {
                    if jobs.len() > 1 {
                        crate::cli::say!("{}:", job.directory.display());
                    }
                    report(&error);
                    so_far.failed.push(job.directory.display().to_string());
                    so_far.code = so_far.code.max(error.exit_code());
                    if matches!(error, RunError::Timeout { .. }) {
                        so_far.hung = true;
                        // To close it would be to wait for it.
                        std::mem::forget(gpu);
                        return Ok(());
                    }
                }
            }
            drop(so_far);
            if lost {
                drop(gpu);
                gpu = open(device)?;
            }
        }
        Ok(())
    };
    let results: Vec<Result<(), GpuError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (devices.iter().zip(opened))
            .map(|(device, gpu)| scope.spawn(|| work(device, gpu)))
            .collect();
        let died = || {
            Err(GpuError::Vulkan {
                doing: "running a batch",
                object: "one of its threads".into(),
                result: "it panicked: please report it".into(),
            })
        };
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| died()))
            .collect()
    });
    let outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    if jobs.len() > 1 && !outcome.failed.is_empty() {
        crate::cli::say!(
            "{} of {} runs failed: {}",
            outcome.failed.len(),
            jobs.len(),
            outcome.failed.join(", ")
        );
    }
    let code = match outcome.interrupted {
        true => INTERRUPTED,
        false => outcome.code,
    };
    if outcome.hung {
        signal_hook::low_level::exit(i32::from(code));
    }
    results.into_iter().collect::<Result<(), GpuError>>()?;
    Ok(code)
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
