//! Repeats with `while` that may use all their turns before their condition ends them.

use super::super::file::{RepeatFile, UnfinishedFile};
use super::Unroller;
use super::turns::counted;
use crate::ir::*;
use crate::lower::turns;
use crate::problem::Problem;

impl Unroller<'_, '_> {
    /// Reports `unfinished` where nothing ends the repeat, or where a repeat around it decides that.
    pub(super) fn check_unfinished(&mut self, repeat: &RepeatFile, looks_at: Option<FieldId>, pointer: &str) {
        if repeat.unfinished.is_none() || looks_at.is_some() {
            return;
        }
        let problem = match &repeat.condition {
            None => Problem::new(
                format!("{pointer}/unfinished"),
                "a repeat without `while` always runs all its turns",
            )
            .help("leave it out, or name the buffer that ends the repeat in `while`"),
            Some(name)
                if self
                    .resolver
                    .pipeline
                    .field(name)
                    .is_some_and(|field| self.is_open(field)) =>
            {
                let message = format!("a repeat around this one looks at `{name}` too, and goes on");
                Problem::new(format!("{pointer}/unfinished"), message).help("state it in the outer repeat")
            }
            // The name is reported already.
            Some(_) => return,
        };
        self.resolver.problems.push(problem);
    }

    fn is_open(&self, field: FieldId) -> bool {
        self.conditions.iter().any(|(open, _)| *open == field)
    }

    /// The largest number of which all rhythms so far are multiples.
    pub(super) fn rhythm(&self, so_far: u32, entries: &[Invocation]) -> u32 {
        let stages = &self.resolver.pipeline.stages;
        let rhythms = entries.iter().map(|entry| stages[entry.stage].every);
        rhythms.fold(so_far, gcd)
    }

    /// The turns of a repeat are over: notes whether its condition still holds. In steps in which none of its stages runs,
    /// nothing is looked at.
    pub(super) fn note_unfinished(
        &mut self,
        repeat: &RepeatFile,
        (field, turns): (FieldId, u32),
        every: u32,
        pointer: &str,
        into: &mut Vec<Invocation>,
    ) {
        let wanted = repeat.unfinished.unwrap_or_default();
        let Some(name) = counted(repeat).filter(|_| wanted != UnfinishedFile::Continue) else {
            return;
        };
        let resource = self.resolver.pipeline.fields[field].resource;
        let list = self.list;
        let key = format!("{pointer}/unfinished");
        let ids = self.engine_stages(&key, "repeat", resource, every, |resolver, entry| {
            let pipeline = &mut resolver.pipeline;
            let (record, stage) = turns::note_unfinished(pipeline, (name, field), entry);
            pipeline.turn_limits.push(TurnLimit {
                repeat: repeat.repeat.clone(),
                list,
                condition: repeat.condition.clone().unwrap_or_default(),
                stops: wanted == UnfinishedFile::Stop,
                record,
            });
            vec![stage]
        });
        let swaps = self.swaps.len();
        into.extend(ids.into_iter().map(|stage| Invocation {
            swaps,
            ..Invocation::new(stage, vec![vec![turns]])
        }));
    }
}
