//! The state of a simulation between two steps, in host memory.

use serde::{Deserialize, Serialize};

use crate::gpu::Buffer;
use crate::grid::pages;
use crate::output::add_to_hash;

use super::error::RunError;

/// Everything that the next step depends on.
#[derive(Default)]
pub struct SimulationState {
    /// Steps and frames done.
    pub steps: u64,
    pub frames: u64,
    pub grids: Vec<GridState>,
    /// Fields by name (each copy of a ring separately), clocks, and the active blocks of sparse grids.
    pub parts: Vec<StatePart>,
}

pub struct StatePart {
    pub name: String,
    pub contents: PartContents,
}

pub enum PartContents {
    /// In staging memory; the device has written it.
    Staged(Buffer),
    Bytes(Vec<u8>),
}

/// The state of a sparse grid that the host holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridState {
    pub grid: String,
    /// `sparse`, `table` or `dense`: pages are numbered differently in each.
    pub paging: String,
    /// Numbers of updates and of collected requests so far.
    pub updates: u64,
    pub collects: u64,
    /// Numbers of the requests that no update has processed yet.
    pub pending: Vec<u64>,
    pub manager: pages::PagesState,
}

impl StatePart {
    pub fn bytes(&self) -> Result<&[u8], RunError> {
        match &self.contents {
            PartContents::Staged(buffer) => Ok(buffer.bytes()?),
            PartContents::Bytes(bytes) => Ok(bytes),
        }
    }
}

impl SimulationState {
    /// The part with this name. It is an error if it is missing or has another size.
    pub fn part(&self, name: &str, size: u64) -> Result<&[u8], RunError> {
        let part = self.parts.iter().find(|part| part.name == name);
        let part = part.ok_or_else(|| RunError::Failed(format!("the state has no `{name}`")))?;
        let bytes = part.bytes()?;
        if bytes.len() as u64 == size {
            Ok(bytes)
        } else {
            Err(RunError::Failed(format!(
                "`{name}` has {} bytes in the state, but {size} in the pipeline",
                bytes.len()
            )))
        }
    }

    /// A hash of the whole state.
    pub fn hash(&self) -> Result<blake3::Hash, RunError> {
        let mut hasher = blake3::Hasher::new();
        for part in &self.parts {
            hasher.update(part.name.as_bytes());
            hasher.update(&[0]);
            add_to_hash(&mut hasher, part.bytes()?);
        }
        for grid in &self.grids {
            hasher.update(grid.grid.as_bytes());
            for active in &grid.manager.active {
                hasher.update(&active.block.to_le_bytes());
            }
        }
        Ok(hasher.finalize())
    }
}
