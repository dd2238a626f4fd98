//! Outputs before evaluation.

use serde_json::{Value, json};

use super::values::{Corners, Number, Pair, Reference};
use crate::output::{Colormap, Compression, Format, FormatKind, Setting, VolumeClass};
use crate::spec::definitions::{Definitions, alternatives};
use crate::spec::node::{Content, Node};
use crate::spec::read::{Named, Read, Reader, Text, object, words};

object! {
    /// An output of a run: files of fields every n frames (`source`), or a series of scalars (`values`), which is one
    /// file `<name>.csv` or `<name>.jsonl`. A series has one line for the initial state, frame 0, and one per frame:
    /// the frame, its step, its time (s), and the values in their order. It always contains complete lines.
    "Output" OutputFile {
        /// The data to write: a field (`<resource>.<channel>`, or the name of a buffer), one component of it
        /// (`pond.q.x`), a whole grid or particle set, or a list of fields of one resource.
        ///
        /// - Default: none
        /// - Range: an output has either this or `values`
        /// - Example: `"view.color"`
        may source: SourcesFile,
        /// The values of a series, by name: `min`, `max`, `sum`, `mean` or `nonfinite` of a field, of one component
        /// (`"max(flakes.velocity.z)"`), of the length of vectors (`"max(length(flakes.velocity))"`), or of squares
        /// of these (`"sum(air.u ^ 2)"`); one element (`"counters[3]"`, `"air.u[4, 5, 6]"`); the number of live
        /// particles of a set (`"count(flakes)"`) or of active blocks of a sparse grid (`"blocks(air)"`); the number
        /// of iterations of repeats with `"while": "active"` in the steps of the frame (`"iterations(active)"`); for a
        /// repeat `substep` with `"while": "clock.left"`, the number of iterations (`"iterations(substep)"`) and the
        /// remaining time in s (`"left(substep)"`). Or an expression of these, numbers and parameters
        /// (`"max(air.u.x) - min(air.u.x)"`, `"sum(ground.snow) / 65536"`).
        ///
        /// - Default: none
        /// - Range: 1 to 256 values; the same names as for outputs
        /// - Example: `{"snow": "sum(ground.snow)", "max_speed": "max(length(flakes.velocity))"}`
        may values: Named<Number>,
        /// File format. {formats}. Series: `csv` (comma-separated values below a header), `jsonl` (one JSON object per
        /// line).
        ///
        /// - Default: for a field, `png` if it is rgba8 or has a `colormap`, else `npy`; for several fields or a
        ///   resource, `bgeo` for particles, `vdb` for a sparse grid, `vti` for a dense grid of cells or vertices,
        ///   `png` or `exr` for pixels; `csv` for a series
        /// - Example: `"npy"`
        may format: FormatFile,
        /// Writes every n-th frame, starting with frame n; the first line of a series is frame 0.
        ///
        /// - Unit: frames
        /// - Default: `1`
        /// - Range: 1 to 2⁴⁰
        /// - Example: `10`
        may every: Number,
        /// Also writes the state before the first step, as frame 0.
        ///
        /// - Default: `false`
        /// - Range: for files of fields; a series always has it
        /// - Example: `true`
        may initial: bool,
        /// The box to write, including its boundary: the corner with the smallest coordinates, then the corner with the
        /// largest. It selects cells by their centres, vertices by x and y, particles by their positions.
        ///
        /// - Unit: m
        /// - Default: everything
        /// - Range: for cells, vertices and particles; 2 coordinates are enough for 2-D grids
        /// - Example: `[[0, 0, 0], [8, 8, 2]]`
        may region: Corners,
        /// Writes every n-th cell, vertex or pixel along each axis, or every n-th particle or element, starting with
        /// the first. In a region, cells are counted from the first cell of the region, particles from the first of the
        /// set. Every frame has the same particles, even if the set is sorted.
        ///
        /// - Default: `1`
        /// - Range: 1 to 2³¹
        /// - Example: `4`
        may stride: Number,
        /// Bits per number: for floats, `full` (32) or `half` (16; a finite number beyond 65504 then fails the run);
        /// for the channels of a PNG, `8 bits`, or `16 bits` for grey.
        ///
        /// - Default: `"full"`; `"8 bits"` for `png`
        /// - Range: `half` for {precision}
        /// - Example: `"half"`
        may precision: Precision,
        /// Factor of the numbers of a field: a file in metres of snow that is stored in units, or in other units. For
        /// several fields, an object with the factors of some. The file then contains floats: products of doubles,
        /// rounded once.
        ///
        /// - Unit: the unit in the file per unit of the field
        /// - Default: none: numbers as stored
        /// - Range: not 0; not for rgba8
        /// - Example: `{"snow": "snow_unit"}`
        may scale: ScaleFile,
        /// Names of fields in the files, by their names in the pipeline. docs/outputs.md lists the names that formats
        /// have by convention, such as `v` for `velocity` in a bgeo.
        ///
        /// - Default: the field's own, or that of the convention
        /// - Range: letters, digits and `_`, each once; for {named}; not for positions in {points}
        /// - Example: `{"number": "id", "charge": "q"}`
        may names: Named<Text>,
        /// Units of the numbers of a field in the files, that is after `scale`. For several fields, an object with the units of
        /// some. They are text for people and programs: {units} have them in the files, and the manifest of the run has all.
        ///
        /// - Default: none
        /// - Range: 1 to 64 characters without control characters
        /// - Example: `{"velocity": "m/s", "heat": "K"}`
        may units: UnitsFile,
        /// The class of the grids of the output, which tells programs how to draw and move them: `staggered` for vectors
        /// whose components are on the faces of a cell with smaller coordinates, `level set` for distances to a surface.
        /// With `staggered`, a list of three fields at `face_x`, `face_y` and `face_z` becomes one grid `vel`.
        ///
        /// - Default: `fog volume` for grids of floats in cells, else `unknown`
        /// - Range: only for `vdb` of grids; `staggered` only for fields of three components or three fields at faces, without
        ///   `stride`; the others for fields of one number
        /// - Example: `"level set"`
        may class: VolumeClass,
        /// Adds an attribute `id` with the number of each particle: its initial index, or for particles born later the
        /// number of earlier particles. Sorts and removals do not change it.
        ///
        /// - Default: `false`
        /// - Range: for particle sets; takes 4 bytes per particle and copy
        /// - Example: `true`
        may id: bool,
        /// The values for black and white with linear grey between them, or for the ends of the `colormap`. Values
        /// outside are clamped; NaN is black.
        ///
        /// - Unit: the unit of the field
        /// - Default: none
        /// - Range: ascending; for fields with one number per element
        /// - Example: `[0, 2.5]`
        may range: Pair,
        /// Colours for the values of a field: `viridis`, from dark blue to yellow with increasing brightness, or
        /// `diverging`, from blue through grey to red. Requires a `range`.
        ///
        /// - Default: none: grey
        /// - Range: for `png` and `mp4`; for fields with one number per element
        /// - Example: `"viridis"`
        may colormap: Colormap,
        /// The effort of the encoder to produce small files.
        ///
        /// - Default: `fast` for {fast}, `best` for {best}, `none` for {none}
        /// - Range: only for these formats
        /// - Example: `"best"`
        may compression: Compression,
        /// Leaves out the cells that have the background of their channel: a file of a dense grid is then as small as its
        /// content.
        ///
        /// - Default: `false`
        /// - Range: only for `vdb`
        /// - Example: `true`
        may prune: bool,
        /// Frames per second of a video; `real` for as many as a simulated second has, so that it plays in real time.
        ///
        /// - Unit: 1/s
        /// - Default: `30` for `mp4`
        /// - Range: 0.01 to 1000; only for `mp4`
        /// - Example: `24`
        may rate: Number,
        /// The vec3 attribute with the positions of the particles.
        ///
        /// - Default: the attribute `position`
        /// - Range: for particle sets
        /// - Example: `"rest_position"`
        may position: Reference,
        /// The triangles that join the particles to a mesh: a `uvec3` attribute or buffer with the numbers of their
        /// vertices, anticlockwise as seen from outside. See `docs/outputs.md`.
        ///
        /// - Default: none: points
        /// - Range: for particle sets as {meshes}; not with `region` and `stride`
        /// - Example: `"mesh.faces.corners"`
        may faces: Reference,
    }
}

