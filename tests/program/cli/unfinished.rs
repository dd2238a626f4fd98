//! Repeats that use all their iterations, as a user sees them.

use super::*;

const FILE: &str = r#"{
  "run": {"dt": 1, "frames": 2, "steps_per_frame": 3},
  "buffers": {"going": {"type": "uint", "length": 1, "background": 0}, "a": {"type": "uint", "length": 1}},
  "step": [
    {"set": "going", "to": 1},
    {"repeat": "turn", "over": 5, "while": "going", "stages": [{"set": "a", "to": 1}]}
  ],
  "outputs": {"a": {"source": "a"}}
}"#;

/// Runs the file with more arguments into a directory of its own.
fn unfinished(more: &[&str]) -> (Ran, Value, usize) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("turns.json");
    fs::write(&file, FILE).unwrap();
    let (file, out) = (file.to_str().unwrap(), directory.path().join("out"));
    let ran = run(&[&["run", file, "--out", out.to_str().unwrap()], more].concat());
    (ran, manifest(&out), frames(&out).len())
}

#[test]
fn unfinished_loop_warning_names_loop_and_step() {
    let words = "warning: repeat `turn` used all its 5 iterations in step 1 and `going` was not 0";
    let total = "warning: repeat `turn` used all its iterations 6 times in this run";
    let (ran, manifest, frames) = unfinished(&[]);
    let ran = ran
        .exits(0)
        .says(&[words, total, "\"on_max_iterations\": \"continue\""]);
    assert_eq!(ran.stderr.matches(words).count(), 1, "{}", ran.stderr);
    assert_eq!(frames, 2);
    let listed = serde_json::json!([{"repeat": "turn", "while": "going", "times": 6, "first_step": 1}]);
    assert_eq!(manifest["unfinished"], listed);
    let (ran, ..) = unfinished(&["--quiet"]);
    assert_eq!(ran.exits(0).stderr, "");
    let (ran, manifest, _) = unfinished(&["--set", "step.turn.on_max_iterations=\"continue\""]);
    let ran = ran.exits(0);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    assert!(manifest.get("unfinished").is_none());
}

#[test]
fn unfinished_loop_with_error_policy_ends_the_run() {
    let stop = ["--quiet", "--set", "step.turn.on_max_iterations=\"stop\""];
    let (ran, manifest, frames) = unfinished(&stop);
    ran.exits(1).says(&[
        "error: repeat `turn` used all its 5 iterations in step 1 and `going` was not 0, found before frame 1 was written",
        "no frame was written",
    ]);
    assert_eq!((manifest["state"].as_str(), frames), (Some("failed"), 0));
}
