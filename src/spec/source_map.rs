//! The places, stages and pointers of problems in a document.

use std::cell::RefCell;
use std::collections::HashMap;

use super::node::{Content, Node};
use super::pointers::Pointers;
use crate::problem::{Place, SourceMap, pointer_parts};

/// Minimum number of members of an object for which they are numbered.
const LARGE: usize = 32;

/// A tree of values that finds members by name in constant time: files may have many mistakes in large objects.
pub struct DocumentMap<'a> {
    root: &'a Node,
    /// The numbers of members by names, for each large object that was asked for.
    numbers: RefCell<HashMap<*const Node, HashMap<&'a str, usize>>>,
}

impl<'a> DocumentMap<'a> {
    pub fn new(root: &'a Node) -> DocumentMap<'a> {
        DocumentMap {
            root,
            numbers: RefCell::default(),
        }
    }

    /// The number of a member of an object.
    fn number(&self, node: &'a Node, name: &str) -> Option<usize> {
        let members = node.members()?;
        if members.len() < LARGE {
            return members.iter().position(|(known, ..)| known == name);
        }
        let mut numbers = self.numbers.borrow_mut();
        let of_object = numbers.entry(std::ptr::from_ref(node)).or_insert_with(|| {
            let names = members.iter().map(|(name, ..)| name.as_str());
            names.zip(0..).collect()
        });
        of_object.get(name).copied()
    }

    fn member(&self, node: &'a Node, name: &str) -> Option<&'a Node> {
        match &node.content {
            Content::Object(members) => Some(&members[self.number(node, name)?].2),
            _ => node.get(name),
        }
    }

    fn at(&self, parts: &[String]) -> Option<&'a Node> {
        parts
            .iter()
            .try_fold(self.root, |node, part| self.member(node, part))
    }
}

impl SourceMap for DocumentMap<'_> {
    fn place(&self, pointer: &str) -> Place {
        let mut node = self.root;
        for part in pointer_parts(pointer) {
            match self.member(node, &part) {
                Some(next) => node = next,
                None => break,
            }
        }
        node.place.clone()
    }

    fn key_place(&self, pointer: &str) -> Place {
        let parts = pointer_parts(pointer);
        let Some((last, parents)) = parts.split_last() else {
            return self.root.place.clone();
        };
        let parent = self.at(parents);
        let key = parent.and_then(|parent| Some(&parent.members()?[self.number(parent, last)?]));
        key.map_or_else(|| self.place(pointer), |(_, place, _)| place.clone())
    }

    fn stage_of(&self, pointer: &str) -> Option<String> {
        let mut node = self.root;
        let mut stage = None;
        for part in pointer_parts(pointer) {
            let Some(next) = self.member(node, &part) else {
                break;
            };
            node = next;
            stage = node.get("stage").and_then(Node::text).or(stage);
        }
        stage.map(str::to_string)
    }

    fn is_in_file(&self, pointer: &str) -> bool {
        let parts = pointer_parts(pointer);
        let names: Vec<&str> = parts.iter().map(String::as_str).collect();
        let is_of_module = matches!(names[..], ["use", _, "module", _, ..]);
        !is_of_module && self.at(&parts).is_some()
    }

    fn pointer_of(&self, places: &mut dyn Iterator<Item = &Place>) -> Vec<Option<String>> {
        let pointers = Pointers::new(self.root);
        places
            .map(|place| pointers.of(place).map(str::to_string))
            .collect()
    }
}
