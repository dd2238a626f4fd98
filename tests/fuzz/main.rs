//! Pipeline files that chance has damaged: reading, checking and planning them ends soon, in little memory, without
//! a panic. No shader is compiled; of other files only PNG headers and `extends` bases are read.
//!
//! SASTRUGI_FUZZ_CASES sets the number of cases (default 2,000), half of them damaged texts, half damaged values.

mod bytes;
/// The program's display of problems, for whatever these tests find.
#[path = "../../crates/program/src/problems.rs"]
mod display;
#[path = "../../crates/program/src/terminal.rs"]
mod terminal;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};
use sastrugi::plan;
use sastrugi::spec::{self, Document};
use serde_json::{Map, Value};

/// Longest time for one case: far above any, below what a person would call a hang.
const MAX_TIME: Duration = Duration::from_secs(60);
/// Maximum number of bytes that one case may hold at a time.
const MAX_BYTES: isize = 256 << 20;

/// The system's allocator, which counts per thread what is held.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let held = HELD.get() + bytes;
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
}

// SAFETY: every call goes to the system's allocator unchanged; the counters allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A file to damage.
struct Sample {
    directory: PathBuf,
    text: String,
    value: Option<Value>,
}

/// The shipped pipelines and the broken ones.
static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut samples = Vec::new();
    for directory in [
        "pipelines",
        "tests/data",
        "tests/data/race",
        "tests/data/bad_specs",
        "crates/program/src/new",
    ] {
        let directory = root.join(directory);
        let mut paths: Vec<PathBuf> = (std::fs::read_dir(&directory).unwrap())
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        paths.sort();
        for path in paths {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            samples.push(Sample {
                directory: directory.clone(),
                text,
                value: Document::read(&path).ok().map(|document| document.value()),
            });
        }
    }
    samples
});

/// Random choices, from the numbers that proptest draws and shrinks.
struct Dice<'a> {
    numbers: &'a [u32],
    used: usize,
}

impl Dice<'_> {
    fn below(&mut self, limit: usize) -> usize {
        let number = self.numbers.get(self.used).copied().unwrap_or(0);
        self.used += 1;
        number as usize % limit.max(1)
    }

    fn pick<'b, T>(&mut self, list: &'b [T]) -> &'b T {
        &list[self.below(list.len())]
    }
}

const NUMBERS: [f64; 16] = [
    0.0,
    -1.0,
    1.0,
    2.0,
    0.5,
    -0.0,
    1e308,
    -1e308,
    1e-300,
    255.0,
    65_536.0,
    2_147_483_648.0,
    4_294_967_295.0,
    4_294_967_296.0,
    9_007_199_254_740_993.0,
    1_099_511_627_777.0,
];

const TEXTS: [&str; 40] = [
    "",
    " ",
    ".",
    "a",
    "air",
    "air.nx",
    "dt",
    "box",
    "box.heat",
    "box.columns",
    "0",
    "1e999",
    "1/0",
    "-1",
    "2*",
    "((((((((",
    "))))",
    "{",
    "}",
    "{}",
    "a.b.c",
    "..",
    "a..b",
    "1.2.3",
    "1e",
    "1e+",
    "sin",
    "sin(",
    "max(1,2)",
    "PI",
    "ß∂√π",
    "\u{0}",
    "/",
    "~",
    "~1",
    "/dev/zero",
    "/dev/stdin",
    "../../../../../../etc/hostname",
    "bases/good.json",
    "float",
];

const KEYS: [&str; 16] = [
    "extends", "file", "cells", "count", "ring", "over", "repeat", "stages", "every", "tuning", "set",
    "values", "length", "a/b", "~0", "type",
];

/// The value at a place counted in depth-first order, and the number of places.
fn place<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| place(item, left)),
        Value::Object(members) => members.values_mut().find_map(|item| place(item, left)),
        _ => None,
    }
}

fn places(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(places).sum(),
        Value::Object(members) => members.values().map(places).sum(),
        _ => 0,
    }
}

fn leaf(dice: &mut Dice) -> Value {
    match dice.below(6) {
        0 => Value::Null,
        1 => Value::Bool(dice.below(2) == 0),
        2 | 3 => Value::from(*dice.pick(&NUMBERS)),
        _ => Value::from(*dice.pick(&TEXTS)),
    }
}

