//! Whole fields of which each rank holds a part, put together by the host.

use crate::gpu::{Buffer, BufferKind, Queue, Recording};
use crate::ir::{ElementBox, Layout, Owners, Partition, Slots, Valid};
use crate::plan::Want;
use crate::plan::schedule::FieldCopy;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::Exchanges;
use super::messages::{Message, Piece, slabs};
use super::piece_blocks::Direction;
use super::pieces::Moves;

/// A piece of the part of this rank on its way to the host.
pub struct Collected {
    pub bytes: Buffer,
    pub pack: Recording,
}

/// The part of a rank in pieces that fit into messages.
pub fn pieces_of_part(partition: &Partition, rank: usize, layout: &Layout) -> Vec<Slots> {
    let part = layout.part(partition, rank).into_iter();
    part.flat_map(|slots| slabs(slots, layout.bytes.into())).collect()
}

/// Bytes of a piece.
pub fn bytes_of(slots: &Slots, layout: &Layout) -> u64 {
    slots.count() * u64::from(layout.bytes)
}

impl Exchanges {
    /// Records the copy of a piece of a field into memory that the host reads.
    pub fn collect(
        &mut self,
        prepared: &Prepared,
        at: FieldCopy,
        layout: Layout,
        slots: Slots,
    ) -> Result<Collected, RunError> {
        let bytes = bytes_of(&slots, &layout);
        let buffer = (prepared.host.gpu).buffer("collected part", bytes, BufferKind::Download)?;
        let pack = self.pack(prepared, (at, layout), vec![slots], &buffer, Queue::Compute)?;
        let pack = pack.recording;
        Ok(Collected { bytes: buffer, pack })
    }

    /// Records the copy of a box of a field into a staging buffer, for the queue of frames, unless it is recorded already.
    pub fn stage(
        &mut self,
        prepared: &Prepared,
        (at, layout): (FieldCopy, Layout),
        area: ElementBox,
        staging: &Buffer,
    ) -> Result<(), RunError> {
        let key = (at, staging.address());
        if !self.staged.contains_key(&key) {
            let entries = (0..layout.entries).collect();
            let pieces = slabs(Slots { area, entries }, layout.bytes.into());
            let pack = self.pack(prepared, (at, layout), pieces, staging, Queue::Output)?;
            self.staged.insert(key, pack);
        }
        Ok(())
    }

    /// The recorded copy of a field into a staging buffer.
    pub fn staged(&self, at: FieldCopy, staging: &Buffer) -> Option<&Recording> {
        (self.staged.get(&(at, staging.address()))).map(|pack| &pack.recording)
    }

    /// Records the copy of pieces of a field, one after the other, into a buffer.
    fn pack(
        &mut self,
        prepared: &Prepared,
        (at, layout): (FieldCopy, Layout),
        pieces: Vec<Slots>,
        buffer: &Buffer,
        queue: Queue,
    ) -> Result<Moves, RunError> {
        let want = Want {
            at,
            valid: Valid::All,
            owners: Owners::Own,
            layout,
        };
        let mut offset = 0;
        let mut piece = |slots: Slots| {
            let bytes = bytes_of(&slots, &layout);
            offset += bytes;
            Piece {
                want: 0,
                slots,
                offset: offset - bytes,
                bytes,
            }
        };
        let pieces: Vec<Piece> = pieces.into_iter().map(&mut piece).collect();
        let message = Message {
            rank: 0,
            first: 0,
            bytes: offset,
            pieces,
        };
        let (wants, messages) = ([want], [message]);
        self.movers.compile(prepared, &wants, &messages)?;
        (self.movers).record(prepared, &wants, &messages, buffer, Direction::Pack, queue)
    }
}

/// Copies a piece into the whole field.
pub fn place(piece: &[u8], slots: &Slots, layout: &Layout, field: &mut [u8]) {
    let [bytes, entries] = [layout.bytes, layout.entries].map(u64::from);
    let area = &slots.area;
    let row = (area.size[0] * bytes) as usize;
    if row == 0 {
        return;
    }
    let mut rows = piece.chunks_exact(row);
    for z in area.low[2]..area.low[2] + area.size[2] {
        for entry in slots.entries.iter().copied().map(u64::from) {
            for y in area.low[1]..area.low[1] + area.size[1] {
                let first = ((z * entries + entry) * layout.sides[1] + y) * layout.sides[0] + area.low[0];
                let first = (first * bytes) as usize;
                if let Some(from) = rows.next() {
                    field[first..first + row].copy_from_slice(from);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Pairs;

    #[test]
    fn pieces_of_all_ranks_fill_the_field() {
        let pairs = Pairs::new(&[[1, 0, -1]]).unwrap();
        let shifted = Owners::Alternating { pairs, odd: false };
        for (owners, cells) in [(Owners::Own, [5, 4, 6]), (shifted, [5, 4, 7])] {
            let layout = Layout {
                sides: [5, 4, 7],
                entries: 3,
                bytes: 2,
                scale: Default::default(),
                owners,
                division: Default::default(),
            };
            let partition = Partition::new(cells, [2, 2, 3], 1);
            let total = 5 * 4 * 7 * 3 * 2;
            let whole: Vec<u8> = (0..total).map(|n: u32| (n % 251 + 1) as u8).collect();
            let mut found = vec![0; total as usize];
            let mut bytes = 0;
            for rank in 0..partition.ranks() {
                for slots in pieces_of_part(&partition, rank, &layout) {
                    let piece = packed(&whole, &slots);
                    assert_eq!(piece.len() as u64, bytes_of(&slots, &layout));
                    bytes += piece.len();
                    place(&piece, &slots, &layout, &mut found);
                }
            }
            assert_eq!((found, bytes), (whole, total as usize));
        }
    }

    /// A piece as the kernel packs it: element by element.
    fn packed(whole: &[u8], slots: &Slots) -> Vec<u8> {
        let (area, mut piece) = (&slots.area, Vec::new());
        for z in 0..area.size[2] {
            for entry in &slots.entries {
                for y in 0..area.size[1] {
                    for x in 0..area.size[0] {
                        let at = ((area.low[2] + z) * 3 + u64::from(*entry)) * 4 + area.low[1] + y;
                        let at = 2 * (at * 5 + area.low[0] + x) as usize;
                        piece.extend_from_slice(&whole[at..at + 2]);
                    }
                }
            }
        }
        piece
    }
}
