//! A run as one of several ranks that a launcher of MPI started.

use std::mem::forget;
use std::time::Duration;

use sastrugi::{Device, DeviceOptions, Ending, Error, ErrorKind, Mpi, Problem, Ranks, Run};

use super::super::follower::Follower;
use super::super::progress::Progress;
use super::super::signals::{INTERRUPTED, Signals};
use super::{Arguments, cut};

/// Runs this rank, and returns the exit code, which is the same on all ranks unless one failed.
pub(super) fn main(arguments: &Arguments, signals: &Signals) -> u8 {
    let mpi = match Mpi::start() {
        Ok(mpi) => mpi,
        Err(cause) => {
            crate::say!("error: {cause}");
            return 1;
        }
    };
    let own = Own {
        arguments,
        ranks: mpi.ranks(),
        timeout: super::options(arguments, arguments.resume.as_deref()).0.timeout,
    };
    let (code, hangs) = match own.run(signals) {
        Ok(Ending::Done) => (0, false),
        Ok(Ending::Interrupted) => (INTERRUPTED, false),
        Err(Stopped { code, hangs }) => (code, hangs),
    };
    let timeout = own.timeout;
    mpi.finish(code, timeout);
    if hangs {
        // The device that hangs cannot be closed any more.
        signal_hook::low_level::exit(i32::from(code));
    }
    code
}

/// A run that ended with an error, which is printed.
struct Stopped {
    code: u8,
    hangs: bool,
}

/// This rank.
struct Own<'a> {
    arguments: &'a Arguments,
    ranks: &'a Ranks,
    /// Time limit for other ranks.
    timeout: Duration,
}

