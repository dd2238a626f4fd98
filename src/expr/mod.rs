//! Expressions of pipeline files: text, parsed once into a tree.
//!
//! Each part of a tree has its range of bytes in the text. A tree is evaluated with the names of a scope, or compiled
//! into a [`Formula`] that is evaluated many times. References of an expression are found by queries on its tree.

mod evaluate;
mod formula;
mod functions;
mod parse;
mod token;
mod value;

use std::fmt;
use std::ops::Range;

pub use evaluate::{Names, unknown_function};
pub use formula::{Formula, Meaning};

pub use parse::parse;
pub use value::Value;

/// An expression, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    pub kind: Kind,
    /// Range of bytes in the text.
    pub range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Number(f64),
    Name(Name),
    /// `[a, b, c]`
    Vector(Vec<Expr>),
    Negate(Box<Expr>),
    Not(Box<Expr>),
    Binary(Operator, Box<[Expr; 2]>),
    Call(String, Vec<Expr>),
}

/// Operators between two values, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Or,
    And,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Differs,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

/// A dotted name whose parts may have indices: `wind.to.x`, `air[l + 1].p`, `air.u[4, 5, 6]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    pub parts: Vec<Part>,
}

/// A part of a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// May contain the names of letters in braces: `{c}_next`.
    pub text: String,
    /// The indices that follow the part in brackets.
    pub indices: Vec<Vec<Expr>>,
    pub range: Range<usize>,
}

/// An error in a text that is not an expression, or in an expression that has no value.
#[derive(Debug, Clone, PartialEq)]
pub struct Mistake {
    /// Range of bytes in the text.
    pub range: Range<usize>,
    pub message: String,
    pub help: String,
    /// The unknown name; `known` contains the valid ones.
    pub written: String,
    pub known: Vec<String>,
}

/// The reason why an expression has no value: a mistake to report, or `None` if its cause is already reported.
pub type Failure = Option<Mistake>;

impl Mistake {
    pub fn new(range: &Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Mistake {
        Mistake {
            range: range.clone(),
            message: message.into(),
            help: help.into(),
            written: String::new(),
            known: Vec::new(),
        }
    }

    /// Suggests the most similar known name.
    pub fn suggest(mut self, written: &str, known: impl IntoIterator<Item = String>) -> Mistake {
        self.written = written.to_string();
        self.known = known.into_iter().collect();
        self
    }
}

impl Name {
    /// This name and the names in its indices.
    pub fn with_indices(&self) -> Vec<&Name> {
        let indices = self.parts.iter().flat_map(|part| part.indices.iter().flatten());
        std::iter::once(self)
            .chain(indices.flat_map(Expr::names))
            .collect()
    }

    /// The dotted name, if it has no indices.
    pub fn plain(&self) -> Option<String> {
        let is_plain = self.parts.iter().all(|part| part.indices.is_empty());
        is_plain.then(|| self.to_string())
    }
}

impl Part {
    /// A part without indices.
    pub fn new(text: &str, range: Range<usize>) -> Part {
        Part {
            text: text.to_string(),
            indices: Vec::new(),
            range,
        }
    }
}

impl Expr {
    /// An expression without a range in a text.
    pub fn new(kind: Kind) -> Expr {
        Expr { kind, range: 0..0 }
    }

    /// Calls `visit` for the expression and each of its parts, including indices of names.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        match &self.kind {
            Kind::Number(_) => {}
            Kind::Name(name) => {
                let indices = name.parts.iter().flat_map(|part| part.indices.iter().flatten());
                indices.for_each(|index| index.walk(visit));
            }
            Kind::Vector(items) | Kind::Call(_, items) => items.iter().for_each(|item| item.walk(visit)),
            Kind::Negate(inner) | Kind::Not(inner) => inner.walk(visit),
            Kind::Binary(_, sides) => sides.iter().for_each(|side| side.walk(visit)),
        }
    }

    /// This expression with others in place of its names, and of calls that are not in the table of functions.
    pub fn replaced(&self, replace: &mut dyn FnMut(&Expr) -> Result<Expr, Failure>) -> Result<Expr, Failure> {
        let kind = match &self.kind {
            Kind::Number(value) => Kind::Number(*value),
            Kind::Name(name) => match name.plain().as_deref().and_then(functions::constant) {
                Some(value) => Kind::Number(value),
                None => return replace(self),
            },
            Kind::Call(name, _) if !functions::is_known(name) => return replace(self),
            Kind::Vector(items) => Kind::Vector(replaced(items, replace)?),
            Kind::Call(name, items) => Kind::Call(name.clone(), replaced(items, replace)?),
            Kind::Negate(inner) => Kind::Negate(Box::new(inner.replaced(replace)?)),
            Kind::Not(inner) => Kind::Not(Box::new(inner.replaced(replace)?)),
            Kind::Binary(operator, sides) => {
                let [a, b] = [sides[0].replaced(replace)?, sides[1].replaced(replace)?];
                Kind::Binary(*operator, Box::new([a, b]))
            }
        };
        Ok(Expr::new(kind))
    }

    /// All names in the expression, including names in indices.
    pub fn names(&self) -> Vec<&Name> {
        let mut names = Vec::new();
        self.walk(&mut |part| {
            if let Kind::Name(name) = &part.kind {
                names.push(name);
            }
        });
        names
    }

    /// The failure of this expression.
    pub fn wrong<T>(&self, message: impl Into<String>, help: impl Into<String>) -> Result<T, Failure> {
        Err(Some(Mistake::new(&self.range, message, help)))
    }

    /// The failure of an unknown name, with the known names for suggestions.
    pub fn unknown<T>(
        &self,
        message: String,
        help: &str,
        written: &str,
        known: impl IntoIterator<Item = String>,
    ) -> Result<T, Failure> {
        let mistake = Mistake::new(&self.range, message, help);
        Err(Some(mistake.suggest(written, known)))
    }

    /// The name, if the expression consists of one.
    pub fn as_name(&self) -> Option<&Name> {
        match &self.kind {
            Kind::Name(name) => Some(name),
            _ => None,
        }
    }
}

