use super::*;
use serde_json::json;

fn messages(value: Value) -> Vec<String> {
    let problems = check(&value);
    let text = |p: &Problem| {
        format!(
            "{} {} {}",
            p.pointer,
            p.message,
            p.help.clone().unwrap_or_default()
        )
    };
    problems.list.iter().map(text).collect()
}

#[test]
fn a_small_pipeline_fits() {
    let value = json!({"time": {"dt": 1}, "step": [{"stage": "a", "over": 4}, {"repeat": "i", "over": 2, "stages": []}]});
    assert_eq!(messages(value), Vec::<String>::new());
}

#[test]
fn all_mistakes_are_reported_with_suggestions() {
    let value = json!({
        "tme": {"dt": 1}, "time": {"dt": true},
        "step": [{"stage": "a", "over": 4, "raeds": []}, {"repeat": "i", "over": 2, "stagse": []}],
        "grids": {"air": {"cells": [1], "cell_size": 1, "channels": {"u": "flaot", "v": {"tpe": "float"}}}}
    });
    let messages = messages(value);
    let find = |pointer: &str, text: &str| {
        assert!(
            messages
                .iter()
                .any(|m| m.starts_with(pointer) && m.contains(text)),
            "{pointer} {text}: {messages:#?}"
        );
    };
    find("/tme", "did you mean `time`?");
    find("/time/dt", "a number");
    find("/step/0/raeds", "did you mean `reads`?");
    find("/step/1/stagse", "did you mean `stages`?");
    find("/grids/air/cells", "2 or 3 items are required, not 1");
    find("/grids/air/channels/u", "did you mean `float`?");
    // Missing because misspelt: one report.
    find("/grids/air/channels/v/tpe", "did you mean `type`?");
    assert!(
        !messages.iter().any(|m| m.contains("is missing")),
        "{messages:#?}"
    );
}
