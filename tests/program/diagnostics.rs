//! One shader mistake of each kind, reported in the terms of the pipeline at the line of the shader, as text and JSON.

mod beginnings;

use std::fs;
use std::path::Path;

use serde_json::Value;

const PIPELINE: &str = r#"{
  "run": {"dt": 0.1},
  "parameters": {"rate": 0.2, "wind": {"speed": 3}},
  "grids": {
    "box": {"cells": [8, 8, 8], "cell_size": 1, "channels": {
      "heat": {"type": "float", "background": 0}, "next": "float", "mark": {"type": "uint", "background": 0}
    }},
    "air": {"cells": [32, 32, 32], "cell_size": 1, "sparse": {}, "channels": {"u": {"type": "float", "background": 0}}}
  },
  "buffers": {"sums": {"type": "float", "length": 8, "background": 0}, "total": {"type": "float", "length": 1, "background": 0}},
  "step": [
    {"stage": "spread", "over": "box", "reads": ["box.heat", "sums"], "writes": ["box.next"],
     "arguments": {"gain": 2}, "constants": {"SWEEPS": 3}}
  ]
}"#;

/// Output of `check` for a pipeline, as text and as JSON.
fn check(directory: &Path, file: &str) -> (String, Vec<Value>) {
    let start = |more: &[&str]| {
        let mut command = crate::start();
        command.current_dir(directory).args(["check", file]).args(more);
        command.env("VK_DRIVER_FILES", "/nonexistent").output().unwrap()
    };
    let text = start(&[]);
    let json = start(&["--format", "json"]);
    assert_eq!(text.status.code(), json.status.code());
    let list: Value = serde_json::from_slice(&json.stdout).unwrap();
    (
        String::from_utf8(text.stderr).unwrap(),
        list.as_array().unwrap().clone(),
    )
}

/// The lines before and after a slip in the body of the stage function: it stands in line 5.
fn body(slip: &str) -> String {
    format!(
        "#version 460\n#include \"stage.glsl\"\nlayout(constant_id = 0) const int SWEEPS = 1;\nvoid stage(ivec3 cell) {{\n    {slip}\n}}\n"
    )
}

/// Checks that a shader has one slip, in a line, with these words in the message and the remedy.
fn slips(pipeline: &str, shader: &str, line: u64, message: &str, help: &str) {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("p.json"), pipeline).unwrap();
    fs::write(directory.path().join("spread.comp"), shader).unwrap();
    let (text, list) = check(directory.path(), "p.json");
    assert_eq!(list.len(), 1, "{text}");
    let (problem, said) = (&list[0], |key: &str| {
        list[0][key].as_str().unwrap_or_default().to_string()
    });
    assert_eq!(
        (said("file").as_str(), problem["line"].as_u64()),
        ("spread.comp", Some(line)),
        "{text}"
    );
    assert!(text.contains(&format!("[spread.comp:{line}:")), "{text}");
    assert!(text.contains("the stage at p.json:"), "{text}");
    assert!(
        said("message").starts_with("stage `spread`: ") && said("message").contains(message),
        "{text}"
    );
    assert!(said("help").contains(help), "{text}");
    assert!(
        text.replace(['\n', ' ', '│'], "")
            .contains(&help.replace(' ', "")),
        "{text}"
    );
}

/// The same for a slip in the body.
fn slip(line: &str, message: &str, help: &str) {
    slips(PIPELINE, &body(line), 5, message, help);
}

#[test]
fn shader_without_mistakes_passes() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("p.json"), PIPELINE).unwrap();
    let good = "set_box_next(cell, box_heat(cell) + float(SWEEPS) * arg.gain * clock.dt * sums(0u));";
    fs::write(directory.path().join("spread.comp"), body(good)).unwrap();
    assert_eq!(check(directory.path(), "p.json").1, Vec::<Value>::new());
}

#[test]
fn ordinary_errors_keep_the_compiler_text() {
    let wrong = body("float a = 1.0\n    float b = 2.0;");
    slips(
        PIPELINE,
        &wrong,
        6,
        "syntax error, unexpected FLOAT",
        "sastrugi interface",
    );
}

#[test]
fn field_missing_in_reads_is_explained() {
    let list = r#"write "reads": ["box.heat", "sums", "box.mark"] in the stage"#;
    slip(
        "uint m = box_mark(cell);",
        "`box_mark` requires `box.mark` in the `reads`",
        list,
    );
    let list = r#"write "reads": ["box.heat", "sums", "box.next"] in the stage"#;
    slip(
        "float b = box_next(cell);",
        "`box_next` requires `box.next` in the `reads`",
        list,
    );
    let list = r#"write "reads": ["box.heat", "sums", "total"] in the stage"#;
    slip(
        "float b = total(0u);",
        "`total` requires `total` in the `reads`",
        list,
    );
}

