//! Pipelines from requests of Python: the name of a shipped pipeline, a file, or a text, with kernels in memory.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use sastrugi::{Builder, Pipeline, Problems, Value, shipped};

use super::error::of_problems;

/// A request for a pipeline: its source, kernels in memory, and assignments.
#[derive(FromPyObject)]
pub struct Spec {
    /// A file or the name of a shipped pipeline; none for a text.
    #[pyo3(item)]
    file: Option<PathBuf>,
    #[pyo3(item)]
    text: Option<String>,
    /// The name of a text in messages.
    #[pyo3(item)]
    name: String,
    /// GLSL by the path that stages and includes use.
    #[pyo3(item)]
    kernels: BTreeMap<String, String>,
    /// The base of relative paths in a text.
    #[pyo3(item)]
    directory: Option<PathBuf>,
    /// `PATH=VALUE`, as on the command line.
    #[pyo3(item)]
    set: Vec<String>,
}

impl Spec {
    /// Checks the pipeline.
    pub fn build(&self) -> Result<Pipeline, Problems> {
        let builder = match (&self.text, &self.file) {
            (Some(text), _) => Pipeline::from_json(text).name(&self.name),
            (None, file) => Pipeline::from_file(shipped::find(file.as_deref().unwrap_or("".as_ref()))?),
        };
        let builder = match &self.directory {
            Some(directory) => builder.directory(directory),
            None => builder,
        };
        let with_kernel =
            |builder: Builder, (path, text): (&String, &String)| builder.shader(path, text.as_bytes());
        let builder = self.kernels.iter().fold(builder, with_kernel);
        let builder = match sastrugi::cache_directory() {
            Some(directory) => builder.cache(directory),
            None => builder,
        };
        builder.set_all(&self.set).report_shaders().build()
    }
}

/// The start of the paths of values that differ between worlds.
pub const OF_WORLDS: &str = "worlds.set.";

/// Assignments as numbers.
#[derive(Default)]
pub struct Numbers {
    pub uniform: Vec<(String, Vec<f64>)>,
    pub by_world: Vec<(String, Vec<Vec<f64>>)>,
}

impl Numbers {
    /// `None` if some value is an expression.
    pub fn of(values: &[(String, String)]) -> Option<Numbers> {
        let mut numbers = Numbers::default();
        for (path, assignment) in values {
            let (_, value) = assignment.split_once('=')?;
            match (path.strip_prefix(OF_WORLDS), value.parse::<Value>().ok()?) {
                (Some(name), Value::Array(worlds)) => {
                    let worlds = worlds.iter().map(components).collect::<Option<_>>()?;
                    numbers.by_world.push((name.to_string(), worlds));
                }
                (Some(_), _) => return None,
                (None, value) => numbers.uniform.push((path.clone(), components(&value)?)),
            }
        }
        Some(numbers)
    }
}

fn components(value: &Value) -> Option<Vec<f64>> {
    match value {
        Value::Array(items) => items.iter().map(Value::as_f64).collect(),
        value => Some(vec![value.as_f64()?]),
    }
}

/// Checks a pipeline and compiles its kernels, without a device.
#[pyfunction]
pub fn check(py: Python<'_>, spec: Spec) -> PyResult<()> {
    let checked = py.detach(|| spec.build()?.check_shaders());
    checked.map_err(|problems| of_problems(py, &problems))
}
