//! Whole runs with files on disk.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use sastrugi::{Ending, Error, ErrorKind, Event, Observer, Options, Run};

use super::device;
use super::error::exception;
use super::spec::Spec;

/// Time between two calls of the interpreter: for progress, and for signals such as Ctrl-C.
const INTERVAL: Duration = Duration::from_millis(50);

#[derive(FromPyObject)]
pub struct RunOptions {
    #[pyo3(item)]
    device: Option<String>,
    #[pyo3(item)]
    checked: bool,
    #[pyo3(item)]
    force: bool,
    #[pyo3(item)]
    resume: bool,
    #[pyo3(item)]
    hash: bool,
}

/// Passes events of a run to Python. Holds the lock of the interpreter only during calls.
struct Follower {
    /// Called with the number of completed steps and the total.
    progress: Option<Py<PyAny>>,
    /// Called with `note` or `warning` and a text.
    message: Py<PyAny>,
    total: u64,
    called: Instant,
    /// The exception of a callback or a signal. It ends the run.
    raised: Option<PyErr>,
}

impl Follower {
    fn call(&mut self, what: impl FnOnce(&Follower, Python<'_>) -> PyResult<()>) {
        if self.raised.is_none() {
            self.raised = Python::attach(|py| what(self, py)).err();
        }
    }

    fn step(&mut self, step: u64, always: bool) {
        if !always && self.called.elapsed() < INTERVAL {
            return;
        }
        self.called = Instant::now();
        self.call(|follower, py| {
            py.check_signals()?;
            if let Some(progress) = &follower.progress {
                progress.call1(py, (step, follower.total))?;
            }
            Ok(())
        });
    }
}

impl Observer for Follower {
    fn event(&mut self, event: Event) {
        match event {
            Event::Step(step) => self.step(step, step == self.total),
            Event::Note(text) | Event::Notice(text) => {
                self.call(|follower, py| follower.message.call1(py, ("note", text)).map(drop));
            }
            Event::Warning(text) => {
                self.call(|follower, py| follower.message.call1(py, ("warning", text)).map(drop));
            }
            _ => {}
        }
    }

    fn stop(&mut self) -> bool {
        self.raised.is_some()
    }
}

/// Runs a pipeline into a directory.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    spec: Spec,
    out: PathBuf,
    options: RunOptions,
    progress: Option<Py<PyAny>>,
    message: Py<PyAny>,
) -> PyResult<()> {
    let mut follower = Follower {
        progress,
        message,
        total: 0,
        called: Instant::now(),
        raised: None,
    };
    let ended = py.detach(|| -> Result<Ending, Error> {
        let pipeline = spec.build()?;
        follower.total = pipeline
            .frames()
            .saturating_mul(u64::from(pipeline.steps_per_frame()));
        let run = Run::new(&pipeline, &out).options(Options {
            checked: options.checked,
            ..Options::PLAIN
        });
        let run = if options.force { run.force() } else { run };
        let run = if options.resume { run.resume() } else { run };
        let run = if options.hash { run.hash() } else { run };
        run.check()?;
        let device = device::open(options.device.as_deref(), false)?;
        let ended = run.start(&device, &mut follower);
        if let Err(error) = &ended
            && matches!(error.kind(), ErrorKind::Lost | ErrorKind::Timeout)
        {
            device::forget(&device);
        }
        ended
    });
    match (follower.raised, ended) {
        (Some(raised), _) => Err(raised),
        (None, Err(error)) => Err(exception(py, &error)),
        (None, Ok(_)) => Ok(()),
    }
}
