//! The interface that each stage sees: the text of `stage.glsl` and the layout of its argument block.
//!
//! Only what the stage declares is there: accessors of the fields it reads and writes, constants of the
//! resources it touches, its arguments and the clock. The text depends on the pipeline's types, never on
//! its sizes (those are specialization constants), so that one compiled module serves every size.

mod accessors;
mod measured;
mod pages;
mod resources;

use crate::spec::{FieldId, Home, Over, Pipeline, ResourceId, Stage};

/// Specialization constant ids from here on belong to the interface.
pub const FIRST_RESERVED: u32 = 1000;
pub const CHECKED: u32 = 1000;
/// Invocations of the device's smallest subgroups.
pub const LEAST_SUBGROUP: u32 = 1001;
/// The interface hash a module was compiled against, as its constants' default values.
pub const HASH_LOW: u32 = 1003;
pub const HASH_HIGH: u32 = 1004;
/// Workgroup size, three ids.
pub const LOCAL_SIZE: u32 = 1005;
pub const MARCH: u32 = 1008;
/// Domain size, three ids.
pub const DOMAIN: u32 = 1009;
/// Twelve ids per touched resource: size x 3, origin x 3, spacing x 3.
const RESOURCES: u32 = 1100;
const PER_RESOURCE: u32 = 12;
/// Sixteen ids per sparse grid: logarithms of block and sub-block sides, bits of block coordinates, bytes of a
/// block, and the two below. (GLSL compilers take no ids above 2047.)
const PAGES: u32 = 1900;
const PER_GRID: u32 = 16;
/// What of them depends on the device: whether pages stand in the table,
pub const IN_TABLE: u32 = 10;
/// and the logarithm of the sub-blocks that a workgroup takes one after the other.
pub const PER_GROUP: u32 = 11;

/// Bytes of the fault record: claimed, stage, field, kind, index x 3, invocation x 3, started.
pub const FAULT_BYTES: u64 = 44;
/// Bytes from one fault record to the next.
pub const FAULT_STRIDE: u64 = 64;
/// Argument blocks start at multiples of this, so that no two share a cache line.
pub const BLOCK_ALIGNMENT: u64 = 128;
/// Bytes of the clock: step, frame, time, dt, seed.
pub const CLOCK_BYTES: u64 = 20;

/// What one word group of a stage's argument block holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    /// Address of the fault record, 8 bytes.
    Fault,
    /// Address of the clock, 8 bytes.
    Clock,
    /// Number of the stage in the pipeline, 4 bytes, and 4 of padding.
    Stage,
    /// Address of the copy of a field that is read, 8 bytes.
    Read(FieldId),
    /// Address of the copy of a field that is written, 8 bytes.
    Write(FieldId),
    /// Address of the first block of a sparse grid, 8 bytes.
    Pages(ResourceId),
    /// An argument by its position in the stage, 4 bytes a component.
    Argument(usize),
}

/// The generated interface of one stage.
#[derive(Debug, Clone)]
pub struct Interface {
    /// `stage.glsl`.
    pub text: String,
    /// Hash of the text; a module carries it as the defaults of two constants.
    pub hash: u64,
    /// The argument block, in order, without gaps (scalar layout).
    pub slots: Vec<Slot>,
    /// Values of the reserved specialization constants, without `CHECKED` and the places of pages.
    pub constants: Vec<(u32, u32)>,
    /// Per sparse grid that the stage touches, the first of its constants: some of them depend on the device.
    pub paging: Vec<(u32, ResourceId)>,
}

impl Interface {
    /// Bytes that an argument block of the stage takes.
    pub fn block_bytes(&self, stage: &Stage) -> u64 {
        let bytes = |slot: &Slot| match slot {
            Slot::Argument(argument) => 4 * u64::from(stage.arguments[*argument].1.components()),
            _ => 8,
        };
        let content: u64 = self.slots.iter().map(bytes).sum();
        content.next_multiple_of(BLOCK_ALIGNMENT)
    }
}

/// Generates the interface of `stage`.
pub fn generate(pipeline: &Pipeline, stage: &Stage) -> Interface {
    let mut generator = Generator {
        pipeline,
        stage,
        text: String::new(),
        slots: vec![Slot::Fault, Slot::Clock, Slot::Stage],
        constants: Vec::new(),
        paging: Vec::new(),
    };
    generator.everything();
    let hash = u64::from_le_bytes(first_eight(blake3::hash(generator.text.as_bytes()).as_bytes()));
    let text = generator
        .text
        .replace("SG_HASH_LOW", &format!("{}u", hash as u32))
        .replace("SG_HASH_HIGH", &format!("{}u", (hash >> 32) as u32));
    Interface {
        text,
        hash,
        slots: generator.slots,
        constants: generator.constants,
        paging: generator.paging,
    }
}

