//! Files that all ranks of a run write together: each rank writes its part, and rank 0 gives them their names.

use crate::run::error::RunError;
use crate::run::ranked;

use super::Session;

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
