//! A column of sand that collapses: final run-out over the width l0, or the radius, of a column with height a l0.
//!
//! In a channel: G. Lube, H. E. Huppert, R. S. J. Sparks and A. Freundt, "Collapses of two-dimensional granular columns",
//! 2005: 1.2 a up to a of about 2, 1.9 a^(2/3) from about 3 on. E. Lajeunesse, J. B. Monnier and G. M. Homsy, "Granular
//! slumping on a horizontal surface", 2005, glass beads: 1.8 a up to 3.
//!
//! To all sides: G. Lube, H. E. Huppert, R. S. J. Sparks and M. A. Hallworth, "Axisymmetric collapses of granular columns",
//! 2004: 1.24 a up to 1.7. E. Lajeunesse, A. Mangeney-Castelnau and J. P. Vilotte, "Spreading of a granular mass on a
//! horizontal plane", 2004: a up to 0.74, then 2 a^(1/2), which meets the other where it is the final radius: 2 a^(1/2) - 1.
//!
//! The papers were not at hand. The constants are as others quote them: Lube's and those of 2004 as L. Staron and E. J.
//! Hinch, 2005, are quoted for, Lajeunesse's of 2005 as a list has them that names P.-Y. Lagree, L. Staron and S. Popinet,
//! "The granular column collapse as a continuum", 2011, equation 3.1.

use std::f64::consts::PI;

use sastrugi::gpu::Gpu;
use serde_json::json;

use super::super::Row;
use super::setup::{LAYER, SEPARATE, STICK, Setup, doubles, lattice, layer, outside, still, wall};

/// m, m/s², degrees.
const WIDTH: f64 = 0.1;
const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 33.0;
/// Slices of the floor over l0; sand lies where one is as deep as wide, on average.
const SLICES: f64 = 16.0;
const BEFORE: usize = 4;

/// A column of `aspect` l0 height with `cells` in its width, of sand with that angle of friction (degrees).
#[derive(Clone, Copy)]
pub struct Column {
    pub aspect: usize,
    pub cells: usize,
    pub friction: f64,
    /// A cylinder, of which a quarter between two walls is computed; else plane strain.
    pub round: bool,
}

/// The parameter of the cone, degrees: Drucker and Prager's cone, which the material puts around the compressive corners of
/// Mohr and Coulomb's pyramid, lets plane flow at constant volume bear sin(phi) = 2 sqrt(3) s / (3 - s), s its own sine.
fn cone(friction: f64) -> f64 {
    let sine = friction.to_radians().sin();
    (3.0 * sine / (2.0 * 3f64.sqrt() + sine)).asin().to_degrees()
}

/// Run-out over l0, speed of the fastest particle at the end (m/s), what left the range of fixed point.
pub struct Heap {
    pub runout: f64,
    pub fastest: f64,
    pub outside: usize,
}

impl Column {
    fn name(self) -> String {
        format!("{}a = {}", if self.round { "round, " } else { "" }, self.aspect)
    }

