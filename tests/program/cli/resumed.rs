//! A resumed run has the options of its run, unless others are given.

use super::*;

fn resume(directory: &Path, more: &[&str]) {
    let out = directory.to_str().unwrap();
    run(&[&["run", "--quiet", "--resume", out], more].concat()).exits(0);
}

fn read(directory: &Path, name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(directory.join(name)).unwrap()).unwrap()
}

#[test]
fn resume_keeps_the_options_of_its_run() {
    let directory = tempfile::tempdir().unwrap();
    let plain = directory.path().join("plain");
    let out = directory.path().join("out");
    let begin = ["--frames", "2", "--checkpoint", "1"];
    run_into(&plain, TINY, &begin).exits(0);
    let options = [
        "--hash",
        "--checked",
        "--watch",
        "3",
        "--timeout",
        "77",
        "--full-barriers",
        "--shuffle",
        "5",
    ];
    run_into(&out, TINY, &[&begin[..], &options].concat()).exits(0);
    resume(&plain, &["--frames", "4"]);
    resume(&out, &["--frames", "4"]);
    let hashes = fs::read_to_string(out.join("hashes.csv")).unwrap();
    let last = hashes.lines().last().unwrap();
    assert!(last.starts_with("4,"), "{hashes}");
    let wanted = serde_json::json!({
        "hash": true, "checked": true, "races": true, "shuffle": 5, "full_barriers": true, "timeout": 77
    });
    assert_eq!(manifest(&out)["flags"], wanted);
    assert_eq!(read(&out, "resolved.json")["run"]["watch_every"], 3);
    // Control: a run without them has none.
    assert!(!plain.join("hashes.csv").exists());
    assert_eq!(manifest(&plain)["flags"]["checked"], false);
    assert!(read(&plain, "resolved.json")["run"].get("watch_every").is_none());
    // Given options take precedence.
    resume(&out, &["--frames", "5", "--timeout", "99", "--watch", "2"]);
    assert_eq!(manifest(&out)["flags"]["timeout"], 99);
    assert_eq!(read(&out, "resolved.json")["run"]["watch_every"], 2);
    resume(&plain, &["--frames", "5", "--hash"]);
    assert!(plain.join("hashes.csv").exists());
    assert_eq!(differing(&frames(&plain), &frames(&out)), [""; 0]);
}
