//! Checks a document against the schema of the file types and words what does not fit.

use std::sync::LazyLock;

use jsonschema::Validator;
use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind};
use serde_json::Value;

use super::file;
use crate::problem::pointer_part;
use crate::problem::{Problem, Problems};

static SCHEMA: LazyLock<Value> = LazyLock::new(file::schema);
static VALIDATOR: LazyLock<Option<Validator>> = LazyLock::new(|| jsonschema::validator_for(&SCHEMA).ok());

/// Keys that tell one form of a value from another, besides those of entries.
const DISCRIMINATORS: &[&str] = &[
    "mesh",
    "sphere",
    "box",
    "file",
    "npy",
    "expression",
    "type",
    "source",
    "values",
];
fn tells_apart(key: &str) -> bool {
    DISCRIMINATORS.contains(&key) || file::ENTRY_KEYS.contains(&key)
}

/// Most misfits that are looked at.
const MOST_PROBLEMS: usize = 200;

/// Every place where `value` does not fit the schema.
pub(super) fn check(value: &Value) -> Problems {
    let mut problems = Problems::default();
    match VALIDATOR.as_ref() {
        Some(validator) => validator
            .iter_errors(value)
            .take(MOST_PROBLEMS)
            .for_each(|error| describe(&error, value, &mut problems)),
        None => problems.push(Problem::without_place(
            "the built-in schema of pipeline files is broken",
        )),
    }
    // A key that is missing because it is misspelt is reported as misspelt.
    let misspelt: Vec<Problem> = problems
        .list
        .iter()
        .filter(|problem| problem.is_on_key())
        .cloned()
        .collect();
    problems.list.retain(|missing| {
        !misspelt.iter().any(|problem| {
            let parent = problem.pointer.rsplit_once('/').map(|(parent, _)| parent);
            problem
                .meant()
                .is_some_and(|name| missing.message == missing_key(name))
                && parent == Some(&missing.pointer)
        })
    });
    problems
}

fn missing_key(name: &str) -> String {
    format!("the key `{name}` is missing")
}

fn describe(error: &ValidationError, root: &Value, problems: &mut Problems) {
    let pointer = error.instance_path().to_string();
    let written = || root.pointer(&pointer).map_or("nothing", kind_of);
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let known = known_keys(error);
            for key in unexpected.iter().take(MOST_PROBLEMS) {
                let problem = Problem::on_key(
                    format!("{pointer}/{}", pointer_part(key)),
                    format!("unknown key `{key}`"),
                );
                problems.push(problem.suggest(key, known.iter().copied()));
            }
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let about = about(&format!("{pointer}/{}", pointer_part(name)), root);
            let help = match about {
                Some(text) => format!("add \"{name}\": {text}"),
                None => format!("add \"{name}\""),
            };
            problems.push(Problem::new(pointer, missing_key(name)).help(help));
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            match meant(context, &pointer, root) {
                Some(errors) => errors.iter().for_each(|error| describe(error, root, problems)),
                None => {
                    let mut wanted: Vec<String> = context.iter().flatten().flat_map(wanted_types).collect();
                    wanted.dedup();
                    problems.push(wrong_type(root, &pointer, &wanted, written()));
                }
            }
        }
        ValidationErrorKind::Enum { options } => {
            let names: Vec<&str> = texts(options);
            let value = root.pointer(&pointer);
            let problem = match value.and_then(Value::as_str) {
                Some(text) => Problem::new(pointer, format!("`{text}` is not one of {}", names.join(", ")))
                    .suggest(text, names),
                None => wrong_type(
                    root,
                    &pointer,
                    &[format!("one of {}", names.join(", "))],
                    written(),
                ),
            };
            problems.push(problem);
        }
        ValidationErrorKind::Type { .. } => {
            problems.push(wrong_type(root, &pointer, &wanted_types(error), written()))
        }
        ValidationErrorKind::MinItems { .. } | ValidationErrorKind::MaxItems { .. } => {
            let count = root
                .pointer(&pointer)
                .and_then(Value::as_array)
                .map_or(0, Vec::len);
            let list = schema_of(error);
            let [least, most] = ["minItems", "maxItems"].map(|key| list.get(key).and_then(Value::as_u64));
            let wanted = match (least, most) {
                (Some(least), Some(most)) if least < most => format!("{least} or {most}"),
                (least, most) => format!("exactly {}", most.or(least).unwrap_or(0)),
            };
            let message = format!("{wanted} items are required, not {count}");
            problems.push(with_about(
                Problem::new(&pointer, message),
                &pointer,
                "write one item per axis",
                root,
            ));
        }
        ValidationErrorKind::Minimum { limit } => {
            let message = format!(
                "{} is less than {limit}",
                root.pointer(&pointer).unwrap_or(&Value::Null)
            );
            problems.push(with_about(
                Problem::new(&pointer, message),
                &pointer,
                "write a larger number",
                root,
            ));
        }
        ValidationErrorKind::Maximum { limit } => {
            let message = format!(
                "{} is more than {limit}",
                root.pointer(&pointer).unwrap_or(&Value::Null)
            );
            problems.push(with_about(
                Problem::new(&pointer, message),
                &pointer,
                "write a smaller number",
                root,
            ));
        }
        _ => problems.push(with_about(
            Problem::new(&pointer, error.to_string()),
            &pointer,
            "`sastrugi schema` prints what is allowed",
            root,
        )),
    }
}

