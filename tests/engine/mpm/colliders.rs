//! Solids: what they do to velocities against closed forms, slopes that hold and slopes that do not, walls that move.

use serde_json::json;

use super::transfer::{CELLS, DX, free};
use super::*;

const STICK: f32 = 0.0;
const SLIP: f32 = 1.0;
const SEPARATE: f32 = 2.0;
const GRAVITY: f32 = 9.81;

type V = [f32; 3];

fn dot(a: V, b: V) -> f32 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn plus(a: V, b: V, share: f32) -> V {
    std::array::from_fn(|k| a[k] + share * b[k])
}

/// Coulomb's law for a velocity into a solid: Stomakhin et al. 2013, equations 8 and 9 of section 8.
fn coulomb(v: V, own: V, normal: V, contact: f32, friction: f32) -> V {
    let relative = plus(v, own, -1.0);
    let into = dot(relative, normal);
    let along = plus(relative, normal, -into);
    let speed = dot(along, along).sqrt();
    let left = match contact {
        STICK => [0.0; 3],
        SLIP => along,
        _ if into >= 0.0 => relative,
        _ if speed <= -friction * into => [0.0; 3],
        _ => along.map(|x| x * (1.0 + friction * into / speed)),
    };
    plus(left, own, 1.0)
}

/// A flat piece of ground over the grid that falls by `fall` towards +x.
fn ground(fall: f32, snow: u32) -> (Value, Value) {
    let side = CELLS as f32 * DX;
    let model = json!({
        "file": "assets/jacksboro_dem.png", "metres_per_pixel": [side / 399.0, side / 339.0], "metres_per_level": 0,
    });
    let vertices = json!({
        "vertices": [17, 13], "channels": {"elevation": {"type": "float", "values": model}, "snow": "uint"},
    });
    let tilt = json!({
        "stage": "tilt", "over": "ground", "writes": ["ground.elevation", "ground.snow"],
        "arguments": {"fall": fall, "height": 0.5 * side, "at": 0.5 * side, "snow_unit": 0.001,
                      "snow": format!("uint({snow})")},
    });
    (vertices, tilt)
}

#[test]
fn collider_friction_follows_coulomb() {
    let Some(gpu) = common::gpu() else { return };
    let middle = 0.5 * CELLS as f32 * DX;
    let noise = scattered(6 * 400, 31);
    let points: Vec<V> = noise
        .chunks_exact(6)
        .map(|r| [r[0], r[1], r[2]].map(|r| middle * (1.0 + 0.9 * r)))
        .collect();
    let speeds: Vec<V> = noise
        .chunks_exact(6)
        .map(|r| [3.0 * r[3], 3.0 * r[4], 3.0 * r[5]])
        .collect();
    let fall = 0.6f32;
    let ground_normal = {
        let size = (1.0 + fall * fall).sqrt();
        [fall / size, 0.0, 1.0 / size]
    };
    let slant = [0.6f32, 0.0, 0.8];
    let own = [0.7f32, -0.4, 0.2];
    let mut sweep = common::sweep(10, 24);
    for (shape, moves) in [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (3, 1)] {
        for contact in [STICK, SLIP, SEPARATE] {
            if sweep.skips() {
                continue;
            }
            let friction = 0.4f32;
            let radius = 0.5f32;
            let half = [0.45f32, 0.3, 0.35];
            let size = if shape == 0 { slant.map(|x| 2.0 * x) } else { half };
            let mut entries = vec![
                [shape as f32, contact, friction, moves as f32],
                [middle, middle, middle, radius],
                [size[0], size[1], size[2], 0.0],
            ];
            if moves == 1 {
                entries.push([own[0], own[1], own[2], 0.0]);
            }
            let own = if moves == 1 { own } else { [0.0; 3] };
            let (vertices, tilt) = ground(fall, 40);
            let file = json!({
                "run": {"dt": 1},
                "grids": {"ground": vertices},
                "buffers": {
                    "colliders": {"type": "vec4", "values": entries},
                    "points": {"type": "vec3", "values": points},
                    "speeds": {"type": "vec3", "values": speeds},
                    "beside": {"type": "vec3", "length": 2 * points.len()},
                },
                "init": [tilt],
                "step": [{"stage": "touch", "over": points.len(),
                          "reads": ["points", "speeds", "colliders", "ground.elevation", "ground.snow"], "writes": ["beside"],
                          "arguments": {"snow_unit": 0.001, "contact": contact, "friction": friction}}],
            });
            let mut sim = simulation(&gpu, &file);
            sim.step(false).unwrap();
            let found = read_vectors(&mut sim, "beside");
            let (mut touched, mut free_ones) = (0, 0);
            for (i, (x, v)) in points.iter().zip(&speeds).enumerate() {
                let from = plus(*x, [middle; 3], -1.0);
                let mut normals: Vec<V> = Vec::new();
                let sign = |axis: usize, out: f32| -> V {
                    std::array::from_fn(|k| if k == axis { out * from[axis].signum() } else { 0.0 })
                };
                match shape {
                    0 if dot(from, slant) < 0.0 => normals.push(slant),
                    1 if dot(from, from) < radius * radius => {
                        normals.push(from.map(|d| d / dot(from, from).sqrt()));
                    }
                    2 if (0..3).all(|k| from[k].abs() < half[k]) => {
                        let inside = |k: &usize| half[*k] - from[*k].abs();
                        let nearest = (0..3).min_by(|a, b| inside(a).total_cmp(&inside(b))).unwrap();
                        normals.push(sign(nearest, 1.0));
                    }
                    3 => normals.extend(
                        (0..3)
                            .filter(|k| from[*k].abs() > half[*k])
                            .map(|k| sign(k, -1.0)),
                    ),
                    _ => {}
                }
                let expected = normals
                    .iter()
                    .fold(*v, |v, normal| coulomb(v, own, *normal, contact, friction));
                if normals.is_empty() {
                    assert_eq!(found[2 * i], *v, "free, but shape {shape} touched it");
                    free_ones += 1;
                } else {
                    let off = plus(found[2 * i], expected, -1.0);
                    assert!(dot(off, off) < 1e-10, "shape {shape}, contact {contact}: {off:?}");
                    touched += 1;
                }
                // The ground, 40 mm of which are snow.
                let surface = middle - fall * (x[0] - middle);
                let off = if x[2] >= surface {
                    plus(found[2 * i + 1], *v, -1.0)
                } else {
                    plus(
                        found[2 * i + 1],
                        coulomb(*v, [0.0; 3], ground_normal, contact, friction),
                        -1.0,
                    )
                };
                let beside_the_line = (x[2] - surface).abs() < 1e-5;
                assert!(
                    beside_the_line || dot(off, off) < 1e-8,
                    "ground, contact {contact}: {off:?}"
                );
            }
            assert!(touched > 20 && free_ones > 20, "{touched} {free_ones}");
        }
    }
}

