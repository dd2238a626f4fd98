//! The table of parameters.

use super::comments::meaning;
use super::text::{code, members, sentences, table};
use crate::spec::node::{Content, Node};

/// A parameter with all that is known of it.
type Row = [String; 5];

/// The parameters in `own`, with the values in `whole`.
pub fn parameters(own: Option<&Node>, whole: Option<&Node>) -> String {
    let mut rows = Vec::new();
    if let Some(own) = own {
        add_rows(own, whole, "", &mut rows);
    }
    table(
        ["parameter", "default", "unit", "range or words", "meaning"],
        &rows,
    )
}

/// Adds a row for each parameter, and for each group with a comment. Names of parameters in groups are dotted.
fn add_rows(own: &Node, whole: Option<&Node>, group: &str, rows: &mut Vec<Row>) {
    let members = members(own);
    for (number, (name, _, own)) in members.iter().enumerate() {
        let (path, about) = (format!("{group}{name}"), meaning(members, number));
        let row = |default: &str| {
            let [unit, words] = [String::new(), String::new()];
            [
                format!("`{path}`"),
                default.into(),
                unit,
                words,
                sentences(std::slice::from_ref(&about)),
            ]
        };
        match whole.and_then(|whole| whole.get(name)) {
            None => rows.push(row("removed")),
            Some(whole) if is_group(whole) => {
                if !about.is_empty() {
                    rows.push(row(""));
                }
                add_rows(own, Some(whole), &format!("{path}."), rows);
            }
            Some(whole) => rows.push(parameter(&path, whole, about)),
        }
    }
}

fn is_group(node: &Node) -> bool {
    matches!(node.content, Content::Object(_)) && node.get("value").is_none()
}

fn parameter(path: &str, whole: &Node, about: String) -> Row {
    let text = |key: &str| whole.get(key).and_then(Node::text).unwrap_or_default();
    let list = |key: &str, between: &str| match whole.get(key).map(|node| &node.content) {
        Some(Content::Array(items)) => items.iter().map(code).collect::<Vec<_>>().join(between),
        _ => String::new(),
    };
    let labelled = |label: &str, text: &str| match text {
        "" => String::new(),
        text => format!("{label}: {text}"),
    };
    let about = [
        about,
        labelled("Outside the range", text("help")),
        labelled("Input", text("input")),
    ];
    [
        format!("`{path}`"),
        code(whole.get("value").unwrap_or(whole)),
        text("unit").into(),
        [list("range", " to "), list("words", ", ")].concat(),
        sentences(&about),
    ]
}
