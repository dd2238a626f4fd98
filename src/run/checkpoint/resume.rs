//! Finds the checkpoint from which a run resumes.

use std::path::{Path, PathBuf};

use crate::run::error::RunError;
use crate::run::observer::{Event, Observer};

use super::file::Checkpoint;
use super::identity::RunIdentity;
use super::paths::{directory, list, path};

/// The checkpoint from which a run resumes.
pub struct Resumed {
    pub checkpoint: Checkpoint,
    /// Its path and the paths of older ones, oldest first.
    pub kept: Vec<PathBuf>,
}

/// The checkpoint of a frame that this run has written. Other ranks open it by its name: a file system of several hosts may list
/// it later.
pub fn of_frame(output: &Path, frame: u64) -> Result<Resumed, RunError> {
    let checkpoint = Checkpoint::read(&path(output, frame)).map_err(|reason| {
        RunError::Failed(format!(
            "parts cannot move after frame {frame}: {reason}\n  help: a state that the watch rejects has no checkpoint; run \
             without --balance"
        ))
    })?;
    let kept = list(output).into_iter().rev().map(|(_, path)| path);
    Ok(Resumed {
        checkpoint,
        kept: kept.collect(),
    })
}

/// The newest valid checkpoint of the pipeline in an output directory. The observer is warned of newer ones that are
/// refused.
pub fn newest(
    output: &Path,
    identity: &RunIdentity,
    device: &str,
    observer: &mut dyn Observer,
) -> Result<Resumed, RunError> {
    let found = list(output);
    let mut is_of_another = false;
    let mut reasons = Vec::new();
    for (number, (_, path)) in found.iter().enumerate() {
        let reason = match Checkpoint::read(path) {
            Ok(checkpoint) => match checkpoint.description.identity.differs_from(identity) {
                None => {
                    let made_on = &checkpoint.description.device;
                    if made_on != device {
                        observer.event(Event::Notice(&format!(
                            "the checkpoint was made on {made_on}: results on {device} may differ in the \
                             last bits"
                        )));
                    }
                    let kept = found[number..].iter().rev().map(|(_, path)| path.clone());
                    return Ok(Resumed {
                        checkpoint,
                        kept: kept.collect(),
                    });
                }
                Some(difference) => {
                    is_of_another = true;
                    format!("it belongs to another run: {difference}")
                }
            },
            Err(reason) => reason,
        };
        let refused = format!("{} is refused: {reason}", path.display());
        observer.event(Event::Warning(&refused));
        reasons.push(reason);
    }
    let directory = directory(output);
    let cause = match reasons.first() {
        None => format!("there is no checkpoint in {}", directory.display()),
        Some(newest) => format!(
            "no checkpoint in {} can be used; the newest: {newest}",
            directory.display()
        ),
    };
    let help = match (found.is_empty(), is_of_another) {
        (true, _) => {
            "run the pipeline from the start; add \"checkpoint_every\": 50 to `run` in its file or use --checkpoint 50 \
             to have one next time"
        }
        (false, true) => {
            "take back what has changed, or run the pipeline from the start, into another directory or with --force"
        }
        (false, false) => "run the pipeline from the start, into another directory or with --force",
    };
    Err(RunError::Failed(format!("{cause}\n  help: {help}")))
}
