//! CPU twins of the snow stages and of the library's building blocks: one file per shader, under the shader's
//! name, in plain loops over plain arrays.
//!
//! They follow the shaders operation by operation in f32, so where a stage uses only + - * / sqrt the results
//! are equal bit for bit on a device with IEEE division. They are references for tests, not a second program:
//! nothing is fast, and an index out of range panics.

pub mod advect;
pub mod blocks;
pub mod boundary;
pub mod bspline;
pub mod build_faces;
pub mod build_obstacles;
pub mod build_solution;
pub mod center_pressure;
pub mod compact;
pub mod count_faces;
pub mod deposit;
pub mod drift_wind;
pub mod faces;
pub mod find_block;
pub mod fixed_point;
pub mod flake;
pub mod flake_block;
pub mod fold;
pub mod init_flakes;
pub mod lattice;
pub mod partials;
pub mod particle_update;
pub mod portable;
pub mod project;
pub mod radix_sort;
pub mod random;
pub mod request_air;
pub mod scan;
pub mod settle_snow;
pub mod smooth_snow;
pub mod sor;
pub mod start_wind;
pub mod stream_collide;
pub mod surface;
pub mod svd3;

use sastrugi::grid::Layout;

/// The wind's grid, x fastest.
#[derive(Debug, Clone, Default)]
pub struct Air {
    pub cells: [usize; 3],
    pub dx: f32,
    pub origin: [f32; 3],
    pub u: Vec<f32>,
    pub v: Vec<f32>,
    pub w: Vec<f32>,
    pub u_star: Vec<f32>,
    pub v_star: Vec<f32>,
    pub w_star: Vec<f32>,
    pub pressure: Vec<f32>,
    pub solution: Vec<f32>,
    /// Solid cells of each column, from below.
    pub solid: Vec<u32>,
    pub faces: Vec<u32>,
    pub open: Vec<u32>,
    /// Cells of active blocks; all of them until `activate` says otherwise.
    pub active: Vec<bool>,
    /// Cells of the simulated air, which follow from the active ones.
    pub inside: Vec<bool>,
    /// The active blocks.
    pub blocks: Vec<u32>,
    pub layout: Option<Layout>,
}

/// The terrain and its snow, x fastest, first vertex at (0, 0).
#[derive(Debug, Clone, Default)]
pub struct Ground {
    pub vertices: [usize; 2],
    pub spacing: [f32; 2],
    pub elevation: Vec<f32>,
    pub snow: Vec<u32>,
    pub snow_next: Vec<u32>,
    pub fresh: Vec<u32>,
}

#[derive(Debug, Clone, Default)]
pub struct Flakes {
    pub position: Vec<[f32; 3]>,
    pub velocity: Vec<[f32; 3]>,
    pub phase: Vec<f32>,
    pub v_max: Vec<f32>,
    pub id: Vec<u32>,
    pub block: Vec<u32>,
}

/// The shaders' `clock`.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    pub step: u32,
    pub time: f32,
    pub dt: f32,
    pub seed: u32,
}

impl Air {
    pub fn new(cells: [usize; 3], dx: f32, origin: [f32; 3]) -> Self {
        let zeros = vec![0.0; cells.iter().product()];
        let mut air = Air {
            cells,
            dx,
            origin,
            u: zeros.clone(),
            v: zeros.clone(),
            w: zeros.clone(),
            u_star: zeros.clone(),
            v_star: zeros.clone(),
            w_star: zeros.clone(),
            pressure: zeros.clone(),
            solid: vec![0; cells[0] * cells[1]],
            faces: vec![faces::FRESH; zeros.len()],
            open: vec![0; zeros.len()],
            active: vec![true; zeros.len()],
            inside: Vec::new(),
            blocks: Vec::new(),
            layout: None,
            solution: zeros,
        };
        air.inside = air.all().map(|cell| air.is_inside(cell)).collect();
        air
    }

    pub fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.cells[0] * (y + self.cells[1] * z)
    }

    /// All cells in storage order.
    pub fn all(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [nx, ny, nz] = self.cells;
        (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
    }

    /// The active cells, in the order of `all`.
    pub fn active_cells(&self) -> Vec<[usize; 3]> {
        self.all().filter(|cell| self.active[self.index(*cell)]).collect()
    }

    /// A value at a cell, or `otherwise` where it is not active.
    pub fn at(&self, field: &[f32], cell: [usize; 3], otherwise: f32) -> f32 {
        let i = self.index(cell);
        if self.active[i] { field[i] } else { otherwise }
    }

    /// World centre of a cell; cells beyond the grid have one too.
    pub fn position(&self, cell: [i32; 3]) -> [f32; 3] {
        std::array::from_fn(|axis| self.origin[axis] + (cell[axis] as f32 + 0.5) * self.dx)
    }

    /// World to cell units: cell i spans [i, i+1].
    pub fn coordinates(&self, world: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|axis| (world[axis] - self.origin[axis]) / self.dx)
    }
}

impl Ground {
    pub fn new(vertices: [usize; 2], spacing: [f32; 2]) -> Self {
        let zeros = vec![0; vertices[0] * vertices[1]];
        Ground {
            vertices,
            spacing,
            elevation: vec![0.0; zeros.len()],
            snow: zeros.clone(),
            snow_next: zeros.clone(),
            fresh: zeros,
        }
    }

    pub fn index(&self, [x, y]: [usize; 2]) -> usize {
        x + self.vertices[0] * y
    }

    /// World to vertex units.
    pub fn coordinates(&self, world: [f32; 2]) -> [f32; 2] {
        std::array::from_fn(|axis| world[axis] / self.spacing[axis])
    }
}

/// f32 where a twin shall match the shader, f64 where it shall tell what exact arithmetic gives.
pub trait Real:
    Copy
    + PartialOrd
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
{
    fn real(value: f64) -> Self;
}

impl Real for f32 {
    fn real(value: f64) -> Self {
        value as f32
    }
}

impl Real for f64 {
    fn real(value: f64) -> Self {
        value
    }
}
