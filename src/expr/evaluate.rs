//! Values of expressions in a scope.

use super::functions::{Count, Function, IF, LENGTH, constant, function, names};
use super::{Expr, Failure, Kind, Mistake, Name, Operator, Value};

/// Looks up the values of names.
pub trait Names {
    /// The value of a name. `at` is the expression that consists of this name.
    fn value(&self, name: &Name, at: &Expr) -> Result<Value, Failure>;

    /// The value of a call of a function that is not in the table of functions. By default there are none.
    fn call(&self, function: &str, _arguments: &[Expr], at: &Expr) -> Result<Value, Failure> {
        Err(unknown_function(function, at, None))
    }
}

const NO_FUNCTION: &str = "there is no function";

/// The failure of a call of an unknown function. `other` is a function that the scope adds, for suggestions.
pub fn unknown_function(name: &str, at: &Expr, other: Option<&str>) -> Failure {
    let mistake = Mistake::new(&at.range, format!("{NO_FUNCTION} `{name}`"), "use another one");
    Some(mistake.suggest(name, names().chain(other.map(str::to_string))))
}

/// Applies an operator to two numbers. Conditions are 1 or 0.
pub(super) fn apply(operator: Operator, a: f64, b: f64) -> f64 {
    let truth = |condition: bool| f64::from(u8::from(condition));
    match operator {
        Operator::Or => truth(a != 0.0 || b != 0.0),
        Operator::And => truth(a != 0.0 && b != 0.0),
        Operator::Less => truth(a < b),
        Operator::AtMost => truth(a <= b),
        Operator::Greater => truth(a > b),
        Operator::AtLeast => truth(a >= b),
        Operator::Equal => truth(a == b),
        Operator::Differs => truth(a != b),
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Power => a.powf(b),
    }
}

impl Expr {
    /// The value of the expression. A number may be infinite or NaN.
    pub fn evaluate(&self, scope: &dyn Names) -> Result<Value, Failure> {
        match &self.kind {
            Kind::Number(value) => Ok(Value::Number(*value)),
            Kind::Name(name) => match name.plain().as_deref().and_then(constant) {
                Some(value) => Ok(Value::Number(value)),
                None => scope.value(name, self),
            },
            Kind::Vector(items) => {
                let items = items.iter().map(|item| item.number(scope));
                Ok(Value::Vector(items.collect::<Result<_, _>>()?))
            }
            Kind::Negate(inner) => Ok(map(&inner.evaluate(scope)?, |a| -a)),
            Kind::Not(inner) => Ok(map(&inner.evaluate(scope)?, |a| f64::from(u8::from(a == 0.0)))),
            Kind::Binary(operator, sides) => {
                let [a, b] = [sides[0].evaluate(scope), sides[1].evaluate(scope)];
                zip(&a?, &b?, |a, b| apply(*operator, a, b), self)
            }
            Kind::Call(name, arguments) => self.call(name, arguments, scope),
        }
    }

    /// The value of the expression, which must be a number.
    pub fn number(&self, scope: &dyn Names) -> Result<f64, Failure> {
        match self.evaluate(scope)? {
            Value::Number(value) => Ok(value),
            Value::Vector(_) => self.not_a_number(),
        }
    }

    /// The failure of a vector where a number is required.
    pub fn not_a_number<T>(&self) -> Result<T, Failure> {
        let message = format!("`{self}` is a vector, but a number is required");
        let help = match self.as_name() {
            Some(name) => format!("its components are {name}.x, {name}.y, ..."),
            None => "use one component of each vector, such as `v.x`".to_string(),
        };
        self.wrong(message, help)
    }

    fn call(&self, name: &str, arguments: &[Expr], scope: &dyn Names) -> Result<Value, Failure> {
        let wanted = match (name, function(name), arguments) {
            (IF, _, [condition, then, otherwise]) => {
                let is_true = condition.number(scope)? != 0.0;
                return (if is_true { then } else { otherwise }).evaluate(scope);
            }
            (IF, ..) => "a condition and two values",
            (LENGTH, _, [vector]) => {
                let value = vector.evaluate(scope)?;
                let squares = value.numbers().iter().map(|x| x * x);
                return Ok(Value::Number(squares.sum::<f64>().sqrt()));
            }
            (LENGTH, ..) => "one vector",
            (_, None, _) => return scope.call(name, arguments, self),
            (_, Some(Function::One(function)), [argument]) => {
                return Ok(map(&argument.evaluate(scope)?, function));
            }
            (_, Some(Function::One(_)), _) => "one value",
            (_, Some(Function::Two(function, _)), [a, b]) => {
                let [a, b] = [a.evaluate(scope), b.evaluate(scope)];
                return zip(&a?, &b?, function, self);
            }
            (_, Some(Function::Two(function, Count::TwoOrMore)), [first, rest @ ..]) if !rest.is_empty() => {
                return rest.iter().try_fold(first.evaluate(scope)?, |value, next| {
                    zip(&value, &next.evaluate(scope)?, function, self)
                });
            }
            (_, Some(Function::Two(_, Count::Two)), _) => "two values",
            // With one argument it is a function of a field, in a series.
            (_, Some(Function::Two(..)), [_]) => match scope.call(name, arguments, self) {
                Err(Some(mistake)) if mistake.message.starts_with(NO_FUNCTION) => "two or more values",
                other => return other,
            },
            (_, Some(Function::Two(..)), _) => "two or more values",
        };
        let message = match arguments.len() {
            0 => format!("`{name}` has no arguments"),
            found => format!("`{name}` takes {wanted}, not {found}"),
        };
        self.wrong(message, "see the table of functions in docs/spec.md")
    }
}

fn map(value: &Value, function: impl Fn(f64) -> f64) -> Value {
    match value {
        Value::Number(value) => Value::Number(function(*value)),
        Value::Vector(values) => Value::Vector(values.iter().map(|value| function(*value)).collect()),
    }
}

/// Combines two values component by component; a number is combined with each component of a vector.
fn zip(a: &Value, b: &Value, function: impl Fn(f64, f64) -> f64, at: &Expr) -> Result<Value, Failure> {
    let length = match (a.length(), b.length()) {
        (None, None) => return Ok(Value::Number(function(a.component(0), b.component(0)))),
        (Some(a), Some(b)) if a != b => {
            let message = format!("a vector of {a} and one of {b} do not fit together");
            return at.wrong(message, "give them the same number of components");
        }
        (a, b) => a.or(b).unwrap_or(0),
    };
    let components = (0..length).map(|i| function(a.component(i), b.component(i)));
    Ok(Value::Vector(components.collect()))
}
