//! A pipeline on a device, run step by step.

use std::fmt;
use std::path::PathBuf;

use crate::problem::Problem;
use crate::run::{self, Options, RunError};

use super::component::{Component, fitting};
use super::device::Device;
use super::error::Error;
use super::field::Field;
use super::pipeline::Pipeline;

/// A pipeline on a device. It reads the files that the pipeline names, but writes no files and prints nothing. It can
/// be sent to another thread.
///
/// Steps are submitted to the device and run while the program continues. Reads and writes of fields wait for them.
///
/// ```
/// use sastrugi::{Builder, Device, DeviceOptions, Element, Entry, Simulation};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pipeline = Builder::new("count")
///     .time(0.5)
///     .buffer("count", Element::Uint, 4)
///     .init(Entry::stage("zero", 4).writes(["count"]).glsl(r#"
///         #version 460
///         #include "stage.glsl"
///         void stage(uint i) { set_count(i, 10u * i); }
///     "#))
///     .step(Entry::stage("tick", 4).reads(["count"]).writes(["count"]).glsl(r#"
///         #version 460
///         #include "stage.glsl"
///         void stage(uint i) { set_count(i, count(i) + 1u); }
///     "#))
///     .build()?;
/// # let device = Device::open(&DeviceOptions::default());
/// # if device.is_err() && std::env::var_os("SASTRUGI_REQUIRE_GPU").is_none() { return Ok(()); }
/// # drop(device);
/// let device = Device::open(&DeviceOptions::default())?;
/// let mut simulation = Simulation::new(&device, &pipeline)?;
/// simulation.steps(3)?;
/// assert_eq!(simulation.read::<u32>("count")?, [3, 13, 23, 33]);
/// simulation.write("count", &[1_u32, 2, 3, 4])?;
/// simulation.step()?;
/// assert_eq!(simulation.read::<u32>("count")?, [2, 3, 4, 5]);
/// assert_eq!(simulation.time(), 2.0);
/// # Ok(())
/// # }
/// ```
pub struct Simulation {
    /// `None` if the device hangs: the device still uses the objects, and waiting for it would hang, too.
    pub(super) inner: Option<run::Simulation>,
    pub(super) pipeline: Pipeline,
    fields: Vec<Field>,
    pub(super) steps: u64,
    pub(super) frames: u64,
    /// Number of frames that [`Simulation::draw`] added between those of every `steps_per_frame` steps.
    pub(super) drawn_between: u64,
    /// The number of steps at which the last frame was drawn.
    pub(super) drawn_at: Option<u64>,
    pub(super) recording: Option<Recording>,
}

/// Options of [`Simulation::frame_with`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameOptions {
    /// Runs all entries of `frame`, instead of only the entries that measure.
    pub draws: bool,
    /// Measures the times of stages in the first step and of the entries of `frame`, without waiting for them;
    /// [`Simulation::collect_times`] reads them.
    pub timed: bool,
}

/// A fault of a checked stage, a repeat that must end and did not, or a bad value that the watch of the pipeline found.
/// Its `Display` is one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The stage, if known.
    pub stage: Option<String>,
    /// The field of the access or of the value, or the condition of the repeat.
    pub field: String,
    /// Index in the field, one component per axis of its resource.
    pub index: Vec<i64>,
    /// Advice for removing the cause.
    pub help: &'static str,
    text: String,
}

/// A running recording of all outputs.
pub(super) struct Recording {
    pub frames: run::Frames,
    pub directory: PathBuf,
}

impl Simulation {
    /// Allocates memory, compiles shaders and runs the entries of `init`.
    pub fn new(device: &Device, pipeline: &Pipeline) -> Result<Simulation, Error> {
        Simulation::with_options(device, pipeline, Options::default())
    }

    /// As [`Simulation::new`], with options, such as checked stages.
    pub fn with_options(device: &Device, pipeline: &Pipeline, options: Options) -> Result<Simulation, Error> {
        let inner = run::Simulation::new(&device.gpu, pipeline.inner.clone(), &pipeline.swaps, options);
        Ok(Simulation {
            inner: Some(inner.map_err(|error| pipeline.explain(error))?),
            fields: pipeline.fields(),
            pipeline: pipeline.clone(),
            steps: 0,
            frames: 0,
            drawn_between: 0,
            drawn_at: None,
            recording: None,
        })
    }

    /// Submits one step.
    pub fn step(&mut self) -> Result<(), Error> {
        self.ask(|inner| inner.step(false))?;
        self.steps += 1;
        Ok(())
    }

