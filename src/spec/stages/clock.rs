//! Repeats that go through the time of the step: their clocks, and the stages that set how long a turn is.

use super::super::file::{RepeatFile, StageFile};
use super::Unroller;
use super::timed::{CLOCK_DT, CLOCK_LEFT, TimedRepeat, is_of_clock};
use crate::ir::*;
use crate::lower::turns;
use crate::problem::{Places, Problem};

impl Unroller<'_, '_> {
    pub(super) fn has_clock(&self, repeat: &RepeatFile) -> bool {
        repeat.condition.as_deref() == Some(CLOCK_LEFT)
    }

    /// The clock that stages see here, if it is that of a repeat.
    pub(super) fn open_clock(&self) -> Option<FieldId> {
        self.clocks.last().copied()
    }

    /// The clock of a repeat, and the stage that begins it.
    pub(super) fn begin_clock(
        &mut self,
        repeat: &RepeatFile,
        pointer: &str,
        into: &mut Vec<Invocation>,
    ) -> Option<FieldId> {
        let name = &repeat.repeat;
        let pipeline = &mut self.resolver.pipeline;
        let of_name = pipeline.field(&turns::clock_name(name));
        let known = (self.timed.iter()).find(|timed| Some(timed.clock) == of_name);
        let problem = match known {
            _ if self.list != List::Step => {
                let message = format!("`{}` goes through no time of its own", self.list.key());
                Problem::new(format!("{pointer}/while"), message)
                    .help("only `step` has repeats with \"while\": \"clock.left\": move it there")
            }
            Some(timed) if timed.pointer != pointer => {
                let place = self.resolver.document.place(&timed.pointer);
                let message = format!("`{name}` is already a repeat that goes through the time of the step");
                Problem::new(format!("{pointer}/repeat"), message)
                    .note("the other", &place)
                    .help("give this one another name")
            }
            _ if pipeline.resources.iter().any(|resource| resource.name == *name) => {
                let message = format!(
                    "`{name}` is a resource too, so turns({name}) in a series would have two meanings"
                );
                Problem::new(format!("{pointer}/repeat"), message).help("give the repeat another name")
            }
            known => {
                let field = match known {
                    Some(timed) => timed.clock,
                    None => {
                        let field = turns::add_clock(pipeline, name);
                        self.timed.push(TimedRepeat {
                            clock: field,
                            pointer: pointer.to_string(),
                            setters: Vec::new(),
                        });
                        field
                    }
                };
                self.change_clock(&format!("{pointer}/over"), "begin", field, into, |entry| {
                    turns::begin(name, field, entry)
                });
                return Some(field);
            }
        };
        self.resolver.problems.push(problem);
        None
    }

    /// A turn ends. The stage that says so sees the clock of the step, or of the repeat round this one.
    pub(super) fn advance_clock(
        &mut self,
        repeat: &RepeatFile,
        field: FieldId,
        pointer: &str,
        into: &mut Vec<Invocation>,
    ) {
        self.clocks.pop();
        self.change_clock(&format!("{pointer}/stages"), "advance", field, into, |entry| {
            turns::advance(&repeat.repeat, field, entry)
        });
        self.clocks.push(field);
    }

    fn change_clock(
        &mut self,
        key: &str,
        kind: &str,
        field: FieldId,
        into: &mut Vec<Invocation>,
        make: impl FnOnce(crate::lower::Entry) -> Draft,
    ) {
        let resource = self.resolver.pipeline.fields[field].resource;
        let ids = self.engine_stages(key, kind, resource, 1, |_, entry| vec![make(entry)]);
        let swaps = self.swaps.len();
        into.extend(ids.into_iter().map(|stage| Invocation {
            swaps,
            ..Invocation::without_arguments(stage)
        }));
    }

    /// Whether a stage sets how long a turn is; reports what else it lists of the clock.
    pub(super) fn sets_length(&mut self, file: &StageFile, pointer: &str) -> bool {
        let mut problems = Vec::new();
        for (i, name) in file
            .reads
            .iter()
            .enumerate()
            .filter(|(_, name)| is_of_clock(name))
        {
            let message = format!("every stage reads `{name}` without listing it");
            problems.push(Problem::new(format!("{pointer}/reads/{i}"), message).help("leave it out"));
        }
        let mut sets = None;
        for (i, name) in file
            .writes
            .iter()
            .enumerate()
            .filter(|(_, name)| is_of_clock(name))
        {
            let at = format!("{pointer}/writes/{i}");
            match name.as_str() {
                CLOCK_DT => sets = Some(at),
                _ => {
                    let message = format!("stages do not write `{name}`");
                    let help = "a stage may write `clock.dt`, the length of a turn; the rest follows from it";
                    problems.push(Problem::new(at, message).help(help));
                }
            }
        }
        if let Some(at) = &sets {
            let open = self.open_clock();
            match self.timed.iter_mut().find(|timed| Some(timed.clock) == open) {
                Some(timed) => timed.setters.push(at.clone()),
                None => {
                    let message = "the length of a step is the same in all steps";
                    let help = "a stage sets the length of turns: put it into a repeat with \"while\": \"clock.left\"";
                    problems.push(Problem::new(at, message).help(help));
                }
            }
        }
        self.resolver.problems.list.extend(problems);
        sets.is_some()
    }

    /// Reports a repeat in which not exactly one stage sets how long a turn is.
    pub(super) fn check_setters(&mut self, field: FieldId, pointer: &str) {
        let Some(timed) = self.timed.iter().find(|timed| timed.clock == field) else {
            return;
        };
        let problem = match timed.setters.as_slice() {
            [_] => return,
            [] => Problem::new(
                format!("{pointer}/while"),
                "no stage of this repeat sets how long its turns are",
            )
            .help("list \"clock.dt\" in the `writes` of one: its shader calls set_clock_dt(seconds)"),
            [first, second, ..] => {
                let place = self.resolver.document.place(first);
                Problem::new(second, "another stage of this repeat sets how long its turns are")
                    .note("the other", &place)
                    .help("let one stage set it")
            }
        };
        self.resolver.problems.push(problem);
    }
}
