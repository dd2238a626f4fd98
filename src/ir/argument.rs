//! Arguments of kernels as expressions of parameters.

use crate::element::Element;
use crate::expr::{Expr, Kind, Name, Part, Value};

pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// An argument that depends on parameters. In its trees, a name is a parameter, or a component of one; all other names
/// have been replaced by their values.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgumentSource {
    pub element: Element,
    /// One or several numbers, which form the components of the argument.
    pub trees: Vec<Expr>,
}

/// The tree that stands for a parameter, or for one of its components, in a [`ArgumentSource`] or a definition.
pub fn reference(parameter: &str, component: Option<usize>) -> Expr {
    let parts = std::iter::once(parameter).chain(component.map(|number| COMPONENTS[number]));
    let parts = parts.map(|text| Part::new(text, 0..0)).collect();
    Expr::new(Kind::Name(Name { parts }))
}

/// The tree of a value.
pub fn constant(value: &Value) -> Expr {
    let number = |value: &f64| Expr::new(Kind::Number(*value));
    match value {
        Value::Number(value) => number(value),
        Value::Vector(values) => Expr::new(Kind::Vector(values.iter().map(number).collect())),
    }
}
