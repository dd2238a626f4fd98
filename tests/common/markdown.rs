//! Fenced blocks of a Markdown page.

use std::path::Path;

/// A fenced block.
pub struct Block {
    /// Number of its first line in the page.
    pub line: usize,
    pub language: String,
    /// From `<!-- file: PATH -->` on the line above the fence.
    pub file: Option<String>,
    pub text: String,
}

pub fn page(name: &str) -> String {
    let path = Path::new(crate::ROOT).join("docs").join(name);
    std::fs::read_to_string(path).unwrap()
}

pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut above = "";
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            above = if line.is_empty() { above } else { line };
            continue;
        };
        let body = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| *line != "```");
        let text = body.map(|line| format!("{line}\n")).collect();
        let file = above
            .strip_prefix("<!-- file: ")
            .and_then(|rest| rest.strip_suffix(" -->"));
        blocks.push(Block {
            line: number + 2,
            language: language.to_string(),
            file: file.map(str::to_string),
            text,
        });
        above = "";
    }
    blocks
}

#[test]
fn fenced_blocks_are_found_with_their_file_comments() {
    let found = blocks("a\n```sh\nx\n\ny\n```\n<!-- file: b/c -->\n\n```glsl\nz\n```\n");
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].line, found[0].text.as_str()), (3, "x\n\ny\n"));
    assert_eq!(found[0].file, None);
    assert_eq!(
        (found[1].file.as_deref(), found[1].language.as_str()),
        (Some("b/c"), "glsl")
    );
}
