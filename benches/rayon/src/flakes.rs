//! One step of every flake (shaders/snow/particle_update.comp).

use std::error::Error;
use std::path::Path;

use rayon::prelude::*;

use crate::air::{self, Air, CIRCLE_CAP, Clock, GRAVITY, trilinear};

const TWO_PI: f32 = 6.283_185_5;
/// The purpose of random numbers for the circles of flakes.
const SPIN: u32 = 3;
/// The cells of a block by which flakes are sorted, and how many cells along y they may be from it.
pub const SORT_BLOCK: [usize; 3] = [8, 8, 4];
pub const DRIFT: usize = 8;
/// The prescribed wind at the start of the pipeline, m/s.
pub const WIND: [f32; 3] = [9.0, 3.0, 0.0];

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Flakes {
    pub position: Vec<[f32; 3]>,
    pub velocity: Vec<[f32; 3]>,
    pub phase: Vec<f32>,
    pub v_max: Vec<f32>,
    pub id: Vec<u32>,
    pub block: Vec<u32>,
}

impl Flakes {
    pub fn read(directory: &Path, frame: u32) -> Result<Flakes, Box<dyn Error>> {
        Ok(Flakes {
            position: air::vectors(directory, "position", frame)?,
            velocity: air::vectors(directory, "velocity", frame)?,
            phase: air::floats(directory, "phase", frame)?,
            v_max: air::floats(directory, "v_max", frame)?,
            id: air::array(directory, "id", frame)?.1,
            block: air::array(directory, "block", frame)?.1,
        })
    }
}

pub fn particle_update(flakes: &mut Flakes, air: &Air, clock: &Clock) {
    let moving = (&mut flakes.position, &mut flakes.velocity, &mut flakes.phase);
    let all = (moving, &flakes.v_max, &flakes.id, &flakes.block).into_par_iter();
    all.for_each(|((position, velocity, phase), v_max, id, block)| {
        let (v, dt) = (*velocity, clock.dt);
        let wind = if strays(air, *position, *block) { WIND } else { wind_at(air, *position) };
        let relative = length(std::array::from_fn(|axis| wind[axis] - v[axis]));
        let k = GRAVITY * relative / (v_max * v_max);
        let pull = [0.0, 0.0, GRAVITY];
        let v_new: [f32; 3] =
            std::array::from_fn(|axis| (v[axis] + dt * (k * wind[axis] - pull[axis])) / (1.0 + dt * k));

        let spin = random4([*id, 0, SPIN, clock.seed]);
        let radius = 2.0 * spin[0];
        let turning = TWO_PI * (0.125 + spin[1] * (1.0 / 24.0));
        let turning = if spin[2] < 0.5 { -turning } else { turning };
        let speed = length(v);
        let is_capped = relative >= CIRCLE_CAP * speed;
        let ratio = if is_capped { CIRCLE_CAP } else { relative / speed };
        let circle = ratio * turning * radius;
        let (sine, cosine) = phase.sin_cos();
        let circling = [circle * -sine, circle * cosine, 0.0];

        let turned = *phase + turning * dt;
        for axis in 0..3 {
            let a = (v_new[axis] - v[axis]) / dt;
            position[axis] = position[axis] + (v[axis] + circling[axis]) * dt + 0.5 * dt * dt * a;
        }
        *velocity = v_new;
        *phase = turned - TWO_PI * (turned / TWO_PI).floor();
    });
}

/// True if a position is too far along y from the row of a block.
fn strays(air: &Air, position: [f32; 3], number: u32) -> bool {
    let row = air.cells[0].div_ceil(SORT_BLOCK[0]) * air.cells[2].div_ceil(SORT_BLOCK[2]);
    let first = number as usize / row * SORT_BLOCK[1];
    let y = ((position[1] - air.origin[1]) / air.dx) as usize;
    let y = y.min(air.cells[1] - 1);
    y + DRIFT < first || y >= first + SORT_BLOCK[1] + DRIFT
}

/// The wind at a point, m/s, each component from its own faces.
#[inline(always)]
fn wind_at(air: &Air, world: [f32; 3]) -> [f32; 3] {
    let at: [f32; 3] = std::array::from_fn(|axis| (world[axis] - air.origin[axis]) / air.dx);
    let [x, y, z] = at;
    [
        trilinear(&air.u, air.cells, [x, y - 0.5, z - 0.5]),
        trilinear(&air.v, air.cells, [x - 0.5, y, z - 0.5]),
        trilinear(&air.w, air.cells, [x - 0.5, y - 0.5, z]),
    ]
}

fn length(v: [f32; 3]) -> f32 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// Four random numbers in [0, 1) (shaders/lib/random.glsl).
fn random4(key: [u32; 4]) -> [f32; 4] {
    let mut v = key.map(|v| v.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    mix(&mut v);
    v = v.map(|v| v ^ (v >> 16));
    mix(&mut v);
    v.map(|bits| (bits >> 8) as f32 * (1.0 / 16_777_216.0))
}

fn mix([x, y, z, w]: &mut [u32; 4]) {
    *x = x.wrapping_add(y.wrapping_mul(*w));
    *y = y.wrapping_add(z.wrapping_mul(*x));
    *z = z.wrapping_add(x.wrapping_mul(*y));
    *w = w.wrapping_add(y.wrapping_mul(*z));
}
