//! Arguments as lists of parameters, written out: each parameter is an argument of its own name, and a group of parameters
//! stands for its members.

use serde_json::Value;

use super::node::{Content, Member, Node};
use super::sections::LISTS;
use crate::problem::{Problem, Problems};

/// Writes out the lists of arguments in the lists and groups of a file.
pub(super) fn write_out(root: &mut Node, problems: &mut Problems) {
    let parameters = root.get("parameters").cloned();
    for list in LISTS {
        if let Some(list) = root.at_mut(&[list]) {
            entries(list, parameters.as_ref(), problems);
        }
    }
    if let Some(Content::Object(groups)) = root.at_mut(&["groups"]).map(|node| &mut node.content) {
        for (.., group) in groups {
            entry(group, parameters.as_ref(), problems);
            entries(group, parameters.as_ref(), problems);
        }
    }
}

/// Writes out the lists of arguments in a change of an entry.
pub(super) fn write_out_change(patch: &mut Node, root: &Node, problems: &mut Problems) {
    entry(patch, root.get("parameters"), problems);
}

fn entries(list: &mut Node, parameters: Option<&Node>, problems: &mut Problems) {
    if let Content::Array(list) = &mut list.content {
        list.iter_mut().for_each(|node| entry(node, parameters, problems));
    }
}

fn entry(node: &mut Node, parameters: Option<&Node>, problems: &mut Problems) {
    for inner in ["stages", "group", "before", "after"] {
        if let Some(list) = node.at_mut(&[inner]) {
            entries(list, parameters, problems);
        }
    }
    let Some(arguments) = node.at_mut(&["arguments"]) else {
        return;
    };
    let Content::Array(items) = &arguments.content else {
        return;
    };
    let mut members: Vec<Member> = Vec::new();
    for item in items {
        let more = match &item.content {
            Content::Object(stated) => stated.clone(),
            Content::Scalar(Value::String(name)) => named(name, item, parameters, problems),
            // The schema refuses everything else.
            _ => Vec::new(),
        };
        for member in more {
            // What is written later counts.
            members.retain(|(name, ..)| *name != member.0);
            members.push(member);
        }
    }
    arguments.content = Content::Object(members);
}

/// The arguments that a name in a list stands for.
fn named(path: &str, item: &Node, parameters: Option<&Node>, problems: &mut Problems) -> Vec<Member> {
    let parts: Vec<&str> = path.split('.').collect();
    let last = parts.last().copied().unwrap_or_default();
    let argument = |name: &str, path: String| {
        let value = Node::from_value(&Value::String(path), &item.place);
        (name.to_string(), item.place.clone(), value)
    };
    match parameters
        .and_then(|parameters| parameters.at(&parts))
        .map(|node| &node.content)
    {
        Some(Content::Object(group)) => (group.iter())
            .filter(|(.., member)| !matches!(member.content, Content::Object(_)))
            .map(|(name, ..)| argument(name, format!("{path}.{name}")))
            .collect(),
        // A number of the engine's, such as `dt`, or a resource's size.
        None if path.contains('.') || path == "dt" => vec![argument(last, path.to_string())],
        None => {
            let names = parameters.map(Node::names).unwrap_or_default();
            let problem = Problem::at_place(item.place.clone(), format!("no parameter is named `{path}`"))
                .help("a list of arguments contains names of parameters and of groups of parameters")
                .suggest(path, names.iter().map(String::as_str));
            problems.push(problem);
            Vec::new()
        }
        Some(_) => vec![argument(last, path.to_string())],
    }
}
