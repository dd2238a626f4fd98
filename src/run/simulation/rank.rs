//! The state of a simulation that is one of several ranks.

use crate::ir::Cut;
use crate::plan::Halos;
use crate::ranks::Ranks;

use super::super::error::RunError;
use super::super::exchange::Exchanges;

/// The other ranks, the validity of halos, and the exchanges of a simulation.
pub(super) struct Ranked {
    pub(super) ranks: Ranks,
    pub(super) halos: Halos,
    pub(super) exchanges: Exchanges,
}

impl Ranked {
    /// `None` for a pipeline that is not cut.
    pub(super) fn new(ranks: Option<Ranks>, cut: Option<&Cut>) -> Result<Option<Ranked>, RunError> {
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
        Ok(Some(Ranked {
            ranks: ranks.clone(),
            halos: Halos::default(),
            exchanges: Exchanges::default(),
        }))
    }
}
