//! `--hash`: a hash of the state after every frame, so that two runs can be compared line by line.
//!
//! It covers the newest copies of all fields in the pipeline file. It does not depend on the type of paging or on the
//! lengths of rings.

use std::collections::VecDeque;
use std::path::Path;

use crate::output::{FrameColumn, Series};

use super::error::RunError;
use super::simulation::Simulation;
use super::simulation::capture::{Extent, PendingState};

/// The name of the log in the directory of a run.
pub(super) const FILE_NAME: &str = "hashes.csv";

const HEADER: &str = "frame,step,blake3\n";
/// Largest number of states on their way from the device.
const IN_FLIGHT: usize = 2;

/// The log of a run's hashes, `hashes.csv`.
pub(super) struct Hashes {
    /// `None` on ranks that write no files.
    log: Option<Series>,
    /// A warning about missing lines of earlier frames.
    pub(super) gap: Option<String>,
    pending: VecDeque<PendingState>,
}

impl Hashes {
    /// Starts the log in a directory, or continues it after a frame. Without a directory, nothing is written.
    pub(super) fn start(directory: Option<&Path>, after: u64) -> Result<Hashes, RunError> {
        let path = directory.map(|directory| directory.join(FILE_NAME));
        let log = match (path, after) {
            (None, _) => None,
            (Some(path), 0) => Some(Series::create(&path, HEADER)?),
            (Some(path), frame) => Some(Series::resume(&path, HEADER, FrameColumn::CSV, frame)?),
        };
        let gap = log.as_ref().and_then(|log| log.gap(after, after));
        Ok(Hashes {
            log,
            gap,
            pending: VecDeque::new(),
        })
    }

    /// Starts to capture the state after the last submitted frame.
    pub(super) fn frame(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        if self.log.is_none() {
            return simulation.contribute(Extent::Visible);
        }
        self.pending.push_back(simulation.capture(Extent::Visible)?);
        self.write(simulation, IN_FLIGHT)
    }

    /// Writes the lines of pending states.
    pub(super) fn settle(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        self.write(simulation, 0)
    }

    /// Writes the remaining lines to disk.
    pub(super) fn finish(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        self.write(simulation, 0)?;
        Ok(self.log.as_mut().map_or(Ok(()), Series::flush)?)
    }

    fn write(&mut self, simulation: &Simulation, max_left: usize) -> Result<(), RunError> {
        while self.pending.len() > max_left
            && let Some(pending) = self.pending.pop_front()
        {
            let state = simulation.captured(pending)?;
            let hash = state.hash()?.to_hex();
            if let Some(log) = &mut self.log {
                log.append(&format!("{},{},{hash}\n", state.frames, state.steps))?;
            }
        }
        Ok(())
    }
}
