//! Measurements of the wind: projection, pressure, boundary, obstacles.

use sastrugi::gpu::Gpu;
use serde_json::json;

use super::super::reference::build_faces::build_faces;
use super::super::reference::build_obstacles::build_obstacles;
use super::super::reference::random::pcg4d;
use super::super::reference::request_air::request_air;
use super::super::reference::sor::sor;
use super::Row;
use super::checks::*;
use super::scene::{Scene, hills, layers};

const EPSILON: f64 = f32::EPSILON as f64;

/// The identity that holds after any number of sweeps.
pub fn divergence_identity(gpu: &Gpu) -> Vec<Row> {
    let lists: [&[f64]; 4] = [&[], &[1.0], &[1.7, 1.5, 1.2, 1.1, 1.1], &[1.7; 40]];
    let row = |omegas: &[f64]| {
        let mut file = hills();
        file["parameters"]["wind"]["omegas"] = json!(if omegas.is_empty() {
            vec![1.0]
        } else {
            omegas.to_vec()
        });
        if omegas.is_empty() {
            remove_sweeps(&mut file);
        }
        let mut scene = Scene::new(gpu, file);
        scene.steps(12);
        let what = format!("largest error after 12 steps of {} sweeps, 1/s", omegas.len());
        identity(&mut scene, what)
    };
    let mut rows: Vec<Row> = lists.map(row).into();
    let mut scene = Scene::new(gpu, layers());
    scene.steps(12);
    rows.push(identity(
        &mut scene,
        "air in layers: largest error after 12 steps, 1/s".into(),
    ));
    rows
}

fn identity(scene: &mut Scene, what: String) -> Row {
    let air = scene.air();
    let speed = [&air.u_star, &air.v_star, &air.w_star, &air.u, &air.v, &air.w].map(|f| largest(f));
    let speed = speed.into_iter().fold(0.0, f64::max);
    let dt = scene.sim.pipeline().dt;
    let change = dt / f64::from(air.dx) * largest_drop(&air);
    let bound = 24.0 * EPSILON * (speed + change) / f64::from(air.dx);
    Row::new(what, identity_error(&air, dt as f32), bound, IDENTITY)
}

const IDENTITY: &str =
    "24 ε (max|u| + dt/h max|Δp|) / h: 6 faces with 2 roundings each, b with 6 differences";

/// Takes the sweeps out of the steps.
fn remove_sweeps(file: &mut serde_json::Value) {
    let entries = file["stages"]["move_air"].as_array_mut().unwrap();
    let before = entries.len();
    entries.retain(|entry| entry != "sweeps");
    assert_eq!(entries.len(), before - 1);
}

/// The solver against f64 arithmetic on the same right side, and what sweeps achieve.
pub fn pressure_solve(gpu: &Gpu) -> Vec<Row> {
    let mut rows = Vec::new();
    for omegas in [vec![1.7, 1.5, 1.2, 1.1, 1.1], vec![1.7; 40]] {
        let mut file = hills();
        file["parameters"]["wind"]["omegas"] = json!(omegas);
        file["parameters"]["wind"]["warm_start"] = json!(0);
        let mut scene = Scene::new(gpu, file);
        scene.steps(5);
        let air = scene.air();
        let wide = |values: &[f32]| values.iter().map(|v| f64::from(*v)).collect::<Vec<f64>>();
        let b = wide(&air.solution);
        let mut p = vec![0.0; b.len()];
        let before = residual(&air, &p, &b);
        for omega in &omegas {
            (0..2).for_each(|color| sor(&air, &mut p, &b, *omega, color));
        }
        let (exact, device) = (residual(&air, &p, &b), residual(&air, &wide(&air.pressure), &b));
        let sweeps = omegas.len();
        let rounding = 4.0 * EPSILON * largest(&air.pressure) * 12.0 / f64::from(air.dx).powi(2);
        rows.push(Row::new(
            format!("{sweeps} sweeps: relative difference of the residual from that of the f64 twin"),
            (device / exact - 1.0).abs(),
            rounding / exact,
            "rounding p by 4 ε max|p| in the last sweep changes L p by at most 12/h² times that; earlier rounding errors shrink",
        ));
        rows.push(Row::new(
            format!("{sweeps} sweeps: remaining fraction of the residual"),
            device / before,
            if sweeps == 5 { 0.9 } else { 0.5 },
            "sweeps must reduce the residual; a wrong sign or factor of b increases it",
        ));
    }
    rows
}

