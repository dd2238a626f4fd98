//! Every format that outputs are written in, read back by programs that know nothing of this one: one small pipeline
//! with values that are easy to say, run by the program itself.

mod film;
mod grids;
mod guests;
mod maps;
mod mesh;
mod particles;
mod pictures;
mod recipes;
mod runs;
mod steps;
mod surfaces;
mod units;
mod usd;
mod volumes;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use serde_json::Value;

use super::device;

const PYTHON: &str = "/usr/bin/python3";
const FRAMES: u64 = 3;

/// The number of the last step before a frame.
fn step(frame: u64) -> f64 {
    (2 * frame - 1) as f64
}

/// Runs a pipeline of `tests/data/formats` into a directory; `None` where there is no device.
fn run(name: &str, more: &[&str]) -> Option<tempfile::TempDir> {
    device::is_here().then_some(())?;
    let out = tempfile::tempdir().unwrap();
    let path = format!("tests/data/formats/{name}.json");
    let output = program(&path, out.path(), more).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    Some(out)
}

/// One run for all readers.
#[test]
fn output_files_are_read_by_other_programs() {
    let Some(out) = run("formats", &[]) else { return };
    for part in [
        grids::arrays_of_grids_are_read_by_numpy,
        particles::bgeo_is_read_by_a_parser_of_its_layout,
        particles::ply_is_read_by_a_parser_of_its_layout,
        particles::arrays_of_lists_are_read_by_numpy,
        pictures::png_is_read_by_ffmpeg,
        pictures::exr_is_read_by_ffmpeg,
        pictures::exr_of_several_fields_is_read_by_a_parser_of_its_layout,
    ] {
        part(out.path());
    }
}

#[test]
#[ignore = "long: VTK and OpenVDB"]
fn output_files_are_read_by_vtk_and_openvdb() {
    let Some(out) = run("formats", &[]) else { return };
    for part in [
        grids::image_data_is_read_by_vtk,
        grids::volumes_are_read_by_openvdb,
        particles::ply_and_vtp_are_read_by_vtk,
    ] {
        part(out.path());
    }
}

fn program(spec: &str, out: &Path, more: &[&str]) -> Command {
    let mut command = crate::start();
    command
        .current_dir(crate::ROOT)
        .env("NO_COLOR", "1")
        .args(["run", spec, "--quiet", "--validation", "--out"])
        .arg(out)
        .args(more);
    command
}

/// True if a command works here; with the tests' requirements installed it must.
fn is_here(program: &str, arguments: &[&str]) -> bool {
    /// Commands that work.
    static KNOWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let command = format!("{program} {}", arguments.join(" "));
    if KNOWN.lock().unwrap().contains(&command) {
        return true;
    }
    let output = Command::new(program).args(arguments).output();
    let works = output.is_ok_and(|output| output.status.success());
    let required = std::env::var_os("SASTRUGI_REQUIRE_GPU").is_some();
    assert!(works || !required, "`{command}` does not work");
    if works {
        KNOWN.lock().unwrap().insert(command);
    } else {
        crate::skip(format_args!("`{command}` does not work here"));
    }
    works
}

/// A Python with a package that no system package has: that of the variable, or the first on the PATH. `None`, and a note,
/// where the package is missing.
fn python_with(package: &str, variable: &str) -> Option<String> {
    let python = std::env::var(variable).unwrap_or_else(|_| "python3".to_owned());
    let import = Command::new(&python)
        .args(["-c", &format!("import {package}")])
        .output();
    if import.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    crate::skip(format_args!("`{python}` has no package `{package}`"));
    None
}

fn has_module(module: &str) -> bool {
    is_here(PYTHON, &["-c", &format!("import {module}")])
}

/// Output of a reader of tests/data/readers for files.
fn read(reader: &str, files: &[PathBuf]) -> Result<Vec<Value>, String> {
    read_with(PYTHON, reader, files)
}

