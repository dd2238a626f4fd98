//! Looks up names of resources and fields in the scope of an instance.

use super::file::Reference;
use super::program::*;
use super::scope::Scope;
use crate::expr::Name;
use crate::problem::{Place, Problem};

/// The reason why a look-up fails: a problem to report, or `None` if its cause is already reported.
pub type Failure = Option<Problem>;

/// The resource of a name.
pub struct ResourceName {
    /// `None` for an optional role that is not filled.
    pub at: Option<AtLevel<DeclId>>,
    /// The name in shaders.
    pub local: String,
}

/// The resource at the beginning of a name.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundResource {
    /// The instance that declares it or has a role for it, and the name there.
    pub home: InstanceId,
    pub name: String,
    /// `None` for an optional role that is not filled.
    pub decl: Option<DeclId>,
    /// Number of parts of the name that refer to the resource.
    pub parts: usize,
}

/// A level of a resource: 0 unless it is a grid with levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtLevel<T> {
    pub id: T,
    pub level: u32,
}

/// The field of a name in a list of a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldName {
    /// The field; `None` for a missing optional one.
    pub channel: Option<AtLevel<ChannelId>>,
    /// The names of resource and channel in shaders; a buffer without channels has an empty `name`.
    pub resource: String,
    pub name: String,
}

impl<T> AtLevel<T> {
    /// The finest level, which every resource has.
    pub fn finest(id: T) -> AtLevel<T> {
        AtLevel { id, level: 0 }
    }
}

impl<'f> Program<'f> {
    /// The parts of a name, with letters substituted.
    pub fn parts(&self, scope: &Scope, name: &Name, place: &Place) -> Option<Vec<String>> {
        let fill =
            |part: &crate::expr::Part| self.substitute_letters(scope, &part.text, &place.part(&part.range));
        name.parts.iter().map(fill).collect()
    }

    /// The resource that the first parts of a name refer to; `Ok(None)` if there is none.
    pub fn find_resource(
        &self,
        from: InstanceId,
        parts: &[String],
        place: &Place,
    ) -> Result<Option<FoundResource>, Failure> {
        let Some(first) = parts.first() else {
            return Ok(None);
        };
        let found = &self.instances[from];
        let (home, name) = (from, first.clone());
        let target = |decl, parts| {
            Ok(Some(FoundResource {
                home,
                name,
                decl,
                parts,
            }))
        };
        match (found.own.get(first.as_str()), found.roles.get(first.as_str())) {
            (Some(None), _) | (None, Some(Role::Broken)) => return Err(None),
            (Some(Some(decl)), _) | (None, Some(Role::Filled(decl))) => return target(Some(*decl), 1),
            (None, Some(Role::Absent)) => return target(None, 1),
            (None, Some(Role::Open)) => return Err(Some(self.unfilled_role(from, first))),
            (None, None) => {}
        }
        let Some(child) = found.children.get(first.as_str()) else {
            return Ok(None);
        };
        let child = child.ok_or(None)?;
        let Some(next) = parts.get(1) else { return Ok(None) };
        let inner = &self.instances[child];
        let is_own = inner.own.contains_key(next.as_str()) || inner.children.contains_key(next.as_str());
        if is_own && !inner.exports.contains(next.as_str()) {
            return Err(Some(self.private(child, next, place)));
        }
        let mut target = self.find_resource(child, &parts[1..], place)?;
        target.iter_mut().for_each(|target| target.parts += 1);
        Ok(target)
    }

    /// The resource at the beginning of a name, and the parts of the name. Reports mistakes.
    fn find_reported(
        &self,
        scope: &Scope,
        name: &Name,
        place: &Place,
    ) -> Option<(Option<FoundResource>, Vec<String>)> {
        let parts = self.parts(scope, name, place)?;
        Some((
            self.ok_or_report(self.find_resource(scope.instance, &parts, place))?,
            parts,
        ))
    }

    /// The resource at the beginning of a name, if there is one. Does not report mistakes, since later look-ups do.
    pub fn find_silently(&self, scope: &Scope, name: &Name) -> Option<(FoundResource, Vec<String>)> {
        let fill = |part: &crate::expr::Part| Some(scope.text(&part.text).ok()?.into_owned());
        let parts = name.parts.iter().map(fill).collect::<Option<Vec<_>>>()?;
        let target = self.find_resource(scope.instance, &parts, &self.instances[0].file.place);
        Some((target.ok()??, parts))
    }

