//! The names of a module in the terms of the file that uses it.

mod bind;

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::indexed::{head_of, indexed};
use super::node::{Content, Node};
use crate::problem::{Place, Problem, Problems};

/// What a name of a module stands for.
#[derive(Debug, Clone)]
pub(super) enum Meant {
    /// A parameter or a group of them, with what is in it.
    Parameter(Node),
    /// A resource of this name.
    Resource(String),
}

pub(super) struct Names {
    instance: String,
    /// A parameter and a resource may have one name.
    known: BTreeMap<String, Vec<Meant>>,
    /// Groups, and stages that lists may name.
    pub groups: Vec<String>,
}

/// Keys whose texts are no expressions: types, formats, paths and the like.
const PLAIN: [&str; 16] = [
    "type",
    "storage",
    "paging",
    "when_full",
    "image",
    "mesh",
    "file",
    "npy",
    "into",
    "border",
    "at",
    "with",
    "format",
    "shader",
    "stage",
    "location",
];

/// Keys of the engine's entries whose texts are no names of the file.
const WORDS_OF_ENTRIES: [&str; 3] = ["with", "axes", "kind"];

/// Names that expressions know by themselves.
const BUILT_IN: [&str; 7] = ["dt", "PI", "E", "TAU", "π", "τ", CLOCK];
/// What stages and repeats list of the clock begins with this.
const CLOCK: &str = "clock";

/// Names that a formula of a position knows.
const OF_A_POSITION: [&str; 4] = ["x", "y", "z", "i"];

/// Whether a grid has as many levels as it can.
fn is_all(levels: &Node) -> bool {
    matches!(&levels.content, Content::Scalar(Value::String(text)) if text.trim() == "all")
}

impl Names {
    pub(super) fn new(instance: &str) -> Names {
        Names {
            instance: instance.to_string(),
            known: BTreeMap::new(),
            groups: Vec::new(),
        }
    }

    pub(super) fn prefixed(&self, name: &str) -> String {
        format!("{}_{name}", self.instance)
    }

    pub(super) fn map(&mut self, name: &str, meant: Meant) {
        self.known.entry(name.to_string()).or_default().push(meant);
    }

    /// Makes the members of the module's `parameters` known.
    pub(super) fn parameters(&mut self, parameters: &Node) {
        if let Content::Object(members) = &parameters.content {
            for (name, _, value) in members {
                self.map(name, Meant::Parameter(value.clone()));
            }
        }
    }

    /// Renames in the values of parameters.
    pub(super) fn values(&self, node: &mut Node, problems: &mut Problems) {
        self.texts(node, &[], &mut Vec::new(), problems);
    }

    /// Renames in a resource or a channel.
    pub(super) fn resource(&self, node: &mut Node, problems: &mut Problems) {
        self.texts(node, &PLAIN, &mut Vec::new(), problems);
    }

    /// Renames in a quantity.
    pub(super) fn quantity(&self, node: &mut Node, problems: &mut Problems) {
        for key in ["value", "range"] {
            if let Some(part) = node.at_mut(&[key]) {
                self.texts(part, &[], &mut Vec::new(), problems);
            }
        }
    }

    /// Renames in a group.
    pub(super) fn group(&self, group: &mut Node, problems: &mut Problems) {
        let mut hidden = Vec::new();
        match &group.content {
            Content::Object(_) => {
                if let Some(entries) = group.at_mut(&["stages"]) {
                    self.entries(entries, &mut hidden, problems);
                }
                self.shared(group, &mut hidden, problems);
            }
            _ => self.entries(group, &mut hidden, problems),
        }
    }

    fn entries(&self, list: &mut Node, hidden: &mut Vec<String>, problems: &mut Problems) {
        if let Content::Array(entries) = &mut list.content {
            for entry in entries {
                self.entry(entry, hidden, problems);
            }
        }
    }

