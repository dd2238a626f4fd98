//! Stages before evaluation.

use serde_json::{Value, json};

use super::values::{Number, Numbers, Reference};
use crate::ir::Operation;
use crate::spec::definitions::{Definitions, alternatives};
use crate::spec::node::{Content, Node};
use crate::spec::read::{Named, Read, Reader, Text, object, words};

object! {
    /// A compute shader with its domain. It may access only the fields that it lists in `reads` and `writes`. Stages
    /// that access the same fields run in order.
    "Stage" StageFile {
        /// Name of a stage that is written in a list: its label in messages, graphs and profiles. The name of a stage
        /// in `stages` is its key.
        ///
        /// - Default: none; required in lists
        /// - Range: a lower-case letter, then lower-case letters, digits and single underscores; at most 64 characters.
        ///   The same rule applies to every name in shaders
        /// - Example: `"advect"`
        may stage: Text,
        /// Shader file: GLSL (`.comp`) or SPIR-V (`.spv`).
        ///
        /// - Default: `<stage>.comp`
        /// - Example: `"snow/advect.comp"`
        may shader: Text,
        /// The domain; the shader runs once for each element. A resource (of a sparse grid, the cells of its active
        /// blocks), a level of a grid (`"air[1]"`), a channel (`"air.u"`, which may have more values than the grid has
        /// cells), the columns of a 3-D grid (`"air.columns"`), blocks of a sparse grid (`"air.blocks"`,
        /// `"air.active"`, `"air.sub_blocks"`), or a count. A kernel with a `tile` runs one workgroup for each tile of
        /// the grid. A stage has exactly one of `over`, `groups` and `emits`.
        ///
        /// - Default: none
        /// - Range: a count is 1 to 2³² - 1
        /// - Example: `"air"`
        may over: Number,
        /// Dispatches explicit workgroups instead of the elements of `over`: their number, or their numbers along three
        /// axes; or the name of a buffer whose first element contains the number (`uint`) or the three numbers
        /// (`uvec3`) when the stage starts. The function is `stage(uvec3 group, uint local)`, with the number of the
        /// group and the number of the invocation in it, 0 to n - 1 for a workgroup of n invocations. Invocations of a
        /// group share memory and synchronize with `barrier()`. See docs/group-kernels.md.
        ///
        /// - Unit: workgroups
        /// - Default: none
        /// - Range: 1 to 65 535² (one number), 1 to 65 535 each (three); from 0 in a buffer, whose numbers are limited
        ///   to the maximum, and `--checked` reports larger ones; requires a workgroup size in the kernel or `tuning`
        /// - Example: `"ceil(matter.count / transfer.chunk)"`
        may groups: Numbers,
        /// The dynamic particle set to which the stage adds particles, with the number of particles to add: a number,
        /// or the name of a `uint` buffer whose first element contains it when the stage starts. The stage runs once
        /// for each newborn particle, whose index is beyond the live ones, and sets its attributes. Particles beyond
        /// the capacity are not added, but counted.
        ///
        /// - Unit: particles
        /// - Default: none
        /// - Range: one set; 0 to 2³² - 1 particles
        /// - Example: `{"sparks": 100}`
        may emits: Named<Number>,
        /// Names of resources and fields in the shader, with the resources and fields of this file, so that one shader
        /// can be used with any grid or set. `reads`, `writes`, `requests` and `reduces` use the names of the shader;
        /// names without an entry are the same in both. Levels of grids are bound as `"air[l + 1]"`.
        ///
        /// - Default: none
        /// - Example: `{"nodes": "fine", "counters": "births", "value": "air.pressure"}`
        all bind: Named<Reference>,
        /// Fields that it reads: `<resource>.<channel>`, or the name of a buffer. Each must have a value from a stage,
        /// a `background`, `values` or a particle source.
        ///
        /// - Default: `[]`
        /// - Example: `["air.u", "winds"]`
        all reads: Vec<Reference>,
        /// Fields that it writes, in the same form. `"clock.dt"` adds the function `set_clock_dt(seconds)`, which sets
        /// the length of this iteration of a repeat with `"while": "clock.left"`.
        ///
        /// - Default: `[]`
        /// - Example: `["air.pressure"]`
        all writes: Vec<Reference>,
        /// Sparse grids whose blocks it may request, with `request_<grid>(cell)`.
        ///
        /// - Default: `[]`
        /// - Example: `["air"]`
        all requests: Vec<Reference>,
        /// Values that the shader receives as `arg.<name>`. They may differ between the iterations of a repeat.
        ///
        /// - Unit: yours
        /// - Default: none
        /// - Example: `{"omega": 1.7, "sun": [0, 0, 1], "units": "uint(flakes.units)"}`
        all arguments: ArgumentsFile,
        /// Values of specialization constants that the shader declares with ids below 1000, by name (by id if the
        /// SPIR-V module has no names).
        ///
        /// - Unit: yours
        /// - Default: the values in the shader
        /// - Example: `{"SWEEPS": 3}`
        all constants: Named<Number>,
        /// Reductions over its elements: `sum`, `min`, `max` or `count`, each by the name of a buffer of one element
        /// that receives the result when the stage has ended. The shader calls `sum_<name>(value)`,
        /// `min_<name>(value)`, `max_<name>(value)` or `count_<name>(condition)`, any number of times for an element.
        /// The buffer has the type of the values, a number or a vector; for a count it is `uint`. See Reductions.
        ///
        /// - Default: none
        /// - Range: not with `emits` or `groups`; 8 results
        /// - Example: `{"dq": "sum", "unsettled": "count"}`
        all reduces: Named<Operation>,
        /// Runs only in every n-th step (for frame stages, every n-th frame), starting with the first.
        ///
        /// - Unit: steps or frames
        /// - Default: `1`
        /// - Range: 1 to 2³⁰
        /// - Example: `8`
        may every: Number,
        /// The arrangement of its invocations. It changes the speed of the stage, not its results.
        ///
        /// - Default: depends on the domain and the device
        /// - Example: `{"workgroup": [64, 2, 1], "cells_per_thread_z": 16}`
        may tuning: TuningFile,
    }
}

