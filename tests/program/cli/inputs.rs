//! Input that is wrong: exit code 2 and words that help, before anything is written.

use super::*;

#[test]
fn run_help_shows_examples_and_all_options() {
    run(&["--help"])
        .exits(0)
        .says(&["run", "Examples", "sastrugi run pipelines/snow.json"]);
    run(&["run", "--help"]).exits(0).says(&[
        "Examples",
        "--out",
        "--frames",
        "--set",
        "--stage",
        "--device",
        "--checked",
        "--full-barriers",
        "--quiet",
    ]);
    run(&["--version"])
        .exits(0)
        .says(&[concat!("sastrugi ", env!("CARGO_PKG_VERSION"))]);
}

#[test]
fn invalid_input_exits_2_and_writes_nothing() {
    let cases: &[(&[&str], &[&str])] = &[
        (&["run", "tests/data/no_such.json"], &["no_such.json"]),
        (&["run", TINY, "--set", "spread.speed=3"], &["spread.speed"]),
        (&["run", TINY, "--set", "run.dt=fast"], &["fast"]),
        (&["run", TINY, "--set", "nonsense"], &["nonsense", "="]),
        (
            &["run", TINY, "--stage", "spraed=tests/data/tiny/no_spread.comp"],
            &["spraed", "spread"],
        ),
        (
            &["run", TINY, "--stage", "spread=tests/data/tiny/none.comp"],
            &["none.comp"],
        ),
        (&["run", TINY, "--stage", "spread"], &["spread"]),
        (&["run", TINY, "--frames", "many"], &["many"]),
        (&["run", TINY, "--fast"], &["--fast"]),
        (&["run"], &["SPEC"]),
        (&["rum", TINY], &["rum"]),
    ];
    for (arguments, words) in cases {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("out");
        let mut command = sastrugi();
        command.args(*arguments);
        if arguments[0] == "run" {
            command.arg("--out").arg(&out);
        }
        Ran::of(command.output().unwrap()).exits(2).says(words);
        assert!(
            !out.exists() || files(&out).is_empty(),
            "{arguments:?} left {:?}",
            files(&out).keys()
        );
    }
}

#[test]
fn invalid_file_reports_all_errors_with_line_and_column() {
    let directory = tempfile::tempdir().unwrap();
    let spec = directory.path().join("broken.json");
    let text = fs::read_to_string(Path::new(crate::ROOT).join(TINY)).unwrap();
    let text = text
        .replace("\"writes\": [\"box.next\"]", "\"writes\": [\"box.nxet\"]")
        .replace("rgba8", "rgba9");
    fs::write(&spec, &text).unwrap();
    let line = 1 + text[..text.find("rgba9").unwrap()].matches('\n').count();
    let place = format!("broken.json:{line}:");
    run(&["run", spec.to_str().unwrap(), "--quiet"])
        .exits(2)
        .says(&["rgba9", &place]);
    fs::write(
        &spec,
        text.replace("rgba9", "rgba8")
            .replace("\"spread.rate\"", "\"spread.rat\""),
    )
    .unwrap();
    run(&["run", spec.to_str().unwrap(), "--quiet"])
        .exits(2)
        .says(&["box.nxet", "box.next", "spread.rat"]);
}

#[test]
fn shader_errors_name_file_and_line() {
    let directory = tempfile::tempdir().unwrap();
    let shader = directory.path().join("wrong.comp");
    let undeclared = "#version 460\n#include \"stage.glsl\"\n\nvoid stage(ivec3 cell) {\n    set_box_heat(cell, 1.0);\n}\n";
    fs::write(&shader, undeclared).unwrap();
    let swap = format!("spread={}", shader.display());
    let out = directory.path().join("out");
    run_into(&out, TINY, &["--stage", &swap])
        .exits(2)
        .says(&["spread", "wrong.comp", "5", "set_box_heat"]);
    assert!(!out.exists() || frames(&out).is_empty());
}

#[test]
fn uncreatable_output_directory_fails_the_run() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "in the way").unwrap();
    run_into(&file.join("out"), TINY, &[])
        .exits(1)
        .says(&["file/out", "--out"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "in the way");
}
