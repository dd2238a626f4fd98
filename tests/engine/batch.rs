//! Several runs in one process, shares of a batch, several devices, and the trace of a run.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use sastrugi::run::{self, Ending, NoObserver, RunRequest};
use sastrugi::spec;

use super::common;

const TINY: &str = "tests/data/tiny.json";

fn sastrugi(arguments: &[&str]) -> Output {
    let mut command = common::start();
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("NO_COLOR", "1");
    command.args(arguments).output().unwrap()
}

#[track_caller]
fn exits(output: &Output, code: i32) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

/// Frames of a directory and of those in it, by path.
fn frames(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(
                frames(&path)
                    .into_iter()
                    .map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)),
            );
        } else if path.extension().is_some_and(|extension| extension != "json") {
            found.insert(name, std::fs::read(&path).unwrap());
        }
    }
    found
}

const SWEEP: [&str; 6] = ["run", TINY, "--quiet", "--frames", "2", "--sweep"];

fn swept(more: &[&str], out: &Path) -> Output {
    let arguments: Vec<&str> = SWEEP
        .iter()
        .chain(&["spread.rate=0.01,0.02,0.03,0.04,0.05"])
        .copied()
        .collect();
    sastrugi(&[&arguments[..], more, &["--out", out.to_str().unwrap()]].concat())
}

#[test]
fn shards_together_equal_one_process() {
    let Some(_) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    let (whole, shared) = (root.path().join("whole"), root.path().join("shared"));
    exits(&swept(&[], &whole), 0);
    let expected = frames(&whole);
    assert_eq!(expected.len(), 5 * 7);
    exits(&swept(&["--shard", "2/2"], &shared), 0);
    assert_eq!(frames(&shared).len(), 2 * 7);
    exits(&swept(&["--shard", "1/2"], &shared), 0);
    assert!(frames(&shared) == expected);
    // Two runs at a time, on one device opened twice.
    let beside = root.path().join("beside");
    exits(&swept(&["--devices", "0,0"], &beside), 0);
    assert!(frames(&beside) == expected);
    // On all of them: here the processor, elsewhere the GPUs, whose floats may differ in their last bits.
    let all = root.path().join("all");
    exits(&swept(&["--devices", "all"], &all), 0);
    assert!(frames(&all).keys().eq(expected.keys()));
    let text = exits(&sastrugi(&["run", TINY, "--shard", "3/2"]), 2);
    assert!(text.contains("I/N"), "{text}");
    let text = exits(&sastrugi(&["run", TINY, "--quiet", "--devices", "0,nonesuch"]), 2);
    assert!(text.contains("nonesuch"), "{text}");
}

#[test]
fn failing_run_does_not_stop_the_batch() {
    let Some(_) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    // A file has the name of the second run's directory.
    std::fs::create_dir(root.path().join("out")).unwrap();
    std::fs::write(root.path().join("out/spread.rate=0.02"), "in the way").unwrap();
    let text = exits(&swept(&[], &root.path().join("out")), 1);
    assert!(
        text.contains("1 of 5 runs failed") && text.contains("spread.rate=0.02"),
        "{text}"
    );
    let whole = frames(&root.path().join("out"));
    assert_eq!(whole.keys().filter(|name| name.ends_with(".png")).count(), 4 * 2);
}

/// Bytes that this process has in memory.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = text.split_whitespace().nth(1).unwrap().parse().unwrap();
    4096 * pages
}

#[test]
fn batch_of_24_runs_leaks_no_memory() {
    let Some(gpu) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    let path = crate::common::simulation::root().join(TINY);
    let mut sizes = Vec::new();
    for number in 0..24 {
        let overrides = ["run.frames=3".to_string(), "run.checkpoint_every=2".to_string()];
        let (pipeline, _) = spec::load(&path, &overrides).unwrap();
        let before = gpu.live_allocations().len();
        let (directory, swaps) = (root.path().join(number.to_string()), BTreeMap::new());
        let run = RunRequest::new(&gpu, pipeline, &path, &directory, &swaps);
        let ending = run::run(run, &mut NoObserver);
        assert_eq!(ending.unwrap(), Ending::Done);
        let left: Vec<String> = gpu
            .live_allocations()
            .iter()
            .map(|left| left.name.clone())
            .collect();
        assert_eq!(left.len(), before, "{left:?}");
        sizes.push(resident());
    }
    println!(
        "MiB after each run: {:?}",
        sizes.iter().map(|size| size >> 20).collect::<Vec<_>>()
    );
    // The first runs load what every run needs: compilers, drivers, threads.
    assert!(sizes[23] <= sizes[7] + sizes[7] / 20, "{sizes:?}");
}

