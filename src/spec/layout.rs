//! The layout of pipeline files. Line breaks of the author and comments are kept; everything else has one form.

use std::path::Path;

use jsonc_parser::Scanner;
use jsonc_parser::tokens::Token;

use super::json::parse;
use crate::problem::Problems;

/// Maximum length of a line in characters.
const MAX_WIDTH: usize = 130;
/// Spaces per level of indentation.
const LEVEL: usize = 2;

/// An indivisible part of the text, with the number of line breaks before it.
struct Piece<'t> {
    text: &'t str,
    kind: Kind,
    breaks: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Open,
    Close,
    Comma,
    Colon,
    Value,
    Comment,
    LineComment,
}

/// An open bracket: the indentation of its own line, and of the lines inside.
struct Open {
    outside: usize,
    inside: usize,
    /// True for a list of plain values, whose lines are filled.
    is_plain: bool,
}

/// Formats a pipeline file. The error contains the invalid JSON.
pub fn of(name: &str, text: &str) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let root = parse(name, text, Path::new(""), &mut problems);
    if root.is_some() && problems.is_empty() {
        Ok(formatted(text))
    } else {
        Err(problems)
    }
}

fn formatted(text: &str) -> String {
    let pieces = pieces(text);
    let mut page = Page::default();
    let mut open: Vec<Open> = Vec::new();
    for (number, piece) in pieces.iter().enumerate() {
        let previous = number.checked_sub(1).map(|before| pieces[before].kind);
        if piece.kind == Kind::Comma && is_last(&pieces[number + 1..]) {
            continue;
        }
        let indent = open.last().map_or(0, |open| match piece.kind {
            Kind::Close => open.outside,
            _ => open.inside,
        });
        let is_item = matches!(piece.kind, Kind::Open | Kind::Value) && previous == Some(Kind::Comma);
        let breaks = match piece.kind {
            Kind::Comma | Kind::Colon => 0,
            _ if previous == Some(Kind::LineComment) => piece.breaks.max(1),
            _ if previous == Some(Kind::Colon) => 0,
            // There are no empty lines before a closing bracket.
            Kind::Close => piece.breaks.min(1),
            _ if previous == Some(Kind::Open) => piece.breaks.min(1),
            _ if is_item && (piece.breaks == 0 || open.last().is_some_and(|open| open.is_plain)) => {
                usize::from(page.column + 1 + width(&pieces[number..]) > MAX_WIDTH)
            }
            _ => piece.breaks,
        };
        match breaks {
            0 => {
                let is_tight = matches!(piece.kind, Kind::Comma | Kind::Colon | Kind::Close)
                    || matches!(previous, None | Some(Kind::Open)) && piece.kind != Kind::LineComment;
                if !is_tight {
                    page.put(" ");
                }
            }
            breaks => page.break_line(breaks.min(2), indent),
        }
        match piece.kind {
            Kind::Open => {
                let outside = page.indent;
                let step = if page.column == outside { 1 } else { LEVEL };
                // The lines after a bracket at the end of a line are one level deeper.
                let rest = &pieces[number + 1..];
                let comments = rest
                    .iter()
                    .take_while(|piece| piece.kind == Kind::LineComment && piece.breaks == 0);
                let is_at_end = rest.get(comments.count()).is_some_and(|next| next.breaks > 0);
                let inside = outside + if is_at_end { LEVEL } else { step };
                let first_other = rest
                    .iter()
                    .find(|piece| !matches!(piece.kind, Kind::Value | Kind::Comma));
                let is_plain =
                    piece.text == "[" && first_other.is_some_and(|other| other.kind == Kind::Close);
                open.push(Open {
                    outside,
                    inside,
                    is_plain,
                });
            }
            Kind::Close => drop(open.pop()),
            _ => {}
        }
        page.put(piece.text);
    }
    page.text + "\n"
}

/// True for a trailing comma: only comments follow it in its list.
fn is_last(rest: &[Piece]) -> bool {
    rest.iter()
        .find(|piece| !matches!(piece.kind, Kind::Comment | Kind::LineComment))
        .is_none_or(|next| next.kind == Kind::Close)
}

/// Number of characters up to the end of an item, including text that follows without a space.
fn width(pieces: &[Piece]) -> usize {
    let (mut depth, mut width) = (0usize, 0);
    for piece in pieces {
        // Lines that the author breaks need not fit.
        if depth > 0 && piece.breaks > 0 && piece.kind != Kind::Comma {
            return width;
        }
        match piece.kind {
            Kind::Open => depth += 1,
            Kind::Close if depth == 0 => return width + piece.text.len(),
            Kind::Close => depth -= 1,
            Kind::Comma if depth == 0 => return width + 1,
            Kind::Comment | Kind::LineComment => return width,
            _ => {}
        }
        width += piece.text.chars().count() + usize::from(matches!(piece.kind, Kind::Comma | Kind::Colon));
    }
    width
}

#[derive(Default)]
struct Page {
    text: String,
    column: usize,
    /// The indentation of the current line.
    indent: usize,
}

impl Page {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.chars().count();
    }

    fn break_line(&mut self, breaks: usize, indent: usize) {
        self.text.push_str(&"\n".repeat(breaks));
        (self.column, self.indent) = (0, indent);
        self.put(&" ".repeat(indent));
    }
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut scanner: Scanner = super::json::scanner(text);
    let mut pieces = Vec::new();
    let mut end = 0;
    while let Ok(Some(token)) = scanner.scan() {
        let kind = match token {
            Token::OpenBrace | Token::OpenBracket => Kind::Open,
            Token::CloseBrace | Token::CloseBracket => Kind::Close,
            Token::Comma => Kind::Comma,
            Token::Colon => Kind::Colon,
            Token::CommentLine(_) => Kind::LineComment,
            Token::CommentBlock(_) => Kind::Comment,
            _ => Kind::Value,
        };
        let start = scanner.token_start();
        let between = &text[end..start];
        end = scanner.token_end();
        pieces.push(Piece {
            text: text[start..end].trim_end(),
            kind,
            breaks: if pieces.is_empty() {
                0
            } else {
                between.matches('\n').count()
            },
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formatting_keeps_line_breaks_and_normalizes_the_rest() {
        let text = "{ // one\n\"a\":1,\"b\" : [1,2 ,\n3],\n\n\n  // two\n\"c\": {\n\"d\": {\"e\": 1,\n\"f\":2},\n},\n\"g\": [\n{\"h\": 1,\n\"i\": 2}, /* three */ 4\n],}";
        let wanted = "{ // one\n  \"a\": 1, \"b\": [1, 2, 3],\n\n  // two\n  \"c\": {\n    \"d\": {\"e\": 1,\n      \"f\": 2}\n  },\n  \"g\": [\n    {\"h\": 1,\n     \"i\": 2}, /* three */ 4\n  ]}\n";
        assert_eq!(formatted(text), wanted);
        assert_eq!(formatted(wanted), wanted);
    }

    #[test]
    fn long_lines_break_between_items() {
        let items: Vec<String> = (0..60).map(|i| format!("\"item_{i}\"")).collect();
        let text = formatted(&format!("{{\"list\": [{}]}}", items.join(",")));
        assert!(
            text.lines().count() > 4 && text.lines().all(|line| line.chars().count() <= MAX_WIDTH),
            "{text}"
        );
        assert_eq!(formatted(&text), text);
        // Control: a short list stays on its line.
        assert_eq!(formatted("{\"list\":[1,2]}"), "{\"list\": [1, 2]}\n");
    }
}
