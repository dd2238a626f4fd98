//! The values of parameters, for the window.

use serde_json::Value;

use crate::problem::Problems;

use super::file::{InputFile, Named, Number};
use super::scope::Scope;

/// A parameter of an expanded file that has a value of its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParameterValue {
    /// Its dotted name.
    pub name: String,
    /// The number, or the components of the vector.
    pub values: Vec<f64>,
    /// What the file says of useful values.
    pub range: Option<[f64; 2]>,
}

/// A number or a vector as `--set` takes it.
pub(crate) fn value_text(values: &[f64]) -> String {
    match values {
        [one] => format!("{one}"),
        all => format!("{all:?}"),
    }
}

/// All parameters of an expanded file without mistakes, in its order.
pub(crate) fn parameters(document: &Value) -> Vec<ParameterValue> {
    let named = |key: &str| {
        document
            .get(key)
            .cloned()
            .unwrap_or_else(|| Value::Object(Default::default()))
    };
    let mut scope = Scope::default();
    if let Ok(parameters) = serde_json::from_value(named("parameters")) {
        scope.insert_parameters(&parameters, &mut Problems::default());
    }
    let ranges: Named<[Number; 2]> = serde_json::from_value(named("ranges")).unwrap_or_default();
    let mut names = Vec::new();
    leaves(&named("parameters"), "", &mut names);
    let value = |name: String| {
        let number = |number: &Number| scope.number(number, "").ok();
        let values = match scope.vector(&name) {
            Some(vector) => vector.to_vec(),
            None => vec![number(&Number::Expression(name.clone()))?],
        };
        let range = ranges
            .get(&name)
            .and_then(|[least, most]| Some([number(least)?, number(most)?]));
        Some(ParameterValue { name, values, range })
    };
    names.into_iter().filter_map(value).collect()
}

/// The channel with the distances of what a picture shows, for the place of the pointer in the scene.
pub(crate) fn depth_of_input(document: &Value) -> Option<String> {
    let depth = document.pointer("/input/pointer/depth")?;
    depth.as_str().map(str::to_string)
}

/// The parameters that the window sets, by place below `input` (`["pointer", "at"]`).
pub(crate) fn input(document: &Value) -> Vec<([String; 2], String)> {
    let input: InputFile = document
        .get("input")
        .and_then(|input| serde_json::from_value(input.clone()).ok())
        .unwrap_or_default();
    let parameters = input.parameters();
    let owned = parameters
        .into_iter()
        .map(|(place, name, _)| (place.map(str::to_string), name.to_string()));
    owned.collect()
}

fn leaves(value: &Value, path: &str, names: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = match path.is_empty() {
                    true => name.clone(),
                    false => format!("{path}.{name}"),
                };
                leaves(member, &name, names);
            }
        }
        _ => names.push(path.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parameters_have_values_in_the_order_of_the_file_and_ranges() {
        let document = json!({
            "parameters": {"wind": {"to": ["n", 0, 1], "speed": "2 * n"}, "n": 4},
            "ranges": {"wind.speed": [0, "10 * n"]}
        });
        let value = |name: &str, values: &[f64], range| ParameterValue {
            name: name.into(),
            values: values.into(),
            range,
        };
        let found = parameters(&document);
        assert_eq!(found.len(), 3);
        assert!(
            found.contains(&value("wind.to", &[4.0, 0.0, 1.0], None)),
            "{found:?}"
        );
        assert!(
            found.contains(&value("wind.speed", &[8.0], Some([0.0, 40.0]))),
            "{found:?}"
        );
        assert!(found.contains(&value("n", &[4.0], None)), "{found:?}");
        assert_eq!(parameters(&json!({})), []);
        assert_eq!(input(&json!({})), []);
        let place = |one: &str, two: &str| [one.to_string(), two.to_string()];
        let read = input(&json!({"input": {"pointer": {"at": "a"}, "keys": {"b": "c"}}}));
        assert_eq!(
            read,
            [
                (place("pointer", "at"), "a".into()),
                (place("keys", "b"), "c".into())
            ]
        );
    }
}
