//! Runs that end too soon, by a kill, Ctrl-C or a full disk, and go on.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::*;

/// A run that lasts a second or two on the slowest machine; every kind of resource has a part in it.
const RUN: [&str; 9] = [
    "run",
    "--hash",
    TINY,
    "--quiet",
    "--frames",
    "120",
    "--checkpoint",
    "7",
    "--out",
];

/// A moment in the last four fifths of `most`, another for every number: before, the program starts.
fn moment(number: u64, most: Duration) -> Duration {
    let hash = blake3::hash(&number.to_le_bytes());
    let fraction =
        f64::from(u32::from_le_bytes(hash.as_bytes()[..4].try_into().unwrap())) / f64::from(u32::MAX);
    most.mul_f64(0.2 + 0.8 * fraction)
}

#[test]
fn runs_killed_at_3_moments_resume_to_equal_frames() {
    killed(3);
}

/// SASTRUGI_KILLS asks for another number of moments.
#[test]
#[ignore = "long: 50 moments"]
fn runs_killed_at_50_moments_resume_to_equal_frames() {
    killed(std::env::var("SASTRUGI_KILLS").map_or(50, |n| n.parse().unwrap()));
}

fn wait_for(what: &dyn Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !what() {
        assert!(Instant::now() < deadline, "within a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn killed(kills: u64) {
    if !device::is_here() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let whole = root.path().join("whole");
    let started = Instant::now();
    succeeds(sastrugi(&RUN).arg(&whole));
    let lasts = started.elapsed();
    let expected = frames(&whole);
    assert_eq!(expected.len(), 3 * 120 + 60 + 1);
    let (mut resumed, mut from_the_start) = (0, 0);
    for number in 0..kills {
        let directory = root.path().join(format!("killed {number}"));
        let mut child = sastrugi(&RUN)
            .arg(&directory)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let moment = moment(number, lasts);
        if number % 2 == 0 {
            // Half of them have a checkpoint however slow the machine is.
            wait_for(&|| !checkpoints(&directory).is_empty());
            std::thread::sleep(moment / 4);
        } else {
            std::thread::sleep(moment);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for (name, bytes) in frames(&directory) {
            if name.ends_with(".csv") {
                // A log of whole lines.
                let whole = bytes.is_empty() || bytes.ends_with(b"\n");
                assert!(
                    whole && expected[&name].starts_with(&bytes),
                    "{name} after kill {number}"
                );
            } else {
                assert!(expected[&name] == bytes, "{name} after kill {number}");
            }
        }
        let output = sastrugi(&["run", "--quiet", "--hash", "--resume"])
            .arg(&directory)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        if checkpoints(&directory).is_empty() {
            // Killed before its first checkpoint: it says so, and starts again.
            assert!(matches!(output.status.code(), Some(1 | 2)), "{text}");
            succeeds(sastrugi(&RUN).arg(&directory));
            from_the_start += 1;
        } else {
            assert!(output.status.success(), "{text}");
            resumed += 1;
        }
        let after = frames(&directory);
        assert!(after.keys().eq(expected.keys()), "kill {number}");
        assert!(after == expected, "kill {number}");
        std::fs::remove_dir_all(directory).unwrap();
    }
    println!("{resumed} resumed, {from_the_start} killed before their first checkpoint");
    assert!(resumed >= kills / 2, "{resumed} of {kills} runs had a checkpoint");
}

#[test]
fn signals_trigger_checkpoints() {
    if !device::is_here() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("run");
    let child = sastrugi(&["run", TINY, "--quiet", "--frames", "1000000", "--out"])
        .arg(&directory)
        .spawn()
        .unwrap();
    let signal = |name: &str| {
        let kill = Command::new("kill")
            .args([name, &child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
    };
    wait_for(&|| directory.join("view.0003.png").exists());
    assert_eq!(checkpoints(&directory).len(), 0);
    signal("-USR1");
    wait_for(&|| checkpoints(&directory).len() == 1);
    let first = checkpoints(&directory);
    signal("-TERM");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let both = checkpoints(&directory);
    assert!(both.len() == 2 && both[0] == first[0], "{both:?} after {first:?}");
    let last: u64 = both[1].split('.').next().unwrap().parse().unwrap();
    assert!(frames(&directory).contains_key(&format!("view.{last:04}.png")));
    let more = (last + 3).to_string();
    succeeds(sastrugi(&["run", "--quiet", "--frames", &more, "--resume"]).arg(&directory));
    assert!(frames(&directory).contains_key(&format!("view.{:04}.png", last + 3)));
    // Control: the same frames without any of this.
    let straight = root.path().join("straight");
    succeeds(sastrugi(&["run", TINY, "--quiet", "--frames", &more, "--out"]).arg(&straight));
    assert!(frames(&straight) == frames(&directory));
}

#[test]
fn longer_run_resumes_from_the_end_of_a_shorter_one() {
    if !device::is_here() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let (long, short) = (root.path().join("long"), root.path().join("short"));
    succeeds(sastrugi(&["run", TINY, "--quiet", "--frames", "20", "--out"]).arg(&long));
    let arguments = [
        "run",
        TINY,
        "--quiet",
        "--frames",
        "9",
        "--checkpoint",
        "100",
        "--out",
    ];
    succeeds(sastrugi(&arguments).arg(&short));
    assert_eq!(checkpoints(&short), ["0009.checkpoint"]);
    succeeds(sastrugi(&["run", "--quiet", "--frames", "20", "--resume"]).arg(&short));
    assert!(frames(&short) == frames(&long));
    let manifest = std::fs::read_to_string(short.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(
        [&manifest["resumed_from"], &manifest["frames"], &manifest["steps"]],
        [9, 20, 40]
    );
    assert_eq!(manifest["outputs"]["view"]["files"], 20);
    assert_eq!(manifest["outputs"]["dots"]["files"], 10);
}