/// The alternative that the author most likely meant: the one whose errors lie deepest (its outer form fits), then
/// the one with the fewest. None when the value has the form of none.
fn meant<'a, 'e>(
    alternatives: &'a [Vec<ValidationError<'e>>],
    pointer: &str,
    root: &Value,
) -> Option<&'a Vec<ValidationError<'e>>> {
    let depth = |errors: &[ValidationError]| {
        let depths = errors
            .iter()
            .map(|e| e.instance_path().to_string().matches('/').count());
        depths.min().unwrap_or(0)
    };
    let is_text = root.pointer(pointer).is_some_and(Value::is_string);
    let fitting = alternatives
        .iter()
        .filter(|errors| fits_form(errors, pointer, is_text));
    fitting.min_by_key(|errors| {
        (
            missing_discriminators(errors),
            std::cmp::Reverse(depth(errors)),
            errors.len(),
        )
    })
}

/// Whether the value itself, rather than something in it, has the right form.
fn fits_form(errors: &[ValidationError], pointer: &str, is_text: bool) -> bool {
    let fits = |error: &ValidationError| match error.kind() {
        ValidationErrorKind::Type { .. } => false,
        ValidationErrorKind::Enum { .. } => is_text,
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            context.iter().any(|errors| fits_form(errors, pointer, is_text))
        }
        _ => true,
    };
    let of_value = |error: &&ValidationError| error.instance_path().to_string() == pointer;
    !errors.is_empty() && errors.iter().filter(of_value).all(fits)
}

fn wrong_type(root: &Value, pointer: &str, wanted: &[String], written: &str) -> Problem {
    let choice = wanted.iter().any(|kind| kind.starts_with("one of"));
    let wanted: Vec<&str> = wanted
        .iter()
        .map(String::as_str)
        .filter(|kind| *kind != "null" && !(choice && *kind == "a text"))
        .collect();
    let form = match wanted.as_slice() {
        ["a number", "a text", ..] => "write a number, or an expression in quotes such as \"2 * wind.speed\"",
        ["a text", ..] => "write it in double quotes",
        ["a whole number", ..] => "write a whole number, without quotes",
        ["an array", ..] => "write a list in [ ]",
        ["an object", ..] => "write { } with its keys",
        ["a boolean", ..] => "write true or false",
        _ => "write one of these",
    };
    let expected = match wanted.as_slice() {
        ["a number", "a text", rest @ ..] => [&["a number", "an expression"], rest].concat(),
        other => other.to_vec(),
    };
    let message = format!("expected {}, not {written}", expected.join(" or "));
    with_about(Problem::new(pointer, message), pointer, form, root)
}

/// Adds what the value means, after what to do about it.
fn with_about(problem: Problem, pointer: &str, remedy: &str, root: &Value) -> Problem {
    match (about(pointer, root), pointer.rsplit_once('/')) {
        (Some(text), Some((_, key))) if key.parse::<usize>().is_err() => {
            problem.help(format!("{remedy}. `{key}`: {text}"))
        }
        _ => problem.help(remedy),
    }
}

