//! The lines `#pragma` of a kernel, word by word.

use super::{Extent, Facts};
use crate::element::Element;
use crate::ir::{MAX_PAIRS, Pairs, Reach, Reaches};
use crate::problem::Place;

const PRAGMAS: [&str; 19] = [
    "reads",
    "writes",
    "requests",
    "reduces",
    "arguments",
    "argument",
    "constant",
    "reach",
    "offsets",
    "alternates",
    "keeps",
    "adds",
    "shares",
    "unordered",
    "workgroup",
    "vector_width",
    "tile",
    "neighbours",
    "whole",
];

impl Facts {
    /// Adds the statement of one line; pragmas of other names are for the compiler.
    pub(super) fn add_pragma(&mut self, words: &[&str], place: &Place) -> Result<(), String> {
        match words {
            ["writes", names @ .., "if", condition] if are_names(names) && are_names(&[condition]) => {
                let conditions = names.iter();
                let conditions = conditions.map(|name| (name.to_string(), condition.to_string()));
                self.writes_with.extend(conditions);
                self.list("writes", names, place);
            }
            [list @ ("reads" | "writes" | "requests"), names @ ..] if are_names(names) => {
                self.list(list, names, place);
            }
            [
                "reduces",
                operation @ ("sum" | "min" | "max" | "count"),
                names @ ..,
            ] if are_names(names) => {
                let results = names.iter();
                let results = results.map(|name| (name.to_string(), operation.to_string(), place.clone()));
                self.reduces.extend(results);
            }
            ["arguments", names @ ..] if are_names(names) => {
                for name in names {
                    if !self.takes.iter().any(|known| known == name) {
                        self.takes.push(name.to_string());
                    }
                }
            }
            ["constant", name, parameter] if are_names(&[parameter]) => {
                self.constants_of.insert(name.to_string(), parameter.to_string());
            }
            ["argument", kind, name] => drop(self.arguments.insert(name.to_string(), argument_type(kind)?)),
            ["reach", name, reach] => self.add_reach(name, [reach; 2], place)?,
            ["reach", name, all, writes] => self.add_reach(name, [all, writes], place)?,
            ["offsets", entries, offsets @ ..] => {
                let pairs = parse_pairs(entries, offsets)?;
                let known = self.offsets.entry(pairs.entries()).or_insert(pairs);
                if *known != pairs {
                    return Err(format!(
                        "the offsets of {entries} entries differ from others of this kernel"
                    ));
                }
            }
            ["alternates", name] | ["alternates", name, "last"] => {
                *self.alternates.entry(name.to_string()).or_default() |= words.len() > 2;
                self.named.entry(name.to_string()).or_insert(place.clone());
            }
            ["keeps", name, by] => {
                self.keeps.insert(name.to_string(), by.to_string());
                for accessor in [name, by] {
                    self.named.entry(accessor.to_string()).or_insert(place.clone());
                }
            }
            ["unordered", name] => {
                self.unordered.insert(name.to_string());
                self.named.entry(name.to_string()).or_insert(place.clone());
            }
            ["adds", name] | ["adds", name, "carry"] => {
                *self.adds.entry(name.to_string()).or_default() |= words.len() > 2;
                self.named.entry(name.to_string()).or_insert(place.clone());
            }
            ["shares", name] => self.shares = Some((name.to_string(), place.clone())),
            ["workgroup", sizes @ ..] if (1..=3).contains(&sizes.len()) => {
                self.workgroup = Some(workgroup(sizes)?);
            }
            ["vector_width", width @ ("2" | "4")] => self.vector_width = width.parse().ok(),
            ["neighbours", cells] => {
                let cells = cells.parse::<u32>().ok().filter(|cells| (1..=64).contains(cells));
                let cells = cells.ok_or("neighbours are 1 to 64 cells away")?;
                self.neighbours = self.neighbours.max(Some(cells));
            }
            ["whole"] => self.whole = true,
            ["tile", x, y, z] => self.tile = Some([x, y, z].map(|side| extent(side))),
            [word, ..] if PRAGMAS.contains(word) => {
                return Err(format!("`{word}` is not stated in this form"));
            }
            // Other pragmas are for the compiler, unless the word is a misspelt one of the engine.
            [word, ..] => {
                let near = |known: &&&str| strsim::damerau_levenshtein(word, known) == 1;
                if let Some(known) = PRAGMAS.iter().find(near) {
                    return Err(format!("`{word}` is not known; did you mean `{known}`?"));
                }
            }
            [] => {}
        }
        Ok(())
    }

