//! The names that a stage's shader has for resources and fields: its own, or those of the pipeline.

use std::collections::HashMap;

use super::super::file::{Named, StageFile};
use super::super::indexed::without_index;
use super::super::names::check_name;
use super::Unroller;
use super::timed::is_of_clock;
use crate::ir::*;
use crate::problem::{Problem, pointer_part};

/// What `bind` of a stage says.
#[derive(Default)]
pub(super) struct LocalNames {
    /// The names of the pipeline behind the names of the shader, as they are written.
    bound: HashMap<String, String>,
    /// Resources by the shader's names.
    pub resources: Vec<(String, ResourceId)>,
}

/// A field as a shader knows it.
#[derive(Clone)]
pub(super) struct LocalName {
    /// Its accessor is called so.
    pub name: String,
    /// The shader's name of its resource, if it has one.
    pub of: Option<String>,
    pub field: FieldId,
}

impl LocalName {
    /// A field under its own name.
    pub(super) fn own(pipeline: &Pipeline, field: FieldId) -> LocalName {
        LocalName {
            name: pipeline.fields[field].symbol(),
            of: None,
            field,
        }
    }
}

impl LocalNames {
    /// The pipeline's name for a resource.
    pub(super) fn resource_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.bound.get(name).map_or(name, String::as_str)
    }

    /// The pipeline's name for a field, and the shader's for its resource where that is bound.
    fn field_name(&self, name: &str) -> (String, Option<String>) {
        if let Some(field) = self.bound.get(name) {
            return (field.clone(), None);
        }
        let bound = name
            .split_once('.')
            .and_then(|(resource, channel)| Some((resource, self.bound.get(resource)?, channel)));
        match bound {
            Some((of, resource, channel)) => (format!("{resource}.{channel}"), Some(of.to_string())),
            None => (name.to_string(), None),
        }
    }
}

impl Unroller<'_, '_> {
    pub(super) fn local_names(&mut self, bind: &Named<String>, pointer: &str) -> LocalNames {
        let mut names = LocalNames::default();
        for (local, meant) in bind {
            let at = format!("{pointer}/bind/{}", pointer_part(local));
            for part in local.split('.') {
                check_name(part, &at, &mut self.resolver.problems);
            }
            names.bound.insert(local.clone(), meant.clone());
            let pipeline = &self.resolver.pipeline;
            let resource = pipeline
                .resources
                .iter()
                .position(|resource| resource.name == *meant);
            // The only field of a buffer gives it its name.
            match resource.filter(|id| !pipeline.resources[*id].is_buffer()) {
                Some(id) => names.resources.push((local.clone(), id)),
                None if self.resolver.field_ids.contains_key(meant) => {}
                None => {
                    let problem = Problem::new(at, format!("`{meant}` is neither a resource nor a field"));
                    let known = (pipeline.resources.iter().map(|resource| resource.name.as_str()))
                        .chain(pipeline.fields.iter().map(|field| field.name.as_str()));
                    let problem = problem
                        .help("name a resource or field of this pipeline")
                        .suggest(meant, known);
                    self.resolver.problems.push(problem);
                }
            }
        }
        names
    }

    /// The fields that a stage reads and writes in any order.
    pub(super) fn unordered(
        &mut self,
        file: &StageFile,
        lists: [&[LocalName]; 2],
        names: &LocalNames,
        pointer: &str,
    ) -> Vec<FieldId> {
        let pointer = format!("{pointer}/unordered");
        let listed = self.fields(&file.unordered, names, &pointer);
        let is_in = |list: &[LocalName], field: FieldId| list.iter().any(|local| local.field == field);
        for local in &listed {
            if !lists.iter().all(|list| is_in(list, local.field)) {
                let message = format!("the stage does not both read and write `{}`", local.name);
                let problem = Problem::new(&pointer, message);
                let help = "`unordered` lists fields in `reads` and `writes` that elements read while others write them";
                self.resolver.problems.push(problem.help(help));
            }
        }
        listed.iter().map(|local| local.field).collect()
    }

    /// The fields of a list of the shader's names.
    pub(super) fn fields(&mut self, list: &[String], names: &LocalNames, pointer: &str) -> Vec<LocalName> {
        let mut fields: Vec<LocalName> = Vec::new();
        for (i, written) in list.iter().enumerate() {
            let pointer = format!("{pointer}/{i}");
            if list[..i].contains(written) {
                let problem = Problem::new(&pointer, format!("`{written}` is listed twice"));
                self.resolver.problems.push(problem.help("list it once"));
                continue;
            }
            if is_of_clock(written) {
                continue;
            }
            let (meant, of) = names.field_name(written);
            if let Some(field) = self.resolver.field_id(&meant, &pointer) {
                let name = without_index(written).replace('.', "_");
                fields.push(LocalName { name, of, field });
            }
        }
        fields
    }

    /// Reports names of the shader that stand for two fields.
    pub(super) fn check_local(&mut self, reads: &[LocalName], writes: &[LocalName], pointer: &str) {
        let mut known: HashMap<&str, FieldId> = HashMap::new();
        let fields = &self.resolver.pipeline.fields;
        for local in reads.iter().chain(writes) {
            let other = *known.entry(&local.name).or_insert(local.field);
            if other != local.field {
                let (other, field) = (&fields[other].name, &fields[local.field].name);
                let message = format!(
                    "`{other}` and `{field}` would both be called `{}` in the shader",
                    local.name
                );
                let problem = Problem::new(format!("{pointer}/bind"), message);
                let help = "bind one of them to another name";
                return self.resolver.problems.push(problem.help(help));
            }
        }
    }
}
