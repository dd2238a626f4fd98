//! `resolved.json`: the pipeline that was run, in one file that reproduces the frames from any directory.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::ir::{Pipeline, Resource, Start};
use crate::output::{OutputError, write_whole};
use crate::shader::Module;
use crate::shader::library::path_in_memory;

/// Its name in the directory of a run.
pub(super) const FILE_NAME: &str = "resolved.json";

/// Where the shaders lie that the run did not find on disk.
const SHADERS: &str = "shaders";

/// Writes the merged file with all overrides; paths of files become absolute, and replaced shaders are named. Shaders
/// in memory become files beside it.
pub(super) fn write(pipeline: &Pipeline, modules: &[Module], directory: &Path) -> Result<(), OutputError> {
    let mut document = pipeline.document.clone();
    for field in &pipeline.fields {
        if let Start::Heights(image) = &field.start {
            let pointer = format!("{}/image", pipeline.resources[field.resource].pointer());
            set(&mut document, &pointer, json!(absolute(&image.path)));
        }
        if let Some((key, path)) = field.start.file() {
            let pointer = pipeline.resources[field.resource].pointer_of_channel(field.channel());
            let pointer = format!("{pointer}/values/{key}");
            set(&mut document, &pointer, json!(absolute(path)));
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
        // Entries of the engine do not name a shader.
        let entry = pipeline.document.pointer(&stage.pointer);
        let of_file = entry.is_some_and(|entry| entry.get("stage").is_some());
        if let Some(path) = source.filter(|_| of_file) {
            set(
                &mut document,
                &format!("{}/shader", stage.pointer),
                json!(absolute(&path)),
            );
        }
    }
    write_whole(&directory.join(FILE_NAME), |out| writeln!(out, "{document:#}")).map(|_| ())
}

fn write_text(path: &Path, content: &[u8]) -> Result<(), OutputError> {
    if let Some(directory) = path.parent() {
        // Where that fails, the next line says so.
        let _ = std::fs::create_dir_all(directory);
    }
    write_whole(path, |out| out.write_all(content)).map(|_| ())
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
