//! File types to the resolved model: evaluates, looks up, unrolls, and collects every problem on the way.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::consistency;
use super::document::Document;
use super::file::{Number, Numbers, PipelineFile};
use super::names::check_symbols;
use super::scope::Scope;
use super::stages::resolve_stages;
use crate::element::{Element, Scalar};
use crate::ir::*;
use crate::lower::unpack::Unpacked;
use crate::lower::{self, SharedBuffers};
use crate::problem::{Problem, Problems};

/// Most resources, and most fields.
const MOST_FIELDS: usize = 4096;
/// Most steps until all rings are back at their first copy: each is recorded.
const MOST_SLOTS: u32 = 240;

pub(super) struct Resolver<'a> {
    pub file: &'a PipelineFile,
    pub document: &'a Document,
    pub scope: Scope,
    pub problems: Problems,
    /// What is resolved so far.
    pub pipeline: Pipeline,
    pub field_ids: HashMap<String, FieldId>,
    pub resource_names: HashSet<String>,
    /// Resources and fields whose names are known: those that outputs add have none in the file.
    pub resources_known: usize,
    pub fields_known: usize,
    /// Buffers of the engine's own that several entries share.
    pub shared: SharedBuffers,
    pub unpacked: Unpacked,
}

/// Resolves a pipeline file that has passed the schema.
pub(super) fn resolve(name: &str, file: &PipelineFile, document: &Document) -> Result<Pipeline, Problems> {
    let mut resolver = Resolver {
        file,
        document,
        scope: Scope::default(),
        problems: Problems::default(),
        pipeline: Pipeline {
            name: name.to_string(),
            title: file.title.clone().unwrap_or_else(|| name.to_string()),
            seed: file.seed,
            directory: document.directory.clone(),
            shader_directory: (file.shaders.as_ref()).map(|dir| document.directory_of("/shaders").join(dir)),
            document: document.value(),
            ..Pipeline::default()
        },
        field_ids: HashMap::new(),
        resource_names: HashSet::new(),
        resources_known: 0,
        fields_known: 0,
        shared: SharedBuffers::default(),
        unpacked: Unpacked::default(),
    };
    resolver.pipeline();
    match resolver.problems.is_empty() {
        true => Ok(resolver.pipeline),
        false => Err(resolver.problems),
    }
}

fn values_of(count: usize) -> String {
    format!("{count} value{}", if count == 1 { "" } else { "s" })
}

pub(super) fn no_value(value: f64, element: Element, pointer: &str) -> Problem {
    let message = format!("{value} is no value of type {}", element.glsl());
    let help = match element.scalar() {
        Scalar::Float => "write a number",
        Scalar::Int => "a whole number from -2147483648 to 2147483647, or another type",
        Scalar::Uint => "a whole number from 0 to 4294967295, or another type",
    };
    Problem::new(pointer, message).help(help)
}

