//! Memory layout of a sparse grid: blocks in Morton order, each with all channels of its cells.

use super::morton;

/// Minimum number of cells of a block, log2: every channel then starts at a multiple of 8 bytes.
const MIN_CELLS_LOG2: u32 = 3;
/// Maximum number of cells of a block that a pipeline states, log2.
const MAX_CELLS_LOG2: u32 = 16;
/// Maximum number of bytes of a block: shaders count them with 32 bits.
const MAX_BLOCK_BYTES: u64 = 1 << 31;
/// Maximum side of a block, cells, log2.
const MAX_SIDE_LOG2: u32 = 10;
/// Maximum number of pages of a block whose size the engine chooses.
const MAX_PAGES: u64 = 8;
/// Bits of block numbers; `u32::MAX` means no block.
const BLOCK_NUMBER_BITS: u32 = 31;
/// Maximum number of cells along an axis: coordinates are signed in shaders.
const MAX_CELLS: u64 = 1 << 31;
/// Maximum sides of a sub-block, log2: 8 x 8 x 4 cells.
const SUB_LOG2: [u32; 3] = [3, 3, 2];

/// The layout of a grid's memory.
///
/// A block contains 2^x by 2^y by 2^z cells with all their channels, and fills whole pages. Block number n (the [Morton
/// code](morton) of the block's coordinates) is at n times [`block_bytes`](Layout::block_bytes), or at
/// [`block_bytes`](Layout::block_bytes) times its page of a pool. Inside a block each channel is contiguous, one after
/// the other; inside a channel sub-blocks follow each other in Morton order; inside a sub-block x is fastest, then y,
/// then z.
///
/// [`Layout::choose`] takes the largest power of two of cells that fits in a number of pages. That number of pages is
/// the smallest (at most 8) with which cells use at least three quarters of the bytes, or else the one with which they
/// use the largest fraction. The sides of the block are powers of two, as equal as possible, longer in x first, then in y.
/// No side is longer than 1024 cells or than the domain (rounded up to a power of two); the other sides are longer
/// instead. No block has fewer than 8 cells.
///
/// A workgroup processes one sub-block at a time: 8 x 8 x 4 cells, or fewer if the sides of the block are shorter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Cells of the domain.
    pub cells: [u64; 3],
    pub block_log2: [u32; 3],
    pub sub_log2: [u32; 3],
    /// Blocks along each axis; the last ones may extend beyond the domain.
    pub blocks: [u32; 3],
    /// Bits of block coordinates.
    pub block_bits: [u32; 3],
    /// A whole number of pages.
    pub block_bytes: u64,
    /// Bytes of one cell, all channels.
    pub cell_bytes: u64,
    /// Bytes of one element, per channel.
    pub element_bytes: Vec<u64>,
}

impl Layout {
    /// Lays out `cells` cells with these channels on a device with pages of `page` bytes, in blocks of `block` cells
    /// or, if that is `None`, in blocks by the rule above. Errors do not name the grid.
    pub fn choose(
        cells: [u64; 3],
        element_bytes: &[u64],
        page: u64,
        block: Option<[u64; 3]>,
    ) -> Result<Layout, String> {
        if cells.iter().any(|cells| !(1..=MAX_CELLS).contains(cells)) {
            return Err(format!(
                "{} cells: each side must have 1 to {MAX_CELLS}",
                sides(cells)
            ));
        }
        if !page.is_power_of_two() {
            return Err(format!("pages of {page} bytes: the size must be a power of two"));
        }
        let cell_bytes = element_bytes
            .iter()
            .try_fold(0u64, |sum, &bytes| sum.checked_add(bytes));
        let cell_bytes = match cell_bytes {
            Some(bytes) if !element_bytes.contains(&0) && bytes > 0 => bytes,
            _ => return Err("its channels have no bytes, or too many".into()),
        };
        let block_log2 = match block {
            Some(block) => stated(block)?,
            None => {
                let log2 = cells_log2(cell_bytes, page).ok_or_else(|| {
                    format!(
                        "a cell of {cell_bytes} bytes is too large: {} of them must fit in {MAX_PAGES} pages of {page} \
                         bytes; use fewer channels, or split them over two grids",
                        1 << MIN_CELLS_LOG2
                    )
                })?;
                split(log2, cells.map(|cells| ceil_log2(cells).min(MAX_SIDE_LOG2)))
            }
        };
        let cells_per_block = 1u64 << block_log2.iter().sum::<u32>();
        let block_bytes = cells_per_block
            .checked_mul(cell_bytes)
            .and_then(|bytes| bytes.checked_next_multiple_of(page))
            .filter(|bytes| *bytes <= MAX_BLOCK_BYTES)
            .ok_or_else(|| {
                format!("a block of it has more than {MAX_BLOCK_BYTES} bytes; use a smaller \"block\"")
            })?;
        let blocks = std::array::from_fn(|axis| cells[axis].div_ceil(1 << block_log2[axis]) as u32);
        let block_bits: [u32; 3] = blocks.map(|blocks| ceil_log2(u64::from(blocks)));
        if block_bits.iter().sum::<u32>() > BLOCK_NUMBER_BITS {
            return Err(format!(
                "{} blocks of {} cells are too many: with each side rounded up to a power of two, there are \
                 2^{} blocks, and the limit is 2^{BLOCK_NUMBER_BITS}; use fewer cells or a larger \"block\"",
                sides(blocks.map(u64::from)),
                sides(block_log2.map(|log2| 1 << log2)),
                block_bits.iter().sum::<u32>()
            ));
        }
        Ok(Layout {
            cells,
            block_log2,
            sub_log2: std::array::from_fn(|axis| block_log2[axis].min(SUB_LOG2[axis])),
            blocks,
            block_bits,
            block_bytes,
            cell_bytes,
            element_bytes: element_bytes.to_vec(),
        })
    }

