//! The parts of a pipeline file, and which of them cannot be checked because of a mistake in another one.
//!
//! A part is what a file names or lists: a parameter, a resource, a channel, an entry of a stage list, an output. One with
//! a mistake spoils the parts that mention its name, and those that mention theirs, so that none of them is told what only
//! follows from that mistake. Everything else is checked.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use crate::problem::{Problems, pointer_part, pointer_parts};

/// Sections of named resources.
const RESOURCES: [&str; 6] = ["grids", "heights", "particles", "buffers", "images", "tables"];
/// Lists of entries.
const LISTS: [&str; 3] = ["init", "step", "frame"];

/// The part to which the value at a JSON pointer belongs, as its pointer.
pub(crate) fn part_of(pointer: &str) -> String {
    let parts = pointer_parts(pointer);
    let names: Vec<&str> = parts.iter().map(String::as_str).collect();
    let length = match names.as_slice() {
        [section, _, "channels" | "attributes", _, ..] if RESOURCES.contains(section) => 4,
        [list, number, rest @ ..] if LISTS.contains(list) && is_number(number) => {
            let inner = rest.chunks(2);
            let depth = inner.take_while(|pair| pair.len() == 2 && pair[0] == "stages" && is_number(pair[1]));
            2 + 2 * depth.count()
        }
        ["parameters" | "quantities" | "outputs", _, ..] => 2,
        [section, _, ..] if RESOURCES.contains(section) => 2,
        _ => names.len().min(1),
    };
    let kept = names[..length]
        .iter()
        .map(|name| format!("/{}", pointer_part(name)));
    kept.collect()
}

fn is_number(text: &str) -> bool {
    text.parse::<usize>().is_ok()
}

/// The words that others write to mention a part; none for parts that nobody mentions.
fn name_of(part: &str) -> Vec<String> {
    let mut parts = pointer_parts(part);
    match parts.first().map(String::as_str) {
        Some("time") => vec!["dt".into()],
        Some("parameters") if parts.len() > 1 => parts.split_off(1),
        Some(section) if RESOURCES.contains(&section) && parts.len() > 1 => {
            parts.drain(..1);
            if parts.len() > 2 {
                parts.remove(1);
            }
            parts
        }
        _ => Vec::new(),
    }
}

/// Every part of a file, with the words in it, without those of parts inside it.
fn all_parts(file: &Value) -> Vec<(String, BTreeSet<String>)> {
    let mut found = Vec::new();
    for (key, value) in file.as_object().into_iter().flatten() {
        gather(&format!("/{}", pointer_part(key)), value, None, &mut found);
    }
    found
}

