//! Specialization constants of the interface: the kind of each, and its value for a stage.

use crate::ir::{Field, Pipeline, Resource, Stage};
use crate::workgroups::Shape;

use super::constant_kind::ConstantKind;
use super::{DOMAIN, Generator, Interface, LOCAL_SIZE, MARCH, WIDTH, line};

/// Fields with at least this many components need indices of more than 31 bits: drivers treat 32-bit indices as signed.
const WIDE: u64 = 1 << 31;

impl Generator<'_> {
    /// Declares a constant.
    pub(super) fn constant(&mut self, id: u32, kind: &str, name: &str, default: &str, meaning: ConstantKind) {
        line!(
            self,
            "layout(constant_id = {id}) const {kind} {name} = {default};"
        );
        self.constants.push((id, meaning));
    }

    /// The constants of a stage's shape and domain.
    pub(super) fn domain_constants(&mut self) {
        line!(
            self,
            "layout(local_size_x_id = {}, local_size_y_id = {}, local_size_z_id = {}) in;",
            LOCAL_SIZE,
            LOCAL_SIZE + 1,
            LOCAL_SIZE + 2
        );
        line!(self, "#define stage_local_size ivec3(gl_WorkGroupSize)");
        let workgroup = (0..3).map(|axis| (LOCAL_SIZE + axis as u32, ConstantKind::Workgroup(axis)));
        self.constants.extend(workgroup);
        self.constant(MARCH, "int", "sg_march", "1", ConstantKind::March);
        if let Some(width) = self.signature.width {
            line!(self, "#define STAGE_WIDTH {width}");
            self.constant(WIDTH, "int", "stage_width", "1", ConstantKind::Width);
        }
        if self.signature.is_over_level() {
            return self.level_domain();
        }
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            let name = format!("sg_domain_{name}");
            self.constant(
                DOMAIN + axis as u32,
                "uint",
                &name,
                "1u",
                ConstantKind::Domain(axis),
            );
        }
    }
}

impl Interface {
    /// The values of the constants for a stage, by id, except checked mode and those of pages.
    pub fn constants(&self, pipeline: &Pipeline, stage: &Stage, shape: Shape) -> Vec<(u32, u32)> {
        let value = |meaning: ConstantKind| value(pipeline, stage, shape, meaning);
        self.constants
            .iter()
            .map(|(id, meaning)| (*id, value(*meaning)))
            .collect()
    }
}

fn value(pipeline: &Pipeline, stage: &Stage, shape: Shape, meaning: ConstantKind) -> u32 {
    let resource = |local: usize| &pipeline.resources[stage.resources[local]];
    let lattice = |local: usize| resource(local).lattice();
    let layout = |local: usize| resource(local).sparse().map(|grid| &grid.layout);
    let bits = |values: Option<[f64; 3]>, axis: usize| (values.unwrap_or_default()[axis] as f32).to_bits();
    match meaning {
        ConstantKind::Workgroup(axis) => shape.workgroup[axis],
        ConstantKind::March => shape.cells_per_thread_z,
        ConstantKind::Width => shape.vector_width,
        ConstantKind::Domain(axis) => stage.domain.size[axis] as u32,
        ConstantKind::Size(local, axis) => resource(local).size[axis] as u32,
        ConstantKind::Origin(local, axis) => bits(lattice(local).map(|lattice| lattice.origin), axis),
        ConstantKind::Spacing(local, axis) => bits(lattice(local).map(|lattice| lattice.spacing), axis),
        ConstantKind::Wide(local) => {
            // All levels of a grid must agree.
            let id = resource(local)
                .level()
                .map_or(stage.resources[local], |level| level.of);
            u32::from(is_wide(pipeline, id, &pipeline.resources[id]))
        }
        ConstantKind::BlockLog2(local, axis) => layout(local).map_or(0, |layout| layout.block_log2[axis]),
        ConstantKind::SubBlockLog2(local, axis) => layout(local).map_or(0, |layout| layout.sub_log2[axis]),
        ConstantKind::BlockBits(local, axis) => layout(local).map_or(0, |layout| layout.block_bits[axis]),
        ConstantKind::BlockBytes(local) => layout(local).map_or(0, |layout| layout.block_bytes as u32),
    }
}

fn is_wide(pipeline: &Pipeline, id: usize, resource: &Resource) -> bool {
    let fields = pipeline.fields.iter().filter(|field| field.resource == id);
    let numbers = |field: &Field| {
        let elements: u64 = resource.size_of(field).iter().product();
        // Each entry of an array has an address of its own.
        elements.saturating_mul(u64::from(field.element.components()))
    };
    let most = fields.map(numbers).max();
    most.unwrap_or_else(|| resource.elements()) >= WIDE
}
