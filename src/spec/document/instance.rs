//! An instance of a module: its resources, parameters, quantities, groups and lists, named for where it is used.

use std::sync::Arc;

use serde_json::Value;

use super::Document;
use super::node::{Content, Member, Node};
use super::prune::Added;
use super::rename::{Meant, Names};
use super::sections::{LISTS, SECTIONS};
use crate::problem::{Place, Problem, Problems};

/// An entry of `use`: its name with the place, and the rest.
pub(super) struct Use<'a> {
    pub name: &'a str,
    pub key: &'a Place,
    pub node: &'a Node,
}

/// Puts an instance of `module` into a file.
pub(super) fn instantiate(
    root: &mut Node,
    mut module: Document,
    &Use { name, key, node }: &Use,
    added: &mut Added,
    problems: &mut Problems,
) {
    let before = problems.list.len();
    let user = Arc::new(key.clone());
    module.root.use_at(&user);
    let mut instance = Instance {
        name,
        user: key,
        names: Names::new(name),
        added,
        problems,
    };
    instance.parameters(root, &mut module.root);
    instance.roles(root, &mut module.root, node);
    let resources = instance.private(&mut module.root);
    let groups = instance.groups(&mut module.root);
    if instance.problems.list.len() > before {
        return;
    }
    for (section, resources) in resources {
        for (mut resource_name, place, mut resource) in resources {
            instance.names.resource(&mut resource, instance.problems);
            resource_name = instance.names.prefixed(&resource_name);
            instance.added.resources.push((section, resource_name.clone()));
            instance.insert(root, section, (resource_name, place, resource));
        }
    }
    for (name, place, mut range) in members(module.root.take("ranges")) {
        instance.names.values(&mut range, instance.problems);
        let name = format!("{}.{name}", instance.name);
        // The file that uses the module may know better.
        if root
            .get("ranges")
            .and_then(|ranges| ranges.member(&name))
            .is_none()
        {
            instance.insert(root, "ranges", (name, place, range));
        }
    }
    for (name, place, mut quantity) in members(module.root.take("quantities")) {
        instance.names.quantity(&mut quantity, instance.problems);
        let name = instance.names.prefixed(&name);
        instance.insert(root, "quantities", (name, place, quantity));
    }
    for (group_name, place, mut group) in groups {
        instance.names.group(&mut group, instance.problems);
        let group_name = instance.names.prefixed(&group_name);
        instance.insert(root, "groups", (group_name, place, group));
    }
}

struct Instance<'a> {
    name: &'a str,
    /// Where the file uses it.
    user: &'a Place,
    names: Names,
    added: &'a mut Added,
    problems: &'a mut Problems,
}

