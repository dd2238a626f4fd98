//! Stage lists: looks up what stages touch, unrolls repeats, evaluates arguments per turn.

use std::collections::HashMap;

use super::Element;
use super::document::pointer_part;
use super::file::{ArgumentFile, EntryFile, Number, Numbers, StageFile, UpdateFile};
use super::model::*;
use super::names::check_name;
use super::problem::Problem;
use super::resolve::Resolver;
use super::sparse::update_stages;
use crate::particles::live;

mod domains;
mod engine;
mod particles;
mod reorder;
mod repeats;

/// Most dispatches in one list after unrolling, and most turns of repeats in a pipeline.
pub(super) const MOST_INVOCATIONS: usize = 20_000;
/// Most arguments of a stage, and most constants.
const MOST_ARGUMENTS: usize = 256;

pub(super) struct Stages {
    pub stages: Vec<Stage>,
    pub init: Vec<Invocation>,
    pub step: Vec<Invocation>,
    pub frame: Vec<Invocation>,
}

pub(super) fn resolve_stages(resolver: &mut Resolver) -> Stages {
    let file = resolver.file;
    let mut unroller = Unroller {
        resolver,
        stages: Vec::new(),
        ids: HashMap::new(),
        engine: HashMap::new(),
        entries_of: HashMap::new(),
        turns: 0,
    };
    let init = unroller.list(&file.init, "/init");
    let step = unroller.list(&file.step, "/step");
    let frame = unroller.list(&file.frame, "/frame");
    Stages {
        stages: unroller.stages,
        init,
        step,
        frame,
    }
}

struct Unroller<'a, 'b> {
    resolver: &'a mut Resolver<'b>,
    stages: Vec<Stage>,
    /// The stages by name.
    ids: HashMap<String, StageId>,
    /// The engine's stages that entries stand for, by the entry's pointer.
    engine: HashMap<String, Vec<StageId>>,
    /// Entries so far, by what their stages do to which resource.
    entries_of: HashMap<String, usize>,
    /// Turns of repeats so far.
    turns: usize,
}

impl Unroller<'_, '_> {
    fn list(&mut self, entries: &[EntryFile], pointer: &str) -> Vec<Invocation> {
        let mut invocations = Vec::new();
        self.entries(entries, pointer, 0, &mut invocations);
        invocations
    }

    fn entries(&mut self, entries: &[EntryFile], pointer: &str, depth: usize, into: &mut Vec<Invocation>) {
        for (i, entry) in entries.iter().enumerate() {
            let pointer = format!("{pointer}/{i}");
            match entry {
                EntryFile::Stage(stage) if stage.emits.is_some() => self.emit(stage, &pointer, into),
                EntryFile::Stage(stage) => self.stage(stage, &pointer, into),
                EntryFile::Repeat(repeat) => self.repeat(repeat, &pointer, depth, into),
                EntryFile::Update(update) => self.update(update, &pointer, into),
                EntryFile::Remove(remove) => self.remove(remove, &pointer, depth, into),
                EntryFile::Sort(sort) => self.sort(sort, &pointer, depth, into),
                EntryFile::Scan(scan) => self.scan(scan, &pointer, into),
            }
            if into.len() > MOST_INVOCATIONS {
                let message = format!("more than {MOST_INVOCATIONS} dispatches after unrolling the repeats");
                self.too_long(&pointer, message);
            }
            if self.turns > MOST_INVOCATIONS {
                return;
            }
        }
    }

    /// Reports a list that is too long, and stops its unrolling.
    fn too_long(&mut self, pointer: &str, message: String) {
        if self.turns <= MOST_INVOCATIONS {
            self.turns = MOST_INVOCATIONS + 1;
            self.resolver
                .problems
                .push(Problem::new(pointer, message).help("repeat fewer times, or loop inside the shader"));
        }
    }

