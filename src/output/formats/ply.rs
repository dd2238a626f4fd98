//! The polygon file format of Stanford: vertices, and the triangles of a mesh, binary and little-endian.

use std::io::{self, BufWriter, Write};

use ply_rs_bw::ply::{ElementDef, Encoding, Header, PropertyDef, PropertyType, ScalarType};
use ply_rs_bw::writer::Writer;

use super::super::content::{Column, Scalar};
use super::super::faces::Triangles;
use super::super::select::View;
use super::descriptor::{Descriptor, FormatKind, Setting, words};
use super::fit;
use super::rows::{Part, interleave};

/// The field with the colours of points, and the names of their parts.
const COLOUR: &str = "color";
const COLOURS: [&str; 4] = ["red", "green", "blue", "alpha"];

/// The list of the vertices of a triangle.
const CORNERS: &str = "vertex_indices";

pub(super) const PLY: Descriptor = Descriptor {
    unfit: |content| fit::points(content, i32::MAX as u64),
    numbers: words,
    settings: &[Setting::Names, Setting::Faces],
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
        let is_normal = view.triangles.is_some() && fit::is_normal(column);
        for component in 0..column.components as usize {
            property(
                &part_name(column, component, (*number == position, is_normal)),
                kind.clone(),
            );
        }
    }
    let mut header = Header::new();
    header.encoding = Encoding::BinaryLittleEndian;
    header.elements.insert("vertex".to_owned(), vertex);
    if let Some(triangles) = &view.triangles {
        let mut face = ElementDef::new("face".to_owned());
        face.count = triangles.len();
        let list = PropertyType::List(ScalarType::UChar, ScalarType::Int);
        let corners = PropertyDef::new(CORNERS.to_owned(), list);
        face.properties.insert(CORNERS.to_owned(), corners);
        header.elements.insert("face".to_owned(), face);
    }
    let mut text = Vec::new();
    Writer::<ply_rs_bw::ply::DefaultElement>::new().write_header(&mut text, &header)?;
    out.write_all(&text)?;
    let parts: Vec<Part> = (order.iter().zip(&colours))
        .map(|(number, colours)| match colours {
            Some(bytes) => Part::Bytes(bytes, view.columns[*number].column.components as usize),
            None => Part::Column(&view.columns[*number]),
        })
        .collect();
    interleave(&parts, view.elements(), u32::to_le_bytes, out)?;
    let mut out = BufWriter::new(out);
    for corners in view.triangles.iter().flat_map(Triangles::iter) {
        out.write_all(&[corners.len() as u8])?;
        corners
            .iter()
            .try_for_each(|corner| out.write_all(&corner.to_le_bytes()))?;
    }
    out.flush()
}

/// The name of a component: positions and normals have names that readers know.
fn part_name(column: &Column, component: usize, (is_position, is_normal): (bool, bool)) -> String {
    match column.part_name(component) {
        Some(name) if is_position => name,
        Some(name) if is_normal => format!("n{name}"),
        Some(name) => format!("{}_{name}", column.label),
        None => column.label.clone(),
    }
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
