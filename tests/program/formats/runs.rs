//! The same files from every run, and no remains of killed ones.

use std::collections::BTreeMap;

use super::*;

/// Every file but the manifest, which holds times.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    named
        .filter(|(name, _)| name != "manifest.json")
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

#[test]
fn repeated_runs_write_equal_files() {
    let Some(once) = run("formats", &[]) else { return };
    let again = run("formats", &["--delay-writes", "2"]).unwrap();
    let (once, again) = (files(once.path()), files(again.path()));
    // Every output in every frame, one film, nine lists of a series, the scene, and the resolved pipeline.
    assert_eq!(once.len(), 30 * 3 + 1 + 9 + 1 + 1, "{:?}", once.keys());
    assert!(once.keys().eq(again.keys()));
    for (name, bytes) in &once {
        assert!(again[name] == *bytes, "{name} differs between two runs");
    }
    assert_ne!(once["cloud.0001.vdb"], once["cloud.0002.vdb"], "control");
}

#[test]
fn partial_files_of_a_killed_run_are_removed() {
    let Some(out) = run("formats", &["--frames", "1"]) else {
        return;
    };
    // Process numbers end far below this one.
    let left = out.path().join(".view.0001.png.4294967295-7.part");
    fs::write(&left, b"half a picture").unwrap();
    let again = program("tests/data/formats/formats.json", out.path(), &["--frames", "1"])
        .output()
        .unwrap();
    assert!(again.status.success());
    assert_eq!(left.exists(), !Path::new("/proc/self").exists());
}
