//! Numbers that a pipeline derives from its parameters for people to see.

use std::fmt;

use crate::element::shown;

/// A derived number.
#[derive(Debug, Clone)]
pub(crate) struct Quantity {
    pub name: String,
    pub value: f64,
    /// Empty for a number without a unit.
    pub unit: String,
    /// Between these the number is safe.
    pub range: Option<[f64; 2]>,
    /// What to change if it is not.
    pub help: Option<String>,
}

impl Quantity {
    /// What is wrong with a value outside its range, and what to do.
    fn warning(&self) -> Option<String> {
        let [least, most] = self.range?;
        let (is, bound) = match self.value {
            value if value < least => ("below", least),
            value if value > most => ("above", most),
            _ => return None,
        };
        let help = self.help.as_ref().map(|help| format!("\n  help: {help}"));
        Some(format!(
            "`{}` is {}, {is} {}{}",
            self.name,
            rounded(self.value),
            shown(bound),
            help.unwrap_or_default()
        ))
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} = {}", self.name, rounded(self.value))?;
        if self.unit.is_empty() {
            Ok(())
        } else {
            write!(f, " {}", self.unit)
        }
    }
}

/// What a person should read of them: a line for each, then the warnings.
pub(crate) fn report_quantities(quantities: &[Quantity]) -> Vec<String> {
    let lines = quantities.iter().map(|quantity| format!("  {quantity}"));
    let warnings = quantities.iter().filter_map(Quantity::warning);
    lines
        .chain(warnings.map(|warning| format!("warning: {warning}")))
        .collect()
}

/// With four digits, which are enough to judge a number.
fn rounded(value: f64) -> String {
    format!("{value:.3e}")
        .parse()
        .map_or_else(|_| value.to_string(), shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tau(value: f64) -> Quantity {
        Quantity {
            name: "tau".into(),
            value,
            unit: String::new(),
            range: Some([0.505, 1.0]),
            help: Some("take smaller cells".into()),
        }
    }

    #[test]
    fn values_outside_their_range_tell_what_to_do() {
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
            Quantity {
                range: None,
                ..tau(9.0)
            }
            .warning(),
            None
        );
    }

    #[test]
    fn numbers_are_shown_with_four_digits_and_their_unit() {
        let speed = Quantity {
            name: "flow_speed".into(),
            unit: "m/s".into(),
            ..tau(0.000123456)
        };
        assert_eq!(speed.to_string(), "flow_speed = 0.0001235 m/s");
        assert_eq!(tau(123456.0).to_string(), "tau = 123500");
    }
}
