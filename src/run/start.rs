//! The start of a run: the init stages, or the newest checkpoint that fits.

use std::path::PathBuf;

use crate::output::manifest::Manifest;
use crate::shader::Module;

use super::checkpoint::{self, CheckpointDescription, Resumed, RunIdentity};
use super::device::device_name;
use super::directory;
use super::error::RunError;
use super::observer::{Event, Observer};
use super::request::RunRequest;
use super::state::SimulationState;

/// The start of a run.
pub(super) struct RunStart {
    /// The state from which the run resumes; `None` for the init stages.
    pub state: Option<SimulationState>,
    /// The description of its checkpoints: identity, and the files of earlier parts.
    pub description: CheckpointDescription,
    /// The checkpoints of its earlier parts.
    pub kept: Vec<PathBuf>,
}

impl RunStart {
    /// The start of a session with other parts, after a frame of this run.
    pub(super) fn after_move(run: &RunRequest, frame: u64) -> Result<RunStart, RunError> {
        let Resumed { checkpoint, kept } = checkpoint::of_frame(run.directory, frame)?;
        Ok(RunStart {
            state: Some(checkpoint.state),
            description: checkpoint.description,
            kept,
        })
    }

    pub(super) fn of(
        run: &RunRequest,
        modules: &[Module],
        observer: &mut dyn Observer,
    ) -> Result<RunStart, RunError> {
        let identity = RunIdentity::of(&run.pipeline, modules);
        let device = device_name(run.gpu);
        if run.resume {
            let Resumed { checkpoint, kept } =
                checkpoint::newest(run.directory, &identity, &device, observer)?;
            for missing in directory::missing_frames(run, &checkpoint.description) {
                observer.event(Event::Warning(&missing));
            }
            return Ok(RunStart {
                state: Some(checkpoint.state),
                description: CheckpointDescription {
                    device,
                    ..checkpoint.description
                },
                kept,
            });
        }
        Ok(RunStart {
            state: None,
            description: CheckpointDescription {
                program: Manifest::program(),
                device,
                identity,
                steps: 0,
                frames: 0,
                outputs: Default::default(),
                grids: Vec::new(),
                parts: Vec::new(),
            },
            kept: Vec::new(),
        })
    }
}
