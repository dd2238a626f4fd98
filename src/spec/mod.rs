//! The pipeline file: from JSON text to a resolved [`Pipeline`], with every problem reported at once.
//!
//! Text becomes a [`Document`] (values that know where they stand), which is checked against the schema of
//! the [`mod@file`] types, deserialized into them, and resolved. Knows no shader and no device.

mod consistency;
pub(crate) mod document;
pub(crate) mod file;
mod indexed;
mod input;
mod levels;
pub(crate) mod measures;
mod names;
mod outputs;
#[cfg(feature = "window")]
mod parameters;
mod parts;
mod resolve;
mod resolver;
mod resources;
mod schema;
pub(crate) mod scope;
mod sources;
mod stages;

use std::path::Path;

use serde_json::Value;

use crate::ir::Pipeline;
use crate::problem::{Problem, Problems};

pub(crate) use document::{Document, SHIPPED};
#[cfg(feature = "window")]
pub(crate) use parameters::{ParameterValue, depth_of_input, input, parameters, value_text};
use parts::Spoilt;

/// What a file means, as far as it could be read.
pub(crate) struct Resolved {
    /// If there are problems, it has only the stages on which they have no effect.
    pub pipeline: Pipeline,
    pub problems: Problems,
    /// What the problems affect.
    pub spoilt: Spoilt,
}

/// Reads a pipeline file, applies the `--set` overrides and resolves it.
pub(crate) fn load(path: &Path, overrides: &[String]) -> Result<(Pipeline, Document), Problems> {
    let (resolved, document) = examine(path, overrides)?;
    match resolved.problems.is_empty() {
        true => Ok((resolved.pipeline, document)),
        false => Err(resolved.problems.located(&document)),
    }
}

/// The same, with what could be read in spite of mistakes. The error is of mistakes that leave nothing to look at.
pub(crate) fn examine(path: &Path, overrides: &[String]) -> Result<(Resolved, Document), Problems> {
    let mut document = Document::read(path)?;
    for assignment in overrides {
        document.set(assignment)?;
    }
    let document = document.expand()?;
    let resolved = resolved(&name_of(path), &document)?;
    Ok((resolved, document))
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
    let resolved = resolved(name, document)?;
    match resolved.problems.is_empty() {
        true => Ok(resolved.pipeline),
        false => Err(resolved.problems.located(document)),
    }
}

/// What an expanded document means, and every mistake in it. What can be checked in spite of a mistake is.
fn resolved(name: &str, document: &Document) -> Result<Resolved, Problems> {
    let whole = document.value();
    // A list as long as that is not worth the memory that it takes to tell what is wrong with each entry.
    for list in ["init", "step", "frame"] {
        let entries = whole[list].as_array().map_or(0, Vec::len);
        if entries > stages::MOST_INVOCATIONS {
            let most = stages::MOST_INVOCATIONS;
            let message = format!("{entries} entries, but a list may have at most {most} dispatches");
            let problem = Problem::new(format!("/{list}"), message);
            return Err(Problems::from(problem.help("use fewer stages that do more")).located(document));
        }
    }
    let mut problems = schema::check(&whole);
    let mut value = whole;
    let spoilt = without_mistakes(&mut value, &problems);
    let file = match serde_json::from_value::<file::PipelineFile>(value.clone()) {
        Ok(file) => file,
        Err(_) if !problems.is_empty() => return Err(problems.located(document)),
        Err(error) => {
            let problem = Problem::new("", error.to_string());
            let help = "`sastrugi schema` prints what is allowed";
            return Err(Problems::from(problem.help(help)).located(document));
        }
    };
    let (mut pipeline, found) = resolve::resolve(name, &file, document, &spoilt);
    let found = found.list.into_iter();
    problems
        .list
        .extend(found.filter(|problem| problem.pointer.is_empty() || !spoilt.contains(&problem.pointer)));
    let mut all = Spoilt::default();
    if !problems.is_empty() {
        // Misspelt keys have been mended, so that their stages are as they were meant.
        let wrong = problems
            .list
            .iter()
            .filter(|problem| !problem.is_on_key() || problem.meant().is_none());
        let wrong = wrong.map(|problem| parts::part_of(&problem.pointer));
        all = Spoilt::by(wrong.chain(spoilt.into_parts()), &value);
        pipeline.stages.retain(|stage| !all.contains(&stage.pointer));
    }
    Ok(Resolved {
        pipeline,
        problems,
        spoilt: all,
    })
}

/// Takes what does not fit the schema out of a file, and returns what these mistakes spoil.
fn without_mistakes(value: &mut Value, problems: &Problems) -> Spoilt {
    if problems.is_empty() {
        return Spoilt::default();
    }
    let whole = value.clone();
    let mut wrong = parts::mend_keys(value, problems);
    // What is wrong with the values of mended keys is found now.
    let left = schema::check(value);
    let left = left.list.iter().filter(|problem| !problem.pointer.is_empty());
    let more: Vec<String> = left.map(|problem| parts::part_of(&problem.pointer)).collect();
    parts::take_out(value, &more);
    wrong.extend(more);
    Spoilt::by(wrong, &whole)
}
