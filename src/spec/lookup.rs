//! What names of resources and fields stand for, seen from an instance.

use super::file::Reference;
use super::program::*;
use super::scope::Scope;
use crate::expr::{Name, Part};
use crate::problem::{Place, Problem};

/// Why a name stands for nothing: a problem to report, or `None` if it follows from one that has been reported.
pub(crate) type Failure = Option<Problem>;

/// A resource at a level, and what shaders call it.
type ResourceName = (AtLevel<Option<DeclId>>, String);

/// A resource under a name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    /// The instance that declares it or has a role for it, and its name there.
    pub home: InstanceId,
    pub name: String,
    /// None for a role that nothing fills, which is allowed.
    pub decl: Option<DeclId>,
    /// Parts of the name that it takes.
    pub parts: usize,
}

/// A level of a resource: 0 unless it is a grid with levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct AtLevel<T> {
    pub id: T,
    pub level: u32,
}

/// A field as a list of a stage names it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldName {
    /// The field; none for an optional one that is not there.
    pub channel: Option<AtLevel<ChannelId>>,
    /// What shaders call its resource, and the channel; this is empty for the values of a buffer.
    pub resource: String,
    pub name: String,
}

impl<'f> Program<'f> {
    /// A name with letters in its holes, part by part; reports holes of no loop.
    fn texts(&self, scope: &Scope, name: &Name, place: &Place) -> Result<Vec<String>, Failure> {
        let text = |part: &Part| {
            let filled = scope.text(&part.text).map(|text| text.into_owned());
            filled.map_err(|hole| Some(no_letter(&hole, &place.part(&part.range))))
        };
        name.parts.iter().map(text).collect()
    }

    /// The resource that the first parts of a name stand for; `Ok(None)` if there is none.
    pub(crate) fn see(
        &self,
        from: InstanceId,
        parts: &[String],
        place: &Place,
    ) -> Result<Option<Seen>, Failure> {
        let Some(first) = parts.first() else {
            return Ok(None);
        };
        let found = &self.instances[from];
        let seen = |decl| {
            Some(Seen {
                home: from,
                name: first.clone(),
                decl,
                parts: 1,
            })
        };
        match (found.own.get(first.as_str()), found.roles.get(first.as_str())) {
            (Some(None), _) | (None, Some(Role::Broken)) => return Err(None),
            (Some(Some(decl)), _) => return Ok(seen(Some(*decl))),
            (None, Some(Role::Filled(decl))) => return Ok(seen(Some(*decl))),
            (None, Some(Role::Absent)) => return Ok(seen(None)),
            (None, Some(Role::Open)) => return Err(Some(self.open_role(from, first))),
            (None, None) => {}
        }
        let child = match found.children.get(first.as_str()) {
            None => return Ok(None),
            Some(None) => return Err(None),
            Some(Some(child)) => *child,
        };
        let Some(next) = parts.get(1) else { return Ok(None) };
        let inner = &self.instances[child];
        let is_own = inner.own.contains_key(next.as_str()) || inner.children.contains_key(next.as_str());
        if is_own && !inner.exports.contains(next.as_str()) {
            return Err(Some(self.private(child, next, place)));
        }
        let seen = self.see(child, &parts[1..], place)?;
        Ok(seen.map(|seen| Seen {
            parts: seen.parts + 1,
            ..seen
        }))
    }

    /// The problem of a name that a module keeps for itself.
    pub(crate) fn private(&self, instance: InstanceId, name: &str, place: &Place) -> Problem {
        let path = &self.instances[instance].path;
        let problem = Problem::at_place(place.clone(), format!("`{path}.{name}` is private to its module"));
        problem.help(format!("add \"{name}\" to the `exports` of the module"))
    }

    /// Looks a channel of a resource up, as one sees it from `from`.
    fn channel(
        &self,
        from: InstanceId,
        seen: &Seen,
        channel: &str,
        place: &Place,
    ) -> Result<Option<View>, Failure> {
        if seen.home != from {
            let instance = &self.instances[seen.home];
            let role = instance
                .file
                .roles
                .get(&seen.name)
                .and_then(|item| item.value.as_ref());
            let is_added = role.is_some_and(|role| role.adds.get(channel).is_some());
            let name = format!("{}.{channel}", seen.name);
            if is_added && !instance.exports.contains(name.as_str()) {
                return Err(Some(self.private(seen.home, &name, place)));
            }
        }
        Ok(match seen.decl {
            None => Some(View::Absent),
            Some(_) => self.view(seen.home, &seen.name, channel),
        })
    }

