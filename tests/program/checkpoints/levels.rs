//! Levels of grids in files, listings, checkpoints and resumed runs, by their names.

use serde_json::json;

use super::*;

/// Level 2 sums up, frame by frame, what comes down from level 0.
fn pipeline() -> serde_json::Value {
    json!({
        "run": {"dt": 1, "frames": 9},
        "grids": {"air": {"cells": [9, 5, 3], "cell_size": 1, "levels": 3,
            "channels": {"p": {"type": "float", "background": 0, "border": "clamp"}}}},
        "step": [
            {"stage": "count", "over": "air", "reads": ["air.p"], "writes": ["air.p"]},
            {"repeat": "l", "over": "air.levels - 1", "stages": [
                {"stage": "gather", "over": "air[l + 1]", "bind": {"fine": "air[l]", "coarse": "air[l + 1]"},
                 "reads": ["fine.p", "coarse.p"], "writes": ["coarse.p"]}
            ]}
        ],
        "outputs": {
            "p": {"source": "air[2].p"},
            "next": {"source": "air[1]", "format": "vti"},
            "log": {"format": "csv", "values": {"sum": "sum(air[2].p)"}}
        }
    })
}

const SHADERS: [(&str, &str); 2] = [
    (
        "count.comp",
        "void stage(ivec3 cell) { set_air_p(cell, air_p(cell) + 1.0 + float(cell.x)); }",
    ),
    (
        "gather.comp",
        "void stage(ivec3 cell) { set_coarse_p(cell, 0.5 * coarse_p(cell) + fine_p(2 * cell + 1)); }",
    ),
];

#[test]
fn checkpoints_keep_levels_by_name() {
    if !device::is_here() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("levels.json");
    std::fs::write(&path, pipeline().to_string()).unwrap();
    for (name, text) in SHADERS {
        let text = format!("#version 460\n#include \"stage.glsl\"\n{text}\n");
        std::fs::write(root.path().join(name), text).unwrap();
    }
    let path = path.to_str().unwrap();
    let run = |frames: &str, out: &Path| {
        let arguments = [
            "run",
            path,
            "--quiet",
            "--checked",
            "--checkpoint",
            "3",
            "--frames",
            frames,
            "--out",
        ];
        succeeds(sastrugi(&arguments).arg(out));
    };
    let (whole, parts) = (root.path().join("whole"), root.path().join("parts"));
    run("9", &whole);
    run("4", &parts);
    let early = frames(&parts);
    succeeds(sastrugi(&["run", "--quiet", "--frames", "9", "--resume"]).arg(&parts));
    assert!(frames(&parts) == frames(&whole));
    assert!(early != frames(&parts), "control: the second part adds frames");

    // Twin: level 0 is n (1 + x); level l at its last frame.
    let npy = &frames(&whole)["p.0009.npy"];
    let values: Vec<f32> = (npy[npy.len() - 4 * 6..].chunks_exact(4))
        .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
        .collect();
    let sizes = [[9, 5, 3], [5, 3, 2], [3, 2, 1]];
    let mut levels: Vec<Vec<f32>> = sizes.iter().map(|[x, y, z]| vec![0.0; x * y * z]).collect();
    for _ in 0..9 {
        for (i, value) in levels[0].iter_mut().enumerate() {
            *value += 1.0 + (i % 9) as f32;
        }
        for level in 1..3 {
            let ([fx, fy, fz], [x, y, z]) = (sizes[level - 1], sizes[level]);
            for i in 0..x * y * z {
                let near = |at: usize, side: usize| (2 * at + 1).min(side - 1);
                let [a, b, c] = [near(i % x, fx), near(i / x % y, fy), near(i / x / y, fz)];
                let fine = levels[level - 1][(c * fy + b) * fx + a];
                levels[level][i] = 0.5 * levels[level][i] + fine;
            }
        }
    }
    assert_eq!(values, levels[2]);
    let log = String::from_utf8(frames(&whole)["log.csv"].clone()).unwrap();
    let sum: f32 = levels[2].iter().sum();
    let last = log.lines().last().unwrap();
    assert!(
        last.rsplit(',').next().unwrap().parse::<f32>().unwrap() == sum,
        "{last}: {sum}"
    );

    let prints = |arguments: &[&str]| String::from_utf8(succeeds(&mut sastrugi(arguments)).stdout).unwrap();
    let fields = prints(&["fields", path]);
    for (name, size) in [
        ("air.p", "9 x 5 x 3"),
        ("air[1].p", "5 x 3 x 2"),
        ("air[2].p", "3 x 2 x 1"),
    ] {
        let line = fields.lines().find(|line| line.starts_with(&format!("{name} ")));
        assert!(line.is_some_and(|line| line.contains(size)), "{name}: {fields}");
    }
    let graph = prints(&["graph", path]);
    assert!(graph.contains("air[2].p"), "{graph}");
    let interface = prints(&["interface", path, "gather"]);
    assert!(
        interface.contains("ivec3 coarse_cells;") && interface.contains("float fine_p(ivec3"),
        "{interface}"
    );
}
