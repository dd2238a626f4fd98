//! The result of a measurement, and its options.

use serde::{Deserialize, Serialize};

/// Options of [`Bench::measure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BenchOptions {
    /// Steps before the first measurement.
    pub warm_up: u64,
    /// Steps per run; `None` for about a second, at least as many as the rarest stage needs to run once.
    pub steps: Option<u64>,
    /// Runs: values are medians over them.
    pub runs: u32,
}

impl Default for BenchOptions {
    fn default() -> BenchOptions {
        BenchOptions {
            warm_up: 16,
            steps: None,
            runs: 3,
        }
    }
}

/// The times of a pipeline on a device, without its outputs. Bytes are those that stages declare, each once per dispatch.
///
/// ```
/// use sastrugi::{Bench, BenchOptions, Builder, Device, DeviceOptions, Element, Entry};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pipeline = Builder::new("double")
///     .time(1)
///     .buffer("value", Element::Float, 1000)
///     .step(Entry::stage("double", 1000).reads(["value"]).writes(["value"]).glsl(r#"
///         #version 460
///         #include "stage.glsl"
///         void stage(uint i) { set_value(i, 2.0 * value(i)); }
///     "#))
///     .build()?;
/// # let device = Device::open(&DeviceOptions::default());
/// # if device.is_err() && std::env::var_os("SASTRUGI_REQUIRE_GPU").is_none() { return Ok(()); }
/// # drop(device);
/// let device = Device::open(&DeviceOptions::default())?;
/// let options = BenchOptions { steps: Some(20), ..BenchOptions::default() };
/// let bench = Bench::measure(&device, &pipeline, options, &mut |_| {})?;
/// assert_eq!(bench.step.stages[0].stage, "double");
/// assert_eq!(bench.step.stages[0].bytes, Some(8000));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bench {
    /// Title of the pipeline.
    pub pipeline: String,
    /// Version of the program.
    pub program: String,
    /// Name of the device.
    pub device: String,
    /// Driver and its version.
    pub driver: String,
    /// Bytes per nanosecond of a copy from one buffer to another, reads and writes together: GB/s.
    pub copy_gb_per_s: f64,
    /// Steps per run.
    pub steps: u64,
    /// Number of runs.
    pub runs: u32,
    /// Resources over which stages of the step run, those with the most elements first.
    #[serde(default)]
    pub domains: Vec<DomainBench>,
    /// The `step` list.
    pub step: ListBench,
    /// The `frame` list, if it has stages.
    pub frame: Option<ListBench>,
    /// The part of the shorter of the two lists that runs at the same time as the other one, from 0 to 1, in frames of all
    /// their steps.
    pub overlap: Option<f64>,
}

/// A resource over which stages run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainBench {
    /// Its name.
    pub resource: String,
    /// The word for an element: `cell`, `vertex`, `particle`, ...
    pub element: String,
    /// Its elements after the last step: the cells of active blocks, live particles, or all elements of other resources.
    pub elements: u64,
}

/// The times of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListBench {
    /// Time per pass, without timestamps of stages, ms.
    pub wall_ms: Spread,
    /// Time of the program for the submission of a pass, ms.
    pub host_ms: Spread,
    /// Dispatches per pass.
    pub dispatches: f64,
    /// Barriers per pass.
    pub barriers: f64,
    /// Stages that ran, in the order of the list.
    pub stages: Vec<StageBench>,
}

/// The time of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageBench {
    /// Its name.
    pub stage: String,
    /// It runs in every n-th pass.
    pub every: u32,
    /// Its dispatches in a pass in which it runs.
    pub dispatches: u32,
    /// Time on the device in a pass in which it runs, all dispatches together, ms.
    pub device_ms: Spread,
    /// Its share of the time that all stages of its list take on the device, from 0 to 1.
    pub share: f64,
    /// Bytes that these dispatches move, as the stage declares its accesses; `None` if the number of its elements is
    /// unknown.
    pub bytes: Option<u64>,
    /// The resource over which it runs, if the pipeline has declared it: [`Bench::domains`] lists its elements.
    #[serde(default)]
    pub over: Option<String>,
}

/// The median, the smallest and the largest of the medians of all runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

impl Bench {
    /// Steps per second, without outputs and frames.
    pub fn steps_per_second(&self) -> f64 {
        1e3 / self.step.wall_ms.median
    }
}

impl StageBench {
    /// Bytes per nanosecond, by declaration.
    pub fn gb_per_s(&self) -> Option<f64> {
        Some(self.bytes? as f64 * 1e-6 / self.device_ms.median)
    }
}

impl Spread {
    pub(super) fn of(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        let at = |index: usize| values.get(index).copied().unwrap_or(0.0);
        Spread {
            median: at(values.len() / 2),
            min: at(0),
            max: at(values.len().saturating_sub(1)),
        }
    }
}
