//! A file with its modules as scopes: the contents of each instance, and the targets of its names.

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
    /// The effect that a change of a parameter in the present expressions has.
    pub effect: Cell<Effect>,
    /// Values under evaluation, the outermost first.
    pub open: RefCell<Vec<Open>>,
    /// The length of a step.
    pub dt: Lazy<f64>,
    problems: RefCell<Problems>,
    /// Messages and places of reported problems: a mistake in several uses of one place is reported once.
    reported: RefCell<HashSet<ReportKey>>,
    /// The limit of resources or fields is reached, which is already reported.
    pub is_full: bool,
    /// Some list was too long and has been truncated.
    pub is_cut: Cell<bool>,
}

/// The message of a problem, with its file and its range of bytes.
type ReportKey = (String, Option<(String, Range<usize>)>);

/// A use of a module, or the file itself.
pub struct Instance<'f> {
    pub file: &'f PipelineFile,
    /// Its dotted name; empty for the file itself.
    pub path: String,
    /// The instance whose file uses it, and where.
    pub user: Option<(InstanceId, &'f Place)>,
    /// Inner instances by name; `None` for one with a mistake.
    pub children: IndexMap<&'f str, Option<InstanceId>>,
    /// Parameters by dotted name.
    pub parameters: IndexMap<String, ParameterId>,
    /// Names of parameters whose values have mistakes, already reported.
    pub failed: BTreeSet<String>,
    /// Dotted names of the groups of parameters.
    pub groups: BTreeSet<String>,
    pub roles: IndexMap<&'f str, Role>,
    /// Declared resources; `None` for one with a mistake.
    pub own: IndexMap<&'f str, Option<DeclId>>,
    /// Channels by the names of role and channel.
    pub views: HashMap<(String, String), View>,
    /// Instances of the same file whose stages come before its own.
    pub after: Vec<InstanceId>,
    pub exports: BTreeSet<&'f str>,
}

/// The resource of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The role is filled with a resource.
    Filled(DeclId),
    /// The role is optional and not filled.
    Absent,
    /// The role is not filled, which is a mistake if anything uses it.
    Open,
    /// A mistake that has been reported.
    Broken,
}

/// The target of the name of a channel in the scope of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    Channel(ChannelId),
    /// An optional channel that the user leaves out.
    Absent,
    /// A mistake that has been reported.
    Broken,
}

/// A declared resource.
pub struct Decl<'f> {
    pub instance: InstanceId,
    /// Its full name: `room`, `drawing.cubes`.
    pub name: String,
    pub kind: DeclKind<'f>,
    pub key: &'f Place,
    pub pointer: &'f str,
    /// Channels in memory order: its own channels, then channels that instances add.
    pub channels: RefCell<Vec<ChannelId>>,
    pub is_used: Cell<bool>,
    pub size: Lazy<Size>,
    pub spacing: Lazy<[f64; 3]>,
    pub levels: Lazy<u32>,
    pub blocks: Lazy<Blocks>,
    pub elevation: Lazy<Elevation<'f>>,
    /// The sources of a particle set.
    pub particle_sources: Lazy<Vec<CheckedSource<'f>>>,
}

