//! The liquid of particles on a device: what reaches faces and cells against a twin, water at rest, and solids.

mod fountain;

use sastrugi::gpu::Gpu;
use sastrugi::run::{Options, Simulation};
use serde_json::{Value, json};

use super::common::{self, simulation::*};

const CELLS: [i32; 3] = [7, 5, 9];
const SIDE: f64 = 0.25;

/// A closed box with a block of solid cells, and particles that `place` sets.
fn liquid(gpu: &Gpu, count: u64, place: &str, step: Value) -> Simulation {
    let file = tank("modules/liquid.json", count, step);
    run(gpu, &file, place, CHECKED)
}

fn tank(module: &str, count: u64, step: Value) -> Value {
    json!({
        "run": {"dt": 0.01, "frames": 1, "seed": 5},
        "use": {"water": {"module": module, "roles": {"grid": "tank"},
          "parameters": {"solver": {"rtol": 1e-6, "warm_start": 0}}}},
        "grids": {"tank": {"cells": CELLS, "cell_size": SIDE, "levels": "all", "channels": {
            "p": {"type": "float", "background": 0}, "cell_type": "uint"}}},
        "particles": {"matter": {"count": count, "ring": 2, "attributes": {"position": "vec3", "velocity": "vec3"}}},
        "init": [
            {"stage": "fill_cells", "over": "tank", "writes": ["tank.cell_type"]},
            {"stage": "place", "over": "matter", "writes": ["matter.position", "matter.velocity"]}
        ],
        "step": step
    })
}

fn run(gpu: &Gpu, file: &Value, place: &str, options: Options) -> Simulation {
    let fill = "void stage(ivec3 c) { set_tank_cell_type(c, c.x == 5 && c.z < 3 ? 2u : 1u); }";
    let place = format!("#include \"lib/random.glsl\"\n{place}");
    let pipeline = pipeline(file, &[("fill_cells", fill), ("place", &place)]);
    simulation(gpu, pipeline, options)
}

fn vectors(simulation: &mut Simulation, field: &str) -> Vec<[f64; 3]> {
    read_doubles(simulation, field).as_chunks().0.to_vec()
}

fn is_solid(cell: [i32; 3]) -> bool {
    let outside = (0..3).any(|axis| cell[axis] < 0 || cell[axis] >= CELLS[axis]);
    outside || cell[0] == 5 && cell[2] < 3
}

/// All indices below `size`, in the order of memory.
fn indices(size: [i32; 3]) -> impl Iterator<Item = [i32; 3]> {
    (0..size[2]).flat_map(move |z| (0..size[1]).flat_map(move |y| (0..size[0]).map(move |x| [x, y, z])))
}

