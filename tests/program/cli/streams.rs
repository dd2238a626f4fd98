//! Closed and full streams: a run does not depend on who reads its messages, and results that do not arrive are a failure.

use super::*;

/// A shell command in which `sastrugi` is the program; bash, for the exit codes of pipes.
fn shell(command: &str) -> Ran {
    let program = env!("CARGO_BIN_EXE_sastrugi");
    let mut bash = Command::new("bash");
    bash.current_dir(crate::ROOT)
        .env("SASTRUGI_CACHE_DIR", crate::CACHE)
        .args(["-c", &command.replace("sastrugi", program)]);
    Ran::of(bash.output().unwrap())
}

#[test]
fn closed_or_full_streams_do_not_end_a_run() {
    let directory = tempfile::tempdir().unwrap();
    for (number, end) in ["2>&1 | true", "2>/dev/full", "2>&-", ">/dev/full 2>&1"]
        .into_iter()
        .enumerate()
    {
        let out = directory.path().join(number.to_string());
        let run = format!(
            "sastrugi run {TINY} --frames 2 --out {} {end}; exit ${{PIPESTATUS[0]}}",
            out.display()
        );
        shell(&run).exits(0);
        assert_eq!(manifest(&out)["state"], "done", "{end}");
        assert!(out.join("view.0002.png").exists(), "{end}");
    }
}

#[test]
fn unwritable_results_are_a_failure() {
    for command in [
        "schema",
        "check tests/data/tiny.json",
        "graph tests/data/tiny.json",
        "fields tests/data/tiny.json",
    ] {
        shell(&format!("sastrugi {command} > /dev/full"))
            .exits(1)
            .says(&["cannot write to the standard output"]);
        // A reader that has seen enough is no failure.
        let ran = shell(&format!(
            "sastrugi {command} | head -c 1 > /dev/null; exit ${{PIPESTATUS[0]}}"
        ));
        assert_eq!(ran.exits(0).stderr, "");
    }
}
