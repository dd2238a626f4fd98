//! The lines `#pragma` of a kernel, word by word.

use super::{Extent, Facts};
use crate::element::Element;
use crate::ir::Reach;
use crate::problem::Place;

const PRAGMAS: [&str; 13] = [
    "reads",
    "writes",
    "requests",
    "reduces",
    "arguments",
    "argument",
    "constant",
    "reach",
    "unordered",
    "workgroup",
    "vector_width",
    "tile",
    "whole",
];

impl Facts {
    /// Adds the statement of one line; pragmas of other names are for the compiler.
    pub(super) fn add_pragma(&mut self, words: &[&str], place: &Place) -> Result<(), String> {
        match words {
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
            ["reach", name, reach] => {
                let reach = parse_reach(reach)?;
                // A kernel and its includes may both state one: the larger one counts.
                let known = self.reaches.entry(name.to_string()).or_insert(reach);
                *known = (*known).max(reach);
                self.named.entry(name.to_string()).or_insert(place.clone());
            }
            ["unordered", name] => {
                self.unordered.insert(name.to_string());
                self.named.entry(name.to_string()).or_insert(place.clone());
            }
            ["workgroup", sizes @ ..] if (1..=3).contains(&sizes.len()) => {
                self.workgroup = Some(workgroup(sizes)?);
            }
            ["vector_width", width @ ("2" | "4")] => self.vector_width = width.parse().ok(),
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
    !names.is_empty() && names.iter().all(|name| name.chars().all(is_part))
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
