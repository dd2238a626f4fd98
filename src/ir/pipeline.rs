//! A pipeline with all its parts.

use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexSet;

use super::cut::Cut;
use super::field::Field;
use super::ids::{FieldId, ResourceId};
use super::kernel::Kernel;
use super::list::List;
use super::measures::{Class, Measured, Series, Watch};
use super::parameters::{Parameter, report_parameters};

use super::output::{CheckpointPlan, Output};
use super::resource::Resource;
use super::sorted::Sorted;
use super::sparse::SparseGrid;
use super::stage::{Invocation, LoopLimit, Stage};
use super::swaps::Swaps;
use crate::inline_shaders::InlineShaders;

#[derive(Debug, Clone, Default)]
pub struct Pipeline {
    /// File stem of the pipeline file.
    pub name: String,
    pub title: String,
    pub seed: u32,
    /// Length of a step, s.
    pub dt: f64,
    pub steps_per_frame: u32,
    pub frames: u64,
    /// Results have the same bits on every device.
    pub portable: bool,
    /// Directory of the pipeline file.
    pub directory: PathBuf,
    /// Shaders and includes that are not files.
    pub texts: InlineShaders,
    pub resources: Vec<Resource>,
    pub fields: Vec<Field>,
    /// Each kernel once, for all stages that use it.
    pub kernels: IndexSet<Kernel>,
    pub stages: Vec<Stage>,
    pub init: Vec<Invocation>,
    pub step: Vec<Invocation>,
    pub frame: Vec<Invocation>,
    /// Names of groups that clients call between steps. Their entries follow those of `step`.
    pub calls: Vec<String>,
    pub swaps: Swaps,
    /// All sorts of particles, each once.
    pub sorts: Vec<Sorted>,
    /// Repeats that should end before their last iteration.
    pub loop_limits: Vec<LoopLimit>,
    pub outputs: Vec<Output>,
    pub checkpoint: CheckpointPlan,
    pub series: Vec<Series>,
    pub watch: Option<Watch>,
    /// The part of this rank, if several ranks run it.
    pub cut: Option<Box<Cut>>,
    /// The worlds besides the first, which has the values of this pipeline.
    pub other_worlds: Vec<World>,
    pub parameters: Vec<Parameter>,
    /// The merged file with overrides applied: the content of `resolved.json`.
    pub document: serde_json::Value,
}

/// A world besides the first, which is the pipeline itself.
#[derive(Debug, Clone)]
pub struct World {
    pub seed: u32,
    /// The pipeline of this world alone, except for the seed: worlds with the same parameters share it.
    pub pipeline: Arc<Pipeline>,
}

