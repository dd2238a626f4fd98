//! Files in sections: bytes that depend on no element, and the numbers of columns.

use std::io::{self, Write};

use half::f16;

use super::super::content::Scalar;
use super::super::select::{Values, View};
use super::descriptor::Section;
use super::rows::CHUNK;

/// Writes the sections of a file in sequence.
pub(super) fn write(view: &View, sections: Vec<Section>, out: &mut dyn Write) -> io::Result<()> {
    sections.into_iter().try_for_each(|section| match section {
        Section::Bytes(bytes) => out.write_all(&bytes),
        Section::Column(number) => write_numbers(&view.columns[number], view.content.style.half, out),
    })
}

/// Writes the numbers of a column, with 16 bits if they are floats and `half` is set.
pub(super) fn write_numbers(values: &Values, half: bool, out: &mut dyn Write) -> io::Result<()> {
    if !half || values.column.scalar != Scalar::F32 {
        return out.write_all(&values.bytes);
    }
    for chunk in values.bytes.chunks(4 * CHUNK) {
        let words = chunk.chunks_exact(4);
        let halved: Vec<u8> = words
            .map(|word| f32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
            .flat_map(|value| f16::from_f32(value).to_ne_bytes())
            .collect();
        out.write_all(&halved)?;
    }
    Ok(())
}
