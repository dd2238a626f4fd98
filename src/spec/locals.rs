//! The shader's names for resources and fields of a stage: names of the file, or names in `bind`.

use std::collections::HashMap;

use indexmap::IndexSet;

use super::calls::At;
use super::file::{Reference, StageFile};
use super::kernels::{Kernel, is_of_clock};
use super::lookup::FieldName;
use super::resolver::Resolver;
use super::scope::Scope;
use crate::expr::Name;
use crate::ir::{Domain, FieldId, Pipeline, ResourceId};
use crate::problem::{Place, Problem};

/// The key `bind` of a stage, resolved.
#[derive(Default)]
pub(super) struct LocalNames {
    /// Targets of the shader's names.
    bound: HashMap<String, Bound>,
    /// Resources by the shader's names, in the order of the file.
    resources: Vec<(String, ResourceId)>,
}

enum Bound {
    Resource(Name, Place),
    Field(FieldName),
    /// A mistake, already reported.
    Broken,
}

/// A field with its names in a shader.
#[derive(Clone)]
pub(super) struct LocalField {
    /// The name of the accessor.
    pub name: String,
    /// The shader's name of its resource.
    pub of: String,
    pub field: FieldId,
}

impl LocalNames {
    /// The names of resources, in the order of the interface of the shader.
    pub(super) fn calls(
        &self,
        pipeline: &Pipeline,
        reads: &[LocalField],
        writes: &[LocalField],
        domain_name: Option<&str>,
        domain: &Domain,
    ) -> Vec<(String, ResourceId)> {
        let mut calls = self.resources.clone();
        let is_buffer = |resource: ResourceId| pipeline.resources[resource].is_buffer();
        let of_field = |local: &LocalField| (local.of.clone(), pipeline.fields[local.field].resource);
        for call in reads.iter().chain(writes).map(of_field) {
            // A buffer with a single field has the name of this field.
            if !is_buffer(call.1) && !calls.contains(&call) {
                calls.push(call);
            }
        }
        if let (Some(name), Some(resource)) = (domain_name, domain.resource)
            && !calls.iter().any(|(_, known)| *known == resource)
            && !is_buffer(resource)
        {
            calls.push((name.to_string(), resource));
        }
        calls
    }

    /// Names of missing optional fields in the lists of a stage.
    pub(super) fn absent(&self, kernel: &Kernel, resolver: &Resolver, scope: &Scope) -> Vec<String> {
        let listed = kernel.fields().filter(|reference| !is_of_clock(reference));
        let found = listed.filter_map(|reference| resolver.looked_up(reference, self, scope));
        let absent = found.filter(|(found, ..)| found.channel.is_none());
        let absent: IndexSet<String> = absent.map(|(_, name, _)| name).collect();
        absent.into_iter().collect()
    }
}

