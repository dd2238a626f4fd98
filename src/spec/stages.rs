//! Stage lists: looks up what stages touch, unrolls repeats, evaluates arguments per turn.

use std::collections::{HashMap, HashSet};

use super::file::{
    ArgumentFile, EntryFile, Number, Numbers, OutputEntryFile, PipelineFile, StageFile, UpdateFile,
};
use super::names::{check_name, check_stage_name};
use super::resolver::Resolver;
use crate::element::{Element, words};
use crate::ir::*;
use crate::lower::paging;
use crate::particles::live;
use crate::problem::pointer_part;
use crate::problem::{Places, Problem};

mod binding;
mod clock;
mod domains;
mod engine;
mod fft;
mod fields;
mod fill;
mod groups;
mod levels;
mod particles;
mod reductions;
mod reorder;
mod repeats;
mod shape;
mod timed;
mod turns;
mod unfinished;

/// Most dispatches in one list after unrolling, and most turns of repeats in a pipeline.
pub(super) const MOST_INVOCATIONS: usize = 20_000;
/// Most arguments of a stage, and most constants.
const MOST_ARGUMENTS: usize = 256;

/// Resolves the three lists.
pub(super) fn resolve_stages(resolver: &mut Resolver) {
    let file = resolver.file;
    let mut unroller = Unroller {
        resolver,
        list: List::Init,
        ids: HashMap::new(),
        levels: String::new(),
        by_entry: HashMap::new(),
        engine: HashMap::new(),
        entries_of: HashMap::new(),
        turns: 0,
        conditions: Vec::new(),
        clocks: Vec::new(),
        timed: Vec::new(),
        group_counts: HashMap::new(),
        loops: 0,
        swaps: Vec::new(),
        counted: counted(file),
    };
    let init = unroller.entries_of_list(&file.init, List::Init);
    let of_init = std::mem::take(&mut unroller.swaps);
    let step = unroller.entries_of_list(&file.step, List::Step);
    let of_step = std::mem::take(&mut unroller.swaps);
    let frame = unroller.entries_of_list(&file.frame, List::Frame);
    let pipeline = &mut resolver.pipeline;
    (pipeline.init, pipeline.step, pipeline.frame) = (init, step, frame);
    pipeline.swaps = Swaps::new(of_init, of_step);
}

/// The buffers of `turns(...)` in the series of a file, by name.
fn counted(file: &PipelineFile) -> HashSet<String> {
    let series = file.outputs.values().filter_map(|output| match output {
        OutputEntryFile::Series(series) => Some(series),
        OutputEntryFile::Fields(_) => None,
    });
    let texts = series.flat_map(|series| series.values.values());
    let name = |text: &String| {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        Some(text.strip_prefix("turns(")?.strip_suffix(')')?.to_string())
    };
    texts.filter_map(name).collect()
}

struct Unroller<'a, 'b> {
    resolver: &'a mut Resolver<'b>,
    /// The list that is being unrolled.
    list: List,
    /// The first stage of each name.
    ids: HashMap<String, StageId>,
    /// The names of levels in the entry that is being resolved: turns with other levels are other stages.
    levels: String,
    /// The stages of the file by the keys of their entries.
    by_entry: HashMap<String, StageId>,
    /// The engine's stages that entries stand for, by the key of the entry.
    engine: HashMap<String, Vec<StageId>>,
    /// Entries so far, by what their stages do to which resource.
    entries_of: HashMap<String, usize>,
    /// Turns of repeats so far.
    turns: usize,
    /// What the repeats with `while` that are open look at, with their places: the outermost first.
    conditions: Vec<(FieldId, String)>,
    /// The clocks of the repeats that are open and go through the time of the step: the outermost first.
    clocks: Vec<FieldId>,
    /// The repeats so far that go through the time of the step.
    timed: Vec<timed::TimedRepeat>,
    /// The counts of workgroups that stand in buffers, and their axes, by the stage's pointer.
    group_counts: HashMap<String, (FieldId, u32)>,
    /// Repeats with `while` of the list so far that stand in no other one.
    loops: usize,
    /// Swaps of the list so far.
    swaps: Vec<[FieldId; 2]>,
    /// Buffers whose turns a series counts, by name.
    counted: HashSet<String>,
}

impl Unroller<'_, '_> {
    fn entries_of_list(&mut self, entries: &[EntryFile], list: List) -> Vec<Invocation> {
        (self.list, self.loops) = (list, 0);
        let mut invocations = Vec::new();
        self.entries(entries, &format!("/{}", list.key()), 0, &mut invocations);
        invocations
    }