fn read_with(python: &str, reader: &str, files: &[PathBuf]) -> Result<Vec<Value>, String> {
    let script = Path::new(crate::ROOT).join("tests/data/readers").join(reader);
    let output = Command::new(python).arg(script).args(files).output().unwrap();
    if output.status.success() {
        Ok(serde_json::from_slice(&output.stdout).unwrap())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Path of the first difference between two values; numbers are compared as numbers.
fn difference(wanted: &Value, got: &Value) -> Option<String> {
    match (wanted, got) {
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(at, (a, b))| difference(a, b).map(|place| format!("[{at}]{place}"))),
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys());
            keys.map(|key| (key, a.get(key), b.get(key)))
                .find_map(|(key, a, b)| match (a, b) {
                    (Some(a), Some(b)) => difference(a, b).map(|place| format!(".{key}{place}")),
                    (a, _) => Some(format!(
                        ".{key} is {}",
                        if a.is_some() { "missing" } else { "too much" }
                    )),
                })
        }
        (a, b) if a == b => None,
        (a, b) => Some(format!(": {a} was wanted, {b} is there")),
    }
}

/// Reads all frames of an output and compares each with what it should hold. The control: another frame is told from
/// it, and so is a file in which one byte is another.
#[track_caller]
fn check(directory: &Path, reader: &str, name: &str, extension: &str, wanted: impl Fn(u64) -> Value) {
    let file = |frame: u64| directory.join(format!("{name}.{frame:04}.{extension}"));
    let files: Vec<PathBuf> = (1..=FRAMES).map(file).collect();
    let held = read(reader, &files).unwrap_or_else(|error| panic!("{name}: {error}"));
    for (frame, held) in (1..).zip(&held) {
        assert_eq!(difference(&wanted(frame), held), None, "{name}, frame {frame}");
        assert_ne!(difference(&wanted(frame + 1), held), None, "control: {name}");
    }
    // Near the end there are numbers in all formats; a compressed file breaks.
    let mut bytes = fs::read(file(1)).unwrap();
    let at = match extension {
        "npz" => bytes.len() / 2,
        "vdb" => bytes.len() - 64,
        "vti" | "vtp" => bytes.len() - 36,
        _ => bytes.len() - 5,
    };
    bytes[at] ^= 0x41;
    let tampered = directory.join(format!("tampered.{extension}"));
    fs::write(&tampered, bytes).unwrap();
    if let Ok(held) = read(reader, &[tampered]) {
        assert_ne!(
            difference(&wanted(1), &held[0]),
            None,
            "control: {name} with another byte"
        );
    }
}

/// The numbers of a lattice, x fastest.
fn lattice(sides: [i64; 3], value: impl Fn(i64, i64, i64) -> Vec<f64>) -> Vec<f64> {
    let cells = (0..sides[2]).flat_map(|z| (0..sides[1]).map(move |y| (y, z)));
    let cells = cells.flat_map(|(y, z)| (0..sides[0]).map(move |x| (x, y, z)));
    cells.flat_map(|(x, y, z)| value(x, y, z)).collect()
}

#[test]
fn control_differences_are_detected() {
    let value: Value = serde_json::from_str(r#"{"a": [1, 2.5, "x"], "b": {"c": 3}}"#).unwrap();
    assert_eq!(difference(&value, &value), None);
    for (other, place) in [
        (r#"{"a": [1, 2, "x"], "b": {"c": 3}}"#, ".a[1]: 2.5"),
        (r#"{"a": [1, 2.5], "b": {"c": 3}}"#, ".a: "),
        (r#"{"a": [1, 2.5, "x"], "b": {}}"#, ".b.c is missing"),
        (r#"{"a": [1, 2.5, "x"], "b": {"c": 3}, "d": 0}"#, ".d is too much"),
        (r#"{"a": [1, 2.5, "y"], "b": {"c": 3}}"#, ".a[2]: "),
    ] {
        let found = difference(&value, &serde_json::from_str(other).unwrap()).unwrap();
        assert!(found.contains(place), "{found}");
    }
    // Whole numbers and floats of the same value are the same.
    assert_eq!(difference(&Value::from(3), &Value::from(3.0)), None);
}
