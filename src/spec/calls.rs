//! The calls of lists: names are looked up, conditions evaluated, repeats unrolled and letters substituted.

use std::collections::HashMap;
use std::rc::Rc;

use super::file::*;
use super::kernels::Kernel;
use super::program::*;
use super::scope::{LocalValue, Scope};
use crate::expr::{Name, Value};
use crate::ir::List;
use crate::problem::{Place, Problem};

/// Maximum number of dispatches in one list after unrolling, and of iterations of a repeat.
pub const MAX_INVOCATIONS: usize = 20_000;
/// Maximum number of entries visited, including entries without a dispatch.
const MAX_ENTRIES: usize = 200_000;
/// Maximum nesting of repeats, and of groups.
const MAX_REPEATS: usize = 8;
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
    Operation { entry: &'f EntryFile, at: Rc<At<'f>> },
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
    repeats: usize,
    groups: usize,
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
    /// True if no entry was skipped because of a mistake.
    pub is_whole: bool,
}

/// Evaluates the three lists of the file.
pub fn calls<'f>(program: &Program<'f>) -> Calls<'f> {
    let file = program.instances[0].file;
    let mut caller = Caller {
        program,
        open: Vec::new(),
        kernels: HashMap::new(),
        entries: 0,
        calls: 0,
        is_whole: true,
    };
    let lists = file.lists().map(|(list, entries)| {
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
    /// Kernels by address of the stage in the file and path of the shader.
    kernels: HashMap<(usize, String), Rc<Kernel<'f>>>,
    entries: usize,
    calls: usize,
    is_whole: bool,
}

/// The target of a name in a list.
enum Callee<'f> {
    Definition(String, &'f DefinitionFile),
    List(&'f [EntryFile]),
}

impl<'f> Caller<'_, 'f> {
    /// Reports a mistake in an entry, which is skipped.
    fn refuse(&mut self, place: &Place, message: impl Into<String>, help: impl Into<String>) {
        self.is_whole = false;
        self.program.wrong(place, message, help);
    }

    /// True if the list is too long. Reports this once.
    fn is_too_long(&mut self, place: &Place) -> bool {
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
            operation => {
                self.calls += 1;
                let (entry, at) = (operation, at.clone());
                into.push(Call::Operation { entry, at });
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
    fn named(&mut self, reference: &'f Reference, at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
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

    fn block(&mut self, file: &'f BlockFile, at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
        let before = self.program.mistakes();
        self.check_keys(file);
        let Some(letters) = self.letters(file, &at.scope) else {
            self.is_whole = false;
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
            // Report a mistake only for the first iteration that has it.
            if self.program.mistakes() > before {
                return;
            }
        }
    }

    /// Reports keys that require another key.
    fn check_keys(&mut self, file: &BlockFile) {
        let mut check = |is_wrong: bool, message: &str, help: &str| {
            if is_wrong {
                self.refuse(&file.place, message, help);
            }
        };
        let (repeats, has_while) = (file.repeat.is_some(), file.condition.is_some());
        let help = "add \"over\": a count, or a list of values";
        check(repeats && file.over.is_none(), "`repeat` requires `over`", help);
        let help = "add \"repeat\": the name of the value";
        check(!repeats && file.over.is_some(), "`over` requires `repeat`", help);
        let help = "add \"repeat\" and \"over\": the largest number of iterations";
        check(!repeats && has_while, "`while` requires `repeat`", help);
        let message = "a repeat without `while` always runs all its iterations";
        let help = "remove `on_max_iterations`, or name the buffer that ends the repeat in `while`";
        check(!has_while && file.on_max_iterations.is_some(), message, help);
        let is_lone = file.only.is_none() && file.otherwise.is_some();
        check(is_lone, "`else` requires `if`", "add \"if\": a condition");
    }

    /// The scopes of a block, one for each letter of its `for`.
    fn letters(&self, file: &BlockFile, scope: &Scope) -> Option<Vec<Scope>> {
        let Some(text) = &file.letters else {
            return Some(vec![scope.clone()]);
        };
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let is_word = |word: &str| !word.is_empty() && word.chars().all(is_plain);
        let (name, items) = text.text.split_once(" in ").unwrap_or_default();
        let words: Vec<&str> = items.split_whitespace().collect();
        // A single word is a list of letters.
        let items: Vec<String> = match words[..] {
            [letters] => letters.chars().map(String::from).collect(),
            _ => words.iter().map(|word| word.to_string()).collect(),
        };
        if !is_word(name) || items.is_empty() || !items.iter().all(|item| is_word(item)) {
            let message = format!("`{}` is not a loop over letters or words", text.text);
            let help =
                "write \"c in uvw\": a name, and letters without blanks; or words: \"q in density heat\"";
            return self.program.refuse(&text.place, message, help);
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
        self.is_whole &= self.program.check_name(&name.text, &name.place);
        if at.repeats >= MAX_REPEATS {
            let message = format!("repeats are nested more than {MAX_REPEATS} deep");
            let help = "combine inner repeats into one with a list of values";
            return self.refuse(&file.place, message, help);
        }
        let Some(values) = self.values(over, &at.scope) else {
            self.is_whole = false;
            return;
        };
        let before = self.program.mistakes();
        let mut iterations = Vec::new();
        for (index, value) in values.into_iter().enumerate() {
            self.calls += 1;
            let mut at = At::clone(at);
            let value = LocalValue::Value(Value::Number(value));
            at.scope = at.scope.with(&name.text, value).with_index(&name.text, index);
            at.repeats += 1;
            let mut calls = Vec::new();
            self.inside(file, &Rc::new(at), &mut calls);
            iterations.push(calls);
            if self.program.mistakes() > before || self.is_too_long(&file.place) {
                break;
            }
        }
        // From here on only the dispatches of the iterations count.
        self.calls -= iterations.len().min(self.calls);
        match file.condition {
            Some(_) => {
                let at = at.clone();
                into.push(Call::Repeat { file, at, iterations });
            }
            None => into.extend(iterations.into_iter().flatten()),
        }
    }

    /// The values of a repeat: a list, or the whole numbers below a count.
    fn values(&self, over: &Numbers, scope: &Scope) -> Option<Vec<f64>> {
        if let Numbers::One(number) = over
            && let Value::Number(count) = self.program.value(scope, number)?
        {
            let most = MAX_INVOCATIONS as u64;
            let count = self.program.whole(count, &number.place, 0, most)?;
            return Some((0..count).map(|i| i as f64).collect());
        }
        self.program.numbers(scope, over)
    }

    /// Adds the calls of a block, with the values of `let` and under its condition.
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
                None => {
                    self.is_whole = false;
                    return;
                }
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

impl BlockFile {
    /// The arguments of the block for its stages, if there are any.
    fn given(&self, scope: &Scope) -> Option<Given<'_>> {
        let (arguments, scope) = (&self.arguments, scope.clone());
        (!arguments.0.is_empty()).then_some(Given { arguments, scope })
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
