//! Arguments of stages: what stages, definitions and lists state of them, their types and values.

use std::rc::Rc;

use super::calls::{At, Given};
use super::file::{ArgumentFile, ArgumentsFile, Number, Numbers, StageFile};
use super::names::wrong_name;
use super::program::*;
use super::resolver::{Argument, Resolver};
use super::scope::Scope;
use crate::element::{Element, words};
use crate::expr::{Expr, Kind, Name, Part};
use crate::problem::{Place, Problem};
use crate::shader::facts::Facts;

/// Most arguments of a stage, and most constants.
pub(super) const MAX_ARGUMENTS: usize = 256;

/// An argument of a stage: where its value is stated.
pub(super) struct Stated {
    argument: Argument,
    scope: Scope,
}

impl<'f> Resolver<'_, 'f> {
    /// The arguments that are stated in one place; a group of parameters stands for its members.
    fn listed(&mut self, file: &'f ArgumentsFile, scope: &Scope) -> Rc<Vec<Argument>> {
        let key = (std::ptr::from_ref(file) as usize, scope.instance);
        if let Some(known) = self.arguments.get(&key) {
            return known.clone();
        }
        let mut arguments = Vec::new();
        for argument in &file.0 {
            match argument {
                ArgumentFile::Named(name, place, numbers) => {
                    let argument = Argument {
                        name: name.clone(),
                        place: place.clone(),
                        numbers: numbers.clone(),
                    };
                    arguments.push(argument);
                }
                ArgumentFile::Parameter(reference) => {
                    let Some(name) = &reference.name else { continue };
                    arguments.extend(self.of_parameter(name, &reference.place, scope));
                }
            }
        }
        let arguments = Rc::new(arguments);
        self.arguments.insert(key, arguments.clone());
        arguments
    }

    /// The arguments that a parameter stands for: itself, or its members.
    fn of_parameter(&self, name: &Name, place: &Place, scope: &Scope) -> Vec<Argument> {
        let of = |parts: Vec<Part>| Argument {
            name: parts.last().map(|part| part.text.clone()).unwrap_or_default(),
            place: place.clone(),
            numbers: Numbers::One(Number {
                place: place.clone(),
                tree: Some(Expr {
                    kind: Kind::Name(Name { parts }),
                    range: 0..0,
                }),
            }),
        };
        let part = |text: &str| Part {
            text: text.to_string(),
            indices: Vec::new(),
            range: 0..0,
        };
        match self.program.members(scope.instance, &name.to_string()) {
            Some(members) => members
                .into_iter()
                .map(|member| {
                    of(name
                        .parts
                        .iter()
                        .cloned()
                        .chain(member.split('.').map(part))
                        .collect())
                })
                .collect(),
            None => vec![of(name.parts.clone())],
        }
    }

    /// The arguments that a kernel takes from parameters.
    fn taken_by(&mut self, file: &'f StageFile, facts: &Facts, scope: &Scope) -> Rc<Vec<Argument>> {
        let key = (std::ptr::from_ref(facts) as usize, scope.instance);
        if let Some(known) = self.arguments.get(&key) {
            return known.clone();
        }
        let names = facts
            .takes
            .iter()
            .filter_map(|name| crate::expr::parse(name).ok()?.as_name().cloned());
        let known = names.filter(|name| {
            self.program.is_known(&Scope::of(scope.instance), name)
                || self.program.members(scope.instance, &name.to_string()).is_some()
        });
        let arguments: Vec<Argument> = known
            .flat_map(|name| self.of_parameter(&name, &file.place, scope))
            .collect();
        let arguments = Rc::new(arguments);
        self.arguments.insert(key, arguments.clone());
        arguments
    }

    /// The arguments of a stage in their order: its own, then those of the definitions round it and those that the kernel takes
    /// from parameters. Lists replace their values.
    pub(super) fn stated(&mut self, file: &'f StageFile, facts: &Facts, at: &At<'f>) -> Option<Vec<Stated>> {
        let own = Given {
            arguments: &file.arguments,
            scope: at.scope.clone(),
        };
        let mut stated: Vec<Stated> = Vec::new();
        let mut is_twice = false;
        for (number, given) in std::iter::once(&own).chain(&at.defaults).enumerate() {
            for argument in self.listed(given.arguments, &given.scope).iter() {
                let known = stated.iter().any(|other| other.argument.name == argument.name);
                if !known {
                    stated.push(Stated {
                        argument: argument.clone(),
                        scope: given.scope.clone(),
                    });
                } else if number == 0 {
                    is_twice = true;
                    let message = format!("the argument `{}` is stated twice", argument.name);
                    let problem = Problem::at_place(argument.place.clone(), message);
                    self.program
                        .report(problem.help("remove one of them, or give it another name"));
                }
            }
        }
        for argument in self.taken_by(file, facts, &at.scope).iter() {
            if !stated.iter().any(|other| other.argument.name == argument.name) {
                stated.push(Stated {
                    argument: argument.clone(),
                    scope: at.scope.clone(),
                });
            }
        }
        // The outermost list decides.
        for given in at.overrides.iter().rev() {
            let address = std::ptr::from_ref(given.arguments) as usize;
            for argument in self.listed(given.arguments, &given.scope).iter() {
                let key = (address, argument.name.clone());
                self.given
                    .entry(key.clone())
                    .or_insert_with(|| argument.place.clone());
                if let Some(known) = stated
                    .iter_mut()
                    .find(|known| known.argument.name == argument.name)
                {
                    self.taken.insert(key);
                    *known = Stated {
                        argument: argument.clone(),
                        scope: given.scope.clone(),
                    };
                }
            }
        }
        (!is_twice).then_some(stated)
    }

    /// Reports arguments of lists that no stage has.
    pub(super) fn check_given(&self) {
        let mut unused: Vec<_> = self
            .given
            .iter()
            .filter(|(key, _)| !self.taken.contains(*key))
            .collect();
        unused.sort_by_key(|((_, name), place)| (place.text(), name.clone()));
        for ((_, name), place) in unused {
            let problem = Problem::at_place(
                place.clone(),
                format!("no stage in this block has an argument `{name}`"),
            );
            self.program.report(
                problem
                    .help("arguments of a block in a list replace those of its stages; state it in a stage"),
            );
        }
    }

    /// Names and types of arguments.
    pub(super) fn types(
        &self,
        stated: &[Stated],
        facts: &Facts,
        file: &StageFile,
    ) -> Option<Vec<(String, Element)>> {
        if stated.len() > MAX_ARGUMENTS {
            let message = format!(
                "{} arguments, more than the limit of {MAX_ARGUMENTS}",
                stated.len()
            );
            self.program
                .report(Problem::at_place(file.place.clone(), message).help("pass many values in a buffer"));
            return None;
        }
        let types: Vec<Option<(String, Element)>> = stated
            .iter()
            .map(|stated| {
                let Argument { name, place, .. } = &stated.argument;
                // Shaders write `arg.length`, which GLSL takes for the size of an array.
                let is_length = name == "length";
                let wrong = wrong_name(name, place).or_else(|| {
                    let problem = Problem::at_place(place.clone(), "`length` is reserved in shaders");
                    is_length.then(|| problem.help("choose another name"))
                });
                if let Some(problem) = wrong {
                    self.program.report(problem);
                    return None;
                }
                Some((name.clone(), self.type_of(stated, facts)?))
            })
            .collect();
        types.into_iter().collect()
    }

    /// The type of an argument: what its value or the kernel states, else as many floats as its value has numbers.
    fn type_of(&self, stated: &Stated, facts: &Facts) -> Option<Element> {
        let Argument { name, numbers, .. } = &stated.argument;
        let (typed, _) = typed(numbers);
        let of_kernel = facts.arguments.get(name).copied();
        let place = numbers.place();
        let element = match (typed, of_kernel) {
            (Some(typed), Some(kernel)) if typed != kernel => {
                let message = format!(
                    "the kernel states that `{name}` is of type {}, not {}",
                    kernel.name(),
                    typed.name()
                );
                let problem = Problem::at_place(place.clone(), message);
                self.program.report(problem.help("leave the type out"));
                return None;
            }
            (Some(element), _) | (None, Some(element)) => element,
            (None, None) => {
                let length = match numbers {
                    Numbers::Many(_, items) => items.len(),
                    Numbers::One(number) => {
                        let value = self
                            .program
                            .with(Effect::Value, || self.program.value(&stated.scope, number))?;
                        value.numbers().len()
                    }
                };
                let Some(element) = Element::float_vector(length) else {
                    let problem = Problem::at_place(
                        place.clone(),
                        "an argument is a number or a vector of 2 to 4 numbers",
                    );
                    self.program
                        .report(problem.help("pass longer lists in a buffer with \"values\""));
                    return None;
                };
                element
            }
        };
        if element.is_narrow() || element == Element::Rgba8 {
            let message = format!(
                "`{}` is a storage type, which arguments cannot have",
                element.name()
            );
            let problem = Problem::at_place(place.clone(), message);
            self.program
                .report(problem.help(format!("use {}, the type in shaders", element.accessor_type())));
            return None;
        }
        Some(element)
    }

    /// The bits of the values of arguments.
    pub(super) fn values(&self, stated: &[Stated], types: &[(String, Element)]) -> Option<Vec<Vec<u32>>> {
        let values: Vec<Option<Vec<u32>>> = stated
            .iter()
            .zip(types)
            .map(|(stated, (_, element))| {
                let (_, items) = typed(&stated.argument.numbers);
                let place = stated.argument.numbers.place();
                let program = self.program;
                let values: Vec<Option<Vec<f64>>> = program.with(Effect::Value, || {
                    let value =
                        |number: &Number| Some(program.value(&stated.scope, number)?.numbers().to_vec());
                    items.iter().map(value).collect()
                });
                let values = values.into_iter().collect::<Option<Vec<_>>>()?.concat();
                let wanted = element.components() as usize;
                program
                    .has_as_many(values.len(), wanted, element.name(), place)
                    .then_some(())?;
                program
                    .bytes_of(&values, *element, place)
                    .map(|bytes| words(&bytes))
            })
            .collect();
        values.into_iter().collect()
    }
}

/// The type that a value states, as `uint(x)` does, and its numbers.
fn typed(numbers: &Numbers) -> (Option<Element>, Vec<Number>) {
    if let Numbers::One(Number {
        place,
        tree: Some(Expr {
            kind: Kind::Call(function, arguments),
            ..
        }),
    }) = numbers
        && let Some(element) = Element::ALL.iter().find(|element| element.name() == function)
    {
        let number = |tree: &Expr| Number {
            place: place.clone(),
            tree: Some(tree.clone()),
        };
        return (Some(*element), arguments.iter().map(number).collect());
    }
    (None, numbers.items().to_vec())
}
