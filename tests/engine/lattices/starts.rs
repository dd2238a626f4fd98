//! Initial values of channels from arrays, expressions and meshes, against twins and read back from files.

use sastrugi::run::Extent;
use sastrugi::run::checkpoint::RunIdentity;

use super::*;

fn floats_of(file: &Value, field: &str) -> Option<Vec<f32>> {
    let gpu = common::gpu()?;
    let mut sim = simulation(&gpu, file, &[], CHECKED);
    Some(read_floats(&mut sim, field))
}

fn grid(cells: &[u64], channel: Value) -> Value {
    let origin = &[10.0, -4.0, 0.5][..cells.len()];
    let sides = &[2.0, 0.5, 4.0][..cells.len()];
    json!({
        "run": {"dt": 1},
        "parameters": {"k": 3},
        "grids": {"g": {"cells": cells, "cell_size": sides, "origin": origin, "channels": {"c": channel}}},
        "step": [{"set": "g.c", "to": 0}]
    })
}

#[test]
fn initial_expressions_use_value_positions() {
    for (at, more) in [("centre", [0, 0, 0]), ("face_y", [0, 1, 0]), ("node", [1, 1, 1])] {
        for cells in SIZES {
            for axes in [2, 3] {
                let channel = json!({"type": "float", "at": at, "values": "sin(x) * y + k * z + i"});
                let Some(found) = floats_of(&grid(&cells[..axes], channel), "g.c") else {
                    return;
                };
                let size: [u64; 3] =
                    std::array::from_fn(|axis| if axis < axes { cells[axis] + more[axis] } else { 1 });
                let mut wanted = Vec::new();
                for z in 0..size[2] {
                    for y in 0..size[1] {
                        for x in 0..size[0] {
                            let index = [x, y, z];
                            let place: [f64; 3] = std::array::from_fn(|axis| {
                                if axis < axes {
                                    let offset = if more[axis] == 0 { 0.5 } else { 0.0 };
                                    [10.0, -4.0, 0.5][axis]
                                        + (index[axis] as f64 + offset) * [2.0, 0.5, 4.0][axis]
                                } else {
                                    0.0
                                }
                            });
                            let i = wanted.len() as f64;
                            wanted.push((place[0].sin() * place[1] + 3.0 * place[2] + i) as f32);
                        }
                    }
                }
                assert!(are_close(&found, &wanted), "{at} {:?}", &cells[..axes]);
            }
        }
    }
}

