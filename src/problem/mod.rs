//! Mistakes in a pipeline file: collected, reported at once, each with its place and remedy.

use std::fmt;
use std::sync::Arc;

mod place;
mod pointer;

pub use place::{Place, SourceMap, SourceText};
pub use pointer::{pointer, pointer_part, pointer_parts};

/// Maximum number of printed problems; more of them usually have one cause.
pub const MAX_SHOWN: usize = 50;
/// Maximum number of names that are compared with a wrong one, and that are listed.
const MAX_NAMES: usize = 1000;
const MAX_LISTED: usize = 24;
/// Minimum length of the beginning of a name that suggests the name.
const MIN_BEGINNING: usize = 3;

/// One mistake in the input, with its place and remedy.
#[derive(Debug, Clone)]
pub struct Problem {
    /// JSON pointer (RFC 6901) of the value it concerns, such as `/grids/box/cells`; empty for the whole file.
    pub pointer: String,
    /// The mistake.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    /// Related places with labels.
    pub notes: Vec<(String, Place)>,
    at: At,
}

/// The part of the input that a problem concerns.
#[derive(Debug, Clone)]
enum At {
    Value,
    /// The key that the pointer ends with, not its value.
    Key,
    Place(Box<Place>),
    /// A place in a text that the value names, such as a shader; and the place of the value, once resolved.
    Text(Box<Place>, Option<Box<Place>>),
    /// The problem has no place in a file.
    Nowhere,
}