    /// Submits one step, waits for it, and adds the times of its stages to [`Simulation::stage_times`].
    pub fn timed_step(&mut self) -> Result<(), Error> {
        self.ask(|inner| inner.step(true))?;
        self.steps += 1;
        self.wait()
    }

    /// Each stage of the timed steps with the median of its times on the device, ms.
    pub fn stage_times(&self) -> Vec<(String, f64)> {
        let Some(inner) = &self.inner else {
            return Vec::new();
        };
        let name = |stage: usize| inner.pipeline().stages[stage].name.clone();
        let medians = inner.timing().medians().into_iter();
        medians.map(|(stage, _, ms)| (name(stage), ms)).collect()
    }

    /// Submits `count` steps.
    pub fn steps(&mut self, count: u64) -> Result<(), Error> {
        (0..count).try_for_each(|_| self.step())
    }

    /// Submits the remaining steps of a frame, then the entries of `frame` (rendering). Afterwards, the fields that
    /// these entries write can be read.
    pub fn frame(&mut self) -> Result<(), Error> {
        self.frame_with(FrameOptions {
            draws: true,
            timed: false,
        })
    }

    /// As [`Simulation::frame`], with options. A recorded frame is always drawn.
    pub fn frame_with(&mut self, options: FrameOptions) -> Result<(), Error> {
        let until = self.next_frame();
        if options.timed && self.steps < until {
            self.ask(|inner| inner.step(true))?;
            self.steps += 1;
        }
        self.steps(until.saturating_sub(self.steps))?;
        let draws = options.draws || self.recording.is_some();
        self.submit_frame(draws)
    }

    /// Submits the entries of `frame` for the present state, between any two steps, and takes no step. Drawing the same
    /// state again repeats its frame, as [`Simulation::redraw`] does; otherwise it counts as a frame.
    pub fn draw(&mut self) -> Result<(), Error> {
        if self.drawn_at == Some(self.steps) {
            self.redraw()
        } else {
            let is_between = self.steps != self.next_frame();
            self.submit_frame(true)?;
            self.drawn_between += u64::from(is_between);
            Ok(())
        }
    }

    /// The number of steps at the end of the next frame.
    fn next_frame(&self) -> u64 {
        let frames = self.frames.saturating_sub(self.drawn_between);
        (frames + 1) * u64::from(self.pipeline.steps_per_frame())
    }

    fn submit_frame(&mut self, draws: bool) -> Result<(), Error> {
        self.ask(|inner| inner.frame(draws))?;
        self.frames += 1;
        self.drawn_at = draws.then_some(self.steps);
        self.record_frame()
    }

    /// Submits the entries of `frame` again for the last frame, after a change of parameters that they use. Does
    /// nothing before the first frame.
    pub fn redraw(&mut self) -> Result<(), Error> {
        match self.frames {
            0 => Ok(()),
            _ => self.ask(run::Simulation::redraw),
        }
    }

    /// Adds the times of completed timed frames to [`Simulation::stage_times`].
    pub fn collect_times(&mut self) -> Result<(), Error> {
        self.ask(run::Simulation::collect_times)
    }

    /// Waits until all submitted work has completed.
    pub fn wait(&mut self) -> Result<(), Error> {
        self.ask(run::Simulation::finish)
    }

    /// The newest values of a field (`<resource>.<channel>`, or the name of a buffer), x fastest, those of an array
    /// entry by entry; cells of inactive blocks have the background. Several worlds follow one another. It is an error if the
    /// type is not that of the field.
    pub fn read<T: Component>(&mut self, field: &str) -> Result<Vec<T>, Error> {
        self.with_bytes::<T, _>(field, |bytes| {
            let mut values = vec![T::zeroed(); bytes.len() / size_of::<T>()];
            bytemuck::cast_slice_mut(&mut values).copy_from_slice(bytes);
            values
        })
    }

