//! Twin of shaders/snow/faces.glsl, from its definitions: which cells are inside the simulated air, which of
//! them are solid. Only `build_faces` makes the bits of `air.faces` and `air.open`; no other twin reads them.

use super::Air;

/// Bit of `air.open` for a cell with a pressure.
pub const FLUID: u32 = 1;

/// Bits of `air.faces`.
pub const INSIDE: u32 = 1;
/// Also of `air.open`.
pub const OPEN_LOW: [u32; 3] = [1 << 1, 1 << 3, 1 << 5];
/// Also of `air.open`.
pub const OPEN_HIGH: [u32; 3] = [1 << 2, 1 << 4, 1 << 6];
pub const CLOSED: [u32; 3] = [1 << 7, 1 << 8, 1 << 9];
pub const INSIDE_LOW: [u32; 3] = [1 << 10, 1 << 11, 1 << 12];
pub const SOLID: u32 = 1 << 13;
pub const FRESH: u32 = 1 << 14;

impl Air {
    /// True for cells of the simulated air.
    pub fn inside(&self, cell: [usize; 3]) -> bool {
        self.inside[self.index(cell)]
    }

    /// The definition: not in the outermost layer, and all cells around it are active.
    pub fn is_inside(&self, cell: [usize; 3]) -> bool {
        (0..3).all(|axis| cell[axis] > 0 && cell[axis] < self.cells[axis] - 1)
            && (0..27).all(|n| {
                let neighbour = [cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1];
                self.active[self.index(neighbour)]
            })
    }

    pub fn solid(&self, cell: [usize; 3]) -> bool {
        self.is_solid(cell.map(|c| c as i32))
    }

    /// Of any cell: columns beyond the sides are like the outermost ones.
    fn is_solid(&self, cell: [i32; 3]) -> bool {
        let [x, y] = [0, 1].map(|axis| cell[axis].clamp(0, self.cells[axis] as i32 - 1) as usize);
        cell[2] < self.solid[x + self.cells[0] * y] as i32
    }

    /// The same of the neighbour of a cell along an axis.
    fn solid_beside(&self, cell: [usize; 3], axis: usize, step: i32) -> bool {
        let mut neighbour = cell.map(|c| c as i32);
        neighbour[axis] += step;
        self.is_solid(neighbour)
    }

    /// Inside and not solid: a cell with a pressure unknown.
    pub fn fluid(&self, cell: [usize; 3]) -> bool {
        !self.solid(cell) && self.inside(cell)
    }

    /// The neighbour at the lower side along an axis.
    pub fn below(&self, mut cell: [usize; 3], axis: usize) -> Option<[usize; 3]> {
        cell[axis] = cell[axis].checked_sub(1)?;
        Some(cell)
    }

    /// True if the lower face of a cell along an axis touches a solid cell.
    pub fn closed(&self, cell: [usize; 3], axis: usize) -> bool {
        self.solid(cell) || self.solid_beside(cell, axis, -1)
    }

    /// True if the lower face of a cell along an axis is between two inside cells.
    pub fn inner_face(&self, cell: [usize; 3], axis: usize) -> bool {
        self.inside(cell) && self.below(cell, axis).is_some_and(|low| self.inside(low))
    }

    /// The sign of the outward normal of the lower face of a cell along an axis, if the face lies between an
    /// inside and another cell; else 0.
    pub fn outward(&self, cell: [usize; 3], axis: usize) -> f32 {
        let low = self.below(cell, axis).is_some_and(|low| self.inside(low));
        match (low, self.inside(cell)) {
            (true, false) => 1.0,
            (false, true) => -1.0,
            _ => 0.0,
        }
    }

    /// Indices of the neighbours of a cell behind open inner faces: -x +x -y +y -z +z, `None` where there is none.
    pub fn open_neighbours(&self, cell: [usize; 3]) -> [Option<usize>; 6] {
        if !self.fluid(cell) {
            return [None; 6];
        }
        std::array::from_fn(|n| {
            let axis = n / 2;
            let (side, step) = match n % 2 {
                0 => (self.below(cell, axis)?, -1),
                _ => {
                    let mut above = cell;
                    above[axis] += 1;
                    (above, 1)
                }
            };
            (!self.solid_beside(cell, axis, step) && self.inside(side)).then(|| self.index(side))
        })
    }
}
