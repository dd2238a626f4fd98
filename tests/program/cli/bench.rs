//! `sastrugi bench`: bytes of stages, comparisons, and pictures.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{TINY, run};
use crate::device;

/// Measures the small pipeline into a JSON file.
fn measure(file: &Path, more: &[&str]) -> String {
    let always = ["bench", TINY, "--runs", "1", "--steps", "4", "--warm-up", "2"];
    let json = ["--json", file.to_str().unwrap()];
    run(&[&always, &json[..], more].concat()).exits(0).stdout
}

fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

#[test]
fn bench_counts_every_declared_byte_once() {
    if !device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("tiny.bench.json");
    let svg = directory.path().join("tiny.svg");
    let text = measure(&file, &["--plot", svg.to_str().unwrap()]);
    let result = read(&file);
    let bytes = |list: &str, stage: &str| {
        let stages = result[list]["stages"].as_array().unwrap();
        let found = stages.iter().find(|row| row["stage"] == stage).unwrap();
        assert!(found["device_ms"]["median"].as_f64().unwrap() > 0.0);
        found["bytes"].as_u64().unwrap()
    };
    // 315 cells of 4 bytes: read once and written once, neighbours or not.
    assert_eq!(bytes("step", "spread"), 2 * 4 * 315);
    assert_eq!(bytes("step", "settle"), 2 * 4 * 315);
    // 100 particles: positions of 12 bytes read and written, as many cells read, and one counter read and written.
    assert_eq!(bytes("step", "climb"), 100 * (12 + 12 + 4) + 4);
    // 1008 pixels written, of at most 315 cells.
    assert_eq!(bytes("frame", "paint"), 4 * 1008 + 4 * 315);
    assert!(result["copy_gb_per_s"].as_f64().unwrap() > 0.0);
    assert_eq!(result["step"]["dispatches"], 4.0);
    for word in ["spread", "of a copy", "paint", "at the same time"] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
    let svg = fs::read_to_string(svg).unwrap();
    assert_eq!(svg.matches("<circle").count(), 4, "one for each stage");
    assert!(svg.contains("climb") && svg.contains("a copy"));
}

#[test]
fn bench_comparison_lists_slower_stages() {
    if !device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let before = directory.path().join("before.json");
    measure(&before, &[]);
    let compared = |factor: f64| {
        let mut changed = read(&before);
        for stage in changed["step"]["stages"].as_array_mut().unwrap() {
            let ms = &mut stage["device_ms"]["median"];
            *ms = (factor * ms.as_f64().unwrap()).into();
        }
        let file = directory.path().join("changed.json");
        fs::write(&file, changed.to_string()).unwrap();
        let now = directory.path().join("now.json");
        let text = measure(&now, &["--compare", file.to_str().unwrap()]);
        let (_, compared) = text.split_once("compared with").unwrap();
        ["spread", "settle", "climb"].map(|stage| compared.contains(&format!("slower: {stage}:")))
    };
    // Factors that no load of the machine reaches.
    assert_eq!(compared(1e-4), [true; 3]);
    assert_eq!(compared(1e4), [false; 3], "control: faster stages are not listed");
}

#[test]
fn bench_refuses_other_files_before_it_measures() {
    let ran = run(&["bench", TINY, "--compare", TINY]).exits(2);
    assert!(ran.stderr.contains("sastrugi bench --json"), "{}", ran.stderr);
    let ran = run(&["bench", TINY, "--compare", "absent.json"]).exits(2);
    assert!(ran.stderr.contains("absent.json"), "{}", ran.stderr);
    for option in ["--json", "--plot"] {
        let ran = run(&["bench", TINY, option, TINY]).exits(2);
        assert!(ran.stderr.contains("would be replaced"), "{}", ran.stderr);
    }
}
