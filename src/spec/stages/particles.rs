//! Stages that add particles to a dynamic set, and what stages over such a set touch besides.

use super::super::file::{Number, StageFile};
use super::Unroller;
use super::binding::LocalName;
use crate::element::Element;
use crate::ir::*;
use crate::lower::emission::{Births, emission};
use crate::problem::Problem;

impl Unroller<'_, '_> {
    /// A stage that emits: the engine makes room and raises the live count round it.
    pub(super) fn emit(&mut self, file: &StageFile, pointer: &str, into: &mut Vec<Invocation>) {
        if self.is_in_frames(pointer, "frame stages cannot add particles") {
            return;
        }
        let set = file.emits.as_deref().unwrap_or_default();
        let Some(set) = self.dynamic_set(set, &format!("{pointer}/emits")) else {
            return;
        };
        let Some((births, values)) = self.births(file, pointer) else {
            return;
        };
        let one = Number::Value(1.0);
        let every = file.every.as_ref().unwrap_or(&one);
        // A wrong number is reported with the stage.
        let every = self.resolver.scope.number(every, pointer).map_or(1, |n| n as u32);
        let ids = self.engine_stages(pointer, "emission", set, every, |resolver, entry| {
            emission(&resolver.pipeline, set, births, entry)
        });
        let [admit, identify @ .., emit] = &ids[..] else {
            return;
        };
        into.push(Invocation::new(*admit, values));
        into.extend(identify.iter().copied().map(Invocation::without_arguments));
        self.stage(file, pointer, into);
        into.push(Invocation::without_arguments(*emit));
    }

    /// Where the number of births comes from, and its value if the file says it.
    fn births(&mut self, file: &StageFile, pointer: &str) -> Option<(Births, Vec<Vec<u32>>)> {
        let at = format!("{pointer}/count");
        let Some(count) = &file.count else {
            let problem = Problem::new(pointer, "a stage with `emits` requires a `count`");
            let help = "add \"count\": the number of particles to add, or the name of a uint buffer with \
                        that number";
            self.resolver.problems.push(problem.help(help));
            return None;
        };
        if let Number::Expression(name) = count
            && let Some(id) = self
                .resolver
                .pipeline
                .resources
                .iter()
                .position(|r| r.name == *name)
        {
            let buffer = self
                .resolver
                .pipeline
                .fields
                .iter()
                .position(|field| field.resource == id);
            let is_count = |id: &FieldId| {
                let field = &self.resolver.pipeline.fields[*id];
                field.name == *name && field.element == Element::Uint
            };
            if let Some(buffer) = buffer.filter(is_count) {
                return Some((Births::Buffer(buffer), Vec::new()));
            }
            let problem = Problem::new(at, format!("`{name}` is not a uint buffer"));
            let help = "the number of births is the first element of a uint buffer";
            self.resolver.problems.push(problem.help(help));
            return None;
        }
        let number = self.resolver.count(count, &at, 0, u64::from(u32::MAX))?;
        Some((Births::Number, vec![vec![number as u32]]))
    }

    /// Looks a dynamic set up by its name.
    pub(super) fn dynamic_set(&mut self, name: &str, pointer: &str) -> Option<ResourceId> {
        let resources = &self.resolver.pipeline.resources;
        let found = resources.iter().position(|resource| resource.name == name);
        if let Some(id) = found.filter(|id| resources[*id].live().is_some()) {
            return Some(id);
        }
        let problem = Problem::new(pointer, format!("`{name}` is not a dynamic particle set"));
        let dynamic = (resources.iter().filter(|r| r.live().is_some())).map(|r| &*r.name);
        self.resolver.problems.push(match found {
            Some(id) if resources[id].set().is_some() => {
                problem.help("add \"capacity\" to the set: the largest number of live particles")
            }
            _ => problem
                .help("name a set of `particles` with a `capacity`")
                .suggest(name, dynamic),
        });
        None
    }

    /// What a stage of the file runs over.
    pub(super) fn stage_domain(&mut self, file: &StageFile, pointer: &str) -> Option<Domain> {
        if let Some(groups) = &file.groups {
            return self.groups(file, groups, pointer);
        }
        let problem = match (&file.over, &file.emits) {
            (Some(over), None) if file.count.is_none() => {
                return self.domain(over, &format!("{pointer}/over"));
            }
            (None, Some(set)) => {
                let set = self.dynamic_set(set, &format!("{pointer}/emits"))?;
                let capacity = self.resolver.pipeline.resources[set].size[0];
                let over = Over::Newborn;
                return Some(Domain {
                    over,
                    ..Domain::list(capacity, Some(set))
                });
            }
            (Some(_), None) => Problem::new(format!("{pointer}/count"), "`count` requires `emits`")
                .help("remove it; `over` is the domain of a stage and may be a number"),
            (Some(_), Some(_)) => Problem::new(
                format!("{pointer}/over"),
                "a stage that emits runs over the particles that it adds",
            )
            .help("remove `over`; `count` is their number"),
            (None, None) => Problem::new(pointer, "a stage requires one of `over`, `groups` and `emits`")
                .help("add \"over\": the domain, for example \"air\""),
        };
        self.resolver.problems.push(problem);
        None
    }

    /// Reports writes of what the engine keeps.
    pub(super) fn check_writes(&mut self, writes: &[LocalName], pointer: &str) {
        let resolver = &mut *self.resolver;
        for (position, LocalName { field, .. }) in writes.iter().enumerate() {
            let resources = &resolver.pipeline.resources;
            if resources.iter().any(|resource| resource.live() == Some(*field)) {
                let message = format!(
                    "`{}` is managed by the engine",
                    resolver.pipeline.fields[*field].name
                );
                let problem = Problem::new(format!("{pointer}/writes/{position}"), message);
                let help = "stages with `emits` and entries with `remove` change it; any stage may read it";
                resolver.problems.push(problem.help(help));
            }
        }
    }
}
