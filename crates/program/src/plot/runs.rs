//! Which runs have which series, and what tells the runs apart.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use sastrugi::{Problem, Value};

use super::table::{self, Table};

/// Runs of a batch lie at most this deep: directory, pipeline, case.
const MAX_DEPTH: usize = 3;

/// A run with one of its series.
pub(super) struct Run {
    pub directory: PathBuf,
    pub table: Table,
}

/// The runs of each series, by its file's name.
pub(super) fn find(from: &[PathBuf]) -> Result<BTreeMap<String, Vec<Run>>, Problem> {
    let mut series: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    let mut empty = None;
    for path in from {
        let mut files = Vec::new();
        if path.is_dir() {
            collect(path, 0, &mut files).map_err(|error| {
                Problem::without_place(format!("cannot read {}: {error}", path.display()))
            })?;
        } else {
            files.push(path.clone());
        }
        let mut any = false;
        for file in files {
            let Some(table) = table::read(&file)? else {
                continue;
            };
            any = true;
            let (Some(directory), Some(name)) = (file.parent(), file.file_name()) else {
                continue;
            };
            if table.time.is_empty() {
                empty.get_or_insert(file);
                continue;
            }
            let runs = series.entry(name.to_string_lossy().into_owned()).or_default();
            if !runs.iter().any(|run| run.directory == directory) {
                let directory = directory.to_path_buf();
                runs.push(Run { directory, table });
            }
        }
        if !any {
            let message = format!("{} has no series", path.display());
            let help = "a series is an output with `values` (see docs/measures.md): DIR is where such a run wrote, or a sweep";
            return Err(Problem::without_place(message).help(help));
        }
    }
    if let (true, Some(file)) = (series.is_empty(), empty) {
        let message = format!("{} has no lines yet", file.display());
        return Err(Problem::without_place(message).help("wait for the first frame of the run"));
    }
    for runs in series.values_mut() {
        runs.sort_by(|a, b| natural(&a.directory.to_string_lossy(), &b.directory.to_string_lossy()));
    }
    Ok(series)
}

/// Files that may be series, in a directory and those below it.
fn collect(directory: &Path, depth: usize, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let kind = entry.file_type()?;
        if kind.is_dir() && !hidden && depth < MAX_DEPTH {
            collect(&path, depth + 1, found)?;
        }
        let ends = path.extension().is_some_and(|end| end == "csv" || end == "jsonl");
        if kind.is_file() && ends && !hidden {
            found.push(path);
        }
    }
    Ok(())
}

