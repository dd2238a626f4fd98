//! `resolved.json`: the pipeline as it was run, in one file that gives the same frames again from anywhere.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::ir::{Pipeline, Resource, Start};
use crate::output::{OutputError, write_whole};
use crate::shader::Module;

/// Writes the merged file with all overrides; paths of files become absolute, swapped shaders are named.
pub fn write(pipeline: &Pipeline, modules: &[Module], directory: &Path) -> Result<(), OutputError> {
    let mut document = pipeline.document.clone();
    for field in &pipeline.fields {
        if let Start::Heights(image) = &field.start {
            let pointer = format!("{}/image", pipeline.resources[field.resource].pointer());
            set(&mut document, &pointer, json!(absolute(&image.path)));
        }
    }
    for source in pipeline.resources.iter().flat_map(Resource::sources) {
        if let Some((key, path)) = source.file() {
            let pointer = format!("{}/{key}", source.pointer);
            set(&mut document, &pointer, json!(absolute(path)));
        }
    }
    let shaders = pipeline
        .shader_directory
        .clone()
        .unwrap_or_else(|| pipeline.directory.join("../shaders"));
    if shaders.is_dir() {
        set(&mut document, "/shaders", json!(absolute(&shaders)));
    }
    for (stage, module) in pipeline.stages.iter().zip(modules) {
        let source = module
            .kernel
            .sources
            .first()
            .map(|(name, _)| Path::new(name))
            .filter(|path| path.is_file());
        // Stages of the engine's own stand behind entries that name no shader.
        let entry = pipeline.document.pointer(&stage.pointer);
        let of_file = entry.is_some_and(|entry| entry.get("stage").is_some());
        if let Some(path) = source.filter(|_| of_file) {
            set(
                &mut document,
                &format!("{}/shader", stage.pointer),
                json!(absolute(path)),
            );
        }
    }
    write_whole(&directory.join("resolved.json"), |out| {
        writeln!(out, "{document:#}")
    })
    .map(|_| ())
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
