//! What options of `sastrugi run` mean.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::ir::Pipeline;
use crate::problem::Problem;
use crate::run::RunError;
use crate::run::changes::Changes;

/// The log of `--replay`, which is of one pipeline.
pub(super) fn replayed(specs: &[PathBuf], log: &Path, quiet: bool) -> Result<Changes, RunError> {
    if specs.len() > 1 {
        let problem = Problem::without_place("--replay repeats the changes of one pipeline".to_string());
        return Err(RunError::Input(problem.help("name one pipeline").into()));
    }
    let changes = Changes::read(log)?;
    if let Some(step) = changes.files_changed().filter(|_| !quiet) {
        crate::cli::say!(
            "warning: the pipeline's files were edited after step {step}; frames from there on may differ"
        );
    }
    Ok(changes)
}

/// Looks for races in the stages of a list alone.
pub(super) fn search_only(pipeline: &mut Pipeline, list: &str) -> Result<(), RunError> {
    let wanted: Vec<&str> = list.split(',').map(str::trim).collect();
    let names: Vec<&str> = pipeline.stages.iter().map(|stage| &*stage.name).collect();
    for name in &wanted {
        if !names.contains(name) {
            let message = format!("--races {name}: {} has no stage of that name", pipeline.title);
            let problem = Problem::without_place(message).suggest(name, names.iter().copied());
            return Err(RunError::Input(problem.into()));
        }
    }
    for stage in &mut pipeline.stages {
        stage.unsearched = !wanted.contains(&&*stage.name);
    }
    Ok(())
}

/// Shaders to use instead of those of the file, by stage.
pub(super) fn swaps(list: &[String]) -> Result<BTreeMap<String, String>, RunError> {
    let mut swaps = BTreeMap::new();
    for swap in list {
        let Some((name, path)) = swap.split_once('=') else {
            let problem = Problem::without_place(format!("--stage {swap}: write NAME=SHADER"))
                .help("for example --stage smooth_snow=my.comp");
            return Err(RunError::Input(problem.into()));
        };
        swaps.insert(name.to_string(), path.to_string());
    }
    Ok(swaps)
}
