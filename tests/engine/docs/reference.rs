//! `docs/spec.md`: its examples are good pipelines, its expressions have the values it shows, and its reference is
//! what the program prints, with an example that fits and a true default for every key.

use std::io::Write;
use std::process::{Command, Stdio};

use sastrugi::ir::{Pipeline, Start};
use sastrugi::spec::{self, Document};
use serde_json::{Map, Value, json};

use super::super::common;
use super::super::schema::python;
use super::markdown::{blocks, page};

const REFERENCE: &str = "# Reference\n";

fn resolve(value: &Value) -> Result<Pipeline, String> {
    let root = crate::common::simulation::root().join("pipelines");
    let document = Document::parse("t.json", &value.to_string(), &root).map_err(|e| e.to_string())?;
    let resolved = spec::from_document("t", &document, &Default::default());
    resolved
        .map(|(pipeline, _)| pipeline)
        .map_err(|problems| problems.to_string())
}

#[test]
fn reference_page_matches_program_output() {
    let output = common::start().args(["schema", "--markdown"]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let page = page("spec.md");
    let (head, _) = page
        .split_once(REFERENCE)
        .expect("docs/spec.md has a heading `# Reference`");
    let (_, rest) = page.split_once("`sastrugi schema --markdown`.\n\n").unwrap();
    if std::env::var_os("SASTRUGI_UPDATE").is_some() {
        let introduction = &page[head.len()..page.len() - rest.len()];
        let path = crate::common::simulation::root().join("docs/spec.md");
        std::fs::write(path, format!("{head}{introduction}{printed}")).unwrap();
    } else {
        assert!(
            rest == printed,
            "docs/spec.md is not what the program prints; with SASTRUGI_UPDATE=1 this test writes it anew"
        );
    }
}

#[test]
fn page_examples_are_valid_pipelines() {
    examples_are_good("spec.md", 6);
    examples_are_good("modules.md", 5);
}

fn examples_are_good(name_of_page: &str, least: usize) {
    let directory = tempfile::tempdir().unwrap();
    let mut examples = 0;
    for block in blocks(&page(name_of_page)) {
        // Kernels are compiled and run in `engine/lattices.rs`.
        if block.language == "glsl" {
            continue;
        }
        assert_eq!(block.language, "jsonc", "line {}", block.line);
        let name = block
            .text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("// "))
            .unwrap_or("example.json");
        // Keys that an example omits because it is about others.
        let document = Document::parse(name, &block.text, directory.path());
        let mut value = document
            .unwrap_or_else(|problems| panic!("docs/{name_of_page}:{}: {problems}", block.line))
            .value();
        let keys = value.as_object_mut().unwrap();
        keys.entry("run").or_insert(json!({"dt": 1}));
        keys.entry("step").or_insert(json!([]));
        let text = if name == "example.json" {
            value.to_string()
        } else {
            block.text.clone()
        };
        let path = directory.path().join(name);
        std::fs::write(&path, &text).unwrap();
        // A module is good if those are that use it.
        if text.contains("\"roles\": {\"box\": {") {
            continue;
        }
        spec::load(&path, &[])
            .unwrap_or_else(|problems| panic!("docs/{name_of_page}:{}: {problems}", block.line));
        examples += 1;
    }
    assert!(examples >= least, "only {examples} examples were found");
}

#[test]
fn page_example_of_extends_gives_the_stated_values() {
    let directory = tempfile::tempdir().unwrap();
    for block in blocks(&page("spec.md")) {
        if let Some(name) = block
            .text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("// "))
        {
            std::fs::write(directory.path().join(name), &block.text).unwrap();
        }
    }
    let (storm, _) = spec::load(&directory.path().join("storm.json"), &[]).unwrap();
    assert_eq!(
        storm.document["parameters"]["wind"],
        json!({"speed": 40, "period": 30})
    );
    assert_eq!(storm.outputs.len(), 1);
    let set = ["wind.speed=5".to_string(), "step.0.every=2".to_string()];
    let (set, _) = spec::load(&directory.path().join("storm.json"), &set).unwrap();
    assert_eq!(set.document["parameters"]["wind"]["speed"], 5);
    assert_eq!(set.stages[0].every, 2);
}

/// Value of an expression, through a parameter.
fn value(expression: &str) -> Result<f32, String> {
    let pipeline = resolve(&json!({
        "parameters": {"x": expression}, "run": {"dt": 1}, "step": [],
        "buffers": {"b": {"type": "float", "values": ["x"]}}
    }))?;
    match &pipeline.fields[0].start {
        Start::Values(bytes) => Ok(f32::from_le_bytes(bytes[..4].try_into().unwrap())),
        start => panic!("{start:?}"),
    }
}

