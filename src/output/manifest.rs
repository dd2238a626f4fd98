//! `manifest.json`: the pipeline of a run, its device, its results and times. It is written at the start and at the end.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::input_file;

use super::format::PROGRAM;
use super::{Format, OutputError, Written, write_atomically};

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Running,
    Done,
    Failed,
    Interrupted,
}

/// All of `manifest.json`. The caller fills it in; hashes are BLAKE3 in hexadecimal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Program and version, `sastrugi 0.2.0`.
    pub program: String,
    pub state: Status,
    /// Why the run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub pipeline: PipelineEntry,
    /// One entry per stage, in the pipeline's order.
    pub shaders: Vec<ShaderHash>,
    pub device: Device,
    /// The processes of the run, if there were several; `device` is that of rank 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<RanksEntry>,
    /// The number of worlds, if there are several; `seed` and `parameters` are those of the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worlds: Option<usize>,
    pub seed: u64,
    /// Seconds of simulated time per step.
    pub dt: f64,
    /// Seconds of simulated time per frame: frame n is at n times this.
    #[serde(default)]
    pub frame_seconds: f64,
    /// The parameters that have a unit or a help: the number, or the components of the vector.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Vec<f64>>,
    /// The frame of the checkpoint that this part of the run resumed from. Times are of this part, counts of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed_from: Option<u64>,
    /// Steps done.
    pub steps: u64,
    /// Number of finished frames, including frames that no output writes.
    pub frames: u64,
    /// Files by output name.
    pub outputs: BTreeMap<String, OutputFiles>,
    pub wall_seconds: f64,
    /// From the end of the first step until the last file is complete.
    pub steps_per_second: f64,
    /// The options of the run; a resumed run uses them again.
    #[serde(default)]
    pub flags: Flags,
    /// Times of the start until the first step; absent before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup: Option<Startup>,
    /// In the pipeline's order.
    pub stage_gpu_ms: Vec<StageTime>,
    /// At the end of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sparse_grids: Vec<SparseGridUse>,
    /// Dynamic particle sets, at the end of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub particles: Vec<ParticlesUse>,
    /// Repeats that reached their maximum number of iterations while their condition still held.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<UnfinishedRepeat>,
}

/// The processes of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RanksEntry {
    pub count: usize,
    /// Parts along each axis.
    pub cut: [usize; 3],
    /// The first cell of each part along each axis, and the end of the last.
    #[serde(default)]
    pub planes: [Vec<u64>; 3],
}

/// Options that are not part of the pipeline file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Flags {
    pub hash: bool,
    pub checked: bool,
    /// A checked run detects data races.
    pub races: Option<bool>,
    /// Determines the order of workgroups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shuffle: Option<u32>,
    pub full_barriers: bool,
    /// Seconds.
    pub timeout: Option<u64>,
}

/// Durations of the parts of the start, in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Startup {
    /// Opening the device; for the first run of a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_ms: Option<f64>,
    /// Compiling shaders, or taking them from the cache.
    pub shaders_ms: f64,
    /// Allocating and filling memory, including reading the files for it.
    pub memory_ms: f64,
    /// Creating pipelines, which the driver compiles or takes from its caches; overlaps with memory.
    pub pipelines_ms: f64,
    pub recordings_ms: f64,
    /// Submitting the init stages, or uploading the checkpoint's state.
    pub init_ms: f64,
    /// Submitting the first step, in which some drivers compile.
    #[serde(default)]
    pub first_step_ms: f64,
    /// From the open device until the first step is submitted; for the first run of a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_to_first_step_ms: Option<f64>,
    /// From the program's first line until the first step is submitted; for its first run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_to_first_step_ms: Option<f64>,
}

/// The particle counts of a dynamic set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParticlesUse {
    pub set: String,
    pub capacity: u64,
    pub live: u64,
    /// Births for which there was no room.
    pub refused: u64,
}

/// A repeat with `while` that reached its maximum number of iterations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnfinishedRepeat {
    pub repeat: String,
    /// The buffer of its condition, or `clock.left`.
    #[serde(rename = "while")]
    pub condition: String,
    /// Number of times that it did not finish.
    pub times: u64,
    /// The first time: the step, counted from 1, or the frame for a repeat of `frame`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_step: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_frame: Option<u64>,
}

/// The active blocks and memory of a sparse grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SparseGridUse {
    pub grid: String,
    pub active_blocks: u64,
    /// Memory that its blocks take.
    pub resident_bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PipelineEntry {
    pub title: String,
    /// File name without its directory, so that the manifest does not depend on the directory of the project.
    pub file: String,
    /// Hash of the text that was run: after `--set`, `--stage` and `--frames`.
    pub blake3: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShaderHash {
    pub stage: String,
    pub shader: String,
    /// Hash of the SPIR-V module.
    pub blake3: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    pub name: String,
    pub driver: String,
    pub api_version: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputFiles {
    pub format: String,
    /// It has every n-th frame.
    #[serde(default = "one")]
    pub every: u64,
    /// It also has frame 0, the state before the first step.
    #[serde(default)]
    pub initial: bool,
    /// Units of fields, by their names in the pipeline.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub units: BTreeMap<String, String>,
    /// Complete files.
    pub files: u64,
    pub bytes: u64,
}

impl OutputFiles {
    /// An output without files so far.
    fn new(format: &str) -> OutputFiles {
        OutputFiles {
            format: format.to_owned(),
            every: 1,
            initial: false,
            units: BTreeMap::new(),
            files: 0,
            bytes: 0,
        }
    }
}

fn one() -> u64 {
    1
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageTime {
    pub stage: String,
    /// Number of timed executions.
    pub samples: u64,
    /// Milliseconds on the GPU, the median of the samples.
    pub median_ms: f64,
}

/// Largest manifest that is read.
const MAX_BYTES: u64 = 64 << 20;

impl Manifest {
    pub const FILE_NAME: &'static str = "manifest.json";

    /// The `program` entry of this build.
    pub fn program() -> String {
        PROGRAM.to_owned()
    }

    /// Adds an entry for an output before its first file, so that outputs without files are also listed.
    pub fn declare_output(&mut self, name: &str, format: Format, every: u64, initial: bool) {
        let files = OutputFiles {
            every,
            initial,
            ..OutputFiles::new(format.extension())
        };
        self.outputs.insert(name.to_owned(), files);
    }

    /// Adds or updates the entry of a series, which is one growing file.
    pub fn declare_series(&mut self, name: &str, format: &str, every: u64, bytes: u64) {
        let series = OutputFiles {
            every,
            initial: true,
            files: u64::from(bytes > 0),
            bytes,
            ..OutputFiles::new(format)
        };
        self.outputs.insert(name.to_owned(), series);
    }

    /// Sets the counts of the declared outputs from the written files.
    pub fn count_files(&mut self, written: &[Written]) {
        for (name, entry) in &mut self.outputs {
            let of_output = written.iter().filter(|file| file.output == *name);
            (entry.files, entry.bytes) = Written::total(of_output);
        }
    }

    /// The manifest in a directory; `None` if there is none, or it has another version.
    pub fn read(directory: &Path) -> Option<Manifest> {
        let text = input_file::read_text(&directory.join(Self::FILE_NAME), MAX_BYTES).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Replaces `manifest.json` in `directory` atomically.
    pub fn write(&self, directory: &Path) -> Result<PathBuf, OutputError> {
        let path = directory.join(Self::FILE_NAME);
        write_atomically(&path, |out| {
            serde_json::to_writer_pretty(&mut *out, self).map_err(io::Error::from)?;
            out.write_all(b"\n")
        })?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests;