/// Puts the words of a value into its part, which is the last one in `found` if it is `within` it.
fn gather(pointer: &str, value: &Value, within: Option<usize>, found: &mut Vec<(String, BTreeSet<String>)>) {
    let number = match within {
        Some(number) if found[number].0 == part_of(pointer) => number,
        _ => {
            found.push((pointer.to_string(), BTreeSet::new()));
            found.len() - 1
        }
    };
    match value {
        Value::String(text) => found[number].1.extend(words(text)),
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                gather(&format!("{pointer}/{i}"), item, Some(number), found);
            }
        }
        Value::Object(members) => {
            for (key, item) in members {
                let inner = format!("{pointer}/{}", pointer_part(key));
                if part_of(&inner) == found[number].0 {
                    found[number].1.extend(words(key));
                }
                gather(&inner, item, Some(number), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    parts.filter(|word| !word.is_empty()).map(str::to_string)
}

/// Parts with a mistake, and those that depend on them.
#[derive(Debug, Default)]
pub(crate) struct Spoilt {
    parts: BTreeSet<String>,
}

impl Spoilt {
    /// What the mistakes in some parts spoil.
    pub(crate) fn by(parts: impl IntoIterator<Item = String>, file: &Value) -> Spoilt {
        let mut spoilt = Spoilt {
            parts: parts.into_iter().collect(),
        };
        if spoilt.parts.is_empty() {
            return spoilt;
        }
        let all = all_parts(file);
        let numbered = || all.iter().enumerate();
        let by_pointer: BTreeMap<&str, usize> = numbered().map(|(i, (part, _))| (&**part, i)).collect();
        let mut by_word: HashMap<&str, Vec<usize>> = HashMap::new();
        for (i, (_, words)) in numbered() {
            words
                .iter()
                .for_each(|word| by_word.entry(word).or_default().push(i));
        }
        let mut open: Vec<String> = spoilt.parts.iter().cloned().collect();
        while let Some(part) = open.pop() {
            let name = name_of(&part);
            // Those that mention the rarest of its words are few.
            let lists = name
                .iter()
                .map(|word| by_word.get(&**word).map_or(&[][..], Vec::as_slice));
            let mentions = lists.min_by_key(|list| list.len()).unwrap_or_default().iter();
            let mentions = mentions.filter(|other| name.iter().all(|word| all[**other].1.contains(word)));
            let inner = format!("{part}/");
            let inside = by_pointer
                .range(&*inner..)
                .take_while(|(other, _)| other.starts_with(&inner));
            for other in mentions.chain(inside.map(|(_, other)| other)) {
                let other = &all[*other].0;
                if spoilt.parts.insert(other.clone()) {
                    open.push(other.clone());
                }
            }
        }
        spoilt
    }

    /// Whether the value at a pointer belongs to one of them, or has one of them inside.
    pub(crate) fn contains(&self, pointer: &str) -> bool {
        let inside = format!("{pointer}/");
        let next = self.parts.range(inside.clone()..).next();
        self.parts.contains(&part_of(pointer)) || next.is_some_and(|part| part.starts_with(&inside))
    }

    pub(crate) fn into_parts(self) -> BTreeSet<String> {
        self.parts
    }

    /// Whether some entry of a list, or what it may use, is among them.
    pub(crate) fn reaches_stages(&self) -> bool {
        let is_entry = |part: &String| LISTS.iter().any(|list| part.starts_with(&format!("/{list}")));
        self.parts.iter().any(is_entry)
    }
}

/// Takes the parts with mistakes out of a file, so that the others can be read.
pub(super) fn take_out<'a>(value: &mut Value, parts: impl IntoIterator<Item = &'a String>) {
    let parts = parts.into_iter().filter_map(|part| split(part));
    for (parent, keys) in by_parent(parts.map(|(parent, key)| (parent, key, ()))) {
        match value.pointer_mut(&parent) {
            // The numbers of other entries stay; a text in their place does nothing.
            Some(Value::Array(items)) => {
                let numbers = keys.keys().filter_map(|key| key.parse::<usize>().ok());
                numbers.for_each(|number| {
                    items
                        .get_mut(number)
                        .into_iter()
                        .for_each(|entry| *entry = json!(""))
                });
            }
            Some(Value::Object(members)) => members.retain(|key, _| !keys.contains_key(key)),
            _ => {}
        }
    }
    if let Value::Object(members) = value {
        members.entry("time").or_insert(json!({"dt": 1}));
        members.entry("step").or_insert(json!([]));
    }
}

/// Gives keys that are misspelt the names that were meant, where these are free: what they hold is checked as well. The
/// other unknown keys are taken out, and their parts returned.
pub(super) fn mend_keys(value: &mut Value, problems: &Problems) -> BTreeSet<String> {
    let mut spoilt = BTreeSet::new();
    let on_keys = problems.list.iter().filter(|problem| problem.is_on_key());
    let wrong = on_keys.filter_map(|problem| {
        let (parent, key) = split(&problem.pointer)?;
        Some((parent, key, problem))
    });
    for (parent, wrong) in by_parent(wrong) {
        let Some(Value::Object(members)) = value.pointer_mut(&parent) else {
            continue;
        };
        let mut mended = Map::new();
        let mut meant = Vec::new();
        for (key, held) in std::mem::take(members) {
            match wrong.get(&key) {
                None => drop(mended.insert(key, held)),
                Some(problem) => meant.push((*problem, held)),
            }
        }
        for (problem, held) in meant {
            match problem.meant() {
                Some(name) if !mended.contains_key(name) => drop(mended.insert(name.to_string(), held)),
                _ => drop(spoilt.insert(part_of(&problem.pointer))),
            }
        }
        *members = mended;
    }
    spoilt
}

/// A JSON pointer as that of the parent, and the key there.
fn split(pointer: &str) -> Option<(String, String)> {
    let (parent, key) = pointer.rsplit_once('/')?;
    Some((parent.to_string(), key.replace("~1", "/").replace("~0", "~")))
}

/// What belongs to keys, by their parents: an object with many is then written anew once.
fn by_parent<T>(keys: impl Iterator<Item = (String, String, T)>) -> BTreeMap<String, HashMap<String, T>> {
    let mut parents: BTreeMap<String, HashMap<String, T>> = BTreeMap::new();
    for (parent, key, what) in keys {
        parents.entry(parent).or_default().insert(key, what);
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoilt(part: &str) -> Vec<String> {
        let file = json!({
            "parameters": {"n": 4, "rate": 1},
            "grids": {
                "air": {"cells": ["n", 1, 1], "channels": {"u": "float", "v": "float"}},
                "sea": {"cells": [4, 1, 1], "channels": {"u": "float"}}
            },
            "step": [
                {"stage": "a", "over": "air", "writes": ["air.u"]},
                {"repeat": "k", "over": 2, "stages": [
                    {"stage": "b", "over": "sea", "writes": ["sea.u"], "arguments": {"rate": "2 * rate"}}
                ]}
            ],
            "outputs": {"u": {"source": "air.u"}}
        });
        Spoilt::by([part.to_string()], &file).parts.into_iter().collect()
    }

    #[test]
    fn parts_are_the_smallest_that_have_names_or_numbers() {
        assert_eq!(part_of("/step/1/stages/0/reads/2"), "/step/1/stages/0");
        assert_eq!(part_of("/step/1/over"), "/step/1");
        assert_eq!(part_of("/grids/air/channels/u/type"), "/grids/air/channels/u");
        assert_eq!(part_of("/grids/air/cells/0"), "/grids/air");
        assert_eq!(part_of("/parameters/wind/speed"), "/parameters/wind");
        assert_eq!(part_of("/watch/fields/0"), "/watch");
        assert_eq!(part_of(""), "");
    }

    #[test]
    fn a_mistake_spoils_what_mentions_its_part_and_nothing_else() {
        assert_eq!(spoilt("/outputs/u"), ["/outputs/u"]);
        assert_eq!(
            spoilt("/parameters/rate"),
            ["/parameters/rate", "/step/1/stages/0"]
        );
        assert_eq!(
            spoilt("/grids/air/channels/u"),
            ["/grids/air/channels/u", "/outputs/u", "/step/0"]
        );
        let of_air = [
            "/grids/air",
            "/grids/air/channels/u",
            "/grids/air/channels/v",
            "/outputs/u",
            "/step/0",
        ];
        assert_eq!(spoilt("/grids/air"), of_air);
        // Through the grid that it makes.
        let mut of_size = of_air.to_vec();
        of_size.insert(4, "/parameters/n");
        assert_eq!(spoilt("/parameters/n"), of_size);
        assert_eq!(spoilt("/step/1"), ["/step/1", "/step/1/stages/0"]);
    }
}
