//! Expressions: their syntax, and ones with variables that are evaluated many times.

use exmex::{Express, FlatEx};

use crate::problem::Problem;

/// Longest expression, in bytes: a bound on the parser's recursion.
const LONGEST_EXPRESSION: usize = 500;

/// Why an expression has no value: a problem to report, or `None` if it follows from a reported one.
pub(crate) type Failure = Option<Problem>;

/// An expression with variables, which may be evaluated many times.
#[derive(Debug, Clone)]
pub(crate) struct Formula {
    text: String,
    expression: FlatEx<f64>,
    inputs: Vec<Input>,
}

#[derive(Debug, Clone, Copy)]
enum Input {
    Known(f64),
    Variable(usize),
}

impl Formula {
    /// An expression in which some names are variables; `known` returns the values of the others.
    pub(crate) fn new(
        text: &str,
        expression: FlatEx<f64>,
        variables: &[&str],
        known: impl Fn(&str) -> Result<f64, Failure>,
    ) -> Result<Formula, Failure> {
        let inputs = (expression.var_names().iter())
            .map(
                |name| match variables.iter().position(|variable| variable == name) {
                    Some(number) => Ok(Input::Variable(number)),
                    None => known(name).map(Input::Known),
                },
            )
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Formula {
            text: text.to_string(),
            expression,
            inputs,
        })
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether no variable occurs in it.
    pub(crate) fn is_constant(&self) -> bool {
        self.inputs.iter().all(|input| matches!(input, Input::Known(_)))
    }

    /// Its value for these variables; NaN if it has none. `scratch` is memory for the inputs.
    pub(crate) fn value(&self, variables: &[f64], scratch: &mut Vec<f64>) -> f64 {
        scratch.clear();
        scratch.extend(self.inputs.iter().map(|input| match input {
            Input::Known(value) => *value,
            Input::Variable(number) => variables.get(*number).copied().unwrap_or(f64::NAN),
        }));
        self.expression.eval(scratch).unwrap_or(f64::NAN)
    }
}

/// Reads an expression.
pub(crate) fn parse(text: &str, pointer: &str) -> Result<FlatEx<f64>, Failure> {
    if text.len() > LONGEST_EXPRESSION {
        let message = format!(
            "an expression has at most {LONGEST_EXPRESSION} characters, not {}",
            text.len()
        );
        return Err(Some(
            Problem::new(pointer, message).help("define parts of it in `parameters`"),
        ));
    }
    if let Some((cause, help)) = stray(text) {
        return Err(invalid(text, &cause, pointer).map(|problem| problem.help(help)));
    }
    exmex::parse::<f64>(&between_values(&plain_names_and_numbers(text)))
        .map_err(|error| invalid(text, &in_words(text, error.msg()), pointer))
}

const HELP: &str =
    "an expression may use + - * / ^ ( ), functions such as sqrt, floor and sin, and named values";

/// The problem of a text that is no expression.
pub(crate) fn invalid(text: &str, cause: &str, pointer: &str) -> Failure {
    let message = format!("`{text}` is not a valid expression: {cause}");
    Some(Problem::new(pointer, message).help(HELP))
}

/// A character that no expression contains, and what to write instead; or a text with nothing in it.
fn stray(text: &str) -> Option<(String, &'static str)> {
    let has_meaning = |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || "_.,+-*/^()π".contains(c);
    if text.trim().is_empty() {
        return Some((
            "it is empty".into(),
            "write a number, or an expression such as \"2 * wind.speed\"",
        ));
    }
    let found = text.chars().find(|c| !has_meaning(*c))?;
    let help = match found {
        '%' => "there is no remainder: write a - b * floor(a / b)",
        '[' | ']' | '{' | '}' => "the components of a vector `a` are a.x, a.y, a.z and a.w; group with ( )",
        '<' | '>' | '=' | '!' | '?' | ':' | '&' | '|' => {
            "there are no comparisons: min, max and floor can often say the same"
        }
        '−' | '–' => "write the minus sign -",
        '·' | '×' => "write *",
        _ => HELP,
    };
    Some((format!("`{found}` has no meaning in expressions"), help))
}

/// What the expression crate says, in other words.
fn in_words(text: &str, cause: &str) -> String {
    let counts = cause.strip_prefix("we have ").and_then(|rest| {
        let (operators, rest) = rest.split_once(" ops and ")?;
        let (values, _) = rest.split_once(' ')?;
        Some((operators.parse::<usize>().ok()?, values.parse::<usize>().ok()?))
    });
    match counts {
        Some((operators, values)) if values > operators + 1 => {
            return "an operator is missing between two values".into();
        }
        Some(_) => return "a function or an operator lacks a value".into(),
        None => {}
    }
    if cause.contains("on the right of a closing parenthesis") {
        let before = text.split('(').map(str::trim_end);
        let name = before.filter_map(|before| {
            before
                .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.')
                .next()
        });
        let called = name.filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
        let unknown = called.into_iter().find(|name| {
            exmex::parse::<f64>(&format!("{name}(1)")).is_err()
                && exmex::parse::<f64>(&format!("{name}(1, 1)")).is_err()
        });
        return match unknown {
            Some(name) if text.contains(&format!("{name}(")) => format!("there is no function `{name}`"),
            _ => "an operator is missing before or after a parenthesis".into(),
        };
    }
    let words = [
        ("parentheses mismatch", "a parenthesis is not closed"),
        (
            "too many closing parentheses",
            "a parenthesis is closed that was not opened",
        ),
        (
            "last element cannot be an operator",
            "a value is missing at its end",
        ),
        (
            "operator for comma",
            "a comma stands outside of the parentheses of a function",
        ),
        (
            "cannot be next to the binary operator",
            "a value is missing between two operators (a power is written ^)",
        ),
        (
            "don't know how to parse",
            "a number or name in it has the wrong form",
        ),
    ];
    let known = words.iter().find(|(part, _)| cause.contains(part));
    known.map_or(cause, |(_, words)| words).to_string()
}

