//! The reference of a module as Markdown, from its file: the comment at its head, its exports, roles and parameters, with the
//! comments above them.

mod comments;
mod parameters;
mod roles;
mod text;

use std::path::Path;

use super::document::Document;
use super::file::RoleFile;
use super::json::parse;
use super::node::{Content, Node};
use super::shipped::PREFIX;
use crate::problem::Problems;

use comments::{above, meaning, paragraphs};
use text::{code, link, linked, members, table, type_of};

/// A module: its own file, whose entries are shown, and the file merged over its bases, which has their values.
struct Module {
    own: Node,
    whole: Node,
}

/// The section about the module `name`, whose file contains `text`. Its bases are modules that come with the program.
pub fn of(name: &str, text: &str) -> Result<String, Problems> {
    let directory = format!("{PREFIX}modules");
    let (file, directory) = (format!("{directory}/{name}.json"), Path::new(&directory));
    let mut problems = Problems::default();
    let own = parse(&file, text, directory, &mut problems);
    let (Some(own), true) = (own, problems.is_empty()) else {
        return Err(problems);
    };
    let whole = Document::parse(&file, text, directory)?.root;
    let module = Module { own, whole };
    let roles = |of: fn(&Node, &Node) -> String| {
        let roles = module.own.get("roles").zip(module.whole.get("roles"));
        roles.map(|(own, whole)| of(own, whole)).unwrap_or_default()
    };
    let parts = [
        format!("## {name}\n"),
        module.title(),
        module.comment(),
        module.parts(),
        module.exports(),
        roles(roles::roles),
        roles(roles::added),
        parameters::parameters(module.own.get("parameters"), module.whole.get("parameters")),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Ok(parts.join("\n"))
}

impl Module {
    fn title(&self) -> String {
        let title = self.own.get("title").and_then(Node::text);
        title.map(|title| format!("{title}.\n")).unwrap_or_default()
    }

    /// The comment at the head of the file.
    fn comment(&self) -> String {
        let first = members(&self.own).first();
        first
            .map(|(_, key, _)| linked(&paragraphs(&above(key))))
            .unwrap_or_default()
    }

    /// The modules that it consists of, and its lists.
    fn parts(&self) -> String {
        let mut parts = Vec::new();
        if let Some(base) = self.own.get("extends").and_then(Node::text) {
            let base = link(base);
            parts.push(format!("Extends {base}; this section has additions and changes."));
        }
        for (name, _, used) in self.own.get("use").map(members).unwrap_or_default() {
            let whole = self.whole.at(&["use", name, "module"]).and_then(Node::text);
            let Some(module) = whole.map(link) else {
                parts.push(format!("Has no instance `{name}`."));
                continue;
            };
            let values = used.get("parameters").map(members).unwrap_or_default().iter();
            let values = values.map(|(name, _, value)| format!("`{name}` = {}", code(value)));
            let values = values.collect::<Vec<_>>().join(", ");
            let with = if values.is_empty() { "" } else { " with " };
            parts.push(format!("`{name}` is an instance of {module}{with}{values}."));
        }
        let lists = ["init", "step", "frame"].into_iter();
        let lists = lists.filter(|list| self.whole.get(list).is_some());
        let lists: Vec<String> = lists.map(|list| format!("`{list}`")).collect();
        if !lists.is_empty() {
            parts.push(format!("Lists: {}.", lists.join(", ")));
        }
        if parts.is_empty() {
            String::new()
        } else {
            parts.join(" ") + "\n"
        }
    }

    fn exports(&self) -> String {
        let exports = match self.own.get("exports").map(|exports| &exports.content) {
            Some(Content::Array(exports)) => exports.iter().filter_map(Node::text).collect(),
            _ => Vec::new(),
        };
        let rows = exports.into_iter().map(|name| {
            let (kind, meaning) = self.export(name);
            [format!("`{name}`"), kind, linked(&meaning)]
        });
        table(["export", "kind", "meaning"], &rows.collect::<Vec<_>>())
    }

    /// Kind and meaning of an export.
    fn export(&self, name: &str) -> (String, String) {
        if let Some((role, channel)) = name.split_once('.') {
            let mut keys = ["adds"].into_iter().chain(RoleFile::kinds());
            let channel = keys.find_map(|key| self.whole.at(&["roles", role, key, channel]));
            let kind = channel.map(|channel| format!("channel of {}", type_of(channel)));
            return (kind.unwrap_or("channel".into()), String::new());
        }
        for section in ["stages", "buffers", "grids", "particles", "use"] {
            let members = self.whole.get(section).map(members).unwrap_or_default();
            let Some(number) = members.iter().position(|(known, ..)| known == name) else {
                continue;
            };
            let node = &members[number].2;
            let is_stage = matches!(node.content, Content::Object(_)) && node.get("stages").is_none();
            let kind = match section {
                "stages" if is_stage => "stage".into(),
                "stages" => "group".into(),
                "buffers" => format!("buffer of {}", type_of(node)),
                "use" => "instance".into(),
                section => section.trim_end_matches('s').to_string(),
            };
            return (kind, meaning(members, number));
        }
        ("stage".into(), String::new())
    }
}

#[cfg(test)]
mod tests;