impl Instance<'_> {
    /// The group of parameters that belongs to the instance: the module's values, changed by the file.
    fn parameters(&mut self, root: &mut Node, module: &mut Node) {
        let place = self.user.clone();
        let empty = Node {
            content: Content::Object(Vec::new()),
            place: place.clone(),
        };
        let own = module.take("parameters").unwrap_or_else(|| empty.clone());
        self.names.parameters(&own);
        let mut values = own.clone();
        self.names.values(&mut values, self.problems);
        if root.get("parameters").is_none() {
            root.put(&["parameters"], empty, &place);
        }
        let Some(parameters) = root.at_mut(&["parameters"]) else {
            return;
        };
        if let Some(stated) = parameters.take(self.name) {
            self.check_parameters(&stated, &own, self.name);
            values.merge(stated);
        }
        if !matches!(&values.content, Content::Object(members) if members.is_empty())
            && let Content::Object(members) = &mut parameters.content
        {
            members.push((self.name.to_string(), place, values));
        }
    }

    /// Reports values for parameters that the module does not have.
    fn check_parameters(&mut self, stated: &Node, own: &Node, path: &str) {
        let (Content::Object(stated), Content::Object(known)) = (&stated.content, &own.content) else {
            return;
        };
        for (name, place, value) in stated {
            match known.iter().find(|(known, ..)| known == name) {
                Some((.., own)) => self.check_parameters(value, own, &format!("{path}.{name}")),
                None => {
                    let message = format!("the module of `{}` has no parameter `{path}.{name}`", self.name);
                    let problem = Problem::at_place(place.clone(), message)
                        .help("it has no parameters here")
                        .suggest(name, known.iter().map(|(name, ..)| name.as_str()));
                    self.problems
                        .push(problem.note("the instance is made", self.user));
                }
            }
        }
    }

    /// Finds the resource for each role and gives it the channels that it lacks.
    fn roles(&mut self, root: &mut Node, module: &mut Node, node: &Node) {
        let roles = members(module.take("roles"));
        let stated = members(node.get("roles").cloned());
        for (name, place, _) in &stated {
            if !roles.iter().any(|(role, ..)| role == name) {
                let problem = Problem::at_place(place.clone(), format!("the module has no role `{name}`"))
                    .help("it has no roles")
                    .suggest(name, roles.iter().map(|(role, ..)| role.as_str()));
                self.problems.push(problem);
            }
        }
        for (role, place, needs) in roles {
            let given = stated.iter().find(|(name, ..)| *name == role);
            let filled = match given.map(|(.., node)| (&node.content, &node.place)) {
                Some((Content::Scalar(Value::String(text)), at)) => (text.clone(), at.clone(), true),
                _ => (role.clone(), self.user.clone(), false),
            };
            self.fill(root, &role, &place, &needs, filled);
        }
    }

    /// Fills one role with the resource of the name `meant`, which is written at `at` or is the role's.
    fn fill(
        &mut self,
        root: &mut Node,
        role: &str,
        place: &Place,
        needs: &Node,
        (meant, at, is_stated): (String, Place, bool),
    ) {
        let [(kind, _, needed)] = &members(Some(needs.clone()))[..] else {
            let message = format!("the role `{role}` must have exactly one kind");
            let kinds = SECTIONS.map(|(_, kind)| kind).join(", ");
            let problem = Problem::at_place(place.clone(), message);
            return self.problems.push(problem.help(format!("write one of {kinds}")));
        };
        let found = SECTIONS.iter().find_map(|(section, kind)| {
            let resource = root
                .at(&[section, &meant])
                .map(|_| vec![*section, meant.as_str()]);
            let role = root
                .at(&["roles", &meant, kind])
                .map(|_| vec!["roles", meant.as_str(), *kind]);
            resource.or(role).map(|path| (path, *kind))
        });
        let Some((path, found)) = found else {
            let message = format!("nothing fills the role `{role}` of `{}`", self.name);
            let resources = SECTIONS.iter().flat_map(|(section, of)| {
                let names = root.get(section).map(Node::names).unwrap_or_default();
                names.into_iter().filter(move |_| of == kind)
            });
            let resources: Vec<String> = resources.collect();
            let help = format!("a role of kind {kind}: add \"roles\": {{\"{role}\": ...}} to the instance");
            let problem = Problem::at_place(at, message)
                .help(help)
                .note("the role is declared", place);
            if !is_stated {
                // Only what uses the role needs it.
                let name = self.names.prefixed(role);
                self.names.map(role, Meant::Resource(name.clone()));
                self.added.unfilled.push((name, problem));
                return;
            }
            return self
                .problems
                .push(problem.suggest(&meant, resources.iter().map(String::as_str)));
        };
        self.names.map(role, Meant::Resource(meant.clone()));
        if found != kind {
            let message = format!("`{meant}` cannot fill the role `{role}`: its kind is {found}, not {kind}");
            let problem = Problem::at_place(at, message).note("the role is declared", place);
            return self.problems.push(problem.help("name a resource of that kind"));
        }
        let is_role = path[0] == "roles";
        let Some(filled) = root.at_mut(&path) else { return };
        match kind.as_str() {
            "buffer" => {
                let own = if is_role {
                    Some(&*filled)
                } else {
                    filled.get("type")
                };
                if let Some(own) = own
                    && own.to_value() != needed.to_value()
                {
                    let message = format!("the type of `{meant}` does not fit the role `{role}`");
                    let problem =
                        Problem::at_place(own.place.clone(), message).note("the role is declared", place);
                    self.problems
                        .push(problem.help(format!("write {}", needed.to_value())));
                }
            }
            _ => {
                let key = if kind == "particles" {
                    "attributes"
                } else {
                    "channels"
                };
                if !is_role && filled.get(key).is_none() {
                    let content = Content::Object(Vec::new());
                    filled.put(
                        &[key],
                        Node {
                            place: at.clone(),
                            content,
                        },
                        &at,
                    );
                }
                let path = [path[0], &meant, key].map(String::from);
                let channels = if is_role {
                    Some(filled)
                } else {
                    filled.at_mut(&[key])
                };
                if let Some(channels) = channels {
                    self.add_channels(channels, path, role, needed);
                }
            }
        }
    }

    /// Adds the channels that a resource lacks, and compares the types of the others.
    fn add_channels(&mut self, channels: &mut Node, path: [String; 3], role: &str, needed: &Node) {
        let [section, resource, key] = path;
        let Content::Object(known) = &mut channels.content else {
            return;
        };
        for (name, place, mut needed) in members(Some(needed.clone())) {
            if matches!(needed.content, Content::Object(_)) {
                self.names.resource(&mut needed, self.problems);
            }
            let Some((.., own)) = known.iter_mut().find(|(known, ..)| *known == name) else {
                let channel = [section.clone(), resource.clone(), key.clone(), name.clone()];
                self.added.channels.push(channel);
                known.push((name, place, needed));
                continue;
            };
            if channel_type(own) != channel_type(&needed) {
                let message = format!("the channel `{resource}.{name}` does not fit the role `{role}`");
                let problem = Problem::at_place(own.place.clone(), message)
                    .note("the role requires the channel", &place);
                let help = format!(
                    "write {}, or remove the channel: the module adds it",
                    channel_type(&needed)
                );
                self.problems.push(problem.help(help));
            } else if matches!(own.content, Content::Scalar(_)) {
                *own = needed;
            } else if let Some(border) = other_border(own, &needed) {
                let message = format!("the border of `{resource}.{name}` does not fit the role `{role}`");
                let problem =
                    Problem::at_place(border, message).note("the role requires the channel", &place);
                self.problems
                    .push(problem.help("remove `border`: the module adds it"));
            } else {
                complete(own, &needed);
            }
        }
    }

    /// The resources of the module's own.
    fn private(&mut self, module: &mut Node) -> Vec<(&'static str, Vec<Member>)> {
        let sections: Vec<_> = (SECTIONS.iter())
            .map(|(section, _)| (*section, members(module.take(section))))
            .collect();
        for (name, ..) in sections.iter().flat_map(|(_, resources)| resources) {
            let prefixed = self.names.prefixed(name);
            self.names.map(name, Meant::Resource(prefixed));
        }
        sections
    }

    /// The groups of the module; its lists are groups too.
    fn groups(&mut self, module: &mut Node) -> Vec<Member> {
        let mut groups = members(module.take("groups"));
        for list in LISTS {
            let Some(node) = module.take(list) else { continue };
            let is_empty = matches!(&node.content, Content::Array(entries) if entries.is_empty());
            if let Some((_, place, _)) = groups.iter().find(|(name, ..)| name == list) {
                let message = format!("the group `{list}` has the name of a list");
                let help = "the lists of a module are groups of its instances: choose another name";
                self.problems
                    .push(Problem::at_place(place.clone(), message).help(help));
            } else if !is_empty {
                groups.push((list.to_string(), node.place.clone(), node));
            }
        }
        self.names.groups = groups.iter().map(|(name, ..)| name.clone()).collect();
        for (.., group) in &groups {
            stage_names(group.get("stages").unwrap_or(group), &mut self.names.groups);
        }
        groups
    }

    /// Adds a resource, a range, a quantity or a group to the file.
    fn insert(&mut self, root: &mut Node, section: &str, (name, place, node): Member) {
        let same = |sections: &[&str]| -> Option<Place> {
            let mut found = sections
                .iter()
                .filter_map(|section| root.get(section)?.member(&name));
            found.next().map(|(_, place, _)| place.clone())
        };
        let taken = match section {
            "groups" | "quantities" => same(&[section]),
            _ => same(&SECTIONS.map(|(section, _)| section)),
        };
        if let Some(other) = taken {
            let message = format!("the instance `{}` also defines `{name}`", self.name);
            let problem = Problem::at_place(other, message).note("the module declares it", &place);
            return self
                .problems
                .push(problem.help("rename one of them, or the instance"));
        }
        if root.get(section).is_none() {
            let content = Content::Object(Vec::new());
            root.put(
                &[section],
                Node {
                    place: place.clone(),
                    content,
                },
                &place,
            );
        }
        if let Some(Content::Object(members)) = root.at_mut(&[section]).map(|node| &mut node.content) {
            members.push((name, place, node));
        }
    }
}

