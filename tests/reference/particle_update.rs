//! Twin of shaders/snow/particle_update.comp. `sin` and `cos` differ between devices, so positions agree only
//! to within their error times the length of a circling step.

use super::flake::{PURPOSE_SPIN, TWO_PI};
use super::lattice::trilinear;
use super::random::random4;
use super::{Air, Clock, Flakes};

impl Air {
    /// The wind at a point, m/s, each component from its own faces; `wind` where no air is active.
    pub fn wind_at(&self, world: [f32; 3], wind: [f32; 3]) -> [f32; 3] {
        let calm = [wind[0], wind[1], 0.0];
        let at = self.coordinates(world);
        std::array::from_fn(|axis| {
            let field = [&self.u, &self.v, &self.w][axis];
            let at = std::array::from_fn(|other| if other == axis { at[other] } else { at[other] - 0.5 });
            trilinear(|cell| self.at(field, cell, calm[axis]), self.cells, at)
        })
    }
}

fn length(v: [f32; 3]) -> f32 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

pub fn particle_update(
    flakes: &mut Flakes,
    air: &Air,
    boundary: [f32; 3],
    (gravity, circle_cap): (f32, f32),
    (sort_block, drift): ([usize; 3], usize),
    clock: &Clock,
) {
    let dt = clock.dt;
    for flake in 0..flakes.position.len() {
        let position = flakes.position[flake];
        let v = flakes.velocity[flake];
        let phase = flakes.phase[flake];
        let v_max = flakes.v_max[flake];

        let strays = air.strays(position, flakes.block[flake], sort_block, drift);
        let wind = if strays {
            [boundary[0], boundary[1], 0.0]
        } else {
            air.wind_at(position, boundary)
        };
        let relative = length(std::array::from_fn(|axis| wind[axis] - v[axis]));
        let k = gravity * relative / (v_max * v_max);
        let pull = [0.0, 0.0, gravity];
        let v_new: [f32; 3] =
            std::array::from_fn(|axis| (v[axis] + dt * (k * wind[axis] - pull[axis])) / (1.0 + dt * k));

        let spin = random4(flakes.id[flake], 0, PURPOSE_SPIN, clock.seed);
        let radius = 2.0 * spin[0];
        let turning = TWO_PI * (0.125 + spin[1] * (1.0 / 24.0));
        let turning = if spin[2] < 0.5 { -turning } else { turning };
        let speed = length(v);
        let ratio = if relative < circle_cap * speed {
            relative / speed
        } else {
            circle_cap
        };
        let circle = ratio * turning * radius;
        let circling = [circle * -phase.sin(), circle * phase.cos(), 0.0];

        let turned = phase + turning * dt;
        flakes.position[flake] = std::array::from_fn(|axis| {
            let a = (v_new[axis] - v[axis]) / dt;
            position[axis] + (v[axis] + circling[axis]) * dt + 0.5 * dt * dt * a
        });
        flakes.velocity[flake] = v_new;
        flakes.phase[flake] = turned - TWO_PI * (turned / TWO_PI).floor();
    }
}
