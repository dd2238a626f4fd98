//! `docs/reliability.md`: the tests that it names exist.

use std::path::Path;

use super::markdown::page;

/// The texts of all files with tests.
fn sources(directory: &Path, texts: &mut String) {
    for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, texts);
        } else if path.extension().is_some_and(|end| end == "rs") {
            *texts += &std::fs::read_to_string(&path).unwrap();
        }
    }
}

#[test]
fn tests_named_in_reliability_exist() {
    let mut texts = String::new();
    for directory in ["src", "tests", "crates"] {
        sources(&Path::new(crate::ROOT).join(directory), &mut texts);
    }
    let page = page("reliability.md");
    // The last column of a table.
    let cells = page
        .lines()
        .filter_map(|line| line.strip_suffix('|')?.rsplit_once('|'));
    let names = cells.flat_map(|(_, cell)| cell.split('`').skip(1).step_by(2));
    let names: Vec<&str> = names.filter(|name| name.len() > 20).collect();
    assert!(names.len() > 25, "{names:?}");
    for name in names {
        assert!(
            texts.contains(&format!("fn {name}()")),
            "no test is called {name}"
        );
    }
}
