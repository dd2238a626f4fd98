//! The pipeline file: from JSON text to a pipeline, with every mistake reported at once.
//!
//! A file is a small program in a small language; this module is the front end of its compiler:
//!
//! | form | made by | contains |
//! |---|---|---|
//! | text | people | JSON with comments |
//! | [`Document`] | [`json`], [`document`], [`link`] | values with places; contents of modules replace their paths |
//! | [`PipelineFile`] | [`read`] | typed objects with places, expressions as trees; invalid parts are missing |
//! | [`program::Program`] | [`instances`], [`roles`], [`declare`] | scopes, in which names are looked up |
//! | [`calls::Calls`] | [`calls`] | contents of lists, with conditions evaluated and repeats unrolled |
//! | [`Meaning`] | [`resolver`] | actions on resources and fields |
//! | [`Pipeline`] | the passes of [`crate::lower`] | stages and invocations |

mod arguments;
mod arrangement;
mod blocks;
mod calls;
mod channels;
mod checks;
mod declare;
pub mod definitions;
pub mod document;
mod domains;
mod elevations;
mod evaluate;
pub mod file;
mod ids;
mod instances;
mod ir_ids;
pub mod json;
mod kernels;
pub mod layout;
mod lazy;
mod link;
mod locals;
mod lookup;
mod maps;
mod names;
pub mod node;
mod numbers;
mod operations;
mod output_columns;
mod output_faces;
mod output_sources;
mod output_staggered;
mod outputs;
mod overrides;
mod parameters;
mod pointers;
mod program;
pub mod read;
pub mod reference;
mod resolver;
mod resources;
mod role_axes;
mod roles;
mod run;
mod scope;
mod selections;
mod series;
mod shapes;
pub mod shipped;
mod sorts;
mod source_map;
mod sources;
mod sparse;
mod stages;
mod transforms;
mod uses;
mod values;
mod worlds;

use std::path::Path;

use crate::inline_shaders::InlineShaders;
#[cfg(feature = "internals")]
use crate::ir::Pipeline;
use crate::lower::lower;
use crate::lower::meaning::Meaning;
use crate::problem::Problems;
use crate::shader::facts::Kernels;
use crate::shader::library::Library;

pub use document::Document;
pub use shipped::{SHIPPED, unpack};

use calls::calls;
use file::{EntryFile, PipelineFile};
use read::{Read, Reader};
use resolver::Resolver;
pub use worlds::WorldValues;

/// A resolved file, without its invalid parts.
pub struct Resolved {
    /// The meaning, without the parts that have problems.
    pub meaning: Meaning,
    pub problems: Problems,
    /// The values of each world, from the first on; empty if the file has no worlds.
    pub worlds: Vec<WorldValues>,
}

/// Reads a pipeline file, applies the `--set` overrides and resolves it. The document is the file with its modules.
#[cfg(feature = "internals")]
pub fn load(path: &Path, overrides: &[String]) -> Result<(Pipeline, Document), Problems> {
    let (resolved, document) = examine(path, overrides, None)?;
    if resolved.problems.is_empty() {
        Ok((resolved.meaning.pipeline, document))
    } else {
        Err(resolved.problems.located(&document.source_map()))
    }
}

/// Reads and resolves a pipeline file in spite of mistakes. Fails only if nothing can be resolved. With the name of a
/// pass, the meaning is the one after this pass.
#[cfg(feature = "internals")]
pub fn examine(
    path: &Path,
    overrides: &[String],
    last: Option<&str>,
) -> Result<(Resolved, Document), Problems> {
    let mut document = Document::read(path)?;
    for assignment in overrides {
        document.set(assignment)?;
    }
    resolve(&name_of(path), &document, &InlineShaders::default(), &[], last)
}

/// The name of a pipeline: the name of its file without the extension. Directories are named after it, so it must not
/// be a path.
pub fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy());
    match stem.as_deref() {
        None | Some("" | "." | "..") => "pipeline".into(),
        Some(stem) => stem.into(),
    }
}

/// Resolves a document. `texts` are shaders and includes that are not files.
#[cfg(feature = "internals")]
pub fn from_document(
    name: &str,
    document: &Document,
    texts: &InlineShaders,
) -> Result<(Pipeline, Document), Problems> {
    let (resolved, document) = resolve(name, document, texts, &[], None)?;
    if resolved.problems.is_empty() {
        Ok((resolved.meaning.pipeline, document))
    } else {
        Err(resolved.problems.located(&document.source_map()))
    }
}

/// The meaning of a document, and every mistake in it. A mistake does not prevent further checks. `called` are names of
/// groups and stages that clients call between steps.
pub fn resolve(
    name: &str,
    document: &Document,
    texts: &InlineShaders,
    called: &[String],
    last: Option<&str>,
) -> Result<(Resolved, Document), Problems> {
    let (document, mut problems) = link::linked(document);
    let file = PipelineFile::read(document.root(), &mut Reader::new(&mut problems));
    let Some(file) = file else {
        return Err(problems.located(&document.source_map()));
    };
    if let Some(problem) = instances::is_module(&file) {
        problems.push(problem);
        return Err(problems.located(&document.source_map()));
    }
    let between: Vec<EntryFile> = called.iter().map(|name| EntryFile::called(name)).collect();
    let kernels = Kernels::new(Library::new(&document.directory).with_texts(texts));
    let mut program = instances::instances(&file, kernels, problems);
    program.check_axes();
    let first = calls(&program, &between);
    program.mark_uses(&first);
    program.discard_values();
    let calls = calls(&program, &between);
    let mut pipeline = program.pipeline(name, &document, texts);
    pipeline.calls = called.to_vec();
    let thinned = program.thinned(&calls);
    let ids = program.add_resources(&mut pipeline, &thinned);
    program.check_clashes(&pipeline);
    let mut resolver = Resolver::new(&program, pipeline, ids, calls.is_whole);
    let lists = resolver.actions(&calls);
    let mut meaning = Meaning::new(resolver.pipeline.clone(), lists);
    resolver.check_siblings(&meaning);
    resolver.outputs(&mut meaning);
    meaning.watch = resolver.watch();
    meaning.pipeline.parameters = resolver.parameters();
    let is_whole = resolver.is_whole;
    let worlds = program.worlds();
    let mut problems = program.into_problems();
    if last.is_none_or(|last| last != START) {
        let stages = last.unwrap_or("stages");
        lower(&mut meaning, Some(stages));
        problems.list.append(&mut meaning.problems.list);
        if is_whole && last.is_none() {
            problems
                .list
                .extend(checks::inconsistencies(&meaning.pipeline).list);
        }
        if problems.is_empty() && last.is_none() {
            lower(&mut meaning, None);
            problems.list.append(&mut meaning.problems.list);
        }
    }
    let resolved = Resolved {
        meaning,
        problems,
        worlds,
    };
    Ok((resolved, document))
}

/// The name of the form before the first pass.
pub const START: &str = "meaning";
