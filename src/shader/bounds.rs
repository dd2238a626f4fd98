//! Bounds on what the GLSL compiler is given: it takes time and memory by the tokens after preprocessing, and stack by the
//! operators of a statement.
//!
//! Macros are expanded here only as numbers, so that a macro that doubles itself many times is refused at once. Conditional
//! lines are not evaluated: all of them count, and of several definitions of a macro the longest.

mod tokens;

use std::collections::{BTreeSet, HashMap};

use super::compile::{INTERFACE_NAME, OUT_OF_BOUNDS};
use super::library::{Found, Library};
use tokens::{Line, Macro, Token, lines};

/// Maximum number of tokens of a kernel with all includes, after macros are expanded.
const MAX_TOKENS: usize = 1 << 20;
/// Maximum number of operators of a statement: the compiler recurses as deep.
const MAX_OPERATORS: usize = 50_000;
/// Maximum nesting of macros.
const MAX_MACRO_DEPTH: usize = 100;

/// Refuses a kernel beyond the bounds, in the form of the compiler's own errors.
pub(super) fn check(source: &Found, interface: &str, library: &Library) -> Result<(), String> {
    let texts = texts(source, interface, library);
    let parsed: Vec<(&str, Vec<Line>)> = (texts.iter())
        .map(|(name, text)| (name.as_str(), lines(text)))
        .collect();
    let mut meter = Meter {
        macros: HashMap::new(),
        left: MAX_TOKENS,
        open: Vec::new(),
        depth: 0,
    };
    for line in parsed.iter().flat_map(|(_, lines)| lines) {
        if let Line::Define(name, defined) = line {
            let known = meter.macros.entry(name).or_insert(defined);
            if known.body.len() < defined.body.len() {
                *known = defined;
            }
        }
    }
    let mut total = Size::default();
    for (name, lines) in &parsed {
        let text: Vec<Token> = (lines.iter())
            .filter_map(|line| match line {
                Line::Text(tokens) => Some(tokens.as_slice()),
                Line::Define(..) => None,
            })
            .flatten()
            .copied()
            .collect();
        let size = meter.size(&text, &HashMap::new());
        let place = size.as_ref().err().map_or(1, |(line, _)| *line);
        let cause = match size {
            Ok(size) => {
                // Statements do not go on from file to file, in kernels that compile.
                total.tokens = total.tokens.saturating_add(size.tokens);
                total.most = total.most.max(size.most());
                total.excess()
            }
            Err((_, cause)) => Some(cause),
        };
        if let Some(cause) = cause {
            return Err(format!("{name}:{place}: error: '' : {OUT_OF_BOUNDS}{cause}"));
        }
    }
    Ok(())
}

/// The kernel, its interface, and all files that they include, each once.
fn texts(source: &Found, interface: &str, library: &Library) -> Vec<(String, String)> {
    let text = |found: &Found| String::from_utf8_lossy(&found.bytes).into_owned();
    let mut texts = vec![(INTERFACE_NAME.to_string(), interface.to_string())];
    let mut seen = BTreeSet::from([source.name.clone()]);
    let mut open = vec![source.clone()];
    let mut bytes = 0;
    while let Some(file) = open.pop() {
        let text = text(&file);
        bytes += text.len();
        for path in text.lines().filter_map(tokens::included) {
            if path != INTERFACE_NAME
                && bytes <= MAX_TOKENS * 8
                && let Some(found) = library.find(path, Some(&file.name))
                && seen.insert(found.name.clone())
            {
                open.push(found);
            }
        }
        texts.push((file.name, text));
    }
    texts
}

/// The size of a part of a text after preprocessing.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    tokens: usize,
    /// It contains the end of a statement.
    ends: bool,
    /// Operators before the first end of a statement, after the last one, and most between two.
    head: usize,
    tail: usize,
    most: usize,
}