/// The mean velocity of the particles around a face, with linear weights.
fn brought(axis: usize, face: [i32; 3], places: &[[f64; 3]], velocities: &[[f64; 3]]) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (place, velocity) in places.iter().zip(velocities) {
        let weight: f64 = (0..3)
            .map(|a| {
                let at = f64::from(face[a]) + if a == axis { 0.0 } else { 0.5 };
                (1.0 - (place[a] / SIDE - at).abs()).max(0.0)
            })
            .product();
        sum += weight * velocity[axis];
        weights += weight;
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

/// The density of the particles around the centre of a cell over that of eight a cell, with solids as mirrors.
fn particle_density(cell: [i32; 3], places: &[[f64; 3]]) -> f64 {
    let mut sum = 0.0;
    for way in indices([3, 3, 3]).map(|way| way.map(|w| w - 1)) {
        let mut from = cell;
        let mirrored: Vec<bool> = (0..3)
            .map(|axis| {
                let mut beside = cell;
                beside[axis] += way[axis];
                let wall = way[axis] != 0 && is_solid(beside);
                from[axis] += if wall { 0 } else { way[axis] };
                wall
            })
            .collect();
        let inside = |place: &&[f64; 3]| (0..3).all(|a| (place[a] / SIDE).floor() as i32 == from[a]);
        for place in places.iter().filter(inside) {
            let square: f64 = (0..3)
                .map(|a| {
                    let away = place[a] / SIDE - f64::from(cell[a]) - 0.5;
                    if mirrored[a] {
                        f64::from(way[a]) - away
                    } else {
                        away
                    }
                })
                .map(|away| away * away)
                .sum();
            sum += (1.0 - square / 2.25).max(0.0).powi(3);
        }
    }
    sum / (2.154 * 8.0)
}

const SCATTERED: &str = "
void stage(uint i) {
    vec4 a = random4(i, 0u, 1u, clock.seed), b = random4(i, 0u, 2u, clock.seed);
    vec3 place = a.xyz * vec3(5.0, 5.0, 6.0);
    set_matter_position(i, 0.25 * place);
    set_matter_velocity(i, b.xyz - 0.5);
}";

#[test]
fn p2g_matches_the_reference() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(1, 2);
    for count in [257, 1] {
        if sweep.skips() {
            continue;
        }
        let mut simulation = liquid(&gpu, count, SCATTERED, json!(["water.sort", "water.p2g"]));
        advance(&mut simulation, 1);
        let places = vectors(&mut simulation, "matter.position");
        let velocities = vectors(&mut simulation, "matter.velocity");
        for (axis, field) in [
            "water.grid.u_before",
            "water.grid.v_before",
            "water.grid.w_before",
        ]
        .into_iter()
        .enumerate()
        {
            let mut size = CELLS;
            size[axis] += 1;
            let found = read_doubles(&mut simulation, field);
            let mut largest: f64 = 0.0;
            for (face, value) in indices(size).zip(found) {
                let wanted = brought(axis, face, &places, &velocities);
                // A sum of at most some hundred floats, over one of weights that may be small.
                assert!(
                    (value - wanted).abs() < 1e-4,
                    "{field} {face:?}: {value}, not {wanted}"
                );
                largest = largest.max((value - brought(axis, face, &velocities, &places)).abs());
            }
            assert!(largest > 0.01, "control: another field has the same values");
        }
        let found = read_doubles(&mut simulation, "water.grid.particle_density");
        for (cell, value) in indices(CELLS).zip(found) {
            let wanted = if is_solid(cell) {
                0.0
            } else {
                particle_density(cell, &places)
            };
            assert!(
                (value - wanted).abs() < 1e-4,
                "particle density {cell:?}: {value}, not {wanted}"
            );
        }
        let types = common::words(&simulation.read("tank.cell_type").unwrap());
        for (cell, kind) in indices(CELLS).zip(types) {
            let holds = |place: &[f64; 3]| (0..3).all(|a| (place[a] / SIDE).floor() as i32 == cell[a]);
            match (is_solid(cell), places.iter().any(holds)) {
                (true, _) => assert_eq!(kind, 2, "{cell:?}"),
                (false, true) => assert_eq!(kind, 0, "{cell:?}"),
                // Fluid or air: the surface says it.
                (false, false) => assert_ne!(kind, 2, "{cell:?}"),
            }
        }
    }
}

/// Eight particles in every cell below layer 6 that is not solid.
const POOL: &str = "
void stage(uint i) {
    uvec3 n = uvec3(14, 10, 12);
    vec3 at = 0.5 * vec3(i % n.x, i / n.x % n.y, i / (n.x * n.y)) + 0.25;
    bool solid = int(at.x) == 5 && at.z < 3.0;
    // Particles in the solid are moved to the cell beside it.
    set_matter_position(i, 0.25 * (solid ? at + vec3(1.0, 0.0, 0.0) : at));
    set_matter_velocity(i, vec3(0.0));
}";

