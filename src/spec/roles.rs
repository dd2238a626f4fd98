//! What fills the roles of instances, and what these see under the names of channels.

use super::declare::Stands;
use super::file::{
    BorderFile, BufferRoleFile, ChannelFile, FullChannelFile, LocationFile, Reference, RoleFile,
};
use super::program::*;
use super::read::Named;
use super::scope::Scope;
use crate::element::Element;
use crate::problem::{Place, Problem};

impl<'f> Program<'f> {
    /// Finds the resource for each role of an instance, and what it sees of its channels.
    pub(super) fn fill_roles(&mut self, user: InstanceId, id: InstanceId) {
        let Some((_, key)) = self.instances[id].user else {
            return;
        };
        let name = self.instances[id]
            .path
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .to_string();
        let (file, uses) = (self.instances[id].file, &self.instances[user].file.uses);
        let Some(entry) = uses.get(&name).and_then(|item| item.value.as_ref()) else {
            return;
        };
        for (stated, item) in entry.roles.iter() {
            let role = stated.split('.').next().unwrap_or_default();
            if file.roles.get(role).is_none() {
                let problem = Problem::at_place(item.key.clone(), format!("the module has no role `{role}`"));
                self.report(problem.help("it has no roles").suggest(role, file.roles.names()));
            }
        }
        for (role, item) in file.roles.iter() {
            let filled = match &item.value {
                Some(needs) => {
                    let given = entry.roles.get(role).and_then(|item| item.value.as_ref());
                    let at = given.map_or(key, |reference| &reference.place);
                    self.fill(user, (role, &item.key, needs), given, at)
                }
                None => Role::Broken,
            };
            self.instances[id].roles.insert(role, filled);
            if let Some(needs) = &item.value {
                self.see_channels(user, id, role, needs, &entry.roles);
            }
        }
    }

    /// What fills a role: the resource that the user names, or the one that has its name.
    fn fill(
        &self,
        user: InstanceId,
        (role, declared, needs): (&str, &Place, &RoleFile),
        given: Option<&Reference>,
        at: &Place,
    ) -> Role {
        let Some(kind) = kind_of(needs) else {
            let message = format!("the role `{role}` must have exactly one kind");
            let problem = Problem::at_place(declared.clone(), message);
            self.report(problem.help("write one of cells, vertices, pixels, particles, buffer"));
            return Role::Broken;
        };
        let seen = match given {
            Some(Reference { name: None, .. }) => return Role::Broken,
            Some(Reference {
                name: Some(name),
                place,
            }) => self.resource_named(user, name, place),
            // An open role of the user is reported where something needs it.
            None if self.instances[user].roles.get(role) == Some(&Role::Open) => return Role::Open,
            None => self.see(user, &[role.to_string()], at),
        };
        let seen = self.noted(
            seen.map_err(|problem| problem.map(|problem| problem.note("the role is declared", declared))),
        );
        let Some(seen) = seen else { return Role::Broken };
        let Some(decl) = seen.and_then(|seen| seen.decl) else {
            return if needs.optional { Role::Absent } else { Role::Open };
        };
        let is = self.kind(decl);
        if is != kind {
            let resource = &self.decls[decl].name;
            let message = format!("`{resource}` cannot fill the role `{role}`: it has {is}, not {kind}");
            let problem = Problem::at_place(at.clone(), message).note("the role is declared", declared);
            self.report(problem.help(format!("name a resource with {kind}")));
            return Role::Broken;
        }
        Role::Filled(decl)
    }

    /// The problem of a role that nothing fills, for what uses it.
    pub(crate) fn open_role(&self, instance: InstanceId, role: &str) -> Problem {
        let found = &self.instances[instance];
        let (declared, needs) = match found.file.roles.get(role) {
            Some(item) => (Some(&item.key), item.value.as_ref()),
            None => (None, None),
        };
        let kind = needs.and_then(kind_of).unwrap_or("resource");
        let message = format!("nothing fills the role `{role}` of `{}`", found.path);
        let problem = match found.user {
            Some((_, key)) => Problem::at_place(key.clone(), message),
            None => Problem::without_place(message),
        };
        let problem = problem.help(format!(
            "it needs {kind}: add \"roles\": {{\"{role}\": \"...\"}} to the instance"
        ));
        match declared {
            Some(declared) => problem.note("the role is declared", declared),
            None => problem,
        }
    }

