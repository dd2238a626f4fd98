//! `sastrugi bench`: bytes of stages, comparisons, and pictures.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Ran, TINY, run, sastrugi};
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
    let mut changed = read(&before);
    for stage in changed["step"]["stages"].as_array_mut().unwrap() {
        // Factors that no load of the machine reaches.
        let factor = if stage["stage"] == "settle" { 1e4 } else { 1e-4 };
        let ms = &mut stage["device_ms"]["median"];
        *ms = (factor * ms.as_f64().unwrap()).into();
    }
    let file = directory.path().join("changed.json");
    fs::write(&file, changed.to_string()).unwrap();
    let now = directory.path().join("now.json");
    let text = measure(&now, &["--compare", file.to_str().unwrap()]);
    let (_, compared) = text.split_once("compared with").unwrap();
    let is_listed = |stage: &str| compared.contains(&format!("slower: {stage}:"));
    assert!(is_listed("spread") && is_listed("climb"), "{text}");
    assert!(!is_listed("settle"), "control, a faster stage: {text}");
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

const SHORT: [&str; 8] = ["bench", TINY, "--runs", "1", "--steps", "2", "--warm-up", "2"];

#[test]
fn bench_sweep_measures_the_cost_of_an_element_up_to_the_case_that_fails() {
    if !device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let [json, svg] = ["sizes.json", "sizes.svg"].map(|name| directory.path().join(name));
    // No buffer holds the last one.
    let sweep = ["--sweep", "grids.box.cells=[9,7,5],[18,14,10],[4000,4000,4000]"];
    let files = ["--json", json.to_str().unwrap(), "--plot", svg.to_str().unwrap()];
    let ran = run(&[&SHORT[..], &sweep, &files].concat()).exits(1);
    assert!(
        ran.stderr.contains("grids.box.cells=[4000,4000,4000]:"),
        "{}",
        ran.stderr
    );
    for words in [
        "ns/cell",
        "a dispatch with a barrier takes",
        "time of a stage per element",
    ] {
        assert!(
            ran.stdout.contains(words),
            "{words} is missing in\n{}",
            ran.stdout
        );
    }
    let row = |case: &str| {
        let found = ran
            .stdout
            .lines()
            .find(|line| line.trim_start().starts_with(case));
        found
            .unwrap()
            .split_whitespace()
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(row("grids.box.cells=[9,7,5]")[1..4], ["315", "100", "2"]);
    assert_eq!(row("grids.box.cells=[18,14,10]")[1..4], ["2520", "100", "2"]);
    let result = read(&json);
    assert!(result["launch_us"].as_f64().unwrap() > 0.0);
    let cases = result["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    assert_eq!(cases[1]["overrides"][0], "grids.box.cells=[18,14,10]");
    let domains = &cases[1]["bench"]["domains"];
    assert_eq!(domains[0]["resource"], "box");
    assert_eq!(domains[0]["elements"], 2520);
    assert_eq!(domains[1]["element"], "particle");
    let stages = cases[1]["bench"]["step"]["stages"].as_array().unwrap();
    let climb = stages.iter().find(|stage| stage["stage"] == "climb").unwrap();
    assert_eq!(climb["over"], "dots");
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.contains("step per cell of box"));
    // The result of a sweep is no measurement to compare with.
    let ran = run(&["bench", TINY, "--compare", json.to_str().unwrap()]).exits(2);
    assert!(ran.stderr.contains("cases of a sweep"), "{}", ran.stderr);
}

#[test]
fn bench_sweep_refuses_mistakes_before_it_measures() {
    let ran = run(&[
        "bench",
        TINY,
        "--sweep",
        "run.seed=1,2",
        "--compare",
        "absent.json",
    ])
    .exits(2);
    assert!(ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
    let ran = run(&["bench", TINY, "--sweep", "run.seed"]).exits(2);
    assert!(ran.stderr.contains("write PATH=A,B,C"), "{}", ran.stderr);
    let ran = run(&["bench", TINY, "--sweep", "spread.rate=1,x"]).exits(2);
    assert!(ran.stderr.contains("spread.rate=x:"), "{}", ran.stderr);
}

#[test]
fn interrupted_bench_sweep_keeps_what_it_measured() {
    if !device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("seeds.json");
    // The sweep would take far longer than the test.
    let child = sastrugi()
        .args(&SHORT[..])
        .args(["--sweep", "run.seed=1..200", "--json", json.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !json.exists() {
        assert!(Instant::now() < deadline, "the first case within a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let ran = Ran::of(child.wait_with_output().unwrap()).exits(130);
    let cases = read(&json)["cases"].as_array().unwrap().len();
    assert!((1..200).contains(&cases), "{cases}");
    assert!(ran.stdout.contains("run.seed=1 "), "{}", ran.stdout);
}
