//! Where in which text something stands.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A text that values were read from: a file or a command-line override.
#[derive(Debug)]
pub(crate) struct Source {
    pub name: String,
    pub text: String,
    /// What relative paths in it start from.
    pub directory: PathBuf,
}

/// Where a value stands: its source and byte range.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub source: Arc<Source>,
    pub range: Range<usize>,
}

impl Place {
    /// Both from 1; columns count characters.
    pub(crate) fn line_and_column(&self) -> (usize, usize) {
        let before = self
            .source
            .text
            .get(..self.range.start)
            .unwrap_or(&self.source.text);
        let line = before.matches('\n').count() + 1;
        (line, before.chars().rev().take_while(|c| *c != '\n').count() + 1)
    }
}

/// Finds the places of JSON pointers.
pub(crate) trait Places {
    /// Where the value at a JSON pointer stands; the nearest ancestor's place when it is absent.
    fn place(&self, pointer: &str) -> Place;

    /// Where the key that the pointer ends with is written.
    fn key_place(&self, pointer: &str) -> Place;
}
