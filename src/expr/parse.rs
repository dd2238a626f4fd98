//! From tokens to the tree, by precedence (Pratt 1973, "Top down operator precedence").

use std::ops::Range;

use winnow::combinator::{Infix, Postfix, Prefix, expression, fail};
use winnow::error::{ErrMode, ParserError};
use winnow::prelude::*;
use winnow::stream::{Stream, TokenSlice};
use winnow::token::any;

use super::token::{HELP, Spanned, Token, tokens};
use super::{Expr, Kind, Mistake, NEGATE, NOT, Name, Operator, Part};

/// Maximum number of signs, `not` and powers, which limits the recursion of the parser.
const MAX_RECURSIVE: usize = 50;

type Input<'i, 't> = TokenSlice<'i, Spanned<'t>>;
type ParseError = ErrMode<Cause>;

/// The error at which the parser stopped: a sentence and its range of bytes, if known.
#[derive(Debug, Default)]
struct Cause(Option<Mistake>);

impl<I: Stream> ParserError<I> for Cause {
    type Inner = Self;

    fn from_input(_: &I) -> Self {
        Cause::default()
    }

    fn into_inner(self) -> Result<Self::Inner, Self> {
        Ok(self)
    }
}

/// Parses an expression.
pub fn parse(text: &str) -> Result<Expr, Mistake> {
    let tokens = tokens(text)?;
    let recursive =
        |token: &&Spanned| matches!(token.token, Token::Symbol("-" | "+" | "^") | Token::Word("not"));
    // Binary signs do not recurse, but no readable expression has so many.
    if tokens.iter().filter(recursive).count() > 4 * MAX_RECURSIVE {
        let message = format!("more than {} signs and powers", 4 * MAX_RECURSIVE);
        return Err(Mistake::new(
            &(0..text.len()),
            message,
            "define parts of it in `parameters`",
        ));
    }
    let mut input = TokenSlice::new(&tokens);
    let parsed = whole(&mut input);
    let next = input.first().map(|token| (token.token, token.range.clone()));
    match (parsed, next) {
        (Ok(tree), None) => Ok(tree),
        (Err(ErrMode::Cut(Cause(Some(mistake)))), _) => Err(mistake),
        (Err(_), None) => Err(Mistake::new(
            &(0..text.len()),
            "a value is missing at its end",
            HELP,
        )),
        (Err(_), Some(found)) => Err(value_missing(found)),
        (Ok(_), Some((Token::Symbol(","), range))) => {
            let message = "a comma is only allowed in the arguments of a function";
            Err(Mistake::new(&range, message, HELP))
        }
        (Ok(_), Some((Token::Symbol("("), range))) => Err(Mistake::new(
            &range,
            "an operator is missing before the parenthesis",
            HELP,
        )),
        (Ok(_), Some((Token::Symbol(symbol), range))) if is_comparison(symbol) => {
            let message = "comparisons cannot be chained";
            Err(Mistake::new(&range, message, "write a < b and b < c"))
        }
        (Ok(_), Some((found, range))) => Err(operator_missing(&tokens, found, &range)),
    }
}

/// The mistake of a value that follows another one.
fn operator_missing(tokens: &[Spanned], found: Token, range: &Range<usize>) -> Mistake {
    let before = tokens.iter().rev().find(|token| token.range.end <= range.start);
    match (before.map(|token| token.token), found) {
        (Some(Token::Number(number)), Token::Word(unit)) => Mistake::new(
            range,
            format!("a number cannot have a unit, and no operator precedes `{unit}`"),
            format!(
                "write {number} alone, in the unit of the value, or {number} * {unit} if `{unit}` is a parameter"
            ),
        ),
        _ => Mistake::new(range, "an operator is missing between two values", HELP),
    }
}

fn is_comparison(symbol: &str) -> bool {
    ["<", "<=", ">", ">=", "==", "!="].contains(&symbol)
}

