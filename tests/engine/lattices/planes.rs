//! 2-D grids: their indices, places, expressions, measures, files, and a reaction that diffuses over a periodic border.

use std::collections::BTreeMap;

use super::*;

const SIZES: [[u64; 2]; 5] = [[1, 1], [1, 7], [9, 5], [17, 9], [65, 33]];

#[test]
fn kernels_of_planes_have_two_axes() {
    let Some(gpu) = common::gpu() else { return };
    for [nx, ny] in SIZES {
        let file = json!({
            "run": {"dt": 1},
            "grids": {"g": {"cells": [nx, ny], "cell_size": 0.5, "origin": [3, -2],
                "channels": {"place": "vec2", "there": "vec2", "extent": "ivec2", "number": "uint"}}},
            "buffers": {"row": {"type": "uint", "length": "g.nx * g.ny / g.dx * g.dy"}},
            "step": [
                {"stage": "look", "over": "g", "writes": ["g.place", "g.there", "g.extent", "g.number"]},
                {"stage": "scan", "over": "row", "reads": ["g.number"], "writes": ["row"]}
            ]
        });
        let kernels = [
            (
                "look.comp",
                "void stage(ivec2 cell) {
                    vec2 place = g_position(cell);
                    set_g_place(cell, place);
                    set_g_there(cell, g_coordinates(place) + g_spacing / g_dx - 1.0 + g_origin - g_origin);
                    set_g_extent(cell, g_cells);
                    if (g_is_active(cell) && !g_is_active(cell + g_cells)) set_g_number(cell, uint(cell.y * g_cells.x + cell.x));
                }",
            ),
            (
                "scan.comp",
                "void stage(uint i) { set_row(i, g_number(ivec2(int(i) % g_cells.x, int(i) / g_cells.x), 7u)); }",
            ),
        ];
        let mut sim = simulation(&gpu, &file, &kernels, CHECKED);
        sim.step(false).unwrap();
        assert_no_fault(&mut sim);
        let cells: Vec<[u64; 2]> = (0..ny).flat_map(|y| (0..nx).map(move |x| [x, y])).collect();
        let place = |[x, y]: &[u64; 2]| [3.0 + (*x as f32 + 0.5) * 0.5, -2.0 + (*y as f32 + 0.5) * 0.5];
        let places: Vec<f32> = cells.iter().flat_map(place).collect();
        let there: Vec<f32> = cells
            .iter()
            .flat_map(|[x, y]| [*x as f32 + 0.5, *y as f32 + 0.5])
            .collect();
        assert_same(&read_floats(&mut sim, "g.place"), &places, "place");
        assert_same(&read_floats(&mut sim, "g.there"), &there, "coordinates");
        assert_eq!(
            read_words(&mut sim, "g.extent"),
            [nx as u32, ny as u32].repeat(cells.len())
        );
        let numbers: Vec<u32> = (0..cells.len() as u32).collect();
        assert_eq!(read_words(&mut sim, "g.number"), numbers);
        assert_eq!(read_words(&mut sim, "row"), numbers);
    }
}

/// Gray and Scott's reaction; feed 0.055, kill 0.062, on a torus.
const REACT: &str = "
    #pragma reach g_u 1
    #pragma reach g_v 1
    void stage(ivec2 i) {
        float u = g_u(i), v = g_v(i), r = u * v * v;
        float lu = g_u(i - ivec2(1, 0)) + g_u(i + ivec2(1, 0)) + g_u(i - ivec2(0, 1)) + g_u(i + ivec2(0, 1)) - 4.0 * u;
        float lv = g_v(i - ivec2(1, 0)) + g_v(i + ivec2(1, 0)) + g_v(i - ivec2(0, 1)) + g_v(i + ivec2(0, 1)) - 4.0 * v;
        set_g_next_u(i, u + (0.16 * lu - r + 0.055 * (1.0 - u)));
        set_g_next_v(i, v + (0.08 * lv + r - 0.117 * v));
    }";