/// A field or resource, or several fields.
#[derive(Debug, Clone)]
pub enum SourcesFile {
    One(Reference),
    Many(crate::problem::Place, Vec<Reference>),
}

impl Read for SourcesFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Array(_) => Some(SourcesFile::Many(node.place.clone(), Vec::read(node, reader)?)),
            _ => Read::read(node, reader).map(SourcesFile::One),
        }
    }

    fn schema(_: &mut Definitions) -> Value {
        json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
    }
}

impl SourcesFile {
    pub fn references(&self) -> &[Reference] {
        match self {
            SourcesFile::One(reference) => std::slice::from_ref(reference),
            SourcesFile::Many(_, list) => list,
        }
    }
}

/// The units of one field, or of several by their names.
#[derive(Debug, Clone)]
pub enum UnitsFile {
    One(Text),
    Several(crate::problem::Place, Named<Text>),
}

impl Read for UnitsFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Object(_) => Some(UnitsFile::Several(node.place.clone(), Named::read(node, reader)?)),
            _ => Read::read(node, reader).map(UnitsFile::One),
        }
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about = "The units of a field, or an object with the units of several by their names.";
        alternatives(definitions, "Units", about, |definitions| {
            vec![Text::schema(definitions), Named::<Text>::schema(definitions)]
        })
    }
}