    fn entry(&self, entry: &mut Node, hidden: &mut Vec<String>, problems: &mut Problems) {
        if let Content::Scalar(Value::String(_)) = entry.content {
            return self.group_name(entry, problems);
        }
        if entry.get("stage").is_some() {
            return self.stage(entry, hidden, problems);
        }
        if entry.get("group").is_some() {
            if let Some(group) = entry.at_mut(&["group"]) {
                match group.content {
                    Content::Scalar(_) => self.group_name(group, problems),
                    _ => self.entries(group, hidden, problems),
                }
            }
            return self.shared(entry, hidden, problems);
        }
        if let Some(Content::Scalar(Value::String(value))) = entry.get("repeat").map(|node| &node.content) {
            let value = value.clone();
            for key in ["over", "while"] {
                if let Some(node) = entry.at_mut(&[key]) {
                    self.texts(node, &[], hidden, problems);
                }
            }
            hidden.push(value);
            if let Some(stages) = entry.at_mut(&["stages"]) {
                self.entries(stages, hidden, problems);
            }
            hidden.pop();
            return;
        }
        self.texts(entry, &WORDS_OF_ENTRIES, hidden, problems);
    }

    /// Renames in what a group shares: arguments and rhythm.
    fn shared(&self, group: &mut Node, hidden: &mut Vec<String>, problems: &mut Problems) {
        self.arguments(group, hidden, problems);
        if let Some(every) = group.at_mut(&["every"]) {
            self.texts(every, &[], hidden, problems);
        }
    }

    fn arguments(&self, owner: &mut Node, hidden: &mut Vec<String>, problems: &mut Problems) {
        if let Some(Content::Object(arguments)) = owner.at_mut(&["arguments"]).map(|node| &mut node.content) {
            for (.., argument) in arguments {
                match argument.at_mut(&["value"]) {
                    Some(value) => self.texts(value, &[], hidden, problems),
                    None => self.texts(argument, &[], hidden, problems),
                }
            }
        }
    }

    fn group_name(&self, node: &mut Node, problems: &mut Problems) {
        let Content::Scalar(Value::String(name)) = &mut node.content else {
            return;
        };
        if self.groups.contains(name) {
            *name = format!("{}_{name}", self.instance);
            return;
        }
        let problem = Problem::at_place(
            node.place.clone(),
            format!("no group or stage of this module is named `{name}`"),
        )
        .help("a string in a list of entries is the name of a group, or of a stage that is written elsewhere")
        .suggest(name, self.groups.iter().map(String::as_str));
        problems.push(problem);
    }

    fn stage(&self, entry: &mut Node, hidden: &mut Vec<String>, problems: &mut Problems) {
        let place = entry.place.clone();
        let Some(Content::Scalar(Value::String(name))) = entry.get("stage").map(|node| &node.content) else {
            return;
        };
        let name = name.clone();
        if entry.get("shader").is_none() {
            let shader = Value::String(format!("{name}.comp"));
            entry.put(&["shader"], Node::from_value(&shader, &place), &place);
        }
        if let Some(node) = entry.at_mut(&["stage"]) {
            node.content = Content::Scalar(Value::String(self.prefixed(&name)));
        }
        for key in ["over", "emits"] {
            if let Some(node) = entry.at_mut(&[key]) {
                self.domain(node, hidden, problems);
            }
        }
        for key in ["bind", "constants", "count", "groups", "every"] {
            if let Some(node) = entry.at_mut(&[key]) {
                self.texts(node, &[], hidden, problems);
            }
        }
        self.arguments(entry, hidden, problems);
        self.bind(entry, hidden, problems);
    }

