//! Measures: the values that measuring stages take from fields, the series that result from them, and the watch.

use super::domain::Over;
use super::ids::{FieldId, ResourceId, StageId};
use crate::element::{Element, Scalar};
use crate::expr::Formula;
use crate::shared_constants::measure;

/// Words of a partial result.
pub const PARTIAL_WORDS: u64 = measure::PARTIAL_WORDS as u64;
/// Words of a row of the table of items.
pub const ITEM_WORDS: u64 = measure::ITEM_WORDS as u64;
/// Words that the watch keeps per item on the device.
pub const FOUND_WORDS: u64 = measure::FOUND_WORDS as u64;
/// Words of a record of the watch.
pub const RECORD_WORDS: u64 = measure::RECORD_WORDS as u64;

/// The values that a measuring stage takes from a field, in order: dense fields with x fastest, sparse grids by active
/// block, with the order of memory inside a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    pub field: FieldId,
    pub part: MeasuredPart,
    /// The squares of the numbers, as floats.
    pub is_squared: bool,
    /// A single entry of an array; `None` for all of them in turn.
    pub entry: Option<u32>,
    /// A single element, by its index with x fastest; `None` for all.
    pub only: Option<u64>,
    /// The domain of the elements of the field, if it is not that of the field's resource. It determines the number of valid
    /// elements: live particles, or active cells, sub-blocks or blocks.
    pub within: Option<(ResourceId, Over)>,
}

/// The numbers of an element that are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MeasuredPart {
    /// Every component separately, at most four, from this one on.
    Components(u32),
    Component(u32),
    /// The Euclidean length of a float vector.
    Length,
}

/// Type of the 32 bits of a measured number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Float = measure::FLOAT as isize,
    Int = measure::INT as isize,
    Uint = measure::UINT as isize,
}

/// Scalars of frames, which a run appends to one file.
#[derive(Debug, Clone)]
pub struct Series {
    pub name: String,
    pub format: SeriesFormat,
    /// Every n-th frame has a line.
    pub every: u64,
    pub columns: Vec<Column>,
    pub items: Vec<Measured>,
    /// Workgroups per item; each leaves one partial result, item after item.
    pub groups: Vec<u32>,
    /// The field that holds the partial results.
    pub partials: FieldId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeriesFormat {
    Csv,
    JsonLines,
}

impl SeriesFormat {
    /// Both the name in pipeline files and the file name's extension.
    pub fn extension(self) -> &'static str {
        match self {
            SeriesFormat::Csv => "csv",
            SeriesFormat::JsonLines => "jsonl",
        }
    }
}

/// One value of each line of a series.
#[derive(Debug, Clone)]
pub struct Column {
    pub name: String,
    pub terms: Vec<Term>,
    /// The value as a function of the terms; `None` if it is the only term.
    pub formula: Option<Box<Formula>>,
}

/// A term of an expression of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// A number that is equal in all frames.
    Known(u64),
    /// A reduction of one of the series' items.
    Reduced { item: usize, by: Reduction },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    Minimum,
    Maximum,
    Sum,
    Mean,
    NonFinite,
    /// The value of a single element.
    Value,
}

/// The stages that search for bad values.
#[derive(Debug, Clone)]
pub struct Watch {
    /// At the end of every n-th step.
    pub every: u32,
    pub items: Vec<Watched>,
    /// The field with the records that the host reads, in the order of the items.
    pub record: FieldId,
}

/// One field under watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watched {
    pub field: FieldId,
    /// The first of the components that the item checks, at most four.
    pub first: u32,
    /// If the watch runs after each stage: the stage, and its entry in the step list of the pipeline without a watch.
    pub after: Option<(StageId, usize)>,
}

impl Element {
    /// The class of its components as measured numbers.
    pub fn class(self) -> Class {
        match (self, self.scalar()) {
            (Element::Rgba8, _) | (_, Scalar::Half | Scalar::Float | Scalar::Double) => Class::Float,
            (_, Scalar::Int8 | Scalar::Int16 | Scalar::Int | Scalar::Int64) => Class::Int,
            (_, Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint | Scalar::Uint64) => Class::Uint,
        }
    }

    /// Returns true if it can be measured: keys have 32 bits, to which doubles are rounded.
    pub fn is_measurable(self) -> bool {
        !matches!(self.scalar(), Scalar::Int64 | Scalar::Uint64)
    }
}