impl Resolver<'_> {
    fn checkpoint(&mut self) {
        let file = self.file.checkpoint.as_ref();
        let every = file.and_then(|file| self.count(&file.every, "/checkpoint/every", 1, 1 << 40));
        let keep = match file.and_then(|file| file.keep.as_ref()) {
            Some(keep) => self.count(keep, "/checkpoint/keep", 1, 1000),
            None => Some(2),
        };
        self.pipeline.checkpoint = CheckpointPlan {
            every,
            keep: keep.unwrap_or(0) as usize,
        };
    }

    fn time(&mut self) {
        let time = &self.file.time;
        let dt = self.positive(&time.dt, "/time/dt");
        self.define("dt", dt);
        let (one, hundred) = (Number::Value(1.0), Number::Value(100.0));
        let per_frame = time.steps_per_frame.as_ref().unwrap_or(&one);
        let per_frame = self.count(per_frame, "/time/steps_per_frame", 1, 1_000_000);
        let frames = time.frames.as_ref().unwrap_or(&hundred);
        let frames = self.count(frames, "/time/frames", 0, 1 << 40);
        self.pipeline.dt = dt.unwrap_or(1.0);
        self.pipeline.steps_per_frame = per_frame.unwrap_or(1) as u32;
        self.pipeline.frames = frames.unwrap_or(0);
    }

    /// Fills the pipeline in; it is of use only if there are no problems then.
    fn pipeline(&mut self) {
        if self.too_much() {
            return;
        }
        self.scope
            .insert_parameters(&self.file.parameters, &mut self.problems);
        self.time();
        self.checkpoint();
        self.all_resources();
        check_symbols(self);
        let before = self.problems.list.len();
        resolve_stages(self);
        // A stage that could not be read may write what others seem to miss.
        if self.problems.list.len() == before {
            consistency::check(self);
        }
        self.outputs();
        let series = self.series();
        let watch = self.watch();
        if !self.problems.is_empty() {
            return;
        }
        let pipeline = &mut self.pipeline;
        for plan in series {
            lower::measures::add_series(pipeline, plan);
        }
        if let Some((every, fields)) = watch {
            lower::watch::add_watch(pipeline, every, &fields);
        }
        self.rings();
    }

    /// Only what every step writes whole needs copies: the rest is the same in every step, or changes in place.
    fn rings(&mut self) {
        let pipeline = &mut self.pipeline;
        for field in 0..pipeline.fields.len() {
            let stages = pipeline.step.iter().map(|entry| &pipeline.stages[entry.stage]);
            if !stages.into_iter().any(|stage| stage.moves_on(field)) {
                pipeline.fields[field].ring = 1;
            }
        }
        let slots = pipeline.slots();
        if slots > MOST_SLOTS {
            let rings = pipeline.fields.iter().map(|field| field.ring);
            let rings: BTreeSet<u32> = rings.filter(|ring| *ring > 1).collect();
            let message = format!("rings of {rings:?} copies come round together only every {slots} steps");
            let help =
                format!("choose lengths that divide one another; at most {MOST_SLOTS} steps are recorded");
            self.problems.push(Problem::new("/particles", message).help(help));
        }
    }

    /// Reports more resources or fields than any pipeline has.
    fn too_much(&mut self) -> bool {
        let file = self.file;
        let channels = (file.grids.values().map(|grid| grid.channels.len()))
            .chain(file.heights.values().map(|field| field.channels.len()))
            .chain(file.particles.values().map(|set| set.attributes.len()))
            .chain(file.images.values().map(|image| image.channels.len()));
        let resources = file.grids.len() + file.heights.len() + file.particles.len() + file.images.len();
        let fields = channels.sum::<usize>() + file.buffers.len();
        for (count, what) in [
            (resources, "resources"),
            (fields, "channels, attributes and buffers"),
        ] {
            if count > MOST_FIELDS {
                let message = format!("{count} {what}, more than the limit of {MOST_FIELDS}");
                self.problems
                    .push(Problem::new("", message).help("make them elements of fewer, larger resources"));
                return true;
            }
        }
        false
    }

    /// Gives a name of expressions its value, or marks it as one that is wrong.
    pub(super) fn define(&mut self, name: impl Into<String>, value: Option<f64>) {
        match value {
            Some(value) => drop(self.scope.insert(name, value)),
            None => self.scope.fail(name),
        }
    }

    /// Evaluates a number; a problem is recorded and `None` returned.
    pub(super) fn number(&mut self, number: &Number, pointer: &str) -> Option<f64> {
        self.scope
            .number(number, pointer)
            .map_err(|problem| self.problems.list.extend(problem))
            .ok()
    }

    pub(super) fn positive(&mut self, number: &Number, pointer: &str) -> Option<f64> {
        let value = self.number(number, pointer)?;
        if value > 0.0 {
            return Some(value);
        }
        self.problems.push(
            Problem::new(pointer, format!("{value} is not above zero")).help("write a positive number"),
        );
        None
    }

    /// Evaluates a whole number between two bounds.
    pub(super) fn count(&mut self, number: &Number, pointer: &str, least: u64, most: u64) -> Option<u64> {
        let value = self.number(number, pointer)?;
        if value.fract() == 0.0 && value >= least as f64 && value <= most as f64 {
            return Some(value as u64);
        }
        let message = format!("{value} is no whole number from {least} to {most}");
        let help = match value.fract() == 0.0 {
            true => "choose one in that range",
            false => "floor(...), ceil(...) and round(...) make whole numbers",
        };
        self.problems.push(Problem::new(pointer, message).help(help));
        None
    }

    /// Evaluates one to four numbers; a text may name a whole vector parameter.
    pub(super) fn numbers(&mut self, numbers: &Numbers, pointer: &str) -> Option<Vec<f64>> {
        match numbers {
            Numbers::One(Number::Expression(text)) if self.scope.vector(text).is_some() => {
                self.scope.vector(text).map(<[f64]>::to_vec)
            }
            Numbers::One(number) => Some(vec![self.number(number, pointer)?]),
            Numbers::Many(items) => items
                .iter()
                .enumerate()
                .map(|(i, n)| self.number(n, &format!("{pointer}/{i}")))
                .collect(),
        }
    }

    /// Whether a value has as many components as its type; a problem is recorded.
    pub(super) fn has_length(&mut self, length: usize, element: Element, pointer: &str) -> bool {
        let wanted = element.components() as usize;
        if length == wanted {
            return true;
        }
        let message = format!("{} needs {}, not {length}", element.glsl(), values_of(wanted));
        let help = match wanted {
            1 => "write one number or expression, without [ ]".to_string(),
            _ => format!("write {wanted} numbers or expressions in [ ]"),
        };
        self.problems.push(Problem::new(pointer, message).help(help));
        false
    }

    /// The bits of one value of a type.
    pub(super) fn bits(&mut self, numbers: &Numbers, element: Element, pointer: &str) -> Vec<u32> {
        let wanted = element.components() as usize;
        let Some(values) = self.numbers(numbers, pointer) else {
            return vec![0; wanted];
        };
        if !self.has_length(values.len(), element, pointer) {
            return vec![0; wanted];
        }
        let mut bits = Vec::with_capacity(wanted);
        for value in values {
            bits.push(element.component_bits(value).unwrap_or_else(|| {
                self.problems.push(no_value(value, element, pointer));
                0
            }));
        }
        bits
    }

    /// Looks a field up by its full name.
    pub(super) fn field_id(&mut self, name: &str, pointer: &str) -> Option<FieldId> {
        if let Some(id) = self.field_ids.get(name) {
            return Some(*id);
        }
        let problem = Problem::new(pointer, format!("`{name}` is no field of this pipeline"))
            .help("a field is written `<resource>.<channel>`; a buffer has its own name");
        // A resource alone is most likely meant to be one of its channels.
        let channels = format!("{name}.");
        let of_resource: Vec<&str> = (self.pipeline.fields.iter().map(|field| field.name.as_str()))
            .filter(|field| field.starts_with(&channels))
            .collect();
        self.problems.push(match of_resource.as_slice() {
            [] => problem.suggest(name, self.pipeline.fields.iter().map(|field| field.name.as_str())),
            channels => problem.help(format!("`{name}` has {}", channels.join(", "))),
        });
        None
    }
}
