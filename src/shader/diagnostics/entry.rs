//! Mistakes in includes, and in the functions `stage` and `main`.

use super::super::compile::{INTERFACE_NAME, NO_FILE, OUT_OF_BOUNDS, TOO_DEEP, TOO_MANY};
use super::super::prototypes::{Prototype, prototype, word_in};
use super::compiler_log::Message;
use super::{Diagnostics, Hint, did_you_mean, hint};
use crate::problem::Problem;

impl Diagnostics<'_> {
    /// An include that is not found or is nested too deep.
    pub(super) fn include(&self, message: &Message) -> Option<Hint> {
        let (cause, path) = message.text.split_once(" for header name: ")?;
        if cause == TOO_DEEP {
            return Some(hint(
                format!("includes of `{path}` are nested too deep"),
                "remove the circle: a file must not include itself, directly or through others",
            ));
        }
        if cause == TOO_MANY {
            return Some(hint(
                format!("there are too many includes up to that of `{path}`"),
                "write a guard into files that are included several times: #ifndef NAME, #define NAME, the text, #endif",
            ));
        }
        let library = self.shader.library;
        let files = library.names_beside(&message.file);
        let question = did_you_mean(path, files.iter().map(String::as_str).chain([INTERFACE_NAME]));
        let question = question.map_or("it".to_string(), |question| format!("{question} It"));
        let places = library.places();
        (cause == NO_FILE).then(|| {
            hint(
                format!("there is no file `{path}` to include"),
                format!("{question} was looked for beside the shader and in {places}"),
            )
        })
    }

    /// A kernel that is too large to compile.
    pub(super) fn bound(&self, message: &Message) -> Option<Hint> {
        let cause = message.text.strip_prefix(OUT_OF_BOUNDS)?;
        Some(hint(
            format!("the shader is too large to compile: {cause}"),
            "write loops and functions instead of what macros or generated text repeat, or split it into several stages",
        ))
    }

    pub(super) fn lacks_interface(&self) -> Problem {
        let source = &self.shader.source.name;
        let mut lines = self.sources.text(source).lines();
        let version = lines.position(|line| line.trim_start().starts_with("#version"));
        let lacking = hint(
            "the shader does not include its interface",
            format!("add the line #include \"{INTERFACE_NAME}\" after #version"),
        );
        self.at(self.sources.place(source, version.unwrap_or(0) + 1, ""), lacking)
    }

    /// A missing `main` or `stage`.
    pub(super) fn link(&self, text: &str) -> Option<Hint> {
        if text.contains("Missing entry point") {
            return Some(hint(
                "the shader has no `main`",
                "a shader that defines OWN_MAIN writes `void main()` itself; without OWN_MAIN the engine does",
            ));
        }
        let wanted = self.stage_prototype().filter(|_| text.contains(" stage("))?;
        Some(hint(
            "the shader has no function `stage` of this form",
            self.write_stage(wanted),
        ))
    }

    /// Mistakes in `stage` and `main`, and messages of the interface itself.
    pub(super) fn entry(&self, message: &Message) -> Option<Hint> {
        let wanted = self
            .stage_prototype()
            .map_or("void stage(...)".to_string(), Prototype::text);
        match message.name.as_str() {
            "stage" if message.text.contains("same return type") => Some(hint(
                "`stage` returns nothing",
                format!("write `{wanted}`; results go into fields, with their accessors"),
            )),
            "main" if message.text.contains("already has a body") => Some(hint(
                "the engine writes `main`, which calls `stage`",
                format!(
                    "write `{wanted}` instead, or `#define OWN_MAIN` before the include and call stage_begin() first"
                ),
            )),
            "#error" => Some(hint(message.text.trim_matches('"'), self.print_interface())),
            _ => None,
        }
    }

    /// The problem of a function `stage` whose parameters have other types than this stage requires.
    pub(super) fn wrong_parameters(&self) -> Option<Problem> {
        let line = self.stage_line()?;
        let source = &self.shader.source.name;
        let defined = prototype(self.sources.line(source, line).trim_start())?;
        let wanted = self.stage_prototype()?;
        let message = "its function `stage` has other parameters than this stage requires";
        let other = hint(message, self.write_stage(wanted));
        (defined.name == "stage" && defined.types() != wanted.types())
            .then(|| self.at(self.sources.place(source, line, "stage"), other))
    }

    fn write_stage(&self, wanted: &Prototype) -> String {
        let over = match self.shader.signature.axes {
            _ if wanted.parameters.contains(',') => String::new(),
            1 => "this stage runs over 1 axis: ".to_string(),
            axes => format!("this stage runs over {axes} axes: "),
        };
        format!("{over}write `{}`", wanted.text())
    }

    fn stage_prototype(&self) -> Option<&Prototype> {
        self.prototypes.iter().find(|prototype| prototype.name == "stage")
    }

    /// The line of the shader that defines `stage`.
    fn stage_line(&self) -> Option<usize> {
        let is_head = |line: &str| {
            word_in(line, "stage").is_some_and(|range| {
                line[range.end..].trim_start().starts_with('(')
                    && !line[..range.start].trim().is_empty()
                    && !line.trim_start().starts_with("//")
            })
        };
        let mut lines = self.sources.text(&self.shader.source.name).lines();
        lines.position(is_head).map(|line| line + 1)
    }
}