#[test]
fn trace_has_queues_and_writers() {
    let Some(_) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    let (trace, out) = (root.path().join("trace.json"), root.path().join("out"));
    let paths = [trace.to_str().unwrap(), out.to_str().unwrap()];
    exits(
        &sastrugi(&[
            "run", TINY, "--quiet", "--frames", "6", "--trace", paths[0], "--out", paths[1],
        ]),
        0,
    );
    let text = std::fs::read_to_string(&trace).unwrap();
    let trace: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |category: &str| -> Vec<(String, f64, f64)> {
        let own = events.iter().filter(|event| event["cat"] == category);
        own.map(|event| {
            let number = |key: &str| event[key].as_f64().unwrap();
            (
                event["name"].as_str().unwrap().to_string(),
                number("ts"),
                number("dur"),
            )
        })
        .collect()
    };
    let (steps, draws, downloads, files) = (of("compute"), of("frame"), of("transfer"), of("write"));
    // A step that waits for a frame to be drawn is several submissions.
    let names: std::collections::BTreeSet<&String> = steps.iter().map(|(name, ..)| name).collect();
    assert_eq!((names.len(), draws.len(), downloads.len()), (12, 6, 6), "{text}");
    assert_eq!(files.len(), 6 * 3 + 3);
    assert!(
        steps
            .iter()
            .chain(&files)
            .all(|(_, ts, dur)| *ts >= 0.0 && *dur > 0.0),
        "{text}"
    );
    // A waiting event comes after the awaited one; device and host share a time axis.
    let of_frame = |list: &[(String, f64, f64)], name: &str| {
        let found = list.iter().rfind(|(found, ..)| found == name).unwrap();
        (found.1, found.1 + found.2)
    };
    for frame in 1..=6 {
        let step = of_frame(&steps, &format!("step {}", 2 * frame));
        let draw = of_frame(&draws, &format!("frame {frame}"));
        let download = of_frame(&downloads, &format!("download {frame}"));
        let file = of_frame(&files, &format!("view.{frame:04}.png"));
        // Microseconds by which clocks may be apart.
        let slack = 500.0;
        assert!(
            step.1 <= draw.0 + slack && draw.1 <= download.0 + slack,
            "frame {frame}: {text}"
        );
        assert!(download.1 <= file.0 + slack, "frame {frame}: {text}");
    }
}

/// Runs the job script for a share, as a scheduler does.
fn job(share: &str, out: &Path) -> Output {
    let rates = "spread.rate=0.01,0.02,0.03,0.04,0.05";
    let mut command = Command::new("scripts/shares.sbatch");
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("SASTRUGI", common::program())
        .env("SASTRUGI_CACHE_DIR", common::CACHE);
    if let Some((task, count)) = share.split_once('/') {
        command
            .env("SLURM_ARRAY_TASK_ID", task)
            .env("SLURM_ARRAY_TASK_COUNT", count);
    }
    command
        .args([TINY, "--quiet", "--frames", "2", "--sweep", rates, "--out"])
        .arg(out);
    command.output().unwrap()
}

#[test]
fn job_script_runs_shards() {
    let Some(_) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    let (whole, jobs, local) = (
        root.path().join("whole"),
        root.path().join("jobs"),
        root.path().join("local"),
    );
    exits(&swept(&[], &whole), 0);
    for share in ["2/3", "3/3", "1/3"] {
        exits(&job(share, &jobs), 0);
    }
    assert!(frames(&jobs) == frames(&whole));
    let text = exits(&job("", &jobs), 2);
    assert!(text.contains("sbatch --array"), "{text}");
    // The same script without a scheduler.
    let line = format!(
        "seq 3 | parallel -j 2 SASTRUGI_SHARE={{}}/3 scripts/shares.sbatch {TINY} --quiet --frames 2 \
         --sweep spread.rate=0.01,0.02,0.03,0.04,0.05 --out {}",
        local.display()
    );
    let mut shell = Command::new("sh");
    shell
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("SASTRUGI", common::program())
        .env("SASTRUGI_CACHE_DIR", common::CACHE);
    exits(&shell.args(["-c", &line]).output().unwrap(), 0);
    assert!(frames(&local) == frames(&whole));
}