fn first_eight(bytes: &[u8; 32]) -> [u8; 8] {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[..8]);
    eight
}

/// Appends a line to the text; writing to a `String` cannot fail.
macro_rules! line {
    ($generator:expr, $($arguments:tt)*) => { { use std::fmt::Write; let _ = writeln!($generator.text, $($arguments)*); } };
}
use line;

struct Generator<'a> {
    pipeline: &'a Pipeline,
    stage: &'a Stage,
    text: String,
    slots: Vec<Slot>,
    constants: Vec<(u32, u32)>,
    paging: Vec<(u32, ResourceId)>,
}

impl Generator<'_> {
    fn everything(&mut self) {
        self.head();
        let resources = self.resources();
        for (position, resource) in resources.iter().enumerate() {
            self.resource(*resource, RESOURCES + PER_RESOURCE * position as u32);
        }
        self.arguments();
        self.fault();
        let in_pages = |field: &FieldId| self.pipeline.fields[*field].home == Home::Pages;
        let (of_blocks, plain): (Vec<FieldId>, Vec<FieldId>) = self.fields().into_iter().partition(in_pages);
        // Functions that find a cell's page come between the buffers that they read and the channels that need them.
        plain.into_iter().for_each(|field| self.accessors(field));
        for (position, grid) in self.sparse_grids().into_iter().enumerate() {
            self.pages(grid, position as u32);
        }
        // Stages of an update handle whole blocks.
        if self.stage.update.is_none() {
            of_blocks
                .into_iter()
                .for_each(|field| self.block_accessors(field));
        }
        self.measured();
        self.begin();
        self.aliases();
        match self.stage.domain.over {
            Over::Elements | Over::Header(_) | Over::Live | Over::Newborn => self.main(),
            _ => self.main_over_blocks(),
        }
    }

    /// Fields that the stage touches, in the pipeline's order.
    fn fields(&self) -> Vec<FieldId> {
        let mut fields: Vec<FieldId> = self
            .stage
            .reads
            .iter()
            .chain(&self.stage.writes)
            .copied()
            .collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    }

    fn resources(&self) -> Vec<ResourceId> {
        let of_fields = self
            .fields()
            .into_iter()
            .map(|field| self.pipeline.fields[field].resource);
        let mut resources: Vec<ResourceId> = (of_fields.chain(self.stage.domain.resource))
            .chain(self.sparse_grids())
            .collect();
        resources.sort_unstable();
        resources.dedup();
        resources
    }

    fn constant(&mut self, id: u32, kind: &str, name: &str, default: &str, bits: u32) {
        line!(
            self,
            "layout(constant_id = {id}) const {kind} {name} = {default};"
        );
        self.constants.push((id, bits));
    }

    fn head(&mut self) {
        line!(
            self,
            "// Interface of stage `{}`, generated from the pipeline file.",
            self.stage.name
        );
        for extension in [
            "GL_EXT_buffer_reference",
            "GL_EXT_buffer_reference2",
            "GL_EXT_scalar_block_layout",
            "GL_EXT_shader_explicit_arithmetic_types_int64",
        ] {
            line!(self, "#extension {extension} : require");
        }
        line!(
            self,
            "layout(constant_id = {CHECKED}) const bool sg_checked = false;"
        );
        line!(
            self,
            "layout(constant_id = {HASH_LOW}) const uint sg_hash_low = SG_HASH_LOW;"
        );
        line!(
            self,
            "layout(constant_id = {HASH_HIGH}) const uint sg_hash_high = SG_HASH_HIGH;"
        );
        line!(
            self,
            "layout(local_size_x_id = {}, local_size_y_id = {}, local_size_z_id = {}) in;",
            LOCAL_SIZE,
            LOCAL_SIZE + 1,
            LOCAL_SIZE + 2
        );
        line!(self, "#define stage_local_size ivec3(gl_WorkGroupSize)");
        let stage = self.stage;
        for axis in 0..3u32 {
            self.constants
                .push((LOCAL_SIZE + axis, stage.shape.workgroup[axis as usize]));
        }
        self.constant(MARCH, "int", "sg_march", "1", stage.shape.march);
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            let size = stage.domain.size[axis] as u32;
            self.constant(
                DOMAIN + axis as u32,
                "uint",
                &format!("sg_domain_{name}"),
                "1u",
                size,
            );
        }
    }

    fn begin(&mut self) {
        line!(
            self,
            "// Leaves word that the stage began and loads the pointers; a module compiled against no interface (hash 0) does \
             nothing."
        );
        line!(self, "void stage_begin() {{");
        line!(self, "    if ((sg_hash_low | sg_hash_high) == 0u) return;");
        line!(
            self,
            "    if (gl_WorkGroupID == uvec3(0) && gl_LocalInvocationIndex == 0u) arg.sg_fault.started = arg.sg_stage + 1u;"
        );
        for grid in self.sparse_grids() {
            let name = &self.pipeline.resources[grid].name;
            line!(self, "    sg_base_{name} = arg.sg_base_{name};");
        }
        for field in self.fields() {
            if self.pipeline.fields[field].home == Home::Pages {
                continue;
            }
            let symbol = self.symbol(field);
            if self.stage.reads.contains(&field) {
                line!(self, "    sg_p_{symbol} = arg.sg_r_{symbol};");
            }
            if self.stage.writes.contains(&field) {
                line!(self, "    sg_q_{symbol} = arg.sg_w_{symbol};");
            }
        }
        line!(self, "}}");
        line!(
            self,
            "// Number of this invocation; groups of a list are spread over x and y."
        );
        line!(self, "uint stage_linear() {{");
        line!(
            self,
            "    return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;"
        );
        line!(self, "}}");
    }

    fn main(&mut self) {
        line!(self, "#ifndef OWN_MAIN");
        match self.stage.domain.axes {
            1 => {
                line!(self, "void stage(uint i);");
                line!(self, "void main() {{");
                line!(self, "    stage_begin();");
                line!(self, "    uint i = stage_linear();");
                let set = self
                    .stage
                    .domain
                    .resource
                    .map(|id| &*self.pipeline.resources[id].name);
                let set = set.unwrap_or_default();
                match self.stage.domain.over {
                    Over::Elements => line!(self, "    if (i < sg_domain_x) stage(i);"),
                    Over::Live => line!(self, "    if (i < {set}_count) stage(i);"),
                    Over::Newborn => line!(self, "    if (i < {set}_born) stage({set}_count + i);"),
                    _ => line!(self, "    stage(i);"),
                }
            }
            2 => {
                line!(self, "void stage(ivec2 i);");
                line!(self, "void main() {{");
                line!(self, "    stage_begin();");
                line!(self, "    uvec2 i = gl_GlobalInvocationID.xy;");
                line!(
                    self,
                    "    if (i.x < sg_domain_x && i.y < sg_domain_y) stage(ivec2(i));"
                );
            }
            _ => {
                line!(self, "void stage(ivec3 i);");
                line!(self, "void main() {{");
                line!(self, "    stage_begin();");
                line!(self, "    ivec3 i = ivec3(gl_GlobalInvocationID);");
                line!(
                    self,
                    "    if (i.x >= int(sg_domain_x) || i.y >= int(sg_domain_y)) return;"
                );
                line!(self, "    int first = i.z * sg_march;");
                line!(self, "    int last = min(first + sg_march, int(sg_domain_z));");
                line!(
                    self,
                    "    for (int z = first; z < last; ++z) stage(ivec3(i.xy, z));"
                );
            }
        }
        line!(self, "}}");
        line!(self, "#endif");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{self, Document};
    use std::path::Path;

    fn pipeline(text: &str) -> Pipeline {
        spec::from_document("t", &Document::parse("t.json", text, Path::new("")).unwrap()).unwrap()
    }

    const TEXT: &str = r#"{"time": {"dt": 1},
        "grids": {"air": {"cells": [4, 5, 6], "cell_size": 2, "channels": {"u": {"type": "float", "background": 0}, "mark": "uint"}}},
        "step": [{"stage": "a", "over": "air", "reads": ["air.u"], "writes": ["air.mark"], "arguments": {"k": 3}}]}"#;

    #[test]
    fn only_what_is_declared_is_there() {
        let pipeline = pipeline(TEXT);
        let interface = generate(&pipeline, &pipeline.stages[0]);
        assert!(interface.text.contains("float air_u(ivec3 i)"));
        assert!(interface.text.contains("uint add_air_mark(ivec3 i, uint value)"));
        assert!(!interface.text.contains("set_air_u"));
        assert!(!interface.text.contains("uint air_mark(ivec3 i)"));
        assert_eq!(
            interface.slots,
            [
                Slot::Fault,
                Slot::Clock,
                Slot::Stage,
                Slot::Read(0),
                Slot::Write(1),
                Slot::Argument(0)
            ]
        );
    }

    #[test]
    fn the_hash_follows_types_and_not_sizes() {
        let hash = |text: &str| {
            let pipeline = pipeline(text);
            generate(&pipeline, &pipeline.stages[0]).hash
        };
        assert_eq!(hash(TEXT), hash(&TEXT.replace("[4, 5, 6]", "[40, 50, 60]")));
        assert_ne!(
            hash(TEXT),
            hash(&TEXT.replace("\"type\": \"float\"", "\"type\": \"vec2\""))
        );
        assert_ne!(hash(TEXT), hash(&TEXT.replace("\"k\": 3", "\"k\": [3, 4]")));
    }
}