impl UnitsFile {
    pub fn place(&self) -> &crate::problem::Place {
        match self {
            UnitsFile::One(text) => &text.place,
            UnitsFile::Several(place, _) => place,
        }
    }
}

/// The factor of one field, or of several by their names.
#[derive(Debug, Clone)]
pub enum ScaleFile {
    One(Number),
    Several(crate::problem::Place, Named<Number>),
}

impl Read for ScaleFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Object(_) => Some(ScaleFile::Several(node.place.clone(), Named::read(node, reader)?)),
            _ => Read::read(node, reader).map(ScaleFile::One),
        }
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about = "The factor of a field, or an object with the factors of several by their names.";
        alternatives(definitions, "Scale", about, |definitions| {
            vec![Number::schema(definitions), Named::<Number>::schema(definitions)]
        })
    }
}

impl ScaleFile {
    pub fn place(&self) -> &crate::problem::Place {
        match self {
            ScaleFile::One(number) => &number.place,
            ScaleFile::Several(place, _) => place,
        }
    }
}

/// The format of files, or of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatFile {
    Files(Format),
    Csv,
    JsonLines,
}

fn formats() -> Vec<(&'static str, FormatFile)> {
    let files = Format::ALL
        .iter()
        .map(|format| (format.name(), FormatFile::Files(*format)));
    let series = [("csv", FormatFile::Csv), ("jsonl", FormatFile::JsonLines)];
    files.chain(series).collect()
}

impl Read for FormatFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        crate::spec::read::word(node, &formats(), reader)
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let names: Vec<&str> = formats().into_iter().map(|(name, _)| name).collect();
        crate::spec::definitions::words_schema(definitions, "Format", "A file format.", &names)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    Full,
    Half,
    Bits(u32),
}

words! {
    /// Bits of numbers.
    "Precision" Precision {
        "full" => Self::Full, "half" => Self::Half, "8 bits" => Self::Bits(8), "16 bits" => Self::Bits(16),
    }
}

words! {
    /// Colours for numbers.
    "Colour map" Colormap { "viridis" => Self::Viridis, "diverging" => Self::Diverging, }
}

words! {
    /// The class of a grid.
    "Class" VolumeClass {
        "unknown" => Self::Unknown, "fog volume" => Self::FogVolume, "level set" => Self::LevelSet,
        "staggered" => Self::Staggered,
    }
}

words! {
    /// The effort of an encoder to produce small files.
    "Compression" Compression { "none" => Self::None, "fast" => Self::Fast, "best" => Self::Best, }
}

/// The formats that satisfy `has` as a list in words, each enclosed in `quote`.
pub fn formats_with(quote: &str, has: impl Fn(Format) -> bool) -> String {
    let formats = Format::ALL.iter().filter(|format| has(**format));
    let name = |format: &Format| format!("{quote}{}{quote}", format.name());
    let names: Vec<String> = formats.map(name).collect();
    match names.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// Replaces `{formats}` and similar placeholders in a description by lists of formats.
pub fn with_formats(description: &str) -> String {
    let kinds = [
        ("Pictures", FormatKind::Pictures),
        ("Arrays", FormatKind::Arrays),
        ("Particles", FormatKind::Particles),
        ("Grids", FormatKind::Grids),
    ];
    let of_kind = |(name, kind): (&str, FormatKind)| {
        let formats = Format::ALL
            .iter()
            .filter(|format| format.descriptor().kind == kind);
        let formats = formats.map(|format| match format.descriptor().note {
            "" => format!("`{}`", format.name()),
            note => format!("`{}` ({note})", format.name()),
        });
        format!("{name}: {}", formats.collect::<Vec<_>>().join(", "))
    };
    let with_default =
        |compression| formats_with("`", |format| format.descriptor().compression == Some(compression));
    let precision = formats_with("`", |format| format.has(Setting::Precision));
    let named = formats_with("`", |format| format.has(Setting::Names));
    let points = formats_with("`", |format| format.descriptor().takes_points());
    let meshes = formats_with("`", |format| format.has(Setting::Faces));
    description
        .replace("{formats}", &kinds.map(of_kind).join(". "))
        .replace("{precision}", &precision)
        .replace("{named}", &named)
        .replace("{points}", &points)
        .replace("{meshes}", &meshes)
        .replace("{units}", &formats_with("`", |format| format.has(Setting::Units)))
        .replace("{fast}", &with_default(Compression::Fast))
        .replace("{best}", &with_default(Compression::Best))
        .replace("{none}", &with_default(Compression::None))
}