    /// What a resource has.
    fn kind(&self, decl: DeclId) -> &'static str {
        match self.decls[decl].kind {
            DeclKind::Grid(grid) if grid.pixels.is_some() => "pixels",
            DeclKind::Grid(grid) if grid.cells.is_some() => "cells",
            DeclKind::Grid(_) => "vertices",
            DeclKind::Particles(_) => "particles",
            DeclKind::Buffer(_) => "buffer",
        }
    }

    /// What an instance sees under the names of the channels of a role.
    fn see_channels(
        &mut self,
        user: InstanceId,
        id: InstanceId,
        role: &'f str,
        needs: &'f RoleFile,
        stated: &'f Named<Reference>,
    ) {
        let filled = self.instances[id].roles[role];
        let see = |program: &mut Self, channel: &str, view: View| {
            program.instances[id]
                .views
                .insert((role.to_string(), channel.to_string()), view);
        };
        if let Some(BufferRoleFile::Element(element)) = &needs.buffer {
            let view = match filled {
                Role::Filled(decl) => {
                    let channel = self.decls[decl].channels.borrow().first().copied();
                    match channel.filter(|channel| self.channels[*channel].name.is_empty()) {
                        Some(channel) if self.channels[channel].element == *element => View::Channel(channel),
                        _ => {
                            self.wrong_type(
                                &self.decls[decl].name,
                                self.decls[decl].key,
                                element.name(),
                                &needs.place,
                            );
                            View::Broken
                        }
                    }
                }
                Role::Absent => View::Absent,
                Role::Open | Role::Broken => View::Broken,
            };
            return see(self, "", view);
        }
        let channels = channels_of(needs);
        let place = |name: &str, file: &'f RoleFile| {
            format!("{}/{}/{name}", file.pointer, kind_of(file).unwrap_or_default())
        };
        for (name, item) in channels.into_iter().flat_map(Named::iter) {
            let Some(file) = &item.value else {
                see(self, name, View::Broken);
                continue;
            };
            self.refuse(file, &item.key, Stands::Needed);
            let mapped = stated
                .get(&format!("{role}.{name}"))
                .and_then(|item| item.value.as_ref());
            let view = match (filled, mapped) {
                (Role::Open | Role::Broken, _) => View::Broken,
                (Role::Absent, _) => View::Absent,
                (Role::Filled(decl), Some(reference)) => match reference
                    .name
                    .as_ref()
                    .map(|name| self.channel_named(user, name, &reference.place))
                {
                    None => View::Broken,
                    Some(Ok(view @ View::Channel(channel))) if self.channels[channel].decl == decl => {
                        if self.fits(channel, (file, id), (&reference.place, &item.key), role) {
                            view
                        } else {
                            View::Broken
                        }
                    }
                    Some(Ok(View::Channel(channel))) => {
                        let (channel, resource) = (&self.channels[channel].full, &self.decls[decl].name);
                        let message = format!(
                            "`{channel}` is not a channel of `{resource}`, which fills the role `{role}`"
                        );
                        let problem = Problem::at_place(reference.place.clone(), message);
                        self.report(problem.help("name a channel of the same resource"));
                        View::Broken
                    }
                    Some(Ok(view)) => view,
                    Some(Err(problem)) => {
                        if let Some(problem) = problem {
                            self.report(problem)
                        }
                        View::Broken
                    }
                },
                (Role::Filled(decl), None) => {
                    let same = self.seen_by_user(user, decl, role, name, stated);
                    match same {
                        Some(View::Channel(channel)) => {
                            let at = self.channels[channel].key;
                            if self.fits(channel, (file, id), (at, &item.key), role) {
                                View::Channel(channel)
                            } else {
                                View::Broken
                            }
                        }
                        Some(view) => view,
                        None if file.full().is_some_and(|full| full.optional) => View::Absent,
                        None => {
                            let full = format!("{}.{role}.{name}", self.instances[id].path);
                            let stated = (file.element(), file.full().map(|full| (full, id)));
                            let pointer = place(name, needs);
                            View::Channel(self.add_channel(
                                decl,
                                name.to_string(),
                                full,
                                stated,
                                (&item.key, &pointer),
                                Some(id),
                            ))
                        }
                    }
                }
            };
            see(self, name, view);
        }
        for (name, item) in needs.adds.iter() {
            self.check_name(name, &item.key);
            if channels.is_some_and(|channels| channels.get(name).is_some()) {
                let message = format!("the role `{role}` both needs and adds a channel `{name}`");
                self.report(Problem::at_place(item.key.clone(), message).help("leave one of them out"));
                continue;
            }
            if let Some(file) = &item.value {
                self.refuse(file, &item.key, Stands::Added);
            }
            let view = match (filled, &item.value) {
                (Role::Filled(_), Some(file)) if !self.is_added(id, file) => View::Absent,
                (Role::Filled(decl), Some(file)) => {
                    let full = format!("{}.{role}.{name}", self.instances[id].path);
                    let stated = (file.element(), file.full().map(|full| (full, id)));
                    let pointer = format!("{}/adds/{name}", needs.pointer);
                    View::Channel(self.add_channel(
                        decl,
                        name.to_string(),
                        full,
                        stated,
                        (&item.key, &pointer),
                        Some(id),
                    ))
                }
                (Role::Absent, _) => View::Absent,
                _ => View::Broken,
            };
            see(self, name, view);
        }
    }

    /// Whether an instance adds a channel; the condition of one that it adds for a mistake is reported.
    fn is_added(&self, id: InstanceId, file: &'f ChannelFile) -> bool {
        let condition = file.full().and_then(|full| full.only.as_ref());
        condition.is_none_or(|number| {
            let value = self.with(Effect::Rebuild, || self.number(&Scope::of(id), number));
            value != Some(0.0)
        })
    }

    /// The channel of a name in the resource that fills a role, as the user sees that resource.
    fn seen_by_user(
        &self,
        user: InstanceId,
        decl: DeclId,
        role: &str,
        channel: &str,
        stated: &Named<Reference>,
    ) -> Option<View> {
        let reference = stated.get(role).and_then(|item| item.value.as_ref());
        let (home, resource) = match reference {
            Some(Reference { name, place }) => {
                let seen = self.resource_named(user, name.as_ref()?, place).ok()??;
                (seen.home, seen.name)
            }
            None => (user, role.to_string()),
        };
        let view = self.view(home, &resource, channel)?;
        match view {
            View::Channel(found) if self.channels[found].decl != decl => None,
            view => Some(view),
        }
    }

    /// Whether a channel is what a role needs; reports one that is not. What it leaves open, the role states.
    fn fits(
        &self,
        channel: ChannelId,
        (needs, scope): (&'f ChannelFile, InstanceId),
        (at, declared): (&Place, &Place),
        role: &str,
    ) -> bool {
        let own = &self.channels[channel];
        let (element, full) = (needs.element(), needs.full());
        let count = |full: Option<&FullChannelFile>| {
            full.and_then(|full| full.count.as_ref()?.tree.as_ref().map(ToString::to_string))
        };
        let location = |full: Option<&FullChannelFile>| {
            full.and_then(|full| full.at)
                .filter(|at| *at != LocationFile::Centre)
        };
        let stated = own.stated.map(|(full, _)| full);
        // A type alone leaves everything else open.
        let is_open = stated.is_none() && own.added_by.is_none();
        let same_count = is_open
            || own.stated.map(|(_, scope)| scope) != Some(scope)
                && count(stated).is_some() == count(full).is_some()
            || count(stated) == count(full);
        let same_type = match needs.is_any_number() {
            true => own.element.components() == 1 && own.element != Element::Rgba8,
            false => own.element == element,
        };
        if !same_type || !same_count || !is_open && location(stated) != location(full) {
            let message = format!("the channel `{}` does not fit the role `{role}`", own.full);
            let written = if needs.is_any_number() {
                "number"
            } else {
                element.name()
            };
            let mut wanted = vec![format!("\"type\": \"{written}\"")];
            wanted.extend(count(full).map(|count| format!("\"count\": {count}")));
            let at_word =
                location(full).and_then(|at| LocationFile::WORDS.iter().find(|(_, word)| *word == at));
            wanted.extend(at_word.map(|(word, _)| format!("\"at\": \"{word}\"")));
            let problem =
                Problem::at_place(at.clone(), message).note("the role requires the channel", declared);
            self.report(problem.help(format!(
                "write {{{}}}, map another channel to the role, or remove this one: the instance adds one of its own",
                wanted.join(", ")
            )));
            return false;
        }
        if let (Some(own_border), Some(wanted)) = (
            stated.and_then(|full| full.border.as_ref()),
            full.and_then(|full| full.border.as_ref()),
        ) && !is_same_border(own_border, wanted)
        {
            let message = format!("the border of `{}` does not fit the role `{role}`", own.full);
            let problem =
                Problem::at_place(at.clone(), message).note("the role requires the channel", declared);
            self.report(problem.help("remove `border`: the role states it"));
            return false;
        }
        own.completed.borrow_mut().extend(full.map(|full| (full, scope)));
        true
    }

    fn wrong_type(&self, name: &str, at: &Place, wanted: &str, declared: &Place) {
        let problem = Problem::at_place(
            at.clone(),
            format!("the type of `{name}` does not fit the role that it fills"),
        );
        self.report(
            problem
                .note("the role is declared", declared)
                .help(format!("write {wanted}")),
        );
    }
}

