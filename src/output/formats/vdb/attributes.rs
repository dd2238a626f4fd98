//! The attributes of points in OpenVDB: all leaves are written in several passes, first the lengths of everything, then
//! the numbers.

use std::io;

use super::pack::Packing;
use super::tree::{Leaf, VOXELS};

/// The points of a leaf: the number of the voxel, and the index of the point.
pub(super) type Cell = Vec<(u16, u32)>;

/// Bytes of the numbers of several leaves that are compressed together.
const PAGE: usize = 1 << 20;
/// The length of numbers that are not compressed.
const RAW: u16 = u16::MAX;
/// The flag of an array with one value per point, and that of one whose numbers are in pages.
const ONE_EACH: u8 = 8;
const PAGED: u8 = 8;
/// Bytes of the header of an array after its length.
const ARRAY_HEADER: u64 = 6;

/// Adds the numbers of a point.
type Put<'a> = dyn Fn(usize, &mut Vec<u8>) -> io::Result<()> + 'a;

/// One attribute.
pub(super) struct Array<'a> {
    name: String,
    kind: &'static str,
    put: Box<Put<'a>>,
}

impl<'a> Array<'a> {
    pub fn new(
        name: &str,
        kind: &'static str,
        put: impl Fn(usize, &mut Vec<u8>) -> io::Result<()> + 'a,
    ) -> Array<'a> {
        Array {
            name: name.to_owned(),
            kind,
            put: Box::new(put),
        }
    }

    /// The numbers of the points of each leaf.
    fn of_leaves(&self, cells: &[Cell]) -> io::Result<Vec<Vec<u8>>> {
        let of_leaf = |cell: &Cell| {
            let mut bytes = Vec::new();
            (cell.iter()).try_for_each(|(_, point)| (self.put)(*point as usize, &mut bytes))?;
            Ok(bytes)
        };
        cells.iter().map(of_leaf).collect()
    }
}

/// Writes the numbers of points in all voxels, and the attributes.
pub(super) fn write_set(
    arrays: &[Array],
    cells: &[Cell],
    packing: Packing,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let passes = if cells.is_empty() { 0 } else { 2 * arrays.len() + 4 };
    put(out, &(passes as u16).to_le_bytes());
    if cells.is_empty() {
        return Ok(());
    }
    let ends = cells.iter().map(|cell| {
        let ends = ends(cell);
        let packed = packing.shrunk(&ends, 4)?;
        let packed = packed.filter(|packed| packed.len() < usize::from(RAW));
        Ok(match packed {
            Some(packed) => (packed.len() as u16, packed),
            None => (RAW, ends),
        })
    });
    let ends = ends.collect::<io::Result<Vec<(u16, Vec<u8>)>>>()?;
    for (length, _) in &ends {
        put(out, &length.to_le_bytes());
    }
    let numbers = arrays.iter().map(|array| array.of_leaves(cells));
    let numbers = numbers.collect::<io::Result<Vec<Vec<Vec<u8>>>>>()?;
    // All leaves have the same attributes, which the first one lists.
    out.push(1);
    describe(arrays, out);
    for (leaf, cell) in cells.iter().enumerate() {
        for of_leaves in &numbers {
            put(out, &(ARRAY_HEADER + of_leaves[leaf].len() as u64).to_le_bytes());
            out.extend_from_slice(&[ONE_EACH, if packing.is_packed() { PAGED } else { 0 }]);
            put(out, &(cell.len() as u32).to_le_bytes());
        }
    }
    let pages = numbers.iter().map(|of_leaves| pages(of_leaves, packing));
    let pages = pages.collect::<io::Result<Vec<Vec<Page>>>>()?;
    for page in pages.iter().flatten() {
        match &page.packed {
            Some(packed) => {
                put(out, &(packed.len() as i32).to_le_bytes());
                put(out, &(page.bytes.len() as i32).to_le_bytes());
            }
            None => put(out, &(-(page.bytes.len() as i32)).to_le_bytes()),
        }
    }
    for (cell, (length, bytes)) in cells.iter().zip(&ends) {
        let mut leaf = Leaf::new();
        cell.iter()
            .for_each(|(number, _)| leaf.set_on(usize::from(*number)));
        put(out, &leaf.mask);
        put(out, &length.to_le_bytes());
        put(out, bytes);
    }
    for (of_leaves, pages) in numbers.iter().zip(&pages) {
        if packing.is_packed() {
            pages
                .iter()
                .for_each(|page| put(out, page.packed.as_ref().unwrap_or(&page.bytes)));
        } else {
            for bytes in of_leaves {
                // They are not compressed.
                out.push(0);
                put(out, bytes);
            }
        }
    }
    Ok(())
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(bytes);
}

/// The types and the names of attributes; no groups, and no facts.
fn describe(arrays: &[Array], out: &mut Vec<u8>) {
    let text = |out: &mut Vec<u8>, text: &str| {
        put(out, &(text.len() as u32).to_le_bytes());
        put(out, text.as_bytes());
    };
    put(out, &(arrays.len() as u64).to_le_bytes());
    for array in arrays {
        text(out, array.kind);
        text(out, "null");
    }
    for (number, array) in arrays.iter().enumerate() {
        text(out, &array.name);
        put(out, &(number as u64).to_le_bytes());
    }
    put(out, &0u64.to_le_bytes());
    put(out, &0u32.to_le_bytes());
}

/// Numbers of several leaves.
struct Page {
    bytes: Vec<u8>,
    /// `None` if they do not shrink.
    packed: Option<Vec<u8>>,
}

/// The numbers of all leaves in pages; none without compression.
fn pages(of_leaves: &[Vec<u8>], packing: Packing) -> io::Result<Vec<Page>> {
    let mut pages: Vec<Vec<u8>> = Vec::new();
    for bytes in of_leaves.iter().filter(|_| packing.is_packed()) {
        match pages.last_mut() {
            Some(page) if page.len() + bytes.len() <= PAGE => page.extend_from_slice(bytes),
            _ => pages.push(bytes.clone()),
        }
    }
    let page = |bytes: Vec<u8>| {
        let packed = packing.shrunk(&bytes, 4)?;
        Ok(Page { bytes, packed })
    };
    pages.into_iter().map(page).collect()
}

/// For each voxel of a leaf, the number of points in it and those before it.
fn ends(cell: &Cell) -> Vec<u8> {
    let mut counts = [0u32; VOXELS];
    cell.iter()
        .for_each(|(number, _)| counts[usize::from(*number)] += 1);
    let mut sum = 0;
    let ends = counts.iter().map(|count| {
        sum += count;
        sum
    });
    ends.flat_map(u32::to_le_bytes).collect()
}
