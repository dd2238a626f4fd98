//! Values of expressions: parameters, sizes of resources, and names of blocks.

use super::file::{Number, Numbers, problem_of};
use super::lazy::Open;
use super::program::*;
use super::scope::{LocalValue, Scope};
use crate::expr::{self, Expr, Formula, Kind, Meaning, Name, Value};
use crate::ir;
use crate::problem::{Place, Problem};

/// Maximum length of a chain of dependent values, since evaluation is recursive.
const MAX_OPEN: usize = 200;

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
/// The function that returns 1 if a role is filled or a channel exists, else 0.
const HAS: &str = "has";
/// Maximum number of names of a cycle in a message.
const MAX_CYCLE: usize = 9;

/// The names of an expression.
struct Names<'a, 'f> {
    program: &'a Program<'f>,
    scope: &'a Scope,
}

impl expr::Names for Names<'_, '_> {
    fn value(&self, name: &Name, at: &Expr) -> Result<Value, expr::Failure> {
        let (program, instance) = (self.program, self.scope.instance);
        let undefined = |name: &str| {
            let help = "name a parameter, or a size such as `air.nx`";
            let message = format!("`{name}` is neither a number nor a name that is defined here");
            at.unknown(message, help, name, program.known_names(instance))
        };
        let Some(plain) = name.plain() else {
            let help = "indices are for fields in series; a component of a vector is `v.x`";
            return at.wrong(format!("`{name}` is not a number"), help);
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
            return program.dt().map(Value::Number).ok_or(None);
        }
        if let Some(value) = program.named_value(instance, &plain).ok_or(None)? {
            return Ok(value);
        }
        if let Some(component) = component
            && let Some(Value::Vector(items)) = program.named_value(instance, whole).ok_or(None)?
            && let Some(item) = items.get(component)
        {
            return Ok(Value::Number(*item));
        }
        let group = format!("{plain}.");
        let mut members = program.known_names(instance);
        members.retain(|name| name.starts_with(&group));
        if members.is_empty() {
            return undefined(&plain);
        }
        let members = members.join(", ");
        let help = format!("write one of {members}; expressions cannot read fields");
        at.wrong(format!("`{plain}` alone is not a number"), help)
    }

    fn call(&self, function: &str, arguments: &[Expr], at: &Expr) -> Result<Value, expr::Failure> {
        if function != HAS {
            return Err(expr::unknown_function(function, at, Some(HAS)));
        }
        if let [argument] = arguments
            && let Some(name) = argument.as_name()
        {
            let has = self.program.has(self.scope, name);
            return Ok(Value::Number(f64::from(u8::from(has))));
        }
        let help = "write \"has(grid.rho)\": 1 if the user of the module has filled it, else 0";
        at.wrong(format!("`{HAS}` takes one role or channel"), help)
    }
}

impl<'f> Program<'f> {
    /// The value of a parameter or a size in the names of an instance; `Some(None)` if there is no such value.
    fn named_value(&self, instance: InstanceId, name: &str) -> Option<Option<Value>> {
        let found = &self.instances[instance];
        if let Some(id) = found.parameters.get(name) {
            return self.parameter(*id).map(Some);
        }
        if found.failed.contains(name) {
            return None;
        }
        let Some((first, rest)) = name.split_once('.') else {
            return Some(None);
        };
        match (
            found.children.get(first),
            found.own.get(first),
            found.roles.get(first),
        ) {
            (Some(child), ..) => self.named_value((*child)?, rest),
            (None, Some(decl), _) => self.size_named((*decl)?, rest),
            (None, None, Some(Role::Filled(decl))) => self.size_named(*decl, rest),
            (None, None, Some(Role::Broken)) => None,
            (None, None, Some(Role::Open | Role::Absent) | None) => Some(None),
        }
    }

    /// True if a name is defined, even if its value is wrong.
    pub fn is_known(&self, scope: &Scope, name: &Name) -> bool {
        let Some(plain) = name.plain() else { return false };
        let Ok(plain) = scope.text(&plain) else {
            return false;
        };
        let (whole, last) = plain.rsplit_once('.').unwrap_or((&plain, ""));
        let is_local = |name: &str| {
            let local = scope.local(name);
            local.is_some_and(|value| !matches!(value, LocalValue::Letter(_)))
        };
        // A name that is looked up is not used yet.
        let is_there = |name: &str| {
            let value = || self.named_value(scope.instance, name);
            name == "dt" || is_local(name) || !matches!(self.with(Effect::None, value), Some(None))
        };
        is_there(&plain) || COMPONENTS.contains(&last) && is_there(whole)
    }

