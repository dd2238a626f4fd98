//! The calls of lists: names are looked up, conditions evaluated, repeats unrolled and letters substituted.

use std::collections::HashMap;
use std::rc::Rc;

use super::file::*;
use super::kernels::Kernel;
use super::program::*;
use super::scope::Scope;
use crate::expr::Name;
use crate::ir::List;
use crate::problem::{Place, Problem};

/// Maximum number of dispatches in one list after unrolling, and of iterations of a repeat.
pub const MAX_INVOCATIONS: usize = 20_000;
/// Maximum number of entries visited, including entries without a dispatch.
const MAX_ENTRIES: usize = 200_000;
/// Maximum nesting of groups.
const MAX_GROUPS: usize = 64;

/// An evaluated entry of a list.
#[derive(Clone)]
pub enum Call<'f> {
    Stage {
        file: &'f StageFile,
        name: String,
        kernel: Rc<Kernel<'f>>,
        at: Rc<At<'f>>,
    },
    /// An operation of the engine.
    Operation { file: &'f OperationFile, at: Rc<At<'f>> },
    Repeat {
        file: &'f BlockFile,
        at: Rc<At<'f>>,
        iterations: Vec<Vec<Call<'f>>>,
    },
}

/// The context of an entry: its list, scope and enclosing blocks.
#[derive(Clone)]
pub struct At<'f> {
    pub list: List,
    pub scope: Scope,
    /// Arguments of blocks in lists, the outermost first, and of blocks in definitions, the innermost first.
    pub overrides: Vec<Given<'f>>,
    pub defaults: Vec<Given<'f>>,
    /// The `every` of a block in a list, and of a block in a definition.
    pub forced_every: Option<(&'f Number, Scope)>,
    pub default_every: Option<(&'f Number, Scope)>,
    pub(super) repeats: usize,
    pub(super) groups: usize,
}

/// Arguments of a block, with the scope of their expressions.
#[derive(Clone)]
pub struct Given<'f> {
    pub arguments: &'f ArgumentsFile,
    pub scope: Scope,
}

/// The calls of the three lists, in their order.
pub struct Calls<'f> {
    pub lists: Vec<(List, Vec<Call<'f>>)>,
    /// The calls of groups that a client runs between steps.
    pub between: Vec<Vec<Call<'f>>>,
    /// True if no entry was skipped because of a mistake.
    pub is_whole: bool,
}

impl<'f> Calls<'f> {
    /// All lists.
    pub fn all(&self) -> impl Iterator<Item = &Vec<Call<'f>>> {
        self.lists.iter().map(|(_, calls)| calls).chain(&self.between)
    }
}

/// Evaluates the three lists of the file, and the groups that are called between steps.
pub fn calls<'f>(program: &Program<'f>, between: &'f [EntryFile]) -> Calls<'f> {
    let file = program.instances[0].file;
    let mut caller = Caller {
        program,
        open: Vec::new(),
        kernels: HashMap::new(),
        entries: 0,
        calls: 0,
        is_whole: true,
    };
    let mut evaluated = |list: List, entries: &'f [EntryFile]| {
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
        calls
    };
    let lists = file
        .lists()
        .map(|(list, entries)| (list, evaluated(list, entries)));
    let between = between
        .chunks(1)
        .map(|entry| evaluated(List::Step, entry))
        .collect();
    Calls {
        lists: lists.into(),
        between,
        is_whole: caller.is_whole,
    }
}

pub(super) struct Caller<'p, 'f> {
    pub(super) program: &'p Program<'f>,
    /// The definitions that are being called, the outermost first.
    open: Vec<(InstanceId, String)>,
    /// Kernels by address of the stage in the file and path of the shader.
    kernels: HashMap<(usize, String), Rc<Kernel<'f>>>,
    pub(super) entries: usize,
    pub(super) calls: usize,
    pub(super) is_whole: bool,
}

