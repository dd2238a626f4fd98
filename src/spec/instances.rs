//! From files to scopes: instances of modules with their parameters.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;

use super::file::{Number, Numbers, ParameterFile, PipelineFile, UseFile};
use super::lazy::Lazy;
use super::program::*;
use super::read::{Item, Named};
use crate::expr::{Expr, Kind, Name, Part};
use crate::problem::{Place, Problem, Problems};
use crate::shader::facts::Kernels;

/// Parameters that a user of a module sets, with the instance in whose names they are written.
type Given<'f> = (Giver<'f>, InstanceId);

#[derive(Clone)]
enum Giver<'f> {
    Group(&'f Named<ParameterFile>),
    /// The name of a group that has the same members.
    Name(Name, &'f Place),
}

/// What is given for one parameter.
enum Member<'f> {
    Item(&'f Item<ParameterFile>),
    Name(Name, &'f Place),
}

/// The scopes of a file and of the modules in it.
pub(crate) fn instances<'f>(file: &'f PipelineFile, kernels: Kernels, problems: Problems) -> Program<'f> {
    let mut program = Program::new(kernels, problems);
    program.instance(file, String::new(), None, &[]);
    for (name, item) in file.roles.iter() {
        let message =
            format!("the role `{name}` is open: this file is a module, which does not run by itself");
        let help = "run a pipeline with this module in \"use\", or replace the role by a resource";
        program.report(Problem::at_place(item.key.clone(), message).help(help));
    }
    program
}

impl<'f> Program<'f> {
    /// Adds an instance, with those in it.
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

    /// The instances in an instance.
    fn children(&mut self, id: InstanceId, given: &[Given<'f>]) {
        let file = self.instances[id].file;
        for (name, item) in in_order_of_roles(file) {
            self.check_name(name, &item.key);
            let is_taken =
                self.instances[id].own.contains_key(name) || self.instances[id].roles.contains_key(name);
            let has_parameters = file.parameters.get(name).is_some();
            if is_taken || has_parameters {
                let what = if has_parameters {
                    "parameter"
                } else {
                    "resource or role"
                };
                let message = format!("`{name}` is the name of an instance and of a {what}");
                self.report(Problem::at_place(item.key.clone(), message).help("rename one of them"));
            }
            let child = item.value.as_ref().map(|entry| {
                let mut inner: Vec<Given<'f>> = Vec::new();
                for (giver, scope) in given {
                    if let Giver::Group(group) = giver
                        && let Some(ParameterFile::Group(group)) =
                            group.get(name).and_then(|item| item.value.as_ref())
                    {
                        inner.push((Giver::Group(group), *scope));
                    }
                }
                inner.push((Giver::Group(&entry.parameters), id));
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
                        let problem =
                            Problem::at_place(other.place.clone(), message).suggest(&other.text, names);
                        self.report(problem);
                    }
                }
            }
        }
    }

