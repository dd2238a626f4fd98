//! The angular momentum of particles that a grid moves.

use sastrugi::run::Simulation;

use super::common::simulation::read_vectors;

/// About the z axis through the middle of a grid of `cells` cells of `dx` m, per unit of particle mass; `affine` adds the
/// share of the affine velocities (dx^2 / 4 times their curl).
pub(super) fn angular_momentum(sim: &mut Simulation, (cells, dx): (usize, f32), affine: bool) -> f64 {
    let middle = 0.5 * cells as f32 * dx;
    let (places, velocities) = (
        read_vectors(sim, "matter.position"),
        read_vectors(sim, "matter.velocity"),
    );
    let c = read_vectors(sim, "matter.affine");
    (0..places.len())
        .map(|i| {
            let [x, y] = [places[i][0] - middle, places[i][1] - middle].map(f64::from);
            let own = f64::from(dx * dx / 4.0) * f64::from(c[3 * i][1] - c[3 * i + 1][0]);
            let [u, v, _] = velocities[i].map(f64::from);
            x * v - y * u + if affine { own } else { 0.0 }
        })
        .sum()
}
