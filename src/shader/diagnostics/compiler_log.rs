//! The compiler's text as a list of messages.

use super::super::compile::OUT_OF_BOUNDS;

/// One error or warning of the compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    pub file: String,
    /// From 1; `None` if the message concerns the whole module.
    pub line: Option<usize>,
    /// The name that the compiler quotes first.
    pub name: String,
    pub text: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A function that does not exist, or not with these parameters.
    Function,
    Identifier,
    /// A member of a structure.
    Member,
    Include,
    /// A function without a body, or no `main`.
    Link,
    /// Beyond the bounds of this program.
    Bound,
    Other,
}

impl Kind {
    /// Other messages about the line of an unknown name usually follow from it.
    pub(super) fn is_unknown_name(self) -> bool {
        matches!(self, Kind::Function | Kind::Identifier | Kind::Member)
    }
}

impl Message {
    pub(super) fn line_of_file(&self) -> (&str, Option<usize>) {
        (&self.file, self.line)
    }
}

/// Parses the compiler's text; empty if it has another form.
pub(super) fn messages(text: &str) -> Vec<Message> {
    let mut found: Vec<Message> = Vec::new();
    for line in text.lines() {
        match message(line) {
            Some(message) => found.push(message),
            // The second line of a message repeats the name of the file.
            None => {
                if let Some(last) = found.last_mut() {
                    let more = line.trim().strip_prefix(&format!("{}:", last.file));
                    last.text = format!("{} {}", last.text, more.unwrap_or(line).trim())
                        .trim()
                        .to_string();
                }
            }
        }
    }
    found
}

fn message(line: &str) -> Option<Message> {
    let (place, rest) = line
        .split_once(": error: ")
        .or_else(|| line.split_once(": warning: "))?;
    let numbered = place
        .rsplit_once(':')
        .and_then(|(file, line)| Some((file, Some(line.parse().ok()?))));
    let (file, line) = numbered.unwrap_or((place, None));
    let quoted = rest.strip_prefix('\'').and_then(|rest| rest.split_once("' : "));
    let (name, text) = quoted.unwrap_or(("", rest));
    let text = text.trim();
    let kind = match (name, text) {
        ("#include", _) => Kind::Include,
        _ if text.contains("no matching overloaded function found") => Kind::Function,
        _ if text == "undeclared identifier" => Kind::Identifier,
        _ if text.contains("no such field in structure") => Kind::Member,
        _ if text.starts_with("Linking") => Kind::Link,
        _ if text.starts_with(OUT_OF_BOUNDS) => Kind::Bound,
        _ => Kind::Other,
    };
    Some(Message {
        file: file.into(),
        line,
        name: name.into(),
        text: text.into(),
        kind,
    })
}
