//! Sparse grids: requests beyond the budget.

use super::*;

#[test]
fn first_dropped_requests_are_reported_once() {
    let out = tempfile::tempdir().unwrap();
    let of = |when: &str| {
        let when = format!("grids.g.sparse.when_full=\"{when}\"");
        let mut command = sastrugi();
        command.args([
            "run",
            "tests/data/sparse/budget.json",
            "--force",
            "--set",
            &when,
            "--out",
        ]);
        Ran::of(command.arg(out.path()).output().unwrap())
    };
    let ran = of("drop").exits(0);
    let warnings: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|line| line.contains("dropped"))
        .collect();
    assert_eq!(warnings.len(), 1, "{}", ran.stderr);
    // `stop` ends the run in the step that the warning names.
    let step = warnings[0]
        .split("step ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let step: u64 = step.unwrap().parse().unwrap();
    assert!(
        warnings[0].starts_with("warning: the update in step ")
            && warnings[0].contains(" of the blocks of grid `g`"),
        "{}",
        warnings[0]
    );
    of("stop").exits(1);
    let steps = manifest(out.path())["steps"].as_u64().unwrap();
    assert_eq!(steps + 1, step);
}
