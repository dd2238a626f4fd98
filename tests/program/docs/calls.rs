//! `docs/calls.md`: every function that the interface and the library define is on it, with what it does, and its examples
//! compile. The page is written from the template `tests/data/calls/page.md`.

mod meanings;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::markdown::page;
use meanings::{CLOCK, MEANINGS};

fn directory() -> PathBuf {
    Path::new(crate::ROOT).join("tests/data/calls")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(directory().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The pipeline of the page.
fn pipeline() -> Value {
    serde_json::from_str(&read("pipeline.json")).unwrap()
}

fn interface_of(stage: &str) -> String {
    let output = crate::start()
        .args(["interface", "pipeline.json", stage])
        .current_dir(directory())
        .output();
    let output = output.unwrap();
    assert!(
        output.status.success(),
        "{stage}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Names of resources and fields as shaders know them, the longest first, so that `box_f_entries` is not one of `box`.
fn names_of(pipeline: &Value) -> (Vec<String>, Vec<String>) {
    let (mut resources, mut fields) = (Vec::new(), Vec::new());
    for section in ["grids", "particles", "buffers"] {
        for (name, resource) in pipeline[section].as_object().into_iter().flatten() {
            resources.push(name.clone());
            let channels = ["channels", "attributes"]
                .iter()
                .filter_map(|key| resource[*key].as_object());
            let before = fields.len();
            fields.extend(channels.flatten().map(|(channel, _)| format!("{name}_{channel}")));
            if fields.len() == before {
                fields.push(name.clone());
            }
        }
    }
    resources.sort_by_key(|name| std::cmp::Reverse(name.len()));
    fields.sort_by_key(|name| std::cmp::Reverse(name.len()));
    (resources, fields)
}

/// The head of a function as `type name(parameters)`, with its name, if a line is one.
fn head(line: &str) -> Option<(String, String)> {
    let (before, rest) = line.split_once('(')?;
    let (parameters, after) = rest.split_once(')')?;
    let (returns, name) = before.split_once(' ')?;
    let is_word = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_head = after.trim_start().starts_with(['{', ';']) && is_word(returns) && is_word(name);
    let is_shown = !name.starts_with("sg_") && returns != "layout";
    (is_head && is_shown).then(|| (format!("{returns} {name}({parameters})"), name.to_string()))
}

/// Meaning of a call or name.
fn meaning(pipeline: &Value, text: &str) -> String {
    let (resources, fields) = names_of(pipeline);
    // A pattern with a parenthesis is that of a function and may end early; others are whole names.
    let is = |pattern: &str| {
        if pattern.contains('(') {
            text.starts_with(pattern)
        } else {
            text == pattern
        }
    };
    let fits = |pattern: &str| {
        let has = |letter: &str| pattern.starts_with(letter) || pattern.contains(&format!("_{letter}"));
        let any =
            |letter: &str, names: &[String]| names.iter().any(|name| is(&pattern.replace(letter, name)));
        match (has("F"), has("R")) {
            (true, _) => any("F", &fields),
            (_, true) => any("R", &resources),
            _ => is(pattern),
        }
    };
    let found = MEANINGS.iter().find(|(pattern, _)| fits(pattern));
    let (_, words) =
        found.unwrap_or_else(|| panic!("docs/calls.md says nothing of `{text}`: add it to MEANINGS"));
    words.to_string()
}

/// Sizes and the like: `#define NAME`, and variables with their types.
fn names(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut parts = line.split([' ', ';']);
        let name = match (parts.next(), parts.next(), parts.next()) {
            (Some("#define"), Some(name), _) => Some(("", name)),
            (Some(kind @ ("ivec2" | "ivec3" | "vec2" | "vec3")), Some(name), Some("=" | "")) => {
                Some((kind, name))
            }
            _ => None,
        };
        let Some((kind, name)) = name else { continue };
        if !name.contains(['(', '.']) && !name.starts_with("sg_") && name != "clock" && name != "arg" {
            found.push((kind.to_string(), name.to_string()));
        }
    }
    found
}

/// The table of an interface, without what belongs to fields of the engine, and without rows that were `shown` before.
fn table(stage: &str, shown: &mut HashSet<String>) -> String {
    let (pipeline, text) = (pipeline(), interface_of(stage));
    let (resources, _) = names_of(&pipeline);
    let roles = ["live", "axes", "table", "list", "pages", "requests", "active"];
    let is_hidden = |name: &str| {
        let name = name.split_once('_').map_or(name, |(prefix, rest)| {
            if ["HAS", "set", "add", "min", "max", "or"].contains(&prefix) {
                rest
            } else {
                name
            }
        });
        let of_engine = |resource: &String| {
            roles.iter().any(|role| {
                name == format!("{resource}_{role}") || name == format!("{resource}_{role}_length")
            })
        };
        name.starts_with("sg_")
            || resources.iter().any(of_engine)
            || ["main", "stage_begin", "stage_linear", "stage_local_size"].contains(&name)
    };
    let mut rows = String::from("| in the shader | |\n|---|---|\n");
    let mut row = |call: &str, words: String| {
        if shown.insert(call.to_string()) {
            rows += &format!(
                "| `{call}` | {words} |
"
            );
        }
    };
    for (kind, name) in names(&text).iter().filter(|(_, name)| !is_hidden(name)) {
        row(format!("{kind} {name}").trim(), meaning(&pipeline, name));
    }
    let heads = text.lines().filter_map(head);
    for (shown, _) in heads.filter(|(_, name)| !is_hidden(name)) {
        let (_, call) = shown.split_once(' ').unwrap();
        row(&shown, meaning(&pipeline, call));
    }
    rows
}

fn clock(stage: &str) -> String {
    let text = interface_of(stage);
    let (_, members) = text.split_once("sg_clock_block { ").unwrap();
    let (members, _) = members.split_once('}').unwrap();
    let mut rows = String::from("| in the shader | |\n|---|---|\n");
    for member in members
        .split(';')
        .map(str::trim)
        .filter(|member| !member.is_empty())
    {
        let (kind, name) = member.split_once(' ').unwrap();
        let words = CLOCK.iter().find(|(known, _)| *known == name);
        let (_, words) = words.unwrap_or_else(|| panic!("docs/calls.md says nothing of clock.{name}"));
        rows += &format!("| `{kind} clock.{name}` | {words} |\n");
    }
    rows
}

/// The comment before a line, without its slashes, as one paragraph.
fn comment(lines: &[&str]) -> String {
    let above = lines.iter().rev().take_while(|line| line.starts_with("//"));
    let mut words: Vec<&str> = above.map(|line| line.trim_start_matches('/').trim()).collect();
    words.reverse();
    words.join(" ")
}

/// A file of the library: what it says of itself, and its functions and macros.
fn library(name: &str) -> String {
    let path = Path::new(crate::ROOT).join(format!("shaders/lib/{name}.glsl"));
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let introduction = lines.iter().take_while(|line| line.starts_with("//"));
    let mut about = String::new();
    for line in introduction {
        match line.trim_start_matches('/').trim() {
            "" => about += "\n\n",
            words => {
                about += &format!(
                    "{}{words}",
                    if about.is_empty() || about.ends_with('\n') {
                        ""
                    } else {
                        " "
                    }
                )
            }
        }
    }
    let mut rows = String::from("| in the shader | |\n|---|---|\n");
    let mut written = 0;
    for (number, line) in lines.iter().enumerate() {
        let shown = match line.strip_prefix("#define DEFINE") {
            Some(_) => line
                .trim_start_matches("#define ")
                .trim_end_matches([' ', '\\'])
                .to_string(),
            // Conditions are for kernels; other constants are parts of functions.
            None => match (head(line), line.strip_prefix("const bool ")) {
                (Some((shown, _)), _) => shown,
                (None, Some(condition)) => condition.split(" =").next().unwrap_or_default().to_string(),
                (None, None) => continue,
            },
        };
        let words = comment(&lines[..number]).replace('|', "\\|");
        rows += &format!("| `{shown}` | {words} |\n");
        written += 1;
    }
    assert!(written > 0, "lib/{name}.glsl defines nothing");
    format!("### `lib/{name}.glsl`\n\n{about}\n\n{rows}")
}

/// A stage as the pipeline file writes it.
fn stage(file: &str, name: &str) -> String {
    let (_, rest) = file.split_once(&format!("{{\"stage\": \"{name}\"")).unwrap();
    let mut depth = 1;
    let end = rest.find(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    format!(
        "```json\n{{\"stage\": \"{name}\"{}}}\n```\n",
        &rest[..end.unwrap()]
    )
}

fn written() -> String {
    let file = read("pipeline.json");
    let (mut page, mut shown) = (String::new(), HashSet::new());
    for line in read("page.md").lines() {
        let asked = line.strip_prefix("{{").and_then(|line| line.strip_suffix("}}"));
        let Some((what, name)) = asked.and_then(|asked| asked.split_once(' ')) else {
            page += &format!("{line}\n");
            continue;
        };
        page += &match what {
            "stage" => stage(&file, name),
            "calls" => table(name, &mut shown),
            "clock" => clock(name),
            "library" => library(name),
            "example" => format!("```glsl\n{}```\n", read(&format!("{name}.comp"))),
            other => panic!("page.md: {other}?"),
        };
    }
    page
}

#[test]
fn calls_page_matches_the_sources() {
    let text = written();
    let path = Path::new(crate::ROOT).join("docs/calls.md");
    if std::env::var_os("SASTRUGI_UPDATE").is_some() {
        std::fs::write(path, text).unwrap();
    } else {
        assert!(
            page("calls.md") == text,
            "docs/calls.md has fallen behind; with SASTRUGI_UPDATE=1 this test writes it anew"
        );
    }
}

#[test]
fn calls_page_is_complete() {
    let template = read("page.md");
    let library = Path::new(crate::ROOT).join("shaders/lib");
    for entry in std::fs::read_dir(library).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.trim_end_matches(".glsl");
        // Used by the interface of sparse grids itself.
        let is_there = name == "morton" || template.contains(&format!("{{{{library {name}}}}}"));
        assert!(is_there, "lib/{name}.glsl is not on the page");
    }
    // Each interface has only names that the page explains, also those of stages that it does not show.
    for stage in stages() {
        table(&stage, &mut HashSet::new());
    }
}

/// The stages of the pipeline: each has an example.
fn stages() -> Vec<String> {
    let file = read("pipeline.json");
    let named = file.split("{\"stage\": \"").skip(1);
    named
        .map(|rest| rest.split('"').next().unwrap().to_string())
        .collect()
}

#[test]
fn calls_page_examples_compile() {
    let output = crate::start()
        .args(["check", "pipeline.json"])
        .current_dir(directory())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut stages = stages();
    stages.sort();
    let files = std::fs::read_dir(directory()).unwrap();
    let names = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter_map(|name| Some(name.strip_suffix(".comp")?.to_string()))
        .collect();
    names.sort();
    assert_eq!(names, stages, "each shader is the example of a stage");
}

#[test]
#[should_panic(expected = "says nothing of `box_new_function(")]
fn undocumented_functions_are_detected() {
    meaning(&pipeline(), "box_new_function(ivec3 i)");
}
