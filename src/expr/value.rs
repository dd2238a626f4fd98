//! Values of expressions.

/// A number, or a vector of numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Number(f64),
    Vector(Vec<f64>),
}

impl Value {
    /// The components of a vector, or the number itself.
    pub fn numbers(&self) -> &[f64] {
        match self {
            Value::Number(value) => std::slice::from_ref(value),
            Value::Vector(values) => values,
        }
    }

    /// The number of components of a vector.
    pub fn length(&self) -> Option<usize> {
        match self {
            Value::Number(_) => None,
            Value::Vector(values) => Some(values.len()),
        }
    }

    /// A component of a vector. A number has the same value for all components.
    pub(super) fn component(&self, number: usize) -> f64 {
        match self {
            Value::Number(value) => *value,
            Value::Vector(values) => values.get(number).copied().unwrap_or(f64::NAN),
        }
    }
}
