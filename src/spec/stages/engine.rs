//! Entries that stand for stages of the engine's own.

use super::super::model::*;
use super::super::problem::Problem;
use super::super::resolve::Resolver;
use super::Unroller;

impl Unroller<'_, '_> {
    /// The stages of an entry, made at its first turn. `make` gets a suffix that tells the entries of one kind about
    /// one resource apart.
    pub(super) fn engine_stages(
        &mut self,
        pointer: &str,
        kind: &str,
        resource: ResourceId,
        make: impl FnOnce(&mut Resolver, &str) -> Vec<Stage>,
    ) -> Vec<StageId> {
        if let Some(ids) = self.engine.get(pointer) {
            return ids.clone();
        }
        // Removals and sorts end with the same moves.
        let family = if kind == "sort" { "removal" } else { kind };
        let earlier = self.entries_of.entry(format!("{family} {resource}")).or_default();
        *earlier += 1;
        let suffix = match *earlier {
            1 => String::new(),
            number => format!("_{number}"),
        };
        let mut ids = Vec::new();
        for stage in make(self.resolver, &suffix) {
            if let Some(other) = self.ids.insert(stage.name.clone(), self.stages.len()) {
                let message = format!(
                    "`{}` is a stage of this {kind} and at {}",
                    stage.name, self.stages[other].pointer
                );
                self.resolver
                    .problems
                    .push(Problem::new(pointer, message).help("give the other stage another name"));
            }
            ids.push(self.stages.len());
            self.stages.push(stage);
        }
        self.engine.insert(pointer.to_string(), ids.clone());
        ids
    }

    /// Reports an entry that changes the simulation in the frame list; true if it did.
    pub(super) fn is_in_frames(&mut self, pointer: &str, message: &str) -> bool {
        let in_frames = pointer.starts_with("/frame");
        if in_frames {
            let problem = Problem::new(pointer, message);
            self.resolver
                .problems
                .push(problem.help("they leave the simulation alone: move it to `step`"));
        }
        in_frames
    }
}
