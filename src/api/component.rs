//! Types of values for reads and writes of fields from the host.

use crate::element::{Element, Scalar};

mod sealed {
    pub trait Sealed {}
}

/// A Rust type for reading and writing fields.
///
/// A field of `vec3` is `[f32; 3]` per element, or three consecutive `f32`; a `mat3` is `[f32; 9]`, column by column;
/// `rgba8` is `[u8; 4]` or one `u32`; a `half` is a `u16` with its bits. Every field can also be read and written as
/// bytes, `u8`.
///
/// ```
/// # use sastrugi::Component;
/// fn sum<T: Component + Into<f64>>(values: &[T]) -> f64 {
///     values.iter().map(|value| (*value).into()).sum()
/// }
/// assert_eq!(sum(&[1.5_f32, 2.0]), 3.5);
/// ```
pub trait Component: bytemuck::Pod + sealed::Sealed {
    /// True if fields with these elements can be read and written as this type.
    #[doc(hidden)]
    fn fits(element: Element) -> bool;

    /// Its name in messages.
    #[doc(hidden)]
    fn name() -> String;
}

macro_rules! components {
    ($($rust:ident: $($scalar:ident)|+,)*) => {$(
        impl sealed::Sealed for $rust {}

        impl Component for $rust {
            fn fits(element: Element) -> bool {
                $(element.scalar() == Scalar::$scalar)||+
            }

            fn name() -> String {
                stringify!($rust).to_string()
            }
        }

        components!($rust, 2);
        components!($rust, 3);
        components!($rust, 4);
        components!($rust, 9);
        components!($rust, 16);
    )*};
    ($rust:ident, $count:literal) => {
        impl sealed::Sealed for [$rust; $count] {}

        impl Component for [$rust; $count] {
            fn fits(element: Element) -> bool {
                $rust::fits(element) && element.components() == $count
            }

            fn name() -> String {
                concat!("[", stringify!($rust), "; ", $count, "]").to_string()
            }
        }
    };
}

components! {
    f32: Float,
    i32: Int,
    u32: Uint,
    i8: Int8,
    i16: Int16,
    u16: Uint16 | Half,
    f64: Double,
    i64: Int64,
    u64: Uint64,
}

impl sealed::Sealed for u8 {}

impl Component for u8 {
    fn fits(_: Element) -> bool {
        true
    }

    fn name() -> String {
        "u8".to_string()
    }
}

impl sealed::Sealed for [u8; 4] {}

impl Component for [u8; 4] {
    fn fits(element: Element) -> bool {
        element == Element::Rgba8
    }

    fn name() -> String {
        "[u8; 4]".to_string()
    }
}

/// The types that fit an element, for messages.
pub(super) fn fitting(element: Element) -> String {
    let scalar = match element.scalar() {
        Scalar::Float => "f32",
        Scalar::Int => "i32",
        Scalar::Uint => "u32",
        Scalar::Int8 => "i8",
        Scalar::Uint8 => "u8",
        Scalar::Int16 => "i16",
        Scalar::Uint16 | Scalar::Half => "u16",
        Scalar::Double => "f64",
        Scalar::Int64 => "i64",
        Scalar::Uint64 => "u64",
    };
    match (element, element.components()) {
        (Element::Rgba8, _) => "[u8; 4] or u32".to_string(),
        (_, 1) => scalar.to_string(),
        (_, count) => format!("[{scalar}; {count}] or {scalar}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn component_types_fit_only_elements_of_equal_layout() {
        assert!(f32::fits(Element::Float) && f32::fits(Element::Vec3) && <[f32; 3]>::fits(Element::Vec3));
        assert!(!<[f32; 3]>::fits(Element::Vec4) && !f32::fits(Element::Uint) && !u32::fits(Element::Int));
        assert!(
            <[u8; 4]>::fits(Element::Rgba8) && u32::fits(Element::Rgba8) && !<[u8; 4]>::fits(Element::Uint)
        );
        assert_eq!(fitting(Element::Ivec2), "[i32; 2] or i32");
    }
}
