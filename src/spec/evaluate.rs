//! Values of expressions: parameters, sizes of resources, and what blocks define.

use super::file::{Number, Numbers, problem_of};
use super::lazy::Open;
use super::lookup::Failure;
use super::program::*;
use super::scope::{LocalValue, Scope};
use crate::element::{Element, Scalar, shown};
use crate::expr::{self, Expr, Formula, Meaning, Mistake, Name, Value};
use crate::problem::{Place, Problem};

/// Longest chain of values that depend on each other: finding one takes a part of the stack.
const MAX_OPEN: usize = 200;

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
/// The function that tells whether a role or a channel is there.
const HAS: &str = "has";
/// Longest circle that is written out.
const MAX_CIRCLE: usize = 9;

/// The names of an expression.
struct Names<'a, 'f> {
    program: &'a Program<'f>,
    scope: &'a Scope,
}

impl expr::Names for Names<'_, '_> {
    fn value(&self, name: &Name, at: &Expr) -> Result<Value, expr::Failure> {
        let undefined = |name: &str| {
            let help = "name a parameter, or a size such as `air.nx`";
            let mistake = Mistake::new(&at.range, format!("`{name}` is not defined here"), help);
            Err(Some(
                mistake.suggest(name, self.program.known_names(self.scope.instance)),
            ))
        };
        let Some(plain) = name.plain() else {
            let help = "indices are for fields in series; a component of a vector is `v.x`";
            return Err(Some(Mistake::new(
                &at.range,
                format!("`{name}` is not a number"),
                help,
            )));
        };
        let Ok(plain) = self.scope.text(&plain) else {
            return undefined(&plain);
        };
        let (whole, component) = match plain.rsplit_once('.') {
            Some((vector, last)) => (vector, COMPONENTS.iter().position(|component| *component == last)),
            None => ("", None),
        };
        for (known, value) in self.scope.locals() {
            match value {
                LocalValue::Failed if known == plain || known == whole => return Err(None),
                LocalValue::Value(value) if known == plain => return Ok(value.clone()),
                LocalValue::Value(Value::Vector(items)) if known == whole && component.is_some() => {
                    let item = component.and_then(|component| items.get(component));
                    return item.map_or_else(|| undefined(&plain), |item| Ok(Value::Number(*item)));
                }
                _ => {}
            }
        }
        if plain == "dt" {
            return self.program.dt().map(Value::Number).ok_or(None);
        }
        match self.program.named_value(self.scope.instance, &plain) {
            Ok(Some(value)) => return Ok(value),
            Ok(None) => {}
            Err(()) => return Err(None),
        }
        if let Some(component) = component {
            match self.program.named_value(self.scope.instance, whole) {
                Ok(Some(Value::Vector(items))) if component < items.len() => {
                    return Ok(Value::Number(items[component]));
                }
                Ok(_) => {}
                Err(()) => return Err(None),
            }
        }
        let group = format!("{plain}.");
        let known = self.program.known_names(self.scope.instance);
        let members: Vec<&str> = known
            .iter()
            .map(String::as_str)
            .filter(|name| name.starts_with(&group))
            .collect();
        match members.is_empty() {
            true => undefined(&plain),
            false => {
                let help = format!(
                    "write one of {}; what fields hold is not known to expressions",
                    members.join(", ")
                );
                Err(Some(Mistake::new(
                    &at.range,
                    format!("`{plain}` alone is not a number"),
                    help,
                )))
            }
        }
    }

    fn call(&self, function: &str, arguments: &[Expr], at: &Expr) -> Result<Value, expr::Failure> {
        match (function, arguments) {
            (HAS, [argument]) if argument.as_name().is_some() => {
                let has = argument
                    .as_name()
                    .is_some_and(|name| self.program.has(self.scope, name));
                Ok(Value::Number(f64::from(u8::from(has))))
            }
            (HAS, _) => {
                let help = "write \"has(grid.rho)\": 1 if the user of the module has filled it, else 0";
                Err(Some(Mistake::new(
                    &at.range,
                    format!("`{HAS}` takes one role or channel"),
                    help,
                )))
            }
            _ => Err(expr::unknown_function(function, at, Some(HAS))),
        }
    }
}

