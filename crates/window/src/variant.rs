//! Saves changed values as a variant of the pipeline.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::command::Base;

/// Proposed name of the variant.
pub(super) fn name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    format!("{stem}_changed.json")
}

/// Writes a variant with values in the syntax of `--set`. Never replaces a file.
pub(super) fn save(
    base: &Base,
    name: &str,
    document: &Value,
    values: &BTreeMap<String, String>,
) -> Result<PathBuf, String> {
    if name.is_empty() || name.contains(['/', '\\']) {
        return Err("the name of a file is needed, without a directory".into());
    }
    let path = base.directory.join(if name.ends_with(".json") {
        name.to_string()
    } else {
        format!("{name}.json")
    });
    let in_list = values
        .keys()
        .find(|path| leads_through_list(document, &keys(document, path)));
    if let Some(path) = in_list {
        return Err(format!(
            "`{path}` belongs to an entry of a list, which a file that extends another cannot change alone"
        ));
    }
    let text = serde_json::to_string_pretty(&content(&base.path, document, values))
        .map_err(|error| error.to_string())?;
    let written = std::fs::create_dir_all(&base.directory).and_then(|()| {
        let mut file = std::fs::File::create_new(&path)?;
        std::io::Write::write_all(&mut file, format!("{text}\n").as_bytes())
    });
    match written {
        Ok(()) => Ok(path),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(format!("{} exists; choose another name", path.display()))
        }
        Err(error) => Err(format!("cannot write {}: {error}", path.display())),
    }
}

/// The values as a JSON merge patch: nested objects along each path.
fn content(extends: &str, document: &Value, values: &BTreeMap<String, String>) -> Value {
    let mut file = Map::new();
    file.insert("extends".into(), json!(extends));
    for (path, text) in values {
        let value = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
        insert(&mut file, &keys(document, path), value);
    }
    Value::Object(file)
}

/// The JSON keys of a path of `--set`.
fn keys<'a>(document: &Value, path: &'a str) -> Vec<&'a str> {
    let parts: Vec<&str> = path.split('.').collect();
    let first = parts[0];
    // Paths of `--set` may omit `parameters`, and `use` of an instance.
    if document.get(first).is_some() {
        parts
    } else if document.get("use").is_some_and(|uses| uses.get(first).is_some()) {
        [&["use", first, "parameters"], &parts[1..]].concat()
    } else {
        [&["parameters"], &parts[..]].concat()
    }
}

fn leads_through_list(document: &Value, keys: &[&str]) -> bool {
    let below = keys.split_last().map_or(keys, |(_, above)| above);
    let mut value = Some(document);
    below.iter().any(|key| {
        value = value.and_then(|value| value.get(key));
        value.is_some_and(Value::is_array)
    })
}

fn insert(members: &mut Map<String, Value>, keys: &[&str], value: Value) {
    match keys {
        [] => {}
        [last] => {
            members.insert((*last).to_string(), value);
        }
        [first, rest @ ..] => {
            let below = members.entry(*first).or_insert_with(|| json!({}));
            if let Value::Object(below) = below {
                insert(below, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(path, text)| ((*path).into(), (*text).into()))
            .collect()
    }

    #[test]
    fn changed_values_become_a_merge_patch() {
        let values = values(&[
            ("wind.speed", "12"),
            ("parameters.n", "[1, 2]"),
            ("run.dt", "1/60"),
            ("air.lift", "6"),
        ]);
        let document = json!({"run": {}, "use": {"air": {}}, "parameters": {"wind": {}}});
        assert_eq!(
            content("base.json", &document, &values),
            json!({
                "extends": "base.json", "parameters": {"wind": {"speed": 12}, "n": [1, 2]}, "run": {"dt": "1/60"},
                "use": {"air": {"parameters": {"lift": 6}}}
            })
        );
    }

    #[test]
    fn saving_a_variant_overwrites_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let base = Base {
            directory: directory.path().into(),
            path: "base.json".into(),
        };
        let save = |name: &str| save(&base, name, &json!({}), &values(&[("a", "1")]));
        assert!(save("new").unwrap().ends_with("new.json"));
        assert!(save("new.json").unwrap_err().contains("choose another name"));
        assert!(save("../new.json").is_err());
        let document = json!({"step": [{"stage": "move"}]});
        let listed = super::save(&base, "listed", &document, &values(&[("step.0.every", "2")]));
        assert!(listed.unwrap_err().contains("entry of a list"));
        assert!(!directory.path().join("listed.json").exists());
    }
}