/// The ground.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Slope {
    Plane,
    Ground,
}

/// Acceleration down a slope of so many degrees (m/s²), and how far matter came in the second half of the time (m).
fn slide(gpu: &Gpu, slope: Slope, material: &str, degrees: f32, friction: f32) -> (f64, f64) {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let middle = 0.5 * CELLS as f32 * DX;
    // A block on the slope, uphill from the middle; loose grains are one layer,
    // in the slope, so that all their nodes are.
    let (side, layers, deep) = if material == "jelly" {
        (8, 6, 0.0)
    } else {
        (8, 1, 2.0 * DX)
    };
    let start = -0.35f32;
    let mut places = Vec::new();
    for i in 0..side * side * layers {
        let at = [i % side, i / side % side, i / side / side].map(|n| (n as f32 + 0.5) * 0.5 * DX);
        let (down, across, up) = (start + at[0], at[1] - 0.25 * side as f32 * DX, at[2] - deep);
        places.push([
            middle + down * cosine + up * sine,
            middle + across,
            middle - down * sine + up * cosine,
        ]);
    }
    let mut file = free(material, places.len());
    file["use"]["transfer"]["parameters"]["gravity"] = json!([0, 0, -GRAVITY]);
    if material == "water" {
        // Grains that do not feel each other.
        file["use"]["transfer"]["parameters"]["bulk"] = json!(0);
    }
    match slope {
        Slope::Plane => {
            file["buffers"]["colliders"] = json!({"type": "vec4", "values": [
                [0, SEPARATE, friction, 0], [middle, middle, middle, 0], [sine, 0, cosine, 0]]});
        }
        Slope::Ground => {
            let (vertices, tilt) = ground(degrees.to_radians().tan(), 25);
            file["grids"]["ground"] = vertices;
            file["init"].as_array_mut().unwrap().insert(0, tilt);
            let transfer = &mut file["use"]["transfer"];
            for (name, value) in [
                ("snow_unit", 0.001),
                ("contact", SEPARATE),
                ("friction", friction),
            ] {
                transfer["parameters"][name] = json!(value);
            }
        }
    }
    let mut sim = simulation(gpu, &file);
    super::transfer::place(&mut sim, &places, [0.0; 3], [[0.0; 3]; 3]);
    let down = |sim: &mut Simulation, field: &str| {
        let values = read_vectors(sim, field);
        let sum: f64 = values
            .iter()
            .map(|v| f64::from(v[0] * cosine - v[2] * sine))
            .sum();
        sum / values.len() as f64
    };
    (0..150).for_each(|_| sim.step(false).unwrap());
    let (speed, place) = (
        down(&mut sim, "matter.velocity"),
        down(&mut sim, "matter.position"),
    );
    (0..150).for_each(|_| sim.step(false).unwrap());
    let gained = down(&mut sim, "matter.velocity") - speed;
    (gained * 1024.0 / 150.0, down(&mut sim, "matter.position") - place)
}

