//! Every mistake in one round: shape, meaning and shaders, as far as one does not only follow from another.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// A pipeline with a place for each mistake.
const GOOD: &str = r#"{
  "run": {"dt": 0.1},
  "parameters": {"rate": 0.2},
  "grids": {
    "box": {"cells": [8, 8, 8], "cell_size": 1, "channels": {"heat": {"type": "float", "background": 0}, "next": "float"}},
    "sea": {"cells": [4, 4, 4], "cell_size": 1, "channels": {"salt": {"type": "float", "background": 0}}}
  },
  "buffers": {"sums": {"type": "float", "length": 8, "background": 0}},
  "step": [
    {"stage": "spread", "over": "box", "reads": ["box.heat"], "writes": ["box.next"], "arguments": {"rate": "rate"}},
    {"stage": "settle", "over": "box", "reads": ["box.next"], "writes": ["box.heat"]},
    {"stage": "add_up", "over": "sums", "reads": ["sums"], "writes": ["sums"]},
    {"stage": "salt", "over": "sea", "reads": ["sea.salt"], "writes": ["sea.salt"]}
  ],
  "outputs": {
    "heat": {"source": "box.heat", "format": "npy"},
    "salt": {"source": "sea.salt", "format": "npy"}
  }
}"#;

const SHADERS: [(&str, &str); 4] = [
    (
        "spread",
        "void stage(ivec3 i) { set_box_next(i, arg.rate * box_heat(i)); }",
    ),
    ("settle", "void stage(ivec3 i) { set_box_heat(i, box_next(i)); }"),
    ("add_up", "void stage(uint i) { set_sums(i, sums(i) + 1.0); }"),
    ("salt", "void stage(ivec3 i) { set_sea_salt(i, sea_salt(i)); }"),
];

/// Output of `check` for the pipeline with some texts replaced, as (file, line, message).
fn said(mistakes: &[(&str, &str)]) -> Vec<(String, u64, String)> {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let mut text = text.to_string();
        for (good, wrong) in mistakes {
            text = text.replace(good, wrong);
        }
        fs::write(directory.path().join(name), text).unwrap();
    };
    write("p.json", GOOD);
    for (name, body) in SHADERS {
        write(
            &format!("{name}.comp"),
            &format!("#version 460\n#include \"stage.glsl\"\n{body}\n"),
        );
    }
    let every = GOOD.to_string() + &SHADERS.map(|(_, body)| body).concat();
    assert!(
        mistakes.iter().all(|(good, _)| every.contains(good)),
        "{mistakes:?}"
    );
    problems(directory.path())
}

fn problems(directory: &Path) -> Vec<(String, u64, String)> {
    let mut command = crate::start();
    command
        .current_dir(directory)
        .args(["check", "p.json", "--format", "json"]);
    let output = command.env("VK_DRIVER_FILES", "/nonexistent").output().unwrap();
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let one = |problem: &Value| {
        let text = |key: &str| problem[key].as_str().unwrap_or_default().to_string();
        (
            text("file"),
            problem["line"].as_u64().unwrap_or(0),
            text("message"),
        )
    };
    list.as_array().unwrap().iter().map(one).collect()
}

