//! A pipeline file as a tree of values that remember where they were written.
//!
//! Reads JSON with comments, merges `extends` bases and `--set` overrides, and can say for any JSON
//! pointer which source and bytes it came from. Knows nothing of what the keys mean.

mod arguments;
mod change;
mod expand;
mod groups;
mod instance;
mod modules;
mod node;
mod prune;
mod rename;
mod sections;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::problem::{Place, Places, Problem, Problems, Source, pointer, pointer_parts};
use change::Change;
pub(crate) use modules::SHIPPED;
use node::{Content, Node};
use text::{Asked, merge_bases, parse, read, simplest};

/// A pipeline file with its bases and overrides merged in.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    root: Node,
    /// Changes of entries, which apply in this order when the file is expanded.
    changes: Vec<Change>,
    /// The directory of the file itself.
    pub directory: PathBuf,
    /// What tells its file from others.
    identity: PathBuf,
}

/// Optional objects of settings that an override may begin.
const SETTINGS: [&str; 2] = ["checkpoint", "watch"];

impl Document {
    /// Reads `path`, merging the files that it `extends` (paths relative to the file that names them).
    pub(crate) fn read(path: &Path) -> Result<Document, Problems> {
        Document::read_asked(path, Asked::Person)
    }

    fn read_asked(path: &Path, asked: Asked) -> Result<Document, Problems> {
        let read = read(path, &mut Vec::new(), asked)?;
        let directory = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Ok(Document {
            root: read.root,
            changes: read.changes,
            directory,
            identity: read.identity,
        })
    }

    /// Parses `text` as if it were a file of that name in `directory`.
    pub(crate) fn parse(name: &str, text: &str, directory: &Path) -> Result<Document, Problems> {
        let mut root = parse(name, text, directory)?;
        let changes = merge_bases(&mut root, directory, &mut Vec::new())?;
        Ok(Document {
            root,
            changes,
            directory: directory.to_path_buf(),
            identity: directory.join(name),
        })
    }

    /// Applies one `--set PATH=VALUE`: a dotted path of the JSON, or of `parameters` when its first part is no
    /// top-level key. The value is JSON, or else a string. A path that leads nowhere is a problem, since a
    /// misspelt override would otherwise be ignored.
    pub(crate) fn set(&mut self, assignment: &str) -> Result<(), Problems> {
        let name = format!("--set {assignment}");
        let source = Arc::new(Source {
            name: name.clone(),
            text: assignment.to_string(),
            directory: self.directory.clone(),
        });
        let whole = Place::new(&source, 0..assignment.len());
        let fail = |message: String, help: String| {
            Err(Problems::from(
                Problem::at_place(whole.clone(), message).help(help),
            ))
        };
        let Some((path, text)) = assignment.split_once('=') else {
            return fail(
                "write an override as PATH=VALUE".into(),
                "for example --set parameters.wind.period=20".into(),
            );
        };
        let place = Place::new(&source, path.len() + 1..assignment.len());
        let value = match serde_json::from_str::<Value>(text) {
            Ok(value) => Node::from_value(&simplest(value), &place),
            Err(_) => Node::from_value(&Value::String(text.to_string()), &place),
        };
        let mut parts: Vec<&str> = path.split('.').collect();
        let named = match &parts[..] {
            ["change", name, rest @ ..] => Some((*name, rest)),
            // An entry of a list is called by its name or by its number.
            ["init" | "step" | "frame", name, rest @ ..] if name.parse::<usize>().is_err() => {
                Some((*name, rest))
            }
            _ => None,
        };
        if let Some((name, rest)) = named {
            self.change(name, rest, value, &whole);
            return Ok(());
        }
        if self.root.get(parts[0]).is_none() && self.root.at(&["parameters", parts[0]]).is_some() {
            parts.insert(0, "parameters");
        }
        let is_instance = |name: &str| self.root.at(&["use", name]).is_some();
        if self.root.get(parts[0]).is_none() && is_instance(parts[0]) {
            parts.insert(0, "parameters");
        }
        // Whether a module has a parameter shows when it is read.
        let of_instance = parts[0] == "parameters" && parts.get(1).is_some_and(|name| is_instance(name));
        // `outputs`, `time` and the like may lack an optional key; a parameter must exist.
        let known_parent = parts.len() > 1 && self.root.at(&parts[..parts.len() - 1]).is_some();
        let exists = self.root.at(&parts).is_some() || SETTINGS.contains(&parts[0]);
        if !exists && !of_instance && (!(known_parent || parts.len() == 1) || parts[0] == "parameters") {
            let (written, names) = self.root.names_near(&parts);
            let problem = Problem::at_place(whole.clone(), format!("the pipeline has no `{path}`"));
            return Err(problem.suggest(written, names.iter().map(String::as_str)).into());
        }
        self.root.put(&parts, value, &whole);
        Ok(())
    }

    /// Adds a change of the entries called `name`: the value at a path in them, or for the whole entry.
    fn change(&mut self, name: &str, path: &[&str], value: Node, place: &Place) {
        let mut patch = Node {
            place: place.clone(),
            content: Content::Object(Vec::new()),
        };
        patch.put(path, value, place);
        self.changes.push(Change {
            name: name.to_string(),
            place: place.clone(),
            patch,
            must_match: true,
        });
    }

    /// Puts a value at a path of names, as if a text called `name` said so; `-` at the end of the path appends to a list.
    pub(crate) fn add(&mut self, name: &str, path: &[&str], value: &Value) -> Result<(), Problems> {
        let node = parse(name, &format!("{value:#}"), &self.directory)?;
        let place = node.place.clone();
        let Some((&"-", list)) = path.split_last() else {
            self.root.put(path, node, &place);
            return Ok(());
        };
        if self.root.at(list).is_none() {
            let empty = Node {
                place: place.clone(),
                content: Content::Array(Vec::new()),
            };
            self.root.put(list, empty, &place);
        }
        match self.root.at_mut(list).map(|node| &mut node.content) {
            Some(Content::Array(items)) => {
                items.push(node);
                Ok(())
            }
            _ => {
                let message = format!(
                    "`{}` is not a list, so nothing can be added to it",
                    list.join(".")
                );
                let help = "write it as a list, or omit it";
                Err(Problem::at_place(self.place(&pointer(list)), message)
                    .help(help)
                    .into())
            }
        }
    }

    /// The merged document as plain JSON.
    pub(crate) fn value(&self) -> Value {
        self.root.to_value()
    }

    /// The directory that a relative path at a JSON pointer starts from: that of the file in which it is written.
    pub(crate) fn directory_of(&self, pointer: &str) -> PathBuf {
        self.place(pointer).source.directory.clone()
    }
}

impl Places for Document {
    fn place(&self, pointer: &str) -> Place {
        let mut node = &self.root;
        for part in pointer_parts(pointer) {
            match node.get(&part) {
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
        let parents: Vec<&str> = parents.iter().map(String::as_str).collect();
        match self.root.at(&parents).map(|node| &node.content) {
            Some(Content::Object(members)) => members
                .iter()
                .find(|(name, ..)| name == last)
                .map_or_else(|| self.place(pointer), |(_, place, _)| place.clone()),
            _ => self.place(pointer),
        }
    }
}

#[cfg(test)]
mod tests;
