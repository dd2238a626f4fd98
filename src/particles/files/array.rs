//! NumPy arrays of as many axes as a lattice has: what its channels may start from.

use std::path::Path;

use npyz::Order;

use super::bytes::{start, whole};
use super::columns::Kind;
use super::numpy::{header, number};
use crate::element::{Element, Scalar};
use crate::particles::parallel;

/// Longest header that is looked at, bytes.
const LONGEST_HEADER: u64 = 1 << 20;
/// Least numbers that a thread converts at a time.
const LEAST_PIECE: u32 = 1 << 14;

/// What an array must be to fill a field.
pub(crate) struct Shape {
    /// The slowest varying axis first; the components last, if there are several.
    sides: Vec<u64>,
    element: Element,
}

/// The numbers of a file: their kind, their order of bytes, and where the first one stands.
struct Numbers {
    kind: Kind,
    big_endian: bool,
    first: usize,
    count: u32,
}

impl Shape {
    /// For elements along x, y and z.
    pub(crate) fn new(size: &[u64], element: Element) -> Shape {
        let components = match element {
            Element::Rgba8 => 4,
            _ => u64::from(element.components()),
        };
        let mut sides: Vec<u64> = size.iter().rev().copied().collect();
        sides.extend((components > 1).then_some(components));
        Shape { sides, element }
    }

    fn text(&self) -> String {
        text(&self.sides)
    }
}

fn text(sides: &[u64]) -> String {
    let sides: Vec<String> = sides.iter().map(u64::to_string).collect();
    format!("({})", sides.join(", "))
}

/// Reads the header alone; the error says why the file does not fit.
pub(crate) fn check(path: &Path, shape: &Shape) -> Result<(), String> {
    let (start, length) = start(path, LONGEST_HEADER)?;
    numbers(&start, length, shape).map(|_| ())
}

/// The words of a field.
pub(crate) fn read(path: &Path, shape: &Shape) -> Result<Vec<u32>, String> {
    let bytes = whole(path)?;
    let numbers = numbers(&bytes, bytes.len() as u64, shape)?;
    if shape.element == Element::Rgba8 {
        let pixels = bytes[numbers.first..][..numbers.count as usize].chunks_exact(4);
        return Ok(pixels
            .map(|pixel| u32::from_le_bytes([pixel[0], pixel[1], pixel[2], pixel[3]]))
            .collect());
    }
    let size = numbers.kind.size();
    let pieces = parallel::map(parallel::pieces(numbers.count, LEAST_PIECE), |piece| {
        let word = |number: u32| {
            let mut eight = [0; 8];
            eight[..size].copy_from_slice(&bytes[numbers.first + number as usize * size..][..size]);
            if numbers.big_endian {
                eight[..size].reverse();
            }
            numbers.kind.word(eight, shape.element).map_err(|value| {
                format!(
                    "number {number} is {value}, no value of type {}",
                    shape.element.glsl()
                )
            })
        };
        piece.map(word).collect::<Result<Vec<u32>, String>>()
    });
    Ok(pieces.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

fn numbers(start: &[u8], length: u64, shape: &Shape) -> Result<Numbers, String> {
    let (header, first) = header(start)?;
    if header.shape() != shape.sides {
        let found = text(header.shape());
        return Err(format!("its shape is {found}, and {} is needed", shape.text()));
    }
    if header.order() == Order::Fortran && shape.sides.iter().filter(|side| **side > 1).count() > 1 {
        return Err("its numbers are in Fortran order: save numpy.ascontiguousarray(...) instead".into());
    }
    let dtype = header.dtype();
    let (kind, big_endian) =
        number(&dtype).ok_or_else(|| format!("its type {} is not read", dtype.descr()))?;
    let (fits, wanted) = match (shape.element, shape.element.scalar()) {
        (Element::Rgba8, _) => (kind == Kind::U8, "bytes (uint8)"),
        (_, Scalar::Float) => (kind.is_float(), "floats"),
        (_, Scalar::Int | Scalar::Uint) => (!kind.is_float(), "whole numbers"),
    };
    if !fits {
        return Err(format!("it holds {}, and {wanted} are needed", dtype.descr()));
    }
    let count: u64 = shape.sides.iter().product();
    let count = u32::try_from(count).map_err(|_| format!("its {count} numbers are more than 2^32 - 1"))?;
    let needed = first + u64::from(count) * kind.size() as u64;
    if needed > length {
        return Err(format!(
            "it ends early: its numbers need {needed} bytes, and it has {length}"
        ));
    }
    Ok(Numbers {
        kind,
        big_endian,
        first: first as usize,
        count,
    })
}
