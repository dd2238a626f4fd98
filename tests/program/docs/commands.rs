//! Pages that teach: their files are written and their commands run in an empty directory, in order.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::device;
use super::markdown::{blocks, page};

/// One command of a `console` block with what the page shows of its output.
struct Shown {
    line: usize,
    command: String,
    output: String,
}

/// Lines that start with `$ ` are commands, the lines below each are what it prints.
fn shown(text: &str, first_line: usize) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push(Shown {
                line: first_line + number,
                command: command.to_string(),
                output: String::new(),
            }),
            (None, Some(last)) if last.command.ends_with('\\') => {
                last.command.push('\n');
                last.command.push_str(line);
            }
            (None, Some(last)) => last.output.push_str(&format!("{line}\n")),
            (None, None) => panic!("line {first_line}: a console block starts with `$ `"),
        }
    }
    commands
}

/// True if a text is what the page shows; `...` there matches anything.
fn matches(text: &str, shown: &str) -> bool {
    let mut parts = shown.split("...");
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    for (i, part) in parts.iter().enumerate() {
        let found = if i + 1 == parts.len() {
            rest.ends_with(part).then_some(rest.len())
        } else {
            rest.find(part).map(|at| at + part.len())
        };
        match found {
            Some(end) => rest = &rest[end..],
            None => return false,
        }
    }
    rest.is_empty()
}

/// Runs a command as the page's reader would: in a shell, with the program on the path.
fn run(command: &str, directory: &Path) -> (bool, String) {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_sastrugi"));
    let path = std::env::join_paths(
        std::iter::once(program.parent().unwrap().to_path_buf())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(directory)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env("SASTRUGI_CACHE_DIR", crate::CACHE)
        .output()
        .unwrap();
    (
        output.status.success(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

#[test]
fn page_commands_print_the_shown_output() {
    runs_as_shown("writing-a-stage.md", 10);
}

#[test]
fn one_page_pipeline_has_equal_bits_in_another_order() {
    runs_as_shown("one-page.md", 5);
}

#[test]
#[ignore = "long: four pipelines"]
fn page_pipelines_run() {
    runs_as_shown("four-pipelines.md", 6);
}

#[test]
#[ignore = "long: sweeps of a membrane and of a heated part"]
fn worked_problems_match_closed_forms() {
    runs_as_shown("worked-problems.md", 10);
}

#[test]
#[ignore = "long: modules with many kernels"]
fn models_of_the_page_run() {
    runs_as_shown("two-models.md", 8);
}

#[test]
#[ignore = "long: maps of a whole site"]
fn maps_of_the_page_have_their_place() {
    if Command::new("gdalinfo").arg("--version").output().is_err() {
        return crate::skip("gdalinfo is not here");
    }
    runs_as_shown("gis.md", 7);
}

#[test]
fn races_page_shows_the_printed_output() {
    runs_as_shown("races.md", 4);
}

/// Runs a page with so many commands at least.
fn runs_as_shown(name: &str, least: usize) {
    if !device::is_here() {
        return;
    }
    for tool in ["glslc", "python3"] {
        if Command::new(tool).arg("--version").output().is_err() {
            return crate::skip(format!("{tool} is not here"));
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for block in blocks(&page(name)) {
        if let Some(file) = &block.file {
            let path = directory.path().join(file);
            std::fs::write(&path, &block.text).unwrap();
            continue;
        }
        assert_eq!(
            block.language, "console",
            "line {}: neither a file nor commands",
            block.line
        );
        for shown in shown(&block.text, block.line) {
            let (succeeded, output) = run(&shown.command, directory.path());
            assert!(
                succeeded && matches(&output, &shown.output),
                "docs/{name}:{}: `{}` {}; shown:\n{}\nprinted:\n{output}",
                shown.line,
                shown.command,
                if succeeded { "succeeds" } else { "fails" },
                shown.output
            );
            commands += 1;
        }
    }
    assert!(commands >= least, "only {commands} commands were found");
}

#[test]
fn control_other_output_is_rejected() {
    assert!(matches("a\nb\n", "a\nb\n"));
    assert!(matches("a 12 b\n", "a ... b\n"));
    assert!(matches("a\nx\ny\nb\n", "a\n...\nb\n"));
    assert!(matches("a b c d", "...b...d"));
    assert!(!matches("a\nb\n", ""));
    assert!(!matches("a\nb\n", "a\n"));
    assert!(!matches("a 12 b\n", "a ... c\n"));
    assert!(!matches("ab", "a...b...b"));
    let commands = shown("$ one \\\n  more\nout\n$ two\n", 5);
    assert_eq!(commands[0].command, "one \\\n  more");
    assert_eq!((commands[0].output.as_str(), commands[1].line), ("out\n", 8));
    let (succeeded, output) = run("sastrugi no-such-command", Path::new("."));
    assert!(!succeeded && output.contains("no-such-command"));
}