impl Size {
    fn of(token: &str) -> Size {
        let operator = usize::from(token.len() == 1 && "+-*/%&|^!~<>=?.,[".contains(token));
        Size {
            tokens: 1,
            ends: matches!(token, ";" | "{" | "}"),
            head: operator,
            tail: operator,
            most: 0,
        }
    }

    fn then(self, next: Size) -> Size {
        let across = self.tail.saturating_add(next.head);
        Size {
            tokens: self.tokens.saturating_add(next.tokens),
            ends: self.ends || next.ends,
            head: if self.ends { self.head } else { across },
            tail: if next.ends { next.tail } else { across },
            most: self
                .most
                .max(next.most)
                .max(if self.ends && next.ends { across } else { 0 }),
        }
    }

    /// Operators of the longest statement.
    fn most(&self) -> usize {
        self.most.max(self.head).max(self.tail)
    }

    fn excess(&self) -> Option<String> {
        if self.tokens > MAX_TOKENS {
            let (found, text) = (self.tokens, "tokens with its includes and macros");
            Some(format!("{found} {text}, more than {MAX_TOKENS}"))
        } else if self.most() > MAX_OPERATORS {
            let found = self.most();
            Some(format!(
                "a statement with {found} operators, more than {MAX_OPERATORS}"
            ))
        } else {
            None
        }
    }
}

/// Measures tokens after macros are expanded.
struct Meter<'t> {
    macros: HashMap<&'t str, &'t Macro<'t>>,
    /// The number of tokens that may still be looked at.
    left: usize,
    /// Macros being expanded, which are not expanded again.
    open: Vec<&'t str>,
    /// Macros being expanded, and those whose arguments are.
    depth: usize,
}

/// Why a text cannot be measured, with the line.
type Endless = (usize, String);

impl<'t> Meter<'t> {
    /// The size of tokens in which parameters have the sizes of their arguments.
    fn size(&mut self, tokens: &[Token<'t>], arguments: &HashMap<&str, Size>) -> Result<Size, Endless> {
        let mut size = Size::default();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            if self.left == 0 {
                let text = format!("more than {MAX_TOKENS} tokens with its includes and macros");
                return Err((token.line, text));
            }
            self.left -= 1;
            let known = self.macros.get(token.text).copied();
            let known = known.filter(|_| !self.open.contains(&token.text));
            let next = match (arguments.get(token.text), known) {
                (Some(argument), _) => *argument,
                (None, Some(known)) if known.parameters.is_none() => {
                    self.expanded(*token, known, &[], arguments)?
                }
                (None, Some(known)) if tokens.get(at).is_some_and(|next| next.text == "(") => {
                    let (given, end) = tokens::arguments(tokens, at);
                    // To look for the end of arguments costs time as well.
                    self.left = self.left.saturating_sub(end - at);
                    match given {
                        Some(given) => {
                            at = end;
                            self.expanded(*token, known, &given, arguments)?
                        }
                        None => Size::of(token.text),
                    }
                }
                (None, _) => Size::of(token.text),
            };
            size = size.then(next);
            if let Some(cause) = size.excess() {
                return Err((token.line, cause));
            }
        }
        Ok(size)
    }

    fn expanded(
        &mut self,
        name: Token<'t>,
        known: &'t Macro<'t>,
        given: &[&[Token<'t>]],
        arguments: &HashMap<&str, Size>,
    ) -> Result<Size, Endless> {
        if self.depth >= MAX_MACRO_DEPTH {
            let text = format!("macros nested more than {MAX_MACRO_DEPTH} deep");
            return Err((name.line, text));
        }
        self.depth += 1;
        let mut inner = HashMap::new();
        for (parameter, tokens) in known.parameters.iter().flatten().zip(given) {
            inner.insert(*parameter, self.size(tokens, arguments)?);
        }
        self.open.push(name.text);
        let size = self.size(&known.body, &inner);
        self.open.pop();
        self.depth -= 1;
        size.map_err(|(_, cause)| (name.line, cause))
    }
}

#[cfg(test)]
mod tests;
