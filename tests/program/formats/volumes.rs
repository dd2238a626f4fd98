//! OpenVDB as its own tools read it: integers, classes, pruned grids, points.

use serde_json::{Value, json};

use super::guests::{names, one, values};
use super::*;

fn is_inside([x, y, z]: [i64; 3]) -> bool {
    x * x + y * y + z * z < 20
}

/// The active voxels of a grid, by place.
fn voxels(grid: &Value) -> Vec<([i64; 3], f64)> {
    let voxel = |item: &Value| {
        let at = [0, 1, 2].map(|axis| item[0][axis].as_i64().unwrap());
        (at, item[1][0].as_f64().unwrap())
    };
    grid["voxels"].as_array().unwrap().iter().map(voxel).collect()
}

fn ball(value: impl Fn([i64; 3]) -> f64) -> Vec<([i64; 3], f64)> {
    let places = (0..5).flat_map(|x| (0..5).flat_map(move |y| (0..5).map(move |z| [x, y, z])));
    places
        .filter(|place| is_inside(*place))
        .map(|place| (place, value(place)))
        .collect()
}

pub fn openvdb_reads_integers_classes_and_pruned_grids(out: &Path) {
    if !has_module("pyopenvdb") {
        return;
    }
    for frame in 0..=FRAMES {
        let steps = 2.0 * frame as f64;
        // The clock of a step counts the steps before it; `init` has the one of the first.
        let clock = if frame == 0 { 0.0 } else { steps - 1.0 };
        let heat = |[x, y, z]: [i64; 3]| (x + 10 * y + 100 * z) as f64 + 0.5 * clock;
        let file = out.join(format!("volume.{frame:04}.vdb"));
        let grids = one("openvdb_grids.py", file.clone());
        assert_eq!(names(&grids), ["count", "shift", "temperature"]);
        let is_warm = |place: [i64; 3]| heat(place) != 20.0;
        let warm: Vec<_> = ball(heat)
            .into_iter()
            .filter(|(place, _)| is_warm(*place))
            .collect();
        assert_eq!(voxels(&grids["temperature"]), warm, "frame {frame}");
        assert_eq!(voxels(&grids["count"]), ball(|[x, ..]| 16_777_212.0 + x as f64));
        let shift: Vec<Value> = (ball(|_| 0.0).into_iter())
            .map(|([x, y, z], _)| json!([[x, y, z], [-x, y, 1.0 + clock]]))
            .collect();
        assert_eq!(difference(&json!(shift), &grids["shift"]["voxels"]), None);
        let facts = one("openvdb_facts.py", file);
        let creator = format!("sastrugi {}", env!("CARGO_PKG_VERSION"));
        let wanted = json!({"creator": creator, "frame": frame, "time": 0.5 * frame as f64});
        assert_eq!(difference(&wanted, &facts["facts"]), None);
        let kinds = ["temperature", "count", "shift"].map(|name| {
            let grid = &facts["grids"][name];
            let facts = &grid["facts"];
            assert_eq!(facts["file_voxel_count"], grid["counted"], "{name}");
            assert_eq!(
                json!([facts["file_bbox_min"], facts["file_bbox_max"]]),
                grid["bounds"]
            );
            [&grid["class"], &grid["type"]].map(|word| word.as_str().unwrap().to_owned())
        });
        assert_eq!(
            kinds,
            [
                ["fog volume", "float"],
                ["unknown", "float"],
                ["unknown", "vec3s"]
            ]
        );
    }
    // Without `prune`, all cells of a dense grid are active; it has two nodes of 128 cells along x.
    let cells = voxels(&one("openvdb_grids.py", out.join("whole.0002.vdb"))["heat"]);
    assert_eq!(cells.len(), 140 * 10 * 9);
    let outside = cells.iter().filter(|(place, _)| !is_inside(*place));
    assert!(outside.clone().count() > 12_000 && outside.into_iter().all(|(_, heat)| *heat == 20.0));
    let half = one("openvdb_grids.py", out.join("half.0002.vdb"));
    assert_eq!(half["heat"]["half"], true);
    let full = one("openvdb_grids.py", out.join("volume.0002.vdb"));
    let rounded: Vec<_> = (voxels(&full["temperature"]).into_iter())
        .map(|(place, heat)| (place, half::f16::from_f64(heat).to_f64()))
        .collect();
    assert_eq!(voxels(&half["heat"]), rounded);
}

pub fn points_of_openvdb_are_those_of_the_set(out: &Path) {
    if !is_here(PYTHON, &["--version"]) {
        return;
    }
    for frame in 1..=FRAMES {
        let held = one("vdb_points.py", out.join(format!("vdb_plain.{frame:04}.vdb")));
        assert_eq!(held["name"], "points");
        assert_eq!(names(&held["arrays"]), ["key"]);
        let bgeo = &one("bgeo.py", out.join(format!("houdini.{frame:04}.bgeo")))["arrays"];
        let (places, keys) = (values(&bgeo["P"]), values(&bgeo["key"]));
        let mut wanted: Vec<[i64; 4]> = (places.chunks(4).zip(&keys))
            .map(|(at, key)| [at[0], at[1], at[2], *key].map(|number| number as i64))
            .collect();
        // Positions are whole numbers, and floats from the centres of voxels.
        let positions = held["positions"].as_array().unwrap();
        let rows = positions
            .iter()
            .zip(held["arrays"]["key"]["values"].as_array().unwrap());
        let mut found: Vec<[i64; 4]> = rows
            .map(|(at, key)| {
                let place = [0, 1, 2].map(|axis| at[axis].as_f64().unwrap());
                assert!(place.iter().all(|at| (at - at.round()).abs() < 1e-5), "{place:?}");
                let [x, y, z] = place.map(|at| at.round() as i64);
                [x, y, z, key[0].as_i64().unwrap()]
            })
            .collect();
        wanted.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, wanted, "frame {frame}");
    }
}

pub fn openvdb_tools_count_compressed_points(out: &Path) {
    if !is_here("vdb_print", &["-version"]) {
        return;
    }
    let file = out.join("vdb_points.0002.vdb");
    let print = |file: &Path| {
        let output = Command::new("vdb_print").arg("-l").arg(file).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8(text).unwrap()
    };
    let text = print(&file);
    assert!(text.contains("ptdataidx32"), "{text}");
    let mut bytes = fs::read(&file).unwrap();
    let at = bytes.len() - 200;
    bytes.truncate(at);
    let cut = out.join("cut.vdb");
    fs::write(&cut, bytes).unwrap();
    assert_ne!(print(&cut).replace("cut", "vdb_points.0002"), text, "control");
}
