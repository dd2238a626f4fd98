//! The program as a person uses it: exit codes, messages, the files it writes.

mod bench;
mod checked;
mod continued;
mod directories;
mod early;
mod files;
mod fmt;
mod graph;
mod hang;
mod inputs;
mod interrupt;
mod limits;
mod plot;
mod resumed;
mod runs;
mod shipped;
mod site;
mod sparse;
mod streams;
mod swap;
mod terrain;
mod unfinished;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const TINY: &str = "tests/data/tiny.json";

/// The program, started where the project lies, with nothing of the caller's settings.
fn sastrugi() -> Command {
    let mut command = crate::start();
    command.current_dir(crate::ROOT).env("NO_COLOR", "1");
    command
}

/// Result of a run.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn of(output: Output) -> Ran {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text in UTF-8");
        Ran {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    #[track_caller]
    fn exits(self, code: i32) -> Ran {
        assert_eq!(
            self.code,
            Some(code),
            "\nstdout:\n{}\nstderr:\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Both streams with line breaks and frames of messages taken out, so that wrapping hides no words.
    fn text(&self) -> String {
        let both = format!("{}\n{}", self.stdout, self.stderr);
        let plain = both.replace(|c: char| "│╭╰─×╯╮|".contains(c), " ");
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn says(self, words: &[&str]) -> Ran {
        let text = self.text();
        for word in words {
            assert!(
                text.contains(word),
                "`{word}` is missing in:\n{}\n{}",
                self.stdout,
                self.stderr
            );
        }
        self
    }
}

fn run(arguments: &[&str]) -> Ran {
    Ran::of(sastrugi().args(arguments).output().expect("the program starts"))
}

/// `sastrugi run <spec> --out <directory> --quiet --validation` and more arguments: a message of the validation
/// layer fails the run.
fn run_into(directory: &Path, spec: &str, more: &[&str]) -> Ran {
    let out = directory.to_str().expect("a path in UTF-8");
    run(&[&["run", spec, "--out", out, "--quiet", "--validation"], more].concat())
}

/// Every file below a directory by its relative path, hidden ones too.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(
                files(&entry.path())
                    .into_iter()
                    .map(|(path, data)| (format!("{name}/{path}"), data)),
            );
        } else {
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    found
}

/// The frames among [`files`]: what must not depend on when or where a run took place.
fn frames(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let frame = |path: &String| path.ends_with(".png") || path.ends_with(".npy");
    files(directory)
        .into_iter()
        .filter(|(path, _)| frame(path))
        .collect()
}

/// Names of the frames that differ between two runs, or that only one has.
fn differing(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
    names
        .into_iter()
        .filter(|name| a.get(*name) != b.get(*name))
        .cloned()
        .collect()
}

fn manifest(directory: &Path) -> Value {
    let text = fs::read_to_string(directory.join("manifest.json")).expect("a manifest");
    serde_json::from_str(&text).expect("a manifest that reads back")
}

fn npy(data: &[u8]) -> npyz::NpyFile<&[u8]> {
    npyz::NpyFile::new(data).expect("a whole npy header")
}

/// Fails when a frame is cut off or damaged.
#[track_caller]
fn assert_whole(frames: &BTreeMap<String, Vec<u8>>) {
    for (name, data) in frames {
        assert!(is_whole(name, data), "{name} is not whole");
    }
}

fn is_whole(name: &str, data: &[u8]) -> bool {
    if name.ends_with(".png") {
        let Ok(mut reader) = png::Decoder::new(std::io::Cursor::new(data)).read_info() else {
            return false;
        };
        let mut pixels = vec![0; reader.output_buffer_size().unwrap_or(0)];
        return reader.next_frame(&mut pixels).is_ok() && reader.finish().is_ok();
    }
    match npyz::NpyFile::new(data) {
        Ok(npy) => {
            let elements: u64 = npy.shape().iter().product();
            let bytes = elements as usize * npy.dtype().num_bytes().unwrap_or(usize::MAX);
            let header = 10 + u16::from_le_bytes([data[8], data[9]]) as usize;
            data.len() == header + bytes
        }
        Err(_) => false,
    }
}

#[test]
fn control_damaged_frames_are_detected() {
    let directory = tempfile::tempdir().unwrap();
    run_into(directory.path(), TINY, &["--frames", "1"]).exits(0);
    let frames = frames(directory.path());
    assert!(!frames.is_empty());
    for (name, data) in &frames {
        assert!(is_whole(name, data), "{name}");
        for length in [0, 9, data.len() / 2, data.len() - 1] {
            assert!(!is_whole(name, &data[..length]), "{name} cut to {length} bytes");
        }
    }
    let mut other = frames.clone();
    other.get_mut("view.0001.png").unwrap()[60] ^= 1;
    other.remove("heat.0001.npy");
    assert_eq!(differing(&frames, &frames), [""; 0]);
    assert_eq!(differing(&frames, &other), ["heat.0001.npy", "view.0001.png"]);
}