    fn add_reach(&mut self, name: &str, [all, writes]: [&str; 2], place: &Place) -> Result<(), String> {
        let stated = Reaches {
            all: parse_reach(all)?,
            writes: parse_reach(writes)?,
        };
        if stated.writes > stated.all {
            return Err("the second number of a reach, for writes, exceeds the first".into());
        }
        // A kernel and its includes may both state one: the larger one counts.
        let known = self.reaches.entry(name.to_string()).or_insert(stated);
        *known = known.joined(stated);
        self.named.entry(name.to_string()).or_insert(place.clone());
        Ok(())
    }

    fn list(&mut self, list: &str, names: &[&str], place: &Place) {
        let list = match list {
            "reads" => &mut self.reads,
            "writes" => &mut self.writes,
            _ => &mut self.requests,
        };
        for name in names {
            // A kernel and its includes may both state one.
            if !list.iter().any(|(known, _)| known == name) {
                list.push((name.to_string(), place.clone()));
            }
        }
    }
}

/// At least one name of a field or parameter, and nothing else.
fn are_names(names: &[&str]) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._".contains(c);
    let is_name = |name: &&str| *name != "if" && name.chars().all(is_part);
    !names.is_empty() && names.iter().all(is_name)
}

fn argument_type(name: &str) -> Result<Element, String> {
    let element = Element::ALL.iter().find(|element| element.name() == name);
    let element = element.filter(|element| !element.is_narrow() && **element != Element::Rgba8);
    element
        .copied()
        .ok_or(format!("`{name}` is no type of arguments"))
}

fn parse_reach(word: &str) -> Result<Reach, String> {
    if word == "anywhere" {
        return Ok(Reach::Anywhere);
    }
    let cells = word.parse::<u32>();
    cells
        .map(Reach::Cells)
        .map_err(|_| "a reach is a number of cells, or `anywhere`".to_string())
}

/// The offsets of the pairs of an array with a number of entries, each such as `1,0` or `1,0,-1`.
fn parse_pairs(entries: &str, offsets: &[&str]) -> Result<Pairs, String> {
    let parse = |offset: &&str| {
        let mut parsed = [0; 3];
        let numbers: Vec<i8> = offset.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
        parsed.get_mut(..numbers.len())?.copy_from_slice(&numbers);
        (numbers.len() > 1).then_some(parsed)
    };
    let parsed: Option<Vec<[i8; 3]>> = offsets.iter().map(parse).collect();
    let parsed = parsed.ok_or("an offset is two or three whole numbers, such as `1,0`")?;
    let too_many = || format!("more than {MAX_PAIRS} offsets");
    let pairs = Pairs::new(&parsed).ok_or_else(too_many)?;
    let expected = pairs.entries();
    if entries.parse() != Ok(expected) {
        let count = offsets.len();
        return Err(format!(
            "arrays with {count} offsets have {expected} entries: one, and two for each offset"
        ));
    }
    Ok(pairs)
}

fn workgroup(sizes: &[&str]) -> Result<[u32; 3], String> {
    let mut workgroup = [1; 3];
    for (axis, size) in sizes.iter().enumerate() {
        let size = size.parse::<u32>().ok().filter(|size| (1..=1024).contains(size));
        workgroup[axis] = size.ok_or("a workgroup has sizes from 1 to 1024")?;
    }
    Ok(workgroup)
}

fn extent(side: &str) -> Extent {
    match side.parse::<u32>() {
        Ok(cells) => Extent::Cells(cells.max(1)),
        Err(_) => Extent::Constant(side.to_string()),
    }
}
