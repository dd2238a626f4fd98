//! The turns that repeats take, as a series.

use std::collections::BTreeMap;
use std::path::Path;

use sastrugi::run::{self, Ending, NoObserver, RunRequest};
use serde_json::json;

use super::{common, pipeline, without_conditions};

#[test]
fn loop_iterations_are_counted_per_frame() {
    let buffer = || json!({"type": "uint", "length": 1, "background": 0});
    let file = json!({
        "run": {"dt": 1, "steps_per_frame": 2, "frames": 3},
        "buffers": {"left": buffer(), "inner": buffer(), "base": buffer()},
        "step": [
            {"stage": "start", "over": 1, "reads": ["base"], "writes": ["left", "base"]},
            {"repeat": "turn", "over": 30, "while": "left", "stages": [
                {"set": "inner", "to": 1},
                {"repeat": "deeper", "over": 3, "while": "inner", "stages": [
                    {"stage": "stop", "over": 1, "reads": ["left"], "writes": ["inner"]}
                ]},
                {"stage": "less", "over": 1, "reads": ["left"], "writes": ["left"]}
            ]}
        ],
        "outputs": {"log": {"format": "csv",
                            "values": {"outer": "iterations(left)", "inner": "iterations(inner)"}}}
    });
    let kernels = [
        (
            "start",
            "void stage(uint i) { set_left(0u, 2u * base(0u)); set_base(0u, base(0u) + 1u); }",
        ),
        // Two turns where an odd number is left, one else.
        (
            "stop",
            "void stage(uint i) { set_inner(0u, left(0u) % 2u == 0u ? 0u : 1u); }",
        ),
        ("less", "void stage(uint i) { set_left(0u, left(0u) - 1u); }"),
    ];
    for gpu in [common::gpu(), without_conditions()] {
        let Some(gpu) = gpu else { return };
        let directory = tempfile::tempdir().unwrap();
        let swaps = BTreeMap::new();
        let run = RunRequest::new(
            &gpu,
            pipeline(&file, &kernels),
            Path::new("loops.json"),
            directory.path(),
            &swaps,
        );
        assert_eq!(run::run(run, &mut NoObserver).unwrap(), Ending::Done);
        let log = std::fs::read_to_string(directory.path().join("log.csv")).unwrap();
        let rows: Vec<(u32, u32)> = (log.lines().skip(1))
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                (cells[3].parse().unwrap(), cells[4].parse().unwrap())
            })
            .collect();
        // Step s takes 2 s turns; in half of them the inner repeat takes three, in the others one.
        let frame = |n: u32| (2 * (2 * n) + 2 * (2 * n + 1), 4 * (2 * n) + 4 * (2 * n + 1));
        assert_eq!(rows, [(0, 0), frame(0), frame(1), frame(2)], "{log}");
    }
}
