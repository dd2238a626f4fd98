//! Changes of entries by their names.

use serde_json::Value;

use super::arguments::write_out_change;
use super::groups::definitions;
use super::node::{Content, Node};
use super::sections::LISTS;
use crate::problem::{Place, Problem, Problems};

/// A change as it is written: the name of the entries, its place, and a merge patch with what comes before and after.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub name: String,
    pub place: Place,
    pub patch: Node,
    /// Written in the file itself or by an override. The base of a file may change what the file has replaced since.
    pub must_match: bool,
}

impl Change {
    pub(super) fn of_base(self) -> Change {
        Change {
            must_match: false,
            ..self
        }
    }
}

/// Takes the changes out of a file.
pub(super) fn changes_of(root: &mut Node) -> Result<Vec<Change>, Problems> {
    let Some(node) = root.take("change") else {
        return Ok(Vec::new());
    };
    match node.content {
        Content::Object(members) => Ok(members
            .into_iter()
            .map(|(name, place, patch)| Change {
                name,
                place,
                patch,
                must_match: true,
            })
            .collect()),
        _ => Err(Problem::at_place(
            node.place,
            "`change` must be an object with the changes of each entry by name",
        )
        .help("for example \"change\": {\"sor\": {\"every\": 2}, \"unwanted\": null}")
        .into()),
    }
}

/// Applies a change to every entry of its name, in the lists and the groups of a file.
pub(super) fn apply(root: &mut Node, change: Change, problems: &mut Problems) {
    let mut change = change;
    write_out_change(&mut change.patch, root, problems);
    let mut found = false;
    let mut names = Vec::new();
    let is_stage = definitions(root)
        .get(&change.name)
        .is_some_and(|node| node.get("stage").is_some());
    let change = Named { change, is_stage };
    for list in LISTS {
        if let Some(node) = root.at_mut(&[list]) {
            within(node, &change, &mut found, &mut names);
        }
    }
    if let Some(Content::Object(groups)) = root.at_mut(&["groups"]).map(|node| &mut node.content) {
        for (.., group) in groups {
            match group.content {
                Content::Object(_) => {
                    if let Some(entries) = group.at_mut(&["stages"]) {
                        within(entries, &change, &mut found, &mut names);
                    }
                }
                _ => within(group, &change, &mut found, &mut names),
            }
        }
    }
    let change = change.change;
    if !found && change.must_match {
        let message = format!("no entry is named `{}`", change.name);
        let problem = Problem::at_place(change.place, message).help("name a stage, a group or another entry");
        problems.push(problem.suggest(&change.name, names.iter().map(String::as_str)));
    }
}

/// A change, and whether its name is that of a stage.
struct Named {
    change: Change,
    is_stage: bool,
}

/// Applies a change to the entries of a list and of the lists in it.
fn within(list: &mut Node, change: &Named, found: &mut bool, names: &mut Vec<String>) {
    let Content::Array(entries) = &mut list.content else {
        return;
    };
    let mut changed = Vec::with_capacity(entries.len());
    for mut entry in entries.drain(..) {
        for inner in ["stages", "group"] {
            if let Some(inner) = entry.at_mut(&[inner]) {
                within(inner, change, found, names);
            }
        }
        match name_of(&entry) {
            Some(name) if name == change.change.name => {
                *found = true;
                let patch = &change.change.patch;
                let drops = matches!(patch.content, Content::Scalar(Value::Null));
                // A text that names a stage means what is written elsewhere, where it is changed.
                match entry.get("stage").is_some() || names_nothing(&entry) || !change.is_stage || drops {
                    true => changed.extend(patched(entry, patch)),
                    false => changed.push(entry),
                }
            }
            name => {
                names.extend(name);
                changed.push(entry);
            }
        }
    }
    *entries = changed;
}

/// Whether an entry is neither a name nor an entry with `group`.
fn names_nothing(entry: &Node) -> bool {
    !matches!(entry.content, Content::Scalar(_)) && entry.get("group").is_none()
}

/// What stands in the place of a changed entry.
fn patched(mut entry: Node, patch: &Node) -> Vec<Node> {
    if matches!(patch.content, Content::Scalar(Value::Null)) {
        return Vec::new();
    }
    let mut patch = patch.clone();
    let mut around = |key: &str| match patch.take(key).map(|node| node.content) {
        Some(Content::Array(entries)) => entries,
        _ => Vec::new(),
    };
    let (before, after) = (around("before"), around("after"));
    if !matches!(&patch.content, Content::Object(members) if members.is_empty()) {
        if matches!(entry.content, Content::Scalar(_)) {
            let place = entry.place.clone();
            entry = Node {
                content: Content::Object(vec![("group".into(), place.clone(), entry)]),
                place,
            };
        }
        // The entry stays where it is; what is new in it knows its own place.
        let place = entry.place.clone();
        entry.merge(patch);
        entry.place = place;
    }
    before.into_iter().chain([entry]).chain(after).collect()
}

/// The name by which an entry is changed.
fn name_of(entry: &Node) -> Option<String> {
    let members = match &entry.content {
        Content::Scalar(Value::String(name)) => return Some(name.clone()),
        Content::Object(members) => members,
        _ => return None,
    };
    let text = |key: &str| match entry.get(key).map(|node| &node.content) {
        Some(Content::Scalar(Value::String(text))) => Some(text.clone()),
        _ => None,
    };
    if let Some(name) = ["stage", "repeat", "group"].into_iter().find_map(text) {
        return Some(name);
    }
    let (key, _, value) = members.first()?;
    match &value.content {
        Content::Scalar(Value::String(value)) => Some(format!("{key} {value}")),
        _ => None,
    }
}
