//! Input that would take the compiler, the device or the machine more than they have: refused, in words and soon.

use std::time::{Duration, Instant};

use super::*;

const PIPELINE: &str = r#"{
  "run": {"dt": 1, "frames": 1},
  "grids": {"box": {"cells": [16, 16, 1], "cell_size": 1, "channels": {"heat": "float"}}},
  "step": [{"stage": "k", "over": "box", "writes": ["box.heat"]}],
  "outputs": {"heat": {"source": "box.heat"}}
}"#;

/// A directory with the pipeline and shaders.
fn directory(shaders: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("p.json"), PIPELINE).unwrap();
    for (name, text) in shaders {
        fs::write(directory.path().join(name), text).unwrap();
    }
    directory
}

/// The kernel with statements before a write.
fn kernel(before: &str, statements: &str) -> String {
    format!(
        "#version 460\n#include \"stage.glsl\"\n{before}\nvoid stage(ivec3 i) {{ float x = 0.0; {statements} \
         set_box_heat(i, x); }}\n"
    )
}

/// Runs a command on the pipeline, which must end soon.
fn ran(directory: &Path, arguments: &[&str]) -> Ran {
    let started = Instant::now();
    let (command, more) = arguments.split_first().unwrap();
    let ran = Ran::of(
        sastrugi()
            .arg(command)
            .arg(directory.join("p.json"))
            .args(more)
            .output()
            .unwrap(),
    );
    assert!(
        started.elapsed() < Duration::from_secs(100),
        "{:?}",
        started.elapsed()
    );
    ran
}

#[test]
fn kernels_that_no_compiler_finishes_are_refused() {
    let sum = |terms: usize| format!("x = {};", vec!["x"; terms].join(" + "));
    // Deep trees compile; still deeper ones would end the process.
    let good = directory(&[("k.comp", &kernel("", &sum(20_000)))]);
    ran(good.path(), &["check"]).exits(0);
    let deep = kernel("", &sum(200_000));
    let mut doubling = "#define D0 x += 1.0;\n".to_string();
    for level in 1..=30 {
        doubling += &format!("#define D{level} D{0} D{0}\n", level - 1);
    }
    let doubling = kernel(&doubling, "D30");
    let itself = kernel("#include \"a.glsl\"", "");
    for (text, words) in [
        (&deep, ["too large to compile", "more than 50000"]),
        (&doubling, ["too large to compile", "k.comp:35"]),
        (
            &itself,
            [
                "includes of `a.glsl` are nested too deep",
                "must not include itself",
            ],
        ),
    ] {
        let twice = "#include \"a.glsl\"\n#include \"a.glsl\"\n";
        let wrong = directory(&[("k.comp", text), ("a.glsl", twice)]);
        ran(wrong.path(), &["check"]).exits(2).says(&words);
    }
}