impl Problem {
    /// A problem of the value at a JSON pointer; [`Problems::located`] looks up its place.
    #[doc(hidden)]
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem {
            pointer: pointer.into(),
            message: message.into(),
            help: None,
            notes: Vec::new(),
            at: At::Value,
        }
    }

    /// A problem of the last key of a JSON pointer.
    #[doc(hidden)]
    pub fn on_key(pointer: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem {
            at: At::Key,
            ..Problem::new(pointer, message)
        }
    }

    /// A problem at a known place.
    #[doc(hidden)]
    pub fn at_place(place: Place, message: impl Into<String>) -> Problem {
        Problem {
            at: At::Place(Box::new(place)),
            ..Problem::new("", message)
        }
    }

    /// A problem at a known place, with its remedy.
    #[doc(hidden)]
    pub fn at(place: &Place, message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem::at_place(place.clone(), message).help(help)
    }

    /// A mistake in a text that the value at `pointer` names, such as the shader of a stage.
    #[doc(hidden)]
    pub fn in_text(pointer: impl Into<String>, place: Place, message: impl Into<String>) -> Problem {
        Problem {
            at: At::Text(Box::new(place), None),
            ..Problem::new(pointer, message)
        }
    }

    /// A mistake outside files, such as in an argument.
    pub fn without_place(message: impl Into<String>) -> Problem {
        Problem {
            at: At::Nowhere,
            ..Problem::new("", message)
        }
    }

    /// True if the mistake is in a text that the pipeline names.
    pub fn is_in_text(&self) -> bool {
        matches!(self.at, At::Text(..))
    }

    /// Its place, once [`Problems::located`] has resolved it.
    pub fn place(&self) -> Option<&Place> {
        match &self.at {
            At::Place(place) | At::Text(place, _) => Some(place),
            At::Value | At::Key | At::Nowhere => None,
        }
    }

    /// The stage that it concerns, once [`Problems::located`] has looked it up.
    pub fn stage(&self) -> Option<&str> {
        self.place()?.stage.as_deref()
    }

    /// Notes the stage that it concerns, unless a nearer one is known.
    fn concerns(&mut self, stage: Option<String>) {
        if let At::Place(place) | At::Text(place, _) = &mut self.at {
            place.stage = place.stage.take().or(stage.map(Arc::from));
        }
    }

    /// True if both problems report the same mistake in the same text, such as that of a module which two instances
    /// use.
    fn repeats(&self, other: &Problem) -> bool {
        let (Some(own), Some(others)) = (self.place(), other.place()) else {
            return false;
        };
        own.source.name == others.source.name
            && own.range == others.range
            && (&self.message, &self.help) == (&other.message, &other.help)
    }

    /// The place by which problems are ordered: of a mistake in a text, where the pipeline names that text.
    fn anchor(&self) -> Option<&Place> {
        match &self.at {
            At::Text(_, Some(user)) => Some(user),
            _ => self.place(),
        }
    }

    /// Adds the remedy.
    pub fn help(self, help: impl Into<String>) -> Problem {
        Problem {
            help: Some(help.into()),
            ..self
        }
    }

    /// This problem, in a module or group that is used at `user`.
    #[doc(hidden)]
    pub fn used_at(mut self, user: &Place) -> Problem {
        if let At::Place(place) = &self.at {
            self.at = At::Place(Box::new(place.used_at(&std::sync::Arc::new(user.clone()))));
        }
        self
    }

    /// Adds a related place with the label `what`.
    #[doc(hidden)]
    pub fn note(mut self, what: impl Into<String>, place: &Place) -> Problem {
        self.notes.push((what.into(), place.clone()));
        self
    }

    /// Labels and places of its notes, and of the uses of its text, module or group.
    pub fn other_places(&self) -> Vec<(&str, &Place)> {
        let user = match &self.at {
            At::Text(_, Some(user)) => Some(("the stage", &**user)),
            _ => None,
        };
        let uses = self.anchor().into_iter().flat_map(Place::uses);
        let noted = self.notes.iter().map(|(what, place)| (what.as_str(), place));
        noted
            .chain(user)
            .chain(uses.map(|place| ("used", place)))
            .collect()
    }

    /// The name that the help suggests.
    #[doc(hidden)]
    pub fn meant(&self) -> Option<&str> {
        let name = self.help.as_deref()?.strip_prefix("did you mean `")?;
        name.strip_suffix("`?")
    }

    /// Adds "did you mean" when one of `names` is close to `written`, and otherwise lists them.
    pub fn suggest<'a>(self, written: &str, names: impl IntoIterator<Item = &'a str>) -> Problem {
        let names: Vec<&str> = names.into_iter().take(MAX_NAMES).collect();
        let limit = |name: &str| 1 + name.len().max(written.len()) / 4;
        let nearest = names
            .iter()
            .filter(|name| name.len().abs_diff(written.len()) <= limit(name))
            .map(|name| (strsim::damerau_levenshtein(written, name), *name))
            .min()
            .filter(|(distance, name)| *distance <= limit(name));
        // The beginning of a name says more than a distance of several letters. Names with `__` are the engine's own.
        let is_begun = |name: &&&str| {
            written.len() >= MIN_BEGINNING && name.starts_with(written) && !name.contains("__")
        };
        let begun = names.iter().filter(is_begun).min_by_key(|name| name.len());
        let meant = match (nearest, begun) {
            (Some((distance, name)), begun) if distance <= 1 || begun.is_none() => Some(name),
            (_, begun) => begun.copied(),
        };
        match meant {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None if names.is_empty() => self,
            None => {
                let more = if names.len() > MAX_LISTED { ", ..." } else { "" };
                let listed = names[..names.len().min(MAX_LISTED)].join(", ");
                self.help(format!("known here: {listed}{more}"))
            }
        }
    }
}

/// All mistakes of the input, in the order of its text; never empty when returned as an error.
///
/// Each problem is displayed as `file:line:column: message`, with its pointer and its remedy below.
///
/// ```
/// let text = r#"{"run": {"dt": 1}, "step": [], "grids": {"box": {"cells": [4], "cell_size": 1, "channels": {}}}}"#;
/// let problems = sastrugi::Pipeline::from_json(text).build().unwrap_err();
/// assert!(problems.list.iter().any(|problem| problem.pointer == "/grids/box/cells"));
/// assert!(problems.to_string().starts_with("pipeline.json:1:"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Problems {
    /// The problems one by one.
    pub list: Vec<Problem>,
}

impl Problems {
    /// Adds a problem.
    pub fn push(&mut self, problem: Problem) {
        self.list.push(problem);
    }