impl<'f> Resolver<'_, 'f> {
    pub(super) fn local_names(&self, file: &'f StageFile, scope: &Scope) -> LocalNames {
        let mut names = LocalNames::default();
        for (local, item) in file.bind.iter() {
            let Some(local) = self.program.substitute_letters(scope, local, &item.key) else {
                continue;
            };
            for part in local.split('.') {
                self.program.check_name(part, &item.key);
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
        // A buffer with a single field has the name of this field.
        if let Some(found) = program.field_of(scope, name, place)? {
            return Some(Bound::Field(found));
        }
        if let Some(resource) = program.resource_of(scope, name, place)? {
            if let Some(at) = resource.at {
                resources.push((local.to_string(), self.ids.resource(at)?));
            }
            return Some(Bound::Resource(name.clone(), place.clone()));
        }
        let fields = program.field_names(scope.instance);
        let mut known: Vec<&str> = program.resource_names(scope.instance).collect();
        known.extend(fields.iter().map(String::as_str));
        let message = format!("`{name}` is neither a resource nor a field");
        let problem = Problem::at(place, message, "name a resource or field");
        let problem = problem.suggest(&name.to_string(), known);
        program.fail(problem)
    }

    /// The field of a name in a list of a stage, with the shader's names of its accessor and its resource.
    pub(super) fn looked_up(
        &self,
        reference: &Reference,
        names: &LocalNames,
        scope: &Scope,
    ) -> Option<(FieldName, String, String)> {
        let (program, name, place) = (self.program, reference.name.as_ref()?, &reference.place);
        let parts: Vec<&str> = name.parts.iter().map(|part| part.text.as_str()).collect();
        let written = program.substitute_letters(scope, &parts.join("."), place)?;
        let accessor = written.replace('.', "_");
        match names.bound.get(&written) {
            Some(Bound::Field(found)) => {
                let is_buffer = found.name.is_empty();
                let of = if is_buffer { &accessor } else { &found.resource }.clone();
                return Some((found.clone(), accessor, of));
            }
            Some(Bound::Broken) => return None,
            _ => {}
        }
        let first = written.split('.').next().unwrap_or_default();
        match names.bound.get(first) {
            Some(Bound::Broken) => None,
            Some(Bound::Resource(meant, _)) if name.parts[0].indices.is_empty() => {
                let parts = meant.parts.iter().chain(&name.parts[1..]).cloned().collect();
                let found = program.field_named(scope, &Name { parts }, place)?;
                Some((found, accessor, first.to_string()))
            }
            Some(Bound::Resource(meant, _)) => {
                let message =
                    format!("`{first}` is bound to `{meant}` here, so `{name}` has no name in the shader");
                program.refuse(place, message, "bind this level too, under another name")
            }
            _ => {
                let found = program.field_named(scope, name, place)?;
                let of = found.resource.clone();
                Some((found, accessor, of))
            }
        }
    }

    /// The field of a name in a list of a stage; `None` if an optional field is missing.
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

    /// The fields of a list of a stage, without missing optional ones. `None` if one is a mistake, which is reported: the
    /// kernel would not compile without its accessor.
    pub(super) fn local_fields(
        &self,
        list: &[Reference],
        names: &LocalNames,
        scope: &Scope,
    ) -> Option<Vec<LocalField>> {
        let mut fields: Vec<LocalField> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        let mut is_whole = true;
        for reference in list.iter().filter(|reference| !is_of_clock(reference)) {
            let written = reference.text();
            if seen.contains(&written) {
                let message = format!("`{written}` is listed twice");
                self.program.wrong(&reference.place, message, "list it once");
                continue;
            }
            seen.push(written);
            match self.looked_up(reference, names, scope) {
                None => is_whole = false,
                Some((found, name, of)) => match self.field_id(&found) {
                    Some(field) => fields.push(LocalField { name, of, field }),
                    // An optional field is missing, or the field or its resource has a mistake.
                    None => is_whole &= found.channel.is_none(),
                },
            }
        }
        is_whole.then_some(fields)
    }

    /// Reports names of the shader that refer to two fields.
    pub(super) fn check_local(&self, reads: &[LocalField], writes: &[LocalField], file: &StageFile) {
        let mut known: HashMap<&str, FieldId> = HashMap::new();
        for LocalField { name, field, .. } in reads.iter().chain(writes) {
            let other = *known.entry(name).or_insert(*field);
            if other != *field {
                let [other, field] = [other, *field].map(|field| &self.pipeline.fields[field].name);
                let message = format!("`{other}` and `{field}` would both be called `{name}` in the shader");
                return self
                    .program
                    .wrong(&file.place, message, "bind one of them to another name");
            }
        }
    }

    /// The sparse grids whose blocks a stage requests.
    pub(super) fn requests(&self, kernel: &Kernel, names: &LocalNames, at: &At<'f>) -> Vec<ResourceId> {
        let mut grids = Vec::new();
        if let Some(first) = kernel.requests.first() {
            let message = "frame stages cannot request blocks";
            let _: Option<()> = self.not_in_frames(at.list, &first.place, message);
        }
        for reference in kernel
            .requests
            .iter()
            .filter(|reference| reference.name.is_some())
        {
            let bound = match names.bound.get(&reference.text()) {
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

    /// A sparse grid. Reports any other resource.
    pub(super) fn sparse_grid(&self, scope: &Scope, reference: &Reference) -> Option<ResourceId> {
        let id = self.resource(scope, reference)?;
        let found = &self.pipeline.resources[id];
        if found.sparse().is_some() {
            return Some(id);
        }
        let (name, program) = (reference.text(), self.program);
        let message = format!("`{name}` is not a sparse grid");
        if found.is_grid() {
            return program.refuse(&reference.place, message, "add \"sparse\": {} to the grid");
        }
        let sparse = self.names_of(|resource| resource.sparse().is_some());
        program.fail(Problem::at(&reference.place, message, "name a sparse grid").suggest(&name, sparse))
    }
}
