//! Where the particles of a set come from, as it is written.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{Named, Number, Numbers};

/// Where particles of a set come from: a solid that is filled at a spacing, or a file of points.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum SourceFile {
    Mesh(MeshFile),
    Sphere(SphereFile),
    Box(BoxFile),
    Points(PointsFile),
}

/// Fills a closed triangle mesh. A point is inside where a ray to the outside crosses the surface an odd number of times:
/// a shell within another is a cavity. Every edge must have two triangles (or an even number), whichever way they turn.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeshFile {
    /// Path of an OBJ or PLY file, relative to the file that says so. Polygons become fans of triangles.
    ///
    /// - Example: `"assets/bunny.obj"`
    pub mesh: String,
    /// Distance of neighbouring particles, which stand on a cubic lattice in the middle of the solid's bounding box.
    ///
    /// - Unit: m
    /// - Range: above 0; at most 2³¹ particles, 2²⁴ lines of the lattice and 2⁴⁰ of its points in the bounding box
    /// - Example: `0.01`
    pub spacing: Number,
    /// What coordinates are multiplied by first: one factor, or one for each axis of the file.
    ///
    /// - Default: `1`
    /// - Range: not 0
    /// - Example: `0.05`
    #[serde(default)]
    pub scale: Option<Numbers>,
    /// Turns about the x axis, then y, then z: `[90, 0, 0]` makes y, which is up in many files, z.
    ///
    /// - Unit: degrees
    /// - Default: `[0, 0, 0]`
    /// - Example: `[90, 0, 0]`
    #[serde(default)]
    pub rotate: Option<Numbers>,
    /// Where the origin of the file comes to lie.
    ///
    /// - Unit: m
    /// - Default: `[0, 0, 0]`
    /// - Example: `[0.5, 0.5, 0.1]`
    #[serde(rename = "move", default)]
    pub shift: Option<Numbers>,
    /// Moves each particle at random, by up to half of this part of the spacing along each axis. Which points are inside
    /// is decided before.
    ///
    /// - Unit: spacings
    /// - Default: `0`
    /// - Range: 0 to 1
    /// - Example: `0.5`
    #[serde(default)]
    pub jitter: Option<Number>,
    /// Values of attributes, by name: a number or expression for each component. Besides what other expressions know there
    /// are the position `x`, `y`, `z` in m and the number `i` of the particle in its set, from 0.
    ///
    /// - Unit: yours
    /// - Default: the background of each attribute
    /// - Example: `{"velocity": [0, 0, -1], "material": "2 * fract(i / 2)"}`
    #[serde(default)]
    pub set: Named<Numbers>,
}

/// Fills a sphere.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SphereFile {
    /// The sphere.
    ///
    /// - Example: `{"centre": [0.5, 0.5, 0.5], "radius": 0.2}`
    pub sphere: BallFile,
    /// Distance of neighbouring particles, which stand on a cubic lattice about the centre.
    ///
    /// - Unit: m
    /// - Range: above 0; at most 2³¹ particles
    /// - Example: `0.01`
    pub spacing: Number,
    /// Moves each particle at random, by up to half of this part of the spacing along each axis. Which points are inside
    /// is decided before.
    ///
    /// - Unit: spacings
    /// - Default: `0`
    /// - Range: 0 to 1
    /// - Example: `0.5`
    #[serde(default)]
    pub jitter: Option<Number>,
    /// Values of attributes, by name: a number or expression for each component. Besides what other expressions know there
    /// are the position `x`, `y`, `z` in m and the number `i` of the particle in its set, from 0.
    ///
    /// - Unit: yours
    /// - Default: the background of each attribute
    /// - Example: `{"velocity": ["-2 * y", "2 * x", 0]}`
    #[serde(default)]
    pub set: Named<Numbers>,
}

/// A sphere.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BallFile {
    /// Its centre.
    ///
    /// - Unit: m
    /// - Example: `[0.5, 0.5, 0.5]`
    pub centre: Numbers,
    /// Its radius.
    ///
    /// - Unit: m
    /// - Range: above 0
    /// - Example: `0.2`
    pub radius: Number,
}

/// Fills a box whose sides lie along the axes. Along each it has as many layers as spacings fit, rounded, and at least
/// one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoxFile {
    /// The box.
    ///
    /// - Example: `{"min": [0, 0, 0], "max": [0.4, 0.2, 0.6]}`
    #[serde(rename = "box")]
    pub corners: CornersFile,
    /// Distance of neighbouring particles, which stand on a cubic lattice in the middle of the box.
    ///
    /// - Unit: m
    /// - Range: above 0; at most 2³¹ particles
    /// - Example: `0.01`
    pub spacing: Number,
    /// Moves each particle at random, by up to half of this part of the spacing along each axis.
    ///
    /// - Unit: spacings
    /// - Default: `0`
    /// - Range: 0 to 1
    /// - Example: `0.5`
    #[serde(default)]
    pub jitter: Option<Number>,
    /// Values of attributes, by name: a number or expression for each component. Besides what other expressions know there
    /// are the position `x`, `y`, `z` in m and the number `i` of the particle in its set, from 0.
    ///
    /// - Unit: yours
    /// - Default: the background of each attribute
    /// - Example: `{"pressure": "9810 * (0.6 - z)"}`
    #[serde(default)]
    pub set: Named<Numbers>,
}

/// Two corners of a box.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CornersFile {
    /// The corner with the least coordinates.
    ///
    /// - Unit: m
    /// - Example: `[0, 0, 0]`
    pub min: Numbers,
    /// The corner with the greatest.
    ///
    /// - Unit: m
    /// - Range: none less than those of `min`
    /// - Example: `[0.4, 0.2, 0.6]`
    pub max: Numbers,
}

/// Reads points with their attributes: what outputs of the formats `npy`, `npz`, `ply` and `bgeo` write, and what others
/// write in these formats. Attributes are those with the names of the set's and must have their types; what else the file
/// has is passed over.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointsFile {
    /// Path of the file, relative to the file that says so. An `npy` holds N x 3 floats, the positions; an `npz` an array
    /// for each attribute.
    ///
    /// - Example: `"assets/grains.ply"`
    pub file: String,
    /// What positions are multiplied by first: one factor, or one for each axis.
    ///
    /// - Default: `1`
    /// - Range: not 0
    /// - Example: `0.001`
    #[serde(default)]
    pub scale: Option<Numbers>,
    /// Turns positions about the x axis, then y, then z. Other attributes stay as they are.
    ///
    /// - Unit: degrees
    /// - Default: `[0, 0, 0]`
    /// - Example: `[0, 0, 45]`
    #[serde(default)]
    pub rotate: Option<Numbers>,
    /// Where the origin of the file comes to lie.
    ///
    /// - Unit: m
    /// - Default: `[0, 0, 0]`
    /// - Example: `[0.5, 0.5, 0.1]`
    #[serde(rename = "move", default)]
    pub shift: Option<Numbers>,
    /// Values of attributes, by name, in place of those of the file: a number or expression for each component. Besides
    /// what other expressions know there are the position `x`, `y`, `z` in m and the number `i` of the particle in its
    /// set, from 0.
    ///
    /// - Unit: yours
    /// - Default: as in the file; what it lacks has its background
    /// - Example: `{"material": 1}`
    #[serde(default)]
    pub set: Named<Numbers>,
}
