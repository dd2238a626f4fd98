//! Measures on a device, validation layer on: what reductions give against their twin on the processor, what becomes
//! of it in files, and the watch.

mod everywhere;
mod reductions;
mod series;
mod watch;

use std::path::{Path, PathBuf};

use sastrugi::gpu::Gpu;
use sastrugi::ir::Pipeline;
use sastrugi::run::Simulation;
use sastrugi::spec::{self, Document};
use serde_json::Value;

use super::common::{self, simulation::*};
use super::reference::partials as twin;

fn directory() -> PathBuf {
    root().join("tests/data/measures")
}

fn pipeline(file: &Value) -> Pipeline {
    pipeline_in(&directory(), file)
}

fn simulation(gpu: &Gpu, pipeline: Pipeline) -> Simulation {
    common::simulation::simulation(gpu, pipeline, CHECKED)
}

/// Exit code and output of a run of the program, without line breaks.
struct Ran {
    code: Option<i32>,
    text: String,
}

/// Runs a pipeline with the program, validation layer on, into a directory; `None` where there is no device.
fn program(file: &Value, out: &Path, more: &[&str]) -> Option<Ran> {
    common::gpu()?;
    let place = tempfile::Builder::new()
        .prefix("spec")
        .suffix(".json")
        .tempfile()
        .unwrap();
    let mut file = file.clone();
    common::take_shaders(&directory(), &mut file);
    std::fs::write(place.path(), file.to_string()).unwrap();
    let output = common::start()
        .env("NO_COLOR", "1")
        .arg("run")
        .arg(place.path())
        .args(["--quiet", "--validation", "--out"])
        .arg(out)
        .args(more)
        .output()
        .unwrap();
    let both = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    Some(Ran {
        code: output.status.code(),
        text: both.join(" ").split_whitespace().collect::<Vec<_>>().join(" "),
    })
}
