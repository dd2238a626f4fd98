//! States, checkpoints and resumed runs: a run that goes on from a checkpoint makes the same bytes as one that was
//! never interrupted.

mod killed;
mod levels;
mod refused;
mod watched;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use super::device;

const TINY: &str = "tests/data/tiny.json";

/// The program, started where the project lies.
fn sastrugi(arguments: &[&str]) -> Command {
    let mut command = crate::start();
    command
        .current_dir(crate::ROOT)
        .env("NO_COLOR", "1")
        .args(arguments);
    command
}

#[track_caller]
fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {text}", output.status);
    output
}

/// The frames of a run under their final names; settings and checkpoints apart.
fn frames(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    let files = entries.map(|entry| entry.unwrap().path());
    let frames = files.filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        path.is_file() && !name.starts_with('.') && path.extension().is_some_and(|e| e != "json")
    });
    frames
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

fn checkpoints(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory.join("checkpoints"))
        .into_iter()
        .flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}
