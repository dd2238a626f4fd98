//! What a transform loads and stores: the values of its lines, as it finds them in fields.

use crate::element::{Element, Scalar};

use super::butterfly::float;

/// What one value of a line is in memory.
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

    /// What values of a type are, and how many an element has: complex numbers are pairs of components.
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

    /// The element type that it is.
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

    /// A complex number, of which memory holds the real part if it has no more.
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
pub enum Input {
    /// Those of an earlier pass.
    Inner,
    /// Those of the field.
    Plain,
    /// The same for an inverse transform: with real and imaginary parts in each other's place.
    Swapped,
    /// The same of which the field holds the first half, the others are their conjugates.
    Half,
    /// Real values: for a cosine or sine transform of type 2, even ones first, then odd ones backwards.
    Wave(Wave),
    /// Coefficients of real values.
    Coefficients(Wave),
}

/// What real values are expanded in. The number is the type of the discrete cosine or sine transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wave {
    /// Type 2, and its inverse, type 3.
    Cosine,
    /// Type 2. Its coefficients are cosine coefficients, backwards, of values with alternating signs.
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

    /// The place of coefficient `k` of `n`.
    fn place(self, k: &str, n: u64) -> String {
        match self {
            Wave::Sine => format!("({}u - {k})", n - 1),
            _ => k.to_string(),
        }
    }
}

/// The place of value `i` of `n` in the order of a cosine transform.
fn shuffled(n: u64) -> String {
    format!("(i < {}u ? 2u * i : {}u - 2u * i)", n.div_ceil(2), 2 * n - 1)
}

/// exp(-pi i k / (2 n)) for value k of a cosine transform.
const QUARTER: &str = "Table(uint64_t(sg_p_quarters)).v[i]";

/// The values that a pass stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Those for a later pass, with the factors between the two passes of a long line.
    Turned,
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

impl Input {
    /// Whether they are those of the whole transform.
    pub(super) fn is_outer(self) -> bool {
        self != Input::Inner
    }

    /// Whether it needs the quarters of a cosine transform.
    pub(super) fn has_quarters(self) -> bool {
        matches!(self, Input::Coefficients(wave) if !wave.is_continued())
    }

    /// Value `i` of `n` as an expression. `at` gives that of the field at a place.
    pub(super) fn load(self, n: u64, at: &dyn Fn(&str) -> String) -> String {
        match self {
            Input::Inner | Input::Plain => at("i"),
            Input::Swapped => format!("{}.yx", at("i")),
            Input::Half => format!(
                "i <= {}u ? {}.yx : {}.yx * vec2(-1.0, 1.0)",
                n / 2,
                at("i"),
                at(&format!("({n}u - i)"))
            ),
            Input::Wave(wave) if wave.is_continued() => wave.continued(n, false, at),
            Input::Coefficients(wave) if wave.is_continued() => wave.continued(n, true, at),
            Input::Wave(wave) => {
                let place = shuffled(n);
                format!("{}{}", at(&place), wave.sign(&place))
            }
            // Half of (c(k) - i c(n - k)) times the conjugate quarter, with real and imaginary parts in each other's place.
            Input::Coefficients(wave) => {
                let mirrored = at(&wave.place(&format!("({n}u - i)"), n));
                format!(
                    "0.5 * times(vec2({}.x, i == 0u ? 0.0 : -{mirrored}.x), {QUARTER} * vec2(1.0, -1.0)).yx",
                    at(&wave.place("i", n))
                )
            }
        }
    }
}

impl Output {
    pub(super) fn is_outer(self) -> bool {
        self != Output::Turned
    }

    /// Whether it needs the quarters of a cosine transform.
    pub(super) fn has_quarters(self) -> bool {
        matches!(self, Output::Coefficients(wave) if !wave.is_continued())
    }

    pub(super) fn is_turned(self) -> bool {
        self == Output::Turned
    }

    /// The statement that stores `value`, number `i` of `n`.
    pub(super) fn store(self, n: u64, put: &dyn Fn(&str, &str) -> String) -> String {
        match self {
            Output::Plain => put("i", "value"),
            Output::Turned => put("i", "times(value, turn(m))"),
            Output::Inverse => put("i", &format!("value.yx * {}", scale(n))),
            Output::Coefficients(wave) if wave.is_continued() => wave.put(n, false, put),
            Output::Wave(wave) if wave.is_continued() => wave.put(n, true, put),
            Output::Coefficients(wave) => put(&wave.place("i", n), &format!("2.0 * times(value, {QUARTER})")),
            Output::Wave(wave) => {
                let place = shuffled(n);
                put(&place, &format!("value.yx * {}{}", scale(n), wave.sign(&place)))
            }
            Output::Half => format!("if (i <= {}u) {}", n / 2, put("i", "value")),
        }
    }
}

/// The factor of an inverse transform.
fn scale(n: u64) -> String {
    float(1.0 / n as f64)
}

/// 1 for even numbers and -1 for odd ones, as a factor at the end of an expression.
pub(super) fn alternating(i: &str) -> String {
    format!(" * (({i}) % 2u == 0u ? 1.0 : -1.0)")
}
