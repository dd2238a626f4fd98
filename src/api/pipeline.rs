//! Pipelines that have passed their checks.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::element::Element;
use crate::ir::{self, Parameter, ShaderSource};
use crate::plan::{self, graph};
use crate::problem::{Problem, Problems};
use crate::run::RunError;
use crate::run::device::{class_of, excessive_modules, missing_types};
use crate::shader::{Module, interface, portable};
use crate::spec::document::Document;
use crate::workgroups::DeviceClass;

use super::builder::Builder;
use super::device::DeviceInfo;
use super::error::Error;
use super::field::{Field, fields};

/// A checked pipeline, for any number of [`Simulation`](crate::Simulation)s and [`Run`](crate::Run)s on any device.
///
/// ```
/// use sastrugi::Pipeline;
///
/// let pipeline = Pipeline::from_json(r#"{
///     "run": {"dt": "1/60"},
///     "buffers": {"count": {"type": "uint", "length": 4, "background": 0}},
///     "step": [{"stage": "tick", "over": 4, "reads": ["count"], "writes": ["count"]}]
/// }"#)
/// .shader("tick.comp", r#"
///     #version 460
///     #include "stage.glsl"
///     void stage(uint i) { set_count(i, count(i) + 1u); }
/// "#)
/// .build()?;
/// let count = &pipeline.fields()[0];
/// assert_eq!((count.name.as_str(), count.size.as_slice()), ("count", &[4][..]));
/// # Ok::<(), sastrugi::Problems>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pipeline {
    pub(super) inner: ir::Pipeline,
    pub(super) document: Document,
    /// Source of the pipeline, for reading it again with other values.
    pub(super) builder: Builder,
    /// Replacement shaders, by stage.
    pub(super) swaps: BTreeMap<String, String>,
    /// Stages in which checked runs search for races; `None`: all.
    searched: Option<Vec<String>>,
}

/// An image of 8-bit colours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its field, such as `view.color`.
    pub name: String,
    /// Width and height, pixels.
    pub size: [u32; 2],
    /// The outputs that write it.
    pub outputs: Vec<String>,
}

/// Numbers that describe a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Number of stages in all lists.
    pub stages: usize,
    /// Number of these stages with a kernel that the engine provides or generates.
    pub stages_of_engine: usize,
    /// Number of dispatches per step.
    pub dispatches: usize,
    /// Number of outputs: files of frames, and series.
    pub outputs: usize,
    /// The particle sets.
    pub particles: Vec<ParticleCount>,
}

/// The size of a particle set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParticleCount {
    /// The name of the set.
    pub name: String,
    /// Maximum number of particles.
    pub capacity: u64,
    /// Number of particles that sources create at the start; 0 without sources.
    pub sources: u64,
}

/// Format of [`Pipeline::graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphFormat {
    /// Stages in order with their reads and writes, barriers with their reasons, and segments.
    Text,
    /// Stages as nodes and hazards as edges, for Graphviz.
    Dot,
    /// As [`GraphFormat::Dot`], for Mermaid.
    Mermaid,
}

impl Builder {
    /// Checks everything except shaders, which [`Pipeline::check_shaders`] and every [`Simulation`](crate::Simulation)
    /// compile. The error contains every mistake.
    pub fn build(&self) -> Result<Pipeline, Problems> {
        let (inner, document) = self.checked()?;
        Ok(Pipeline {
            inner,
            document,
            builder: self.clone(),
            swaps: BTreeMap::new(),
            searched: None,
        })
    }
}

impl Pipeline {
    /// Starts from the text of a pipeline file: JSON, in which comments and trailing commas are allowed.
    pub fn from_json(text: &str) -> Builder {
        Builder::of_text("pipeline", text)
    }

    /// Starts from a pipeline file.
    pub fn from_file(path: impl AsRef<Path>) -> Builder {
        Builder::of_file(path.as_ref())
    }

    /// Name: the file name without its extension, or the name given to the builder.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Its title: `title` of the file, or its name.
    pub fn title(&self) -> &str {
        &self.inner.title
    }

    /// Its file, or the name of its text in messages.
    pub fn file(&self) -> &Path {
        self.builder.file()
    }