    /// Renames in what a stage runs over: a resource, if one has the name, or a number.
    fn domain(&self, node: &mut Node, hidden: &mut Vec<String>, problems: &mut Problems) {
        let Content::Scalar(Value::String(text)) = &mut node.content else {
            return;
        };
        let head = head_of(text);
        if let (Some(found), Some(meant)) = (indexed(text), self.resource_of(head)) {
            let index = self.expression(found.index, hidden, &node.place, problems);
            *text = format!("{meant}[{index}]{}", found.rest);
            return;
        }
        match self.resource_of(head) {
            Some(meant) if text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.') => {
                *text = format!("{meant}{}", &text[head.len()..]);
            }
            _ => self.texts(node, &[], hidden, problems),
        }
    }

    fn resource_of(&self, name: &str) -> Option<&str> {
        self.known.get(name)?.iter().find_map(|meant| match meant {
            Meant::Resource(name) => Some(name.as_str()),
            Meant::Parameter(_) => None,
        })
    }

    /// Renames in every text of a value, but for those of some keys.
    fn texts(&self, node: &mut Node, plain: &[&str], hidden: &mut Vec<String>, problems: &mut Problems) {
        let place = node.place.clone();
        match &mut node.content {
            Content::Scalar(Value::String(text)) => *text = self.expression(text, hidden, &place, problems),
            Content::Scalar(_) => {}
            Content::Array(items) => {
                for item in items {
                    self.texts(item, plain, hidden, problems);
                }
            }
            Content::Object(members) => {
                for (name, _, value) in members {
                    match name.as_str() {
                        name if plain.contains(&name) => {}
                        "levels" if is_all(value) => {}
                        "channels" | "attributes" if !plain.is_empty() => {
                            self.channels(value, hidden, problems)
                        }
                        "set" | "expression" if !plain.is_empty() => {
                            let before = hidden.len();
                            hidden.extend(OF_A_POSITION.map(String::from));
                            self.texts(value, &[], hidden, problems);
                            hidden.truncate(before);
                        }
                        _ => self.texts(value, plain, hidden, problems),
                    }
                }
            }
        }
    }

    /// Renames in channels; the short form of one is its type.
    fn channels(&self, node: &mut Node, hidden: &mut Vec<String>, problems: &mut Problems) {
        if let Content::Object(members) = &mut node.content {
            for (.., channel) in members {
                if matches!(channel.content, Content::Object(_)) {
                    self.texts(channel, &PLAIN, hidden, problems);
                }
            }
        }
    }

    /// Renames the names in an expression. `hidden` are those of repeats and positions.
    fn expression(&self, text: &str, hidden: &[String], place: &Place, problems: &mut Problems) -> String {
        let mut renamed = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let is_name = first.is_alphabetic() || first == '_';
            let of_token = |c: char| match is_name {
                true => c.is_alphanumeric() || c == '_' || c == '.',
                // Of a number, with its exponent.
                false => c.is_ascii_alphanumeric() || c == '.',
            };
            if !is_name && !first.is_ascii_digit() {
                renamed.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let end = rest.find(|c: char| !of_token(c)).unwrap_or(rest.len());
            let (token, after) = rest.split_at(end);
            rest = after;
            let head = token.split('.').next().unwrap_or_default();
            // `.p` of `air[l].p` follows a bracket.
            let stands = !is_name
                || renamed.ends_with('.')
                || after.trim_start().starts_with('(')
                || BUILT_IN.contains(&head)
                || hidden.iter().any(|name| name == head);
            match self.known.get(head) {
                _ if stands => renamed.push_str(token),
                Some(meant) => renamed.push_str(&self.meaning(token, head, meant)),
                None => {
                    let message = format!("`{head}` is not a parameter, a role or a resource of this module");
                    let known = self.known.keys().map(String::as_str);
                    let problem = Problem::at_place(place.clone(), message)
                        .help("a module can use only what it declares")
                        .suggest(head, known);
                    problems.push(problem);
                    renamed.push_str(token);
                }
            }
        }
        renamed
    }

    /// A dotted name in the file's terms: a parameter where the module has it, otherwise a resource.
    fn meaning(&self, token: &str, head: &str, meant: &[Meant]) -> String {
        let rest = &token[head.len()..];
        let is_parameter = |node: &Node| {
            let mut at = node;
            for part in rest.split('.').skip(1) {
                match (at.get(part), &at.content) {
                    (Some(next), _) => at = next,
                    // A component of a vector, or of an expression that names one.
                    (None, Content::Array(_) | Content::Scalar(_)) => return "xyzw".contains(part),
                    (None, Content::Object(_)) => return false,
                }
            }
            true
        };
        let mut resource = None;
        for meant in meant {
            match meant {
                Meant::Parameter(node) if is_parameter(node) => return format!("{}.{token}", self.instance),
                Meant::Parameter(_) => {}
                Meant::Resource(name) => resource = Some(name),
            }
        }
        match resource {
            Some(name) => format!("{name}{rest}"),
            // A parameter that is not there: the flat file says so.
            None => format!("{}.{token}", self.instance),
        }
    }
}