#[test]
fn initial_expressions_give_integers_vectors_and_pixels() {
    let Some(gpu) = common::gpu() else { return };
    let png = crate::common::simulation::root().join("tests/data/bad_specs/grey.png");
    let file = json!({
        "run": {"dt": 1},
        "grids": {
            "g": {"cells": [3, 2], "cell_size": 1, "channels": {
                "n": {"type": "int", "values": "-i"},
                "v": {"type": "vec2", "border": "clamp", "values": ["x", 7]}}},
            "h": {"vertices": [3, 2], "origin": [5, 6], "channels": {
                "h": {"type": "float",
                      "values": {"file": png, "metres_per_pixel": [1, 1], "metres_per_level": 1}},
                "c": {"type": "float", "values": "x"}}},
            "m": {"pixels": [3, 2], "channels": {"c": {"type": "float", "values": "10 * y + x"}}}
        },
        "step": [{"set": "g.v", "to": [0, 0]}]
    });
    let mut sim = simulation(&gpu, &file, &[], CHECKED);
    let n: Vec<i32> = read_words(&mut sim, "g.n")
        .into_iter()
        .map(|word| word as i32)
        .collect();
    assert_eq!(n, [0, -1, -2, -3, -4, -5]);
    assert_eq!(
        read_floats(&mut sim, "g.v"),
        [0.5, 7.0, 1.5, 7.0, 2.5, 7.0].repeat(2)
    );
    assert_eq!(read_floats(&mut sim, "m.c"), [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
    let h = read_floats(&mut sim, "h.c");
    assert_eq!((h[0], h[3]), (5.0, 5.0));
    assert!(h[2] > 5.0);
    // Stages may read channels with initial values: no problem was reported. Other channels are not readable.
    let mut unfilled = file.clone();
    unfilled["step"] = json!([{"stage": "s", "over": "g", "reads": ["g.n"], "writes": ["g.v"]}]);
    assert!(resolve(&unfilled, &[]).is_ok());
    unfilled["grids"]["g"]["channels"]["n"] = json!("int");
    assert!(
        resolve(&unfilled, &[])
            .unwrap_err()
            .contains("which nothing writes")
    );
}

/// An npy file of version 1.
pub(super) fn npy(kind: &str, shape: &str, fortran: bool, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(data);
    file
}

#[test]
fn npy_files_initialize_channels() {
    let root = tempfile::tempdir().unwrap();
    let start = |kind: &str, element: &str, cells: &[u64], at: &str, shape: &str, data: &[u8]| {
        let path = root.path().join("a.npy");
        std::fs::write(&path, npy(kind, shape, false, data)).unwrap();
        let channel = json!({"type": element, "at": at, "values": {"file": path}});
        let mut file = grid(cells, channel);
        file["step"][0]["to"] = json!(vec![0; if element == "vec2" { 2 } else { 1 }]);
        let gpu = common::gpu()?;
        let mut sim = simulation(&gpu, &file, &[], CHECKED);
        Some(read_words(&mut sim, "g.c"))
    };
    let floats: Vec<f32> = random(5 * 3 * 2 * 2, 9);
    let bytes: Vec<u8> = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
    let bits = |count: usize| floats[..count].iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
    let Some(found) = start("<f4", "float", &[5, 3, 2], "centre", "(2, 3, 5)", &bytes[..120]) else {
        return;
    };
    assert_eq!(found, bits(30));
    assert_eq!(
        start("<f4", "vec2", &[5, 3, 2], "centre", "(2, 3, 5, 2)", &bytes).unwrap(),
        bits(60)
    );
    assert_eq!(
        start("<f4", "float", &[4, 3], "face_x", "(3, 5)", &bytes[..60]).unwrap(),
        bits(15)
    );
    let big: Vec<u8> = floats[..6]
        .iter()
        .flat_map(|x| f64::from(*x).to_be_bytes())
        .collect();
    assert_eq!(
        start(">f8", "float", &[3, 2], "centre", "(2, 3)", &big).unwrap(),
        bits(6)
    );
    let small: Vec<u8> = (-3..3i8).map(|x| x as u8).collect();
    let wanted: Vec<u32> = (-3..3i32).map(|x| x as u32).collect();
    assert_eq!(
        start("|i1", "int", &[3, 2], "centre", "(2, 3)", &small).unwrap(),
        wanted
    );

    let Some(gpu) = common::gpu() else { return };
    let path = root.path().join("image.npy");
    let pixels: Vec<u8> = (0..24).collect();
    std::fs::write(&path, npy("|u1", "(2, 3, 4)", false, &pixels)).unwrap();
    let file = json!({
        "run": {"dt": 1},
        "grids": {"m": {"pixels": [3, 2], "channels": {"c": {"type": "rgba8", "values": {"file": path}}}}},
        "step": []
    });
    let mut sim = simulation(&gpu, &file, &[], CHECKED);
    assert_eq!(sim.read("m.c").unwrap(), pixels);
}

#[test]
fn mismatched_npy_files_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a.npy");
    let refusal = |file: Vec<u8>, element: &str| {
        std::fs::write(&path, file).unwrap();
        let channel = json!({"type": element, "values": {"file": path}});
        let pipeline = resolve(&grid(&[3, 2], channel), &[]);
        let problems = match pipeline {
            Ok(pipeline) => sastrugi::initial::check(&pipeline).to_string(),
            Err(problems) => problems,
        };
        problems.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let data = [0; 48];
    for (file, element, wanted) in [
        (
            npy("<f4", "(3, 2)", false, &data),
            "float",
            "its shape is (3, 2), but (2, 3) is required",
        ),
        (
            npy("<f4", "(2, 3)", false, &data),
            "vec2",
            "but (2, 3, 2) is required",
        ),
        (npy("<f4", "(2, 3)", true, &data), "float", "Fortran order"),
        (
            npy("<f4", "(2, 3)", false, &data),
            "uint",
            "but integers are required",
        ),
        (
            npy("<i4", "(2, 3)", false, &data),
            "float",
            "but floats are required",
        ),
        (
            npy("<f4", "(2, 3)", false, &data[..20]),
            "float",
            "it is truncated",
        ),
        (npy("<c8", "(2, 3)", false, &data), "float", "is not supported"),
        (
            npy("<i4", "(2, 3)", false, &[255; 24]),
            "uint",
            "number 0 is -1, not a value of type uint",
        ),
        (b"no array".to_vec(), "float", "npy"),
        (npy("<f4", "(2, 3)", false, &data), "float", ""),
    ] {
        let found = refusal(file, element);
        assert!(
            found.contains(wanted) && (!wanted.is_empty() || found.is_empty()),
            "{wanted}: {found}"
        );
    }
    let found = {
        let channel = json!({"type": "uint", "values": "x - 11"});
        let pipeline = resolve(&grid(&[3, 2], channel), &[]).unwrap_or_else(|problems| panic!("{problems}"));
        sastrugi::initial::check(&pipeline).to_string()
    };
    assert!(
        found.contains("not a value of type uint") || found.is_empty(),
        "{found}"
    );
}

/// A tetrahedron with its corner at the origin.
pub(super) const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn mesh_masks_work_in_anisotropic_cells() {
    let Some(gpu) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("t.obj");
    std::fs::write(&path, TETRAHEDRON).unwrap();
    for (at, more) in [("centre", [0, 0, 0]), ("face_z", [0, 0, 1]), ("node", [1, 1, 1])] {
        for cells in SIZES {
            for (element, one) in [("float", 1f32.to_bits()), ("uint", 1), ("int", 1)] {
                let sides: [f64; 3] = std::array::from_fn(|axis| 9.0 / cells[axis] as f64);
                let origin = [-1.03, -2.01, -1.02];
                let file = json!({
                    "run": {"dt": 1},
                    "grids": {"g": {"cells": cells, "cell_size": sides, "origin": origin, "channels": {"c": {
                        "type": element, "at": at, "background": 5,
                        "values": {"mesh": path, "scale": 6, "move": [0.5, -1, 0.25]}}}}},
                    "step": [{"set": "g.c", "to": 0}]
                });
                let mut sim = simulation(&gpu, &file, &[], CHECKED);
                let size: [u64; 3] = std::array::from_fn(|axis| cells[axis] + more[axis]);
                let mut wanted = Vec::new();
                for z in 0..size[2] {
                    for y in 0..size[1] {
                        for x in 0..size[0] {
                            let index = [x, y, z];
                            let place: [f64; 3] = std::array::from_fn(|axis| {
                                let offset = if more[axis] == 0 { 0.5 } else { 0.0 };
                                let world = origin[axis] + (index[axis] as f64 + offset) * sides[axis];
                                (world - [0.5, -1.0, 0.25][axis]) / 6.0
                            });
                            let inside = place.iter().all(|x| *x > 0.0) && place.iter().sum::<f64>() < 1.0;
                            wanted.push(if inside { one } else { 0 });
                        }
                    }
                }
                let found = read_words(&mut sim, "g.c");
                assert!(found == wanted, "{at} {cells:?} {element}");
                if cells[0] > 60 {
                    assert!(wanted.contains(&one) && wanted.contains(&0));
                }
            }
        }
    }
}

/// A state takes the place of what fields start from, and belongs to the files that they started from.
#[test]
fn resume_is_exact_and_detects_changed_files() {
    let Some(gpu) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a.npy");
    let write = |path: &Path, first: f32| {
        let values = (0..18).map(|i| first + i as f32);
        let data: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
        std::fs::write(path, npy("<f4", "(3, 6)", false, &data)).unwrap();
    };
    let file = |path: &Path| {
        json!({
            "run": {"dt": 1},
            "grids": {"g": {"cells": [5, 3], "cell_size": 1, "channels": {
                "c": {"type": "float", "at": "face_x", "values": {"file": path}}}}},
            "step": [{"stage": "twice", "over": "g.c", "reads": ["g.c"], "writes": ["g.c"]}]
        })
    };
    let double = ("twice.comp", "void stage(ivec2 i) { set_g_c(i, 2.0 * g_c(i)); }");
    write(&path, 1.0);
    let mut whole = simulation(&gpu, &file(&path), &[double], CHECKED);
    (0..2).for_each(|_| whole.step(false).unwrap());
    let pending = whole.capture(Extent::Everything).unwrap();
    let state = whole.captured(pending).unwrap();
    whole.step(false).unwrap();
    let pipeline = Pipeline::clone(whole.pipeline());
    let mut resumed = Simulation::resume(&gpu, pipeline, whole.modules().to_vec(), CHECKED, &state).unwrap();
    resumed.step(false).unwrap();
    let wanted: Vec<f32> = (0..18).map(|i| 8.0 * (1.0 + i as f32)).collect();
    assert_same(&read_floats(&mut whole, "g.c"), &wanted, "whole");
    assert_same(&read_floats(&mut resumed, "g.c"), &wanted, "resumed");

    let identity = |path: &Path| {
        let pipeline = resolve(&file(path), &[double]).unwrap_or_else(|problems| panic!("{problems}"));
        RunIdentity::of(&pipeline, whole.modules())
    };
    let first = identity(&path);
    let elsewhere = root.path().join("b.npy");
    write(&elsewhere, 1.0);
    assert_eq!(first.differs_from(&identity(&elsewhere)), None);
    write(&elsewhere, 2.0);
    let differs = first.differs_from(&identity(&elsewhere));
    assert_eq!(
        differs.as_deref(),
        Some("the file with the initial values of `g.c` has changed")
    );
}
