//! Pipelines that have passed their checks.

use std::path::PathBuf;

use crate::element::Element;
use crate::run::RunError;
use crate::spec::document::Document;

use super::error::Error;
use super::problems::Problems;

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
    pub(super) inner: crate::ir::Pipeline,
    document: Document,
    /// Its file, or the name that its text has in messages.
    pub(super) file: PathBuf,
}

/// A field: a channel, an attribute or a buffer, which stages and the host read and write by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// `<resource>.<channel>`, or the name of a buffer.
    pub name: String,
    /// Type of the value of one cell, particle, pixel or element.
    pub element: Element,
    /// Values of an array; `None` for a single one. Memory holds value 0 of every element, then value 1, and so on.
    pub count: Option<u32>,
    /// Number of elements along each axis of the resource; x varies fastest in memory.
    pub size: Vec<u64>,
    /// Copies that steps cycle through.
    pub ring: u32,
    /// Bytes of one copy.
    pub bytes: u64,
}

impl Pipeline {
    pub(super) fn new(inner: crate::ir::Pipeline, document: Document, file: PathBuf) -> Pipeline {
        Pipeline {
            inner,
            document,
            file,
        }
    }

    /// Its name: that of its file without the extension, or that given to the builder.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Length of a step, s.
    pub fn dt(&self) -> f64 {
        self.inner.dt
    }

    /// Steps from one frame to the next.
    pub fn steps_per_frame(&self) -> u32 {
        self.inner.steps_per_frame
    }

    /// Frames of a whole run.
    pub fn frames(&self) -> u64 {
        self.inner.frames
    }

    /// The fields of the pipeline, without those of the engine.
    pub fn fields(&self) -> Vec<Field> {
        fields(&self.inner)
    }

    /// The whole pipeline as JSON, with everything merged and overridden.
    pub fn to_json(&self) -> String {
        format!("{:#}", self.inner.document)
    }

    /// Compiles every shader, without a device. The error contains every mistake.
    pub fn check_shaders(&self) -> Result<(), Problems> {
        let built = crate::shader::build(&self.inner, &Default::default(), &Default::default());
        let located = |problems: crate::problem::Problems| Problems::of(problems.located(&self.document));
        built.map(drop).map_err(located)
    }

    /// An error of the engine, with the places of problems in this pipeline.
    pub(super) fn explain(&self, error: RunError) -> Error {
        match error {
            RunError::Input(problems) => Problems::of(problems.located(&self.document)).into(),
            other => Error::of_run(other),
        }
    }
}

/// The fields that a pipeline names.
pub fn fields(pipeline: &crate::ir::Pipeline) -> Vec<Field> {
    let fields = pipeline.fields.iter().filter(|field| !field.pointer.is_empty());
    fields
        .map(|field| {
            let resource = &pipeline.resources[field.resource];
            Field {
                name: field.name.clone(),
                element: field.element,
                count: field.count,
                size: resource.size_of(field)[..resource.axes() as usize].to_vec(),
                ring: field.ring,
                bytes: resource.size_of(field).iter().product::<u64>() * field.bytes(),
            }
        })
        .collect()
}
