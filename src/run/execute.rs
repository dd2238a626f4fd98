//! Runs a pipeline from its first frame to its last, into a directory.

use crate::output::{Format, check_ffmpeg, manifest, remove_stale_parts};

use super::device::device_class;
use super::directory::{self, DirectoryLock};
use super::error::RunError;
use super::observer::Observer;
use super::report::Report;
use super::request::{Ending, RunRequest};
use super::session;
use super::start::RunStart;
use super::startup::Stopwatch;
use super::{races, resolved};

/// Runs a pipeline to its last frame. In any case, all files are complete and the manifest says how the run ended.
pub fn run(mut run: RunRequest, observer: &mut dyn Observer) -> Result<Ending, RunError> {
    let lock = DirectoryLock::take(run.directory)?;
    check(&run)?;
    remove_stale_parts(run.directory);
    let films = run.pipeline.outputs.iter();
    for output in films.filter(|output| output.content.format == Format::Mp4) {
        check_ffmpeg(&output.name, run.options.timeout)?;
    }
    races::instrument(run.gpu, &mut run.pipeline, &run.options);
    let mut stopwatch = Stopwatch::start();
    let modules = crate::shader::build(&run.pipeline, device_class(run.gpu), run.swaps, run.gpu.cache())?;
    let mut report = Report::new(&run, &modules, stopwatch.lap());
    let start = RunStart::of(&run, &modules, observer)?;
    report.resume_from(&start.description);
    if !run.resume {
        directory::clear(run.directory, observer)?;
    }
    report.write(run.directory, manifest::Status::Running, None)?;
    resolved::write(&run.pipeline, &modules, run.directory)?;
    let result = session::run(&run, modules, start, &mut report, observer);
    let (state, error) = match &result {
        Ok(Ending::Done) => (manifest::Status::Done, None),
        Ok(Ending::Interrupted) => (manifest::Status::Interrupted, None),
        Err(error) => (manifest::Status::Failed, Some(error.to_string())),
    };
    lock.free_reserve();
    let written = report.write(run.directory, state, error);
    let ending = result?;
    written?;
    Ok(ending)
}

/// Refuses a directory with files that a run should not replace, and file names that collide.
fn check(run: &RunRequest) -> Result<(), RunError> {
    if !run.resume {
        directory::check(run.directory, run.file, &run.pipeline.title, run.force)?;
    }
    directory::check_names(&run.pipeline, run.directory, run.hash, run.trace)
}