    /// As [`Simulation::read`], but passes the bytes of the values to a function, which can copy them to where they are
    /// needed.
    pub fn with_bytes<T: Component, R>(
        &mut self,
        field: &str,
        use_bytes: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, Error> {
        self.field::<T>(field)?;
        self.ask(|inner| inner.with_bytes(field, use_bytes))
    }

    /// Replaces the newest values of a field; in a sparse grid, those of active blocks. It is an error if the type or
    /// the number of values is not that of the field.
    pub fn write<T: Component>(&mut self, field: &str, values: &[T]) -> Result<(), Error> {
        let known = self.field::<T>(field)?;
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let whole = known.bytes * self.pipeline.worlds() as u64;
        if bytes.len() as u64 != whole {
            let wanted = whole / size_of::<T>() as u64;
            return Err(Error::misuse(format!(
                "`{field}` requires {wanted} values of {}, not {}\n  help: its size is {:?}, x fastest",
                T::name(),
                values.len(),
                known.size
            )));
        }
        self.ask(|inner| inner.write(field, bytes))
    }

    /// Simulated time of the submitted steps, s.
    pub fn time(&self) -> f64 {
        self.steps as f64 * self.pipeline.dt()
    }

    /// Number of submitted steps.
    pub fn step_count(&self) -> u64 {
        self.steps
    }

    /// Number of submitted frames.
    pub fn frame_count(&self) -> u64 {
        self.frames
    }

    /// The pipeline of this simulation.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// Notices about slower methods that this device requires; they do not change results.
    pub fn notices(&self) -> Vec<String> {
        self.inner
            .as_ref()
            .map(run::Simulation::notices)
            .unwrap_or_default()
    }

    /// Waits, and returns the first fault so far: an access outside a field, if [`Options::checked`] is set, a repeat with
    /// `"on_max_iterations": "stop"` that used all its iterations, or a bad value that the `watch` of the pipeline found.
    pub fn fault(&mut self) -> Result<Option<Fault>, Error> {
        self.wait()?;
        if let Some(fault) = self.ask(|inner| inner.fault())? {
            return Ok(Some(Fault {
                text: fault.to_string(),
                help: fault.help(),
                stage: Some(fault.stage),
                field: fault.field,
                index: fault.index,
            }));
        }
        let unfinished = self.ask(|inner| inner.unfinished())?;
        if let Some(repeat) = unfinished.into_iter().find(|repeat| repeat.stops) {
            return Ok(Some(Fault {
                text: repeat.to_string(),
                help: repeat.help(),
                stage: None,
                field: repeat.condition,
                index: Vec::new(),
            }));
        }
        let bad = self.ask(|inner| inner.first_bad())?;
        Ok(bad.map(|bad| Fault {
            text: bad.to_string(),
            help: bad.help(),
            stage: None,
            index: bad.index.iter().map(|index| index.cast_signed()).collect(),
            field: bad.field,
        }))
    }

    /// Looks up a field by name, and checks that its type fits.
    fn field<T: Component>(&self, name: &str) -> Result<&Field, Error> {
        let Some(field) = self.fields.iter().find(|field| field.name == name) else {
            let message = format!("`{name}` is not a field of this pipeline");
            let names = self.fields.iter().map(|field| field.name.as_str());
            let problem = Problem::without_place(message).suggest(name, names);
            return Err(Error::misuse(problem.to_string()));
        };
        if T::fits(field.element) {
            Ok(field)
        } else {
            Err(Error::misuse(format!(
                "`{name}` contains {}, not {}\n  help: use {}",
                field.element.name(),
                T::name(),
                fitting(field.element)
            )))
        }
    }

    /// Replaces the pipeline by another version.
    pub(super) fn adopt(&mut self, pipeline: &Pipeline) {
        self.pipeline = pipeline.clone();
        self.fields = pipeline.fields();
    }

    /// Calls the engine. After a timeout, the simulation no longer uses the device.
    pub(super) fn ask<T>(
        &mut self,
        what: impl FnOnce(&mut run::Simulation) -> Result<T, RunError>,
    ) -> Result<T, Error> {
        let Some(inner) = &mut self.inner else {
            return Err(Error::hangs());
        };
        inner.begin_use();
        let done = what(inner).and_then(|result| inner.end_use().map(|()| result));
        let error = match done {
            Ok(result) => return Ok(result),
            Err(error) => inner.explain(error),
        };
        if matches!(error, RunError::Timeout { .. }) {
            std::mem::forget(self.inner.take());
        }
        Err(self.pipeline.explain(error))
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("pipeline", &self.pipeline.name())
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Simulations can be sent to other threads; devices, pipelines and errors can be shared by threads.
const _: () = {
    const fn goes_between_threads<T: Send>() {}
    const fn is_shared_by_threads<T: Send + Sync>() {}
    goes_between_threads::<Simulation>();
    goes_between_threads::<run::Simulation>();
    is_shared_by_threads::<Device>();
    is_shared_by_threads::<Pipeline>();
    is_shared_by_threads::<Error>();
};
