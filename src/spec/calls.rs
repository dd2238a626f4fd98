//! What lists run: names looked up, conditions decided, repeats unrolled, letters filled in.

use std::collections::HashMap;
use std::rc::Rc;

use super::file::*;
use super::kernels::Kernel;
use super::names::{wrong_name, wrong_stage_name};
use super::program::*;
use super::scope::{LocalValue, Scope};
use crate::expr::{Name, Value};
use crate::ir::List;
use crate::problem::{Place, Problem};

/// Most dispatches in one list after unrolling, and most iterations of repeats.
pub(crate) const MAX_INVOCATIONS: usize = 20_000;
/// Most entries that are looked at, also those that lead to no dispatch.
const MAX_ENTRIES: usize = 200_000;
/// Deepest nesting of repeats, and of groups.
const MAX_REPEATS: usize = 8;
const MAX_GROUPS: usize = 64;

/// An entry of a list that does something.
#[derive(Clone)]
pub(crate) enum Call<'f> {
    Stage {
        file: &'f StageFile,
        name: String,
        kernel: Rc<Kernel<'f>>,
        at: Rc<At<'f>>,
    },
    /// An operation of the engine.
    Operation { entry: &'f EntryFile, at: Rc<At<'f>> },
    Repeat {
        file: &'f BlockFile,
        at: Rc<At<'f>>,
        iterations: Vec<Vec<Call<'f>>>,
    },
}

/// Where an entry stands.
#[derive(Clone)]
pub(crate) struct At<'f> {
    pub list: List,
    pub scope: Scope,
    /// Arguments that blocks in lists give, the outermost first, and those that definitions give, the innermost first.
    pub overrides: Vec<Given<'f>>,
    pub defaults: Vec<Given<'f>>,
    /// What a block in a list says of how often its entries run, and what a definition says.
    pub forced_every: Option<(&'f Number, Scope)>,
    pub default_every: Option<(&'f Number, Scope)>,
    repeats: usize,
    groups: usize,
}

/// Arguments of a block, in whose names they are written.
#[derive(Clone)]
pub(crate) struct Given<'f> {
    pub arguments: &'f ArgumentsFile,
    pub scope: Scope,
}

/// The calls of the three lists, in their order.
pub(crate) struct Calls<'f> {
    pub lists: Vec<(List, Vec<Call<'f>>)>,
    /// Whether all entries are there: none has been left out for a mistake.
    pub is_whole: bool,
}

/// Evaluates the three lists of the file.
pub(crate) fn calls<'f>(program: &Program<'f>) -> Calls<'f> {
    let file = program.instances[0].file;
    let mut caller = Caller {
        program,
        open: Vec::new(),
        kernels: HashMap::new(),
        entries: 0,
        calls: 0,
        is_whole: true,
    };
    let lists = [
        (List::Init, &file.init),
        (List::Step, &file.step),
        (List::Frame, &file.frame),
    ];
    let lists = lists.map(|(list, entries)| {
        let at = At {
            list,
            scope: Scope::of(0),
            overrides: Vec::new(),
            defaults: Vec::new(),
            forced_every: None,
            default_every: None,
            repeats: 0,
            groups: 0,
        };
        (caller.entries, caller.calls) = (0, 0);
        let mut calls = Vec::new();
        caller.entries(entries, &Rc::new(at), &mut calls);
        (list, calls)
    });
    Calls {
        lists: lists.into(),
        is_whole: caller.is_whole,
    }
}

struct Caller<'p, 'f> {
    program: &'p Program<'f>,
    /// The definitions that are being called, the outermost first.
    open: Vec<(InstanceId, String)>,
    /// By stage of a file and path of the shader.
    kernels: HashMap<(usize, String), Rc<Kernel<'f>>>,
    entries: usize,
    calls: usize,
    is_whole: bool,
}

