//! Red-black successive over-relaxation (shaders/snow/sor.comp), in two layouts. In one, each colour of the chequerboard has
//! arrays of its own, so that a row of one colour is contiguous, and half-sweeps write one array and read the other. In the
//! other one, that of the device, all cells are in one array.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use crate::air::{Air, OPEN, is_fluid};

/// The linear system, by colour: the cells (x, y, z) with x + y + z even, then the others. Entry i of a row is cell 2i or
/// 2i + 1.
pub struct System {
    /// Cells of a row of one colour, rows, planes.
    size: [usize; 3],
    h2: f32,
    pressure: [Vec<f32>; 2],
    solution: [Vec<f32>; 2],
    faces: [Vec<u32>; 2],
}

/// The fields of one row of cells of a colour, and the rows of the other colour around it.
struct Row<'a> {
    solution: &'a [f32],
    faces: &'a [u32],
    /// -x +x -y +y -z +z.
    neighbours: [&'a [f32]; 6],
}

impl System {
    /// The system of an even number of cells in x.
    pub fn new(air: &Air) -> System {
        let [nx, ny, nz] = air.cells;
        assert!(nx % 2 == 0, "an even number of cells in x");
        System {
            size: [nx / 2, ny, nz],
            h2: air.dx * air.dx,
            pressure: by_colour(&air.pressure, air.cells),
            solution: by_colour(&air.solution, air.cells),
            faces: by_colour(&air.faces, air.cells),
        }
    }

    /// A half-sweep over each colour for each factor.
    pub fn sweep(&mut self, omegas: &[f32]) {
        for omega in omegas {
            self.half_sweep(0, *omega);
            self.half_sweep(1, *omega);
        }
    }

    pub fn half_sweep(&mut self, colour: usize, omega: f32) {
        let [half, ny, nz] = self.size;
        let (own, other) = match &mut self.pressure {
            [even, odd] if colour == 0 => (even, &*odd),
            [even, odd] => (odd, &*even),
        };
        let (solution, faces, h2) = (&self.solution[colour], &self.faces[colour], self.h2);
        let planes = own.par_chunks_mut(half * ny).enumerate();
        planes
            .filter(|(z, _)| *z > 0 && z + 1 < nz)
            .for_each(|(z, plane)| {
                for y in 1..ny - 1 {
                    // The cells of the row are 2i + shift; those at the ends of the domain are not inside.
                    let shift = (y + z + colour) % 2;
                    let (first, cells) = (1 - shift, half - 1);
                    let row = (z * ny + y) * half + first;
                    let at = |start: usize| &other[start..start + cells];
                    let west = row + shift - 1;
                    let fields = Row {
                        solution: &solution[row..row + cells],
                        faces: &faces[row..row + cells],
                        neighbours: [
                            at(west),
                            at(west + 1),
                            at(row - half),
                            at(row + half),
                            at(row - half * ny),
                            at(row + half * ny),
                        ],
                    };
                    let start = y * half + first;
                    relax(&mut plane[start..start + cells], &fields, omega, h2);
                }
            });
    }

    /// The pressure, x fastest.
    pub fn pressure(&self) -> Vec<f32> {
        let [half, ny, nz] = self.size;
        let mut all = vec![0.0; 2 * half * ny * nz];
        for (i, value) in all.iter_mut().enumerate() {
            *value = self.pressure[colour_of(i, 2 * half, ny)][i / 2];
        }
        all
    }
}

/// A half-sweep for both colours for each factor, in one array of pressures as bits of f32. Cells of one colour are read and
/// written while their neighbours are only read, so relaxed accesses suffice; on processors they are plain ones.
pub fn sweep_one_array(air: &Air, pressure: &[AtomicU32], omegas: &[f32]) {
    let [nx, ny, nz] = air.cells;
    let [x_step, y_step, z_step] = air.strides();
    let h2 = air.dx * air.dx;
    let at = |i: usize| f32::from_bits(pressure[i].load(Ordering::Relaxed));
    let relax = |i: usize, omega: f32| {
        let bits = air.faces[i];
        if !is_fluid(bits) {
            return;
        }
        let p = at(i);
        let behind = |n: usize, value: f32| if bits & OPEN[n] != 0 { value } else { p };
        let sum = behind(0, at(i - x_step))
            + behind(1, at(i + x_step))
            + (behind(2, at(i - y_step)) + behind(3, at(i + y_step)))
            + (behind(4, at(i - z_step)) + behind(5, at(i + z_step)));
        let relaxed = (sum - h2 * air.solution[i]) / 6.0;
        let next = (1.0 - omega) * p + omega * relaxed;
        pressure[i].store(next.to_bits(), Ordering::Relaxed);
    };
    for (omega, colour) in omegas.iter().flat_map(|omega| [(*omega, 0), (*omega, 1)]) {
        (1..nz - 1).into_par_iter().for_each(|z| {
            for y in 1..ny - 1 {
                let first = 1 + (y + z + colour + 1) % 2;
                for x in (first..nx - 1).step_by(2) {
                    relax(x + y * y_step + z * z_step, omega);
                }
            }
        });
    }
}

/// The bits of numbers, and the numbers of bits.
pub fn to_bits(values: &[f32]) -> Vec<AtomicU32> {
    values
        .iter()
        .map(|value| AtomicU32::new(value.to_bits()))
        .collect()
}

pub fn of_bits(bits: &[AtomicU32]) -> Vec<f32> {
    bits.iter()
        .map(|bits| f32::from_bits(bits.load(Ordering::Relaxed)))
        .collect()
}

fn relax(own: &mut [f32], row: &Row, omega: f32, h2: f32) {
    let n = own.len();
    let [west, east, south, north, below, above] = row.neighbours.map(|neighbour| &neighbour[..n]);
    let (solution, faces) = (&row.solution[..n], &row.faces[..n]);
    for i in 0..n {
        let (p, bits) = (own[i], faces[i]);
        let behind = |n: usize, value: f32| if bits & OPEN[n] != 0 { value } else { p };
        let sum = behind(0, west[i])
            + behind(1, east[i])
            + (behind(2, south[i]) + behind(3, north[i]))
            + (behind(4, below[i]) + behind(5, above[i]));
        let relaxed = (sum - h2 * solution[i]) / 6.0;
        let next = (1.0 - omega) * p + omega * relaxed;
        own[i] = if is_fluid(bits) { next } else { p };
    }
}

fn colour_of(i: usize, nx: usize, ny: usize) -> usize {
    (i % nx + i / nx % ny + i / (nx * ny)) % 2
}

/// The values of the cells of each colour.
fn by_colour<T: Copy>(field: &[T], [nx, ny, _]: [usize; 3]) -> [Vec<T>; 2] {
    [0, 1].map(|colour| {
        let cells = field
            .iter()
            .enumerate()
            .filter(|(i, _)| colour_of(*i, nx, ny) == colour);
        cells.map(|(_, value)| *value).collect()
    })
}