impl<'f> Program<'f> {
    /// The value of a parameter or of a size, as an instance sees it; the error follows from one that has been reported.
    fn named_value(&self, instance: InstanceId, name: &str) -> Result<Option<Value>, ()> {
        let found = &self.instances[instance];
        if let Some(id) = found.parameters.get(name) {
            return self.parameter(*id).map(Some).ok_or(());
        }
        if found.failed.contains(name) {
            return Err(());
        }
        let Some((first, rest)) = name.split_once('.') else {
            return Ok(None);
        };
        match (
            found.children.get(first),
            found.own.get(first),
            found.roles.get(first),
        ) {
            (Some(Some(child)), ..) => self.named_value(*child, rest),
            (Some(None), ..) | (_, Some(None), _) | (.., Some(Role::Broken)) => Err(()),
            (_, Some(Some(decl)), _) | (.., Some(Role::Filled(decl))) => {
                let size = self.size_named(*decl, rest)?;
                Ok(size.map(Value::Number))
            }
            (.., Some(Role::Open | Role::Absent)) | (None, None, None) => Ok(None),
        }
    }

    /// Whether a name stands for a value, or would if that were not wrong.
    pub(crate) fn is_known(&self, scope: &Scope, name: &Name) -> bool {
        let Some(plain) = name.plain() else { return false };
        let Ok(plain) = scope.text(&plain) else {
            return false;
        };
        let (whole, last) = plain.rsplit_once('.').unwrap_or((&plain, ""));
        let is_component = COMPONENTS.contains(&last);
        let is_there = |name: &str| {
            name == "dt"
                || scope
                    .local(name)
                    .is_some_and(|value| !matches!(value, LocalValue::Letter(_)))
                || !matches!(self.named_value(scope.instance, name), Ok(None))
        };
        is_there(&plain) || is_component && is_there(whole)
    }

    /// The members of a group of parameters, by their names in it; none for what is no group.
    pub(crate) fn members(&self, instance: InstanceId, name: &str) -> Option<Vec<String>> {
        let found = &self.instances[instance];
        if found.groups.contains(name) {
            let prefix = format!("{name}.");
            return Some(
                found
                    .parameters
                    .keys()
                    .filter_map(|name| name.strip_prefix(&prefix))
                    .map(str::to_string)
                    .collect(),
            );
        }
        let (first, rest) = name.split_once('.')?;
        self.members((*found.children.get(first)?)?, rest)
    }

    /// The value of a parameter, which is found at its first use. What it is used for now is noted.
    pub(crate) fn parameter(&self, id: ParameterId) -> Option<Value> {
        let parameter = &self.parameters[id];
        if let Some(Some(outer)) = self.open.borrow().last().map(|open| open.parameter) {
            self.parameters[outer].needs.borrow_mut().insert(id);
        }
        let value = parameter.value.get(|| {
            let open = Open {
                name: parameter.name.clone(),
                parameter: Some(id),
            };
            self.opened(open, parameter.numbers.place(), || {
                self.evaluate_parameter(parameter)
            })
        });
        self.raise(id, self.effect.get());
        value.cloned()
    }