/// Collects the names of the stages in a list.
fn stage_names(list: &Node, into: &mut Vec<String>) {
    let Content::Array(entries) = &list.content else {
        return;
    };
    for entry in entries {
        if let Some(Content::Scalar(Value::String(name))) = entry.get("stage").map(|node| &node.content) {
            into.push(name.clone());
        }
        for inner in ["stages", "group"] {
            entry
                .get(inner)
                .into_iter()
                .for_each(|list| stage_names(list, into));
        }
    }
}

/// What gives the functions of a channel in shaders: where values lie, and what is beyond its border.
const OF_ACCESSORS: [&str; 2] = ["at", "border"];

/// Adds what a channel does not state, and its accessors need.
fn complete(channel: &mut Node, needed: &Node) {
    for key in OF_ACCESSORS {
        if let (None, Some((_, place, value))) = (channel.get(key), needed.member(key)) {
            channel.put(&[key], value.clone(), place);
        }
    }
}

/// Where a channel states another border than is needed.
fn other_border(channel: &Node, needed: &Node) -> Option<Place> {
    let (own, needed) = (channel.get("border")?, needed.get("border")?);
    (!is_same_border(&own.to_value(), &needed.to_value())).then(|| own.place.clone())
}

/// A word stands for a list in which all words are the same.
fn is_same_border(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(list), word @ Value::String(_)) | (word @ Value::String(_), Value::Array(list)) => {
            list.iter().all(|other| other == word)
        }
        _ => a == b,
    }
}

/// The members of an object.
fn members(node: Option<Node>) -> Vec<Member> {
    match node.map(|node| node.content) {
        Some(Content::Object(members)) => members,
        _ => Vec::new(),
    }
}

/// The type of a channel: with the number of its values where it is an array, and where they lie unless at centres.
fn channel_type(channel: &Node) -> Value {
    if !matches!(channel.content, Content::Object(_)) {
        return channel.to_value();
    }
    let part = |key: &str| channel.get(key).map_or(Value::Null, Node::to_value);
    let mut parts = serde_json::Map::new();
    for key in ["type", "count", "at"] {
        let value = part(key);
        if !value.is_null() && value != "centre" {
            parts.insert(key.to_string(), value);
        }
    }
    match parts.len() {
        1 => part("type"),
        _ => Value::Object(parts),
    }
}