fn value_missing((token, range): (Token, Range<usize>)) -> Mistake {
    let message = match token {
        Token::Symbol(symbol) => format!("a value is missing before `{symbol}`"),
        Token::Word(word) => format!("a value is missing before `{word}`"),
        Token::Number(_) => "a value is missing".to_string(),
    };
    Mistake::new(&range, message, HELP)
}

fn fatal(mistake: Mistake) -> ParseError {
    ErrMode::Cut(Cause(Some(mistake)))
}

fn symbol<'i, 't>(input: &mut Input<'i, 't>, wanted: &str) -> Option<Range<usize>> {
    let next = input.first()?;
    let range = (next.token == Token::Symbol(symbol_of(wanted)?)).then(|| next.range.clone())?;
    input.next_token();
    Some(range)
}

/// The symbol as tokens contain it.
fn symbol_of(wanted: &str) -> Option<&'static str> {
    ["(", ")", "[", "]", ",", "."]
        .into_iter()
        .find(|symbol| *symbol == wanted)
}

fn whole<'i, 't>(input: &mut Input<'i, 't>) -> Result<Expr, ParseError> {
    expression(operand)
        .prefix(prefix)
        .infix(infix)
        .postfix(fail::<_, Postfix<Input<'i, 't>, Expr, ParseError>, _>)
        .parse_next(input)
}

fn prefix<'i, 't>(input: &mut Input<'i, 't>) -> Result<Prefix<Input<'i, 't>, Expr, ParseError>, ParseError> {
    fn wrap(kind: fn(Box<Expr>) -> Kind, inner: Expr) -> Expr {
        let range = inner.range.clone();
        Expr {
            kind: kind(Box::new(inner)),
            range,
        }
    }
    any.verify_map(|token: &Spanned| match token.token {
        Token::Symbol("-") => Some(Prefix(NEGATE, |_: &mut Input, inner| {
            Ok(wrap(Kind::Negate, inner))
        })),
        Token::Symbol("+") => Some(Prefix(NEGATE, |_: &mut Input, inner| Ok(inner))),
        Token::Word("not") => Some(Prefix(NOT, |_: &mut Input, inner| Ok(wrap(Kind::Not, inner)))),
        _ => None,
    })
    .parse_next(input)
}

fn infix<'i, 't>(input: &mut Input<'i, 't>) -> Result<Infix<Input<'i, 't>, Expr, ParseError>, ParseError> {
    macro_rules! operators {
        ($token:expr, $($side:ident $pattern:pat => $operator:ident,)*) => {
            match $token {
                $($pattern => Some(Infix::$side(Operator::$operator.precedence(), |_: &mut Input, a, b| {
                    Ok(between(Operator::$operator, a, b))
                })),)*
                _ => None,
            }
        };
    }
    fn between(operator: Operator, a: Expr, b: Expr) -> Expr {
        let range = a.range.start..b.range.end;
        Expr {
            kind: Kind::Binary(operator, Box::new([a, b])),
            range,
        }
    }
    any.verify_map(|token: &Spanned| {
        operators!(token.token,
            Left Token::Word("or") => Or,
            Left Token::Word("and") => And,
            Neither Token::Symbol("<") => Less,
            Neither Token::Symbol("<=") => AtMost,
            Neither Token::Symbol(">") => Greater,
            Neither Token::Symbol(">=") => AtLeast,
            Neither Token::Symbol("==") => Equal,
            Neither Token::Symbol("!=") => Differs,
            Left Token::Symbol("+") => Add,
            Left Token::Symbol("-") => Subtract,
            Left Token::Symbol("*") => Multiply,
            Left Token::Symbol("/") => Divide,
            Right Token::Symbol("^") => Power,
        )
    })
    .parse_next(input)
}

