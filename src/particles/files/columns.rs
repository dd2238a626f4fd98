//! The layout of the numbers in a file of points.

use half::f16;

use crate::element::{Element, Scalar};

/// Name of the attribute that every file of points must have.
pub const POSITION: &str = "position";

/// The type of a number in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    /// A 32-bit integer of a format that does not distinguish signed from unsigned.
    Word,
    /// 8 bits of a number from 0 to 1.
    Share8,
    F16,
    F32,
    F64,
}

impl NumberType {
    pub fn size(self) -> usize {
        match self {
            NumberType::I8 | NumberType::U8 | NumberType::Share8 => 1,
            NumberType::I16 | NumberType::U16 | NumberType::F16 => 2,
            NumberType::I32 | NumberType::U32 | NumberType::Word | NumberType::F32 => 4,
            NumberType::I64 | NumberType::U64 | NumberType::F64 => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(
            self,
            NumberType::Share8 | NumberType::F16 | NumberType::F32 | NumberType::F64
        )
    }

    /// Converts a number to the bits of a component; its bytes are the first of eight, least significant first. The
    /// error is the number, if the type cannot represent it.
    pub(super) fn component(self, bytes: [u8; 8], scalar: Scalar) -> Result<u64, String> {
        if scalar.is_float() {
            let value = self.float(bytes);
            return scalar.bits(value).ok_or_else(|| value.to_string());
        }
        let value = self.integer(bytes);
        let [least, most] = match scalar {
            Scalar::Int64 => [i128::from(i64::MIN), i128::from(i64::MAX)],
            Scalar::Uint64 => [0, i128::from(u64::MAX)],
            _ => scalar.range().map(|bound| bound as i128),
        };
        let mask = u64::MAX >> (64 - 8 * scalar.bytes());
        match (scalar, self) {
            (Scalar::Int | Scalar::Uint, NumberType::Word) => Ok(value as u64 & mask),
            _ if (least..=most).contains(&value) => Ok(value as u64 & mask),
            _ => Err(value.to_string()),
        }
    }

    pub(super) fn float(self, bytes: [u8; 8]) -> f64 {
        let [a, b, c, d, ..] = bytes;
        match self {
            NumberType::Share8 => f64::from(a) / 255.0,
            NumberType::F16 => f64::from(f16::from_le_bytes([a, b])),
            NumberType::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            _ => f64::from_le_bytes(bytes),
        }
    }

    fn integer(self, bytes: [u8; 8]) -> i128 {
        let unsigned = u64::from_le_bytes(bytes);
        match self {
            NumberType::I8 => i128::from(bytes[0] as i8),
            NumberType::I16 => i128::from(unsigned as i16),
            NumberType::I32 | NumberType::Word => i128::from(unsigned as i32),
            NumberType::I64 => i128::from(unsigned as i64),
            _ => i128::from(unsigned),
        }
    }
}

/// The location of one component of every point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComponentLayout {
    pub kind: NumberType,
    pub big_endian: bool,
    /// The block of bytes: one per array in archives, otherwise 0.
    pub block: usize,
    /// Offset of the first point's number, and distance to the next point's, in bytes.
    pub first: u64,
    pub stride: u64,
}

/// An attribute of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub points: u64,
    /// One for each component.
    pub components: Vec<ComponentLayout>,
}

/// The attributes of a file, without the numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub columns: Vec<Column>,
}

impl Layout {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The number of points with positions.
    pub fn points(&self) -> Result<u64, String> {
        let position = self.column(POSITION);
        let position = position.ok_or("it has no positions of points")?;
        position.check(Element::Vec3, 1)?;
        match position.points {
            0 => Err("it has no points".into()),
            points if points > u64::from(u32::MAX) => {
                Err(format!("it has {points} points, more than 2^32 - 1"))
            }
            points => Ok(points),
        }
    }
}

impl Column {
    /// Checks that it can be read as a type, or as an array of `entries` values: floats as floats, integers as
    /// integers, with equal numbers of components.
    pub fn check(&self, element: Element, entries: u64) -> Result<(), String> {
        let wanted = element.name();
        if self.components.len() as u64 != entries * u64::from(element.components()) {
            let count = self.components.len();
            let plural = if count == 1 { "" } else { "s" };
            return Err(format!(
                "its `{}` has {count} number{plural} per point, which does not match {wanted}",
                self.name
            ));
        }
        let floats = element.scalar().is_float();
        if self
            .components
            .iter()
            .all(|component| component.kind.is_float() == floats)
        {
            Ok(())
        } else {
            let held = if floats { "whole numbers" } else { "fractions" };
            Err(format!("its `{}` contains {held}, not {wanted}", self.name))
        }
    }
}
