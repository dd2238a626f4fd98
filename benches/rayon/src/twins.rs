//! The kernels against the CPU twins of their shaders.

// The twins' files, with the names that they expect beside them.
#[path = "../../../tests/reference/advect.rs"]
mod advect;
#[path = "../../../tests/reference/boundary.rs"]
mod boundary;
#[path = "../../../tests/reference/bspline.rs"]
mod bspline;
#[path = "../../../tests/reference/build_faces.rs"]
mod build_faces;
#[path = "../../../tests/reference/faces.rs"]
mod faces;
#[path = "../../../tests/reference/fixed_point.rs"]
mod fixed_point;
#[path = "../../../tests/reference/flake.rs"]
mod flake;
#[path = "../../../tests/reference/flake_block.rs"]
mod flake_block;
#[path = "../../../tests/reference/lattice.rs"]
mod lattice;
#[path = "../../../tests/reference/particle_update.rs"]
mod particle_update;
#[path = "../../../tests/reference/random.rs"]
mod random;
#[path = "../../../tests/reference/sor.rs"]
mod sor;

use std::ops::{Add, Div, Mul, Sub};

use crate::air::{Air, CIRCLE_CAP, Clock, DT, DX, GRAVITY, ORIGIN};
use crate::flakes::{DRIFT, Flakes, SORT_BLOCK, WIND};
use crate::p2g::{Node, Particles};

/// The numbers of twins.
trait Real:
    Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn real(value: f64) -> Self;
}

impl Real for f32 {
    fn real(value: f64) -> Self {
        value as f32
    }
}

/// The methods that the twins in tests/reference call.
impl Air {
    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.cells[0] * (y + self.cells[1] * z)
    }

    fn all(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [nx, ny, nz] = self.cells;
        (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
    }

    fn active_cells(&self) -> Vec<[usize; 3]> {
        self.all().collect()
    }

    fn at(&self, field: &[f32], cell: [usize; 3], _otherwise: f32) -> f32 {
        field[self.index(cell)]
    }

    fn coordinates(&self, world: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|axis| (world[axis] - self.origin[axis]) / self.dx)
    }
}

const CELLS: [usize; 3] = [14, 11, 9];

/// Numbers from -1 to 1.
fn numbers(purpose: u32, count: usize) -> Vec<f32> {
    let number = |i| 2.0 * random::random4(i as u32, 0, purpose, 5)[0] - 1.0;
    (0..count).map(number).collect()
}

/// Air with wind and pressures at random, over columns of solid cells.
fn air() -> Air {
    let count = CELLS.iter().product();
    let fields = |purpose, size: f32| {
        numbers(purpose, count)
            .iter()
            .map(|x| size * x)
            .collect::<Vec<f32>>()
    };
    let nothing = vec![0.0; count];
    let mut air = Air {
        cells: CELLS,
        dx: DX,
        origin: ORIGIN,
        u: fields(1, 300.0),
        v: fields(2, 300.0),
        w: fields(3, 300.0),
        pressure: fields(4, 1.0),
        solution: fields(5, 0.01),
        faces: vec![0; count],
        open: vec![0; count],
        u_star: nothing.clone(),
        v_star: nothing.clone(),
        w_star: nothing,
        solid: numbers(6, CELLS[0] * CELLS[1])
            .iter()
            .map(|x| ((x + 1.0) * 0.25 * CELLS[2] as f32) as u32)
            .collect(),
        active: vec![true; count],
        inside: Vec::new(),
    };
    air.inside = air.all().map(|cell| air.is_inside(cell)).collect();
    build_faces::build_faces(&mut air, [9.0, 3.0, 0.0]);
    let open = air
        .faces
        .iter()
        .filter(|faces| **faces & faces::OPEN_LOW[0] != 0)
        .count();
    assert!(open > 100, "{open} open faces");
    air
}

#[test]
fn sor_matches_its_twin_bit_for_bit() {
    let air = air();
    let mut system = crate::sor::System::new(&air);
    let mut expected = air.pressure.clone();
    for (omega, colour) in [(1.7, 0), (1.7, 1), (1.2, 0), (1.2, 1)] {
        system.half_sweep(colour, omega);
        sor::sor(&air, &mut expected, &air.solution, omega, colour);
        assert!(system.pressure() == expected, "omega {omega}, colour {colour}");
    }
    assert!(expected != air.pressure);
    let pressure = crate::sor::to_bits(&air.pressure);
    crate::sor::sweep_one_array(&air, &pressure, &[1.7, 1.2]);
    assert!(crate::sor::of_bits(&pressure) == expected);
}

