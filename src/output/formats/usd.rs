//! Pixar's Universal Scene Description as text: the points of a frame, and the layers that put the files of a run in
//! their places in time. A time code is the number of a frame.
//!
//! Format: *OpenUSD*, openusd.org: UsdGeomPoints, UsdVolVolume, value clips.

mod attribute;
mod layers;

use std::io::{self, BufWriter, Write};

use super::super::select::{Values, View};
use super::descriptor::{Descriptor, FormatKind, Series, Setting, words};
use super::fit;
use attribute::Attribute;
use layers::{Layer, POINTS};

pub(in super::super) use layers::{scene, scene_outputs};

pub(super) const USDA: Descriptor = Descriptor {
    note: "Houdini, Blender, usdview",
    settings: &[Setting::Names],
    unfit: |content| fit::points(content, i32::MAX as u64),
    numbers: words,
    conventions: &[
        ("velocity", "velocities"),
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

/// The points of one frame.
fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let position = view.position()?;
    let out = &mut BufWriter::new(out);
    let frames = [view.frame, view.frame];
    let layer = Layer::new(POINTS, frames, view.content.frame_seconds);
    writeln!(out, "{}def Points \"{POINTS}\"\n{{", layer.head())?;
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
    writeln!(out, "}}")?;
    out.flush()
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
