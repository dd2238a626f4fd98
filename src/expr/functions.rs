//! The functions of expressions.

/// A function of numbers. It is applied to vectors component by component.
#[derive(Debug, Clone, Copy)]
pub(super) enum Function {
    One(fn(f64) -> f64),
    /// A function of two values. With more values it is applied from left to right.
    Two(fn(f64, f64) -> f64, Count),
}

/// The number of arguments that a function of two values accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    Two,
    TwoOrMore,
}

/// Names and functions. `if` and `length` are handled separately because they do not work component by component.
const FUNCTIONS: &[(&str, Function)] = &[
    ("min", Function::Two(f64::min, Count::TwoOrMore)),
    ("max", Function::Two(f64::max, Count::TwoOrMore)),
    ("atan2", Function::Two(f64::atan2, Count::Two)),
    ("abs", Function::One(f64::abs)),
    ("signum", Function::One(f64::signum)),
    ("floor", Function::One(f64::floor)),
    ("ceil", Function::One(f64::ceil)),
    ("round", Function::One(f64::round)),
    ("trunc", Function::One(f64::trunc)),
    ("fract", Function::One(f64::fract)),
    ("sqrt", Function::One(f64::sqrt)),
    ("cbrt", Function::One(f64::cbrt)),
    ("exp", Function::One(f64::exp)),
    ("ln", Function::One(f64::ln)),
    ("log2", Function::One(f64::log2)),
    ("log10", Function::One(f64::log10)),
    ("sin", Function::One(f64::sin)),
    ("cos", Function::One(f64::cos)),
    ("tan", Function::One(f64::tan)),
    ("asin", Function::One(f64::asin)),
    ("acos", Function::One(f64::acos)),
    ("atan", Function::One(f64::atan)),
    ("sinh", Function::One(f64::sinh)),
    ("cosh", Function::One(f64::cosh)),
    ("tanh", Function::One(f64::tanh)),
    ("asinh", Function::One(f64::asinh)),
    ("acosh", Function::One(f64::acosh)),
    ("atanh", Function::One(f64::atanh)),
];

pub(super) const IF: &str = "if";
pub(super) const LENGTH: &str = "length";

pub(super) fn function(name: &str) -> Option<Function> {
    let found = FUNCTIONS.iter().find(|(known, _)| *known == name);
    found.map(|(_, function)| *function)
}

/// True for the functions of all expressions.
pub(super) fn is_known(name: &str) -> bool {
    name == IF || name == LENGTH || function(name).is_some()
}

pub(super) fn names() -> impl Iterator<Item = String> {
    let plain = FUNCTIONS.iter().map(|(name, _)| *name);
    plain.chain([IF, LENGTH]).map(str::to_string)
}

/// The value of a constant that all expressions can use.
pub(super) fn constant(name: &str) -> Option<f64> {
    match name {
        "PI" | "π" => Some(std::f64::consts::PI),
        "TAU" | "τ" => Some(std::f64::consts::TAU),
        "E" => Some(std::f64::consts::E),
        _ => None,
    }
}
