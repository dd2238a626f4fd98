//! Ctrl-C: the run ends soon, says so by its exit code, and leaves whole files.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::*;

#[test]
fn interrupted_run_keeps_complete_frames_and_exits_130() {
    let directory = tempfile::tempdir().unwrap();
    let child = sastrugi()
        .args(["run", TINY, "--frames", "1000000", "--quiet", "--out"])
        .arg(directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !directory.path().join("view.0003.png").exists() {
        assert!(Instant::now() < deadline, "the third frame within a minute");
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = Instant::now();
    let signal = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(signal.success());
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert!(
        sent.elapsed() < Duration::from_secs(20),
        "it ends soon, not after {:?}",
        sent.elapsed()
    );
    ran.exits(130);
    let frames = frames(directory.path());
    assert!(frames.len() >= 3);
    assert_whole(&frames);
    assert!(!files(directory.path()).keys().any(|name| name.ends_with(".part")));
    let manifest = manifest(directory.path());
    assert_eq!(manifest["state"], "interrupted");
    let views = frames.keys().filter(|name| name.starts_with("view")).count() as u64;
    assert_eq!(manifest["outputs"]["view"]["files"], views);
    for frame in 1..=views {
        assert!(
            frames.contains_key(&format!("view.{frame:04}.png")),
            "no gap before frame {views}"
        );
    }
}