/// Rewrites syntax that the expression crate does not support: puts names with dots in braces, and writes out numbers
/// with an exponent.
fn plain_names_and_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.') {
        out.push_str(&rest[..start]);
        let word = &rest[start..];
        let is_number = word.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let mut previous = ' ';
        let end = word.find(|c: char| {
            let exponent_sign = is_number && matches!(previous, 'e' | 'E') && matches!(c, '+' | '-');
            previous = c;
            !(c.is_ascii_alphanumeric() || c == '_' || c == '.' || exponent_sign)
        });
        let (word, tail) = word.split_at(end.unwrap_or(word.len()));
        match word.parse::<f64>() {
            Ok(value) if is_number => out.push_str(&value.to_string()),
            _ if word.contains('.') && !is_number => out.push_str(&format!("{{{word}}}")),
            _ => out.push_str(word),
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// Functions of two values that the expression crate also takes as operators.
const OPERATORS: [&str; 3] = ["min", "max", "atan2"];

/// Functions of two values as operators between them, since the expression crate does not take calls such as `max(a, max(b, c))`.
fn between_values(text: &str) -> String {
    let Some((open, close)) = first_parentheses(text) else {
        return text.to_string();
    };
    let (before, inside, after) = (&text[..open], &text[open + 1..close], &text[close + 1..]);
    let call = only_comma(inside).and_then(|comma| {
        let name = OPERATORS.iter().find(|name| {
            let rest = before.trim_end().strip_suffix(**name);
            rest.is_some_and(|rest| {
                !rest.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.')
            })
        })?;
        let before = before.trim_end().strip_suffix(*name)?;
        let [a, b] = [&inside[..comma], &inside[comma + 1..]].map(between_values);
        Some(format!("{before}(({a}) {name} ({b}))"))
    });
    let call = call.unwrap_or_else(|| format!("{before}({})", between_values(inside)));
    call + &between_values(after)
}

/// Where the first parenthesis opens, and where it closes.
fn first_parentheses(text: &str) -> Option<(usize, usize)> {
    let open = text.find('(')?;
    let mut depth = 0;
    let close = text[open..].find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    })?;
    Some((open, open + close))
}

/// The only comma outside of inner parentheses.
fn only_comma(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut found = text.char_indices().filter(|(_, c)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        *c == ',' && depth == 0
    });
    let (comma, _) = found.next()?;
    let is_last = found.next().is_none();
    let has_values = [&text[..comma], &text[comma + 1..]]
        .iter()
        .all(|side| !side.trim().is_empty());
    (is_last && has_values).then_some(comma)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_two_values_are_called_in_each_other() {
        for (text, value) in [
            ("max(1, max(2, 3))", 3.0),
            ("max(max(4, 2), 3)", 4.0),
            ("2 + ceil(sqrt(3) / 2 * max(2, max(4, min(9, 5))))", 7.0),
            ("-min(1, 2) ^ 2 + max (1, 5)", 6.0),
            ("atan2(0, min(1, 2)) - max(-1, (2 - 4) * 3)", 1.0),
            ("max(1 + 1, 2 * 3) * 2", 12.0),
        ] {
            assert_eq!(parse(text, "/x").unwrap().eval(&[]).unwrap(), value, "{text}");
        }
    }

    #[test]
    fn numbers_may_begin_with_a_point() {
        for (text, value) in [(".01", 0.01), ("-.5 + 2.5e-1", -0.25), ("2 * .0625e1", 1.25)] {
            assert_eq!(parse(text, "/x").unwrap().eval(&[]).unwrap(), value, "{text}");
        }
    }

    fn said(text: &str) -> String {
        let problem = parse(text, "/x").unwrap_err().unwrap();
        format!("{}; {}", problem.message, problem.help.unwrap())
    }

    #[test]
    fn what_is_no_expression_is_told_truly() {
        for (text, words) in [
            ("2 * rate $", "`$` has no meaning"),
            ("rate;", "`;` has no meaning"),
            ("rate[0]", "a.x, a.y"),
            ("50%", "no remainder"),
            ("a < b", "no comparisons"),
            ("−1", "minus sign"),
            ("2·3", "write *"),
            (" ", "it is empty"),
            ("1 2", "an operator is missing between two values"),
            ("1/30 s", "an operator is missing between two values"),
            ("min(1)", "lacks a value"),
            ("(1", "a parenthesis is not closed"),
            ("1)", "closed that was not opened"),
            ("2 *", "a value is missing at its end"),
            ("1, 2", "a comma stands outside"),
            ("2 ** 3", "a power is written ^"),
            ("foo(2)", "there is no function `foo`"),
            ("2(3)", "an operator is missing before or after a parenthesis"),
            ("1.2.3", "has the wrong form"),
        ] {
            let said = said(text);
            assert!(said.contains(words), "{text}: {said}");
        }
        // The control: none of this is said of expressions.
        for text in [
            "2 * rate",
            "min(1, a.b)",
            "-2 ^ 2",
            "1e-3",
            "(1 + 2) * 3",
            "2 * π",
            "sqrt(2)",
        ] {
            assert!(parse(text, "/x").is_ok(), "{text}");
        }
    }
}