#[test]
fn field_missing_in_writes_is_explained() {
    let list = r#"write "writes": ["box.next", "box.heat"] in the stage"#;
    slip(
        "set_box_heat(cell, 1.0);",
        "`set_box_heat` requires `box.heat` in the `writes`",
        list,
    );
    let list = r#"write "writes": ["box.next", "box.mark"] in the stage"#;
    for prefix in ["add", "min", "max", "or"] {
        let call = format!("{prefix}_box_mark(cell, 1u);");
        slip(
            &call,
            &format!("`{prefix}_box_mark` requires `box.mark` in the `writes`"),
            list,
        );
    }
}

#[test]
fn bound_field_names_are_explained() {
    let bound = PIPELINE.replace(r#""box.heat", "sums""#, r#""grid.heat", "sums""#);
    let bound = bound.replace(
        r#""writes": ["box.next"]"#,
        r#""bind": {"grid": "box"}, "writes": ["grid.next"]"#,
    );
    let list = r#"write "reads": ["grid.heat", "sums", "grid.mark"] in the stage"#;
    slips(
        &bound,
        &body("uint m = grid_mark(cell);"),
        5,
        "`grid_mark` requires `grid.mark`",
        list,
    );
}

#[test]
fn wrong_argument_types_are_explained() {
    let form = "it is declared as `void set_box_next(ivec3 i, float value)`";
    slip(
        "set_box_next(cell, vec3(1.0));",
        "`set_box_next` takes other arguments",
        form,
    );
    slip(
        "set_box_next(cell.xy, 1.0);",
        "`set_box_next` takes other arguments",
        form,
    );
    slip(
        "set_box_next(uint(cell.x), 1.0);",
        "`set_box_next` takes other arguments",
        form,
    );
    slip(
        "vec3 s = sums(cell);",
        "`sums` takes other arguments",
        "it is declared as `float sums(uint i)`",
    );
    slip("float b = box_heat(1u);", "box_heat", "`float box_heat(ivec3 i)`");
}

#[test]
fn wrong_result_types_are_explained() {
    slip(
        "vec3 b = box_heat(cell);",
        "cannot convert from",
        "used on this line: `float box_heat(ivec3 i)`",
    );
}

#[test]
fn unlisted_arguments_are_explained() {
    let add = r#"add "rate": "rate" to the `arguments` of the stage"#;
    slip("float b = arg.rate;", "the stage has no argument `rate`", add);
    slip("float b = rate;", "`rate` is a parameter", add);
    let add = r#"add "speed": "wind.speed" to the `arguments` of the stage"#;
    slip("float b = arg.speed;", "the stage has no argument `speed`", add);
    slip(
        "float b = arg.gian;",
        "the stage has no argument `gian`",
        "did you mean `gain`?",
    );
    slip("float b = gain;", "`gain` is an argument", "write `arg.gain`");
}

#[test]
fn misspelled_names_get_suggestions() {
    slip(
        "float b = box_haet(cell);",
        "there is no function `box_haet`",
        "did you mean `box_heat`?",
    );
    slip(
        "float b = box.heat(cell);",
        "`box` is a resource, not a GLSL identifier",
        "box_heat(i)",
    );
    slip(
        "float b = box_heat;",
        "`box_heat` is a function",
        "call it: `float box_heat(ivec3 i)`",
    );
    slip("float b = box_heat[cell];", "`box_heat` is a function", "call it");
}

#[test]
fn functions_of_missing_stage_keys_are_explained() {
    slip(
        "request_air(cell);",
        "requires `air` in the `requests`",
        r#"write "requests": ["air"]"#,
    );
    slip(
        "sum_total(1.0);",
        "requires `total` in the `reduces`",
        r#"write "reduces": {"total": "sum"}"#,
    );
    slip(
        "ivec3 n = air_cells;",
        "`air_cells` requires a field of `air`",
        r#""reads": ["box.heat", "sums", "air.u"]"#,
    );
}

#[test]
fn several_shader_errors_are_reported_together() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("p.json"), PIPELINE).unwrap();
    let wrong = body(
        "uint m = box_mark(cell);\n    float a = arg.rate;\n    float b = box_heat(cell.xy);\n    m = box_mark(cell);",
    );
    fs::write(directory.path().join("spread.comp"), wrong).unwrap();
    let (text, list) = check(directory.path(), "p.json");
    let lines: Vec<_> = list
        .iter()
        .map(|problem| problem["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [5, 6, 7], "{text}");
}

#[test]
fn errors_in_included_files_are_reported_there() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("p.json"), PIPELINE).unwrap();
    let shader = body("mine(cell);").replace("\nlayout", "\n#include \"mine.glsl\"\nlayout");
    fs::write(directory.path().join("spread.comp"), shader).unwrap();
    fs::write(
        directory.path().join("mine.glsl"),
        "void mine(ivec3 cell) {\n    set_box_heat(cell, 1.0);\n}\n",
    )
    .unwrap();
    let (text, list) = check(directory.path(), "p.json");
    assert_eq!(
        (list.len(), list[0]["file"].as_str(), list[0]["line"].as_u64()),
        (1, Some("mine.glsl"), Some(2)),
        "{text}"
    );
    assert!(text.contains("included at spread.comp:3:"), "{text}");
}
