//! Twin of shaders/snow/flake_block.glsl.

use super::Air;

impl Air {
    fn flake_cell(&self, position: [f32; 3]) -> [usize; 3] {
        std::array::from_fn(|axis| {
            let cell = (position[axis] - self.origin[axis]) / self.dx;
            (cell as usize).min(self.cells[axis] - 1)
        })
    }

    pub fn block_number(&self, position: [f32; 3], sides: [usize; 3]) -> u32 {
        let blocks: [usize; 3] = std::array::from_fn(|axis| self.cells[axis].div_ceil(sides[axis]));
        let cell = self.flake_cell(position);
        let [x, y, z] = std::array::from_fn(|axis| cell[axis] / sides[axis]);
        (x + blocks[0] * (z + blocks[2] * y)) as u32
    }

    pub fn strays(&self, position: [f32; 3], number: u32, sides: [usize; 3], drift: usize) -> bool {
        let row = self.cells[0].div_ceil(sides[0]) * self.cells[2].div_ceil(sides[2]);
        let first = number as usize / row * sides[1];
        let y = self.flake_cell(position)[1];
        y + drift < first || y >= first + sides[1] + drift
    }
}
