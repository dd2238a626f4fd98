//! What the resolution of a pipeline file has at hand: the file, the names that are known, the problems so far, and the
//! pipeline as far as it is resolved.

use std::collections::{HashMap, HashSet};

use super::document::Document;
use super::file::{Number, Numbers, PipelineFile};
use super::scope::Scope;
use crate::element::{Element, Scalar, shown};
use crate::ir::{FieldId, Pipeline};
use crate::lower::SharedBuffers;
use crate::lower::unpack::Unpacked;
use crate::problem::{Problem, Problems};

pub(super) struct Resolver<'a> {
    pub file: &'a PipelineFile,
    pub document: &'a Document,
    pub scope: Scope,
    pub problems: Problems,
    /// What is resolved so far.
    pub pipeline: Pipeline,
    pub field_ids: HashMap<String, FieldId>,
    pub resource_names: HashSet<String>,
    /// Resources and fields whose names are known: those that outputs add have none in the file.
    pub resources_known: usize,
    pub fields_known: usize,
    /// Whether all stages of the file could be read: what they write is known then.
    pub stages_known: bool,
    /// Buffers of the engine's own that several entries share.
    pub shared: SharedBuffers,
    pub unpacked: Unpacked,
}

fn values_of(count: usize) -> String {
    format!("{count} value{}", if count == 1 { "" } else { "s" })
}

pub(super) fn no_value(value: f64, element: Element, pointer: &str) -> Problem {
    let message = format!("{} is not a value of type {}", shown(value), element.name());
    let [least, most] = element.scalar().range();
    Problem::new(pointer, message).help(match element.scalar() {
        Scalar::Double => "write a number".to_string(),
        Scalar::Float => format!("write a number from {:e} to {:e}", f32::MIN, f32::MAX),
        Scalar::Half => format!("write a number from {least} to {most}, or change the type"),
        _ => format!("write a whole number from {least} to {most}, or change the type"),
    })
}

impl Resolver<'_> {
    /// Gives a name of expressions its value, or marks it as one that is wrong.
    pub(super) fn define(&mut self, name: impl Into<String>, value: Option<f64>) {
        match value {
            Some(value) => drop(self.scope.insert(name, value)),
            None => self.scope.fail(name),
        }
    }

    /// Evaluates a number; a problem is recorded and `None` returned.
    pub(super) fn number(&mut self, number: &Number, pointer: &str) -> Option<f64> {
        self.scope
            .number(number, pointer)
            .map_err(|problem| self.problems.list.extend(problem))
            .ok()
    }

    /// A number greater than zero that stays so as a 32-bit float.
    pub(super) fn positive(&mut self, number: &Number, pointer: &str) -> Option<f64> {
        let value = self.number(number, pointer)?;
        let problem =
            match value > 0.0 {
                true if (value as f32).is_normal() => return Some(value),
                true => Problem::new(pointer, format!("{value:e} is not a value of type float")).help(
                    format!("write a number from {:e} to {:e}", f32::MIN_POSITIVE, f32::MAX),
                ),
                false => Problem::new(pointer, format!("{value} is not greater than zero"))
                    .help("write a positive number"),
            };
        self.problems.push(problem);
        None
    }

    /// A coordinate, which shaders see as a 32-bit float.
    pub(super) fn coordinate(&mut self, number: &Number, pointer: &str) -> Option<f64> {
        let value = self.number(number, pointer)?;
        if Element::Float.component_bits(value).is_none() {
            self.problems.push(no_value(value, Element::Float, pointer));
            return None;
        }
        Some(value)
    }

    /// Evaluates a whole number between two bounds.
    pub(super) fn count(&mut self, number: &Number, pointer: &str, least: u64, most: u64) -> Option<u64> {
        let value = self.number(number, pointer)?;
        if value.fract() == 0.0 && value >= least as f64 && value <= most as f64 {
            return Some(value as u64);
        }
        let message = format!("{value} is not a whole number from {least} to {most}");
        let help = match value.fract() == 0.0 {
            true => "choose one in that range",
            false => "use floor(...), ceil(...) or round(...)",
        };
        self.problems.push(Problem::new(pointer, message).help(help));
        None
    }

    /// Evaluates one or several numbers; a text may name a whole vector parameter.
    pub(super) fn numbers(&mut self, numbers: &Numbers, pointer: &str) -> Option<Vec<f64>> {
        match numbers {
            Numbers::One(Number::Expression(text)) if self.scope.vector(text).is_some() => {
                self.scope.vector(text).map(<[f64]>::to_vec)
            }
            Numbers::One(number) => Some(vec![self.number(number, pointer)?]),
            Numbers::Many(items) => items
                .iter()
                .enumerate()
                .map(|(i, n)| self.number(n, &format!("{pointer}/{i}")))
                .collect(),
        }
    }

    /// Whether a value has as many components as its type; a problem is recorded.
    pub(super) fn has_length(&mut self, length: usize, element: Element, pointer: &str) -> bool {
        let wanted = element.components() as usize;
        self.has_as_many(length, wanted, element.name(), pointer)
    }

    /// Whether a value of a type has as many numbers as it should; a problem is recorded.
    pub(super) fn has_as_many(&mut self, length: usize, wanted: usize, of: &str, pointer: &str) -> bool {
        if length == wanted {
            return true;
        }
        let message = format!("{of} requires {}, not {length}", values_of(wanted));
        let help = match wanted {
            1 => "write one number or expression, without [ ]".to_string(),
            _ => format!("write {wanted} numbers or expressions in [ ]"),
        };
        self.problems.push(Problem::new(pointer, message).help(help));
        false
    }

    /// One value of a type, as memory holds it.
    pub(super) fn bytes(&mut self, numbers: &Numbers, element: Element, pointer: &str) -> Vec<u8> {
        let nothing = vec![0; element.bytes() as usize];
        let Some(values) = self.numbers(numbers, pointer) else {
            return nothing;
        };
        if !self.has_length(values.len(), element, pointer) {
            return nothing;
        }
        let mut bytes = Vec::with_capacity(nothing.len());
        for value in values {
            if element.component_bits(value).is_none() {
                self.problems.push(no_value(value, element, pointer));
            }
            bytes.extend(element.component_bytes(value));
        }
        bytes
    }

    /// Looks a field up by its full name.
    pub(super) fn field_id(&mut self, name: &str, pointer: &str) -> Option<FieldId> {
        if let Some(id) = self.field_ids.get(name) {
            return Some(*id);
        }
        let problem = Problem::new(pointer, format!("`{name}` is not a field of this pipeline"))
            .help("a field is written `<resource>.<channel>`; a buffer has its own name");
        // A resource alone is most likely meant to be one of its channels.
        let channels = format!("{name}.");
        let of_resource: Vec<&str> = (self.pipeline.fields.iter().map(|field| field.name.as_str()))
            .filter(|field| field.starts_with(&channels))
            .collect();
        self.problems.push(match of_resource.as_slice() {
            [] => problem.suggest(name, self.pipeline.fields.iter().map(|field| field.name.as_str())),
            channels => problem.help(format!("`{name}` has {}", channels.join(", "))),
        });
        None
    }
}
