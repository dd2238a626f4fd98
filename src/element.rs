//! Element types: the types of one value of a channel, attribute or buffer.

use half::f16;
use serde::{Deserialize, Serialize};

/// Type of one element, stored without padding (scalar layout).
///
/// Matrices are stored column by column. `half`, `hvec2` to `hvec4` and the 8- and 16-bit integers take 2 or 1 bytes a
/// component; shaders read and write them as `float`, `vec2` to `vec4`, `int` and `uint`. `rgba8` packs four 8-bit
/// values into 4 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
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
    Mat2,
    Mat3,
    Mat4,
    Int,
    Ivec2,
    Ivec3,
    Ivec4,
    Uint,
    Uvec2,
    Uvec3,
    Uvec4,
    Half,
    Hvec2,
    Hvec3,
    Hvec4,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Double,
    Dvec2,
    Dvec3,
    Dvec4,
    Int64,
    Uint64,
    Rgba8,
}

/// The type of one component in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    Float,
    Int,
    Uint,
    Half,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Double,
    Int64,
    Uint64,
}

/// Maximum integer that is exact in a pipeline file, whose numbers are doubles.
const MAX_EXACT: f64 = 9007199254740992.0;

/// Properties of a type: its name in files, its components, and its GLSL types in memory and in shaders.
struct Row(&'static str, Scalar, u32, &'static str, &'static str);

impl Element {
    /// All types.
    pub const ALL: [Element; 30] = [
        Element::Float,
        Element::Vec2,
        Element::Vec3,
        Element::Vec4,
        Element::Mat2,
        Element::Mat3,
        Element::Mat4,
        Element::Int,
        Element::Ivec2,
        Element::Ivec3,
        Element::Ivec4,
        Element::Uint,
        Element::Uvec2,
        Element::Uvec3,
        Element::Uvec4,
        Element::Half,
        Element::Hvec2,
        Element::Hvec3,
        Element::Hvec4,
        Element::Int8,
        Element::Uint8,
        Element::Int16,
        Element::Uint16,
        Element::Double,
        Element::Dvec2,
        Element::Dvec3,
        Element::Dvec4,
        Element::Int64,
        Element::Uint64,
        Element::Rgba8,
    ];

    fn row(self) -> Row {
        use Scalar::*;
        match self {
            Element::Float => Row("float", Float, 1, "float", "float"),
            Element::Vec2 => Row("vec2", Float, 2, "vec2", "vec2"),
            Element::Vec3 => Row("vec3", Float, 3, "vec3", "vec3"),
            Element::Vec4 => Row("vec4", Float, 4, "vec4", "vec4"),
            Element::Mat2 => Row("mat2", Float, 4, "mat2", "mat2"),
            Element::Mat3 => Row("mat3", Float, 9, "mat3", "mat3"),
            Element::Mat4 => Row("mat4", Float, 16, "mat4", "mat4"),
            Element::Int => Row("int", Int, 1, "int", "int"),
            Element::Ivec2 => Row("ivec2", Int, 2, "ivec2", "ivec2"),
            Element::Ivec3 => Row("ivec3", Int, 3, "ivec3", "ivec3"),
            Element::Ivec4 => Row("ivec4", Int, 4, "ivec4", "ivec4"),
            Element::Uint => Row("uint", Uint, 1, "uint", "uint"),
            Element::Uvec2 => Row("uvec2", Uint, 2, "uvec2", "uvec2"),
            Element::Uvec3 => Row("uvec3", Uint, 3, "uvec3", "uvec3"),
            Element::Uvec4 => Row("uvec4", Uint, 4, "uvec4", "uvec4"),
            Element::Half => Row("half", Half, 1, "uint16_t", "float"),
            Element::Hvec2 => Row("hvec2", Half, 2, "u16vec2", "vec2"),
            Element::Hvec3 => Row("hvec3", Half, 3, "u16vec3", "vec3"),
            Element::Hvec4 => Row("hvec4", Half, 4, "u16vec4", "vec4"),
            Element::Int8 => Row("int8", Int8, 1, "int8_t", "int"),
            Element::Uint8 => Row("uint8", Uint8, 1, "uint8_t", "uint"),
            Element::Int16 => Row("int16", Int16, 1, "int16_t", "int"),
            Element::Uint16 => Row("uint16", Uint16, 1, "uint16_t", "uint"),
            Element::Double => Row("double", Double, 1, "double", "double"),
            Element::Dvec2 => Row("dvec2", Double, 2, "dvec2", "dvec2"),
            Element::Dvec3 => Row("dvec3", Double, 3, "dvec3", "dvec3"),
            Element::Dvec4 => Row("dvec4", Double, 4, "dvec4", "dvec4"),
            Element::Int64 => Row("int64", Int64, 1, "int64_t", "int64_t"),
            Element::Uint64 => Row("uint64", Uint64, 1, "uint64_t", "uint64_t"),
            Element::Rgba8 => Row("rgba8", Uint, 1, "uint", "vec4"),
        }
    }

    /// Its name in pipeline files and messages.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The scalar type in memory; an `rgba8` is one uint.
    pub fn scalar(self) -> Scalar {
        self.row().1
    }

    /// Numbers in an element; an `rgba8` is one.
    pub fn components(self) -> u32 {
        self.row().2
    }

    /// Number of columns and rows of a matrix; 1 for other types.
    pub fn columns(self) -> u32 {
        match self {
            Element::Mat2 => 2,
            Element::Mat3 => 3,
            Element::Mat4 => 4,
            _ => 1,
        }
    }

    /// Bytes of an element in memory.
    pub fn bytes(self) -> u64 {
        self.scalar().bytes() * u64::from(self.components())
    }

    /// The GLSL type in memory.
    pub fn glsl(self) -> &'static str {
        self.row().3
    }

    /// The type that shaders see.
    pub fn accessor_type(self) -> &'static str {
        self.row().4
    }

    /// True if values have fewer than 32 bits in memory but 32 bits in shaders. Colours do not count.
    pub fn is_narrow(self) -> bool {
        self.scalar().bytes() < 4
    }

    /// The float type with this number of components, for arguments.
    pub fn float_vector(components: usize) -> Option<Element> {
        match components {
            1 => Some(Element::Float),
            2 => Some(Element::Vec2),
            3 => Some(Element::Vec3),
            4 => Some(Element::Vec4),
            _ => None,
        }
    }

    /// The bits of one component of value `value`; `None` if the type has no such value.
    pub fn component_bits(self, value: f64) -> Option<u64> {
        self.scalar().bits(value)
    }

    /// The bytes in memory of one component of value `value`; zeros if the type has no such value.
    pub fn component_bytes(self, value: f64) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.scalar()
            .push(self.component_bits(value).unwrap_or(0), &mut bytes);
        bytes
    }
}

