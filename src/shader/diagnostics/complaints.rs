//! The compiler's text as a list of complaints.

use std::sync::Arc;

use super::super::compile::{DEEPEST_INCLUDE, Failure, Inclusion};
use super::super::library::Found;
use super::super::prototypes::word_in;
use crate::problem::{Place, Source};

/// One thing that the compiler complains about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Complaint {
    pub file: String,
    /// From 1; `None` if the whole module is meant.
    pub line: Option<usize>,
    /// What it puts in quotes first.
    pub name: String,
    /// The rest of the text.
    pub text: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A function that is not there, or not for these arguments.
    Function,
    Identifier,
    /// A member of a structure.
    Member,
    Include,
    /// The form of the text, whatever its names mean.
    Form,
    /// A function without a body, or no `main`.
    Link,
    Other,
}

impl Kind {
    /// A name that is not known: what else is said of its line mostly follows.
    pub(super) fn is_of_name(self) -> bool {
        matches!(self, Kind::Function | Kind::Identifier | Kind::Member)
    }
}

/// Takes the compiler's text apart; empty if it has another form.
pub(super) fn complaints(text: &str) -> Vec<Complaint> {
    let mut found: Vec<Complaint> = Vec::new();
    for line in text.lines() {
        match complaint(line) {
            Some(complaint) => found.push(complaint),
            // A message of two lines, both with the name of the file.
            None => {
                if let Some(last) = found.last_mut() {
                    let more = line.trim().strip_prefix(&format!("{}:", last.file));
                    let more = more.unwrap_or(line).trim();
                    last.text = format!("{} {more}", last.text).trim().to_string();
                }
            }
        }
    }
    found
}

fn complaint(line: &str) -> Option<Complaint> {
    let parts = line
        .split_once(": error: ")
        .or_else(|| line.split_once(": warning: "));
    let (place, said) = parts?;
    let numbered = place.rsplit_once(':').and_then(|(file, number)| {
        let number: usize = number.parse().ok()?;
        Some((file, Some(number)))
    });
    let (file, line) = numbered.unwrap_or((place, None));
    let quoted = said.strip_prefix('\'').and_then(|said| said.split_once("' : "));
    let (name, text) = quoted.unwrap_or(("", said));
    let text = text.trim();
    let kind = match (name, text) {
        ("#include", _) => Kind::Include,
        _ if text.contains("no matching overloaded function found") => Kind::Function,
        _ if text == "undeclared identifier" => Kind::Identifier,
        _ if text.contains("no such field in structure") => Kind::Member,
        _ if text.contains("syntax error") || name.starts_with('#') => Kind::Form,
        _ if text.starts_with("Linking") => Kind::Link,
        _ => Kind::Other,
    };
    Some(Complaint {
        file: file.into(),
        line,
        name: name.into(),
        text: text.into(),
        kind,
    })
}

/// The texts that a compilation saw.
pub(super) struct Texts<'a> {
    pub source: &'a Found,
    pub failure: &'a Failure,
}

impl<'a> Texts<'a> {
    /// The shader first, then what it includes.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a Found> {
        [self.source].into_iter().chain(&self.failure.files)
    }

    pub(super) fn text(&self, file: &str) -> Option<&'a str> {
        let found = self.all().find(|found| found.name == file)?;
        std::str::from_utf8(&found.bytes).ok()
    }

    pub(super) fn line(&self, file: &str, number: usize) -> &'a str {
        let text = self.text(file).unwrap_or_default();
        text.lines().nth(number.saturating_sub(1)).unwrap_or_default()
    }

    /// The place of a word in a line, or of the whole line if the word is not in it.
    pub(super) fn place(&self, file: &str, number: usize, word: &str) -> Option<Place> {
        let text = self.text(file)?;
        let line = self.line(file, number);
        let start = start_of(text, number);
        let trimmed = line.len() - line.trim_start().len();
        let range = word_in(line, word).unwrap_or(trimmed..line.trim_end().len().max(trimmed));
        let source = Arc::new(Source {
            name: file.to_string(),
            text: text.to_string(),
            directory: Default::default(),
        });
        Some(Place::new(&source, start + range.start..start + range.end))
    }

    /// The lines that include a file, the nearest first.
    pub(super) fn chain(&self, file: &str) -> Vec<Place> {
        let mut file = file.to_string();
        let mut places = Vec::new();
        for _ in 0..DEEPEST_INCLUDE {
            let is_it = |inclusion: &&Inclusion| inclusion.name == file && inclusion.includer != file;
            let Some(inclusion) = self.failure.inclusions.iter().find(is_it) else {
                break;
            };
            places.extend(self.include_of(&inclusion.includer, &inclusion.wanted));
            if inclusion.includer == self.source.name {
                break;
            }
            file = inclusion.includer.clone();
        }
        places
    }

    /// The line of a file that includes a path.
    pub(super) fn include_of(&self, file: &str, path: &str) -> Option<Place> {
        let text = self.text(file)?;
        let line = text.lines().position(|line| includes(line, path))?;
        self.place(file, line + 1, "")
    }

    /// Whether some text includes a path.
    pub(super) fn includes(&self, path: &str) -> bool {
        let mut texts = self
            .all()
            .filter_map(|found| std::str::from_utf8(&found.bytes).ok());
        texts.any(|text| text.lines().any(|line| includes(line, path)))
    }
}

/// The byte at which a line begins.
fn start_of(text: &str, number: usize) -> usize {
    let lines = text.split_inclusive('\n').take(number.saturating_sub(1));
    lines.map(str::len).sum()
}

fn includes(line: &str, path: &str) -> bool {
    let line = line.trim_start();
    let quoted = |path: &str| line.contains(&format!("\"{path}\"")) || line.contains(&format!("<{path}>"));
    line.starts_with('#') && line.contains("include") && quoted(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_output_parses_into_diagnostics() {
        let found = complaints(
            "built-in:lib/a.glsl:12: error: 'f' : no matching overloaded function found\n\
             a.comp: error: Linking compute stage: No function definition (body) found: \n\
             a.comp:     stage(vi3;",
        );
        assert_eq!(
            (found[0].file.as_str(), found[0].line),
            ("built-in:lib/a.glsl", Some(12))
        );
        assert_eq!((found[0].name.as_str(), found[0].kind), ("f", Kind::Function));
        assert_eq!((found[1].line, found[1].kind), (None, Kind::Link));
        assert!(found[1].text.ends_with("stage(vi3;"), "{found:?}");
        assert_eq!(complaints("the compiler crashed"), []);
    }
}