    /// The parameters of an instance: what its module states, or what its user gives.
    fn parameters(
        &mut self,
        id: InstanceId,
        prefix: &str,
        stated: &'f Named<ParameterFile>,
        given: &[Given<'f>],
    ) {
        for (name, item) in stated.iter() {
            let path = if prefix.is_empty() {
                name.to_string()
            } else {
                format!("{prefix}.{name}")
            };
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(plain) {
                let problem = Problem::at_place(
                    item.key.clone(),
                    format!("`{name}` is not a valid name in expressions"),
                );
                self.report(problem.help("use a letter, then letters, digits and underscores"));
            }
            let members: Vec<(Member<'f>, InstanceId)> = given
                .iter()
                .filter_map(|(giver, scope)| Some((giver.member(name)?, *scope)))
                .collect();
            if let Some(ParameterFile::Group(group)) = &item.value {
                self.instances[id].groups.insert(path.clone());
                let mut inner = Vec::new();
                for (member, scope) in members {
                    let item = match member {
                        Member::Item(item) => item,
                        Member::Name(name, place) => {
                            inner.push((Giver::Name(name, place), scope));
                            continue;
                        }
                    };
                    match &item.value {
                        Some(ParameterFile::Group(group)) => inner.push((Giver::Group(group), scope)),
                        Some(ParameterFile::Value(Numbers::One(Number {
                            tree: Some(tree),
                            place,
                        }))) if tree.as_name().is_some() => {
                            let name = tree.as_name().cloned();
                            inner.extend(name.map(|name| (Giver::Name(name, place), scope)));
                        }
                        Some(_) => {
                            let message = format!("`{path}` is a group of parameters, not a value");
                            let names = group.names().collect::<Vec<_>>().join(", ");
                            let problem = Problem::at_place(item.key.clone(), message);
                            self.report(problem.help(format!(
                                "write an object with some of {names}, or the name of a group with the same members"
                            )));
                        }
                        None => {}
                    }
                }
                self.parameters(id, &path, group, &inner);
                continue;
            }
            // The outermost user decides.
            let mut facts = Vec::new();
            let mut value: Option<(Cow<'f, Numbers>, InstanceId)> = None;
            let stated_by = members.into_iter().chain([(Member::Item(item), id)]);
            let mut is_wrong = false;
            for (member, scope) in stated_by {
                let item = match member {
                    Member::Item(item) => item,
                    Member::Name(name, place) => {
                        value = value.or_else(|| Some((Cow::Owned(number_named(name, place)), scope)));
                        continue;
                    }
                };
                let (numbers, of) = match &item.value {
                    Some(ParameterFile::Value(numbers)) => (numbers, None),
                    Some(ParameterFile::Facts(file)) => (&file.value, Some(&**file)),
                    Some(ParameterFile::Group(_)) => {
                        let message = format!("`{path}` is a value, not a group of parameters");
                        let problem = Problem::at_place(item.key.clone(), message);
                        self.report(problem.help("write a number or an expression"));
                        is_wrong = true;
                        continue;
                    }
                    None => {
                        is_wrong = true;
                        continue;
                    }
                };
                value = value.or(Some((Cow::Borrowed(numbers), scope)));
                facts.extend(of.map(|of| (of, scope)));
            }
            let Some((numbers, scope)) = value.filter(|_| !is_wrong) else {
                self.instances[id].failed.insert(path);
                continue;
            };
            self.parameters.push(Parameter {
                name: self.full_name(id, &path),
                numbers,
                scope,
                facts,
                value: Lazy::default(),
                effect: Cell::new(Effect::None),
                needs: RefCell::default(),
            });
            let number = self.parameters.len() - 1;
            self.instances[id].parameters.insert(path, number);
        }
        let file = self.instances[id].file;
        for (giver, _) in given {
            let Giver::Group(group) = giver else { continue };
            for (name, item) in group.iter() {
                let is_child = prefix.is_empty() && file.uses.get(name).is_some();
                if stated.get(name).is_some() {
                    continue;
                }
                if is_child {
                    if !matches!(item.value, Some(ParameterFile::Group(_)) | None) {
                        let message = format!("`{name}` is an instance, whose parameters are a group");
                        self.report(Problem::at_place(item.key.clone(), message).help("write an object"));
                    }
                    continue;
                }
                let path = if prefix.is_empty() {
                    name.to_string()
                } else {
                    format!("{prefix}.{name}")
                };
                let full = self.full_name(id, &path);
                let problem = Problem::at_place(item.key.clone(), format!("there is no parameter `{full}`"));
                let children = file.uses.names().filter(|_| prefix.is_empty());
                let problem = problem.help("the module has no parameters here");
                self.report(problem.suggest(name, stated.names().chain(children)));
            }
        }
    }

    /// Reports exports of what the module does not have.
    fn check_exports(&self, id: InstanceId) {
        let file = self.instances[id].file;
        for text in &file.exports {
            let name = text.text.as_str();
            let of_role = name.split_once('.').is_some_and(|(role, channel)| {
                let role = file.roles.get(role).and_then(|item| item.value.as_ref());
                role.is_some_and(|role| role.adds.get(channel).is_some())
            });
            let is_known = of_role
                || file.stages.get(name).is_some()
                || file.uses.get(name).is_some()
                || self.instances[id].own.contains_key(name);
            if !is_known {
                let message = format!(
                    "`{name}` is not a stage, group, resource, instance or added channel of this module"
                );
                let known = (file.stages.names())
                    .chain(file.uses.names())
                    .chain(self.instances[id].own.keys().copied());
                let problem = Problem::at_place(text.place.clone(), message);
                self.report(
                    problem
                        .help("roles, parameters and the lists are not private")
                        .suggest(name, known),
                );
            }
        }
    }
}

impl<'f> Giver<'f> {
    fn member(&self, name: &str) -> Option<Member<'f>> {
        match self {
            Giver::Group(group) => group.get(name).map(Member::Item),
            Giver::Name(group, place) => {
                let part = Part {
                    text: name.to_string(),
                    indices: Vec::new(),
                    range: 0..0,
                };
                let parts = group.parts.iter().cloned().chain([part]).collect();
                Some(Member::Name(Name { parts }, place))
            }
        }
    }
}

/// The instances of a file; those whose roles are filled by resources of another one come after it.
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
        for (_, reference) in roles {
            if let Some(first) = reference.name.as_ref().map(|name| &name.parts[0].text) {
                add(first, file, seen, order);
            }
        }
        order.push((name, item));
    }
    let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
    file.uses
        .names()
        .for_each(|name| add(name, file, &mut seen, &mut order));
    order
}

fn number_named(name: Name, place: &Place) -> Numbers {
    let whole = 1..place.text().len().saturating_sub(1);
    Numbers::One(Number {
        place: place.clone(),
        tree: Some(Expr {
            kind: Kind::Name(name),
            range: whole,
        }),
    })
}
