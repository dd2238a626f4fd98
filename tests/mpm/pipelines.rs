//! The pipelines themselves, cut down, run by the program.

use std::collections::BTreeMap;
use std::process::Command;

use super::*;

/// Each with what makes it small.
const SMALL: [(&str, &[&str]); 4] = [
    ("mpm_water", &["column.lattice=[10, 10, 12]"]),
    (
        "mpm_jelly",
        &["column.lattice=[10, 10, 10]", "column.low=[0.31, 0.31, 0.08]"],
    ),
    (
        "mpm_snow",
        &[
            "balls.each=700",
            "balls.radius=0.08",
            "balls.left=[0.8, 0.5, 0.4]",
            "balls.right=[0.97, 0.5, 0.4]",
        ],
    ),
    ("mpm_sand", &["column.lattice=[9, 9, 14]"]),
];

/// Runs the program on a cut-down pipeline.
fn run(name: &str, settings: &[&str], out: &Path, more: &[&str]) {
    let common = [
        "images.view.size=[96, 54]",
        "images.sun.size=[64, 64]",
        "outputs.position.every=1",
    ];
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
        for set in settings.iter().chain(&common) {
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
            (
                path.file_name().unwrap().to_str().unwrap().into(),
                std::fs::read(&path).unwrap(),
            )
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

fn repeats(name: &str) {
    if common::gpu().is_none() {
        return;
    }
    let (_, settings) = SMALL.iter().find(|(small, _)| *small == name).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let [once, again, resumed, other] =
        ["once", "again", "resumed", "other"].map(|name| directory.path().join(name));
    run(name, settings, &once, &["--frames", "4"]);
    let expected = frames(&once);
    // Four pictures, four arrays, and the totals.
    assert_eq!(expected.len(), 9, "{:?}", expected.keys());
    run(name, settings, &again, &["--frames", "4", "--full-barriers"]);
    assert_eq!(differing(&expected, &frames(&again)), [""; 0], "twice");
    run(name, settings, &resumed, &["--frames", "2", "--checkpoint", "2"]);
    run(
        name,
        settings,
        &resumed,
        &["--resume", resumed.to_str().unwrap(), "--frames", "4"],
    );
    assert_eq!(differing(&expected, &frames(&resumed)), [""; 0], "resumed");
    // Control: another seed is another run.
    run(name, settings, &other, &["--frames", "1", "--set", "seed=2"]);
    assert_ne!(frames(&other)["position.0001.npy"], expected["position.0001.npy"]);
    // Nothing left the range of fixed point, and no number is amiss.
    let totals = String::from_utf8(expected["totals.csv"].clone()).unwrap();
    let header: Vec<&str> = totals.lines().next().unwrap().split(',').collect();
    for line in totals.lines().skip(1) {
        for (column, value) in header.iter().zip(line.split(',')) {
            let value: f64 = value.parse().unwrap();
            assert!(value.is_finite(), "{line}");
            assert!(
                !["clamped", "crowded"].contains(column) || value == 0.0,
                "{column}: {line}"
            );
        }
    }
}

#[test]
fn water_repeats_itself() {
    repeats("mpm_water");
}

#[test]
fn jelly_repeats_itself() {
    repeats("mpm_jelly");
}

#[test]
fn snow_repeats_itself() {
    repeats("mpm_snow");
}

#[test]
fn sand_repeats_itself() {
    repeats("mpm_sand");
}
