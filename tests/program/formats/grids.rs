//! Grids and height fields: npy, npz, vti, nrrd, vdb.

use serde_json::{Value, json};

use super::guests::one;
use super::*;

const AIR: [i64; 3] = [9, 7, 5];

fn heat(x: i64, y: i64, z: i64, frame: u64) -> f64 {
    (x + 10 * y + 100 * z) as f64 + 1000.0 * step(frame)
}

fn flow(x: i64, y: i64, z: i64, frame: u64) -> Vec<f64> {
    vec![x as f64, -y as f64, z as f64 + 0.5 * step(frame)]
}

fn mark(x: i64, y: i64, z: i64, frame: u64) -> f64 {
    (x - y - z) as f64 - step(frame)
}

fn id(x: i64, y: i64, z: i64, frame: u64) -> f64 {
    4e9 + (x + 9 * (y + 7 * z)) as f64 + step(frame)
}

/// The cells of the box in the pipeline: every second one from (1, 0, 1), whose centre is at (10.75, -1.75, 1.75).
fn boxed(frame: u64) -> Vec<f64> {
    lattice([3, 2, 2], |x, y, z| {
        vec![heat(1 + 2 * x, 2 * y, 1 + 2 * z, frame)]
    })
}

pub fn arrays_of_grids_are_read_by_numpy(out: &Path) {
    if !has_module("numpy") {
        return;
    }
    let array =
        |kind: &str, shape: &[u64], values: Vec<f64>| json!({"type": kind, "shape": shape, "values": values});
    let alone = |array: Value| json!({"arrays": {"value": array}});
    let reader = "numpy_arrays.py";
    let whole = [5, 7, 9];
    check(out, reader, "heat", "npy", |frame| {
        let values = lattice(AIR, |x, y, z| vec![heat(x, y, z, frame)]);
        alone(array("<f4", &whole, values))
    });
    check(out, reader, "heat_half", "npy", |frame| {
        let values = lattice(AIR, |x, y, z| flow(x, y, z, frame));
        alone(array("<f2", &[5, 7, 9, 3], values))
    });
    check(out, reader, "heat_box", "npy", |frame| {
        alone(array("<f4", &[2, 2, 3], boxed(frame)))
    });
    let ints = |frame| {
        [
            array("<i4", &whole, lattice(AIR, |x, y, z| vec![mark(x, y, z, frame)])),
            array("<u4", &whole, lattice(AIR, |x, y, z| vec![id(x, y, z, frame)])),
        ]
    };
    check(out, reader, "all_small", "npz", |frame| {
        let [mark, id] = ints(frame);
        json!({"arrays": {"id": id, "mark": mark}})
    });
    check(out, reader, "all", "npz", |frame| {
        let [mark, id] = ints(frame);
        let heat = lattice(AIR, |x, y, z| vec![heat(x, y, z, frame)]);
        let flow = lattice(AIR, |x, y, z| flow(x, y, z, frame));
        let pair = lattice(AIR, |_, y, _| vec![y as f64, step(frame)]);
        json!({"arrays": {
            "id": id, "mark": mark, "heat": array("<f4", &whole, heat),
            "flow": array("<f4", &[5, 7, 9, 3], flow), "pair": array("<f4", &[5, 7, 9, 2], pair),
        }})
    });
}

pub fn image_data_is_read_by_vtk(out: &Path) {
    if !has_module("vtk") {
        return;
    }
    let array = |components: u64, kind: &str, values: Vec<f64>| json!({"components": components, "type": kind, "values": values});
    let reader = "vtk_data.py";
    check(out, reader, "air", "vti", |frame| {
        let one = |value: &dyn Fn(i64, i64, i64) -> f64| lattice(AIR, |x, y, z| vec![value(x, y, z)]);
        json!({"points": [10, 8, 6], "origin": [10, -2, 1], "spacing": [0.5, 0.5, 0.5], "arrays": {}, "cell_arrays": {
            "heat": array(1, "float", one(&|x, y, z| heat(x, y, z, frame))),
            "flow": array(3, "float", lattice(AIR, |x, y, z| flow(x, y, z, frame))),
            "mark": array(1, "int", one(&|x, y, z| mark(x, y, z, frame))),
            "id": array(1, "unsigned int", one(&|x, y, z| id(x, y, z, frame))),
            "pair": array(2, "float", lattice(AIR, |_, y, _| vec![y as f64, step(frame)])),
        }})
    });
    // Coarser cells about the centres of those that were taken.
    check(out, reader, "air_box", "vti", |frame| {
        json!({"points": [4, 3, 3], "origin": [10.25, -2.25, 1.25], "spacing": [1, 1, 1], "arrays": {},
            "cell_arrays": {"heat": array(1, "float", boxed(frame))}})
    });
    check(out, reader, "hills", "vti", |frame| {
        let elevation = lattice([6, 4, 1], |x, y, _| vec![0.5 * (x + 10 * y) as f64]);
        let snow = lattice([6, 4, 1], |x, y, _| {
            vec![(x + 10 * y) as f64 + 40.0 * step(frame)]
        });
        json!({"points": [6, 4, 1], "origin": [100, 50, 0], "spacing": [2, 3, 1], "cell_arrays": {}, "arrays": {
            "elevation": array(1, "float", elevation), "snow": array(1, "unsigned int", snow),
        }})
    });
}

