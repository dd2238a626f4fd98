//! A column of water that collapses: J. C. Martin and W. J. Moyce, "An experimental study of the collapse of liquid columns
//! on a rigid horizontal plane", 1952. Their front Z = x / a, for a column of width a and height n² a, is a function of T
//! = n t sqrt(g / a). What is compared is the speed dZ / dT, since published copies of their measurements differ in the
//! offset of time, and gates take time to open.

use sastrugi::gpu::Gpu;
use serde_json::json;

use super::super::Row;
use super::setup::{LAYER, SEPARATE, Setup, doubles, lattice, layer, outside, reaches, still, wall};

/// Their columns of 2 1/4 inches, m, and gravity, m/s².
const WIDTH: f64 = 0.05715;
const GRAVITY: f64 = 9.81;
/// Cells of the width, and of the grid outside the walls.
const CELLS: usize = 16;
const BEFORE: usize = 4;
/// Between looks, in T.
const LOOK: f64 = 0.05;

/// Z at T for n² = 2, as three public copies give it: the first says that it has tables 2 and 6 of the paper (a = 2 1/4
/// inches), the others that they read figure 3 (a = 1 1/8 and 2 1/4 inches).
pub const COPIES: [&[(f64, f64)]; 3] = [
    &[
        (1.63, 1.89),
        (1.83, 2.11),
        (1.98, 2.33),
        (2.20, 2.56),
        (2.32, 2.78),
        (2.51, 3.00),
        (2.65, 3.22),
        (2.83, 3.44),
        (2.98, 3.67),
        (3.11, 3.89),
        (3.33, 4.11),
    ],
    &[(1.602, 1.884), (2.283, 2.689), (2.950, 3.728), (3.598, 4.528)],
    &[(1.219, 1.474), (1.997, 2.292), (2.547, 2.995), (3.345, 4.134)],
];

/// Mean speed dZ / dT between Z = 2 and 4; NaN where the front does not get there.
pub fn speed(series: &[(f64, f64)]) -> f64 {
    match (reaches(series, 2.0), reaches(series, 4.0)) {
        (Some(from), Some(to)) => 2.0 / (to - from),
        _ => f64::NAN,
    }
}

/// The mean of the copies, and how far one is from it.
pub fn published() -> (f64, f64) {
    let speeds = COPIES.map(speed);
    let mean = speeds.iter().sum::<f64>() / 3.0;
    let spread = speeds.iter().map(|v| (v / mean - 1.0).abs()).fold(0.0, f64::max);
    (mean, spread)
}

pub struct Front {
    /// dZ / dT.
    pub speed: f64,
    pub outside: usize,
}

/// A column of height `squared` (n²) times its width, between walls without friction. `pull` is gravity over that which T
/// is computed with: 1, but for controls.
pub fn front(gpu: &Gpu, squared: usize, pull: f64) -> Front {
    const PER_CELL: usize = 2;
    let cell = WIDTH / CELLS as f64;
    let unit = (WIDTH / (squared as f64 * GRAVITY)).sqrt();
    // Ten times the fastest that water without friction gets, 2 sqrt(g h) (Ritter 1892) halved: Mach numbers below 0.2.
    let sound = 10.0 * (2.0 * GRAVITY * squared as f64 * WIDTH).sqrt();
    let steps = (LOOK * unit * sound / (0.4 * cell)).ceil();
    let edge = BEFORE as f64 * cell;
    let setup = Setup {
        pipeline: "mpm_water.json",
        cells: [6 * CELLS + BEFORE, LAYER, (squared + 1) * CELLS],
        cell,
        dt: LOOK * unit / steps,
        parameters: json!({
            "transfer": {"gravity": [0, 0, -GRAVITY * pull], "quanta": 32, "limit": 8,
                         "density": 1000, "bulk": 1000.0 * sound * sound},
        }),
        solids: vec![still(1), wall(0, edge, SEPARATE), wall(2, edge, SEPARATE)],
    };
    let spacing = cell / PER_CELL as f64;
    let counts = [CELLS * PER_CELL, 1, squared * CELLS * PER_CELL];
    let places = lattice(counts, spacing, [edge, layer(cell) - 0.5 * spacing, edge]);
    let mut scene = setup.start(gpu, &places, &vec![[0.0; 3]; places.len()]);
    let mut series = vec![(0.0, 1.0)];
    while let [.., (time, reach)] = series[..] {
        if reach > 4.2 || time > 4.0 {
            break;
        }
        scene.steps(steps as usize);
        let now = doubles::<3>(&mut scene, "matter.position");
        let foremost = now.iter().map(|place| place[0]).fold(0.0, f64::max);
        series.push((time + LOOK, (foremost + 0.5 * spacing - edge) / WIDTH));
    }
    Front {
        speed: speed(&series),
        outside: outside(&mut scene),
    }
}

/// The row that compares with the experiment.
pub fn beside_experiment(found: f64) -> Row {
    let (mean, spread) = published();
    let cell = 1.0 / CELLS as f64;
    Row::new(
        format!("n² = 2: |speed of the front / {mean:.3} of Martin and Moyce - 1|"),
        (found / mean - 1.0).abs(),
        spread + cell / 2.0 + cell / 4.0,
        "the spread of the copies, half a cell at both ends of the distance 2 a, and half a cell of the height, by its square root",
    )
}

pub fn dam(gpu: &Gpu) -> Vec<Row> {
    let [square, tall] = [1, 2].map(|squared| front(gpu, squared, 1.0));
    let mut rows = vec![beside_experiment(tall.speed)];
    for (squared, found) in [(1, &square), (2, &tall)] {
        rows.push(Row::new(
            format!("n² = {squared}: speed of the front over 2 sqrt(g h)"),
            // dZ / dT = dx / dt / (n sqrt(g a)), and h = n² a.
            found.speed / 2.0,
            1.0,
            "Ritter 1892: the limit for the tip of water without friction on a dry floor",
        ));
    }
    rows.push(Row::none(
        "values outside the range of fixed point",
        square.outside + tall.outside,
        "0 in a correct run",
    ));
    rows
}
