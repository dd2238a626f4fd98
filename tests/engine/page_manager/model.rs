//! A plain model of the page manager.

use std::collections::{BTreeMap, BTreeSet};

use sastrugi::grid::{Layout, Policy, WhenFull};

pub struct Model<'a> {
    layout: &'a Layout,
    policy: &'a Policy,
    now: u64,
    /// Active blocks, and the last update that requested each.
    last_request: BTreeMap<u32, u64>,
}

impl<'a> Model<'a> {
    pub fn new(layout: &'a Layout, policy: &'a Policy) -> Model<'a> {
        Model {
            layout,
            policy,
            now: 0,
            last_request: BTreeMap::new(),
        }
    }

    pub fn active(&self) -> Vec<u32> {
        self.last_request.keys().copied().collect()
    }

    /// The number of requests that stay unserved; or, when full, the number of blocks that would be active.
    pub fn update(&mut self, bits: &[u32]) -> Result<u64, u64> {
        let requested: BTreeSet<u32> = (0..32 * bits.len() as u32)
            .filter(|block| {
                bits[*block as usize / 32] >> (block % 32) & 1 == 1 && self.layout.contains(*block)
            })
            .collect();
        let now = self.now + 1;
        let before: BTreeSet<u32> = self.last_request.keys().copied().collect();
        // Longest without a request first; of equals the highest number first.
        let mut unrequested: Vec<(u64, u32)> = (self.last_request.iter())
            .filter(|(block, _)| !requested.contains(block))
            .map(|(block, last)| (*last, *block))
            .collect();
        unrequested.sort_by_key(|(last, block)| (*last, std::cmp::Reverse(*block)));
        if self.policy.persistent {
            unrequested.clear();
        }
        let keep = u64::from(self.policy.keep);
        let mut after = self.last_request.clone();
        unrequested.retain(|(last, block)| now - last <= keep || after.remove(block).is_none());
        for block in &requested {
            after.insert(*block, now);
        }
        // Blocks active before keep their memory during this update, even if they leave.
        let limit = self.policy.budget_blocks as usize;
        let held = |after: &BTreeMap<u32, u64>| {
            after.keys().filter(|block| !before.contains(block)).count() + before.len()
        };
        let mut unserved = 0;
        if held(&after) > limit {
            if self.policy.when_full == WhenFull::Stop {
                return Err(after.len() as u64);
            }
            let shortage = held(&after) - limit;
            let mut leaving = unrequested.iter();
            while before.iter().filter(|block| !after.contains_key(block)).count() < shortage {
                let Some((_, block)) = leaving.next() else { break };
                after.remove(block);
            }
            let new: Vec<u32> = requested
                .iter()
                .filter(|block| !self.last_request.contains_key(block))
                .copied()
                .collect();
            for block in new.into_iter().rev() {
                if held(&after) <= limit {
                    break;
                }
                after.remove(&block);
                unserved += 1;
            }
        }
        (self.now, self.last_request) = (now, after);
        Ok(unserved)
    }
}
