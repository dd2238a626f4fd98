//! Arguments of stages: their statements in stages, definitions and lists, their types and values.

use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;

use super::calls::{At, Given};
use super::evaluate::all;
use super::file::{ArgumentFile, ArgumentsFile, Number, Numbers, Reference, StageFile};
use super::program::*;
use super::resolver::{Argument, Resolver};
use super::scope::Scope;
use crate::element::{Element, words};
use crate::expr::{Expr, Kind, Name, Part};
use crate::ir::ArgumentSource;
use crate::problem::Place;
use crate::shader::facts::Facts;

/// Maximum number of arguments of a stage, and of constants.
pub(super) const MAX_ARGUMENTS: usize = 256;

/// An argument of a stage, with the scope in which its value is evaluated.
pub(super) struct Stated {
    argument: Argument,
    scope: Scope,
}

impl<'f> Resolver<'_, 'f> {
    /// The arguments of one object or list `arguments`. A group of parameters is replaced by its members.
    fn arguments_of(&mut self, file: &'f ArgumentsFile, scope: &Scope) -> Rc<Vec<Argument>> {
        let key = (std::ptr::from_ref(file) as usize, scope.instance);
        if let Some(known) = self.arguments.get(&key) {
            return known.clone();
        }
        let mut arguments = Vec::new();
        for argument in &file.0 {
            match argument {
                ArgumentFile::Named(name, place, numbers) => {
                    let (name, place, numbers) = (name.clone(), place.clone(), numbers.clone());
                    arguments.push(Argument { name, place, numbers });
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

    /// The arguments of a parameter: the parameter itself, or the members of a group.
    fn of_parameter(&self, name: &Name, place: &Place, scope: &Scope) -> Vec<Argument> {
        let of = |parts: Vec<Part>| Argument {
            name: parts.last().map(|part| part.text.clone()).unwrap_or_default(),
            place: place.clone(),
            numbers: Numbers::One(Number::new(place, Expr::new(Kind::Name(Name { parts })))),
        };
        let Some(members) = self.program.members(scope.instance, &name.to_string()) else {
            return vec![of(name.parts.clone())];
        };
        let parts = |member: &String| {
            let own = member.split('.').map(|text| Part::new(text, 0..0));
            name.parts.iter().cloned().chain(own).collect()
        };
        members.iter().map(|member| of(parts(member))).collect()
    }

    /// The arguments that a kernel requests from parameters with `#pragma arguments`.
    fn requested_arguments(
        &mut self,
        file: &'f StageFile,
        facts: &Facts,
        scope: &Scope,
    ) -> Rc<Vec<Argument>> {
        let key = (std::ptr::from_ref(facts) as usize, scope.instance);
        if let Some(known) = self.arguments.get(&key) {
            return known.clone();
        }
        let taken = facts
            .takes
            .iter()
            .map(|name| Reference::parsed(name, &file.place));
        let known =
            taken.filter_map(|reference| reference.name.filter(|name| self.is_parameter(name, scope)));
        let arguments = known.flat_map(|name| self.of_parameter(&name, &file.place, scope));
        let arguments = Rc::new(arguments.collect::<Vec<_>>());
        self.arguments.insert(key, arguments.clone());
        arguments
    }

    /// True if a name is a parameter or a group of parameters.
    fn is_parameter(&self, name: &Name, scope: &Scope) -> bool {
        self.program.is_known(&Scope::of(scope.instance), name)
            || self.program.members(scope.instance, &name.to_string()).is_some()
    }

    /// The arguments of a stage in their order: its own arguments, arguments of the enclosing definitions, and
    /// arguments that the kernel requests from parameters. Blocks in lists replace values.
    pub(super) fn stated(&mut self, file: &'f StageFile, facts: &Facts, at: &At<'f>) -> Option<Vec<Stated>> {
        let (arguments, scope) = (&file.arguments, at.scope.clone());
        let own = Given { arguments, scope };
        let mut stated: IndexMap<String, Stated> = IndexMap::new();
        let mut is_twice = false;
        for (number, given) in std::iter::once(&own).chain(&at.defaults).enumerate() {
            for argument in self.arguments_of(given.arguments, &given.scope).iter() {
                if !stated.contains_key(&argument.name) {
                    stated.insert(argument.name.clone(), Stated::new(argument, &given.scope));
                } else if number == 0 {
                    is_twice = true;
                    let message = format!("the argument `{}` is stated twice", argument.name);
                    let help = "remove one of them, or give it another name";
                    self.program.wrong(&argument.place, message, help);
                }
            }
        }
        let given = stated.len();
        for argument in self.requested_arguments(file, facts, &at.scope).iter() {
            match stated.get_index_of(&argument.name) {
                None => drop(stated.insert(argument.name.clone(), Stated::new(argument, &at.scope))),
                Some(known) if known >= given => {
                    let [one, two] = [&stated[known].argument, argument].map(Argument::parameter);
                    if one != two {
                        is_twice = true;
                        let name = &argument.name;
                        let message = format!(
                            "the kernel requests `{one}` and `{two}`, which would both be `arg.{name}`"
                        );
                        let help =
                            format!("rename one of them, or state `{name}` in the `arguments` of the stage");
                        self.program.wrong(&file.place, message, help);
                    }
                }
                Some(_) => {}
            }
        }
        // The outermost list has the last word, so it is applied last.
        for given in at.overrides.iter().rev() {
            let address = std::ptr::from_ref(given.arguments) as usize;
            for argument in self.arguments_of(given.arguments, &given.scope).iter() {
                let key = (address, argument.name.clone());
                let place = self.given.entry(key.clone());
                place.or_insert_with(|| argument.place.clone());
                if let Some(known) = stated.get_mut(&argument.name) {
                    self.used_arguments.insert(key);
                    *known = Stated::new(argument, &given.scope);
                }
            }
        }
        (!is_twice).then(|| stated.into_values().collect())
    }

    /// Reports arguments of blocks in lists that replace no argument of a stage.
    pub(super) fn check_given(&self) {
        let given = self.given.iter();
        let mut unused: Vec<_> = given
            .filter(|(key, _)| !self.used_arguments.contains(*key))
            .collect();
        unused.sort_by_key(|((_, name), place)| (place.text(), name.clone()));
        for ((_, name), place) in unused {
            let message = format!("no stage in this block has an argument `{name}`");
            let help = "arguments of a block in a list replace those of its stages; state it in a stage";
            self.program.wrong(place, message, help);
        }
    }

    /// Names and types of arguments.
    pub(super) fn types(
        &self,
        stated: &[Stated],
        facts: &Facts,
        file: &StageFile,
    ) -> Option<Vec<(String, Element)>> {
        let program = self.program;
        if stated.len() > MAX_ARGUMENTS {
            let message = format!(
                "{} arguments, more than the limit of {MAX_ARGUMENTS}",
                stated.len()
            );
            return program.refuse(&file.place, message, "pass many values in a buffer");
        }
        all(stated.iter().map(|stated| {
            let Argument { name, place, .. } = &stated.argument;
            if !program.check_name(name, place) {
                return None;
            }
            // GLSL would parse `arg.length` as the size of an array.
            if name == "length" {
                return program.refuse(place, "`length` is reserved in shaders", "choose another name");
            }
            Some((name.clone(), self.type_of(stated, facts)?))
        }))
    }

    /// The type of an argument, as its value or the kernel states it; otherwise a float for each number of the value.
    fn type_of(&self, stated: &Stated, facts: &Facts) -> Option<Element> {
        let Argument { name, numbers, .. } = &stated.argument;
        let (program, place) = (self.program, numbers.place());
        let element = match (typed(numbers).0, facts.arguments.get(name).copied()) {
            (Some(typed), Some(kernel)) if typed != kernel => {
                let (typed, kernel) = (typed.name(), kernel.name());
                let message = format!("the kernel states that `{name}` is of type {kernel}, not {typed}");
                return program.refuse(place, message, "leave the type out");
            }
            (Some(element), _) | (None, Some(element)) => element,
            (None, None) => {
                let length = match numbers {
                    Numbers::Many(_, items) => items.len(),
                    Numbers::One(number) => {
                        let value = program.with(Effect::Argument, || program.value(&stated.scope, number));
                        value?.numbers().len()
                    }
                };
                let Some(element) = Element::float_vector(length) else {
                    let message = "an argument is a number or a vector of 2 to 4 numbers";
                    return program.refuse(place, message, "pass longer lists in a buffer with \"values\"");
                };
                element
            }
        };
        if element.is_narrow() || element == Element::Rgba8 {
            let message = format!(
                "`{}` is a storage type, which arguments cannot have",
                element.name()
            );
            let help = format!("use {}, the type in shaders", element.accessor_type());
            return program.refuse(place, message, help);
        }
        Some(element)
    }

    /// The values of arguments as 32-bit words.
    pub(super) fn values(&self, stated: &[Stated], types: &[(String, Element)]) -> Option<Vec<Vec<u32>>> {
        let program = self.program;
        all(stated.iter().zip(types).map(|(stated, (_, element))| {
            let numbers = &stated.argument.numbers;
            let value = |number: &Number| Some(program.value(&stated.scope, number)?.numbers().to_vec());
            let values = program.with(Effect::Argument, || all(typed(numbers).1.iter().map(value)));
            let (values, wanted) = (values?.concat(), element.components() as usize);
            program.check_length(values.len(), wanted, element.name(), numbers.place())?;
            let bytes = program.bytes_of(&values, *element, numbers.place())?;
            Some(words(&bytes))
        }))
    }

    /// The arguments that depend on parameters.
    pub(super) fn sources(
        &self,
        stated: &[Stated],
        types: &[(String, Element)],
    ) -> Arc<[Option<ArgumentSource>]> {
        let program = self.program;
        let source = |(stated, (_, element)): (&Stated, &(String, Element))| {
            let (_, numbers) = typed(&stated.argument.numbers);
            let trees = numbers.iter().map(|number| program.closed(&stated.scope, number));
            let trees: Vec<Expr> = trees.collect::<Option<_>>()?;
            let depends = trees.iter().any(|tree| !tree.names().is_empty());
            let element = *element;
            depends.then_some(ArgumentSource { element, trees })
        };
        stated.iter().zip(types).map(source).collect()
    }
}

impl Stated {
    fn new(argument: &Argument, scope: &Scope) -> Stated {
        let (argument, scope) = (argument.clone(), scope.clone());
        Stated { argument, scope }
    }
}

/// The stated type of a value, such as `uint(x)`, and its numbers.
fn typed(numbers: &Numbers) -> (Option<Element>, Vec<Number>) {
    if let Numbers::One(Number { place, tree }) = numbers
        && let Some(Kind::Call(function, arguments)) = tree.as_ref().map(|tree| &tree.kind)
        && let Some(element) = Element::ALL.iter().find(|element| element.name() == function)
    {
        let items = arguments.iter().map(|tree| Number::new(place, tree.clone()));
        return (Some(*element), items.collect());
    }
    (None, numbers.items().to_vec())
}
