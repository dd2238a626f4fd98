//! Pipeline files that chance has damaged: reading, checking and planning them ends soon, in little memory, without
//! a panic. No shader is compiled; of other files only PNG headers and `extends` bases are read.
//!
//! SASTRUGI_FUZZ_CASES sets the number of cases (default 500, in long tests 2,000), half of them damaged texts, half
//! damaged values.

mod bytes;
mod damage;
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

use damage::{damage_text, damage_value};

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
        text.chars().take(2_000).collect::<String>()
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

/// Runs cases; `damaged` makes a text of a sample and random numbers.
fn fuzz(name: &str, cases: u32, damaged: impl Fn(&Sample, &mut Dice) -> String) {
    let config = ProptestConfig {
        cases,
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
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name}: {cases} cases in {seconds:.1} s, {:.3} ms each; {} still good",
        1e3 * seconds / f64::from(cases),
        good.get()
    );
}

fn fuzz_values(cases: u32) {
    fuzz("values", cases, |sample, dice| {
        let mut value = sample.value.clone().unwrap_or(Value::Null);
        let times = 1 + dice.below(3);
        (0..times).for_each(|_| damage_value(&mut value, dice));
        value.to_string()
    });
}

fn fuzz_texts(cases: u32) {
    fuzz("texts", cases, |sample, dice| {
        let mut text = sample.text.clone().into_bytes();
        let times = 1 + dice.below(4);
        (0..times).for_each(|_| damage_text(&mut text, dice));
        String::from_utf8_lossy(&text).into_owned()
    });
}

#[test]
fn damaged_values_are_read_or_refused_cheaply() {
    fuzz_values(cases(500) / 10);
}

#[test]
#[ignore = "long: 1,000 cases"]
fn many_damaged_values_are_read_or_refused_cheaply() {
    fuzz_values(cases(2000) / 2);
}

#[test]
fn damaged_texts_are_read_or_refused_cheaply() {
    fuzz_texts(cases(500) / 10);
}

#[test]
#[ignore = "long: 1,000 cases"]
fn many_damaged_texts_are_read_or_refused_cheaply() {
    fuzz_texts(cases(2000) / 2);
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
    let many = format!("{{{}}}", members(3_000, &|i| format!(r#""k{i}": 1"#)));
    let said = take(&many, here).unwrap_err();
    assert!(
        said.contains("`k48`") && said.contains("and 2951 more problems"),
        "{said}"
    );
    // The check of the checks: a good file is good, and the counting sees an allocation.
    assert_eq!(take(&pipeline(&format!(r#""step": [{stage}]"#)), here), Ok(()));
    let before = HELD.get();
    let held = std::hint::black_box(vec![0u8; 1 << 20]);
    assert!(HELD.get() - before >= 1 << 20);
    drop(held);
}
