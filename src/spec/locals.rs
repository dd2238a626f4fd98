//! The names that a stage's shader has for resources and fields: those of the file, or those that `bind` gives.

use std::collections::HashMap;

use super::calls::At;
use super::file::{Reference, StageFile};
use super::kernels::{Kernel, is_of_clock};
use super::lookup::{AtLevel, FieldName};
use super::names::wrong_name;
use super::resolver::Resolver;
use super::scope::Scope;
use crate::expr::Name;
use crate::ir::{Domain, FieldId, List, Pipeline, ResourceId};
use crate::problem::{Place, Problem};

/// What `bind` of a stage says.
#[derive(Default)]
pub(super) struct LocalNames {
    /// What the shader's names of resources and fields stand for.
    bound: HashMap<String, Bound>,
    /// Resources by the shader's names, in the order of the file.
    resources: Vec<(String, ResourceId)>,
}

enum Bound {
    Resource(Name, Place),
    Field(FieldName),
    /// A mistake that has been reported.
    Broken,
}

/// A field as a shader knows it.
#[derive(Clone)]
pub(super) struct LocalField {
    /// Its accessor is called so.
    pub name: String,
    /// The shader's name of its resource.
    pub of: String,
    pub field: FieldId,
}

impl LocalNames {
    /// The names of resources, in the order in which a shader gets to know them.
    pub(super) fn calls(
        &self,
        pipeline: &Pipeline,
        reads: &[LocalField],
        writes: &[LocalField],
        domain_name: Option<&str>,
        domain: &Domain,
    ) -> Vec<(String, ResourceId)> {
        let mut calls = self.resources.clone();
        let fields = reads
            .iter()
            .chain(writes)
            .map(|local| (local.of.clone(), pipeline.fields[local.field].resource));
        // The only field of a buffer gives it its name.
        for call in fields.filter(|(_, resource)| !pipeline.resources[*resource].is_buffer()) {
            if !calls.contains(&call) {
                calls.push(call);
            }
        }
        if let (Some(name), Some(resource)) = (domain_name, domain.resource)
            && !calls.iter().any(|(_, known)| *known == resource)
            && !pipeline.resources[resource].is_buffer()
        {
            calls.push((name.to_string(), resource));
        }
        calls
    }

    /// Names of optional fields that a stage lists and that are not there.
    pub(super) fn absent(&self, kernel: &Kernel, resolver: &Resolver, scope: &Scope) -> Vec<String> {
        let mut absent: Vec<String> = Vec::new();
        for reference in kernel.fields().filter(|reference| !is_of_clock(reference)) {
            let Some((found, name, _)) = resolver.looked_up(reference, self, scope) else {
                continue;
            };
            if found.channel.is_none() && !absent.contains(&name) {
                absent.push(name);
            }
        }
        absent
    }
}

