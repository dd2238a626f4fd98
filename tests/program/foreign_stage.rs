//! A stage in another language: `tests/data/slang/spread.slang`, compiled by `compile.py` next to it, written from
//! `docs/abi.md` alone. It does what `tests/data/tiny/spread.comp` does, bit for bit, checked mode included.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use super::device;

const TINY: &str = "tests/data/tiny.json";
const SLANG: &str = "tests/data/slang/spread.spv";

fn sastrugi(arguments: &[&str]) -> Output {
    crate::start()
        .args(arguments)
        .current_dir(crate::ROOT)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

fn stderr(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).replace(['│', '╰', '─', '▶', '×'], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The frames of a run of the small pipeline, under the validation layer.
fn frames(directory: &Path, more: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let out = directory.to_str().unwrap();
    let output = sastrugi(&[&["run", TINY, "--out", out, "--quiet", "--validation"], more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let entries = std::fs::read_dir(directory).unwrap().map(Result::unwrap);
    let frames: BTreeMap<String, Vec<u8>> = entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read(entry.path()).unwrap())
        })
        .filter(|(name, _)| !name.ends_with(".json"))
        .collect();
    assert!(frames.len() > 10);
    frames
}

#[test]
fn slang_and_glsl_give_equal_bytes() {
    if !device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let glsl = frames(&directory.path().join("glsl"), &[]);
    let slang = format!("spread={SLANG}");
    assert!(glsl == frames(&directory.path().join("slang"), &["--stage", &slang]));
    assert!(
        glsl == frames(
            &directory.path().join("checked"),
            &["--stage", &slang, "--checked"]
        )
    );
    // Other shapes than the defaults, so that workgroup size and march come from the engine.
    let shape = [
        "--set",
        r#"step.0.tuning={"workgroup":[4,2,2],"cells_per_thread_z":2}"#,
    ];
    let shaped = [&["--stage", slang.as_str(), "--checked"], &shape[..]].concat();
    assert!(glsl == frames(&directory.path().join("shaped"), &shaped));
    // Control: another stage gives other bytes.
    let other = ["--stage", "spread=tests/data/tiny/no_spread.comp"];
    assert!(glsl != frames(&directory.path().join("other"), &other));
}

#[test]
fn checked_mode_covers_slang() {
    if !device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let output = sastrugi(&[
        "run",
        TINY,
        "--quiet",
        "--checked",
        "--frames",
        "60",
        "--out",
        directory.path().to_str().unwrap(),
        "--stage",
        "spread=tests/data/slang/out_of_range.spv",
    ]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    for words in [
        "stage `spread` wrote `box.next`",
        "index (3, 2, 7)",
        "size (9, 7, 5)",
        "invocation (3, 2, ",
    ] {
        assert!(text.contains(words), "`{words}` is missing in: {text}");
    }
}

#[test]
fn check_accepts_slang_and_refuses_another_interface() {
    let shader = Path::new(crate::ROOT).join(SLANG);
    let shader = format!("step.0.shader={}", shader.display());
    let good = sastrugi(&["check", TINY, "--set", &shader]);
    assert!(good.status.success(), "{}", stderr(&good));
    let other = sastrugi(&[
        "check",
        TINY,
        "--set",
        &shader,
        "--set",
        "step.0.arguments.rate=[1,2]",
    ]);
    assert_eq!(other.status.code(), Some(2));
    let text = stderr(&other);
    assert!(text.contains("compiled against another interface"), "{text}");
    assert!(text.contains("sastrugi interface"), "{text}");
}