impl Own<'_> {
    fn run(&self, signals: &Signals) -> Result<Ending, Stopped> {
        let (run, options) = self.settled("of input", self.read())?;
        let device = self.settled("of devices", Device::open(&options))?;
        let quiet = self.arguments.quiet || !self.ranks.is_root();
        self.announce(&run, &device, quiet)?;
        let mut follower = Follower {
            progress: Progress::new(run.pipeline(), quiet),
            signals,
            quiet,
        };
        let ending = device.validated(run.start(&device, &mut follower));
        match ending {
            Ok(ending) => {
                self.conclude(&run, ending, quiet);
                Ok(ending)
            }
            Err(error) => {
                let hangs = error.kind() == ErrorKind::Timeout;
                if hangs {
                    // Closing the device would wait for it.
                    forget(device);
                }
                // The root reports the failures of others, and mistakes in files that all ranks read.
                if self.ranks.is_root() || ![ErrorKind::Rank, ErrorKind::Input].contains(&error.kind()) {
                    self.report(&error);
                }
                let code = crate::exit_code(&error);
                Err(Stopped { code, hangs })
            }
        }
    }

    /// The run, and the device of this rank.
    fn read(&self) -> Result<(Run, DeviceOptions), Error> {
        let (arguments, count) = (self.arguments, self.ranks.count());
        if let Some(wanted) = arguments.cut.ranks
            && wanted as usize != count
        {
            let message = format!("--ranks {wanted}: the launcher started {count} processes");
            return Err(Problem::without_place(message).help("leave --ranks out").into());
        }
        cut::check_options(arguments)?;
        let mut runs = super::runs(arguments)?;
        cut::check_one_run(runs.len())?;
        let Some(run) = runs.pop() else {
            return Err(Error::failed("no run"));
        };
        let run = match &arguments.trace {
            Some(file) if self.ranks.is_root() => run.trace(file),
            _ => run,
        };
        let mut options = super::devices::chosen(arguments)?;
        let mut options = options.pop().unwrap_or_default();
        if options.device.is_none() {
            options.device = device_of(self.ranks.local_rank())?;
        }
        let run = run.ranks(self.ranks.clone(), arguments.cut.request());
        let run = if arguments.balance { run.balance() } else { run };
        Ok((run, options))
    }

    /// The value, if all ranks have one. Otherwise the errors are printed, each different one by one rank.
    fn settled<T>(&self, what: &str, own: Result<T, Error>) -> Result<T, Stopped> {
        let (code, text) = match &own {
            Ok(_) => (0, String::new()),
            Err(error) => (crate::exit_code(error), error.to_string()),
        };
        let mut bytes = vec![code];
        bytes.extend_from_slice(text.as_bytes());
        let all = match self.ranks.gather(what, &bytes, self.timeout) {
            Ok(all) => all,
            Err(failure) => {
                let error = own.err().unwrap_or_else(|| Error::failed(failure.to_string()));
                self.report(&error);
                return Err(Stopped {
                    code: 1,
                    hangs: false,
                });
            }
        };
        let code = all.iter().filter_map(|bytes| bytes.first()).max();
        match (own, code) {
            (Ok(value), None | Some(0)) => Ok(value),
            (own, code) => {
                if let Err(error) = own
                    && all.iter().position(|other| *other == bytes) == Some(self.ranks.rank())
                {
                    self.report(&error);
                }
                let code = code.copied().unwrap_or(1);
                Err(Stopped { code, hangs: false })
            }
        }
    }

    /// Prints the run, and the devices that ranks share.
    fn announce(&self, run: &Run, device: &Device, quiet: bool) -> Result<(), Stopped> {
        let info = device.info();
        let own = format!(
            "{}\n{} ({})",
            self.ranks.host(self.ranks.rank()),
            info.name,
            info.index
        );
        let all = self.ranks.gather("of devices", own.as_bytes(), self.timeout);
        let all = self.settled(
            "of devices",
            all.map_err(|failure| Error::failed(failure.to_string())),
        )?;
        if quiet {
            return Ok(());
        }
        let (pipeline, directory) = (run.pipeline(), run.directory().display());
        let count = self.ranks.count();
        crate::say!(
            "{} on {count} ranks, rank 0 on {}, into {directory}",
            pipeline.title(),
            info.name
        );
        pipeline.notes().iter().for_each(|text| crate::say!("{text}"));
        let mut seen: Vec<&[u8]> = Vec::new();
        for text in &all {
            let sharing = all.iter().filter(|other| *other == text).count();
            if sharing > 1 && !seen.contains(&&text[..]) {
                seen.push(text);
                let text = String::from_utf8_lossy(text);
                let (host, device) = text.split_once('\n').unwrap_or_default();
                crate::say!("notice: {sharing} ranks on {host} share {device}");
            }
        }
        Ok(())
    }

    fn conclude(&self, run: &Run, ending: Ending, quiet: bool) {
        let directory = run.directory().display();
        match ending {
            _ if quiet => {}
            Ending::Done => crate::say!("done: frames and manifest.json are in {directory}"),
            Ending::Interrupted => {
                crate::say!("interrupted: complete frames and manifest.json are in {directory}");
            }
        }
    }

    /// Prints an error. Ranks other than the root begin each line with their name.
    fn report(&self, error: &Error) {
        if self.ranks.is_root() {
            crate::report(error);
            return;
        }
        let text = match error.problems() {
            Some(problems) => crate::render(problems, false),
            None => format!("error: {error}"),
        };
        let name = self.ranks.name(self.ranks.rank());
        for line in text.lines() {
            crate::say!("{name}: {line}");
        }
    }
}

/// The device of a rank, by its number on its host: GPUs in turn. `None` without a GPU: the default device.
fn device_of(local_rank: usize) -> Result<Option<String>, Error> {
    let found = Device::list()?;
    let gpus: Vec<_> = (found.iter())
        .filter(|device| device.refused.is_empty() && !device.is_processor)
        .collect();
    let chosen = gpus.get(local_rank % gpus.len().max(1));
    Ok(chosen.map(|device| device.index.to_string()))
}
