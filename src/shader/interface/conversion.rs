//! Conversions between values in memory and values in shaders.

use half::f16;

use crate::element::{Element, Scalar};
use crate::ir::LocalField;

use super::{Generator, NATIVE_HALVES, line};

const HALF: &str = include_str!("half.glsl");

/// Converts a value in memory to its GLSL value.
pub(super) fn seen(element: Element, memory: &str) -> String {
    let wide = element.accessor_type();
    match (element, element.scalar()) {
        (Element::Rgba8, _) => format!("unpackUnorm4x8({memory})"),
        (_, Scalar::Half) => format!("sg_from_half({}({memory}))", bits_type(element)),
        _ if element.is_narrow() => format!("{wide}({memory})"),
        _ => memory.to_string(),
    }
}

/// Converts a GLSL value to its form in memory. Integers that are too large for the type keep their low bits.
pub(super) fn stored(element: Element, value: &str) -> String {
    let memory = element.glsl();
    match (element, element.scalar()) {
        (Element::Rgba8, _) => format!("packUnorm4x8({value})"),
        (_, Scalar::Half) => format!("{memory}(sg_to_half({value}))"),
        _ if element.is_narrow() => format!("{memory}({value})"),
        _ => value.to_string(),
    }
}

/// The unsigned integer type for the bits of halves.
fn bits_type(element: Element) -> &'static str {
    match element.components() {
        1 => "uint",
        2 => "uvec2",
        3 => "uvec3",
        _ => "uvec4",
    }
}

/// The background of a field as a GLSL value.
pub(super) fn background(field: &LocalField) -> String {
    let (kind, bits) = (field.element.accessor_type(), field.background);
    let number = match field.element.scalar() {
        Scalar::Float => format!("{:?}", f32::from_bits(bits as u32)),
        Scalar::Half => format!("{:?}", f16::from_bits(bits as u16).to_f32()),
        Scalar::Double => format!("{:?}lf", f64::from_bits(bits)),
        Scalar::Int8 | Scalar::Int16 | Scalar::Int => {
            format!("{}", field.element.scalar().number(bits) as i32)
        }
        Scalar::Int64 => format!("{}l", bits as i64),
        Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint => format!("{bits}u"),
        Scalar::Uint64 => format!("{bits}ul"),
    };
    match field.element {
        Element::Rgba8 => format!("unpackUnorm4x8(uint({number}))"),
        // A matrix of one number is diagonal in GLSL.
        element if element.columns() > 1 => {
            let all = vec![number; element.components() as usize];
            format!("{kind}({})", all.join(", "))
        }
        _ => format!("{kind}({number})"),
    }
}

/// True for types with atomics.
pub(super) fn has_atomics(element: Element) -> bool {
    matches!(element, Element::Int | Element::Uint)
}

impl Generator<'_> {
    /// Functions that conversions need.
    pub(super) fn conversions(&mut self) {
        let halves = |field: &LocalField| field.element.scalar() == Scalar::Half;
        if self.signature.fields.iter().any(halves) {
            line!(
                self,
                "layout(constant_id = {NATIVE_HALVES}) const bool sg_native_halves = false;"
            );
            self.text.push_str(HALF);
        }
    }
}