    /// Notes what a change of a parameter, and of those that its value depends on, requires.
    fn raise(&self, id: ParameterId, effect: Effect) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let parameter = &self.parameters[id];
            if parameter.effect.get() < effect {
                parameter.effect.set(effect);
                open.extend(parameter.needs.borrow().iter());
            }
        }
    }

    fn evaluate_parameter(&self, parameter: &Parameter<'f>) -> Option<Value> {
        let scope = Scope::of(parameter.scope);
        let words = parameter.words();
        let item = |number: &Number| match &words {
            None => self.value(&scope, number),
            Some(words) => self.word(&scope, number, words),
        };
        match &*parameter.numbers {
            Numbers::One(number) => item(number),
            Numbers::Many(_, items) => {
                let items = items.iter().map(|number| match item(number)? {
                    Value::Number(value) => Some(value),
                    Value::Vector(_) => {
                        let problem =
                            Problem::at_place(number.place.clone(), "a vector in a list of numbers");
                        self.report(problem.help("write one component of it, such as `v.x`"));
                        None
                    }
                });
                items
                    .collect::<Vec<_>>()
                    .into_iter()
                    .collect::<Option<_>>()
                    .map(Value::Vector)
            }
        }
    }

    /// The number of a word of a parameter. An expression may give the number, or the numbers of a vector.
    fn word(&self, scope: &Scope, number: &Number, words: &[&str]) -> Option<Value> {
        let name = number.tree.as_ref()?.as_name().and_then(Name::plain);
        if let Some(position) = words.iter().position(|word| Some(*word) == name.as_deref()) {
            return Some(Value::Number(position as f64));
        }
        let value = match &name {
            // What is no word is one that is wrong, unless a name of that kind is known.
            Some(name) if matches!(self.named_value(scope.instance, name), Ok(None)) && name != "dt" => None,
            _ => Some(self.value(scope, number)?),
        };
        let is_word = |value: &f64| value.fract() == 0.0 && (0.0..words.len() as f64).contains(value);
        let value = value.filter(|value| value.numbers().iter().all(is_word));
        if value.is_none() {
            let written = number.tree.as_ref().map(ToString::to_string).unwrap_or_default();
            let message = format!("`{written}` is not one of {}", words.join(", "));
            let problem = Problem::at_place(number.place.clone(), message);
            self.report(problem.suggest(&written, words.iter().copied()));
        }
        value
    }

    /// Finds a value while others that need it are open.
    pub(crate) fn opened<T>(&self, open: Open, place: &Place, find: impl FnOnce() -> Option<T>) -> Option<T> {
        let opened = self.open.borrow().clone();
        if let Some(first) = opened.iter().position(|known| *known == open) {
            let circle: Vec<&str> = opened[first..]
                .iter()
                .chain([&open])
                .map(|open| open.name.as_str())
                .collect();
            let circle = match circle.len() {
                ..=MAX_CIRCLE => circle.join(" -> "),
                length => format!(
                    "{} -> ... ({} in total)",
                    circle[..MAX_CIRCLE].join(" -> "),
                    length - 1
                ),
            };
            let message = format!("values refer to each other in a circle: {circle}");
            self.report(Problem::at_place(place.clone(), message).help("set one of them to a number"));
            return None;
        }
        if opened.len() >= MAX_OPEN {
            let message = format!("more than {MAX_OPEN} values, each of which depends on the next");
            self.report(Problem::at_place(place.clone(), message).help("write some of them as numbers"));
            return None;
        }
        self.open.borrow_mut().push(open);
        let result = find();
        self.open.borrow_mut().pop();
        result
    }

    /// The value of an expression of a place; NaN and infinities are mistakes.
    fn evaluate(&self, scope: &Scope, tree: &Expr, place: &Place) -> Result<Value, Failure> {
        let value = tree.evaluate(&Names { program: self, scope });
        let value = value.map_err(|failure| failure.map(|mistake| problem_of(mistake, place)))?;
        match value.numbers().iter().find(|number| !number.is_finite()) {
            None => Ok(value),
            Some(number) => {
                let message = format!("`{tree}` is {number}, not a finite number");
                let help = "look for a division by zero, a root of a negative number, or a logarithm of zero";
                Err(Some(
                    Problem::at_place(place.part(&tree.range), message).help(help),
                ))
            }
        }
    }

    /// The value of an expression that is a number.
    pub(crate) fn value_of(&self, scope: &Scope, tree: &Expr, place: &Place) -> Result<f64, Failure> {
        match self.evaluate(scope, tree, place)? {
            Value::Number(value) => Ok(value),
            Value::Vector(_) => {
                let message = format!("`{tree}` is a vector, but a number is required");
                let help = match tree.as_name() {
                    Some(name) => format!("its components are {name}.x, {name}.y, ..."),
                    None => "use one component of each vector, such as `v.x`".to_string(),
                };
                Err(Some(
                    Problem::at_place(place.part(&tree.range), message).help(help),
                ))
            }
        }
    }

    /// A number or a vector.
    pub(crate) fn value(&self, scope: &Scope, number: &Number) -> Option<Value> {
        self.noted(self.evaluate(scope, number.tree.as_ref()?, &number.place))
    }

    pub(crate) fn number(&self, scope: &Scope, number: &Number) -> Option<f64> {
        self.noted(self.value_of(scope, number.tree.as_ref()?, &number.place))
    }

    /// One or several numbers; one expression may be a vector.
    pub(crate) fn numbers(&self, scope: &Scope, numbers: &Numbers) -> Option<Vec<f64>> {
        match numbers {
            Numbers::One(number) => self.value(scope, number).map(|value| value.numbers().to_vec()),
            Numbers::Many(_, items) => {
                let values: Vec<Option<f64>> = items.iter().map(|item| self.number(scope, item)).collect();
                values.into_iter().collect()
            }
        }
    }

    /// A number greater than zero that stays so as a 32-bit float.
    pub(crate) fn positive(&self, scope: &Scope, number: &Number) -> Option<f64> {
        let value = self.number(scope, number)?;
        self.is_positive(value, &number.place).then_some(value)
    }

    pub(crate) fn is_positive(&self, value: f64, place: &Place) -> bool {
        let problem = match value > 0.0 {
            true if (value as f32).is_normal() => return true,
            true => Problem::at_place(place.clone(), format!("{value:e} is not a value of type float")).help(
                format!("write a number from {:e} to {:e}", f32::MIN_POSITIVE, f32::MAX),
            ),
            false => Problem::at_place(place.clone(), format!("{value} is not greater than zero"))
                .help("write a positive number"),
        };
        self.report(problem);
        false
    }

    /// A whole number between two bounds.
    pub(crate) fn count(&self, scope: &Scope, number: &Number, least: u64, most: u64) -> Option<u64> {
        self.whole(self.number(scope, number)?, &number.place, least, most)
    }

    /// A value as a whole number between two bounds.
    pub(crate) fn whole(&self, value: f64, place: &Place, least: u64, most: u64) -> Option<u64> {
        if value.fract() == 0.0 && value >= least as f64 && value <= most as f64 {
            return Some(value as u64);
        }
        let message = format!("{value} is not a whole number from {least} to {most}");
        let help = match value.fract() == 0.0 {
            true => "choose one in that range",
            false => "use floor(...), ceil(...) or round(...)",
        };
        self.report(Problem::at_place(place.clone(), message).help(help));
        None
    }

    /// The same where a default stands for what is not written.
    pub(crate) fn count_or(
        &self,
        scope: &Scope,
        number: Option<&Number>,
        default: u64,
        range: [u64; 2],
    ) -> Option<u64> {
        number.map_or(Some(default), |number| {
            self.count(scope, number, range[0], range[1])
        })
    }

    /// Coordinates, which shaders see as 32-bit floats: as many as there are axes.
    pub(crate) fn coordinates(
        &self,
        scope: &Scope,
        numbers: &Numbers,
        of: &str,
        axes: usize,
    ) -> Option<[f64; 3]> {
        let values = self.numbers(scope, numbers)?;
        if !self.has_as_many(values.len(), axes, of, numbers.place()) {
            return None;
        }
        let wrong = values
            .iter()
            .find(|value| Element::Float.component_bits(**value).is_none());
        if let Some(value) = wrong {
            self.report(no_value(*value, Element::Float, numbers.place()));
            return None;
        }
        Some(std::array::from_fn(|axis| {
            values.get(axis).copied().unwrap_or(0.0)
        }))
    }

    /// Two numbers, the smaller first.
    pub(crate) fn pair(
        &self,
        scope: &Scope,
        pair: &super::file::Pair,
        may_be_equal: bool,
    ) -> Option<[f64; 2]> {
        let [least, most] = pair.numbers.each_ref().map(|number| self.number(scope, number));
        let (least, most) = (least?, most?);
        if least > most || least == most && !may_be_equal {
            let problem = Problem::at_place(
                pair.place.clone(),
                format!("no number is between {least} and {most}"),
            );
            self.report(problem.help("write the smaller one first"));
            return None;
        }
        Some([least, most])
    }

    /// Whether a value of a type has as many numbers as it should; reports one that has not.
    pub(crate) fn has_as_many(&self, length: usize, wanted: usize, of: &str, place: &Place) -> bool {
        if length == wanted {
            return true;
        }
        let values = if wanted == 1 { "value" } else { "values" };
        let message = format!("{of} requires {wanted} {values}, not {length}");
        let help = match wanted {
            1 => "write one number or expression, without [ ]".to_string(),
            _ => format!("write {wanted} numbers or expressions in [ ]"),
        };
        self.report(Problem::at_place(place.clone(), message).help(help));
        false
    }

    /// One value of a type, as memory holds it.
    pub(crate) fn bytes(&self, scope: &Scope, numbers: &Numbers, element: Element) -> Option<Vec<u8>> {
        let values = self.numbers(scope, numbers)?;
        let wanted = element.components() as usize;
        self.has_as_many(values.len(), wanted, element.name(), numbers.place())
            .then_some(())?;
        self.bytes_of(&values, element, numbers.place())
    }

    pub(crate) fn bytes_of(&self, values: &[f64], element: Element, place: &Place) -> Option<Vec<u8>> {
        match values
            .iter()
            .find(|value| element.component_bits(**value).is_none())
        {
            None => Some(
                values
                    .iter()
                    .flat_map(|value| element.component_bytes(*value))
                    .collect(),
            ),
            Some(value) => {
                self.report(no_value(*value, element, place));
                None
            }
        }
    }

    /// An expression in which some names are variables, which hide others of these names.
    pub(crate) fn formula(&self, scope: &Scope, number: &Number, variables: &[&str]) -> Option<Formula> {
        let tree = number.tree.as_ref()?;
        let names = Names { program: self, scope };
        let mut meaning = |part: &Expr| {
            let name = part.as_name().and_then(Name::plain);
            let variable = name.and_then(|name| variables.iter().position(|variable| *variable == name));
            match variable {
                Some(number) => Ok(Meaning::Variable(number)),
                None => part.number(&names).map(Meaning::Known),
            }
        };
        let formula = Formula::new(&tree.to_string(), tree, &mut meaning);
        self.noted(formula.map_err(|failure| failure.map(|mistake| problem_of(mistake, &number.place))))
    }

    /// The length of a step, s.
    pub(crate) fn dt(&self) -> Option<f64> {
        let run = self.instances[0].file.run.as_ref()?;
        let dt = self.dt.get(|| {
            let open = Open {
                name: "dt".into(),
                parameter: None,
            };
            self.opened(open, &run.dt.place, || {
                self.with(Effect::Rebuild, || self.positive(&Scope::of(0), &run.dt))
            })
        });
        dt.copied()
    }
}

/// The problem of a number that a type cannot have.
pub(crate) fn no_value(value: f64, element: Element, place: &Place) -> Problem {
    let message = format!("{} is not a value of type {}", shown(value), element.name());
    let [least, most] = element.scalar().range();
    Problem::at_place(place.clone(), message).help(match element.scalar() {
        Scalar::Double => "write a number".to_string(),
        Scalar::Float => format!("write a number from {:e} to {:e}", f32::MIN, f32::MAX),
        Scalar::Half => format!("write a number from {least} to {most}, or change the type"),
        _ => format!("write a whole number from {least} to {most}, or change the type"),
    })
}
