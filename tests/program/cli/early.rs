//! Messages before the first step: a disk that is too small; and the counts of `check`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::*;

/// Lines of stderr until one has these words or the program ends, which is then killed.
fn lines_until(words: &str, arguments: &[&str]) -> Vec<String> {
    let mut command = sastrugi();
    command
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = Vec::new();
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        lines.push(line.unwrap());
        if lines.last().is_some_and(|line| line.contains(words)) {
            break;
        }
    }
    let _ = child.kill();
    child.wait().unwrap();
    lines
}

#[test]
fn insufficient_disk_space_is_reported_before_the_first_step() {
    if !crate::device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    // Each frame has 9 x 7 x 5 floats of `heat` and more: 10^12 of them are more than a petabyte.
    let begin = ["run", TINY, "--out", out, "--frames"];
    let lines = lines_until("before compression", &[&begin[..], &["1000000000000"]].concat());
    let last = lines.last().unwrap();
    assert!(
        last.starts_with("warning: the files of the outputs take up to ")
            && last.contains("TiB before compression (`")
            && last.contains("1000000000000 x ")
            && last.contains(&format!("but the disk of {out} has ")),
        "{lines:?}"
    );
    assert!(!lines.iter().any(|line| line.contains("step")), "{lines:?}");
    // Control: a run that fits says nothing.
    let fits = run(&[&begin[..], &["2", "--force"]].concat()).exits(0);
    assert!(!fits.text().contains("compression"), "{}", fits.stderr);
}

#[test]
fn quantities_are_printed_recorded_and_checked() {
    let parameters = r#"parameters={"spread":{"rate":0.1},"ratio":{"value":"2 / 3","unit":"m"},"courant":{"value":3,"range":[0,2],"help":"choose shorter steps"}}"#;
    let said = [
        "ratio = 0.6667 m",
        "courant = 3",
        "warning: `courant` is 3, above 2",
        "help: choose shorter steps",
    ];
    run(&["check", TINY, "--set", parameters]).exits(0).says(&said);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    run(&["run", TINY, "--out", out, "--set", parameters])
        .exits(0)
        .says(&said);
    let kept = &manifest(directory.path())["parameters"];
    assert_eq!(
        (kept["ratio"][0].as_f64(), kept["courant"][0].as_f64()),
        (Some(2.0 / 3.0), Some(3.0))
    );
    // Control: in its range it is no matter for a warning.
    let safe = run(&["check", TINY, "--set", parameters, "--set", "courant=2"]).exits(0);
    assert!(!safe.text().contains("warning"), "{}", safe.text());
}

#[test]
fn check_counts_stages_of_the_engine_and_series() {
    run(&["check", TINY])
        .exits(0)
        .says(&["ok: 6 stages,", "4 outputs"]);
    run(&["check", "pipelines/mpm_water.json"])
        .exits(0)
        .says(&["of the engine)", "outputs"]);
    let series = r#"outputs.rows={"format":"csv","values":{"v":"sum(box.heat) / 4"}}"#;
    run(&["check", TINY, "--set", series])
        .exits(0)
        .says(&["ok: 7 stages (1 of the engine),", "5 outputs"]);
}

#[test]
fn large_unsorted_sets_lead_to_a_proposal() {
    let directory = tempfile::tempdir().unwrap();
    let check = |count: u64, sort: &str| {
        let path = directory.path().join("dots.json");
        let text = format!(
            r#"{{
                "run": {{"dt": 0.1}},
                "grids": {{"box": {{"cells": [8, 8], "cell_size": 0.125, "channels": {{
                    "v": {{"type": "vec2", "at": "centre", "background": 0}}}}}}}},
                "particles": {{"dots": {{"count": {count}, "attributes": {{"position": "vec2", "block": "uint"}}}}}},
                "step": [{sort} {{"stage": "move_dots", "shader": "move_dots.comp", "over": "dots"}}]
            }}"#
        );
        std::fs::write(&path, text).unwrap();
        run(&["check", path.to_str().unwrap()]).exits(0).stdout
    };
    let kernel = "#version 460\n#include \"stage.glsl\"\n#pragma reads dots.position box.v\n#pragma writes dots.position\n\
                  void stage(uint i) { set_dots_position(i, dots_position(i) + clock.dt * sample_box_v(dots_position(i))); }\n";
    std::fs::write(directory.path().join("move_dots.comp"), kernel).unwrap();
    let said = check(1 << 18, "");
    assert!(
        said.contains("proposal: `move_dots` reads `box.v` at the positions of 262144 particles of `dots`"),
        "{said}"
    );
    // Controls: a small set, and a sorted one.
    let sort = r#"{"sort": "dots", "by": "dots.block", "bits": 6},"#;
    for said in [check((1 << 18) - 1, ""), check(1 << 18, sort)] {
        assert!(!said.contains("proposal"), "{said}");
    }
}
