//! Arguments of kernels as functions of parameters, so that a change of a parameter need not read the file again.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::argument::{ArgumentSource, COMPONENTS, constant};
use super::parameters::{Effect, Parameter};
use super::pipeline::Pipeline;
use crate::element::words;
use crate::expr::{Expr, Failure, Name, Names, Value};

/// The tree of a parameter: its definition, or its value.
fn definition(parameter: &Parameter) -> Expr {
    let value = || match parameter.values[..] {
        [value] => Value::Number(value),
        _ => Value::Vector(parameter.values.clone()),
    };
    parameter.definition.clone().unwrap_or_else(|| constant(&value()))
}

/// Parameters with their definitions. Values are computed when they are needed.
struct Definitions<'a> {
    numbers: HashMap<&'a str, usize>,
    trees: Vec<Expr>,
    values: RefCell<Vec<Option<Value>>>,
}

impl Definitions<'_> {
    fn of(parameters: &[Parameter]) -> Definitions<'_> {
        let names = parameters.iter().map(|parameter| parameter.name.as_str());
        Definitions {
            numbers: names.zip(0..).collect(),
            trees: parameters.iter().map(definition).collect(),
            values: RefCell::new(vec![None; parameters.len()]),
        }
    }

    fn number_of(&self, tree: &Name) -> Option<usize> {
        self.numbers.get(tree.parts.first()?.text.as_str()).copied()
    }

    fn value_of(&self, number: usize) -> Result<Value, Failure> {
        if let Some(known) = &self.values.borrow()[number] {
            return Ok(known.clone());
        }
        let value = self.trees[number].evaluate(self)?;
        self.values.borrow_mut()[number] = Some(value.clone());
        Ok(value)
    }

    /// The parameters that depend on some, and these.
    fn affected(&self, changed: BTreeSet<usize>) -> BTreeSet<usize> {
        let mut affected = changed;
        loop {
            let before = affected.len();
            for (number, tree) in self.trees.iter().enumerate() {
                affected.extend(self.uses(tree, &affected).then_some(number));
            }
            if affected.len() == before {
                return affected;
            }
        }
    }

    fn uses(&self, tree: &Expr, parameters: &BTreeSet<usize>) -> bool {
        let mut names = tree.names().into_iter();
        names.any(|name| {
            self.number_of(name)
                .is_some_and(|number| parameters.contains(&number))
        })
    }
}

impl Names for Definitions<'_> {
    fn value(&self, name: &Name, _: &Expr) -> Result<Value, Failure> {
        let value = self.value_of(self.number_of(name).ok_or(None)?)?;
        let Some(part) = name.parts.get(1) else {
            return Ok(value);
        };
        let component = COMPONENTS.iter().position(|component| *component == part.text);
        let found = component.and_then(|component| value.numbers().get(component).copied());
        found.map(Value::Number).ok_or(None)
    }
}

impl Pipeline {
    /// Sets parameters that change only arguments of kernels, and all that depends on them. Returns false, and changes
    /// nothing, if this requires reading the file: for other parameters, other numbers of components, and values that
    /// do not fit. Does not change the document.
    pub fn set_arguments(&mut self, values: &[(String, Vec<f64>)]) -> bool {
        let Some(changes) = self.with_arguments(values) else {
            return false;
        };
        let mut of_worlds: Vec<(Arc<Pipeline>, Arc<Pipeline>)> = Vec::new();
        for world in &self.other_worlds {
            if of_worlds
                .iter()
                .any(|(before, _)| Arc::ptr_eq(before, &world.pipeline))
            {
                continue;
            }
            let mut pipeline = world.pipeline.as_ref().clone();
            if !pipeline.set_arguments(values) {
                return false;
            }
            of_worlds.push((Arc::clone(&world.pipeline), Arc::new(pipeline)));
        }
        for world in &mut self.other_worlds {
            let found = of_worlds
                .iter()
                .find(|(before, _)| Arc::ptr_eq(before, &world.pipeline));
            if let Some((_, set)) = found {
                world.pipeline = Arc::clone(set);
            }
        }
        changes.apply(self);
        true
    }