    /// An update of a sparse grid: the engine's stages, in their order.
    fn update(&mut self, file: &UpdateFile, pointer: &str, into: &mut Vec<Invocation>) {
        if self.is_in_frames(pointer, "frame stages do not update grids") {
            return;
        }
        let Some(grid) = self.resolver.updated_grid(file, pointer) else {
            return;
        };
        let one = Number::Value(1.0);
        let every = file.every.as_ref().unwrap_or(&one);
        let Some(every) = self
            .resolver
            .count(every, &format!("{pointer}/every"), 1, 1 << 30)
        else {
            return;
        };
        let ids = self.engine_stages(pointer, "update", grid, |resolver, suffix| {
            update_stages(resolver, grid, every as u32, suffix, pointer)
        });
        reorder::invoke(ids, into);
    }

    fn stage(&mut self, file: &StageFile, pointer: &str, into: &mut Vec<Invocation>) {
        let known = self.ids.get(&file.stage).copied();
        let id = match known {
            // A later turn of the same entry.
            Some(id) if self.stages[id].pointer == pointer => id,
            Some(id) => {
                let message = format!(
                    "`{}` is already the stage at {}",
                    file.stage, self.stages[id].pointer
                );
                let problem = Problem::new(format!("{pointer}/stage"), message);
                self.resolver.problems.push(
                    problem
                        .help("stage names are unique; give this one another name and the same \"shader\""),
                );
                return;
            }
            None => match self.definition(file, pointer) {
                Some(stage) => {
                    self.ids.insert(stage.name.clone(), self.stages.len());
                    self.stages.push(stage);
                    self.stages.len() - 1
                }
                None => return,
            },
        };
        let mut values = Vec::new();
        for (name, argument) in &file.arguments {
            let (element, numbers, at) = match argument {
                ArgumentFile::Float(numbers) => (
                    self.argument_type(argument),
                    numbers,
                    format!("{pointer}/arguments/{}", pointer_part(name)),
                ),
                ArgumentFile::Typed(typed) => (
                    Some(typed.element),
                    &typed.value,
                    format!("{pointer}/arguments/{}/value", pointer_part(name)),
                ),
            };
            if let Some(element) = element {
                values.push(self.resolver.bits(numbers, element, &at));
            }
        }
        into.push(Invocation { stage: id, values });
    }

    /// The type of an argument: floats are as long as their value.
    fn argument_type(&self, argument: &ArgumentFile) -> Option<Element> {
        let length = match argument {
            ArgumentFile::Typed(typed) => return Some(typed.element),
            ArgumentFile::Float(Numbers::Many(items)) => items.len(),
            ArgumentFile::Float(Numbers::One(Number::Expression(text))) => {
                self.resolver.scope.vector(text).map_or(1, <[f64]>::len)
            }
            ArgumentFile::Float(Numbers::One(_)) => 1,
        };
        Element::float_vector(length)
    }

