//! How many particles a set holds, and whether that changes.

use crate::ir::*;
use crate::lower::emission;
use crate::particles::live;
use crate::problem::Problem;
use crate::spec::file::{Number, ParticlesFile};
use crate::spec::resolver::Resolver;

impl Resolver<'_> {
    /// Most particles of a set, and for a dynamic one the field that holds how many live. `from` is what its sources
    /// give, where it has any and they are good.
    pub(in crate::spec) fn population(
        &mut self,
        name: &str,
        set: &ParticlesFile,
        ring: u32,
        from: Option<u64>,
        pointer: &str,
    ) -> (Option<u64>, Option<FieldId>) {
        let mut at = format!("{pointer}/count");
        if set.from.is_some() {
            if set.count.is_some() {
                let problem = Problem::on_key(
                    &at,
                    "`count` and `from` exclude each other: the sources determine the number of particles",
                );
                let help = "remove `count`; if it comes from the base file, write \"count\": null";
                self.problems.push(problem.help(help));
            }
            at = format!("{pointer}/from");
        }
        let Some(capacity) = &set.capacity else {
            if set.from.is_some() {
                return (from, None);
            }
            let Some(count) = &set.count else {
                let problem = Problem::new(pointer, "a set requires a `count`, a `capacity`, or both");
                let help = "add \"count\": the number of particles; or \"capacity\", if it changes";
                self.problems.push(problem.help(help));
                return (None, None);
            };
            return (self.count(count, &at, 1, u64::from(u32::MAX)), None);
        };
        let capacity = self.count(capacity, &format!("{pointer}/capacity"), 1, live::MOST_PARTICLES);
        let most = capacity.unwrap_or(live::MOST_PARTICLES);
        let none = Number::Value(0.0);
        let count = match set.from {
            Some(_) => from,
            None => self.count(set.count.as_ref().unwrap_or(&none), &at, 0, u64::from(u32::MAX)),
        };
        if let Some(count) = count.filter(|count| *count > most) {
            let problem = Problem::new(at, format!("{count} particles exceed the capacity of {most}"));
            self.problems
                .push(problem.help("raise `capacity`, or start with fewer"));
        }
        let count = count.unwrap_or(0).min(most) as u32;
        let field = emission::live_field(&mut self.pipeline, name, ring, count);
        self.take_in("particles");
        (capacity, Some(field))
    }
}
