//! The state of a simulation that is one of several ranks.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::gpu::Recording;
use crate::ir::{CutSet, FieldId, Neighbours, Pipeline, ResourceId};
use crate::plan::schedule::FieldCopy;
use crate::plan::{Halos, List, Particles};
use crate::ranks::Ranks;

use super::super::error::RunError;
use super::super::exchange::{Exchanges, KeptRuns};
use super::super::planes::Planes;
use super::pass::PartsThatRan;

/// The other ranks, the validity of halos, and the exchanges of a simulation.
pub(super) struct Ranked {
    pub(super) ranks: Ranks,
    pub(super) halos: Halos,
    pub(super) exchanges: Exchanges,
    /// The particles of all ranks.
    pub(super) particles: Particles,
    /// The number of particles of each set on all ranks.
    pub(super) counts: HashMap<ResourceId, u64>,
    /// The particles of this rank that need no halo, by set.
    pub(super) inner: HashMap<ResourceId, Range<u64>>,
    /// The sets that were sorted, so that ranks have divided their particles.
    pub(super) divided: HashSet<ResourceId>,
    /// Conditions of repeats that no step changes: true if they are 0. The others are false.
    pub(super) constants: HashMap<FieldId, bool>,
    /// The planes of cells of sorted particles, by set.
    pub(super) planes: HashMap<ResourceId, Planes>,
    /// The exchanges of particles without ghosts, by set.
    pub(super) runs: HashMap<ResourceId, KeptRuns>,
    /// The parts that ran, by list and repeat with `while`.
    pub(super) parts: HashMap<(List, usize), PartsThatRan>,
    /// Recordings that set copies of fields to 0.
    pub(super) zeros: HashMap<FieldCopy, Recording>,
}

impl Ranked {
    /// The number of particles of a set on all ranks.
    pub(super) fn count(&self, set: ResourceId) -> u64 {
        self.counts.get(&set).copied().unwrap_or(0)
    }

    /// `None` for a pipeline that is not cut.
    pub(super) fn new(ranks: Option<Ranks>, pipeline: &Pipeline) -> Result<Option<Ranked>, RunError> {
        let cut = pipeline.cut.as_deref();
        let (Some(ranks), Some(cut)) = (&ranks, cut) else {
            return match (&ranks, cut) {
                (None, Some(_)) => Err(RunError::Misuse(
                    "the pipeline is cut, but there are no ranks".into(),
                )),
                (Some(ranks), None) if ranks.count() > 1 => Err(RunError::Misuse(
                    "there are several ranks, but the pipeline is not cut".into(),
                )),
                _ => Ok(None),
            };
        };
        if (cut.rank, cut.partition.ranks()) != (ranks.rank(), ranks.count()) {
            return Err(RunError::Misuse("the pipeline is cut for other ranks".into()));
        }
        let at_start = |set: &CutSet| {
            let count = pipeline.count_at_start(set.set());
            let all = (0..ranks.count()).map(|rank| Neighbours::at_start(set, [rank, ranks.count()], count));
            (set.set(), all.collect())
        };
        Ok(Some(Ranked {
            particles: cut.sets.iter().map(at_start).collect(),
            counts: (cut.sets.iter())
                .map(|set| (set.set(), pipeline.count_at_start(set.set())))
                .collect(),
            inner: HashMap::new(),
            divided: HashSet::new(),
            constants: HashMap::new(),
            planes: HashMap::new(),
            runs: HashMap::new(),
            parts: HashMap::new(),
            zeros: HashMap::new(),
            ranks: ranks.clone(),
            halos: Halos::default(),
            exchanges: Exchanges::default(),
        }))
    }
}
