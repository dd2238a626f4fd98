//! `--checked`: what pointers would hide stops the run by name.

use super::*;

#[test]
fn out_of_range_index_stops_the_run_and_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let more = [
        "--checked",
        "--frames",
        "60",
        "--stage",
        "spread=tests/data/tiny/out_of_range.comp",
    ];
    run_into(directory.path(), TINY, &more).exits(1).says(&[
        "stage `spread` wrote `box.next`",
        "index (3, 2, 7)",
        "size (9, 7, 5)",
        // In z an invocation may march through several cells.
        "invocation (3, 2, ",
        "at tests/data/tiny/out_of_range.comp:9",
    ]);
    // Step 40 belongs to frame 21, so no later one is released. The device runs ahead of the host by a few
    // frames, and what it has found by then counts: the last good frames may be missing too.
    let frames = frames(directory.path());
    let heat = frames.keys().filter(|name| name.starts_with("heat")).count() as u64;
    assert!((10..=20).contains(&heat), "{heat} frames were released");
    for frame in 1..=heat {
        assert!(
            frames.contains_key(&format!("heat.{frame:04}.npy")),
            "no gap before frame {heat}"
        );
    }
    assert_whole(&frames);
    let manifest = manifest(directory.path());
    assert_eq!(manifest["state"], "failed");
    assert!(
        manifest["error"]
            .as_str()
            .is_some_and(|error| error.contains("spread"))
    );
    assert_eq!(manifest["outputs"]["heat"]["files"], heat);
}

const RACE: &str = "tests/data/races/in_place.json";

#[test]
fn race_stops_the_run_unless_race_checks_are_off() {
    let directory = tempfile::tempdir().unwrap();
    let first = "stage `react`: `dish.c` at index (0, 0): elements (0, 0) and (0, 11) race: (0, 0) writes it and (0, 11) reads it";
    run_into(directory.path(), RACE, &["--checked"])
        .exits(1)
        .says(&[first, "help: read one field and write another"]);
    assert_eq!(manifest(directory.path())["state"], "failed");
    for races in ["react", "rest,react", " rest , react"] {
        run_into(
            directory.path(),
            RACE,
            &["--checked", "--races", races, "--force"],
        )
        .exits(1)
        .says(&[first]);
    }
    for races in ["none", "rest"] {
        run_into(
            directory.path(),
            RACE,
            &["--checked", "--races", races, "--force"],
        )
        .exits(0);
    }
    run_into(directory.path(), RACE, &["--force"]).exits(0);
    run_into(
        directory.path(),
        RACE,
        &["--checked", "--races", "raect", "--force"],
    )
    .exits(2)
    .says(&[
        "--races raect",
        "has no stage of that name",
        "did you mean `react`?",
    ]);
    run_into(directory.path(), RACE, &["--races", "react", "--force"])
        .exits(2)
        .says(&["--checked"]);
}

#[test]
fn shuffling_changes_only_hashes_of_racing_pipelines() {
    let hashes = |spec: &str, more: &[&str]| {
        let directory = tempfile::tempdir().unwrap();
        let mut arguments = vec!["--hash", "--frames", "2"];
        arguments.extend(more);
        run_into(directory.path(), spec, &arguments).exits(0);
        std::fs::read(directory.path().join("hashes.csv")).unwrap()
    };
    assert!(hashes(RACE, &["--shuffle", "1"]) != hashes(RACE, &["--shuffle", "2"]));
    assert!(hashes(TINY, &["--shuffle", "1"]) == hashes(TINY, &[]));
}

#[test]
fn runs_resume_checked_and_shuffled() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    run_into(directory.path(), TINY, &["--frames", "2", "--checkpoint", "2"]).exits(0);
    let more = ["--frames", "4", "--checked", "--shuffle", "3"];
    let mut arguments = vec!["run", "--quiet", "--resume", out];
    arguments.extend(more);
    run(&arguments).exits(0);
    let whole = tempfile::tempdir().unwrap();
    run_into(whole.path(), TINY, &["--frames", "4"]).exits(0);
    assert!(frames(directory.path()) == frames(whole.path()));
}

/// A pipeline with one stage over `domain`, which reads `channel` two elements away and states how far it reaches.
fn reaching(directory: &Path, resources: &str, [domain, channel]: [&str; 2], index: &str, reach: u32) -> Ran {
    let accessor = channel.replace('.', "_");
    let kernel = format!(
        "#version 460\n#include \"stage.glsl\"\n#pragma reads {channel}\n#pragma writes {channel}_next\n#pragma reach {accessor} \
         {reach}\nvoid stage({index} i) {{\n    {index} far = i;\n    far{0} = far{0} >= 2 ? far{0} - 2 : far{0};\n    \
         set_{accessor}_next(i, {accessor}(far));\n}}\n",
        if index.starts_with("ivec") { ".x" } else { "" }
    );
    fs::write(directory.join("far.comp"), kernel).unwrap();
    let ask = "#version 460\n#include \"stage.glsl\"\n#pragma requests g\nvoid stage(uint i) { request_g(ivec3(0)); }\n";
    fs::write(directory.join("ask.comp"), ask).unwrap();
    let pipeline = format!(
        r#"{{"run": {{"dt": 1, "frames": 1}}, {resources}, "step": [{{"stage": "far", "shader": "far.comp", "over": "{domain}"}}],
            "outputs": {{"out": {{"source": "{channel}_next", "format": "npy"}}}}}}"#
    );
    let path = directory.join("p.json");
    fs::write(&path, pipeline).unwrap();
    let out = directory.join(format!("out{reach}"));
    run(&[
        "run",
        path.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
        "--checked",
        "--quiet",
        "--force",
    ])
}

#[test]
fn access_beyond_reach_is_named_for_every_resource_kind() {
    if !crate::device::is_here() {
        return;
    }
    let pair = r#"{"a": {"type": "float", "background": 0}, "a_next": "float"}"#;
    let kinds = [
        (
            format!(r#""grids": {{"g": {{"cells": [8, 4, 4], "cell_size": 1, "channels": {pair}}}}}"#),
            "g",
            "ivec3",
        ),
        (
            format!(r#""grids": {{"g": {{"vertices": [8, 4], "cell_size": 1, "channels": {pair}}}}}"#),
            "g",
            "ivec2",
        ),
        (
            format!(r#""grids": {{"g": {{"pixels": [8, 4], "channels": {pair}}}}}"#),
            "g",
            "ivec2",
        ),
        (
            format!(
                r#""grids": {{"g": {{"cells": [8, 8, 8], "cell_size": 1, "sparse": {{"keep": "always"}}, "channels": {pair}}}}},
                   "init": [{{"stage": "ask", "shader": "ask.comp", "over": 1}}, {{"update_grid": "g"}}]"#
            ),
            "g",
            "ivec3",
        ),
        (
            format!(r#""particles": {{"g": {{"count": 8, "attributes": {pair}}}}}"#),
            "g",
            "uint",
        ),
        (
            format!(r#""buffers": {{"g": {{"length": 8, "channels": {pair}}}}}"#),
            "g",
            "uint",
        ),
    ];
    for (resources, domain, index) in kinds {
        let directory = tempfile::tempdir().unwrap();
        let names = [domain, "g.a"];
        reaching(directory.path(), &resources, names, index, 1)
            .exits(1)
            .says(&[
                "stage `far` read `g.a` at index",
                "beyond its reach of 1 ",
                "#pragma reach",
            ]);
        // Control: the same access is within a reach of 2.
        reaching(directory.path(), &resources, names, index, 2).exits(0);
    }
}
