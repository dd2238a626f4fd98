//! What is wrong with a shader that does not compile, in words of the pipeline, at the line of the shader.
//!
//! The compiler knows the generated interface and not the pipeline behind it: a field that the stage does not list is a
//! function that is not there. What it says because of an earlier mistake is left out. Where nothing better is known, its
//! own words stay.

mod arguments;
mod complaints;
mod fields;
mod forms;
mod names;
mod resources;
mod words;

use std::collections::HashSet;

use crate::ir::{Pipeline, Signature, Stage};
use crate::problem::{Place, Problem};

use super::compile::{Failure, INTERFACE_NAME};
use super::library::{Found, Library};
use super::prototypes::{Prototype, prototype, prototypes, word_in};
use complaints::{Complaint, Kind, Texts, complaints};
use words::Words;

/// What the shader was compiled for and from.
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
    let texts = Texts {
        source: shader.source,
        failure,
    };
    let found = complaints(&failure.text);
    let diagnostics = Diagnostics {
        shader,
        texts,
        prototypes: prototypes(shader.interface),
    };
    match found.is_empty() {
        true => vec![diagnostics.nowhere(&failure.text)],
        false => diagnostics.all(&found),
    }
}

/// The problem of a shader that compiled without its interface, if that is what is wrong.
pub(super) fn without_interface(shader: &Shader, files: &[Found]) -> Option<Problem> {
    let failure = Failure {
        files: files.to_vec(),
        ..Failure::of(String::new())
    };
    let texts = Texts {
        source: shader.source,
        failure: &failure,
    };
    let diagnostics = Diagnostics {
        shader,
        texts,
        prototypes: Vec::new(),
    };
    (!diagnostics.texts.includes(INTERFACE_NAME)).then(|| diagnostics.lacks_interface())
}

struct Diagnostics<'a> {
    shader: &'a Shader<'a>,
    texts: Texts<'a>,
    /// The functions of the interface.
    prototypes: Vec<Prototype>,
}

