//! Parts of files that all formats of VTK share: images of grids, active arrays, and hidden elements.

use super::super::super::content::{Column, Geometry, Scalar};
use super::super::super::select::View;

/// The array that hides elements, and the bits of a cell and of a point that are hidden.
pub(super) const GHOSTS: &str = "vtkGhostType";
const HIDDEN_CELL: u8 = 32;
const HIDDEN_POINT: u8 = 2;

/// The arrays that a program shows at first: the first numbers, and the first vectors.
pub(super) fn active<'a>(
    columns: impl Iterator<Item = &'a Column> + Clone,
) -> [(&'static str, Option<&'a str>); 2] {
    let first = |components: u32| {
        let is_active = |column: &&Column| {
            let is_float = matches!(column.scalar, Scalar::F16 | Scalar::F32 | Scalar::F64);
            column.components == components && (is_float || components == 1)
        };
        columns
            .clone()
            .find(is_active)
            .map(|column| column.label.as_str())
    };
    [("Scalars", first(1)), ("Vectors", first(3))]
}

/// The flags of the elements of a sparse grid: those of blocks that are not active are hidden.
pub(super) fn ghosts(view: &View, hidden: u8) -> Option<Vec<u8>> {
    view.active.as_ref()?;
    let [x, y, z] = view.sides().map(|side| side as usize);
    let mut flags = Vec::with_capacity(x * y * z);
    for z in 0..z {
        for y in 0..y {
            flags.extend((0..x).map(|x| if view.is_active([x, y, z]) { 0 } else { hidden }));
        }
    }
    Some(flags)
}

/// The place of the values of a grid, the points of its image along each axis less one, and the position of the first
/// point. Cells of a grid are cell data, everything else is point data; a lattice with two axes is a layer without thickness.
pub(super) fn image(
    geometry: &Geometry,
    axes: usize,
    [x, y, z]: [u64; 3],
    lattice: ([f64; 3], [f64; 3]),
) -> Image {
    let (first, spacing) = lattice;
    if !matches!(geometry, Geometry::Cells { .. }) {
        return Image {
            data: "PointData",
            extent: [x - 1, y - 1, z - 1],
            origin: first,
        };
    }
    let half = [0.5, 0.5, if axes < 3 { 0.0 } else { 0.5 }];
    Image {
        data: "CellData",
        extent: [x, y, if axes < 3 { 0 } else { z }],
        origin: std::array::from_fn(|axis| first[axis] - half[axis] * spacing[axis]),
    }
}

pub(super) struct Image {
    pub data: &'static str,
    pub extent: [u64; 3],
    pub origin: [f64; 3],
}

impl Image {
    /// The bits of an element that is hidden.
    pub fn hidden(&self) -> u8 {
        match self.data {
            "CellData" => HIDDEN_CELL,
            _ => HIDDEN_POINT,
        }
    }
}
