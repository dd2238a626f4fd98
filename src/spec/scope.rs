//! Names and values that expressions see, and their evaluation.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::file::{Named, Number, Parameter};
use crate::expr::{self, Expr, Formula, Meaning, Mistake, Name, Value, parse};
use crate::problem::pointer_part;
use crate::problem::{Problem, Problems};

/// Why an expression has no value: a problem to report, or `None` if it follows from a reported one.
pub(super) type Failure = Option<Problem>;

/// Most characters of an expression that a message quotes.
const MAX_SHOWN: usize = 60;

/// The problem of a text that is no expression.
fn invalid(text: &str, mistake: Mistake, pointer: &str) -> Failure {
    let shown: String = match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    };
    let message = format!("`{shown}` is not a valid expression: {}", mistake.message);
    Some(Problem::new(pointer, message).help(mistake.help))
}

/// The problem of an expression without a value.
fn valueless(mistake: Mistake, pointer: &str) -> Problem {
    let problem = Problem::new(pointer, mistake.message).help(mistake.help);
    match mistake.known.is_empty() {
        true => problem,
        false => problem.suggest(&mistake.written, mistake.known.iter().map(String::as_str)),
    }
}

impl expr::Names for Scope {
    fn value(&self, name: &Name, at: &Expr) -> Result<Value, expr::Failure> {
        let name = name.to_string();
        match self.vectors.get(&name) {
            Some(values) => Ok(Value::Vector(values.clone())),
            None => self.named(&name, at).map(Value::Number),
        }
    }
}

/// Values by dotted name. A vector `a` is also `a.x` to `a.w`.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    numbers: BTreeMap<String, f64>,
    vectors: BTreeMap<String, Vec<f64>>,
    /// Names whose value is wrong, which has been reported.
    failed: BTreeSet<String>,
}

impl Scope {
    /// Gives a name its value; returns what it was.
    pub(crate) fn insert(&mut self, name: impl Into<String>, value: f64) -> Option<f64> {
        self.numbers.insert(name.into(), value)
    }

    /// Takes a name back to the value it had before an `insert`.
    pub(crate) fn restore(&mut self, name: &str, earlier: Option<f64>) {
        match earlier {
            Some(value) => self.insert(name, value),
            None => self.numbers.remove(name),
        };
    }

    /// Marks a name as one whose value is wrong, so that what uses it is not reported as well.
    pub(crate) fn fail(&mut self, name: impl Into<String>) {
        self.failed.insert(name.into());
    }

    fn insert_vector(&mut self, name: &str, values: &[f64]) {
        for (value, component) in values.iter().zip(COMPONENTS) {
            self.insert(format!("{name}.{component}"), *value);
        }
        self.vectors.insert(name.to_string(), values.to_vec());
    }

    /// The vector that the whole text names, if any.
    pub(crate) fn vector(&self, text: &str) -> Option<&[f64]> {
        self.vectors.get(text.trim()).map(Vec::as_slice)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(String::as_str)
    }

    /// The value of a number or expression; the error is the problem to report at `pointer`.
    pub(crate) fn number(&self, number: &Number, pointer: &str) -> Result<f64, Failure> {
        match number {
            Number::Value(value) => Ok(*value),
            Number::Expression(text) => self.evaluate(text, pointer),
        }
    }

    fn evaluate(&self, text: &str, pointer: &str) -> Result<f64, Failure> {
        if let Some(value) = self.numbers.get(text.trim()) {
            return Ok(*value);
        }
        if self.failed.contains(text.trim()) {
            return Err(None);
        }
        let tree = parse(text).map_err(|mistake| invalid(text, mistake, pointer))?;
        let value = tree.number(self);
        let value = value.map_err(|failure| failure.map(|mistake| valueless(mistake, pointer)))?;
        if !value.is_finite() {
            let message = format!("`{text}` is {value}, not a finite number");
            return Err(Some(Problem::new(pointer, message).help(
                "look for a division by zero, a root of a negative number, or a logarithm of zero",
            )));
        }
        Ok(value)
    }

