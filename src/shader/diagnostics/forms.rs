//! Mistakes in the form of a shader: its includes, and the functions that the engine calls.

use super::super::compile::{INTERFACE_NAME, NO_FILE, NO_VERSION, TOO_DEEP};
use super::super::prototypes::Prototype;
use super::Diagnostics;
use super::complaints::Complaint;
use super::words::Words;

impl Diagnostics<'_> {
    /// An include that is not found, is nested too deep, or has no quotes.
    pub(super) fn include(&self, complaint: &Complaint) -> Option<Words> {
        let said = complaint.text.as_str();
        let Some((cause, path)) = said.split_once(" for header name: ") else {
            let line = complaint
                .line
                .map_or("", |line| self.texts.line(&complaint.file, line));
            let path = line.split_whitespace().nth(1).unwrap_or(INTERFACE_NAME);
            return said.contains("header name").then(|| {
                Words::new(
                    "`#include` requires a file name in quotes",
                    format!("write #include \"{path}\""),
                )
            });
        };
        match cause {
            TOO_DEEP => Some(Words::new(
                format!("includes of `{path}` are nested too deep"),
                "remove the circle: a file must not include itself, directly or through others",
            )),
            NO_FILE => {
                let beside = self.shader.library.names_beside(&complaint.file);
                let names = beside.iter().map(String::as_str).chain([INTERFACE_NAME]);
                let places = self.shader.library.places();
                let words = Words::new(
                    format!("there is no file `{path}` to include"),
                    format!("it was looked for beside the shader and in {places}"),
                );
                Some(words.suggest(path, names))
            }
            _ => None,
        }
    }

    /// The wrong form of the function that the engine calls.
    pub(super) fn link(&self, said: &str) -> Option<Words> {
        if said.contains("Missing entry point") {
            return Some(Words::new(
                "the shader has no `main`",
                "a shader that defines OWN_MAIN writes `void main()` itself; without OWN_MAIN the engine does",
            ));
        }
        let wanted = self
            .prototypes
            .iter()
            .find(|prototype| prototype.name == "stage")?;
        said.contains(" stage(").then(|| match self.definition("stage") {
            Some(_) => self.other_parameters(wanted),
            None => Words::new("the shader has no function `stage`", self.write_stage(wanted)),
        })
    }

    pub(super) fn other_parameters(&self, wanted: &Prototype) -> Words {
        let message = "its function `stage` has other parameters than this stage requires";
        Words::new(message, self.write_stage(wanted))
    }

    fn write_stage(&self, wanted: &Prototype) -> String {
        let over = match self.shader.signature.axes {
            _ if wanted.parameters.contains(',') => String::new(),
            1 => "this stage runs over 1 axis: ".to_string(),
            axes => format!("this stage runs over {axes} axes: "),
        };
        format!("{over}write `{}`", wanted.text())
    }

    /// Mistakes in the form of functions that the engine knows.
    pub(super) fn form(&self, complaint: &Complaint) -> Option<Words> {
        let wanted = self.prototypes.iter().find(|prototype| prototype.name == "stage");
        let wanted = wanted.map_or("void stage(...)".to_string(), Prototype::text);
        match complaint.name.as_str() {
            "stage" if complaint.text.contains("same return type") => Some(Words::new(
                "`stage` returns nothing",
                format!("write `{wanted}`; results go into fields, with their accessors"),
            )),
            "main" if complaint.text.contains("already has a body") => Some(Words::new(
                "the engine writes `main`, which calls `stage`",
                format!(
                    "write `{wanted}` instead, or `#define OWN_MAIN` before the include and call stage_begin() first"
                ),
            )),
            "#version" if complaint.text == NO_VERSION => Some(Words::new(
                "the shader does not say which version of GLSL it is written in",
                "write `#version 460` in its first line",
            )),
            "#error" => Some(Words::new(
                complaint.text.trim_matches('"'),
                self.own_words(complaint).help,
            )),
            _ => None,
        }
    }
}
