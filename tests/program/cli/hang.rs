//! A shader that does not end: the run says which, and ends by itself.

use std::time::{Duration, Instant};

use super::*;

/// From its tenth step on it does not end.
const ENDLESS: &str = "#version 460
#include \"stage.glsl\"
void stage(ivec3 i) {
    float heat = box_next(i);
    while (clock.step >= 9u && add_visits(0u, 2u) != 1u) heat += 1.0;
    set_box_heat(i, heat);
}
";

#[test]
fn hanging_shader_is_named_and_files_are_complete() {
    let directory = tempfile::tempdir().unwrap();
    let shader = directory.path().join("endless.comp");
    fs::write(&shader, ENDLESS).unwrap();
    let out = directory.path().join("out");
    let started = Instant::now();
    let ran = Ran::of(
        sastrugi()
            .args([
                "run",
                TINY,
                "--quiet",
                "--frames",
                "50",
                "--timeout",
                "2",
                "--checkpoint",
                "2",
            ])
            .args(["--set", "step.1.writes=[\"box.heat\", \"visits\"]"])
            .args(["--stage", &format!("settle={}", shader.display()), "--out"])
            .arg(&out)
            .output()
            .unwrap(),
    );
    assert!(
        started.elapsed() < Duration::from_secs(60),
        "{:?}",
        started.elapsed()
    );
    let ran = ran.exits(1);
    ran.says(&[
        "did not finish",
        "within 2 s",
        "the last stage that began is `settle` of a step",
        "--timeout",
    ]);
    let frames = frames(&out);
    assert_whole(&frames);
    // Frame 5 would hold step 10. The device runs ahead, but what was released is there.
    assert!(!frames.contains_key("view.0005.png"), "{:?}", frames.keys());
    assert!(frames.contains_key("view.0003.png"), "{:?}", frames.keys());
    assert_eq!(manifest(&out)["state"], "failed");
}

#[test]
#[ignore = "long: all processors wait for a shader that hangs"]
fn runs_that_never_began_after_a_hang_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let shader = directory.path().join("endless.comp");
    fs::write(&shader, ENDLESS).unwrap();
    let ran = Ran::of(
        sastrugi()
            .args(["run", TINY, "--quiet", "--frames", "50", "--timeout", "2"])
            .args(["--set", "step.1.writes=[\"box.heat\", \"visits\"]"])
            .args(["--sweep", "run.seed=1,2,3"])
            .args(["--stage", &format!("settle={}", shader.display()), "--out"])
            .arg(directory.path())
            .output()
            .unwrap(),
    );
    let ran = ran
        .exits(1)
        .says(&["1 of 3 runs failed:", "2 of 3 runs never began:"]);
    let last = ran.stderr.lines().last().unwrap_or_default();
    assert!(
        last.contains("run.seed=2") && last.contains("run.seed=3"),
        "{last}"
    );
}