    /// The problem of a private name of a module.
    pub fn private(&self, instance: InstanceId, name: &str, place: &Place) -> Problem {
        let message = format!(
            "`{}.{name}` is private to its module",
            self.instances[instance].path
        );
        let help = format!("add \"{name}\" to the `exports` of the module");
        Problem::at(place, message, help)
    }

    /// Looks up a channel of a resource in the scope of the instance `from`.
    fn channel(
        &self,
        from: InstanceId,
        target: &FoundResource,
        channel: &str,
        place: &Place,
    ) -> Option<Option<View>> {
        if target.home != from {
            let instance = &self.instances[target.home];
            let role = instance.file.roles.get(&target.name);
            let role = role.and_then(|item| item.value.as_ref());
            let is_added = role.is_some_and(|role| role.adds.get(channel).is_some());
            let name = format!("{}.{channel}", target.name);
            if is_added && !instance.exports.contains(name.as_str()) {
                return self.fail(self.private(target.home, &name, place));
            }
        }
        Some(match target.decl {
            None => Some(View::Absent),
            Some(_) => self.view(target.home, &target.name, channel),
        })
    }

    /// Names of the resources that an instance declares or has roles for.
    pub fn resource_names(&self, instance: InstanceId) -> impl Iterator<Item = &'f str> {
        let found = &self.instances[instance];
        found.own.keys().chain(found.roles.keys()).copied()
    }

    pub fn no_resource(&self, from: InstanceId, name: &Name, place: &Place) -> Problem {
        let message = format!("`{name}` is not a resource here");
        let problem = Problem::at(place, message, "name a grid, a particle set or a buffer");
        problem.suggest(&name.to_string(), self.resource_names(from))
    }

    /// The resource of a name without more parts.
    pub fn resource_named(
        &self,
        from: InstanceId,
        name: &Name,
        place: &Place,
    ) -> Result<FoundResource, Failure> {
        let parts = self.parts(&Scope::of(from), name, place).ok_or(None)?;
        let target = self
            .find_resource(from, &parts, place)?
            .filter(|target| target.parts == parts.len());
        target.ok_or_else(|| Some(self.no_resource(from, name, place)))
    }

    /// The view of an instance on a required field.
    pub fn channel_named(&self, from: InstanceId, name: &Name, place: &Place) -> Option<View> {
        let (target, parts) = self.find_reported(&Scope::of(from), name, place)?;
        let view = match target {
            Some(target) => self.channel(from, &target, &parts[target.parts..].join("."), place)?,
            None => None,
        };
        view.or_else(|| self.fail(self.no_field(from, &name.to_string(), place)))
    }

    /// The problem of a name that is not a field.
    pub fn no_field(&self, from: InstanceId, name: &str, place: &Place) -> Problem {
        let message = format!("`{name}` is not a field here");
        let help = "a field is written `<resource>.<channel>`; a buffer has its own name";
        let problem = Problem::at(place, message, help);
        let known = self.field_names(from);
        // After the name of a resource, suggest its channels.
        let prefix = format!("{name}.");
        let names = known.iter().map(String::as_str);
        let of_resource: Vec<&str> = names.clone().filter(|field| field.starts_with(&prefix)).collect();
        match of_resource.as_slice() {
            [] => problem.suggest(name, names),
            channels => problem.help(format!("`{name}` has {}", channels.join(", "))),
        }
    }

    /// The level in brackets after a name; 0 without brackets.
    fn level_of(&self, scope: &Scope, name: &Name, target: &FoundResource, place: &Place) -> Option<u32> {
        let part = &name.parts[target.parts - 1];
        let index = match part.indices.as_slice() {
            [] => return Some(0),
            [index] if index.len() == 1 => &index[0],
            _ => {
                let message = format!("`{name}` has too many indices");
                let help = "a level is written `<grid>[<number>]`, such as `air[1]`";
                return self.refuse(&place.part(&part.range), message, help);
            }
        };
        let Some(decl) = target.decl else { return Some(0) };
        let grid = &self.decls[decl].name;
        if !matches!(self.decls[decl].kind, DeclKind::Grid(_)) {
            let message = format!("`{grid}` is not a grid, and only grids have levels");
            return self.refuse(place, message, "remove the index in brackets");
        }
        let count = *self.levels(decl)?;
        let value = self.value_of(scope, index, place)?;
        if value.fract() != 0.0 {
            let message = format!("`{index}` is {value}, and levels have whole numbers");
            let help = "floor(...), ceil(...) and round(...) make whole numbers";
            return self.refuse(&place.part(&index.range), message, help);
        }
        if (0.0..f64::from(count)).contains(&value) {
            return Some(value as u32);
        }
        let place = place.part(&part.range);
        if count == 1 {
            let message = format!("`{grid}` has no levels, so there is no `{grid}[{value}]`");
            let help = "add \"levels\" to the grid, or remove the index in brackets";
            return self.refuse(&place, message, help);
        }
        let last = count - 1;
        let help = format!("it has {count} levels, from `{grid}[0]` to `{grid}[{last}]`");
        self.refuse(&place, format!("`{grid}` has no level {value}"), help)
    }

    /// The resource of a name; `Some(None)` if the name is not a resource, or has further parts.
    pub fn resource_of(&self, scope: &Scope, name: &Name, place: &Place) -> Option<Option<ResourceName>> {
        let (target, parts) = self.find_reported(scope, name, place)?;
        let Some(target) = target.filter(|target| target.parts == parts.len()) else {
            return Some(None);
        };
        let level = self.level_of(scope, name, &target, place)?;
        let at = target.decl.map(|id| AtLevel { id, level });
        let local = parts.join("_");
        Some(Some(ResourceName { at, local }))
    }

    /// The field of a name; `Some(None)` if there is none.
    pub fn field_of(&self, scope: &Scope, name: &Name, place: &Place) -> Option<Option<FieldName>> {
        let (target, parts) = self.find_reported(scope, name, place)?;
        let Some(target) = target else { return Some(None) };
        let (of_resource, of_channel) = parts.split_at(target.parts);
        let channel = match self.channel(scope.instance, &target, &of_channel.join("."), place)? {
            None => return Some(None),
            Some(View::Broken) => return None,
            Some(View::Absent) => None,
            Some(View::Channel(id)) => {
                let level = self.level_of(scope, name, &target, place)?;
                Some(AtLevel { id, level })
            }
        };
        let (resource, name) = (of_resource.join("_"), of_channel.join("_"));
        Some(Some(FieldName {
            channel,
            resource,
            name,
        }))
    }

    /// True if a role is filled, or a channel exists.
    pub fn has(&self, scope: &Scope, name: &Name) -> bool {
        let Some((target, parts)) = self.find_silently(scope, name) else {
            return false;
        };
        let channel = parts[target.parts..].join(".");
        let view = || self.view(target.home, &target.name, &channel);
        target.decl.is_some() && (channel.is_empty() || matches!(view(), Some(View::Channel(_))))
    }

    /// The field of a reference. Reports other names.
    pub fn field(&self, scope: &Scope, reference: &Reference) -> Option<FieldName> {
        self.field_named(scope, reference.name.as_ref()?, &reference.place)
    }

    pub fn field_named(&self, scope: &Scope, name: &Name, place: &Place) -> Option<FieldName> {
        let found = self.field_of(scope, name, place)?;
        found.or_else(|| self.fail(self.no_field(scope.instance, &name.to_string(), place)))
    }

    /// The value of a result. Reports its problem.
    pub fn ok_or_report<T>(&self, result: Result<T, Failure>) -> Option<T> {
        result
            .map_err(|problem| problem.map(|problem| self.report(problem)))
            .ok()
    }

    /// Substitutes the letters of loops in a text. Reports placeholders without a loop.
    pub fn substitute_letters(&self, scope: &Scope, text: &str, place: &Place) -> Option<String> {
        match scope.text(text) {
            Ok(filled) => Some(filled.into_owned()),
            Err(hole) => {
                let message = format!("no enclosing `for` defines the letter `{{{hole}}}`");
                let help = format!("put the entry into {{\"for\": \"{hole} in xyz\", \"stages\": [...]}}");
                self.refuse(place, message, help)
            }
        }
    }
}
