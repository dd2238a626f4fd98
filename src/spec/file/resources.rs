//! Resources besides grids and particles: height fields, buffers, tables and images.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{ChannelFile, Named, Number, Numbers};
use crate::element::Element;

/// A height field over the ground, read from an elevation model whose first row is the north edge (largest y). It has
/// `<name>.nx` by `.ny` vertices with a spacing of `<name>.dx` and `.dy` metres. Pixels without data are filled from their
/// neighbours, if at most half are missing.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HeightsFile {
    /// Path of the elevation model, relative to the file that names it: a grey PNG with 8 or 16 bits, a GeoTIFF with one band,
    /// or an ESRI ASCII grid.
    ///
    /// - Example: `"assets/jacksboro_dem.png"`
    pub image: String,
    /// Distance between neighbouring pixels in x and y. A PNG requires it.
    ///
    /// - Unit: m
    /// - Default: that of the file; degrees are converted at its middle latitude
    /// - Range: above 0
    /// - Example: `[2.8, 3.5]`
    #[serde(default)]
    pub metres_per_pixel: Option<[Number; 2]>,
    /// Height of one level: a grey level, or a unit of the file's numbers. A PNG requires it.
    ///
    /// - Unit: m
    /// - Default: that of the file
    /// - Example: `0.08`
    #[serde(default)]
    pub metres_per_level: Option<Number>,
    /// Level of height 0.
    ///
    /// - Unit: levels
    /// - Default: `0`
    /// - Example: `211`
    #[serde(default)]
    pub base_level: Option<Number>,
    /// Number of vertices in x and y to which the image is resampled (bicubic); the extent does not change.
    ///
    /// - Unit: vertices
    /// - Default: one per pixel
    /// - Range: 2 to 2³¹ each
    /// - Example: `[512, 512]`
    #[serde(default)]
    pub vertices: Option<[Number; 2]>,
    /// World position of vertex (0, 0), the south-west corner: `<name>_origin` in shaders.
    ///
    /// - Unit: m
    /// - Default: `[0, 0]`
    /// - Example: `[100, 50]`
    #[serde(default)]
    pub origin: Option<[Number; 2]>,
    /// The `float` channel that receives the heights, in metres.
    ///
    /// - Example: `"elevation"`
    pub into: String,
    /// Values per vertex, by name.
    ///
    /// - Default: those that modules add
    /// - Range: at least one; `rgba8` is for images only
    /// - Example: `{"elevation": "float", "snow": "uint"}`
    #[serde(default)]
    pub channels: Named<ChannelFile>,
}

/// A plain array. Its number of elements is `<buffer>.count` in expressions and `<buffer>_length` in shaders.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BufferFile {
    /// Type of an element.
    ///
    /// - Range: not `rgba8`
    /// - Example: `"vec3"`
    #[serde(rename = "type")]
    pub element: Element,
    /// Number of elements. A buffer has either this or `values`.
    ///
    /// - Unit: elements
    /// - Default: the number of `values`
    /// - Range: 1 to 2³²
    /// - Example: `"2 * air.nx"`
    #[serde(default)]
    pub length: Option<Number>,
    /// Initial values, one item per element: a number, or a list with one number per component.
    ///
    /// - Unit: yours
    /// - Default: every component is the background
    /// - Range: at least one item
    /// - Example: `[[8, 0, 0], [5, 6, 0]]`
    #[serde(default)]
    pub values: Option<Vec<Numbers>>,
    /// Initial value of every component; a faulting read also returns it.
    ///
    /// - Unit: yours
    /// - Default: `0`
    /// - Range: a value of the type
    /// - Example: `1`
    #[serde(default)]
    pub background: Option<Number>,
    /// Smallest and largest allowed value of every component; `watch` checks them.
    ///
    /// - Unit: yours
    /// - Default: every finite number is allowed
    /// - Range: numbers of the type, the smaller first; not for `rgba8`, `int64` and `uint64`
    /// - Example: `[-100, 100]`
    #[serde(default)]
    pub bounds: Option<[Number; 2]>,
}

/// A list of rows with several channels.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Table")]
pub(crate) struct TableFile {
    /// Number of rows: `<table>.count` in expressions, `<table>_length` in shaders.
    ///
    /// - Range: 1 to 2³¹
    /// - Example: `64`
    pub length: Number,
    /// Values per row, by name.
    ///
    /// - Default: those that modules add
    /// - Range: at least one
    /// - Example: `{"energy": "float", "modes": "uint"}`
    #[serde(default)]
    pub channels: Named<ChannelFile>,
}

/// A 2-D lattice of pixels, row 0 at the top.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImageFile {
    /// Width and height: `<image>.nx` and `.ny` in expressions, `<image>_size` in shaders.
    ///
    /// - Unit: pixels
    /// - Range: 1 to 2³¹ each
    /// - Example: `[1280, 720]`
    pub size: [Number; 2],
    /// Values per pixel, by name.
    ///
    /// - Default: those that modules add
    /// - Range: at least one
    /// - Example: `{"color": "rgba8", "depth": "float"}`
    #[serde(default)]
    pub channels: Named<ChannelFile>,
}