#[test]
fn includes_that_double_are_refused() {
    let of = |levels: usize| {
        let files: Vec<(String, String)> = (0..levels)
            .map(|level| {
                let next = format!("#include \"d{}.glsl\"\n", level + 1);
                (format!("d{level}.glsl"), next.repeat(2))
            })
            .collect();
        let (end, start) = (format!("d{levels}.glsl"), kernel("#include \"d0.glsl\"", ""));
        let mut shaders = vec![("k.comp", start.as_str()), (end.as_str(), "// the end\n")];
        shaders.extend(files.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        directory(&shaders)
    };
    ran(of(5).path(), &["check"]).exits(0);
    ran(of(25).path(), &["check"])
        .exits(2)
        .says(&["too many includes", "#ifndef NAME"]);
}

#[test]
fn kernels_beyond_the_device_are_refused_before_they_run() {
    let shared = kernel(
        "layout(constant_id = 7) const uint N = 500000000u;\nshared float many[N];",
        "many[i.x] = x; barrier(); x = many[i.y];",
    );
    let local = kernel(
        "",
        "float many[400000000]; for (int k = 0; k < 9; k++) many[k * i.x] = x; x = many[i.y];",
    );
    let good = shared.replace("500000000u", "64u");
    for (text, words) in [
        (
            &shared,
            [
                "1.86 GiB of shared memory for a workgroup, but",
                "keep them in a buffer",
            ],
        ),
        (
            &local,
            [
                "1.49 GiB of variables for each invocation",
                "local arrays smaller",
            ],
        ),
    ] {
        let wrong = directory(&[("k.comp", text)]);
        ran(wrong.path(), &["check", "--device"]).exits(2).says(&words);
        let out = wrong.path().join("out");
        ran(wrong.path(), &["run", "--out", out.to_str().unwrap()])
            .exits(2)
            .says(&words);
    }
    let good = directory(&[("k.comp", &good)]);
    ran(good.path(), &["check", "--device"]).exits(0);
    // The size is what the pipeline sets, not what the module says.
    ran(
        good.path(),
        &[
            "check",
            "--device",
            "--set",
            "step.0.constants={\"N\": 500000000}",
        ],
    )
    .exits(2)
    .says(&["of shared memory"]);
}

#[test]
fn modules_that_use_others_twice_are_refused_at_once() {
    let of = |levels: usize| {
        let directory = tempfile::tempdir().unwrap();
        let uses = |level: usize| {
            format!(r#""use": {{"a": {{"module": "m{level}.json"}}, "b": {{"module": "m{level}.json"}}}}"#)
        };
        for level in 0..levels {
            let text = format!("{{{}}}", uses(level + 1));
            fs::write(directory.path().join(format!("m{level}.json")), text).unwrap();
        }
        fs::write(directory.path().join(format!("m{levels}.json")), "{}").unwrap();
        let text = format!(r#"{{"run": {{"dt": 1}}, {}}}"#, uses(0));
        fs::write(directory.path().join("p.json"), text).unwrap();
        directory
    };
    ran(of(3).path(), &["check"]).exits(0);
    ran(of(13).path(), &["check"])
        .exits(2)
        .says(&["more than 2000 instances of modules"]);
    ran(of(26).path(), &["check"])
        .exits(2)
        .says(&["modules are nested more than 16 deep"]);
}

/// With software drivers, memory of the device is such a file.
#[cfg(unix)]
#[test]
fn limit_on_the_size_of_files_is_an_error() {
    let out = tempfile::tempdir().unwrap();
    let run = |limit: &str| {
        let program = crate::start().get_program().to_owned();
        let text =
            format!("{limit}; exec \"$0\" run tests/data/tiny.json --quiet --frames 1 --force --out \"$1\"");
        let output = Command::new("bash")
            .current_dir(crate::ROOT)
            .args(["-c", &text])
            .arg(program)
            .arg(out.path())
            .output();
        Ran::of(output.unwrap())
    };
    if !crate::device::is_here() {
        return;
    }
    run("true").exits(0);
    // In units of 1024 bytes.
    let ran = run("ulimit -f 1");
    assert!(matches!(ran.code, Some(1 | 2)), "{:?} {}", ran.code, ran.stderr);
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

/// Threads that do not start, and too little memory for addresses: a message, not a panic.
#[cfg(target_os = "linux")]
#[test]
fn lacking_threads_and_addresses_are_reported_where_possible() {
    let limited = |limits: &str| {
        let program = crate::start().get_program().to_owned();
        let text = format!("{limits}; exec \"$0\" run tests/data/tiny.json --quiet --frames 1 --out \"$1\"");
        let out = tempfile::tempdir().unwrap();
        // The superuser has as many threads as it wants.
        let everyone = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        fs::set_permissions(out.path(), everyone).unwrap();
        let mut command = Command::new("setpriv");
        let output = command
            .current_dir(crate::ROOT)
            .env("HOME", out.path())
            .env("SASTRUGI_CACHE_DIR", out.path().join("cache"))
            .env("MESA_SHADER_CACHE_DIR", out.path().join("mesa"))
            .args(["--reuid=64321", "--clear-groups", "bash", "-c", &text])
            .arg(program)
            .arg(out.path().join("out"))
            .output();
        output
            .ok()
            .map(Ran::of)
            .filter(|ran| ran.code != Some(127) && ran.code != Some(126))
    };
    let Some(control) = limited("true") else {
        eprintln!("skipped: no setpriv to become another user");
        return;
    };
    if control.code != Some(0) {
        eprintln!("skipped: another user cannot run this: {}", control.stderr);
        return;
    }
    for limits in [
        "ulimit -u 1",
        "ulimit -u 2",
        "ulimit -u 3",
        "ulimit -u 5",
        "ulimit -u 8",
    ] {
        let ran = limited(limits).unwrap();
        assert!(
            matches!(ran.code, Some(0..=2)),
            "{limits}: {:?} {}",
            ran.code,
            ran.stderr
        );
        assert!(!ran.stderr.contains("panicked"), "{limits}: {}", ran.stderr);
    }
    limited("ulimit -v 1000000")
        .unwrap()
        .exits(1)
        .says(&["1024000000 bytes of addresses", "ulimit -v"]);
    limited("ulimit -u 1")
        .unwrap()
        .exits(2)
        .says(&["cannot start", "ulimit -u"]);
}
