//! A resolved pipeline: every name looked up, every expression evaluated, every repeat unrolled.
//!
//! This is what the layers above work with. It holds no text positions and no device sizes.

use std::path::PathBuf;

use super::element::{Element, Scalar};
use crate::grid::Layout;
use crate::output::Content;
use crate::particles::live;
use crate::texts::Texts;

mod domains;
mod measures;
mod sources;
mod sparse;

pub use domains::*;
pub use measures::*;
pub use sources::*;
pub use sparse::*;

/// Index into [`Pipeline::resources`].
pub type ResourceId = usize;
/// Index into [`Pipeline::fields`].
pub type FieldId = usize;
/// Index into [`Pipeline::stages`].
pub type StageId = usize;

#[derive(Debug, Clone)]
pub struct Pipeline {
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

/// A grid, height field, particle set, buffer or image.
#[derive(Debug, Clone)]
pub struct Resource {
    pub name: String,
    pub kind: Kind,
    /// Elements per axis; unused axes are 1.
    pub size: [u64; 3],
    /// World position of the corner of the first cell, or of the first vertex, m.
    pub origin: [f64; 3],
    /// Distance of neighbouring elements, m.
    pub spacing: [f64; 3],
    /// A grid that holds only blocks that stages ask for.
    pub sparse: Option<Box<SparseGrid>>,
    /// The field whose first word is the number of live elements, where it changes.
    pub live: Option<FieldId>,
}

/// Where a field lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Home {
    #[default]
    Device,
    /// Mapped, for the host to read.
    HostReads,
    /// Mapped, for the host to write.
    HostWrites,
    /// In the blocks of its sparse grid.
    Pages,
}

#[derive(Debug, Clone)]
pub enum Kind {
    Grid,
    Heights(HeightImage),
    Particles {
        ring: u32,
        /// What it starts as, in the order of its particles; none if that is backgrounds.
        from: Vec<Source>,
    },
    Buffer,
    Image,
}

/// The image that a height field starts from.
#[derive(Debug, Clone)]
pub struct HeightImage {
    pub path: PathBuf,
    /// Height of one grey level, m.
    pub metres_per_level: f64,
    pub base_level: f64,
    /// The field that receives the heights.
    pub into: FieldId,
}

/// One channel, attribute or buffer.
#[derive(Debug, Clone)]
pub struct Field {
    /// `air.u`; for a buffer its own name.
    pub name: String,
    pub resource: ResourceId,
    pub element: Element,
    /// Initial value of every component, and what a faulting read returns.
    pub background: f64,
    /// The file says what it starts as: a background, values or an image.
    pub given: bool,
    /// Least and greatest value that are no sign of a mistake.
    pub bounds: Option<[f64; 2]>,
    /// Initial components, where the file lists them.
    pub values: Option<Vec<u32>>,
    /// Copies that steps cycle through; 1 for everything that steps do not write.
    pub ring: u32,
    pub home: Home,
}

/// One compute shader over a domain.
#[derive(Debug, Clone)]
pub struct Stage {
    pub name: String,
    /// As written, or `<name>.comp`.
    pub shader: String,
    /// Directory of the file that names the shader, where the search for it begins.
    pub directory: PathBuf,
    pub domain: Domain,
    pub reads: Vec<FieldId>,
    pub writes: Vec<FieldId>,
    pub arguments: Vec<(String, Element)>,
    pub constants: Vec<(String, f64)>,
    /// Runs in every n-th step or frame,
    pub every: u32,
    /// the first time in this one, counted from 0.
    pub first: u32,
    /// Runs only while the first element of this `uint` buffer is not 0, which the device looks at.
    pub condition: Option<FieldId>,
    /// Sparse grids of which it asks for blocks.
    pub requests: Vec<ResourceId>,
    /// Its part in an update of a sparse grid.
    pub update: Option<Update>,
    /// Names that its shader uses for others of the interface: for shaders that serve any grid.
    pub aliases: Vec<(String, String)>,
    pub shape: Shape,
    /// What of the shape the file states; the rest may be chosen for the device.
    pub stated: StatedShape,
    /// What the engine's measuring stages see of the fields they read.
    pub measured: Vec<Measured>,
    pub unchecked: bool,
    /// JSON pointer of the stage, for messages.
    pub pointer: String,
}

impl Stage {
    /// Whether it writes all of a field in every step, as far as anyone will read it: then it may write another copy
    /// than it reads.
    pub fn moves_on(&self, field: FieldId) -> bool {
        self.every == 1
            && self.condition.is_none()
            && self.domain.over != Over::Newborn
            && self.writes.contains(&field)
    }
}

/// How a domain is cut up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub workgroup: [u32; 3],
    /// Consecutive cells in z per invocation.
    pub march: u32,
}

/// The parts of a [`Shape`] that a pipeline file may state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatedShape {
    pub workgroup: Option<[u32; 3]>,
    pub march: Option<u32>,
}

/// Devices that want different shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceClass {
    Gpu,
    /// A driver that runs kernels on the processor: long rows and deep marches, for its vector units and caches.
    Processor,
}

impl Shape {
    /// A workgroup per sub-block; a processor's loops want flat groups that march through it.
    pub fn of_sub_block(layout: &Layout, class: DeviceClass) -> Shape {
        let [x, y, z] = layout.sub_log2.map(|log2| 1 << log2);
        match class {
            DeviceClass::Gpu => Shape {
                workgroup: [x, y, z],
                march: 1,
            },
            DeviceClass::Processor => Shape {
                workgroup: [x, y, 1],
                march: z,
            },
        }
    }
}

