//! The manifest of a run, filled in during the run.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::ir::{List, Pipeline};
use crate::output::manifest::{
    self, Manifest, ParticlesUse, ShaderHash, SparseGridUse, StageTime, Startup, Status, UnfinishedRepeat,
};
use crate::output::{OutputError, Written};
use crate::shader::Module;

use super::checkpoint::{CheckpointDescription, OutputCount};
use super::frames::Frames;
use super::options::Options;
use super::request::RunRequest;
use super::simulation::Simulation;
use super::startup;
use super::unfinished::Unfinished;

pub(super) struct Report {
    manifest: Manifest,
    /// Files of earlier parts of the run, by output.
    files_before: BTreeMap<String, OutputCount>,
    shaders_ms: f64,
}

impl Report {
    pub(super) fn new(run: &RunRequest, modules: &[Module], shaders_ms: f64) -> Report {
        let device = run.gpu.report();
        let shaders = modules.iter().map(|module| ShaderHash {
            stage: module.stage.clone(),
            shader: module
                .kernel
                .sources
                .first()
                .map(|(name, _)| file_name(Path::new(name)))
                .unwrap_or_default(),
            blake3: module.hash.to_hex().to_string(),
        });
        let mut manifest = Manifest {
            program: Manifest::program(),
            state: Status::Running,
            error: None,
            pipeline: manifest::PipelineEntry {
                title: run.pipeline.title.clone(),
                file: file_name(run.file),
                blake3: hash_of(&run.pipeline),
            },
            shaders: shaders.collect(),
            device: manifest::Device {
                name: device.name.clone(),
                driver: format!("{} {}", device.driver_name, device.driver_info),
                api_version: device.api_version.clone(),
            },
            ranks: ranks_of(&run.pipeline),
            worlds: (run.pipeline.worlds() > 1).then_some(run.pipeline.worlds()),
            seed: u64::from(run.pipeline.seed),
            dt: run.pipeline.dt,
            frame_seconds: run.pipeline.dt * f64::from(run.pipeline.steps_per_frame),
            parameters: (run.pipeline.parameters.iter())
                .filter(|parameter| parameter.is_reported)
                .map(|parameter| (parameter.name.clone(), parameter.values.clone()))
                .collect(),
            resumed_from: None,
            steps: 0,
            frames: 0,
            outputs: Default::default(),
            wall_seconds: 0.0,
            steps_per_second: 0.0,
            stage_gpu_ms: Vec::new(),
            sparse_grids: Vec::new(),
            particles: Vec::new(),
            unfinished: Vec::new(),
            startup: None,
            flags: manifest::Flags {
                hash: run.hash,
                checked: run.options.checked,
                races: Some(run.options.races),
                shuffle: run.options.shuffle,
                full_barriers: run.options.full_barriers,
                timeout: Some(run.options.timeout.as_secs()),
            },
        };
        for output in &run.pipeline.outputs {
            manifest.declare_output(&output.name, output.content.format, output.every, output.initial);
            if let Some(entry) = manifest.outputs.get_mut(&output.name) {
                let units = output.content.columns.iter();
                let units = units.filter_map(|column| Some((column.name.clone(), column.units.clone()?)));
                entry.units = units.collect();
            }
        }
        for series in &run.pipeline.series {
            manifest.declare_series(&series.name, series.format.extension(), series.every, 0);
        }
        Report {
            manifest,
            files_before: BTreeMap::new(),
            shaders_ms,
        }
    }

    /// The run resumes from a checkpoint: counts include those of earlier parts.
    pub(super) fn resume_from(&mut self, description: &CheckpointDescription) {
        self.files_before = description.outputs.clone();
        self.manifest.resumed_from = (description.frames > 0).then_some(description.frames);
        self.manifest.steps = description.steps;
        self.manifest.frames = description.frames;
        self.count(&[]);
    }

    /// The run continues with other parts from a checkpoint of its own.
    pub(super) fn move_parts(&mut self, pipeline: &Pipeline, description: &CheckpointDescription) {
        let resumed_from = self.manifest.resumed_from;
        self.resume_from(description);
        self.manifest.resumed_from = resumed_from;
        self.manifest.ranks = ranks_of(pipeline);
    }

    fn count(&mut self, written: &[Written]) {
        self.manifest.count_files(written);
        let is_new = |output: &String| !written.iter().any(|file| file.output == *output && file.grows);
        for (output, before) in &self.files_before {
            if let Some(files) = self.manifest.outputs.get_mut(output).filter(|_| is_new(output)) {
                files.files += before.files;
                files.bytes += before.bytes;
            }
        }
    }