/// What a name in a list stands for.
enum Callee<'f> {
    Definition(InstanceId, String, &'f DefinitionFile),
    List(InstanceId, &'f [EntryFile]),
}

impl<'f> Caller<'_, 'f> {
    fn report(&mut self, problem: Option<Problem>) {
        self.is_whole = false;
        if let Some(problem) = problem {
            self.program.report(problem)
        }
    }

    /// Whether the list has become too long, which is reported once.
    fn is_too_long(&mut self, place: &Place) -> bool {
        let is_full = self.calls > MAX_INVOCATIONS || self.entries > MAX_ENTRIES;
        if is_full {
            let message = format!("more than {MAX_INVOCATIONS} dispatches after unrolling the repeats");
            let problem = Problem::at_place(place.clone(), message);
            if self.entries < usize::MAX {
                self.report(Some(
                    problem.help("repeat fewer times, or loop inside the shader"),
                ));
            }
            self.entries = usize::MAX;
            self.program.is_cut.set(true);
        }
        is_full
    }

    fn entries(&mut self, entries: &'f [EntryFile], at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
        for entry in entries {
            if self.entries == usize::MAX {
                return;
            }
            self.entries += 1;
            self.entry(entry, at, into);
        }
    }

    fn entry(&mut self, entry: &'f EntryFile, at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
        match entry {
            EntryFile::Name(reference) => self.named(reference, at, into),
            EntryFile::Stage(file) => match &file.stage {
                Some(text) => {
                    let name = self.program.filled(&at.scope, &text.text, &text.place);
                    match name {
                        Some(name) => {
                            if let Some(problem) = wrong_stage_name(&name, &text.place) {
                                self.report(Some(problem))
                            }
                            let full = self.program.full_name(at.scope.instance, &name);
                            self.stage(file, full, at, into);
                        }
                        None => self.is_whole = false,
                    }
                }
                None => self.is_whole = false,
            },
            EntryFile::Block(file) => {
                let mut at = At::clone(at);
                if !file.arguments.0.is_empty() {
                    at.overrides.push(Given {
                        arguments: &file.arguments,
                        scope: at.scope.clone(),
                    });
                }
                if let (Some(every), None) = (&file.every, &at.forced_every) {
                    at.forced_every = Some((every, at.scope.clone()));
                }
                self.block(file, &Rc::new(at), into);
            }
            operation => {
                self.calls += 1;
                into.push(Call::Operation {
                    entry: operation,
                    at: at.clone(),
                });
            }
        }
    }

    fn stage(&mut self, file: &'f StageFile, name: String, at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
        self.calls += 1;
        if self.is_too_long(&file.place) {
            return;
        }
        let Some(path) = self.program.shader(file, &name, &at.scope) else {
            self.is_whole = false;
            return;
        };
        let key = (std::ptr::from_ref(file) as usize, path.clone());
        let kernel = self
            .kernels
            .entry(key)
            .or_insert_with(|| Rc::new(self.program.kernel(file, path)));
        into.push(Call::Stage {
            file,
            name,
            kernel: kernel.clone(),
            at: at.clone(),
        });
    }

    /// A name in a list.
    fn named(&mut self, reference: &'f Reference, at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
        let Some(name) = &reference.name else {
            self.is_whole = false;
            return;
        };
        let (instance, called, definition) = match self.callee(&at.scope, name, &reference.place) {
            Ok(Callee::Definition(instance, called, definition)) => (instance, called, Some(definition)),
            Ok(Callee::List(instance, entries)) => {
                let at = At {
                    scope: Scope::of(instance),
                    groups: at.groups + 1,
                    ..At::clone(at)
                };
                return self.entries(entries, &Rc::new(at), into);
            }
            Err(problem) => return self.report(problem),
        };
        let Some(definition) = definition else { return };
        let scope = if instance == at.scope.instance {
            at.scope.clone()
        } else {
            Scope::of(instance)
        };
        let open = (instance, called.clone());
        if let Some(first) = self.open.iter().position(|other| *other == open) {
            let circle = self.open[first..]
                .iter()
                .chain([&open])
                .map(|(_, name)| name.as_str());
            let message = format!(
                "`{name}` runs itself: {}",
                circle.collect::<Vec<_>>().join(" -> ")
            );
            let help = "leave one of these names out";
            return self.report(Some(
                Problem::at_place(reference.place.clone(), message).help(help),
            ));
        }
        if at.groups > MAX_GROUPS {
            let message = format!("groups are nested more than {MAX_GROUPS} deep");
            let problem = Problem::at_place(reference.place.clone(), message);
            return self.report(Some(problem.help("call some of them one after the other")));
        }
        let Ok(filled) = scope.text(&called).map(|text| text.into_owned()) else {
            let problem = self.program.filled(&scope, &called, &reference.place);
            return self.is_whole &= problem.is_some();
        };
        self.open.push(open);
        let mut at = At {
            scope,
            groups: at.groups + 1,
            ..At::clone(at)
        };
        match definition {
            DefinitionFile::Stage(file) => {
                let full = self.program.full_name(instance, &filled);
                self.stage(file, full, &Rc::new(at), into);
            }
            DefinitionFile::Group(entries) => self.entries(entries, &Rc::new(at), into),
            DefinitionFile::Block(file) => {
                if !file.arguments.0.is_empty() {
                    at.defaults.insert(
                        0,
                        Given {
                            arguments: &file.arguments,
                            scope: at.scope.clone(),
                        },
                    );
                }
                if let Some(every) = &file.every {
                    at.default_every = Some((every, at.scope.clone()));
                }
                self.block(file, &Rc::new(at), into);
            }
        }
        self.open.pop();
    }

    /// What a name in a list stands for, as an instance sees it.
    fn callee(&self, scope: &Scope, name: &Name, place: &Place) -> Result<Callee<'f>, Option<Problem>> {
        let program = self.program;
        let written = name.to_string();
        let filled = scope
            .text(&written)
            .map(|text| text.into_owned())
            .unwrap_or(written.clone());
        let mut instance = scope.instance;
        let mut rest = filled.as_str();
        loop {
            let found = &program.instances[instance];
            let is_own = instance == scope.instance;
            // A definition with holes is called by its name with them.
            let names = [if is_own { written.as_str() } else { rest }, rest];
            let definition = names
                .iter()
                .find_map(|name| Some((*name, found.file.stages.get(name)?)));
            if let Some((called, item)) = definition {
                if !is_own && !found.exports.contains(called) {
                    return Err(Some(program.private(instance, called, place)));
                }
                let definition = item.value.as_ref().ok_or(None)?;
                return Ok(Callee::Definition(instance, called.to_string(), definition));
            }
            let list = match rest {
                "init" => Some(&found.file.init),
                "step" => Some(&found.file.step),
                "frame" => Some(&found.file.frame),
                _ => None,
            };
            if let Some(list) = list.filter(|_| !is_own) {
                return Ok(Callee::List(instance, list));
            }
            let (first, inner) = rest.split_once('.').unwrap_or((rest, ""));
            match found.children.get(first) {
                Some(Some(child)) if !inner.is_empty() => {
                    if !is_own && !found.exports.contains(first) {
                        return Err(Some(program.private(instance, first, place)));
                    }
                    (instance, rest) = (*child, inner);
                }
                Some(None) => return Err(None),
                _ => return Err(Some(self.no_callee(scope.instance, instance, &written, place))),
            }
        }
    }

    fn no_callee(&self, from: InstanceId, instance: InstanceId, name: &str, place: &Place) -> Problem {
        let found = &self.program.instances[instance];
        let prefix = if from == instance {
            String::new()
        } else {
            format!("{}.", name.rsplit_once('.').map_or("", |(path, _)| path))
        };
        let is_visible = |name: &str| from == instance || found.exports.contains(name);
        let mut known: Vec<String> = found
            .file
            .stages
            .names()
            .filter(|name| is_visible(name))
            .map(str::to_string)
            .collect();
        if from != instance {
            known.extend(["init", "step", "frame"].map(str::to_string));
        }
        for (child, id) in &found.children {
            let Some(id) = id else { continue };
            let file = self.program.instances[*id].file;
            let lists = [("init", &file.init), ("step", &file.step), ("frame", &file.frame)];
            known.extend(
                lists
                    .iter()
                    .filter(|(_, list)| !list.is_empty())
                    .map(|(list, _)| format!("{child}.{list}")),
            );
        }
        let known: Vec<String> = known
            .into_iter()
            .map(|known| format!("{prefix}{known}"))
            .collect();
        let problem = Problem::at_place(place.clone(), format!("`{name}` is not a stage or a group here"));
        let help = "define it in `stages`; a stage that stands in a list is { } with the key `stage`";
        problem.help(help).suggest(name, known.iter().map(String::as_str))
    }

    fn block(&mut self, file: &'f BlockFile, at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
        let before = self.program.mistakes();
        self.check_keys(file);
        let Some(letters) = self.letters(file, &at.scope) else {
            return;
        };
        for scope in letters {
            let at = Rc::new(At {
                scope,
                ..At::clone(at)
            });
            match &file.repeat {
                Some(_) => self.repeat(file, &at, into),
                None => self.inside(file, &at, into),
            }
            // The same mistake in every iteration is reported once.
            if self.program.mistakes() > before {
                return;
            }
        }
    }

    /// Reports keys that mean nothing without another one.
    fn check_keys(&mut self, file: &BlockFile) {
        let missing = [
            (
                file.repeat.is_some() && file.over.is_none(),
                "`repeat` requires `over`",
                "add \"over\": a count, or a list of values",
            ),
            (
                file.repeat.is_none() && file.over.is_some(),
                "`over` requires `repeat`",
                "add \"repeat\": the name of the value",
            ),
            (
                file.repeat.is_none() && file.condition.is_some(),
                "`while` requires `repeat`",
                "add \"repeat\" and \"over\": the largest number of iterations",
            ),
            (
                file.condition.is_none() && file.on_max_iterations.is_some(),
                "a repeat without `while` always runs all its iterations",
                "remove `on_max_iterations`, or name the buffer that ends the repeat in `while`",
            ),
            (
                file.only.is_none() && file.otherwise.is_some(),
                "`else` requires `if`",
                "add \"if\": a condition",
            ),
        ];
        for (_, message, help) in missing.into_iter().filter(|(is_wrong, ..)| *is_wrong) {
            self.report(Some(Problem::at_place(file.place.clone(), message).help(help)));
        }
    }

    /// The scopes of a block, one for each letter of its `for`.
    fn letters(&mut self, file: &BlockFile, scope: &Scope) -> Option<Vec<Scope>> {
        let Some(text) = &file.letters else {
            return Some(vec![scope.clone()]);
        };
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        let (name, items) = text.text.split_once(" in ").unwrap_or_default();
        let words: Vec<&str> = items.split_whitespace().collect();
        // A word alone is a list of letters.
        let items: Vec<String> = match words[..] {
            [letters] => letters.chars().map(String::from).collect(),
            _ => words.iter().map(|word| word.to_string()).collect(),
        };
        if !is_word(name) || items.is_empty() || !items.iter().all(|item| is_word(item)) {
            let message = format!("`{}` is not a loop over letters or words", text.text);
            let problem = Problem::at_place(text.place.clone(), message);
            let help =
                "write \"c in uvw\": a name, and letters without blanks; or words: \"q in density heat\"";
            self.report(Some(problem.help(help)));
            return None;
        }
        let scope_of = |(index, item): (usize, String)| {
            scope.with(name, LocalValue::Letter(item)).with_index(name, index)
        };
        Some(items.into_iter().enumerate().map(scope_of).collect())
    }

    fn repeat(&mut self, file: &'f BlockFile, at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
        let (Some(name), Some(over)) = (&file.repeat, &file.over) else {
            return;
        };
        if let Some(problem) = wrong_name(&name.text, &name.place) {
            self.report(Some(problem));
        }
        if at.repeats >= MAX_REPEATS {
            let message = format!("repeats are nested more than {MAX_REPEATS} deep");
            let problem = Problem::at_place(file.place.clone(), message);
            return self.report(Some(
                problem.help("combine inner repeats into one with a list of values"),
            ));
        }
        let values = match over {
            Numbers::One(number) => match self.program.value(&at.scope, number) {
                Some(Value::Number(count)) => {
                    let count = self
                        .program
                        .whole(count, &number.place, 0, MAX_INVOCATIONS as u64);
                    count.map(|count| (0..count).map(|i| i as f64).collect())
                }
                Some(Value::Vector(values)) => Some(values),
                None => None,
            },
            numbers => self.program.numbers(&at.scope, numbers),
        };
        let Some(values): Option<Vec<f64>> = values else {
            return self.report(None);
        };
        let before = self.program.mistakes();
        let mut iterations = Vec::new();
        for (index, value) in values.into_iter().enumerate() {
            self.calls += 1;
            let scope = at.scope.with(&name.text, LocalValue::Value(Value::Number(value)));
            let scope = scope.with_index(&name.text, index);
            let mut calls = Vec::new();
            self.inside(
                file,
                &Rc::new(At {
                    scope,
                    repeats: at.repeats + 1,
                    ..At::clone(at)
                }),
                &mut calls,
            );
            iterations.push(calls);
            if self.program.mistakes() > before || self.is_too_long(&file.place) {
                break;
            }
        }
        // Iterations count no longer: their dispatches do.
        self.calls -= iterations.len().min(self.calls);
        match file.condition {
            Some(_) => into.push(Call::Repeat {
                file,
                at: at.clone(),
                iterations,
            }),
            None => into.extend(iterations.into_iter().flatten()),
        }
    }

    /// The entries of a block, with its values and under its condition.
    fn inside(&mut self, file: &'f BlockFile, at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
        let mut scope = at.scope.clone();
        for (name, item) in file.values.iter() {
            let value = item.value.as_ref().and_then(|numbers| match numbers {
                Numbers::One(number) => self.program.value(&scope, number),
                numbers => self.program.numbers(&scope, numbers).map(Value::Vector),
            });
            scope = scope.with(name, value.map_or(LocalValue::Failed, LocalValue::Value));
        }
        let stages = match &file.only {
            None => Some(&file.stages),
            Some(condition) => match self.program.number(&scope, condition) {
                None => return self.report(None),
                Some(0.0) => file.otherwise.as_ref(),
                Some(_) => Some(&file.stages),
            },
        };
        let at = Rc::new(At {
            scope,
            ..At::clone(at)
        });
        match stages {
            None => {}
            Some(StagesFile::Name(reference)) => self.named(reference, &at, into),
            Some(StagesFile::Entries(entries)) => self.entries(entries, &at, into),
        }
    }
}

impl<'f> At<'f> {
    /// How often an entry runs that states `own`: in every n-th step or frame.
    pub(crate) fn every(&self, program: &Program<'f>, own: Option<&Number>) -> Option<u32> {
        let own = own.map(|number| (number, self.scope.clone()));
        let stated = self
            .forced_every
            .clone()
            .or(own)
            .or_else(|| self.default_every.clone());
        let Some((number, scope)) = stated else {
            return Some(1);
        };
        program
            .count(&scope, number, 1, 1 << 30)
            .map(|every| every as u32)
    }
}
