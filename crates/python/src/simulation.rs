//! A simulation. No method holds its lock while code of Python runs, so threads and callbacks cannot block each other.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use sastrugi::{Error, ErrorKind, GraphFormat, Options, Pipeline, Problems, Share, Update};

use super::device;
use super::error::{exception, of_kind};
use super::facts::{FieldFacts, ParameterFacts};
use super::memory::Memory;
use super::spec::{Numbers, OF_WORLDS, Spec};

/// Time between two checks for signals such as Ctrl-C.
const BATCH: Duration = Duration::from_millis(50);

/// A simulation that may be closed.
#[pyclass(frozen, module = "sastrugi._native")]
pub struct Simulation {
    live: Mutex<Option<Live>>,
    /// The device of its start.
    device: OnceLock<sastrugi::Device>,
}

struct Live {
    simulation: sastrugi::Simulation,
    device: sastrugi::Device,
    /// The loaded pipeline with its callable groups, before the assignments of `set`.
    loaded: Pipeline,
    /// Later assignments (`NAME=VALUE`) by the names of parameters.
    set: BTreeMap<String, String>,
    /// Each call waits and checks for faults and bad values.
    is_checked: bool,
}

/// A failure of a call.
enum Failure {
    Closed,
    Of(Error),
    /// A fault or a bad value, with the stage.
    Fault(String),
    Misuse(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Of(error)
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Failure {
        Failure::Of(problems.into())
    }
}

impl Live {
    /// Submits up to `count` steps for about `BATCH`. Returns the number of submitted steps.
    fn steps(&mut self, count: u64) -> Result<u64, Failure> {
        let began = Instant::now();
        let mut done = 0;
        while done < count && (done == 0 || began.elapsed() < BATCH) {
            self.simulation.step()?;
            done += 1;
        }
        if done == count && self.is_checked {
            self.check()?;
        }
        Ok(done)
    }

    fn check(&mut self) -> Result<(), Failure> {
        match self.simulation.fault()? {
            Some(fault) => Err(Failure::Fault(format!("{fault}\n  help: {}", fault.help))),
            None => Ok(()),
        }
    }

    fn set(&mut self, values: Vec<(String, String)>) -> Result<(), Failure> {
        let numbers = Numbers::of(&values);
        let set = self.set_after(values);
        if let Some(numbers) = numbers
            // One kind, so that all are set or none.
            && (numbers.by_world.is_empty() || numbers.uniform.is_empty())
            && (numbers.by_world.is_empty() || self.simulation.set_worlds(&numbers.by_world)?)
            && (numbers.uniform.is_empty() || self.simulation.set(&numbers.uniform)?)
        {
            self.set = set;
            return Ok(());
        }
        let mismatch = self.update(self.loaded.clone(), set)?;
        mismatch.map_or(Ok(()), |cause| {
            let help = "load the pipeline again with these values in `set`";
            Err(Failure::Misuse(format!(
                "the state does not fit these values: {cause}\n  help: {help}"
            )))
        })
    }

    /// The assignments with further ones. A value for all worlds replaces those of each.
    fn set_after(&self, values: Vec<(String, String)>) -> BTreeMap<String, String> {
        let mut set = self.set.clone();
        for (path, assignment) in values {
            if !path.starts_with(OF_WORLDS) {
                let listed = format!("{OF_WORLDS}{path}");
                set.remove(&listed);
                if self.loaded.document()["worlds"]["set"].get(&path).is_some() {
                    set.insert(listed.clone(), format!("{listed}=null"));
                    // The list may have stated their number.
                    let count = self.simulation.pipeline().worlds();
                    set.insert("worlds.count".into(), format!("worlds.count={count}"));
                }
            }
            set.insert(path, assignment);
        }
        set
    }

    /// Runs a group between two steps. The first call of each makes it callable.
    fn call(&mut self, group: &str) -> Result<(), Failure> {
        if !self.loaded.callable().iter().any(|known| known == group) {
            let mismatch = self.update(self.loaded.with_callable(group)?, self.set.clone())?;
            if let Some(cause) = mismatch {
                return Err(Failure::Misuse(format!(
                    "`{group}` cannot be added to the simulation: {cause}"
                )));
            }
        }
        self.simulation.call(group)?;
        if self.is_checked { self.check() } else { Ok(()) }
    }

