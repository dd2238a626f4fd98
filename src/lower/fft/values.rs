//! Loads and stores of a transform: the values of its lines, as fields contain them.

use crate::element::{Element, Scalar};

use super::butterfly::float;

/// The type of a value of a line in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    pub complex: bool,
    pub half: bool,
}

impl Unit {
    pub const COMPLEX: Unit = Unit {
        complex: true,
        half: false,
    };

    /// The unit for an element type, and the number of values in an element: complex numbers are pairs of components.
    pub fn of(element: Element, complex: bool) -> Option<(Unit, u64)> {
        let half = match element.scalar() {
            Scalar::Float => false,
            Scalar::Half => true,
            _ => return None,
        };
        let components = u64::from(element.components());
        let per_value = if complex { 2 } else { 1 };
        components
            .is_multiple_of(per_value)
            .then_some((Unit { complex, half }, components / per_value))
    }

    /// Its element type.
    pub(super) fn element(self) -> Element {
        match (self.complex, self.half) {
            (false, false) => Element::Float,
            (true, false) => Element::Vec2,
            (false, true) => Element::Half,
            (true, true) => Element::Hvec2,
        }
    }

    pub(super) fn bytes(self) -> u64 {
        self.element().bytes()
    }

    pub(super) fn memory(self) -> &'static str {
        self.element().glsl()
    }

    /// A value in memory as a complex number.
    pub(super) fn seen(self, memory: &str) -> String {
        match (self.complex, self.half) {
            (true, false) => memory.to_string(),
            (true, true) => format!("sg_from_half(uvec2({memory}))"),
            (false, false) => format!("vec2({memory}, 0.0)"),
            (false, true) => format!("vec2(sg_from_half(uint({memory})), 0.0)"),
        }
    }

    /// A complex number as a value in memory: its real part if the unit is real.
    pub(super) fn stored(self, value: &str) -> String {
        match (self.complex, self.half) {
            (true, false) => value.to_string(),
            (true, true) => format!("u16vec2(sg_to_half({value}))"),
            (false, false) => format!("{value}.x"),
            (false, true) => format!("uint16_t(sg_to_half({value}.x))"),
        }
    }
}

/// The values that a pass loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassInput {
    /// Values of an earlier pass.
    Inner,
    /// Values of the field.
    Plain,
    /// Values of the field for an inverse transform: with real and imaginary parts exchanged.
    Swapped,
    /// Values of an inverse transform of which the field holds the first half; the others are their conjugates.
    Half,
    /// Real values: for a cosine or sine transform of type 2, even ones first, then odd ones in reverse order.
    Wave(Wave),
    /// Coefficients of real values.
    Coefficients(Wave),
}

/// The functions in which real values are expanded. The number is the type of the discrete cosine or sine transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wave {
    /// Type 2, and its inverse, type 3.
    Cosine,
    /// Type 2. Its coefficients are the cosine coefficients, in reverse order, of values with alternating signs.
    Sine,
    Cosine1,
    Sine1,
    /// Type 7, and its inverse, type 6.
    Sine7,
    Cosine8,
    /// The sum of cosine and sine, periodic.
    Hartley,
}

impl Wave {
    /// The sign of value `i`, as a factor at the end of an expression.
    fn sign(self, i: &str) -> String {
        match self {
            Wave::Sine => alternating(i),
            _ => String::new(),
        }
    }

    /// The index of coefficient `k` of `n`.
    fn place(self, k: &str, n: u64) -> String {
        match self {
            Wave::Sine => format!("({}u - {k})", n - 1),
            _ => k.to_string(),
        }
    }
}

/// The index of value `i` of `n` in the order of a cosine transform.
fn shuffled(n: u64) -> String {
    format!("(i < {}u ? 2u * i : {}u - 2u * i)", n.div_ceil(2), 2 * n - 1)
}

/// exp(-pi i k / (2 n)) for value k of a cosine transform.
const QUARTER: &str = "Table(uint64_t(sg_p_quarters)).v[i]";

/// The values that a pass stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassOutput {
    /// Values for a later pass, times the twiddle factors between the two passes of a long line.
    Twiddled,
    /// The transform.
    Plain,
    /// An inverse transform.
    Inverse,
    /// The first half of the transform of real values.
    Half,
    /// Coefficients of real values.
    Coefficients(Wave),
    /// The real values of an inverse transform of coefficients.
    Wave(Wave),
}

