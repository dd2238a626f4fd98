//! Requests for blocks of sparse grids on several ranks.

use crate::gpu::BufferKind;
use crate::ir::{FieldId, ResourceId};

use super::super::error::RunError;
use super::Simulation;

impl Simulation {
    /// Unites requests for blocks of a grid, of which the name is given, with those of all ranks, which must call it. Requests
    /// that all ranks make alike need no message.
    pub(super) fn unite(
        &self,
        grid: ResourceId,
    ) -> impl Fn(&str, &[u8]) -> Result<Vec<u8>, RunError> + use<> {
        let in_parts = self.prepared.pipeline.requests_in_parts(grid);
        let ranks = (self.ranked.as_ref())
            .filter(|_| in_parts)
            .map(|ranked| ranked.ranks.clone());
        let timeout = self.prepared.options.exchange_timeout();
        move |name, own| match &ranks {
            None => Ok(own.to_vec()),
            Some(ranks) => {
                let all = ranks.gather(&format!("of requests of `{name}`"), own, timeout)?;
                Ok(any(&all, own.len()))
            }
        }
    }

    /// Gives all ranks the requests that no update has processed yet, for a state. All ranks must call it.
    pub(super) fn unite_pending(&mut self) -> Result<(), RunError> {
        let pipeline = self.prepared.pipeline.clone();
        for (id, grid) in pipeline.sparse_grids() {
            if !pipeline.requests_in_parts(id) {
                continue;
            }
            let unite = self.unite(id);
            for field in [grid.fields.requests, grid.fields.snapshot] {
                let united = unite(&pipeline.fields[field].name, &self.bytes_now(field)?)?;
                let buffer = self.prepared.memory.field(field, 0);
                self.prepared.host.upload(buffer, &united)?;
            }
        }
        Ok(())
    }

    /// The bytes of a buffer after everything submitted so far.
    fn bytes_now(&self, field: FieldId) -> Result<Vec<u8>, RunError> {
        self.wait_for_lanes()?;
        let (buffer, host) = (self.prepared.memory.field(field, 0), &self.prepared.host);
        let read = host.gpu.buffer("requests", buffer.size(), BufferKind::Download)?;
        host.run_once("read requests", |recorder| {
            recorder.copy(buffer, 0, &read, 0, buffer.size())
        })?;
        Ok(read.bytes()?.to_vec())
    }
}

/// The bits that are set in any of several bitmaps of the same length.
fn any(bitmaps: &[Vec<u8>], length: usize) -> Vec<u8> {
    let mut united = vec![0; length];
    for bitmap in bitmaps {
        united.iter_mut().zip(bitmap).for_each(|(all, bits)| *all |= bits);
    }
    united
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_requested_if_a_rank_requests_it() {
        let of_ranks = [vec![0b0001, 0x80], vec![0b0101, 0], vec![0, 0]];
        assert_eq!(any(&of_ranks, 2), [0b0101, 0x80]);
    }
}