/// Net flux through the boundary and the mean right side, at several winds of the drift.
pub fn balanced_boundary(gpu: &Gpu) -> Vec<Row> {
    let mut rows = balanced(gpu, hills(), "");
    rows.extend(balanced(gpu, layers(), "air in layers, "));
    rows
}

fn balanced(gpu: &Gpu, mut file: serde_json::Value, prefix: &str) -> Vec<Row> {
    file["parameters"]["wind"]["period"] = json!(4);
    let mut scene = Scene::new(gpu, file);
    let mut rows = Vec::new();
    for _ in 0..4 {
        scene.steps(25);
        let air = scene.air();
        let (net, total) = boundary_flux(&air, [&air.u, &air.v, &air.w]);
        let steps = scene.sim.steps();
        rows.push(Row::new(
            format!("{prefix}step {steps}: |net flux| / h², m/s"),
            net.abs(),
            16.0 * EPSILON * total,
            "16 ε Σ|flux|: a few roundings of the net flux, a division, two roundings per face",
        ));
        let (mean, cells) = mean_solution(&air);
        let speed = largest(&air.u_star)
            .max(largest(&air.v_star))
            .max(largest(&air.w_star));
        let scale = f64::from(air.dx) * scene.sim.pipeline().dt;
        rows.push(Row::new(
            format!("{prefix}step {steps}: |mean b|, 1/s²"),
            mean.abs(),
            (16.0 * EPSILON * total / cells as f64 + 4.0 * EPSILON * speed) / scale,
            "the net flux divided by the cells, plus the rounding of b",
        ));
    }
    rows
}

/// Snow of up to `depth` units in random heaps, the same in every run.
pub fn heaps(vertices: usize, depth: u32) -> Vec<u32> {
    (0..vertices as u32)
        .map(|i| pcg4d([i / 7, 1, 2, 3])[0] % depth)
        .collect()
}

/// Closed faces after whole steps, and between a rebuild of the obstacles and anything else.
pub fn solid_faces(gpu: &Gpu) -> Vec<Row> {
    const WHY: &str = "exact: closed faces are set, not computed";
    let mut scene = Scene::new(gpu, hills());
    scene.steps(20);
    let air = scene.air();
    let (closed, leaking) = leaks(&air, [&air.u, &air.v, &air.w]);
    let mut rows = vec![Row::none(
        format!("after project: of {closed} closed faces, not 0"),
        leaking,
        WHY,
    )];
    // New snow, up to 20 m, closes faces that carry wind.
    let vertices = scene.ground().snow.len();
    scene.write_words("ground.snow", heaps(vertices, 20_000));
    scene.alone("build_obstacles");
    let air = scene.air();
    let (_, blown) = leaks(&air, [&air.u, &air.v, &air.w]);
    assert!(
        blown > 100,
        "new obstacles close only {blown} faces that carry wind"
    );
    scene.alone("request_air");
    scene.alone("find_stale");
    scene.alone("build_faces");
    let air = scene.air();
    let (closed, leaking) = leaks(&air, [&air.u, &air.v, &air.w]);
    rows.push(Row::none(
        format!("after a rebuild that closes {blown} faces with wind: of {closed} closed faces, not 0"),
        leaking,
        WHY,
    ));
    // And back: uncovered faces start at 0.
    let solid_before = air.clone();
    scene.write_words("ground.snow", vec![0; vertices]);
    scene.alone("build_obstacles");
    scene.alone("request_air");
    scene.alone("find_stale");
    scene.alone("build_faces");
    let air = scene.air();
    let uncovered = |axis: usize| {
        let field = [&air.u, &air.v, &air.w][axis];
        let opened = air
            .all()
            .filter(|c| solid_before.closed(*c, axis) && !air.closed(*c, axis));
        opened.filter(|c| field[air.index(*c)] != 0.0).count()
    };
    rows.push(Row::none(
        "uncovered faces that do not start at 0",
        (0..3).map(uncovered).sum(),
        WHY,
    ));
    rows
}

