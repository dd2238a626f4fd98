//! The polygon file format of Stanford, with vertices only, binary and little-endian.

use std::io::{self, Write};

use ply_rs_bw::ply::{ElementDef, Encoding, Header, PropertyDef, PropertyType, ScalarType};
use ply_rs_bw::writer::Writer;

use super::super::content::Scalar;
use super::super::select::View;
use super::descriptor::{Descriptor, FormatKind, Setting, words};
use super::fit;
use super::rows::{Part, interleave};

/// The field with the colours of points, and the names of their parts.
const COLOUR: &str = "color";
const COLOURS: [&str; 4] = ["red", "green", "blue", "alpha"];

pub(super) const PLY: Descriptor = Descriptor {
    unfit: |content| fit::points(content, i32::MAX as u64),
    numbers: words,
    settings: &[Setting::Names],
    ..Descriptor::new(FormatKind::Particles, write)
};

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let position = view.position()?;
    let mut vertex = ElementDef::new("vertex".to_owned());
    vertex.count = view.elements();
    // Readers require the position first, with these names of its components.
    let mut order = vec![position];
    order.extend((0..view.columns.len()).filter(|number| *number != position));
    let colours: Vec<Option<Vec<u8>>> = (order.iter()).map(|number| colours(view, *number)).collect();
    let mut property = |name: &str, kind: ScalarType| {
        let property = PropertyDef::new(name.to_owned(), PropertyType::Scalar(kind));
        vertex.properties.insert(name.to_owned(), property);
    };
    for (number, colours) in order.iter().zip(&colours) {
        let column = view.columns[*number].column;
        let kind = match column.scalar {
            Scalar::F32 => ScalarType::Float,
            Scalar::I32 => ScalarType::Int,
            _ => ScalarType::UInt,
        };
        if colours.is_some() {
            let names = COLOURS.into_iter().take(column.components as usize);
            names.for_each(|name| property(name, ScalarType::UChar));
            continue;
        }
        for component in 0..column.components as usize {
            match column.part_name(component) {
                Some(name) if *number == position => property(&name, kind.clone()),
                Some(name) => property(&format!("{}_{name}", column.label), kind.clone()),
                None => property(&column.label, kind.clone()),
            }
        }
    }
    let mut header = Header::new();
    header.encoding = Encoding::BinaryLittleEndian;
    header.elements.insert("vertex".to_owned(), vertex);
    let mut text = Vec::new();
    Writer::<ply_rs_bw::ply::DefaultElement>::new().write_header(&mut text, &header)?;
    out.write_all(&text)?;
    let parts: Vec<Part> = (order.iter().zip(&colours))
        .map(|(number, colours)| match colours {
            Some(bytes) => Part::Bytes(bytes, view.columns[*number].column.components as usize),
            None => Part::Column(&view.columns[*number]),
        })
        .collect();
    interleave(&parts, view.elements(), u32::to_le_bytes, out)
}

/// Three or four floats called `color` as the bytes that programs read as colours: 0 for 0, 255 for 1.
fn colours(view: &View, number: usize) -> Option<Vec<u8>> {
    let values = &view.columns[number];
    let column = values.column;
    let is_colour =
        column.label == COLOUR && column.scalar == Scalar::F32 && matches!(column.components, 3 | 4);
    let is_taken = |name: &str| view.columns.iter().any(|values| values.column.label == name);
    if !is_colour || COLOURS.into_iter().any(is_taken) {
        return None;
    }
    let numbers = values
        .bytes
        .chunks_exact(4)
        .map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]]));
    // A cast converts negative numbers and NaN to 0.
    Some(numbers.map(|part| (part * 255.0).round() as u8).collect())
}
