//! A file with its modules as scopes: what each instance has, and what its names stand for.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use indexmap::IndexMap;

use super::file::{
    BufferFile, FactsFile, FullChannelFile, GridFile, Numbers, ParticlesFile, PipelineFile, SourceFile,
};
pub use super::ids::*;
use super::lazy::{Lazy, Open};
use super::names::{wrong_name, wrong_stage_name};
use crate::element::Element;
use crate::expr::Value;
use crate::grid;
use crate::heights::Header;
pub use crate::ir::Effect;
use crate::ir::ParticleOrigin;
use crate::particles::files::Layout;
use crate::problem::{Place, Problem, Problems};
use crate::shader::facts::Kernels;

/// A file with its modules.
pub struct Program<'f> {
    pub instances: Vec<Instance<'f>>,
    pub decls: Vec<Decl<'f>>,
    pub channels: Vec<Channel<'f>>,
    pub parameters: Vec<Parameter<'f>>,
    pub kernels: Kernels,
    /// For what expressions are evaluated at present: what a change of a parameter in them requires.
    pub effect: Cell<Effect>,
    /// Values that are being found, the outermost first.
    pub open: RefCell<Vec<Open>>,
    /// The length of a step.
    pub dt: Lazy<f64>,
    problems: RefCell<Problems>,
    /// InlineShaders and places of the problems: what is wrong in several uses of one place is told once.
    told: RefCell<HashSet<Told>>,
    /// There are as many resources or fields as a pipeline may have, which has been reported.
    pub is_full: bool,
    /// Some list is too long, and what it runs was cut off.
    pub is_cut: Cell<bool>,
}

/// The message of a problem, with the file and the bytes that it is about.
type Told = (String, Option<(String, Range<usize>)>);

/// A use of a module, or the file itself.
pub struct Instance<'f> {
    pub file: &'f PipelineFile,
    /// Its dotted name; empty for the file itself.
    pub path: String,
    /// The instance whose file uses it, and where.
    pub user: Option<(InstanceId, &'f Place)>,
    /// Instances in it, by their names; none for one that is wrong.
    pub children: IndexMap<&'f str, Option<InstanceId>>,
    /// Its parameters by their dotted names.
    pub parameters: IndexMap<String, ParameterId>,
    /// Names of parameters whose values are wrong, which has been reported.
    pub failed: BTreeSet<String>,
    /// Its groups of parameters, by dotted names.
    pub groups: BTreeSet<String>,
    pub roles: IndexMap<&'f str, Role>,
    /// Resources that it declares; none for one that is wrong.
    pub own: IndexMap<&'f str, Option<DeclId>>,
    /// Channels by the names of role and channel.
    pub views: HashMap<(String, String), View>,
    /// Instances of the same file whose stages come before its own.
    pub after: Vec<InstanceId>,
    pub exports: BTreeSet<&'f str>,
}

/// What fills a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A resource, seen through an instance that adds channels to it, if it is.
    Filled(DeclId),
    /// Nothing, which is allowed.
    Absent,
    /// Nothing: a mistake if something uses the role.
    Open,
    /// A mistake that has been reported.
    Broken,
}

/// What an instance sees under the name of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    Channel(ChannelId),
    /// An optional channel that the user has left out.
    Absent,
    /// A mistake that has been reported.
    Broken,
}

/// A resource as it is declared.
pub struct Decl<'f> {
    pub instance: InstanceId,
    /// Its name in all of the pipeline: `room`, `drawing.cubes`.
    pub name: String,
    pub kind: DeclKind<'f>,
    pub key: &'f Place,
    pub pointer: &'f str,
    /// Channels in the order of memory: its own, then those that instances add.
    pub channels: RefCell<Vec<ChannelId>>,
    pub is_used: Cell<bool>,
    pub size: Lazy<Size>,
    pub spacing: Lazy<[f64; 3]>,
    pub levels: Lazy<u32>,
    pub blocks: Lazy<Blocks>,
    pub elevation: Lazy<Elevation<'f>>,
    /// What the sources of a particle set give.
    pub begun: Lazy<Vec<Begun<'f>>>,
}