/// Faces after rebuilds that leave most of them as they are, against those of a rebuild of all.
pub fn rebuilt_faces(gpu: &Gpu) -> Vec<Row> {
    const WHY: &str = "exact: faces depend on the solid cells and on the active blocks alone";
    let mut rows = Vec::new();
    for (name, file) in [("active everywhere", hills()), ("in layers", layers())] {
        let mut scene = Scene::new(gpu, file);
        scene.steps(9);
        let blocks = scene.air().blocks;
        // A heap of 40 m in a corner.
        let [nx, ny] = scene.ground().vertices;
        let heap = |i: usize| {
            if i % nx < nx / 4 && i / nx < ny / 4 {
                40_000
            } else {
                0
            }
        };
        scene.write_words("ground.snow", (0..nx * ny).map(heap));
        // Blocks come and go one rebuild later.
        scene.steps(16);
        let air = scene.air();
        let layout = air.layout.clone().unwrap();
        let stale = scene.sim.read("columns.stale").unwrap();
        let marked = |number: u32| {
            let [x, y, _] = layout.corner(number).map(|c| c as usize);
            stale[x + air.cells[0] * y] != 0
        };
        let kept = air.blocks.iter().filter(|block| !marked(**block)).count();
        assert!(
            kept > 0 && kept < air.blocks.len(),
            "{kept} of {}",
            air.blocks.len()
        );
        assert!(
            name != "in layers" || blocks != air.blocks,
            "no block came or went"
        );
        let mut expected = air.clone();
        build_faces(&mut expected, [0.0; 3]);
        let wrong = mismatches(&air.faces, &expected.faces) + mismatches(&air.open, &expected.open);
        rows.push(Row::none(
            format!(
                "{name}, {kept} of {} blocks not rebuilt: cells that differ",
                air.blocks.len()
            ),
            wrong,
            WHY,
        ));
        let (closed, leaking) = leaks(&air, [&air.u, &air.v, &air.w]);
        rows.push(Row::none(
            format!("of {closed} closed faces, not 0"),
            leaking,
            WHY,
        ));
        // Without a mark, nothing is rebuilt.
        scene.write_words("ground.snow", vec![0; nx * ny]);
        scene.alone("build_obstacles");
        scene.sim.write("columns.stale", &vec![0; stale.len()]).unwrap();
        scene.alone("build_faces");
        assert_eq!(mismatches(&scene.air().faces, &air.faces), 0);
        scene.alone("request_air");
        scene.alone("find_stale");
        scene.alone("build_faces");
        assert!(
            mismatches(&scene.air().faces, &air.faces) > 0,
            "a test that could not fail"
        );
    }
    rows
}

/// Columns counted on the device and cell by cell, on bare and on snowed-in terrain.
pub fn solid_cells(gpu: &Gpu) -> Vec<Row> {
    const WHY: &str = "exact: the same operations in the same order, each correctly rounded";
    let mut scene = Scene::new(gpu, hills());
    let mut rows = Vec::new();
    for (name, depth) in [("bare", 1), ("under heaps of up to 20 m", 20_000)] {
        let mut state = scene.state();
        state.ground.snow = heaps(state.ground.snow.len(), depth);
        scene.write_words("ground.snow", state.ground.snow.clone());
        scene.alone("build_obstacles");
        let unit = scene.parameter("snow_unit") as f32;
        build_obstacles(&mut state.air, &state.ground, unit);
        let wrong = mismatches(&scene.words("columns.solid"), &state.air.solid);
        rows.push(Row::none(
            format!("{name}: columns of {} that differ", state.air.solid.len()),
            wrong,
            WHY,
        ));
    }
    rows
}

/// Which blocks are active, against the definition cell by cell.
pub fn active_air(gpu: &Gpu) -> Vec<Row> {
    const WHY: &str = "exact: the solid cells are those of the obstacles";
    let mut rows = Vec::new();
    for (name, file) in [("everywhere", hills()), ("in layers", layers())] {
        let mut scene = Scene::new(gpu, file);
        let above = scene.parameter("air.layers_above") as f32;
        let air = scene.air();
        let Some(layout) = air.layout.clone() else {
            return vec![Row::new("the air is not sparse", 1.0, 0.0, WHY)];
        };
        let wanted = request_air(&air, &layout, above);
        let missing = wanted.iter().filter(|block| !air.blocks.contains(block)).count();
        let extra = air.blocks.iter().filter(|block| !wanted.contains(block)).count();
        let what = format!(
            "{name}: of {} blocks, {} requested, wrong",
            layout.block_count(),
            wanted.len()
        );
        rows.push(Row::none(what, missing + extra, WHY));
        if name == "everywhere" {
            let cut = air
                .all()
                .filter(|cell| !air.active[air.index(*cell)] && !air.solid(*cell))
                .count();
            rows.push(Row::none("everywhere: air cells that are not active", cut, WHY));
        }
    }
    rows
}