/// What the schema says about the value at a JSON pointer, which need not be there.
fn about(pointer: &str, root: &Value) -> Option<String> {
    let mut node: &Value = &SCHEMA;
    let mut value = Some(root);
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        node = child(node, &part, value)?;
        value = value.and_then(|value| match value {
            Value::Array(items) => items.get(part.parse::<usize>().ok()?),
            other => other.get(&part),
        });
    }
    let text = node
        .get("description")
        .or_else(|| target(node).get("description"))?;
    // The meaning comes first, then a list of unit, default, range and example.
    let (meaning, facts) = text.as_str()?.split_once("\n\n").unwrap_or((text.as_str()?, ""));
    let facts = facts.replace("\n  ", " ");
    let fact = |label: &str| {
        facts
            .lines()
            .find_map(|line| line.strip_prefix("- ")?.strip_prefix(label))
    };
    let unit = fact("Unit: ")
        .filter(|unit| *unit != "yours")
        .map(|unit| format!(" ({unit})"));
    let example = fact("Example: ").map(|example| format!("; for example {}", example.trim_matches('`')));
    let words: Vec<&str> = meaning.split_whitespace().collect();
    let meaning = words.join(" ");
    Some(
        [
            meaning.trim_end_matches('.'),
            &unit.unwrap_or_default(),
            &example.unwrap_or_default(),
        ]
        .concat(),
    )
}

/// The schema that a `$ref` names, or the schema itself.
fn target(node: &Value) -> &Value {
    let reference = node.get("$ref").and_then(Value::as_str);
    reference
        .and_then(|reference| SCHEMA.pointer(reference.trim_start_matches('#')))
        .unwrap_or(node)
}

/// The schema of one member of `value`.
fn child<'a>(node: &'a Value, part: &str, value: Option<&Value>) -> Option<&'a Value> {
    let node = target(node);
    let properties = node.get("properties").and_then(|properties| properties.get(part));
    let others = || {
        node.get("additionalProperties")
            .filter(|schema| schema.is_object())
    };
    let items = || node.get("items");
    // Of several forms, the one whose distinguishing key the value has.
    let is_meant = |node: &&'a Value| {
        let required = target(node).get("required").and_then(Value::as_array);
        let mut names = required.into_iter().flatten().filter_map(Value::as_str);
        names.any(|name| tells_apart(name) && value.is_some_and(|value| value.get(name).is_some()))
    };
    let alternatives = || {
        let forms = node.get("anyOf")?.as_array()?;
        let of = |node: &'a Value| child(node, part, value);
        (forms.iter().find(is_meant).and_then(of)).or_else(|| forms.iter().find_map(of))
    };
    properties.or_else(others).or_else(items).or_else(alternatives)
}

/// A stage lacks `stage`, a repeat lacks `repeat`: then the other was meant.
fn missing_discriminators(errors: &[ValidationError]) -> usize {
    errors
        .iter()
        .filter(|error| match error.kind() {
            ValidationErrorKind::Required { property } => property.as_str().is_some_and(tells_apart),
            _ => false,
        })
        .count()
}

fn texts(options: &Value) -> Vec<&str> {
    options
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn wanted_types(error: &ValidationError) -> Vec<String> {
    match error.kind() {
        ValidationErrorKind::Type {
            kind: TypeKind::Single(kind),
        } => vec![article(&kind.to_string())],
        ValidationErrorKind::Type {
            kind: TypeKind::Multiple(kinds),
        } => kinds.iter().map(|kind| article(&kind.to_string())).collect(),
        ValidationErrorKind::Enum { options } => vec![format!("one of {}", texts(options).join(", "))],
        ValidationErrorKind::AnyOf { context } => context.iter().flatten().flat_map(wanted_types).collect(),
        _ => Vec::new(),
    }
}

fn article(kind: &str) -> String {
    match kind {
        "integer" => "a whole number".into(),
        "string" => "a text".into(),
        "array" | "object" => format!("an {kind}"),
        "null" => "null".into(),
        other => format!("a {other}"),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a fraction",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The schema that a value does not fit.
fn schema_of(error: &ValidationError) -> &'static Value {
    let location = error.schema_path().to_string();
    let parent = location
        .rsplit_once('/')
        .map(|(parent, _)| parent)
        .unwrap_or_default();
    let mut node: &'static Value = &SCHEMA;
    for part in parent.split('/').skip(1) {
        node = target(node);
        if part == "$ref" {
            continue;
        }
        let part = part.replace("~1", "/").replace("~0", "~");
        node = match node {
            Value::Array(items) => part
                .parse::<usize>()
                .ok()
                .and_then(|i| items.get(i))
                .unwrap_or(node),
            other => other.get(&part).unwrap_or(other),
        };
    }
    target(node)
}

/// The keys of the object schema that refused an unknown one.
fn known_keys(error: &ValidationError) -> Vec<&'static str> {
    let properties = schema_of(error).get("properties").and_then(Value::as_object);
    properties
        .map(|map| map.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
