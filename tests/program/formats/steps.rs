//! VTKHDF: every step of one file, read by VTK and by h5py, has the bits of arrays that the same run wrote; after each frame,
//! after a kill, and after a run that goes on.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;

const READER: &str = "vtkhdf_steps.py";

/// A Python with h5py and a VTK that reads poly data with steps; Debian's 9.1 is too old.
fn reader() -> Option<String> {
    let new = "h5py, vtk; assert vtk.vtkVersion().GetVTKMajorVersion() * 100 + vtk.vtkVersion().GetVTKMinorVersion() >= 904";
    python_with(new, "SASTRUGI_VTK_PYTHON")
}

/// The steps of an output, by VTK and by h5py, with the numbers of the frames, counted from 0, whose arrays they equal.
fn steps(python: &str, out: &Path, name: &str, frames: &[u64]) -> [Vec<Value>; 2] {
    ["vtk", "h5py"].map(|kind| {
        let array = |frame: &u64| out.join(format!("{name}_arrays.{frame:04}.npz"));
        let mut files = vec![PathBuf::from(kind), out.join(format!("{name}.vtkhdf"))];
        files.extend(frames.iter().map(array));
        read_with(python, READER, &files).unwrap_or_else(|error| panic!("{name}: {error}"))
    })
}

/// Steps equal the arrays of their own frames and of no others.
#[track_caller]
fn are_equal(found: &[Value], times: &[f64], name: &str) {
    assert_eq!(found.len(), times.len(), "{name}");
    for (number, (step, time)) in found.iter().zip(times).enumerate() {
        assert_eq!(step["equals"], json!([number]), "{name}");
        let is_alone = times.len() == 1 && step["time"].is_null();
        assert!(step["time"] == *time || is_alone, "{name}: {}", step["time"]);
    }
}

#[test]
fn steps_of_one_file_equal_arrays_where_possible() {
    let Some(out) = run("steps", &[]) else { return };
    let Some(python) = reader() else { return };
    for name in ["air", "part", "hills", "cloud", "dust", "near"] {
        let first = if name == "cloud" { 0 } else { 1 };
        let frames: Vec<u64> = (first..=FRAMES).collect();
        let times: Vec<f64> = frames.iter().map(|frame| 0.5 * *frame as f64).collect();
        for found in steps(&python, out.path(), name, &frames) {
            are_equal(&found, &times, name);
        }
    }
    let by_vtk = |name: &str| steps(&python, out.path(), name, &[]).into_iter().next().unwrap();
    for (name, wanted) in [
        (
            "air",
            json!({"dimensions": [10, 8, 6], "origin": [10, -2, 1], "spacing": [0.5, 0.5, 0.5], "scalars": "heat",
                "vectors": "flow"}),
        ),
        (
            "part",
            json!({"dimensions": [4, 3, 3], "origin": [10.25, -2.25, 1.25], "spacing": [1, 1, 1],
                "scalars": "temperature", "vectors": "flow"}),
        ),
        (
            "hills",
            json!({"dimensions": [6, 4, 1], "origin": [100, 50, 0], "spacing": [2, 3, 1], "scalars": "elevation"}),
        ),
        (
            "dust",
            json!({"points": 33, "cells": 33, "scalars": "age", "vectors": "velocity"}),
        ),
    ] {
        for step in by_vtk(name) {
            for (key, value) in wanted.as_object().unwrap() {
                assert_eq!(difference(value, &step[key]), None, "{name}: {key}");
            }
        }
    }
    let near: Vec<u64> = by_vtk("near")
        .iter()
        .map(|step| step["points"].as_u64().unwrap())
        .collect();
    assert!(near[0] > near[2], "{near:?}: the numbers of points differ");
    for (frame, step) in by_vtk("cloud").iter().enumerate() {
        let is_active = |x: i64, z: i64| z < 4 && x < 4 * frame as i64;
        let hidden = lattice([20, 12, 10], |x, _, z| {
            vec![if is_active(x, z) { 0.0 } else { 32.0 }]
        });
        assert_eq!(difference(&json!(hidden), &step["ghosts"]), None, "frame {frame}");
    }
    let manifest = fs::read_to_string(out.path().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let length = fs::metadata(out.path().join("air.vtkhdf")).unwrap().len();
    assert_eq!(manifest["outputs"]["air"]["files"], 1);
    assert_eq!(manifest["outputs"]["air"]["bytes"], length);
}

#[test]
fn single_many_and_large_steps_are_read_where_possible() {
    for more in [
        &["--frames", "1"][..],
        &["--frames", "70"],
        &[
            "--frames", "2", "--set", "nx=96", "--set", "ny=64", "--set", "nz=90",
        ],
    ] {
        let Some(out) = run("steps", more) else { return };
        let Some(python) = reader() else { return };
        let frames: Vec<u64> = (1..=more[1].parse().unwrap()).collect();
        let times: Vec<f64> = frames.iter().map(|frame| 0.5 * *frame as f64).collect();
        for name in ["air", "dust", "part"] {
            for found in steps(&python, out.path(), name, &frames) {
                are_equal(&found, &times, name);
            }
        }
    }
}

#[test]
fn killed_run_leaves_complete_steps_and_goes_on_where_possible() {
    let Some(whole) = run("steps", &["--frames", "24", "--checkpoint", "4"]) else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let more = ["--frames", "24", "--checkpoint", "4", "--delay-writes", "20"];
    let mut child = program("tests/data/formats/steps.json", out.path(), &more)
        .spawn()
        .unwrap();
    let checkpoints = out.path().join("checkpoints");
    let started = Instant::now();
    while fs::read_dir(&checkpoints).map_or(0, Iterator::count) < 2 {
        assert!(started.elapsed().as_secs() < 100 && child.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let names = ["air", "cloud", "dust", "near", "part"];
    if let Some(python) = reader() {
        // All particles of `near` leave its region, so that its last steps are equal.
        for name in names.into_iter().filter(|name| *name != "near") {
            let found = steps(&python, out.path(), name, &[]);
            let count = found[0].len();
            assert!((4..24).contains(&count), "{name}: {count} steps");
            let first = u64::from(name != "cloud");
            let frames: Vec<u64> = (first..first + count as u64).collect();
            let times: Vec<f64> = frames.iter().map(|frame| 0.5 * *frame as f64).collect();
            // The arrays of the run that nobody killed.
            fs::copy(
                out.path().join(format!("{name}.vtkhdf")),
                whole.path().join("killed.vtkhdf"),
            )
            .unwrap();
            for frame in &frames {
                let array = whole.path().join(format!("{name}_arrays.{frame:04}.npz"));
                fs::copy(array, whole.path().join(format!("killed_arrays.{frame:04}.npz"))).unwrap();
            }
            for found in steps(&python, whole.path(), "killed", &frames) {
                are_equal(&found, &times, name);
            }
        }
    }
    let output = crate::start()
        .args(["run", "--quiet", "--validation", "--frames", "24", "--resume"])
        .arg(out.path())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !error.contains("warning"), "{error}");
    for name in names {
        let bytes = |directory: &Path| fs::read(directory.join(format!("{name}.vtkhdf"))).unwrap();
        assert!(bytes(out.path()) == bytes(whole.path()), "{name}");
    }
}
