//! Bytes that a pipeline takes on the device and in staging, before anything is allocated.

use crate::spec::{Field, FieldId, Home, Pipeline, ResourceId};

use super::paging::Choice;

/// Staging buffers per output: one filling, one being written, one waiting.
pub const STAGING_BUFFERS: u64 = 3;

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
        let staging = pipeline.outputs.iter().map(|output| Item {
            name: output.name.clone(),
            resource: None,
            bytes: pipeline.field_bytes(output.field),
            copies: STAGING_BUFFERS,
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
