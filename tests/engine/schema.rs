//! The published schema: what an independent validator makes of the pipelines that ship.

use std::path::PathBuf;
use std::process::Command;

use sastrugi::spec;

/// A Python that has the validator, or `None` with the reason printed.
pub fn python() -> Option<&'static str> {
    let found = ["python3", "/usr/bin/python3"].into_iter().find(|python| {
        Command::new(python)
            .args(["-c", "import jsonschema"])
            .output()
            .is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        crate::common::skip("no Python 3 with jsonschema is here (Debian: python3-jsonschema)");
    }
    found
}

fn validate(python: &str, files: &[PathBuf]) -> (bool, String) {
    let output = Command::new(python)
        .arg(crate::common::simulation::root().join("schema/validate.py"))
        .arg(crate::common::simulation::root().join("schema/pipeline.schema.json"))
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
    let entries = std::fs::read_dir(crate::common::simulation::root().join(directory)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths
}

/// Every good pipeline of the project.
fn pipelines() -> Vec<PathBuf> {
    let mut paths = [json_files("pipelines"), json_files("tests/data")].concat();
    paths.push(crate::common::simulation::root().join("tests/data/race/race.json"));
    paths.push(crate::common::simulation::root().join("crates/program/src/new/pipeline.json"));
    paths
}

#[test]
fn pipelines_are_valid_in_an_independent_validator() {
    let Some(python) = python() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    let pipelines = pipelines();
    let mut chosen = crate::common::sweep(16, pipelines.len());
    for (number, path) in pipelines.into_iter().enumerate() {
        if chosen.skips() {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        // As it resolves, and as it is written where that is whole.
        let (pipeline, _) = spec::load(&path, &[]).unwrap_or_else(|problems| panic!("{problems}"));
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
fn control_validator_detects_mistakes_and_allows_comments() {
    let Some(python) = python() else { return };
    let directory = tempfile::tempdir().unwrap();
    let cases = [
        (true, r#"{"run": {"dt": 1}, "step": []}"#),
        (
            true,
            "{// a, }\n\"title\": \"// no /* comment */ \\\" ,]\", /* , } */ \"run\": {\"dt\": 1,}, \"step\": [], // ,\n}",
        ),
        (false, r#"{"run": {}, "step": []}"#),
        (false, r#"{"run": {"dt": 1}, "step": [], "stepp": []}"#),
        (false, r#"{"run": {"dt": true}, "step": []}"#),
        (false, r#"{"run": {"dt": 1}, "step": [{"stagee": "a"}]}"#),
        (
            false,
            r#"{"run": {"dt": 1}, "step": [], "grids": {"i": {"pixels": {}, "channels": {}}}}"#,
        ),
        (
            false,
            r#"{"run": {"dt": 1}, "step": [], "buffers": {"b": {"type": "flaot", "length": 1}}}"#,
        ),
    ];
    let files: Vec<PathBuf> = (0..cases.len())
        .map(|number| directory.path().join(format!("{number}.json")))
        .collect();
    for (path, (_, text)) in files.iter().zip(cases) {
        std::fs::write(path, text).unwrap();
    }
    let (all_are_valid, printed) = validate(python, &files);
    assert!(!all_are_valid, "{printed}");
    for (path, (good, text)) in files.iter().zip(cases) {
        let valid = printed.contains(&format!("{}: valid\n", path.display()));
        assert_eq!(valid, good, "{text}: {printed}");
        // The program itself sees it the same way.
        assert_eq!(spec::load(path, &[]).is_ok(), good, "{text}");
    }
}
