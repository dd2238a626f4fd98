//! Transforms of real values that are extended beyond both ends of a line: the discrete Fourier transform of the extended
//! line contains their coefficients. Indices and signs of values and coefficients are GLSL expressions, where `i` is the
//! number of a value of the extended line.

use super::butterfly::float;
use super::values::{Wave, alternating};

/// The mapping between the extended line and the values on one side of a transform.
struct Side {
    /// The condition for values that exist; empty if all do.
    is_there: String,
    /// The index of value `i`.
    place: String,
    /// A factor that begins with `" * "`, or nothing.
    sign: String,
}

impl Wave {
    /// The length of the discrete Fourier transform for `n` values.
    pub fn length(self, n: u64) -> u64 {
        match self {
            Wave::Cosine | Wave::Sine | Wave::Hartley => n,
            Wave::Cosine1 => 2 * n - 2,
            Wave::Sine1 => 2 * n + 2,
            Wave::Sine7 | Wave::Cosine8 => 2 * n + 1,
        }
    }

    /// The number of values that a discrete Fourier transform of this length is for.
    fn values(self, length: u64) -> u64 {
        match self {
            Wave::Cosine | Wave::Sine | Wave::Hartley => length,
            Wave::Cosine1 => length / 2 + 1,
            Wave::Sine1 => length / 2 - 1,
            Wave::Sine7 | Wave::Cosine8 => length / 2,
        }
    }

    /// Returns true if values are extended instead of permuted.
    pub(super) fn is_extended(self) -> bool {
        !matches!(self, Wave::Cosine | Wave::Sine)
    }

    /// Smallest number of values that it transforms.
    pub fn min_values(self) -> u64 {
        if self == Wave::Cosine1 { 2 } else { 1 }
    }

    /// Value `i` of the extended line: of the values, or of the coefficients if the transform is inverse.
    pub(super) fn extended(self, length: u64, inverse: bool, at: &dyn Fn(&str) -> String) -> String {
        let Side {
            is_there,
            place,
            sign,
        } = self.loaded(length, inverse);
        if is_there.is_empty() {
            format!("{}{sign}", at(&place))
        } else {
            format!("{is_there} ? {}{sign} : vec2(0.0)", at(&place))
        }
    }

    /// The statement that stores the result from `value`, number `i` of the transform.
    pub(super) fn put(self, length: u64, inverse: bool, put: &dyn Fn(&str, &str) -> String) -> String {
        let Side {
            is_there,
            place,
            sign,
        } = self.stored(length, inverse);
        let part = match self {
            Wave::Hartley => "(value - value.yx)",
            Wave::Cosine1 => "value",
            _ => "-value.yx",
        };
        let scale = if inverse {
            format!(" * {}", float(1.0 / length as f64))
        } else {
            String::new()
        };
        let stored = put(&place, &format!("{part}{sign}{scale}"));
        if is_there.is_empty() {
            stored
        } else {
            format!("if ({is_there}) {stored}")
        }
    }

    fn loaded(self, length: u64, inverse: bool) -> Side {
        let n = self.values(length);
        let (is_there, place, sign) = match (self, inverse) {
            (Wave::Cosine | Wave::Sine | Wave::Hartley, _) => (String::new(), "i".into(), String::new()),
            (Wave::Cosine1, _) => (String::new(), format!("min(i, {length}u - i)"), String::new()),
            (Wave::Sine1, _) => (
                format!("i != 0u && i != {}u", n + 1),
                format!("(max(min(i, {length}u - i), 1u) - 1u) % {n}u"),
                format!(" * (i <= {n}u ? 1.0 : -1.0)"),
            ),
            (Wave::Sine7, false) => (
                "i != 0u".into(),
                format!("max(min(i, {length}u - i), 1u) - 1u"),
                alternating("i"),
            ),
            (Wave::Cosine8, false) => (
                "i != 0u".into(),
                format!("{n}u - max(min(i, {length}u - i), 1u)"),
                alternating("i"),
            ),
            (Wave::Sine7 | Wave::Cosine8, true) => {
                let place = format!("(i > {n}u ? i - {}u : {n}u - max(i, 1u))", n + 1);
                let sign = format!(" * (i > {n}u ? 1.0 : -1.0)");
                let turned = if self == Wave::Cosine8 {
                    alternating(&place)
                } else {
                    String::new()
                };
                ("i != 0u".into(), place, sign + &turned)
            }
        };
        Side {
            is_there,
            place,
            sign,
        }
    }

    fn stored(self, length: u64, inverse: bool) -> Side {
        let n = self.values(length);
        let (is_there, place, sign) = match (self, inverse) {
            (Wave::Cosine | Wave::Sine | Wave::Hartley, _) => (String::new(), "i".into(), String::new()),
            (Wave::Cosine1, _) => (format!("i < {n}u"), "i".into(), String::new()),
            (Wave::Sine1, _) => (format!("i - 1u < {n}u"), "i - 1u".into(), String::new()),
            (Wave::Sine7 | Wave::Cosine8, false) => {
                let place = format!("(i - {}u)", n + 1);
                let sign = if self == Wave::Cosine8 {
                    alternating(&place)
                } else {
                    String::new()
                };
                (format!("i > {n}u"), place, sign)
            }
            (Wave::Sine7, true) => (format!("i - 1u < {n}u"), "i - 1u".into(), alternating("i")),
            (Wave::Cosine8, true) => (format!("i - 1u < {n}u"), format!("{n}u - i"), alternating("i")),
        };
        Side {
            is_there,
            place,
            sign,
        }
    }
}
