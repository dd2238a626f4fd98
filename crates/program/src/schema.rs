//! `sastrugi schema`: the JSON Schema of pipeline files, for editors, and the reference page made from it.

use std::fmt::Write;

use serde_json::{Map, Value};

/// Prints the JSON Schema of pipeline files, or their reference.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi schema > pipeline.schema.json       the contents of schema/pipeline.schema.json
  sastrugi schema --markdown                   the second half of docs/spec.md")]
pub(super) struct Arguments {
    /// Prints the reference of all keys as Markdown.
    #[arg(long)]
    markdown: bool,
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    let schema = sastrugi::schema();
    if arguments.markdown {
        super::print(&Reference { schema: &schema }.text())
    } else {
        super::print(&format!("{schema:#}\n"))
    }
}

/// The schema as a page for people.
struct Reference<'a> {
    schema: &'a Value,
}

impl Reference<'_> {
    fn text(&self) -> String {
        let mut text = String::from("## Pipeline\n");
        self.definition(self.schema, &mut text);
        let no_definitions = Map::new();
        let definitions = self.schema["$defs"].as_object().unwrap_or(&no_definitions);
        for (title, definition) in definitions.iter().filter(|(title, _)| *title != "Pipeline") {
            let _ = write!(text, "\n## {title}\n");
            self.definition(definition, &mut text);
        }
        text
    }

    /// Description, then a table of keys, a list of values, or the alternatives.
    fn definition(&self, schema: &Value, text: &mut String) {
        let _ = write!(text, "\n{}\n", Notes::of(schema).meaning);
        if let Some(properties) = schema["properties"].as_object() {
            text.push_str(
                "\n| key | type | unit | default | range | example | meaning \
                 |\n|---|---|---|---|---|---|---|\n",
            );
            for (key, property) in properties {
                let _ = writeln!(text, "{}", row(key, property, schema));
            }
        } else if let Some(values) = schema["enum"].as_array() {
            let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
            let _ = write!(text, "\nOne of {}.\n", values.join(", "));
        } else if schema["anyOf"].is_array() {
            let _ = write!(text, "\nOne of: {}.\n", type_of(schema));
        }
    }
}

fn row(key: &str, property: &Value, owner: &Value) -> String {
    let notes = Notes::of(property);
    let required = owner["required"]
        .as_array()
        .is_some_and(|keys| keys.iter().any(|required| required == key));
    let default = if required { "required" } else { &notes.default };
    let cells = [
        &type_of(property),
        &notes.unit,
        default,
        &notes.range,
        &notes.example,
        &notes.meaning,
    ];
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| `{key}` | {} |", cells.join(" | "))
}

/// The parts of a description: text, then lines of the form `- Unit: m`.
#[derive(Default)]
struct Notes {
    meaning: String,
    unit: String,
    default: String,
    range: String,
    example: String,
}

impl Notes {
    fn of(schema: &Value) -> Notes {
        let mut notes = Notes::default();
        let mut into = &mut notes.meaning;
        for line in schema["description"].as_str().unwrap_or_default().lines() {
            let (label, rest) = match line.split_once(": ") {
                Some((label, rest)) if label.starts_with("- ") => (label, rest),
                _ => ("", line),
            };
            into = match label {
                "- Unit" => &mut notes.unit,
                "- Default" => &mut notes.default,
                "- Range" => &mut notes.range,
                "- Example" => &mut notes.example,
                _ => into,
            };
            let rest = rest.trim();
            if !into.is_empty() && !rest.is_empty() {
                into.push(' ');
            }
            into.push_str(rest);
        }
        notes
    }
}

/// A schema's type in words, with links to definitions.
fn type_of(schema: &Value) -> String {
    if let Some(target) = schema["$ref"].as_str() {
        let title = target
            .rsplit('/')
            .next()
            .unwrap_or(target)
            .replace("%20", " ")
            .to_lowercase();
        return format!("[{title}](#{})", title.replace(' ', "-"));
    }
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let present = alternatives.iter().filter(|schema| schema["type"] != "null");
        return present.map(type_of).collect::<Vec<_>>().join(" or ");
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null"),
        kind => Some(kind),
    };
    match kind.and_then(Value::as_str).unwrap_or_default() {
        "string" => "string".into(),
        "integer" => "integer".into(),
        "array" => match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
            (Some(least), Some(most)) if least == most => {
                format!("list of {least} x {}", type_of(&schema["items"]))
            }
            _ => format!("list of {}", type_of(&schema["items"])),
        },
        "object" => format!("object of {}", type_of(&schema["additionalProperties"])),
        kind => kind.into(),
    }
}
