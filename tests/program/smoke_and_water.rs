//! Two modules that share a grid: smoke and water act on each other.

use std::fs;
use std::path::Path;

use super::device;

/// Height of the centre of mass of the smoke after each frame, with the column of water of a size.
fn heights(dam: &str) -> Vec<f64> {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let status = crate::start()
        .current_dir(Path::new(crate::ROOT))
        .args([
            "run",
            "pipelines/smoke_and_water.json",
            "--quiet",
            "--frames",
            "20",
            "--set",
            "n=20",
            "--set",
            dam,
            "--out",
        ])
        .arg(&out)
        .status()
        .unwrap();
    assert!(status.success());
    let log = fs::read_to_string(out.join("log.csv")).unwrap();
    let column = |line: &str| line.split(',').nth(3).unwrap().parse::<f64>().unwrap();
    log.lines().skip(2).map(column).collect()
}

/// The water runs along the floor under the smoke, which makes way upwards: by as much as the tongue is high, about half of
/// the column's 0.5 m. Without water the smoke rises by its warmth alone.
#[test]
#[ignore = "long: two runs of 40 steps"]
fn water_lifts_the_smoke_above_it() {
    if !device::is_here() {
        return;
    }
    let (wet, dry) = (heights("dam=[0.4, 0.4, 0.5]"), heights("dam=[0.03, 0.03, 0.03]"));
    assert_eq!((wet.len(), dry.len()), (20, 20));
    // Before the water arrives, a quarter of the height lies between them at most.
    assert!((wet[2] - dry[2]).abs() < 0.25 * dry[2], "{} {}", wet[2], dry[2]);
    let lifted = wet[19] - dry[19];
    assert!((0.06..0.25).contains(&lifted), "{} {}", wet[19], dry[19]);
    // Warm smoke rises in both.
    assert!(dry[19] > dry[0] + 0.01 && wet[19] > wet[0] + 0.1);
}