#[test]
fn nrrd_matches_an_independent_parser() {
    let Some(out) = run("formats", &[]) else { return };
    if !has_module("numpy") {
        return;
    }
    // Place of the first element and distances of neighbours; an axis of components stands before those of space.
    let volume =
        |kind: &str, name: &str, sides: [i64; 3], [origin, spacing]: [[f64; 3]; 2], values: Vec<f64>| {
            let [x, y, z] = spacing;
            json!({
                "type": kind, "content": name, "sizes": sides, "origin": origin, "values": values,
                "directions": [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]],
                "centerings": ["cell", "cell", "cell"], "kinds": ["domain", "domain", "domain"],
            })
        };
    let reader = "nrrd.py";
    let place = [[10.25, -1.75, 1.25], [0.5; 3]];
    check(out.path(), reader, "id_volume", "nrrd", |frame| {
        let id = lattice(AIR, |x, y, z| vec![id(x, y, z, frame)]);
        volume("uint32", "id", AIR, place, id)
    });
    check(out.path(), reader, "heat_volume", "nrrd", |frame| {
        let sides = [5, 4, 3];
        let heat = lattice(sides, |x, y, z| vec![heat(2 * x, 2 * y, 2 * z, frame)]);
        volume("float", "heat", sides, [place[0], [1.0; 3]], heat)
    });
    check(out.path(), reader, "flow_volume", "nrrd", |frame| {
        let flow = lattice(AIR, |x, y, z| flow(x, y, z, frame));
        let mut wanted = volume("float", "flow", AIR, place, flow);
        for (key, first) in [
            ("sizes", json!(3)),
            ("directions", json!(null)),
            ("centerings", json!("none")),
            ("kinds", json!("vector")),
        ] {
            wanted[key].as_array_mut().unwrap().insert(0, first);
        }
        wanted
    });
    check(out.path(), reader, "snow_volume", "nrrd", |frame| {
        let sides = [6, 4, 1];
        let snow = lattice(sides, |x, y, _| vec![(x + 10 * y) as f64 + 40.0 * step(frame)]);
        let place = [[100.0, 50.0, 0.0], [2.0, 3.0, 1.0]];
        let mut wanted = volume("uint32", "snow", sides, place, snow);
        wanted["centerings"] = json!(["node", "node", "node"]);
        wanted
    });
}

/// A grid as its reader tells of it, from its active voxels.
fn grid(background: &[f64], half: bool, place: [[f64; 3]; 2], voxels: Vec<([i64; 3], Vec<f64>)>) -> Value {
    let mut leaves: Vec<[i64; 3]> = voxels.iter().map(|(cell, _)| cell.map(|at| at / 8)).collect();
    leaves.sort_unstable();
    leaves.dedup();
    let [origin, spacing] = place;
    json!({"background": background, "half": half, "origin": origin, "spacing": spacing, "voxels": voxels,
        "leaves": leaves.len()})
}

/// The voxels of a box from the first cell on, in the order of their coordinates.
fn voxels(sides: [i64; 3], value: impl Fn(i64, i64, i64) -> Vec<f64>) -> Vec<([i64; 3], Vec<f64>)> {
    let cells = (0..sides[0]).flat_map(|x| (0..sides[1]).map(move |y| (x, y)));
    let cells = cells.flat_map(|(x, y)| (0..sides[2]).map(move |z| (x, y, z)));
    cells.map(|(x, y, z)| ([x, y, z], value(x, y, z))).collect()
}

fn density(x: i64, y: i64, z: i64, frame: u64) -> f64 {
    (x + 32 * y + 1024 * z) as f64 + 0.5 * step(frame)
}

