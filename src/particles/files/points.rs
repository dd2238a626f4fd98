//! Points with attributes, whatever the format, and their conversion to what a set holds.

use std::ffi::OsStr;
use std::path::Path;

use half::f16;

use super::bytes::{start, whole};
use super::columns::{Column, Kind, Layout, POSITION, Place};
use super::{bgeo, numpy, ply};
use crate::element::{Element, Scalar};
use crate::particles::parallel;

/// Longest header that is looked at, bytes.
const LONGEST_HEADER: u64 = 1 << 20;
/// Least points that a thread converts at a time.
const LEAST_PIECE: u32 = 1 << 14;

/// What a file holds.
pub(crate) struct Points {
    pub layout: Layout,
    blocks: Vec<Vec<u8>>,
}

#[derive(Debug, Clone, Copy)]
enum Format {
    Npy,
    Npz,
    Ply,
    Bgeo,
}

fn format(path: &Path) -> Result<Format, String> {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or("");
    match ending.to_ascii_lowercase().as_str() {
        "npy" => Ok(Format::Npy),
        "npz" => Ok(Format::Npz),
        "ply" => Ok(Format::Ply),
        "bgeo" => Ok(Format::Bgeo),
        _ => Err("points are read from .npy, .npz, .ply and .bgeo files".into()),
    }
}

impl Layout {
    /// Reads headers alone; the error says what is wrong with the file.
    pub(crate) fn of(path: &Path) -> Result<Layout, String> {
        let format = format(path)?;
        if let Format::Npz = format {
            return numpy::archive(path);
        }
        let (start, length) = start(path, LONGEST_HEADER)?;
        match format {
            Format::Ply => Ok(ply::layout(&start, length)?.0),
            Format::Bgeo => bgeo::layout(&start, length),
            Format::Npy | Format::Npz => numpy::layout(&start, length),
        }
    }
}

impl Points {
    pub(crate) fn read(path: &Path) -> Result<Points, String> {
        let format = format(path)?;
        if let Format::Npz = format {
            let (layout, blocks) = numpy::unpack(path)?;
            return Ok(Points { layout, blocks });
        }
        let bytes = whole(path)?;
        let length = bytes.len() as u64;
        let (layout, bytes) = match format {
            Format::Ply => ply::points(bytes)?,
            Format::Bgeo => (bgeo::layout(&bytes, length)?, bytes),
            Format::Npy | Format::Npz => (numpy::layout(&bytes, length)?, bytes),
        };
        Ok(Points {
            layout,
            blocks: vec![bytes],
        })
    }

    /// Positions as they are written.
    pub(crate) fn positions(&self) -> Result<Vec<[f64; 3]>, String> {
        let points = self.layout.points()?;
        let column = self
            .layout
            .column(POSITION)
            .ok_or("it has no positions of points")?;
        let pieces = parallel::map(parallel::pieces(points as u32, LEAST_PIECE), |piece| {
            piece
                .map(|point| [0, 1, 2].map(|axis| self.float(&column.places[axis], point)))
                .collect::<Vec<_>>()
        });
        Ok(pieces.concat())
    }

    /// An attribute as a set's memory holds it, the numbers of an array point by point. The error names the point whose
    /// number does not fit.
    pub(crate) fn bytes_of(
        &self,
        column: &Column,
        element: Element,
        entries: u64,
    ) -> Result<Vec<u8>, String> {
        column.check(element, entries)?;
        let pieces = parallel::map(parallel::pieces(column.points as u32, LEAST_PIECE), |piece| {
            let scalar = element.scalar();
            let mut bytes = Vec::with_capacity(piece.len() * column.places.len() * scalar.bytes() as usize);
            for point in piece {
                for place in &column.places {
                    let bits = self.component(place, point, scalar).map_err(|value| {
                        let name = &column.name;
                        format!(
                            "`{name}` of point {point} is {value}, no value of type {}",
                            element.name()
                        )
                    })?;
                    scalar.push(bits, &mut bytes);
                }
            }
            Ok::<_, String>(bytes)
        });
        Ok(pieces.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// The bits of one number; the error is the number.
    fn component(&self, place: &Place, point: u32, scalar: Scalar) -> Result<u64, String> {
        if scalar.is_float() {
            let value = self.float(place, point);
            return scalar.bits(value).ok_or_else(|| value.to_string());
        }
        let value = self.integer(place, point);
        let [least, most] = match scalar {
            Scalar::Int64 => [i128::from(i64::MIN), i128::from(i64::MAX)],
            Scalar::Uint64 => [0, i128::from(u64::MAX)],
            _ => scalar.range().map(|bound| bound as i128),
        };
        let mask = u64::MAX >> (64 - 8 * scalar.bytes());
        match (scalar, place.kind) {
            (Scalar::Int | Scalar::Uint, Kind::Word) => Ok(value as u64 & mask),
            _ if (least..=most).contains(&value) => Ok(value as u64 & mask),
            _ => Err(value.to_string()),
        }
    }

    /// The bytes of a number, the first ones of eight, least significant first.
    fn bytes(&self, place: &Place, point: u32) -> [u8; 8] {
        let at = (place.first + u64::from(point) * place.stride) as usize;
        let size = place.kind.size();
        let mut bytes = [0; 8];
        // Layouts have been compared with the size of the block.
        if let Some(found) = self.blocks[place.block].get(at..at + size) {
            bytes[..size].copy_from_slice(found);
        }
        if place.big_endian {
            bytes[..size].reverse();
        }
        bytes
    }

    fn float(&self, place: &Place, point: u32) -> f64 {
        let bytes = self.bytes(place, point);
        let [a, b, c, d, ..] = bytes;
        match place.kind {
            Kind::F16 => f64::from(f16::from_le_bytes([a, b])),
            Kind::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            _ => f64::from_le_bytes(bytes),
        }
    }

    fn integer(&self, place: &Place, point: u32) -> i128 {
        let bytes = self.bytes(place, point);
        let unsigned = u64::from_le_bytes(bytes);
        match place.kind {
            Kind::I8 => i128::from(bytes[0] as i8),
            Kind::I16 => i128::from(unsigned as i16),
            Kind::I32 | Kind::Word => i128::from(unsigned as i32),
            Kind::I64 => i128::from(unsigned as i64),
            _ => i128::from(unsigned),
        }
    }
}
