//! Names of the files that a run writes.

use std::path::Path;

use crate::ir::{Output, Pipeline};
use crate::output::SCENE;
use crate::output::manifest::Manifest;
use crate::problem::Problem;
use crate::run::error::RunError;
use crate::run::trace::Trace;
use crate::run::{hashes, resolved};

/// Refuses file names that two writers of a run would share, and a trace that cannot be written.
pub fn check_names(
    pipeline: &Pipeline,
    directory: &Path,
    hash: bool,
    trace: Option<&Path>,
) -> Result<(), RunError> {
    let refuse = |message: String, help: &str| {
        let problem = Problem::without_place(message).help(help);
        Err(RunError::Input(problem.into()))
    };
    let is_hashes = |name: String| name == hashes::FILE_NAME;
    let mut series = pipeline.series.iter();
    if hash && series.any(|series| is_hashes(format!("{}.{}", series.name, series.format.extension()))) {
        return refuse(
            format!(
                "--hash writes {}, and so does the series `hashes`",
                hashes::FILE_NAME
            ),
            "give the series another name",
        );
    }
    let is_scene = |output: &Output| {
        let list = output.content.format.descriptor().list(&output.content);
        list.is_some_and(|list| format!("{}.{list}", output.name) == SCENE)
    };
    if pipeline.outputs.iter().any(is_scene) {
        return refuse(
            format!("{SCENE} shows all outputs, and so it cannot be the list of the output `scene`"),
            "give the output another name",
        );
    }
    let Some(trace) = trace else { return Ok(()) };
    if trace.file_name().is_none() || trace.is_dir() {
        return refuse(
            format!("--trace {}: this is a directory, not a file", trace.display()),
            "name a file, for example trace.json",
        );
    }
    let parent = match trace.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let is_same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    };
    let into_own = is_same(parent, directory);
    if !into_own && !parent.is_dir() {
        return refuse(
            format!(
                "--trace {}: there is no directory {}",
                trace.display(),
                parent.display()
            ),
            "create it, or name another file",
        );
    }
    let name = trace
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let of_output = pipeline
        .outputs
        .iter()
        .any(|output| is_of_output(&name, &output.name, output.content.format.extension()));
    let of_series = pipeline
        .series
        .iter()
        .any(|series| is_of_output(&name, &series.name, series.format.extension()));
    if into_own && (is_fixed(&name) || of_output || of_series) {
        return refuse(
            format!("--trace {}: the run itself writes that file", trace.display()),
            "name another file, for example trace.json",
        );
    }
    if let Err(cause) = Trace::check_target(trace) {
        return refuse(
            format!(
                "--trace {} would replace a file that is not a trace: {cause}",
                trace.display()
            ),
            "name another file, for example trace.json, or remove this one",
        );
    }
    Ok(())
}

/// Returns true for names of files that every run writes.
pub(super) fn is_fixed(name: &str) -> bool {
    [Manifest::FILE_NAME, resolved::FILE_NAME, hashes::FILE_NAME, SCENE].contains(&name)
}

/// Returns true if a file belongs to an output: `view.0001.png`, `totals.csv`, the lists `view.pvd` and `view.usda`, or
/// the coordinate system `depth.0001.prj` of a map.
pub(super) fn is_of_output(name: &str, output: &str, format: &str) -> bool {
    let Some(rest) = name.strip_prefix(output).and_then(|rest| rest.strip_prefix('.')) else {
        return false;
    };
    let is_end = |end: &str| end == format || end == "prj" && format == "asc";
    let is_frame = |rest: &str| match rest.split_once('.') {
        Some((frame, end)) => !frame.is_empty() && frame.bytes().all(|b| b.is_ascii_digit()) && is_end(end),
        None => false,
    };
    rest == format || ["pvd", "usda"].contains(&rest) || is_frame(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_outputs() {
        for name in [
            "view.0001.png",
            "view.123456.png",
            "view.png",
            "view.pvd",
            "view.usda",
        ] {
            assert!(is_of_output(name, "view", "png"), "{name}");
        }
        for name in [
            "view.0001.npy",
            "view.a.png",
            "view..png",
            "views.0001.png",
            "view.0001.png.bak",
            "view",
        ] {
            assert!(!is_of_output(name, "view", "png"), "{name}");
        }
        assert!(
            is_of_output("depth.0001.prj", "depth", "asc") && !is_of_output("depth.0001.prj", "depth", "tif")
        );
    }
}
