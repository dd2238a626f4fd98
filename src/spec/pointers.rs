//! The JSON pointers of places, for problems that contain only places.

use std::collections::HashMap;
use std::sync::Arc;

use super::node::{Content, Node};
use crate::problem::{Place, pointer_part};

/// The JSON pointers of places.
#[derive(Default)]
pub struct Pointers {
    known: HashMap<(usize, usize, usize), String>,
}

impl Pointers {
    pub fn new(root: &Node) -> Pointers {
        let mut pointers = Pointers::default();
        pointers.gather(root, String::new());
        pointers
    }

    fn gather(&mut self, node: &Node, pointer: String) {
        match &node.content {
            Content::Scalar(_) | Content::Broken => {}
            Content::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.gather(item, format!("{pointer}/{i}"));
                }
            }
            Content::Object(members) => {
                for (name, key, value) in members {
                    // Pointers inside a module refer to the file of the module.
                    let is_in_use = || pointer.rsplit_once('/').is_some_and(|(p, _)| p.ends_with("use"));
                    let is_linked = matches!(value.content, Content::Object(_));
                    let inner = if name == "module" && is_linked && is_in_use() {
                        String::new()
                    } else {
                        format!("{pointer}/{}", pointer_part(name))
                    };
                    self.known.entry(key_of(key)).or_insert_with(|| inner.clone());
                    self.gather(value, inner);
                }
            }
        }
        self.known.entry(key_of(&node.place)).or_insert(pointer);
    }

    /// The pointer of a value or key, or of the value that a part of a text belongs to.
    pub fn of(&self, place: &Place) -> Option<&str> {
        let exact = self.known.get(&key_of(place));
        let around = || {
            let (source, start, end) = key_of(place);
            let is_inside =
                |(other, from, to): &(usize, usize, usize)| *other == source && *from <= start && end <= *to;
            let inside = self.known.iter().filter(|(key, _)| is_inside(key));
            let nearest = inside.min_by_key(|((_, from, to), _)| to - from);
            nearest.map(|(_, pointer)| pointer)
        };
        exact.or_else(around).map(String::as_str)
    }
}

fn key_of(place: &Place) -> (usize, usize, usize) {
    let source = Arc::as_ptr(&place.source) as usize;
    (source, place.range.start, place.range.end)
}