/// Mistakes of every sort, with the line and the words for each, in the order of the file.
const MISTAKES: [(&str, &str, &str, u64, &str); 9] = [
    // A parameter that has the wrong shape, which `spread` uses.
    (r#"{"rate": 0.2}"#, r#"{"rate": true}"#, "p.json", 3, "expected"),
    // A resource with a wrong value, that nothing uses.
    (
        r#""length": 8, "background": 0}}"#,
        r#""length": 8, "background": 0}, "other": {"type": "flaot", "length": 2}}"#,
        "p.json",
        8,
        "`flaot` is not a type",
    ),
    // The shader of a whole stage, told where the stage stands.
    (
        "set_box_heat(i, box_next(i))",
        "set_box_heat(i, box_next(i.xy))",
        "settle.comp",
        3,
        "`box_next` takes other arguments",
    ),
    // A field that is not there.
    (
        r#""over": "sums", "reads": ["sums"]"#,
        r#""over": "sums", "reads": ["summs"]"#,
        "p.json",
        12,
        "`summs` is not a field",
    ),
    // A key of a stage, and its shader.
    (
        "set_sea_salt(i, sea_salt(i))",
        "set_sea_salt(i, sea_slat(i))",
        "salt.comp",
        3,
        "there is no function `sea_slat`",
    ),
    (
        r#""reads": ["sea.salt"]"#,
        r#""raeds": ["sea.salt"]"#,
        "p.json",
        13,
        "unknown key `raeds`",
    ),
    // A key of an output, and a field of another one.
    (
        r#""box.heat", "format""#,
        r#""box.heat", "fromat""#,
        "p.json",
        16,
        "unknown key `fromat`",
    ),
    (
        r#""source": "sea.salt""#,
        r#""source": "sea.sallt""#,
        "p.json",
        17,
        "`sea.sallt` is not",
    ),
    // A number of another resource.
    (
        r#""cells": [4, 4, 4]"#,
        r#""cells": [4, 4, "2 +"]"#,
        "p.json",
        6,
        "a value is missing at its end",
    ),
];

#[test]
fn pipeline_without_mistakes_passes() {
    assert_eq!(said(&[]), []);
}

#[test]
fn single_mistakes_give_single_errors() {
    for (good, wrong, file, line, words) in MISTAKES {
        let found = said(&[(good, wrong)]);
        assert_eq!(found.len(), 1, "{wrong}: {found:#?}");
        let (of, at, message) = &found[0];
        assert!(
            of == file && *at == line && message.contains(words),
            "{wrong}: {found:#?}"
        );
    }
}

#[test]
fn all_mistakes_are_reported_at_once_in_file_order() {
    let chosen: Vec<_> = MISTAKES.into_iter().take(8).collect();
    let mistakes: Vec<(&str, &str)> = chosen.iter().map(|(good, wrong, ..)| (*good, *wrong)).collect();
    let found = said(&mistakes);
    let places: Vec<(&str, u64)> = found
        .iter()
        .map(|(file, line, _)| (file.as_str(), *line))
        .collect();
    let wanted: Vec<(&str, u64)> = chosen
        .iter()
        .map(|(_, _, file, line, _)| (*file, *line))
        .collect();
    assert_eq!(places, wanted, "{found:#?}");
    for ((.., words), (_, _, message)) in chosen.iter().zip(&found) {
        assert!(message.contains(words), "{words}: {message}");
    }
}

#[test]
fn follow_up_errors_are_suppressed() {
    // A grid that cannot be read: stages, outputs and shaders that use it are left out, all others are checked.
    let found = said(&[
        (r#""cells": [8, 8, 8], "cell_size": 1"#, r#""cells": 8"#),
        ("set_sums(i, sums(i) + 1.0)", "set_sums(i, sum(i) + 1.0)"),
    ]);
    let places: Vec<(&str, u64)> = found
        .iter()
        .map(|(file, line, _)| (file.as_str(), *line))
        .collect();
    assert!(
        places
            .iter()
            .all(|place| [("p.json", 5), ("add_up.comp", 3)].contains(place)),
        "{found:#?}"
    );
    assert!(
        places.contains(&("add_up.comp", 3)) && places.contains(&("p.json", 5)),
        "{found:#?}"
    );
    // A stage that cannot be read writes what others read.
    let found = said(&[(
        r#""over": "box", "reads": ["box.heat"]"#,
        r#""over": [1], "reads": ["box.heat"]"#,
    )]);
    assert_eq!(found.len(), 1, "{found:#?}");
    // A key that is none, and is near none.
    let found = said(&[(
        r#""type": "float", "length": 8"#,
        r#""type": "float", "quantity": 8"#,
    )]);
    assert!(found.iter().all(|(_, line, _)| *line == 8), "{found:#?}");
}

#[test]
fn run_and_check_report_equal_errors() {
    let directory = tempfile::tempdir().unwrap();
    let wrong = GOOD.replace("\"source\": \"sea.salt\"", "\"source\": \"sea.sallt\"");
    fs::write(directory.path().join("p.json"), wrong).unwrap();
    for (name, body) in SHADERS {
        let text = format!(
            "#version 460\n#include \"stage.glsl\"\n{}\n",
            body.replace("box_next(i)", "box_nxet(i)")
        );
        fs::write(directory.path().join(format!("{name}.comp")), text).unwrap();
    }
    let output = crate::start()
        .current_dir(directory.path())
        .args(["run", "p.json"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).to_string();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(
        text.contains("sea.sallt") && text.contains("box_nxet") && text.contains("settle.comp:3:"),
        "{text}"
    );
    assert!(!directory.path().join("out").exists());
}