    pub fn collapses(self, gpu: &Gpu) -> Heap {
        const PER_CELL: usize = 2;
        const DENSITY: f64 = 1600.0;
        const POISSON: f64 = 0.3;
        let cell = WIDTH / self.cells as f64;
        let height = self.aspect as f64 * WIDTH;
        // Compressed by a hundredth under its own weight, at most.
        let sound = 10.0 * (GRAVITY * height).sqrt();
        let young = DENSITY * sound * sound * (1.0 + POISSON) * (1.0 - 2.0 * POISSON) / (1.0 - POISSON);
        // Columns come to rest after about 3.3 sqrt(height / g) (Lube 2005).
        let end = 4.0 * (height / GRAVITY).sqrt();
        let steps = (end * sound / (0.4 * cell)).ceil();
        let edge = BEFORE as f64 * cell;
        let across = (3 * self.aspect + 1) * self.cells + 2 * BEFORE;
        let setup = Setup {
            pipeline: "mpm_sand.json",
            cells: [
                across,
                if self.round { across } else { LAYER },
                self.aspect * self.cells + 2 * BEFORE,
            ],
            cell,
            dt: end / steps,
            parameters: json!({
                "transfer": {"gravity": [0, 0, -GRAVITY], "quanta": 32, "limit": 8,
                             "density": DENSITY, "young": young, "poisson": POISSON,
                             "friction_angle": cone(self.friction)},
            }),
            solids: vec![
                if self.round {
                    wall(1, edge, SEPARATE)
                } else {
                    still(1)
                },
                wall(0, edge, SEPARATE),
                wall(2, edge, STICK),
            ],
        };
        let spacing = cell / PER_CELL as f64;
        let side = self.cells * PER_CELL;
        let mut places = if self.round {
            lattice([side, side, side * self.aspect], spacing, [edge; 3])
        } else {
            let middle = layer(cell) - 0.5 * spacing;
            lattice([side, 1, side * self.aspect], spacing, [edge, middle, edge])
        };
        // From the wall, or from the axis.
        let out = |place: &[f64; 3]| {
            if self.round {
                (place[0] - edge).hypot(place[1] - edge)
            } else {
                place[0] - edge
            }
        };
        places.retain(|place| out(place) < WIDTH);
        let mut scene = setup.start(gpu, &places, &vec![[0.0; 3]; places.len()]);
        scene.steps(steps as usize);
        // Depth of each slice, or ring, over its width.
        let width = WIDTH / SLICES;
        let mut depths: Vec<f64> = Vec::new();
        for place in doubles::<3>(&mut scene, "matter.position") {
            let slice = (out(&place) / width).max(0.0) as usize;
            depths.resize(depths.len().max(slice + 1), 0.0);
            depths[slice] += if self.round {
                (spacing / width).powi(3) / (0.25 * PI * (2 * slice + 1) as f64)
            } else {
                (spacing / width).powi(2)
            };
        }
        let reach = depths
            .iter()
            .rposition(|depth| *depth >= 1.0)
            .map_or(0, |slice| slice + 1);
        let speeds = doubles::<3>(&mut scene, "matter.velocity");
        Heap {
            runout: reach as f64 / SLICES - 1.0,
            fastest: speeds.iter().map(|v| v[0].hypot(v[2])).fold(0.0, f64::max),
            outside: outside(&mut scene),
        }
    }
}

/// Results of the experiments, lower and upper, with their authors.
pub fn published(column: Column) -> [(f64, &'static str); 2] {
    let a = column.aspect as f64;
    if column.round {
        [(2.0 * a.sqrt() - 1.0, "Lajeunesse"), (1.24 * a, "Lube")]
    } else if a < 2.5 {
        [(1.2 * a, "Lube"), (1.8 * a, "Lajeunesse")]
    } else {
        [(1.9 * a.powf(2.0 / 3.0), "Lube"), (1.8 * a, "Lajeunesse")]
    }
}

/// The row that compares with the experiments.
pub fn beside_experiments(column: Column, found: &Heap) -> Row {
    let [(least, one), (most, other)] = published(column);
    Row::new(
        format!(
            "{}: run-out {:.2} l0; distance from the range {least:.2} ({one}) to {most:.2} ({other}), l0",
            column.name(),
            found.runout
        ),
        (least - found.runout).max(found.runout - most).max(0.0),
        1.0 / column.cells as f64,
        "one cell: the accuracy of the edge",
    )
}

pub fn columns(gpu: &Gpu) -> Vec<Row> {
    let mut rows = Vec::new();
    for (round, aspect, cells) in [(false, 1, 16), (false, 2, 16), (false, 3, 12), (true, 1, 8)] {
        let column = Column {
            aspect,
            cells,
            friction: FRICTION,
            round,
        };
        let (heap, name) = (column.collapses(gpu), column.name());
        rows.push(beside_experiments(column, &heap));
        rows.push(Row::new(
            format!("{name}: speed of the fastest particle at the end over sqrt(g height)"),
            heap.fastest / (GRAVITY * aspect as f64 * WIDTH).sqrt(),
            0.1,
            "at rest, except for particles that still roll down",
        ));
        rows.push(Row::none(
            format!("{name}: values outside the range of fixed point"),
            heap.outside,
            "0 in a correct run",
        ));
    }
    rows
}
