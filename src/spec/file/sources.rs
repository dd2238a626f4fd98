//! Where the particles of a set come from, as it is written.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{Named, Number, Numbers};

/// A source of particles: a solid that is filled at a given spacing, or a file of points.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum SourceFile {
    Mesh(MeshFile),
    Sphere(SphereFile),
    Box(BoxFile),
    Points(PointsFile),
}

/// Fills a closed triangle mesh. A point is inside if a ray to the outside crosses the surface an odd number of times,
/// so a shell inside another is a cavity. Every edge must have two triangles (or another even number), in any
/// orientation.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeshFile {
    /// Path of an OBJ or PLY file, relative to the file that names it. Polygons are split into fans of triangles.
    ///
    /// - Example: `"assets/bunny.obj"`
    pub mesh: String,
    /// Distance between neighbouring particles, on a cubic lattice centred in the bounding box of the solid.
    ///
    /// - Unit: m
    /// - Range: above 0; at most 2³¹ particles, and in the bounding box at most 2²⁴ lines and 2⁴⁰ points of the lattice
    /// - Example: `0.01`
    pub spacing: Number,
    /// Factor for the coordinates, applied first: one number, or one for each axis of the file.
    ///
    /// - Default: `1`
    /// - Range: not 0
    /// - Example: `0.05`
    #[serde(default)]
    pub scale: Option<Numbers>,
    /// Rotation about the x axis, then y, then z. `[90, 0, 0]` turns a y-up model upright.
    ///
    /// - Unit: degrees
    /// - Default: `[0, 0, 0]`
    /// - Example: `[90, 0, 0]`
    #[serde(default)]
    pub rotate: Option<Numbers>,
    /// Position of the origin of the file.
    ///
    /// - Unit: m
    /// - Default: `[0, 0, 0]`
    /// - Example: `[0.5, 0.5, 0.1]`
    #[serde(rename = "move", default)]
    pub shift: Option<Numbers>,
    /// Random displacement: each particle moves by up to half of this fraction of the spacing along each axis. Which
    /// points are inside is decided before.
    ///
    /// - Unit: spacings
    /// - Default: `0`
    /// - Range: 0 to 1
    /// - Example: `0.5`
    #[serde(default)]
    pub jitter: Option<Number>,
    /// Values of attributes, by name: a number or expression for each component. Expressions can also use the position
    /// `x`, `y`, `z` in m and the index `i` of the particle in its set, from 0.
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
    /// Distance between neighbouring particles, on a cubic lattice around the centre.
    ///
    /// - Unit: m
    /// - Range: above 0; at most 2³¹ particles
    /// - Example: `0.01`
    pub spacing: Number,
    /// Random displacement: each particle moves by up to half of this fraction of the spacing along each axis. Which
    /// points are inside is decided before.
    ///
    /// - Unit: spacings
    /// - Default: `0`
    /// - Range: 0 to 1
    /// - Example: `0.5`
    #[serde(default)]
    pub jitter: Option<Number>,
    /// Values of attributes, by name: a number or expression for each component. Expressions can also use the position
    /// `x`, `y`, `z` in m and the index `i` of the particle in its set, from 0.
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

/// Fills a box with sides along the axes. The number of layers along each axis is length / spacing, rounded, and at
/// least one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoxFile {
    /// The box.
    ///
    /// - Example: `{"min": [0, 0, 0], "max": [0.4, 0.2, 0.6]}`
    #[serde(rename = "box")]
    pub corners: CornersFile,
    /// Distance between neighbouring particles, on a cubic lattice centred in the box.
    ///
    /// - Unit: m
    /// - Range: above 0; at most 2³¹ particles
    /// - Example: `0.01`
    pub spacing: Number,
    /// Random displacement: each particle moves by up to half of this fraction of the spacing along each axis.
    ///
    /// - Unit: spacings
    /// - Default: `0`
    /// - Range: 0 to 1
    /// - Example: `0.5`
    #[serde(default)]
    pub jitter: Option<Number>,
    /// Values of attributes, by name: a number or expression for each component. Expressions can also use the position
    /// `x`, `y`, `z` in m and the index `i` of the particle in its set, from 0.
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
    /// The corner with the smallest coordinates.
    ///
    /// - Unit: m
    /// - Example: `[0, 0, 0]`
    pub min: Numbers,
    /// The corner with the largest coordinates.
    ///
    /// - Unit: m
    /// - Range: not below `min` on any axis
    /// - Example: `[0.4, 0.2, 0.6]`
    pub max: Numbers,
}

/// Reads points with their attributes from a file in one of the formats `npy`, `npz`, `ply` and `bgeo`, written by an
/// output or by another program. Attributes are matched by name and must have the types of the set's attributes; other
/// data in the file is ignored.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointsFile {
    /// Path of the file, relative to the file that names it. An `npy` contains N x 3 floats, the positions; an `npz`
    /// contains an array for each attribute.
    ///
    /// - Example: `"assets/grains.ply"`
    pub file: String,
    /// Factor for the positions, applied first: one number, or one for each axis.
    ///
    /// - Default: `1`
    /// - Range: not 0
    /// - Example: `0.001`
    #[serde(default)]
    pub scale: Option<Numbers>,
    /// Rotation of the positions about the x axis, then y, then z. Other attributes do not change.
    ///
    /// - Unit: degrees
    /// - Default: `[0, 0, 0]`
    /// - Example: `[0, 0, 45]`
    #[serde(default)]
    pub rotate: Option<Numbers>,
    /// Position of the origin of the file.
    ///
    /// - Unit: m
    /// - Default: `[0, 0, 0]`
    /// - Example: `[0.5, 0.5, 0.1]`
    #[serde(rename = "move", default)]
    pub shift: Option<Numbers>,
    /// Values of attributes, by name, instead of those of the file: a number or expression for each component.
    /// Expressions can also use the position `x`, `y`, `z` in m and the index `i` of the particle in its set, from 0.
    ///
    /// - Unit: yours
    /// - Default: as in the file; attributes that are not in the file have their backgrounds
    /// - Example: `{"material": 1}`
    #[serde(default)]
    pub set: Named<Numbers>,
}
