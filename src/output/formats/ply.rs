//! Stanford's polygon file format, of vertices alone, binary and little-endian.

use std::io::{self, Write};

use ply_rs_bw::ply::{ElementDef, Encoding, Header, PropertyDef, PropertyType, ScalarType};
use ply_rs_bw::writer::Writer;

use super::super::content::{Place, Scalar};
use super::super::select::View;
use super::descriptor::{Descriptor, FormatKind};
use super::fit;
use super::rows::{Part, interleave, invalid};

pub(super) const PLY: Descriptor = Descriptor {
    unfit: |content| fit::points(content, i32::MAX as u64),
    ..Descriptor::new(FormatKind::Particles, write)
};

/// Names of the components of a vector.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let Place::Particles {
        position: Some(position),
    } = view.content.place
    else {
        return Err(invalid("points need positions"));
    };
    let mut vertex = ElementDef::new("vertex".to_owned());
    vertex.count = view.elements();
    // Readers want the position first, and its components by these names.
    let mut order = vec![position];
    order.extend((0..view.columns.len()).filter(|number| *number != position));
    for number in &order {
        let column = view.columns[*number].column;
        let kind = match column.scalar {
            Scalar::F32 => ScalarType::Float,
            Scalar::I32 => ScalarType::Int,
            Scalar::U32 | Scalar::U8 => ScalarType::UInt,
        };
        for component in 0..column.components as usize {
            let name = match (column.components, COMPONENTS.get(component)) {
                (_, Some(name)) if *number == position => (*name).to_owned(),
                (1, _) | (_, None) => column.name.clone(),
                (_, Some(name)) => format!("{}_{name}", column.name),
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
