//! Runs that repeat a log of changes where the changes are of more than values.

use std::fs;
use std::path::Path;

use super::device;

/// Adds 1 to every element `turns` times a step.
const PIPELINE: &str = r#"{
  "run": {"dt": 0.1, "steps_per_frame": 1, "frames": 8, "checkpoint_every": 2},
  "parameters": {"turns": 1, "size": 300},
  "buffers": {"a": {"type": "float", "length": "size", "background": 0}},
  "step": [
    {"repeat": "turn", "over": "turns", "stages": [
      {"stage": "count", "over": "a", "reads": ["a"], "writes": ["a"]}]}
  ],
  "outputs": {"a": {"source": "a", "format": "npy"}}
}"#;

fn replays(directory: &Path, log: &[&str]) -> Result<Vec<f32>, String> {
    fs::write(directory.join("count.json"), PIPELINE).unwrap();
    let stage = "#version 460\n#include \"stage.glsl\"\nvoid stage(uint i) { set_a(i, a(i) + 1.0); }\n";
    fs::write(directory.join("count.comp"), stage).unwrap();
    let header = r#"{"pipeline": "count", "set": []}"#;
    let lines: Vec<&str> = std::iter::once(header).chain(log.iter().copied()).collect();
    fs::write(directory.join("input.jsonl"), lines.join("\n")).unwrap();
    let mut command = crate::start();
    command.current_dir(directory).env("NO_COLOR", "1");
    let command = command.args([
        "run",
        "count.json",
        "--hash",
        "--replay",
        "input.jsonl",
        "--out",
        "out",
    ]);
    let output = command.output().unwrap();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let value = |frame: u32| {
        let bytes = fs::read(directory.join(format!("out/a.{frame:04}.npy"))).unwrap();
        let numbers: Vec<f32> = bytes[bytes.len() - 1200..]
            .chunks(4)
            .map(|part| f32::from_le_bytes(part.try_into().unwrap()))
            .collect();
        assert!(numbers.iter().all(|number| number == &numbers[0]));
        numbers[0]
    };
    Ok((1..=8).map(value).collect())
}

#[test]
fn changed_loop_counts_keep_the_state() {
    if !device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let log = [
        r#"{"step": 3, "set": {"turns": "4"}}"#,
        r#"{"step": 6, "set": {"turns": "2"}}"#,
    ];
    let values = replays(directory.path(), &log).unwrap();
    assert_eq!(values, [1.0, 2.0, 3.0, 7.0, 11.0, 15.0, 17.0, 19.0]);
    let hashes = fs::read_to_string(directory.path().join("out/hashes.csv")).unwrap();
    assert_eq!(hashes.lines().count(), 9, "{hashes}");
}

#[test]
fn log_of_another_pipeline_is_refused_and_late_changes_are_reported() {
    if !device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    replays(directory.path(), &[r#"{"step": 8, "set": {"turns": "4"}}"#]).unwrap();
    let run = || {
        let mut command = crate::start();
        command.current_dir(directory.path()).env("NO_COLOR", "1");
        let command = command.args([
            "run",
            "count.json",
            "--replay",
            "input.jsonl",
            "--force",
            "--out",
            "out",
        ]);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), text)
    };
    let (code, said) = run();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 changes of the log are not repeated"), "{said}");
    let log = directory.path().join("input.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replace("\"count\"", "\"other\"")).unwrap();
    let (code, said) = run();
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("the log is of the pipeline `other`"), "{said}");
}

#[test]
fn changed_sizes_are_refused_with_the_step() {
    if !device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let said = replays(directory.path(), &[r#"{"step": 3, "set": {"size": "400"}}"#]).unwrap_err();
    assert!(
        said.contains("a change after step 3 changes sizes of resources"),
        "{said}"
    );
    assert!(said.contains("--set"), "{said}");
    assert!(directory.path().join("out/a.0003.npy").exists());
}
