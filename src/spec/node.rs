//! The tree of values of a pipeline file, each with its place in the text.

use serde_json::{Map, Value};

use std::sync::Arc;

use crate::problem::Place;

#[derive(Debug, Clone)]
pub struct Node {
    pub place: Place,
    pub content: Content,
}

#[derive(Debug, Clone)]
pub enum Content {
    /// Invalid JSON, already reported.
    Broken,
    Scalar(Value),
    Array(Vec<Node>),
    Object(Vec<Member>),
}

/// Name, place of the name, value.
pub type Member = (String, Place, Node);

impl Node {
    pub fn from_value(value: &Value, place: &Place) -> Node {
        let content = match value {
            Value::Array(items) => Content::Array(items.iter().map(|v| Node::from_value(v, place)).collect()),
            Value::Object(members) => Content::Object(
                members
                    .iter()
                    .map(|(k, v)| (k.clone(), place.clone(), Node::from_value(v, place)))
                    .collect(),
            ),
            scalar => Content::Scalar(scalar.clone()),
        };
        Node {
            place: place.clone(),
            content,
        }
    }

    pub fn get(&self, name: &str) -> Option<&Node> {
        match &self.content {
            Content::Object(members) => members.iter().find(|(n, ..)| n == name).map(|(.., node)| node),
            Content::Array(items) => items.get(name.parse::<usize>().ok()?),
            Content::Scalar(_) | Content::Broken => None,
        }
    }

    /// The members of an object.
    pub fn members(&self) -> Option<&[Member]> {
        match &self.content {
            Content::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    pub fn member(&self, name: &str) -> Option<&Member> {
        match &self.content {
            Content::Object(members) => members.iter().find(|(known, ..)| known == name),
            _ => None,
        }
    }

    /// The names of its members.
    pub fn names(&self) -> Vec<String> {
        match &self.content {
            Content::Object(members) => members.iter().map(|(name, ..)| name.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// Removes a member of an object.
    pub fn take(&mut self, name: &str) -> Option<Node> {
        let Content::Object(members) = &mut self.content else {
            return None;
        };
        let position = members.iter().position(|(known, ..)| known == name)?;
        Some(members.remove(position).2)
    }

    /// Records in every place that the module is used at `user`.
    pub fn use_at(&mut self, user: &Arc<Place>) {
        self.place = self.place.used_at(user);
        match &mut self.content {
            Content::Scalar(_) | Content::Broken => {}
            Content::Array(items) => items.iter_mut().for_each(|item| item.use_at(user)),
            Content::Object(members) => {
                for (_, place, value) in members {
                    *place = place.used_at(user);
                    value.use_at(user);
                }
            }
        }
    }

    pub fn at(&self, parts: &[&str]) -> Option<&Node> {
        parts.iter().try_fold(self, |node, part| node.get(part))
    }

    pub fn at_mut(&mut self, parts: &[&str]) -> Option<&mut Node> {
        let mut node = self;
        for part in parts {
            node = match &mut node.content {
                Content::Object(members) => {
                    let member = members.iter_mut().find(|(name, ..)| name == part);
                    member.map(|(.., node)| node)?
                }
                Content::Array(items) => items.get_mut(part.parse::<usize>().ok()?)?,
                Content::Scalar(_) | Content::Broken => return None,
            };
        }
        Some(node)
    }

    pub fn names_near<'a>(&self, parts: &[&'a str]) -> (&'a str, Vec<String>) {
        let mut node = self;
        let mut missing = "";
        for part in parts {
            missing = part;
            match node.get(part) {
                Some(next) => node = next,
                None => break,
            }
        }
        let names = match &node.content {
            Content::Object(members) => members.iter().map(|(name, ..)| name.clone()).collect(),
            Content::Array(items) => vec![format!("0 to {}", items.len().saturating_sub(1))],
            Content::Scalar(_) | Content::Broken => vec!["(a single value)".into()],
        };
        (missing, names)
    }

    /// True if a value can be set at a path: lists accept only the indices of their items. An object replaces another value.
    pub fn may_put(&self, parts: &[String]) -> bool {
        let Some((first, rest)) = parts.split_first() else {
            return true;
        };
        match (&self.content, self.get(first)) {
            (_, Some(inner)) => inner.may_put(rest),
            (content, None) => !matches!(content, Content::Array(_)),
        }
    }

    pub fn put(&mut self, parts: &[&str], value: Node, place: &Place) {
        let Some((first, rest)) = parts.split_first() else {
            *self = value;
            return;
        };
        match &mut self.content {
            Content::Array(items) => {
                if let Some(item) = first.parse::<usize>().ok().and_then(|i| items.get_mut(i)) {
                    item.put(rest, value, place);
                }
            }
            Content::Object(members) => match members.iter_mut().find(|(name, ..)| name == first) {
                Some((.., node)) => node.put(rest, value, place),
                None => {
                    let mut node = Node {
                        place: place.clone(),
                        content: Content::Object(Vec::new()),
                    };
                    node.put(rest, value, place);
                    members.push(((*first).to_string(), place.clone(), node));
                }
            },
            Content::Scalar(_) | Content::Broken => {
                self.content = Content::Object(Vec::new());
                self.put(parts, value, place);
            }
        }
    }

    /// JSON merge patch (RFC 7396): objects merge, everything else replaces, null deletes.
    pub fn merge(&mut self, patch: Node) {
        let Content::Object(changes) = patch.content else {
            *self = patch;
            return;
        };
        if !matches!(self.content, Content::Object(_)) {
            self.content = Content::Object(Vec::new());
        }
        self.place = patch.place;
        let Content::Object(members) = &mut self.content else {
            return;
        };
        for (name, place, change) in changes {
            let position = members.iter().position(|(n, ..)| *n == name);
            match (position, &change.content) {
                (Some(i), Content::Scalar(Value::Null)) => drop(members.remove(i)),
                (None, Content::Scalar(Value::Null)) => {}
                (Some(i), _) => {
                    members[i].2.merge(change);
                    members[i].1 = place;
                }
                (None, _) => members.push((name, place, change)),
            }
        }
    }

    pub fn to_value(&self) -> Value {
        match &self.content {
            Content::Broken => Value::Null,
            Content::Scalar(value) => value.clone(),
            Content::Array(items) => Value::Array(items.iter().map(Node::to_value).collect()),
            Content::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(n, _, v)| (n.clone(), v.to_value()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }
}
