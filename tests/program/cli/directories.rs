//! Output directories: one run at a time, and no files of one run among those of another.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::*;

/// Copies of the small pipeline, each as `<directory>/pipeline.json`, under this title.
fn copy(directory: &Path, title: &str) -> String {
    let tiny = Path::new(crate::ROOT).join(TINY);
    let shaders = Path::new(crate::ROOT).join("tests/data/tiny");
    let text = fs::read_to_string(tiny).unwrap();
    let text = text.replace("\"tiny/", &format!("\"{}/", shaders.display()));
    let mut file: Value = serde_json::from_str(&text).unwrap();
    file["title"] = title.into();
    fs::create_dir_all(directory).unwrap();
    let path = directory.join("pipeline.json");
    fs::write(&path, file.to_string()).unwrap();
    path.to_str().unwrap().into()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn equal_file_names_are_refused_before_the_run() {
    let directory = tempfile::tempdir().unwrap();
    let [a, b] = ["a", "b"].map(|name| copy(&directory.path().join(name), name));
    let out = directory.path().join("out");
    for more in [
        &["--out", text(&out)][..],
        &["--out", text(&out), "--sweep", "run.seed=1,2"],
    ] {
        run(&[&["run", &a, &b, "--frames", "1"], more].concat())
            .exits(2)
            .says(&[
                "would both write to",
                "a/pipeline.json",
                "b/pipeline.json",
                "rename one",
            ]);
        assert!(!out.exists(), "nothing ran");
    }
}

#[test]
fn similar_sweep_cases_have_distinct_directories() {
    let directory = tempfile::tempdir().unwrap();
    run_into(
        directory.path(),
        TINY,
        &["--frames", "1", "--sweep", "spread.rate=1/8,1*8"],
    )
    .exits(0);
    for name in ["spread.rate=1_8", "spread.rate=1_8.2"] {
        assert!(
            directory.path().join(name).join("view.0001.png").exists(),
            "{name}"
        );
    }
}

#[test]
fn second_run_replaces_only_files_of_the_first() {
    let directory = tempfile::tempdir().unwrap();
    run_into(directory.path(), TINY, &["--frames", "4", "--hash"]).exits(0);
    let others = [
        "notes.txt",
        "view.0002.png.bak",
        "view.best.png",
        "other.0001.png",
    ];
    for name in others {
        fs::write(directory.path().join(name), name).unwrap();
    }
    run_into(directory.path(), TINY, &["--frames", "2"]).exits(0);
    let found = files(directory.path());
    for name in others {
        assert_eq!(found[name], name.as_bytes());
    }
    for name in ["view.0003.png", "heat.0004.npy", "hashes.csv", ".sastrugi.lock"] {
        assert!(!found.contains_key(name), "{name}");
    }
    assert_eq!(manifest(directory.path())["outputs"]["view"]["files"], 2);
}

#[test]
fn other_runs_are_replaced_only_with_force() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let other = copy(&directory.path().join("other"), "Something else");
    run_into(&out, &other, &["--frames", "1"]).exits(0);
    let before = files(&out);
    run_into(&out, TINY, &["--frames", "1"]).exits(2).says(&[
        "holds a run of another pipeline: Something else",
        "--force",
        "--out",
    ]);
    assert_eq!(files(&out), before, "nothing was touched");
    run_into(&out, TINY, &["--frames", "2", "--checkpoint", "2", "--force"]).exits(0);
    run_into(&out, TINY, &["--frames", "1"]).exits(2).says(&[
        "holds a run with checkpoints, the newest at frame 2",
        "--resume",
        "--force",
    ]);
    run_into(&out, TINY, &["--frames", "1", "--force"]).exits(0);
    let found = files(&out);
    assert!(
        !found
            .keys()
            .any(|name| name.starts_with("checkpoints/") || name.contains(".0002."))
    );
    // A manifest that nobody can read is not ours to judge.
    fs::write(out.join("manifest.json"), "{}").unwrap();
    run_into(&out, TINY, &["--frames", "1"])
        .exits(2)
        .says(&["not of this version", "--force"]);
}

#[test]
fn failed_build_keeps_the_previous_files() {
    let directory = tempfile::tempdir().unwrap();
    run_into(directory.path(), TINY, &["--frames", "2"]).exits(0);
    let before = files(directory.path());
    run_into(directory.path(), TINY, &["--stage", "spread=no_such.comp"]).exits(2);
    assert_eq!(files(directory.path()), before);
}

#[test]
fn concurrent_runs_in_one_directory_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = sastrugi()
        .args(["run", TINY, "--frames", "1000000", "--quiet", "--out"])
        .arg(directory.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !directory.path().join("view.0002.png").exists() {
        assert!(Instant::now() < deadline, "the second frame within a minute");
        std::thread::sleep(Duration::from_millis(10));
    }
    run_into(directory.path(), TINY, &["--frames", "1"])
        .exits(1)
        .says(&["another run is writing to", "--out"]);
    child.kill().unwrap();
    child.wait().unwrap();
    // Its lock went with it, though the file is still there.
    assert!(directory.path().join(".sastrugi.lock").exists());
    run_into(directory.path(), TINY, &["--frames", "1"]).exits(0);
}