#[derive(Clone, Copy)]
pub enum DeclKind<'f> {
    Grid(&'f GridFile),
    Particles(&'f ParticlesFile),
    Buffer(&'f BufferFile),
}

/// A channel or attribute. A buffer without channels has one with an empty name.
pub struct Channel<'f> {
    pub decl: DeclId,
    /// Empty for the values of a buffer.
    pub name: String,
    /// Its full name: `room.u`, `air.grid.first`.
    pub full: String,
    pub element: Element,
    /// The stated properties, and the instance whose names they use.
    pub stated: Option<(&'f FullChannelFile, InstanceId)>,
    /// Roles that state properties that the channel itself does not state.
    pub completed: RefCell<Vec<(&'f FullChannelFile, InstanceId)>>,
    pub key: &'f Place,
    pub pointer: String,
    /// The instance that added the channel to a resource of its user, unless the user declares it.
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

/// The layout of the blocks of a sparse grid.
#[derive(Debug, Clone)]
pub struct Blocks {
    pub layout: grid::Layout,
    pub max_blocks: u64,
}

/// A particle source before its attributes are resolved.
pub struct CheckedSource<'f> {
    pub file: &'f SourceFile,
    pub origin: ParticleOrigin,
    pub count: u64,
    /// The attributes of a file of points.
    pub layout: Option<Layout>,
}

/// A single parameter.
pub struct Parameter<'f> {
    /// Its full name: `air.lift`.
    pub name: String,
    pub numbers: Cow<'f, Numbers>,
    /// The instance whose names the numbers use.
    pub scope: InstanceId,
    /// Documentation, with the instances whose names it uses; users come before modules.
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

    /// The words that may be written as its value; `None` if there is none.
    pub fn words(&self) -> Option<Vec<&'f str>> {
        let (words, _) = self.fact(|facts| facts.words.as_ref().filter(|words| !words.is_empty()))?;
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
            reported: RefCell::default(),
            is_full: false,
            is_cut: Cell::new(false),
        }
    }

    pub fn report(&self, problem: Problem) {
        let place = problem.place();
        let place = place.map(|place| (place.source.name.clone(), place.range.clone()));
        if self
            .reported
            .borrow_mut()
            .insert((problem.message.clone(), place))
        {
            self.problems.borrow_mut().push(problem);
        }
    }

    pub fn wrong(&self, place: &Place, message: impl Into<String>, help: impl Into<String>) {
        self.report(Problem::at(place, message, help));
    }

    /// Reports the problem of a value that is therefore missing.
    pub fn fail<T>(&self, problem: Problem) -> Option<T> {
        self.report(problem);
        None
    }

    /// Reports a mistake, without notes or suggestions, of a value that is therefore missing.
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

    /// Reports a name that is invalid in shaders. Returns false after a mistake.
    pub fn check_name(&self, name: &str, place: &Place) -> bool {
        self.report_if_wrong(wrong_name(name, place))
    }

    /// Reports a name that is invalid for a stage. Returns false after a mistake.
    pub fn check_stage_name(&self, name: &str, place: &Place) -> bool {
        self.report_if_wrong(wrong_stage_name(name, place))
    }

    fn report_if_wrong(&self, problem: Option<Problem>) -> bool {
        let is_right = problem.is_none();
        problem.into_iter().for_each(|problem| self.report(problem));
        is_right
    }

    /// Discards values that were computed before the set of used channels was known.
    pub fn discard_values(&mut self) {
        self.dt = Lazy::default();
        for parameter in &mut self.parameters {
            parameter.value = Lazy::default();
        }
        for decl in &mut self.decls {
            (decl.size, decl.spacing, decl.levels, decl.blocks) = Default::default();
        }
    }

    /// Evaluates expressions in `act` that have this effect.
    pub fn with<T>(&self, effect: Effect, act: impl FnOnce() -> T) -> T {
        let before = self.effect.replace(effect);
        let result = act();
        self.effect.set(before);
        result
    }

    /// The full name of a part of an instance.
    pub fn full_name(&self, instance: InstanceId, name: &str) -> String {
        match self.instances[instance].path.as_str() {
            "" => name.to_string(),
            path => format!("{path}.{name}"),
        }
    }

    /// Names of the parameters and resources in expressions of an instance.
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

    /// Names of the fields in the scope of an instance.
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

    /// The target of a channel name in the scope of an instance.
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
    /// A property of the channel; its own statement takes precedence over roles.
    pub fn property<T>(&self, get: impl Fn(&'f FullChannelFile) -> Option<T>) -> Option<(T, InstanceId)> {
        let completed = self.completed.borrow();
        let mut stated = self.stated.iter().chain(completed.iter());
        stated.find_map(|(full, scope)| Some((get(full)?, *scope)))
    }
}