    /// The names with this one before the dot: the sizes of a resource, or the members of a group of parameters.
    fn numbers_of(&self, name: &str) -> Vec<&str> {
        let first = format!("{name}.");
        let from = self.numbers.range(first.clone()..).map(|(name, _)| name.as_str());
        from.take_while(|name| name.starts_with(&first)).collect()
    }

    /// The value of one name in an expression.
    fn named(&self, name: &str, at: &Expr) -> Result<f64, expr::Failure> {
        match self.numbers.get(name) {
            Some(value) => Ok(*value),
            None if self.failed.contains(name) => Err(None),
            None if !self.numbers_of(name).is_empty() => {
                let numbers = self.numbers_of(name).join(", ");
                let help = format!("write one of {numbers}; what fields hold is not known to expressions");
                Err(Some(Mistake::new(
                    &at.range,
                    format!("`{name}` alone is not a number"),
                    help,
                )))
            }
            None => {
                let help = "name a parameter, or a size such as `air.nx`";
                let mistake = Mistake::new(&at.range, format!("`{name}` is not defined here"), help);
                Err(Some(mistake.suggest(name, self.names().map(str::to_string))))
            }
        }
    }

    /// An expression in which some names are variables, which hide others of these names.
    pub(crate) fn formula(&self, text: &str, variables: &[&str], pointer: &str) -> Result<Formula, Failure> {
        let tree = parse(text).map_err(|mistake| invalid(text, mistake, pointer))?;
        let mut meaning = |part: &Expr| {
            let variable = part.as_name().and_then(|name| {
                let name = name.to_string();
                variables.iter().position(|variable| *variable == name)
            });
            match variable {
                Some(number) => Ok(Meaning::Variable(number)),
                None => part.number(self).map(Meaning::Known),
            }
        };
        let formula = Formula::new(text, &tree, &mut meaning);
        formula.map_err(|failure| failure.map(|mistake| valueless(mistake, pointer)))
    }

    /// Evaluates a tree of parameters into the scope. They may refer to each other in any order.
    pub(crate) fn insert_parameters(&mut self, parameters: &Named<Parameter>, problems: &mut Problems) {
        let mut open = Vec::new();
        flatten(parameters, "", "/parameters", &mut open, problems);
        let by_name: HashMap<&str, usize> = (open.iter().enumerate())
            .flat_map(|(number, parameter)| parameter.defines.iter().map(move |name| (name.as_str(), number)))
            .collect();
        // For each parameter, those that it needs, and how many of them have no value yet.
        let needs: Vec<Vec<usize>> = open
            .iter()
            .map(|parameter| {
                let names = parameter.numbers.iter().flat_map(|number| names_in(number));
                let mut needs: Vec<usize> = names
                    .filter_map(|name| by_name.get(name.as_str()).copied())
                    .collect();
                needs.sort_unstable();
                needs.dedup();
                needs
            })
            .collect();
        let mut missing: Vec<usize> = needs.iter().map(Vec::len).collect();
        let mut users = vec![Vec::new(); open.len()];
        for (number, needs) in needs.iter().enumerate() {
            needs.iter().for_each(|need: &usize| users[*need].push(number));
        }
        let mut ready: Vec<usize> = (0..open.len()).filter(|number| missing[*number] == 0).collect();
        while let Some(number) = ready.pop() {
            self.define(&open[number], problems);
            for user in &users[number] {
                missing[*user] -= 1;
                if missing[*user] == 0 {
                    ready.push(*user);
                }
            }
        }
        report_circles(&open, &needs, &missing, problems);
        for (parameter, _) in open.iter().zip(&missing).filter(|(_, missing)| **missing > 0) {
            parameter.defines.iter().for_each(|name| self.fail(name));
        }
    }

