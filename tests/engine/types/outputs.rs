//! Files of every type: arrays read back number by number, and the formats that hold fewer types.

use std::fs;

use sastrugi::particles::files::Points;

use super::*;

/// Runs a pipeline with the program, validation layer on, for one frame.
fn run(file: &Value, kernels: &[(String, String)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let mut file = file.clone();
    file["run"] = json!({"dt": 1, "frames": 1});
    fs::write(directory.path().join("types.json"), file.to_string()).unwrap();
    for (name, text) in kernels {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let output = common::start()
        .env("NO_COLOR", "1")
        .args([
            "run",
            "types.json",
            "--quiet",
            "--checked",
            "--validation",
            "--out",
            "out",
        ])
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    directory
}

fn frame(directory: &tempfile::TempDir, name: &str, extension: &str) -> Vec<u8> {
    let path = directory.path().join(format!("out/{name}.0001.{extension}"));
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Type, shape and numbers of an npy.
fn npy(bytes: &[u8]) -> (String, Vec<u64>, &[u8]) {
    let length = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let (header, data) = bytes[10..].split_at(length);
    let header = std::str::from_utf8(header).unwrap();
    let between = |before: &str, after: &str| {
        let (_, rest) = header.split_once(before).unwrap();
        rest.split_once(after).unwrap().0
    };
    let shape = between("'shape': (", ")").split(',').map(str::trim);
    let shape = shape
        .filter(|side| !side.is_empty())
        .map(|side| side.parse().unwrap());
    (between("'descr': '", "'").to_string(), shape.collect(), data)
}

fn descr(channel: &Channel) -> &'static str {
    match channel.element.name() {
        "half" | "hvec2" | "hvec3" | "hvec4" => "<f2",
        "int8" => "|i1",
        "uint8" => "|u1",
        "int16" => "<i2",
        "uint16" => "<u2",
        "double" | "dvec2" | "dvec3" | "dvec4" => "<f8",
        "int64" => "<i8",
        "uint64" => "<u8",
        name if name.starts_with('i') => "<i4",
        name if name.starts_with('u') => "<u4",
        _ => "<f4",
    }
}

/// Expected values of an npy: element by element, entry by entry, component by component.
fn wanted(channel: &Channel, elements: &[u32], mut shape: Vec<u64>) -> (String, Vec<u64>, Vec<u8>) {
    shape.extend(channel.count.map(u64::from));
    if channel.element.components() > 1 {
        shape.push(channel.element.components().into());
    }
    let mut bytes = Vec::new();
    for number in elements {
        for k in 0..channel.count.unwrap_or(1) {
            bytes.extend(channel.bytes(channel.element, *number, k));
        }
    }
    (descr(channel).to_string(), shape, bytes)
}

#[test]
fn grid_files_hold_every_type() {
    if common::gpu().is_none() {
        return;
    }
    for (storage, channels) in [("dense", all()), ("sparse", few())] {
        let mut outputs = json!({});
        for channel in &channels {
            let name = &channel.name;
            outputs[name] = json!({"source": format!("air.a_{name}"), "format": "npy"});
        }
        for name in ["float_list", "hvec3_list", "mat3", "uint8"] {
            // Cells 1 to 3 in x, all in y, 2 to 5 in z; every other one.
            outputs[format!("{name}_box")] = json!({
                "source": format!("air.a_{name}"), "format": "npy", "stride": 2,
                "region": [[1, 0, 2], [4, 3, 6]]
            });
        }
        let mut file = json!({
            "grids": {"air": {"cells": [5, 3, 7], "cell_size": 1, "channels": both(&channels)}},
            "init": [],
            "step": entries("air", &channels).concat(),
            "outputs": outputs
        });
        let mut kernels = make_and_see("air", &channels, &Index::of(3, "air", "cells")).concat();
        if storage == "sparse" {
            file["grids"]["air"]["sparse"] = json!({});
            file["init"] =
                json!([{"stage": "ask", "over": 105, "requests": ["air"]}, {"update_grid": "air"}]);
            kernels.push(kernel("ask.comp", ASK));
        }
        let out = run(&file, &kernels);
        let read = |name: &str| frame(&out, name, "npy");
        for channel in &channels {
            let bytes = read(&channel.name);
            let (kind, shape, data) = npy(&bytes);
            let found = (kind, shape, data.to_vec());
            let same = found == wanted(channel, &numbers(105), vec![7, 3, 5]);
            assert!(same, "{storage}: {} is {} {:?}", channel.name, found.0, found.1);
            let other = found == wanted(channel, &(1..106).collect::<Vec<_>>(), vec![7, 3, 5]);
            assert!(!other, "control: {}", channel.name);
        }
        let mut inside = Vec::new();
        for z in [2, 4] {
            for y in [0, 2] {
                inside.extend([1, 3].map(|x| (z * 3 + y) * 5 + x));
            }
        }
        for name in ["float_list", "hvec3_list", "mat3", "uint8"] {
            let channel = channels.iter().find(|channel| channel.name == name).unwrap();
            let bytes = read(&format!("{name}_box"));
            let (kind, shape, data) = npy(&bytes);
            let found = (kind, shape, data.to_vec());
            assert_eq!(
                found,
                wanted(channel, &inside, vec![2, 2, 2]),
                "{storage}: {name}"
            );
        }
    }
}

#[test]
fn particle_files_hold_live_particles() {
    if common::gpu().is_none() {
        return;
    }
    let channels = few();
    let mut outputs = json!({});
    let mut attributes = json!({"position": {"type": "vec3", "background": 0}});
    for channel in &channels {
        let name = &channel.name;
        attributes[format!("a_{name}")] = channel.file(channel.element);
        outputs[name] = json!({"source": format!("dust.a_{name}"), "format": "npy"});
    }
    let file = json!({
        "particles": {"dust": {"count": 67, "capacity": 80, "attributes": attributes}},
        "step": entries("dust", &channels)[0],
        "outputs": outputs
    });
    let [kernels, _] = make_and_see("dust", &channels, &Index::of(1, "dust", "count"));
    let out = run(&file, &kernels);
    for channel in &channels {
        let bytes = frame(&out, &channel.name, "npy");
        let (kind, shape, data) = npy(&bytes);
        let found = (kind, shape, data.to_vec());
        let same = found == wanted(channel, &numbers(67), vec![67]);
        assert!(same, "{} is {} {:?}", channel.name, found.0, found.1);
    }
}

/// Formats of 32-bit numbers hold shorter ones as those, arrays and matrices as so many components, and leave longer
/// ones out of a whole resource.
#[test]
fn other_formats_hold_supported_types() {
    if common::gpu().is_none() {
        return;
    }
    let channels = all();
    let mut attributes = json!({"position": {"type": "vec3", "background": 0}});
    for channel in &channels {
        attributes[format!("a_{}", channel.name)] = channel.file(channel.element);
    }
    let short = |channel: &&Channel| channel.element.scalar().bytes() <= 4;
    // Every integer of these is a float.
    let is_exact = |channel: &&Channel| {
        let scalar = channel.element.scalar();
        scalar.bytes() <= 2 || scalar == sastrugi::element::Scalar::Float
    };
    let exact: Vec<String> = (channels.iter().filter(is_exact))
        .map(|channel| format!("air.a_{}", channel.name))
        .collect();
    let step = [
        entries("air", &channels).concat(),
        entries("dust", &channels)[0].clone(),
    ];
    let file = json!({
        "particles": {"dust": {"count": 67, "attributes": attributes}},
        "grids": {"air": {"cells": [5, 3, 7], "cell_size": 1, "channels": both(&channels)}},
        "step": step.concat(),
        "outputs": {
            "ply": {"source": "dust", "format": "ply"}, "bgeo": {"source": "dust", "format": "bgeo"},
            "vtp": {"source": "dust", "format": "vtp"}, "npz": {"source": "dust", "format": "npz"},
            "vti": {"source": "air", "format": "vti"}, "vdb": {"source": exact, "format": "vdb"},
            "nrrd": {"source": "air.a_int8", "format": "nrrd"},
            "long": {"source": "air.a_dvec3", "format": "nrrd"},
            "slice": {
                "source": ["air.a_half", "air.a_mat3", "air.a_uint16", "air.a_float_list"], "format": "exr",
                "region": [[0, 0, 2], [5, 3, 3]]
            },
            "grey": {
                "source": "air.a_uint8", "format": "png", "range": [0, 255],
                "region": [[0, 0, 2], [5, 3, 3]]
            }
        }
    });
    let mut kernels = make_and_see("air", &channels, &Index::of(3, "air", "cells")).concat();
    let [dust, _] = make_and_see("dust", &channels, &Index::of(1, "dust", "count"));
    kernels.extend(dust);
    let out = run(&file, &kernels);
    for format in ["ply", "bgeo"] {
        let points = Points::read(&out.path().join(format!("out/{format}.0001.{format}"))).unwrap();
        for channel in channels.iter().filter(short) {
            let name = format!("a_{}", channel.name);
            let parts = channel.element.components() * channel.count.unwrap_or(1);
            // A PLY has a property for each component, of vectors by their letters.
            let whole = points
                .layout
                .column(&name)
                .filter(|column| column.components.len() == parts as usize);
            let seen = channel.seen().scalar();
            let found: Vec<u8> = match whole {
                Some(column) => {
                    let single = single(seen);
                    points.bytes_of(column, single, parts.into()).unwrap()
                }
                None => {
                    let columns: Vec<Vec<u8>> = (0..parts)
                        .map(|part| {
                            let column = points.layout.column(&format!("{name}_{part}"));
                            let column = column.unwrap_or_else(|| panic!("{format}: no {name}_{part}"));
                            points.bytes_of(column, single(seen), 1).unwrap()
                        })
                        .collect();
                    let rows = (0..67).flat_map(|row| columns.iter().map(move |column| (row, column)));
                    rows.flat_map(|(row, column)| column[4 * row..4 * row + 4].to_vec())
                        .collect()
                }
            };
            let mut wanted = Vec::new();
            for number in 0..67 {
                (0..channel.count.unwrap_or(1))
                    .for_each(|k| wanted.extend(channel.bytes(channel.seen(), number, k)));
            }
            assert!(found == wanted, "{format}: {name}");
        }
        let long = channels.iter().filter(|channel| !short(channel));
        for channel in long {
            let name = format!("a_{}", channel.name);
            let is_there = points
                .layout
                .columns
                .iter()
                .any(|column| column.name.starts_with(&name));
            assert!(!is_there, "{format}: {name}");
        }
    }
    let vti = String::from_utf8_lossy(&frame(&out, "vti", "vti")).into_owned();
    for array in [
        r#"type="Float32" Name="a_half" NumberOfComponents="1""#,
        r#"type="Float32" Name="a_mat3" NumberOfComponents="9""#,
        r#"type="Float32" Name="a_float_list" NumberOfComponents="19""#,
        r#"type="Float64" Name="a_dvec3" NumberOfComponents="3""#,
        r#"type="Int8" Name="a_int8" NumberOfComponents="1""#,
        r#"type="UInt16" Name="a_uint16" NumberOfComponents="1""#,
        r#"type="UInt64" Name="a_uint64_list" NumberOfComponents="2""#,
    ] {
        assert!(vti.contains(array), "{array}");
    }
    let nrrd = frame(&out, "nrrd", "nrrd");
    assert!(nrrd.starts_with(b"NRRD0005\ntype: int8\n"));
    let int8 = channels.iter().find(|channel| channel.name == "int8").unwrap();
    let wanted: Vec<u8> = (0..105)
        .flat_map(|number| int8.bytes(Element::Int8, number, 0))
        .collect();
    assert!(nrrd.ends_with(&wanted));
    assert!(frame(&out, "long", "nrrd").starts_with(b"NRRD0005\ntype: double\n"));
    for (name, extension, begins) in [
        ("vdb", "vdb", &b" BDV"[..]),
        ("slice", "exr", b"\x76\x2f\x31\x01"),
        ("grey", "png", b"\x89PNG"),
        ("vtp", "vtp", b"<?xml"),
        ("npz", "npz", b"PK"),
    ] {
        assert!(frame(&out, name, extension).starts_with(begins), "{name}");
    }
}

fn single(scalar: sastrugi::element::Scalar) -> Element {
    match scalar {
        sastrugi::element::Scalar::Float => Element::Float,
        sastrugi::element::Scalar::Int => Element::Int,
        _ => Element::Uint,
    }
}