    /// Blocks of the domain.
    pub fn block_count(&self) -> u64 {
        self.blocks.iter().map(|&blocks| u64::from(blocks)).product()
    }

    /// One more than the largest block number. If sides are not powers of two, some smaller numbers have no block.
    pub fn numbers(&self) -> u64 {
        1 << self.block_bits.iter().sum::<u32>()
    }

    /// Address space of the whole domain.
    pub fn reserved_bytes(&self) -> u64 {
        self.numbers() * self.block_bytes
    }

    pub fn cells_per_block(&self) -> u64 {
        1 << self.block_log2.iter().sum::<u32>()
    }

    pub fn cells_per_sub_block(&self) -> u32 {
        1 << self.sub_log2.iter().sum::<u32>()
    }

    /// Bits of sub-block coordinates in a block.
    pub fn sub_bits(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.block_log2[axis] - self.sub_log2[axis])
    }

    /// The sides, log2, of the boxes of sub-blocks that contain 2^`cells_log2` consecutive cells of a block each, or all cells
    /// of a smaller block.
    pub fn run_log2(&self, cells_log2: u32) -> [u32; 3] {
        let mut sides = self.sub_log2;
        // The order of the bits of Morton codes.
        let bits = (0..u32::BITS).flat_map(|bit| (0..3).map(move |axis| (bit, axis)));
        for (_, axis) in bits.filter(|(bit, axis)| *bit < self.sub_bits()[*axis]) {
            if sides.iter().sum::<u32>() >= cells_log2 {
                break;
            }
            sides[axis] += 1;
        }
        sides
    }

    /// Sub-blocks of a block.
    pub fn sub_blocks(&self) -> u32 {
        1 << self.sub_bits().iter().sum::<u32>()
    }

    /// Offset of a channel in a block, in bytes.
    pub fn channel_offset(&self, channel: usize) -> u64 {
        self.cells_per_block() * self.element_bytes[..channel].iter().sum::<u64>()
    }

    /// The number of the block that holds a cell of the domain.
    pub fn block_of(&self, cell: [u32; 3]) -> u32 {
        let block = std::array::from_fn(|axis| cell[axis] >> self.block_log2[axis]);
        morton::encode(block, self.block_bits)
    }

    /// The first cell of a block.
    pub fn corner(&self, number: u32) -> [u32; 3] {
        let block = morton::decode(number, self.block_bits);
        std::array::from_fn(|axis| block[axis] << self.block_log2[axis])
    }

    /// Returns true if the block with this number contains at least one cell of the domain.
    pub fn contains(&self, number: u32) -> bool {
        let block = morton::decode(number, self.block_bits);
        u64::from(number) < self.numbers() && (0..3).all(|axis| block[axis] < self.blocks[axis])
    }

    /// The index of a cell in its block.
    pub fn cell_in_block(&self, cell: [u32; 3]) -> u32 {
        let inside: [u32; 3] = std::array::from_fn(|axis| cell[axis] & ((1 << self.block_log2[axis]) - 1));
        let sub_block = std::array::from_fn(|axis| inside[axis] >> self.sub_log2[axis]);
        let [x, y, z]: [u32; 3] = std::array::from_fn(|axis| inside[axis] & ((1 << self.sub_log2[axis]) - 1));
        let [ux, uy, _] = self.sub_log2;
        morton::encode(sub_block, self.sub_bits()) * self.cells_per_sub_block()
            + (x | y << ux | z << (ux + uy))
    }

    /// The cell with index `place` in a block: the inverse of [`block_of`](Layout::block_of) and
    /// [`cell_in_block`](Layout::cell_in_block). It may be outside the domain.
    pub fn cell_at(&self, number: u32, place: u32) -> [u32; 3] {
        let corner = self.corner(number);
        let sub_block = morton::decode(place / self.cells_per_sub_block(), self.sub_bits());
        let [ux, uy, _] = self.sub_log2;
        let shifts = [0, ux, ux + uy];
        std::array::from_fn(|axis| {
            let inside = place >> shifts[axis] & ((1 << self.sub_log2[axis]) - 1);
            corner[axis] | sub_block[axis] << self.sub_log2[axis] | inside
        })
    }

    /// Byte address of a single value of a cell whose block is at page `page` (of a pool, or its number if blocks are
    /// addressed directly).
    #[cfg(test)]
    pub fn address(&self, page: u64, channel: usize, cell: [u32; 3]) -> u64 {
        page * self.block_bytes
            + self.channel_offset(channel)
            + u64::from(self.cell_in_block(cell)) * self.element_bytes[channel]
    }
}