/// The greatest common divisor; `gcd(0, n)` is `n`.
pub fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Pipeline {
    /// Returns true if a stage of `step` or `frame` may change a field.
    pub fn steps_change(&self, field: FieldId) -> bool {
        let family = self.swaps.family(field);
        let mut entries = self.step.iter().chain(&self.frame);
        entries.any(|entry| {
            let mut writes = self.stages[entry.stage].writes().iter();
            writes.any(|field| self.swaps.family(*field) == family)
        })
    }

    /// A line for each parameter with a unit or a help, then the warnings about parameters and outputs.
    pub fn notes(&self) -> Vec<String> {
        let maps = self
            .outputs
            .iter()
            .filter_map(|output| output.content.map.as_ref());
        let warnings = maps.filter_map(|map| map.warning.as_ref());
        let mut notes = report_parameters(&self.parameters);
        notes.extend(warnings.map(|warning| format!("warning: {warning}")));
        notes
    }

    pub fn kernel_of(&self, stage: &Stage) -> &Kernel {
        &self.kernels[stage.kernel]
    }

    /// Returns true if a stage sets the length of an iteration.
    pub fn sets_length(&self, stage: &Stage) -> bool {
        self.kernel_of(stage).signature.sets_length
    }

    /// The sparse grid whose blocks hold a field.
    pub fn sparse_of(&self, field: FieldId) -> Option<&SparseGrid> {
        self.resource_of(field).sparse()
    }

    pub fn resource_of(&self, field: FieldId) -> &Resource {
        &self.resources[self.fields[field].resource]
    }

    /// Every field that an output downloads. A field of several outputs appears several times.
    pub fn output_fields(&self) -> impl Iterator<Item = FieldId> {
        self.outputs
            .iter()
            .flat_map(|output| output.fields.iter().copied())
    }

    pub fn field(&self, name: &str) -> Option<FieldId> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// Elements of a field per axis; unused axes are 1.
    pub fn size_of(&self, field: FieldId) -> [u64; 3] {
        self.resource_of(field).size_of(&self.fields[field])
    }

    /// Elements of a field.
    pub fn elements_of(&self, field: FieldId) -> u64 {
        self.size_of(field).iter().product()
    }

    /// Bytes of one copy of a field.
    pub fn field_bytes(&self, field: FieldId) -> u64 {
        self.elements_of(field) * self.fields[field].bytes()
    }

    /// The sparse grids with their resources.
    pub fn sparse_grids(&self) -> impl Iterator<Item = (ResourceId, &SparseGrid)> {
        let numbered = self.resources.iter().enumerate();
        numbered.filter_map(|(id, resource)| Some((id, resource.sparse()?)))
    }

    /// Returns true for a buffer with values or partial results of reductions over grids, between passes of transforms, or for
    /// lists of sorts and removals. It is no state: stages write it before they read it, and a rank writes its part alone.
    pub fn is_scratch(&self, field: FieldId) -> bool {
        self.is_list_of_sorts(field) || self.is_of_reductions(field) || self.is_between_passes(field)
    }

    /// Returns true for a buffer that only passes of transforms access.
    fn is_between_passes(&self, field: FieldId) -> bool {
        let mut ends = (self.stages.iter()).filter_map(|stage| Some(&stage.lines.as_deref()?.ends));
        ends.any(|ends| ends.iter().any(|end| end.is_scratch && end.field == field))
    }

    /// Returns true for a buffer that only stages of sorts and removals access.
    fn is_list_of_sorts(&self, field: FieldId) -> bool {
        let moves = |stage: &Stage| {
            let built_in = self.built_in(stage);
            built_in.is_some_and(|path| path.starts_with("particles/"))
        };
        let is_counted = |resource: &Resource| {
            let next = resource.identity().and_then(|identity| identity.next);
            resource.live() == Some(field) || next == Some(field)
        };
        if self.resources.iter().any(is_counted) {
            return false;
        }
        let mut users = (self.stages.iter())
            .filter(|stage| stage.bindings.contains(&field))
            .peekable();
        self.resource_of(field).pointer.is_empty() && users.peek().is_some() && users.all(moves)
    }

    fn is_of_reductions(&self, field: FieldId) -> bool {
        self.stages
            .iter()
            .filter(|stage| self.is_reduction(stage))
            .any(|stage| {
                let grid = (stage.tiles.map(|tiles| tiles.grid)).or(stage.runs.map(|runs| runs.grid));
                let measured = &self.kernel_of(stage).signature.measured;
                let is_measured = || measured.iter().any(|item| stage.bindings[item.field] == field);
                grid.is_some_and(|grid| self.fields[field].resource != grid)
                    && (stage.writes().contains(&field) || is_measured())
            })
    }

    /// Number of phases: steps after which every ring is at its first copy again, and every field in its own memory.
    pub fn phases(&self) -> u32 {
        self.fields
            .iter()
            .map(|field| field.ring)
            .chain([self.swaps.order()])
            .fold(1, |slots, count| slots / gcd(slots, count).max(1) * count)
    }

    /// Type of the numbers of an item.
    pub fn class_of(&self, item: &Measured) -> Class {
        if item.is_squared {
            Class::Float
        } else {
            self.fields[item.field].element.class()
        }
    }
}

impl List {
    /// The entries of the list in a pipeline.
    pub fn entries(self, pipeline: &Pipeline) -> &[Invocation] {
        match self {
            List::Init => &pipeline.init,
            List::Step => &pipeline.step,
            List::Frame => &pipeline.frame,
        }
    }
}
