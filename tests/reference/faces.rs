//! Twin of shaders/snow/faces.glsl and of shaders/snow/boundary.glsl.

use super::Air;

pub const SOLID: u32 = 1 << 13;
/// Bits of the neighbours at -x, -y, -z.
pub const SOLID_LOW: [u32; 3] = [1 << 12, 1 << 10, 1 << 4];
/// Bits of the neighbours at +x, +y, +z.
pub const SOLID_HIGH: [u32; 3] = [1 << 14, 1 << 16, 1 << 22];

impl Air {
    pub fn interior(&self, cell: [usize; 3]) -> bool {
        (0..3).all(|axis| cell[axis] > 0 && cell[axis] < self.cells[axis] - 1)
    }

    /// Interior and not solid: a cell with a pressure unknown.
    pub fn fluid(&self, cell: [usize; 3]) -> bool {
        self.interior(cell) && self.obstacle[self.index(cell)] & SOLID == 0
    }

    /// Whether the lower face of a cell along an axis touches a solid cell.
    pub fn closed(&self, cell: [usize; 3], axis: usize) -> bool {
        self.obstacle[self.index(cell)] & (SOLID | SOLID_LOW[axis]) != 0
    }

    /// Whether the lower face of a cell along an axis lies between two interior cells.
    pub fn inner_face(&self, cell: [usize; 3], axis: usize) -> bool {
        self.interior(cell) && cell[axis] > 1
    }

    /// Whether the lower face of a cell along an axis lies between an interior and an outside cell.
    pub fn boundary_face(&self, cell: [usize; 3], axis: usize) -> bool {
        (0..3).all(|other| {
            let last = self.cells[other] - 1;
            match other == axis {
                true => cell[axis] == 1 || cell[axis] == last,
                false => cell[other] > 0 && cell[other] < last,
            }
        })
    }

    /// Indices of the interior fluid neighbours of an interior fluid cell: -x +x -y +y -z +z, `None` where
    /// closed.
    pub fn open_neighbours(&self, cell: [usize; 3]) -> [Option<usize>; 6] {
        let bits = self.obstacle[self.index(cell)];
        let stride = [1, self.cells[0], self.cells[0] * self.cells[1]];
        std::array::from_fn(|n| {
            let axis = n / 2;
            let index = self.index(cell);
            if n % 2 == 0 {
                (bits & SOLID_LOW[axis] == 0 && cell[axis] > 1).then(|| index - stride[axis])
            } else {
                (bits & SOLID_HIGH[axis] == 0 && cell[axis] < self.cells[axis] - 2)
                    .then(|| index + stride[axis])
            }
        })
    }

    /// Columns of lateral boundary faces: the cell that holds them, their axis, the sign of the outward
    /// normal.
    pub fn boundary_columns(&self) -> Vec<([usize; 2], usize, f32)> {
        let [nx, ny, _] = self.cells;
        let west = (1..ny - 1).map(|y| ([1, y], 0, -1.0));
        let east = (1..ny - 1).map(|y| ([nx - 1, y], 0, 1.0));
        let south = (1..nx - 1).map(|x| ([x, 1], 1, -1.0));
        let north = (1..nx - 1).map(|x| ([x, ny - 1], 1, 1.0));
        west.chain(east).chain(south).chain(north).collect()
    }
}
