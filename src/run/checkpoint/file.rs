//! The file format of checkpoints: a line that identifies the format, every part in the order of the description as
//! compressed [pieces], the description (JSON), its length (8 bytes, little-endian), and the BLAKE3 hash of all that.
//!
//! The description comes last, because it counts the files of the run's frames: parts are written while frames still are.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::input_file;
use crate::output::{FileDigest, OutputError, add_to_hash, write_atomically};
use crate::run::state::{GridState, PartContents, SimulationState, StatePart};

use super::identity::RunIdentity;
use super::pieces;

const MAGIC: &[u8] = b"sastrugi checkpoint 2\n";

/// The description of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointDescription {
    /// Program and version that wrote it.
    pub program: String,
    /// Device and driver.
    pub device: String,
    pub identity: RunIdentity,
    pub steps: u64,
    pub frames: u64,
    /// Files of each output up to this frame.
    pub outputs: BTreeMap<String, OutputCount>,
    pub grids: Vec<GridState>,
    pub parts: Vec<PartDescription>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputCount {
    pub files: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartDescription {
    pub name: String,
    pub bytes: u64,
}

/// A checkpoint in memory.
pub struct Checkpoint {
    pub description: CheckpointDescription,
    pub state: SimulationState,
}

impl Checkpoint {
    /// Writes a complete file, or none. `description` is called when the parts are written.
    pub fn write(
        path: &Path,
        state: &SimulationState,
        description: impl FnOnce() -> Result<CheckpointDescription, OutputError>,
    ) -> Result<FileDigest, OutputError> {
        let mut refused = None;
        let written = write_atomically(path, |out| {
            let mut out = Hashing {
                out,
                hasher: blake3::Hasher::new(),
            };
            out.write_all(MAGIC)?;
            for part in &state.parts {
                pieces::write(&mut out, part.bytes().map_err(io::Error::other)?)?;
            }
            let description = description().map_err(|error| {
                refused = Some(error);
                io::Error::other("there is no description")
            })?;
            let description = serde_json::to_vec(&description)?;
            out.write_all(&description)?;
            out.write_all(&(description.len() as u64).to_le_bytes())?;
            let hash = out.hasher.finalize();
            out.out.write_all(hash.as_bytes())
        });
        match refused {
            Some(error) => Err(error),
            None => written,
        }
    }

    /// Reads a checkpoint. The error describes the damage.
    pub fn read(path: &Path) -> Result<Checkpoint, String> {
        let bytes =
            input_file::read(path, u64::MAX).map_err(|error| format!("it cannot be read: {error}"))?;
        let cut = || "it is truncated".to_string();
        if !bytes.starts_with(MAGIC) {
            return Err("it is not a checkpoint of this version".into());
        }
        let (content, hash) = bytes.split_last_chunk::<{ blake3::OUT_LEN }>().ok_or_else(cut)?;
        let rest = content.strip_prefix(MAGIC).ok_or_else(cut)?;
        let found = blake3::Hasher::new().update_rayon(content).finalize();
        if found.as_bytes() != hash {
            return Err("its checksum is wrong: it is damaged or truncated".into());
        }
        let (rest, length) = rest.split_last_chunk::<8>().ok_or_else(cut)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut())?;
        let split = rest.len().checked_sub(length).ok_or_else(cut)?;
        let (mut rest, description) = rest.split_at(split);
        let description: CheckpointDescription = serde_json::from_slice(description)
            .map_err(|error| format!("its description is wrong: {error}"))?;
        let mut parts = Vec::with_capacity(description.parts.len());
        for part in &description.parts {
            let bytes = pieces::read(&mut rest, part.bytes)
                .ok_or_else(|| format!("its part `{}` is damaged", part.name))?;
            parts.push(StatePart {
                name: part.name.clone(),
                contents: PartContents::Bytes(bytes),
                live: None,
            });
        }
        let state = SimulationState {
            steps: description.steps,
            frames: description.frames,
            grids: description.grids.clone(),
            parts,
        };
        Ok(Checkpoint { description, state })
    }
}

/// Hashes the bytes that it passes on.
struct Hashing<'a> {
    out: &'a mut dyn Write,
    hasher: blake3::Hasher,
}

impl Write for Hashing<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.out.write(data)?;
        add_to_hash(&mut self.hasher, &data[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let part = |name: &str, bytes: &[u8]| StatePart {
            name: name.into(),
            contents: PartContents::Bytes(bytes.to_vec()),
            live: None,
        };
        let state = SimulationState {
            steps: 100,
            frames: 50,
            grids: Vec::new(),
            parts: vec![
                part("a[0]", &[1, 2, 3, 4]),
                part("b[0]", &[]),
                part("c[0]", &[5; 9]),
            ],
        };
        let parts = state.parts.iter().map(|part| PartDescription {
            name: part.name.clone(),
            bytes: part.bytes().unwrap().len() as u64,
        });
        let description = CheckpointDescription {
            program: "sastrugi test".into(),
            device: "none".into(),
            identity: RunIdentity::default(),
            steps: 100,
            frames: 50,
            outputs: BTreeMap::new(),
            grids: Vec::new(),
            parts: parts.collect(),
        };
        Checkpoint { description, state }
    }

    #[test]
    fn checkpoint_round_trips() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("0050.checkpoint");
        let written = checkpoint();
        Checkpoint::write(&path, &written.state, || Ok(written.description.clone())).unwrap();
        let read = Checkpoint::read(&path).unwrap();
        assert_eq!(read.description, written.description);
        assert_eq!(read.state.hash().unwrap(), written.state.hash().unwrap());
    }

    #[test]
    fn checkpoint_without_a_description_leaves_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("0050.checkpoint");
        let refused = OutputError::io("write", Path::new("frame.png"), io::ErrorKind::StorageFull.into());
        let error = Checkpoint::write(&path, &checkpoint().state, || Err(refused)).unwrap_err();
        assert!(error.to_string().contains("frame.png"), "{error}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn any_corruption_of_a_checkpoint_is_detected() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("0050.checkpoint");
        let checkpoint = checkpoint();
        Checkpoint::write(&path, &checkpoint.state, || Ok(checkpoint.description)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1;
            std::fs::write(&path, changed).unwrap();
            assert!(Checkpoint::read(&path).is_err(), "byte {place}");
            std::fs::write(&path, &whole[..place]).unwrap();
            assert!(Checkpoint::read(&path).is_err(), "cut at {place}");
        }
    }
}
