//! OpenVDB: a sparse tree of 8 x 8 x 8 leaves per channel. Sparse grids become the voxels of their active blocks,
//! dense ones are active everywhere; the rest is the channel's background.

use std::io::{self, Write};

use OpenVDB_rs::io::{Compression as Flags, WriteOptions, write_to};
use OpenVDB_rs::math::Vec3;
use OpenVDB_rs::math::maps::{MapBase, ScaleTranslateMap};
use OpenVDB_rs::tree::LeafNode;
use OpenVDB_rs::util::NodeMask;
use OpenVDB_rs::{AnyGrid, Coord, Grid, MetaMap, Transform, Value};

use super::super::content::{Compression, Scalar};
use super::super::select::{Values, View};
use super::descriptor::{Descriptor, FormatKind, Setting, words};
use super::fit;
use super::rows::invalid;

pub(super) const VDB: Descriptor = Descriptor {
    note: "OpenVDB",
    settings: &[Setting::Precision],
    compression: Some(Compression::Fast),
    has_active: true,
    unfit: fit::cells,
    numbers: words,
    ..Descriptor::new(FormatKind::Grids, write)
};

/// Cells along a side of a leaf.
const LEAF: usize = 8;
/// Position of the identity in a file: after the magic number, three version numbers and a flag.
const IDENTITY: std::ops::Range<usize> = 21..57;

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let source = CellSource {
        view,
        transform: transform(view)?,
    };
    let mut grids = Vec::new();
    for values in &view.columns {
        convert(&source, values, &mut grids);
    }
    let compression = match view.content.style.compression {
        Some(Compression::None) => Flags::ACTIVE_MASK,
        Some(Compression::Best) => Flags::ZIP | Flags::ACTIVE_MASK,
        Some(Compression::Fast) | None => Flags::BLOSC | Flags::ACTIVE_MASK,
    };
    let mut bytes = Vec::new();
    let options = WriteOptions::with_compression(compression);
    write_to(&mut bytes, &grids, &MetaMap::new(), &options).map_err(io::Error::other)?;
    identify(&mut bytes)?;
    out.write_all(&bytes)
}

/// Replaces the random identity of a file by a hash of its contents, so that equal frames are equal files.
fn identify(bytes: &mut [u8]) -> io::Result<()> {
    let Some(identity) = bytes.get_mut(IDENTITY) else {
        return Err(invalid("the header of the file is too short"));
    };
    let dashes = [8, 13, 18, 23];
    let is_identity = |(at, byte): (usize, &u8)| {
        if dashes.contains(&at) {
            *byte == b'-'
        } else {
            byte.is_ascii_hexdigit()
        }
    };
    if !identity.iter().enumerate().all(is_identity) {
        return Err(invalid(
            "the header of the file has no identity where one should be",
        ));
    }
    identity.fill(b'-');
    let hash = blake3::hash(bytes).to_hex();
    let digits = (0..IDENTITY.len()).filter(|at| !dashes.contains(at));
    for (at, digit) in digits.zip(hash.bytes()) {
        bytes[IDENTITY.start + at] = digit;
    }
    Ok(())
}

/// The grids of one channel: a single grid of numbers or 3-component vectors, or one grid per component.
fn convert(source: &CellSource, values: &Values, grids: &mut Vec<AnyGrid>) {
    let name = &values.column.name;
    let float = f32::from_ne_bytes;
    let int = i32::from_ne_bytes;
    // OpenVDB has no unsigned numbers, so they become the next larger signed type.
    let uint = |word: [u8; 4]| i64::from(u32::from_ne_bytes(word));
    let background = values.column.background;
    let half = source.view.content.style.half;
    match (values.column.scalar, values.column.components) {
        (Scalar::F32, 3) => {
            let at = |cell: usize| Vec3([0, 1, 2]).map(|axis| float(values.word(cell, axis)));
            let background = Vec3::splat(background as f32);
            grids.push(grid(source, name, background, half, at).into());
        }
        (Scalar::I32, 3) => {
            let at = |cell: usize| Vec3([0, 1, 2]).map(|axis| int(values.word(cell, axis)));
            let background = Vec3::splat(background as i32);
            grids.push(grid(source, name, background, false, at).into());
        }
        (scalar, components) => {
            for component in 0..components as usize {
                let name = match values.column.part_name(component) {
                    Some(part) => format!("{name}_{part}"),
                    None => name.clone(),
                };
                let word = |cell: usize| values.word(cell, component);
                grids.push(match scalar {
                    Scalar::F32 => {
                        let at = |cell: usize| float(word(cell));
                        grid(source, &name, background as f32, half, at).into()
                    }
                    Scalar::I32 => {
                        let at = |cell: usize| int(word(cell));
                        grid(source, &name, background as i32, false, at).into()
                    }
                    _ => {
                        let at = |cell: usize| uint(word(cell));
                        grid(source, &name, background as i64, false, at).into()
                    }
                });
            }
        }
    }
}

