//! Where a run begins: with the init stages, or with the newest checkpoint that fits.

use std::path::PathBuf;

use crate::output::manifest::Manifest;
use crate::shader::Module;

use super::checkpoint::{self, Header, Identity, Resumed};
use super::device::device_name;
use super::directory;
use super::error::RunError;
use super::observer::{Event, Observer};
use super::request::RunRequest;
use super::state::State;

/// Where a run begins.
pub(super) struct Start {
    /// The state from which the run resumes; `None`: it starts with the init stages.
    pub state: Option<State>,
    /// The header of its checkpoints: identity, and the files of earlier parts.
    pub header: Header,
    /// The checkpoints of its earlier parts.
    pub kept: Vec<PathBuf>,
}

impl Start {
    pub(super) fn of(
        run: &RunRequest,
        modules: &[Module],
        observer: &mut dyn Observer,
    ) -> Result<Start, RunError> {
        let identity = Identity::of(&run.pipeline, modules);
        let device = device_name(run.gpu);
        if run.resume {
            let Resumed { checkpoint, kept } =
                checkpoint::newest(run.directory, &identity, &device, observer)?;
            for missing in directory::missing_frames(run, &checkpoint.header) {
                observer.event(Event::Warning(&missing));
            }
            return Ok(Start {
                state: Some(checkpoint.state),
                header: Header {
                    device,
                    ..checkpoint.header
                },
                kept,
            });
        }
        Ok(Start {
            state: None,
            header: Header {
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
