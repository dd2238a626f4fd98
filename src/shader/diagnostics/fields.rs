//! Accessors of fields that a stage does not list, or does not list for this.

use serde_json::Value;

use super::Diagnostics;
use super::words::Words;
use crate::ir::{Field, FieldId, LocalField};

/// Prefixes of accessors that write, the first of them of any type.
const WRITES: [&str; 5] = ["set_", "add_", "min_", "max_", "or_"];

/// A field by the names that it has for this stage.
pub(super) struct Known {
    /// In the shader.
    pub symbol: String,
    /// In the lists of the stage.
    pub written: String,
    pub field: FieldId,
}

/// What an accessor does.
#[derive(Clone, Copy, PartialEq)]
enum Access {
    Read,
    Write,
    Atomic,
    Sample,
}

impl Diagnostics<'_> {
    /// A name that the interface would have if the stage listed what it is about.
    pub(super) fn of_pipeline(&self, name: &str) -> Option<Words> {
        self.accessor(name)
            .or_else(|| self.constant_of_resource(name))
            .or_else(|| self.request(name))
            .or_else(|| self.reduction(name))
    }

    /// What the index of an accessor is, for those who mistook it.
    pub(super) fn index_of(&self, name: &str) -> String {
        let fields = self.shader.signature.fields.iter();
        let of = |field: &&LocalField| {
            let prefixes = WRITES.iter().chain(&[""]);
            prefixes
                .into_iter()
                .any(|prefix| name.strip_prefix(prefix) == Some(&field.name))
        };
        let Some(field) = fields.into_iter().find(of) else {
            return String::new();
        };
        let resource = &self.shader.signature.resources[field.resource];
        let index = match resource.axes() {
            1 => "a uint",
            2 => "an ivec2",
            _ => "an ivec3",
        };
        let value = field.element.accessor_type();
        let entry = if field.count.is_some() {
            ", the entry a uint"
        } else {
            ""
        };
        format!("; the index is {index}{entry}, the value has the type {value}")
    }

    /// The fields of the pipeline by their names for this stage: those that it binds first.
    pub(super) fn known_fields(&self) -> Vec<Known> {
        let pipeline = self.shader.pipeline;
        let mut known = Vec::new();
        let bound = pipeline
            .document
            .pointer(&format!("{}/bind", self.shader.stage.pointer));
        for (local, meant) in bound.and_then(Value::as_object).into_iter().flatten() {
            let meant = meant.as_str().unwrap_or_default();
            for (field, of) in pipeline.fields.iter().enumerate() {
                let written = match of.name.strip_prefix(meant) {
                    Some("") => local.clone(),
                    Some(channel) if channel.starts_with('.') => format!("{local}{channel}"),
                    _ => continue,
                };
                let symbol = written.replace('.', "_");
                known.push(Known {
                    symbol,
                    written,
                    field,
                });
            }
        }
        let of_file = |field: &Field| !field.pointer.is_empty();
        let own = pipeline
            .fields
            .iter()
            .enumerate()
            .filter(|(_, field)| of_file(field));
        known.extend(own.map(|(number, field)| Known {
            symbol: field.symbol(),
            written: field.name.clone(),
            field: number,
        }));
        known
    }

    /// An accessor of a field that the stage does not list, or does not list for this.
    pub(super) fn accessor(&self, name: &str) -> Option<Words> {
        let fields = self.known_fields();
        let find = |symbol: &str| fields.iter().find(|known| known.symbol == symbol);
        let prefixed = |prefix: &str| find(name.strip_prefix(prefix)?);
        let written = || {
            WRITES.iter().enumerate().find_map(|(number, prefix)| {
                let access = if number == 0 {
                    Access::Write
                } else {
                    Access::Atomic
                };
                Some((access, prefixed(prefix)?))
            })
        };
        let of_position = || Some((Access::Sample, find(name.strip_suffix("_position")?)?));
        let found = find(name).map(|known| (Access::Read, known));
        let (access, known) = found
            .or_else(written)
            .or_else(|| Some((Access::Sample, prefixed("sample_")?)))
            .or_else(of_position)?;
        let pipeline = self.shader.pipeline;
        let field = &pipeline.fields[known.field];
        let listed = self
            .shader
            .signature
            .fields
            .iter()
            .find(|local| local.name == known.symbol);
        let written = &known.written;
        let is_placed = pipeline.resource_of(known.field).is_placed();
        match access {
            Access::Atomic if !matches!(field.element.name(), "int" | "uint") => {
                let no_atomics = || {
                    Words::new(
                        format!(
                            "`{name}` does not exist: `{written}` has the type {}",
                            field.type_name()
                        ),
                        "only fields of the types int and uint have atomics",
                    )
                };
                Some(self.reduction(name).unwrap_or_else(no_atomics))
            }
            Access::Sample if !is_placed => Some(Words::new(
                format!("`{name}` does not exist: `{written}` has no places in the world"),
                "only channels of grids of cells or vertices have",
            )),
            Access::Sample if field.at.is_none() && field.border.is_none() => Some(Words::new(
                format!("`{name}` does not exist: `{written}` has neither `at` nor `border`"),
                format!(
                    "only a channel with `at` or `border` has `sample_{0}` and `{0}_position`: add one of them, for \
                     example \"at\": \"centre\"",
                    known.symbol
                ),
            )),
            Access::Read | Access::Sample if listed.is_none_or(|local| !local.reads) => {
                Some(self.unlisted(name, written, "reads"))
            }
            Access::Write | Access::Atomic if listed.is_none_or(|local| !local.writes) => {
                Some(self.unlisted(name, written, "writes"))
            }
            _ => None,
        }
    }

    /// A field that is missing in a list of the stage.
    pub(super) fn unlisted(&self, name: &str, field: &str, key: &str) -> Words {
        Words::new(
            format!("`{name}` requires `{field}` in the `{key}` of the stage"),
            format!("write {} in the stage", self.list_with(key, field)),
        )
    }

    /// A list of the stage as JSON, with one more name.
    pub(super) fn list_with(&self, key: &str, name: &str) -> String {
        let pointer = format!("{}/{key}", self.shader.stage.pointer);
        let listed = self.shader.pipeline.document.pointer(&pointer);
        let listed = listed.and_then(Value::as_array).into_iter().flatten();
        let names = listed.filter_map(Value::as_str).chain([name]);
        let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        format!("\"{key}\": [{}]", names.join(", "))
    }
}