pub fn volumes_are_read_by_openvdb(out: &Path) {
    if !has_module("pyopenvdb") {
        return;
    }
    let reader = "openvdb_grids.py";
    let place = [[1.125, 2.125, 3.125], [0.25; 3]];
    // One more layer of blocks, four cells thick, is active in every frame.
    let active = |frame: u64| [4 * frame as i64, 12, 4];
    check(out, reader, "cloud", "vdb", |frame| {
        let density = voxels(active(frame), |x, y, z| vec![density(x, y, z, frame)]);
        let wind = voxels(active(frame), |x, y, z| [x, y, z].map(|at| at as f64).to_vec());
        json!({
            "density": grid(&[-1.0], false, place, density),
            "wind": grid(&[0.0; 3], false, place, wind),
        })
    });
    let halved = |value: f64| half::f16::from_f64(value).to_f64();
    check(out, reader, "cloud_small", "vdb", |frame| {
        let [x, y, z] = active(frame);
        let cells = voxels([x.min(8), y.min(4), z], |x, y, z| {
            vec![halved(density(x, y, z, frame))]
        });
        json!({"density": grid(&[-1.0], true, place, cells)})
    });
    staggered_velocities_are_read_by_openvdb(out);
    check(out, reader, "air_vdb", "vdb", |frame| {
        let place = [[10.25, -1.75, 1.25], [0.5; 3]];
        let one = |value: &dyn Fn(i64, i64, i64) -> f64| voxels(AIR, |x, y, z| vec![value(x, y, z)]);
        json!({
            "heat": grid(&[0.0], false, place, one(&|x, y, z| heat(x, y, z, frame))),
            "flow": grid(&[0.0; 3], false, place, voxels(AIR, |x, y, z| flow(x, y, z, frame))),
            "pair_x": grid(&[0.0], false, place, one(&|_, y, _| y as f64)),
            "pair_y": grid(&[0.0], false, place, one(&|_, _, _| step(frame))),
        })
    });
}

/// The velocity at the face of a cell across an axis, with smaller coordinates. Cells of the room have faces up to these ends.
fn room_speed(axis: usize, [x, y, z]: [i64; 3], frame: u64) -> f64 {
    let ends = [[5, 3, 5], [4, 3, 5], [4, 3, 6]][axis];
    if x < ends[0] && y < ends[1] && z < ends[2] {
        (x + 10 * y + 100 * z) as f64 + 1000.0 * (axis + 1) as f64 + 0.5 * step(frame)
    } else {
        -1.0
    }
}

/// The border of `v` repeats, so its last face is the first one. The centre of voxel (0, 0, 0) is that of the first cell.
fn staggered_velocities_are_read_by_openvdb(out: &Path) {
    let reader = "openvdb_grids.py";
    let velocity = |order: [usize; 3], moved: i64, frame| {
        voxels([5, 3, 6], move |x, y, z| {
            order
                .map(|axis| room_speed(axis, [x + moved, y, z], frame))
                .to_vec()
        })
    };
    let wanted = |order, moved, frame| {
        let place = [[1.25, 2.25, 3.25], [0.5; 3]];
        json!({"vel": grid(&[-1.0; 3], false, place, velocity(order, moved, frame))})
    };
    check(out, reader, "vel", "vdb", |frame| wanted([0, 1, 2], 0, frame));
    let held = one(reader, out.join("vel.0002.vdb"));
    for (order, moved) in [([1, 0, 2], 0), ([0, 2, 1], 0), ([2, 0, 1], 0), ([0, 1, 2], 1)] {
        assert!(
            difference(&wanted(order, moved, 2), &held).is_some(),
            "control: {order:?} {moved}"
        );
    }
    let facts = one("openvdb_facts.py", out.join("vel.0002.vdb"));
    let grid_of = &facts["grids"]["vel"];
    assert_eq!(
        [&grid_of["class"], &grid_of["type"], &grid_of["facts"]["units"]],
        ["staggered", "vec3s", "m/s"]
    );
    // The cells with centres in the region.
    check(out, reader, "vel_box", "vdb", |frame| {
        let speeds = voxels([3, 2, 3], |x, y, z| {
            [0, 1, 2]
                .map(|axis| 0.5 * room_speed(axis, [1 + x, 1 + y, 1 + z], frame))
                .to_vec()
        });
        json!({"velocity": grid(&[-0.5; 3], false, [[1.75, 2.75, 3.75], [0.5; 3]], speeds)})
    });
}
