//! A pipeline that is ready to be recorded: planned and compiled for a device, with all its memory.

use std::sync::Arc;

use crate::gpu::{CudaDevice, Gpu, GpuError, Recorder};
use crate::ir::Pipeline;
use crate::output::manifest::Startup;
use crate::plan::Plan;
use crate::problem::Problem;
use crate::shader::Module;

use super::arguments::{ArgumentInputs, Arguments};
use super::device::{excessive_modules, missing_types, target};
use super::error::RunError;
use super::host::Host;
use super::loops::LoopMemory;
use super::memory::DeviceMemory;
use super::options::Options;
use super::pages::SparseGrids;
use super::probe::Probe;
use super::programs::Programs;
use super::races::Races;
use super::sharing;
use super::startup::Stopwatch;
use super::worlds::{self, WorldLists};

/// A pipeline with its plan, its memory, and its kernels on a device.
pub struct Prepared {
    pub host: Host,
    pub pipeline: Arc<Pipeline>,
    pub plan: Plan,
    pub modules: Vec<Module>,
    pub memory: DeviceMemory,
    pub pages: SparseGrids,
    pub programs: Programs,
    pub races: Races,
    pub arguments: Arguments,
    pub loops: LoopMemory,
    /// Set if there are several worlds.
    pub worlds: Option<WorldLists>,
    pub options: Options,
    pub probe: Arc<dyn Probe>,
    /// The device as CUDA sees it, if CUDA shares the fields.
    pub cuda: Option<Arc<CudaDevice>>,
}

impl Prepared {
    /// Plans, allocates and compiles everything, and fills in the times that this takes.
    pub fn new(
        gpu: &Gpu,
        pipeline: Pipeline,
        modules: Vec<Module>,
        options: Options,
        probe: Arc<dyn Probe>,
        startup: &mut Startup,
    ) -> Result<Prepared, RunError> {
        let mut missing = missing_types(&pipeline, gpu.report());
        (missing.list).extend(excessive_modules(&pipeline, &modules, gpu.report()).list);
        if !missing.is_empty() {
            return Err(RunError::Input(missing));
        }
        let refused = |cause: String| RunError::Input(Problem::without_place(cause).into());
        let plan = crate::plan::plan_for(&pipeline, target(gpu, &pipeline)).map_err(refused)?;
        let axis = worlds::axis(gpu, &pipeline, &plan).map_err(refused)?;
        let host = Host {
            gpu: gpu.clone(),
            timeout: options.timeout,
        };
        let cuda = sharing::device(gpu, options.share)?;
        let pages = SparseGrids::new(gpu, &pipeline)?;
        // In parallel: one waits for disk and device, the other for the compiler of the driver.
        let (memory, programs) = rayon::join(
            || {
                Stopwatch::of(&mut startup.memory_ms, || {
                    DeviceMemory::new(&host, &pipeline, cuda.as_ref())
                })
            },
            || {
                Stopwatch::of(&mut startup.pipelines_ms, || {
                    Programs::new(gpu, &pipeline, &modules, &pages, options.checked, axis)
                })
            },
        );
        let (memory, programs) = (memory?, programs?);
        let mut stopwatch = Stopwatch::start();
        let races = Races::new(&host, &pipeline, &plan, &modules, &memory, &pages)?;
        let worlds = axis
            .map(|axis| WorldLists::new(gpu, &pipeline, &plan, axis))
            .transpose()?;
        let inputs = ArgumentInputs {
            pipeline: &pipeline,
            lists: worlds.as_ref(),
            plan: &plan,
            memory: &memory,
            pages: &pages,
            races: &races,
            shuffle: options.shuffle,
        };
        let arguments = Arguments::new(gpu, inputs)?;
        let loops = LoopMemory::new(gpu, &pipeline, &plan, &memory, worlds.as_ref())?;
        startup.recordings_ms = stopwatch.lap();
        Ok(Prepared {
            host,
            pipeline: Arc::new(pipeline),
            plan,
            modules,
            memory,
            pages,
            programs,
            races,
            arguments,
            loops,
            worlds,
            options,
            probe,
            cuda,
        })
    }

    /// Writes the argument values of a pipeline that differs in nothing else. The device must be idle.
    pub fn set_values(&mut self, pipeline: Pipeline) -> Result<(), RunError> {
        self.write_arguments(&pipeline)?;
        self.pipeline = Arc::new(pipeline);
        Ok(())
    }

    /// As [`Pipeline::set_arguments`]. The device must be idle.
    pub fn set_arguments(&mut self, values: &[(String, Vec<f64>)]) -> Result<bool, RunError> {
        let is_set = Arc::make_mut(&mut self.pipeline).set_arguments(values);
        if is_set {
            self.write_arguments(&self.pipeline)?;
        }
        Ok(is_set)
    }

    /// As [`Pipeline::set_arguments_by_world`]. The device must be idle.
    pub fn set_arguments_by_world(&mut self, values: &[(String, Vec<Vec<f64>>)]) -> Result<bool, RunError> {
        let is_set = Arc::make_mut(&mut self.pipeline).set_arguments_by_world(values);
        if is_set {
            self.write_arguments(&self.pipeline)?;
        }
        Ok(is_set)
    }

    fn write_arguments(&self, pipeline: &Pipeline) -> Result<(), RunError> {
        self.arguments.rewrite(ArgumentInputs {
            pipeline,
            lists: self.worlds.as_ref(),
            plan: &self.plan,
            memory: &self.memory,
            pages: &self.pages,
            races: &self.races,
            shuffle: self.options.shuffle,
        })
    }

    /// The workgroups of a dispatch in all worlds.
    pub fn stacked(&self, mut groups: [u32; 3]) -> [u32; 3] {
        if let Some(lists) = &self.worlds {
            groups[lists.axis.number()] *= self.pipeline.worlds() as u32;
        }
        groups
    }

    /// Keeps memory that kernels access by address alive as long as a recording.
    pub fn hold(&self, recorder: &mut Recorder) -> Result<(), GpuError> {
        self.memory
            .buffers()
            .try_for_each(|buffer| recorder.hold(buffer))?;
        self.pages.hold(recorder)?;
        recorder.hold(&self.arguments.buffer)?;
        self.loops.hold(recorder)?;
        self.worlds.iter().try_for_each(|lists| lists.hold(recorder))?;
        self.races.hold(recorder)
    }
}
