//! Files that the program must not replace, and files that never end.

use super::*;

#[test]
fn trace_replaces_only_traces() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let own = directory.path().join("notes.json");
    fs::write(&own, "{\"mine\": 1}").unwrap();
    let traced = |file: &Path| run_into(&out, TINY, &["--frames", "1", "--trace", file.to_str().unwrap()]);
    traced(&own)
        .exits(2)
        .says(&["would replace a file that is not a trace", "name another file"]);
    assert_eq!(fs::read_to_string(&own).unwrap(), "{\"mine\": 1}");
    traced(Path::new("/dev/null"))
        .exits(2)
        .says(&["not a regular file"]);
    for directory in [directory.path(), Path::new("."), Path::new("..")] {
        traced(directory)
            .exits(2)
            .says(&["this is a directory", "trace.json"]);
    }
    // An empty file, as mktemp makes them, and an earlier trace.
    fs::write(&own, "").unwrap();
    for _ in 0..2 {
        traced(&own).exits(0);
        assert!(fs::read_to_string(&own).unwrap().contains("traceEvents"));
    }
}

#[test]
fn plot_replaces_only_plots() {
    let directory = tempfile::tempdir().unwrap();
    let series = directory.path().join("totals.csv");
    fs::write(&series, "frame,step,time,snow\n0,0,0,1\n1,1,1,2\n").unwrap();
    let picture = directory.path().join("totals.svg");
    let plot = || run(&["plot", directory.path().to_str().unwrap()]);
    for _ in 0..2 {
        plot().exits(0);
    }
    fs::write(&picture, "<svg>mine</svg>").unwrap();
    plot()
        .exits(2)
        .says(&["`sastrugi plot` did not draw it", "--out"]);
    assert_eq!(fs::read_to_string(&picture).unwrap(), "<svg>mine</svg>");
}

#[test]
fn plots_are_valid_xml_whatever_the_columns_are_called() {
    let directory = tempfile::tempdir().unwrap();
    let series = directory.path().join("totals.csv");
    fs::write(&series, "frame,step,time,sn\u{1}o<w\u{1b}\n0,0,0,1\n1,1,1,2\n").unwrap();
    run(&["plot", directory.path().to_str().unwrap()]).exits(0);
    let svg = fs::read_to_string(directory.path().join("totals.svg")).unwrap();
    assert!(svg.chars().all(|c| !c.is_control() || c == '\n'), "{svg}");
    assert!(svg.contains("sn\u{fffd}o&lt;w\u{fffd}"), "{svg}");
}

/// A pipe that nobody writes to: opening it would block.
fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

#[test]
fn devices_and_pipes_are_not_read() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let fifo = directory.path().join("fifo");
    pipe(&fifo);
    for path in ["/dev/zero", fifo.to_str().unwrap()] {
        let refused = |more: &[&str]| {
            run_into(&out, TINY, more).exits(2).says(&["not a regular file"]);
        };
        refused(&["--stage", &format!("spread={path}")]);
        refused(&["--replay", path]);
        run(&["check", path]).exits(2).says(&["not a regular file"]);
        run(&["plot", path]).exits(2).says(&["not a regular file"]);
    }
    run_into(&out, TINY, &["--frames", "2", "--checkpoint", "1", "--hash"]).exits(0);
    let out = out.to_str().unwrap();
    for link in ["0003.checkpoint", "0004.checkpoint"] {
        let path = Path::new(out).join("checkpoints").join(link);
        match link {
            "0003.checkpoint" => std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
            _ => pipe(&path),
        }
    }
    run(&["run", "--resume", out, "--frames", "3"]).exits(0).says(&[
        "0004.checkpoint is refused: it cannot be read: it is not a regular file",
        "0003.checkpoint is refused",
    ]);
    let hashes = Path::new(out).join("hashes.csv");
    fs::remove_file(&hashes).unwrap();
    pipe(&hashes);
    run(&["run", "--resume", out, "--frames", "4"])
        .exits(1)
        .says(&["hashes.csv", "not a regular file"]);
}

#[test]
fn control_characters_reach_no_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let title = "title=\"\\u001b[31mred\\u009b2J\"";
    let ran = run(&[
        "run",
        TINY,
        "--frames",
        "1",
        "--set",
        title,
        "--out",
        directory.path().to_str().unwrap(),
    ])
    .exits(0);
    assert!(ran.stderr.contains("?[31mred\u{b7}2J on"), "{}", ran.stderr);
    let wrong = run(&["check", TINY, "--set", "run.dt=\u{1b}[31m+"]).exits(2);
    let controls = |c: char| c.is_control() && c != '\n';
    assert!(!wrong.stderr.contains(controls), "{:?}", wrong.stderr);
}