    /// The names of the members of a group of parameters; `None` if the name is not a group.
    pub fn members(&self, instance: InstanceId, name: &str) -> Option<Vec<String>> {
        let found = &self.instances[instance];
        if found.groups.contains(name) {
            let prefix = format!("{name}.");
            let members = found
                .parameters
                .keys()
                .filter_map(|name| name.strip_prefix(&prefix));
            return Some(members.map(str::to_string).collect());
        }
        let (first, rest) = name.split_once('.')?;
        self.members((*found.children.get(first)?)?, rest)
    }

    /// The value of a parameter, computed at its first use. Records the effect of the present use.
    pub fn parameter(&self, id: ParameterId) -> Option<Value> {
        let parameter = &self.parameters[id];
        if let Some(Some(outer)) = self.open.borrow().last().map(|open| open.parameter) {
            self.parameters[outer].needs.borrow_mut().insert(id);
        }
        let value = parameter.value.get(|| {
            let place = parameter.numbers.place();
            self.track_evaluation(&parameter.name, Some(id), place, || {
                self.evaluate_parameter(parameter)
            })
        });
        self.record_effect(id, self.effect.get());
        value.cloned()
    }

    /// Records the effect of a change of a parameter, also for the parameters that its value depends on.
    fn record_effect(&self, id: ParameterId, effect: Effect) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let parameter = &self.parameters[id];
            if parameter.effect.get() < effect {
                parameter.effect.set(effect);
                open.extend(parameter.needs.borrow().iter());
            }
        }
    }

    /// The expression of a parameter, in which the names are other parameters; `None` if it may be a word.
    pub fn definition(&self, id: ParameterId) -> Option<Expr> {
        let parameter = &self.parameters[id];
        if parameter.words().is_some() {
            // A change of what the word depends on requires this program.
            let needs = parameter.needs.borrow();
            needs
                .iter()
                .for_each(|need| self.record_effect(*need, Effect::Value));
            return None;
        }
        let scope = Scope::of(parameter.scope);
        match &*parameter.numbers {
            Numbers::One(number) => self.closed(&scope, number),
            Numbers::Many(_, items) => {
                let items = items.iter().map(|number| self.closed(&scope, number));
                Some(Expr::new(Kind::Vector(items.collect::<Option<_>>()?)))
            }
        }
    }

    /// An expression with parameters by their full names, and the values of all other names. It must have a value.
    pub fn closed(&self, scope: &Scope, number: &Number) -> Option<Expr> {
        let names = Names { program: self, scope };
        let closed = number.tree.as_ref()?.replaced(&mut |part| match part
            .as_name()
            .and_then(|name| self.parameter_named(scope, name))
        {
            Some((id, component)) => Ok(ir::reference(&self.parameters[id].name, component)),
            None => part.evaluate(&names).map(|value| ir::constant(&value)),
        });
        closed.ok()
    }

    /// The parameter of a name and the number of its component, if the name means a parameter.
    fn parameter_named(&self, scope: &Scope, name: &Name) -> Option<(ParameterId, Option<usize>)> {
        let plain = name.plain()?;
        let plain = scope.text(&plain).ok()?;
        let (whole, last) = plain.rsplit_once('.').unwrap_or(("", ""));
        if plain == "dt" || scope.local(&plain).is_some() || scope.local(whole).is_some() {
            return None;
        }
        if let Some(id) = self.find_parameter(scope.instance, &plain) {
            return Some((id, None));
        }
        let component = COMPONENTS.iter().position(|component| *component == last)?;
        Some((self.find_parameter(scope.instance, whole)?, Some(component)))
    }

    /// The parameter of a dotted name in an instance.
    fn find_parameter(&self, instance: InstanceId, name: &str) -> Option<ParameterId> {
        let found = &self.instances[instance];
        let known = found.parameters.get(name).copied();
        known.or_else(|| {
            let (first, rest) = name.split_once('.')?;
            self.find_parameter((*found.children.get(first)?)?, rest)
        })
    }

    fn evaluate_parameter(&self, parameter: &Parameter<'f>) -> Option<Value> {
        let scope = Scope::of(parameter.scope);
        let words = parameter.words();
        let item = |number: &Number| match &words {
            None => self.value(&scope, number),
            Some(words) => self.word(&scope, number, words),
        };
        let numbers = match &*parameter.numbers {
            Numbers::One(number) => return item(number),
            Numbers::Many(_, items) => items,
        };
        let items = numbers.iter().map(|number| match item(number)? {
            Value::Number(value) => Some(value),
            Value::Vector(_) => {
                let message = "a vector in a list of numbers";
                self.refuse(&number.place, message, "write one component of it, such as `v.x`")
            }
        });
        all(items).map(Value::Vector)
    }

    /// The number of a word of a parameter. The value may also be an expression for the number, or for a vector of
    /// numbers.
    fn word(&self, scope: &Scope, number: &Number, words: &[&str]) -> Option<Value> {
        let name = number.tree.as_ref()?.as_name().and_then(Name::plain);
        if let Some(position) = words.iter().position(|word| Some(*word) == name.as_deref()) {
            let own = number.tree.as_ref().and_then(Expr::as_name);
            if own.is_some_and(|own| self.is_known(scope, own)) {
                let name = name.unwrap_or_default();
                let message = format!("`{name}` is both a word of this parameter and the name of a value");
                let help = "rename the parameter, repeat or `let` that has this name";
                return self.refuse(&number.place, message, help);
            }
            return Some(Value::Number(position as f64));
        }
        let value = match &name {
            // An unknown name is a misspelt word, unless it is a value.
            Some(name) if matches!(self.named_value(scope.instance, name), Some(None)) && name != "dt" => {
                None
            }
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

    /// Computes a value while recording that it is under evaluation. Reports cycles and chains that are too long.
    pub fn track_evaluation<T>(
        &self,
        name: &str,
        parameter: Option<ParameterId>,
        place: &Place,
        find: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        let name = name.to_string();
        let open = Open { name, parameter };
        let opened = self.open.borrow().clone();
        if let Some(first) = opened.iter().position(|known| *known == open) {
            let cycle = opened[first..].iter().chain([&open]);
            let cycle: Vec<&str> = cycle.map(|open| open.name.as_str()).collect();
            let (shown, values) = (cycle[..cycle.len().min(MAX_CYCLE)].join(" -> "), cycle.len() - 1);
            let rest = match cycle.len() {
                ..=MAX_CYCLE => String::new(),
                _ => format!(" -> ... ({values} in total)"),
            };
            let message = format!("values depend on each other in a cycle: {shown}{rest}");
            return self.refuse(place, message, "set one of them to a number");
        }
        if opened.len() >= MAX_OPEN {
            let message = format!("more than {MAX_OPEN} values, each of which depends on the next");
            return self.refuse(place, message, "write some of them as numbers");
        }
        self.open.borrow_mut().push(open);
        let result = find();
        self.open.borrow_mut().pop();
        result
    }

    /// The result of an evaluation. Reports its mistake.
    pub fn value_or_report<T>(&self, result: Result<T, expr::Failure>, place: &Place) -> Option<T> {
        self.ok_or_report(result.map_err(|failure| failure.map(|mistake| problem_of(mistake, place))))
    }

    /// The value of an expression at a place. NaN and infinities are mistakes.
    fn evaluate(&self, scope: &Scope, tree: &Expr, place: &Place) -> Option<Value> {
        let value = self.value_or_report(tree.evaluate(&Names { program: self, scope }), place)?;
        if let Some(number) = value.numbers().iter().find(|number| !number.is_finite()) {
            let message = format!("`{tree}` is {number}, not a finite number");
            let help = "look for a division by zero, a root of a negative number, or a logarithm of zero";
            return self.refuse(&place.part(&tree.range), message, help);
        }
        Some(value)
    }

    /// The value of an expression, which must be a number.
    pub fn value_of(&self, scope: &Scope, tree: &Expr, place: &Place) -> Option<f64> {
        match self.evaluate(scope, tree, place)? {
            Value::Number(value) => Some(value),
            Value::Vector(_) => self.value_or_report(tree.not_a_number(), place),
        }
    }

    /// The value of a number or an expression.
    pub fn value(&self, scope: &Scope, number: &Number) -> Option<Value> {
        self.evaluate(scope, number.tree.as_ref()?, &number.place)
    }

    pub fn number(&self, scope: &Scope, number: &Number) -> Option<f64> {
        self.value_of(scope, number.tree.as_ref()?, &number.place)
    }

    /// One or several numbers; one expression may be a vector.
    pub fn numbers(&self, scope: &Scope, numbers: &Numbers) -> Option<Vec<f64>> {
        match numbers {
            Numbers::One(number) => self.value(scope, number).map(|value| value.numbers().to_vec()),
            Numbers::Many(_, items) => all(items.iter().map(|item| self.number(scope, item))),
        }
    }

    /// Compiles an expression in which some names are variables. Variables hide other values of these names.
    pub fn formula(&self, scope: &Scope, number: &Number, variables: &[&str]) -> Option<Formula> {
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
        self.value_or_report(formula, &number.place)
    }

    /// The length of a step, s.
    pub fn dt(&self) -> Option<f64> {
        let run = self.instances[0].file.run.as_ref()?;
        let find = || self.with(Effect::Rebuild, || self.positive(&Scope::of(0), &run.dt));
        let dt = self
            .dt
            .get(|| self.track_evaluation("dt", None, &run.dt.place, find));
        dt.copied()
    }
}

/// All values, or `None` if one is missing. Evaluates the whole iterator, so that every mistake is reported.
pub fn all<T>(values: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let values: Vec<Option<T>> = values.collect();
    values.into_iter().collect()
}
