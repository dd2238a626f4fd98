//! Values of expressions in a scope.

use super::functions::{Count, Function, IF, LENGTH, constant, function, names};
use super::{Expr, Kind, Mistake, Name, Operator, Value};

/// Why an expression has no value: a mistake to report, or `None` if it follows from one that has been reported.
pub(crate) type Failure = Option<Mistake>;

/// What names stand for.
pub(crate) trait Names {
    /// The value of a name, which the expression `at` consists of.
    fn value(&self, name: &Name, at: &Expr) -> Result<Value, Failure>;

    /// The value of a call of a function that is none of numbers; by default there are no such functions.
    fn call(&self, function: &str, _arguments: &[Expr], at: &Expr) -> Result<Value, Failure> {
        Err(unknown_function(function, at, None))
    }
}

/// The failure of a call of a function that does not exist. `other` is one that is not of numbers.
pub(crate) fn unknown_function(name: &str, at: &Expr, other: Option<&str>) -> Failure {
    let mistake = Mistake::new(
        &at.range,
        format!("there is no function `{name}`"),
        "use another one",
    );
    Some(mistake.suggest(name, names().chain(other.map(str::to_string))))
}

/// What is wrong with a call of a function that takes `wanted` values.
fn wrong_count(name: &str, wanted: &str, found: usize, at: &Expr) -> Failure {
    let message = match found {
        0 => format!("`{name}` lacks its values"),
        _ => format!("`{name}` takes {wanted}, not {found}"),
    };
    Some(Mistake::new(
        &at.range,
        message,
        "see the table of functions in docs/spec.md",
    ))
}

/// How operators act on numbers; conditions are 1 or 0.
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
    /// Its value. A number may be infinite or NaN.
    pub(crate) fn evaluate(&self, scope: &dyn Names) -> Result<Value, Failure> {
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

    /// Its value, which must be a number.
    pub(crate) fn number(&self, scope: &dyn Names) -> Result<f64, Failure> {
        match self.evaluate(scope)? {
            Value::Number(value) => Ok(value),
            Value::Vector(_) => {
                let message = format!("`{self}` is a vector, but a number is required");
                let help = match self.as_name() {
                    Some(name) => format!("its components are {name}.x, {name}.y, ..."),
                    None => "use one component of each vector, such as `v.x`".to_string(),
                };
                Err(Some(Mistake::new(&self.range, message, help)))
            }
        }
    }

    fn call(&self, name: &str, arguments: &[Expr], scope: &dyn Names) -> Result<Value, Failure> {
        if name == IF {
            let [condition, then, otherwise] = arguments else {
                return Err(wrong_count(
                    name,
                    "a condition and two values",
                    arguments.len(),
                    self,
                ));
            };
            return match condition.number(scope)? != 0.0 {
                true => then.evaluate(scope),
                false => otherwise.evaluate(scope),
            };
        }
        if name == LENGTH {
            let [vector] = arguments else {
                return Err(wrong_count(name, "one vector", arguments.len(), self));
            };
            let value = vector.evaluate(scope)?;
            return Ok(Value::Number(
                value.numbers().iter().map(|x| x * x).sum::<f64>().sqrt(),
            ));
        }
        match (function(name), arguments) {
            (None, _) => scope.call(name, arguments, self),
            (Some(Function::One(function)), [argument]) => Ok(map(&argument.evaluate(scope)?, function)),
            (Some(Function::One(_)), _) => Err(wrong_count(name, "one value", arguments.len(), self)),
            (Some(Function::Two(function, _)), [a, b]) => {
                let [a, b] = [a.evaluate(scope), b.evaluate(scope)];
                zip(&a?, &b?, function, self)
            }
            (Some(Function::Two(function, Count::TwoOrMore)), [first, rest @ ..]) if !rest.is_empty() => {
                rest.iter().try_fold(first.evaluate(scope)?, |value, next| {
                    zip(&value, &next.evaluate(scope)?, function, self)
                })
            }
            (Some(Function::Two(_, Count::Two)), _) => {
                Err(wrong_count(name, "two values", arguments.len(), self))
            }
            // One value: a function of a field, in a series.
            (Some(Function::Two(..)), [_]) => {
                scope
                    .call(name, arguments, self)
                    .map_err(|failure| match failure {
                        Some(mistake) if mistake.message.starts_with("there is no function") => {
                            wrong_count(name, "two or more values", 1, self)
                        }
                        other => other,
                    })
            }
            (Some(Function::Two(..)), _) => {
                Err(wrong_count(name, "two or more values", arguments.len(), self))
            }
        }
    }
}

fn map(value: &Value, function: impl Fn(f64) -> f64) -> Value {
    match value {
        Value::Number(value) => Value::Number(function(*value)),
        Value::Vector(values) => Value::Vector(values.iter().map(|value| function(*value)).collect()),
    }
}

/// Component by component; a number counts for each component of a vector.
fn zip(a: &Value, b: &Value, function: impl Fn(f64, f64) -> f64, at: &Expr) -> Result<Value, Failure> {
    let length = match (a.length(), b.length()) {
        (None, None) => return Ok(Value::Number(function(a.component(0), b.component(0)))),
        (Some(a), Some(b)) if a != b => {
            let message = format!("a vector of {a} and one of {b} do not fit together");
            return Err(Some(Mistake::new(
                &at.range,
                message,
                "give them the same number of components",
            )));
        }
        (a, b) => a.or(b).unwrap_or(0),
    };
    let components = (0..length).map(|i| function(a.component(i), b.component(i)));
    Ok(Value::Vector(components.collect()))
}
