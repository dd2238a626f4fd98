//! From files to scopes: instances of modules with their parameters.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;

use super::file::{FactsFile, Number, Numbers, ParameterFile, PipelineFile, UseFile};
use super::lazy::Lazy;
use super::program::*;
use super::read::{Item, Named};
use crate::expr::{Expr, Kind, Name, Part};
use crate::problem::{Place, Problem, Problems};
use crate::shader::facts::Kernels;

/// The value of a parameter, and its documentation.
type Stated<'f> = (Scoped<Cow<'f, Numbers>>, Vec<Scoped<&'f FactsFile>>);

/// Parameters that the user of a module sets.
type Given<'f> = Scoped<Giver<'f>>;
/// A part of a file, with the instance whose names it uses.
type Scoped<T> = (T, InstanceId);

#[derive(Clone)]
enum Giver<'f> {
    Group(&'f Named<ParameterFile>),
    /// The name of another group with the same members.
    Name(Name, &'f Place),
}

/// A value that a user gives for one parameter.
enum Member<'f> {
    Item(&'f Item<ParameterFile>),
    Name(Name, &'f Place),
}

/// Creates the scopes of a file and of its modules.
pub fn instances<'f>(file: &'f PipelineFile, kernels: Kernels, problems: Problems) -> Program<'f> {
    let mut program = Program::new(kernels, problems);
    program.instance(file, String::new(), None, &[]);
    program
}

/// The problem of running a file that has roles: their resources would be missing.
pub fn is_module(file: &PipelineFile) -> Option<Problem> {
    let (_, first) = file.roles.iter().next()?;
    let names: Vec<String> = file.roles.names().map(|name| format!("`{name}`")).collect();
    let message = format!(
        "this file is a module, which does not run by itself: its roles are not filled ({})",
        names.join(", ")
    );
    let help =
        "run or check a pipeline with this module in \"use\"; a pipeline has resources instead of roles";
    Some(Problem::at(&first.key, message, help))
}

