//! NumPy arrays with the axes of a lattice, as initial values of its channels.

use std::path::Path;

use npyz::Order;

use super::bytes::{start, whole};
use super::columns::NumberType;
use super::numpy::{header, number};
use crate::element::Element;
use crate::particles::parallel;

/// Maximum size of a header, bytes.
const MAX_HEADER_BYTES: u64 = 1 << 20;
/// Minimum number of values that a thread converts at a time.
const MIN_PIECE: u32 = 1 << 14;

/// The array shape that a field requires.
pub struct Shape {
    /// The slowest varying axis first; the values of an array field, then the components, if there are several.
    sides: Vec<u64>,
    element: Element,
}

/// The numbers of a file: their type, byte order and offset.
struct Numbers {
    kind: NumberType,
    big_endian: bool,
    first: usize,
    count: u32,
}

impl Shape {
    /// The shape for elements along x, y and z, each of them one value of a type or an array of `count`.
    pub fn new(size: &[u64], element: Element, count: Option<u32>) -> Shape {
        let components = match element {
            Element::Rgba8 => 4,
            _ => u64::from(element.components()),
        };
        let mut sides: Vec<u64> = size.iter().rev().copied().collect();
        sides.extend(count.map(u64::from));
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
pub fn check(path: &Path, shape: &Shape) -> Result<(), String> {
    let (start, length) = start(path, MAX_HEADER_BYTES)?;
    numbers(&start, length, shape).map(|_| ())
}

/// The values of a field, element by element.
pub fn read(path: &Path, shape: &Shape) -> Result<Vec<u8>, String> {
    let bytes = whole(path)?;
    let numbers = numbers(&bytes, bytes.len() as u64, shape)?;
    if shape.element == Element::Rgba8 {
        return Ok(bytes[numbers.first..][..numbers.count as usize].to_vec());
    }
    let (size, scalar) = (numbers.kind.size(), shape.element.scalar());
    let pieces = parallel::map(parallel::pieces(numbers.count, MIN_PIECE), |piece| {
        let mut values = Vec::with_capacity(piece.len() * scalar.bytes() as usize);
        for number in piece {
            let mut eight = [0; 8];
            eight[..size].copy_from_slice(&bytes[numbers.first + number as usize * size..][..size]);
            if numbers.big_endian {
                eight[..size].reverse();
            }
            let bits = numbers.kind.component(eight, scalar).map_err(|value| {
                let name = shape.element.name();
                format!("number {number} is {value}, not a value of type {name}")
            })?;
            scalar.push(bits, &mut values);
        }
        Ok::<_, String>(values)
    });
    Ok(pieces.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

fn numbers(start: &[u8], length: u64, shape: &Shape) -> Result<Numbers, String> {
    let (header, first) = header(start)?;
    if header.shape() != shape.sides {
        let found = text(header.shape());
        return Err(format!("its shape is {found}, but {} is required", shape.text()));
    }
    if header.order() == Order::Fortran && shape.sides.iter().filter(|side| **side > 1).count() > 1 {
        return Err("its numbers are in Fortran order: save numpy.ascontiguousarray(...) instead".into());
    }
    let dtype = header.dtype();
    let (kind, big_endian) =
        number(&dtype).ok_or_else(|| format!("its type {} is not supported", dtype.descr()))?;
    let (fits, wanted) = match (shape.element, shape.element.scalar()) {
        (Element::Rgba8, _) => (kind == NumberType::U8, "bytes (uint8)"),
        (_, scalar) if scalar.is_float() => (kind.is_float(), "floats"),
        _ => (!kind.is_float(), "integers"),
    };
    if !fits {
        return Err(format!(
            "it contains {}, but {wanted} are required",
            dtype.descr()
        ));
    }
    let count: u64 = shape.sides.iter().product();
    let count = u32::try_from(count).map_err(|_| format!("its {count} numbers are more than 2^32 - 1"))?;
    let needed = first + u64::from(count) * kind.size() as u64;
    if needed > length {
        return Err(format!(
            "it is truncated: its numbers require {needed} bytes, but it has {length}"
        ));
    }
    Ok(Numbers {
        kind,
        big_endian,
        first: first as usize,
        count,
    })
}
