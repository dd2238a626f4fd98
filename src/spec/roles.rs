//! Fills the roles of instances with resources, and resolves their names of channels.

use super::declare::ChannelOrigin;
use super::file::{BorderFile, BufferRoleFile, ChannelFile, FullChannelFile, Reference, RoleFile};
use super::program::*;
use super::read::Named;
use super::scope::Scope;
use crate::element::Element;
use crate::ir::Location;
use crate::problem::{Place, Problem};

impl<'f> Program<'f> {
    /// Finds the resource for each role of an instance, and the targets of its names of channels.
    pub(super) fn fill_roles(&mut self, user: InstanceId, id: InstanceId) {
        let Some((_, key)) = self.instances[id].user else {
            return;
        };
        let name = self.instances[id].path.rsplit('.').next().unwrap_or_default();
        let (file, uses) = (self.instances[id].file, &self.instances[user].file.uses);
        let Some(entry) = uses.get(name).and_then(|item| item.value.as_ref()) else {
            return;
        };
        for (stated, item) in entry.roles.iter() {
            let role = stated.split('.').next().unwrap_or_default();
            if file.roles.get(role).is_none() {
                let message = format!("the module has no role `{role}`");
                let problem = Problem::at(&item.key, message, "it has no roles");
                self.report(problem.suggest(role, file.roles.names()));
            }
        }
        for (name, item) in file.roles.iter() {
            let Some(needs) = &item.value else {
                self.instances[id].roles.insert(name, Role::Broken);
                continue;
            };
            let declared = &item.key;
            let given = entry.roles.value(name);
            let at = given
                .and_then(Option::as_ref)
                .map_or(key, |reference| &reference.place);
            let filled = self.fill(user, (name, declared, needs), given, at);
            let filled = filled.unwrap_or(Role::Broken);
            self.instances[id].roles.insert(name, filled);
            let needed = NeededRole {
                user,
                id,
                name,
                needs,
                filled,
            };
            self.resolve_needed(&needed, &entry.roles);
            self.resolve_added(&needed);
        }
    }

    /// The resource of a role: the one that the user names, or the one with the name of the role.
    fn fill(
        &self,
        user: InstanceId,
        (role, declared, needs): (&str, &Place, &RoleFile),
        given: Option<&Option<Reference>>,
        at: &Place,
    ) -> Option<Role> {
        let Some(kind) = needs.kind() else {
            let message = format!("the role `{role}` must have exactly one kind");
            let kinds: Vec<&str> = RoleFile::kinds().collect();
            let help = format!("write one of {}", kinds.join(", "));
            return self.refuse(declared, message, help);
        };
        let note = |problem: Problem| problem.note("the role is declared", declared);
        let target = match given {
            Some(None) => Ok(None),
            Some(Some(given)) => self
                .resource_named(user, given.name.as_ref()?, &given.place)
                .map(Some),
            // An open role of the user is reported at its first use.
            None if self.instances[user].roles.get(role) == Some(&Role::Open) => return Some(Role::Open),
            None => self.find_resource(user, &[role.to_string()], at),
        };
        let target = self.ok_or_report(target.map_err(|problem| problem.map(note)))?;
        let Some(decl) = target.and_then(|target| target.decl) else {
            return Some(if needs.optional { Role::Absent } else { Role::Open });
        };
        let is = self.kind(decl);
        if is != kind {
            let resource = &self.decls[decl].name;
            let message = format!("`{resource}` cannot fill the role `{role}`: its kind is {is}, not {kind}");
            return self.fail(note(Problem::at(
                at,
                message,
                format!("name a resource of the kind {kind}"),
            )));
        }
        Some(Role::Filled(decl))
    }

    /// The problem of using a role that is not filled.
    pub fn unfilled_role(&self, instance: InstanceId, role: &str) -> Problem {
        let found = &self.instances[instance];
        let item = found.file.roles.get(role);
        let kind = item
            .and_then(|item| item.value.as_ref()?.kind())
            .unwrap_or("resource");
        let message = format!("the role `{role}` of `{}` is not filled", found.path);
        let problem = match found.user {
            Some((_, key)) => Problem::at_place(key.clone(), message),
            None => Problem::without_place(message),
        };
        let help = format!("it needs {kind}: add \"roles\": {{\"{role}\": \"...\"}} to the instance");
        match item {
            Some(item) => problem.help(help).note("the role is declared", &item.key),
            None => problem.help(help),
        }
    }

