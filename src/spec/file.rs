//! The pipeline file as it is written: one type per JSON object, from which the JSON Schema is generated.
//!
//! Nothing is evaluated or checked across objects here; `super::resolve` does that.

use schemars::JsonSchema;
use serde::Deserialize;

mod fft;
mod fields;
mod grids;
mod input;
mod measures;
mod modules;
mod outputs;
mod particles;
mod quantities;
mod resources;
mod sources;
mod stages;
mod values;

pub(crate) use fft::*;
pub(crate) use fields::*;
pub(crate) use grids::*;
pub(crate) use input::*;
pub(crate) use measures::*;
pub(crate) use modules::*;
pub(crate) use outputs::*;
pub(crate) use particles::*;
pub(crate) use quantities::*;
pub(crate) use resources::*;
pub(crate) use sources::*;
pub(crate) use stages::*;
pub(crate) use values::*;

/// A pipeline: parameters, resources, stages and outputs of one simulation.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Sastrugi pipeline")]
pub(crate) struct PipelineFile {
    /// Where the JSON Schema of pipeline files is, for editors; the program ignores it.
    ///
    /// - Default: none
    /// - Example: `"schema/pipeline.schema.json"`
    #[serde(rename = "$schema", default)]
    #[allow(dead_code, reason = "for editors")]
    pub schema: Option<String>,
    /// Path of the pipeline file that this file changes, relative to this file. Objects are merged key
    /// by key, any other value (also a list) replaces the old one, `null` deletes a key (JSON merge patch, RFC 7396). A
    /// base may extend another file, at most 16 files deep.
    ///
    /// - Default: none
    /// - Example: `"snow.json"`
    #[serde(default)]
    #[allow(dead_code, reason = "bases are merged before")]
    pub extends: Option<String>,
    /// Instances of modules, by name.
    ///
    /// - Default: none
    /// - Example: `{"drawing": {"module": "modules/terrain_view.json", "roles": {"ground": "hills"}}}`
    #[serde(rename = "use", default)]
    #[allow(dead_code, reason = "expanded before")]
    pub uses: Named<UseFile>,
    /// Resources that the user of this file provides, by the names that the file has for them. A file with roles is a
    /// module and does not run by itself.
    ///
    /// - Default: none
    /// - Example: `{"air": {"grid": {"u": "float"}}, "ground": {"heights": {"elevation": "float"}}}`
    #[serde(default)]
    #[allow(dead_code, reason = "expanded before")]
    pub roles: Named<RoleFile>,
    /// Lists of entries, by name, that run wherever `init`, `step`, `frame`, a repeat or another group names them.
    ///
    /// - Default: none
    /// - Example: `{"walls": [{"stage": "find_walls", "over": "air", "writes": ["air.wall"]}]}`
    #[serde(default)]
    #[allow(dead_code, reason = "expanded before")]
    pub groups: Named<GroupFile>,
    /// Changes of entries, by their names: a stage by its name, a group by its own, a repeat by that of its value, and
    /// another entry by its first key and value, such as `sort matter`. `null` drops an entry. A change applies wherever
    /// the entry is written: in the lists of this file, of its base, or of the modules that it uses.
    ///
    /// - Default: none
    /// - Example: `{"stress": {"shader": "my/stress.comp"}, "drain": null}`
    #[serde(default)]
    #[allow(dead_code, reason = "applied before")]
    pub change: Named<Option<ChangeFile>>,
    /// One line of text, shown when a run starts.
    ///
    /// - Default: the file's name
    /// - Example: `"Wind-driven snow"`
    #[serde(default)]
    pub title: Option<String>,
    /// Seed of all random numbers of the run: `clock.seed` in shaders.
    ///
    /// - Default: `0`
    /// - Range: 0 to 2³² - 1
    /// - Example: `7`
    #[serde(default)]
    pub seed: u32,
    /// Named values that expressions use, and that `--set` and `--sweep` change. Objects may be nested; a member is
    /// `wind.speed`.
    ///
    /// - Unit: yours
    /// - Default: none
    /// - Example: `{"flakes": 4096, "wind": {"speed": 12, "to": [1, 0, 0]}}`
    #[serde(default)]
    pub parameters: Named<Parameter>,
    /// Numbers that follow from the parameters and that people should see, by name. `run` and `check` print them and warn of those
    /// outside their range; `manifest.json` has them.
    ///
    /// - Default: none
    /// - Example: `{"courant": {"value": "12 * dt / air.dx", "range": [0, 1], "help": "choose shorter steps"}}`
    #[serde(default)]
    pub quantities: Named<QuantityFile>,
    /// The smallest and the largest useful value of parameters, by their dotted names: sliders of the window go from one to
    /// the other. Other values are allowed.
    ///
    /// - Unit: that of the parameter
    /// - Default: the window has fields without limits
    /// - Range: the smaller first
    /// - Example: `{"wind.speed": [0, 40]}`
    #[serde(default)]
    pub ranges: Named<[Number; 2]>,
    /// Parameters that a person sets with the pointer and the keys in the window, before each frame.
    ///
    /// - Default: none
    /// - Example: `{"pointer": {"at": "brush.at", "left": "brush.held"}}`
    #[serde(default)]
    pub input: InputFile,
    /// How time advances.
    ///
    /// - Example: `{"dt": "1/30", "steps_per_frame": 2, "frames": 240}`
    pub time: TimeFile,
    /// Directory of shaders, relative to the file that names it. It is searched after the directory of the pipeline
    /// file, and before `../shaders` and the shaders of the program.
    ///
    /// - Default: none
    /// - Example: `"my_shaders"`
    #[serde(default)]
    pub shaders: Option<String>,
    /// Lattices of cells, 3-D or 2-D, by name.
    ///
    /// - Default: none
    /// - Example: `{"air": {"cells": [64, 64, 32], "cell_size": 2, "channels": {"u": "float"}}}`
    #[serde(default)]
    pub grids: Named<GridFile>,
    /// 2-D lattices of vertices over the ground, read from images, by name.
    ///
    /// - Default: none
    /// - Example: `{"ground": {"image": "hills.png", "metres_per_pixel": [2, 2], "metres_per_level": 0.1,
    ///   "into": "elevation", "channels": {"elevation": "float"}}}`
    #[serde(default)]
    pub heights: Named<HeightsFile>,
    /// Sets of particles, by name.
    ///
    /// - Default: none
    /// - Example: `{"flakes": {"count": 4096, "attributes": {"position": "vec3"}}}`
    #[serde(default)]
    pub particles: Named<ParticlesFile>,
    /// Plain arrays, by name. A buffer is one field without channels; its name is the name of the field.
    ///
    /// - Default: none
    /// - Example: `{"ledger": {"type": "uint", "length": 4}}`
    #[serde(default)]
    pub buffers: Named<BufferFile>,
    /// Lists of rows with several channels, by name.
    ///
    /// - Default: none
    /// - Example: `{"spectrum": {"length": 64, "channels": {"energy": "float", "modes": "uint"}}}`
    #[serde(default)]
    pub tables: Named<TableFile>,
    /// 2-D lattices of pixels, by name.
    ///
    /// - Default: none
    /// - Example: `{"view": {"size": [1280, 720], "channels": {"color": "rgba8"}}}`
    #[serde(default)]
    pub images: Named<ImageFile>,
    /// Stages that run once, before the first step.
    ///
    /// - Default: `[]`
    /// - Range: at most 20 000 dispatches after repeats are unrolled; the same limit holds for `step` and `frame`
    /// - Example: `[{"stage": "scatter", "over": "flakes", "writes": ["flakes.position"]}]`
    #[serde(default)]
    pub init: Vec<EntryFile>,
    /// Stages of every step, in order.
    ///
    /// - Example: `[{"stage": "fall", "over": "flakes", "reads": ["flakes.position"], "writes":
    ///   ["flakes.position"]}]`
    pub step: Vec<EntryFile>,
    /// Stages of a frame (rendering), after its last step. They overlap the next step and run only for frames that some
    /// output writes. They must not write fields that steps read or write.
    ///
    /// - Default: `[]`
    /// - Example: `[{"stage": "paint", "over": "view", "reads": ["air.u"], "writes": ["view.color"]}]`
    #[serde(default)]
    pub frame: Vec<EntryFile>,
    /// States from which a run can continue with `--resume`, saved next to its outputs.
    ///
    /// - Default: none, except those that signals request
    /// - Example: `{"every": 50}`
    #[serde(default)]
    pub checkpoint: Option<CheckpointFile>,
    /// What is written to disk, by name. Files are named `<name>.<frame>.<format>`, with frames counted from 0001. A
    /// run without outputs writes only its manifest.
    ///
    /// - Default: none
    /// - Range: names of letters, digits, `-` and `_`
    /// - Example: `{"view": {"source": "view.color"}}`
    #[serde(default)]
    pub outputs: Named<OutputEntryFile>,
    /// Checks for NaN, infinities and values out of bounds during the run; `--watch` also turns it on.
    ///
    /// - Default: none
    /// - Example: `{"every": 25}`
    #[serde(default)]
    pub watch: Option<WatchFile>,
}