    fn define(&mut self, parameter: &Open, problems: &mut Problems) {
        let mut values = Vec::new();
        for (i, number) in parameter.numbers.iter().enumerate() {
            let pointer = match parameter.is_vector {
                true => format!("{}/{i}", parameter.pointer),
                false => parameter.pointer.clone(),
            };
            match self.number(number, &pointer) {
                Ok(value) => values.push(value),
                Err(problem) => {
                    problems.list.extend(problem);
                    return parameter.defines.iter().for_each(|name| self.fail(name));
                }
            }
        }
        match (parameter.is_vector, values.first()) {
            (false, Some(value)) => drop(self.insert(&parameter.defines[0], *value)),
            _ => self.insert_vector(&parameter.defines[0], &values),
        }
    }
}

/// Longest circle of parameters that is written out.
const LONGEST_CIRCLE: usize = 9;
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// A parameter that is no group.
struct Open<'a> {
    pointer: String,
    /// Its dotted name, and for a vector those of its components.
    defines: Vec<String>,
    numbers: Vec<&'a Number>,
    is_vector: bool,
}

fn flatten<'a>(
    group: &'a Named<Parameter>,
    prefix: &str,
    pointer: &str,
    into: &mut Vec<Open<'a>>,
    problems: &mut Problems,
) {
    for (name, parameter) in group {
        let path = match prefix.is_empty() {
            true => name.clone(),
            false => format!("{prefix}.{name}"),
        };
        let pointer = format!("{pointer}/{}", pointer_part(name));
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(plain) {
            problems.push(
                Problem::on_key(&pointer, format!("`{name}` is not a valid name in expressions"))
                    .help("use a letter, then letters, digits and underscores"),
            );
        }
        let mut defines = vec![path.clone()];
        let (numbers, is_vector): (Vec<&Number>, bool) = match parameter {
            Parameter::Group(members) => {
                flatten(members, &path, &pointer, into, problems);
                continue;
            }
            Parameter::Number(number) => (vec![number], false),
            Parameter::Vector(items) => {
                let components = COMPONENTS.iter().take(items.len());
                defines.extend(components.map(|component| format!("{path}.{component}")));
                (items.iter().collect(), true)
            }
        };
        into.push(Open {
            pointer,
            defines,
            numbers,
            is_vector,
        });
    }
}

/// Reports each circle of parameters once, at its first member in the file.
fn report_circles(open: &[Open], needs: &[Vec<usize>], missing: &[usize], problems: &mut Problems) {
    // Whoever still misses something needs, directly or not, a member of a circle.
    let mut seen = vec![false; open.len()];
    for start in (0..open.len()).filter(|number| missing[*number] > 0) {
        let mut path = Vec::new();
        let mut at = start;
        while !seen[at] {
            seen[at] = true;
            path.push(at);
            match needs[at].iter().find(|need| missing[**need] > 0) {
                Some(need) => at = *need,
                None => break,
            }
        }
        let Some(first) = path.iter().position(|member| *member == at) else {
            continue;
        };
        let circle: Vec<&str> = path[first..]
            .iter()
            .chain([&at])
            .map(|member| open[*member].defines[0].as_str())
            .collect();
        let circle = match circle.len() {
            ..=LONGEST_CIRCLE => circle.join(" -> "),
            length => format!(
                "{} -> ... ({} in total)",
                circle[..LONGEST_CIRCLE].join(" -> "),
                length - 1
            ),
        };
        problems.push(
            Problem::new(
                &open[at].pointer,
                format!("parameters refer to each other in a circle: {circle}"),
            )
            .help("set one of them to a number"),
        );
    }
}

/// The names that a number refers to; none when it does not parse, which its evaluation reports.
fn names_in(number: &Number) -> Vec<String> {
    match number {
        Number::Value(_) => Vec::new(),
        Number::Expression(text) => match parse(text) {
            Ok(tree) => tree.names().into_iter().map(Name::to_string).collect(),
            Err(_) => Vec::new(),
        },
    }
}

#[cfg(test)]
mod tests;
