//! Values of the options of `sastrugi run`.

use std::path::{Path, PathBuf};

use sastrugi::{Changes, Earlier, Options, Pipeline, Problem, Problems, Run};

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

/// Refuses a log of another pipeline, and warns of changes that the run does not reach.
pub(super) fn check_replayed(changes: &Changes, pipeline: &Pipeline, quiet: bool) -> Result<(), Problem> {
    let (own, logged) = (pipeline.title(), &changes.pipeline);
    if own != logged {
        let message = format!("--replay: the log is of the pipeline `{logged}`, not of `{own}`");
        return Err(
            Problem::without_place(message).help("name the pipeline that was in the window, or its own log")
        );
    }
    let steps = pipeline
        .frames()
        .saturating_mul(u64::from(pipeline.steps_per_frame()));
    let late = changes.count_from(steps);
    if late > 0 && !quiet {
        crate::say!(
            "warning: {late} changes of the log are not repeated: they were made after step {steps}, the last one of this \
             run\n  help: run more frames with --frames"
        );
    }
    Ok(())
}

/// Warns that a resumed run cannot have the options of its earlier part.
pub(super) fn warn_of_unknown_options(directory: &Path) {
    crate::say!(
        "warning: {} has no manifest.json that can be read, so --hash, --checked, --full-barriers, --shuffle and --timeout \
         of the earlier run are unknown\n  help: give them again, if it had any",
        directory.display()
    );
}

/// The runs of a batch that are not done: those with a checkpoint resume, with the options of their directories.
pub(super) fn unfinished(
    runs: Vec<Run>,
    options: impl Fn(&Path) -> (Options, bool),
    quiet: bool,
) -> Vec<Run> {
    let all = runs.len();
    let mut resumed = 0;
    let left: Vec<Run> = (runs.into_iter())
        .filter_map(|run| match run.earlier() {
            Earlier::Done => None,
            Earlier::Nothing => Some(run),
            Earlier::Checkpoint => {
                resumed += 1;
                let (options, hash) = options(run.directory());
                let run = run.resume().options(options);
                Some(if hash { run.hash() } else { run })
            }
        })
        .collect();
    if !quiet {
        let (done, new) = (all - left.len(), left.len() - resumed);
        crate::say!("of {all} runs, {done} are done, {resumed} resume and {new} start");
    }
    left
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
