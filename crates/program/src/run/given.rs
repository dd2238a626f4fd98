//! Values of the options of `sastrugi run`.

use std::path::{Path, PathBuf};

use sastrugi::{Changes, Pipeline, Problem, Problems};

/// The log of `--replay`, which applies to one pipeline.
pub(super) fn replayed(specs: &[PathBuf], log: &Path, quiet: bool) -> Result<Changes, Problems> {
    if specs.len() > 1 {
        let problem = Problem::without_place("--replay repeats the changes of one pipeline".to_string());
        return Err(problem.help("name one pipeline").into());
    }
    let changes = Changes::read(log)?;
    if let Some(step) = changes.files_changed().filter(|_| !quiet) {
        crate::say!(
            "warning: the pipeline's files were edited after step {step}; frames from there on may differ"
        );
    }
    Ok(changes)
}

/// Restricts the search for races to a list of stages.
pub(super) fn search_only(pipeline: &mut Pipeline, list: &str) -> Result<(), Problem> {
    let wanted: Vec<&str> = list.split(',').map(str::trim).collect();
    pipeline.search_races_in(&wanted).map_err(|mut problem| {
        problem.message.insert_str(0, "--races ");
        problem
    })
}

/// Replacement shaders: pairs of stage and path.
pub(super) fn swaps(list: &[String]) -> Result<Vec<(&str, &str)>, Problem> {
    let mut swaps = Vec::new();
    for swap in list {
        let pair = swap.split_once('=').ok_or_else(|| {
            Problem::without_place(format!("--stage {swap}: write NAME=SHADER"))
                .help("for example --stage smooth_snow=my.comp")
        })?;
        swaps.push(pair);
    }
    Ok(swaps)
}
