//! Finding the checkpoint that a run goes on from.

use std::path::{Path, PathBuf};

use crate::run::RunError;

use super::{Checkpoint, Identity, list};

/// The checkpoint that a run goes on from.
pub struct Resumed {
    pub checkpoint: Checkpoint,
    /// It and those before it.
    pub kept: Vec<PathBuf>,
}

/// The newest checkpoint in an output directory that is whole and belongs to the pipeline. Those that are refused on
/// the way are named, with the reason, by `refused`.
pub fn newest(
    output: &Path,
    identity: &Identity,
    device: &str,
    mut refused: impl FnMut(&Path, &str),
) -> Result<Resumed, RunError> {
    let found = list(output);
    for (number, (_, path)) in found.iter().enumerate() {
        let reason = match Checkpoint::read(path) {
            Ok(checkpoint) => match checkpoint.header.identity.differs_from(identity) {
                None => {
                    let made_on = &checkpoint.header.device;
                    if made_on != device {
                        eprintln!(
                            "notice: the checkpoint was made on {made_on}: on {device} the last bits of results may \
                             differ"
                        );
                    }
                    let kept = found[number..].iter().rev().map(|(_, path)| path.clone());
                    return Ok(Resumed {
                        checkpoint,
                        kept: kept.collect(),
                    });
                }
                Some(difference) => format!("it is not of this run: {difference}"),
            },
            Err(reason) => reason,
        };
        refused(path, &reason);
    }
    let directory = super::directory(output);
    let cause = match found.is_empty() {
        true => format!("there is no checkpoint in {}", directory.display()),
        false => format!("no checkpoint in {} can be used", directory.display()),
    };
    Err(RunError::Failed(format!(
        "{cause}\n  help: run the pipeline from its start, with \"checkpoint\": {{\"every\": 50}} in its file or \
         --checkpoint 50, to have one next time"
    )))
}
