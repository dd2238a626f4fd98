//! The published schema is the program's, and everything but `run` works where there is no Vulkan driver.

use std::path::Path;
use std::process::Output;

fn root() -> &'static Path {
    Path::new(crate::ROOT)
}

fn sastrugi(arguments: &[&str]) -> Output {
    crate::start()
        .args(arguments)
        .current_dir(root())
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

#[test]
fn committed_schema_matches_program_output() {
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

#[test]
fn only_run_needs_a_driver() {
    let without_driver = |arguments: &[&str]| {
        let output = crate::start()
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
        (vec!["check", TINY], "ok: 6 stages"),
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
