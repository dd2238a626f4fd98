//! VTK's XML formats for ParaView: image data for lattices, poly data for points, and the collection that gives files
//! their times. Numbers follow the XML as in memory ("appended raw"), so that nothing is copied.
//!
//! Format: *VTK File Formats*, Kitware.

use std::io::{self, Write};

use super::super::content::{Geometry, Scalar};
use super::super::select::{Values, View};
use super::descriptor::{Descriptor, FormatKind, without_halves};
use super::fit;
use super::rows::{CHUNK, invalid};

pub(super) const VTI: Descriptor = Descriptor {
    note: "ParaView; grids of vertices too",
    has_series: true,
    unfit: fit::lattice,
    numbers: without_halves,
    ..Descriptor::new(FormatKind::Grids, image_data)
};

pub(super) const VTP: Descriptor = Descriptor {
    note: "ParaView",
    has_series: true,
    unfit: |content| fit::points(content, i64::MAX as u64),
    numbers: without_halves,
    ..Descriptor::new(FormatKind::Particles, poly_data)
};

/// An array of the appended data: the attributes of its tag, and its contents.
struct Appended<'a> {
    attributes: String,
    numbers: Numbers<'a>,
}

enum Numbers<'a> {
    Of(&'a [u8]),
    /// This number of 64-bit integers, ascending from the first.
    Counting {
        first: i64,
        count: usize,
    },
}

