//! Drafts of the stages of the engine, and the buffers that they share.

use std::collections::HashMap;

use crate::ir::{Domain, Draft, FieldId, List, Pipeline, ShaderSource};

/// The context in which stages of the engine are drafted: the properties of their entry.
#[derive(Debug, Clone, Copy)]
pub struct DraftContext<'a> {
    pub list: List,
    /// The stages run in every n-th pass through the list.
    pub every: u32,
    /// Distinguishes entries with the same operation on the same resource: ``, `_2`, ...
    pub suffix: &'a str,
    /// JSON pointer of the entry, for messages.
    pub pointer: &'a str,
}

impl DraftContext<'_> {
    /// A stage with a shader of the engine.
    pub fn draft(&self, name: impl Into<String>, shader: &'static str, domain: Domain) -> Draft {
        self.draft_of(name, ShaderSource::BuiltIn(shader), domain)
    }

    /// A stage with any shader.
    pub fn draft_of(&self, name: impl Into<String>, source: ShaderSource, domain: Domain) -> Draft {
        let mut draft = Draft::new(name, source, domain, self.list, self.pointer);
        draft.every = self.every;
        draft
    }
}

/// Buffers that the entries for one resource share, by name.
#[derive(Debug, Default)]
pub struct SharedBuffers {
    fields: HashMap<String, FieldId>,
}

impl SharedBuffers {
    /// A buffer of at least `length` words.
    pub fn get(&mut self, pipeline: &mut Pipeline, name: String, length: u64) -> FieldId {
        match self.fields.get(&name) {
            Some(field) => {
                let resource = pipeline.fields[*field].resource;
                let size = &mut pipeline.resources[resource].size[0];
                *size = length.max(*size);
                *field
            }
            None => {
                let field = pipeline.add_words(&name, length);
                self.fields.insert(name, field);
                field
            }
        }
    }
}
