//! Files that all ranks of a run write together: each rank writes its part, and rank 0 gives them their names.

use crate::output::Mark;
use crate::problem::Problem;
use crate::run::error::RunError;
use crate::run::ranked;
use crate::run::request::RunRequest;

use super::Session;

/// What distinguishes the hidden files of this run, if its ranks write files together. Returns an error if a rank does not see
/// the directory of rank 0. All ranks must call it.
pub(super) fn stamp(run: &RunRequest) -> Result<Option<String>, RunError> {
    let mut outputs = run.pipeline.outputs.iter();
    let is_common = outputs.any(|output| run.pipeline.is_written_in_parts(output));
    let Some(ranks) = run.ranks.as_ref().filter(|_| is_common) else {
        return Ok(None);
    };
    let mark = ranks.is_root().then(|| Mark::create(run.directory)).transpose()?;
    let own = mark.as_ref().map_or("", |mark| &mark.stamp);
    let all = ranks.gather(
        "of the mark of rank 0",
        own.as_bytes(),
        run.options.exchange_timeout(),
    )?;
    let stamp = String::from_utf8_lossy(&all[0]).into_owned();
    let seen = if Mark::is_seen(run.directory, &stamp) {
        Ok(Some(stamp))
    } else {
        let directory = run.directory.display();
        let message = format!("{directory} is not the directory in which rank 0 writes files");
        let help = "choose one with --out that all ranks see under the same path";
        Err(RunError::Input(Problem::without_place(message).help(help).into()))
    };
    // Rank 0 removes its mark when all have looked.
    ranked::agreed(run, "on the directory of outputs", seen)
}

impl Session<'_> {
    /// Waits until all ranks have written their parts of the files of frames before one, and gives these their names. All
    /// ranks must call it.
    pub(super) fn complete_common_files(&mut self, before: u64) -> Result<(), RunError> {
        if !self.frames.has_common_files() {
            return Ok(());
        }
        let released = (self.frames).release_until(&mut self.simulation, before.saturating_sub(1));
        let written = released.and_then(|()| Ok(self.frames.writers.wait_for_shares(before)?));
        ranked::agreed(self.run, "on parts of files", written)?;
        self.frames.name_common(before)
    }
}
