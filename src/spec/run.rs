//! Settings of the run, and everything in a pipeline besides resources and stages.

use std::collections::{HashMap, HashSet};

use super::calls::{Call, Calls};
use super::document::Document;
use super::file::{Number, OperationFile, Reference, SourcesFile};
use super::names::clashes;
use super::program::*;
use super::resolver::Resolver;
use super::scope::Scope;
use crate::element::Element;
use crate::inline_shaders::InlineShaders;
use crate::ir::{CheckpointPlan, FieldId, Pipeline};
use crate::lower::meaning::WatchPlan;
use crate::problem::Place;

const MAX_FRAMES: u64 = 1 << 40;

impl<'f> Program<'f> {
    /// A pipeline without resources and stages.
    pub fn pipeline(&self, name: &str, document: &Document, texts: &InlineShaders) -> Pipeline {
        let file = self.instances[0].file;
        let title = file.title.as_ref().map_or(name, |title| &title.text);
        let mut pipeline = Pipeline {
            name: name.to_string(),
            title: title.to_string(),
            directory: document.directory.clone(),
            document: document.value(),
            texts: texts.clone(),
            dt: 1.0,
            steps_per_frame: 1,
            ..Pipeline::default()
        };
        let Some(run) = &file.run else {
            if file.roles.is_empty() {
                let message = "the key `run` is missing";
                let help = "add \"run\", for example {\"dt\": \"1/30\", \"frames\": 240}";
                self.wrong(&file.place, message, help);
            }
            return pipeline;
        };
        let scope = Scope::of(0);
        let count =
            |number: &Option<Number>, default, range| self.count_or(&scope, number.as_ref(), default, range);
        pipeline.dt = self.dt().unwrap_or(1.0);
        pipeline.steps_per_frame = count(&run.steps_per_frame, 1, [1, 1_000_000]).unwrap_or(1) as u32;
        pipeline.frames = count(&run.frames, 100, [0, MAX_FRAMES]).unwrap_or(0);
        pipeline.seed = count(&run.seed, 0, [0, u64::from(u32::MAX)]).unwrap_or(0) as u32;
        pipeline.portable = run.portable;
        let every = run.checkpoint_every.as_ref();
        let every = every.and_then(|every| self.count(&scope, every, 1, MAX_FRAMES));
        let keep = count(&run.checkpoints_kept, 2, [1, 1000]).unwrap_or(2) as usize;
        pipeline.checkpoint = CheckpointPlan { every, keep };
        pipeline
    }

    /// Sets with an output that has their numbers, or whose particles are sorted or removed and that have an output with a
    /// stride.
    pub fn thinned(&self, calls: &Calls<'f>) -> HashSet<DeclId> {
        let scope = Scope::of(0);
        let set_of = |scope: &Scope, reference: &Reference| {
            let (target, _) = self.find_silently(scope, reference.name.as_ref()?)?;
            target.decl
        };
        let (mut taken, mut numbered) = (HashSet::new(), HashSet::new());
        for (_, output) in self.instances[0].file.outputs.good() {
            let is_one = |number: &Number| self.number(&scope, number).is_none_or(|stride| stride == 1.0);
            let sources = || output.source.iter().flat_map(SourcesFile::references);
            let sets = || sources().filter_map(|reference| set_of(&scope, reference));
            if !output.stride.as_ref().is_none_or(is_one) {
                taken.extend(sets());
            }
            if output.id == Some(true) {
                numbered.extend(sets());
            }
        }
        let mut moved = HashSet::new();
        for list in calls.all() {
            each_operation(list, &mut |file, scope| {
                moved.extend(file.moved().and_then(|set| set_of(scope, set)));
            });
        }
        numbered.extend(taken.intersection(&moved));
        numbered
    }

    /// Reports fields whose accessors would have the name of another accessor or constant.
    pub fn check_clashes(&self, pipeline: &Pipeline) {
        let decls = self.decls.iter().filter(|decl| decl.instance == 0);
        let is_own =
            |channel: &&Channel| channel.added_by.is_none() && self.decls[channel.decl].instance == 0;
        let channels = self.channels.iter().filter(is_own);
        let mut places: HashMap<&str, &Place> = HashMap::new();
        places.extend(channels.map(|channel| (channel.full.as_str(), channel.key)));
        places.extend(decls.map(|decl| (decl.name.as_str(), decl.key)));
        let found = clashes(pipeline, |name| places.get(name).copied());
        found.into_iter().for_each(|problem| self.report(problem));
    }
}

/// Calls `act` for each operation of the engine in a list.
fn each_operation<'f>(calls: &[Call<'f>], act: &mut dyn FnMut(&'f OperationFile, &Scope)) {
    for call in calls {
        match call {
            Call::Operation { file, at } => act(file, &at.scope),
            Call::Repeat { iterations, .. } => iterations.iter().for_each(|calls| each_operation(calls, act)),
            Call::Stage { .. } => {}
        }
    }
}

impl<'f> Resolver<'_, 'f> {
    /// The watch of the file.
    pub fn watch(&self) -> Option<WatchPlan> {
        let program = self.program;
        let run = program.instances[0].file.run.as_ref()?;
        let scope = Scope::of(0);
        if let (None, Some(fields)) = (&run.watch_every, &run.watch_fields) {
            let place = fields.first().map_or(&run.place, |first| &first.place);
            let message = "`watch_fields` requires `watch_every`";
            program.wrong(place, message, "add \"watch_every\": a number of steps");
        }
        let every = program.count(&scope, run.watch_every.as_ref()?, 1, 1 << 30)? as u32;
        let fields = run.watch_fields.as_ref().map(|names| {
            let mut fields: Vec<FieldId> = Vec::new();
            for reference in names {
                let field = self.watched(&scope, reference);
                fields.extend(field.filter(|field| !fields.contains(field)));
            }
            fields
        });
        // Invalid names are already reported.
        let is_wrong = fields.as_ref().is_some_and(|fields| {
            fields.is_empty() && run.watch_fields.as_ref().is_some_and(|names| !names.is_empty())
        });
        (!is_wrong && self.is_whole).then_some(WatchPlan { every, fields })
    }

    fn watched(&self, scope: &Scope, reference: &Reference) -> Option<FieldId> {
        let id = self.field(scope, reference)?;
        let field = &self.pipeline.fields[id];
        let (name, element) = (&field.name, field.element.name());
        let (program, place) = (self.program, &reference.place);
        if field.element == Element::Rgba8 {
            let message = format!("`{name}` contains colours, which are always valid");
            return program.refuse(place, message, "watch the fields that they are computed from");
        }
        if !field.element.is_measurable() {
            let message = format!("`{name}` contains values of type {element}, which cannot be watched");
            return program.refuse(place, message, "watch fields of 32 bits");
        }
        if !field.element.scalar().is_float() && field.bounds.is_none() {
            let message = format!("`{name}` has no bounds, so every {element} in it is valid");
            let help = format!("add bounds, such as {{\"type\": \"{element}\", \"bounds\": [0, 9]}}");
            return program.refuse(place, message, help);
        }
        Some(id)
    }
}