/// The target of a name in a list.
enum Callee<'f> {
    Definition(String, &'f DefinitionFile),
    List(&'f [EntryFile]),
}

impl<'f> Caller<'_, 'f> {
    /// Reports a mistake in an entry, which is skipped.
    pub(super) fn refuse(&mut self, place: &Place, message: impl Into<String>, help: impl Into<String>) {
        self.is_whole = false;
        self.program.wrong(place, message, help);
    }

    /// True if the list is too long. Reports this once.
    pub(super) fn is_too_long(&mut self, place: &Place) -> bool {
        let is_full = self.calls > MAX_INVOCATIONS || self.entries > MAX_ENTRIES;
        if is_full {
            if self.entries < usize::MAX {
                let message = format!("more than {MAX_INVOCATIONS} dispatches after unrolling the repeats");
                self.refuse(place, message, "repeat fewer times, or loop inside the shader");
            }
            self.entries = usize::MAX;
            self.program.is_cut.set(true);
        }
        is_full
    }

    pub(super) fn entries(&mut self, entries: &'f [EntryFile], at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
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
            EntryFile::Stage(file) => {
                let text = file.stage.as_ref();
                let name = text.and_then(|text| {
                    let name = self
                        .program
                        .substitute_letters(&at.scope, &text.text, &text.place)?;
                    self.is_whole &= self.program.check_stage_name(&name, &text.place);
                    Some(self.program.full_name(at.scope.instance, &name))
                });
                match name {
                    Some(name) => self.stage(file, name, at, into),
                    None => self.is_whole = false,
                }
            }
            EntryFile::Block(file) => {
                let mut at = At::clone(at);
                at.overrides.extend(file.given(&at.scope));
                if let (Some(every), None) = (&file.every, &at.forced_every) {
                    at.forced_every = Some((every, at.scope.clone()));
                }
                self.block(file, &Rc::new(at), into);
            }
            EntryFile::Operation(file) => {
                self.calls += 1;
                let at = at.clone();
                into.push(Call::Operation { file, at });
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
        let kernels = self.kernels.entry(key);
        let kernel = kernels.or_insert_with(|| Rc::new(self.program.kernel(file, path)));
        let (kernel, at) = (kernel.clone(), at.clone());
        into.push(Call::Stage {
            file,
            name,
            kernel,
            at,
        });
    }

    /// Adds the calls of a name in a list.
    pub(super) fn named(&mut self, reference: &'f Reference, at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
        let callee = reference.name.as_ref();
        let callee = callee.and_then(|name| self.callee(&at.scope, name, &reference.place));
        let Some((instance, callee)) = callee else {
            self.is_whole = false;
            return;
        };
        let mut at = At::clone(at);
        if instance != at.scope.instance {
            at.scope = Scope::of(instance);
        }
        at.groups += 1;
        let (called, definition) = match callee {
            Callee::Definition(called, definition) => (called, definition),
            Callee::List(entries) => return self.entries(entries, &Rc::new(at), into),
        };
        let open = (instance, called);
        if let Some(first) = self.open.iter().position(|other| *other == open) {
            let circle = self.open[first..].iter().chain([&open]);
            let circle: Vec<&str> = circle.map(|(_, name)| name.as_str()).collect();
            let message = format!("`{}` runs itself: {}", reference.text(), circle.join(" -> "));
            return self.refuse(&reference.place, message, "remove one of these names");
        }
        if at.groups > MAX_GROUPS + 1 {
            let message = format!("groups are nested more than {MAX_GROUPS} deep");
            return self.refuse(&reference.place, message, "call some of them one after the other");
        }
        let Some(filled) = self
            .program
            .substitute_letters(&at.scope, &open.1, &reference.place)
        else {
            self.is_whole = false;
            return;
        };
        self.open.push(open);
        match definition {
            DefinitionFile::Stage(file) => {
                let full = self.program.full_name(instance, &filled);
                self.stage(file, full, &Rc::new(at), into);
            }
            DefinitionFile::Group(entries) => self.entries(entries, &Rc::new(at), into),
            DefinitionFile::Block(file) => {
                let given = file.given(&at.scope);
                at.defaults.splice(0..0, given);
                if let Some(every) = &file.every {
                    at.default_every = Some((every, at.scope.clone()));
                }
                self.block(file, &Rc::new(at), into);
            }
        }
        self.open.pop();
    }

    /// The target of a name in a list of an instance, and the instance to which the target belongs.
    fn callee(&self, scope: &Scope, name: &Name, place: &Place) -> Option<(InstanceId, Callee<'f>)> {
        let program = self.program;
        let written = name.to_string();
        let filled = scope.text(&written).unwrap_or(written.as_str().into());
        let mut instance = scope.instance;
        let mut rest = &*filled;
        loop {
            let found = &program.instances[instance];
            let is_own = instance == scope.instance;
            let is_hidden = |name: &str| !is_own && !found.exports.contains(name);
            // A definition with placeholders may also be named with the placeholders.
            let names = [if is_own { written.as_str() } else { rest }, rest];
            let definition = |name: &&str| Some((name.to_string(), found.file.stages.get(name)?));
            if let Some((called, item)) = names.iter().find_map(definition) {
                if is_hidden(&called) {
                    return program.fail(program.private(instance, &called, place));
                }
                return Some((instance, Callee::Definition(called, item.value.as_ref()?)));
            }
            let list = found
                .file
                .lists()
                .into_iter()
                .find(|(list, _)| list.key() == rest);
            if let Some((_, list)) = list.filter(|_| !is_own) {
                return Some((instance, Callee::List(list)));
            }
            let (first, inner) = rest.split_once('.').unwrap_or((rest, ""));
            match found.children.get(first) {
                Some(Some(_)) if !inner.is_empty() && is_hidden(first) => {
                    return program.fail(program.private(instance, first, place));
                }
                Some(Some(child)) if !inner.is_empty() => (instance, rest) = (*child, inner),
                Some(None) => return None,
                _ => return program.fail(self.no_callee(scope.instance, instance, &written, place)),
            }
        }
    }

    fn no_callee(&self, from: InstanceId, instance: InstanceId, name: &str, place: &Place) -> Problem {
        let found = &self.program.instances[instance];
        let is_own = from == instance;
        let stages = found.file.stages.names();
        let visible = stages.filter(|name| is_own || found.exports.contains(name));
        let mut known: Vec<String> = visible.map(str::to_string).collect();
        if !is_own {
            known.extend(["init", "step", "frame"].map(str::to_string));
        }
        for (child, id) in &found.children {
            let lists = id.map(|id| self.program.instances[id].file.lists());
            let filled = lists.into_iter().flatten().filter(|(_, list)| !list.is_empty());
            known.extend(filled.map(|(list, _)| format!("{child}.{}", list.key())));
        }
        if !is_own {
            let path = name.rsplit_once('.').map_or("", |(path, _)| path);
            known
                .iter_mut()
                .for_each(|known| *known = format!("{path}.{known}"));
        }
        let message = format!("`{name}` is not a stage or a group here");
        let help = "define it in `stages`; a stage written in a list is { } with the key `stage`";
        let known = known.iter().map(String::as_str);
        Problem::at(place, message, help).suggest(name, known)
    }
}

impl<'f> At<'f> {
    /// The n of an entry that runs in every n-th step or frame. `own` is the value that the entry states.
    pub fn every(&self, program: &Program<'f>, own: Option<&Number>) -> Option<u32> {
        let own = own.map(|number| (number, self.scope.clone()));
        let forced = self.forced_every.clone();
        match forced.or(own).or_else(|| self.default_every.clone()) {
            Some((number, scope)) => program
                .count(&scope, number, 1, 1 << 30)
                .map(|every| every as u32),
            None => Some(1),
        }
    }
}

impl PipelineFile {
    fn lists(&self) -> [(List, &Vec<EntryFile>); 3] {
        [
            (List::Init, &self.init),
            (List::Step, &self.step),
            (List::Frame, &self.frame),
        ]
    }
}
