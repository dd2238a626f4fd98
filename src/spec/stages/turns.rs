//! Turns of repeats with `while`, counted where a series asks for them.

use super::super::file::{EntryFile, RepeatFile};
use super::Unroller;
use super::timed::CLOCK_LEFT;
use crate::element::Element;
use crate::ir::*;
use crate::lower::{fill, turns};

impl Unroller<'_, '_> {
    /// Counters are taken back to 0 in the first step of a frame, before the first repeat that raises them.
    pub(super) fn reset_turns(&mut self, repeat: &RepeatFile, pointer: &str, into: &mut Vec<Invocation>) {
        if self.list != List::Step {
            return;
        }
        let mut names = Vec::new();
        conditions(repeat, &mut names);
        let counters: Vec<FieldId> = names.into_iter().filter_map(|name| self.counter(name)).collect();
        let pipeline = &self.resolver.pipeline;
        let is_written = |counter: &FieldId| {
            let mut stages = pipeline.stages.iter();
            stages.any(|stage| stage.writes().contains(counter))
        };
        let new: Vec<FieldId> = counters
            .into_iter()
            .filter(|counter| !is_written(counter))
            .collect();
        let Some(first) = new.first() else { return };
        let (resource, every) = (pipeline.fields[*first].resource, pipeline.steps_per_frame);
        let key = format!("{pointer}/repeat");
        let ids = self.engine_stages(&key, "reset", resource, every, |resolver, entry| {
            (new.iter())
                .map(|counter| fill::fill(&resolver.pipeline, *counter, entry))
                .collect()
        });
        let swaps = self.swaps.len();
        into.extend(ids.into_iter().map(|stage| Invocation {
            swaps,
            ..Invocation::new(stage, fill::pattern(Element::Uint, &[0; 4]))
        }));
    }

    /// A turn of a repeat of the step list begins.
    pub(super) fn count_turn(&mut self, repeat: &RepeatFile, pointer: &str, into: &mut Vec<Invocation>) {
        let name = counted(repeat).filter(|_| self.list == List::Step);
        let Some((name, counter)) = name.and_then(|name| Some((name, self.counter(name)?))) else {
            return;
        };
        let resource = self.resolver.pipeline.fields[counter].resource;
        let key = format!("{pointer}/while");
        let ids = self.engine_stages(&key, "count", resource, 1, |_, entry| {
            vec![turns::count(name, counter, entry)]
        });
        let swaps = self.swaps.len();
        into.extend(ids.into_iter().map(|stage| Invocation {
            swaps,
            ..Invocation::without_arguments(stage)
        }));
    }

    /// The counter of the turns that a buffer lets run, or of a repeat with a clock, where a series asks for it.
    fn counter(&mut self, name: &str) -> Option<FieldId> {
        if !self.counted.contains(name) {
            return None;
        }
        let counter = turns::counter(name);
        let pipeline = &mut self.resolver.pipeline;
        Some(match pipeline.field(&counter) {
            Some(field) => field,
            None => pipeline.add_words(&counter, 1),
        })
    }
}

/// The name under which the turns of a repeat are counted: of the buffer that it looks at, or its own where it has a clock.
pub(super) fn counted(repeat: &RepeatFile) -> Option<&str> {
    match repeat.condition.as_deref() {
        Some(CLOCK_LEFT) => Some(&repeat.repeat),
        condition => condition,
    }
}

/// The names under which the turns of a repeat and those in it are counted.
fn conditions<'a>(repeat: &'a RepeatFile, names: &mut Vec<&'a str>) {
    if let Some(name) = counted(repeat)
        && !names.contains(&name)
    {
        names.push(name);
    }
    for entry in &repeat.stages {
        if let EntryFile::Repeat(inner) = entry {
            conditions(inner, names);
        }
    }
}