/// How time advances.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeFile {
    /// Length of a step: `dt` in expressions, `clock.dt` in shaders.
    ///
    /// - Unit: s
    /// - Range: above 0
    /// - Example: `"1/30"`
    pub dt: Number,
    /// Number of steps from one frame to the next.
    ///
    /// - Unit: steps
    /// - Default: `1`
    /// - Range: 1 to 1 000 000
    /// - Example: `2`
    #[serde(default)]
    pub steps_per_frame: Option<Number>,
    /// Number of frames of a run; `--frames` overrides it.
    ///
    /// - Unit: frames
    /// - Default: `100`
    /// - Range: 0 to 2⁴⁰
    /// - Example: `240`
    #[serde(default)]
    pub frames: Option<Number>,
}

/// States from which a run can continue.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckpointFile {
    /// A checkpoint after every n-th frame, and after the last.
    ///
    /// - Unit: frames
    /// - Range: 1 to 2⁴⁰
    /// - Example: `50`
    pub every: Number,
    /// How many checkpoints are kept: the newest ones.
    ///
    /// - Default: `2`
    /// - Range: 1 to 1000
    /// - Example: `3`
    #[serde(default)]
    pub keep: Option<Number>,
}

/// The JSON Schema of pipeline files.
pub(crate) fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(PipelineFile).to_value();
    bound(&mut schema);
    schema
}

/// Writes the upper bound of 32-bit numbers out, which the schema's `format` only hints at.
fn bound(schema: &mut serde_json::Value) {
    match schema {
        serde_json::Value::Object(members) => {
            if members.get("format").is_some_and(|format| format == "uint32") {
                members.insert("maximum".into(), u32::MAX.into());
            }
            members.values_mut().for_each(bound);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(bound),
        _ => {}
    }
}