impl<'f> Resolver<'_, 'f> {
    pub(super) fn local_names(&self, file: &'f StageFile, scope: &Scope) -> LocalNames {
        let mut names = LocalNames::default();
        let program = self.program;
        for (local, item) in file.bind.iter() {
            let Some(local) = program.filled(scope, local, &item.key) else {
                continue;
            };
            for part in local.split('.') {
                if let Some(problem) = wrong_name(part, &item.key) {
                    program.report(problem)
                }
            }
            let Some(reference) = &item.value else { continue };
            let bound = self.bound(reference, scope, &local, &mut names.resources);
            names.bound.insert(local, bound.unwrap_or(Bound::Broken));
        }
        names
    }

    fn bound(
        &self,
        reference: &Reference,
        scope: &Scope,
        local: &str,
        resources: &mut Vec<(String, ResourceId)>,
    ) -> Option<Bound> {
        let (program, name, place) = (self.program, reference.name.as_ref()?, &reference.place);
        // The only field of a buffer gives it its name.
        if let Some(found) = program.noted(program.field_of(scope, name, place))? {
            return Some(Bound::Field(found));
        }
        if let Some((at, _)) = program.noted(program.resource_of(scope, name, place))? {
            if let Some(decl) = at.id {
                let id = self.ids.resources.get(&AtLevel {
                    id: decl,
                    level: at.level,
                })?;
                resources.push((local.to_string(), *id));
            }
            return Some(Bound::Resource(name.clone(), place.clone()));
        }
        let problem = Problem::at_place(
            place.clone(),
            format!("`{name}` is neither a resource nor a field"),
        );
        let found = &program.instances[scope.instance];
        let mut known: Vec<String> = found
            .own
            .keys()
            .chain(found.roles.keys())
            .map(|name| name.to_string())
            .collect();
        known.extend(program.field_names(scope.instance));
        program.report(
            problem
                .help("name a resource or field")
                .suggest(&name.to_string(), known.iter().map(String::as_str)),
        );
        None
    }

    /// The field of a name in a list of a stage, what its accessor is called and what its resource.
    fn looked_up(
        &self,
        reference: &Reference,
        names: &LocalNames,
        scope: &Scope,
    ) -> Option<(FieldName, String, String)> {
        let (program, name, place) = (self.program, reference.name.as_ref()?, &reference.place);
        let own = |name: &Name, place: &Place| {
            let found = program.field_of(scope, name, place).and_then(|found| {
                found.ok_or_else(|| Some(program.no_field(scope.instance, &name.to_string(), place)))
            });
            program.noted(found)
        };
        let text = |name: &Name| {
            let parts: Vec<&str> = name.parts.iter().map(|part| part.text.as_str()).collect();
            program.filled(scope, &parts.join("."), place)
        };
        let written = text(name)?;
        let accessor = written.replace('.', "_");
        match names.bound.get(&written) {
            Some(Bound::Field(found)) => {
                let of = if found.name.is_empty() {
                    accessor.clone()
                } else {
                    found.resource.clone()
                };
                return Some((found.clone(), accessor, of));
            }
            Some(Bound::Broken) => return None,
            _ => {}
        }
        let (first, rest) = written.split_once('.').unwrap_or((&written, ""));
        match names.bound.get(first) {
            Some(Bound::Broken) => None,
            Some(Bound::Resource(meant, _)) => {
                if name.parts[0].indices.is_empty() {
                    let meant = Name {
                        parts: meant.parts.iter().chain(&name.parts[1..]).cloned().collect(),
                    };
                    return Some((own(&meant, place)?, accessor, first.to_string()));
                }
                let message =
                    format!("`{first}` is bound to `{meant}` here, so `{name}` has no name in the shader");
                let problem = Problem::at_place(place.clone(), message);
                program.report(problem.help("bind this level too, to another name"));
                None
            }
            _ => {
                let found = own(name, place)?;
                let _ = rest;
                let of = found.resource.clone();
                Some((found, accessor, of))
            }
        }
    }

    /// A field of a list of the shader's names; none for one that is not there.
    pub(super) fn local_field(
        &self,
        reference: &Reference,
        names: &LocalNames,
        scope: &Scope,
    ) -> Option<LocalField> {
        let (found, name, of) = self.looked_up(reference, names, scope)?;
        let field = self.field_id(&found)?;
        Some(LocalField { name, of, field })
    }

    pub(super) fn local_fields(
        &self,
        list: &[Reference],
        names: &LocalNames,
        scope: &Scope,
    ) -> Vec<LocalField> {
        let mut fields: Vec<LocalField> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for reference in list.iter().filter(|reference| !is_of_clock(reference)) {
            let written = reference.name.as_ref().map(Name::to_string).unwrap_or_default();
            if seen.contains(&written) {
                let problem =
                    Problem::at_place(reference.place.clone(), format!("`{written}` is listed twice"));
                self.program.report(problem.help("list it once"));
                continue;
            }
            seen.push(written);
            fields.extend(self.local_field(reference, names, scope));
        }
        fields
    }

    /// Reports names of the shader that stand for two fields.
    pub(super) fn check_local(&self, reads: &[LocalField], writes: &[LocalField], file: &StageFile) {
        let mut known: HashMap<&str, FieldId> = HashMap::new();
        for local in reads.iter().chain(writes) {
            let other = *known.entry(&local.name).or_insert(local.field);
            if other != local.field {
                let [other, field] = [other, local.field].map(|field| &self.pipeline.fields[field].name);
                let message = format!(
                    "`{other}` and `{field}` would both be called `{}` in the shader",
                    local.name
                );
                let problem = Problem::at_place(file.place.clone(), message);
                return self
                    .program
                    .report(problem.help("bind one of them to another name"));
            }
        }
    }

    /// The sparse grids of which a stage asks for blocks.
    pub(super) fn requests(&self, kernel: &Kernel, names: &LocalNames, at: &At<'f>) -> Vec<ResourceId> {
        let mut grids = Vec::new();
        if let Some(first) = kernel.requests.first()
            && at.list == List::Frame
        {
            self.is_in_frames(at.list, &first.place, "frame stages cannot request blocks");
        }
        for reference in kernel.requests.iter() {
            let Some(name) = &reference.name else { continue };
            let bound = match names.bound.get(&name.to_string()) {
                Some(Bound::Resource(meant, place)) => Reference {
                    place: place.clone(),
                    name: Some(meant.clone()),
                },
                _ => reference.clone(),
            };
            grids.extend(self.sparse_grid(&at.scope, &bound));
        }
        grids
    }

    /// A sparse grid; reports a resource that is none.
    pub(super) fn sparse_grid(&self, scope: &Scope, reference: &Reference) -> Option<ResourceId> {
        let id = self.resource(scope, reference)?;
        let found = &self.pipeline.resources[id];
        if found.sparse().is_some() {
            return Some(id);
        }
        let name = reference.name.as_ref()?;
        let problem = Problem::at_place(reference.place.clone(), format!("`{name}` is not a sparse grid"));
        let sparse = self
            .pipeline
            .resources
            .iter()
            .filter(|resource| resource.sparse().is_some());
        self.program.report(match found.is_grid() {
            true => problem.help("add \"sparse\": {} to the grid"),
            false => problem
                .help("name a sparse grid")
                .suggest(&name.to_string(), sparse.map(|grid| grid.name.as_str())),
        });
        None
    }
}
