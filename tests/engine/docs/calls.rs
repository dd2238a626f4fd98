//! `docs/calls.md`: every function that the interface and the library define is on it, with what it does, and its examples
//! compile. The page is written from the template `tests/data/calls/page.md`.

use std::path::{Path, PathBuf};

use sastrugi::ir::Pipeline;
use sastrugi::shader::calls::{Call, calls};
use sastrugi::shader::interface;
use sastrugi::spec;

use super::markdown::page;

/// What the calls and names of an interface mean. `F` stands for a field or a result, `R` for a resource.
const MEANINGS: &[(&str, &str)] = &[
    ("set_clock_dt(float value)", "sets the length of this turn, s"),
    ("R_position(ivec3 cell)", "centre of a cell, m"),
    (
        "R_coordinates(vec3 world)",
        "the opposite: cells from the corner of the grid",
    ),
    (
        "R_is_active(ivec3 cell)",
        "whether the cell is there: inside the grid, and of a sparse grid in an active block",
    ),
    ("R_active_count()", "number of active blocks"),
    ("R_sub_blocks()", "number of sub-blocks of all active blocks"),
    ("R_sub_block(uint i)", "the first cell of a sub-block"),
    ("R_block(ivec3 cell)", "the block of a cell"),
    (
        "request_R(ivec3 cell)",
        "requests the block of a cell; nothing outside the grid",
    ),
    ("request_R_block(ivec3 block)", "requests a block"),
    (
        "F_position(ivec3 i)",
        "place of the value with this index, m; of channels with `at` or `border`",
    ),
    (
        "sample_F(vec3 world)",
        "interpolates between the values around a place; of channels of floats with `at` or `border`",
    ),
    (
        "max_F(float value)",
        "gives a value to the maximum; it is not an atomic",
    ),
    ("set_F(ivec3 i, uint k, float value)", "writes one entry"),
    ("set_F(", "writes the value"),
    ("add_F(", "adds, and returns the value before"),
    ("min_F(", "keeps the smaller value, and returns the one before"),
    ("max_F(", "keeps the larger value, and returns the one before"),
    ("or_F(", "sets bits, and returns the value before"),
    (
        "F(ivec3 i, uint k, float otherwise)",
        "the same; `otherwise` beyond the domain",
    ),
    ("F(ivec3 i, uint k)", "reads one entry"),
    (
        "F(ivec3 asked, float otherwise)",
        "the same: with `\"border\": \"clamp\"` nothing lies beyond",
    ),
    (
        "F(ivec3 i, float otherwise)",
        "reads; `otherwise` beyond the domain",
    ),
    (
        "F(ivec3 i, uint otherwise)",
        "reads; `otherwise` beyond the domain",
    ),
    (
        "F(ivec3 i, vec3 otherwise)",
        "reads; `otherwise` beyond the active blocks",
    ),
    ("F(", "reads the value"),
    (
        "stage_begin()",
        "only with `OWN_MAIN`: loads what accessors need; first in `main`",
    ),
    ("stage_linear()", "number of this invocation over a list"),
    ("stage(", "the function that the shader defines"),
    ("R_cells", "cells along each axis"),
    ("R_dx", "side of a cell, m; only if all sides are equal"),
    ("R_spacing", "sides of a cell, m"),
    ("R_origin", "corner of the grid, m"),
    ("R_size", "width and height, pixels"),
    ("R_length", "number of elements"),
    (
        "R_count",
        "number of particles; of a dynamic set, those that live",
    ),
    ("R_capacity", "largest number of particles"),
    ("R_born", "particles that this stage adds, after those that live"),
    ("F_entries", "entries of the array"),
    ("R_block_cells", "cells of a block along each axis"),
    ("R_sub_cells", "cells of a sub-block along each axis"),
    ("R_blocks", "blocks along each axis"),
    ("stage_local_size", "shape of the workgroup"),
];

/// Members of the clock.
const CLOCK: &[(&str, &str)] = &[
    (
        "left",
        "s; what is left of the step at the start of the turn, in repeats with `\"while\": \"clock.left\"`; elsewhere dt",
    ),
    ("turn", "number of the turn in such a repeat; elsewhere 0"),
    ("step", "number of steps before this one"),
    ("frame", "in frame stages, the number of the frame, from 1"),
    ("time", "s; at the start of the step or turn"),
    ("dt", "s; length of the step or turn"),
    ("seed", "the `seed` of the file"),
];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/calls")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(directory().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn interface_of(pipeline: &Pipeline, name: &str) -> String {
    let stage = pipeline.stages.iter().find(|stage| stage.name == name);
    let stage = stage.unwrap_or_else(|| panic!("no stage {name}"));
    interface::generate(&pipeline.kernel_of(stage).signature).text
}

