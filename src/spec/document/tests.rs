use super::*;

fn document(text: &str) -> Document {
    Document::parse("test.json", text, Path::new("")).unwrap()
}

#[test]
fn places_point_at_the_text() {
    let text = "{ // note\n \"a\": {\"b\": [1, 22]},\n}";
    let document = document(text);
    let place = document.place("/a/b/1");
    assert_eq!(&text[place.range], "22");
    assert_eq!(&text[document.key_place("/a/b").range], "\"b\"");
}

#[test]
fn what_is_added_has_its_own_text() {
    let mut document = document(r#"{"step": [1]}"#);
    document
        .add("first", &["step", "-"], &serde_json::json!({"a": 2}))
        .unwrap();
    document
        .add("second", &["init", "-"], &serde_json::json!(3))
        .unwrap();
    document
        .add("third", &["grids", "box"], &serde_json::json!({"cells": 4}))
        .unwrap();
    let expected = serde_json::json!({"step": [1, {"a": 2}], "init": [3], "grids": {"box": {"cells": 4}}});
    assert_eq!(document.value(), expected);
    let place = document.place("/step/1/a");
    assert_eq!(
        (place.source.name.as_str(), place.line_and_column()),
        ("first", (2, 8))
    );
    assert_eq!(document.place("/step/0").source.name, "test.json");
    assert_eq!(document.place("/grids/box/cells").source.name, "third");
    assert!(
        document
            .add("fourth", &["grids", "-"], &serde_json::json!(5))
            .is_err()
    );
}

#[test]
fn set_replaces_and_falls_back_to_parameters() {
    let mut document = document(r#"{"parameters": {"wind": {"speed": 1}}, "time": {"dt": 1}}"#);
    document.set("wind.speed=20").unwrap();
    document.set("time.frames=3").unwrap();
    document.set("time.dt=1/30").unwrap();
    let value = document.value();
    assert_eq!(value["parameters"]["wind"]["speed"], 20);
    assert_eq!(value["time"]["frames"], 3);
    assert_eq!(value["time"]["dt"], "1/30");
    assert!(document.set("wind.sped=20").is_err());
    assert!(document.set("nonsense.path=20").is_err());
    assert!(document.set("wind.speed").is_err());
}

#[test]
fn merge_is_a_merge_patch() {
    let mut base = parse(
        "a",
        r#"{"a": {"x": 1, "y": 2}, "b": [1, 2], "c": 3}"#,
        Path::new(""),
    )
    .unwrap();
    base.merge(parse("b", r#"{"a": {"y": 5}, "b": [9], "c": null}"#, Path::new("")).unwrap());
    assert_eq!(
        base.to_value(),
        serde_json::json!({"a": {"x": 1, "y": 5}, "b": [9]})
    );
}

#[test]
fn duplicate_keys_and_huge_numbers_are_problems() {
    assert!(Document::parse("t", r#"{"a": 1, "a": 2}"#, Path::new("")).is_err());
    assert!(Document::parse("t", r#"{"a": 1e999}"#, Path::new("")).is_err());
    assert!(Document::parse("t", "", Path::new("")).is_err());
}

#[test]
fn a_problem_shows_file_line_column_and_remedy() {
    let document = Document::parse("p.json", "{\n  \"grids\": {\"air\": 3}\n}", Path::new("")).unwrap();
    let problem = Problem::new("/grids/air", "a grid is an object").suggest("veloctiy", ["velocity", "u"]);
    let text = Problems::from(problem).located(&document).to_string();
    assert!(text.contains("p.json:2:20"), "{text}");
    assert!(text.contains("did you mean `velocity`?"), "{text}");
    assert!(text.contains("/grids/air"), "{text}");
}

/// A file and the modules beside it, expanded.
fn expanded(text: &str, modules: &[(&str, &str)]) -> Result<serde_json::Value, Problems> {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in modules {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    let document = Document::parse("test.json", text, directory.path()).unwrap();
    let flat = document.expand()?;
    // What is flat stays as it is.
    assert_eq!(flat.expand().unwrap().value(), flat.value());
    Ok(flat.value())
}

#[test]
fn groups_share_and_entries_replace() {
    let text = r#"{
        "groups": {"pair": {"arguments": {"a": 1, "b": 2}, "every": 3, "stages": [
            {"stage": "s", "over": 1, "arguments": {"b": 5}},
            {"repeat": "r", "over": 2, "stages": [{"stage": "t", "over": 1, "every": 7}]}
        ]}},
        "init": ["t"],
        "step": ["pair", {"group": "pair", "arguments": {"a": 9}, "every": 4}]
    }"#;
    let flat = expanded(text, &[]).unwrap();
    let both = |a: u32| serde_json::json!({"a": a, "b": 2});
    assert_eq!(
        flat["init"][0],
        serde_json::json!({"stage": "t", "over": 1, "every": 7, "arguments": both(1)})
    );
    let [s, t, again] = [&flat["step"][0], &flat["step"][1]["stages"][0], &flat["step"][2]];
    assert_eq!(s["arguments"], serde_json::json!({"b": 5, "a": 1}));
    assert_eq!((&s["every"], &t["every"]), (&3.into(), &7.into()));
    assert_eq!(t["arguments"], both(1));
    assert_eq!(again["arguments"], serde_json::json!({"b": 5, "a": 9}));
    assert_eq!(
        (&again["every"], &flat["step"][3]["stages"][0]["every"]),
        (&4.into(), &4.into())
    );
}

#[test]
fn lists_of_arguments_are_parameters_and_groups_of_them() {
    let text = r#"{
        "parameters": {"camera": {"eye": [1, 2, 3], "fov": 40, "more": {"x": 1}}, "gain": 2},
        "step": [{"stage": "s", "over": 1, "arguments": ["camera", "gain", "dt", {"fov": 7}]}]
    }"#;
    let flat = expanded(text, &[]).unwrap();
    let expected = serde_json::json!({"eye": "camera.eye", "gain": "gain", "dt": "dt", "fov": 7});
    assert_eq!(flat["step"][0]["arguments"], expected);
    let wrong = expanded(
        r#"{"step": [{"stage": "s", "over": 1, "arguments": ["gian"]}]}"#,
        &[],
    );
    assert!(
        wrong
            .unwrap_err()
            .to_string()
            .contains("no parameter is named `gian`")
    );
}

const HEAT: &str = r#"{
    "parameters": {"rate": 0.1, "half": "rate / 2", "box": {"side": 3}},
    "roles": {"box": {"grid": {"heat": {"type": "float", "background": 1}, "unused": "float"}},
              "far": {"buffer": "uint"}},
    "buffers": {"total": {"type": "float", "length": "box.nx * box.side"}, "spare": {"type": "float", "length": 1}},
    "groups": {"other": [{"stage": "probe", "over": 1, "reads": ["far"]}]},
    "step": [
        {"repeat": "rate", "over": 2, "stages": [
            {"stage": "spread", "over": "box", "reads": ["box.heat"], "writes": ["box.heat", "total"],
             "arguments": {"rate": "rate", "half": "half + max(rate, dt)", "side": "box.side"}}]},
        {"fill": "total", "value": 0}
    ]
}"#;

#[test]
fn an_instance_has_its_names() {
    let text = r#"{
        "use": {"warm": {"module": "heat.json", "roles": {"box": "room"}}},
        "parameters": {"warm": {"rate": 0.2}},
        "grids": {"room": {"cells": [4, 4, 4], "cell_size": 1}},
        "step": ["warm_step"]
    }"#;
    let flat = expanded(text, &[("heat.json", HEAT)]).unwrap();
    assert_eq!(
        flat["parameters"]["warm"],
        serde_json::json!({"rate": 0.2, "half": "warm.rate / 2", "box": {"side": 3}})
    );
    // What nothing uses is left out: the open role too.
    let channels = serde_json::json!({"heat": {"type": "float", "background": 1}});
    assert_eq!(flat["grids"]["room"]["channels"], channels);
    let buffers = serde_json::json!({"warm_total": {"type": "float", "length": "room.nx * warm.box.side"}});
    assert_eq!(flat["buffers"], buffers);
    let stage = serde_json::json!({
        "stage": "warm_spread", "over": "room", "reads": ["box.heat"], "writes": ["box.heat", "total"],
        "arguments": {"rate": "rate", "half": "warm.half + max(rate, dt)", "side": "warm.box.side"},
        "shader": "spread.comp", "bind": {"box": "room", "total": "warm_total"},
    });
    assert_eq!(flat["step"][0]["stages"][0], stage);
    assert_eq!(flat["step"][1]["fill"], "warm_total");
    assert!(flat.get("use").is_none() && flat.get("groups").is_none());
}

#[test]
fn ranges_of_a_module_are_those_of_its_parameters_unless_the_file_knows_better() {
    let text = r#"{
        "use": {"one": {"module": "ranged.json"}, "two": {"module": "ranged.json"}},
        "ranges": {"two.rate": [0, 3]}
    }"#;
    let module = r#"{"parameters": {"rate": 1, "most": 8}, "ranges": {"rate": [0, "2 * most"]}}"#;
    let flat = expanded(text, &[("ranged.json", module)]).unwrap();
    assert_eq!(
        flat["ranges"],
        serde_json::json!({"two.rate": [0, 3], "one.rate": [0, "2 * one.most"]})
    );
}

#[test]
fn overrides_reach_instances_and_entries() {
    let text = r#"{
        "use": {"warm": {"module": "heat.json"}},
        "grids": {"box": {"cells": [4, 4, 4], "cell_size": 1}},
        "step": ["warm_step"]
    }"#;
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("heat.json"), HEAT).unwrap();
    let mut document = Document::parse("test.json", text, directory.path()).unwrap();
    document.set("warm.rate=0.3").unwrap();
    document.set("change.warm_spread.every=2").unwrap();
    let flat = document.expand().unwrap().value();
    assert_eq!(flat["parameters"]["warm"]["rate"], 0.3);
    assert_eq!(flat["step"][0]["stages"][0]["every"], 2);
    document.set("step.warm_spread.every=3").unwrap();
    assert_eq!(
        document.expand().unwrap().value()["step"][0]["stages"][0]["every"],
        3
    );
    let problems = document.set("girds.dish=1").unwrap_err().to_string();
    assert!(problems.contains("did you mean `grids`?"), "{problems}");
    document.set("warm.rat=1").unwrap();
    let problems = document.expand().unwrap_err().to_string();
    assert!(
        problems.contains("--set warm.rat=1") && problems.contains("did you mean `rate`?"),
        "{problems}"
    );
}

#[test]
fn changes_apply_in_bases_and_modules() {
    let directory = tempfile::tempdir().unwrap();
    let base = r#"{
        "use": {"warm": {"module": "heat.json"}},
        "grids": {"box": {"cells": [4, 4, 4], "cell_size": 1}},
        "change": {"cool": {"every": 5}},
        "step": [{"stage": "cool", "over": 1, "arguments": {"a": 1, "b": 2}}, "warm_step", "cool"]
    }"#;
    for (name, text) in [("heat.json", HEAT), ("base.json", base)] {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    let text = r#"{"extends": "base.json", "change": {
        "cool": {"arguments": {"a": null, "b": 3}, "after": [{"fill": "x", "value": 0}]},
        "fill warm_total": null, "warm_spread": {"shader": "other.comp"}
    }}"#;
    let document = Document::parse("test.json", text, directory.path()).unwrap();
    let flat = document.expand().unwrap().value();
    let step = flat["step"].as_array().unwrap();
    let cool = serde_json::json!({"stage": "cool", "over": 1, "arguments": {"b": 3}, "every": 5});
    assert_eq!((step.len(), &step[0], &step[3]), (4, &cool, &cool));
    assert_eq!(step[1]["fill"], "x");
    assert_eq!(step[2]["stages"][0]["shader"], "other.comp");
}
