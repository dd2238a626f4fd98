//! What is wrong with a pipeline file: collected, all reported at once, each with its place and remedy.

use std::fmt;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};

mod place;

pub use place::{Place, Places, Source};

/// Most problems that are printed; a file with more is broken in one way many times over.
const MOST_SHOWN: usize = 50;
/// Most names that are compared with a wrong one, and most that are listed.
const MOST_NAMES: usize = 1000;
const MOST_LISTED: usize = 24;

/// Longest line that is printed, in bytes.
const LONGEST_LINE: usize = 2000;

/// One mistake in the input.
#[derive(Debug, Clone)]
pub struct Problem {
    /// JSON pointer of the value it concerns; empty for the whole file.
    pub pointer: String,
    pub message: String,
    pub help: Option<String>,
    at: At,
}

/// What the pointer stands for in the text.
#[derive(Debug, Clone)]
enum At {
    Value,
    /// The key that the pointer ends with, not its value.
    Key,
    Place(Place),
    /// No file has it.
    Nowhere,
}

impl Problem {
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem {
            pointer: pointer.into(),
            message: message.into(),
            help: None,
            at: At::Value,
        }
    }

    pub fn on_key(pointer: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem {
            at: At::Key,
            ..Problem::new(pointer, message)
        }
    }

    pub fn at_place(place: Place, message: impl Into<String>) -> Problem {
        Problem {
            at: At::Place(place),
            ..Problem::new("", message)
        }
    }

    pub fn without_place(message: impl Into<String>) -> Problem {
        Problem {
            at: At::Nowhere,
            ..Problem::new("", message)
        }
    }

    /// The key, not its value, is what is wrong.
    pub fn is_on_key(&self) -> bool {
        matches!(self.at, At::Key)
    }

    /// The problem without the line it stands in, where that line is too long to print.
    fn brief(&self) -> Option<String> {
        let place = self.place()?;
        let (line, column) = place.line_and_column();
        let written = place.source.text.lines().nth(line - 1)?;
        if written.len() <= LONGEST_LINE {
            return None;
        }
        let help = self
            .help
            .as_ref()
            .map(|help| format!("  help: {help}\n"))
            .unwrap_or_default();
        let (name, pointer) = (&place.source.name, &self.pointer);
        Some(format!(
            "  × {}\n   ╭─[{name}:{line}:{column}] {pointer}\n   ╰────\n{help}",
            self.message
        ))
    }

    fn place(&self) -> Option<&Place> {
        match &self.at {
            At::Place(place) => Some(place),
            _ => None,
        }
    }

    pub fn help(self, help: impl Into<String>) -> Problem {
        Problem {
            help: Some(help.into()),
            ..self
        }
    }

    /// Adds "did you mean" when one of `names` is close to `written`, and otherwise lists them.
    pub fn suggest<'a>(self, written: &str, names: impl IntoIterator<Item = &'a str>) -> Problem {
        let names: Vec<&str> = names.into_iter().take(MOST_NAMES).collect();
        let limit = |name: &str| 1 + name.len().max(written.len()) / 4;
        let nearest = names
            .iter()
            .filter(|name| name.len().abs_diff(written.len()) <= limit(name))
            .map(|name| (strsim::damerau_levenshtein(written, name), *name))
            .min()
            .filter(|(distance, name)| *distance <= limit(name));
        match nearest {
            Some((_, name)) => self.help(format!("did you mean `{name}`?")),
            None if names.is_empty() => self,
            None => {
                let more = if names.len() > MOST_LISTED { ", ..." } else { "" };
                let listed = names[..names.len().min(MOST_LISTED)].join(", ");
                self.help(format!("known here: {listed}{more}"))
            }
        }
    }
}

/// Everything that is wrong with the input; never empty when returned as an error.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    pub list: Vec<Problem>,
}

impl Problems {
    pub fn push(&mut self, problem: Problem) {
        self.list.push(problem);
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Pointers of the keys that belong nowhere.
    pub fn unknown_keys(&self) -> impl Iterator<Item = &str> {
        self.list
            .iter()
            .filter(|problem| problem.is_on_key())
            .map(|problem| problem.pointer.as_str())
    }

    /// Gives each problem the place of its pointer in `document`.
    pub fn located(mut self, document: &impl Places) -> Problems {
        for problem in &mut self.list {
            match problem.at {
                At::Value => problem.at = At::Place(document.place(&problem.pointer)),
                At::Key => problem.at = At::Place(document.key_place(&problem.pointer)),
                At::Place(_) | At::Nowhere => {}
            }
        }
        // In the order of the text, file by file.
        self.list.sort_by_key(|problem| {
            let place = problem.place();
            (
                place.is_none(),
                place.map(|place| (place.source.name.clone(), place.range.start)),
            )
        });
        self
    }

    /// For editors: file, line and column (from 1), length, JSON pointer, message and help of each problem.
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
                "message": problem.message,
                "help": problem.help,
            })
        };
        self.list.iter().map(one).collect()
    }

    /// Compiler-style text, with colours when `colour` is set.
    pub fn render(&self, colour: bool) -> String {
        let theme = if colour {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let handler = GraphicalReportHandler::new_themed(theme).with_width(110);
        let mut text = String::new();
        for problem in self.list.iter().take(MOST_SHOWN) {
            if let Some(brief) = problem.brief() {
                text.push_str(&brief);
                continue;
            }
            let mut diagnostic = MietteDiagnostic::new(problem.message.clone());
            diagnostic.help = problem.help.clone();
            if let Some(place) = problem.place() {
                let label = (!problem.pointer.is_empty()).then(|| problem.pointer.clone());
                // Of a value that goes over many lines, the first says where it is.
                let written = place.source.text.get(place.range.clone()).unwrap_or_default();
                let length = written.lines().next().map_or(0, |line| line.trim_end().len());
                diagnostic.labels = Some(vec![LabeledSpan::new(label, place.range.start, length)]);
            }
            let mut report = Report::new(diagnostic);
            if let Some(place) = problem.place() {
                let source = NamedSource::new(&place.source.name, place.source.text.clone());
                report = report.with_source_code(source);
            }
            if handler.render_report(&mut text, report.as_ref()).is_err() {
                text.push_str(&problem.message);
                text.push('\n');
            }
        }
        if let Some(hidden) = self.list.len().checked_sub(MOST_SHOWN + 1) {
            text.push_str(&format!("and {} more problems\n", hidden + 1));
        }
        text
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Problems {
        Problems { list: vec![problem] }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Problems {}
