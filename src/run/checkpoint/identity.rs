//! The identity of a run. A run resumes only from checkpoints with the same identity.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::input_file;
use crate::ir::Pipeline;
use crate::shader::Module;

/// Hashes (BLAKE3, hexadecimal) of everything that affects steps. The contents of files matter, their paths do not.
/// Outputs, titles and the number of frames may change when a run resumes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunIdentity {
    /// The pipeline file with everything merged and set.
    pub pipeline: String,
    /// Files that particles come from, by source.
    #[serde(default)]
    pub sources: Vec<(String, String)>,
    /// Files that channels start from, by field.
    #[serde(default)]
    pub values: Vec<(String, String)>,
    /// SPIR-V of every stage.
    pub stages: Vec<(String, String)>,
}

/// Keys of a pipeline file that do not affect steps.
const BESIDE: [&str; 3] = ["$schema", "title", "outputs"];
/// Keys of `run` that do not affect steps.
const BESIDE_RUN: [&str; 5] = [
    "frames",
    "checkpoint_every",
    "checkpoints_kept",
    "watch_every",
    "watch_fields",
];

impl RunIdentity {
    pub fn of(pipeline: &Pipeline, modules: &[Module]) -> RunIdentity {
        let mut document = pipeline.document.clone();
        if let Value::Object(members) = &mut document {
            BESIDE.into_iter().for_each(|key| {
                members.shift_remove(key);
            });
        }
        BESIDE_RUN
            .into_iter()
            .for_each(|key| remove(&mut document, "/run", key));
        // A file that cannot be read is an error elsewhere.
        let hash = |path: &Path| {
            let bytes = input_file::read(path, u64::MAX).unwrap_or_default();
            blake3::hash(&bytes).to_hex().to_string()
        };
        let (mut sources, mut values) = (Vec::new(), Vec::new());
        for resource in &pipeline.resources {
            for source in resource.sources() {
                if let Some((key, path)) = source.file() {
                    remove(&mut document, &source.pointer, key);
                    sources.push((source.pointer.clone(), hash(path)));
                }
            }
        }
        for field in &pipeline.fields {
            if let Some((key, path)) = field.start.file() {
                remove(&mut document, &format!("{}/values", field.pointer), key);
                values.push((field.name.clone(), hash(path)));
            }
        }
        let mut stages = Vec::new();
        for (stage, module) in pipeline.stages.iter().zip(modules) {
            remove(&mut document, &stage.pointer, "shader");
            if stage.computes_state() && !is_only_called(pipeline, &stage.name) {
                stages.push((stage.name.clone(), module.hash.to_hex().to_string()));
            }
        }
        RunIdentity {
            pipeline: blake3::hash(document.to_string().as_bytes()).to_hex().to_string(),
            sources,
            values,
            stages,
        }
    }

    /// The first difference between two identities.
    pub fn differs_from(&self, other: &RunIdentity) -> Option<String> {
        let changed = |a: &[(String, String)], b: &[(String, String)]| {
            let differs = |(name, hash): &&(String, String)| !b.iter().any(|(n, h)| n == name && h == hash);
            a.iter().find(differs).map(|(name, _)| name.clone())
        };
        let either = |a: &[(String, String)], b: &[(String, String)]| changed(a, b).or_else(|| changed(b, a));
        if self.pipeline != other.pipeline {
            return Some("the pipeline or its parameters have changed".into());
        }
        if let Some(name) = either(&self.sources, &other.sources) {
            return Some(format!("the file of particles at `{name}` has changed"));
        }
        if let Some(name) = either(&self.values, &other.values) {
            return Some(format!(
                "the file with the initial values of `{name}` has changed"
            ));
        }
        either(&self.stages, &other.stages).map(|name| format!("the shader of stage `{name}` has changed"))
    }
}

/// Returns true if only calls between steps run a stage. Its kernel does not affect later steps.
fn is_only_called(pipeline: &Pipeline, name: &str) -> bool {
    let lists = [&pipeline.init, &pipeline.step, &pipeline.frame]
        .into_iter()
        .flatten();
    let mut entries = lists
        .filter(|entry| pipeline.stages[entry.stage].name == name)
        .peekable();
    entries.peek().is_some() && entries.all(|entry| entry.call.is_some())
}

fn remove(document: &mut Value, pointer: &str, key: &str) {
    if let Some(Value::Object(members)) = document.pointer_mut(pointer) {
        members.shift_remove(key);
    }
}