#[test]
#[ignore = "long: a tank of its own size"]
fn resting_water_surface_is_between_two_layers() {
    let Some(gpu) = common::gpu() else { return };
    let mut simulation = liquid(&gpu, 14 * 10 * 12, POOL, json!(["water.step"]));
    advance(&mut simulation, 1);
    let p = read_doubles(&mut simulation, "tank.p");
    let weight = 1000.0 * 9.81 * SIDE;
    for (cell, p) in indices(CELLS)
        .zip(&p)
        .filter(|(cell, _)| cell[2] < 6 && !is_solid(*cell))
    {
        let wanted = weight * (5.5 - f64::from(cell[2]));
        // The place of the surface is known to 1/32 of a cell, and the fit of it to 0.03.
        assert!(
            (p - wanted).abs() < 0.07 * weight,
            "{cell:?}: {p} Pa, not {wanted}"
        );
    }
    // Control: with the surface at the centre of the next cell it would be half a layer more.
    let top = p[(5 * CELLS[1] * CELLS[0]) as usize];
    assert!((top - weight).abs() > 0.3 * weight, "{top} Pa");
    for _ in 0..5 {
        advance(&mut simulation, 1);
    }
    for velocity in vectors(&mut simulation, "matter.velocity") {
        // Six steps of free fall are 0.59 m/s.
        assert!(velocity.iter().all(|v| v.abs() < 0.01), "{velocity:?} m/s");
    }
}

#[test]
fn particles_stay_inside_the_tank_and_outside_solids() {
    let Some(gpu) = common::gpu() else { return };
    // Fast, towards the solid and the corners.
    let place = SCATTERED.replace("b.xyz - 0.5", "12.0 * (b.xyz - 0.3)");
    let file = tank("modules/liquid.json", 600, json!(["water.step"]));
    let mut simulation = run(&gpu, &file, &place, Options::PLAIN);
    for _ in 0..8 {
        advance(&mut simulation, 1);
        for place in vectors(&mut simulation, "matter.position") {
            let cell = place.map(|x| (x / SIDE).floor() as i32);
            assert!(!is_solid(cell), "{place:?}");
        }
    }
    let velocities = vectors(&mut simulation, "matter.velocity");
    assert!(velocities.iter().flatten().all(|v| v.is_finite()));
}

/// Particles all over the tank that turn and shear about its middle, at velocities that are linear in their places.
const TURNING: &str = "
void stage(uint i) {
    vec3 place = random4(i, 0u, 1u, clock.seed).xyz * vec3(1.75, 1.25, 2.25), way = place - vec3(0.9, 0.6, 1.1);
    set_matter_position(i, place);
    set_matter_velocity(i, vec3(2.0 * way.y, -way.x + 0.5 * way.z, 0.25 * way.x));
#ifdef AFFINE
    set_water_matter_affine(i, mat3(vec3(0, 2, 0), vec3(-1, 0, 0.5), vec3(0.25, 0, 0)));
#endif
}";

/// The largest change of a velocity, m/s, when particles well inside give it to the faces and take it back.
fn loss(gpu: &Gpu, parameters: Value, place: &str) -> f64 {
    let mut file = tank("modules/liquid.json", 4000, json!(["water.p2g", "water.g2p"]));
    let is_affine = parameters["apic"] == 1;
    file["use"]["water"]["parameters"] = parameters;
    file["init"] = json!([
        {"stage": "place", "over": "matter", "writes": ["matter.position", "matter.velocity"]}, "water.sort"
    ]);
    if is_affine {
        file["init"][0]["writes"] = json!(["matter.position", "matter.velocity", "water.matter.affine"]);
    }
    let mut simulation = run(gpu, &file, place, Options::PLAIN);
    let [places, before] =
        ["matter.position", "matter.velocity"].map(|field| vectors(&mut simulation, field));
    advance(&mut simulation, 1);
    let after = vectors(&mut simulation, "matter.velocity");
    let inside =
        |place: &[f64; 3]| (0..3).all(|a| (2.0..f64::from(CELLS[a]) - 2.0).contains(&(place[a] / SIDE)));
    (places.iter().zip(before).zip(after))
        .filter(|((place, _), _)| inside(place))
        .flat_map(|((_, before), after)| (0..3).map(move |a| (before[a] - after[a]).abs()))
        .fold(0.0, f64::max)
}

