//! What is wrong with a pipeline, as plain data.

use std::fmt;

use crate::problem;

/// One mistake in a pipeline, with its place and remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// JSON pointer (RFC 6901) of the value, such as `/grids/box/cells`; empty if it concerns the whole pipeline.
    pub pointer: String,
    /// File, line and column; lines and columns count from 1, columns in characters. For parts that were built in Rust,
    /// the text is their JSON.
    pub place: Option<(String, usize, usize)>,
}

/// Every mistake in a pipeline, in the order of its text. There is at least one.
///
/// Each problem is displayed as `file:line:column: message`, with its pointer and its remedy below.
///
/// ```
/// let text = r#"{"run": {"dt": 1}, "step": [], "grids": {"box": {"cells": [4], "cell_size": 1, "channels": {}}}}"#;
/// let problems = sastrugi::Pipeline::from_json(text).build().unwrap_err();
/// assert!(problems.iter().any(|problem| problem.pointer == "/grids/box/cells"));
/// assert!(problems.to_string().starts_with("pipeline.json:1:"));
/// ```
#[derive(Debug, Clone)]
pub struct Problems {
    list: Vec<Problem>,
    text: String,
}

impl Problems {
    /// The problems one by one.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.list.iter()
    }
}

impl Problems {
    /// What the checks found.
    pub(super) fn of(problems: problem::Problems) -> Problems {
        let text = problems.to_string();
        let place = |problem: &problem::Problem| {
            let place = problem.place()?;
            let (line, column) = place.line_and_column();
            Some((place.source.name.clone(), line, column))
        };
        let one = |problem: problem::Problem| Problem {
            place: place(&problem),
            message: problem.message,
            help: problem.help,
            pointer: problem.pointer,
        };
        Problems {
            list: problems.list.into_iter().map(one).collect(),
            text,
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Problems {}
