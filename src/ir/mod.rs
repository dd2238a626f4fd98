//! The intermediate form of a pipeline: every name looked up, every expression evaluated, every repeat unrolled.
//!
//! A *resource* is a lattice or a particle set with its *fields*. A *kernel* is a shader with the signature that it is
//! compiled against, in names of its own, once for all its users. A *stage* is a use of a kernel: which fields stand
//! behind the kernel's names, over which domain, how often. A pipeline's lists hold *invocations* of stages. There are
//! no text positions and no device sizes in it.

mod block;
mod builder;
mod domain;
mod field;
mod kernel;
mod list;
mod measures;
mod output;
mod resource;
mod shape;
mod sources;
mod sparse;
mod stage;

use std::path::PathBuf;

use indexmap::IndexSet;

use crate::texts::Texts;

pub(crate) use block::{BLOCK_ALIGNMENT, CLOCK_BYTES, FAULT_BYTES, FAULT_STRIDE, Slot};
pub(crate) use builder::Draft;
pub(crate) use domain::{Domain, Groups, Over};
pub(crate) use field::{Field, HeightImage, Home, Start};
pub(crate) use kernel::{
    Kernel, LocalField, LocalMeasured, LocalPages, LocalPlace, LocalResource, LocalShape, MOST_GRIDS,
    MOST_RESOURCES, ShaderSource, Signature,
};
pub(crate) use list::List;
pub(crate) use measures::*;
pub(crate) use output::{CheckpointPlan, Output};
pub(crate) use resource::{Form, GRID, HEIGHTS, IMAGE, Kind, Lattice, Placement, Resource, SET_SECTION, Set};
pub(crate) use shape::{DeviceClass, Shape, StatedShape};
pub(crate) use sources::*;
pub(crate) use sparse::*;
pub(crate) use stage::{Invocation, Purpose, Stage};

/// Index into [`Pipeline::resources`].
pub(crate) type ResourceId = usize;
/// Index into [`Pipeline::fields`].
pub(crate) type FieldId = usize;
/// Index into [`Pipeline::kernels`].
pub(crate) type KernelId = usize;
/// Index into [`Pipeline::stages`].
pub(crate) type StageId = usize;

#[derive(Debug, Clone, Default)]
pub(crate) struct Pipeline {
    /// File stem of the pipeline file.
    pub name: String,
    pub title: String,
    pub seed: u32,
    /// Length of a step, s.
    pub dt: f64,
    pub steps_per_frame: u32,
    pub frames: u64,
    /// Directory of the pipeline file.
    pub directory: PathBuf,
    /// Extra directory of shaders, if the file names one.
    pub shader_directory: Option<PathBuf>,
    /// Shaders and includes that are no files.
    pub texts: Texts,
    pub resources: Vec<Resource>,
    pub fields: Vec<Field>,
    /// Each once, however many stages use it.
    pub kernels: IndexSet<Kernel>,
    pub stages: Vec<Stage>,
    pub init: Vec<Invocation>,
    pub step: Vec<Invocation>,
    pub frame: Vec<Invocation>,
    pub outputs: Vec<Output>,
    pub checkpoint: CheckpointPlan,
    pub series: Vec<Series>,
    pub watch: Option<Watch>,
    /// The merged file with overrides applied: what `resolved.json` holds.
    pub document: serde_json::Value,
}

impl Pipeline {
    /// Chooses the shapes that the file leaves open.
    pub(crate) fn shape_for(&mut self, class: DeviceClass) {
        for stage in &mut self.stages {
            stage.shape = stage.stated.on(class, stage.domain.axes);
            let grid = stage.domain.resource.and_then(|id| self.resources[id].sparse());
            if let (Over::ActiveCells, Some(grid)) = (stage.domain.over, grid) {
                stage.shape = Shape::of_sub_block(&grid.layout, class);
            }
        }
    }

    pub(crate) fn kernel_of(&self, stage: &Stage) -> &Kernel {
        &self.kernels[stage.kernel]
    }

    /// The sparse grid whose blocks hold a field.
    pub(crate) fn sparse_of(&self, field: FieldId) -> Option<&SparseGrid> {
        self.resource_of(field).sparse()
    }

    pub(crate) fn resource_of(&self, field: FieldId) -> &Resource {
        &self.resources[self.fields[field].resource]
    }

    /// Every field that some output downloads; some more than once.
    pub(crate) fn output_fields(&self) -> impl Iterator<Item = FieldId> {
        self.outputs
            .iter()
            .flat_map(|output| output.fields.iter().copied())
    }

    pub(crate) fn field(&self, name: &str) -> Option<FieldId> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// Bytes of one copy of a field.
    pub(crate) fn field_bytes(&self, field: FieldId) -> u64 {
        self.resource_of(field).elements() * self.fields[field].element.bytes()
    }

    /// The sparse grids with their resources.
    pub(crate) fn sparse_grids(&self) -> impl Iterator<Item = (ResourceId, &SparseGrid)> {
        let numbered = self.resources.iter().enumerate();
        numbered.filter_map(|(id, resource)| Some((id, resource.sparse()?)))
    }

    /// Steps after which every ring is back at its first copy.
    pub(crate) fn slots(&self) -> u32 {
        let gcd = |mut a: u32, mut b: u32| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        self.fields
            .iter()
            .fold(1, |slots, field| slots / gcd(slots, field.ring) * field.ring)
    }
}
