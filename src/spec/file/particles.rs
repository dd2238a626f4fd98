//! Particle sets as they are written, and the entries that remove, sort and scan.

use schemars::JsonSchema;
use serde::Deserialize;

use super::sources::SourceFile;
use super::values::{ChannelFile, Named, Number};

/// A set of particles: a fixed number, or a changing number of live particles up to a capacity.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParticlesFile {
    /// Number of particles: `<set>.count` in expressions, `<set>_count` in shaders. With a `capacity` it is the initial
    /// number of live particles, and expressions cannot use it.
    ///
    /// - Unit: particles
    /// - Default: the number of particles in `from`; without `from`, `0` with a `capacity`, and else it is required
    /// - Range: 1 to 2³² - 1; with a `capacity`, 0 to the capacity; not together with `from`
    /// - Example: `"flakes.count"`
    #[serde(default)]
    pub count: Option<Number>,
    /// Makes the set dynamic: the largest number of live particles, `<set>.capacity` in expressions and
    /// `<set>_capacity` in shaders. Stages with `emits` add particles, `remove` entries remove them.
    ///
    /// - Unit: particles
    /// - Default: none: the number of particles never changes
    /// - Range: 1 to 2³¹
    /// - Example: `100000`
    #[serde(default)]
    pub capacity: Option<Number>,
    /// The sources of the particles, one after the other. Stages of `init` run later and may change the attributes.
    /// Without `from`, every attribute starts as its background.
    ///
    /// - Default: none
    /// - Range: at least one; requires a `vec3` attribute `position`
    /// - Example: `[{"sphere": {"centre": [0, 0, 1], "radius": 0.2}, "spacing": 0.01}]`
    #[serde(default)]
    pub from: Option<Vec<SourceFile>>,
    /// Number of copies of the attributes that steps write. Step n reads copy n and writes copy n + 1, so frames of
    /// earlier steps can still be read while steps continue.
    ///
    /// - Unit: copies
    /// - Default: `2`
    /// - Range: 1 to 16; the least common multiple of the rings of all sets is at most 240
    /// - Example: `3`
    #[serde(default)]
    pub ring: Option<u32>,
    /// Values per particle.
    ///
    /// - Default: those that modules add
    /// - Range: at least one
    /// - Example: `{"position": "vec3", "age": {"type": "float", "background": 1}}`
    #[serde(default)]
    pub attributes: Named<ChannelFile>,
}

/// Removes the particles whose attribute `where` is not 0. The others keep their order and close the gaps, with all
/// their attributes; the live count decreases.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveFile {
    /// Name of the set; it requires a `capacity`.
    ///
    /// - Example: `"sparks"`
    pub remove: String,
    /// The `uint` attribute of the set that marks particles.
    ///
    /// - Example: `"sparks.dead"`
    #[serde(rename = "where")]
    pub marked: String,
    /// Runs only in every n-th step, starting with the first.
    ///
    /// - Unit: steps
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `8`
    #[serde(default)]
    pub every: Option<Number>,
}

/// Sorts the particles of a set by a key, with all their attributes. Particles with the same key keep their order.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SortFile {
    /// Name of the set.
    ///
    /// - Range: at most 2³¹ particles
    /// - Example: `"water"`
    pub sort: String,
    /// The key: a `uint` attribute of the set.
    ///
    /// - Example: `"water.block"`
    pub by: String,
    /// Number of bits of the key that are compared. The cost grows with every 8 bits.
    ///
    /// - Unit: bits
    /// - Default: `32`, less `first_bit`
    /// - Range: 1 to 32
    /// - Example: `24`
    #[serde(default)]
    pub bits: Option<Number>,
    /// The lowest bit that is compared.
    ///
    /// - Unit: bits
    /// - Default: `0`
    /// - Range: 0 to 31, and at most 32 with `bits`
    /// - Example: `8`
    #[serde(default)]
    pub first_bit: Option<Number>,
    /// A `uint` buffer. Element k becomes the number of particles with a key below k, which is the index of the first
    /// particle with key k. With one element more than there are keys, element k + 1 is the end of the particles with
    /// key k.
    ///
    /// - Default: none
    /// - Example: `"block_starts"`
    #[serde(default)]
    pub offsets: Option<String>,
    /// Runs only in every n-th step, starting with the first.
    ///
    /// - Unit: steps
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `4`
    #[serde(default)]
    pub every: Option<Number>,
}

/// Computes exclusive prefix sums of a `uint` buffer: element i becomes the sum of the elements before i, modulo 2³².
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScanFile {
    /// The buffer whose elements are summed.
    ///
    /// - Range: at most 2³¹ elements
    /// - Example: `"counts"`
    pub scan: String,
    /// The `uint` buffer that receives the sums; it may be the same buffer. If it is longer, the element after the last
    /// sum is the sum of all elements.
    ///
    /// - Range: at least as long
    /// - Example: `"starts"`
    pub into: String,
    /// Runs only in every n-th step, starting with the first.
    ///
    /// - Unit: steps
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `4`
    #[serde(default)]
    pub every: Option<Number>,
}
