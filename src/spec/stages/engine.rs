//! Entries that stand for stages of the engine's own.

use super::super::resolver::Resolver;
use super::Unroller;
use crate::ir::*;
use crate::lower::Entry;
use crate::problem::Problem;

impl Unroller<'_, '_> {
    /// The stages of an entry, made at its first turn. `make` gets a suffix that tells the entries of one kind about
    /// one resource apart.
    pub(super) fn engine_stages(
        &mut self,
        pointer: &str,
        kind: &str,
        resource: ResourceId,
        every: u32,
        make: impl FnOnce(&mut Resolver, Entry) -> Vec<Draft>,
    ) -> Vec<StageId> {
        let key = self.key(pointer);
        if let Some(ids) = self.engine.get(&key) {
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
        let entry = Entry {
            list: self.list,
            every,
            suffix: &suffix,
            pointer,
        };
        let (conditions, clock) = (self.open_conditions(), self.open_clock());
        let drafts = make(self.resolver, entry);
        self.resolver.take_in(SET_SECTION);
        for mut stage in drafts {
            stage.conditions.clone_from(&conditions);
            stage.clock = clock;
            let name = stage.name.clone();
            let pipeline = &mut self.resolver.pipeline;
            let id = stage.finish(pipeline);
            if let Some(other) = self.ids.insert(name.clone(), id) {
                let message = format!(
                    "the name `{name}` is used by this {kind} and at {}",
                    pipeline.stages[other].pointer
                );
                self.resolver
                    .problems
                    .push(Problem::new(pointer, message).help("choose another name for the other stage"));
            }
            ids.push(id);
        }
        self.engine.insert(key, ids.clone());
        ids
    }

    /// Reports an entry that changes the simulation in the frame list; true if it did.
    pub(super) fn is_in_frames(&mut self, pointer: &str, message: &str) -> bool {
        let in_frames = self.list == List::Frame;
        if in_frames {
            let problem = Problem::new(pointer, message);
            self.resolver
                .problems
                .push(problem.help("frame stages must not change the simulation: move it to `step`"));
        }
        in_frames
    }
}