/// The kind of a role, by its key.
fn kind_of(needs: &RoleFile) -> Option<&'static str> {
    let kinds = [
        ("cells", needs.cells.is_some()),
        ("vertices", needs.vertices.is_some()),
        ("pixels", needs.pixels.is_some()),
        ("particles", needs.particles.is_some()),
        ("buffer", needs.buffer.is_some()),
    ];
    let mut there = kinds.into_iter().filter(|(_, is_there)| *is_there);
    let (kind, _) = there.next()?;
    there.next().is_none().then_some(kind)
}

/// The channels that a role needs.
pub(crate) fn channels_of(needs: &RoleFile) -> Option<&Named<ChannelFile>> {
    let of_buffer = match &needs.buffer {
        Some(BufferRoleFile::Channels(channels)) => Some(channels),
        _ => None,
    };
    let kinds = [&needs.cells, &needs.vertices, &needs.pixels, &needs.particles];
    kinds.into_iter().flatten().next().or(of_buffer)
}

/// A word stands for a list in which all words are the same.
fn is_same_border(a: &BorderFile, b: &BorderFile) -> bool {
    match (a, b) {
        (BorderFile::Each(list), BorderFile::All(word)) | (BorderFile::All(word), BorderFile::Each(list)) => {
            list.iter().all(|other| other == word)
        }
        _ => a == b,
    }
}
