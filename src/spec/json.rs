//! From JSON text with comments to a tree of values. The parser continues after mistakes, so that one run reports all
//! of them.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use jsonc_parser::Scanner;
use jsonc_parser::ScannerOptions;
use jsonc_parser::tokens::Token;
use serde_json::Value;

use super::node::{Content, Member, Node};
use crate::problem::{Place, Problem, Problems, SourceText};

/// Maximum size of a pipeline file in bytes, far above that of any real file.
pub const MAX_BYTES: u64 = 2 << 20;
/// Maximum number of values in one file: each message of a mistake takes about a kilobyte.
const MAX_VALUES: usize = 100_000;
/// Maximum nesting of values, which limits the recursion of the parser.
const MAX_DEPTH: usize = 64;
/// Maximum number of syntax mistakes reported.
const MAX_MISTAKES: usize = 50;
/// Whole numbers below this limit are exact in a double.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Parses the text of a file called `name`; relative paths in it start from `directory`. Records all mistakes. Invalid
/// values become [`Content::Broken`]. `None` if the text contains no pipeline at all.
pub fn parse(name: &str, text: &str, directory: &Path, problems: &mut Problems) -> Option<Node> {
    let source = SourceText::new(name, text, directory);
    if text.len() as u64 > MAX_BYTES {
        let size = text.len();
        let message = format!("{name} has {size} bytes, more than the limit of {MAX_BYTES}");
        let help = "no pipeline needs that much; is this a pipeline file?";
        problems.push(Problem::without_place(message).help(help));
        return None;
    }
    let start = text
        .strip_prefix('\u{FEFF}')
        .map_or(0, |rest| text.len() - rest.len());
    let mut parser = Parser {
        scanner: scanner(&text[start..]),
        text,
        offset: start,
        next: None,
        source: &source,
        problems,
        mistakes: 0,
        values: 0,
    };
    parser.advance();
    if parser.next.is_none() {
        let message = "the file does not contain a pipeline";
        let help = "a pipeline is a JSON object; `sastrugi new DIR` writes a small one";
        parser.wrong(&(0..text.len().min(1)), message, help);
        return None;
    }
    let value = parser.value(0);
    if let Some((_, range)) = parser.next.take() {
        let help = "a pipeline is a single { }; is there an extra bracket?";
        parser.mistake(&range, "text follows the end of the pipeline", help);
    }
    Some(value)
}

struct Parser<'t, 'p> {
    scanner: Scanner<'t>,
    text: &'t str,
    /// Offset of the scanner's text in the whole text.
    offset: usize,
    next: Option<(Token<'t>, Range<usize>)>,
    source: &'p Arc<SourceText>,
    problems: &'p mut Problems,
    mistakes: usize,
    values: usize,
}

/// A token that the scanner could not read; already reported.
const BROKEN: Token = Token::Word("");

pub(super) fn scanner(text: &str) -> Scanner<'_> {
    let options = ScannerOptions {
        allow_single_quoted_strings: true,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    Scanner::new(text, &options)
}

const PLAIN: &str =
    "strings are in double quotes; except for comments and trailing commas, the file is plain JSON";
const UNFINISHED: &str = "add the missing end of what starts here";
const UNQUOTED: &str = "put it in double quotes";

impl<'t> Parser<'t, '_> {
    fn place(&self, range: &Range<usize>) -> Place {
        Place::new(self.source, range.clone())
    }

    fn node(&self, range: &Range<usize>, content: Content) -> Node {
        let place = self.place(range);
        Node { place, content }
    }

    fn broken(&self, range: &Range<usize>) -> Node {
        self.node(range, Content::Broken)
    }

    fn wrong(&mut self, range: &Range<usize>, message: impl Into<String>, help: &str) {
        self.mistakes += 1;
        if self.mistakes <= MAX_MISTAKES {
            self.problems.push(Problem::at(&self.place(range), message, help));
        }
    }

    fn mistake(&mut self, range: &Range<usize>, message: &str, help: &str) {
        self.wrong(range, format!("not valid JSON: {message}"), help);
    }