impl<'a> Appended<'a> {
    fn of(values: &'a Values, name: &str) -> Appended<'a> {
        let kind = match values.column.scalar {
            Scalar::F16 | Scalar::F32 => "Float32",
            Scalar::F64 => "Float64",
            Scalar::I8 => "Int8",
            Scalar::I16 => "Int16",
            Scalar::I32 => "Int32",
            Scalar::I64 => "Int64",
            Scalar::U16 => "UInt16",
            Scalar::U32 => "UInt32",
            Scalar::U64 => "UInt64",
            Scalar::U8 | Scalar::Colour => "UInt8",
        };
        let (name, components) = (escaped(name), values.column.components);
        Appended {
            attributes: format!(r#"type="{kind}" Name="{name}" NumberOfComponents="{components}""#),
            numbers: Numbers::Of(&values.bytes),
        }
    }

    fn counting(name: &str, first: i64, count: usize) -> Appended<'a> {
        Appended {
            attributes: format!(r#"type="Int64" Name="{name}""#),
            numbers: Numbers::Counting { first, count },
        }
    }

    fn bytes(&self) -> u64 {
        match self.numbers {
            Numbers::Of(bytes) => bytes.len() as u64,
            Numbers::Counting { count, .. } => 8 * count as u64,
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.numbers {
            Numbers::Of(bytes) => out.write_all(bytes),
            Numbers::Counting { first, count } => (0..count).step_by(CHUNK).try_for_each(|chunk| {
                let numbers = chunk..count.min(chunk + CHUNK);
                let numbers = numbers.flat_map(|number| (first + number as i64).to_ne_bytes());
                out.write_all(&numbers.collect::<Vec<u8>>())
            }),
        }
    }
}

/// Cells of a grid as cell data, everything else as point data; a lattice with two axes is a layer without thickness.
fn image_data(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let [x, y, z] = view.sides();
    let (first, spacing) = view.lattice();
    let (tag, extent, origin) = match view.content.geometry {
        Geometry::Cells { .. } => {
            let is_flat = view.content.shape.len() < 3;
            let half = [0.5, 0.5, if is_flat { 0.0 } else { 0.5 }];
            let corner = |axis: usize| first[axis] - half[axis] * spacing[axis];
            let layers = if is_flat { 0 } else { z };
            ("CellData", [x, y, layers], std::array::from_fn(corner))
        }
        _ => ("PointData", [x - 1, y - 1, z - 1], first),
    };
    let list = |numbers: [f64; 3]| numbers.map(|number| number.to_string()).join(" ");
    let extent = format!("0 {} 0 {} 0 {}", extent[0], extent[1], extent[2]);
    let arrays: Vec<Appended> = (view.columns.iter())
        .map(|values| Appended::of(values, &values.column.name))
        .collect();
    let mut file = File::new("ImageData");
    file.open(&format!(
        r#"<ImageData WholeExtent="{extent}" Origin="{}" Spacing="{}">"#,
        list(origin),
        list(spacing)
    ));
    file.open(&format!(r#"<Piece Extent="{extent}">"#));
    file.arrays(tag, &arrays);
    file.close("Piece");
    file.close("ImageData");
    file.finish(&[&arrays], out)
}

/// Particles as points, each with a vertex cell so that it is drawn.
fn poly_data(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let Geometry::Particles {
        position: Some(position),
    } = view.content.geometry
    else {
        return Err(invalid("points require positions"));
    };
    let count = view.elements();
    let others: Vec<Appended> = (view.columns.iter().enumerate())
        .filter(|(number, _)| *number != position)
        .map(|(_, values)| Appended::of(values, &values.column.name))
        .collect();
    let positions = [Appended::of(&view.columns[position], "Points")];
    let vertices = [
        Appended::counting("connectivity", 0, count),
        Appended::counting("offsets", 1, count),
    ];
    let mut file = File::new("PolyData");
    file.open("<PolyData>");
    file.open(&format!(
        r#"<Piece NumberOfPoints="{count}" NumberOfVerts="{count}" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="0">"#
    ));
    file.arrays("PointData", &others);
    file.arrays("Points", &positions);
    file.arrays("Verts", &vertices);
    file.close("Piece");
    file.close("PolyData");
    file.finish(&[&others, &positions, &vertices], out)
}

/// The collection of an output's files, each with its time, s.
pub(in super::super) fn collection(files: &[(String, f64)]) -> String {
    let mut file = File::new("Collection");
    file.open("<Collection>");
    for (name, time) in files {
        let name = escaped(name);
        file.line(&format!(
            r#"<DataSet timestep="{time}" group="" part="0" file="{name}"/>"#
        ));
    }
    file.close("Collection");
    file.close("VTKFile");
    file.xml
}

/// The XML of a file, and the size of its appended data so far.
struct File {
    xml: String,
    depth: usize,
    appended: u64,
}

impl File {
    fn new(kind: &str) -> File {
        let order = if cfg!(target_endian = "little") {
            "LittleEndian"
        } else {
            "BigEndian"
        };
        let mut file = File {
            xml: "<?xml version=\"1.0\"?>\n".to_owned(),
            depth: 0,
            appended: 0,
        };
        file.open(&format!(
            r#"<VTKFile type="{kind}" version="1.0" byte_order="{order}" header_type="UInt64">"#
        ));
        file
    }

    fn line(&mut self, line: &str) {
        self.xml.extend(std::iter::repeat_n("  ", self.depth));
        self.xml.push_str(line);
        self.xml.push('\n');
    }

    fn open(&mut self, tag: &str) {
        self.line(tag);
        self.depth += 1;
    }

    fn close(&mut self, name: &str) {
        self.depth -= 1;
        self.line(&format!("</{name}>"));
    }

    fn arrays(&mut self, tag: &str, arrays: &[Appended]) {
        self.open(&format!("<{tag}>"));
        for array in arrays {
            let (attributes, offset) = (&array.attributes, self.appended);
            self.line(&format!(
                r#"<DataArray {attributes} format="appended" offset="{offset}"/>"#
            ));
            // Each block begins with its length, of 64 bits.
            self.appended += 8 + array.bytes();
        }
        self.close(tag);
    }

    /// Writes the XML and the arrays in the order in which they were listed.
    fn finish(mut self, arrays: &[&[Appended]], out: &mut dyn Write) -> io::Result<()> {
        self.line(r#"<AppendedData encoding="raw">"#);
        out.write_all(self.xml.as_bytes())?;
        out.write_all(b"_")?;
        for array in arrays.iter().copied().flatten() {
            out.write_all(&array.bytes().to_ne_bytes())?;
            array.write(out)?;
        }
        out.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
