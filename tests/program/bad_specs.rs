//! Broken pipelines, each with the exact words that a person gets to see: tests/data/bad_specs/NAME.json and NAME.txt.
//!
//! SASTRUGI_UPDATE=1 rewrites the texts; read their difference before keeping it.

use std::path::{Path, PathBuf};

fn directory() -> PathBuf {
    Path::new(crate::ROOT).join("tests/data/bad_specs")
}

/// Names of the broken pipelines, without their ending.
fn names() -> Vec<String> {
    let files = std::fs::read_dir(directory()).unwrap();
    let mut names: Vec<String> = files
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".json").map(str::to_string)
        })
        .collect();
    names.sort();
    names
}

/// Output of `check` for files, and its exit code. The directory is the current one, so that names are short.
fn check(files: &[String]) -> (String, Option<i32>) {
    let output = crate::start()
        .current_dir(directory())
        .arg("check")
        .args(files)
        .env("VK_DRIVER_FILES", "/nonexistent")
        .output()
        .unwrap();
    assert!(
        output.stdout.is_empty(),
        "{files:?}: {:?}",
        String::from_utf8_lossy(&output.stdout)
    );
    (String::from_utf8(output.stderr).unwrap(), output.status.code())
}

/// True if a text names a file of the directory with line and column, as in `name.json:3:14`.
fn has_a_place(text: &str) -> bool {
    text.split(".json:").skip(1).any(|rest| {
        let mut parts = rest.splitn(2, ':');
        let is_number =
            |part: Option<&str>| part.is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()));
        is_number(parts.next()) && is_number(parts.next())
    })
}

#[test]
fn error_texts_match_the_recorded_ones() {
    let names = names();
    assert!(names.len() >= 60, "{}", names.len());
    let update = std::env::var_os("SASTRUGI_UPDATE").is_some();
    let recorded = |name: &String| {
        let path = directory().join(format!("{name}.txt"));
        std::fs::read_to_string(path).unwrap_or_default()
    };
    // One process for all, whose texts are those of the files one after the other; only where they differ, one for each.
    let files: Vec<String> = names.iter().map(|name| format!("{name}.json")).collect();
    let (texts, code) = check(&files);
    assert_eq!(code, Some(2));
    let is_as_recorded = texts == names.iter().map(recorded).collect::<String>();
    let mut wrong = Vec::new();
    for (name, file) in names.iter().zip(&files) {
        let text = if is_as_recorded {
            recorded(name)
        } else {
            let (text, code) = check(std::slice::from_ref(file));
            assert_eq!(code, Some(2), "{name}: {text}");
            text
        };
        assert!(
            has_a_place(&text),
            "{name} names no file, line and column:\n{text}"
        );
        let problems = text.matches("  × ").count();
        let helps = text.matches("  help: ").count();
        assert!(
            problems > 0 && helps == problems,
            "{name}: {problems} problems, {helps} remedies\n{text}"
        );
        let path = directory().join(format!("{name}.txt"));
        if update {
            std::fs::write(&path, &text).unwrap();
        } else if recorded(name) != text {
            wrong.push(format!("{name} says now:\n{text}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} texts differ; SASTRUGI_UPDATE=1 cargo test --test bad_specs records these:\n{}",
        wrong.len(),
        names.len(),
        wrong.join("\n")
    );
}

#[test]
fn control_location_rule_rejects_texts_without_location() {
    assert!(has_a_place("╭─[a.json:3:14]"));
    assert!(!has_a_place("a.json: 3 problems"));
    assert!(!has_a_place("a.json:3: wrong"));
}

#[test]
fn json_problems_match_the_text_output() {
    let output = crate::start()
        .current_dir(directory())
        .args(["check", "several_mistakes.json", "--format", "json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let list = list.as_array().unwrap();
    let (text, _) = check(&["several_mistakes.json".to_string()]);
    assert_eq!(list.len(), text.matches("  × ").count());
    for problem in list {
        let place = format!("several_mistakes.json:{}:{}]", problem["line"], problem["column"]);
        assert!(text.contains(&place), "{place}\n{text}");
        assert!(text.contains(problem["help"].as_str().unwrap()), "{problem}");
    }
}
