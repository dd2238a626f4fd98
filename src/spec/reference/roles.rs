//! The table of roles with the channels that they need, and the lists of added channels.

use serde_json::Value;

use super::comments::{above, meaning};
use super::text::{code, members, sentences, table, type_of};
use crate::spec::file::RoleFile;
use crate::spec::node::Node;

type Row = [String; 5];

/// The roles in `own`, as they are in `whole`.
pub fn roles(own: &Node, whole: &Node) -> String {
    let mut rows = Vec::new();
    let roles = members(own);
    for (number, (name, _, own)) in roles.iter().enumerate() {
        let whole = whole.get(name);
        let mut kinds = RoleFile::kinds();
        let kind = kinds.find(|kind| whole.is_some_and(|whole| whole.get(kind).is_some()));
        let kind = kind.unwrap_or_default();
        let channels = whole.and_then(|whole| whole.get(kind));
        let shown = match channels.and_then(Node::text) {
            Some(element) => format!("{kind} of {element}"),
            None => kind.to_string(),
        };
        let about = sentences(&[meaning(roles, number), comment_of(own, kind)]);
        rows.push([format!("`{name}`"), shown, String::new(), need(whole), about]);
        add_channels(name, own.get(kind), channels, &mut rows);
    }
    table(["role or channel", "type", "at", "needed", "meaning"], &rows)
}

/// Adds a row for each channel that a role needs.
fn add_channels(role: &str, own: Option<&Node>, whole: Option<&Node>, rows: &mut Vec<Row>) {
    let own = own.map(members).unwrap_or_default();
    for (number, (name, ..)) in own.iter().enumerate() {
        let channel = whole.and_then(|whole| whole.get(name));
        let keys = channel.map(members).unwrap_or_default().iter();
        let others = keys.filter(|(key, ..)| !["type", "at", "optional"].contains(&key.as_str()));
        let others: Vec<String> = others
            .map(|(key, _, value)| format!("`{key}`: {}", code(value)))
            .collect();
        let at = channel.and_then(|channel| channel.get("at")?.text());
        rows.push([
            format!("`{role}.{name}`"),
            channel.map(type_of).unwrap_or_default().into(),
            at.unwrap_or_default().into(),
            need(channel),
            sentences(&[meaning(own, number), others.join(", ")]),
        ]);
    }
}

/// Says if the user of the module must provide a role or channel.
fn need(whole: Option<&Node>) -> String {
    let is_optional = |whole: &Node| whole.get("optional").map(Node::to_value) == Some(Value::Bool(true));
    let word = match whole {
        None => "no longer",
        Some(whole) if is_optional(whole) => "optional",
        Some(_) => "yes",
    };
    word.into()
}

/// A line for each role with added channels.
pub fn added(own: &Node, whole: &Node) -> String {
    let mut lines = Vec::new();
    for (role, _, own) in members(own) {
        let added = own.get("adds").map(members).unwrap_or_default();
        if added.is_empty() {
            continue;
        }
        let shown = added
            .iter()
            .map(|(name, ..)| added_channel(name, whole.at(&[role, "adds", name])));
        let shown: Vec<String> = shown.collect();
        let list = format!("Added to `{role}`: {}.", shown.join(", "));
        let about = (0..added.len()).map(|number| meaning(added, number));
        let about = [list, comment_of(own, "adds")].into_iter().chain(about);
        lines.push(sentences(&about.collect::<Vec<_>>()) + "\n");
    }
    lines.join("\n")
}

/// An added channel with its type, location and condition; a condition that is a number holds always or never.
fn added_channel(name: &str, channel: Option<&Node>) -> String {
    let condition = channel.and_then(|channel| channel.get("if"));
    let number = condition.and_then(|condition| condition.to_value().as_f64());
    let Some(channel) = channel.filter(|_| number != Some(0.0)) else {
        return format!("no `{name}`");
    };
    let at = channel.get("at").and_then(Node::text);
    let at = at.map(|at| format!(" at {at}")).unwrap_or_default();
    let condition = condition.filter(|_| number.is_none());
    let condition = condition.map(|condition| format!(" if {}", code(condition)));
    format!(
        "`{name}` ({}{at}{})",
        type_of(channel),
        condition.unwrap_or_default()
    )
}

/// The comment above the member `name` of an object.
fn comment_of(node: &Node, name: &str) -> String {
    let member = node.member(name);
    member.map(|(_, key, _)| above(key).join(" ")).unwrap_or_default()
}
