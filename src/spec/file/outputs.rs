//! What a run writes, as it stands in the file.

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::Value;

use super::values::Number;
use crate::output::{Compression, Format, FormatKind, Setting};

/// One kind of file that a run writes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = name_formats)]
pub(crate) struct OutputFile {
    /// What is written: a field (`<resource>.<channel>`, or the name of a buffer), or a whole grid, height field,
    /// particle set or image.
    ///
    /// - Example: `"view.color"`
    pub source: String,
    /// The channels or attributes that are written, of a whole resource.
    ///
    /// - Default: all that the format can hold
    /// - Range: names of the resource's channels or attributes, each once
    /// - Example: `["position", "velocity"]`
    #[serde(default)]
    pub fields: Option<Vec<String>>,
    /// How it is written. {formats}.
    ///
    /// - Default: of a field, `png` for rgba8, else `npy`; of a resource, `bgeo` for particles, `vdb` for a sparse
    ///   grid, `vti` for a dense one and for heights, `png` or `exr` for an image
    /// - Example: `"npy"`
    #[serde(default)]
    pub format: Option<Format>,
    /// Every n-th frame is written, the n-th one first.
    ///
    /// - Unit: frames
    /// - Default: `1`
    /// - Range: 1 to 2⁴⁰
    /// - Example: `10`
    #[serde(default)]
    pub every: Option<Number>,
    /// The box that is written: cells whose centres, vertices which (whatever their height), or particles whose
    /// positions lie in it, borders included.
    ///
    /// - Default: everything
    /// - Range: of grids, heights and particles
    /// - Example: `{"min": [0, 0, 0], "max": [8, 8, 2]}`
    #[serde(default)]
    pub region: Option<RegionFile>,
    /// Every n-th cell, vertex or pixel along each axis is written, every n-th particle or element: the first one,
    /// the one n further on, and so on. In a region, cells are counted from its first one, particles from the first
    /// of the set.
    ///
    /// - Default: `1`
    /// - Range: 1 to 2³¹
    /// - Example: `4`
    #[serde(default)]
    pub stride: Option<Number>,
    /// Bits of floats: `full` is 32, `half` 16.
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
    /// The numbers that a PNG shows black and white. What lies between is grey in equal steps; what lies outside is
    /// black or white, and so is NaN: black.
    ///
    /// - Unit: that of the field
    /// - Default: none
    /// - Range: ascending; of one number per element
    /// - Example: `[0, 2.5]`
    #[serde(default)]
    pub range: Option<[Number; 2]>,
    /// How hard the encoder tries to make files small.
    ///
    /// - Default: `fast` for {fast}, `best` for {best}, `none` for {none}
    /// - Range: for those formats
    /// - Example: `"best"`
    #[serde(default)]
    pub compression: Option<CompressionFile>,
    /// Frames of a film per second.
    ///
    /// - Unit: 1/s
    /// - Default: `30` for `mp4`
    /// - Range: 0.01 to 1000; for `mp4`
    /// - Example: `24`
    #[serde(default)]
    pub rate: Option<Number>,
    /// The vec3 attribute that says where particles are.
    ///
    /// - Default: the one called `position`
    /// - Range: of particle sets
    /// - Example: `"rest_position"`
    #[serde(default)]
    pub position: Option<String>,
}

/// A box in the world, its sides along the axes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegionFile {
    /// The corner with the smallest coordinates.
    ///
    /// - Unit: m
    /// - Range: 2 numbers will do for 2-D grids and height fields
    /// - Example: `[0, 0, 0]`
    #[schemars(length(min = 2, max = 3))]
    pub min: Vec<Number>,
    /// The corner with the largest coordinates.
    ///
    /// - Unit: m
    /// - Range: nowhere below `min`
    /// - Example: `[8, 8, 2]`
    #[schemars(length(min = 2, max = 3))]
    pub max: Vec<Number>,
}

/// How many bits floats have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PrecisionFile {
    Full,
    Half,
}

/// How hard an encoder tries.
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
