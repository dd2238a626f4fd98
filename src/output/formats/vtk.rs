//! VTK's XML formats for ParaView: image data for lattices, poly data for points, and the collection that gives files
//! their times.
//!
//! Format: *VTK File Formats*, Kitware.

mod xml;

use std::io::{self, Write};

use super::super::content::{Compression, Geometry, Scalar};
use super::super::faces::Triangles;
use super::super::select::{Values, View};
use super::descriptor::{Descriptor, FormatKind, Series, SeriesFiles, Setting, without_halves};
use super::fit;
use xml::{Appended, File, escaped};

pub(super) const VTI: Descriptor = Descriptor {
    note: "ParaView; grids of vertices too",
    series: Some(COLLECTION),
    has_active: true,
    settings: &[Setting::Names],
    compression: Some(Compression::None),
    unfit: fit::lattice,
    numbers: without_halves,
    ..Descriptor::new(FormatKind::Grids, image_data)
};

pub(super) const VTP: Descriptor = Descriptor {
    note: "ParaView",
    series: Some(COLLECTION),
    settings: &[Setting::Names, Setting::Faces],
    compression: Some(Compression::None),
    unfit: |content| fit::points(content, i64::MAX as u64),
    numbers: without_halves,
    ..Descriptor::new(FormatKind::Particles, poly_data)
};

/// The list that ParaView opens as one series.
const COLLECTION: Series = Series {
    extension: "pvd",
    text: collection,
};

/// The array that hides elements, and the bits of a cell and of a point that are hidden.
const GHOSTS: &str = "vtkGhostType";
const HIDDEN_CELL: u8 = 32;
const HIDDEN_POINT: u8 = 2;

/// The attributes of a tag that name the arrays which a program shows at first: the first numbers, and the first vectors.
fn active<'a>(columns: impl Iterator<Item = &'a Values<'a>> + Clone) -> String {
    let first = |kind: &str, components: u32| {
        let is_active = |values: &&Values| {
            let is_float = matches!(values.column.scalar, Scalar::F16 | Scalar::F32 | Scalar::F64);
            values.column.components == components && (is_float || components == 1)
        };
        let found = columns.clone().find(is_active);
        found.map_or(String::new(), |values| {
            format!(r#" {kind}="{}""#, escaped(&values.column.label))
        })
    };
    first("Scalars", 1) + &first("Vectors", 3)
}

/// The flags of the elements of a sparse grid: those of blocks that are not active are hidden.
fn ghosts(view: &View, hidden: u8) -> Option<Vec<u8>> {
    view.active.as_ref()?;
    let [x, y, z] = view.sides().map(|side| side as usize);
    let mut flags = Vec::with_capacity(x * y * z);
    for z in 0..z {
        for y in 0..y {
            flags.extend((0..x).map(|x| if view.is_active([x, y, z]) { 0 } else { hidden }));
        }
    }
    Some(flags)
}

/// Cells of a grid as cell data, everything else as point data; a lattice with two axes is a layer without thickness.
fn image_data(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let [x, y, z] = view.sides();
    let (first, spacing) = view.lattice();
    let is_of_cells = matches!(view.content.geometry, Geometry::Cells { .. });
    let (tag, extent, origin) = if is_of_cells {
        let is_flat = view.content.shape.len() < 3;
        let half = [0.5, 0.5, if is_flat { 0.0 } else { 0.5 }];
        let corner = |axis: usize| first[axis] - half[axis] * spacing[axis];
        let layers = if is_flat { 0 } else { z };
        ("CellData", [x, y, layers], std::array::from_fn(corner))
    } else {
        ("PointData", [x - 1, y - 1, z - 1], first)
    };
    let list = |numbers: [f64; 3]| numbers.map(|number| number.to_string()).join(" ");
    let extent = format!("0 {} 0 {} 0 {}", extent[0], extent[1], extent[2]);
    let mut arrays: Vec<Appended> = (view.columns.iter())
        .map(|values| Appended::of(values, &values.column.label))
        .collect();
    let hidden = if is_of_cells { HIDDEN_CELL } else { HIDDEN_POINT };
    arrays.extend(ghosts(view, hidden).map(|flags| Appended::flags(GHOSTS, flags)));
    let mut file = File::new("ImageData", view.content.style.compression);
    file.open(&format!(
        r#"<ImageData WholeExtent="{extent}" Origin="{}" Spacing="{}">"#,
        list(origin),
        list(spacing)
    ));
    file.time(view.time());
    file.open(&format!(r#"<Piece Extent="{extent}">"#));
    file.arrays(tag, &active(view.columns.iter()), arrays)?;
    file.close("Piece");
    file.close("ImageData");
    file.finish(out)
}

/// Particles as points, each with a vertex cell so that it is drawn; or the vertices and triangles of a mesh.
fn poly_data(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let position = view.position()?;
    let count = view.elements();
    let others = (view.columns.iter().enumerate())
        .filter(|(number, _)| *number != position)
        .map(|(_, values)| values);
    let attributes = others
        .clone()
        .map(|values| Appended::of(values, &values.column.label));
    let positions = vec![Appended::of(&view.columns[position], "Points")];
    let (tag, connectivity, offsets) = match &view.triangles {
        None => ("Verts", Appended::counting("connectivity", [0, 1], count), [1, 1]),
        Some(triangles) => {
            let corners = triangles.iter().flatten().map(i64::from);
            ("Polys", Appended::integers("connectivity", corners), [3, 3])
        }
    };
    let cells = view.triangles.as_ref().map_or(count, Triangles::len);
    let cells_of = |kind: &str| if kind == tag { cells } else { 0 };
    let connectivity = vec![connectivity, Appended::counting("offsets", offsets, cells)];
    let mut file = File::new("PolyData", view.content.style.compression);
    file.open("<PolyData>");
    file.time(view.time());
    file.open(&format!(
        r#"<Piece NumberOfPoints="{count}" NumberOfVerts="{}" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="{}">"#,
        cells_of("Verts"),
        cells_of("Polys")
    ));
    let normals = others
        .clone()
        .filter(|values| view.triangles.is_some() && fit::is_normal(values.column));
    let normals: String = normals.map(|_| r#" Normals="normal""#).collect();
    let plain = others.filter(|values| normals.is_empty() || !fit::is_normal(values.column));
    file.arrays("PointData", &(active(plain) + &normals), attributes.collect())?;
    file.arrays("Points", "", positions)?;
    file.arrays(tag, "", connectivity)?;
    file.close("Piece");
    file.close("PolyData");
    file.finish(out)
}

/// The collection of an output's files, each with its time, s.
fn collection(files: &SeriesFiles) -> String {
    let mut xml = File::new("Collection", None);
    xml.open("<Collection>");
    for file in &files.files {
        let (time, name) = (
            file.frame as f64 * files.content.frame_seconds,
            escaped(&file.name),
        );
        xml.line(&format!(
            r#"<DataSet timestep="{time}" group="" part="0" file="{name}"/>"#
        ));
    }
    xml.close("Collection");
    xml.text()
}
