//! Element types: what one cell, vertex, particle or pixel holds in one channel.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Type of one element, stored without padding (scalar layout). `rgba8` packs four 8-bit values into 4 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(
    missing_docs,
    reason = "GLSL's own names; the schema would repeat any text for each"
)]
pub enum Element {
    Float,
    Vec2,
    Vec3,
    Vec4,
    Int,
    Ivec2,
    Ivec3,
    Ivec4,
    Uint,
    Uvec2,
    Uvec3,
    Uvec4,
    Rgba8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    Float,
    Int,
    Uint,
}

impl Element {
    /// The scalar that memory holds; an `rgba8` is one uint.
    pub fn scalar(self) -> Scalar {
        use Element::*;
        match self {
            Float | Vec2 | Vec3 | Vec4 => Scalar::Float,
            Int | Ivec2 | Ivec3 | Ivec4 => Scalar::Int,
            Uint | Uvec2 | Uvec3 | Uvec4 | Rgba8 => Scalar::Uint,
        }
    }

    /// Numbers in an element; an `rgba8` is one.
    pub fn components(self) -> u32 {
        use Element::*;
        match self {
            Float | Int | Uint | Rgba8 => 1,
            Vec2 | Ivec2 | Uvec2 => 2,
            Vec3 | Ivec3 | Uvec3 => 3,
            Vec4 | Ivec4 | Uvec4 => 4,
        }
    }

    /// Bytes of an element in memory.
    pub fn bytes(self) -> u64 {
        4 * u64::from(self.components())
    }

    /// The GLSL type in memory.
    pub fn glsl(self) -> &'static str {
        use Element::*;
        match self {
            Float => "float",
            Vec2 => "vec2",
            Vec3 => "vec3",
            Vec4 => "vec4",
            Int => "int",
            Ivec2 => "ivec2",
            Ivec3 => "ivec3",
            Ivec4 => "ivec4",
            Uint | Rgba8 => "uint",
            Uvec2 => "uvec2",
            Uvec3 => "uvec3",
            Uvec4 => "uvec4",
        }
    }

    /// The type that shaders see.
    pub fn accessor_type(self) -> &'static str {
        if self == Element::Rgba8 {
            "vec4"
        } else {
            self.glsl()
        }
    }

    /// The vector type of as many `scalar`s as an argument has values.
    pub fn float_vector(components: usize) -> Option<Element> {
        match components {
            1 => Some(Element::Float),
            2 => Some(Element::Vec2),
            3 => Some(Element::Vec3),
            4 => Some(Element::Vec4),
            _ => None,
        }
    }

    /// The 32 bits of one component of value `value`; `None` when it is no whole number in range.
    pub fn component_bits(self, value: f64) -> Option<u32> {
        match self.scalar() {
            Scalar::Float => Some((value as f32).to_bits()),
            Scalar::Int => (value.fract() == 0.0 && (-2147483648.0..=2147483647.0).contains(&value))
                .then_some(value as i32 as u32),
            Scalar::Uint => {
                (value.fract() == 0.0 && (0.0..=4294967295.0).contains(&value)).then_some(value as u32)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_become_bits_only_in_range() {
        assert_eq!(Element::Vec3.component_bits(0.5), Some(0.5f32.to_bits()));
        assert_eq!(Element::Int.component_bits(-1.0), Some(u32::MAX));
        assert_eq!(Element::Uint.component_bits(-1.0), None);
        assert_eq!(Element::Uint.component_bits(0.5), None);
        assert_eq!(Element::Uint.component_bits(4294967295.0), Some(u32::MAX));
        assert_eq!(Element::Uint.component_bits(f64::NAN), None);
    }
}
