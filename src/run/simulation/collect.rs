//! Whole fields of which each rank holds a part, for states and tools.

use crate::gpu::Buffer;
use crate::ir::{ElementBox, FieldId, Layout, Slots};
use crate::plan::schedule::FieldCopy;
use crate::plan::{Lane, Touched};
use crate::ranks::Ranks;

use super::super::error::RunError;
use super::super::exchange::{bytes_of, pieces_of_part, place};
use super::Simulation;

impl Simulation {
    /// The bytes of a copy of a field of which each rank holds a part, on rank 0 or on all ranks; empty elsewhere. All ranks
    /// must call it.
    pub(super) fn collect(
        &mut self,
        field: FieldId,
        at: FieldCopy,
        to_all: bool,
    ) -> Result<Vec<u8>, RunError> {
        let (Some(partition), Some(ranked)) = (self.partition(), &self.ranked) else {
            return Ok(Vec::new());
        };
        let ranks: Ranks = ranked.ranks.clone();
        let layout = self.prepared.pipeline.layout_of(field);
        let layout = ranked.halos.arranged(at, layout);
        let pieces: Vec<_> = (0..ranks.count())
            .map(|rank| pieces_of_part(&partition, rank, &layout))
            .collect();
        let receives = to_all || ranks.is_root();
        let mut whole = vec![
            0;
            if receives {
                self.prepared.pipeline.field_bytes(field) as usize
            } else {
                0
            }
        ];
        let what = format!("of `{}`", self.prepared.pipeline.fields[field].name);
        let turns = pieces.iter().map(Vec::len).max().unwrap_or(0);
        for turn in 0..turns {
            let own = match pieces[ranks.rank()].get(turn) {
                Some(slots) => self.piece(at, layout, slots.clone())?,
                None => Vec::new(),
            };
            let others = (0..ranks.count()).filter(|other| *other != ranks.rank());
            let sends: Vec<(usize, &[u8])> = (others.clone())
                .filter(|to| !own.is_empty() && (to_all || *to == 0))
                .map(|to| (to, own.as_slice()))
                .collect();
            let mut arrived: Vec<(usize, Vec<u8>)> = others
                .filter(|_| receives)
                .filter_map(|from| {
                    let slots = pieces[from].get(turn)?;
                    Some((from, vec![0; bytes_of(slots, &layout) as usize]))
                })
                .collect();
            let mut into: Vec<(usize, &mut [u8])> = (arrived.iter_mut())
                .map(|(from, bytes)| (*from, bytes.as_mut_slice()))
                .collect();
            ranks.exchange(
                &what,
                turn as u64,
                &sends,
                &mut into,
                self.prepared.options.exchange_timeout(),
            )?;
            arrived.push((ranks.rank(), own));
            for (from, bytes) in arrived.iter().filter(|_| receives) {
                if let Some(slots) = pieces[*from].get(turn) {
                    place(bytes, slots, &layout, &mut whole);
                }
            }
        }
        Ok(whole)
    }

    /// Copies boxes of fields to buffers that the host can read, for files to which each rank writes its part. Returns the
    /// value of the frame lane at which they are complete.
    pub fn stage_parts(&mut self, copies: &[(FieldId, ElementBox, Buffer)]) -> Result<u64, RunError> {
        let newest = |(field, ..): &(FieldId, ElementBox, Buffer)| self.newest(*field);
        let reads: Vec<FieldCopy> = copies.iter().map(newest).collect();
        let Some(ranked) = self.ranked.as_mut().filter(|_| !copies.is_empty()) else {
            return Ok(0);
        };
        for ((field, area, staging), at) in copies.iter().zip(&reads) {
            let layout = self.prepared.pipeline.layout_of(*field);
            (ranked.exchanges).stage(&self.prepared, (*at, layout), *area, staging)?;
        }
        let touched = Touched {
            reads,
            writes: Vec::new(),
        };
        let ticket = self.schedule.submit(Lane::Frame, &touched);
        let recorded = copies.iter().zip(&touched.reads);
        let exchanges = self.ranked.as_ref().map(|ranked| &ranked.exchanges);
        let recordings =
            recorded.filter_map(|((.., staging), at)| exchanges.and_then(|all| all.staged(*at, staging)));
        let batch = self.batch(Lane::Frame, &ticket.waits, recordings.collect(), ticket.signal);
        self.submit(Lane::Frame, &format!("stage {}", self.frames), vec![batch])?;
        Ok(ticket.signal)
    }

    /// The bytes of a piece of the part of this rank.
    fn piece(&mut self, at: FieldCopy, layout: Layout, slots: Slots) -> Result<Vec<u8>, RunError> {
        let Some(ranked) = &mut self.ranked else {
            return Ok(Vec::new());
        };
        let collected = ranked.exchanges.collect(&self.prepared, at, layout, slots)?;
        let touched = Touched {
            reads: vec![at],
            writes: Vec::new(),
        };
        let ticket = self.schedule.submit(Lane::Step, &touched);
        let batch = self.batch(Lane::Step, &ticket.waits, vec![&collected.pack], ticket.signal);
        self.submit(Lane::Step, "collect a part", vec![batch])?;
        self.wait(Lane::Step, ticket.signal)?;
        Ok(collected.bytes.bytes()?.to_vec())
    }
}