    fn entries(&mut self, entries: &[EntryFile], pointer: &str, depth: usize, into: &mut Vec<Invocation>) {
        for (i, entry) in entries.iter().enumerate() {
            let pointer = format!("{pointer}/{i}");
            let first = into.len();
            let Some(entry) = self.settled(entry, &pointer) else {
                continue;
            };
            match &*entry {
                EntryFile::Stage(stage) if stage.emits.is_some() => self.emit(stage, &pointer, into),
                EntryFile::Stage(stage) => self.stage(stage, &pointer, into),
                EntryFile::Repeat(repeat) => self.repeat(repeat, &pointer, depth, into),
                EntryFile::Update(update) => self.update(update, &pointer, into),
                EntryFile::Remove(remove) => self.remove(remove, &pointer, depth, into),
                EntryFile::Sort(sort) => self.sort(sort, &pointer, depth, into),
                EntryFile::Scan(scan) => self.scan(scan, &pointer, into),
                EntryFile::Fill(fill) => self.fill(fill, &pointer, into),
                EntryFile::Copy(copy) => self.copy(copy, &pointer, into),
                EntryFile::Swap(swap) => self.swap(swap, &pointer),
                EntryFile::Reduce(reduce) => self.reduce(reduce, &pointer, into),
                EntryFile::Fft(fft) => self.fft(fft, &pointer, into),
                // The document has been expanded: none are left.
                EntryFile::Placed(_) | EntryFile::Name(_) => {}
            }
            self.levels.clear();
            if !matches!(&*entry, EntryFile::Repeat(_)) {
                (into[first..].iter_mut()).for_each(|entry| entry.swaps = self.swaps.len());
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
        if self.is_in_frames(pointer, "the list `frame` cannot update grids") {
            return;
        }
        let Some(grid) = self.resolver.updated_grid(file, pointer) else {
            return;
        };
        if let Some((_, condition)) = self.conditions.last() {
            let message =
                "a repeat with `while` cannot contain updates of sparse grids, which involve the host";
            let problem = Problem::new(condition, message).help("move `update_grid` out of the repeat");
            return self.resolver.problems.push(problem);
        }
        let Some(every) = self.every(file.every.as_ref(), pointer) else {
            return;
        };
        let ids = self.engine_stages(pointer, "update", grid, every, |resolver, entry| {
            paging::update(&resolver.pipeline, grid, entry)
        });
        into.extend(ids.into_iter().map(Invocation::without_arguments));
    }

    fn stage(&mut self, file: &StageFile, pointer: &str, into: &mut Vec<Invocation>) {
        self.count_groups(file, pointer, into);
        let key = self.key(pointer);
        let known = self.by_entry.get(&key).copied();
        let problems = self.resolver.problems.list.len();
        let id = match known {
            // A later turn of the same entry.
            Some(id) => id,
            None => match self.definition(file, pointer) {
                Some(stage) => {
                    self.check_same_shader(&stage, pointer);
                    let id = stage.finish(&mut self.resolver.pipeline);
                    self.check_resources(id, pointer);
                    if self.resolver.problems.list.len() == problems {
                        self.check_names(id, pointer);
                    }
                    self.ids.entry(file.stage.clone()).or_insert(id);
                    self.by_entry.insert(key, id);
                    id
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
                values.push(words(&self.resolver.bytes(numbers, element, &at)));
            }
        }
        into.push(Invocation::new(id, values));
        self.finish_reductions(file, id, pointer, into);
    }

    /// Reports a stage that has the name of an earlier one and another shader.
    fn check_same_shader(&mut self, stage: &Draft, pointer: &str) {
        let pipeline = &self.resolver.pipeline;
        let earlier = self.ids.get(&stage.name).map(|id| &pipeline.stages[*id]);
        let Some(earlier) = earlier.filter(|earlier| pipeline.kernel_of(earlier).source != stage.source)
        else {
            return;
        };
        let message = format!(
            "`{}` is already a stage with another shader, at {}",
            stage.name, earlier.pointer
        );
        let place = self.resolver.document.place(&earlier.pointer);
        let problem = Problem::new(format!("{pointer}/stage"), message).note("the other", &place);
        let help = "choose another name for this stage, or use the same \"shader\"";
        self.resolver.problems.push(problem.help(help));
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

    fn definition(&mut self, file: &StageFile, pointer: &str) -> Option<Draft> {
        let resolver = &mut *self.resolver;
        check_stage_name(&file.stage, &format!("{pointer}/stage"), &mut resolver.problems);
        for (count, key) in [
            (file.arguments.len(), "arguments"),
            (file.constants.len(), "constants"),
        ] {
            if count > MOST_ARGUMENTS {
                let message = format!("{count} {key}, more than the limit of {MOST_ARGUMENTS}");
                let problem = Problem::new(format!("{pointer}/{key}"), message);
                resolver
                    .problems
                    .push(problem.help("pass many values in a buffer"));
                return None;
            }
        }
        let domain = self.stage_domain(file, pointer);
        let names = self.local_names(&file.bind, pointer);
        let reads = self.fields(&file.reads, &names, &format!("{pointer}/reads"));
        let writes = self.fields(&file.writes, &names, &format!("{pointer}/writes"));
        let unordered = self.unordered(file, [&reads, &writes], &names, pointer);
        let sets_length = self.sets_length(file, pointer);
        let requests = self.requests(&file.requests, &names, &format!("{pointer}/requests"));
        self.check_local(&reads, &writes, pointer);
        self.check_writes(&writes, pointer);
        let arguments = self.arguments(file, pointer);
        let constants = self.constants(file, pointer);
        let every = self.every(file.every.as_ref(), pointer);
        let domain = domain?;
        let reduces = self.reduces(file, &domain, pointer);
        let stated = StatedShape {
            workgroup: file.workgroup,
            march: file.march,
            width: file.width,
        };
        self.check_shape(&file.stage, &domain, stated, pointer);
        if stated.width.is_some() && !file.reduces.is_empty() {
            let problem = Problem::new(
                format!("{pointer}/width"),
                "`width` and `reduces` exclude each other",
            );
            let help = "each cell gives a value of its own to a reduction: remove `width`";
            self.resolver.problems.push(problem.help(help));
        }
        let source = ShaderSource::Named {
            path: file
                .shader
                .clone()
                .unwrap_or_else(|| format!("{}.comp", file.stage)),
            directory: self.resolver.document.directory_of(&format!("{pointer}/shader")),
        };
        let mut stage = Draft::new(&file.stage, source, domain, self.list, pointer);
        let domain = stage.domain.resource;
        let touched = reads.iter().chain(&writes).filter(|local| local.of.is_none());
        let touched = touched.map(|local| self.resolver.pipeline.fields[local.field].resource);
        let levels = self.names_of_levels(&names, touched.chain(domain));
        for (name, resource) in names.resources.into_iter().chain(levels) {
            stage.call(&name, resource);
        }
        for local in &reads {
            stage.read(&local.name, local.field);
        }
        for local in &writes {
            stage.write(&local.name, local.field);
        }
        for local in reads.iter().chain(&writes) {
            if let Some(of) = &local.of {
                stage.belongs(&local.name, of);
            }
        }
        if let (Over::CountedGroups(counts), 1) = (stage.domain.over, stage.domain.axes) {
            stage.read(GROUP_COUNTS, counts);
        }
        stage.unordered = unordered;
        stage.requests = requests;
        stage.arguments = arguments;
        stage.constants = constants;
        stage.every = every?;
        stage.stated = stated;
        stage.conditions = self.open_conditions();
        stage.clock = self.open_clock();
        stage.sets_length = sets_length;
        stage.reduces = reduces;
        stage.unchecked = file.unchecked;
        Some(stage)
    }

    fn arguments(&mut self, file: &StageFile, pointer: &str) -> Vec<(String, Element)> {
        let mut arguments = Vec::new();
        for (name, argument) in &file.arguments {
            let pointer = format!("{pointer}/arguments/{}", pointer_part(name));
            check_name(name, &pointer, &mut self.resolver.problems);
            // Shaders write `arg.length`, which GLSL takes for the size of an array.
            if name == "length" {
                let problem = Problem::on_key(&pointer, "`length` is reserved in shaders");
                self.resolver.problems.push(problem.help("choose another name"));
            }
            match self.argument_type(argument) {
                Some(element) if element.is_narrow() => {
                    let message = format!(
                        "`{}` is a storage type, which arguments cannot have",
                        element.name()
                    );
                    let help = format!("use {}, the type in shaders", element.accessor_type());
                    self.resolver
                        .problems
                        .push(Problem::new(format!("{pointer}/type"), message).help(help));
                }
                Some(Element::Rgba8) | None => {
                    self.resolver.problems.push(
                        Problem::new(&pointer, "an argument is a number or a vector of 2 to 4 numbers")
                            .help("pass longer lists in a buffer with \"values\""),
                    );
                }
                Some(element) => arguments.push((name.clone(), element)),
            }
        }
        arguments
    }

    fn constants(&mut self, file: &StageFile, pointer: &str) -> Vec<(String, f64)> {
        let mut constants = Vec::new();
        for (name, number) in &file.constants {
            let pointer = format!("{pointer}/constants/{}", pointer_part(name));
            let value = self.resolver.number(number, &pointer);
            constants.push((name.clone(), value.unwrap_or(0.0)));
        }
        constants
    }

    /// Runs in every n-th turn.
    fn every(&mut self, every: Option<&Number>, pointer: &str) -> Option<u32> {
        let one = Number::Value(1.0);
        let at = format!("{pointer}/every");
        let every = self.resolver.count(every.unwrap_or(&one), &at, 1, 1 << 30);
        every.map(|every| every as u32)
    }
}
