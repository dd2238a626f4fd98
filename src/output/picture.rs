//! Lattices that are one element thick as pictures.

use super::content::Geometry;
use super::select::View;

impl View<'_> {
    /// The picture: the element of each pixel, in rows from the top and from the left.
    pub(super) fn picture(&self) -> Option<Picture> {
        let [across, up] = self.content.picture_axes()?;
        let sides = self.sides();
        let strides = [1, sides[0], sides[0] * sides[1]];
        Some(Picture {
            width: sides[across] as usize,
            height: sides[up] as usize,
            column_stride: strides[across] as usize,
            row_stride: strides[up] as usize,
            first_row_on_top: self.content.geometry == Geometry::Image,
        })
    }
}

/// A picture of a lattice that is one element thick: images unchanged, everything else with north, or high, at the top.
pub(super) struct Picture {
    pub width: usize,
    pub height: usize,
    column_stride: usize,
    row_stride: usize,
    first_row_on_top: bool,
}

impl Picture {
    /// Pixels are in the order of a file: the first row on top.
    pub(super) fn is_in_order(&self) -> bool {
        self.first_row_on_top && self.column_stride == 1 && self.row_stride == self.width
    }

    pub(super) fn element(&self, x: usize, row: usize) -> usize {
        let row = if self.first_row_on_top {
            row
        } else {
            self.height - 1 - row
        };
        row * self.row_stride + x * self.column_stride
    }
}
