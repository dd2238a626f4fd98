//! Means and deviations over time by `modules/statistics.json`: known sines over whole periods, late starts, and a run that
//! goes on after a checkpoint.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::device;

const SPEC: &str = "tests/data/statistics/sine.json";
/// Samples of a frame: a period.
const PERIOD: f64 = 64.0;

fn succeeds(command: &mut Command) {
    let output = command.current_dir(crate::ROOT).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
}

fn run(out: &Path, frames: &str) {
    let more = ["--quiet", "--validation", "--checkpoint", "5", "--frames", frames];
    succeeds(crate::start().args(["run", SPEC, "--out"]).arg(out).args(more));
}

fn numbers(out: &Path, name: &str, frame: u64) -> Vec<f64> {
    let bytes = fs::read(out.join(format!("{name}.{frame:04}.npy"))).unwrap();
    let array = npyz::NpyFile::new(&bytes[..]).unwrap();
    array
        .into_vec::<f32>()
        .unwrap()
        .into_iter()
        .map(f64::from)
        .collect()
}

/// The largest difference from values of cells, of one of a number of components.
fn error(
    found: &[f64],
    [x, y]: [usize; 2],
    (component, of): (usize, usize),
    wanted: impl Fn([f64; 3]) -> f64,
) -> f64 {
    let cells = found.iter().skip(component).step_by(of).enumerate();
    let error = |(cell, value): (usize, &f64)| {
        (value - wanted([cell % x, cell / x % y, cell / x / y].map(|at| at as f64))).abs()
    };
    cells.map(error).fold(0.0, f64::max)
}

#[test]
fn means_and_deviations_of_whole_periods_follow_closed_forms() {
    if !device::is_here() {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    run(out.path(), "40");
    let read = |name: &str, frame| numbers(out.path(), name, frame);
    let (space, plane) = ([6, 4], [5, 3]);
    let amplitude = |[_, y, _]: [f64; 3]| 0.5 * (y + 1.0);
    let root = 0.5f64.sqrt();
    // The samples, about 1000, are rounded to multiples of 6.1e-5.
    let rounding = 3.1e-5;
    for frame in [1, 2, 10, 40] {
        let deviation = |cell| root * amplitude(cell);
        let mean = |[x, _, _]: [f64; 3]| 1000.0 + x;
        assert_eq!(error(&read("mean", frame), space, (0, 1), mean), 0.0);
        let found = error(&read("deviation", frame), space, (0, 1), deviation);
        assert!(found < rounding, "{found}");
        if frame > 1 {
            // Every second step after the first period: half of the samples of a period have its mean and its deviation.
            assert_eq!(error(&read("late_mean", frame), space, (0, 1), mean), 0.0);
            let found = error(&read("late_deviation", frame), space, (0, 1), deviation);
            assert!(found < rounding, "{found}");
        } else {
            assert!(read("late_deviation", 1).iter().all(|value| *value == 0.0));
        }
        let (means, deviations) = (read("flow_mean", frame), read("flow_deviation", frame));
        assert!(error(&means, space, (1, 3), |_| 0.0) < 1e-7);
        assert!(error(&deviations, space, (1, 3), |[_, _, z]| root * z) < 3e-7);
        // 3 in the first period, then 1.
        let share = 1.0 / frame as f64;
        assert!(error(&means, space, (2, 3), |_| 1.0 + 2.0 * share) < 3e-7);
        assert!(
            error(&deviations, space, (2, 3), |_| 2.0
                * (share * (1.0 - share)).sqrt())
                < 3e-7
        );
        let (means, deviations) = (read("pair_mean", frame), read("pair_deviation", frame));
        assert!(
            error(&means, plane, (0, 2), |_| 0.0) < 1e-7
                && error(&means, plane, (1, 2), |[x, _, _]| x) == 0.0
        );
        assert!(error(&deviations, plane, (0, 2), |_| 2.0 * root) < 3e-7);
        assert_eq!(error(&deviations, plane, (1, 2), |_| 0.0), 0.0);
        // Control: single sums of the values and of their squares lose the deviation.
        let sums = read("naive", frame);
        let naive = sums.chunks(2).map(|sums| {
            let [mean, square] = [sums[0], sums[1]].map(|sum| sum / (PERIOD * frame as f64));
            (square - mean * mean).abs().sqrt()
        });
        let naive: Vec<f64> = naive.collect();
        assert!(error(&naive, space, (0, 1), deviation) > 0.05, "control");
    }
    let log = fs::read_to_string(out.path().join("log.csv")).unwrap();
    assert!(log.ends_with(",2560,1248\n"), "{log}");
}

#[test]
fn statistics_go_on_after_a_checkpoint() {
    if !device::is_here() {
        return;
    }
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run(whole.path(), "8");
    run(parts.path(), "5");
    let resume = ["run", "--quiet", "--validation", "--frames", "8", "--resume"];
    succeeds(crate::start().args(resume).arg(parts.path()));
    for name in [
        "mean",
        "deviation",
        "flow_mean",
        "late_deviation",
        "pair_deviation",
    ] {
        let bytes = |directory: &Path, frame: u64| {
            fs::read(directory.join(format!("{name}.{frame:04}.npy"))).unwrap()
        };
        assert!(bytes(whole.path(), 8) == bytes(parts.path(), 8), "{name}");
    }
    assert_ne!(
        numbers(whole.path(), "flow_mean", 5),
        numbers(whole.path(), "flow_mean", 8),
        "control"
    );
}
