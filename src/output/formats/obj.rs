//! Wavefront's OBJ as text: triangles, with the normals and colours of their vertices.
//!
//! Colours follow the coordinates of a vertex, as Blender and MeshLab write them.

use std::io::{self, BufWriter, Write};

use super::super::content::{Column, Content, Scalar};
use super::super::faces::Triangles;
use super::super::select::{Values, View};
use super::descriptor::{Descriptor, FormatKind, Setting, words};
use super::fit;

pub(super) const OBJ: Descriptor = Descriptor {
    note: "meshes",
    settings: &[Setting::Names, Setting::Faces],
    numbers: words,
    unfit,
    ..Descriptor::new(FormatKind::Particles, write)
};

fn is_colour(column: &Column) -> bool {
    column.label == "color" && column.scalar == Scalar::F32 && column.components == 3
}

fn unfit(content: &Content) -> Option<String> {
    let position = match fit::position(content, i32::MAX as u64) {
        Ok(position) => position,
        Err(reason) => return Some(reason),
    };
    if content.faces.is_none() {
        return Some("it contains meshes: add `faces`, or choose ply for points".to_owned());
    }
    let is_unknown = |(number, column): &(usize, &Column)| {
        *number != position && !fit::is_normal(column) && !is_colour(column)
    };
    let (_, column) = content.columns.iter().enumerate().find(is_unknown)?;
    let name = &column.label;
    Some(format!(
        "it has no place for `{name}`: list only position, normal and color in `source`, or choose ply"
    ))
}

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let positions = &view.columns[view.position()?];
    let column = |is_one: fn(&Column) -> bool| view.columns.iter().find(|values| is_one(values.column));
    let (normals, colours) = (column(fit::is_normal), column(is_colour));
    let out = &mut BufWriter::new(out);
    for vertex in 0..view.elements() {
        out.write_all(b"v")?;
        floats(positions, vertex, out)?;
        if let Some(colours) = colours {
            floats(colours, vertex, out)?;
        }
        out.write_all(b"\n")?;
    }
    if let Some(normals) = normals {
        for vertex in 0..view.elements() {
            out.write_all(b"vn")?;
            floats(normals, vertex, out)?;
            out.write_all(b"\n")?;
        }
    }
    for corners in view.triangles.iter().flat_map(Triangles::iter) {
        // Vertices are counted from 1.
        let [a, b, c] = corners.map(|corner| u64::from(corner) + 1);
        match normals {
            Some(_) => writeln!(out, "f {a}//{a} {b}//{b} {c}//{c}")?,
            None => writeln!(out, "f {a} {b} {c}")?,
        }
    }
    out.flush()
}

/// The three numbers of a vertex, each the shortest text that is the same float.
fn floats(values: &Values, vertex: usize, out: &mut dyn Write) -> io::Result<()> {
    (0..3).try_for_each(|component| write!(out, " {}", f32::from_ne_bytes(values.word(vertex, component))))
}
