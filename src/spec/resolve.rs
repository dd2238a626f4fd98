//! File types to the resolved model: evaluates, looks up, unrolls, and collects every problem on the way.

use std::collections::{BTreeSet, HashMap};

use super::document::Document;
use super::file::{Number, Numbers, PipelineFile};
use super::model::*;
use super::names::check_symbols;
use super::problem::{Problem, Problems};
use super::scope::Scope;
use super::stages::resolve_stages;
use super::{Element, Scalar, consistency, measures};

/// Most resources, and most fields.
const MOST_FIELDS: usize = 4096;
/// Most steps until all rings are back at their first copy: each is recorded.
const MOST_SLOTS: u32 = 240;

pub(super) struct Resolver<'a> {
    pub file: &'a PipelineFile,
    pub document: &'a Document,
    pub scope: Scope,
    pub problems: Problems,
    pub resources: Vec<Resource>,
    pub fields: Vec<Field>,
    pub field_ids: HashMap<String, FieldId>,
    /// Buffers of the engine's own that several entries share.
    pub shared: HashMap<String, FieldId>,
}

/// Resolves a pipeline file that has passed the schema.
pub fn resolve(name: &str, file: &PipelineFile, document: &Document) -> Result<Pipeline, Problems> {
    let mut resolver = Resolver {
        file,
        document,
        scope: Scope::default(),
        problems: Problems::default(),
        resources: Vec::new(),
        fields: Vec::new(),
        field_ids: HashMap::new(),
        shared: HashMap::new(),
    };
    let pipeline = resolver.pipeline(name);
    match (pipeline, resolver.problems.is_empty()) {
        (Some(pipeline), true) => Ok(pipeline),
        _ => Err(resolver.problems),
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
    fn checkpoint(&mut self) -> Option<CheckpointPlan> {
        let file = self.file.checkpoint.as_ref();
        let every = file.map(|file| self.count(&file.every, "/checkpoint/every", 1, 1 << 40));
        let keep = match file.and_then(|file| file.keep.as_ref()) {
            Some(keep) => self.count(keep, "/checkpoint/keep", 1, 1000),
            None => Some(2),
        };
        Some(CheckpointPlan {
            every: match every {
                Some(every) => Some(every?),
                None => None,
            },
            keep: keep? as usize,
        })
    }

    fn pipeline(&mut self, name: &str) -> Option<Pipeline> {
        let (file, document) = (self.file, self.document);
        if self.too_much() {
            return None;
        }
        self.scope.insert_parameters(&file.parameters, &mut self.problems);
        let dt = self.positive(&file.time.dt, "/time/dt");
        self.define("dt", dt);
        let one = Number::Value(1.0);
        let hundred = Number::Value(100.0);
        let per_frame = file.time.steps_per_frame.as_ref().unwrap_or(&one);
        let steps_per_frame = self.count(per_frame, "/time/steps_per_frame", 1, 1_000_000);
        let frames = self.count(
            file.time.frames.as_ref().unwrap_or(&hundred),
            "/time/frames",
            0,
            1 << 40,
        );
        let checkpoint = self.checkpoint();
        self.grids();
        self.heights();
        self.particles();
        self.buffers();
        self.images();
        check_symbols(self);
        let before = self.problems.list.len();
        let mut stages = resolve_stages(self);
        // A stage that could not be read may write what others seem to miss.
        if self.problems.list.len() == before {
            consistency::check(self, &stages);
        }
        let frame_seconds = dt.unwrap_or(1.0) * steps_per_frame.unwrap_or(1) as f64;
        let outputs = self.outputs(&mut stages, frame_seconds);
        let series = self.series(&stages);
        let watch = self.watch(&stages);
        if !self.problems.is_empty() {
            return None;
        }
        let mut pipeline = Pipeline {
            name: name.to_string(),
            title: file.title.clone().unwrap_or_else(|| name.to_string()),
            seed: file.seed,
            dt: dt?,
            steps_per_frame: u32::try_from(steps_per_frame?).ok()?,
            frames: frames?,
            directory: document.directory.clone(),
            shader_directory: file
                .shaders
                .as_ref()
                .map(|dir| document.directory_of("/shaders").join(dir)),
            texts: Default::default(),
            resources: std::mem::take(&mut self.resources),
            fields: std::mem::take(&mut self.fields),
            stages: stages.stages,
            init: stages.init,
            step: stages.step,
            frame: stages.frame,
            outputs,
            series: Vec::new(),
            watch: None,
            checkpoint: checkpoint?,
            document: document.value(),
        };
        series
            .into_iter()
            .for_each(|series| measures::add_series(&mut pipeline, series));
        if let Some((every, fields)) = watch {
            measures::add_watch(&mut pipeline, every, &fields);
        }
        // Only what every step writes whole needs copies: the rest is the same in every step, or changes in place.
        for field in 0..pipeline.fields.len() {
            let written = pipeline
                .step
                .iter()
                .any(|invocation| pipeline.stages[invocation.stage].moves_on(field));
            if !written {
                pipeline.fields[field].ring = 1;
            }
        }
        let slots = pipeline.slots();
        if slots > MOST_SLOTS {
            let rings: BTreeSet<u32> = pipeline
                .fields
                .iter()
                .map(|field| field.ring)
                .filter(|ring| *ring > 1)
                .collect();
            let message = format!("rings of {rings:?} copies come round together only every {slots} steps");
            let help =
                format!("choose lengths that divide one another; at most {MOST_SLOTS} steps are recorded");
            self.problems.push(Problem::new("/particles", message).help(help));
            return None;
        }
        Some(pipeline)
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
    pub fn define(&mut self, name: impl Into<String>, value: Option<f64>) {
        match value {
            Some(value) => drop(self.scope.insert(name, value)),
            None => self.scope.fail(name),
        }
    }

    /// Evaluates a number; a problem is recorded and `None` returned.
    pub fn number(&mut self, number: &Number, pointer: &str) -> Option<f64> {
        self.scope
            .number(number, pointer)
            .map_err(|problem| self.problems.list.extend(problem))
            .ok()
    }

    pub fn positive(&mut self, number: &Number, pointer: &str) -> Option<f64> {
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
    pub fn count(&mut self, number: &Number, pointer: &str, least: u64, most: u64) -> Option<u64> {
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
    pub fn numbers(&mut self, numbers: &Numbers, pointer: &str) -> Option<Vec<f64>> {
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
    pub fn has_length(&mut self, length: usize, element: Element, pointer: &str) -> bool {
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
    pub fn bits(&mut self, numbers: &Numbers, element: Element, pointer: &str) -> Vec<u32> {
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
    pub fn field_id(&mut self, name: &str, pointer: &str) -> Option<FieldId> {
        if let Some(id) = self.field_ids.get(name) {
            return Some(*id);
        }
        let problem = Problem::new(pointer, format!("`{name}` is no field of this pipeline"))
            .help("a field is written `<resource>.<channel>`; a buffer has its own name");
        // A resource alone is most likely meant to be one of its channels.
        let channels = format!("{name}.");
        let of_resource: Vec<&str> = (self.fields.iter().map(|field| field.name.as_str()))
            .filter(|field| field.starts_with(&channels))
            .collect();
        self.problems.push(match of_resource.as_slice() {
            [] => problem.suggest(name, self.fields.iter().map(|field| field.name.as_str())),
            channels => problem.help(format!("`{name}` has {}", channels.join(", "))),
        });
        None
    }
}