impl Scalar {
    /// Bytes of a component.
    pub fn bytes(self) -> u64 {
        match self {
            Scalar::Int8 | Scalar::Uint8 => 1,
            Scalar::Half | Scalar::Int16 | Scalar::Uint16 => 2,
            Scalar::Float | Scalar::Int | Scalar::Uint => 4,
            Scalar::Double | Scalar::Int64 | Scalar::Uint64 => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Half | Scalar::Float | Scalar::Double)
    }

    /// Smallest and largest number of the type in a pipeline file; for floats, the finite range.
    pub fn range(self) -> [f64; 2] {
        match self {
            Scalar::Float => [f64::from(f32::MIN), f64::from(f32::MAX)],
            Scalar::Double => [f64::MIN, f64::MAX],
            Scalar::Half => [-65504.0, 65504.0],
            Scalar::Int8 => [-128.0, 127.0],
            Scalar::Uint8 => [0.0, 255.0],
            Scalar::Int16 => [-32768.0, 32767.0],
            Scalar::Uint16 => [0.0, 65535.0],
            Scalar::Int => [-2147483648.0, 2147483647.0],
            Scalar::Uint => [0.0, 4294967295.0],
            Scalar::Int64 => [-MAX_EXACT, MAX_EXACT],
            Scalar::Uint64 => [0.0, MAX_EXACT],
        }
    }

    /// The bits of a number; `None` if the type does not have it.
    pub fn bits(self, value: f64) -> Option<u64> {
        let [least, most] = self.range();
        let whole = || value.fract() == 0.0 && (least..=most).contains(&value);
        match self {
            Scalar::Float => {
                let float = value as f32;
                (float.is_finite() || !value.is_finite()).then(|| u64::from(float.to_bits()))
            }
            Scalar::Double => Some(value.to_bits()),
            Scalar::Half => {
                let half = f16::from_f64(value);
                (half.is_finite() || !value.is_finite()).then(|| u64::from(half.to_bits()))
            }
            // The low bytes of a negative number are its bytes in a shorter type.
            Scalar::Int8 | Scalar::Int16 | Scalar::Int | Scalar::Int64 => {
                let mask = u64::MAX >> (64 - 8 * self.bytes());
                whole().then_some(value as i64 as u64 & mask)
            }
            Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint | Scalar::Uint64 => whole().then_some(value as u64),
        }
    }

