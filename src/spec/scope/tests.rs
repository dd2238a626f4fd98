use super::*;

fn scope() -> Scope {
    let mut scope = Scope::default();
    let parameters = serde_json::from_str(
        r#"{"a": "2 * wind.speed + b", "wind": {"speed": 3, "to": [1, "wind.speed"]}, "b": 0.5}"#,
    )
    .unwrap();
    let mut problems = Problems::default();
    scope.insert_parameters(&parameters, &mut problems);
    assert!(problems.is_empty(), "{problems}");
    scope
}

fn value(text: &str) -> Result<f64, Problem> {
    let value = scope().number(&Number::Expression(text.into()), "/x");
    value.map_err(|problem| problem.unwrap())
}

#[test]
fn expressions_see_dotted_names() {
    assert_eq!(value("a").unwrap(), 6.5);
    assert_eq!(value("wind.to.y^2 - 1.5e1").unwrap(), -6.0);
    assert_eq!(value("floor(wind.speed / 2)").unwrap(), 1.0);
    assert_eq!(value("3e-4 * 1E+2").unwrap(), 0.03);
    assert_eq!(value("1/30").unwrap(), 1.0 / 30.0);
    assert_eq!(scope().vector("wind.to"), Some(&[1.0, 3.0][..]));
}

#[test]
fn wrong_expressions_are_problems() {
    assert_eq!(
        value("wind.sped").unwrap_err().help.unwrap(),
        "did you mean `wind.speed`?"
    );
    assert!(value("1 +").is_err());
    assert!(value("1 / 0").is_err());
    assert!(value(&"(".repeat(10_000)).is_err());
}

#[test]
fn circular_parameters_are_problems() {
    let parameters = serde_json::from_str(
        r#"{"u": "a + 1", "a": "b", "b": ["c", "d"], "c": "a", "d": 1, "self": "self", "e": "wrong", "f": "e"}"#,
    );
    let mut problems = Problems::default();
    let mut scope = Scope::default();
    scope.insert_parameters(&parameters.unwrap(), &mut problems);
    let messages: Vec<&str> = problems.list.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert_eq!(messages[0], "`wrong` is not defined here");
    assert_eq!(
        messages[1],
        "parameters refer to each other in a circle: a -> b -> c -> a"
    );
    assert_eq!(
        messages[2],
        "parameters refer to each other in a circle: self -> self"
    );
    // What needs a wrong one is not reported again.
    assert!(
        scope
            .number(&Number::Expression("2 * f + u".into()), "/x")
            .unwrap_err()
            .is_none()
    );
}

#[test]
fn long_chains_of_parameters_are_quick() {
    let list: Vec<String> = (0..20_000)
        .map(|i| format!("\"p{i}\": \"p{} + 1\"", i + 1))
        .collect();
    let parameters = serde_json::from_str(&format!("{{{}, \"p20000\": 0}}", list.join(","))).unwrap();
    let mut problems = Problems::default();
    let mut scope = Scope::default();
    scope.insert_parameters(&parameters, &mut problems);
    assert_eq!(
        scope.number(&Number::Expression("p0".into()), "/x").unwrap(),
        20_000.0
    );
}
