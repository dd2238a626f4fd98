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
            let message = format!("repeats nest at most {DEEPEST_REPEAT} deep");
            let problem =
                Problem::new(pointer, message).help("write inner repeats as one with a list of values");
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
        let first = into.len();
        let index_name = format!("{}.index", repeat.repeat);
        let mut outer = None;
        for (index, value) in values.iter().enumerate() {
            self.turns += 1;
            if self.turns == MOST_INVOCATIONS {
                self.too_long(
                    pointer,
                    format!("repeats take more than {MOST_INVOCATIONS} turns"),
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
            self.entries(&repeat.stages, &format!("{pointer}/stages"), depth + 1, into);
            // The same mistake in every turn is reported once.
            if self.resolver.problems.list.len() > problems || self.turns > MOST_INVOCATIONS {
                break;
            }
        }
        if let Some((value, index)) = outer {
            self.resolver.scope.restore(&repeat.repeat, value);
            self.resolver.scope.restore(&index_name, index);
        }
        if let Some(name) = &repeat.condition {
            self.set_condition(name, &format!("{pointer}/while"), &into[first..]);
        }
    }

    /// Lets these run only while the first element of a buffer is not 0.
    fn set_condition(&mut self, name: &str, pointer: &str, invocations: &[Invocation]) {
        let Some(field) = self.uint_buffer(name, pointer) else {
            return;
        };
        for invocation in invocations {
            let stage = &mut self.resolver.pipeline.stages[invocation.stage];
            let problem = if stage.condition.is_some_and(|earlier| earlier != field) {
                let message = "a repeat with `while` stands within another one";
                Problem::new(pointer, message).help("let one buffer say when both end")
            } else if matches!(stage.purpose, Purpose::Update(_)) {
                let message = "updates of sparse grids take the host's part, which cannot wait for `while`";
                Problem::new(pointer, message).help("move `update_grid` out of the repeat")
            } else {
                stage.condition = Some(field);
                continue;
            };
            return self.resolver.problems.push(problem);
        }
    }
}
