//! Numbers within bounds, in lists of a length, and as values of a type.

use super::file::{Number, Numbers, Pair};
use super::program::*;
use super::scope::Scope;
use crate::element::{Element, Scalar, shown};
use crate::problem::Place;

impl Program<'_> {
    /// A number that is greater than zero as a 32-bit float.
    pub fn positive(&self, scope: &Scope, number: &Number) -> Option<f64> {
        let value = self.number(scope, number)?;
        self.is_positive(value, &number.place).then_some(value)
    }

    pub fn is_positive(&self, value: f64, place: &Place) -> bool {
        let is_float = (value as f32).is_normal();
        if value > 0.0 && !is_float {
            let help = format!("write a number from {:e} to {:e}", f32::MIN_POSITIVE, f32::MAX);
            self.wrong(place, format!("{value:e} is not a value of type float"), help);
        } else if !is_float || value <= 0.0 {
            let message = format!("{value} is not greater than zero");
            self.wrong(place, message, "write a positive number");
        }
        value > 0.0 && is_float
    }

    /// A whole number between two bounds.
    pub fn count(&self, scope: &Scope, number: &Number, min: u64, max: u64) -> Option<u64> {
        self.whole(self.number(scope, number)?, &number.place, min, max)
    }

    /// A value as a whole number between two bounds.
    pub fn whole(&self, value: f64, place: &Place, min: u64, max: u64) -> Option<u64> {
        if value.fract() == 0.0 && value >= min as f64 && value <= max as f64 {
            return Some(value as u64);
        }
        let message = format!("{value} is not a whole number from {min} to {max}");
        let help = if value.fract() == 0.0 {
            "choose one in that range"
        } else {
            "use floor(...), ceil(...) or round(...)"
        };
        self.refuse(place, message, help)
    }

    /// A whole number between two bounds, or a default if it is missing.
    pub fn count_or(
        &self,
        scope: &Scope,
        number: Option<&Number>,
        default: u64,
        [min, max]: [u64; 2],
    ) -> Option<u64> {
        number.map_or(Some(default), |number| self.count(scope, number, min, max))
    }

    /// Coordinates along the axes. They must be valid as 32-bit floats, the type in shaders.
    pub fn coordinates(&self, scope: &Scope, numbers: &Numbers, of: &str, axes: usize) -> Option<[f64; 3]> {
        let values = self.numbers(scope, numbers)?;
        self.check_length(values.len(), axes, of, numbers.place())?;
        self.all_fit(&values, Element::Float, numbers.place())?;
        Some(std::array::from_fn(|axis| {
            values.get(axis).copied().unwrap_or(0.0)
        }))
    }

    /// Two numbers, the smaller first.
    pub fn pair(&self, scope: &Scope, pair: &Pair, may_be_equal: bool) -> Option<[f64; 2]> {
        let [min, max] = pair.numbers.each_ref().map(|number| self.number(scope, number));
        let (min, max) = (min?, max?);
        if min > max || min == max && !may_be_equal {
            let message = format!("no number is between {min} and {max}");
            return self.refuse(&pair.place, message, "write the smaller one first");
        }
        Some([min, max])
    }

    /// Reports a value with a wrong number of components.
    pub fn check_length(&self, length: usize, wanted: usize, of: &str, place: &Place) -> Option<()> {
        if length == wanted {
            return Some(());
        }
        let values = if wanted == 1 { "value" } else { "values" };
        let message = format!("{of} requires {wanted} {values}, not {length}");
        let help = match wanted {
            1 => "write one number or expression, without [ ]".to_string(),
            _ => format!("write {wanted} numbers or expressions in [ ]"),
        };
        self.refuse(place, message, help)
    }

    /// The bytes of one value of a type.
    pub fn bytes(&self, scope: &Scope, numbers: &Numbers, element: Element) -> Option<Vec<u8>> {
        let (values, place) = (self.numbers(scope, numbers)?, numbers.place());
        self.check_length(values.len(), element.components() as usize, element.name(), place)?;
        self.bytes_of(&values, element, place)
    }

    pub fn bytes_of(&self, values: &[f64], element: Element, place: &Place) -> Option<Vec<u8>> {
        self.all_fit(values, element, place)?;
        Some(
            values
                .iter()
                .flat_map(|value| element.component_bytes(*value))
                .collect(),
        )
    }

    /// Reports the first number that a type cannot represent.
    fn all_fit(&self, values: &[f64], element: Element, place: &Place) -> Option<()> {
        let bits = |value: &f64| self.bits(*value, element, place);
        values.iter().try_for_each(|value| bits(value).map(|_| ()))
    }

    /// The bits of a number in a type. Reports a number that the type cannot represent.
    pub fn bits(&self, value: f64, element: Element, place: &Place) -> Option<u64> {
        let bits = element.component_bits(value);
        bits.or_else(|| {
            let message = format!("{} is not a value of type {}", shown(value), element.name());
            let [min, max] = element.scalar().range();
            let help = match element.scalar() {
                Scalar::Double => "write a number".to_string(),
                Scalar::Float => format!("write a number from {:e} to {:e}", f32::MIN, f32::MAX),
                Scalar::Half => format!("write a number from {min} to {max}, or change the type"),
                _ => format!("write a whole number from {min} to {max}, or change the type"),
            };
            self.refuse(place, message, help)
        })
    }
}