#[test]
fn reaction_diffusion_on_a_torus_matches_the_reference() {
    let Some(gpu) = common::gpu() else { return };
    let periodic = json!({"type": "float", "border": "repeat"});
    for [nx, ny] in SIZES {
        let file = json!({
            "run": {"dt": 1},
            "grids": {"g": {"cells": [nx, ny], "cell_size": 1,
                "channels": {"u": periodic, "v": periodic, "next_u": "float", "next_v": "float"}}},
            "init": [{"stage": "begin", "over": "g", "writes": ["g.u", "g.v"]}],
            "step": [
                {"stage": "react", "over": "g", "reads": ["g.u", "g.v"], "writes": ["g.next_u", "g.next_v"]},
                {"stage": "settle", "over": "g", "reads": ["g.next_u", "g.next_v"], "writes": ["g.u", "g.v"]}
            ]
        });
        let kernels = [
            (
                "begin.comp",
                "void stage(ivec2 i) { bool on = i.x < 3; set_g_u(i, on ? 0.5 : 1.0); set_g_v(i, on ? 0.25 : 0.0); }",
            ),
            ("react.comp", REACT),
            (
                "settle.comp",
                "void stage(ivec2 i) { set_g_u(i, g_next_u(i)); set_g_v(i, g_next_v(i)); }",
            ),
        ];
        let mut sim = simulation(&gpu, &file, &kernels, CHECKED);
        (0..20).for_each(|_| sim.step(false).unwrap());
        assert_no_fault(&mut sim);
        let on = |x: usize| x % nx as usize <= 2;
        let count = (nx * ny) as usize;
        let mut u: Vec<f32> = (0..count).map(|i| if on(i) { 0.5 } else { 1.0 }).collect();
        let mut v: Vec<f32> = (0..count).map(|i| if on(i) { 0.25 } else { 0.0 }).collect();
        let (w, h) = (nx as usize, ny as usize);
        for _ in 0..20 {
            let around = |f: &[f32], x: usize, y: usize| {
                let [west, east] = [(x + w - 1) % w, (x + 1) % w].map(|x| f[y * w + x]);
                let [south, north] = [(y + h - 1) % h, (y + 1) % h].map(|y| f[y * w + x]);
                west + east + south + north - 4.0 * f[y * w + x]
            };
            let (mut next_u, mut next_v) = (u.clone(), v.clone());
            for y in 0..h {
                for x in 0..w {
                    let i = y * w + x;
                    let r = u[i] * v[i] * v[i];
                    next_u[i] = u[i] + (0.16 * around(&u, x, y) - r + 0.055 * (1.0 - u[i]));
                    next_v[i] = v[i] + (0.08 * around(&v, x, y) + r - 0.117 * v[i]);
                }
            }
            (u, v) = (next_u, next_v);
        }
        assert!(are_close(&read_floats(&mut sim, "g.u"), &u), "{nx} x {ny}");
        assert!(are_close(&read_floats(&mut sim, "g.v"), &v), "{nx} x {ny}");
        // Control: the reaction has moved something away from its start.
        assert!(u.iter().any(|u| *u != 1.0 && *u != 0.5));
    }
}

/// Runs a pipeline in memory with the program, and gives its files.
fn run(file: &Value, kernels: &[(&str, &str)]) -> Option<BTreeMap<String, Vec<u8>>> {
    common::gpu()?;
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("plane.json"), file.to_string()).unwrap();
    for (name, text) in kernels {
        let text = format!("#version 460\n#include \"stage.glsl\"\n{text}\n");
        std::fs::write(root.path().join(name), text).unwrap();
    }
    let output = common::start()
        .current_dir(root.path())
        .env("NO_COLOR", "1")
        .args([
            "run",
            "plane.json",
            "--quiet",
            "--checked",
            "--validation",
            "--out",
            "out",
        ])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let files = std::fs::read_dir(root.path().join("out")).unwrap();
    Some(
        files
            .map(|file| file.unwrap())
            .filter(|file| file.path().is_file())
            .map(|file| {
                (
                    file.file_name().into_string().unwrap(),
                    std::fs::read(file.path()).unwrap(),
                )
            })
            .collect(),
    )
}

