//! Parts of sweeps.

/// The cases of nested loops that a test runs: all of them where SASTRUGI_LONG is set, as in `make test-long`, otherwise a
/// few, spread over the sweep so that they soon have every value of every loop.
pub struct Sweep {
    few: usize,
    all: usize,
    /// Number of cases from one that runs to the next, in a circle.
    step: usize,
    seen: usize,
}

/// `few` of `all` cases.
pub fn sweep(few: usize, all: usize) -> Sweep {
    let is_long = std::env::var_os("SASTRUGI_LONG").is_some();
    Sweep::new(if is_long { all } else { few }, all)
}

impl Sweep {
    fn new(few: usize, all: usize) -> Sweep {
        let few = few.min(all);
        // Near the golden section, and without a common divisor: the circle meets every case.
        let start = (all * 618).div_ceil(1000);
        let step = (start..)
            .find(|step| divisor(*step, all) == 1)
            .expect("one below 2 all");
        Sweep {
            few,
            all,
            step,
            seen: 0,
        }
    }

    /// Returns true if the test leaves out the next case. Call it once for each case.
    pub fn skips(&mut self) -> bool {
        let case = self.seen;
        self.seen += 1;
        !(0..self.few).any(|number| number * self.step % self.all == case)
    }
}

impl Drop for Sweep {
    fn drop(&mut self) {
        // Without a device no case is reached.
        let is_whole = self.seen == 0 || self.seen == self.all;
        assert!(
            is_whole || std::thread::panicking(),
            "{} cases, not {}",
            self.seen,
            self.all
        );
    }
}

/// The greatest common divisor.
fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[test]
fn sweeps_have_as_many_cases_as_asked_for() {
    for all in 1..70 {
        for few in 1..=all {
            let mut sweep = Sweep::new(few, all);
            let runs = (0..all).filter(|_| !sweep.skips()).count();
            assert_eq!(runs, few, "of {all}");
        }
    }
}

#[test]
fn sweeps_reach_every_value_of_inner_loops() {
    let mut sweep = Sweep::new(12, 42);
    let cases: Vec<usize> = (0..42).filter(|_| !sweep.skips()).collect();
    for (inner, length) in [(1, 3), (3, 2)] {
        for value in 0..length {
            assert!(
                cases.iter().any(|case| case / inner % length == value),
                "{cases:?}"
            );
        }
    }
}

#[test]
#[should_panic(expected = "2 cases, not 3")]
fn control_sweep_of_another_length_is_detected() {
    let mut sweep = Sweep::new(1, 3);
    sweep.skips();
    sweep.skips();
}

/// Modules in a directory of tests that have sweeps.
fn modules_with_sweeps(directory: &std::path::Path, path: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap().path();
        let name = entry.file_stem().unwrap().to_str().unwrap();
        let path = if name == "mod" {
            path.to_string()
        } else {
            format!("{path}::{name}")
        };
        if entry.is_dir() {
            modules_with_sweeps(&entry, &path, found);
        } else if std::fs::read_to_string(&entry).is_ok_and(|text| text.contains("common::sweep(")) {
            found.push(path);
        }
    }
}

#[test]
fn testing_page_names_every_module_with_sweeps() {
    let root = std::path::Path::new(crate::ROOT);
    let page = std::fs::read_to_string(root.join("docs/testing.md")).unwrap();
    let mut modules = Vec::new();
    modules_with_sweeps(&root.join("tests/engine"), "engine", &mut modules);
    assert!(modules.len() > 10, "{modules:?}");
    modules.retain(|module| !page.contains(&format!("`{module}`")));
    assert!(modules.is_empty(), "not in docs/testing.md: {modules:?}");
}
