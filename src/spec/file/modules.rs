//! What composes a pipeline from parts: modules with their roles, groups of entries, and changes of entries.
//!
//! `super::super::document` expands all of it before anything else looks at the file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::stages::{ArgumentsFile, EntryFile};
use super::values::{ChannelFile, Named, Number};

/// An instance of a module. Everything that it brings is named `<instance>_<name>`: its stages, groups and private
/// resources. Its lists `init`, `step` and `frame` are groups too, and its parameters are the group `<instance>` of
/// `parameters`, where the file that uses it changes them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Instance of a module")]
#[allow(dead_code, reason = "expanded before")]
pub(crate) struct UseFile {
    /// Path of the module, relative to the file that says so, or of one that comes with the program. A module is a
    /// pipeline file; a file without open roles runs by itself too.
    ///
    /// - Example: `"modules/matter.json"`
    pub module: String,
    /// The resource that fills each role of the module. Channels and attributes that a role needs and the resource
    /// lacks are added to it.
    ///
    /// - Default: the resource that has the role's name
    /// - Example: `{"nodes": "grid", "matter": "sand"}`
    #[serde(default)]
    pub roles: Named<String>,
}

/// A role: a resource that the user of a module provides. It has one key, which says what kind of resource that is.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Role")]
#[allow(dead_code, reason = "expanded before")]
pub(crate) struct RoleFile {
    /// A grid, with the channels that the module needs.
    ///
    /// - Default: none
    /// - Example: `{"mass": "uint", "velocity": "vec3"}`
    #[serde(default)]
    pub grid: Option<Named<ChannelFile>>,
    /// A height field, with the channels that the module needs.
    ///
    /// - Default: none
    /// - Example: `{"elevation": "float"}`
    #[serde(default)]
    pub heights: Option<Named<ChannelFile>>,
    /// A set of particles, with the attributes that the module needs.
    ///
    /// - Default: none
    /// - Example: `{"position": "vec3"}`
    #[serde(default)]
    pub particles: Option<Named<ChannelFile>>,
    /// An image, with the channels that the module needs.
    ///
    /// - Default: none
    /// - Example: `{"color": "rgba8"}`
    #[serde(default)]
    pub image: Option<Named<ChannelFile>>,
    /// A table, with the channels that the module needs.
    ///
    /// - Default: none
    /// - Example: `{"energy": "float"}`
    #[serde(default)]
    pub table: Option<Named<ChannelFile>>,
    /// A buffer of this type.
    ///
    /// - Default: none
    /// - Example: `"vec4"`
    #[serde(default)]
    pub buffer: Option<crate::element::Element>,
}

/// A named list of entries: the entries alone, or with what they share.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "expanded before")]
pub(crate) enum GroupFile {
    Entries(Vec<EntryFile>),
    Shared(SharedGroupFile),
}

/// A list of entries with what they share.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Group with shared keys")]
#[allow(dead_code, reason = "expanded before")]
pub(crate) struct SharedGroupFile {
    /// Entries of the group.
    ///
    /// - Example: `["obstacles", {"stage": "advect", "over": "air"}]`
    pub stages: Vec<EntryFile>,
    /// Arguments of every stage of the group that does not state one of the same name.
    ///
    /// - Unit: yours
    /// - Default: none
    /// - Example: `{"eye": "camera.eye", "fov": "camera.fov"}`
    #[serde(default)]
    pub arguments: Option<ArgumentsFile>,
    /// Runs in every n-th step only, for entries of the group that do not state it.
    ///
    /// - Unit: steps or frames
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `8`
    #[serde(default)]
    pub every: Option<Number>,
}

/// A change of the entries of one name, as JSON merge patch: its keys replace or add those of the entry, `null` deletes
/// them. Entries can be put round it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(title = "Change of an entry")]
#[allow(dead_code, reason = "expanded before")]
pub(crate) struct ChangeFile {
    /// Entries that run before it.
    ///
    /// - Default: `[]`
    /// - Example: `[{"sort": "matter", "by": "matter.cell"}]`
    #[serde(default)]
    pub before: Vec<EntryFile>,
    /// Entries that run after it.
    ///
    /// - Default: `[]`
    /// - Example: `[{"remove": "matter", "where": "matter.spent"}]`
    #[serde(default)]
    pub after: Vec<EntryFile>,
}
