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