#[test]
fn files_store_planes_faces_and_corners_at_their_positions() {
    let file = json!({
        "run": {"dt": 1, "frames": 1},
        "grids": {
            "g": {"cells": [5, 3], "cell_size": [2, 4], "origin": [10, 20], "channels": {
                "c": "float", "fx": {"type": "float", "at": "face_x"}, "n": {"type": "float", "at": "node"}}},
            "s": {"cells": [4, 3, 2], "cell_size": [1, 2, 3], "channels": {
                "c": "float", "fz": {"type": "float", "at": "face_z"}}}
        },
        "step": [
            {"stage": "c", "over": "g", "writes": ["g.c"]},
            {"stage": "fx", "over": "g.fx", "writes": ["g.fx"]},
            {"stage": "n", "over": "g.n", "writes": ["g.n"]},
            {"stage": "sc", "over": "s", "writes": ["s.c"]},
            {"stage": "fz", "over": "s.fz", "writes": ["s.fz"]}
        ],
        "outputs": {
            "plane": {"source": "g"},
            "c": {"source": "g.c"}, "fx": {"source": "g.fx"}, "n": {"source": "g.n"}, "fz": {"source": "s.fz"},
            "picture": {"source": "g.c", "format": "png", "range": [0, 14]},
            "light": {"source": "g.c", "format": "exr"},
            "raw": {"source": "g.fx", "format": "nrrd"},
            "faces": {"source": "s.fz", "format": "vti"},
            "voxels": {"source": "s.fz", "format": "vdb"},
            "layer": {"source": "g.c", "format": "vdb"},
            "part": {"source": "g.n", "region": [[12, 24], [16, 40]]},
            "totals": {"values": {"c": "sum(g.c)", "fx": "sum(g.fx)", "n": "max(g.n)", "last": "g.n[5, 3]"}, "format": "csv"}
        }
    });
    let kernels = [
        (
            "c.comp",
            "void stage(ivec2 i) { set_g_c(i, float(i.y * 5 + i.x)); }",
        ),
        (
            "fx.comp",
            "void stage(ivec2 i) { set_g_fx(i, float(i.y * 6 + i.x)); }",
        ),
        (
            "n.comp",
            "void stage(ivec2 i) { set_g_n(i, float(i.y * 6 + i.x)); }",
        ),
        ("sc.comp", "void stage(ivec3 i) { set_s_c(i, 1.0); }"),
        (
            "fz.comp",
            "void stage(ivec3 i) { set_s_fz(i, float((i.z * 3 + i.y) * 4 + i.x)); }",
        ),
    ];
    let Some(files) = run(&file, &kernels) else { return };
    let text = |name: &str| String::from_utf8_lossy(&files[name]).into_owned();
    let array = |name: &str, shape: &str, count: usize| {
        let bytes = &files[name];
        let header = String::from_utf8_lossy(&bytes[..128.min(bytes.len())]).into_owned();
        // The writer ends a tuple with a comma.
        let shape = format!("'shape': {}, )", shape.trim_end_matches(')'));
        assert!(header.contains(&shape), "{name}: {header}");
        let numbers: Vec<f32> = bytes[bytes.len() - 4 * count..]
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
            .collect();
        numbers
    };
    let ascending = |count: usize| (0..count).map(|i| i as f32).collect::<Vec<f32>>();
    assert_eq!(array("c.0001.npy", "(3, 5)", 15), ascending(15));
    assert_eq!(array("fx.0001.npy", "(3, 6)", 18), ascending(18));
    assert_eq!(array("n.0001.npy", "(4, 6)", 24), ascending(24));
    assert_eq!(array("fz.0001.npy", "(3, 3, 4)", 36), ascending(36));
    // Corners from (12, 24) to (16, 32), which is the last one.
    assert_eq!(
        array("part.0001.npy", "(3, 3)", 9),
        [7., 8., 9., 13., 14., 15., 19., 20., 21.]
    );
    let plane = text("plane.0001.vti");
    assert!(
        plane.contains(r#"WholeExtent="0 5 0 3 0 0" Origin="10 20 0" Spacing="2 4 2""#),
        "{plane}"
    );
    // A whole grid is what lies at the centres of its cells.
    assert!(plane.contains("<CellData ") && plane.contains(r#"Name="c""#) && !plane.contains(r#"Name="fx""#));
    let faces = text("faces.0001.vti");
    assert!(
        faces.contains(r#"WholeExtent="0 3 0 2 0 2" Origin="0.5 1 0" Spacing="1 2 3""#),
        "{faces}"
    );
    assert!(faces.contains("<PointData "));
    let raw = text("raw.0001.nrrd");
    assert!(
        raw.contains("sizes: 6 3 1") && raw.contains("space origin: (10,22,0)"),
        "{raw}"
    );
    assert!(
        !files["voxels.0001.vdb"].is_empty()
            && !files["layer.0001.vdb"].is_empty()
            && !files["light.0001.exr"].is_empty()
    );
    let mut picture = png::Decoder::new(std::io::Cursor::new(&files["picture.0001.png"]))
        .read_info()
        .unwrap();
    let mut grey = vec![0; picture.output_buffer_size().unwrap()];
    let frame = picture.next_frame(&mut grey).unwrap();
    assert_eq!((frame.width, frame.height), (5, 3));
    // The row with the greatest y on top.
    assert_eq!((grey[10], grey[4]), (0, 255));
    let totals = text("totals.csv");
    let last: Vec<f64> = totals
        .lines()
        .last()
        .unwrap()
        .split(',')
        .map(|n| n.trim().parse().unwrap())
        .collect();
    assert!(last.ends_with(&[105.0, 153.0, 23.0, 23.0]), "{totals}");
}