impl StatedShape {
    /// The shape for a domain of so many axes, with the device's default for what is not stated.
    pub fn on(self, class: DeviceClass, axes: u32) -> Shape {
        let (workgroup, march) = match (class, axes) {
            (_, 1) => ([64, 1, 1], 1),
            (DeviceClass::Gpu, 2) => ([16, 8, 1], 1),
            (DeviceClass::Gpu, _) => ([32, 4, 1], 1),
            (DeviceClass::Processor, 2) => ([64, 2, 1], 1),
            (DeviceClass::Processor, _) => ([64, 2, 1], 16),
        };
        Shape {
            workgroup: self.workgroup.unwrap_or(workgroup),
            march: self.march.unwrap_or(march),
        }
    }
}

/// One dispatch of a stage, with the argument values of this turn of its repeats.
#[derive(Debug, Clone)]
pub struct Invocation {
    pub stage: StageId,
    /// The bits of each argument's components, in the order of [`Stage::arguments`].
    pub values: Vec<Vec<u32>>,
}

/// One kind of file that a run writes.
#[derive(Debug, Clone)]
pub struct Output {
    pub name: String,
    /// What the file names: a field or a resource.
    pub source: String,
    /// The fields that are downloaded, in the order of the parts of a payload: the columns of the content (channels of
    /// sparse grids as copies laid out whole), then whatever else the content refers to.
    pub fields: Vec<FieldId>,
    pub content: Content,
    /// Every n-th frame is written.
    pub every: u64,
}

/// When a run keeps its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckpointPlan {
    /// After every n-th frame; `None` for only when a signal asks for it.
    pub every: Option<u64>,
    /// The newest so many stay.
    pub keep: usize,
}

/// Shader that lays a channel of a sparse grid out whole, for outputs.
pub const UNPACK: &str = "grid/unpack.comp";

impl Stage {
    /// Whether all it does is to lay a channel of a sparse grid out afresh.
    pub fn is_unpack(&self) -> bool {
        self.shader == UNPACK
    }
}

impl Resource {
    /// Axes of an index into it.
    pub fn axes(&self) -> u32 {
        match self.kind {
            Kind::Grid => 3,
            Kind::Heights(_) | Kind::Image => 2,
            Kind::Particles { .. } | Kind::Buffer => 1,
        }
    }

    /// Where its particles come from; nothing for other resources.
    pub fn sources(&self) -> &[Source] {
        match &self.kind {
            Kind::Particles { from, .. } => from,
            _ => &[],
        }
    }

    pub fn elements(&self) -> u64 {
        self.size.iter().product()
    }
}

impl Pipeline {
    /// Chooses the shapes that the file leaves open.
    pub fn shape_for(&mut self, class: DeviceClass) {
        for stage in &mut self.stages {
            stage.shape = stage.stated.on(class, stage.domain.axes);
            if stage.domain.over == Over::ActiveCells
                && let Some(grid) = stage
                    .domain
                    .resource
                    .and_then(|id| self.resources[id].sparse.as_ref())
            {
                stage.shape = Shape::of_sub_block(&grid.layout, class);
            }
        }
    }

    /// The workgroups of a stage.
    pub fn groups_of(&self, stage: &Stage) -> Result<Groups, String> {
        let resource = stage.domain.resource.map(|id| &self.resources[id]);
        let indirect = |field: FieldId, word: u32| Groups::Indirect {
            field,
            offset: 4 * u64::from(word),
        };
        let live = resource.and_then(|resource| resource.live);
        let header = resource.and_then(|resource| Some(resource.sparse.as_ref()?.fields.header));
        let per_group = stage.shape.workgroup[0] * stage.domain.per_invocation;
        let groups = match stage.domain.over {
            Over::Live => live.zip(live::groups(per_group)),
            Over::Newborn => live.zip(live::newborn_groups(per_group)),
            over => header.zip(over.words()),
        };
        match groups {
            Some((field, word)) => Ok(indirect(field, word)),
            None => Ok(Groups::Direct(stage.domain.groups(stage.shape)?)),
        }
    }

    /// The sparse grid whose blocks hold a field.
    pub fn sparse_of(&self, field: FieldId) -> Option<&SparseGrid> {
        self.resources[self.fields[field].resource].sparse.as_deref()
    }

    /// Every field that some output downloads; some more than once.
    pub fn output_fields(&self) -> impl Iterator<Item = FieldId> {
        self.outputs
            .iter()
            .flat_map(|output| output.fields.iter().copied())
    }

    pub fn field(&self, name: &str) -> Option<FieldId> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// JSON pointer of a resource.
    pub fn pointer_of(&self, resource: &Resource) -> String {
        let section = match resource.kind {
            Kind::Grid => "grids",
            Kind::Heights(_) => "heights",
            Kind::Particles { .. } => "particles",
            Kind::Buffer => "buffers",
            Kind::Image => "images",
        };
        format!("/{section}/{}", resource.name)
    }

    /// Bytes of one copy of a field.
    pub fn field_bytes(&self, field: FieldId) -> u64 {
        let field = &self.fields[field];
        self.resources[field.resource].elements() * field.element.bytes()
    }

    /// The sparse grids with their resources.
    pub fn sparse_grids(&self) -> impl Iterator<Item = (ResourceId, &SparseGrid)> {
        let numbered = self.resources.iter().enumerate();
        numbered.filter_map(|(id, resource)| Some((id, resource.sparse.as_deref()?)))
    }

    /// Steps after which every ring is back at its first copy.
    pub fn slots(&self) -> u32 {
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