#[test]
fn page_expressions_have_the_stated_values() {
    let page = page("spec.md");
    let (_, table) = page.split_once("| expression | value |\n|---|---|\n").unwrap();
    let rows: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 30);
    for row in rows {
        let cells: Vec<&str> = row.split('`').collect();
        let (expression, shown) = (cells[1], cells[3].parse::<f32>().unwrap());
        let value = value(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
        assert!((value - shown).abs() <= 1e-6 * shown.abs(), "{row}: {value}");
    }
    assert!(value("1 / 0").is_err() && value(&"1 + ".repeat(200)).is_err());
}

/// The reference as (definition, key, property, required).
fn properties(schema: &Value) -> Vec<(String, String, Value, bool)> {
    let mut found = Vec::new();
    let definitions = schema["$defs"].as_object().unwrap();
    let all = std::iter::once(("Pipeline", schema)).chain(definitions.iter().map(|(n, d)| (n.as_str(), d)));
    for (name, definition) in all {
        for (key, property) in definition["properties"].as_object().unwrap_or(&Map::new()) {
            let required = definition["required"]
                .as_array()
                .is_some_and(|keys| keys.contains(&json!(key)));
            found.push((name.to_string(), key.clone(), property.clone(), required));
        }
    }
    found
}

/// What stands after `- Label: ` in a property's description; the text in backquotes as JSON, if it is that.
fn note(property: &Value, label: &str) -> Option<String> {
    let text = property["description"].as_str()?;
    let (_, rest) = text.split_once(&format!("- {label}: "))?;
    let end = rest.find("\n- ").unwrap_or(rest.len());
    Some(rest[..end].replace('\n', " "))
}

fn quoted(note: &str) -> Option<Value> {
    serde_json::from_str(note.strip_prefix('`')?.strip_suffix('`')?).ok()
}

/// Reads definitions and `[place, schema, value, fits]`; prints the places where the validator disagrees.
const VALIDATOR: &str = "
import json, sys, jsonschema
text = json.load(sys.stdin)
for place, schema, value, fits in text['cases']:
    schema = dict(schema, **{'$defs': text['$defs']})
    validator = jsonschema.validators.validator_for(schema)(schema)
    if validator.is_valid(value) != fits:
        print(place, json.dumps(value), 'fits' if fits is False else 'does not fit')
";

#[test]
fn every_key_has_a_valid_example_and_a_default() {
    let schema = spec::file::schema();
    let properties = properties(&schema);
    assert!(properties.len() > 50);
    let mut cases = Vec::new();
    for (definition, key, property, required) in properties {
        let place = format!("{definition}.{key}");
        let example = note(&property, "Example").unwrap_or_else(|| panic!("{place} has no example"));
        let example = quoted(&example).unwrap_or_else(|| panic!("{place}: {example} is no JSON"));
        cases.push(json!([place, property, example, true]));
        // A key that takes anything has no use of a schema.
        cases.push(json!([place, property, [{"no": ["such", true]}, false], false]));
        let default = note(&property, "Default");
        assert_eq!(
            default.is_none(),
            required,
            "{place}: optional keys have a default, others none"
        );
        if let Some(default) = default.as_deref().and_then(quoted) {
            cases.push(json!([place, property, default, true]));
        }
    }
    // Control: the validator names a value that does not fit.
    cases.push(json!(["planted", {"type": "string"}, 1, true]));
    let Some(python) = python() else { return };
    let mut child = Command::new(python)
        .args(["-W", "ignore", "-c", VALIDATOR])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = json!({"$defs": schema["$defs"], "cases": cases}).to_string();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let wrong = String::from_utf8(output.stdout).unwrap();
    assert_eq!(wrong, "planted 1 does not fit\n");
}