fn replaced(
    items: &[Expr],
    replace: &mut dyn FnMut(&Expr) -> Result<Expr, Failure>,
) -> Result<Vec<Expr>, Failure> {
    items.iter().map(|item| item.replaced(replace)).collect()
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (number, part) in self.parts.iter().enumerate() {
            f.write_str(if number > 0 { "." } else { "" })?;
            f.write_str(&part.text)?;
            for indices in &part.indices {
                let indices: Vec<String> = indices.iter().map(Expr::to_string).collect();
                write!(f, "[{}]", indices.join(", "))?;
            }
        }
        Ok(())
    }
}

impl Operator {
    pub fn symbol(self) -> &'static str {
        match self {
            Operator::Or => "or",
            Operator::And => "and",
            Operator::Less => "<",
            Operator::AtMost => "<=",
            Operator::Greater => ">",
            Operator::AtLeast => ">=",
            Operator::Equal => "==",
            Operator::Differs => "!=",
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Power => "^",
        }
    }

    fn is_comparison(self) -> bool {
        self.precedence() == Operator::Less.precedence()
    }

    /// The precedence of the operator; higher values bind tighter.
    fn precedence(self) -> i64 {
        match self {
            Operator::Or => 1,
            Operator::And => 3,
            Operator::Less
            | Operator::AtMost
            | Operator::Greater
            | Operator::AtLeast
            | Operator::Equal
            | Operator::Differs => 7,
            Operator::Add | Operator::Subtract => 9,
            Operator::Multiply | Operator::Divide => 11,
            Operator::Power => 15,
        }
    }
}

/// Precedences of the prefix operators: `not` binds weaker than comparisons, the sign weaker than powers.
const NOT: i64 = 5;
const NEGATE: i64 = 13;

/// Writes the expression with as few parentheses as possible.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let strength = |expr: &Expr| match &expr.kind {
            Kind::Binary(operator, _) => operator.precedence(),
            Kind::Not(_) => NOT,
            Kind::Negate(_) => NEGATE,
            _ => i64::MAX,
        };
        let operand = |f: &mut fmt::Formatter, expr: &Expr, least: i64| {
            if strength(expr) < least {
                write!(f, "({expr})")
            } else {
                write!(f, "{expr}")
            }
        };
        let list = |items: &[Expr]| items.iter().map(Expr::to_string).collect::<Vec<_>>().join(", ");
        match &self.kind {
            Kind::Number(value) => write!(f, "{value}"),
            Kind::Name(name) => write!(f, "{name}"),
            Kind::Vector(items) => write!(f, "[{}]", list(items)),
            Kind::Call(function, items) => write!(f, "{function}({})", list(items)),
            Kind::Negate(inner) => {
                f.write_str("-")?;
                operand(f, inner, NEGATE)
            }
            Kind::Not(inner) => {
                f.write_str("not ")?;
                operand(f, inner, NOT)
            }
            Kind::Binary(operator, sides) => {
                let own = operator.precedence();
                // Powers are right-associative, comparisons are not associative, other operators are left-associative.
                let (left, right) = match operator {
                    Operator::Power => (own + 1, NEGATE),
                    _ if operator.is_comparison() => (own + 1, own + 1),
                    _ => (own, own + 1),
                };
                operand(f, &sides[0], left)?;
                write!(f, " {} ", operator.symbol())?;
                operand(f, &sides[1], right)
            }
        }
    }
}

#[cfg(test)]
mod tests;
