//! VTK's XML formats for ParaView: image data for lattices, poly data for points, and the collection that gives files
//! their times.
//!
//! Format: *VTK File Formats*, Kitware.

mod hdf;
mod shared;
mod xml;

use std::io::{self, Write};

use super::super::content::Compression;
use super::super::faces::Triangles;
use super::super::select::{Values, View};
use super::descriptor::{
    Descriptor, Encoder, FormatKind, Section, Series, SeriesFiles, Setting, without_halves,
};
use super::fit;
use shared::{GHOSTS, active, ghosts, image};
use xml::{Appended, File, escaped};

pub(super) const VTI: Descriptor = Descriptor {
    note: "ParaView; grids of vertices too",
    series: Some(COLLECTION),
    has_active: true,
    settings: &[Setting::Names, Setting::Units],
    compression: Some(Compression::None),
    unfit: fit::lattice,
    numbers: without_halves,
    ..Descriptor::of(FormatKind::Grids, Encoder::Sections(image_data))
};

pub(super) const VTP: Descriptor = Descriptor {
    note: "ParaView",
    series: Some(COLLECTION),
    settings: &[Setting::Names, Setting::Faces, Setting::Units],
    compression: Some(Compression::None),
    unfit: |content| fit::points(content, i64::MAX as u64),
    numbers: without_halves,
    ..Descriptor::new(FormatKind::Particles, poly_data)
};

pub(super) const VTKHDF: Descriptor = Descriptor {
    note: "ParaView; all frames in one file; particles too",
    has_points: true,
    has_active: true,
    settings: &[Setting::Names, Setting::Units],
    compression: Some(Compression::None),
    unfit: hdf::unfit,
    numbers: without_halves,
    ..Descriptor::of(FormatKind::Grids, Encoder::Rows(hdf::ROWS))
};

/// The list that ParaView opens as one series.
const COLLECTION: Series = Series {
    extension: "pvd",
    text: collection,
};

/// The attributes of a tag that name the active arrays.
fn active_attributes<'a>(columns: impl Iterator<Item = &'a Values<'a>> + Clone) -> String {
    let named = active(columns.map(|values| values.column)).into_iter();
    let attributes = named.filter_map(|(kind, name)| Some(format!(r#" {kind}="{}""#, escaped(name?))));
    attributes.collect()
}

fn image_data(view: &View) -> io::Result<Vec<Section>> {
    let (_, spacing) = view.lattice();
    let image = image(
        &view.content.geometry,
        view.shape.len(),
        view.sides(),
        view.lattice(),
    );
    let (extent, origin) = (image.extent, image.origin);
    let list = |numbers: [f64; 3]| numbers.map(|number| number.to_string()).join(" ");
    let extent = format!("0 {} 0 {} 0 {}", extent[0], extent[1], extent[2]);
    let is_compressed = !matches!(view.content.style.compression, None | Some(Compression::None));
    let array = |(number, values)| {
        if is_compressed {
            Appended::of(values, &values.column.label)
        } else {
            Appended::column(view, number)
        }
    };
    let mut arrays: Vec<Appended> = view.columns.iter().enumerate().map(array).collect();
    arrays.extend(ghosts(view, image.hidden()).map(|flags| Appended::flags(GHOSTS, flags)));
    let mut file = File::new("ImageData", view.content.style.compression);
    file.open(&format!(
        r#"<ImageData WholeExtent="{extent}" Origin="{}" Spacing="{}">"#,
        list(origin),
        list(spacing)
    ));
    file.time(view.time());
    file.open(&format!(r#"<Piece Extent="{extent}">"#));
    file.arrays(image.data, &active_attributes(view.columns.iter()), arrays)?;
    file.close("Piece");
    file.close("ImageData");
    Ok(file.sections())
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
    let active = active_attributes(plain) + &normals;
    file.arrays("PointData", &active, attributes.collect())?;
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
