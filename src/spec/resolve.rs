//! File types to the resolved model: evaluates, looks up, unrolls, and collects every problem on the way.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::consistency;
use super::document::Document;
use super::file::{Number, PipelineFile};
use super::names::check_symbols;
use super::parts::Spoilt;
use super::resolver::Resolver;
use super::scope::Scope;
use super::stages::resolve_stages;
use crate::ir::*;
use crate::lower::unpack::Unpacked;
use crate::lower::{self, SharedBuffers};
use crate::problem::{Problem, Problems, pointer};

/// Most resources, and most fields.
const MOST_FIELDS: usize = 4096;
/// Most steps until all rings are back at their first copy: each is recorded.
const MOST_SLOTS: u32 = 240;

/// Resolves a pipeline file that has passed the schema, or what is left of it without the parts that have not: what they
/// spoil is not told. If there are problems, the pipeline lacks what has them.
pub(super) fn resolve(
    name: &str,
    file: &PipelineFile,
    document: &Document,
    spoilt: &Spoilt,
) -> (Pipeline, Problems) {
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
        stages_known: false,
        fields_known: 0,
        shared: SharedBuffers::default(),
        unpacked: Unpacked::default(),
    };
    resolver.pipeline(!spoilt.reaches_stages());
    (resolver.pipeline, resolver.problems)
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

    /// Checks the ranges of parameters, which the window reads from the file. Only parameters have names yet.
    fn ranges(&mut self) {
        for (name, [least, most]) in &self.file.ranges {
            let pointer = pointer(&["ranges", name]);
            if self.scope.vector(name).is_none() && !self.scope.names().any(|known| known == name) {
                let problem = Problem::new(pointer.clone(), format!("there is no parameter `{name}`"));
                let problem = problem.help("state it in parameters, or remove this");
                self.problems.push(problem.suggest(name, self.scope.names()));
            }
            let least = self.number(least, &format!("{pointer}/0"));
            let most = self.number(most, &format!("{pointer}/1"));
            if let Some((least, most)) = least.zip(most)
                && least >= most
            {
                let problem = Problem::new(pointer, format!("no number is between {least} and {most}"));
                self.problems.push(problem.help("write the smaller one first"));
            }
        }
    }

    fn quantities(&mut self) {
        for (name, quantity) in &self.file.quantities {
            let pointer = pointer(&["quantities", name]);
            let value = self.number(&quantity.value, &format!("{pointer}/value"));
            let mut range = None;
            if let Some([least, most]) = &quantity.range {
                let least = self.number(least, &format!("{pointer}/range/0"));
                let most = self.number(most, &format!("{pointer}/range/1"));
                range = least.zip(most).map(|(least, most)| [least, most]);
            }
            if let Some([least, most]) = range
                && least > most
            {
                let message = format!("no number is from {least} to {most}");
                let problem = Problem::new(format!("{pointer}/range"), message);
                self.problems.push(problem.help("write the smaller one first"));
            }
            let Some(value) = value else { continue };
            self.pipeline.quantities.push(Quantity {
                name: name.clone(),
                value,
                unit: quantity.unit.clone().unwrap_or_default(),
                range,
                help: quantity.help.clone(),
            });
        }
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

    /// Fills the pipeline in. `whole` says whether all stages of the file are there.
    fn pipeline(&mut self, whole: bool) {
        if self.too_much() {
            return;
        }
        self.scope
            .insert_parameters(&self.file.parameters, &mut self.problems);
        self.ranges();
        self.input();
        self.time();
        self.checkpoint();
        self.all_resources();
        self.depth_of_input();
        self.quantities();
        check_symbols(self);
        let before = self.problems.list.len();
        resolve_stages(self);
        // A stage that could not be read may write what others seem to miss.
        self.stages_known = whole && self.problems.list.len() == before;
        if self.stages_known {
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
            let order = pipeline.swaps.order();
            let (place, message) = match order {
                1 => (
                    "/particles",
                    format!("the least common multiple of the ring lengths {rings:?} is {slots}"),
                ),
                _ => (
                    "/step",
                    format!(
                        "swaps that come round every {order} steps and rings of {rings:?} copies come round together \
                         only every {slots} steps"
                    ),
                ),
            };
            let help = format!("choose lengths that divide one another; the limit is {MOST_SLOTS} steps");
            self.problems.push(Problem::new(place, message).help(help));
        }
    }

    /// Reports more resources or fields than any pipeline has.
    fn too_much(&mut self) -> bool {
        let file = self.file;
        let channels = (file.grids.values().map(|grid| grid.channels.len()))
            .chain(file.heights.values().map(|field| field.channels.len()))
            .chain(file.particles.values().map(|set| set.attributes.len()))
            .chain(file.images.values().map(|image| image.channels.len()))
            .chain(file.tables.values().map(|table| table.channels.len()));
        let resources = file.grids.len()
            + file.heights.len()
            + file.particles.len()
            + file.images.len()
            + file.tables.len();
        let fields = channels.sum::<usize>() + file.buffers.len();
        for (count, what) in [
            (resources, "resources"),
            (fields, "channels, attributes and buffers"),
        ] {
            if count > MOST_FIELDS {
                let message = format!("{count} {what}, more than the limit of {MOST_FIELDS}");
                self.problems
                    .push(Problem::new("", message).help("combine them into fewer, larger resources"));
                return true;
            }
        }
        false
    }
}