/// A number, a name, a call, a vector, or an expression in parentheses.
fn operand<'i, 't>(input: &mut Input<'i, 't>) -> Result<Expr, ParseError> {
    let start = input.checkpoint();
    let Some(first) = input.next_token() else {
        return Err(ErrMode::Backtrack(Cause::default()));
    };
    let range = first.range.clone();
    match first.token {
        Token::Number(value) => Ok(Expr {
            kind: Kind::Number(value),
            range,
        }),
        Token::Word(word) if !["and", "or", "not"].contains(&word) => named(word, range, input),
        Token::Symbol("(") => {
            let inner = inside(input)?;
            match symbol(input, ")") {
                Some(end) => Ok(Expr {
                    range: range.start..end.end,
                    ..inner
                }),
                None => Err(fatal(unfinished(input, ")"))),
            }
        }
        Token::Symbol("[") => {
            let (items, end) = list(input, "]")?;
            Ok(Expr {
                kind: Kind::Vector(items),
                range: range.start..end,
            })
        }
        _ => {
            input.reset(&start);
            Err(ErrMode::Backtrack(Cause::default()))
        }
    }
}

/// A required expression.
fn inside<'i, 't>(input: &mut Input<'i, 't>) -> Result<Expr, ParseError> {
    whole(input).map_err(|wrong| match wrong {
        ErrMode::Cut(cause @ Cause(Some(_))) => ErrMode::Cut(cause),
        _ => match input.first() {
            Some(next) => fatal(value_missing((next.token, next.range.clone()))),
            None => ErrMode::Cut(Cause::default()),
        },
    })
}

/// The mistake of a token where a closing bracket is required.
fn unfinished(input: &mut Input, wanted: &str) -> Mistake {
    match input.first().map(|next| (next.token, next.range.clone())) {
        Some((Token::Symbol(","), range)) => Mistake::new(
            &range,
            "a comma is only allowed in the arguments of a function",
            HELP,
        ),
        Some((_, range)) => Mistake::new(&range, "an operator is missing between two values", HELP),
        None => Mistake::new(&(0..0), format!("`{wanted}` is missing"), HELP),
    }
}

/// Expressions with commas between them, and the byte after the closing bracket.
fn list<'i, 't>(input: &mut Input<'i, 't>, close: &str) -> Result<(Vec<Expr>, usize), ParseError> {
    let mut items = Vec::new();
    if let Some(end) = symbol(input, close) {
        return Ok((items, end.end));
    }
    loop {
        items.push(inside(input)?);
        if let Some(end) = symbol(input, close) {
            return Ok((items, end.end));
        }
        if symbol(input, ",").is_none() {
            return Err(fatal(unfinished(input, close)));
        }
    }
}

/// A name with its parts and indices, or a call.
fn named<'i, 't>(word: &str, range: Range<usize>, input: &mut Input<'i, 't>) -> Result<Expr, ParseError> {
    if symbol(input, "(").is_some() {
        let (items, end) = list(input, ")")?;
        return Ok(Expr {
            kind: Kind::Call(word.to_string(), items),
            range: range.start..end,
        });
    }
    let mut parts = vec![Part {
        text: word.to_string(),
        indices: Vec::new(),
        range: range.clone(),
    }];
    let mut end = range.end;
    loop {
        if symbol(input, "[").is_some() {
            let (indices, after) = list(input, "]")?;
            end = after;
            if let Some(part) = parts.last_mut() {
                part.indices.push(indices);
            }
        } else if let Some(dot) = symbol(input, ".") {
            match input.next_token() {
                Some(Spanned {
                    token: Token::Word(word),
                    range,
                }) => {
                    end = range.end;
                    let (text, range) = (word.to_string(), range.clone());
                    parts.push(Part {
                        text,
                        indices: Vec::new(),
                        range,
                    });
                }
                _ => return Err(fatal(Mistake::new(&dot, "a name is missing after the dot", HELP))),
            }
        } else {
            let kind = Kind::Name(Name { parts });
            return Ok(Expr {
                kind,
                range: range.start..end,
            });
        }
    }
}
