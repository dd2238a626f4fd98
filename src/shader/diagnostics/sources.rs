//! The texts of a compilation, and places in them.

use std::iter::once;
use std::path::Path;

use super::super::compile::{Inclusion, MAX_INCLUDE_DEPTH};
use super::super::library::Found;
use super::super::prototypes::word_in;
use crate::problem::{Place, SourceText};

pub(super) struct Sources<'a> {
    pub shader: &'a Found,
    /// The files that the shader includes.
    pub files: &'a [Found],
    pub inclusions: &'a [Inclusion],
}

impl<'a> Sources<'a> {
    /// The texts, that of the shader first.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'a str> {
        once(self.shader)
            .chain(self.files)
            .filter_map(|found| std::str::from_utf8(&found.bytes).ok())
    }

    pub(super) fn text(&self, file: &str) -> &'a str {
        let found = once(self.shader)
            .chain(self.files)
            .find(|found| found.name == file);
        found
            .and_then(|found| std::str::from_utf8(&found.bytes).ok())
            .unwrap_or_default()
    }

    pub(super) fn line(&self, file: &str, number: usize) -> &'a str {
        self.text(file)
            .lines()
            .nth(number.saturating_sub(1))
            .unwrap_or_default()
    }

    /// The place of a word in a line, or of the whole line if it does not contain the word.
    pub(super) fn place(&self, file: &str, number: usize, word: &str) -> Option<Place> {
        let text = self.text(file);
        let line = self.line(file, number);
        let before = text.split_inclusive('\n').take(number.saturating_sub(1));
        let start: usize = before.map(str::len).sum();
        let indent = line.len() - line.trim_start().len();
        let range = word_in(line, word).unwrap_or(indent..line.trim_end().len().max(indent));
        let source = SourceText::new(file, text, Path::new(""));
        (!text.is_empty()).then(|| Place::new(&source, start + range.start..start + range.end))
    }

    /// The lines that include a file, the nearest first.
    pub(super) fn chain(&self, file: &str) -> Vec<Place> {
        let mut file = file;
        let mut places = Vec::new();
        for _ in 0..MAX_INCLUDE_DEPTH {
            let is_it = |inclusion: &&Inclusion| inclusion.name == file && inclusion.includer != file;
            let Some(inclusion) = self.inclusions.iter().find(is_it) else {
                break;
            };
            places.extend(self.include_of(&inclusion.includer, &inclusion.wanted));
            file = &inclusion.includer;
            if file == self.shader.name {
                break;
            }
        }
        places
    }

    /// The line of a file that includes a path.
    pub(super) fn include_of(&self, file: &str, path: &str) -> Option<Place> {
        let line = self.text(file).lines().position(|line| includes(line, path))?;
        self.place(file, line + 1, "")
    }

    /// True if one of the texts includes a path.
    pub(super) fn includes(&self, path: &str) -> bool {
        self.texts()
            .any(|text| text.lines().any(|line| includes(line, path)))
    }
}

fn includes(line: &str, path: &str) -> bool {
    let line = line.trim_start();
    let quoted = line.contains(&format!("\"{path}\"")) || line.contains(&format!("<{path}>"));
    line.starts_with('#') && line.contains("include") && quoted
}
