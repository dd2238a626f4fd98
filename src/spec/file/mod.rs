//! The pipeline file before evaluation: a type for each object.

mod channels;
mod entries;
mod modules;
mod outputs;
mod parameters;
mod reorder;
mod resources;
mod run;
mod sources;
mod stages;
mod values;
mod worlds;

pub use channels::*;
pub use entries::*;
pub use modules::*;
pub use outputs::*;
pub use parameters::*;
pub use reorder::*;
pub use resources::*;
pub use run::*;
pub use sources::*;
pub use stages::*;
pub use values::*;
pub use worlds::*;

use serde_json::{Value, json};

use super::definitions::Definitions;
use super::read::{Named, Read, Text, object};

object! {
    /// A pipeline: parameters, resources, stages and outputs of one simulation.
    "Pipeline" PipelineFile {
        /// The location of the JSON Schema of pipeline files, for editors. The program ignores it.
        ///
        /// - Default: none
        /// - Example: `"schema/pipeline.schema.json"`
        may schema as "$schema": Text,
        /// The pipeline file that this file changes: a path relative to this file, or the name of a file that comes
        /// with the program (`sastrugi list`). Objects are merged key by key, any other value (also a list) replaces
        /// the old one, `null` deletes a key (JSON merge patch, RFC 7396). A base may extend another file, at most 16
        /// files deep.
        ///
        /// - Default: none
        /// - Example: `"snow.json"`
        may extends: Text,
        /// One line of text, shown when a run starts.
        ///
        /// - Default: the file's name
        /// - Example: `"Wind-driven snow"`
        may title: Text,
        /// Instances of modules, by name. Their contents have dotted names: `air.step`, `air.lift`.
        ///
        /// - Default: none
        /// - Example: `{"air": {"module": "modules/smoke.json", "roles": {"grid": "room"}, "parameters": {"lift": 6}}}`
        all uses as "use": Named<UseFile>,
        /// Resources that the user of this file provides, by their names in this file. A file with roles is a module
        /// and does not run by itself.
        ///
        /// - Default: none
        /// - Example: `{"air": {"cells": {"u": "float"}}, "ground": {"vertices": {"elevation": "float"}}}`
        all roles: Named<RoleFile>,
        /// Names that the user of this module may use besides its parameters, its roles and its lists `init`, `step`
        /// and `frame`: stages, groups, resources, instances, and channels that it adds (`grid.density`).
        ///
        /// - Default: none
        /// - Example: `["solve", "iterations"]`
        all exports: Vec<Text>,
        /// Named values that expressions use, and that `--set` and `--sweep` change. Objects may be nested; a member is
        /// `wind.speed`.
        ///
        /// - Unit: yours
        /// - Default: none
        /// - Example: `{"flakes": 4096, "wind": {"speed": {"value": 12, "unit": "m/s", "range": [0, 40]}, "to": [1, 0,
        ///   0]}}`
        all parameters: Named<ParameterFile>,
        /// The time step, the number of frames, checkpoints and other settings of a run. Required, except in modules.
        ///
        /// - Default: none
        /// - Example: `{"dt": "1/30", "steps_per_frame": 2, "frames": 240}`
        may run: RunFile,
        /// Independent copies of the pipeline in the same dispatches, each with its own seed and parameters: small simulations
        /// then fill a large device ([worlds](worlds.md)).
        ///
        /// - Default: one world
        /// - Example: `{"count": 256, "set": {"air.lift": "2 + 4 * world / worlds"}}`
        may worlds: WorldsFile,
        /// Lattices by name: cells, vertices of a terrain, or pixels of a picture.
        ///
        /// - Default: none
        /// - Example: `{"air": {"cells": [64, 64, 32], "cell_size": 2, "channels": {"u": "float"}}}`
        all grids: Named<GridFile>,
        /// Sets of particles, by name.
        ///
        /// - Default: none
        /// - Example: `{"flakes": {"count": 4096, "attributes": {"position": "vec3"}}}`
        all particles: Named<ParticlesFile>,
        /// Plain arrays, by name. A buffer without channels is one field, which has the name of the buffer.
        ///
        /// - Default: none
        /// - Example: `{"counters": {"type": "uint", "length": 4}}`
        all buffers: Named<BufferForm>,
        /// Stages and groups of entries, by name. They run where `init`, `step`, `frame` or another group names them.
        ///
        /// - Default: none
        /// - Example: `{"fall": {"over": "flakes", "writes": ["flakes.position"]}, "both": ["fall", "fall"]}`
        all stages: Named<DefinitionFile>,
        /// Entries that run once, before the first step.
        ///
        /// - Default: `[]`
        /// - Range: at most 20 000 dispatches after repeats are unrolled; the same limit applies to `step` and `frame`
        /// - Example: `["scatter"]`
        all init: Vec<EntryFile>,
        /// Entries of every step, in order.
        ///
        /// - Default: `[]`
        /// - Example: `["fall", {"sort": "flakes", "by": "flakes.block"}]`
        all step: Vec<EntryFile>,
        /// Entries of a frame (rendering), after its last step. They overlap the next step and run only for frames that
        /// an output writes. They must not write fields that steps read or write.
        ///
        /// - Default: `[]`
        /// - Example: `["drawing.frame"]`
        all frame: Vec<EntryFile>,
        /// Files to write, by name of the output. They are named `<name>.<frame>.<format>`, with frames counted from
        /// 0001. A run without outputs writes only its manifest.
        ///
        /// - Default: none
        /// - Range: names of letters, digits, `-` and `_`
        /// - Example: `{"view": {"source": "view.color"}}`
        all outputs: Named<OutputFile>,
    }
}

/// The JSON Schema of pipeline files.
pub fn schema() -> Value {
    let mut definitions = Definitions::new();
    PipelineFile::schema(&mut definitions);
    let outputs = definitions
        .get_mut("Output")
        .and_then(|output| output["properties"].as_object_mut());
    for (_, property) in outputs.into_iter().flatten() {
        if let Some(Value::String(description)) = property.get_mut("description") {
            *description = outputs::with_formats(description);
        }
    }
    let mut schema = definitions.get("Pipeline").cloned().unwrap_or_default();
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    let definitions: serde_json::Map<String, Value> = definitions.into_iter().collect();
    schema["$defs"] = Value::Object(definitions);
    schema
}