#[test]
fn apic_keeps_linear_motion_that_pic_loses() {
    let Some(gpu) = common::gpu() else { return };
    let affine = format!("#define AFFINE{TURNING}");
    let kept = loss(&gpu, json!({"gravity": [0, 0, 0], "apic": 1}), &affine);
    // Sums of some hundred floats about 1.
    assert!(kept < 1e-5, "{kept} m/s");
    // Control: without derivatives each transfer takes the mean over a cell.
    let lost = loss(&gpu, json!({"gravity": [0, 0, 0], "flip": 0}), TURNING);
    assert!(lost > 0.02, "{lost} m/s");
}

#[test]
#[ignore = "long: the kernels of two solvers"]
fn sparse_flow_equals_dense_flow() {
    assert_equals_dense_flow("modules/liquid_sparse.json", false);
}

#[test]
#[ignore = "long: a solver with as many kernels as levels, and a control"]
fn sparse_flow_with_multigrid_equals_dense_flow() {
    assert_equals_dense_flow("modules/liquid_sparse_multigrid.json", true);
}

fn assert_equals_dense_flow(module: &str, with_control: bool) {
    let Some(gpu) = common::gpu() else { return };
    let falling = "
void stage(uint i) {
    vec3 at = 0.25 + 0.5 * vec3(i % 6u, i / 6u % 8u, i / 48u);
    set_matter_position(i, 0.25 * at);
    set_matter_velocity(i, vec3(10.0, 0.0, 0.0));
}";
    let end = |module: &str, pull: f64| {
        let sparse = module.contains("sparse");
        let update = json!({"update_grid": "tank"});
        // Before each step, since new blocks have no solid cells yet.
        let fill = json!({"stage": "fill_cells", "over": "tank", "writes": ["tank.cell_type"]});
        let mut file = tank(module, 480, json!([fill, "water.step"]));
        file["use"]["water"]["parameters"]["gravity"] = json!([0, 0, -pull]);
        file["grids"]["tank"]["cells"] = json!([24, 9, 11]);
        file["init"] =
            json!([{"stage": "place", "over": "matter", "writes": ["matter.position", "matter.velocity"]}]);
        if sparse {
            file["grids"]["tank"]["sparse"] = json!({"block": [8, 8, 8]});
            file["grids"]["tank"].as_object_mut().unwrap().remove("levels");
            file["init"]
                .as_array_mut()
                .unwrap()
                .extend([json!("water.request"), update.clone()]);
            file["step"] = json!([update, fill, "water.step"]);
        }
        let mut simulation = run(&gpu, &file, falling, Options::PLAIN);
        for _ in 0..16 {
            advance(&mut simulation, 1);
        }
        let converged = common::words(&simulation.read("water.solver.converged").unwrap());
        assert_eq!(converged, [1]);
        vectors(&mut simulation, "matter.position")
    };
    let apart = |a: &[[f64; 3]], b: &[[f64; 3]]| {
        let sum: f64 = (a.iter().flatten().zip(b.iter().flatten()))
            .map(|(a, b)| (a - b).powi(2))
            .sum();
        (sum / a.len() as f64).sqrt() / SIDE
    };
    let dense = end("modules/liquid.json", 9.81);
    // Both solve to 1e-6; what they leave grows as neighbouring particles part.
    let difference = apart(&dense, &end(module, 9.81));
    assert!(difference < 0.02, "{module}: {difference} cells");
    let far = dense.iter().map(|place| place[0]).fold(0.0, f64::max);
    assert!(
        far > 2.1,
        "{far} m: not into blocks that had no memory at the start"
    );
    if with_control {
        let control = apart(&dense, &end("modules/liquid.json", 9.0));
        assert!(control > 0.05, "control, less gravity: {control} cells");
    }
}
