//! The resources that the files of a program declare, with their channels.

use std::cell::{Cell, RefCell};

use super::file::{ChannelFile, FullChannelFile};
use super::lazy::Lazy;
use super::program::*;
use super::read::Named;
use crate::element::Element;
use crate::problem::{Place, Problem};

/// Most resources, and most channels.
const MAX_FIELDS: usize = 4096;

/// Where a channel is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    Own,
    Needed,
    Added,
}

impl<'f> Program<'f> {
    /// The resources that an instance declares.
    pub(super) fn declare(&mut self, id: InstanceId) {
        let file = self.instances[id].file;
        for (name, item) in file.grids.iter() {
            let channels = item.value.as_ref().map(|grid| &grid.channels);
            let kind = item
                .value
                .as_ref()
                .map(|grid| (DeclKind::Grid(grid), &grid.pointer));
            self.declare_one(id, name, &item.key, kind, channels);
        }
        for (name, item) in file.particles.iter() {
            let attributes = item.value.as_ref().map(|set| &set.attributes);
            let kind = item
                .value
                .as_ref()
                .map(|set| (DeclKind::Particles(set), &set.pointer));
            self.declare_one(id, name, &item.key, kind, attributes);
        }
        for (name, item) in file.buffers.iter() {
            let buffer = item.value.as_ref().map(|form| &form.0);
            let kind = buffer.map(|buffer| (DeclKind::Buffer(buffer), &buffer.pointer));
            let channels = buffer.and_then(|buffer| buffer.channels.as_ref());
            self.declare_one(id, name, &item.key, kind, channels);
            let Some(buffer) = buffer else { continue };
            let Some(decl) = self.instances[id].own.get(name).copied().flatten() else {
                continue;
            };
            if buffer.channels.is_none() {
                // Without a type, reading has reported it.
                let element = buffer.element.unwrap_or(Element::Float);
                let full = self.decls[decl].name.clone();
                self.add_channel(
                    decl,
                    String::new(),
                    full,
                    (element, None),
                    (&item.key, &buffer.pointer),
                    None,
                );
            } else if let Some(key) = [
                (buffer.element.is_some(), "type"),
                (buffer.values.is_some(), "values"),
                (buffer.background.is_some(), "background"),
                (buffer.bounds.is_some(), "bounds"),
            ]
            .iter()
            .find(|(is_there, _)| *is_there)
            {
                let message = format!("a buffer with `channels` has no `{}` of its own", key.1);
                self.report(
                    Problem::at_place(buffer.place.clone(), message).help("state it for each channel"),
                );
            }
        }
    }

    fn declare_one(
        &mut self,
        id: InstanceId,
        name: &'f str,
        key: &'f Place,
        kind: Option<(DeclKind<'f>, &'f String)>,
        channels: Option<&'f Named<ChannelFile>>,
    ) {
        self.check_name(name, key);
        if self.instances[id].own.contains_key(name) || self.instances[id].file.roles.get(name).is_some() {
            let message = format!("`{name}` is already the name of another resource");
            let help = "two resources, or a resource and a role, cannot have the same name";
            return self.report(Problem::at_place(key.clone(), message).help(help));
        }
        let Some((kind, pointer)) = kind else {
            self.instances[id].own.insert(name, None);
            return;
        };
        if self.decls.len() >= MAX_FIELDS || self.channels.len() >= MAX_FIELDS {
            let message = format!("more than {MAX_FIELDS} resources, or channels, attributes and buffers");
            self.instances[id].own.insert(name, None);
            if !std::mem::replace(&mut self.is_full, true) {
                self.report(
                    Problem::at_place(key.clone(), message).help("combine them into fewer, larger resources"),
                );
            }
            return;
        }
        let decl = self.decls.len();
        self.decls.push(Decl {
            instance: id,
            name: self.full_name(id, name),
            kind,
            key,
            pointer,
            channels: RefCell::default(),
            is_used: Cell::new(id == 0),
            size: Lazy::default(),
            spacing: Lazy::default(),
            levels: Lazy::default(),
            blocks: Lazy::default(),
            elevation: Lazy::default(),
            begun: Lazy::default(),
        });
        self.instances[id].own.insert(name, Some(decl));
        for (channel, item) in channels.into_iter().flat_map(Named::iter) {
            self.check_name(channel, &item.key);
            if let Some(file) = &item.value {
                self.refuse(file, &item.key, Stands::Own);
                let full = format!("{}.{channel}", self.decls[decl].name);
                let key = if matches!(kind, DeclKind::Particles(_)) {
                    "attributes"
                } else {
                    "channels"
                };
                let pointer = format!("{pointer}/{key}/{channel}");
                let stated = (file.element(), file.full().map(|full| (full, id)));
                self.add_channel(
                    decl,
                    channel.to_string(),
                    full,
                    stated,
                    (&item.key, &pointer),
                    None,
                );
            } else {
                self.instances[id]
                    .views
                    .insert((name.to_string(), channel.to_string()), View::Broken);
            }
        }
    }

    /// Reports what means nothing of a channel where it stands.
    pub(super) fn refuse(&self, file: &ChannelFile, key: &Place, stands: Stands) {
        let full = file.full();
        let (is_needed, is_added) = (stands == Stands::Needed, stands == Stands::Added);
        let wrong = [
            (
                "optional",
                full.is_some_and(|full| full.optional) && !is_needed,
                "needs",
            ),
            ("number", file.is_any_number() && !is_needed, "needs"),
            (
                "if",
                full.is_some_and(|full| full.only.is_some()) && !is_added,
                "adds",
            ),
        ];
        for (word, _, does) in wrong.into_iter().filter(|(_, is_wrong, _)| *is_wrong) {
            let problem = Problem::at_place(
                key.clone(),
                format!("`{word}` is for channels that a role {does}"),
            );
            self.report(problem.help(format!("remove `{word}`, or write a type such as float")));
        }
    }

    pub(super) fn add_channel(
        &mut self,
        decl: DeclId,
        name: String,
        full: String,
        (element, stated): (Element, Option<(&'f FullChannelFile, InstanceId)>),
        (key, pointer): (&'f Place, &str),
        added_by: Option<InstanceId>,
    ) -> ChannelId {
        let id = self.channels.len();
        let is_used = self.decls[decl].instance == 0 && added_by.is_none();
        self.channels.push(Channel {
            decl,
            name,
            full,
            element,
            stated,
            completed: RefCell::default(),
            key,
            pointer: pointer.to_string(),
            added_by,
            is_used: Cell::new(is_used),
        });
        self.decls[decl].channels.borrow_mut().push(id);
        id
    }
}
