//! Numbers that the engine keeps: live particles, active blocks, iterations and remaining times of repeats.

use super::{Measure, measured};
use crate::expr::{Expr, Failure, Name};
use crate::grid::header;
use crate::ir::{FieldId, List, Measured, MeasuredPart, Reduction, Resource};
use crate::lower::loops::add_counter;
use crate::lower::meaning::{Action, ActionKind, Counted, Meaning as Lists};
use crate::particles::live;
use crate::problem::Place;
use crate::shared_constants::clock;
use crate::spec::resolver::Resolver;
use crate::spec::scope::Scope;

impl Resolver<'_, '_> {
    fn resource_in_series(&self, name: &Name, place: &Place) -> Result<Option<&Resource>, Failure> {
        let found = self.program.resource_of(&Scope::of(0), name, place).ok_or(None)?;
        let Some(found) = found else { return Ok(None) };
        let id = found.at.and_then(|at| self.ids.resource(at)).ok_or(None)?;
        Ok(Some(&self.pipeline.resources[id]))
    }

    pub(super) fn live_count(&self, at: &Expr, name: &Name, place: &Place) -> Result<Measure, Failure> {
        let found = self.resource_in_series(name, place)?;
        if let Some(set) = found.filter(|resource| resource.set().is_some()) {
            let live = set.live().map(|live| word(live, live::COUNT as u64));
            return Ok(live.unwrap_or(Measure::Known(set.size[0])));
        }
        let message = format!("`{name}` is not a particle set");
        let sets = self
            .names_of(|resource| resource.set().is_some())
            .map(str::to_string);
        at.unknown(
            message,
            "count(...) requires a particle set",
            &name.to_string(),
            sets,
        )
    }

    pub(super) fn active_blocks(&self, at: &Expr, name: &Name, place: &Place) -> Result<Measure, Failure> {
        let found = self.resource_in_series(name, place)?;
        if let Some(grid) = found.and_then(|grid| grid.sparse()) {
            return Ok(word(grid.fields.header, header::ACTIVE as u64));
        }
        let message = format!("`{name}` is not a sparse grid");
        let grids = self
            .names_of(|resource| resource.sparse().is_some())
            .map(str::to_string);
        at.unknown(
            message,
            "blocks(...) requires a sparse grid",
            &name.to_string(),
            grids,
        )
    }

    /// The number of iterations of repeats in `step`.
    pub(super) fn iterations(
        &self,
        at: &Expr,
        name: &Name,
        place: &Place,
        lists: &mut Lists,
    ) -> Result<Measure, Failure> {
        let loops = loops_of(lists);
        let buffer = self.program.field_of(&Scope::of(0), name, place).flatten();
        let buffer = buffer.and_then(|found| self.field_id(&found));
        let written = name.to_string();
        let is_meant = |counted: &Counted| match counted {
            Counted::Buffer(field) => Some(*field) == buffer,
            Counted::Clock(repeat) => *repeat == written,
        };
        let Some((counted, condition)) = loops.iter().find(|(counted, _)| is_meant(counted)).cloned() else {
            let help = "iterations(...) requires a buffer that a repeat names in `while`, or the name of a repeat over \
                        `clock.left`";
            let message = format!("no repeat of `step` has \"while\": \"{name}\"");
            let known = loops.into_iter().map(|(_, condition)| condition);
            return at.unknown(message, help, &written, known);
        };
        let (pipeline, counter) = (&mut lists.pipeline, lists.counters.entry(counted));
        let counter = counter.or_insert_with(|| add_counter(pipeline, &condition));
        Ok(word(*counter, 0))
    }

    /// The remaining time of a sub-cycled repeat.
    pub(super) fn left(&self, at: &Expr, name: &Name, lists: &Lists) -> Result<Measure, Failure> {
        let clocks = loops_of(lists)
            .into_iter()
            .filter_map(|(counted, _)| match counted {
                Counted::Clock(repeat) => Some(repeat),
                Counted::Buffer(_) => None,
            });
        let clocks: Vec<String> = clocks.collect();
        let written = name.to_string();
        if let Some(clock) = self.clock_of(&written).filter(|_| clocks.contains(&written)) {
            return Ok(word(clock, clock::CLOCK_LEFT.into()));
        }
        let message = format!("`{name}` is not a repeat with \"while\": \"clock.left\"");
        let help = "left(...) is for repeats with \"while\": \"clock.left\"";
        at.unknown(message, help, &written, clocks)
    }
}

/// The repeats with `while` in `step`: their counters, and their names in messages.
fn loops_of(lists: &Lists) -> Vec<(Counted, String)> {
    fn visit(actions: &[Action], into: &mut Vec<(Counted, String)>) {
        for action in actions {
            if let ActionKind::Loop(inner) = &action.kind {
                let shown = if inner.is_clock {
                    &inner.name
                } else {
                    &inner.condition
                };
                into.push((inner.counted.clone(), shown.clone()));
                inner.iterations.iter().for_each(|actions| visit(actions, into));
            }
        }
    }
    let mut loops = Vec::new();
    for (list, actions) in &lists.lists {
        if *list == List::Step {
            visit(actions, &mut loops);
        }
    }
    loops
}

/// One word of an internal buffer.
fn word(field: FieldId, number: u64) -> Measure {
    let (only, one) = (Some(number), measured(field, MeasuredPart::Component(0)));
    Measure::Of(Measured { only, ..one }, Reduction::Value)
}