    /// The kind of a resource, as roles name it.
    fn kind(&self, decl: DeclId) -> &'static str {
        match self.decls[decl].kind {
            DeclKind::Grid(grid) => grid.kind().key(),
            DeclKind::Particles(_) => "particles",
            DeclKind::Buffer(_) => "buffer",
        }
    }

    /// Resolves the channels that a role needs.
    fn resolve_needed(&mut self, role: &NeededRole<'f>, stated: &'f Named<Option<Reference>>) {
        let needs = role.needs;
        if let Some(BufferRoleFile::Element(element)) = &needs.buffer {
            let view = match role.filled {
                Role::Filled(decl) => self.only_channel(decl, *element, &needs.place),
                Role::Absent => View::Absent,
                Role::Open | Role::Broken => View::Broken,
            };
            return self.set_view(role, "", view);
        }
        for (name, item) in needs.channels().into_iter().flat_map(Named::iter) {
            let Some(file) = &item.value else {
                self.set_view(role, name, View::Broken);
                continue;
            };
            self.check_place(file, &item.key, ChannelOrigin::Needed);
            let view = match role.filled {
                Role::Open | Role::Broken => View::Broken,
                Role::Absent => View::Absent,
                Role::Filled(decl) => match self.mapped(role, name, stated, decl) {
                    Some((View::Channel(channel), at)) => {
                        let at = at.unwrap_or(self.channels[channel].key);
                        let fits = self.fits(channel, (file, role.id), (at, &item.key), (role.name, name));
                        if fits {
                            View::Channel(channel)
                        } else {
                            View::Broken
                        }
                    }
                    Some((view, _)) => view,
                    None if file.full().is_some_and(|full| full.optional) => View::Absent,
                    None => {
                        let kind = needs.kind().unwrap_or_default();
                        let pointer = format!("{}/{kind}/{name}", needs.pointer);
                        self.add_for_role(role, decl, name, (file, &item.key), &pointer)
                    }
                },
            };
            self.set_view(role, name, view);
        }
    }

    /// Adds the channels that a role adds to its resource.
    fn resolve_added(&mut self, role: &NeededRole<'f>) {
        for (name, item) in role.needs.adds.iter() {
            self.check_name(name, &item.key);
            if role
                .needs
                .channels()
                .is_some_and(|channels| channels.get(name).is_some())
            {
                let message = format!("the role `{}` both needs and adds a channel `{name}`", role.name);
                self.wrong(&item.key, message, "remove one of them");
                continue;
            }
            if let Some(file) = &item.value {
                self.check_place(file, &item.key, ChannelOrigin::Added);
            }
            let view = match (role.filled, &item.value) {
                (Role::Filled(_), Some(file)) if !self.is_added(role.id, file) => View::Absent,
                (Role::Filled(decl), Some(file)) => {
                    let pointer = format!("{}/adds/{name}", role.needs.pointer);
                    self.add_for_role(role, decl, name, (file, &item.key), &pointer)
                }
                (Role::Absent, _) => View::Absent,
                _ => View::Broken,
            };
            self.set_view(role, name, view);
        }
    }

    fn set_view(&mut self, role: &NeededRole<'f>, channel: &str, view: View) {
        let name = (role.name.to_string(), channel.to_string());
        self.instances[role.id].views.insert(name, view);
    }

    fn add_for_role(
        &mut self,
        role: &NeededRole<'f>,
        decl: DeclId,
        name: &str,
        (file, key): (&'f ChannelFile, &'f Place),
        pointer: &str,
    ) -> View {
        let full = format!("{}.{}.{name}", self.instances[role.id].path, role.name);
        let stated = (file.element(), file.full().map(|full| (full, role.id)));
        let by = Some(role.id);
        View::Channel(self.add_channel(decl, name.to_string(), full, stated, (key, pointer), by))
    }

    /// The field of a buffer that fills a role.
    fn only_channel(&self, decl: DeclId, element: Element, declared: &Place) -> View {
        let found = &self.decls[decl];
        let is_right = |channel: &ChannelId| {
            let channel = &self.channels[*channel];
            channel.name.is_empty() && channel.element == element
        };
        let channel = found.channels.borrow().first().copied().filter(is_right);
        let Some(channel) = channel else {
            let message = format!("the type of `{}` does not fit the role that it fills", found.name);
            let problem = Problem::at(found.key, message, format!("write {}", element.name()));
            self.report(problem.note("the role is declared", declared));
            return View::Broken;
        };
        View::Channel(channel)
    }

    /// The channel that the user of an instance maps to a channel of a role, and its place. By default it is the
    /// channel of the same name; `null` maps none.
    fn mapped(
        &self,
        role: &NeededRole<'f>,
        name: &str,
        stated: &'f Named<Option<Reference>>,
        decl: DeclId,
    ) -> Option<(View, Option<&'f Place>)> {
        let reference = match stated.value(&format!("{}.{name}", role.name)) {
            Some(Some(reference)) => reference,
            Some(None) => return None,
            None => return Some((self.channel_of_user(role, decl, name, stated)?, None)),
        };
        let (place, named) = (&reference.place, reference.name.as_ref());
        let view = named.and_then(|name| self.channel_named(role.user, name, place));
        if let Some(View::Channel(channel)) = view
            && self.channels[channel].decl != decl
        {
            let (channel, resource) = (&self.channels[channel].full, &self.decls[decl].name);
            let message = format!(
                "`{channel}` is not a channel of `{resource}`, which fills the role `{}`",
                role.name
            );
            self.wrong(place, message, "name a channel of the same resource");
            return Some((View::Broken, None));
        }
        Some((view.unwrap_or(View::Broken), Some(place)))
    }

    /// True if an instance adds a channel. A condition with a mistake is reported and counts as true.
    fn is_added(&self, id: InstanceId, file: &'f ChannelFile) -> bool {
        let condition = file.full().and_then(|full| full.only.as_ref());
        condition.is_none_or(|number| {
            let value = self.with(Effect::Rebuild, || self.number(&Scope::of(id), number));
            value != Some(0.0)
        })
    }

    /// The channel of a name in the resource that fills a role, in the scope of the user.
    fn channel_of_user(
        &self,
        role: &NeededRole<'f>,
        decl: DeclId,
        channel: &str,
        stated: &Named<Option<Reference>>,
    ) -> Option<View> {
        let (home, resource) = match stated.value(role.name).and_then(Option::as_ref) {
            Some(Reference { name, place }) => {
                let target = self.resource_named(role.user, name.as_ref()?, place).ok()?;
                (target.home, target.name)
            }
            None => (role.user, role.name.to_string()),
        };
        let is_of_other =
            |view: &View| matches!(view, View::Channel(found) if self.channels[*found].decl != decl);
        self.view(home, &resource, channel)
            .filter(|view| !is_of_other(view))
    }

    /// True if a channel has the properties that a role needs. Reports a mismatch. The role states properties that the
    /// channel leaves open.
    fn fits(
        &self,
        channel: ChannelId,
        (needs, scope): (&'f ChannelFile, InstanceId),
        (at, declared): (&Place, &Place),
        (role, name): (&str, &str),
    ) -> bool {
        let own = &self.channels[channel];
        let (element, full) = (needs.element(), needs.full());
        let count = |full: Option<&FullChannelFile>| {
            full.and_then(|full| full.count.as_ref()?.tree.as_ref().map(ToString::to_string))
        };
        let location = |full: Option<&FullChannelFile>| {
            full.and_then(|full| full.at).filter(|at| *at != Location::Centre)
        };
        let stated = own.stated.map(|(full, _)| full);
        // A channel that states only its type leaves all other properties open.
        let is_open = stated.is_none() && own.added_by.is_none();
        let is_elsewhere = own.stated.is_some_and(|(_, of)| of != scope) || own.stated.is_none();
        let same_count = is_open
            || is_elsewhere && count(stated).is_some() == count(full).is_some()
            || count(stated) == count(full);
        let same_type = if needs.is_any_number() {
            own.element.components() == 1 && own.element != Element::Rgba8
        } else {
            own.element == element
        };
        let wrong = |message: String, help: String| {
            let problem = Problem::at(at, message, help);
            self.report(problem.note("the role requires the channel", declared));
            false
        };
        if !same_type || !same_count || !is_open && location(stated) != location(full) {
            let written = if needs.is_any_number() {
                "number"
            } else {
                element.name()
            };
            let mut wanted = format!("\"type\": \"{written}\"");
            wanted.extend(count(full).map(|count| format!(", \"count\": {count}")));
            wanted.extend(location(full).map(|at| format!(", \"at\": \"{}\"", at.key())));
            return wrong(
                format!("the channel `{}` does not fit the role `{role}`", own.full),
                format!(
                    "write {{{wanted}}}, map another channel to the role, or keep this one out of it: \"roles\": {{\"{role}.{name}\": null}}"
                ),
            );
        }
        let border = |full: &FullChannelFile| full.border.as_ref().map(BorderFile::borders);
        if let (Some(own_border), Some(wanted)) = (stated.and_then(border), full.and_then(border))
            && own_border != wanted
        {
            let message = format!("the border of `{}` does not fit the role `{role}`", own.full);
            return wrong(message, "remove `border`: the role states it".into());
        }
        own.completed.borrow_mut().extend(full.map(|full| (full, scope)));
        true
    }
}

/// A role of an instance, and its resource.
struct NeededRole<'f> {
    user: InstanceId,
    id: InstanceId,
    name: &'f str,
    needs: &'f RoleFile,
    filled: Role,
}
