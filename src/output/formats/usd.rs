//! Pixar's Universal Scene Description as text: the points or the mesh of a frame, and the layers that put the files of a
//! run in their places in time. A time code is the number of a frame.
//!
//! Format: *OpenUSD*, openusd.org: UsdGeomPoints, UsdGeomMesh, UsdVolVolume, value clips.

mod attribute;
mod layers;

use std::io::{self, BufWriter, Write};

use super::super::faces::Triangles;
use super::super::select::{Values, View};
use super::descriptor::{Descriptor, FormatKind, Series, Setting, words};
use super::fit;
use attribute::Attribute;
use layers::{Layer, POINTS};

pub(in super::super) use layers::{scene, scene_outputs};

pub(super) const USDA: Descriptor = Descriptor {
    note: "Houdini, Blender, usdview",
    settings: &[Setting::Names, Setting::Faces],
    unfit: |content| fit::points(content, i32::MAX as u64),
    numbers: words,
    conventions: &[
        ("velocity", "velocities"),
        ("normal", "normals"),
        ("id", "ids"),
        ("number", "ids"),
        ("color", "displayColor"),
        ("radius", "widths"),
    ],
    series: Some(Series {
        extension: "usda",
        text: layers::points,
    }),
    ..Descriptor::new(FormatKind::Particles, write)
};

/// The layer beside the files of volumes.
pub(super) const VOLUMES: Series = Series {
    extension: "usda",
    text: layers::volume,
};

/// The points or the mesh of one frame.
fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let position = view.position()?;
    let out = &mut BufWriter::new(out);
    let frames = [view.frame, view.frame];
    let layer = Layer::new(POINTS, frames, view.content.frame_seconds);
    let kind = layers::kind(view.content);
    writeln!(out, "{}def {kind} \"{POINTS}\"\n{{", layer.head())?;
    let [low, high] = extent(&view.columns[position]);
    let corner = |corner: [f32; 3]| format!("({}, {}, {})", corner[0], corner[1], corner[2]);
    let frame = view.frame;
    writeln!(
        out,
        "    float3[] extent.timeSamples = {{ {frame}: [{}, {}] }}",
        corner(low),
        corner(high)
    )?;
    for (number, values) in view.columns.iter().enumerate() {
        Attribute::of(values.column, number == position).write(values, frame, out)?;
    }
    if let Some(triangles) = &view.triangles {
        write_triangles(triangles, frame, out)?;
    }
    writeln!(out, "}}")?;
    out.flush()
}

/// The attributes of a mesh that join its points.
fn write_triangles(triangles: &Triangles, frame: u64, out: &mut dyn Write) -> io::Result<()> {
    let [counts, corners] = layers::JOINTS;
    let list = |out: &mut dyn Write, name: &str, numbers: &mut dyn Iterator<Item = u32>| {
        write!(out, "    {name}\n    {name}.timeSamples = {{ {frame}: [")?;
        for (number, corner) in numbers.enumerate() {
            write!(out, "{}{corner}", if number == 0 { "" } else { ", " })?;
        }
        writeln!(out, "] }}")
    };
    list(out, counts, &mut std::iter::repeat_n(3, triangles.len()))?;
    list(out, corners, &mut triangles.iter().flatten())?;
    writeln!(out, "    {}", layers::FLAT)
}

/// The corners of the box of all points with finite positions.
fn extent(positions: &Values) -> [[f32; 3]; 2] {
    let mut ends = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    for (number, word) in positions.bytes.chunks_exact(4).enumerate() {
        let at = f32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
        if at.is_finite() {
            ends[0][number % 3] = ends[0][number % 3].min(at);
            ends[1][number % 3] = ends[1][number % 3].max(at);
        }
    }
    if ends[0] <= ends[1] { ends } else { [[0.0; 3]; 2] }
}
