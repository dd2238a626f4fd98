//! Bindings of a module's stages: the names in their shaders, bound to resources of the file that uses the module.

use serde_json::Value;

use super::super::super::indexed::{head_of, indexed, without_index};
use super::super::node::{Content, Node};
use super::{CLOCK, Meant, Names};
use crate::problem::{Place, Problem, Problems};

impl Names {
    /// Binds the names that a stage reads and writes to those of the file that uses the module.
    pub(super) fn bind(&self, entry: &mut Node, hidden: &mut [String], problems: &mut Problems) {
        let lists = ["reads", "writes", "requests", "reduces"].map(|key| (key, names_in(entry, key)));
        // Grids of which it names levels.
        let names = lists.iter().flat_map(|(_, names)| names);
        let levels: Vec<String> = names
            .filter_map(|(name, _)| Some(indexed(name)?.grid.to_string()))
            .collect();
        for (key, names) in lists {
            for (name, place) in names {
                let head = head_of(&name);
                let of_levels = levels.iter().any(|grid| grid == head);
                if let Some(meant) = self.resource_of(head).filter(|_| of_levels) {
                    let meant = match indexed(&name) {
                        None => meant.to_string(),
                        Some(found) => {
                            let index = self.expression(found.index, hidden, &place, problems);
                            format!("{meant}[{index}]")
                        }
                    };
                    bind_level(entry, key, &name, &meant, &place, problems);
                    continue;
                }
                if head == CLOCK
                    || entry.at(&["bind", head]).is_some()
                    || entry.at(&["bind", &name]).is_some()
                {
                    continue;
                }
                match self.resource_of(head) {
                    Some(meant) if meant != head => {
                        let meant = Value::String(meant.to_string());
                        entry.put(&["bind", head], Node::from_value(&meant, &place), &place);
                    }
                    Some(_) => {}
                    None => {
                        let message = format!("`{head}` is neither a role nor a resource of this module");
                        let known = self.known.keys().map(String::as_str);
                        let problem = Problem::at_place(place, message).help("add it to \"roles\"");
                        problems.push(problem.suggest(head, known));
                    }
                }
            }
        }
        self.bind_domain(entry);
    }

    /// A shader knows what it runs over by the module's name too.
    fn bind_domain(&self, entry: &mut Node) {
        for (local, meant) in self.known.iter() {
            let Some(meant) = meant.iter().find_map(|meant| match meant {
                Meant::Resource(name) => Some(name),
                Meant::Parameter(_) => None,
            }) else {
                continue;
            };
            let domain = ["over", "emits"]
                .into_iter()
                .find_map(|key| match &entry.get(key)?.content {
                    Content::Scalar(Value::String(text)) => {
                        Some((text.clone(), entry.get(key)?.place.clone()))
                    }
                    _ => None,
                });
            let Some((text, place)) = domain else { return };
            if head_of(&text) == meant && local != meant && entry.at(&["bind", local]).is_none() {
                let meant = match indexed(&text) {
                    Some(found) => format!("{meant}[{}]", found.index),
                    None => meant.clone(),
                };
                let meant = Value::String(meant);
                entry.put(&["bind", local], Node::from_value(&meant, &place), &place);
                return;
            }
        }
    }
}

/// The names in a list of a stage, or of the members of an object.
fn names_in(entry: &Node, key: &str) -> Vec<(String, Place)> {
    match entry.get(key).map(|node| &node.content) {
        Some(Content::Array(items)) => (items.iter())
            .filter_map(|item| match &item.content {
                Content::Scalar(Value::String(text)) => Some((text.clone(), item.place.clone())),
                _ => None,
            })
            .collect(),
        Some(Content::Object(members)) => (members.iter())
            .map(|(name, place, _)| (name.clone(), place.clone()))
            .collect(),
        _ => Vec::new(),
    }
}

/// Lets the shader of a stage know a level by the name of its grid, in the place of a name with an index.
fn bind_level(entry: &mut Node, key: &str, name: &str, meant: &str, place: &Place, problems: &mut Problems) {
    let head = head_of(name);
    let bound = entry.at(&["bind", head]).map(|node| node.content.clone());
    match bound {
        Some(Content::Scalar(Value::String(other))) if other != meant => {
            let message = format!("`{other}` and `{meant}` would both be `{head}` in the shader");
            let help = "bind them to names of their own, as in \"bind\": {\"fine\": \"air[l]\", \"coarse\": \"air[l + 1]\"}";
            return problems.push(Problem::at_place(place.clone(), message).help(help));
        }
        _ => {
            let meant = Value::String(meant.to_string());
            entry.put(&["bind", head], Node::from_value(&meant, place), place);
        }
    }
    if let Some(Content::Array(items)) = entry.at_mut(&[key]).map(|node| &mut node.content) {
        for item in items {
            if matches!(&item.content, Content::Scalar(Value::String(text)) if text == name) {
                item.content = Content::Scalar(Value::String(without_index(name)));
            }
        }
    }
}