impl Class {
    /// Maps the bits of a number to an unsigned key with the order of the numbers, so that shaders compare all types in
    /// the same way. Infinities and NaN are beyond all finite floats.
    pub fn key(self, bits: u32) -> u32 {
        match self {
            Class::Float if bits >> 31 != 0 => !bits,
            Class::Float | Class::Int => bits ^ 0x8000_0000,
            Class::Uint => bits,
        }
    }

    /// The bits of the number with a key.
    pub fn bits(self, key: u32) -> u32 {
        match self {
            Class::Float if key >> 31 == 0 => !key,
            Class::Float | Class::Int => key ^ 0x8000_0000,
            Class::Uint => key,
        }
    }

    /// The number with a key.
    pub fn number(self, key: u32) -> f64 {
        let bits = self.bits(key);
        match self {
            Class::Float => f64::from(f32::from_bits(bits)),
            Class::Int => f64::from(bits as i32),
            Class::Uint => f64::from(bits),
        }
    }

    /// Smallest and largest key of the values between two bounds, or of all finite values.
    pub fn good_keys(self, bounds: Option<[f64; 2]>) -> [u32; 2] {
        let [least, greatest] = bounds.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        match self {
            Class::Float => {
                let [least, greatest] = [least, greatest].map(|bound| bound as f32);
                // A bound of 0 admits both zeros.
                let least = if least == 0.0 { -0.0 } else { least.max(f32::MIN) };
                let greatest = if greatest == 0.0 {
                    0.0
                } else {
                    greatest.min(f32::MAX)
                };
                [least, greatest].map(|bound| self.key(bound.to_bits()))
            }
            // Conversions saturate, so without bounds every value is valid.
            Class::Int => [least.ceil(), greatest.floor()].map(|bound| self.key(bound as i32 as u32)),
            Class::Uint => [least.ceil(), greatest.floor()].map(|bound| bound as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordering_keys_are_monotonic_and_invertible() {
        let floats = [
            f32::NEG_INFINITY,
            f32::MIN,
            -1.0,
            -1e-45,
            -0.0,
            0.0,
            1e-45,
            1.0,
            f32::MAX,
            f32::INFINITY,
        ];
        let keys = floats.map(|value| Class::Float.key(value.to_bits()));
        assert!(keys.is_sorted() && keys.windows(2).all(|pair| pair[0] != pair[1]));
        let ints = [i32::MIN, -1, 0, 1, i32::MAX];
        assert!(ints.map(|value| Class::Int.key(value as u32)).is_sorted());
        for bits in [
            0,
            1,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0x7fc0_0000,
            0xffc0_0001,
            u32::MAX,
        ] {
            for class in [Class::Float, Class::Int, Class::Uint] {
                assert_eq!(class.bits(class.key(bits)), bits);
            }
        }
    }

    #[test]
    fn valid_key_range_excludes_nan_infinity_and_out_of_bounds() {
        let good = |class: Class, bounds: Option<[f64; 2]>, bits: u32| {
            let [least, greatest] = class.good_keys(bounds);
            (least..=greatest).contains(&class.key(bits))
        };
        let float = |bounds, value: f32| good(Class::Float, bounds, value.to_bits());
        assert!(float(None, f32::MAX) && float(None, f32::MIN) && float(None, -0.0));
        for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(
                !float(None, bad) && !float(Some([-1.0, 1.0]), bad) && !float(Some([-1e300, 1e300]), bad)
            );
        }
        assert!(
            float(Some([0.0, 1.0]), -0.0) && float(Some([-1.0, 0.0]), 0.0) && float(Some([-1.0, -0.0]), 0.0)
        );
        assert!(!float(Some([0.0, 1.0]), -1e-45) && !float(Some([0.0, 1.0]), 1.0000001));
        assert!(good(Class::Int, None, i32::MIN as u32) && good(Class::Int, None, i32::MAX as u32));
        assert!(good(Class::Int, Some([-2.0, 3.0]), -2i32 as u32) && !good(Class::Int, Some([-2.0, 3.0]), 4));
        assert!(!good(Class::Int, Some([-1.5, 3.0]), -2i32 as u32));
        assert!(good(Class::Uint, None, u32::MAX) && !good(Class::Uint, Some([1.0, 9.0]), 0));
    }
}