    fn definition(&mut self, file: &StageFile, pointer: &str) -> Option<Stage> {
        check_name(
            &file.stage,
            &format!("{pointer}/stage"),
            &mut self.resolver.problems,
        );
        for (count, key) in [
            (file.arguments.len(), "arguments"),
            (file.constants.len(), "constants"),
        ] {
            if count > MOST_ARGUMENTS {
                let message = format!("{count} {key}, more than the limit of {MOST_ARGUMENTS}");
                let problem = Problem::new(format!("{pointer}/{key}"), message);
                self.resolver
                    .problems
                    .push(problem.help("hand many values over as a buffer"));
                return None;
            }
        }
        let domain = self.stage_domain(file, pointer);
        let mut reads = self.fields(&file.reads, &format!("{pointer}/reads"));
        let mut writes = self.fields(&file.writes, &format!("{pointer}/writes"));
        let requests = self.requests(&file.requests, &format!("{pointer}/requests"));
        self.page_fields(domain.as_ref(), &requests, &mut reads, &mut writes);
        self.live_fields(domain.as_ref(), &mut reads, &writes, pointer);
        let mut arguments = Vec::new();
        for (name, argument) in &file.arguments {
            let pointer = format!("{pointer}/arguments/{}", pointer_part(name));
            check_name(name, &pointer, &mut self.resolver.problems);
            match self.argument_type(argument) {
                Some(Element::Rgba8) | None => {
                    self.resolver.problems.push(
                        Problem::new(&pointer, "an argument is a number or a vector of 2 to 4 numbers")
                            .help("hand longer lists over as a buffer with \"values\""),
                    );
                }
                Some(element) => arguments.push((name.clone(), element)),
            }
        }
        let mut constants = Vec::new();
        for (name, number) in &file.constants {
            let value = self
                .resolver
                .number(number, &format!("{pointer}/constants/{}", pointer_part(name)));
            constants.push((name.clone(), value.unwrap_or(0.0)));
        }
        let one = Number::Value(1.0);
        let every = self.resolver.count(
            file.every.as_ref().unwrap_or(&one),
            &format!("{pointer}/every"),
            1,
            1 << 30,
        );
        let domain = domain?;
        let stated = StatedShape {
            workgroup: file.workgroup,
            march: file.march,
        };
        let mut shape = stated.on(DeviceClass::Gpu, domain.axes);
        let changes = matches!(domain.over, Over::Live | Over::Newborn);
        if domain.over != Over::Elements && !changes && stated != StatedShape::default() {
            let message = "active blocks are handled by workgroups of a fixed shape";
            let problem = Problem::new(format!("{pointer}/over"), message);
            self.resolver
                .problems
                .push(problem.help("leave `workgroup` and `march` out"));
        }
        let grid = domain
            .resource
            .and_then(|id| self.resolver.resources[id].sparse.as_ref());
        if let (Over::ActiveCells, Some(grid)) = (domain.over, grid) {
            shape = Shape::of_sub_block(&grid.layout, DeviceClass::Gpu);
        }
        let workgroup = shape.workgroup;
        let invocations = workgroup
            .iter()
            .try_fold(1u32, |product, n| product.checked_mul(*n));
        if workgroup.contains(&0) || invocations.is_none_or(|n| n > 1024) {
            let message = format!("a workgroup of {workgroup:?} is outside 1 to 1024 invocations");
            let problem = Problem::new(format!("{pointer}/workgroup"), message);
            self.resolver
                .problems
                .push(problem.help("the product of its three sizes counts; 64 to 256 suit most devices"));
        }
        if changes && live::newborn_groups(workgroup[0]).is_none() {
            let message = format!("a workgroup of {workgroup:?} over particles that come and go");
            let problem = Problem::new(format!("{pointer}/workgroup"), message);
            self.resolver
                .problems
                .push(problem.help("choose [32, 1, 1], [64, 1, 1], or another power of two up to 1024"));
        }
        if domain.axes == 1 && (workgroup[1] != 1 || workgroup[2] != 1) {
            let message = "a stage over a list has a workgroup of the form [n, 1, 1]";
            let problem = Problem::new(format!("{pointer}/workgroup"), message);
            self.resolver
                .problems
                .push(problem.help("write all of it in the first place, such as [64, 1, 1]"));
        }
        if shape.march == 0 || (shape.march > 1 && domain.axes != 3) {
            let message = "`march` is at least 1 and is for stages over a grid's cells";
            let problem = Problem::new(format!("{pointer}/march"), message);
            self.resolver
                .problems
                .push(problem.help("leave it out, and a value that suits the device is chosen"));
        }
        if shape.march > 0
            && !workgroup.contains(&0)
            && let Err(cause) = domain.groups(shape)
        {
            let problem = Problem::new(
                format!("{pointer}/over"),
                format!("stage `{}`: {cause}", file.stage),
            );
            self.resolver
                .problems
                .push(problem.help("a larger `workgroup` or `march` needs fewer groups"));
        }
        Some(Stage {
            name: file.stage.clone(),
            shader: file
                .shader
                .clone()
                .unwrap_or_else(|| format!("{}.comp", file.stage)),
            directory: self.resolver.document.directory_of(&format!("{pointer}/shader")),
            domain,
            reads,
            writes,
            arguments,
            constants,
            every: u32::try_from(every?).ok()?,
            first: 0,
            requests,
            update: None,
            condition: None,
            aliases: Vec::new(),
            measured: Vec::new(),
            shape,
            stated,
            unchecked: file.unchecked,
            pointer: pointer.to_string(),
        })
    }
}
