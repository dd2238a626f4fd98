//! Layers of USD that name files: the points, the mesh or the volumes of an output over time, and the scene of a whole run.

use std::fmt::Write;

use super::super::descriptor::SeriesFiles;
use super::super::grids;
use super::attribute::Attribute;
use crate::output::content::{Content, Geometry};

/// The prim with the points or the mesh of a frame.
pub(super) const POINTS: &str = "points";
/// The attributes of a mesh that join its points: the number of corners of each face, and the corners.
pub(super) const JOINTS: [&str; 2] = ["int[] faceVertexCounts", "int[] faceVertexIndices"];
/// A mesh is drawn as it is: by default, USD smooths it.
pub(super) const FLAT: &str = "uniform token subdivisionScheme = \"none\"";

/// The type of the prim of particles.
pub(super) fn kind(content: &Content) -> &'static str {
    match content.faces {
        Some(_) => "Mesh",
        None => "Points",
    }
}

/// Metadata of a layer.
pub(super) struct Layer<'a> {
    name: &'a str,
    frames: [u64; 2],
    frame_seconds: f64,
}

impl<'a> Layer<'a> {
    /// A layer whose prim is `name`, with frames from the first to the last.
    pub fn new(name: &'a str, frames: [u64; 2], frame_seconds: f64) -> Layer<'a> {
        Layer {
            name,
            frames,
            frame_seconds,
        }
    }

    fn of(files: &SeriesFiles, name: &'a str) -> Layer<'a> {
        let mut frames = files.files.iter().map(|file| file.frame);
        let first = frames.next().unwrap_or(0);
        Layer::new(
            name,
            [first, frames.next_back().unwrap_or(first)],
            files.content.frame_seconds,
        )
    }

    /// The start of the file.
    pub fn head(&self) -> String {
        let Layer {
            name,
            frames: [first, last],
            frame_seconds,
        } = self;
        // A whole number of frames per second, where the time of a frame is rounded.
        let rate = 1.0 / frame_seconds;
        let rate = if (rate - rate.round()).abs() < 1e-9 * rate {
            rate.round()
        } else {
            rate
        };
        format!(
            "#usda 1.0\n(\n    defaultPrim = \"{name}\"\n    endTimeCode = {last}\n    framesPerSecond = {rate}\n    \
             metersPerUnit = 1\n    startTimeCode = {first}\n    timeCodesPerSecond = {rate}\n    upAxis = \"Z\"\n)\n\n"
        )
    }
}

/// A name of an output as that of a prim: a letter or `_` first, and no `-`.
fn prim(output: &str) -> String {
    let name = output.replace('-', "_");
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")
    } else {
        name
    }
}

/// Points or a mesh whose values are in the files of their frames: value clips.
pub(super) fn points(files: &SeriesFiles) -> String {
    let name = prim(files.output);
    let mut text = Layer::of(files, &name).head();
    let list = |item: &dyn Fn(usize, u64) -> String| {
        let items = files.files.iter().enumerate();
        let items: Vec<String> = items.map(|(number, file)| item(number, file.frame)).collect();
        items.join(", ")
    };
    let paths: Vec<String> = files
        .files
        .iter()
        .map(|file| format!("@./{}@", file.name))
        .collect();
    // Without a manifest, a program would open all files to find their attributes: the first one has them all.
    let manifest = paths.first().map_or("", String::as_str);
    let clips = format!(
        "    clips = {{\n        dictionary default = {{\n            double2[] active = [{}]\n            \
         asset[] assetPaths = [{}]\n            asset manifestAssetPath = {manifest}\n            \
         string primPath = \"/{POINTS}\"\n            double2[] times = [{}]\n        }}\n    }}\n",
        list(&|number, frame| format!("({frame}, {number})")),
        paths.join(", "),
        list(&|_, frame| format!("({frame}, {frame})")),
    );
    let _ = write!(
        text,
        "def {} \"{name}\" (\n{clips})\n{{\n    float3[] extent\n",
        kind(files.content)
    );
    let position = match files.content.geometry {
        Geometry::Particles { position } => position,
        _ => None,
    };
    for (number, column) in files.content.columns.iter().enumerate() {
        let attribute = Attribute::of(column, position == Some(number));
        let _ = writeln!(text, "    {}", attribute.declaration());
    }
    if files.content.faces.is_some() {
        let [counts, corners] = JOINTS;
        let _ = writeln!(text, "    {counts}\n    {corners}\n    {FLAT}");
    }
    text.push_str("}\n");
    text
}

/// A volume whose fields are the grids of OpenVDB files.
pub(super) fn volume(files: &SeriesFiles) -> String {
    let name = prim(files.output);
    let mut text = Layer::of(files, &name).head();
    let _ = write!(text, "def Volume \"{name}\"\n{{\n");
    let grids = grids::names(files.content);
    for grid in &grids {
        let _ = writeln!(text, "    rel field:{grid} = </{name}/{grid}>");
    }
    let samples = files
        .files
        .iter()
        .map(|file| format!("{}: @./{}@", file.frame, file.name));
    let samples = samples.collect::<Vec<String>>().join(", ");
    for grid in &grids {
        let _ = write!(
            text,
            "\n    def OpenVDBAsset \"{grid}\"\n    {{\n        token fieldName = \"{grid}\"\n        \
             asset filePath.timeSamples = {{ {samples} }}\n    }}\n"
        );
    }
    text.push_str("}\n");
    text
}

/// A scene of outputs that have a layer, with frames from the first to the last.
pub(in crate::output) fn scene<'a>(
    outputs: impl IntoIterator<Item = &'a str>,
    frames: [u64; 2],
    frame_seconds: f64,
) -> String {
    const RUN: &str = "run";
    let mut text = Layer::new(RUN, frames, frame_seconds).head();
    let _ = write!(text, "def Xform \"{RUN}\"\n{{\n");
    for output in outputs {
        let name = prim(output);
        let _ = write!(
            text,
            "    def \"{name}\" (\n        prepend references = @./{output}.usda@\n    )\n    {{\n    }}\n"
        );
    }
    text.push_str("}\n");
    text
}

/// The outputs of a scene.
pub(in crate::output) fn scene_outputs(text: &str) -> impl Iterator<Item = &str> {
    let references = text.split("@./").skip(1);
    references.filter_map(|rest| Some(rest.split_once(".usda@")?.0))
}
