//! The kernels of stages: their shaders, and their accesses, which the file or the kernel states.

use std::borrow::Cow;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use super::file::{Reference, StageFile};
use super::program::Program;
use super::scope::Scope;
use crate::ir::{Operation, ShaderSource};
use crate::problem::{Place, Problem};
use crate::shader::facts::Facts;

/// Prefix of the names of the clock.
const OF_CLOCK: &str = "clock.";

/// The kernel of a stage.
#[derive(Debug)]
pub struct Kernel<'f> {
    pub path: String,
    pub directory: PathBuf,
    pub facts: Rc<Facts>,
    pub reads: Cow<'f, [Reference]>,
    pub writes: Cow<'f, [Reference]>,
    pub requests: Cow<'f, [Reference]>,
    pub reduces: Vec<(Reference, Operation)>,
}

impl Kernel<'_> {
    pub fn source(&self) -> ShaderSource {
        ShaderSource::Named {
            path: self.path.clone(),
            directory: self.directory.clone(),
        }
    }

    /// The fields that the kernel reads or writes.
    pub fn fields(&self) -> impl Iterator<Item = &Reference> {
        self.reads.iter().chain(self.writes.iter())
    }
}

impl<'f> Program<'f> {
    /// The shader path of a stage called `name`. Reports an invalid one.
    pub fn shader(&self, file: &StageFile, name: &str, scope: &Scope) -> Option<String> {
        match &file.shader {
            Some(text) => self.substitute_letters(scope, &text.text, &text.place),
            None => {
                let last = name.rsplit('.').next().unwrap_or(name);
                Some(format!("{last}.comp"))
            }
        }
    }

    /// The kernel of a stage, with the shader at `path`.
    pub fn kernel(&self, file: &'f StageFile, path: String) -> Kernel<'f> {
        let place = file.shader.as_ref().map_or(&file.place, |text| &text.place);
        let directory = place.source.directory.clone();
        let facts = self.kernels.facts(&path, &directory);
        let user = Arc::new(place.clone());
        let stated = |name: &str, place: &Place| Reference::parsed(name, &place.used_at(&user));
        let list = |listed: &'f [Reference], facts: &[(String, Place)]| {
            if listed.is_empty() {
                Cow::Owned(facts.iter().map(|(name, place)| stated(name, place)).collect())
            } else {
                Cow::Borrowed(listed)
            }
        };
        let of_file = file.reduces.iter().filter_map(|(name, item)| {
            let reference = Reference::parsed(name, &item.key);
            item.value
                .filter(|_| reference.name.is_some())
                .map(|operation| (reference, operation))
        });
        let mut reduces: Vec<(Reference, Operation)> = of_file.collect();
        if file.reduces.is_empty() {
            for (name, operation, place) in &facts.reduces {
                let operation = Operation::WORDS.iter().find(|(word, _)| word == operation);
                reduces.extend(operation.map(|(_, operation)| (stated(name, place), *operation)));
            }
        }
        Kernel {
            reads: list(&file.reads, &facts.reads),
            writes: list(&file.writes, &facts.writes),
            requests: list(&file.requests, &facts.requests),
            reduces,
            path,
            directory,
            facts,
        }
    }

    /// Reports invalid pragmas of a kernel.
    pub fn check_pragmas(&self, file: &StageFile, facts: &Facts) {
        for (place, cause) in &facts.wrong {
            let message = format!("wrong pragma: {cause}");
            let help = "`#pragma` is followed by `reads NAME ...`, `writes NAME ...`, `requests NAME ...`, `reduces OPERATION \
                        RESULT`, `arguments PARAMETER ...`, `argument TYPE NAME`, `constant NAME PARAMETER`, `reach FIELD \
                        CELLS`, `offsets ENTRIES X,Y,Z ...`, `alternates FIELD`, `keeps FIELD FIELD`, `unordered FIELD`, \
                        `adds FIELD`, `shares SET`, `workgroup X Y Z`, `vector_width 4`, `tile X Y Z` or `whole`";
            let problem = Problem::in_text(format!("{}/shader", file.pointer), place.clone(), message);
            self.report(problem.help(help));
        }
    }
}

/// True if a name belongs to the clock. It cannot be a resource, since `clock` is reserved in shaders.
pub(super) fn is_of_clock(reference: &Reference) -> bool {
    reference.text().starts_with(OF_CLOCK)
}
