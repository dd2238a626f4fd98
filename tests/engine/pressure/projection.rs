//! Projected velocities: free of divergence, and at rest where fluid rests.

use super::*;

/// A pool of water, or a closed box of it, below gravity; `density` in kg/m^3.
fn pool(gpu: &Gpu, fill: &str, sides: Value, density: f64, options: Options) -> Simulation {
    let file = json!({
        "run": {"dt": 0.01, "frames": 1},
        "use": {"flow": {"module": "modules/projection.json", "roles": {"grid": "air"},
            "parameters": {"density": density, "sides": sides, "solver": {"rtol": 1e-7}}}},
        "grids": {"air": {"cells": [12, 9, 16], "cell_size": 0.25, "levels": "all", "channels": {
            "u": {"type": "float", "at": "face_x", "background": 0}, "v": {"type": "float", "at": "face_y", "background": 0},
            "w": {"type": "float", "at": "face_z", "background": 0}, "p": {"type": "float", "background": 0},
            "cell_type": "uint"}}},
        "init": [{"stage": "fill_cells", "over": "air", "writes": ["air.cell_type"]}, "flow.mask"],
        "step": [{"stage": "fall", "over": "air.w", "reads": ["air.w"], "writes": ["air.w"]}, "flow.project"]
    });
    let fall =
        "void stage(ivec3 i) { if (i.z > 0 && i.z < air_cells.z) set_air_w(i, air_w(i) - clock.dt * 9.81); }";
    let fill = format!("void stage(ivec3 cell) {{ set_air_cell_type(cell, {fill}); }}");
    simulation(
        gpu,
        pipeline(&file, &[("fall", fall), ("fill_cells", &fill)]),
        options,
    )
}

#[test]
fn water_at_rest_stays_at_rest() {
    let Some(gpu) = common::gpu() else { return };
    let closed = json!({"low": [0, 0, 0], "high": [0, 0, 0]});
    // Water up to the tenth layer of cells; its surface is where air's pressure is 0, at the centre of the next one.
    let mut sweep = common::sweep(1, 2);
    for options in [Options::PLAIN, CHECKED] {
        if !sweep.skips() {
            let simulation = pool(&gpu, "cell.z < 10 ? 0u : 1u", closed.clone(), 1000.0, options);
            check_rest(simulation);
        }
    }
}

fn check_rest(mut simulation: Simulation) {
    simulation.step(false).unwrap();
    assert_no_fault(&mut simulation);
    let (p, w) = (
        read_doubles(&mut simulation, "air.p"),
        read_doubles(&mut simulation, "air.w"),
    );
    for (cell, p) in p.iter().enumerate() {
        let z = cell / (12 * 9);
        let wanted = if z < 10 {
            1000.0 * 9.81 * 0.25 * (10 - z) as f64
        } else {
            0.0
        };
        assert!(
            (p - wanted).abs() < 1e-5 * 24525.0,
            "{p} at layer {z}, not {wanted}"
        );
    }
    for (face, w) in w.iter().enumerate().filter(|(face, _)| face / (12 * 9) <= 10) {
        assert!(w.abs() < 1e-6, "{w} m/s at layer {}", face / (12 * 9));
    }
    // Control: without the pressure it falls.
    assert!(w.iter().any(|w| (w + 0.0981).abs() < 1e-6));
}

