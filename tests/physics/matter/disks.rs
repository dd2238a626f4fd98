//! Two elastic disks that meet: D. Sulsky, Z. Chen and H. L. Schreyer, "A particle method for history-dependent
//! materials", 1994, in the numbers of V. P. Nguyen's programs of 2013, which name it as their source: radius 0.2 m,
//! centres (0.2, 0.2) and (0.8, 0.8) in a square of 1 m with 20 cells along a side, velocities (0.1, 0.1) and (-0.1,
//! -0.1) m/s, E = 1000 Pa, nu = 0.3, density 1000 kg/m³, plane strain.

use std::f64::consts::{PI, SQRT_2};

use sastrugi::gpu::Gpu;
use serde_json::json;

use super::super::Row;
use super::setup::{LAYER, Setup, doubles, lattice, layer, outside, still};

const YOUNG: f64 = 1000.0;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 1000.0;
const RADIUS: f64 = 0.2;
const SPEED: f64 = 0.1;
/// Between looks, and until the disks have parted, s.
const LOOK: f64 = 0.02;
const END: f64 = 3.2;

#[derive(Clone, Copy)]
pub struct Disks {
    /// Along a side of the square.
    pub cells: usize,
    /// Over that of the reference: 1, but for controls.
    pub speed: f64,
    /// 1: APIC, 0: PIC.
    pub apic: u32,
}

pub struct Collision {
    /// Per metre of depth, J/m.
    pub kinetic_start: f64,
    /// When a hundredth of the momentum of a disk is gone, s.
    pub contact: f64,
    /// Kinetic and elastic energy over that at the start: the largest, and that after the disks have parted.
    pub largest: f64,
    pub left: f64,
    /// Momentum of both, over that of one at the start.
    pub drift: f64,
    pub outside: usize,
}

/// Strain energy of a plane deformation per volume at rest, Pa: mu |F - R|² + lambda / 2 (J - 1)², of which fixed
/// corotated stress is the derivative. `x` and `z` are the columns.
fn strain_energy(x: [f64; 2], z: [f64; 2]) -> f64 {
    let mu = YOUNG / (2.0 * (1.0 + POISSON));
    let lambda = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    let square = x[0] * x[0] + x[1] * x[1] + z[0] * z[0] + z[1] * z[1];
    let stretches = (x[0] + z[1]).hypot(x[1] - z[0]);
    let volume = x[0] * z[1] - x[1] * z[0];
    mu * (square - 2.0 * stretches + 2.0) + 0.5 * lambda * (volume - 1.0).powi(2)
}

impl Disks {
    pub fn collide(self, gpu: &Gpu) -> Collision {
        const BEFORE: f64 = 4.0;
        let cell = 1.0 / self.cells as f64;
        let spacing = 0.5 * cell;
        let sound = (YOUNG * (1.0 - POISSON) / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON)) / DENSITY).sqrt();
        // The same part of a cell in a step on both grids: what APIC loses, it loses in every step.
        let steps = (LOOK * sound / (0.25 * cell)).ceil();
        let side = self.cells + 2 * BEFORE as usize;
        let setup = Setup {
            pipeline: "mpm_jelly.json",
            cells: [side, LAYER, side],
            cell,
            dt: LOOK / steps,
            parameters: json!({
                "transfer": {"gravity": [0, 0, 0], "quanta": 256, "limit": 1,
                             "apic": self.apic, "density": DENSITY, "young": YOUNG, "poisson": POISSON},
            }),
            solids: vec![still(1)],
        };
        let low = [BEFORE * cell, layer(cell) - 0.5 * spacing, BEFORE * cell];
        let square = lattice([2 * self.cells, 1, 2 * self.cells], spacing, low);
        let (mut places, mut velocities) = (Vec::new(), Vec::new());
        for (centre, speed) in [(0.2, SPEED * self.speed), (0.8, -SPEED * self.speed)] {
            let inside = |p: &&[f64; 3]| (p[0] - low[0] - centre).hypot(p[2] - low[2] - centre) < RADIUS;
            places.extend(square.iter().filter(inside));
            velocities.resize(places.len(), [speed, 0.0, speed]);
        }
        let mut scene = setup.start(gpu, &places, &velocities);
        let mass = DENSITY * spacing * spacing;
        let one = places.len() / 2;
        let momentum = |v: &[[f64; 3]]| v.iter().map(|v| mass * (v[0] + v[2])).sum::<f64>();
        let kinetic = |v: &[[f64; 3]]| {
            v.iter()
                .map(|v| 0.5 * mass * (v[0] * v[0] + v[2] * v[2]))
                .sum::<f64>()
        };
        let (kinetic_start, start) = (kinetic(&velocities), momentum(&velocities[..one]));
        let mut found = Collision {
            kinetic_start,
            contact: f64::NAN,
            largest: 0.0,
            left: 0.0,
            drift: 0.0,
            outside: 0,
        };
        let mut before = 1.0;
        for look in 1..=(END / LOOK).round() as u32 {
            scene.steps(steps as usize);
            let now = doubles::<3>(&mut scene, "matter.velocity");
            // Columns of a 3 x 3 matrix.
            let deform = doubles::<9>(&mut scene, "matter.deform");
            let elastic: f64 = deform
                .iter()
                .map(|f| spacing * spacing * strain_energy([f[0], f[2]], [f[6], f[8]]))
                .sum();
            found.left = (kinetic(&now) + elastic) / kinetic_start;
            found.largest = found.largest.max(found.left);
            found.drift = found.drift.max((momentum(&now) / start).abs());
            let kept = momentum(&now[..one]) / start;
            if found.contact.is_nan() && kept < 0.99 {
                let part = (before - 0.99) / (before - kept);
                found.contact = LOOK * (f64::from(look - 1) + part);
            }
            before = kept;
        }
        found.outside = outside(&mut scene);
        found
    }
}

