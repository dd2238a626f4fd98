//! The state of a page manager, for checkpoints.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::bits::{get, set};
use super::{Addressing, Changes, PageManager, Policy};
use crate::grid::Layout;
use crate::grid::granules::Granule;

/// The state of a page manager between two updates. A manager that is restored with the same layout, policy and
/// addressing makes the same decisions, including the memory of blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PagesState {
    pub updates: u64,
    /// Ascending by block.
    pub active: Vec<ActiveBlock>,
    /// Ascending by granule.
    pub granules: Vec<BoundGranule>,
    /// Ascending.
    pub chunks: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveBlock {
    pub block: u32,
    /// The first update without a request, if no later one has requested it.
    pub unrequested_since: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundGranule {
    pub granule: u32,
    pub chunk: u32,
    pub slot: u32,
    /// The update that freed its last block, if it has none.
    pub retired: Option<u64>,
}

impl PageManager {
    pub fn state(&self) -> PagesState {
        let active = self.active.iter().map(|&block| ActiveBlock {
            block,
            unrequested_since: self.waiting_since.get(&block).copied(),
        });
        let granules = self
            .granules
            .by_number
            .iter()
            .map(|(&granule, place)| BoundGranule {
                granule,
                chunk: place.chunk,
                slot: place.slot,
                retired: place.retired,
            });
        let mut granules: Vec<BoundGranule> = granules.collect();
        granules.sort_unstable_by_key(|bound| bound.granule);
        PagesState {
            updates: self.updates,
            active: active.collect(),
            granules,
            chunks: self.granules.pool.chunks().collect(),
        }
    }

    /// A page manager with a state, and the changes from an empty grid to it. States come from files: a state that does not
    /// fit the layout and the policy, or contradicts itself, is an error.
    pub fn restore(
        layout: &Layout,
        policy: Policy,
        mode: Addressing,
        state: &PagesState,
    ) -> Result<(PageManager, Changes), String> {
        let mut manager = PageManager::new(layout, policy, mode);
        manager.updates = state.updates;
        for chunk in &state.chunks {
            if !manager.granules.pool.allocate(*chunk) {
                return Err(format!(
                    "chunk {chunk} of its memory occurs twice or exceeds the budget"
                ));
            }
        }
        let mut granules = state.checked_granules()?;
        for active in &state.active {
            manager.restore_block(state, *active, &mut granules)?;
        }
        let beyond = layout.numbers() >> manager.granule_log2;
        if let Some((number, _)) = granules.last().filter(|(number, _)| u64::from(*number) >= beyond) {
            return Err(format!("granule {number} is not in the domain"));
        }
        let binds = manager.granules.restore(&granules)?;
        debug_assert!(
            manager
                .active
                .iter()
                .all(|block| get(&manager.active_bits, *block))
        );
        let paged = manager
            .active
            .iter()
            .filter_map(|block| Some((*block, manager.page(*block)?)));
        let changes = Changes {
            activated: paged.collect(),
            binds,
            changed: !manager.active.is_empty(),
            ..Changes::default()
        };
        let new_chunks = manager.granules.pool.take_grown();
        Ok((
            manager,
            Changes {
                new_chunks,
                ..changes
            },
        ))
    }

    /// Activates a block whose granule has memory.
    fn restore_block(
        &mut self,
        state: &PagesState,
        active: ActiveBlock,
        granules: &mut [(u32, Granule)],
    ) -> Result<(), String> {
        let block = active.block;
        if !self.layout.contains(block) || self.active.last().is_some_and(|last| *last >= block) {
            return Err(format!("block {block} is out of order or not in the domain"));
        }
        let number = block >> self.granule_log2;
        let found = granules.binary_search_by_key(&number, |(number, _)| *number);
        let Some((_, granule)) = found.ok().and_then(|place| granules.get_mut(place)) else {
            return Err(format!("block {block} is active and has no memory"));
        };
        granule.blocks += 1;
        self.active.push(block);
        set(&mut self.active_bits, block, true);
        if let Some(since) = active.unrequested_since {
            if since > state.updates || self.policy.persistent {
                return Err(format!(
                    "block {block} cannot wait to be freed since update {since}"
                ));
            }
            self.waiting.insert((since, Reverse(block)));
            self.waiting_since.insert(block, since);
            set(&mut self.waiting_bits, block, true);
        }
        Ok(())
    }
}

impl PagesState {
    /// Its granules by number, without their blocks.
    fn checked_granules(&self) -> Result<Vec<(u32, Granule)>, String> {
        let mut granules: Vec<(u32, Granule)> = Vec::with_capacity(self.granules.len());
        for bound in &self.granules {
            if granules.last().is_some_and(|(last, _)| *last >= bound.granule) {
                return Err(format!("granule {} is out of order", bound.granule));
            }
            if bound.retired.is_some_and(|retired| retired > self.updates) {
                return Err(format!("granule {} retired after the last update", bound.granule));
            }
            let granule = Granule {
                chunk: bound.chunk,
                slot: bound.slot,
                blocks: 0,
                retired: bound.retired,
            };
            granules.push((bound.granule, granule));
        }
        Ok(granules)
    }
}
