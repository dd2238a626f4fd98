//! Bodies that cut cells: the open parts of faces, and how hard still air is to push.

use std::f64::consts::PI;

use super::*;

/// A box of n^3 cells of size 1 with a body in the middle of it, whose shape is an expression: 0.5 at the surface, more inside.
/// The body moves along x by 1 m/s.
fn box_with(gpu: &Gpu, n: u64, open: u32, shape: &str) -> Simulation {
    let half = n as f64 / 2.0;
    let face = |at: &str| json!({"type": "float", "at": at, "background": 0});
    let centre = || json!({"type": "float", "at": "centre", "background": 0});
    let lattice = |fine: u64, channels: Value| json!({"cells": vec![fine * n; 3], "cell_size": 1.0 / fine as f64, "origin": [-half, -half, -half], "channels": channels});
    let mut room = lattice(
        1,
        json!({"u": face("face_x"), "v": face("face_y"), "w": face("face_z"), "p": centre(),
                                     "density": centre(), "heat": centre(), "solid": {"type": "float", "at": "node"}}),
    );
    room["levels"] = json!("all");
    // Finer, so that interpolation hardly rounds the body off.
    let body = lattice(
        4,
        json!({"shape": {"type": "float", "at": "centre", "values": shape}}),
    );
    let file = json!({
        "run": {"dt": 1e-3, "frames": 1},
        "use": {"air": {"module": "modules/smoke.json", "roles": {"grid": "room"}, "parameters": {
            "density": 1, "motion": {"reach": [1e4 / (2.0 * PI), 0, 0], "period": 1e4},
            "sides": {"low": [open, open, open], "high": [open, open, open]}, "solver": {"rtol": 1e-6}}}},
        "grids": {
            "room": room,
            "body": body
        },
        "step": ["air.place", "air.project"]
    });
    let mut simulation = simulation(gpu, pipeline(&file, &[]), Options::PLAIN);
    simulation.step(false).unwrap();
    assert_no_fault(&mut simulation);
    simulation
}

/// The open parts of the faces of each cell in 1/16, in the order -x +x -y +y -z +z.
fn parts(simulation: &mut Simulation) -> Vec<[u32; 6]> {
    let words = read_words(simulation, "air.grid.faces");
    words
        .into_iter()
        .map(|word| [0, 1, 2, 3, 4, 5].map(|face| word >> (5 * face) & 31))
        .collect()
}

#[test]
fn plane_gives_exact_open_face_fractions() {
    let Some(gpu) = common::gpu() else { return };
    // Solid below a plane across (1, 2, 0), which cuts faces along z in trapezia.
    let offset = 0.3;
    let mut simulation = box_with(&gpu, 8, 0, &format!("0.5 - (x + 2 * y - {offset})"));
    let covered = |x: f64, y: f64| {
        // Of the square with this lower corner: 2 y is below offset - x for each of many x.
        let strips = 4096;
        let open = (0..strips).map(|i| {
            let x = x + (f64::from(i) + 0.5) / f64::from(strips);
            (y + 1.0 - ((offset - x) / 2.0).max(y)).clamp(0.0, 1.0)
        });
        open.sum::<f64>() / f64::from(strips)
    };
    let (mut cut, mut worst) = (0, 0.0_f64);
    for (cell, parts) in parts(&mut simulation).into_iter().enumerate() {
        let (x, y) = ((cell % 8) as f64 - 4.0, (cell / 8 % 8) as f64 - 4.0);
        let [found, wanted] = [f64::from(parts[5]), 16.0 * covered(x, y)];
        // Beyond the centres of its outermost cells the body's shape is constant; the uppermost layer has a closed side above it.
        if cell / 64 < 7 && x.abs().max(y.abs()) < 3.0 {
            worst = worst.max((found - wanted).abs());
            cut += u32::from(wanted > 0.5 && wanted < 15.5);
        }
    }
    assert!(worst < 0.51, "off by {worst} of 16");
    assert!(cut > 20, "control: {cut} cut faces");
}

/// The force on a sphere that starts to move, over what moves as much fluid as it displaces. Its centre is at `x`.
fn added_mass(gpu: &Gpu, n: u64, radius: f64, x: f64, has_stairs: bool) -> f64 {
    let distance = format!("({radius} - sqrt((x - {x}) ^ 2 + y ^ 2 + z ^ 2))");
    let shape = if has_stairs {
        format!("0.5 + signum{distance}")
    } else {
        format!("0.5 + {distance}")
    };
    let mut simulation = box_with(gpu, n, 0, &shape);
    let p = read_doubles(&mut simulation, "room.p");
    let force = parts(&mut simulation).into_iter().zip(p).map(|(parts, p)| {
        let [west, east] = [parts[0], parts[1]].map(f64::from);
        (west - east) / 16.0 * p
    });
    // Faces of the closed sides of the domain carry no force of the sphere.
    let inside = force
        .enumerate()
        .filter(|(cell, _)| (1..n - 1).contains(&(*cell as u64 % n)));
    let impulse = 1e-3 * inside.map(|(_, force)| force).sum::<f64>();
    -impulse / (4.0 / 3.0 * PI * radius.powi(3))
}

/// By how much that differs from Lamb 1932, "Hydrodynamics", section 93: between the sphere and a closed one of radius b it is
/// (1 + 2 q) / (2 - 2 q) with q = (a / b)^3, 1/2 in fluid without end. A cube is like a sphere as large.
fn error(gpu: &Gpu, n: u64, radius: f64, x: f64, has_stairs: bool) -> f64 {
    let q = 4.0 / 3.0 * PI * radius.powi(3) / (n as f64).powi(3);
    added_mass(gpu, n, radius, x, has_stairs) * (2.0 - 2.0 * q) / (1.0 + 2.0 * q) - 1.0
}

#[test]
fn sphere_has_half_its_displaced_mass_as_added_mass() {
    check_added_mass(&[(20, 3.1, 0.5)]);
}

#[test]
#[ignore = "long: kernels for each level of a larger grid"]
fn sphere_of_any_size_has_half_its_displaced_mass_as_added_mass() {
    check_added_mass(&[(20, 3.1, 0.0), (24, 4.3, 0.0), (24, 4.3, 0.5)]);
}

/// Cells along an axis, the sphere's radius, and where it is.
fn check_added_mass(cases: &[(u64, f64, f64)]) {
    let Some(gpu) = common::gpu() else { return };
    for (n, radius, x) in cases.iter().copied() {
        let error = error(&gpu, n, radius, x, false);
        // Of second order in the size of a cell.
        assert!(
            error.abs() < 1.0 / (radius * radius),
            "radius {radius} at {x}: off by {error}"
        );
    }
    // Nodes that are in the sphere or not give stairs.
    let stairs = error(&gpu, 20, 3.1, 0.5, true);
    assert!(stairs.abs() > 1.5 / (3.1 * 3.1), "control: off by {stairs}");
}
