//! Batches that go on where they were interrupted, and outputs that change when a run resumes.

use super::*;

const SWEEP: [&str; 6] = ["--sweep", "run.seed=1..3", "--checkpoint", "2", "--frames", "4"];

#[test]
fn continued_sweep_skips_resumes_and_starts() {
    let directory = tempfile::tempdir().unwrap();
    let (whole, cut) = (directory.path().join("whole"), directory.path().join("cut"));
    run_into(&whole, TINY, &[&SWEEP[..], &["--hash"]].concat()).exits(0);
    run_into(&cut, TINY, &[&SWEEP[..4], &["--frames", "2", "--hash"]].concat()).exits(0);
    // As if the sweep had been interrupted in its second run.
    run_into(
        &cut,
        TINY,
        &[
            "--sweep",
            "run.seed=1",
            "--checkpoint",
            "2",
            "--frames",
            "4",
            "--hash",
            "--force",
        ],
    )
    .exits(0);
    fs::remove_dir_all(cut.join("run.seed=3")).unwrap();
    let first = fs::metadata(cut.join("run.seed=1/manifest.json"))
        .unwrap()
        .modified()
        .unwrap();
    // Without the option, the checkpoints stop it.
    run_into(&cut, TINY, &SWEEP).exits(2).says(&["--continue"]);
    let out = cut.to_str().unwrap();
    let carry_on =
        || run(&[&["run", TINY, "--out", out, "--hash", "--continue"], &SWEEP[..]].concat()).exits(0);
    carry_on().says(&["of 3 runs, 1 are done, 1 resume and 1 start"]);
    let again = fs::metadata(cut.join("run.seed=1/manifest.json"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(first, again, "the run that was done did not run again");
    assert_eq!(manifest(&cut.join("run.seed=2"))["resumed_from"], 2);
    for seed in 1..=3 {
        let name = format!("run.seed={seed}");
        assert_eq!(
            differing(&frames(&whole.join(&name)), &frames(&cut.join(&name))),
            [""; 0]
        );
        let hashes = |from: &Path| fs::read_to_string(from.join(&name).join("hashes.csv")).unwrap();
        assert_eq!(hashes(&whole), hashes(&cut));
    }
    // Nothing is left to do.
    carry_on().says(&["3 are done, 0 resume and 0 start"]);
}

#[test]
fn outputs_may_change_when_a_run_resumes_and_parameters_may_not() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    run_into(directory.path(), TINY, &["--frames", "2", "--checkpoint", "2"]).exits(0);
    let resume = |more: &[&str]| run(&[&["run", "--resume", out], more].concat());
    resume(&[
        "--frames",
        "4",
        "--set",
        "outputs.view=null",
        "--set",
        "outputs.heat.every=2",
    ])
    .exits(0);
    let names: Vec<String> = frames(directory.path()).into_keys().collect();
    let of = |output: &str| names.iter().filter(|name| name.starts_with(output)).count();
    assert_eq!((of("view."), of("heat.")), (2, 3), "{names:?}");
    resume(&["--frames", "6", "--set", "spread.rate=0.01"])
        .exits(1)
        .says(&["the pipeline or its parameters have changed"]);
    resume(&["--set", "outputs.nothing=null"]).exits(2);
}