    /// True if there are no problems.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Gives each problem the place of its pointer in `document`.
    #[doc(hidden)]
    pub fn located(mut self, document: &impl SourceMap) -> Problems {
        for problem in &mut self.list {
            let stage = document.stage_of(&problem.pointer);
            let place = match problem.at {
                At::Value => Some(document.place(&problem.pointer)),
                At::Key => Some(document.key_place(&problem.pointer)),
                At::Text(..) | At::Place(_) | At::Nowhere => None,
            };
            if let Some(place) = place {
                if !document.is_in_file(&problem.pointer) {
                    // It gets the pointer of its place.
                    problem.pointer.clear();
                }
                problem.at = At::Place(Box::new(place));
                problem.concerns(stage);
                continue;
            }
            match problem.at {
                At::Text(_, ref mut user) if user.is_none() => {
                    *user = Some(Box::new(document.place(&problem.pointer)));
                }
                _ => {}
            }
            problem.concerns(stage);
        }
        // Problems with only a place get the pointer of that place.
        let places = self.list.iter().filter(|problem| problem.pointer.is_empty());
        let found = document.pointer_of(&mut places.filter_map(Problem::place));
        let mut found = found.into_iter();
        for problem in &mut self.list {
            if problem.pointer.is_empty() && problem.place().is_some() {
                problem.pointer = found.next().flatten().unwrap_or_default();
            }
            problem.concerns(document.stage_of(&problem.pointer));
        }
        // In the order of the text, file by file; mistakes in a shader where the pipeline names it.
        let of = |place: &Place| (place.source.name.clone(), place.range.start);
        self.list.sort_by_key(|problem| {
            let anchor = problem.anchor();
            (anchor.is_none(), anchor.map(of), problem.place().map(of))
        });
        self.list.dedup_by(|next, first| next.repeats(first));
        self
    }

    /// For editors: file, line and column (from 1), length, JSON pointer, stage, message and help of each problem.
    pub fn json(&self) -> serde_json::Value {
        let one = |problem: &Problem| {
            let place = problem.place().map(|place| {
                let (line, column) = place.line_and_column();
                (place.source.name.as_str(), line, column, place.range.len())
            });
            serde_json::json!({
                "file": place.map(|(file, ..)| file),
                "line": place.map(|(_, line, ..)| line),
                "column": place.map(|(_, _, column, _)| column),
                "length": place.map(|(.., length)| length),
                "pointer": problem.pointer,
                "stage": problem.stage(),
                "message": problem.message,
                "help": problem.help,
                "others": problem.other_places().iter().map(|(what, place)| {
                    let (line, column) = place.line_and_column();
                    serde_json::json!({"what": what, "file": place.source.name, "line": line, "column": column})
                }).collect::<Vec<_>>(),
            })
        };
        self.list.iter().map(one).collect()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Problems {
        Problems { list: vec![problem] }
    }
}

/// `file:line:column: message`, then the JSON pointer, the remedy and other places on lines of their own.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(place) = self.place() {
            write!(f, "{}: ", place.text())?;
        }
        f.write_str(&self.message)?;
        if !self.pointer.is_empty() {
            write!(f, "\n  at {}", self.pointer)?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        for (what, place) in self.other_places() {
            write!(f, "\n  {what} at {}", place.text())?;
        }
        Ok(())
    }
}

/// One problem after the other, in the order of the text.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (number, problem) in self.list.iter().take(MAX_SHOWN).enumerate() {
            let between = if number > 0 { "\n" } else { "" };
            write!(f, "{between}{problem}")?;
        }
        match self.list.len().saturating_sub(MAX_SHOWN) {
            0 => Ok(()),
            hidden => write!(f, "\nand {hidden} more problems"),
        }
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_of_names_are_suggested_before_distant_names() {
        let suggested = |written: &str, names: &[&str]| {
            let problem = Problem::without_place("unknown").suggest(written, names.iter().copied());
            problem.meant().map(str::to_string)
        };
        let names = ["step", "temperament", "temperature", "tempo"];
        assert_eq!(suggested("temp", &names[..3]).as_deref(), Some("temperament"));
        assert_eq!(suggested("temp", &names).as_deref(), Some("tempo"));
        assert_eq!(suggested("temprature", &names).as_deref(), Some("temperature"));
        assert_eq!(suggested("stop", &names).as_deref(), Some("step"));
        assert_eq!(suggested("wind", &names), None);
    }
}