    /// The resource of a name without more parts.
    pub(crate) fn resource_named(
        &self,
        from: InstanceId,
        name: &Name,
        place: &Place,
    ) -> Result<Option<Seen>, Failure> {
        let scope = Scope::of(from);
        let parts = self.texts(&scope, name, place)?;
        match self.see(from, &parts, place)? {
            Some(seen) if seen.parts == parts.len() => Ok(Some(seen)),
            _ => Err(Some(self.no_resource(from, name, place))),
        }
    }

    pub(crate) fn no_resource(&self, from: InstanceId, name: &Name, place: &Place) -> Problem {
        let problem = Problem::at_place(place.clone(), format!("`{name}` is not a resource here"));
        let found = &self.instances[from];
        let names = found.own.keys().chain(found.roles.keys()).copied();
        problem
            .help("name a grid, a particle set or a buffer")
            .suggest(&name.to_string(), names)
    }

    /// The field of a name, as `field_of` finds it; an absent one counts as none.
    pub(crate) fn channel_named(
        &self,
        from: InstanceId,
        name: &Name,
        place: &Place,
    ) -> Result<View, Failure> {
        let parts = self.texts(&Scope::of(from), name, place)?;
        let Some(seen) = self.see(from, &parts, place)? else {
            return Err(Some(self.no_field(from, &name.to_string(), place)));
        };
        let channel = parts[seen.parts..].join(".");
        let view = self.channel(from, &seen, &channel, place)?;
        view.ok_or_else(|| Some(self.no_field(from, &name.to_string(), place)))
    }

    /// The problem of a name that stands for no field.
    pub(crate) fn no_field(&self, from: InstanceId, name: &str, place: &Place) -> Problem {
        let problem = Problem::at_place(place.clone(), format!("`{name}` is not a field here"));
        let problem = problem.help("a field is written `<resource>.<channel>`; a buffer has its own name");
        let known = self.field_names(from);
        // A resource alone is most likely meant to be one of its channels.
        let prefix = format!("{name}.");
        let of_resource: Vec<&str> = known
            .iter()
            .map(String::as_str)
            .filter(|field| field.starts_with(&prefix))
            .collect();
        match of_resource.as_slice() {
            [] => problem.suggest(name, known.iter().map(String::as_str)),
            channels => problem.help(format!("`{name}` has {}", channels.join(", "))),
        }
    }

    /// The level that the index after a name says; 0 without one.
    fn level_of(&self, scope: &Scope, name: &Name, seen: &Seen, place: &Place) -> Result<u32, Failure> {
        let part = &name.parts[seen.parts - 1];
        let index = match part.indices.as_slice() {
            [] => return Ok(0),
            [index] if index.len() == 1 => &index[0],
            _ => {
                let problem =
                    Problem::at_place(place.part(&part.range), format!("`{name}` has too many indices"));
                return Err(Some(
                    problem.help("a level is written `<grid>[<number>]`, such as `air[1]`"),
                ));
            }
        };
        let Some(decl) = seen.decl else { return Ok(0) };
        let grid = &self.decls[decl].name;
        if !matches!(self.decls[decl].kind, DeclKind::Grid(_)) {
            let message = format!("`{grid}` is not a grid, and only grids have levels");
            return Err(Some(
                Problem::at_place(place.clone(), message).help("remove the index in brackets"),
            ));
        }
        let count = *self.levels(decl).ok_or(None)?;
        let value = self.value_of(scope, index, place)?;
        if value.fract() != 0.0 {
            let message = format!("`{index}` is {value}, and levels have whole numbers");
            let problem = Problem::at_place(place.part(&index.range), message);
            return Err(Some(
                problem.help("floor(...), ceil(...) and round(...) make whole numbers"),
            ));
        }
        if (0.0..f64::from(count)).contains(&value) {
            return Ok(value as u32);
        }
        let (message, help) = match count {
            1 => (
                format!("`{grid}` has no levels, so there is no `{grid}[{value}]`"),
                "add \"levels\" to the grid, or remove the index in brackets".to_string(),
            ),
            _ => (
                format!("`{grid}` has no level {value}"),
                format!(
                    "it has {count} levels, from `{grid}[0]` to `{grid}[{}]`",
                    count - 1
                ),
            ),
        };
        Err(Some(
            Problem::at_place(place.part(&part.range), message).help(help),
        ))
    }

