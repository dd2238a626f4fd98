//! Sources of values: files and solids.

use super::values::{Corners, Number, Numbers};
use crate::spec::read::{Named, Text, object};

object! {
    /// The source of particles or of the values of a channel: a `mesh`, a `sphere`, a `box`, a `polygon` or a `file`.
    /// Particles fill the solid on a lattice; a channel is 1 inside and 0 outside.
    "Source" SourceFile {
        /// Path of an OBJ, PLY or STL file with a closed triangle mesh, relative to this file. A point is inside if a ray to
        /// the outside crosses the surface an odd number of times, so a shell inside another is a cavity. Every edge
        /// must have two triangles (or another even number), in any orientation; polygons are split into fans.
        ///
        /// - Default: none
        /// - Example: `"assets/bunny.obj"`
        may mesh: Text,
        /// Centre of a sphere.
        ///
        /// - Unit: m
        /// - Default: none
        /// - Example: `[0.5, 0.5, 0.5]`
        may sphere: Numbers,
        /// Radius of the sphere.
        ///
        /// - Unit: m
        /// - Default: none; required with `sphere`
        /// - Range: above 0
        /// - Example: `0.2`
        may radius: Number,
        /// A box with sides along the axes: the corner with the smallest coordinates, then the corner with the largest.
        /// Along each axis, particles fill it in length / spacing layers, rounded, and at least one.
        ///
        /// - Unit: m
        /// - Default: none
        /// - Range: the second corner not below the first on any axis
        /// - Example: `[[0, 0, 0], [0.4, 0.2, 0.6]]`
        may corners as "box": Corners,
        /// Path of a file, relative to this file. For particles: points with their attributes, as `npy` (N x 3 floats,
        /// the positions), `npz` (an array for each attribute), `ply` or `bgeo`, written by an output or by another
        /// program. Attributes are matched by name and must have the same types as in the set; other data is ignored.
        /// For a channel: an `npy` in the shape of an `npy` output of the channel (z, y, x, the values of an array, the
        /// components); or, for a float channel of vertices, an elevation model: a grey PNG with 8 or 16 bits, a
        /// GeoTIFF with one band, or an ESRI ASCII grid. The first row of a model is its north edge (largest y). Pixels
        /// without data are filled from their neighbours, if at most half are missing.
        ///
        /// - Default: none
        /// - Example: `"assets/grains.ply"`
        may file: Text,
        /// Path of a GeoJSON file with polygons, relative to this file: a channel is 1 inside and 0 outside. Coordinates are
        /// those of the map of the elevation model of the grid, or of the only model in the pipeline; without a model that
        /// has a position, metres. A polygon contains points on its south and west edges.
        ///
        /// - Default: none
        /// - Range: for channels of vertices and of 2-D cells
        /// - Example: `"release.geojson"`
        may polygon: Text,
        /// Distance between neighbouring particles, on a cubic lattice centred in the solid (for a mesh, in its
        /// bounding box).
        ///
        /// - Unit: m
        /// - Default: none; required for particles in solids
        /// - Range: above 0; at most 2³¹ particles, and in the bounding box of a mesh at most 2²⁴ lines and 2⁴⁰ points
        ///   of the lattice
        /// - Example: `0.01`
        may spacing: Number,
        /// Factor for the coordinates of a mesh or of points, applied first: one number, or one for each axis of the
        /// file.
        ///
        /// - Default: `1`
        /// - Range: not 0
        /// - Example: `0.05`
        may scale: Numbers,
        /// Rotation of a mesh or of points about the x axis, then y, then z. `[90, 0, 0]` turns a y-up model upright.
        ///
        /// - Unit: degrees
        /// - Default: `[0, 0, 0]`
        /// - Example: `[90, 0, 0]`
        may rotate: Numbers,
        /// Position of the origin of the file.
        ///
        /// - Unit: m
        /// - Default: `[0, 0, 0]`
        /// - Example: `[0.5, 0.5, 0.1]`
        may shift as "move": Numbers,
        /// Random displacement: each particle moves by up to half of this fraction of the spacing along each axis.
        /// Whether a point is inside is determined before the displacement.
        ///
        /// - Unit: spacings
        /// - Default: `0`
        /// - Range: 0 to 1; for particles in solids
        /// - Example: `0.5`
        may jitter: Number,
        /// Values of attributes, by name: a number or expression for each component, for arrays value by value.
        /// Expressions can also use the position `x`, `y`, `z` in m and the index `i` of the particle in its set, from
        /// 0.
        ///
        /// - Unit: yours
        /// - Default: as in the file, else the background of each attribute
        /// - Range: for particles
        /// - Example: `{"velocity": [0, 0, -1], "material": "2 * fract(i / 2)"}`
        all set: Named<Numbers>,
        /// Distance between neighbouring pixels of an elevation model in x and y.
        ///
        /// - Unit: m
        /// - Default: the value in the file; degrees are converted at its middle latitude. Required for a PNG
        /// - Range: above 0
        /// - Example: `[2.8, 3.5]`
        may metres_per_pixel: Numbers,
        /// Height of one level of an elevation model, which is a grey level, or one unit of the numbers in the file.
        ///
        /// - Unit: m
        /// - Default: the value in the file. Required for a PNG
        /// - Example: `0.08`
        may metres_per_level: Number,
        /// Level of height 0.
        ///
        /// - Unit: levels
        /// - Default: `0`
        /// - Example: `211`
        may base_level: Number,
    }
}
