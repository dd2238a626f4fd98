//! The parameters of a pipeline: their values, and notes for users.

use std::fmt;

use crate::element::shown;
use crate::expr::Expr;

/// A parameter with a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its dotted name, by which `--set` changes it.
    pub name: String,
    /// The number, or the components of the vector.
    pub values: Vec<f64>,
    /// The word that was given for its number.
    pub word: Option<String>,
    /// Empty without a unit.
    pub unit: String,
    /// The smallest and the largest useful value.
    pub range: Option<[f64; 2]>,
    /// Advice for values outside the range.
    pub help: Option<String>,
    /// It has a unit or a help, so its value is reported.
    pub is_reported: bool,
    /// The input of a window that sets it.
    pub input: Option<Input>,
    /// Effect of a change of its value.
    pub effect: Effect,
    /// Its value as a function of other parameters; `None` if it is a word.
    pub definition: Option<Expr>,
}

/// The effect of a change of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing depends on it.
    None,
    /// Arguments of kernels change: [`Simulation::set`](crate::Simulation::set) changes it without reading the pipeline again.
    Argument,
    /// The next step uses it.
    Value,
    /// Kernels or numbers of dispatches change; the state stays.
    Rebuild,
    /// Sizes of resources change.
    Restart,
}

/// The input in the window that sets a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// The position of the pointer in the picture, from (0, 0) at its lower left corner to (1, 1).
    PointerAt,
    /// The motion of the pointer since the last frame, in the same units.
    PointerMoved,
    /// 1 while the left button is held.
    PointerLeft,
    /// 1 while the right button is held.
    PointerRight,
    /// 1 while the key of this name is held.
    Key(String),
    /// The position in the scene under the pointer, from a channel with the distance from the eye: the name of its field.
    Scene(String),
}

impl Parameter {
    /// A warning about a value outside the range.
    fn warning(&self) -> Option<String> {
        let [least, most] = self.range?;
        let is_outside = |value: &&f64| **value < least || **value > most;
        let value = *self.values.iter().find(is_outside)?;
        let (is, bound) = if value < least {
            ("below", least)
        } else {
            ("above", most)
        };
        let help = self.help.as_ref().map(|help| format!("\n  help: {help}"));
        Some(format!(
            "`{}` is {}, {is} {}{}",
            self.name,
            rounded(value),
            shown(bound),
            help.unwrap_or_default()
        ))
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let numbers: Vec<String> = self.values.iter().map(|value| rounded(*value)).collect();
        let value = match (&self.word, numbers.as_slice()) {
            (Some(word), _) => word.clone(),
            (None, [one]) => one.clone(),
            (None, all) => format!("[{}]", all.join(", ")),
        };
        write!(f, "{} = {value}", self.name)?;
        if self.unit.is_empty() {
            Ok(())
        } else {
            write!(f, " {}", self.unit)
        }
    }
}

/// A line for each parameter with a unit or a help, then the warnings.
pub(super) fn report_parameters(parameters: &[Parameter]) -> Vec<String> {
    let reported = parameters.iter().filter(|parameter| parameter.is_reported);
    let lines = reported.map(|parameter| format!("  {parameter}"));
    let warnings = parameters.iter().filter_map(Parameter::warning);
    lines
        .chain(warnings.map(|warning| format!("warning: {warning}")))
        .collect()
}

/// A number with four digits.
fn rounded(value: f64) -> String {
    format!("{value:.3e}")
        .parse()
        .map_or_else(|_| value.to_string(), shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tau(value: f64) -> Parameter {
        Parameter {
            name: "tau".into(),
            values: vec![value],
            word: None,
            unit: String::new(),
            range: Some([0.505, 1.0]),
            help: Some("take smaller cells".into()),
            is_reported: true,
            input: None,
            effect: Effect::Value,
            definition: None,
        }
    }

    #[test]
    fn out_of_range_quantities_warn_with_their_help() {
        assert_eq!(
            tau(0.50012345).warning().unwrap(),
            "`tau` is 0.5001, below 0.505\n  help: take smaller cells"
        );
        assert_eq!(
            tau(2.0).warning().unwrap(),
            "`tau` is 2, above 1\n  help: take smaller cells"
        );
        for inside in [0.505, 0.7, 1.0] {
            assert_eq!(tau(inside).warning(), None);
        }
        assert_eq!(
            Parameter {
                range: None,
                ..tau(9.0)
            }
            .warning(),
            None
        );
    }

    #[test]
    fn quantities_print_with_four_digits_and_unit() {
        let speed = Parameter {
            name: "flow_speed".into(),
            unit: "m/s".into(),
            ..tau(0.000123456)
        };
        assert_eq!(speed.to_string(), "flow_speed = 0.0001235 m/s");
        assert_eq!(tau(123456.0).to_string(), "tau = 123500");
    }
}
