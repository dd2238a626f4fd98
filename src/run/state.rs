//! The state of a simulation between two steps, in host memory.

use serde::{Deserialize, Serialize};

use crate::gpu::Buffer;
use crate::grid::pages;
use crate::output::add_to_hash;
use crate::particles::live;

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
    /// Set for attributes of a set whose number of particles changes.
    pub live: Option<LivePart>,
}

/// The memory of an attribute, of which only that of live particles has a meaning.
#[derive(Debug, Clone)]
pub struct LivePart {
    /// The name of the part that begins with the number of live particles.
    pub count: String,
    /// Entries of the attribute, one after the other for all particles, and bytes of an entry of a particle.
    pub entries: usize,
    pub bytes: usize,
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

    /// The bytes of a part without those of particles that are not live.
    fn meaningful<'a>(&'a self, part: &'a StatePart) -> Result<Vec<&'a [u8]>, RunError> {
        let bytes = part.bytes()?;
        let Some(live) = &part.live else {
            return Ok(vec![bytes]);
        };
        let count = self.parts.iter().find(|other| other.name == live.count);
        let count = count.map_or(Ok(None), |part| part.bytes().map(live::count))?;
        let all = bytes.len() / live.entries.max(1);
        let length = count.map_or(all, |count| count as usize * live.bytes).min(all);
        Ok(bytes
            .chunks_exact(all.max(1))
            .map(|entry| &entry[..length])
            .collect())
    }

    /// A hash of the whole state.
    pub fn hash(&self) -> Result<blake3::Hash, RunError> {
        let mut hasher = blake3::Hasher::new();
        for part in &self.parts {
            hasher.update(part.name.as_bytes());
            hasher.update(&[0]);
            for bytes in self.meaningful(part)? {
                add_to_hash(&mut hasher, bytes);
            }
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