impl PassInput {
    /// Returns true if they are the input of the whole transform.
    pub(super) fn is_outer(self) -> bool {
        self != PassInput::Inner
    }

    /// If value `i` is the value of the field at `i`: the components of it, as a suffix.
    pub(super) fn in_order(self) -> Option<&'static str> {
        match self {
            PassInput::Inner | PassInput::Plain => Some(""),
            PassInput::Swapped => Some(".yx"),
            _ => None,
        }
    }

    /// Returns true if it needs the quarters of a cosine transform.
    pub(super) fn has_quarters(self) -> bool {
        matches!(self, PassInput::Coefficients(wave) if !wave.is_extended())
    }

    /// Value `i` of `n` as an expression. `at` returns the value of the field at an index.
    pub(super) fn load(self, n: u64, at: &dyn Fn(&str) -> String) -> String {
        match self {
            PassInput::Inner | PassInput::Plain => at("i"),
            PassInput::Swapped => format!("{}.yx", at("i")),
            PassInput::Half => format!(
                "i <= {}u ? {}.yx : {}.yx * vec2(-1.0, 1.0)",
                n / 2,
                at("i"),
                at(&format!("({n}u - i)"))
            ),
            PassInput::Wave(wave) if wave.is_extended() => wave.extended(n, false, at),
            PassInput::Coefficients(wave) if wave.is_extended() => wave.extended(n, true, at),
            PassInput::Wave(wave) => {
                let place = shuffled(n);
                format!("{}{}", at(&place), wave.sign(&place))
            }
            // Half of (c(k) - i c(n - k)) times the conjugate quarter, with real and imaginary parts exchanged.
            PassInput::Coefficients(wave) => {
                let mirrored = at(&wave.place(&format!("({n}u - i)"), n));
                format!(
                    "0.5 * times(vec2({}.x, i == 0u ? 0.0 : -{mirrored}.x), {QUARTER} * vec2(1.0, -1.0)).yx",
                    at(&wave.place("i", n))
                )
            }
        }
    }
}

impl PassOutput {
    pub(super) fn is_outer(self) -> bool {
        self != PassOutput::Twiddled
    }

    /// Returns true if value `i` is stored at `i`.
    pub(super) fn in_order(self) -> bool {
        matches!(
            self,
            PassOutput::Plain | PassOutput::Twiddled | PassOutput::Inverse
        )
    }

    /// Returns true if it needs the quarters of a cosine transform.
    pub(super) fn has_quarters(self) -> bool {
        matches!(self, PassOutput::Coefficients(wave) if !wave.is_extended())
    }

    pub(super) fn is_twiddled(self) -> bool {
        self == PassOutput::Twiddled
    }

    /// The statement that stores `value`, number `i` of `n`.
    pub(super) fn store(self, n: u64, put: &dyn Fn(&str, &str) -> String) -> String {
        match self {
            PassOutput::Plain => put("i", "value"),
            PassOutput::Twiddled => put("i", "times(value, turn(m))"),
            PassOutput::Inverse => put("i", &format!("value.yx * {}", scale(n))),
            PassOutput::Coefficients(wave) if wave.is_extended() => wave.put(n, false, put),
            PassOutput::Wave(wave) if wave.is_extended() => wave.put(n, true, put),
            PassOutput::Coefficients(wave) => {
                put(&wave.place("i", n), &format!("2.0 * times(value, {QUARTER})"))
            }
            PassOutput::Wave(wave) => {
                let place = shuffled(n);
                put(&place, &format!("value.yx * {}{}", scale(n), wave.sign(&place)))
            }
            PassOutput::Half => format!("if (i <= {}u) {}", n / 2, put("i", "value")),
        }
    }
}

/// The factor of an inverse transform.
pub(super) fn scale(n: u64) -> String {
    float(1.0 / n as f64)
}

/// 1 for even numbers and -1 for odd ones, as a factor at the end of an expression.
pub(super) fn alternating(i: &str) -> String {
    format!(" * (({i}) % 2u == 0u ? 1.0 : -1.0)")
}