/// Writing a default out changes nothing.
#[test]
fn defaults_match_the_page() {
    let base = json!({
        "run": {"dt": 1, "checkpoint_every": 5},
        "grids": {"g": {"cells": [2, 2, 2], "cell_size": 1, "channels": {"c": {"type": "float"},
                      "m": {"type": "float", "values": {"mesh": "assets/bunny.obj"}}}},
                  "s": {"cells": [16, 16, 16], "cell_size": 1, "sparse": {}, "channels": {"c": "float"}},
                  "h": {"channels": {"e": {"type": "float", "values": {
                      "file": "assets/jacksboro_dem.png", "metres_per_pixel": [1, 1], "metres_per_level": 1}}}},
                  "i": {"pixels": [4, 4], "channels": {"c": "rgba8"}}},
        "particles": {"p": {"count": 3, "attributes": {"x": "float"}},
                      "m": {"attributes": {"position": "vec3"}, "from": [
                          {"mesh": "assets/bunny.obj", "spacing": 0.5},
                          {"sphere": [0, 0, 0], "radius": 1, "spacing": 0.5},
                          {"box": [[0, 0, 0], [1, 1, 1]], "spacing": 0.5},
                          {"file": "../tests/data/particles/two.ply"}]},
                      "d": {"capacity": 3, "attributes": {"k": {"type": "uint", "background": 0}}}},
        "buffers": {"b": {"type": "float", "length": 4}, "q": {"type": "float", "length": 4, "background": 0},
                    "r": {"type": "float", "length": 4}, "one": {"type": "float", "length": 1},
                    "u": {"type": "uint", "length": 4, "background": 0},
                    "w": {"type": "vec2", "length": 4, "background": 0},
                    "t": {"length": 4, "channels": {"c": "float"}}},
        "use": {"part": {"module": {"roles": {"g": {"cells": {"c": "float"}}}}}},
        "step": [{"stage": "w", "over": "p", "writes": ["p.x"]}, {"stage": "s", "over": "p", "tuning": {}},
                 {"update_grid": "s"}, {"remove": "d", "where": "d.k"}, {"sort": "d", "by": "d.k"},
                 {"set": "u", "to": "scan(u)"}, {"set": "p.x", "to": 1},
                 {"set": "r", "to": "q"}, {"set": "one", "to": "sum(q)"}, {"stages": "both"},
                 {"repeat": "turn", "over": 2, "while": "u", "if": 1, "stages": [{"set": "q", "to": 1}]},
                 {"set": "w", "to": "fft(w)"}],
        "stages": {"both": {"stages": []}},
        "outputs": {"o": {"source": "p.x"}, "t": {"format": "csv", "values": {"x": "sum(p.x)"}}}
    });
    let places = [
        ("Pipeline", ""),
        ("Run", "/run"),
        ("Grid", "/grids/g"),
        ("Sparse grid", "/grids/s/sparse"),
        ("Particles", "/particles/p"),
        ("Source", "/particles/m/from/0"),
        ("Buffer", "/buffers/b"),
        ("Channel", "/grids/g/channels/c"),
        ("Role", "/use/part/module/roles/g"),
        ("Update of a sparse grid", "/step/2"),
        ("Removal of particles", "/step/3"),
        ("Sort of particles", "/step/4"),
        ("Assignment to a field", "/step/6"),
        ("Block", "/step/10"),
        ("Stage", "/step/1"),
        ("Tuning", "/step/1/tuning"),
        ("Output", "/outputs/o"),
    ];
    // A background makes a field one that is given, which is no difference in what it holds.
    let resolved = |value: &Value| {
        let mut pipeline = resolve(value)?;
        pipeline.document = Value::Null;
        pipeline.fields.iter_mut().for_each(|field| field.given = false);
        Ok::<String, String>(format!("{pipeline:?}"))
    };
    let without = resolved(&base).unwrap();
    let mut checked = 0;
    for (definition, key, property, _) in properties(&spec::file::schema()) {
        let Some(default) = note(&property, "Default").as_deref().and_then(quoted) else {
            continue;
        };
        let mut place = places
            .iter()
            .filter(|(name, _)| *name == definition)
            .map(|(_, place)| *place);
        let place = match key.as_str() {
            // Only an elevation model has one.
            "base_level" => "/grids/h/channels/e/values",
            _ => place
                .next()
                .unwrap_or_else(|| panic!("{definition}.{key}: where?")),
        };
        let mut with = base.clone();
        with.pointer_mut(place).unwrap()[&key] = default.clone();
        if definition != "Pipeline" || key != "step" {
            assert_eq!(
                resolved(&with).unwrap(),
                without,
                "{definition}.{key} = {default}"
            );
        }
        checked += 1;
    }
    assert!(checked >= 12, "only {checked} defaults were checked");
    let mut control = base.clone();
    control["particles"]["p"]["ring"] = json!(3);
    assert_ne!(resolved(&control).unwrap(), without);
}
