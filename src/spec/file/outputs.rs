//! What a run writes, as it stands in the file.

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::Value;

use super::values::Number;
use crate::output::{Compression, Format, FormatKind, Setting};

/// Files that a run writes every n frames.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = name_formats)]
pub(crate) struct OutputFile {
    /// What is written: a field (`<resource>.<channel>`, or the name of a buffer), or a whole grid, height field,
    /// particle set or image.
    ///
    /// - Example: `"view.color"`
    pub source: String,
    /// The channels or attributes that are written, if `source` is a whole resource.
    ///
    /// - Default: all that the format can hold
    /// - Range: names of the resource's channels or attributes, each once
    /// - Example: `["position", "velocity"]`
    #[serde(default)]
    pub fields: Option<Vec<String>>,
    /// File format. {formats}.
    ///
    /// - Default: for a field, `png` if it is rgba8 or has a `colormap`, else `npy`; for a resource, `bgeo` for particles, `vdb` for a
    ///   sparse grid, `vti` for a dense grid or a height field, `png` or `exr` for an image
    /// - Example: `"npy"`
    #[serde(default)]
    pub format: Option<Format>,
    /// Every n-th frame is written, starting with frame n.
    ///
    /// - Unit: frames
    /// - Default: `1`
    /// - Range: 1 to 2⁴⁰
    /// - Example: `10`
    #[serde(default)]
    pub every: Option<Number>,
    /// The box that is written, borders included: cells by their centres, vertices by x and y, particles by their
    /// positions.
    ///
    /// - Default: everything
    /// - Range: for grids, height fields and particles
    /// - Example: `{"min": [0, 0, 0], "max": [8, 8, 2]}`
    #[serde(default)]
    pub region: Option<RegionFile>,
    /// Every n-th cell, vertex or pixel along each axis is written, or every n-th particle or element, starting with
    /// the first. In a region, cells are counted from the first cell of the region, particles from the first of the
    /// set. Every frame has the same particles, also if the set is sorted.
    ///
    /// - Default: `1`
    /// - Range: 1 to 2³¹
    /// - Example: `4`
    #[serde(default)]
    pub stride: Option<Number>,
    /// Bits of floats: `full` is 32, `half` 16. A finite number beyond 65504 then fails the run.
    ///
    /// - Default: `"full"`
    /// - Range: `half` for {precision}
    /// - Example: `"half"`
    #[serde(default)]
    pub precision: Option<PrecisionFile>,
    /// Bits per channel of a PNG: 8, or 16 for grey.
    ///
    /// - Unit: bits
    /// - Default: `8` for `png`
    /// - Range: 8 or 16
    /// - Example: `16`
    #[serde(default)]
    pub bits: Option<u32>,
    /// The values that a picture shows as black and as white, with linear grey between them, or in the colours at the
    /// ends of the `colormap`. Values outside are clamped; NaN is black.
    ///
    /// - Unit: that of the field
    /// - Default: none
    /// - Range: ascending; for fields with one number per element
    /// - Example: `[0, 2.5]`
    #[serde(default)]
    pub range: Option<[Number; 2]>,
    /// Colours for the numbers of a field: `viridis`, from dark blue to yellow in the order of brightness, or
    /// `diverging`, from blue over grey to red. Requires a `range`.
    ///
    /// - Default: none: grey
    /// - Range: for `png` and `mp4`; for fields with one number per element
    /// - Example: `"viridis"`
    #[serde(default)]
    pub colormap: Option<ColormapFile>,
    /// How much effort the encoder spends on small files.
    ///
    /// - Default: `fast` for {fast}, `best` for {best}, `none` for {none}
    /// - Range: only for those formats
    /// - Example: `"best"`
    #[serde(default)]
    pub compression: Option<CompressionFile>,
    /// Frames per second of a film.
    ///
    /// - Unit: 1/s
    /// - Default: `30` for `mp4`
    /// - Range: 0.01 to 1000; only for `mp4`
    /// - Example: `24`
    #[serde(default)]
    pub rate: Option<Number>,
    /// The vec3 attribute with the positions of the particles.
    ///
    /// - Default: the one called `position`
    /// - Range: for particle sets
    /// - Example: `"rest_position"`
    #[serde(default)]
    pub position: Option<String>,
}

/// A box in world space with sides along the axes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegionFile {
    /// The corner with the smallest coordinates.
    ///
    /// - Unit: m
    /// - Range: 3 numbers; 2 are enough for 2-D grids and height fields
    /// - Example: `[0, 0, 0]`
    #[schemars(length(min = 2, max = 3))]
    pub min: Vec<Number>,
    /// The corner with the largest coordinates.
    ///
    /// - Unit: m
    /// - Range: not below `min` on any axis
    /// - Example: `[8, 8, 2]`
    #[schemars(length(min = 2, max = 3))]
    pub max: Vec<Number>,
}

/// Number of bits of floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PrecisionFile {
    Full,
    Half,
}

/// Colours for numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColormapFile {
    Viridis,
    Diverging,
}

/// How much effort an encoder spends on small files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CompressionFile {
    None,
    Fast,
    Best,
}

/// The formats that `has` picks, in words, each between two of `quote`.
pub(crate) fn formats_with(quote: &str, has: impl Fn(Format) -> bool) -> String {
    let names = Format::ALL.iter().filter(|format| has(**format));
    let names: Vec<String> = names
        .map(|format| format!("{quote}{}{quote}", format.extension()))
        .collect();
    match names.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// Puts names of formats where the descriptions of keys speak of them.
fn name_formats(schema: &mut Schema) {
    let compressed =
        |by: Compression| formats_with("`", |format| format.descriptor().compression == Some(by));
    let words = [
        ("{formats}", formats_by_kind()),
        (
            "{precision}",
            formats_with("`", |format| format.has(Setting::Precision)),
        ),
        ("{fast}", compressed(Compression::Fast)),
        ("{best}", compressed(Compression::Best)),
        ("{none}", compressed(Compression::None)),
    ];
    let keys = schema.get_mut("properties").and_then(Value::as_object_mut);
    for description in keys
        .into_iter()
        .flatten()
        .filter_map(|(_, key)| key.get_mut("description"))
    {
        if let Value::String(text) = description {
            for (place, names) in &words {
                *text = text.replace(place, names);
            }
        }
    }
}

fn formats_by_kind() -> String {
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
            "" => format!("`{}`", format.extension()),
            note => format!("`{}` ({note})", format.extension()),
        });
        format!("{name}: {}", formats.collect::<Vec<_>>().join(", "))
    };
    kinds.map(of_kind).join(". ")
}
