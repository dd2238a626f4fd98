//! Bytes that a pipeline takes on the device and in staging, before anything is allocated.

use crate::spec::Pipeline;

/// Staging buffers per output: one filling, one being written, one waiting.
pub const STAGING_BUFFERS: u64 = 3;

/// One line of the memory plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub name: String,
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
    /// Staging buffers of the outputs, in the host's memory.
    pub staging: Vec<Item>,
}

impl Memory {
    pub fn of(pipeline: &Pipeline) -> Memory {
        let device = pipeline.fields.iter().enumerate().map(|(id, field)| Item {
            name: field.name.clone(),
            bytes: pipeline.field_bytes(id),
            copies: u64::from(field.ring),
        });
        let staging = pipeline.outputs.iter().map(|output| Item {
            name: output.name.clone(),
            bytes: pipeline.field_bytes(output.field),
            copies: STAGING_BUFFERS,
        });
        Memory {
            device: device.collect(),
            staging: staging.collect(),
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
