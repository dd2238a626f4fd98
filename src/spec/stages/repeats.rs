//! Repeats: their turns, and the buffers that end them.

use super::super::file::{Number, Numbers, RepeatFile};
use super::super::names::check_name;
use super::{MOST_INVOCATIONS, Unroller};
use crate::ir::*;
use crate::problem::Problem;

/// Deepest nesting.
const DEEPEST_REPEAT: usize = 8;

impl Unroller<'_, '_> {
    pub(super) fn repeat(
        &mut self,
        repeat: &RepeatFile,
        pointer: &str,
        depth: usize,
        into: &mut Vec<Invocation>,
    ) {
        check_name(
            &repeat.repeat,
            &format!("{pointer}/repeat"),
            &mut self.resolver.problems,
        );
        if depth >= DEEPEST_REPEAT {
            let message = format!("repeats are nested more than {DEEPEST_REPEAT} deep");
            let problem =
                Problem::new(pointer, message).help("combine inner repeats into one with a list of values");
            return self.resolver.problems.push(problem);
        }
        let over = format!("{pointer}/over");
        let values = match &repeat.over {
            Numbers::One(number) if !matches!(number, Number::Expression(t) if self.resolver.scope.vector(t).is_some()) =>
            {
                let Some(count) = self.resolver.count(number, &over, 0, MOST_INVOCATIONS as u64) else {
                    return;
                };
                (0..count).map(|i| i as f64).collect()
            }
            numbers => match self.resolver.numbers(numbers, &over) {
                Some(values) => values,
                None => return,
            },
        };
        let clock = match self.has_clock(repeat) {
            true => match self.begin_clock(repeat, pointer, into) {
                Some(clock) => Some(clock),
                None => return,
            },
            false => None,
        };
        let outermost = self.conditions.is_empty() && repeat.condition.is_some();
        let number = self.loops;
        if outermost {
            self.loops += 1;
            self.reset_turns(repeat, pointer, into);
        }
        let open = self.conditions.len();
        let mut looks_at = clock;
        if let Some(clock) = clock {
            self.conditions.push((clock, format!("{pointer}/while")));
            self.clocks.push(clock);
        } else if let Some(name) = &repeat.condition {
            let at = format!("{pointer}/while");
            if let Some(field) = self.uint_buffer(name, &at)
                && !self.conditions.iter().any(|(known, _)| *known == field)
            {
                self.conditions.push((field, at));
                looks_at = Some(field);
            }
        }
        self.check_unfinished(repeat, looks_at, pointer);
        let index_name = format!("{}.index", repeat.repeat);
        let mut outer = None;
        let mut rhythm = 0;
        for (index, value) in values.iter().enumerate() {
            self.turns += 1;
            if self.turns == MOST_INVOCATIONS {
                self.too_long(
                    pointer,
                    format!("repeats have more than {MOST_INVOCATIONS} turns"),
                );
                break;
            }
            let scope = &mut self.resolver.scope;
            let earlier = (
                scope.insert(repeat.repeat.clone(), *value),
                scope.insert(index_name.clone(), index as f64),
            );
            outer.get_or_insert(earlier);
            let problems = self.resolver.problems.list.len();
            let (first, swaps) = (into.len(), self.swaps.len());
            self.count_turn(repeat, pointer, into);
            let counted = into.len();
            self.entries(&repeat.stages, &format!("{pointer}/stages"), depth + 1, into);
            rhythm = self.rhythm(rhythm, &into[counted..]);
            if let Some(clock) = clock {
                self.advance_clock(repeat, clock, pointer, into);
            }
            if outermost {
                let turn = Some(Turn {
                    repeat: number,
                    number: index,
                });
                (into[first..].iter_mut()).for_each(|entry| entry.turn = turn);
            }
            if repeat.condition.is_some() {
                self.check_swaps_of_turn(swaps, pointer);
            }
            // The same mistake in every turn is reported once.
            if self.resolver.problems.list.len() > problems || self.turns > MOST_INVOCATIONS {
                break;
            }
        }
        if let Some((value, index)) = outer {
            self.resolver.scope.restore(&repeat.repeat, value);
            self.resolver.scope.restore(&index_name, index);
        }
        self.conditions.truncate(open);
        if let Some(clock) = clock {
            self.clocks.pop();
            // Without turns nobody has looked at its stages.
            if !values.is_empty() {
                self.check_setters(clock, pointer);
            }
        }
        if let Some(field) = looks_at {
            self.note_unfinished(repeat, (field, values.len() as u32), rhythm.max(1), pointer, into);
        }
    }

    /// What the repeats with `while` that are open look at.
    pub(super) fn open_conditions(&self) -> Vec<FieldId> {
        self.conditions.iter().map(|(field, _)| *field).collect()
    }

    /// Reports a turn of a repeat with `while` after which some name stands for another memory: which turn is the last
    /// one is known to the device alone.
    fn check_swaps_of_turn(&mut self, first: usize, pointer: &str) {
        let swaps = &self.swaps[first..];
        let Some([a, b]) = swaps.last().filter(|_| !Swaps::cancel(swaps)) else {
            return;
        };
        let fields = &self.resolver.pipeline.fields;
        let message = format!(
            "a turn of this repeat swaps `{}` and `{}` and does not swap them back, but the repeat may end \
             after any turn",
            fields[*a].name, fields[*b].name
        );
        let help = "swap each pair an even number of times a turn: write the stages of two turns into one, with a swap \
                    after each";
        self.resolver
            .problems
            .push(Problem::new(format!("{pointer}/while"), message).help(help));
    }
}