/// Deletes, doubles, replaces, inserts, renames or swaps something somewhere.
fn damage_value(root: &mut Value, dice: &mut Dice) {
    let count = places(root);
    let mut from = dice.below(count);
    let other = place(&mut root.clone(), &mut from).map(|value| value.clone());
    let mut at = dice.below(count);
    let Some(value) = place(root, &mut at) else { return };
    let kind = dice.below(8);
    match (kind, value) {
        (0, Value::Array(items)) if !items.is_empty() => drop(items.remove(dice.below(items.len()))),
        (1, Value::Array(items)) if !items.is_empty() => {
            let item = items[dice.below(items.len())].clone();
            let times = [1, 1, 1, 2, 30][dice.below(5)];
            (0..times).for_each(|_| items.push(item.clone()));
        }
        (2, Value::Array(items)) if !items.is_empty() => {
            let (a, b) = (dice.below(items.len()), dice.below(items.len()));
            items.swap(a, b);
        }
        (3, Value::Array(items)) => items.push(other.unwrap_or_else(|| leaf(dice))),
        (0, Value::Object(members)) if !members.is_empty() => {
            let key = members
                .keys()
                .nth(dice.below(members.len()))
                .cloned()
                .unwrap_or_default();
            members.shift_remove(&key);
        }
        // Renames a key: to that of a neighbour, to a known one, or by a letter.
        (1 | 2, Value::Object(members)) if !members.is_empty() => {
            let number = dice.below(members.len());
            let mut renamed = Map::new();
            for (i, (key, value)) in std::mem::take(members).into_iter().enumerate() {
                let name = match (i == number, dice.below(3)) {
                    (false, _) => key,
                    (true, 0) => format!("{key}x"),
                    (true, 1) => (*dice.pick(&KEYS)).to_string(),
                    _ => key.chars().skip(1).collect(),
                };
                renamed.insert(name, value);
            }
            *members = renamed;
        }
        (3, Value::Object(members)) => {
            let key = *dice.pick(&KEYS);
            members.insert(key.to_string(), other.unwrap_or_else(|| leaf(dice)));
        }
        (4, Value::String(text)) => {
            let cut = (0..=dice.below(text.len() + 1))
                .rev()
                .find(|i| text.is_char_boundary(*i));
            let piece = *dice.pick::<&str>(&TEXTS);
            text.insert_str(cut.unwrap_or(0), piece);
        }
        (4, value) => *value = Value::Array(vec![value.take()]),
        (5, value) => *value = other.unwrap_or(Value::Null),
        (_, value) => *value = leaf(dice),
    }
}

fn damage_text(text: &mut Vec<u8>, dice: &mut Dice) {
    let length = text.len();
    let at = dice.below(length + 1);
    let span = |dice: &mut Dice| at.min(length)..(at + 1 + dice.below(40)).min(length).max(at);
    match dice.below(6) {
        0 if length > 0 => text[at.min(length - 1)] ^= 1 << dice.below(8),
        1 => drop(text.drain(span(dice))),
        2 => {
            let part = text[span(dice)].to_vec();
            let to = dice.below(length + 1);
            text.splice(to..to, part);
        }
        3 => drop(text.splice(at..at, [*dice.pick(b"{}[],:\"\\/*-+.eE09 \n\xff\xc3")])),
        4 => drop(text.splice(at..at, dice.pick(&TEXTS).bytes())),
        _ => text.truncate(at),
    }
}

/// Result of reading, checking and planning a text. Panics if it takes too long or too much memory.
fn take(text: &str, directory: &Path) -> Result<(), String> {
    PEAK.set(HELD.get());
    let (before, start) = (HELD.get(), Instant::now());
    let outcome = Document::parse("fuzz.json", text, directory).and_then(|document| {
        let (pipeline, _) = spec::from_document("fuzz", &document, &Default::default())?;
        // `check` reports what cannot be planned; nothing here may panic.
        plan::plan(&pipeline).map_err(|cause| sastrugi::problem::Problem::without_place(cause).into())
    });
    let outcome = outcome.map(drop).map_err(|problems| {
        assert!(!problems.is_empty(), "refused without a reason");
        for problem in &problems.list {
            assert!(
                !problem.message.is_empty() && problem.help.is_some(),
                "no remedy: {problem:?}"
            );
        }
        display::render(&problems, false)
    });
    let (taken, bytes) = (start.elapsed(), PEAK.get() - before);
    assert!(
        taken < MAX_TIME,
        "{taken:?}: {}",
        text.chars().take(20_000).collect::<String>()
    );
    assert!(bytes < MAX_BYTES, "{bytes} bytes for a text of {}", text.len());
    outcome
}

fn cases(default: u32) -> u32 {
    let set = std::env::var("SASTRUGI_FUZZ_CASES").ok();
    set.map_or(default, |text| {
        text.parse().expect("SASTRUGI_FUZZ_CASES is a number")
    })
}

