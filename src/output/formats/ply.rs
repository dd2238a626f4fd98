//! The polygon file format of Stanford, with vertices only, binary and little-endian.

use std::io::{self, Write};

use ply_rs_bw::ply::{ElementDef, Encoding, Header, PropertyDef, PropertyType, ScalarType};
use ply_rs_bw::writer::Writer;

use super::super::content::{Geometry, Scalar};
use super::super::select::View;
use super::descriptor::{Descriptor, FormatKind, words};
use super::fit;
use super::rows::{Part, interleave, invalid};

pub(super) const PLY: Descriptor = Descriptor {
    unfit: |content| fit::points(content, i32::MAX as u64),
    numbers: words,
    ..Descriptor::new(FormatKind::Particles, write)
};

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let Geometry::Particles {
        position: Some(position),
    } = view.content.geometry
    else {
        return Err(invalid("points require positions"));
    };
    let mut vertex = ElementDef::new("vertex".to_owned());
    vertex.count = view.elements();
    // Readers require the position first, with these names of its components.
    let mut order = vec![position];
    order.extend((0..view.columns.len()).filter(|number| *number != position));
    for number in &order {
        let column = view.columns[*number].column;
        let kind = match column.scalar {
            Scalar::F32 => ScalarType::Float,
            Scalar::I32 => ScalarType::Int,
            _ => ScalarType::UInt,
        };
        for component in 0..column.components as usize {
            let name = match column.part_name(component) {
                Some(name) if *number == position => name,
                Some(name) => format!("{}_{name}", column.name),
                None => column.name.clone(),
            };
            let property = PropertyDef::new(name.clone(), PropertyType::Scalar(kind.clone()));
            vertex.properties.insert(name, property);
        }
    }
    let mut header = Header::new();
    header.encoding = Encoding::BinaryLittleEndian;
    header.elements.insert("vertex".to_owned(), vertex);
    let mut text = Vec::new();
    Writer::<ply_rs_bw::ply::DefaultElement>::new().write_header(&mut text, &header)?;
    out.write_all(&text)?;
    let parts: Vec<Part> = (order.iter())
        .map(|number| Part::Column(&view.columns[*number]))
        .collect();
    interleave(&parts, view.elements(), u32::to_le_bytes, out)
}