#[test]
fn advection_matches_its_twin_bit_for_bit() {
    let mut air = air();
    let nothing = vec![f32::NAN; air.count()];
    let mut traced = [nothing.clone(), nothing.clone(), nothing];
    crate::advect::advect(&air, DT, &mut traced);
    advect::advect(&mut air, [9.0, 3.0, 0.0], [0; 4], DT);
    // The twin also writes faces that are not open inner ones.
    let expected = [air.u_star, air.v_star, air.w_star];
    let pairs = traced.iter().flatten().zip(expected.iter().flatten());
    let open: Vec<_> = pairs.filter(|(traced, _)| !traced.is_nan()).collect();
    assert!(open.iter().all(|(traced, expected)| traced == expected));
    assert!(open.len() > 100 && open.len() < 3 * air.faces.len());
}

#[test]
fn flakes_match_their_twin_bit_for_bit() {
    let air = air();
    let count = 1000;
    let vectors = |purpose, size: f32| -> Vec<[f32; 3]> {
        let all = numbers(purpose, 3 * count);
        all.as_chunks()
            .0
            .iter()
            .map(|v: &[f32; 3]| v.map(|x| size * x))
            .collect()
    };
    let mut flakes = Flakes {
        // Some are outside the grid.
        position: vectors(7, 100.0),
        velocity: vectors(8, 10.0),
        phase: numbers(9, count).iter().map(|x| 3.0 * x + 3.1).collect(),
        v_max: numbers(10, count).iter().map(|x| 0.5 * x + 1.5).collect(),
        id: (0..count as u32).rev().collect(),
        // Some stray from their blocks.
        block: (0..count as u32).map(|flake| flake % 7 * 40).collect(),
    };
    let mut expected = flakes.clone();
    let start = flakes.position.clone();
    let clock = Clock { dt: DT, seed: 4 };
    crate::flakes::particle_update(&mut flakes, &air, &clock);
    particle_update::particle_update(
        &mut expected,
        &air,
        WIND,
        (GRAVITY, CIRCLE_CAP),
        (SORT_BLOCK, DRIFT),
        &clock,
    );
    assert!(flakes == expected);
    assert!(flakes.position != start);
}

#[test]
fn p2g_matches_its_twin() {
    let (cells, dx, count) = (16, 0.25, 500);
    let lowest = |x: &[f32; 3]| bspline::spline_at(x.map(|x| x / dx)).base.map(i64::from);
    let mut position: Vec<[f32; 3]> = (0..count)
        .map(|i| random::random4(i, 0, 11, 5))
        .map(|[x, y, z, _]| [x, y, z].map(|x| dx * (1.0 + 14.0 * x)))
        .collect();
    position.sort_by_key(|x| {
        let [x, y, z] = lowest(x);
        [z, y, x]
    });
    let velocity: Vec<[f32; 3]> = numbers(12, 3 * count as usize).as_chunks().0.to_vec();
    let affine: Vec<[[f32; 3]; 3]> = numbers(13, 9 * count as usize)
        .as_chunks()
        .0
        .as_chunks()
        .0
        .to_vec();
    let particles = Particles {
        cells,
        dx,
        position,
        velocity,
        affine,
    };
    let mut nodes = particles.nodes();
    particles.p2g(&mut nodes);
    let mut expected: Vec<Node> = particles.nodes();
    for (x, (v, q)) in particles
        .position
        .iter()
        .zip(particles.velocity.iter().zip(&particles.affine))
    {
        let carried = |d: [f32; 3]| -> [f32; 3] {
            std::array::from_fn(|row| {
                v[row] + (q[0][row] * (d[0] * dx) + q[1][row] * (d[1] * dx) + q[2][row] * (d[2] * dx))
            })
        };
        let shares = fixed_point::shares(x.map(|x| x / dx), 262_144, 8.0, carried);
        let [x, y, z] = lowest(x).map(|x| x as usize);
        for ([i, j, k], (mass, momentum)) in bspline::nodes().zip(shares) {
            let node = &mut expected[x + i + cells * (y + j + cells * (z + k))];
            node[0] += mass as i32;
            node.iter_mut()
                .skip(1)
                .zip(momentum)
                .for_each(|(sum, share)| *sum += share);
        }
    }
    assert!(nodes == expected);
    let mass: i64 = nodes.iter().map(|node| i64::from(node[0])).sum();
    assert_eq!(mass, 262_144 * i64::from(count));
}