#[test]
fn projection_removes_divergence() {
    let Some(gpu) = common::gpu() else { return };
    let sides = [
        json!({"low": [0, 0, 0], "high": [0, 0, 1]}),
        json!({"low": [1, 0, 0], "high": [1, 0, 0]}),
    ];
    for sides in sides {
        let solid = "all(lessThan(abs(cell - ivec3(6, 4, 8)), ivec3(3, 2, 2))) ? 2u : 0u";
        let mut simulation = pool(&gpu, solid, sides.clone(), 1.25, Options::PLAIN);
        simulation.step(false).unwrap();
        assert_no_fault(&mut simulation);
        let types = read_words(&mut simulation, "air.cell_type");
        let [u, v, w] = ["air.u", "air.v", "air.w"].map(|field| read_doubles(&mut simulation, field));
        let (nx, ny, nz) = (12, 9, 16);
        let mut most: f64 = 0.0;
        for (cell, _) in types.iter().enumerate().filter(|(_, kind)| **kind == 0) {
            let (x, y, z) = (cell % nx, cell / nx % ny, cell / (nx * ny));
            assert!(z < nz);
            let flow = u[x + 1 + (nx + 1) * (y + ny * z)] - u[x + (nx + 1) * (y + ny * z)]
                + v[x + nx * (y + 1 + (ny + 1) * z)]
                - v[x + nx * (y + (ny + 1) * z)]
                + w[x + nx * (y + ny * (z + 1))]
                - w[x + nx * (y + ny * z)];
            most = most.max((flow / 0.25).abs());
        }
        // The bar of PhiFlow: 5e-5 per second.
        assert!(most < 5e-5, "{sides}: {most}");
        // Reported: the largest residual, times dt / (rho h^2).
        let reported = read_doubles(&mut simulation, "flow.solver.true_largest")[0] * 0.01 / (1.25 * 0.0625);
        assert!((reported - most).abs() < 2e-6, "{reported} {most}");
    }
}

#[test]
fn projection_removes_divergence_on_a_periodic_plane() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 0.1, "frames": 1},
        "use": {"flow": {"module": "modules/projection.json", "roles": {"grid": "air"},
            "parameters": {"sides": {"low": [2, 0, 0], "high": [2, 0, 0]}, "solver": {"rtol": 1e-7}}}},
        "grids": {"air": {"cells": [24, 15], "cell_size": 0.5, "levels": "all", "channels": {
            "u": {"type": "float", "at": "face_x", "border": ["repeat", "clamp"], "values": "sin(3 * x + y)"},
            "v": {"type": "float", "at": "face_y", "border": ["repeat", "clamp"],
                  "values": "cos(x * y) * min(y, 1) * min(7.5 - y, 1)"},
            "cell_type": {"type": "uint", "background": 0}, "p": {"type": "float", "background": 0}}}},
        "init": ["flow.mask"],
        "step": ["flow.project"]
    });
    let mut simulation = simulation(&gpu, pipeline(&file, &[]), Options::PLAIN);
    let most = |simulation: &mut Simulation| {
        let [u, v] = ["air.u", "air.v"].map(|field| read_doubles(simulation, field));
        let (nx, ny) = (24, 15);
        assert_eq!((u.len(), v.len()), (nx * ny, nx * (ny + 1)));
        let flows = (0..nx * ny).map(|cell| {
            let (x, y) = (cell % nx, cell / nx);
            u[(x + 1) % nx + nx * y] - u[cell] + v[cell + nx] - v[cell]
        });
        flows.map(|flow: f64| (flow / 0.5).abs()).fold(0.0, f64::max)
    };
    assert!(most(&mut simulation) > 1.0);
    simulation.step(false).unwrap();
    assert_no_fault(&mut simulation);
    assert!(most(&mut simulation) < 5e-5, "{}", most(&mut simulation));
}

/// Fluid, solid and a wavy surface, in which velocities are random; axes with `repeat` are periodic.
fn stirred(gpu: &Gpu, periodic: [bool; 3], patch: Value, options: Options) -> Simulation {
    let border = periodic.map(|periodic| if periodic { "repeat" } else { "clamp" });
    let side = periodic.map(|periodic| if periodic { "periodic" } else { "closed" });
    let face =
        |axis: &str, values: &str| json!({"type": "float", "at": axis, "border": border, "values": values});
    let fill = "all(lessThan(abs(cell - ivec3(9, 4, 3)), ivec3(3, 2, 2))) ? 2u : cell.x > 2 && cell.y == 8 ? 1u : 0u";
    let file = json!({
        "run": {"dt": 0.1, "frames": 1},
        "use": {"flow": {"module": "modules/projection.json", "roles": {"grid": "air"}, "stages": patch,
            "parameters": {"sides": {"low": side, "high": side}, "solver": {"rtol": 1e-7}}}},
        "grids": {"air": {"cells": [16, 9, 10], "cell_size": 0.5, "levels": "all", "channels": {
            "u": face("face_x", "sin(3 * x + y * z)"), "v": face("face_y", "cos(x * y + 5 * z)"),
            "w": face("face_z", "sin(x * z) * cos(7 * y)"),
            "cell_type": "uint", "p": {"type": "float", "background": 0}}}},
        "init": [{"stage": "fill_cells", "over": "air", "writes": ["air.cell_type"]}, "flow.mask"],
        "step": ["flow.project"]
    });
    let fill = format!("void stage(ivec3 cell) {{ set_air_cell_type(cell, {fill}); }}");
    simulation(gpu, pipeline(&file, &[("fill_cells", &fill)]), options)
}

