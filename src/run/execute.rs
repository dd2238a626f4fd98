//! Runs a pipeline from its first frame to its last, into a directory.

use crate::output::{Format, check_ffmpeg, manifest, remove_stale_parts};
use crate::shader::Module;

use super::balance::Balance;
use super::device::device_class;
use super::directory::{self, DirectoryLock};
use super::error::RunError;
use super::observer::{Event, Observer};
use super::report::Report;
use super::request::{Ending, RunRequest};
use super::session::{self, SessionEnd};
use super::start::RunStart;
use super::startup::Stopwatch;
use super::{races, ranked, resolved};

/// Runs a pipeline to its last frame. In any case, all files are complete and the manifest says how the run ended. Of
/// several ranks, which must all call it, rank 0 writes the files.
pub fn run(mut run: RunRequest, observer: &mut dyn Observer) -> Result<Ending, RunError> {
    let mut balance = Balance::of(&run);
    let cut = ranked::cut(&mut run, observer);
    ranked::agreed(&run, "of the cut", cut)?;
    let opened = if run.writes() {
        open(&run).map(Some)
    } else {
        Ok(None)
    };
    let lock = ranked::agreed(&run, "of the directory", opened)?;
    let mut stopwatch = Stopwatch::start();
    let modules = build(&mut run)?;
    let mut report = Report::new(&run, &modules, stopwatch.lap());
    let start = RunStart::of(&run, &modules, observer);
    let start = ranked::agreed(&run, "of the start", start)?;
    ranked::compare(&run, &start.description.identity)?;
    report.resume_from(&start.description);
    let began = if run.writes() {
        begin_files(&run, &modules, &mut report, observer)
    } else {
        Ok(())
    };
    ranked::agreed(&run, "of the first files", began)?;
    let result = run_sessions(&mut run, modules, start, &mut report, balance.as_mut(), observer);
    let (state, error) = match &result {
        Ok(Ending::Done) => (manifest::Status::Done, None),
        Ok(Ending::Interrupted) => (manifest::Status::Interrupted, None),
        Err(error) => (manifest::Status::Failed, Some(error.to_string())),
    };
    let Some(lock) = lock else { return result };
    lock.free_reserve();
    let written = report.write(run.directory, state, error);
    let ending = result?;
    written?;
    Ok(ending)
}

/// Compiles the shaders of all stages.
fn build(run: &mut RunRequest) -> Result<Vec<Module>, RunError> {
    races::instrument(run.gpu, &mut run.pipeline, &run.options);
    let modules = crate::shader::build(&run.pipeline, device_class(run.gpu), run.swaps, run.gpu.cache());
    ranked::agreed(run, "of shaders", modules.map_err(RunError::from))
}

/// Runs to the last frame. A move of parts ends a session, and the next one resumes from its checkpoint.
fn run_sessions(
    run: &mut RunRequest,
    mut modules: Vec<Module>,
    mut start: RunStart,
    report: &mut Report,
    mut balance: Option<&mut Balance>,
    observer: &mut dyn Observer,
) -> Result<Ending, RunError> {
    loop {
        let ended = session::run(run, modules, start, report, balance.as_deref_mut(), observer);
        match ranked::agreed(run, "of the end", ended)? {
            SessionEnd::Run(ending) => return Ok(ending),
            SessionEnd::Move(moved) => {
                run.pipeline = *moved.pipeline;
                modules = build(run)?;
                let moved_to = start_after_move(run, moved.frame, report);
                start = ranked::agreed(run, "of the start", moved_to)?;
                if run.writes() {
                    observer.event(Event::Notice(&moved.notice));
                }
            }
        }
    }
}

/// The start of the session after a move, which the manifest records.
fn start_after_move(run: &RunRequest, frame: u64, report: &mut Report) -> Result<RunStart, RunError> {
    let start = RunStart::after_move(run, frame)?;
    report.move_parts(&run.pipeline, &start.description);
    if run.writes() {
        report.write(run.directory, manifest::Status::Running, None)?;
    }
    Ok(start)
}

/// Takes the directory, and checks that a run may write to it.
fn open(run: &RunRequest) -> Result<DirectoryLock, RunError> {
    let lock = DirectoryLock::take(run.directory)?;
    check(run)?;
    remove_stale_parts(run.directory);
    let films = run.pipeline.outputs.iter();
    for output in films.filter(|output| output.content.format == Format::Mp4) {
        check_ffmpeg(&output.name, run.options.timeout)?;
    }
    Ok(lock)
}

/// Removes files of an earlier run, and writes the first of this one.
fn begin_files(
    run: &RunRequest,
    modules: &[Module],
    report: &mut Report,
    observer: &mut dyn Observer,
) -> Result<(), RunError> {
    if !run.resume {
        directory::clear(run.directory, observer)?;
    }
    report.write(run.directory, manifest::Status::Running, None)?;
    Ok(resolved::write(&run.pipeline, modules, run.directory)?)
}

/// Refuses a directory with files that a run should not replace, and file names that collide.
fn check(run: &RunRequest) -> Result<(), RunError> {
    if !run.resume {
        directory::check(run.directory, run.file, &run.pipeline.title, run.force)?;
    }
    directory::check_names(&run.pipeline, run.directory, run.hash, run.trace)
}