    /// Length of a step, s.
    pub fn dt(&self) -> f64 {
        self.inner.dt
    }

    /// Number of steps per frame.
    pub fn steps_per_frame(&self) -> u32 {
        self.inner.steps_per_frame
    }

    /// Number of frames of a whole run.
    pub fn frames(&self) -> u64 {
        self.inner.frames
    }

    /// The fields of the pipeline, without internal fields of the engine.
    pub fn fields(&self) -> Vec<Field> {
        fields(&self.inner)
    }

    /// The names of its stages.
    pub fn stages(&self) -> impl Iterator<Item = &str> {
        self.inner.stages.iter().map(|stage| stage.name.as_str())
    }

    /// Its parameters: numbers and vectors, with their current values.
    pub fn parameters(&self) -> &[Parameter] {
        &self.inner.parameters
    }

    /// Its images of type `rgba8`: images of outputs first, in the order of the document.
    pub fn images(&self) -> Vec<Image> {
        let pipeline = &self.inner;
        let of_outputs = pipeline.output_fields();
        let mut fields: Vec<usize> = Vec::new();
        for field in of_outputs.chain(0..pipeline.fields.len()) {
            let shows = pipeline.fields[field].element == Element::Rgba8
                && pipeline.resource_of(field).axes() == 2
                && !fields.contains(&field);
            if shows {
                fields.push(field);
            }
        }
        let image = |field: usize| {
            let [width, height, _] = pipeline.size_of(field);
            let outputs = pipeline.outputs.iter();
            let outputs = outputs.filter(|output| output.fields.first() == Some(&field));
            Some(Image {
                name: pipeline.fields[field].name.clone(),
                size: [u32::try_from(width).ok()?, u32::try_from(height).ok()?],
                outputs: outputs.map(|output| output.name.clone()).collect(),
            })
        };
        fields.into_iter().filter_map(image).collect()
    }

    /// True if the pipeline has `watch`, which checks fields for bad values.
    pub fn is_watched(&self) -> bool {
        self.inner.watch.is_some()
    }

    /// A line for each parameter with a unit or a help, then warnings about values outside their ranges and about outputs.
    pub fn notes(&self) -> Vec<String> {
        self.inner.notes()
    }

    /// Proposals that make it faster, each a sentence.
    pub fn proposals(&self) -> Vec<String> {
        let sort = |found: ir::Unsorted| {
            let set = &self.inner.resources[found.set];
            format!(
                "`{}` reads `{}` at the positions of {} particles of `{}`, which nothing sorts: sort them by blocks of \
                 the grid every few steps (docs/performance.md#dots: 1.7 times the steps per second)",
                found.stage,
                self.inner.fields[found.field].name,
                set.elements(),
                set.name
            )
        };
        self.inner.unsorted().into_iter().map(sort).collect()
    }

    /// Its numbers of stages, dispatches, outputs and particles.
    pub fn summary(&self) -> Summary {
        let is_of_engine = |stage: &&ir::Stage| {
            let source = &self.inner.kernels[stage.kernel].source;
            matches!(source, ShaderSource::BuiltIn(_) | ShaderSource::Written { .. })
        };
        let sets = self
            .inner
            .resources
            .iter()
            .filter(|resource| resource.set().is_some());
        let particles = sets.map(|set| ParticleCount {
            name: set.name.clone(),
            capacity: set.elements(),
            sources: set.sources().iter().map(|source| source.count).sum(),
        });
        Summary {
            stages: self.inner.stages.len(),
            stages_of_engine: self.inner.stages.iter().filter(is_of_engine).count(),
            dispatches: self.inner.step.len(),
            outputs: self.inner.outputs.len() + self.inner.series.len(),
            particles: particles.collect(),
        }
    }

    /// The whole pipeline as JSON, with everything merged and overridden.
    pub fn to_json(&self) -> String {
        format!("{:#}", self.document())
    }

    /// As [`Pipeline::to_json`], as a value.
    pub fn document(&self) -> &Value {
        &self.inner.document
    }

    /// This pipeline with more values set, as by [`Builder::set`]. Its document and files are read again.
    pub fn with<T: AsRef<str>>(
        &self,
        assignments: impl IntoIterator<Item = T>,
    ) -> Result<Pipeline, Problems> {
        let set = |builder: Builder, assignment: T| builder.set(assignment.as_ref());
        self.rebuilt(assignments.into_iter().fold(self.builder.clone(), set))
    }

