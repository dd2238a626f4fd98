//! Bytes that a pipeline takes on the device and in staging, before anything is allocated.

use crate::spec::{Field, FieldId, Home, Output, Pipeline, ResourceId};

use super::paging::Choice;

/// Staging buffers of a series, and the fewest of an output: one filling, one being written, one waiting.
pub const STAGING_BUFFERS: u64 = 3;
/// Most of them: one filling, one waiting, and one for each writer thread.
const MOST_STAGING: u64 = MOST_WRITERS + 2;
/// Most writer threads.
pub const MOST_WRITERS: u64 = 16;
/// Bytes of an output's staging buffers beyond which there are no more than the fewest.
const STAGING_BYTES: u64 = 512 << 20;

/// Frames of an output that are on their way to disk at once: as many as keep all writer threads busy, fewer where
/// frames are large.
pub fn staging_buffers(pipeline: &Pipeline, output: &Output) -> u64 {
    let bytes = (output.fields.iter()).fold(0u64, |sum, field| {
        sum.saturating_add(pipeline.field_bytes(*field))
    });
    (STAGING_BYTES / bytes.max(1)).clamp(STAGING_BUFFERS, MOST_STAGING)
}

/// One line of the memory plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub name: String,
    /// What it belongs to, but for staging.
    pub resource: Option<ResourceId>,
    /// Bytes of one copy, a buffer of its own.
    pub bytes: u64,
    pub copies: u64,
}

impl Item {
    pub fn total(&self) -> u64 {
        self.bytes.saturating_mul(self.copies)
    }
}

/// What a pipeline allocates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Fields, with their ring copies.
    pub device: Vec<Item>,
    /// Staging buffers of the outputs and of the pages of sparse grids, in the host's memory.
    pub staging: Vec<Item>,
}

impl Memory {
    /// The blocks of sparse grids come with the device's choice for each.
    pub fn of(pipeline: &Pipeline, blocks: &[(ResourceId, Choice)]) -> Memory {
        let item = |(id, field): (FieldId, &Field)| Item {
            name: field.name.clone(),
            resource: Some(field.resource),
            bytes: pipeline.field_bytes(id),
            copies: u64::from(field.ring),
        };
        let fields = || pipeline.fields.iter().enumerate();
        let on_device = fields().filter(|(_, field)| field.home == Home::Device);
        let mapped = fields().filter(|(_, field)| matches!(field.home, Home::HostReads | Home::HostWrites));
        let blocks = blocks.iter().map(|(id, choice)| Item {
            name: format!("{} ({:?} blocks)", pipeline.resources[*id].name, choice.paging).to_lowercase(),
            resource: Some(*id),
            bytes: choice.most_bytes / choice.most_blocks,
            copies: choice.most_blocks,
        });
        let staging = pipeline.outputs.iter().flat_map(|output| {
            output.fields.iter().map(|field| Item {
                name: match output.fields.len() {
                    1 => output.name.clone(),
                    _ => format!("{} {}", output.name, pipeline.fields[*field].name),
                },
                resource: None,
                bytes: pipeline.field_bytes(*field),
                copies: staging_buffers(pipeline, output),
            })
        });
        let series = pipeline.series.iter().map(|series| Item {
            name: series.name.clone(),
            resource: None,
            bytes: pipeline.field_bytes(series.partials),
            copies: STAGING_BUFFERS,
        });
        Memory {
            device: on_device.map(item).chain(blocks).collect(),
            staging: staging.chain(series).chain(mapped.map(item)).collect(),
        }
    }

    pub fn device_bytes(&self) -> u64 {
        self.device
            .iter()
            .fold(0, |sum, item| sum.saturating_add(item.total()))
    }

    pub fn staging_bytes(&self) -> u64 {
        self.staging
            .iter()
            .fold(0, |sum, item| sum.saturating_add(item.total()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Document, from_document};

    #[test]
    fn small_frames_have_a_buffer_for_every_writer_and_large_ones_the_fewest() {
        let copies = |count: u64| {
            let text = format!(
                r#"{{"time": {{"dt": 1}}, "particles": {{"p": {{"count": {count},
                "attributes": {{"position": "vec3", "age": "float"}}}}}},
                "step": [{{"stage": "s", "over": "p", "writes": ["p.position", "p.age"]}}],
                "outputs": {{"o": {{"source": "p"}}}}}}"#
            );
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("t.json");
            std::fs::write(&path, text).unwrap();
            let pipeline = from_document("t", &Document::read(&path).unwrap()).unwrap();
            let memory = Memory::of(&pipeline, &[]);
            let sizes: Vec<u64> = memory.staging.iter().map(|item| item.bytes).collect();
            assert_eq!(sizes, [12 * count, 4 * count]);
            memory.staging[0].copies
        };
        assert_eq!(copies(1000), MOST_STAGING);
        assert_eq!(copies(1 << 22), 8);
        assert_eq!(copies(1 << 30), STAGING_BUFFERS);
    }
}