impl Diagnostics<'_> {
    fn all(&self, found: &[Complaint]) -> Vec<Problem> {
        // An index of another type makes the rest of the text wrong.
        if let Some(problem) = self.wrong_stage() {
            return vec![problem];
        }
        let mut problems = Vec::new();
        let has_interface = self.texts.includes(INTERFACE_NAME);
        let missing = found.iter().any(|complaint| complaint.kind == Kind::Include);
        if !has_interface && !missing {
            problems.push(self.lacks_interface());
        }
        // Lines with a name that is not known, and what has been said.
        let named: HashSet<(&str, Option<usize>)> = (found.iter())
            .filter(|complaint| complaint.kind.is_of_name())
            .map(|complaint| (complaint.file.as_str(), complaint.line))
            .collect();
        let mut said: HashSet<String> = HashSet::new();
        for complaint in found {
            let follows = match complaint.kind {
                Kind::Include | Kind::Form => false,
                kind if !has_interface => kind != Kind::Other,
                Kind::Other => named.contains(&(complaint.file.as_str(), complaint.line)),
                // What a file that is missing would define.
                Kind::Link => {
                    missing
                        || found
                            .iter()
                            .any(|other| other.name == "stage" || other.name == "main")
                }
                _ => false,
            };
            let of_stage = complaint.name == "return" && found.iter().any(|other| other.name == "stage");
            if follows || of_stage || (!has_interface && complaint.kind == Kind::Other) {
                continue;
            }
            let words = match complaint.kind {
                // The missing file may define it.
                Kind::Function | Kind::Identifier if missing => match self.of_pipeline(&complaint.name) {
                    Some(words) => Some(words),
                    None => continue,
                },
                _ => self.words(complaint),
            };
            let words = words.unwrap_or_else(|| self.own_words(complaint));
            if said.insert(words.message.clone()) {
                problems.push(self.problem(complaint, words));
            }
        }
        problems
    }

    /// Our words for a complaint.
    fn words(&self, complaint: &Complaint) -> Option<Words> {
        match complaint.kind {
            Kind::Function => self.function(&complaint.name),
            Kind::Identifier => self.identifier(&complaint.name),
            Kind::Member => {
                let line = complaint
                    .line
                    .map_or("", |line| self.texts.line(&complaint.file, line));
                self.member(&complaint.name, line)
            }
            Kind::Include => self.include(complaint),
            Kind::Link => self.link(&complaint.text),
            Kind::Form | Kind::Other => self.form(complaint),
        }
    }

    /// The compiler's own words, with what may help.
    fn own_words(&self, complaint: &Complaint) -> Words {
        let line = complaint
            .line
            .map_or("", |line| self.texts.line(&complaint.file, line));
        let name = match complaint.name.as_str() {
            "" => String::new(),
            name => format!("'{name}' : "),
        };
        let used: Vec<String> = (self.prototypes.iter())
            .filter(|prototype| prototype.name != "stage" && word_in(line, &prototype.name).is_some())
            .map(|prototype| format!("`{}`", prototype.text()))
            .collect();
        let printed = format!(
            "`sastrugi interface` prints the interface of stage `{}`",
            self.shader.stage.name
        );
        let help = match used.is_empty() || complaint.kind == Kind::Form {
            true => printed,
            false => format!("of the interface, this line uses {}", used.join(", ")),
        };
        let message = format!("the shader does not compile: {name}{}", complaint.text);
        Words::new(message, help)
    }

    /// The problem of a function `stage` whose parameters have other types than this stage requires.
    fn wrong_stage(&self) -> Option<Problem> {
        let line = self.definition("stage")?;
        let source = &self.shader.source.name;
        let defined = prototype(self.texts.line(source, line).trim_start())?;
        let wanted = self
            .prototypes
            .iter()
            .find(|prototype| prototype.name == "stage")?;
        (defined.name == "stage" && defined.types() != wanted.types()).then(|| {
            let place = self.texts.place(source, line, "stage");
            self.at(place, self.other_parameters(wanted))
        })
    }

    fn lacks_interface(&self) -> Problem {
        let source = &self.shader.source.name;
        let text = self.texts.text(source).unwrap_or_default();
        let version = text
            .lines()
            .position(|line| line.trim_start().starts_with("#version"));
        let words = Words::new(
            "the shader does not include its interface",
            format!("add the line #include \"{INTERFACE_NAME}\" after #version"),
        );
        self.at(self.texts.place(source, version.unwrap_or(0) + 1, ""), words)
    }

    /// The line of the shader that defines a function.
    fn definition(&self, name: &str) -> Option<usize> {
        let text = self.texts.text(&self.shader.source.name)?;
        let is_head = |line: &str| {
            word_in(line, name).is_some_and(|range| {
                line[range.end..].trim_start().starts_with('(')
                    && !line[..range.start].trim().is_empty()
                    && !line.trim_start().starts_with("//")
            })
        };
        text.lines().position(is_head).map(|line| line + 1)
    }

    fn problem(&self, complaint: &Complaint, words: Words) -> Problem {
        let source = &self.shader.source.name;
        let place = match (complaint.line, complaint.kind) {
            // A mistake of which only the generated text knows is one of the shader that includes it.
            (Some(_), _) if complaint.file == INTERFACE_NAME => self.texts.include_of(source, INTERFACE_NAME),
            (Some(line), Kind::Include) => self.texts.place(&complaint.file, line, ""),
            (Some(line), _) => self.texts.place(&complaint.file, line, &complaint.name),
            (None, Kind::Link) => {
                let line = self.definition("stage").or_else(|| self.definition("main"));
                self.texts.place(source, line.unwrap_or(1), "stage")
            }
            (None, _) => None,
        };
        let problem = self.at(place, words);
        let chain = self.texts.chain(&complaint.file);
        chain
            .iter()
            .fold(problem, |problem, place| problem.note("included", place))
    }

    fn at(&self, place: Option<Place>, words: Words) -> Problem {
        let stage = self.shader.stage;
        let pointer = format!("{}/shader", stage.pointer);
        let message = format!("stage `{}`: {}", stage.name, words.message);
        match place {
            Some(place) => Problem::in_text(pointer, place, message),
            None => Problem::new(pointer, message),
        }
        .help(words.help)
    }

    /// What the compiler says without a place.
    fn nowhere(&self, text: &str) -> Problem {
        let help = format!(
            "`sastrugi interface` prints the interface of stage `{}`",
            self.shader.stage.name
        );
        self.at(
            None,
            Words::new(format!("the shader does not compile\n{text}"), help),
        )
    }
}