/// The sides of a block that a pipeline specifies, log2.
fn stated(block: [u64; 3]) -> Result<[u32; 3], String> {
    let longest = 1u64 << MAX_SIDE_LOG2;
    if block
        .iter()
        .any(|side| !side.is_power_of_two() || *side > longest)
    {
        return Err(format!(
            "a block of {} cells: its sides must be powers of two, at most {longest}",
            sides(block)
        ));
    }
    let log2 = block.map(u64::ilog2);
    if !(MIN_CELLS_LOG2..=MAX_CELLS_LOG2).contains(&log2.iter().sum()) {
        return Err(format!(
            "a block of {} cells has {} cells; the limits are {} to {}",
            sides(block),
            block.iter().product::<u64>(),
            1 << MIN_CELLS_LOG2,
            1 << MAX_CELLS_LOG2
        ));
    }
    Ok(log2)
}

/// The number of cells of a block by the rule of [`Layout`], log2; `None` if 8 cells do not fit in 8 pages.
fn cells_log2(cell_bytes: u64, page: u64) -> Option<u32> {
    let mut best: Option<(u128, u128, u32)> = None;
    for pages in 1..=MAX_PAGES {
        let bytes = u128::from(pages) * u128::from(page);
        let Some(log2) = (bytes / u128::from(cell_bytes)).checked_ilog2() else {
            continue;
        };
        if log2 < MIN_CELLS_LOG2 {
            continue;
        }
        let used = u128::from(cell_bytes) << log2;
        if 4 * used >= 3 * bytes {
            return Some(log2);
        }
        if best.is_none_or(|(most, of, _)| used * of > most * bytes) {
            best = Some((used, bytes, log2));
        }
    }
    best.map(|(_, _, log2)| log2)
}

/// Distributes `log2` over the axes equally, starting with the first, up to `most` for each.
fn split(log2: u32, most: [u32; 3]) -> [u32; 3] {
    let mut sides = [0; 3];
    for _ in 0..log2 {
        let open = (0..3).filter(|&axis| sides[axis] < most[axis]);
        let Some(axis) = open.min_by_key(|&axis| sides[axis]) else {
            break;
        };
        sides[axis] += 1;
    }
    let total: u32 = sides.iter().sum();
    sides[0] += MIN_CELLS_LOG2.saturating_sub(total);
    sides
}

/// Bits that hold every number below `n`.
fn ceil_log2(n: u64) -> u32 {
    n.next_power_of_two().ilog2()
}

fn sides(v: [u64; 3]) -> String {
    let [x, y, z] = v;
    format!("{x} x {y} x {z}")
}

#[cfg(test)]
mod tests;
