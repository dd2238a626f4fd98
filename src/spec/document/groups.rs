//! Groups and stages in the places where lists name them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::node::{Content, Member, Node};
use super::sections::LISTS;
use crate::problem::{Place, Problem, Problems};

/// Most entries that groups make in one file.
const MOST_ENTRIES: usize = 100_000;

/// What groups hand to the entries in them.
#[derive(Clone, Default)]
struct Shared {
    /// Arguments of stages that do not state them, those of the nearest group first.
    arguments: Vec<Member>,
    /// The rhythm of entries that do not state one.
    every: Option<Member>,
    /// Arguments in the place of those that stages and groups state, those of the outermost entry first.
    instead: Vec<Member>,
    /// The rhythm in the place of others.
    every_instead: Option<Member>,
}

struct Groups<'a> {
    /// Groups, and stages that are written in some list or group.
    definitions: HashMap<String, Node>,
    /// The groups round an entry.
    open: Vec<String>,
    entries: usize,
    /// Names of arguments that took the place of others.
    replaced: HashSet<String>,
    problems: &'a mut Problems,
}

/// Puts the entries of groups where the lists of a file name them.
pub(super) fn place_all(root: &mut Node, problems: &mut Problems) {
    let mut groups = Groups {
        definitions: definitions(root),
        open: Vec::new(),
        entries: 0,
        replaced: HashSet::new(),
        problems,
    };
    for list in LISTS {
        if let Some(node) = root.at_mut(&[list]) {
            groups.list(node, &Shared::default());
        }
    }
}

/// What entries may name: the groups of a file, and the stages that are written in its lists and groups.
pub(super) fn definitions(root: &Node) -> HashMap<String, Node> {
    let mut definitions = HashMap::new();
    for list in LISTS {
        let shared = &Shared::default();
        root.get(list)
            .into_iter()
            .for_each(|list| stages_of(list, shared, &mut definitions));
    }
    if let Some(Content::Object(groups)) = root.get("groups").map(|node| &node.content) {
        for (.., group) in groups {
            let shared = Shared::default().within(group);
            stages_of(group.get("stages").unwrap_or(group), &shared, &mut definitions);
        }
        definitions.extend(groups.iter().map(|(name, _, node)| (name.clone(), node.clone())));
    }
    definitions
}

/// Collects the stages that are written in a list, the first of each name, with what the groups round them share.
fn stages_of(list: &Node, shared: &Shared, into: &mut HashMap<String, Node>) {
    let Content::Array(entries) = &list.content else {
        return;
    };
    for entry in entries {
        if let Some(Content::Scalar(Value::String(name))) = entry.get("stage").map(|node| &node.content) {
            into.entry(name.clone()).or_insert_with(|| {
                let mut stage = entry.clone();
                shared.hand_to(&mut stage, &mut HashSet::new());
                stage
            });
        }
        if let Some(stages) = entry.get("stages") {
            stages_of(stages, shared, into);
        }
        if let Some(group) = entry.get("group") {
            stages_of(group, &shared.placed(entry), into);
        }
    }
}

