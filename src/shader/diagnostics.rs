//! Problems of shaders that do not compile, in the terms of the pipeline and at the line of the shader.
//!
//! The compiler knows the generated interface but not the pipeline behind it: a field that the stage does not list is
//! an unknown function to it. Messages that follow from an earlier mistake are left out. Where no hint fits, the
//! compiler's own message stays.

mod compiler_log;
mod entry;
mod names;
mod sources;

use std::collections::HashSet;

use crate::ir::{Pipeline, Signature, Stage};
use crate::problem::{Place, Problem};

use super::compile::{Failure, INTERFACE_NAME, Inclusion};
use super::library::{Found, Library};
use super::prototypes::{Prototype, prototypes, word_in};
use compiler_log::{Kind, Message, messages};
use sources::Sources;

/// A shader and everything that it was compiled with.
pub(super) struct Shader<'a> {
    pub pipeline: &'a Pipeline,
    pub stage: &'a Stage,
    pub signature: &'a Signature,
    pub interface: &'a str,
    pub source: &'a Found,
    pub library: &'a Library,
}

/// The problems of a compilation that failed.
pub(super) fn problems(shader: &Shader, failure: &Failure) -> Vec<Problem> {
    let diagnostics = Diagnostics::new(shader, &failure.files, &failure.inclusions);
    let log = messages(&failure.text);
    if log.is_empty() {
        let message = format!("the shader does not compile\n{}", failure.text);
        return vec![diagnostics.at(None, hint(message, diagnostics.print_interface()))];
    }
    diagnostics.all(&log)
}

/// The problem of a shader that compiled without including its interface.
pub(super) fn without_interface(shader: &Shader, files: &[Found]) -> Option<Problem> {
    let diagnostics = Diagnostics::new(shader, files, &[]);
    (!diagnostics.sources.includes(INTERFACE_NAME)).then(|| diagnostics.lacks_interface())
}

struct Diagnostics<'a> {
    shader: &'a Shader<'a>,
    sources: Sources<'a>,
    /// The functions of the interface.
    prototypes: Vec<Prototype>,
}

impl<'a> Diagnostics<'a> {
    fn new(shader: &'a Shader, files: &'a [Found], inclusions: &'a [Inclusion]) -> Self {
        Diagnostics {
            shader,
            sources: Sources {
                shader: shader.source,
                files,
                inclusions,
            },
            prototypes: prototypes(shader.interface),
        }
    }

    /// The causes among the messages: other messages follow from them.
    fn all(&self, log: &[Message]) -> Vec<Problem> {
        // An index of another type makes most of the other lines wrong too.
        if let Some(problem) = self.wrong_parameters() {
            return vec![problem];
        }
        let some = |is: &dyn Fn(&Message) -> bool| log.iter().any(is);
        let is_missing = |message: &Message| message.kind == Kind::Include;
        let is_entry = |message: &Message| ["stage", "main"].contains(&message.name.as_str());
        let lacks_name = |line: (&str, Option<usize>)| {
            some(&|message: &Message| message.kind.is_unknown_name() && message.line_of_file() == line)
        };
        // A member or a parameter of a missing value makes the compiler doubt other names of the line.
        let follows = |message: &Message| {
            let is_other =
                |other: &Message| other.line_of_file() == message.line_of_file() && self.is_missing(other);
            !self.is_missing(message) && some(&is_other)
        };
        let is_cause = |message: &&Message| {
            if some(&is_missing) {
                is_missing(message)
            } else if some(&is_entry) {
                is_entry(message)
            } else if message.kind.is_unknown_name() {
                !follows(message)
            } else {
                !lacks_name(message.line_of_file())
            }
        };
        let is_bound = |message: &Message| message.kind == Kind::Bound;
        if !some(&is_missing) && !some(&is_bound) && !self.sources.includes(INTERFACE_NAME) {
            return vec![self.lacks_interface()];
        }
        let mut problems = Vec::new();
        let mut reported: HashSet<String> = HashSet::new();
        for message in log.iter().filter(is_cause) {
            let hint = self
                .hint(message)
                .unwrap_or_else(|| self.compilers_words(message));
            // One mistake in the generated text makes many of its lines wrong.
            let key = if message.file == INTERFACE_NAME {
                INTERFACE_NAME
            } else {
                &hint.message
            };
            if reported.insert(key.to_string()) {
                problems.push(self.problem(message, hint));
            }
        }
        problems
    }

    fn hint(&self, message: &Message) -> Option<Hint> {
        match message.kind {
            Kind::Function => self.function(&message.name),
            Kind::Identifier => self.identifier(&message.name),
            Kind::Member => self.member(&message.name, self.line(message)),
            Kind::Include => self.include(message),
            Kind::Link => self.link(&message.text),
            Kind::Bound => self.bound(message),
            Kind::Other => self.entry(message),
        }
    }

    /// The compiler's own message, with the functions of the interface that its line uses.
    fn compilers_words(&self, message: &Message) -> Hint {
        let line = self.line(message);
        let used: Vec<String> = (self.prototypes.iter())
            .filter(|prototype| prototype.name != "stage" && word_in(line, &prototype.name).is_some())
            .map(|prototype| format!("`{}`", prototype.text()))
            .collect();
        let is_syntax = message.text.starts_with("syntax error");
        let help = if used.is_empty() || is_syntax {
            self.print_interface()
        } else {
            format!("generated functions used on this line: {}", used.join(", "))
        };
        let quoted = if message.name.is_empty() {
            String::new()
        } else {
            format!("'{}' : ", message.name)
        };
        hint(
            format!("the shader does not compile: {quoted}{}", message.text),
            help,
        )
    }

    fn print_interface(&self) -> String {
        format!(
            "`sastrugi interface` prints the interface of stage `{}`",
            self.shader.stage.name
        )
    }

    fn line(&self, message: &Message) -> &str {
        message
            .line
            .map_or("", |line| self.sources.line(&message.file, line))
    }

    fn problem(&self, message: &Message, hint: Hint) -> Problem {
        let source = &self.shader.source.name;
        let place = match (message.line, message.kind) {
            // The user sees a mistake in the generated text where the shader includes it.
            (Some(_), _) if message.file == INTERFACE_NAME => self.sources.include_of(source, INTERFACE_NAME),
            (Some(line), Kind::Include) => self.sources.place(&message.file, line, ""),
            (Some(line), _) => self.sources.place(&message.file, line, &message.name),
            (None, Kind::Link) => self.sources.place(source, 1, ""),
            (None, _) => None,
        };
        let chain = self.sources.chain(&message.file);
        (chain.iter()).fold(self.at(place, hint), |problem, place| {
            problem.note("included", place)
        })
    }

    fn at(&self, place: Option<Place>, hint: Hint) -> Problem {
        let stage = self.shader.stage;
        let pointer = format!("{}/shader", stage.pointer);
        let message = format!("stage `{}`: {}", stage.name, hint.message);
        match place {
            Some(place) => Problem::in_text(pointer, place, message),
            None => Problem::new(pointer, message),
        }
        .help(hint.help)
    }
}

/// A message and its remedy.
struct Hint {
    message: String,
    help: String,
}

fn hint(message: impl Into<String>, help: impl Into<String>) -> Hint {
    let (message, help) = (message.into(), help.into());
    Hint { message, help }
}

/// "did you mean `name`?" if one of `names` is close to `written`.
fn did_you_mean<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let problem = Problem::without_place("").suggest(written, names);
    problem.help.filter(|help| help.starts_with("did you mean"))
}
