//! Particles: bgeo, ply, vtp, npy.

use serde_json::{Value, json};

use super::*;

fn position(i: u64, frame: u64) -> Vec<f64> {
    vec![0.25 * i as f64 + step(frame), 1.0 + i as f64, -(i as f64)]
}

fn age(i: u64, frame: u64) -> f64 {
    0.125 * i as f64 + step(frame)
}

fn all<T>(value: impl Fn(u64) -> T) -> Vec<T> {
    (0..33).map(value).collect()
}

fn flat(value: impl Fn(u64) -> Vec<f64>) -> Vec<f64> {
    (0..33).flat_map(value).collect()
}

fn velocity(i: u64, frame: u64) -> Vec<f64> {
    vec![i as f64, 2.0 * i as f64, step(frame)]
}

fn number(i: u64, frame: u64) -> f64 {
    (i * i) as f64 + step(frame)
}

fn charge(i: u64, frame: u64) -> f64 {
    5.0 - i as f64 - step(frame)
}

/// A position with its homogeneous coordinate.
fn homogeneous(i: u64, frame: u64) -> Vec<f64> {
    [position(i, frame), vec![1.0]].concat()
}

fn array(components: u64, kind: &str, values: Vec<f64>) -> Value {
    json!({"components": components, "type": kind, "values": values})
}

pub fn bgeo_is_read_by_a_parser_of_its_layout(out: &Path) {
    if !is_here(PYTHON, &["--version"]) {
        return;
    }
    check(out, "bgeo.py", "dust", "bgeo", |frame| {
        json!({"points": 33, "arrays": {
            "P": array(4, "5", flat(|i| homogeneous(i, frame))),
            "age": array(1, "0", all(|i| age(i, frame))),
            "v": array(3, "5", flat(|i| velocity(i, frame))),
            "id": array(1, "1", all(|i| number(i, frame))),
            "charge": array(1, "1", all(|i| charge(i, frame))),
        }})
    });
    // Every second one from the first of the set, those in the box.
    let kept = || (0..33u64).step_by(2).filter(|i| (5..=20).contains(i));
    check(out, "bgeo.py", "dust_box", "bgeo", |frame| {
        json!({"points": 8, "arrays": {
            "P": array(4, "5", kept().flat_map(|i| homogeneous(i, frame)).collect()),
            "id": array(1, "1", kept().map(|i| number(i, frame)).collect()),
        }})
    });
}

pub fn ply_and_vtp_are_read_by_vtk(out: &Path) {
    if !has_module("vtk") {
        return;
    }
    check(out, "vtk_data.py", "dust_points", "vtp", |frame| {
        json!({"points": 33, "vertices": 33, "arrays": {
            "points": array(3, "float", flat(|i| position(i, frame))),
            "age": array(1, "float", all(|i| age(i, frame))),
            "velocity": array(3, "float", flat(|i| velocity(i, frame))),
            "number": array(1, "unsigned int", all(|i| number(i, frame))),
            "charge": array(1, "int", all(|i| charge(i, frame))),
        }})
    });
    let series = read("vtk_data.py", &[out.join("dust_points.pvd")]).unwrap();
    let files: Vec<Value> = (1..=FRAMES)
        .map(|frame| json!([0.5 * frame as f64, format!("dust_points.{frame:04}.vtp")]))
        .collect();
    assert_eq!(difference(&json!({"files": files}), &series[0]), None);
    // VTK takes from a PLY what it knows, the positions.
    let ply = out.join("dust_ply.0002.ply");
    let held = &read("vtk_data.py", &[ply]).unwrap()[0]["arrays"]["points"];
    let wanted = array(3, "float", flat(|i| position(i, 2)));
    assert_eq!(difference(&wanted, held), None);
}

pub fn ply_is_read_by_a_parser_of_its_layout(out: &Path) {
    if !is_here(PYTHON, &["--version"]) {
        return;
    }
    let column = |kind: &str, values: Vec<f64>| json!({"type": kind, "values": values});
    check(out, "ply.py", "dust_ply", "ply", |frame| {
        json!({"points": 33, "arrays": {
            "x": column("float", all(|i| position(i, frame)[0])),
            "y": column("float", all(|i| position(i, frame)[1])),
            "z": column("float", all(|i| position(i, frame)[2])),
            "age": column("float", all(|i| age(i, frame))),
            "charge": column("int", all(|i| charge(i, frame))),
        }})
    });
}

pub fn arrays_of_lists_are_read_by_numpy(out: &Path) {
    if !has_module("numpy") {
        return;
    }
    let value = |shape: &[u64], values: Vec<f64>| json!({"arrays": {"value": {"type": "<f4", "shape": shape, "values": values}}});
    check(out, "numpy_arrays.py", "ages", "npy", |frame| {
        value(&[16], (5..=20).map(|i| age(i, frame)).collect())
    });
    check(out, "numpy_arrays.py", "pairs", "npy", |frame| {
        let kept = [0.0, 3.0, 6.0, 9.0];
        value(&[4, 2], kept.iter().flat_map(|i| [*i, step(frame)]).collect())
    });
}

#[test]
fn growing_sets_write_live_particles() {
    if !device::is_here() || !has_module("numpy") {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let output = program("tests/data/formats/sparks.json", out.path(), &["--checked"])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    // Seven at the start; then 90, 180 and 270 are born, whose names tell step and number.
    let names = |frame: u64| -> Vec<u64> {
        let born = (1..=frame).flat_map(|step| (0..90 * step).map(move |k| 10_000 * step + k));
        (0..7).map(|k| 1_000_000 + k).chain(born).collect()
    };
    let array = |values: Vec<u64>| json!({"type": "<u4", "shape": [values.len()], "values": values});
    check(
        out.path(),
        "numpy_arrays.py",
        "sparks",
        "npz",
        |frame| json!({"arrays": {"name": array(names(frame))}}),
    );
    check(
        out.path(),
        "numpy_arrays.py",
        "thin",
        "npy",
        |frame| json!({"arrays": {"value": array(names(frame).into_iter().step_by(10).collect())}}),
    );
    for frame in 1..=FRAMES {
        let file = out.path().join(format!("points.{frame:04}.bgeo"));
        let held = &read("bgeo.py", &[file]).unwrap()[0];
        let wanted = json!({"components": 1, "type": "1", "values": names(frame)});
        assert_eq!(difference(&wanted, &held["arrays"]["name"]), None);
        assert_eq!(held["points"], names(frame).len());
    }
}