    /// Continues with another pipeline, or returns the reason why the state does not fit it.
    fn update(&mut self, loaded: Pipeline, set: BTreeMap<String, String>) -> Result<Option<Error>, Failure> {
        let pipeline = loaded.with(set.values())?;
        match self.simulation.update(&pipeline, false)? {
            Update::Restart(cause) => Ok(Some(cause)),
            Update::Values | Update::Kernels => {
                (self.loaded, self.set) = (loaded, set);
                Ok(None)
            }
        }
    }
}

impl Simulation {
    /// Calls the simulation without the lock of the interpreter.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        what: impl FnOnce(&mut Live) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let result = py.detach(|| match self.locked().as_mut() {
            Some(live) => what(live),
            None => Err(Failure::Closed),
        });
        result.map_err(|failure| self.exception(py, &failure))
    }

    fn locked(&self) -> MutexGuard<'_, Option<Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn exception(&self, py: Python<'_>, failure: &Failure) -> PyErr {
        match failure {
            Failure::Closed => of_kind(py, "closed", "the simulation is closed\n  help: load it again"),
            Failure::Fault(text) => of_kind(py, "fault", text),
            Failure::Misuse(text) => of_kind(py, "misuse", text),
            Failure::Of(error) => {
                if matches!(error.kind(), ErrorKind::Lost | ErrorKind::Timeout)
                    && let Some(device) = self.device.get()
                {
                    device::forget(device);
                }
                exception(py, error)
            }
        }
    }
}

#[pymethods]
impl Simulation {
    #[new]
    fn new(
        py: Python<'_>,
        spec: Spec,
        device: Option<String>,
        checked: bool,
        validation: bool,
        timeout: f64,
        share: Option<&str>,
    ) -> PyResult<Simulation> {
        let options = Options {
            checked,
            share: match share {
                Some("cuda") => Share::Cuda,
                Some("cpu") => Share::Host,
                _ => Share::No,
            },
            timeout: Duration::try_from_secs_f64(timeout).unwrap_or(Options::PLAIN.timeout),
            ..Options::PLAIN
        };
        let simulation = Simulation {
            live: Mutex::new(None),
            device: OnceLock::new(),
        };
        let opened = py.detach(|| -> Result<Live, Failure> {
            let loaded = spec.build()?;
            let device = device::open(device.as_deref(), validation)?;
            let device = simulation.device.get_or_init(|| device).clone();
            Ok(Live {
                simulation: sastrugi::Simulation::with_options(&device, &loaded, options)?,
                device,
                is_checked: checked || loaded.is_watched(),
                loaded,
                set: BTreeMap::new(),
            })
        });
        *simulation.locked() = Some(opened.map_err(|failure| simulation.exception(py, &failure))?);
        Ok(simulation)
    }

    fn step(&self, py: Python<'_>, count: u64) -> PyResult<()> {
        let mut left = count;
        while left > 0 {
            left -= self.ask(py, |live| live.steps(left))?;
            py.check_signals()?;
        }
        Ok(())
    }

    fn call(&self, py: Python<'_>, group: &str) -> PyResult<()> {
        self.ask(py, |live| live.call(group))?;
        py.check_signals()
    }

