//! Stages over the particles of a set that is cut.

use super::super::pipeline::Pipeline;
use super::super::stage::Stage;
use super::super::{Over, Reach};
use super::{Cut, CutSet, Reason};

impl Pipeline {
    /// Returns true for a stage of the engine that sorts a set that is cut.
    pub fn sorts_cut_set(&self, cut: &Cut, stage: &Stage) -> bool {
        let is_sort = |path: &str| path.starts_with("particles/");
        cut.set_of(stage).is_some() && self.built_in(stage).is_some_and(is_sort)
    }

    /// Checks that a stage can run over the particles of this rank alone.
    pub(super) fn check_particles(&self, cut: &Cut, stage: &Stage, set: &CutSet) -> Result<[u64; 3], Reason> {
        let signature = &self.kernel_of(stage).signature;
        let is_over = match stage.domain.over {
            Over::Elements => stage.domain.size == self.resources[set.set()].size,
            Over::Live => true,
            Over::Groups => stage.shares.is_some(),
            _ => false,
        };
        if !is_over || self.built_in(stage).is_some() || !signature.reduces.is_empty() {
            return Err(Reason::Particles(set.set()));
        }
        if stage.own_numbers {
            return Err(Reason::OwnNumbers);
        }
        if signature.sets_length {
            return Err(Reason::SetsClock);
        }
        for (local, field) in signature.fields.iter().zip(&stage.bindings) {
            let resource = self.fields[*field].resource;
            let is_grid = cut.grid(resource).is_some_and(|grid| grid.scale.per == [1; 3]);
            if cut.set(resource).is_some_and(|other| other != set) {
                return Err(Reason::Particles(resource));
            }
            let is_of_others = stage.domain.over != Over::Groups && local.reach.all == Reach::Anywhere;
            let has_ghosts = stage.neighbours.is_some() && set.ghosts.is_some();
            let may_read = has_ghosts && self.may_read_neighbours(set.set());
            if local.reads && resource == set.set() && is_of_others && !may_read {
                return Err(Reason::OtherParticles(*field));
            }
            let fits = is_grid && set.ghosts.is_some() && local.reach.writes != Reach::Anywhere;
            // Each update unites the requests of all ranks.
            if !local.writes || resource == set.set() || fits || self.is_request(*field) {
                continue;
            }
            if is_grid {
                return Err(Reason::WritesAnywhere(*field));
            }
            let is_sum = self.is_sum(cut, *field, local.adds);
            let counts = match set.ghosts {
                // A kernel that shares particles adds for its own ones alone.
                Some(_) if stage.shares.is_some() => is_sum,
                _ => is_sum || self.adds_shares(cut, stage, *field),
            };
            if !counts {
                return Err(Reason::WritesElsewhere(*field));
            }
        }
        let mut grow = [0; 3];
        grow[set.axis] = set.reach();
        Ok(grow)
    }
}
