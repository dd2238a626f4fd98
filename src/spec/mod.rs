//! The pipeline file: from JSON text to a resolved [`Pipeline`], with every problem reported at once.
//!
//! Text becomes a [`Document`] (values that know where they stand), which is checked against the schema of
//! the [`mod@file`] types, deserialized into them, and resolved. Knows no shader and no device.

mod consistency;
pub(crate) mod document;
pub(crate) mod file;
mod indexed;
mod levels;
pub(crate) mod measures;
mod names;
mod outputs;
mod resolve;
mod resolver;
mod resources;
mod schema;
pub(crate) mod scope;
mod sources;
mod stages;

use std::path::Path;

use crate::ir::Pipeline;
use crate::problem::{Problem, Problems};

pub(crate) use document::Document;

/// Reads a pipeline file, applies the `--set` overrides and resolves it.
pub(crate) fn load(path: &Path, overrides: &[String]) -> Result<(Pipeline, Document), Problems> {
    let mut document = Document::read(path)?;
    for assignment in overrides {
        document.set(assignment)?;
    }
    let name = name_of(path);
    let document = document.expand()?;
    let pipeline = from_document(&name, &document)?;
    Ok((pipeline, document))
}

/// The name of a pipeline: that of its file, without the ending. Directories are named after it, so it never leads out of one.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy());
    match stem.as_deref() {
        None | Some("" | "." | "..") => "pipeline".into(),
        Some(stem) => stem.into(),
    }
}

/// Checks and resolves a document.
pub(crate) fn from_document(name: &str, document: &Document) -> Result<Pipeline, Problems> {
    let document = &document.expand()?;
    let mut value = document.value();
    // A list as long as that is not worth the memory that it takes to tell what is wrong with each entry.
    for list in ["init", "step", "frame"] {
        let entries = value[list].as_array().map_or(0, Vec::len);
        if entries > stages::MOST_INVOCATIONS {
            let most = stages::MOST_INVOCATIONS;
            let message = format!("{entries} entries, but a list may have at most {most} dispatches");
            let problem = Problem::new(format!("/{list}"), message);
            return Err(Problems::from(problem.help("use fewer stages that do more")).located(document));
        }
    }
    let mut problems = schema::check(&value);
    // Without its unknown keys the file may still be read, so that what else is wrong is reported with them.
    problems
        .unknown_keys()
        .for_each(|pointer| schema::remove(&mut value, pointer));
    let resolved = match serde_json::from_value::<file::PipelineFile>(value) {
        Ok(file) => resolve::resolve(name, &file, document),
        Err(_) if !problems.is_empty() => Err(Problems::default()),
        Err(error) => Err(Problem::new("", error.to_string())
            .help("`sastrugi schema` prints what is allowed")
            .into()),
    };
    match resolved {
        Ok(pipeline) if problems.is_empty() => Ok(pipeline),
        Ok(_) => Err(problems.located(document)),
        Err(more) => {
            problems.list.extend(more.list);
            Err(problems.located(document))
        }
    }
}
