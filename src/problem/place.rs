//! SourceMap in source texts.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A text that values were read from: a file, an override, or the JSON of a part that was built in Rust.
#[derive(Debug)]
pub struct SourceText {
    /// Its path, or its name in messages.
    pub name: String,
    /// All of it.
    pub text: String,
    /// The base of relative paths in it.
    pub directory: PathBuf,
}

impl SourceText {
    #[doc(hidden)]
    pub fn new(name: impl Into<String>, text: impl Into<String>, directory: &Path) -> Arc<SourceText> {
        Arc::new(SourceText {
            name: name.into(),
            text: text.into(),
            directory: directory.to_path_buf(),
        })
    }
}

/// A byte range of a source text.
#[derive(Debug, Clone)]
pub struct Place {
    /// The text that contains it.
    pub source: Arc<SourceText>,
    /// Its bytes in that text.
    pub range: Range<usize>,
    /// The place where its module or group is used.
    pub used: Option<Arc<Place>>,
    /// The stage that it belongs to, in a problem.
    pub(super) stage: Option<Arc<str>>,
}

impl Place {
    /// The bytes `range` of a source.
    #[doc(hidden)]
    pub fn new(source: &Arc<SourceText>, range: Range<usize>) -> Place {
        Place {
            source: source.clone(),
            range,
            used: None,
            stage: None,
        }
    }

    /// A part of a quoted string, by its bytes; the whole place if the string has escapes.
    #[doc(hidden)]
    pub fn part(&self, range: &Range<usize>) -> Place {
        let written = self.source.text.get(self.range.clone()).unwrap_or_default();
        let content = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let plain = content.filter(|content| !content.contains('\\') && content.len() >= range.end);
        match plain.filter(|_| !range.is_empty()) {
            Some(_) => Place {
                range: self.range.start + 1 + range.start..self.range.start + 1 + range.end,
                ..self.clone()
            },
            None => self.clone(),
        }
    }

    /// This place, in a module or group that is used at `user`.
    #[doc(hidden)]
    pub fn used_at(&self, user: &Arc<Place>) -> Place {
        let used = match &self.used {
            Some(nearer) => Arc::new(nearer.used_at(user)),
            None => user.clone(),
        };
        Place {
            used: Some(used),
            ..self.clone()
        }
    }

    /// The places where its modules and groups are used, the nearest first.
    pub fn uses(&self) -> impl Iterator<Item = &Place> {
        std::iter::successors(self.used.as_deref(), |place| place.used.as_deref())
    }

    /// `file:line:column`.
    pub fn text(&self) -> String {
        let (line, column) = self.line_and_column();
        format!("{}:{line}:{column}", self.source.name)
    }

    /// Both from 1; columns count characters.
    pub fn line_and_column(&self) -> (usize, usize) {
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
pub trait SourceMap {
    /// The place of the value at a JSON pointer; the nearest ancestor's place if it is absent.
    fn place(&self, pointer: &str) -> Place;

    /// The place of the last key of a JSON pointer.
    fn key_place(&self, pointer: &str) -> Place;

    /// True if the pointer leads to a value of the file itself, and not to one of a module or to none.
    fn is_in_file(&self, _pointer: &str) -> bool {
        true
    }

    /// The name of the innermost stage that contains the value at a JSON pointer.
    fn stage_of(&self, _pointer: &str) -> Option<String> {
        None
    }

    /// The JSON pointers of the values at some places.
    fn pointer_of(&self, places: &mut dyn Iterator<Item = &Place>) -> Vec<Option<String>> {
        places.map(|_| None).collect()
    }
}
