//! NRRD, nearly raw raster data: a header in plain text, then the numbers as in memory. One field of cells or of
//! vertices, with its position in world space.
//!
//! Format: *Definition of NRRD File Format*, teem.sourceforge.net/nrrd/format.html.

use std::io;

use super::super::content::{Content, Geometry, Scalar};
use super::super::select::View;
use super::descriptor::{Descriptor, Encoder, FormatKind, Section, Setting, without_halves};
use super::fit;

pub(super) const NRRD: Descriptor = Descriptor {
    note: "ITK, 3D Slicer; one field; grids of vertices too",
    settings: &[Setting::Names, Setting::Units],
    unfit,
    numbers: without_halves,
    ..Descriptor::of(FormatKind::Grids, Encoder::Sections(sections))
};

fn unfit(content: &Content) -> Option<String> {
    fit::lattice(content).or_else(|| {
        (content.columns.len() > 1).then(|| "an nrrd contains one field: choose vti for several".to_owned())
    })
}

/// Components are the first axis, whose numbers are consecutive.
fn sections(view: &View) -> io::Result<Vec<Section>> {
    let values = &view.columns[0];
    let components = values.column.components;
    let kind = match values.column.scalar {
        Scalar::F16 | Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::I8 => "int8",
        Scalar::I16 => "int16",
        Scalar::I32 => "int32",
        Scalar::I64 => "int64",
        Scalar::U16 => "uint16",
        Scalar::U32 => "uint32",
        Scalar::U64 => "uint64",
        Scalar::U8 | Scalar::Colour => "uint8",
    };
    let endian = if cfg!(target_endian = "little") {
        "little"
    } else {
        "big"
    };
    let centre = match view.content.geometry {
        Geometry::Cells { .. } => "cell",
        _ => "node",
    };
    // The position of the first element is that of its centre.
    let ([x, y, z], spacing) = view.lattice();
    let sides = view.sides().map(|side| side.to_string());
    let directions = [0, 1, 2].map(|axis| {
        let mut direction = [0.0; 3];
        direction[axis] = spacing[axis];
        let [x, y, z] = direction;
        format!("({x},{y},{z})")
    });
    let axes = |first: String, others: [String; 3]| {
        let first = (components > 1).then_some(first);
        first.into_iter().chain(others).collect::<Vec<_>>().join(" ")
    };
    let every = |word: &str| [0, 1, 2].map(|_| word.to_owned());
    let units = values.column.units.as_ref();
    let units = units.map_or(String::new(), |units| format!("sample units: {units}\n"));
    let header = format!(
        "NRRD0005\ntype: {kind}\ndimension: {}\nspace: 3D-right-handed\nsizes: {}\n\
         space directions: {}\nspace origin: ({x},{y},{z})\nspace units: \"m\" \"m\" \"m\"\ncenterings: {}\nkinds: {}\n\
         endian: {endian}\nencoding: raw\n{units}content: {}\n\n",
        if components > 1 { 4 } else { 3 },
        axes(components.to_string(), sides),
        axes("none".to_owned(), directions),
        axes("none".to_owned(), every(centre)),
        axes("vector".to_owned(), every("domain")),
        values.column.label,
    );
    Ok(vec![Section::Bytes(header.into_bytes()), Section::Column(0)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Format, unfit};

    #[test]
    fn nrrd_takes_one_lattice_field() {
        let mut content = Content::array(Format::Nrrd, Scalar::F32, 3, &[5, 7, 9]);
        let reason = |content: &Content| unfit(content).unwrap_or_default();
        assert!(reason(&content).starts_with("it contains only grids"));
        let (origin, spacing) = ([0.0; 3], [1.0; 3]);
        content.geometry = Geometry::Cells { origin, spacing };
        assert_eq!(reason(&content), "");
        content.columns.push(content.columns[0].clone());
        assert!(reason(&content).starts_with("an nrrd contains one field"));
    }
}
