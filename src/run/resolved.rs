//! `resolved.json`: the pipeline that was run, in one file that reproduces the frames from any directory.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::ir::{Pipeline, Resource, ShaderSource, Stage};
use crate::output::{OutputError, write_atomically};
use crate::shader::Module;
use crate::shader::library::path_in_memory;

/// The name of the file in the directory of a run.
pub(super) const FILE_NAME: &str = "resolved.json";

/// The directory for shaders that are not files.
const SHADERS: &str = "shaders";

/// Writes the merged file with its modules and all overrides. Paths of files become absolute, replaced shaders are named,
/// and shaders in memory are written to files next to it.
pub(super) fn write(pipeline: &Pipeline, modules: &[Module], directory: &Path) -> Result<(), OutputError> {
    let mut document = pipeline.document.clone();
    for field in &pipeline.fields {
        if let Some((key, path)) = field.start.file() {
            set(
                &mut document,
                &format!("{}/values/{key}", field.pointer),
                json!(absolute(path)),
            );
        }
    }
    for source in pipeline.resources.iter().flat_map(Resource::sources) {
        if let Some((key, path)) = source.file() {
            let pointer = format!("{}/{key}", source.pointer);
            set(&mut document, &pointer, json!(absolute(path)));
        }
    }
    for (path, content) in pipeline.texts.iter() {
        write_text(&directory.join(SHADERS).join(path), content)?;
    }
    for (stage, module) in pipeline.stages.iter().zip(modules) {
        let file = |name: &String| match path_in_memory(name) {
            Some(path) => directory.join(SHADERS).join(path),
            None => PathBuf::from(name),
        };
        let source = module.kernel.sources.first().map(|(name, _)| file(name));
        let source = source.filter(|path| path.is_file());
        if let Some(path) = source.filter(|_| names_shader(pipeline, &stage.pointer)) {
            set(
                &mut document,
                &format!("{}/shader", stage.pointer),
                json!(shader_path(pipeline, stage, &path)),
            );
        }
    }
    write_atomically(&directory.join(FILE_NAME), |out| writeln!(out, "{document:#}")).map(|_| ())
}

/// Returns true if the value at a pointer is a stage with a shader, and not an operation of the engine.
fn names_shader(pipeline: &Pipeline, pointer: &str) -> bool {
    let stage = pipeline.document.pointer(pointer);
    stage.is_some_and(|stage| {
        ["over", "groups", "emits"]
            .iter()
            .any(|key| stage.get(key).is_some())
    })
}

/// The path of a stage's shader from any directory. Placeholders in a path that stands for several shaders stay.
fn shader_path(pipeline: &Pipeline, stage: &Stage, found: &Path) -> PathBuf {
    let key = stage.pointer.rsplit('/').next().unwrap_or_default();
    let written = pipeline
        .document
        .pointer(&format!("{}/shader", stage.pointer))
        .and_then(Value::as_str);
    let written = written.map_or_else(|| format!("{key}.comp"), str::to_string);
    let filled = match &pipeline.kernel_of(stage).source {
        ShaderSource::Named { path, .. } => path.as_str(),
        _ => "",
    };
    let text = found.display().to_string();
    match text.strip_suffix(filled).filter(|_| written.contains('{')) {
        Some(directory) => absolute(Path::new(directory)).join(written),
        None => absolute(found),
    }
}

fn write_text(path: &Path, content: &[u8]) -> Result<(), OutputError> {
    if let Some(directory) = path.parent() {
        // If that fails, the next line reports it.
        let _ = std::fs::create_dir_all(directory);
    }
    write_atomically(path, |out| out.write_all(content)).map(|_| ())
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

fn set(document: &mut Value, pointer: &str, value: Value) {
    let Some((parent, key)) = pointer.rsplit_once('/') else {
        return;
    };
    if let Some(Value::Object(members)) = document.pointer_mut(parent) {
        members.insert(key.to_string(), value);
    }
}
