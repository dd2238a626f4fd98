//! The pipelines themselves, cut down, run by the program. tests/repeatable.rs shows that they repeat themselves.

use super::*;

const DISSOLVE: &[&str] = &[
    "cell=0.08",
    "body.spacing=0.05",
    "loose.first=0",
    "loose.lasts=0.1",
    "draw.size=[96, 54]",
    "draw.sun.pixels=64",
];

/// Runs two frames and returns the blocks that are active then.
fn blocks(out: &Path, cells: &str) -> u64 {
    let mut command = common::start();
    command
        .current_dir(root())
        .args(["run", "--quiet", "--validation", "pipelines/pic_dissolve.json"])
        .args(["--frames", "2", "--set", cells, "--out"])
        .arg(out);
    DISSOLVE.iter().for_each(|set| {
        command.args(["--set", set]);
    });
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    manifest["sparse_grids"][0]["active_blocks"].as_u64().unwrap()
}

#[test]
#[ignore = "long: two explosions"]
fn larger_domain_needs_hardly_more_blocks() {
    if common::gpu().is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let [small, large] = [96, 192].map(|cells| {
        blocks(
            &directory.path().join(cells.to_string()),
            &format!("cells={cells}"),
        )
    });
    // Eight times the cells, and hardly more memory: blocks are cut elsewhere, no more.
    assert!(large <= 2 * small, "{small} {large}");
}
