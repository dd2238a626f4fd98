//! Logs of the values that a user changes while a pipeline runs, from which a run repeats the changes.
//!
//! A log is a text of JSON objects, one per line. The first one has the values that were set at the start; each other one
//! has values that changed between two steps:
//!
//! ```text
//! {"pipeline": "Stable fluids in Fourier space", "set": ["n=256"]}
//! {"step": 40, "set": {"brush.at": "[0.25, 0.5]", "brush.held": "1"}}
//! {"step": 96, "files": "changed"}
//! ```

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::input_file;
use crate::problem::{Problem, Problems};

/// Largest log that is read.
const MAX_LOG_BYTES: u64 = 1 << 30;

/// The values that were set before the first step.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LogHeader {
    pipeline: String,
    set: Vec<String>,
}

/// The changes after a number of steps.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LogEntry {
    step: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    set: BTreeMap<String, String>,
    /// The pipeline's files were edited, which no log can repeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    files: Option<String>,
}

/// Writes a log of changes. Every line is written at once, so that a log is complete whatever happens later.
#[derive(Debug)]
pub struct ChangeWriter {
    file: File,
    path: PathBuf,
}

impl ChangeWriter {
    /// Replaces the log of an earlier run. `set` are the values that were set before the first step. Errors are sentences.
    pub fn create(path: PathBuf, title: &str, set: &[String]) -> Result<ChangeWriter, String> {
        let created = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let file = created.and_then(|()| File::create(&path));
        let file = file.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        let mut writer = ChangeWriter { file, path };
        writer.line(&LogHeader {
            pipeline: title.into(),
            set: set.to_vec(),
        })?;
        Ok(writer)
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Logs values that changed after so many steps, by path.
    pub fn values(&mut self, step: u64, values: &[(String, String)]) -> Result<(), String> {
        let (set, files) = (values.iter().cloned().collect(), None);
        self.line(&LogEntry { step, set, files })
    }

    /// Logs that files of the pipeline changed after so many steps.
    pub fn files(&mut self, step: u64) -> Result<(), String> {
        let (set, files) = (BTreeMap::new(), Some("changed".into()));
        self.line(&LogEntry { step, set, files })
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), String> {
        let failed = |error: String| format!("cannot write {}: {error}", self.path.display());
        let text = serde_json::to_string(value).map_err(|error| failed(error.to_string()))?;
        let written = self.file.write_all(format!("{text}\n").as_bytes());
        written.map_err(|error| failed(error.to_string()))
    }
}

/// A log of changes that was read, to be repeated by [`Run::replay`](crate::Run::replay).
#[derive(Debug)]
pub struct Changes {
    /// The title of the pipeline.
    pub pipeline: String,
    /// The values that were set before the first step, as [`Builder::set`](crate::Builder::set) takes them.
    pub overrides: Vec<String>,
    entries: Vec<LogEntry>,
}

impl Changes {
    /// Reads a log that a window wrote.
    pub fn read(path: &Path) -> Result<Changes, Problems> {
        let name = path.display();
        let text = input_file::read_text(path, MAX_LOG_BYTES)
            .map_err(|error| Problem::without_place(format!("cannot read {name}: {error}")))?;
        let refuse = |line: usize, error: serde_json::Error| {
            Problem::without_place(format!(
                "{name}, line {line} is not an entry of a change log: {error}"
            ))
            .help("`sastrugi view` writes such logs: input.jsonl in the directory of its files")
        };
        let mut lines = text.lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line);
        let header: LogHeader = serde_json::from_str(header).map_err(|error| refuse(1, error))?;
        let mut entries: Vec<LogEntry> = Vec::new();
        for (number, line) in lines {
            let entry: LogEntry = serde_json::from_str(line).map_err(|error| refuse(number + 1, error))?;
            if entries.last().is_some_and(|last| last.step > entry.step) {
                let message = format!("{name}, line {}: step {} is out of order", number + 1, entry.step);
                return Err(Problem::without_place(message)
                    .help("steps must not decrease from line to line")
                    .into());
            }
            entries.push(entry);
        }
        Ok(Changes {
            pipeline: header.pipeline,
            overrides: header.set,
            entries,
        })
    }

    /// The first step after which files were edited.
    pub fn files_changed(&self) -> Option<u64> {
        let mut edited = self.entries.iter().filter(|entry| entry.files.is_some());
        edited.next().map(|entry| entry.step)
    }

    /// The number of changes of values after a step or a later one.
    pub fn count_from(&self, step: u64) -> usize {
        let late = self.entries.iter().filter(|entry| entry.step >= step);
        late.filter(|entry| !entry.set.is_empty()).count()
    }

    /// All values that were set up to a step, as [`Builder::set`](crate::Builder::set) takes them, if some were set after
    /// `since`.
    pub fn up_to(&self, step: u64, since: Option<u64>) -> Option<Vec<String>> {
        let past = self.entries.iter().filter(|entry| entry.step <= step);
        let mut values: BTreeMap<&String, &String> = BTreeMap::new();
        let mut new = false;
        for entry in past {
            new |= since.is_none_or(|since| entry.step > since) && !entry.set.is_empty();
            values.extend(&entry.set);
        }
        let text = |(path, value): (&String, &String)| format!("{path}={value}");
        new.then(|| values.into_iter().map(text).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(lines: &str) -> Result<Changes, Problems> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("input.jsonl");
        std::fs::write(&path, lines).unwrap();
        Changes::read(&path)
    }

    #[test]
    fn change_log_round_trips() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/input.jsonl");
        let mut writer = ChangeWriter::create(path.clone(), "A title", &["n=4".into()]).unwrap();
        let value = |name: &str, value: &str| vec![(name.to_string(), value.to_string())];
        writer.values(2, &value("a", "1")).unwrap();
        writer.values(5, &value("a", "[1, 2]")).unwrap();
        writer.values(5, &value("b", "3")).unwrap();
        writer.files(6).unwrap();
        let changes = Changes::read(&path).unwrap();
        assert_eq!(changes.overrides, ["n=4"]);
        assert_eq!(changes.pipeline, "A title");
        assert_eq!([0, 5, 6].map(|step| changes.count_from(step)), [3, 2, 0]);
        assert_eq!(changes.files_changed(), Some(6));
        assert_eq!(changes.up_to(1, None), None);
        assert_eq!(changes.up_to(2, Some(1)), Some(vec!["a=1".to_string()]));
        assert_eq!(changes.up_to(4, Some(2)), None);
        let last = Some(vec!["a=[1, 2]".to_string(), "b=3".to_string()]);
        assert_eq!(changes.up_to(5, Some(4)), last);
        assert_eq!(changes.up_to(9, Some(6)), None);
        assert_eq!(changes.up_to(9, None), last);
    }

    #[test]
    fn damaged_change_logs_are_refused_with_the_line() {
        let text = |lines| log(lines).unwrap_err().list[0].message.clone();
        assert!(text("").contains("line 1"));
        assert!(text("{\"pipeline\": \"a\", \"set\": []}\n{\"stop\": 3}").contains("line 2"));
        let late = "{\"pipeline\": \"a\", \"set\": []}\n{\"step\": 3}\n{\"step\": 2}";
        assert!(text(late).contains("line 3: step 2 is out of order"));
    }
}