    /// As [`Pipeline::set_arguments`], with a value for each world.
    pub fn set_arguments_by_world(&mut self, values: &[(String, Vec<Vec<f64>>)]) -> bool {
        let of_world = |world: usize| -> Vec<(String, Vec<f64>)> {
            let values = values.iter();
            values
                .map(|(name, of_worlds)| (name.clone(), of_worlds[world].clone()))
                .collect()
        };
        let Some(changes) = self.with_arguments(&of_world(0)) else {
            return false;
        };
        let mut others = self.other_worlds.clone();
        for (number, world) in others.iter_mut().enumerate() {
            let Some(changes) = world.pipeline.with_arguments(&of_world(number + 1)) else {
                return false;
            };
            changes.apply(Arc::make_mut(&mut world.pipeline));
        }
        self.other_worlds = others;
        changes.apply(self);
        true
    }

    fn with_arguments(&self, values: &[(String, Vec<f64>)]) -> Option<Changes> {
        let mut definitions = Definitions::of(&self.parameters);
        let mut changed = BTreeSet::new();
        for (name, values) in values {
            let number = *definitions.numbers.get(name.as_str())?;
            let parameter = &self.parameters[number];
            let fits = parameter.effect <= Effect::Argument
                && parameter.definition.is_some()
                && parameter.values.len() == values.len()
                && values.iter().all(|value| value.is_finite());
            let value = match (&values[..], definitions.value_of(number).ok()?.length()) {
                ([value], None) => Value::Number(*value),
                _ => Value::Vector(values.clone()),
            };
            if !fits {
                return None;
            }
            changed.insert(number);
            definitions.trees[number] = constant(&value);
        }
        definitions.values.borrow_mut().fill(None);
        let affected = definitions.affected(changed.clone());
        let mut parameters = Vec::new();
        for number in &affected {
            let values = definitions.value_of(*number).ok()?.numbers().to_vec();
            let fits = values.len() == self.parameters[*number].values.len();
            if !fits || !values.iter().all(|value| value.is_finite()) {
                return None;
            }
            let is_set = changed.contains(number);
            let definition = is_set.then(|| definitions.trees[*number].clone());
            parameters.push((*number, values, definition));
        }
        let lists = [&self.init, &self.step, &self.frame];
        let mut arguments = Vec::new();
        for (list, invocations) in lists.into_iter().enumerate() {
            for (number, invocation) in invocations.iter().enumerate() {
                for (argument, source) in invocation.sources.iter().enumerate() {
                    let Some(source) = source else { continue };
                    if source.trees.iter().any(|tree| definitions.uses(tree, &affected)) {
                        arguments.push(([list, number, argument], source.words(&definitions)?));
                    }
                }
            }
        }
        Some(Changes {
            parameters,
            arguments,
        })
    }
}

impl ArgumentSource {
    /// The bits of the argument; `None` if its type cannot represent its value.
    fn words(&self, parameters: &Definitions) -> Option<Vec<u32>> {
        let mut values = Vec::new();
        for tree in &self.trees {
            values.extend_from_slice(tree.evaluate(parameters).ok()?.numbers());
        }
        let fits = |value: &f64| value.is_finite() && self.element.component_bits(*value).is_some();
        if values.len() != self.element.components() as usize || !values.iter().all(fits) {
            return None;
        }
        let bytes = values
            .iter()
            .flat_map(|value| self.element.component_bytes(*value));
        Some(words(&bytes.collect::<Vec<u8>>()))
    }
}

/// New values, with which nothing is wrong.
struct Changes {
    /// Numbers of parameters, values, and definitions of those that were set.
    parameters: Vec<(usize, Vec<f64>, Option<Expr>)>,
    /// Numbers of lists, invocations and arguments, and bits.
    arguments: Vec<([usize; 3], Vec<u32>)>,
}

impl Changes {
    fn apply(self, pipeline: &mut Pipeline) {
        for (number, values, definition) in self.parameters {
            let parameter = &mut pipeline.parameters[number];
            parameter.values = values;
            if definition.is_some() {
                parameter.definition = definition;
            }
        }
        let lists = [&mut pipeline.init, &mut pipeline.step, &mut pipeline.frame];
        for ([list, number, argument], words) in self.arguments {
            lists[list][number].values[argument] = words;
        }
    }
}