#[test]
fn colliding_output_file_names_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let series = r#"outputs.hashes={"format":"csv","values":{"v":"visits[0]"}}"#;
    run_into(&out, TINY, &["--frames", "1", "--set", series]).exits(0);
    run_into(&out, TINY, &["--frames", "1", "--set", series, "--hash"])
        .exits(2)
        .says(&["the series `hashes`", "another name"]);
    for name in ["view.0001.png", "manifest.json", "hashes.csv"] {
        let trace = out.join(name);
        run_into(&out, TINY, &["--frames", "1", "--trace", text(&trace)])
            .exits(2)
            .says(&["the run itself writes that file"]);
    }
    let missing = directory.path().join("missing/trace.json");
    run_into(&out, TINY, &["--frames", "1", "--trace", text(&missing)])
        .exits(2)
        .says(&["there is no directory"]);
    let trace = out.join("trace.json");
    run_into(&out, TINY, &["--frames", "1", "--trace", text(&trace)]).exits(0);
    assert!(trace.exists());
}

#[test]
fn output_names_cannot_escape_the_directory() {
    let directory = tempfile::tempdir().unwrap();
    let inside = directory.path().join("inside");
    let path = copy(&inside, "Dots");
    let dots = inside.join("...json");
    fs::rename(path, &dots).unwrap();
    let out = inside.join("out");
    let tiny = [TINY, text(&dots)];
    run(&[
        "run",
        tiny[0],
        tiny[1],
        "--frames",
        "1",
        "--quiet",
        "--out",
        text(&out),
    ])
    .exits(0);
    assert!(out.join("pipeline/view.0001.png").exists());
    assert!(!inside.join("view.0001.png").exists());
}

#[test]
fn resume_reports_missing_earlier_frames() {
    let directory = tempfile::tempdir().unwrap();
    run_into(directory.path(), TINY, &["--frames", "3", "--checkpoint", "3"]).exits(0);
    let out = text(directory.path());
    let resumed = |frames: &str| run(&["run", "--resume", out, "--frames", frames]).exits(0);
    assert!(!resumed("4").text().contains("warning"), "control");
    fs::remove_file(directory.path().join("view.0002.png")).unwrap();
    fs::write(directory.path().join("heat.0001.npy"), "").unwrap();
    resumed("5").says(&[
        "3 of the 4 files of output `view` up to frame 4 are there",
        "the 4 files of output `heat` up to frame 4 have",
    ]);
    let quiet = run(&["run", "--resume", out, "--frames", "6", "--quiet"]).exits(0);
    assert_eq!(quiet.stderr, "", "no warnings either");
}

#[test]
fn sweep_runs_have_separate_traces() {
    let directory = tempfile::tempdir().unwrap();
    let more = [
        "--frames",
        "1",
        "--sweep",
        "run.seed=1,2",
        "--trace",
        "trace.json",
    ];
    run_into(directory.path(), TINY, &more).exits(0);
    for case in ["run.seed=1", "run.seed=2"] {
        assert!(directory.path().join(case).join("trace.json").exists(), "{case}");
    }
}

#[test]
fn rerun_says_how_many_files_it_removes() {
    let directory = tempfile::tempdir().unwrap();
    let out = text(directory.path());
    let again = |frames: &str| run(&["run", TINY, "--frames", frames, "--out", out]).exits(0);
    assert!(!again("3").text().contains("removing"));
    // Three frames of three outputs, one of dots, and two fixed files.
    again("1").says(&["removing 12 files of the earlier run in"]);
}

#[test]
fn empty_shares_and_device_names_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let out = text(directory.path());
    run(&["run", TINY, "--out", out, "--shard", "2/2"])
        .exits(0)
        .says(&["the share 2/2 of 1 runs is empty"]);
    for devices in ["", "0,", "0,,0"] {
        run(&["run", TINY, "--out", out, "--devices", devices])
            .exits(2)
            .says(&["the name of a device is empty", "sastrugi devices"]);
    }
    run(&["run", TINY, "--out", out, "--sweep", "spread.rate=1/2,1/2"])
        .exits(2)
        .says(&["lists 1/2 twice"]);
}

#[test]
fn resume_reports_lines_that_series_lack() {
    let directory = tempfile::tempdir().unwrap();
    let series = r#"outputs.log={"format":"csv","values":{"v":"visits[0]"},"every":2}"#;
    let more = ["--frames", "4", "--checkpoint", "4", "--hash", "--set", series];
    run_into(directory.path(), TINY, &more).exits(0);
    let out = text(directory.path());
    let resumed = |frames: &str| run(&["run", "--resume", out, "--frames", frames]).exits(0);
    assert!(!resumed("5").text().contains("warning"), "control");
    for name in ["log.csv", "hashes.csv"] {
        let path = directory.path().join(name);
        let whole = fs::read_to_string(&path).unwrap();
        let kept: Vec<&str> = whole.lines().take(2).collect();
        fs::write(&path, kept.join("\n") + "\n").unwrap();
    }
    resumed("6").says(&[
        "log.csv has 1 of the 3 lines up to frame 5",
        "hashes.csv has 1 of the 5 lines up to frame 5",
        "from the start",
    ]);
}

#[test]
fn resume_without_a_readable_manifest_reports_lost_options() {
    let directory = tempfile::tempdir().unwrap();
    run_into(
        directory.path(),
        TINY,
        &["--frames", "2", "--checkpoint", "1", "--hash"],
    )
    .exits(0);
    let out = text(directory.path());
    let resumed = |frames: &str| run(&["run", "--resume", out, "--frames", frames]).exits(0);
    assert!(!resumed("3").text().contains("warning"), "control");
    for (frames, damage) in [("4", Some("[]")), ("5", Some("{\"program")), ("6", None)] {
        let manifest = directory.path().join("manifest.json");
        match damage {
            Some(text) => fs::write(manifest, text).unwrap(),
            None => fs::remove_file(manifest).unwrap(),
        }
        resumed(frames).says(&["no manifest.json that can be read", "--hash", "give them again"]);
    }
}
