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
    exmex::parse::<f64>(&plain_names_and_numbers(text)).map_err(|e| invalid(text, e.msg(), pointer))
}

/// The problem of a text that is no expression.
pub(crate) fn invalid(text: &str, cause: &str, pointer: &str) -> Failure {
    Some(
        Problem::new(pointer, format!("`{text}` is not a valid expression: {cause}")).help(
            "an expression may use + - * / ^ ( ), functions such as sqrt, floor and sin, and named values",
        ),
    )
}

/// Rewrites syntax that the expression crate does not support: puts names with dots in braces, and writes out numbers
/// with an exponent.
fn plain_names_and_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        out.push_str(&rest[..start]);
        let word = &rest[start..];
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
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
