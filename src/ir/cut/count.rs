//! Sets whose number of particles changes: ranks divide them if new particles are sorted before a stage needs to know where
//! they are.

use super::super::ids::{FieldId, ResourceId, StageId};
use super::super::pipeline::Pipeline;
use super::super::stage::{Completed, Invocation, Stage};
use super::super::{Over, Reach, Start};
use super::{Cut, CutSet, Uncut};
use crate::particles::live;

impl Pipeline {
    /// The number of particles of a set before the first step.
    pub fn count_at_start(&self, set: ResourceId) -> u64 {
        let resource = &self.resources[set];
        let live = resource.live().map(|live| &self.fields[live].start);
        match live {
            Some(Start::Values(bytes)) => live::count(bytes).map_or(0, u64::from),
            _ => resource.elements(),
        }
    }

    /// The set whose particles of this rank determine the number of workgroups of a stage.
    pub fn counted_by(&self, id: StageId) -> Option<&CutSet> {
        let (cut, stage) = (self.cut.as_deref()?, &self.stages[id]);
        let set = cut.set_of(stage).filter(|_| cut.grow(id).is_some())?;
        if stage.domain.over == Over::Newborn {
            return None;
        }
        let is_counted = stage.shares.is_some() || stage.domain.size == self.resources[set.set()].size;
        is_counted.then_some(set)
    }

    /// Returns true for a stage over new particles of a set that is cut: all ranks add all of them.
    pub fn emits_into_cut_set(&self, cut: &Cut, stage: &Stage) -> bool {
        stage.domain.over == Over::Newborn && cut.set_of(stage).is_some()
    }

    /// Returns true for a stage of the engine that counts particles of a set: it runs once.
    pub(super) fn counts_set(&self, stage: &Stage) -> bool {
        let set = stage.domain.resource.map(|id| &self.resources[id]);
        let is_dynamic = set.is_some_and(|set| set.live().is_some());
        is_dynamic
            && self.built_in(stage).is_some()
            && (stage.domain.over, stage.domain.size) == (Over::Elements, [1; 3])
    }

    /// The reasons for which ranks cannot follow the number of particles of a set.
    pub(super) fn check_count(&self, cut: &Cut, set: &CutSet) -> Vec<Uncut> {
        if self.resources[set.set()].live().is_none() {
            return Vec::new();
        }
        let mut uncut: Vec<Uncut> = Vec::new();
        let mut refuse = |stage: &Stage, (cause, help): (String, &str)| {
            let message = format!("stage `{}` cannot be cut into parts: it {cause}", stage.name);
            if !uncut.iter().any(|known| known.message == message) {
                uncut.push(Uncut {
                    pointer: Some(stage.pointer.clone()),
                    message,
                    help: Some(help.into()),
                });
            }
        };
        let is_over = |stage: &&Stage| stage.shares.or(stage.domain.resource) == Some(set.set());
        let stage_of = |entry: &Invocation| &self.stages[entry.stage];
        let steps = self.step.iter().filter(|entry| entry.call.is_none());
        for stage in steps.clone().map(stage_of).filter(is_over) {
            if let Some(cause) = self.emission_problem(cut, set.set(), stage) {
                refuse(stage, cause);
            }
        }
        for stage in self.frame.iter().map(stage_of).filter(is_over) {
            if stage.completes.is_some() {
                let cause = format!(
                    "changes the number of particles of `{}` in `frame`",
                    self.resources[set.set()].name
                );
                refuse(stage, (cause, "change it in `step`"));
            }
        }
        // The second time, particles of the step before are new.
        let passes = [
            self.init.iter().collect(),
            steps.clone().collect(),
            steps.collect::<Vec<_>>(),
        ];
        let mut emitted: Vec<(&Stage, usize)> = Vec::new();
        for (pass, entries) in passes.iter().enumerate() {
            for stage in entries.iter().map(|entry| stage_of(entry)).filter(is_over) {
                match stage.completes {
                    Some(Completed::Emission(_)) => emitted.push((stage, pass)),
                    Some(Completed::Sort(_)) => {
                        emitted.retain(|(emits, of)| !follows(stage, emits, *of == pass));
                    }
                    _ if !emitted.is_empty()
                        && !self.is_of_sort_or_emission(stage)
                        && !self.is_alone(cut, set.set(), stage) =>
                    {
                        let name = &self.resources[set.set()].name;
                        let cause = format!("runs over new particles of `{name}` that are not sorted yet");
                        let help =
                            "sort the set in every step that emits, between stages that emit and this one";
                        refuse(stage, (cause, help));
                    }
                    _ => {}
                }
            }
        }
        uncut
    }

    /// Why ranks do not make the same new particles, and the help; `None` if they do.
    fn emission_problem(&self, cut: &Cut, set: ResourceId, stage: &Stage) -> Option<(String, &'static str)> {
        let name = &self.resources[set].name;
        let changes = matches!(
            stage.completes,
            Some(Completed::Emission(_) | Completed::Removal(_))
        );
        if changes && !stage.conditions.is_empty() {
            let cause = format!("changes the number of particles of `{name}` in a repeat with `while`");
            return Some((cause, "change it outside of the repeat"));
        }
        if stage.domain.over != Over::Newborn || self.built_in(stage).is_some() {
            return None;
        }
        let signature = &self.kernel_of(stage).signature;
        let bound = || signature.fields.iter().zip(&stage.bindings);
        let of_set = |field: FieldId| self.fields[field].resource == set;
        let help = "let new particles depend on fields alone that all ranks have";
        let read = bound().find(|(local, field)| {
            let resource = self.fields[**field].resource;
            let is_own = of_set(**field) && local.reach.all != Reach::Anywhere;
            local.reads && !is_own && (cut.grid(resource).is_some() || of_set(**field))
        });
        if let Some((_, field)) = read {
            let cause = format!(
                "reads `{}` for new particles of `{name}`",
                self.fields[*field].name
            );
            return Some((cause, help));
        }
        let written = bound().find(|(local, field)| local.writes && !of_set(**field));
        let others = written.map(|(_, field)| self.fields[*field].name.clone());
        others.map(|field| (format!("writes `{field}` for new particles of `{name}`"), help))
    }

    fn is_of_sort_or_emission(&self, stage: &Stage) -> bool {
        let removes = [
            "particles/tally.comp",
            "particles/compact.comp",
            "particles/retire.comp",
        ];
        let built_in = self.built_in(stage).filter(|path| path.starts_with("particles/"));
        stage.domain.over == Over::Newborn || built_in.is_some_and(|path| !removes.contains(&path))
    }

    /// Returns true if a stage accesses the attributes of each particle alone, and fields that all ranks have: every rank can run
    /// it over new particles.
    fn is_alone(&self, cut: &Cut, set: ResourceId, stage: &Stage) -> bool {
        let locals = self.kernel_of(stage).signature.fields.iter();
        let mut bound = locals.zip(&stage.bindings);
        stage.domain.over == Over::Live
            && self.built_in(stage).is_none()
            && bound.all(|(local, field)| {
                let resource = self.fields[*field].resource;
                if resource == set {
                    local.reach.all == Reach::Cells(0)
                } else {
                    !local.writes && cut.grid(resource).is_none()
                }
            })
    }
}

/// Returns true if a sort runs after a stage that emits whenever that one has run, before other steps.
fn follows(sort: &Stage, emits: &Stage, is_in_same_step: bool) -> bool {
    let in_steps = is_in_same_step
        && emits.every.is_multiple_of(sort.every)
        && emits.first % sort.every == sort.first % sort.every;
    (sort.every == 1 || in_steps) && sort.conditions.is_empty()
}