    /// Advances to the next token. Skips comments and invalid text.
    fn advance(&mut self) {
        let found = loop {
            match self.scanner.scan() {
                Ok(Some(Token::CommentLine(_) | Token::CommentBlock(_))) => {}
                other => break other,
            }
        };
        self.next = match found {
            Ok(None) => None,
            Ok(Some(token)) => {
                let range = self.offset + self.scanner.token_start()..self.offset + self.scanner.token_end();
                if matches!(token, Token::String(_)) && self.text[range.clone()].starts_with('\'') {
                    self.mistake(&range, "a string in single quotes", UNQUOTED);
                }
                Some((token, range))
            }
            Err(error) => {
                let start = self.offset + error.range().start;
                let kind = error.kind().to_string();
                let is_open = kind.starts_with("Unterminated");
                // An unclosed string ends at the end of its line.
                let end = match self.text[start..].find('\n').filter(|_| is_open) {
                    Some(length) => start + length,
                    None => self.offset + error.range().end,
                };
                let mut end = end.max(start + 1).min(self.text.len());
                while !self.text.is_char_boundary(end) {
                    end += 1;
                }
                self.mistake(&(start..end), &kind, if is_open { UNFINISHED } else { PLAIN });
                let rest = if self.mistakes > MAX_MISTAKES {
                    self.text.len()
                } else {
                    end
                };
                (self.offset, self.scanner) = (rest, scanner(&self.text[rest..]));
                Some((BROKEN, start..end))
            }
        };
    }

    fn is(&self, wanted: &Token) -> bool {
        self.next.as_ref().is_some_and(|(token, _)| token == wanted)
    }

    /// True if no value can start here.
    fn is_punctuation(&self) -> bool {
        let next = self.next.as_ref().map(|(token, _)| token);
        matches!(
            next,
            Some(Token::CloseBrace | Token::CloseBracket | Token::Comma | Token::Colon)
        )
    }

    /// Reads a value and advances past it.
    fn value(&mut self, depth: usize) -> Node {
        let Some((token, range)) = self.next.take() else {
            let end = self.text.len();
            let range = end.saturating_sub(1)..end;
            self.mistake(&range, "a value is missing at the end of the file", "write it");
            return self.broken(&range);
        };
        self.values += 1;
        if depth > MAX_DEPTH || self.values > MAX_VALUES {
            if depth > MAX_DEPTH {
                let message = format!("values are nested more than {MAX_DEPTH} levels deep");
                let help =
                    "no part of a pipeline is nested that deeply; is there a missing or extra bracket?";
                self.wrong(&range, message, help);
            } else {
                let message = format!("the file contains more than {MAX_VALUES} values");
                let help = "fill large buffers in a stage of `init`, and use repeats for many stages";
                self.wrong(&range, message, help);
            }
            // Later mistakes would be misleading.
            self.mistakes = MAX_MISTAKES;
            (self.offset, self.scanner) = (self.text.len(), scanner(""));
            return self.broken(&range);
        }
        let content = match token {
            Token::OpenBrace => return self.object(range.start, depth),
            Token::OpenBracket => return self.array(range.start, depth),
            Token::String(text) => Content::Scalar(Value::String(text.into_owned())),
            Token::Boolean(value) => Content::Scalar(Value::Bool(value)),
            Token::Null => Content::Scalar(Value::Null),
            Token::Number(written) => match serde_json::from_str::<Value>(written) {
                Ok(value) if value.as_f64().is_some_and(f64::is_finite) => Content::Scalar(simplest(value)),
                _ => {
                    let message = format!("`{written}` is not a number that can be represented");
                    let help = "write a decimal number such as 12, -0.5 or 3e-4, up to 1.7e308";
                    self.wrong(&range, message, help);
                    Content::Broken
                }
            },
            BROKEN => Content::Broken,
            Token::Word(word) => {
                let message = format!("`{word}` is not a value");
                self.mistake(&range, &message, UNQUOTED);
                Content::Broken
            }
            Token::CloseBrace | Token::CloseBracket | Token::Comma | Token::Colon => {
                let message = format!("a value is missing before `{}`", token.as_str());
                self.mistake(&range, &message, PLAIN);
                let node = self.broken(&range);
                self.next = Some((token, range));
                return node;
            }
            Token::CommentLine(_) | Token::CommentBlock(_) => Content::Broken,
        };
        self.advance();
        self.node(&range, content)
    }

