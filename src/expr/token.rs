//! From the text of an expression to tokens.

use std::ops::Range;

use super::Mistake;

/// Maximum length of an expression in bytes, and maximum nesting of brackets. They limit the recursion of the parser
/// and of functions that walk the tree.
pub(super) const MAX_BYTES: usize = 1000;
const MAX_DEPTH: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'t> {
    Number(f64),
    Word(&'t str),
    Symbol(&'static str),
}

/// A token and its bytes in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spanned<'t> {
    pub token: Token<'t>,
    pub range: Range<usize>,
}

/// All symbols, longer ones first.
const SYMBOLS: [&str; 18] = [
    "<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "^", "(", ")", "[", "]", ",", ".", "**",
];

pub(super) const HELP: &str = "an expression may use + - * / ^ ( ), comparisons, and, or, not, functions such as sqrt and if, and named values";

/// The tokens of a text. Checks that brackets match and are not nested too deeply.
pub(super) fn tokens(text: &str) -> Result<Vec<Spanned<'_>>, Mistake> {
    let whole = 0..text.len();
    if text.len() > MAX_BYTES {
        let message = format!(
            "an expression has at most {MAX_BYTES} characters, not {}",
            text.len()
        );
        return Err(Mistake::new(
            &whole,
            message,
            "define parts of it in `parameters`",
        ));
    }
    if text.trim().is_empty() {
        let help = "write a number, or an expression such as \"2 * wind.speed\"";
        return Err(Mistake::new(&whole, "it is empty", help));
    }
    let mut tokens = Vec::new();
    let mut open: Vec<(&'static str, usize)> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (token, length) = token_at(text, at)?;
        let range = at..at + length;
        match token {
            Token::Symbol(symbol @ ("(" | "[")) => open.push((symbol, at)),
            Token::Symbol(symbol @ (")" | "]")) => {
                let wanted = if symbol == ")" { "(" } else { "[" };
                if open.pop().map(|(opened, _)| opened) != Some(wanted) {
                    let name = bracket_name(symbol);
                    let message = format!("a closing {name} has no opening one");
                    return Err(Mistake::new(&range, message, HELP));
                }
            }
            _ => {}
        }
        if open.len() > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} brackets are open");
            return Err(Mistake::new(
                &range,
                message,
                "define parts of it in `parameters`",
            ));
        }
        at = range.end;
        tokens.push(Spanned { token, range });
    }
    match open.last() {
        None => Ok(tokens),
        Some((symbol, at)) => {
            let message = format!("a {} is not closed", bracket_name(symbol));
            Err(Mistake::new(&(*at..at + 1), message, HELP))
        }
    }
}

fn bracket_name(symbol: &str) -> &'static str {
    match symbol {
        "(" | ")" => "parenthesis",
        _ => "bracket",
    }
}

/// The token at a byte of a text, and its length.
fn token_at(text: &str, at: usize) -> Result<(Token<'_>, usize), Mistake> {
    let rest = &text[at..];
    let first = rest.chars().next().unwrap_or(' ');
    let is_number = |text: &str| {
        let mut chars = text.chars();
        match chars.next() {
            Some('.') => chars.next().is_some_and(|c| c.is_ascii_digit()),
            first => first.is_some_and(|c| c.is_ascii_digit()),
        }
    };
    if is_number(rest) {
        let mut previous = ' ';
        let end = rest.find(|c: char| {
            let sign = matches!(previous, 'e' | 'E') && matches!(c, '+' | '-');
            previous = c;
            !(c.is_ascii_alphanumeric() || c == '_' || c == '.' || sign)
        });
        let word = &rest[..end.unwrap_or(rest.len())];
        let wrong = || Mistake::new(&(at..at + word.len()), format!("`{word}` is not a number"), HELP);
        return match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok((Token::Number(value), word.len())),
            _ => Err(wrong()),
        };
    }
    // Letters in braces are placeholders that loops over letters replace.
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '{' || c == '}';
    if is_of_word(first) {
        let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        return if has_valid_placeholders(&rest[..end]) {
            Ok((Token::Word(&rest[..end]), end))
        } else {
            Err(stray(
                &(at..at + end),
                if rest[..end].contains('{') { '{' } else { '}' },
            ))
        };
    }
    if rest.starts_with("**") {
        return Err(Mistake::new(&(at..at + 2), "write a power with ^", "write ^"));
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => Ok((Token::Symbol(symbol), symbol.len())),
        None => Err(stray(&(at..at + first.len_utf8()), first)),
    }
}

/// True if every brace of a word belongs to a placeholder such as `{c}`.
fn has_valid_placeholders(word: &str) -> bool {
    let mut rest = word;
    while let Some(open) = rest.find(['{', '}']) {
        let Some((name, after)) = rest[open..]
            .strip_prefix('{')
            .and_then(|rest| rest.split_once('}'))
        else {
            return false;
        };
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return false;
        }
        rest = after;
    }
    true
}

/// The mistake of an invalid character, with a replacement if there is one.
fn stray(range: &Range<usize>, found: char) -> Mistake {
    let help = match found {
        '%' => "there is no remainder operator: write a - b * floor(a / b)",
        '{' | '}' => "group with ( ); braces contain the letter of a loop, as in \"grid.{c}\"",
        '=' => "write equality with ==",
        '!' => "write not",
        '&' => "write and",
        '|' => "write or",
        '?' | ':' => "write if(condition, a, b)",
        '−' | '–' => "write the minus sign -",
        '·' | '×' => "write *",
        _ => HELP,
    };
    Mistake::new(range, format!("`{found}` has no meaning in expressions"), help)
}
