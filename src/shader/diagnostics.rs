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

    fn all(&self, log: &[Message]) -> Vec<Problem> {
        // An index of another type makes most of the other lines wrong too.
        if let Some(problem) = self.wrong_parameters() {
            return vec![problem];
        }
        let has_interface = self.sources.includes(INTERFACE_NAME);
        let lacks_file = log.iter().any(|message| message.kind == Kind::Include);
        let about_entry = log
            .iter()
            .any(|message| ["stage", "main"].contains(&message.name.as_str()));
        let unknown: HashSet<(&str, Option<usize>)> = (log.iter())
            .filter(|message| message.kind.is_unknown_name())
            .map(Message::line_of_file)
            .collect();
        let is_cause = |message: &&Message| match message.kind {
            Kind::Include | Kind::Form => true,
            _ if !has_interface => false,
            Kind::Link => !lacks_file && !about_entry,
            // The missing file may define the name.
            Kind::Function | Kind::Identifier => !lacks_file || self.unlisted(&message.name).is_some(),
            Kind::Member => true,
            Kind::Other if about_entry && message.name == "return" => false,
            Kind::Other => !unknown.contains(&message.line_of_file()),
        };
        let mut problems = Vec::new();
        if !has_interface && !lacks_file {
            problems.push(self.lacks_interface());
        }
        let mut reported: HashSet<String> = HashSet::new();
        for message in log.iter().filter(is_cause) {
            let hint = self
                .hint(message)
                .unwrap_or_else(|| self.compilers_words(message));
            if reported.insert(hint.message.clone()) {
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
            Kind::Form | Kind::Other => self.form(message),
        }
    }

    /// The compiler's own message, with the functions of the interface that its line uses.
    fn compilers_words(&self, message: &Message) -> Hint {
        let line = self.line(message);
        let used: Vec<String> = (self.prototypes.iter())
            .filter(|prototype| prototype.name != "stage" && word_in(line, &prototype.name).is_some())
            .map(|prototype| format!("`{}`", prototype.text()))
            .collect();
        let help = if used.is_empty() || message.kind == Kind::Form {
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
            (None, Kind::Link) => self
                .sources
                .place(source, self.stage_line().unwrap_or(1), "stage"),
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