    /// Reads the text between two items, or after the last one. Returns the end of the list or object if it is closed.
    fn end(&mut self, close: &Token, open: usize) -> Option<usize> {
        loop {
            match self.next.take() {
                None => {
                    let message = format!("`{}` is not closed", &self.text[open..open + 1]);
                    self.mistake(&(open..open + 1), &message, UNFINISHED);
                    return Some(self.text.len());
                }
                Some((token @ (Token::CloseBrace | Token::CloseBracket), range)) => {
                    if token != *close {
                        let (written, opened) = (&self.text[range.clone()], &self.text[open..open + 1]);
                        let message = format!("`{written}` closes what `{opened}` opened");
                        self.mistake(&range, &message, "use the bracket that fits");
                    }
                    self.advance();
                    return Some(range.end);
                }
                Some((Token::Comma, _)) => {
                    self.advance();
                    if self.next.is_some() && !self.is(close) {
                        return None;
                    }
                }
                Some((Token::Colon, range)) => {
                    self.mistake(&range, "unexpected colon", PLAIN);
                    self.advance();
                }
                Some((token, range)) => {
                    self.mistake(&range, "a comma is missing", "put a comma before this value");
                    self.next = Some((token, range));
                    return None;
                }
            }
        }
    }

    /// Reads the items in brackets. Returns their range in the text.
    fn items(&mut self, close: Token, open: usize, mut read: impl FnMut(&mut Self)) -> Range<usize> {
        self.advance();
        let is_empty = self.is(&close) || self.next.is_none();
        let mut end = if is_empty { self.end(&close, open) } else { None };
        while end.is_none() {
            read(self);
            end = self.end(&close, open);
        }
        open..end.unwrap_or(open)
    }

    fn array(&mut self, open: usize, depth: usize) -> Node {
        let mut items = Vec::new();
        let range = self.items(Token::CloseBracket, open, |parser| {
            items.push(parser.value(depth + 1))
        });
        self.node(&range, Content::Array(items))
    }

    fn object(&mut self, open: usize, depth: usize) -> Node {
        let (mut members, mut names) = (Vec::new(), HashSet::new());
        let range = self.items(Token::CloseBrace, open, |parser| {
            let Some(member) = parser.member(depth) else {
                return;
            };
            if names.insert(member.0.clone()) {
                members.push(member);
            } else {
                let message = format!("`{}` is written twice in one object", member.0);
                let help = "rename or remove one of them: the second would silently replace the first";
                parser.wrong(&member.1.range, message, help);
            }
        });
        self.node(&range, Content::Object(members))
    }

    /// A key with its value.
    fn member(&mut self, depth: usize) -> Option<Member> {
        let (token, range) = self.next.take()?;
        let name = match token {
            Token::String(name) => name.into_owned(),
            BROKEN => {
                self.advance();
                return None;
            }
            Token::Word(word) => {
                self.mistake(&range, &format!("the key `{word}` has no quotes"), UNQUOTED);
                word.to_string()
            }
            token => {
                let message = format!("a key is missing before `{}`", &self.text[range.clone()]);
                self.mistake(&range, &message, PLAIN);
                // A value without a key is skipped.
                self.next = Some((token, range));
                if !self.is_punctuation() {
                    self.value(depth + 1);
                }
                return None;
            }
        };
        self.advance();
        let key = self.place(&range);
        if self.is(&Token::Colon) {
            self.advance();
            return Some((name, key, self.value(depth + 1)));
        }
        self.mistake(
            &range,
            "a colon is missing after this key",
            "write \"key\": value",
        );
        let value = if self.next.is_none() || self.is_punctuation() {
            self.broken(&range)
        } else {
            self.value(depth + 1)
        };
        Some((name, key, value))
    }
}

/// Converts a whole number that is written as a decimal (`2.0`, `1e3`) to an integer.
pub fn simplest(value: Value) -> Value {
    match value.as_f64() {
        Some(f) if value.is_f64() && f.fract() == 0.0 && f.abs() < MAX_EXACT && f != 0.0 => {
            Value::from(f as i64)
        }
        _ => value,
    }
}
