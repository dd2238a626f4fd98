//! The resources that the files of a program declare, with their channels.

use std::cell::{Cell, RefCell};

use super::file::{ChannelFile, FullChannelFile};
use super::lazy::Lazy;
use super::program::*;
use super::read::Named;
use crate::element::Element;
use crate::problem::Place;

/// Maximum number of resources, and of channels.
const MAX_FIELDS: usize = 4096;

/// The kind of the object that declares a channel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ChannelOrigin {
    Own,
    Needed,
    Added,
}

impl<'f> Program<'f> {
    /// Adds the resources that an instance declares.
    pub(super) fn declare(&mut self, id: InstanceId) {
        let file = self.instances[id].file;
        for (name, item) in file.grids.iter() {
            let grid = item.value.as_ref();
            let kind = grid.map(|grid| (DeclKind::Grid(grid), &grid.pointer));
            self.declare_one(id, name, &item.key, kind, grid.map(|grid| &grid.channels));
        }
        for (name, item) in file.particles.iter() {
            let set = item.value.as_ref();
            let kind = set.map(|set| (DeclKind::Particles(set), &set.pointer));
            self.declare_one(id, name, &item.key, kind, set.map(|set| &set.attributes));
        }
        for (name, item) in file.buffers.iter() {
            let buffer = item.value.as_ref().map(|form| &form.0);
            let kind = buffer.map(|buffer| (DeclKind::Buffer(buffer), &buffer.pointer));
            let channels = buffer.and_then(|buffer| buffer.channels.as_ref());
            self.declare_one(id, name, &item.key, kind, channels);
            let decl = self.instances[id].own.get(name).copied().flatten();
            let Some((buffer, decl)) = buffer.zip(decl) else {
                continue;
            };
            let own = [
                (buffer.element.is_some(), "type"),
                (buffer.values.is_some(), "values"),
                (buffer.background.is_some(), "background"),
                (buffer.bounds.is_some(), "bounds"),
            ];
            if buffer.channels.is_none() {
                // A missing type is already reported by the reader.
                let stated = (buffer.element.unwrap_or(Element::Float), None);
                let full = self.decls[decl].name.clone();
                self.add_channel(
                    decl,
                    String::new(),
                    full,
                    stated,
                    (&item.key, &buffer.pointer),
                    None,
                );
            } else if let Some((_, key)) = own.iter().find(|(is_there, _)| *is_there) {
                let message = format!("a buffer with `channels` has no `{key}` of its own");
                self.wrong(&buffer.place, message, "state it for each channel");
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
            return self.wrong(key, message, help);
        }
        let Some((kind, pointer)) = kind else {
            self.instances[id].own.insert(name, None);
            return;
        };
        if self.decls.len() >= MAX_FIELDS || self.channels.len() >= MAX_FIELDS {
            let message = format!("more than {MAX_FIELDS} resources, or channels, attributes and buffers");
            self.instances[id].own.insert(name, None);
            if !std::mem::replace(&mut self.is_full, true) {
                self.wrong(key, message, "combine them into fewer, larger resources");
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
            particle_sources: Lazy::default(),
        });
        self.instances[id].own.insert(name, Some(decl));
        for (channel, item) in channels.into_iter().flat_map(Named::iter) {
            self.check_name(channel, &item.key);
            let Some(file) = &item.value else {
                let channel = (name.to_string(), channel.to_string());
                self.instances[id].views.insert(channel, View::Broken);
                continue;
            };
            self.check_place(file, &item.key, ChannelOrigin::Own);
            let full = format!("{}.{channel}", self.decls[decl].name);
            let list = match kind {
                DeclKind::Particles(_) => "attributes",
                _ => "channels",
            };
            let pointer = format!("{pointer}/{list}/{channel}");
            let stated = (file.element(), file.full().map(|full| (full, id)));
            self.add_channel(
                decl,
                channel.to_string(),
                full,
                stated,
                (&item.key, &pointer),
                None,
            );
        }
    }

    /// Reports properties of a channel that are not allowed in this kind of object.
    pub(super) fn check_place(&self, file: &ChannelFile, key: &Place, origin: ChannelOrigin) {
        let full = file.full();
        let is_optional = full.is_some_and(|full| full.optional);
        let is_conditional = full.is_some_and(|full| full.only.is_some());
        let words = [
            ("optional", is_optional, "needs", ChannelOrigin::Needed),
            ("number", file.is_any_number(), "needs", ChannelOrigin::Needed),
            ("if", is_conditional, "adds", ChannelOrigin::Added),
        ];
        for (word, is_there, does, allowed) in words {
            if is_there && origin != allowed {
                let message = format!("`{word}` is for channels that a role {does}");
                let help = format!("remove `{word}`, or write a type such as float");
                self.wrong(key, message, help);
            }
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