/// Natural order: `x=5` is before `x=10`.
fn natural(a: &str, b: &str) -> Ordering {
    let parts = |text: &str| -> Vec<String> { text.split(['=', ',', '/', '_']).map(String::from).collect() };
    let (a, b) = (parts(a), parts(b));
    for (a, b) in a.iter().zip(&b) {
        let order = match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(x), Ok(y)) => x.total_cmp(&y),
            _ => a.cmp(b),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

/// Label of each run in the legend: the parameters that a sweep varied, else the parts of the paths that differ. Empty
/// for a single run.
pub(super) fn labels(runs: &[Run]) -> Vec<String> {
    if runs.len() < 2 {
        return vec![String::new(); runs.len()];
    }
    let directories: Vec<&Path> = runs.iter().map(|run| run.directory.as_path()).collect();
    varied(&directories).unwrap_or_else(|| different(&directories))
}

/// The assignments that differ between directories with names such as `wind.period=5,seed=1`.
fn varied(directories: &[&Path]) -> Option<Vec<String>> {
    let cases = directories.iter().map(|directory| assignments(directory));
    let cases = cases.collect::<Option<Vec<_>>>()?;
    let keys = |case: &[(String, String)]| case.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    if cases.iter().any(|case| keys(case) != keys(&cases[0])) {
        return None;
    }
    let varies = |number: usize| cases.iter().any(|case| case[number] != cases[0][number]);
    let label = |case: &Vec<(String, String)>| {
        let kept = case.iter().enumerate().filter(|(number, _)| varies(*number));
        let texts: Vec<String> = kept.map(|(_, (key, value))| format!("{key} = {value}")).collect();
        texts.join(", ")
    };
    let labels: Vec<String> = cases.iter().map(label).collect();
    let distinct: HashSet<&String> = labels.iter().collect();
    (distinct.len() == labels.len()).then_some(labels)
}

/// The assignments in a directory's name, with their values as the run records them.
pub(super) fn assignments(directory: &Path) -> Option<Vec<(String, String)>> {
    written(directory, of_name(directory)?)
}

/// The assignments in a directory's name. A value may hold commas: `size=_64,32_`.
fn of_name(directory: &Path) -> Option<Vec<(String, String)>> {
    let mut found: Vec<(String, String)> = Vec::new();
    for part in directory.file_name()?.to_str()?.split(',') {
        match part.split_once('=') {
            Some((key, value)) => found.push((key.into(), value.into())),
            None => found.last_mut()?.1.push_str(&format!(",{part}")),
        }
    }
    Some(found)
}

/// The assignments with their values as the runs record them: names of directories have `_` for `/` and other characters.
fn written(directory: &Path, mut found: Vec<(String, String)>) -> Option<Vec<(String, String)>> {
    if found.iter().all(|(_, value)| !value.contains('_')) {
        return Some(found);
    }
    let resolved = std::fs::read(directory.join("resolved.json")).unwrap_or_default();
    let resolved: Value = serde_json::from_slice(&resolved).unwrap_or_default();
    for (path, value) in &mut found {
        let own = [resolved.clone(), resolved["parameters"].clone()];
        let values = own
            .iter()
            .filter_map(|from| from.pointer(&format!("/{}", path.replace('.', "/"))));
        let texts = values.map(|value| match value.get("value").unwrap_or(value) {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        });
        let is_same = |text: &String| {
            let same = |(a, b): (char, char)| a == b || b == '_';
            text.chars().count() == value.chars().count() && text.chars().zip(value.chars()).all(same)
        };
        if let Some(text) = texts.into_iter().find(is_same) {
            *value = text;
        }
    }
    Some(found)
}

/// The paths without their common components.
fn different(directories: &[&Path]) -> Vec<String> {
    let parts = |path: &Path| -> Vec<String> {
        let texts = path
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned());
        texts.collect()
    };
    let all: Vec<Vec<String>> = directories.iter().map(|path| parts(path)).collect();
    let shortest = all.iter().map(Vec::len).min().unwrap_or(0);
    let same = |at: &usize| all.iter().all(|path| path[*at] == all[0][*at]);
    let common = (0..shortest).take_while(same).count();
    let label = |path: &Vec<String>| match path[common..].join("/") {
        rest if rest.is_empty() => ".".into(),
        rest => rest,
    };
    all.iter().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(directories: &[&str]) -> Vec<String> {
        let run = |directory: &&str| Run {
            directory: directory.into(),
            table: Table::default(),
        };
        labels(&directories.iter().map(run).collect::<Vec<_>>())
    }

    #[test]
    fn run_labels_show_only_differing_parameters() {
        assert_eq!(of(&["out/a/x=1,y=2"]), [""]);
        assert_eq!(of(&["out/a/x=1,y=2", "out/a/x=3,y=2"]), ["x = 1", "x = 3"]);
        assert_eq!(
            of(&["a/n=_6,4_,y=2", "a/n=_6,5_,y=2"]),
            ["n = _6,4_", "n = _6,5_"]
        );
        assert_eq!(of(&["out/a/x=1", "out/b/x=1"]), ["a/x=1", "b/x=1"]);
        assert_eq!(of(&["out/x=1", "out/y=1"]), ["x=1", "y=1"]);
        assert_eq!(of(&["out/first", "out/second"]), ["first", "second"]);
        assert_eq!(of(&["out", "out/second"]), [".", "second"]);
    }

    #[test]
    fn run_labels_show_values_as_they_were_written() {
        let root = tempfile::tempdir().unwrap();
        let paths: Vec<String> = ["1/32", "1/64"]
            .iter()
            .map(|dt| {
                let path = root
                    .path()
                    .join(format!("run.dt={},n=_4,4_", dt.replace('/', "_")));
                std::fs::create_dir(&path).unwrap();
                let resolved = format!("{{\"run\": {{\"dt\": \"{dt}\"}}}}");
                std::fs::write(path.join("resolved.json"), resolved).unwrap();
                path.to_str().unwrap().to_string()
            })
            .collect();
        assert_eq!(of(&[&paths[0], &paths[1]]), ["run.dt = 1/32", "run.dt = 1/64"]);
    }

    #[test]
    fn runs_are_ordered_by_their_numbers() {
        let mut names = ["x=10", "x=5", "x=0.5", "y=1"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["x=0.5", "x=5", "x=10", "y=1"]);
    }
}
