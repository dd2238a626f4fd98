//! One simulation over several ranks: options and messages, and real MPI where the program is built with it.

#[cfg(feature = "mpi")]
mod mpi;

use std::process::Command;

use super::start;

const TINY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/tiny.json");

/// The output of a command, and its exit code.
struct Said {
    code: i32,
    stdout: String,
    stderr: String,
}

fn said(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Checks that the program exits with 2, and that its message contains all words.
fn is_refused(command: &mut Command, words: &[&str]) {
    let said = said(command);
    assert_eq!(said.code, 2, "{}", said.stderr);
    for word in words {
        assert!(said.stderr.contains(word), "no `{word}` in:\n{}", said.stderr);
    }
}

#[cfg(not(feature = "mpi"))]
#[test]
fn ranks_are_refused_without_mpi() {
    let out = tempfile::tempdir().unwrap();
    let run = || {
        let mut command = start();
        command.args(["run", TINY, "--out"]).arg(out.path());
        command
    };
    is_refused(
        run().args(["--ranks", "2"]),
        &["this program was built without MPI", "--features mpi"],
    );
    for (variable, value) in [("OMPI_COMM_WORLD_SIZE", "4"), ("PMI_SIZE", "4")] {
        let words = ["started by a launcher as one of 4 processes", "without MPI"];
        is_refused(run().env(variable, value), &words);
    }
    assert!(std::fs::read_dir(out.path()).unwrap().next().is_none());
}

#[test]
fn wrong_cuts_are_refused() {
    let graph = |options: &[&str]| {
        let mut command = start();
        command.args(["graph", TINY]).args(options);
        command
    };
    is_refused(
        &mut graph(&["--cut", "1,1,2"]),
        &["--cut is for runs over several ranks", "--ranks N"],
    );
    is_refused(
        &mut graph(&["--whole", "all"]),
        &["--whole is for runs over several ranks"],
    );
    for alone in [&["--balance"][..], &["--balance", "--ranks", "1"]] {
        is_refused(
            start().args(["run", TINY]).args(alone),
            &["--balance is for runs over several ranks", "add --ranks N"],
        );
    }
    is_refused(&mut graph(&["--ranks", "0"]), &["--ranks"]);
    for cut in ["2", "a,b", "0,1,2", "1,2,3,4"] {
        is_refused(&mut graph(&["--ranks", "2", "--cut", cut]), &["such as 1,2,2"]);
    }
    let whole = ["--ranks", "4", "--whole", "climb"];
    is_refused(graph(&whole).args(["--cut", "3,1,1"]), &["3 x 1 x 1", "4 ranks"]);
    is_refused(
        graph(&whole)
            .args(["--cut", "1,1,4"])
            .args(["--set", "grids.box.cells=[9,7,3]"]),
        &["3 cells"],
    );
    is_refused(
        &mut graph(&["--ranks", "2"]),
        &["`climb` cannot be cut", "tiny.json"],
    );
    is_refused(&mut graph(&["--ranks", "2", "--whole", "climbs"]), &["climbs"]);
}

#[test]
fn graph_shows_parts_and_exchanges() {
    let said = said(start().args(["graph", TINY, "--ranks", "2", "--whole", "climb"]));
    assert_eq!(said.code, 0, "{}", said.stderr);
    for line in [
        "ranks: 2, cut 2 x 1 x 1 of `box` (9 x 7 x 5 cells)",
        "  rank 0: x 0..5, y 0..7, z 0..5",
        "  rank 1: x 5..9, y 0..7, z 0..5",
        "  `spread` runs on the part",
        "  `climb` runs whole on every rank: it runs over `dots`, particles that are not cut with the grid",
        "  before `climb`: box.heat (all), 2 times a frame",
    ] {
        assert!(
            said.stdout.lines().any(|known| known == line),
            "no `{line}` in:\n{}",
            said.stdout
        );
    }
}

#[test]
fn small_levels_of_any_size_run_whole() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("levels.json");
    // Level 2 has 73,728 cells: more than every rank repeats elsewhere, but 1/64 of the grid.
    let text = r#"{
        "title": "Levels", "run": {"dt": 1, "steps_per_frame": 1, "frames": 1},
        "grids": {"box": {"cells": [256, 256, 72], "cell_size": 1, "levels": 3,
            "channels": {"heat": {"type": "float", "background": 0}}}},
        "step": [
            {"stage": "fine", "shader": "warm.comp", "over": "box", "writes": ["box.heat"]},
            {"stage": "coarse", "shader": "warm.comp", "over": "box[2]", "bind": {"box": "box[2]"}, "writes": ["box.heat"]}],
        "outputs": {"log": {"format": "csv", "values": {"heat": "box.heat[0, 0, 0]"}}}}"#;
    std::fs::write(&file, text).unwrap();
    let kernel =
        "#version 460\n#include \"stage.glsl\"\nvoid stage(ivec3 cell) { set_box_heat(cell, 1.0); }\n";
    std::fs::write(dir.path().join("warm.comp"), kernel).unwrap();
    let said = said(start().arg("graph").arg(&file).args(["--ranks", "2"]));
    assert_eq!(said.code, 0, "{}", said.stderr);
    let line = "  `coarse` runs whole on every rank: it runs over `box[2]`, a level too small to be cut";
    assert!(said.stdout.lines().any(|known| known == line), "{}", said.stdout);
}

#[cfg(not(feature = "mpi"))]
#[test]
fn ranks_of_mpi_have_the_bits_of_one_where_possible() {
    crate::skip("the program was built without MPI: docs/ranks.md");
}
