//! Leaves out what modules bring and nothing uses, so that a module may offer more than one pipeline needs.

use std::collections::HashSet;

use serde_json::Value;

use super::super::indexed::without_index;
use super::node::{Content, Node};
use super::sections::{LISTS, SECTIONS};
use crate::problem::{Problem, Problems};

/// What instances have added to a file: private resources, and channels of resources that fill roles.
#[derive(Default)]
pub(super) struct Added {
    pub resources: Vec<(&'static str, String)>,
    /// Roles that nothing fills, by names of their own, with what is wrong if something uses them.
    pub unfilled: Vec<(String, Problem)>,
    /// Section, resource, key of its channels, channel.
    pub channels: Vec<[String; 4]>,
}

/// Takes out of a flat file what was added and is named nowhere. Reports roles that are used and not filled.
pub(super) fn prune(root: &mut Node, added: Added, problems: &mut Problems) {
    let mut used = HashSet::new();
    for list in LISTS {
        root.get(list)
            .into_iter()
            .for_each(|list| names_of_entries(list, &mut used));
    }
    for key in ["outputs", "watch", "input"] {
        root.get(key)
            .into_iter()
            .for_each(|node| names_in(node, &mut used));
    }
    for (section, _) in SECTIONS {
        root.get(section)
            .into_iter()
            .for_each(|node| names_in(node, &mut used));
    }
    for [section, resource, key, channel] in &added.channels {
        if !used.contains(&format!("{resource}.{channel}"))
            && let Some(channels) = root.at_mut(&[section, resource, key])
        {
            channels.take(channel);
        }
    }
    let is_used = |name: &String| {
        let prefix = format!("{name}.");
        used.iter().any(|used| used == name || used.starts_with(&prefix))
    };
    let mut open = Vec::new();
    for (name, problem) in added.unfilled {
        if is_used(&name) {
            problems.push(problem);
        } else {
            open.push(name);
        }
    }
    // A quantity of a role that nothing uses has no value, and nobody misses it.
    if let Some(Content::Object(quantities)) = root.at_mut(&["quantities"]).map(|node| &mut node.content) {
        quantities.retain(|(.., quantity)| {
            let mut named = HashSet::new();
            names_in(quantity, &mut named);
            open.iter().all(|name| !named.contains(name))
        });
    }
    for (section, name) in &added.resources {
        if !is_used(name)
            && let Some(resources) = root.at_mut(&[section])
        {
            resources.take(name);
        }
    }
}

/// The names that entries use, those of shaders in the terms of the file.
fn names_of_entries(list: &Node, into: &mut HashSet<String>) {
    let Content::Array(entries) = &list.content else {
        return;
    };
    for entry in entries {
        names_in(entry, into);
        if let Some(stages) = entry.get("stages") {
            names_of_entries(stages, into);
        }
        for key in ["reads", "writes"] {
            let Some(Content::Array(names)) = entry.get(key).map(|node| &node.content) else {
                continue;
            };
            for name in names {
                let Content::Scalar(Value::String(name)) = &name.content else {
                    continue;
                };
                let name = without_index(name);
                let (head, rest) = name.split_once('.').unwrap_or((&name, ""));
                if let Some(Content::Scalar(Value::String(meant))) =
                    entry.at(&["bind", head]).map(|node| &node.content)
                {
                    into.insert(format!("{}.{rest}", without_index(meant)));
                }
            }
        }
    }
}

/// The dotted names in all texts of a value.
fn names_in(node: &Node, into: &mut HashSet<String>) {
    match &node.content {
        Content::Scalar(Value::String(text)) => {
            // `air[l].p` uses `air.p`, and what is in the brackets.
            into.insert(without_index(text));
            let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            for name in text.split(|c| !is_name(c)).filter(|name| !name.is_empty()) {
                // `a.b.x` uses `a.b`.
                let mut parts = name
                    .match_indices('.')
                    .map(|(at, _)| &name[..at])
                    .collect::<Vec<_>>();
                parts.push(name);
                into.extend(parts.into_iter().map(String::from));
            }
        }
        Content::Scalar(_) => {}
        Content::Array(items) => items.iter().for_each(|item| names_in(item, into)),
        Content::Object(members) => members.iter().for_each(|(.., value)| names_in(value, into)),
    }
}
