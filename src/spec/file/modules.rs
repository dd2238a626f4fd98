//! Instances of modules, and their roles.

use serde_json::{Value, json};

use super::channels::ChannelFile;
use super::entries::DefinitionFile;
use super::values::{Number, Reference};
use super::{ParameterFile, PipelineFile};
use crate::element::Element;
use crate::spec::definitions::Definitions;
use crate::spec::node::{Content, Node};
use crate::spec::read::{Named, Read, Reader, Text, object};

object! {
    /// An instance of a module. Its contents have dotted names: `air.step` is the list `step` of the instance `air`,
    /// `air.lift` its parameter `lift`, `air.grid` the resource of its role `grid` with the channels that it adds.
    "Instance of a module" UseFile {
        /// The module: a path relative to this file, the name of a module that comes with the program (`sastrugi
        /// list`), or an object with its contents. A module is a pipeline file; a file without open roles also runs by
        /// itself.
        ///
        /// - Example: `"modules/smoke.json"`
        must module: ModuleFile,
        /// The resource of each role, by name of the role; and the channel of the resource for a channel of a role:
        /// `"grid.u": "room.speed_x"`. If the resource lacks a channel that a role needs, the instance adds it. `null`
        /// keeps the resource or channel of the same name out of the role.
        ///
        /// - Default: the resource and channels with the same names
        /// - Example: `{"nodes": "grid", "nodes.mass": "grid.weight", "matter": "sand"}`
        all roles: Named<Option<Reference>>,
        /// Values for its parameters and for parameters of its inner instances, by name.
        ///
        /// - Unit: the unit of each parameter
        /// - Default: the values in the module
        /// - Example: `{"lift": 6, "solver": {"rtol": 1e-3}}`
        all parameters: Named<ParameterFile>,
        /// Changes of its stages and groups, as a JSON merge patch of `stages` in the module: keys are replaced or
        /// added. The patch uses the names of the module.
        ///
        /// - Default: none
        /// - Example: `{"stress": {"shader": "my/stress.comp"}}`
        all stages: Named<DefinitionFile>,
        /// Instances that write the same channels as this one. In a step, their stages that write such a channel come
        /// before the stages of this one. Two instances that write the same channel of this file without `after` are a
        /// mistake.
        ///
        /// - Default: none
        /// - Example: `["water"]`
        all after: Vec<Text>,
    }
}

/// The contents of a module, which replace its path when files are linked.
#[derive(Debug, Clone)]
pub struct ModuleFile(pub Box<PipelineFile>);

impl Read for ModuleFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Object(_) => Read::read(node, reader).map(ModuleFile),
            // A module that cannot be read is already reported.
            Content::Scalar(Value::String(_)) | Content::Broken => None,
            _ => reader.expected(node, "the path of a module", "write it in double quotes"),
        }
    }

    fn schema(_: &mut Definitions) -> Value {
        json!({"anyOf": [{"type": "string"}, {"type": "object"}]})
    }
}

object! {
    /// A role: a resource that the user of a module provides. One key states its kind and the channels that it needs.
    "Role" RoleFile {
        /// A grid of cells, with the channels that the module needs.
        ///
        /// - Default: none
        /// - Example: `{"mass": "uint", "velocity": "vec3"}`
        may cells: Named<ChannelFile>,
        /// A grid of vertices, with the channels that the module needs.
        ///
        /// - Default: none
        /// - Example: `{"elevation": "float"}`
        may vertices: Named<ChannelFile>,
        /// A grid of pixels, with the channels that the module needs.
        ///
        /// - Default: none
        /// - Example: `{"color": "rgba8"}`
        may pixels: Named<ChannelFile>,
        /// A set of particles, with the attributes that the module needs.
        ///
        /// - Default: none
        /// - Example: `{"position": "vec3"}`
        may particles: Named<ChannelFile>,
        /// A buffer of this type, or with these channels.
        ///
        /// - Default: none
        /// - Example: `"vec4"`
        may buffer: BufferRoleFile,
        /// Channels that the module adds to the resource. They are private unless they are exported.
        ///
        /// - Default: none
        /// - Example: `{"residual": "float"}`
        all adds: Named<ChannelFile>,
        /// Number of axes of the grid, if the module supports no other one.
        ///
        /// - Default: none: 2 or 3
        /// - Range: 2 or 3, for `cells`
        /// - Example: `3`
        may axes: Number,
        /// The user may leave the role unfilled. Stages that list its channels compile without them.
        ///
        /// - Default: `false`
        /// - Example: `true`
        all optional: bool,
    }
}

/// A kind of role: its key, and the channels of a role with this key. A buffer may need a type instead.
type RoleKind = (&'static str, fn(&RoleFile) -> Option<Option<&Named<ChannelFile>>>);

impl RoleFile {
    const KINDS: [RoleKind; 5] = [
        ("cells", |role| role.cells.as_ref().map(Some)),
        ("vertices", |role| role.vertices.as_ref().map(Some)),
        ("pixels", |role| role.pixels.as_ref().map(Some)),
        ("particles", |role| role.particles.as_ref().map(Some)),
        ("buffer", |role| {
            role.buffer.as_ref().map(BufferRoleFile::channels)
        }),
    ];

    /// The keys of all kinds.
    pub fn kinds() -> impl Iterator<Item = &'static str> {
        Self::KINDS.into_iter().map(|(kind, _)| kind)
    }

    /// The kind of the role; `None` unless it has exactly one.
    pub fn kind(&self) -> Option<&'static str> {
        let mut stated = Self::KINDS
            .into_iter()
            .filter(|(_, channels)| channels(self).is_some());
        let (kind, _) = stated.next()?;
        stated.next().is_none().then_some(kind)
    }

    /// The channels that the role needs.
    pub fn channels(&self) -> Option<&Named<ChannelFile>> {
        Self::KINDS.into_iter().find_map(|(_, channels)| channels(self))?
    }
}

/// The type or the channels that a module needs of a buffer.
#[derive(Debug, Clone)]
pub enum BufferRoleFile {
    Element(Element),
    Channels(Named<ChannelFile>),
}

impl BufferRoleFile {
    fn channels(&self) -> Option<&Named<ChannelFile>> {
        match self {
            BufferRoleFile::Element(_) => None,
            BufferRoleFile::Channels(channels) => Some(channels),
        }
    }
}

impl Read for BufferRoleFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Object(_) => Read::read(node, reader).map(BufferRoleFile::Channels),
            _ => Read::read(node, reader).map(BufferRoleFile::Element),
        }
    }

    fn schema(definitions: &mut Definitions) -> Value {
        json!({"anyOf": [Element::schema(definitions), Named::<ChannelFile>::schema(definitions)]})
    }
}