    /// Fills in the counts and times at the end. `elapsed` is the time since the run began; the rate of steps is counted from
    /// `steps` steps at the time `since`.
    pub(super) fn result(
        &mut self,
        simulation: &Simulation,
        frames: &Frames,
        elapsed: Duration,
        (steps, since): (u64, Instant),
    ) {
        self.count(&frames.writers.written());
        let manifest = &mut self.manifest;
        manifest.steps = simulation.steps();
        manifest.frames = frames.complete();
        for (series, bytes) in simulation.pipeline().series.iter().zip(frames.measures.bytes()) {
            manifest.declare_series(&series.name, series.format.extension(), series.every, bytes);
        }
        manifest.wall_seconds += elapsed.as_secs_f64();
        manifest.steps_per_second =
            (simulation.steps() - steps) as f64 / since.elapsed().as_secs_f64().max(1e-9);
        let grids = simulation.pages().into_iter();
        manifest.sparse_grids = grids
            .map(|usage| SparseGridUse {
                grid: usage.grid,
                active_blocks: usage.active_blocks,
                resident_bytes: usage.resident_bytes,
            })
            .collect();
        let medians = simulation.timing().medians();
        manifest.stage_gpu_ms = medians
            .into_iter()
            .map(|(stage, samples, median_ms)| StageTime {
                stage: simulation.pipeline().stages[stage].name.clone(),
                samples,
                median_ms,
            })
            .collect();
    }

    /// Fills in the times of the start.
    pub(super) fn startup(&mut self, run: &RunRequest, simulation: &Simulation) {
        let first_step = simulation
            .first_step()
            .filter(|_| self.manifest.startup.is_none());
        let Some(first_step) = first_step else {
            return;
        };
        let mut startup = Startup {
            shaders_ms: self.shaders_ms,
            ..simulation.startup().clone()
        };
        startup::complete(&mut startup, run.gpu, run.began, first_step);
        self.manifest.startup = Some(startup);
    }

    /// Fills in the counts of dynamic particle sets.
    pub(super) fn populations(&mut self, populations: Vec<ParticlesUse>) {
        self.manifest.particles = populations;
    }

    /// Adds the repeats that used all their iterations, to those before parts moved.
    pub(super) fn unfinished(&mut self, repeats: &[Unfinished]) {
        let repeats = repeats.iter().map(|repeat| UnfinishedRepeat {
            repeat: repeat.repeat.clone(),
            condition: repeat.condition.clone(),
            times: repeat.times.into(),
            first_step: (repeat.list == List::Step).then_some(repeat.step),
            first_frame: (repeat.list == List::Frame).then_some(repeat.frame),
        });
        let all = &mut self.manifest.unfinished;
        for new in repeats {
            let same =
                |old: &&mut UnfinishedRepeat| (&old.repeat, &old.condition) == (&new.repeat, &new.condition);
            match all.iter_mut().find(same) {
                Some(old) => old.times += new.times,
                None => all.push(new),
            }
        }
    }

    pub(super) fn write(
        &mut self,
        directory: &Path,
        state: Status,
        error: Option<String>,
    ) -> Result<(), OutputError> {
        self.manifest.state = state;
        self.manifest.error = error;
        self.manifest.write(directory).map(|_| ())
    }
}

/// The ranks of a pipeline that is cut, and their parts.
fn ranks_of(pipeline: &Pipeline) -> Option<manifest::RanksEntry> {
    let partition = &pipeline.cut.as_deref()?.partition;
    Some(manifest::RanksEntry {
        count: partition.ranks(),
        cut: partition.parts,
        planes: partition.planes.clone(),
    })
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The hash of the text of a pipeline in a manifest.
pub(super) fn hash_of(pipeline: &Pipeline) -> String {
    let document = pipeline.document.to_string();
    blake3::hash(document.as_bytes()).to_hex().to_string()
}

/// The options of the run in a directory. The second value is true if its states were hashed.
pub fn options_of(directory: &Path) -> Option<(Options, bool)> {
    let flags = Manifest::read(directory)?.flags;
    let options = Options {
        checked: flags.checked,
        races: flags.races.unwrap_or(Options::PLAIN.races),
        shuffle: flags.shuffle,
        full_barriers: flags.full_barriers,
        share: Options::PLAIN.share,
        timeout: flags.timeout.map_or(Options::PLAIN.timeout, Duration::from_secs),
    };
    Some((options, flags.hash))
}