    /// This pipeline from another builder.
    pub(super) fn rebuilt(&self, builder: Builder) -> Result<Pipeline, Problems> {
        let mut pipeline = builder.build()?;
        pipeline.swaps.clone_from(&self.swaps);
        if let Some(stages) = &self.searched {
            pipeline.search_races_in(stages)?;
        }
        Ok(pipeline)
    }

    /// Uses another shader for a stage: the path of a `.comp` or `.spv`, from the current directory. A shader that does
    /// not fit the interface of the stage is an error when shaders are compiled.
    pub fn swap_shader(&mut self, stage: &str, shader: &str) {
        self.swaps.insert(stage.to_string(), shader.to_string());
    }

    /// Restricts the search for races, [`Options::races`](crate::Options::races), to these stages.
    pub fn search_races_in<T: AsRef<str>>(&mut self, stages: &[T]) -> Result<(), Problem> {
        let names: Vec<&str> = self.stages().collect();
        for stage in stages.iter().map(AsRef::as_ref) {
            if !names.contains(&stage) {
                let message = format!("{stage}: {} has no stage of that name", self.title());
                return Err(Problem::without_place(message).suggest(stage, names.iter().copied()));
            }
        }
        for stage in &mut self.inner.stages {
            stage.unsearched = !stages.iter().any(|wanted| wanted.as_ref() == stage.name);
        }
        self.searched = Some(stages.iter().map(|stage| stage.as_ref().to_string()).collect());
        Ok(())
    }

    /// Compiles every shader, without a device. The error contains every mistake.
    pub fn check_shaders(&self) -> Result<(), Problems> {
        self.modules(DeviceClass::default()).map(drop)
    }

    /// Compiles every shader, and compares what it requires with what a device has. The device is not opened. The error
    /// contains every mistake.
    pub fn check_shaders_on(&self, device: &DeviceInfo) -> Result<(), Problems> {
        let modules = self.modules(class_of(&device.report))?;
        let mut problems = missing_types(&self.inner, &device.report);
        (problems.list).extend(excessive_modules(&self.inner, &modules, &device.report).list);
        if problems.is_empty() {
            Ok(())
        } else {
            Err(self.located(problems))
        }
    }

    fn modules(&self, class: DeviceClass) -> Result<Vec<Module>, Problems> {
        let cache = self.builder.shader_cache();
        let built = crate::shader::build(&self.inner, class, &self.swaps, &cache);
        built.map_err(|problems| self.located(problems))
    }

    /// The generated GLSL interface of a stage, `stage.glsl`, for compilers outside this library. `None` if there is no
    /// stage of this name.
    pub fn interface(&self, stage: &str) -> Option<String> {
        let stage = self.inner.stages.iter().find(|known| known.name == stage)?;
        let signature = &self.inner.kernel_of(stage).signature;
        let text = interface::generate(signature).text;
        let text = if self.inner.portable {
            portable::with_arithmetic(&text)
        } else {
            text
        };
        Some(interface::accesses(signature) + &text)
    }

    /// Its plan as text: stages, hazards, barriers and segments.
    pub fn graph(&self, format: GraphFormat) -> Result<String, Problems> {
        Ok(match format {
            GraphFormat::Text => graph::text(&self.inner, &self.plan()?),
            GraphFormat::Dot => graph::dot(&self.inner),
            GraphFormat::Mermaid => graph::mermaid(&self.inner),
        })
    }

    pub(super) fn plan(&self) -> Result<plan::Plan, Problems> {
        Ok(plan::plan(&self.inner).map_err(Problem::without_place)?)
    }

    /// Adds places in this pipeline to problems.
    pub(super) fn located(&self, problems: Problems) -> Problems {
        problems.located(&self.document.source_map())
    }

    /// Converts an error of the engine, and adds places in this pipeline to its problems.
    pub(super) fn explain(&self, error: RunError) -> Error {
        match error {
            RunError::Input(problems) => self.located(problems).into(),
            other => Error::of_run(other),
        }
    }
}
