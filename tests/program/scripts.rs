//! Scripts that read files of the program.

use std::path::Path;
use std::process::{Command, Output};

use super::device;

fn compare_devices(arguments: &[&str], options: &str) -> Output {
    Command::new("python3")
        .arg(Path::new(crate::ROOT).join("scripts/compare-devices"))
        .args(arguments)
        .env("SASTRUGI", env!("CARGO_BIN_EXE_sastrugi"))
        .env("SASTRUGI_CACHE_DIR", crate::CACHE)
        .env("OPTIONS", options)
        .env("STEPS", "2")
        .output()
        .unwrap()
}

#[test]
fn compare_devices_finds_the_fields_that_differ() {
    if !device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let [one, same, other] = ["one.json", "same.json", "other.json"]
        .map(|name| directory.path().join(name).to_string_lossy().into_owned());
    for (file, options) in [(&one, ""), (&same, ""), (&other, "--set run.seed=5")] {
        let recorded = compare_devices(&["record", file, "fluids"], options);
        let text = String::from_utf8_lossy(&recorded.stdout).into_owned();
        assert!(text.contains("fluids recorded"), "{recorded:?}");
    }
    let equal = compare_devices(&["compare", &one, &same], "");
    assert!(equal.status.success(), "{equal:?}");
    let different = compare_devices(&["compare", &one, &other], "");
    let text = String::from_utf8_lossy(&different.stdout).into_owned();
    assert_eq!(different.status.code(), Some(1), "{text}");
    assert!(text.contains("dots.position"), "{text}");
}

#[test]
fn pipelines_of_validate_mpm_are_valid() {
    let script = std::fs::read_to_string(Path::new(crate::ROOT).join("scripts/validate-mpm")).unwrap();
    for name in ["tests/data/mpm/dam", "tests/data/mpm/disks"] {
        assert!(script.contains(&format!("\"{name}\"")), "{name}");
        let file = Path::new(crate::ROOT).join(name).with_extension("json");
        let checked = crate::start().arg("check").arg(&file).output().unwrap();
        assert!(
            checked.status.success(),
            "{}",
            String::from_utf8_lossy(&checked.stderr)
        );
    }
    let missing = crate::start()
        .args(["check", "tests/data/mpm/none.json"])
        .output()
        .unwrap();
    assert!(!missing.status.success(), "control");
}
