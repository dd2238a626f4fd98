//! Comments of pipeline files. Lines with `//` directly above a key describe it, and the keys beside it on its line.

use crate::problem::Place;
use crate::spec::node::Member;

/// The lines of the comment above a key, without `// `. Only the first key of a line has one.
pub fn above(key: &Place) -> Vec<&str> {
    let before = &key.source.text[..key.range.start];
    let Some((lines, indent)) = before.rsplit_once('\n') else {
        return Vec::new();
    };
    if !indent.trim().is_empty() {
        return Vec::new();
    }
    let comments = lines
        .lines()
        .rev()
        .map_while(|line| line.trim().strip_prefix("//"));
    let mut found: Vec<&str> = comments
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    found.reverse();
    found
}

/// The comment above a member of an object as one line. It starts with the names of the keys that it describes if these
/// are several.
pub fn meaning(members: &[Member], number: usize) -> String {
    let (_, key, _) = &members[number];
    let text = above(key).join(" ");
    let same_line = members[number..].iter().take_while(|(_, other, _)| {
        let between = key.source.text.get(key.range.start..other.range.start);
        between.is_some_and(|between| !between.contains('\n'))
    });
    let names: Vec<String> = same_line.map(|(name, ..)| format!("`{name}`")).collect();
    if text.is_empty() || names.len() < 2 {
        text
    } else {
        format!("{}: {text}", names.join(", "))
    }
}

/// A comment as paragraphs, lists and indented equations of Markdown.
pub fn paragraphs(lines: &[&str]) -> String {
    let is_equation = |line: &str| line.starts_with("    ");
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let previous = number.checked_sub(1).map(|before| lines[before]);
        let is_apart = previous.is_some_and(|previous| {
            is_equation(previous) != is_equation(line)
                || (line.starts_with("- ") && !previous.starts_with(['-', ' ']))
        });
        if is_apart {
            text.push('\n');
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_and_lists_are_set_apart() {
        let lines = ["It solves", "    div u = 0", "for u.", "- one", "  more", "- two"];
        let expected = "It solves\n\n    div u = 0\n\nfor u.\n\n- one\n  more\n- two\n";
        assert_eq!(paragraphs(&lines), expected);
    }
}