/// What a call or name means; the longest names are tried first, so that `box_f_entries` is not one of `box`.
fn meaning(pipeline: &Pipeline, text: &str) -> String {
    let mut fields: Vec<String> = pipeline.fields.iter().map(|field| field.symbol()).collect();
    let mut resources: Vec<String> = pipeline
        .resources
        .iter()
        .map(|resource| resource.symbol())
        .collect();
    fields.sort_by_key(|name| std::cmp::Reverse(name.len()));
    resources.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let fits = |pattern: &str| {
        let with = |name: &String, letter: &str| {
            text.starts_with(&pattern.replace(letter, name))
                && (pattern.contains('(') || text.len() == pattern.replace(letter, name).len())
        };
        let is = |letter: char| pattern.starts_with(letter) || pattern.contains(&format!("_{letter}"));
        match (is('F'), is('R')) {
            (true, _) => fields.iter().any(|name| with(name, "F")),
            (_, true) => resources.iter().any(|name| with(name, "R")),
            _ => with(&String::new(), "\0"),
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

/// The table of an interface, without what belongs to the engine's own fields.
fn table(pipeline: &Pipeline, stage: &str) -> String {
    let text = interface_of(pipeline, stage);
    let is_hidden = |name: &str| {
        ["_live", "_axes", "_table", "_list", "_pages", "_requests"]
            .iter()
            .any(|role| {
                pipeline
                    .resources
                    .iter()
                    .any(|resource| name.contains(&format!("{}{role}", resource.symbol())))
            })
            || name.contains("_active") && !name.contains("active_count") && !name.contains("is_active")
    };
    let mut rows = String::from("| in the shader | |\n|---|---|\n");
    let row = |shown: String, words: &str| format!("| `{shown}` | {words} |\n");
    for (kind, name) in names(&text).iter().filter(|(_, name)| !is_hidden(name)) {
        rows += &row(
            format!("{kind} {name}").trim().to_string(),
            &meaning(pipeline, name),
        );
    }
    for call in calls(&text).iter().filter(|call| !is_hidden(&call.name)) {
        if matches!(call.name.as_str(), "main" | "stage_begin" | "stage_linear") {
            continue;
        }
        rows += &row(
            call.text(),
            &meaning(pipeline, &format!("{}({})", call.name, call.parameters)),
        );
    }
    rows
}

fn clock(pipeline: &Pipeline, stage: &str) -> String {
    let text = interface_of(pipeline, stage);
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
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("shaders/lib/{name}.glsl"));
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let head = lines.iter().take_while(|line| line.starts_with("//"));
    let mut about = String::new();
    for line in head {
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
            None => match calls(line).first() {
                Some(call) => Call::text(call),
                None => continue,
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
    let (pipeline, _) = spec::load(&directory().join("pipeline.json"), &[]).unwrap();
    let file = read("pipeline.json");
    let mut page = String::new();
    for line in read("page.md").lines() {
        let asked = line.strip_prefix("{{").and_then(|line| line.strip_suffix("}}"));
        let Some((what, name)) = asked.and_then(|asked| asked.split_once(' ')) else {
            page += &format!("{line}\n");
            continue;
        };
        page += &match what {
            "stage" => stage(&file, name),
            "calls" => table(&pipeline, name),
            "clock" => clock(&pipeline, name),
            "library" => library(name),
            "example" => format!("```glsl\n{}```\n", read(&format!("{name}.comp"))),
            other => panic!("page.md: {other}?"),
        };
    }
    page
}

#[test]
fn the_page_of_calls_is_what_the_sources_say() {
    let text = written();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/calls.md");
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
fn the_page_of_calls_has_every_file_of_the_library_and_every_stage() {
    let template = read("page.md");
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders/lib");
    for entry in std::fs::read_dir(library).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.trim_end_matches(".glsl");
        // What the interface of sparse grids uses itself.
        let is_there = name == "morton" || template.contains(&format!("{{{{library {name}}}}}"));
        assert!(is_there, "lib/{name}.glsl is not on the page");
    }
    let (pipeline, _) = spec::load(&directory().join("pipeline.json"), &[]).unwrap();
    // Each interface has only names that the page explains, also those of stages that it does not show.
    for stage in pipeline
        .stages
        .iter()
        .filter(|stage| stage.pointer.starts_with("/step") || stage.pointer.starts_with("/frame"))
    {
        if directory().join(format!("{}.comp", stage.name)).exists() {
            table(&pipeline, &stage.name);
        }
    }
}

#[test]
fn every_example_of_the_page_of_calls_compiles() {
    let (pipeline, _) = spec::load(&directory().join("pipeline.json"), &[]).unwrap();
    let built = sastrugi::shader::build(&pipeline, &Default::default(), &Default::default());
    if let Err(problems) = built {
        panic!("{problems}");
    }
    for entry in std::fs::read_dir(directory()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(name) = name.strip_suffix(".comp") {
            assert!(
                pipeline.stages.iter().any(|stage| stage.name == name),
                "{name} is compiled by no stage"
            );
        }
    }
}

#[test]
#[should_panic(expected = "says nothing of `box_new_function(")]
fn a_function_without_words_is_noticed() {
    let (pipeline, _) = spec::load(&directory().join("pipeline.json"), &[]).unwrap();
    meaning(&pipeline, "box_new_function(ivec3 i)");
}
