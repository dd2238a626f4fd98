//! Changes of a document: overrides of the command line, and additions of the library.

use serde_json::Value;

use super::document::Document;
use super::json::{parse, simplest};
use super::node::{Content, Node};
use crate::problem::{Place, Problem, Problems, SourceMap, SourceText, pointer};

impl Document {
    /// Applies one `--set PATH=VALUE`: a dotted path of the JSON, of `parameters`, or of the parameters of an instance.
    /// The value is JSON, or else a string; null removes the path. An unknown path is a problem, since a misspelt override would otherwise be
    /// ignored.
    pub fn set(&mut self, assignment: &str) -> Result<(), Problems> {
        let source = SourceText::new(format!("--set {assignment}"), assignment, &self.directory);
        let whole = Place::new(&source, 0..assignment.len());
        let Some((path, text)) = assignment.split_once('=') else {
            let help = "for example --set wind.period=20";
            return Err(Problem::at(&whole, "write an override as PATH=VALUE", help).into());
        };
        let place = Place::new(&source, path.len() + 1..assignment.len());
        let value = match serde_json::from_str::<Value>(text) {
            Ok(value) => Node::from_value(&simplest(value), &place),
            Err(_) => Node::from_value(&Value::String(text.to_string()), &place),
        };
        let parts: Vec<&str> = path.split('.').collect();
        let keys = self.keys_of(&parts).filter(|keys| self.root.may_put(keys));
        let Some(keys) = keys else {
            let (written, names) = self.names_near(&parts);
            let problem = Problem::at_place(whole, format!("the pipeline has no `{path}`"));
            return Err(problem.suggest(&written, names.iter().map(String::as_str)).into());
        };
        let mut keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        if let (Content::Scalar(Value::Null), Some((last, parents))) = (&value.content, keys.split_last())
            && let Some(parent) = self.root.at_mut(parents)
            && parent.take(last).is_some()
        {
            return Ok(());
        }
        // A parameter keeps its unit, range and other properties.
        let node = self.root.at(&keys);
        let has_facts = node.is_some_and(|node| node.get("value").is_some());
        if has_facts && keys.contains(&"parameters") && !matches!(value.content, Content::Object(_)) {
            keys.push("value");
        }
        self.root.put(&keys, value, &whole);
        Ok(())
    }

    /// True if [`Document::set`] with this path changes one value: otherwise it replaces the group of parameters, such as one
    /// that a module takes from its user, by one with this value alone.
    pub fn is_single(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('.').collect();
        let is_group = |keys: &[String]| {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            let node = self.root.at(&keys);
            node.is_none_or(|node| matches!(node.content, Content::Object(_)))
        };
        self.keys_of(&parts)
            .is_some_and(|keys| (1..keys.len()).all(|end| is_group(&keys[..end])))
    }

    /// The keys of the path of an override.
    fn keys_of(&self, parts: &[&str]) -> Option<Vec<String>> {
        let owned = |parts: &[&str]| parts.iter().map(|part| part.to_string()).collect::<Vec<_>>();
        let within = |section: &[&str], parts: &[&str]| owned(&[section, parts].concat());
        let exists = |path: &[&str]| self.root.at(path).is_some();
        // An entry of a list is addressed by its name or its number.
        if let [list @ ("init" | "step" | "frame"), name, rest @ ..] = parts
            && name.parse::<usize>().is_err()
            && let Some(path) = entry_path(self.root.get(list)?, name)
        {
            return Some([owned(&[list]), path, owned(rest)].concat());
        }
        // Any pipeline may have worlds; their values have paths of their own.
        match parts {
            ["worlds"] | ["worlds", "count" | "set"] => return Some(owned(parts)),
            ["worlds", "set", path @ ..] => {
                return Some([owned(&["worlds", "set"]), vec![path.join(".")]].concat());
            }
            _ => {}
        }
        if exists(&parts[..1]) {
            // An optional key of `outputs`, `run` and other objects may be missing; a parameter must exist.
            let may_lack = parts[0] != "parameters" && exists(&parts[..parts.len() - 1]);
            return (exists(parts) || may_lack).then(|| owned(parts));
        }
        // Parameters of modules are checked after linking.
        if let [first, second, ..] = parts
            && exists(&["use", first])
        {
            return Some(match *second {
                "stages" => within(&["use"], parts),
                _ => within(&["use", first, "parameters"], &parts[1..]),
            });
        }
        let keys = within(&["parameters"], parts);
        let parts = [&["parameters"], parts].concat();
        exists(&parts).then_some(keys)
    }

    /// The unknown part of a path, and the known names in its place.
    fn names_near(&self, parts: &[&str]) -> (String, Vec<String>) {
        let (first, parameters) = (parts[0], self.root.get("parameters"));
        let is_parameter = parameters.is_some_and(|parameters| parameters.get(first).is_some());
        if parts.len() == 1 || !is_parameter && self.root.get(first).is_none() {
            let mut names = parameters.map(Node::names).unwrap_or_default();
            names.extend(self.root.get("use").map(Node::names).unwrap_or_default());
            names.extend(self.root.names());
            return (first.to_string(), names);
        }
        let from = parameters.filter(|_| is_parameter).unwrap_or(&self.root);
        let (written, names) = from.names_near(parts);
        (written.to_string(), names)
    }

    /// Sets a value at a path of names, with `name` as its source text. `-` at the end of the path appends to a list.
    pub fn add(&mut self, name: &str, path: &[&str], value: &Value) -> Result<(), Problems> {
        let mut problems = Problems::default();
        let Some(node) = parse(name, &format!("{value:#}"), &self.directory, &mut problems) else {
            return Err(problems);
        };
        let place = node.place.clone();
        let Some((&"-", list)) = path.split_last() else {
            self.root.put(path, node, &place);
            return Ok(());
        };
        if self.root.at(list).is_none() {
            let content = Content::Array(Vec::new());
            let place = place.clone();
            self.root.put(list, Node { place, content }, &node.place);
        }
        if let Some(Content::Array(items)) = self.root.at_mut(list).map(|node| &mut node.content) {
            items.push(node);
            return Ok(());
        }
        let message = format!(
            "`{}` is not a list, so nothing can be appended to it",
            list.join(".")
        );
        let place = self.source_map().place(&pointer(list));
        Err(Problem::at(&place, message, "write it as a list, or omit it").into())
    }
}

/// The path of the entry with a name in a list or in its inner lists.
fn entry_path(list: &Node, name: &str) -> Option<Vec<String>> {
    let Content::Array(entries) = &list.content else {
        return None;
    };
    let is_called = |key: &str, entry: &Node| entry.get(key).and_then(Node::text) == Some(name);
    for (number, entry) in entries.iter().enumerate() {
        let number = number.to_string();
        if is_called("stage", entry) || is_called("repeat", entry) {
            return Some(vec![number]);
        }
        let inner = entry.get("stages").and_then(|stages| entry_path(stages, name));
        if let Some(inner) = inner {
            return Some([vec![number, "stages".to_string()], inner].concat());
        }
    }
    None
}
