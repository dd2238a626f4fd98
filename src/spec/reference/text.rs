//! Parts of files as Markdown.

use crate::spec::node::{Content, Member, Node};

pub fn members(node: &Node) -> &[Member] {
    match &node.content {
        Content::Object(members) => members,
        _ => &[],
    }
}

/// The type of a channel or buffer.
pub fn type_of(node: &Node) -> &str {
    let stated = node.text().or_else(|| node.get("type")?.text());
    stated.unwrap_or_default()
}

/// A value as its file writes it; a string without quotes.
pub fn code(node: &Node) -> String {
    let written = node.place.source.text.get(node.place.range.clone());
    let text = node.text().or(written).unwrap_or_default();
    format!("`{}`", text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Texts one after the other, each but the last with a full stop.
pub fn sentences(texts: &[String]) -> String {
    let mut all = String::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        if !all.is_empty() {
            all.push_str(if all.ends_with(['.', ':']) { " " } else { ". " });
        }
        all.push_str(text);
    }
    linked(&all)
}

/// A table without the columns that are empty in all rows. Nothing without rows.
pub fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    let shown: Vec<usize> = (0..N)
        .filter(|column| rows.iter().any(|row| !row[*column].is_empty()))
        .collect();
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    if shown.is_empty() {
        return String::new();
    }
    let mut text = line(shown.iter().map(|column| head[*column].to_string()).collect());
    text.push_str(&format!("|{}\n", "---|".repeat(shown.len())));
    for row in rows {
        let cells = shown.iter().map(|column| row[*column].replace('|', "\\|"));
        text.push_str(&line(cells.collect()));
    }
    text
}

/// A link to the section about a module, from the path of its file.
pub fn link(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".json").unwrap_or(name);
    format!("[{name}](#{name})")
}

/// Turns the names of pages, such as `docs/flows.md`, into links from another page.
pub fn linked(text: &str) -> String {
    const PAGES: &str = "docs/";
    let mut parts = text.split(PAGES);
    let mut linked = parts.next().unwrap_or_default().to_string();
    for part in parts {
        match part.split_once(".md") {
            Some((page, rest)) if !page.contains(char::is_whitespace) => {
                linked.push_str(&format!("[{page}]({page}.md){rest}"));
            }
            _ => linked.push_str(&format!("{PAGES}{part}")),
        }
    }
    linked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_columns_are_omitted() {
        let rows = [["`a`", "", "1 | 2"], ["`b`", "", ""]].map(|row| row.map(String::from));
        let expected = "| name | unit | words |\n|---|---|\n";
        assert_eq!(
            table(["name", "unit", "words"], &rows),
            expected.replace("| unit ", "") + "| `a` | 1 \\| 2 |\n| `b` |  |\n"
        );
        assert_eq!(table(["name"], &[]), "");
    }

    #[test]
    fn names_of_pages_become_links() {
        assert_eq!(linked("see (docs/flows.md)."), "see ([flows](flows.md)).");
        assert_eq!(
            linked("the files of docs/ and a.md"),
            "the files of docs/ and a.md"
        );
    }
}
