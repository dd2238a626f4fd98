//! Definitions of the JSON Schema: of objects, of values with alternative forms, and of words.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

/// A key of an object.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    pub name: &'static str,
    pub is_required: bool,
    /// Its documentation, followed by lines with its unit, default, range and example.
    pub doc: &'static str,
}

/// The definitions of a schema by their titles.
pub type Definitions = IndexMap<String, Value>;

/// Defines the schema of an object and returns a reference to it. `properties` returns the schemas of its keys.
pub fn object_schema(
    definitions: &mut Definitions,
    title: &str,
    about: &str,
    keys: &[Key],
    properties: &dyn Fn(&mut Definitions) -> Vec<Value>,
) -> Value {
    if !definitions.contains_key(title) {
        // An object may contain objects of its own type.
        definitions.insert(title.to_string(), Value::Null);
        let mut members = Map::new();
        for (key, mut schema) in keys.iter().zip(properties(definitions)) {
            if let Value::Object(schema) = &mut schema {
                schema.insert("description".into(), text_of(key.doc).into());
            }
            members.insert(key.name.to_string(), schema);
        }
        let mut schema = json!({
            "title": title,
            "description": text_of(about),
            "type": "object",
            "properties": members,
            "additionalProperties": false,
        });
        let required = keys.iter().filter(|key| key.is_required).map(|key| key.name);
        let required: Vec<&str> = required.collect();
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        definitions.insert(title.to_string(), schema);
    }
    reference(title)
}

/// Defines the schema of a value with alternative forms and returns a reference to it.
pub fn alternatives(
    definitions: &mut Definitions,
    title: &str,
    about: &str,
    forms: impl FnOnce(&mut Definitions) -> Vec<Value>,
) -> Value {
    if !definitions.contains_key(title) {
        // A form may contain values of the same type.
        definitions.insert(title.to_string(), Value::Null);
        let forms = forms(definitions);
        definitions.shift_remove(title);
        let schema = json!({"title": title, "description": about, "anyOf": forms});
        definitions.insert(title.to_string(), schema);
    }
    reference(title)
}

/// Defines the schema of a set of words and returns a reference to it.
pub fn words_schema(definitions: &mut Definitions, title: &str, about: &str, words: &[&str]) -> Value {
    let schema = || json!({"title": title, "description": text_of(about), "enum": words});
    definitions.entry(title.to_string()).or_insert_with(schema);
    reference(title)
}

fn reference(title: &str) -> Value {
    json!({"$ref": format!("#/$defs/{}", title.replace(' ', "%20"))})
}

/// A description without the space at the beginning of its lines.
pub fn text_of(doc: &str) -> String {
    let lines = doc.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n").trim().to_string()
}