    /// The resource of a name, with its level and what shaders call it; `Ok(None)` if the name is of no resource, or goes on.
    pub(crate) fn resource_of(
        &self,
        scope: &Scope,
        name: &Name,
        place: &Place,
    ) -> Result<Option<ResourceName>, Failure> {
        let parts = self.texts(scope, name, place)?;
        let Some(seen) = self
            .see(scope.instance, &parts, place)?
            .filter(|seen| seen.parts == parts.len())
        else {
            return Ok(None);
        };
        let level = self.level_of(scope, name, &seen, place)?;
        Ok(Some((AtLevel { id: seen.decl, level }, parts.join("_"))))
    }

    /// The field of a name; `Ok(None)` if there is none.
    pub(crate) fn field_of(
        &self,
        scope: &Scope,
        name: &Name,
        place: &Place,
    ) -> Result<Option<FieldName>, Failure> {
        let parts = self.texts(scope, name, place)?;
        let Some(seen) = self.see(scope.instance, &parts, place)? else {
            return Ok(None);
        };
        let (of_resource, of_channel) = parts.split_at(seen.parts);
        let channel = match self.channel(scope.instance, &seen, &of_channel.join("."), place)? {
            None => return Ok(None),
            Some(View::Broken) => return Err(None),
            Some(View::Absent) => None,
            Some(View::Channel(id)) => Some(AtLevel {
                id,
                level: self.level_of(scope, name, &seen, place)?,
            }),
        };
        Ok(Some(FieldName {
            channel,
            resource: of_resource.join("_"),
            name: of_channel.join("_"),
        }))
    }

    /// Whether a role or channel is there: something that is optional may be missing.
    pub(crate) fn has(&self, scope: &Scope, name: &Name) -> bool {
        let texts = name
            .parts
            .iter()
            .map(|part| scope.text(&part.text).map(|text| text.into_owned()));
        let Ok(parts) = texts.collect::<Result<Vec<String>, String>>() else {
            return false;
        };
        let place = &self.instances[0].file.place;
        let Ok(Some(seen)) = self.see(scope.instance, &parts, place) else {
            return false;
        };
        let channel = parts[seen.parts..].join(".");
        let is_whole = channel.is_empty();
        seen.decl.is_some()
            && (is_whole || matches!(self.view(seen.home, &seen.name, &channel), Some(View::Channel(_))))
    }

    /// The field of a reference; reports one that is none.
    pub(crate) fn field(&self, scope: &Scope, reference: &Reference) -> Option<FieldName> {
        let name = reference.name.as_ref()?;
        let found = self.field_of(scope, name, &reference.place);
        let found = found.and_then(|found| {
            found.ok_or_else(|| Some(self.no_field(scope.instance, &name.to_string(), &reference.place)))
        });
        self.noted(found)
    }

    /// A result whose problem is reported.
    pub(crate) fn noted<T>(&self, result: Result<T, Failure>) -> Option<T> {
        result
            .map_err(|problem| problem.map(|problem| self.report(problem)))
            .ok()
    }

    /// A text with letters in the place of its holes; reports a hole of no loop.
    pub(crate) fn filled(&self, scope: &Scope, text: &str, place: &Place) -> Option<String> {
        let filled = scope.text(text).map(|text| text.into_owned());
        self.noted(filled.map_err(|hole| Some(no_letter(&hole, place))))
    }
}

fn no_letter(hole: &str, place: &Place) -> Problem {
    let message = format!("no `for` round this place gives a letter for `{{{hole}}}`");
    let help = format!("put the entry into {{\"for\": \"{hole} in xyz\", \"stages\": [...]}}");
    Problem::at_place(place.clone(), message).help(help)
}