impl<'f> Program<'f> {
    /// Adds an instance with its inner instances.
    fn instance(
        &mut self,
        file: &'f PipelineFile,
        path: String,
        user: Option<(InstanceId, &'f Place)>,
        given: &[Given<'f>],
    ) -> InstanceId {
        let id = self.instances.len();
        self.instances.push(Instance {
            file,
            path,
            user,
            children: IndexMap::new(),
            parameters: IndexMap::new(),
            failed: BTreeSet::new(),
            groups: BTreeSet::new(),
            roles: IndexMap::new(),
            own: IndexMap::new(),
            views: HashMap::new(),
            after: Vec::new(),
            exports: file.exports.iter().map(|text| text.text.as_str()).collect(),
        });
        self.parameters(id, "", &file.parameters, given);
        self.declare(id);
        self.check_exports(id);
        if let Some((user, _)) = user {
            self.fill_roles(user, id);
        }
        self.children(id, given);
        id
    }

    /// Adds the inner instances of an instance.
    fn children(&mut self, id: InstanceId, given: &[Given<'f>]) {
        let file = self.instances[id].file;
        for (name, item) in in_order_of_roles(file) {
            self.check_name(name, &item.key);
            let found = &self.instances[id];
            let is_taken = found.own.contains_key(name) || found.roles.contains_key(name);
            let has_parameters = file.parameters.get(name).is_some();
            if is_taken || has_parameters {
                let what = if has_parameters {
                    "parameter"
                } else {
                    "resource or role"
                };
                let message = format!("`{name}` is the name of an instance and of a {what}");
                self.wrong(&item.key, message, "rename one of them");
            }
            let child = item.value.as_ref().map(|entry| {
                let given = given.iter().filter_map(|(giver, scope)| match giver {
                    Giver::Group(group) => match group.value(name)? {
                        ParameterFile::Group(group) => Some((Giver::Group(group), *scope)),
                        _ => None,
                    },
                    Giver::Name(..) => None,
                });
                let own = (Giver::Group(&entry.parameters), id);
                let inner: Vec<Given<'f>> = given.chain([own]).collect();
                let path = self.full_name(id, name);
                self.instance(&entry.module.0, path, Some((id, &item.key)), &inner)
            });
            self.instances[id].children.insert(name, child);
        }
        for (name, item) in file.uses.iter() {
            let Some(entry) = &item.value else { continue };
            for other in &entry.after {
                let known = self.instances[id].children.get(other.text.as_str()).copied();
                let own = self.instances[id].children.get(name).copied().flatten();
                match (known, own) {
                    (Some(Some(known)), Some(own)) if known != own => self.instances[own].after.push(known),
                    (Some(None), _) | (_, None) => {}
                    _ => {
                        let message = format!("`{}` is not another instance of this file", other.text);
                        let names = self.instances[id].children.keys().copied();
                        let problem = Problem::at_place(other.place.clone(), message);
                        let problem = problem.suggest(&other.text, names);
                        self.report(problem);
                    }
                }
            }
        }
    }

    /// Adds the parameters of an instance, with the values of its module or its user.
    fn parameters(
        &mut self,
        id: InstanceId,
        prefix: &str,
        stated: &'f Named<ParameterFile>,
        given: &[Given<'f>],
    ) {
        for (name, item) in stated.iter() {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(plain) {
                let message = format!("`{name}` is not a valid name in expressions");
                let help = "use a letter, then letters, digits and underscores";
                self.wrong(&item.key, message, help);
            }
            let path = joined(prefix, name);
            let members = given
                .iter()
                .filter_map(|(giver, scope)| Some((giver.member(name)?, *scope)));
            match &item.value {
                Some(ParameterFile::Group(group)) => self.group(id, path, group, members.collect()),
                _ => {
                    let members = members.chain([(Member::Item(item), id)]);
                    match self.stated(&path, members) {
                        Some(((numbers, scope), facts)) => {
                            let number = self.parameters.len();
                            self.parameters.push(Parameter {
                                name: self.full_name(id, &path),
                                numbers,
                                scope,
                                facts,
                                value: Lazy::default(),
                                effect: Cell::new(Effect::None),
                                needs: RefCell::default(),
                            });
                            self.instances[id].parameters.insert(path, number);
                        }
                        None => drop(self.instances[id].failed.insert(path)),
                    }
                }
            }
        }
        for (giver, _) in given {
            if let Giver::Group(group) = giver {
                self.check_known(id, prefix, stated, group);
            }
        }
    }

    /// Adds a group of parameters, with the values that users give.
    fn group(
        &mut self,
        id: InstanceId,
        path: String,
        group: &'f Named<ParameterFile>,
        members: Vec<(Member<'f>, InstanceId)>,
    ) {
        let mut inner = Vec::new();
        for (member, scope) in members {
            let item = match member {
                Member::Item(item) => item,
                Member::Name(name, place) => {
                    inner.push((Giver::Name(name, place), scope));
                    continue;
                }
            };
            let Some(value) = &item.value else { continue };
            if let ParameterFile::Group(group) = value {
                inner.push((Giver::Group(group), scope));
            } else if let ParameterFile::Value(Numbers::One(number)) = value
                && let Some(name) = number.tree.as_ref().and_then(Expr::as_name)
            {
                inner.push((Giver::Name(name.clone(), &number.place), scope));
            } else {
                let message = format!("`{path}` is a group of parameters, not a value");
                let names = group.names().collect::<Vec<_>>().join(", ");
                let help = format!(
                    "write an object with some of {names}, or the name of a group with the same members"
                );
                self.wrong(&item.key, message, help);
            }
        }
        self.parameters(id, &path, group, &inner);
        self.instances[id].groups.insert(path);
    }

    /// The value and documentation of a parameter. The outermost user takes precedence.
    fn stated(
        &self,
        path: &str,
        members: impl Iterator<Item = (Member<'f>, InstanceId)>,
    ) -> Option<Stated<'f>> {
        let mut facts = Vec::new();
        let mut value = None;
        let mut is_wrong = false;
        for (member, scope) in members {
            let item = match member {
                Member::Item(item) => item,
                Member::Name(name, place) => {
                    value = value.or_else(|| Some((Cow::Owned(number_named(name, place)), scope)));
                    continue;
                }
            };
            match &item.value {
                Some(ParameterFile::Value(numbers)) => {
                    value = value.or(Some((Cow::Borrowed(numbers), scope)))
                }
                Some(ParameterFile::Facts(file)) => {
                    value = value.or(Some((Cow::Borrowed(&file.value), scope)));
                    facts.push((&**file, scope));
                }
                Some(ParameterFile::Group(_)) => {
                    let message = format!("`{path}` is a value, not a group of parameters");
                    self.wrong(
                        &item.key,
                        message,
                        "write a number, a list of numbers or an expression",
                    );
                    is_wrong = true;
                }
                None => is_wrong = true,
            }
        }
        Some((value.filter(|_| !is_wrong)?, facts))
    }

    /// Reports values that a user gives for unknown parameters.
    fn check_known(
        &self,
        id: InstanceId,
        prefix: &str,
        stated: &Named<ParameterFile>,
        given: &Named<ParameterFile>,
    ) {
        let file = self.instances[id].file;
        for (name, item) in given.iter().filter(|(name, _)| stated.get(name).is_none()) {
            if prefix.is_empty() && file.uses.get(name).is_some() {
                if !matches!(item.value, Some(ParameterFile::Group(_)) | None) {
                    let message = format!("`{name}` is an instance, whose parameters are a group");
                    self.wrong(&item.key, message, "write an object");
                }
                continue;
            }
            let full = self.full_name(id, &joined(prefix, name));
            if let Some((group, member)) = name
                .split_once('.')
                .filter(|(group, _)| stated.get(group).is_some())
            {
                let message = format!("`{full}` is a name with dots, which expressions use");
                self.wrong(
                    &item.key,
                    message,
                    format!("write \"{group}\": {{\"{member}\": ...}}"),
                );
                continue;
            }
            let message = format!("there is no parameter `{full}`");
            let problem = Problem::at(&item.key, message, "the module has no parameters here");
            let children = file.uses.names().filter(|_| prefix.is_empty());
            self.report(problem.suggest(name, stated.names().chain(children)));
        }
    }

    /// Reports exports that the module does not define.
    fn check_exports(&self, id: InstanceId) {
        let file = self.instances[id].file;
        for text in &file.exports {
            let name = text.text.as_str();
            let of_role = name.split_once('.').is_some_and(|(role, channel)| {
                let role = file.roles.value(role);
                role.is_some_and(|role| role.adds.get(channel).is_some())
            });
            let own = || self.instances[id].own.keys().copied();
            let mut known = file.stages.names().chain(file.uses.names()).chain(own());
            if !of_role && !known.any(|known| known == name) {
                let message = format!(
                    "`{name}` is not a stage, group, resource, instance or added channel of this module"
                );
                let help = "roles, parameters and the lists are not private";
                let known = file.stages.names().chain(file.uses.names()).chain(own());
                self.report(Problem::at(&text.place, message, help).suggest(name, known));
            }
        }
    }
}

impl<'f> Giver<'f> {
    fn member(&self, name: &str) -> Option<Member<'f>> {
        match self {
            Giver::Group(group) => group.get(name).map(Member::Item),
            Giver::Name(group, place) => {
                let part = Part::new(name, 0..0);
                let parts = group.parts.iter().cloned().chain([part]).collect();
                Some(Member::Name(Name { parts }, place))
            }
        }
    }
}

/// The instances of a file. An instance whose roles are filled by another one comes after it.
fn in_order_of_roles(file: &PipelineFile) -> Vec<(&str, &Item<UseFile>)> {
    fn add<'f>(
        name: &str,
        file: &'f PipelineFile,
        seen: &mut BTreeSet<String>,
        order: &mut Vec<(&'f str, &'f Item<UseFile>)>,
    ) {
        let Some((name, item)) = file.uses.iter().find(|(known, _)| *known == name) else {
            return;
        };
        if !seen.insert(name.to_string()) {
            return;
        }
        let roles = item.value.iter().flat_map(|entry| entry.roles.good());
        for name in roles.filter_map(|(_, reference)| reference.as_ref()?.name.as_ref()) {
            add(&name.parts[0].text, file, seen, order);
        }
        order.push((name, item));
    }
    let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
    for name in file.uses.names() {
        add(name, file, &mut seen, &mut order);
    }
    order
}

fn number_named(name: Name, place: &Place) -> Numbers {
    let range = 1..place.text().len().saturating_sub(1);
    let kind = Kind::Name(name);
    Numbers::One(Number::new(place, Expr { kind, range }))
}

fn joined(prefix: &str, name: &str) -> String {
    match prefix {
        "" => name.to_string(),
        _ => format!("{prefix}.{name}"),
    }
}
