//! Points of OpenVDB: a tree whose voxels count points, and the attributes of the points of each leaf, in the order of its
//! voxels.
//!
//! Format: OpenVDB, `points/PointDataGrid.h`, `AttributeArray.h`, `AttributeSet.cc`, `StreamCompression.h`, file version
//! 224.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;

use super::super::super::content::Scalar;
use super::super::super::select::{Values, View};
use super::super::grids::parts;
use super::super::rows::invalid;
use super::archive::{Fact, Grid, Place};
use super::attributes::{Array, Cell, write_set};
use super::pack::Packing;
use super::tree::{Coding, LEAF, Leaf, Tree};

/// Points in a voxel, on average, if they fill their box.
const POINTS_PER_VOXEL: f64 = 8.0;
/// Largest number of voxels along a side of the box, and the smallest share of its longest side that the others count.
const MAX_SIDE: f64 = (1 << 20) as f64;
const MIN_SHARE: f64 = 1.0 / 256.0;

/// The grid of a set.
pub(super) fn grid(view: &View, position: usize) -> io::Result<Grid> {
    let places = Places::new(&view.columns[position])?;
    let packing = Packing::new(view.content.style.compression).of_points();
    let mut leaves = places.leaves();
    let order = RefCell::new(Vec::new());
    let coding = Coding {
        packing,
        size: 4,
        half: false,
    };
    let tree = Tree::new(places.sides, &0u32.to_le_bytes(), coding, &|corner| {
        let mut leaf = Leaf::new();
        if let Some(cell) = leaves.get(&corner) {
            cell.iter()
                .for_each(|(number, _)| leaf.set_on(usize::from(*number)));
            order.borrow_mut().push(corner);
        }
        Ok(leaf)
    })?;
    let order = order.into_inner();
    let cells: Vec<Cell> = order.iter().filter_map(|corner| leaves.remove(corner)).collect();
    let mut arrays = vec![Array::new("P", "vec3s", |point, out| {
        places
            .inside(point)
            .iter()
            .for_each(|part| out.extend_from_slice(&part.to_le_bytes()));
        Ok(())
    })];
    for (number, values) in view.columns.iter().enumerate() {
        if number != position {
            arrays.extend(attributes(values));
        }
    }
    let mut buffers = Vec::new();
    write_set(&arrays, &cells, packing, &mut buffers)?;
    let facts = vec![
        ("name", Fact::Text(NAME.to_owned())),
        ("file_compression", Fact::Text(packing.words().to_owned())),
        ("file_voxel_count", Fact::Int(tree.voxels as i64)),
    ];
    Ok(Grid {
        name: NAME.to_owned(),
        kind: "ptdataidx32",
        half: false,
        compression: packing.flags(),
        facts,
        place: places.place,
        tree: Tree { buffers, ..tree },
    })
}

const NAME: &str = "points";

/// The attributes of a column: one of one or three numbers, or one per component.
fn attributes<'a>(values: &'a Values<'a>) -> Vec<Array<'a>> {
    let column = values.column;
    let is_float = column.scalar == Scalar::F32;
    let attribute = |(name, components): (String, std::ops::Range<usize>)| {
        let kind = match (is_float, components.len()) {
            (true, 3) => "vec3s",
            (true, _) => "float",
            (false, 3) => "vec3i",
            (false, _) => "int32",
        };
        Array::new(&name, kind, move |point, out| {
            for component in components.clone() {
                let word = u32::from_ne_bytes(values.word(point, component));
                if column.scalar == Scalar::U32 && word > i32::MAX as u32 {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        format!(
                            "`{}` of element {point} is {word}, but integers of OpenVDB's points end at {}",
                            column.name,
                            i32::MAX
                        ),
                    ));
                }
                out.extend_from_slice(&word.to_le_bytes());
            }
            Ok(())
        })
    };
    parts(column).into_iter().map(attribute).collect()
}

/// The positions in voxels.
struct Places<'a> {
    positions: &'a Values<'a>,
    count: usize,
    place: Place,
    sides: [usize; 3],
}

impl Places<'_> {
    fn new<'a>(positions: &'a Values<'a>) -> io::Result<Places<'a>> {
        let count = positions.bytes.len() / 12;
        if u32::try_from(count).is_err() {
            return Err(invalid("more than 4294967295 points are not supported"));
        }
        let mut ends = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for point in 0..count {
            let [lows, highs] = &mut ends;
            for (axis, (low, high)) in lows.iter_mut().zip(highs).enumerate() {
                let at = f64::from(f32::from_ne_bytes(positions.word(point, axis)));
                if !at.is_finite() {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        format!(
                            "`{}` of element {point} is not finite, so it is in no voxel",
                            positions.column.name
                        ),
                    ));
                }
                (*low, *high) = (low.min(at), high.max(at));
            }
        }
        let origin = if count > 0 { ends[0] } else { [0.0; 3] };
        let extent: [f64; 3] = std::array::from_fn(|axis| (ends[1][axis] - ends[0][axis]).max(0.0));
        let longest = extent.into_iter().fold(0.0, f64::max);
        let volume: f64 = extent.map(|side| side.max(longest * MIN_SHARE)).iter().product();
        let wanted = (volume * POINTS_PER_VOXEL / count.max(1) as f64).cbrt();
        let spacing = match wanted.max(longest / MAX_SIDE) {
            spacing if spacing > 0.0 => spacing,
            _ => 1.0,
        };
        let mut places = Places {
            positions,
            count,
            place: Place {
                origin,
                spacing: [spacing; 3],
            },
            sides: [0; 3],
        };
        if count > 0 {
            places.sides = extent.map(|side| (side / spacing).round() as usize + 1);
        }
        Ok(places)
    }

    /// The position of a point in voxels: voxel 0 is about the first corner of the box.
    fn at(&self, point: usize) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let at = f64::from(f32::from_ne_bytes(self.positions.word(point, axis)));
            (at - self.place.origin[axis]) / self.place.spacing[axis]
        })
    }

    /// The position of a point from the centre of its voxel, in voxels.
    fn inside(&self, point: usize) -> [f32; 3] {
        self.at(point).map(|at| (at - at.round()) as f32)
    }

    /// The points of each leaf, by its first voxel, in the order of their voxels.
    fn leaves(&self) -> HashMap<[usize; 3], Cell> {
        let mut leaves: HashMap<[usize; 3], Cell> = HashMap::new();
        for point in 0..self.count {
            let voxel = self.at(point).map(|at| at.round() as usize);
            let number = Leaf::number(voxel.map(|at| at % LEAF)) as u16;
            let corner = voxel.map(|at| at - at % LEAF);
            leaves.entry(corner).or_default().push((number, point as u32));
        }
        leaves.values_mut().for_each(|cell| cell.sort_unstable());
        leaves
    }
}
