//! Resources and fields in the intermediate representation of what a program declares.

use std::collections::HashMap;

use super::ids::{ChannelId, DeclId};
use super::lookup::AtLevel;
use crate::ir::{Field, FieldId, Pipeline, Resource, ResourceId};

/// Resources and fields of a pipeline by their declarations, without those that have mistakes.
#[derive(Default)]
pub struct Ids {
    pub resources: HashMap<AtLevel<DeclId>, ResourceId>,
    pub fields: HashMap<AtLevel<ChannelId>, FieldId>,
}

impl Ids {
    pub fn resource(&self, at: AtLevel<DeclId>) -> Option<ResourceId> {
        self.resources.get(&at).copied()
    }

    pub fn field(&self, at: AtLevel<ChannelId>) -> Option<FieldId> {
        self.fields.get(&at).copied()
    }

    pub fn add_resource(&mut self, pipeline: &mut Pipeline, id: DeclId, resource: Resource) -> ResourceId {
        let added = pipeline.add_resource(resource);
        self.resources.insert(AtLevel::finest(id), added);
        added
    }

    pub fn add_field(&mut self, pipeline: &mut Pipeline, id: ChannelId, field: Field) -> FieldId {
        let added = pipeline.add_field(field);
        self.fields.insert(AtLevel::finest(id), added);
        added
    }
}