#[test]
fn block_slides_only_above_the_friction_angle() {
    let Some(gpu) = common::gpu() else { return };
    let friction = 0.4f32; // 21.8 degrees
    let mut cases = common::sweep(1, 4);
    for slope in [Slope::Plane, Slope::Ground] {
        for material in ["water", "jelly"] {
            if cases.skips() {
                continue;
            }
            // A block is elastic: its hind edge is lifted and slips a little early.
            let (steep, most) = if material == "jelly" {
                (10.0, 1e-3)
            } else {
                (21.0, 1e-6)
            };
            let (_, way) = slide(&gpu, slope, material, steep, friction);
            assert!(
                way.abs() < most,
                "{slope:?}, {material}: {way} m at {steep} degrees"
            );
            for degrees in [27.0f32, 40.0] {
                let (sine, cosine) = degrees.to_radians().sin_cos();
                let expected = f64::from(GRAVITY * (sine - friction * cosine));
                let (found, way) = slide(&gpu, slope, material, degrees, friction);
                println!("{slope:?}, {material}, {degrees} degrees: {found:.3} m/s2 for {expected:.3}");
                assert!(
                    (found / expected - 1.0).abs() < 0.05,
                    "{slope:?}, {material}: {found} for {expected}"
                );
                assert!(way > 0.01);
            }
        }
    }
}

#[test]
fn moving_wall_carries_touching_matter() {
    let Some(gpu) = common::gpu() else { return };
    let middle = 0.5 * CELLS as f32 * DX;
    let places: Vec<V> = scattered(3 * 300, 41)
        .chunks_exact(3)
        .map(|r| [0, 1, 2].map(|k| middle + 4.0 * DX * r[k]))
        .collect();
    for (contact, dragged) in [(STICK, true), (SEPARATE, false)] {
        let mut file = free("water", places.len());
        for name in ["bulk", "apic"] {
            file["use"]["transfer"]["parameters"][name] = json!(0);
        }
        // A half of space that comes from -x, and slides along y too.
        file["buffers"]["colliders"] = json!({"type": "vec4", "values": [
            [0, contact, 0, 1], [middle, middle, middle, 0], [1, 0, 0, 0], [0.5, 0.25, 0, 0]]});
        let move_colliders = json!({"stage": "move_colliders", "shader": "mpm/move_colliders.comp", "over": 1,
                                    "reads": ["colliders"], "writes": ["colliders"]});
        file["step"].as_array_mut().unwrap().push(move_colliders);
        let mut sim = simulation(&gpu, &file);
        super::transfer::place(&mut sim, &places, [0.0; 3], [[0.0; 3]; 3]);
        let steps = 16;
        (0..steps).for_each(|_| sim.step(false).unwrap());
        let wall = f32::from_bits(read_words(&mut sim, "colliders")[4]);
        assert!(
            (wall - middle - 0.5 * steps as f32 / 1024.0).abs() < 1e-5,
            "{wall}"
        );
        let speeds = read_vectors(&mut sim, "matter.velocity");
        let (mut carried, mut waiting) = (0, 0);
        for (i, x) in places.iter().enumerate() {
            let v = speeds[i];
            if x[0] < middle - 1.5 * DX {
                // All its nodes are in the wall. Shares are whole numbers: some roundings of 1 m/s over 2^22.
                let along = if dragged { 0.25 } else { 0.0 };
                assert!(
                    (v[0] - 0.5).abs() < 1e-4 && (v[1] - along).abs() < 1e-4,
                    "{x:?}: {v:?}"
                );
                carried += 1;
            } else if x[0] > wall + 3.0 * DX {
                // PIC spreads motion by a cell or so a step, ever less of it.
                assert!(v[0].abs() < 0.2, "{x:?}: {v:?}");
                waiting += 1;
            }
        }
        assert!(carried > 50 && waiting > 20, "{carried} {waiting}");
    }
}