    /// The number with these bits, as the nearest double.
    pub fn number(self, bits: u64) -> f64 {
        match self {
            Scalar::Float => f64::from(f32::from_bits(bits as u32)),
            Scalar::Double => f64::from_bits(bits),
            Scalar::Half => f64::from(f16::from_bits(bits as u16)),
            Scalar::Int8 => f64::from(bits as i8),
            Scalar::Int16 => f64::from(bits as i16),
            Scalar::Int => f64::from(bits as i32),
            Scalar::Int64 => bits as i64 as f64,
            Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint | Scalar::Uint64 => bits as f64,
        }
    }

    /// Appends bits in the form of memory.
    pub fn push(self, bits: u64, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&bits.to_le_bytes()[..self.bytes() as usize]);
    }

    /// The numbers in a piece of memory.
    pub fn numbers(self, bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
        bytes.chunks_exact(self.bytes() as usize).map(move |component| {
            let mut bits = [0; 8];
            bits[..component.len()].copy_from_slice(component);
            self.number(u64::from_le_bytes(bits))
        })
    }
}

/// A number in a message, with an exponent if it has many digits.
pub fn shown(value: f64) -> String {
    if value.abs() < 1e16 || !value.is_finite() {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Bytes as words, the last one padded with zeros.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks(4)
        .map(|word| {
            let mut bits = [0; 4];
            bits[..word.len()].copy_from_slice(word);
            u32::from_le_bytes(bits)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn component_bits_refuse_out_of_range_values() {
        assert_eq!(
            Element::Vec3.component_bits(0.5),
            Some(u64::from(0.5f32.to_bits()))
        );
        assert_eq!(Element::Int.component_bits(-1.0), Some(u64::from(u32::MAX)));
        assert_eq!(Element::Uint.component_bits(-1.0), None);
        assert_eq!(Element::Uint.component_bits(0.5), None);
        assert_eq!(
            Element::Uint.component_bits(4294967295.0),
            Some(u64::from(u32::MAX))
        );
        assert_eq!(Element::Uint.component_bits(f64::NAN), None);
        assert_eq!(Element::Int8.component_bits(-128.0), Some(0x80));
        assert_eq!(Element::Int8.component_bits(128.0), None);
        assert_eq!(Element::Uint16.component_bits(65536.0), None);
        assert_eq!(Element::Hvec3.component_bits(1.0), Some(0x3c00));
        assert_eq!(Element::Half.component_bits(65520.0), None);
        assert_eq!(Element::Half.component_bits(65519.0), Some(0x7bff));
        assert_eq!(Element::Float.component_bits(1e39), None);
        assert_eq!(
            Element::Vec2.component_bits(f64::INFINITY),
            Some(u64::from(f32::INFINITY.to_bits()))
        );
        assert_eq!(Element::Int64.component_bits(-1.0), Some(u64::MAX));
        assert_eq!(Element::Int64.component_bits(1e16), None);
        assert_eq!(
            Element::Dvec2.component_bits(0.1),
            Some(0.1f64.to_bits()),
            "not rounded to a float"
        );
    }

    #[test]
    fn element_types_round_trip() {
        for (element, value) in [
            (Element::Mat3, -2.5),
            (Element::Half, 0.25),
            (Element::Int8, -7.0),
            (Element::Uint8, 255.0),
            (Element::Int16, -300.0),
            (Element::Uint16, 65535.0),
            (Element::Double, 0.1),
            (Element::Int64, -9007199254740992.0),
            (Element::Uint64, 9007199254740992.0),
        ] {
            let bytes = element.component_bytes(value);
            assert_eq!(bytes.len() as u64, element.scalar().bytes(), "{element:?}");
            assert_eq!(
                element.scalar().numbers(&bytes).collect::<Vec<_>>(),
                [value],
                "{element:?}"
            );
        }
    }

    #[test]
    fn type_names_match_the_pipeline_file() {
        for element in [Element::Mat3, Element::Hvec3, Element::Uint16, Element::Rgba8] {
            let file = serde_json::to_value(element).unwrap();
            assert_eq!(file, element.name());
        }
    }
}