#[derive(Clone, Copy)]
pub enum DeclKind<'f> {
    Grid(&'f GridFile),
    Particles(&'f ParticlesFile),
    Buffer(&'f BufferFile),
}

/// A channel or attribute; a buffer without channels has one without a name.
pub struct Channel<'f> {
    pub decl: DeclId,
    /// Empty for the values of a buffer.
    pub name: String,
    /// Its name in all of the pipeline: `room.u`, `air.grid.first`.
    pub full: String,
    pub element: Element,
    /// Where its properties are stated, and the instance in whose names.
    pub stated: Option<(&'f FullChannelFile, InstanceId)>,
    /// A role that states what the channel itself does not.
    pub completed: RefCell<Vec<(&'f FullChannelFile, InstanceId)>>,
    pub key: &'f Place,
    pub pointer: String,
    /// The instance that added it to a resource of its user, if it is one that its user does not name.
    pub added_by: Option<InstanceId>,
    pub is_used: Cell<bool>,
}

/// Elements per axis; unused axes are 1.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub elements: [u64; 3],
    pub axes: usize,
}

/// The elevation model that a grid of vertices starts from.
pub struct Elevation<'f> {
    pub source: &'f SourceFile,
    pub scope: InstanceId,
    pub header: Header,
}

/// How the blocks of a sparse grid lie.
#[derive(Debug, Clone)]
pub struct Blocks {
    pub layout: grid::Layout,
    pub max_blocks: u64,
}

/// A source whose attributes have not been looked at.
pub struct Begun<'f> {
    pub file: &'f SourceFile,
    pub origin: ParticleOrigin,
    pub count: u64,
    /// What a file of points holds.
    pub layout: Option<Layout>,
}

/// A parameter that is no group.
pub struct Parameter<'f> {
    /// Its dotted name in all of the pipeline: `air.lift`.
    pub name: String,
    pub numbers: Cow<'f, Numbers>,
    /// The instance in whose names the numbers are written.
    pub scope: InstanceId,
    /// What people should know about it, with the instance in whose names that is written: of users first.
    pub facts: Vec<(&'f FactsFile, InstanceId)>,
    pub value: Lazy<Value>,
    pub effect: Cell<Effect>,
    /// Parameters that its value depends on.
    pub needs: RefCell<BTreeSet<ParameterId>>,
}

impl<'f> Parameter<'f> {
    pub fn fact<T>(&self, get: impl Fn(&'f FactsFile) -> Option<T>) -> Option<(T, InstanceId)> {
        let mut facts = self.facts.iter();
        facts.find_map(|(facts, scope)| Some((get(facts)?, *scope)))
    }

    /// The words that may be written as its value.
    pub fn words(&self) -> Option<Vec<&'f str>> {
        let (words, _) = self.fact(|facts| facts.words.as_ref())?;
        Some(words.iter().map(|word| word.text.as_str()).collect())
    }
}

