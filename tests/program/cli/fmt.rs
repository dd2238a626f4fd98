//! `sastrugi fmt`, `sastrugi show`, and `sastrugi graph --after`.

use super::*;

/// Shipped pipelines, modules and those of the benches.
fn shipped() -> Vec<String> {
    let root = Path::new(crate::ROOT);
    let directories = ["pipelines", "pipelines/modules"];
    let files = directories
        .iter()
        .flat_map(|directory| fs::read_dir(root.join(directory)).unwrap());
    let paths = files.map(|file| file.unwrap().path());
    let json = paths.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    json.map(|path| path.to_str().unwrap().to_string()).collect()
}

#[test]
fn shipped_pipelines_are_formatted() {
    let files = shipped();
    assert!(files.len() > 60, "{} files", files.len());
    let arguments: Vec<&str> = ["fmt", "--check"]
        .into_iter()
        .chain(files.iter().map(String::as_str))
        .collect();
    let ran = run(&arguments).exits(0);
    assert_eq!(ran.stdout, "");
}

#[test]
fn fmt_formats_and_keeps_comments() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.json");
    let text = "{ // one\n\"run\":{\"dt\" :1},\n  /* two */ \"step\": [ ],\n}\n";
    fs::write(&path, text).unwrap();
    let name = path.to_str().unwrap();
    let check = run(&["fmt", "--check", name]).exits(1);
    assert_eq!(check.stdout.trim(), name);
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        text,
        "--check changes nothing"
    );
    run(&["fmt", name]).exits(0).says(&["formatted"]);
    let formatted = "{ // one\n  \"run\": {\"dt\": 1},\n  /* two */ \"step\": []\n}\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), formatted);
    run(&["fmt", "--check", name]).exits(0);
    run(&["check", name]).exits(0);
}

#[test]
fn fmt_leaves_invalid_json_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.json");
    fs::write(&path, "{\"run\": [1, }").unwrap();
    run(&["fmt", path.to_str().unwrap()])
        .exits(2)
        .says(&["p.json:1:"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"run\": [1, }");
    run(&["fmt", "nothing.json"])
        .exits(2)
        .says(&["cannot read nothing.json"]);
}

#[test]
fn show_prints_shipped_files() {
    let root = Path::new(crate::ROOT);
    for (name, path) in [
        ("flip_dam", "pipelines/flip_dam.json"),
        ("modules/liquid", "pipelines/modules/liquid.json"),
        ("flow/advect.comp", "shaders/flow/advect.comp"),
    ] {
        let ran = run(&["show", name]).exits(0);
        assert_eq!(ran.stdout, fs::read_to_string(root.join(path)).unwrap(), "{name}");
    }
    run(&["show", "modules/liquit"])
        .exits(2)
        .says(&["modules/liquid"]);
}

#[test]
fn graph_prints_the_lists_after_each_pass() {
    let repeat = r#"step=[{"repeat":"k","over":3,"stages":[{"set":"box.next","to":"k"}]}]"#;
    let after = |pass: &str| {
        run(&["graph", TINY, "--set", repeat, "--after", pass])
            .exits(0)
            .stdout
    };
    let (meaning, stages) = (after("meaning"), after("stages"));
    assert!(meaning.contains("set box.next"), "{meaning}");
    assert!(!stages.contains("set box.next"), "{stages}");
    run(&["graph", TINY, "--after", "sorting"])
        .exits(2)
        .says(&["`sorting` is not a pass", "reorder"]);
}
