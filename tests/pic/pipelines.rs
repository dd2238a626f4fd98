//! The pipelines themselves, cut down, run by the program.

use std::collections::BTreeMap;
use std::process::Command;

use super::*;

const EXPLOSION: &[&str] = &[
    "cells=96",
    "cell=0.08",
    "body.count=3000",
    "gas.release=0.02",
    "images.view.size=[96, 54]",
    "images.sun.size=[64, 64]",
    "outputs.position.every=1",
    "time.steps_per_frame=12",
];
const DISSOLVE: &[&str] = &[
    "cells=96",
    "cell=0.08",
    "body.lattice=[60, 4, 15]",
    "body.spacing=0.0667",
    "loose.first=0",
    "loose.lasts=0.1",
    "images.view.size=[96, 54]",
    "images.sun.size=[64, 64]",
    "outputs.position.every=1",
];

/// Runs the program on a cut-down pipeline.
fn run(name: &str, settings: &[&str], out: &Path, more: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sastrugi"));
    command
        .current_dir(root())
        .args(["run", "--quiet", "--validation"]);
    if more.first() == Some(&"--resume") {
        command.args(more);
    } else {
        command
            .arg(format!("pipelines/{name}.json"))
            .arg("--out")
            .arg(out)
            .args(more);
        for set in settings {
            command.args(["--set", set]);
        }
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Everything that a run wrote but for what tells of its time.
fn frames(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| {
            path.extension()
                .is_some_and(|end| end == "png" || end == "npy" || end == "csv")
        })
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().into();
            (name, std::fs::read(&path).unwrap())
        })
        .collect()
}

fn differing(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names = a.keys().chain(b.keys());
    names
        .filter(|name| a.get(*name) != b.get(*name))
        .cloned()
        .collect()
}

fn repeats(name: &str, settings: &[&str]) {
    if common::gpu().is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let [once, again, resumed, other] =
        ["once", "again", "resumed", "other"].map(|name| directory.path().join(name));
    run(name, settings, &once, &["--frames", "4", "--checked"]);
    let expected = frames(&once);
    // Four pictures, four arrays, and the totals.
    assert_eq!(expected.len(), 9, "{:?}", expected.keys());
    run(name, settings, &again, &["--frames", "4", "--full-barriers"]);
    assert_eq!(differing(&expected, &frames(&again)), [""; 0], "twice");
    run(name, settings, &resumed, &["--frames", "2", "--checkpoint", "2"]);
    let on = ["--resume", resumed.to_str().unwrap(), "--frames", "4"];
    run(name, settings, &resumed, &on);
    assert_eq!(differing(&expected, &frames(&resumed)), [""; 0], "resumed");
    // Control: another seed is another run.
    run(name, settings, &other, &["--frames", "1", "--set", "seed=2"]);
    assert_ne!(frames(&other)["position.0001.npy"], expected["position.0001.npy"]);
    // Something moves, nothing left the range of fixed point, and no number is amiss.
    assert_ne!(expected["position.0001.npy"], expected["position.0004.npy"]);
    let totals = String::from_utf8(expected["totals.csv"].clone()).unwrap();
    let header: Vec<&str> = totals.lines().next().unwrap().split(',').collect();
    assert!(header.contains(&"held_back"));
    for line in totals.lines().skip(1) {
        for (column, value) in header.iter().zip(line.split(',')) {
            let value: f64 = value.parse().unwrap();
            assert!(value.is_finite(), "{line}");
            let counted = ["clamped", "crowded", "held_back"].contains(column);
            assert!(!counted || value == 0.0, "{column}: {line}");
        }
    }
}

#[test]
fn explosion_repeats_itself() {
    repeats("pic_explosion", EXPLOSION);
}

#[test]
fn dissolve_repeats_itself() {
    repeats("pic_dissolve", DISSOLVE);
}

#[test]
fn a_larger_domain_holds_the_same_letters() {
    if common::gpu().is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let [small, large] = ["96", "192"].map(|cells| {
        let out = directory.path().join(cells);
        let cells = format!("cells={cells}");
        let settings: Vec<&str> = DISSOLVE[1..].iter().copied().chain([&*cells]).collect();
        run("pic_dissolve", &settings, &out, &["--frames", "2"]);
        let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        let blocks = manifest["sparse_grids"][0]["active_blocks"].as_u64().unwrap();
        (blocks, frames(&out)["totals.csv"].len())
    });
    // Eight times the cells, and hardly more memory: blocks are cut elsewhere, no more.
    assert!(large.0 <= 2 * small.0, "{small:?} {large:?}");
}