impl<'f> Program<'f> {
    pub fn new(kernels: Kernels, problems: Problems) -> Program<'f> {
        Program {
            instances: Vec::new(),
            decls: Vec::new(),
            channels: Vec::new(),
            parameters: Vec::new(),
            kernels,
            effect: Cell::new(Effect::Rebuild),
            open: RefCell::default(),
            dt: Lazy::default(),
            problems: RefCell::new(problems),
            told: RefCell::default(),
            is_full: false,
            is_cut: Cell::new(false),
        }
    }

    pub fn report(&self, problem: Problem) {
        let place = problem.place();
        let place = place.map(|place| (place.source.name.clone(), place.range.clone()));
        if self.told.borrow_mut().insert((problem.message.clone(), place)) {
            self.problems.borrow_mut().push(problem);
        }
    }

    pub fn wrong(&self, place: &Place, message: impl Into<String>, help: impl Into<String>) {
        self.report(Problem::at(place, message, help));
    }

    /// Reports the problem of something that therefore is missing.
    pub fn fail<T>(&self, problem: Problem) -> Option<T> {
        self.report(problem);
        None
    }

    /// The same for a mistake without notes and suggestions.
    pub fn refuse<T>(&self, place: &Place, message: impl Into<String>, help: impl Into<String>) -> Option<T> {
        self.fail(Problem::at(place, message, help))
    }

    /// The number of mistakes so far.
    pub fn mistakes(&self) -> usize {
        self.problems.borrow().list.len()
    }

    pub fn into_problems(self) -> Problems {
        self.problems.into_inner()
    }

    /// Reports a name that cannot be one in shaders.
    pub fn check_name(&self, name: &str, place: &Place) -> bool {
        self.is_right(wrong_name(name, place))
    }

    /// Reports a name that cannot be one of a stage.
    pub fn check_stage_name(&self, name: &str, place: &Place) -> bool {
        self.is_right(wrong_stage_name(name, place))
    }

    fn is_right(&self, problem: Option<Problem>) -> bool {
        let is_right = problem.is_none();
        problem.into_iter().for_each(|problem| self.report(problem));
        is_right
    }

    /// Forgets values that were found before it was known which channels are used.
    pub fn settle(&mut self) {
        self.dt = Lazy::default();
        for parameter in &mut self.parameters {
            parameter.value = Lazy::default();
        }
        for decl in &mut self.decls {
            (decl.size, decl.spacing, decl.levels, decl.blocks) = Default::default();
        }
    }

    /// Does something for which expressions are evaluated.
    pub fn with<T>(&self, effect: Effect, act: impl FnOnce() -> T) -> T {
        let before = self.effect.replace(effect);
        let result = act();
        self.effect.set(before);
        result
    }

    /// The name of something of an instance, in all of the pipeline.
    pub fn full_name(&self, instance: InstanceId, name: &str) -> String {
        match self.instances[instance].path.as_str() {
            "" => name.to_string(),
            path => format!("{path}.{name}"),
        }
    }

    /// Names of the parameters and resources that expressions of an instance know.
    pub fn known_names(&self, instance: InstanceId) -> Vec<String> {
        let found = &self.instances[instance];
        let mut names: Vec<String> = found.parameters.keys().cloned().collect();
        for name in found.own.keys().chain(found.roles.keys()) {
            let sizes = match self.decl_of(instance, name).map(|decl| self.decls[decl].kind) {
                Some(DeclKind::Grid(_)) => &["nx", "ny", "nz", "dx"][..],
                Some(_) => &["count"],
                None => &[],
            };
            names.extend(sizes.iter().map(|size| format!("{name}.{size}")));
        }
        names.push("dt".to_string());
        names
    }

    /// Names of the fields that an instance sees.
    pub fn field_names(&self, instance: InstanceId) -> Vec<String> {
        let found = &self.instances[instance];
        let full = |resource: &str, channel: &str| match channel {
            "" => resource.to_string(),
            channel => format!("{resource}.{channel}"),
        };
        let mut names = Vec::new();
        for (name, decl) in &found.own {
            let Some(decl) = decl else { continue };
            for id in self.decls[*decl].channels.borrow().iter() {
                let channel = &self.channels[*id];
                if channel.added_by.is_none() {
                    names.push(full(name, &channel.name));
                }
            }
        }
        let own = names.len();
        names.extend(found.views.keys().map(|(role, channel)| full(role, channel)));
        names[own..].sort();
        for (child, id) in &found.children {
            let Some(id) = id else { continue };
            let exported = self.field_names(*id).into_iter().filter(|name| {
                let first = name.split('.').next().unwrap_or_default();
                self.instances[*id].exports.contains(first)
            });
            names.extend(exported.map(|name| format!("{child}.{name}")));
        }
        names
    }

    /// The resource of a name that an instance declares or has a role for.
    pub fn decl_of(&self, instance: InstanceId, name: &str) -> Option<DeclId> {
        let found = &self.instances[instance];
        match (found.own.get(name), found.roles.get(name)) {
            (Some(decl), _) => *decl,
            (None, Some(Role::Filled(decl))) => Some(*decl),
            (None, _) => None,
        }
    }

    /// The channel of a resource, as an instance sees it.
    pub fn view(&self, instance: InstanceId, resource: &str, channel: &str) -> Option<View> {
        let found = &self.instances[instance];
        if let Some(decl) = found.own.get(resource) {
            let Some(decl) = decl else {
                return Some(View::Broken);
            };
            let is_called = |id: &&ChannelId| {
                let found = &self.channels[**id];
                found.added_by.is_none() && found.name == channel
            };
            let channels = self.decls[*decl].channels.borrow();
            return channels.iter().find(is_called).map(|id| View::Channel(*id));
        }
        match found.roles.get(resource)? {
            Role::Broken => Some(View::Broken),
            _ => found
                .views
                .get(&(resource.to_string(), channel.to_string()))
                .copied(),
        }
    }
}

impl<'f> Channel<'f> {
    /// A property, from where it is stated; that of the channel itself goes first.
    pub fn property<T>(&self, get: impl Fn(&'f FullChannelFile) -> Option<T>) -> Option<(T, InstanceId)> {
        let completed = self.completed.borrow();
        let mut stated = self.stated.iter().chain(completed.iter());
        stated.find_map(|(full, scope)| Some((get(full)?, *scope)))
    }
}