/// Runs half of the cases; `damaged` makes a text of a sample and random numbers.
fn fuzz(name: &str, damaged: impl Fn(&Sample, &mut Dice) -> String) {
    let config = ProptestConfig {
        cases: cases(2000) / 2,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let (start, good) = (Instant::now(), Cell::new(0));
    let numbers = proptest::collection::vec(any::<u32>(), 1..24);
    // Good files, which come first, half of the time.
    let samples = prop_oneof![0..5usize, 0..SAMPLES.len()];
    let outcome = TestRunner::new(config).run(&(samples, numbers), |(number, numbers)| {
        let sample = &SAMPLES[number];
        let mut dice = Dice {
            numbers: &numbers,
            used: 0,
        };
        let text = damaged(sample, &mut dice);
        let taken = std::panic::catch_unwind(|| take(&text, &sample.directory));
        match taken {
            Ok(outcome) => good.set(good.get() + u32::from(outcome.is_ok())),
            Err(_) => return Err(TestCaseError::fail(text)),
        }
        Ok(())
    });
    if let Err(TestError::Fail(reason, _)) = outcome {
        panic!("this text makes it fail:\n{reason}");
    }
    let (cases, seconds) = (cases(2000) / 2, start.elapsed().as_secs_f64());
    println!(
        "{name}: {cases} cases in {seconds:.1} s, {:.3} ms each; {} still good",
        1e3 * seconds / f64::from(cases),
        good.get()
    );
}

#[test]
fn damaged_values_are_read_or_refused_cheaply() {
    fuzz("values", |sample, dice| {
        let mut value = sample.value.clone().unwrap_or(Value::Null);
        let times = 1 + dice.below(3);
        (0..times).for_each(|_| damage_value(&mut value, dice));
        value.to_string()
    });
}

#[test]
fn damaged_texts_are_read_or_refused_cheaply() {
    fuzz("texts", |sample, dice| {
        let mut text = sample.text.clone().into_bytes();
        let times = 1 + dice.below(4);
        (0..times).for_each(|_| damage_text(&mut text, dice));
        String::from_utf8_lossy(&text).into_owned()
    });
}

/// Whole files that would hang or fill memory if nothing kept them from it.
#[test]
fn hostile_files_are_refused_cheaply() {
    let here = Path::new("");
    let list = |item: &str, count: usize| vec![item; count].join(",");
    let pipeline = |rest: &str| format!(r#"{{"run": {{"dt": 1}}, {rest}}}"#);
    let stage = r#"{"stage": "s", "over": 1}"#;
    let mut empty_repeats = "[]".to_string();
    for name in ["a", "b", "c", "d", "e", "f"] {
        empty_repeats = format!(r#"[{{"repeat": "{name}", "over": 20000, "stages": {empty_repeats}}}]"#);
    }
    let members =
        |count: usize, member: &dyn Fn(usize) -> String| (0..count).map(member).collect::<Vec<_>>().join(",");
    let cases = [
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        format!(
            "{{\"parameters\": {}1{}}}",
            "{\"a\":".repeat(500),
            "}".repeat(500)
        ),
        pipeline(&format!(r#""step": {empty_repeats}"#)),
        pipeline(&format!(r#""step": [{}]"#, list(stage, 50_000))),
        pipeline(&format!(r#""step": [{}]"#, list("3", 90_000))),
        pipeline(&format!(
            r#""step": [], "buffers": {{{}}}"#,
            members(50_000, &|i| format!(
                r#""b{i}": {{"type": "float", "length": 1}}"#
            ))
        )),
        pipeline(&format!(
            r#""step": [{{"stage": "s", "over": 1, "arguments": {{{}}}}}]"#,
            members(50_000, &|i| format!(r#""a{i}": 1"#))
        )),
        pipeline(&format!(
            r#""step": [{{"stage": "s", "over": "{}"}}]"#,
            "(".repeat(100_000)
        )),
        pipeline(&format!(
            r#""step": [{{"stage": "s", "over": "{}"}}]"#,
            "-".repeat(499)
        )),
        pipeline(&format!(
            r#""step": [], "parameters": {{{}}}"#,
            members(50_000, &|i| format!(r#""p{i}": "p{}""#, (i + 1) % 50_000))
        )),
        pipeline(&format!(r#""step": [{}]"#, list("3", 200_000))),
        " ".repeat(3 << 20),
        format!("{{{}}}", members(90_000, &|i| format!(r#""k{i}": 1"#))),
        pipeline(r#""step": [], "extends": "/dev/zero""#),
        pipeline(
            r#""step": [], "grids": {"h": {"channels": {"z": {"type": "float", "values": {
                "file": "/dev/zero", "metres_per_pixel": [1, 1], "metres_per_level": 1}}}}}"#,
        ),
        pipeline(r#""step": [{"stage": "s", "over": 1, "shader": "/dev/zero"}], "grids": {"g": {}}"#),
    ];
    for text in &cases {
        let outcome = take(text, here);
        assert!(outcome.is_err(), "{}", &text[..text.len().min(200)]);
    }
    // The check of the checks: a good file is good, and the counting sees an allocation.
    assert_eq!(take(&pipeline(&format!(r#""step": [{stage}]"#)), here), Ok(()));
    let before = HELD.get();
    let held = std::hint::black_box(vec![0u8; 1 << 20]);
    assert!(HELD.get() - before >= 1 << 20);
    drop(held);
}