impl Groups<'_> {
    fn list(&mut self, list: &mut Node, shared: &Shared) {
        let Content::Array(entries) = &mut list.content else {
            return;
        };
        let mut placed = Vec::with_capacity(entries.len());
        for entry in entries.drain(..) {
            self.entry(entry, shared, &mut placed);
        }
        *entries = placed;
    }

    fn entry(&mut self, mut entry: Node, shared: &Shared, into: &mut Vec<Node>) {
        self.entries += 1;
        if self.entries > MOST_ENTRIES {
            if self.entries == MOST_ENTRIES + 1 {
                let message = format!("the groups have more than {MOST_ENTRIES} entries");
                let help = "use a repeat, or place groups less often";
                self.problems
                    .push(Problem::at_place(entry.place, message).help(help));
            }
            return;
        }
        if let Content::Scalar(Value::String(name)) = &entry.content {
            let name = name.clone();
            return self.group(&name, &entry.place, shared, into);
        }
        if let Some(group) = entry.take("group") {
            let before = shared;
            let shared = shared.placed(&entry);
            self.replaced.clear();
            match group.content {
                Content::Scalar(Value::String(name)) => self.group(&name, &group.place, &shared, into),
                Content::Array(entries) => {
                    for inner in entries {
                        self.entry(inner, &shared, into);
                    }
                }
                // The schema has refused everything else.
                Content::Scalar(_) | Content::Object(_) => {}
            }
            self.check_replaced(&shared, before);
            return;
        }
        if entry.get("repeat").is_some() {
            if let Some(stages) = entry.at_mut(&["stages"]) {
                self.list(stages, shared);
            }
        } else {
            shared.hand_to(&mut entry, &mut self.replaced);
        }
        into.push(entry);
    }

    /// Reports arguments of an entry with `group` that no stage in it has.
    fn check_replaced(&mut self, shared: &Shared, before: &Shared) {
        for (name, place, _) in &shared.instead[before.instead.len()..] {
            if !self.replaced.contains(name) {
                let message = format!("no stage of the group has an argument `{name}`");
                let help = "an entry of a group changes arguments that its stages or groups have; add the \
                            argument to a stage";
                self.problems
                    .push(Problem::at_place(place.clone(), message).help(help));
            }
        }
    }

    /// The entries of a group, or the stage, that is named at `place`.
    fn group(&mut self, name: &str, place: &Place, shared: &Shared, into: &mut Vec<Node>) {
        let Some(definition) = self.definitions.get(name) else {
            let problem = Problem::at_place(place.clone(), format!("no group or stage is named `{name}`"));
            let mut names: Vec<&str> = self.definitions.keys().map(String::as_str).collect();
            names.sort_unstable();
            let help = "a string in a list of entries is the name of a group, of a stage written elsewhere, \
                        or `<instance>_<group>`";
            return self.problems.push(problem.help(help).suggest(name, names));
        };
        if self.open.iter().any(|open| open == name) {
            let message = format!(
                "the group `{name}` contains itself: {} -> {name}",
                self.open.join(" -> ")
            );
            let help = "take the name out of one of the groups";
            return self
                .problems
                .push(Problem::at_place(place.clone(), message).help(help));
        }
        let mut definition = definition.clone();
        definition.use_at(&Arc::new(place.clone()));
        if definition.get("stage").is_some() {
            return self.entry(definition, shared, into);
        }
        let (entries, shared) = match definition.take("stages") {
            Some(entries) => (entries, shared.within(&definition)),
            None => (definition, shared.clone()),
        };
        if let Content::Array(entries) = entries.content {
            self.open.push(name.to_string());
            for entry in entries {
                self.entry(entry, &shared, into);
            }
            self.open.pop();
        }
    }
}

impl Shared {
    /// What entries of a group share that is defined so.
    fn within(&self, group: &Node) -> Shared {
        let mut arguments = arguments_of(group);
        merge(&mut arguments, &self.arguments);
        Shared {
            arguments,
            every: group.member("every").or(self.every.as_ref()).cloned(),
            ..self.clone()
        }
    }

    /// What entries share that an entry with `group` places.
    fn placed(&self, entry: &Node) -> Shared {
        let mut instead = self.instead.clone();
        merge(&mut instead, &arguments_of(entry));
        Shared {
            instead,
            every_instead: self.every_instead.as_ref().or(entry.member("every")).cloned(),
            ..self.clone()
        }
    }

    /// Gives an entry what it does not state itself.
    fn hand_to(&self, entry: &mut Node, replaced: &mut HashSet<String>) {
        let is_stage = entry.get("stage").is_some();
        let Content::Object(members) = &mut entry.content else {
            return;
        };
        let stated = members.iter().position(|(name, ..)| name == "every");
        match (stated, &self.every_instead, &self.every) {
            (Some(position), Some(every), _) => members[position] = every.clone(),
            (None, Some(every), _) | (None, None, Some(every)) => members.push(every.clone()),
            (_, None, _) => {}
        }
        if !is_stage || self.arguments.is_empty() && self.instead.is_empty() {
            return;
        }
        let position = match members.iter().position(|(name, ..)| name == "arguments") {
            Some(position) => position,
            None if self.arguments.is_empty() => return,
            None => {
                let place = self.arguments[0].1.clone();
                let content = Content::Object(Vec::new());
                members.push(("arguments".into(), place.clone(), Node { place, content }));
                members.len() - 1
            }
        };
        if let Content::Object(stated) = &mut members[position].2.content {
            merge(stated, &self.arguments);
            for argument in &self.instead {
                if let Some(stated) = stated.iter_mut().find(|(name, ..)| *name == argument.0) {
                    *stated = argument.clone();
                    replaced.insert(argument.0.clone());
                }
            }
        }
    }
}

fn arguments_of(node: &Node) -> Vec<Member> {
    match node.get("arguments").map(|node| &node.content) {
        Some(Content::Object(arguments)) => arguments.clone(),
        _ => Vec::new(),
    }
}

/// Adds the members of `more` whose names are not there yet.
fn merge(members: &mut Vec<Member>, more: &[Member]) {
    for member in more {
        if !members.iter().any(|(name, ..)| *name == member.0) {
            members.push(member.clone());
        }
    }
}