    /// Waits for all steps, and raises the first fault.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        self.ask(py, |live| {
            live.simulation.wait()?;
            live.check()
        })
    }

    fn draw(&self, py: Python<'_>) -> PyResult<()> {
        self.ask(py, |live| Ok(live.simulation.draw()?))
    }

    fn read<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyByteArray>> {
        let read = self.ask(py, |live| {
            // Waiting for the interpreter is safe: nobody waits for the simulation with its lock.
            let copied = |bytes: &[u8]| Python::attach(|py| PyByteArray::new(py, bytes).unbind());
            Ok(live.simulation.with_bytes::<u8, _>(field, copied)?)
        });
        read.map(|array| array.into_bound(py))
    }

    fn write(&self, py: Python<'_>, field: &str, values: PyBuffer<u8>) -> PyResult<()> {
        let bytes = values.to_vec(py)?;
        self.ask(py, |live| Ok(live.simulation.write(field, &bytes)?))
    }

    /// The memory of a field, and a stream of CUDA that will use it.
    fn memory(&self, py: Python<'_>, field: &str, stream: Option<usize>) -> PyResult<Memory> {
        self.ask(py, |live| Ok(Memory(live.simulation.memory(field, stream)?)))
    }

    /// Drops the waits of streams of CUDA, or those of submissions for them: a test must notice it.
    fn drop_waits_of_cuda(&self, py: Python<'_>, of_streams: bool, of_submissions: bool) -> PyResult<()> {
        self.ask(py, |live| {
            live.simulation.drop_waits_of_cuda(of_streams, of_submissions);
            Ok(())
        })
    }

    fn set(&self, py: Python<'_>, values: Vec<(String, String)>) -> PyResult<()> {
        self.ask(py, |live| live.set(values))
    }

    /// The components of a parameter after some assignments, which are not applied.
    fn values_after(&self, py: Python<'_>, values: Vec<(String, String)>, name: &str) -> PyResult<Vec<f64>> {
        self.ask(py, |live| {
            let pipeline = live.loaded.with(live.set_after(values).values())?;
            let found = pipeline.parameters().iter().find(|found| found.name == name);
            Ok(found.map(|found| found.values.clone()).unwrap_or_default())
        })
    }

    /// True if two simulations use one open device.
    fn shares_device(&self, other: &Simulation) -> bool {
        let devices = self.device.get().zip(other.device.get());
        devices.is_some_and(|(own, other)| own.is_same(other))
    }

    fn checkpoint(&self, py: Python<'_>, file: PathBuf) -> PyResult<()> {
        self.ask(py, |live| Ok(live.simulation.checkpoint(file)?))
    }

    fn restore(&self, py: Python<'_>, file: PathBuf) -> PyResult<()> {
        self.ask(py, |live| Ok(live.simulation.restore(file)?))
    }

    fn graph(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        self.ask(py, |live| graph(live.simulation.pipeline(), format))
    }

    fn interface(&self, py: Python<'_>, stage: &str) -> PyResult<Option<String>> {
        self.ask(py, |live| Ok(live.simulation.pipeline().interface(stage)))
    }

    fn fields(&self, py: Python<'_>) -> PyResult<Vec<FieldFacts>> {
        self.ask(py, |live| Ok(FieldFacts::of(live.simulation.pipeline())))
    }

    fn parameters(&self, py: Python<'_>) -> PyResult<Vec<ParameterFacts>> {
        self.ask(py, |live| Ok(ParameterFacts::of(live.simulation.pipeline())))
    }

    /// The images: name of the field, names of its outputs.
    fn images(&self, py: Python<'_>) -> PyResult<Vec<(String, Vec<String>)>> {
        self.ask(py, |live| {
            let images = live.simulation.pipeline().images().into_iter();
            Ok(images.map(|image| (image.name, image.outputs)).collect())
        })
    }

    fn stages(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.ask(py, |live| {
            let stages = live.simulation.pipeline().stages();
            Ok(stages.map(str::to_string).collect())
        })
    }

    fn notices(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.ask(py, |live| Ok(live.simulation.notices()))
    }

    fn json(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |live| Ok(live.simulation.pipeline().to_json()))
    }

    /// Name, title and device.
    fn names(&self, py: Python<'_>) -> PyResult<(String, String, String)> {
        self.ask(py, |live| {
            let pipeline = live.simulation.pipeline();
            let [name, title] = [pipeline.name(), pipeline.title()].map(str::to_string);
            Ok((name, title, live.device.info().name))
        })
    }

    /// Steps, simulated time and length of a step (s), and steps per frame.
    fn clock(&self, py: Python<'_>) -> PyResult<(u64, f64, f64, u32)> {
        self.ask(py, |live| {
            let (simulation, pipeline) = (&live.simulation, live.simulation.pipeline());
            let (steps, time) = (simulation.step_count(), simulation.time());
            Ok((steps, time, pipeline.dt(), pipeline.steps_per_frame()))
        })
    }

    fn worlds(&self, py: Python<'_>) -> PyResult<usize> {
        self.ask(py, |live| Ok(live.simulation.pipeline().worlds()))
    }

    fn is_open(&self, py: Python<'_>) -> bool {
        py.detach(|| self.locked().is_some())
    }

    /// Frees the memory on the device. Raises what the validation layer reported.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let closed = py.detach(|| {
            let Some(live) = self.locked().take() else {
                return Ok(());
            };
            let device = live.device.clone();
            drop(live);
            device.validated(Ok(()))
        });
        closed.map_err(|error| exception(py, &error))
    }
}

fn graph(pipeline: &Pipeline, format: &str) -> Result<String, Failure> {
    let format = match format {
        "text" => GraphFormat::Text,
        "dot" => GraphFormat::Dot,
        "mermaid" => GraphFormat::Mermaid,
        _ => {
            let text =
                format!("`{format}` is no format of graphs\n  help: use \"text\", \"dot\" or \"mermaid\"");
            return Err(Error::failed(text).into());
        }
    };
    Ok(pipeline.graph(format)?)
}
