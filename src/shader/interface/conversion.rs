//! Between values in memory and values that shaders see.

use crate::element::{Element, Scalar};
use crate::ir::LocalField;

/// A value in memory, as shaders see it.
pub(super) fn seen(element: Element, memory: &str) -> String {
    match element {
        Element::Rgba8 => format!("unpackUnorm4x8({memory})"),
        _ => memory.to_string(),
    }
}

/// A value that a shader gives, as memory holds it.
pub(super) fn stored(element: Element, value: &str) -> String {
    match element {
        Element::Rgba8 => format!("packUnorm4x8({value})"),
        _ => value.to_string(),
    }
}

/// The background of a field in memory.
pub(super) fn background(field: &LocalField) -> String {
    let memory = field.element.glsl();
    match field.element.scalar() {
        Scalar::Float => format!("{memory}({:?})", f32::from_bits(field.background)),
        Scalar::Int => format!("{memory}({})", field.background as i32),
        Scalar::Uint => format!("{memory}({}u)", field.background),
    }
}

/// Whether atomics work on it.
pub(super) fn has_atomics(element: Element) -> bool {
    element.components() == 1 && element.scalar() != Scalar::Float && element != Element::Rgba8
}
