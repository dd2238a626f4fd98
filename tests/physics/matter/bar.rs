//! A bar that vibrates along its axis. In one dimension and without lateral contraction fixed corotated elasticity is a
//! linear spring, P = E (s - 1) for the stretch s, so the wave equation holds for any amplitude:
//!
//!     u(X, t) = v0 / omega sin(beta X) sin(omega t),  beta = (2 n - 1) pi / (2 L),  omega = beta sqrt(E / rho)
//!
//! for a bar that is fixed at X = 0, free at X = L, and starts with v0 sin(beta X). E, rho, L and v0 are those of A. de
//! Vaucorbeil, V. P. Nguyen, S. Sinaie and J. Y. Wu, "Material point method after 25 years", 2020, after D. Sulsky, S. J.
//! Zhou and H. L. Schreyer, "Application of a particle-in-cell method to solid mechanics", 1995.

use std::f64::consts::PI;

use sastrugi::gpu::Gpu;
use serde_json::json;

use super::super::Row;
use super::setup::{LAYER, STICK, Setup, doubles, lattice, layer, outside, reaches, still, wall};

const YOUNG: f64 = 100.0;
const LENGTH: f64 = 25.0;
const SPEED: f64 = 0.1;
/// Cells of the length, particles a cell, and cells of the grid before the bar.
const CELLS: usize = 64;
const PER_CELL: usize = 2;
const BEFORE: usize = 4;

#[derive(Clone, Copy)]
pub struct Bar {
    pub mode: usize,
    /// Held at X = 0; else twice as long, and at rest there because both halves pull alike.
    pub clamped: bool,
    /// Over that of the closed form: 1, but for controls.
    pub stiffness: f64,
}

/// Period and amplitude, over those of the closed form, and what left the range of fixed point.
pub struct Vibration {
    pub period: f64,
    pub amplitude: f64,
    pub outside: usize,
}

impl Bar {
    fn beta(self) -> f64 {
        (2 * self.mode - 1) as f64 * PI / (2.0 * LENGTH)
    }

    pub fn vibrates(self, gpu: &Gpu) -> Vibration {
        let cell = LENGTH / CELLS as f64;
        let sound = YOUNG.sqrt();
        let omega = self.beta() * sound;
        // 150 looks at a period, and as many steps between them as keep sound below a fifth of a cell in a step.
        let look = 2.0 * PI / omega / 150.0;
        let steps = (look * sound / (0.2 * cell)).ceil();
        // The nodes that stop lie in the middle of their cells. The clamp holds two cells of the bar: nodes beside a
        // wall without matter in it would see a surface.
        let held = if self.clamped { 2 } else { CELLS };
        let origin = (BEFORE as f64 + if self.clamped { -0.5 } else { CELLS as f64 }) * cell;
        let solids = if self.clamped {
            vec![still(1), still(2), wall(0, BEFORE as f64 * cell, STICK)]
        } else {
            vec![still(1), still(2)]
        };
        let setup = Setup {
            pipeline: "mpm_jelly.json",
            cells: [held + CELLS + 2 * BEFORE, LAYER, LAYER],
            cell,
            dt: look / steps,
            parameters: json!({
                "transfer": {"gravity": [0, 0, 0], "quanta": 256, "limit": 1,
                             "density": 1, "young": YOUNG * self.stiffness, "poisson": 0},
            }),
            solids,
        };
        let spacing = cell / PER_CELL as f64;
        let middle = layer(cell) - 0.5 * spacing;
        let low = [origin - held as f64 * cell, middle, middle];
        let places = lattice([(held + CELLS) * PER_CELL, 1, 1], spacing, low);
        let shape: Vec<f64> = places
            .iter()
            .map(|place| place[0] - origin)
            .map(|x| if self.clamped { x.max(0.0) } else { x })
            .map(|x| (self.beta() * x).sin())
            .collect();
        let velocities: Vec<[f64; 3]> = shape.iter().map(|s| [SPEED * s, 0.0, 0.0]).collect();
        let mut scene = setup.start(gpu, &places, &velocities);
        let norm: f64 = shape.iter().map(|s| s * s).sum();
        // The part of the displacement that has the shape of the mode.
        let mut series = vec![(0.0, 0.0)];
        for sample in 1..=165 {
            scene.steps(steps as usize);
            let now = doubles::<3>(&mut scene, "matter.position");
            let moved: f64 = (0..places.len())
                .map(|i| shape[i] * (now[i][0] - places[i][0]))
                .sum();
            series.push((f64::from(sample) / 150.0, moved / norm));
        }
        // It comes back to 0 after half a period, and goes through it again.
        let half = series.iter().position(|(_, u)| *u < 0.0).unwrap_or(series.len());
        let extent = series[..half].iter().map(|(_, u)| *u).fold(0.0, f64::max);
        Vibration {
            period: reaches(&series[half..], 0.0).unwrap_or(f64::NAN),
            amplitude: extent * omega / SPEED,
            outside: outside(&mut scene),
        }
    }
}

pub fn vibration(gpu: &Gpu) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, mode, clamped) in [
        ("fixed at one end, n = 1", 1, true),
        ("fixed at one end, n = 2", 2, true),
        ("free at both ends, n = 1", 1, false),
    ] {
        let bar = Bar {
            mode,
            clamped,
            stiffness: 1.0,
        };
        rows.extend(deviations(name, bar, &bar.vibrates(gpu)));
    }
    rows
}

/// Rows of one bar.
pub fn deviations(name: &str, bar: Bar, found: &Vibration) -> [Row; 3] {
    let (bound, why) = if bar.clamped {
        (
            0.5 / CELLS as f64,
            "h / 2L: velocity is linear between the last clamped node and the next, which can shift the clamp by half a cell",
        )
    } else {
        (
            2.0 * (bar.beta() * LENGTH / CELLS as f64).powi(2),
            "2 (beta h)²: splines are of second order, also at free ends",
        )
    };
    [
        Row::new(
            format!("{name}: |period / exact - 1|"),
            (found.period - 1.0).abs(),
            bound,
            why,
        ),
        Row::new(
            format!("{name}: |amplitude / exact - 1|"),
            (found.amplitude - 1.0).abs(),
            bound,
            why,
        ),
        Row::none(
            format!("{name}: values outside the range of fixed point"),
            found.outside,
            "0 in a correct run",
        ),
    ]
}
