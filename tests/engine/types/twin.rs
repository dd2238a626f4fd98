//! Twin of the kernels: the value of every channel follows from the number of an element, of an entry and of a component.

use half::f16;
use sastrugi::element::{Element, Scalar};
use serde_json::{Value, json};

/// Every type that a channel of a grid has.
pub const TYPES: [Element; 29] = [
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
];

/// Functions with which kernels compute values.
pub const FUNCTIONS: &str = "\
uint mix_of(uint number, uint k, uint component) {
    uint x = number * 2654435761u + k * 40503u + component * 9176u + 77u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}
#define mixed(component) mix_of(number, k, component)
float of_float(uint x) { return float(int(x >> 8) - 8388608) * 0.0009765625; }
// From far below the smallest half to far beyond the largest.
float of_half(uint x) { return uintBitsToFloat(x & 0x807fffffu | (96u + (x >> 23 & 63u)) << 23); }
int of_int(uint x) { return int(x); }
uint of_uint(uint x) { return x; }
double of_double(uint x) { return double(x) * 0.001lf; }
int64_t of_int64(uint x) { return int64_t(x) * 5124095576030431l; }
uint64_t of_uint64(uint x) { return uint64_t(x) * 5124095576030431ul; }
";

fn mix(number: u32, k: u32, component: u32) -> u32 {
    let mut x = number
        .wrapping_mul(2654435761)
        .wrapping_add(k.wrapping_mul(40503))
        .wrapping_add(component.wrapping_mul(9176))
        .wrapping_add(77);
    x ^= x >> 15;
    x = x.wrapping_mul(2246822519);
    x ^ x >> 13
}

#[derive(Debug, Clone)]
pub struct Channel {
    pub name: String,
    pub element: Element,
    pub count: Option<u32>,
}

/// A channel of every type, and arrays.
pub fn channels(arrays: &[(Element, u32)]) -> Vec<Channel> {
    let single = TYPES.iter().map(|element| Channel {
        name: element.name().into(),
        element: *element,
        count: None,
    });
    let arrays = arrays.iter().map(|(element, count)| Channel {
        name: format!("{}_list", element.name()),
        element: *element,
        count: Some(*count),
    });
    single.chain(arrays).collect()
}

impl Channel {
    /// The type that shaders see.
    pub fn seen(&self) -> Element {
        match self.element {
            Element::Half => Element::Float,
            Element::Hvec2 => Element::Vec2,
            Element::Hvec3 => Element::Vec3,
            Element::Hvec4 => Element::Vec4,
            Element::Int8 | Element::Int16 => Element::Int,
            Element::Uint8 | Element::Uint16 => Element::Uint,
            other => other,
        }
    }

    /// As a pipeline file has it, as some type.
    pub fn file(&self, element: Element) -> Value {
        match self.count {
            None => json!(element.name()),
            Some(count) => json!({"type": element.name(), "count": count}),
        }
    }

    fn function(&self) -> &'static str {
        match self.element.scalar() {
            Scalar::Float => "of_float",
            Scalar::Half => "of_half",
            Scalar::Int | Scalar::Int8 | Scalar::Int16 => "of_int",
            Scalar::Uint | Scalar::Uint8 | Scalar::Uint16 => "of_uint",
            Scalar::Double => "of_double",
            Scalar::Int64 => "of_int64",
            Scalar::Uint64 => "of_uint64",
        }
    }

    /// The value that kernels give it.
    pub fn glsl(&self) -> String {
        let components = (0..self.element.components()).map(|c| format!("{}(mixed({c}u))", self.function()));
        let components: Vec<String> = components.collect();
        format!("{}({})", self.element.accessor_type(), components.join(", "))
    }

    /// The bits of a component in memory.
    fn bits(&self, x: u32) -> u64 {
        match self.element.scalar() {
            Scalar::Float => {
                let value = ((x >> 8) as i32 - 8388608) as f32 * 0.0009765625;
                u64::from(value.to_bits())
            }
            Scalar::Half => {
                let value = f32::from_bits(x & 0x807fffff | (96 + (x >> 23 & 63)) << 23);
                u64::from(f16::from_f32(value).to_bits())
            }
            Scalar::Int | Scalar::Uint => u64::from(x),
            Scalar::Int8 | Scalar::Uint8 => u64::from(x as u8),
            Scalar::Int16 | Scalar::Uint16 => u64::from(x as u16),
            Scalar::Double => (f64::from(x) * 0.001).to_bits(),
            Scalar::Int64 | Scalar::Uint64 => u64::from(x).wrapping_mul(5124095576030431),
        }
    }

    /// Entry `k` of element `number`, as memory of a type holds it: its own, or that which shaders see.
    pub fn bytes(&self, element: Element, number: u32, k: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        for component in 0..self.element.components() {
            let bits = self.bits(mix(number, k, component));
            let bits = match (element == self.element, element.scalar()) {
                (true, _) => bits,
                (false, Scalar::Float) => u64::from(f16::from_bits(bits as u16).to_f32().to_bits()),
                (false, Scalar::Int) => u64::from(self.element.scalar().number(bits) as i32 as u32),
                (false, _) => bits,
            };
            element.scalar().push(bits, &mut bytes);
        }
        bytes
    }

    /// The number that a component is.
    pub fn number(&self, number: u32, k: u32, component: u32) -> f64 {
        self.element.scalar().number(self.bits(mix(number, k, component)))
    }
}
