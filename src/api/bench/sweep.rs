//! Measurements of several cases of a pipeline, such as sizes.

use serde::{Deserialize, Serialize};

use super::super::device::Device;
use super::super::error::Error;
use super::super::pipeline::Pipeline;
use super::super::sweep::Case;
use super::{Bench, BenchOptions, Measured, copy, launch};

/// The measured cases of a sweep, on one device.
///
/// ```
/// use sastrugi::{BenchOptions, BenchSweep, Device, DeviceOptions, Pipeline, batch};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let device = Device::open(&DeviceOptions::default());
/// # if device.is_err() && std::env::var_os("SASTRUGI_REQUIRE_GPU").is_none() { return Ok(()); }
/// # drop(device);
/// let device = Device::open(&DeviceOptions::default())?;
/// let mut sweep = BenchSweep::new(&device)?;
/// let options = BenchOptions { steps: Some(4), runs: 1, ..BenchOptions::default() };
/// for case in batch::cases(&["n=8,16".into()])? {
///     let pipeline = Pipeline::from_json(r#"{
///         "parameters": {"n": 1},
///         "run": {"dt": 1},
///         "grids": {"box": {"cells": ["n", "n", "n"], "cell_size": 1, "channels": {"heat": "float"}}},
///         "step": [{"set": "box.heat", "to": 1}]
///     }"#).set_all(&case.overrides).build()?;
///     sweep.measure(&device, &case, &pipeline, options, &mut |_| true)?;
/// }
/// let costs = sweep.costs();
/// assert_eq!(costs[0].domain, "box");
/// assert_eq!(costs[0].points[1].map(|point| point.elements), Some(4096));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchSweep {
    /// Bytes per nanosecond of a copy from one buffer to another, reads and writes together: GB/s.
    pub copy_gb_per_s: f64,
    /// The time of a dispatch of one element with a barrier, microseconds.
    pub launch_us: f64,
    /// The cases, in the order of their measurement.
    pub cases: Vec<BenchCase>,
}

/// A case of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchCase {
    /// Its overrides of the pipeline file, such as `n=64`.
    pub overrides: Vec<String>,
    /// Its measurement.
    pub bench: Bench,
}

impl BenchSweep {
    /// A sweep without cases. Measures the rate of a copy and the time of a dispatch.
    pub fn new(device: &Device) -> Result<BenchSweep, Error> {
        Ok(BenchSweep {
            copy_gb_per_s: copy::rate(device)?,
            launch_us: launch::time(device)?,
            cases: Vec::new(),
        })
    }

    /// Measures the pipeline of a case, and adds the result. `proceed` receives the completed part of the case before each
    /// run; if it returns false, the case ends without a result. Returns true if the case was measured.
    pub fn measure(
        &mut self,
        device: &Device,
        case: &Case,
        pipeline: &Pipeline,
        options: BenchOptions,
        proceed: &mut dyn FnMut(f64) -> bool,
    ) -> Result<bool, Error> {
        let mut measured = Measured::begin(device, pipeline, options)?;
        for run in 0..measured.runs {
            if !proceed(f64::from(run) / f64::from(measured.runs)) {
                return Ok(false);
            }
            measured.run()?;
        }
        self.cases.push(BenchCase {
            overrides: case.overrides.clone(),
            bench: measured.result(device, pipeline, self.copy_gb_per_s)?,
        });
        Ok(true)
    }
}

impl BenchCase {
    /// The overrides in one line.
    pub fn name(&self) -> String {
        self.overrides.join(" ")
    }
}