/// When rigid disks would touch, s: what is between them along the diagonal, over the speed of approach.
pub fn touch() -> f64 {
    (0.6 * SQRT_2 - 2.0 * RADIUS) / (2.0 * SPEED * SQRT_2)
}

/// Rows about when contact is felt.
pub fn contact(disks: Disks, found: &Collision) -> [Row; 2] {
    let cells = disks.cells;
    let gap = (touch() - found.contact) * 2.0 * SPEED * SQRT_2 * cells as f64;
    [
        Row::new(
            format!("{cells} cells: distance between the disks at contact, in cells"),
            gap,
            3.0 * SQRT_2,
            "3 sqrt(2): with splines 3 cells wide, farther disks have no node in common along the diagonal",
        ),
        Row::new(
            format!(
                "{cells} cells: delay of contact after {:.4} s, when rigid disks touch, s",
                touch()
            ),
            (found.contact - touch()).max(0.0),
            LOOK,
            "the time between samples: the grid has contact early, never late",
        ),
    ]
}

/// The row about what energy is lost, and whether that is of the grid.
pub fn losses(coarse: &Collision, fine: &Collision) -> Row {
    let [few, many] = [coarse, fine].map(|found| 100.0 * (1.0 - found.left));
    Row::new(
        format!("energy loss with 40 cells ({many:.0} %) over that with 20 ({few:.0} %)"),
        many / few,
        0.6,
        "the loss comes from the grid: a purely first-order error would be half as large with half the cell size",
    )
}

pub fn collision(gpu: &Gpu) -> Vec<Row> {
    let [coarse, fine] = [20, 40].map(|cells| Disks {
        cells,
        speed: 1.0,
        apic: 1,
    });
    let found = [coarse, fine].map(|disks| disks.collide(gpu));
    let exact = DENSITY * 2.0 * SPEED * SPEED * PI * RADIUS * RADIUS;
    let mut rows = Vec::new();
    for (disks, found) in [coarse, fine].into_iter().zip(&found) {
        let cells = disks.cells;
        rows.push(Row::new(
            format!("{cells} cells: |kinetic energy at the start / {exact:.4} J/m - 1| (published: 2.5)"),
            (found.kinetic_start / exact - 1.0).abs(),
            SQRT_2 / (2.0 * cells as f64 * RADIUS),
            "sqrt(2) s / r: particles with spacing s count by their centres, and the edge of the circle cuts their squares",
        ));
        rows.extend(contact(disks, found));
        rows.push(Row::new(
            format!("{cells} cells: largest kinetic and elastic energy over that at the start, - 1"),
            found.largest - 1.0,
            1e-3,
            "energy must not grow, except by rounding and the finite step",
        ));
        rows.push(Row::new(
            format!("{cells} cells: total momentum over that of one disk"),
            found.drift,
            1e-4,
            "0 by symmetry, except for half a quantum per share and step from fixed point",
        ));
        rows.push(Row::none(
            format!("{cells} cells: values outside the range of fixed point"),
            found.outside,
            "0 in a correct run",
        ));
    }
    rows.push(losses(&found[0], &found[1]));
    rows
}
