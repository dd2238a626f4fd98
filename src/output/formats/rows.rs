//! Rows of numbers, which several formats write.

use std::io::{self, Write};

use super::super::select::Values;

/// Number of elements that are converted or interleaved at a time.
pub(super) const CHUNK: usize = 1 << 14;

/// A part of a row of numbers.
pub(super) enum Part<'a> {
    Column(&'a Values<'a>),
    /// The number 1.
    One,
    /// A number of bytes of each element as they are.
    Bytes(&'a [u8], usize),
}

/// Writes one row for each element, with its parts in sequence; `order` converts the bytes of a 32-bit number to the
/// order of the file.
pub(super) fn interleave(
    parts: &[Part],
    elements: usize,
    order: fn(u32) -> [u8; 4],
    out: &mut dyn Write,
) -> io::Result<()> {
    let size = |part: &Part| match part {
        Part::Column(values) => 4 * values.column.components as usize,
        Part::One => 4,
        Part::Bytes(_, size) => *size,
    };
    let width = parts.iter().map(size).sum();
    let mut rows = vec![0; CHUNK.min(elements) * width];
    for first in (0..elements).step_by(CHUNK) {
        let count = CHUNK.min(elements - first);
        let mut at = 0;
        for part in parts {
            let size = size(part);
            let rows = rows[..count * width].chunks_exact_mut(width);
            let rows = rows.map(|row| &mut row[at..at + size]);
            match part {
                Part::Column(values) => {
                    let elements = values.bytes[first * size..(first + count) * size].chunks_exact(size);
                    rows.zip(elements).for_each(|(row, element)| {
                        let words = row.chunks_exact_mut(4).zip(element.chunks_exact(4));
                        words.for_each(|(to, from)| {
                            to.copy_from_slice(&order(u32::from_ne_bytes([
                                from[0], from[1], from[2], from[3],
                            ])))
                        });
                    });
                }
                Part::Bytes(bytes, _) => {
                    let elements = bytes[first * size..(first + count) * size].chunks_exact(size);
                    rows.zip(elements)
                        .for_each(|(row, element)| row.copy_from_slice(element));
                }
                Part::One => rows.for_each(|row| row.copy_from_slice(&order(1f32.to_bits()))),
            }
            at += size;
        }
        out.write_all(&rows[..count * width])?;
    }
    Ok(())
}

pub(super) fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message.into())
}