/// The largest divergence of the cells of fluid, 1/s.
fn largest_divergence(simulation: &mut Simulation, periodic: [bool; 3]) -> f64 {
    let cells = [16, 9, 10];
    let types = read_words(simulation, "air.cell_type");
    let mut flows = vec![0.0; types.len()];
    for (axis, field) in ["air.u", "air.v", "air.w"].into_iter().enumerate() {
        let faces = read_doubles(simulation, field);
        let mut sides = cells;
        sides[axis] += usize::from(!periodic[axis]);
        assert_eq!(faces.len(), sides.iter().product::<usize>());
        for (cell, flow) in flows.iter_mut().enumerate() {
            let mut at = [cell % 16, cell / 16 % 9, cell / (16 * 9)];
            let face = |at: [usize; 3]| faces[at[0] + sides[0] * (at[1] + sides[1] * at[2])];
            *flow -= face(at);
            at[axis] = (at[axis] + 1) % sides[axis];
            *flow += face(at);
        }
    }
    let fluid = flows.iter().zip(&types).filter(|(_, kind)| **kind == 0);
    fluid.map(|(flow, _)| (flow / 0.5).abs()).fold(0.0, f64::max)
}

const AXES: [[bool; 3]; 4] = [
    [false, false, false],
    [true, false, false],
    [false, false, true],
    [true, true, true],
];

fn removes_divergence_in_periodic_boxes(options: Options, few: usize) {
    let Some(gpu) = common::gpu() else { return };
    let mut cases = common::sweep(few, AXES.len());
    for periodic in AXES {
        if cases.skips() {
            continue;
        }
        let mut simulation = stirred(&gpu, periodic, json!({}), options);
        let before = largest_divergence(&mut simulation, periodic);
        assert!(before > 1.0, "control: {before}");
        simulation.step(false).unwrap();
        assert_no_fault(&mut simulation);
        let after = largest_divergence(&mut simulation, periodic);
        assert!(after < 5e-5, "{periodic:?}: {after}");
    }
}

#[test]
fn projection_removes_divergence_in_periodic_boxes() {
    removes_divergence_in_periodic_boxes(Options::PLAIN, 2);
}

#[test]
#[ignore = "long: kernels that check their accesses take long to compile"]
fn projection_accesses_no_other_cells_in_periodic_boxes() {
    removes_divergence_in_periodic_boxes(CHECKED, AXES.len());
}

#[test]
fn pressure_accelerates_all_faces_at_once_like_face_by_face() {
    let Some(gpu) = common::gpu() else { return };
    let one = json!({"for": "c in uvw", "stages": [{"stage": "push_{c}", "shader": "pressure/apply_pressure_gradient.comp",
        "over": "grid.{c}", "arguments": {"axis": "c.index"},
        "bind": {"value": "grid.{c}", "grid.relative_density": "solver.grid.relative_density"}}]});
    let separate = json!({"apply_pressure_gradient": [one]});
    let skipped = json!({"apply_pressure_gradient": []});
    let mut cases = common::sweep(1, 4);
    for periodic in AXES {
        if cases.skips() {
            continue;
        }
        let [fused, separate, skipped] = [json!({}), separate.clone(), skipped.clone()].map(|patch| {
            let mut simulation = stirred(&gpu, periodic, patch, Options::PLAIN);
            simulation.step(false).unwrap();
            ["air.u", "air.v", "air.w"].map(|field| read_words(&mut simulation, field))
        });
        assert!(fused == separate, "{periodic:?}");
        assert!(fused != skipped, "control: {periodic:?}");
    }
}