/// The cells of all grids of a file.
struct CellSource<'a> {
    view: &'a View<'a>,
    transform: Transform,
}

impl CellSource<'_> {
    /// True if a cell, counted from the first one of the view, is active.
    fn is_active(&self, cell: [usize; 3]) -> bool {
        let (Some(bits), Some((_, layout))) = (&self.view.active, &self.view.content.active) else {
            return true;
        };
        let selection = &self.view.content.selection;
        let at = |axis: usize| selection.first[axis] + cell[axis] as u64 * selection.stride;
        let block = layout.block_of(std::array::from_fn(|axis| at(axis) as u32)) as usize;
        let word = bits.get(block / 32 * 4..block / 32 * 4 + 4);
        word.is_some_and(|word| {
            u32::from_ne_bytes([word[0], word[1], word[2], word[3]]) >> (block % 32) & 1 == 1
        })
    }

    /// Number of consecutive cells along x that are all active, or all inactive.
    fn run(&self) -> usize {
        match (&self.view.content.active, self.view.content.selection.stride) {
            (None, _) => LEAF,
            (Some((_, layout)), 1) if self.view.content.selection.first[0] == 0 => {
                LEAF.min(1 << layout.block_log2[0])
            }
            _ => 1,
        }
    }
}

fn grid<T: Value>(
    source: &CellSource,
    name: &str,
    background: T,
    half: bool,
    at: impl Fn(usize) -> T,
) -> Grid<T> {
    let mut grid = Grid::new(background)
        .with_name(name)
        .with_transform(source.transform.clone());
    grid.set_save_float_as_half(half);
    let sides = source.view.sides().map(|side| side as usize);
    let leaves = sides.map(|side| side.div_ceil(LEAF));
    for z in 0..leaves[2] {
        for y in 0..leaves[1] {
            for x in 0..leaves[0] {
                let corner = [LEAF * x, LEAF * y, LEAF * z];
                if let Some(leaf) = leaf(source, sides, corner, background, &at) {
                    grid.tree_mut().add_leaf(Box::new(leaf));
                }
            }
        }
    }
    grid
}

/// The leaf at a corner, if any of its cells is active.
fn leaf<T: Value>(
    source: &CellSource,
    sides: [usize; 3],
    corner: [usize; 3],
    background: T,
    at: &impl Fn(usize) -> T,
) -> Option<LeafNode<T>> {
    let mut mask = NodeMask::<3>::new();
    let mut values = vec![background; LEAF * LEAF * LEAF];
    let end: [usize; 3] = std::array::from_fn(|axis| sides[axis].min(corner[axis] + LEAF));
    let run = source.run();
    for z in corner[2]..end[2] {
        for y in corner[1]..end[1] {
            for first in (corner[0]..end[0]).step_by(run) {
                if !source.is_active([first, y, z]) {
                    continue;
                }
                for x in first..end[0].min(first + run) {
                    // In a leaf z is the fastest.
                    let place = ((x % LEAF) * LEAF + y % LEAF) * LEAF + z % LEAF;
                    values[place] = at((z * sides[1] + y) * sides[0] + x);
                    mask.set_on(place);
                }
            }
        }
    }
    let origin = Coord(corner.map(|at| at as i32));
    (!mask.is_all_off()).then(|| LeafNode::from_parts(origin, mask, values))
}

/// Voxel (0, 0, 0) is the first cell of the view; its centre is that of the cell.
fn transform(view: &View) -> io::Result<Transform> {
    let (first, spacing) = view.lattice();
    let map = ScaleTranslateMap::try_new(Vec3(spacing), Vec3(first)).map_err(io::Error::other)?;
    Ok(Transform::from_map_simplified(MapBase::ScaleTranslate(map)))
}