object! {
    /// The arrangement of the invocations of a stage.
    "Tuning" TuningFile {
        /// Size of a workgroup. Over a list it is `[n, 1, 1]`.
        ///
        /// - Unit: invocations
        /// - Default: the size in the kernel, which over cells and pixels counts on GPUs alone if its invocations do not
        ///   depend on each other; otherwise it depends on the domain and the device
        /// - Range: a product of 1 to 1024; not over the cells of a sparse grid
        /// - Example: `[64, 2, 1]`
        may workgroup: Numbers,
        /// Number of consecutive cells in z that each invocation processes, in a stage over the cells of a grid. Over a sparse
        /// grid it is a power of two, and at most the z side of a sub-block counts.
        ///
        /// - Unit: cells
        /// - Default: depends on the device
        /// - Range: at least 1
        /// - Example: `16`
        may cells_per_thread_z: Number,
        /// Number of consecutive cells in x that each invocation processes: `stage` is called for the first of them,
        /// and may read or write all of them at once, with accessors such as `air_u_x4` (docs/calls.md). `stage_width`
        /// is this number, or 1 where the cells in x are not a multiple of it. Requires a stage over cells of two or
        /// three axes, or a stage of workgroups, for which it only adds the accessors.
        ///
        /// - Unit: cells
        /// - Default: none: an invocation processes one cell in x
        /// - Range: 2 or 4
        /// - Example: `4`
        may vector_width: Number,
        /// Accepts a SPIR-V module without an interface hash; `--checked` does not cover it.
        ///
        /// - Default: `false`
        /// - Example: `true`
        all unchecked: bool,
    }
}

/// Arguments by name; or a list of parameters. A parameter is an argument of the same name, a group of parameters is
/// replaced by its members. Objects in the list contain arguments by name.
#[derive(Debug, Clone, Default)]
pub struct ArgumentsFile(pub Vec<ArgumentFile>);

/// One or several arguments.
#[derive(Debug, Clone)]
pub enum ArgumentFile {
    Named(String, crate::problem::Place, Numbers),
    /// A parameter, or a group of parameters.
    Parameter(Reference),
}

impl Read for ArgumentsFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let mut arguments = Vec::new();
        match &node.content {
            Content::Object(_) => named(node, reader, &mut arguments)?,
            Content::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    reader.inside(&i.to_string(), |reader| match &item.content {
                        Content::Object(_) => named(item, reader, &mut arguments),
                        _ => {
                            let reference = Reference::read(item, reader)?;
                            arguments.push(ArgumentFile::Parameter(reference));
                            Some(())
                        }
                    });
                }
            }
            _ => {
                const FORM: &str = "write {\"name\": value} or a list of parameters";
                return reader.expected(node, "arguments", FORM);
            }
        }
        Some(ArgumentsFile(arguments))
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about = "Arguments by name; or a list of parameters. A parameter is an argument of the same name, a group of \
                     parameters is replaced by its members. Objects in the list contain arguments by name. A shader states the \
                     types of its arguments (`#pragma argument`); without that they are `float`, or `vec2` to `vec4` for \
                     vectors. `\"uint(flakes.units)\"` states a type here.";
        alternatives(definitions, "Arguments", about, |definitions| {
            let named = Named::<Numbers>::schema(definitions);
            let item = json!({"anyOf": [{"type": "string"}, named]});
            vec![named, json!({"type": "array", "items": item})]
        })
    }
}

fn named(node: &Node, reader: &mut Reader, into: &mut Vec<ArgumentFile>) -> Option<()> {
    for (name, item) in Named::<Numbers>::read(node, reader)?.iter() {
        if let Some(numbers) = &item.value {
            let (name, key) = (name.to_string(), item.key.clone());
            into.push(ArgumentFile::Named(name, key, numbers.clone()));
        }
    }
    Some(())
}

words! {
    /// How a reduction combines values.
    "Operation of a reduction" Operation {
        "sum" => Self::Sum, "min" => Self::Min, "max" => Self::Max, "count" => Self::Count,
    }
}
