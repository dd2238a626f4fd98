//! Particle sets as they are written, and the entries that remove, sort and scan.

use schemars::JsonSchema;
use serde::Deserialize;

use super::sources::SourceFile;
use super::values::{ChannelFile, Named, Number};

/// A set of particles: a fixed number of them, or as many as live at a time, up to a capacity.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParticlesFile {
    /// Number of particles: `<set>.count` in expressions, `<set>_count` in shaders. With a `capacity` it is the
    /// number that live at the start, and expressions do not know it.
    ///
    /// - Unit: particles
    /// - Default: the number that `from` gives; without that, `0` with a `capacity`, and else it is required
    /// - Range: 1 to 2³² - 1; with a `capacity`, 0 to that; not beside `from`
    /// - Example: `"flakes.count"`
    #[serde(default)]
    pub count: Option<Number>,
    /// Makes the set dynamic: most particles that live at a time, `<set>.capacity` in expressions and
    /// `<set>_capacity` in shaders. Stages with `emits` add particles, entries with `remove` take them away.
    ///
    /// - Unit: particles
    /// - Default: none: the number of particles never changes
    /// - Range: 1 to 2³¹
    /// - Example: `100000`
    #[serde(default)]
    pub capacity: Option<Number>,
    /// Where the particles come from, one source after the other. Stages of `init` run later and may change what they
    /// set. Without it every attribute starts as its background.
    ///
    /// - Default: none
    /// - Range: at least one; the set has a `vec3` attribute `position`
    /// - Example: `[{"sphere": {"centre": [0, 0, 1], "radius": 0.2}, "spacing": 0.01}]`
    #[serde(default)]
    pub from: Option<Vec<SourceFile>>,
    /// Copies of the attributes that steps write. Step n reads copy n and writes copy n + 1, so that frames
    /// of older steps can still be read while steps go on.
    ///
    /// - Unit: copies
    /// - Default: `2`
    /// - Range: 1 to 16; the rings of all sets together come round within 240 steps
    /// - Example: `3`
    #[serde(default)]
    pub ring: Option<u32>,
    /// Values per particle.
    ///
    /// - Range: at least one
    /// - Example: `{"position": "vec3", "age": {"type": "float", "background": 1}}`
    pub attributes: Named<ChannelFile>,
}

/// Takes particles away: those whose attribute is not 0. The others keep their order and move together, with all
/// their attributes; the live count is lowered.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveFile {
    /// Name of the set, which has a `capacity`.
    ///
    /// - Example: `"sparks"`
    pub remove: String,
    /// The `uint` attribute of the set that marks particles.
    ///
    /// - Example: `"sparks.dead"`
    #[serde(rename = "where")]
    pub marked: String,
    /// Runs in every n-th step only, in the first one first.
    ///
    /// - Unit: steps
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `8`
    #[serde(default)]
    pub every: Option<Number>,
}

/// Puts the particles of a set in the order of a key, with all their attributes. Particles with the same key keep
/// their order.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SortFile {
    /// Name of the set.
    ///
    /// - Range: at most 2³¹ particles
    /// - Example: `"water"`
    pub sort: String,
    /// The `uint` attribute of the set that is the key.
    ///
    /// - Example: `"water.block"`
    pub by: String,
    /// Bits of the key that count: the fewer there are, the less there is to do (8 at a time).
    ///
    /// - Unit: bits
    /// - Default: `32`, less `first_bit`
    /// - Range: 1 to 32
    /// - Example: `24`
    #[serde(default)]
    pub bits: Option<Number>,
    /// The lowest bit that counts.
    ///
    /// - Unit: bits
    /// - Default: `0`
    /// - Range: 0 to 31, and at most 32 with `bits`
    /// - Example: `8`
    #[serde(default)]
    pub first_bit: Option<Number>,
    /// A `uint` buffer whose element k is set to the number of particles with a key below k: where those with key k
    /// start. With one element more than there are keys, those with key k end where those with k + 1 start.
    ///
    /// - Default: none
    /// - Example: `"block_starts"`
    #[serde(default)]
    pub offsets: Option<String>,
    /// Runs in every n-th step only, in the first one first.
    ///
    /// - Unit: steps
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `4`
    #[serde(default)]
    pub every: Option<Number>,
}

/// Exclusive prefix sums of a `uint` buffer: element i is set to the sum of the elements before i. Sums are taken
/// modulo 2³².
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScanFile {
    /// The buffer whose elements are summed up.
    ///
    /// - Range: at most 2³¹ elements
    /// - Example: `"counts"`
    pub scan: String,
    /// The `uint` buffer that receives the sums; it may be the same. If it is longer, the element after the last sum is
    /// the sum of all.
    ///
    /// - Range: at least as long
    /// - Example: `"starts"`
    pub into: String,
    /// Runs in every n-th step only, in the first one first.
    ///
    /// - Unit: steps
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `4`
    #[serde(default)]
    pub every: Option<Number>,
}
