//! The published schema: equal to the program's, and what an independent validator makes of the pipelines that ship.
//! And that everything but `run` works where there is no Vulkan driver.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sastrugi(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sastrugi"))
        .args(arguments)
        .current_dir(root())
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

#[test]
fn the_committed_schema_is_what_the_program_prints() {
    let printed = sastrugi(&["schema"]).stdout;
    let path = root().join("schema/pipeline.schema.json");
    if std::env::var_os("SASTRUGI_UPDATE").is_some() {
        std::fs::write(&path, &printed).unwrap();
    }
    assert!(
        std::fs::read(&path).unwrap() == printed,
        "schema/pipeline.schema.json is not what the program prints; with SASTRUGI_UPDATE=1 this test writes it anew"
    );
}

/// A Python that has the validator, or `None` with the reason printed.
fn python() -> Option<&'static str> {
    let found = ["python3", "/usr/bin/python3"].into_iter().find(|python| {
        Command::new(python)
            .args(["-c", "import jsonschema"])
            .output()
            .is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        println!("skipped: no Python 3 with jsonschema is here (Debian: python3-jsonschema)");
    }
    found
}

fn validate(python: &str, files: &[PathBuf]) -> (bool, String) {
    let output = Command::new(python)
        .arg(root().join("schema/validate.py"))
        .arg(root().join("schema/pipeline.schema.json"))
        .args(files)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

fn json_files(directory: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(directory)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths
}

/// Every good pipeline of the project.
fn pipelines() -> Vec<PathBuf> {
    let mut paths = [json_files("pipelines"), json_files("tests/data")].concat();
    paths.push(root().join("tests/data/race/race.json"));
    paths.push(root().join("src/cli/new/pipeline.json"));
    paths
}

#[test]
fn pipelines_are_valid_for_an_independent_validator() {
    let Some(python) = python() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (number, path) in pipelines().into_iter().enumerate() {
        let text = std::fs::read_to_string(&path).unwrap();
        // As it resolves, and as it is written where that is whole.
        let (pipeline, _) = sastrugi::spec::load(&path, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let resolved = directory.path().join(format!("{number}.json"));
        std::fs::write(&resolved, pipeline.document.to_string()).unwrap();
        files.push(resolved);
        if !text.contains("\"extends\"") {
            files.push(path);
        }
    }
    assert!(files.len() >= 8, "{files:?}");
    let (valid, text) = validate(python, &files);
    assert!(valid, "{text}");
    assert_eq!(text.matches(": valid\n").count(), files.len(), "{text}");
}

#[test]
fn control_the_validator_finds_mistakes_and_spares_comments() {
    let Some(python) = python() else { return };
    let directory = tempfile::tempdir().unwrap();
    let cases = [
        (true, r#"{"time": {"dt": 1}, "step": []}"#),
        (
            true,
            "{// a, }\n\"title\": \"// no /* comment */ \\\" ,]\", /* , } */ \"time\": {\"dt\": 1,}, \"step\": [], // ,\n}",
        ),
        (false, r#"{"step": []}"#),
        (false, r#"{"time": {"dt": 1}, "step": [], "stepp": []}"#),
        (false, r#"{"time": {"dt": true}, "step": []}"#),
        (false, r#"{"time": {"dt": 1}, "step": [{"stagee": "a"}]}"#),
        (
            false,
            r#"{"time": {"dt": 1}, "step": [], "images": {"i": {"size": [1], "channels": {}}}}"#,
        ),
        (
            false,
            r#"{"time": {"dt": 1}, "step": [], "buffers": {"b": {"type": "flaot", "length": 1}}}"#,
        ),
    ];
    for (number, (good, text)) in cases.iter().enumerate() {
        let path = directory.path().join(format!("{number}.json"));
        std::fs::write(&path, text).unwrap();
        let (valid, printed) = validate(python, std::slice::from_ref(&path));
        assert_eq!(valid, *good, "{text}: {printed}");
        // The program itself sees it the same way.
        assert_eq!(sastrugi::spec::load(&path, &[]).is_ok(), *good, "{text}");
    }
}

#[test]
fn only_running_needs_a_driver() {
    let without_driver = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_sastrugi"))
            .args(arguments)
            .current_dir(root())
            .env("NO_COLOR", "1")
            .env("VK_DRIVER_FILES", "/nonexistent")
            .env("VK_ICD_FILENAMES", "/nonexistent")
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            stderr,
        )
    };
    const TINY: &str = "tests/data/tiny.json";
    for (arguments, word) in [
        (vec!["check", TINY], "good: 6 stages"),
        (vec!["schema"], "\"$defs\""),
        (vec!["graph", TINY], "spread"),
        (vec!["interface", TINY, "spread"], "set_box_next"),
    ] {
        let (code, stdout, stderr) = without_driver(&arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {stderr}");
        assert!(stdout.contains(word), "{arguments:?}: {stdout}");
    }
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let (code, _, stderr) = without_driver(&["run", TINY, "--out", out.to_str().unwrap()]);
    assert_eq!(code, Some(1), "{stderr}");
    for word in [
        "no Vulkan device",
        "install",
        "mesa-vulkan-drivers",
        "VK_DRIVER_FILES",
    ] {
        assert!(stderr.contains(word), "`{word}` is missing in: {stderr}");
    }
    assert!(!out.exists(), "a run that never began leaves nothing behind");
}
