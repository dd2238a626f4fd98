//! GLSL text as tokens and macro definitions, without a meaning.

/// A name, a number, or a single character of punctuation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'t> {
    pub text: &'t str,
    /// Its offset in the file, and its line from 1.
    start: usize,
    pub line: usize,
    starts_line: bool,
}

/// A macro; an object-like one has no parameters.
#[derive(Debug)]
pub(super) struct Macro<'t> {
    pub parameters: Option<Vec<&'t str>>,
    pub body: Vec<Token<'t>>,
}

#[derive(Debug)]
pub(super) enum Line<'t> {
    Define(&'t str, Macro<'t>),
    /// Tokens; of a directive, those that are evaluated.
    Text(Vec<Token<'t>>),
}

/// The lines of a text. A line that ends in a backslash goes on in the next.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let tokens = scan(text);
    tokens
        .chunk_by(|_, next| !next.starts_line)
        .map(|line| match line {
            [hash, directive, rest @ ..] if hash.text == "#" => match directive.text {
                "define" => defined(rest).unwrap_or(Line::Text(Vec::new())),
                "if" | "elif" => Line::Text(rest.to_vec()),
                _ => Line::Text(Vec::new()),
            },
            line => Line::Text(line.to_vec()),
        })
        .collect()
}

/// The macro that the tokens after `#define` define.
fn defined<'t>(tokens: &[Token<'t>]) -> Option<Line<'t>> {
    let (name, rest) = tokens.split_first()?;
    // Parameters follow the name without a space.
    let has_parameters = |first: &Token| first.text == "(" && first.start == name.start + name.text.len();
    let (parameters, body) = if rest.first().is_some_and(has_parameters) {
        let end = rest.iter().position(|token| token.text == ")")?;
        let names = rest[1..end].iter().map(|token| token.text);
        (
            Some(names.filter(|name| *name != ",").collect()),
            &rest[end + 1..],
        )
    } else {
        (None, rest)
    };
    let body = body.to_vec();
    Some(Line::Define(name.text, Macro { parameters, body }))
}

/// The arguments in the parentheses that begin at `at`, if they end, and the position of the last token that was looked at.
pub(super) fn arguments<'a, 't>(tokens: &'a [Token<'t>], at: usize) -> (Option<Vec<&'a [Token<'t>]>>, usize) {
    let (mut found, mut depth, mut first) = (Vec::new(), 0, at + 1);
    for (position, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "(" => depth += 1,
            ")" if depth > 1 => depth -= 1,
            ")" => {
                found.push(&tokens[first..position]);
                return (Some(found), position + 1);
            }
            "," if depth == 1 => {
                found.push(&tokens[first..position]);
                first = position + 1;
            }
            _ => {}
        }
    }
    (None, tokens.len())
}

/// The path that a line includes.
pub(super) fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("include")?.trim_start();
    let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let angled = || rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    Some(quoted.or_else(angled)?.0)
}

fn scan(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at, mut line, mut starts_line) = (Vec::new(), 0, 1, true);
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let start = at;
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        match byte {
            b'\n' => {
                (line, starts_line) = (line + 1, true);
                at += 1;
            }
            b'\\' if rest.starts_with(b"\\\n") || rest.starts_with(b"\\\r\n") => {
                line += 1;
                at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(0) + 1;
            }
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            }
            b'/' if rest.starts_with(b"/*") => {
                let length = text[at + 2..].find("*/").map_or(rest.len(), |length| length + 4);
                line += rest[..length].iter().filter(|byte| **byte == b'\n').count();
                at += length;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            byte => {
                at += match byte {
                    b'0'..=b'9' => rest.iter().position(|byte| !word(byte) && *byte != b'.'),
                    byte if word(byte) => rest.iter().position(|byte| !word(byte)),
                    _ => text[at..].chars().next().map(char::len_utf8),
                }
                .unwrap_or(rest.len());
                tokens.push(Token {
                    text: &text[start..at],
                    start,
                    line,
                    starts_line,
                });
                starts_line = false;
            }
        }
    }
    tokens
}
