//! Instances of modules, and the roles that their users fill.

use serde_json::{Value, json};

use super::entries::DefinitionFile;
use super::resources::ChannelFile;
use super::values::Reference;
use super::{ParameterFile, PipelineFile};
use crate::element::Element;
use crate::spec::node::{Content, Node};
use crate::spec::read::{Definitions, Named, Read, Reader, Text, object};

object! {
    /// An instance of a module. What it brings is reached by the name of the instance: `air.step` is its list `step`,
    /// `air.lift` its parameter `lift`, `air.grid` the resource of its role `grid` with the channels that it adds.
    "Instance of a module" UseFile {
        /// The module: a path relative to the file that says so, or the name of one that comes with the program
        /// (`sastrugi list`); or its text. A module is a pipeline file; a file without open roles runs by itself too.
        ///
        /// - Example: `"modules/smoke.json"`
        must module: ModuleFile,
        /// What fills each role: a resource, by the role's name. With a channel after the role's name, the channel that it
        /// stands for: `"grid.u": "room.speed_x"`. Channels that a role needs and that the resource lacks belong to the instance.
        ///
        /// - Default: the resource, and the channels, of the same names
        /// - Example: `{"nodes": "grid", "nodes.mass": "grid.weight", "matter": "sand"}`
        all roles: Named<Reference>,
        /// Values for its parameters, and for those of the instances in it, by their names.
        ///
        /// - Unit: that of each parameter
        /// - Default: what the module states
        /// - Example: `{"lift": 6, "solver": {"rtol": 1e-3}}`
        all parameters: Named<ParameterFile>,
        /// Changes of its stages and groups, as a JSON merge patch of the module's `stages`: keys replace or add those that it
        /// states. Names in them are those of the module.
        ///
        /// - Default: none
        /// - Example: `{"stress": {"shader": "my/stress.comp"}}`
        all stages: Named<DefinitionFile>,
        /// Instances that write the same channels as this one. Their stages in a step come before those of this one that write
        /// such a channel. Without it, two instances that write one channel of this file are a mistake.
        ///
        /// - Default: none
        /// - Example: `["water"]`
        all after: Vec<Text>,
    }
}

/// A module: its text, which is put in the place of its path when files are linked.
#[derive(Debug, Clone)]
pub struct ModuleFile(pub Box<PipelineFile>);

impl Read for ModuleFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Object(_) => Read::read(node, reader).map(ModuleFile),
            // A module that could not be read has been reported.
            Content::Scalar(Value::String(_)) | Content::Broken => None,
            _ => reader.expected(node, "the path of a module", "write it in double quotes"),
        }
    }

    fn schema(_: &mut Definitions) -> Value {
        json!({"anyOf": [{"type": "string"}, {"type": "object"}]})
    }
}

object! {
    /// A role: a resource that the user of a module provides. One key says of which kind it is and which channels it needs.
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
        /// Channels that the module adds to the resource for itself. The user cannot name them, unless they are exported.
        ///
        /// - Default: none
        /// - Example: `{"residual": "float"}`
        all adds: Named<ChannelFile>,
        /// The user may leave the role unfilled. Stages that list its channels compile without them.
        ///
        /// - Default: `false`
        /// - Example: `true`
        all optional: bool,
    }
}

/// What a module needs of a buffer.
#[derive(Debug, Clone)]
pub enum BufferRoleFile {
    Element(Element),
    Channels(Named<ChannelFile>),
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
