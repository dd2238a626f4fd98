//! Series: the values of their lines, which expressions take from fields.

use super::file::{FormatFile, Number, OutputFile};
use super::resolver::Resolver;
use super::scope::Scope;
use crate::element::Element;
use crate::expr::{Expr, Failure, Formula, Kind, Meaning, Mistake, Name};
use crate::grid::header;
use crate::ir::{Column, FieldId, List, Measured, Part, Reduction, SeriesFormat, Term};
use crate::lower::loops::add_counter;
use crate::lower::meaning::SeriesPlan;
use crate::lower::meaning::{Action, Counted, Loop, Meaning as Lists, What};
use crate::particles::live;
use crate::problem::{Place, Problem};
use crate::words::clock;

/// Most values of a line.
const MAX_VALUES: usize = 256;

const REDUCTIONS: [(&str, Reduction); 5] = [
    ("min", Reduction::Minimum),
    ("max", Reduction::Maximum),
    ("sum", Reduction::Sum),
    ("mean", Reduction::Mean),
    ("nonfinite", Reduction::NonFinite),
];
const OTHERS: [&str; 4] = ["count", "blocks", "iterations", "left"];
const FORMS: &str =
    "write a function of a field such as sum(ground.snow), or one element such as counters[3]";

/// No component chosen.
const ALL: Part = Part::Components(0);

/// What an expression of a series stands for.
enum Measure {
    Known(u64),
    Of(Measured, Reduction),
}

/// A field with the component and the indices that are written behind it.
struct Operand {
    field: FieldId,
    part: Part,
    indices: Option<Vec<u64>>,
}

fn wrong<T>(at: &Expr, message: impl Into<String>, help: impl Into<String>) -> Result<T, Failure> {
    Err(Some(Mistake::new(&at.range, message, help)))
}

/// The element of a measure of one number.
fn measured(field: FieldId, part: Part) -> Measured {
    Measured {
        field,
        part,
        entry: None,
        only: None,
        within: None,
    }
}

impl<'f> Resolver<'_, 'f> {
    /// A series among the outputs.
    pub(super) fn series(&self, name: &str, file: &'f OutputFile, lists: &mut Lists) -> Option<SeriesPlan> {
        let values = file.values.as_ref()?;
        let scope = Scope::of(0);
        let every = self
            .program
            .count_or(&scope, file.every.as_ref(), 1, [1, u64::from(u32::MAX)]);
        let mut plan = SeriesPlan {
            name: name.to_string(),
            format: match file.format {
                Some(FormatFile::JsonLines) => SeriesFormat::JsonLines,
                _ => SeriesFormat::Csv,
            },
            every: every? as u32,
            columns: Vec::new(),
            items: Vec::new(),
            pointer: file.pointer.clone(),
        };
        if values.is_empty() || values.len() > MAX_VALUES {
            let message = format!("a line has 1 to {MAX_VALUES} values, not {}", values.len());
            let problem = Problem::at_place(file.place.clone(), message);
            let help = "for example {\"snow\": \"sum(ground.snow)\"}; use several outputs for more values";
            self.program.report(problem.help(help));
            return None;
        }
        for (name, item) in values.iter() {
            self.check_column(name, &item.key);
            let column = item
                .value
                .as_ref()
                .and_then(|number| self.column_of(&mut plan.items, name, number, lists));
            plan.columns.extend(column);
        }
        Some(plan)
    }

    fn check_column(&self, name: &str, place: &Place) {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let (message, help) = if name.is_empty() || !name.chars().all(plain) {
            (
                format!("`{name}` is not a valid name of a value"),
                "use letters, digits, `-` and `_`",
            )
        } else if ["frame", "step", "time"].contains(&name) {
            (
                format!("every line already contains `{name}`"),
                "choose another name",
            )
        } else {
            return;
        };
        self.program
            .report(Problem::at_place(place.clone(), message).help(help));
    }

    /// A value of a line: one measure, or an expression of several.
    fn column_of(
        &self,
        items: &mut Vec<Measured>,
        name: &str,
        number: &Number,
        lists: &mut Lists,
    ) -> Option<Column> {
        let tree = number.tree.as_ref()?;
        let scope = Scope::of(0);
        let mut terms: Vec<Term> = Vec::new();
        let mut meaning = |part: &Expr| {
            let is_number = part
                .as_name()
                .is_some_and(|name| self.program.is_known(&scope, name));
            if is_number {
                return self
                    .program
                    .value_of(&scope, part, &number.place)
                    .map(Meaning::Known)
                    .map_err(|problem| {
                        if let Some(problem) = problem {
                            self.program.report(problem)
                        }
                        None
                    });
            }
            let term = match self.measure(part, &number.place, lists)? {
                Measure::Known(value) => Term::Known(value),
                Measure::Of(measured, by) => {
                    // One pass over a field serves all that is asked of it.
                    let known = items.iter().position(|item| *item == measured);
                    let item = known.unwrap_or_else(|| {
                        items.push(measured);
                        items.len() - 1
                    });
                    Term::Reduced { item, by }
                }
            };
            terms.push(term);
            Ok(Meaning::Variable(terms.len() - 1))
        };
        let formula = Formula::new(&tree.to_string(), tree, &mut meaning);
        let formula = formula.map_err(|failure| {
            if let Some(mistake) = failure {
                self.program
                    .report(super::file::problem_of(mistake, &number.place))
            }
        });
        let formula = formula.ok()?;
        let formula = (!formula.is_variable()).then(|| Box::new(formula));
        Some(Column {
            name: name.to_string(),
            terms,
            formula,
        })
    }

    /// What one term stands for.
    fn measure(&self, at: &Expr, place: &Place, lists: &mut Lists) -> Result<Measure, Failure> {
        let (function, argument) = match &at.kind {
            Kind::Call(function, arguments) => match &arguments[..] {
                [argument] => (function.as_str(), argument),
                _ => return wrong(at, format!("`{function}` takes one field"), FORMS),
            },
            Kind::Name(name) => return self.element(at, name, place),
            _ => return wrong(at, format!("`{at}` is not a single value"), FORMS),
        };
        if let Some((_, reduction)) = REDUCTIONS.iter().find(|(name, _)| *name == function) {
            let (operand, is_length) = match &argument.kind {
                Kind::Call(inner, of) if inner == "length" && of.len() == 1 => (&of[0], true),
                _ => (argument, false),
            };
            let measured = self.reduced(operand, is_length, function, place)?;
            return Ok(Measure::Of(measured, *reduction));
        }
        let Some(name) = argument.as_name() else {
            return wrong(argument, format!("`{argument}` is not a name"), FORMS);
        };
        match function {
            "count" => self.live_count(argument, name, place),
            "blocks" => self.active_blocks(argument, name, place),
            "iterations" => self.iterations(argument, name, place, lists),
            "left" => self.left(argument, name, lists),
            _ => {
                let known = OTHERS.iter().copied().chain(REDUCTIONS.map(|(name, _)| name));
                let mistake = Mistake::new(
                    &at.range,
                    format!("`{function}` is not a function for series"),
                    FORMS,
                );
                Err(Some(mistake.suggest(function, known.map(str::to_string))))
            }
        }
    }

    /// The field that a name begins with, and what follows it.
    fn operand(&self, at: &Expr, name: &Name, place: &Place) -> Result<Operand, Failure> {
        let scope = Scope::of(0);
        for left in (1..=name.parts.len()).rev().take(3) {
            let mut whole = Name {
                parts: name.parts[..left].to_vec(),
            };
            let indices = whole
                .parts
                .last_mut()
                .map(|part| std::mem::take(&mut part.indices))
                .unwrap_or_default();
            let found = self.program.field_of(&scope, &whole, place).map_err(|problem| {
                if let Some(problem) = problem {
                    self.program.report(problem)
                }
                None
            })?;
            let Some(found) = found else { continue };
            let field = self.field_id(&found).ok_or(None)?;
            let rest: Vec<&str> = name.parts[left..].iter().map(|part| part.text.as_str()).collect();
            let part = self.part_of(at, field, &whole.to_string(), &rest)?;
            let indices = match indices.as_slice() {
                [] => None,
                [list] => {
                    let index = |tree: &Expr| {
                        let value = self.program.value_of(&scope, tree, place).map_err(|problem| {
                            if let Some(problem) = problem {
                                self.program.report(problem)
                            }
                            None
                        })?;
                        match value.fract() == 0.0 && value >= 0.0 {
                            true => Ok(value as u64),
                            false => wrong(
                                tree,
                                format!("`{tree}` is {value}, not an index"),
                                "indices are whole numbers from 0",
                            ),
                        }
                    };
                    Some(list.iter().map(index).collect::<Result<Vec<u64>, Failure>>()?)
                }
                _ => return wrong(at, format!("`{at}` has too many indices"), FORMS),
            };
            return Ok(Operand { field, part, indices });
        }
        let known = self.program.field_names(0);
        let help = "a field is written `<resource>.<channel>`; a buffer has its own name";
        let mistake = Mistake::new(
            &at.range,
            format!("`{name}` is not a field of this pipeline"),
            help,
        );
        Err(Some(mistake.suggest(&name.to_string(), known)))
    }

    /// The component that is written behind a field: `.x`, or `.c0.x` of a matrix.
    fn part_of(&self, at: &Expr, field: FieldId, name: &str, rest: &[&str]) -> Result<Part, Failure> {
        let element = self.pipeline.fields[field].element;
        let (columns, components) = (element.columns(), element.components());
        let letters = if element == Element::Rgba8 { "rgba" } else { "xyzw" };
        let letter = |text: &str, count: u32| {
            letters[..count.min(4) as usize]
                .find(text)
                .filter(|_| text.len() == 1)
        };
        let missing = rest.join(".");
        if columns > 1 {
            return match rest {
                [] => Ok(ALL),
                [column, row] => {
                    let column = column
                        .strip_prefix('c')
                        .and_then(|column| column.parse::<u32>().ok());
                    match (column.filter(|column| *column < columns), letter(row, columns)) {
                        (Some(column), Some(row)) => Ok(Part::Component(column * columns + row as u32)),
                        _ => self.no_component(at, name, &missing, columns),
                    }
                }
                _ => self.no_component(at, name, &missing, columns),
            };
        }
        let count = if element == Element::Rgba8 { 4 } else { components };
        match rest {
            [] => Ok(ALL),
            [one] if letter(one, count).is_some() => {
                Ok(Part::Component(letter(one, count).unwrap_or(0) as u32))
            }
            _ => {
                let known: Vec<String> = letters[..count.min(4) as usize]
                    .chars()
                    .map(String::from)
                    .collect();
                wrong(
                    at,
                    format!("`{name}` has no component `{missing}`"),
                    format!("it has {}", known.join(", ")),
                )
            }
        }
    }

    fn no_component(&self, at: &Expr, name: &str, missing: &str, columns: u32) -> Result<Part, Failure> {
        let last = columns - 1;
        let rows = "x, y, z, w".split_at(3 * columns as usize - 2).0;
        let help = format!("it has columns c0 to c{last} with {rows} each, such as {name}.c{last}.x");
        wrong(at, format!("`{name}` has no component `{missing}`"), help)
    }

    /// What a reduction is of: a field of numbers, a component, an entry of an array, or the length of vectors.
    fn reduced(
        &self,
        at: &Expr,
        is_length: bool,
        function: &str,
        place: &Place,
    ) -> Result<Measured, Failure> {
        let Some(name) = at.as_name() else {
            return wrong(at, format!("`{at}` is not a field"), FORMS);
        };
        let Operand { field, part, indices } = self.operand(at, name, place)?;
        let found = &self.pipeline.fields[field];
        let entry = match (indices.as_deref(), found.count) {
            (None, _) => None,
            (Some(_), None) => {
                let message = format!("`{}` does not contain arrays, which have entries", found.name);
                return wrong(
                    at,
                    message,
                    "remove the brackets: the function includes all elements",
                );
            }
            (Some([entry]), Some(count)) if *entry < u64::from(count) => Some(*entry as u32),
            (Some(_), Some(count)) => {
                let message = format!("`{at}`: `{}` has {count} entries", found.name);
                return wrong(at, message, format!("they are numbered from 0 to {}", count - 1));
            }
        };
        if is_length {
            let element = found.element;
            if part != ALL
                || !(2..=4).contains(&element.components())
                || !element.scalar().is_float()
                || element == Element::Rgba8
            {
                let message = format!("`{at}` has no length: only float vectors have one");
                return wrong(at, message, format!("write {function}({at})"));
            }
            return Ok(Measured {
                entry,
                ..measured(field, Part::Length)
            });
        }
        let part = self.single(at, field, part, function)?;
        Ok(Measured {
            entry,
            ..measured(field, part)
        })
    }

    /// One number of each element, or what to write instead.
    fn single(&self, at: &Expr, field: FieldId, part: Part, function: &str) -> Result<Part, Failure> {
        let element = self.pipeline.fields[field].element;
        if !element.is_measurable() {
            let message = format!("`{at}` contains {}, which series do not support", element.name());
            return wrong(
                at,
                message,
                "write the values to a field of type int, uint, float or double",
            );
        }
        let Part::Components(_) = part else {
            return Ok(part);
        };
        if element == Element::Rgba8 {
            let help = format!("choose one, such as {function}({at}.r)");
            return wrong(at, format!("`{at}` has four components"), help);
        }
        let message = format!("`{at}` has {} components", element.components());
        if element.columns() > 1 {
            return wrong(
                at,
                message,
                format!("choose one by its column and row, such as {function}({at}.c0.x)"),
            );
        }
        if element.components() > 1 {
            let length = match element.scalar().is_float() {
                true => format!(", or {function}(length({at}))"),
                false => String::new(),
            };
            return wrong(
                at,
                message,
                format!("choose one, such as {function}({at}.x){length}"),
            );
        }
        Ok(Part::Component(0))
    }

    /// `counters[3]`, `wind[0].x`, `air.u[4, 5, 6]`.
    fn element(&self, at: &Expr, name: &Name, place: &Place) -> Result<Measure, Failure> {
        let Operand { field, part, indices } = self.operand(at, name, place)?;
        let Some(mut indices) = indices else {
            return wrong(at, format!("`{at}` is not a single value"), FORMS);
        };
        let found = &self.pipeline.fields[field];
        let part = match part {
            Part::Components(_) if found.element.components() > 1 => {
                let message = format!("`{at}` has {} components", found.element.components());
                let component = if found.element.columns() > 1 { "c0.x" } else { "x" };
                return wrong(at, message, format!("choose one, such as {at}.{component}"));
            }
            _ => self.single(at, field, part, "max")?,
        };
        let [nx, ny, nz] = self.pipeline.size_of(field);
        let mut size = [nx, ny, nz][..self.pipeline.resource_of(field).axes() as usize].to_vec();
        // The entry of an array comes after the index.
        size.extend(found.count.map(u64::from));
        let is_inside =
            indices.len() == size.len() && indices.iter().zip(&size).all(|(index, size)| index < size);
        if !is_inside {
            let last: Vec<String> = size.iter().map(|size| (size - 1).to_string()).collect();
            let help = format!("its indices are whole numbers up to [{}]", last.join(", "));
            return wrong(at, format!("`{at}` is not an element of `{}`", found.name), help);
        }
        let entry = found.count.and_then(|_| indices.pop()).map(|entry| entry as u32);
        let strides = [1, nx, nx * ny];
        let only = Some(
            indices
                .iter()
                .zip(strides)
                .map(|(index, stride)| index * stride)
                .sum(),
        );
        Ok(Measure::Of(
            Measured {
                entry,
                only,
                ..measured(field, part)
            },
            Reduction::Value,
        ))
    }

    fn resource_named(
        &self,
        at: &Expr,
        name: &Name,
        place: &Place,
    ) -> Result<Option<&crate::ir::Resource>, Failure> {
        let found = self
            .program
            .resource_of(&Scope::of(0), name, place)
            .map_err(|_| None)?;
        let Some((found, _)) = found else { return Ok(None) };
        let id = super::lookup::AtLevel {
            id: found.id.ok_or(None)?,
            level: found.level,
        };
        let id = self.ids.resources.get(&id).ok_or(None)?;
        let _ = at;
        Ok(Some(&self.pipeline.resources[*id]))
    }

    fn live_count(&self, at: &Expr, name: &Name, place: &Place) -> Result<Measure, Failure> {
        let found = self
            .resource_named(at, name, place)?
            .filter(|resource| resource.set().is_some());
        match found.map(|set| (set, set.live())) {
            Some((_, Some(live))) => Ok(word(live, live::COUNT as u64)),
            Some((set, None)) => Ok(Measure::Known(set.size[0])),
            None => {
                let sets = self
                    .pipeline
                    .resources
                    .iter()
                    .filter(|resource| resource.set().is_some());
                let message = format!("`{name}` is not a particle set");
                let mistake = Mistake::new(&at.range, message, "count(...) requires a particle set");
                Err(Some(
                    mistake.suggest(&name.to_string(), sets.map(|set| set.name.clone())),
                ))
            }
        }
    }

    fn active_blocks(&self, at: &Expr, name: &Name, place: &Place) -> Result<Measure, Failure> {
        let found = self.resource_named(at, name, place)?;
        match found.and_then(|grid| grid.sparse()) {
            Some(grid) => Ok(word(grid.fields.header, header::ACTIVE as u64)),
            None => {
                let grids = self
                    .pipeline
                    .resources
                    .iter()
                    .filter(|resource| resource.sparse().is_some());
                let message = format!("`{name}` is not a sparse grid");
                let mistake = Mistake::new(&at.range, message, "blocks(...) requires a sparse grid");
                Err(Some(
                    mistake.suggest(&name.to_string(), grids.map(|grid| grid.name.clone())),
                ))
            }
        }
    }

    /// The iterations that repeats of `step` take.
    fn iterations(
        &self,
        at: &Expr,
        name: &Name,
        place: &Place,
        lists: &mut Lists,
    ) -> Result<Measure, Failure> {
        let mut loops = Vec::new();
        gather(lists, &mut loops);
        let buffer = self.program.field_of(&Scope::of(0), name, place).ok().flatten();
        let buffer = buffer.and_then(|found| self.field_id(&found));
        let written = name.to_string();
        let is_meant = |counted: &Counted| match counted {
            Counted::Buffer(field) => Some(*field) == buffer,
            Counted::Clock(repeat) => *repeat == written,
        };
        let Some((counted, condition)) = loops.iter().find(|(counted, _)| is_meant(counted)).cloned() else {
            let help = "iterations(...) requires a buffer that a repeat names in `while`, or the name of a repeat over \
                        `clock.left`";
            let message = format!("no repeat of `step` has \"while\": \"{name}\"");
            let known = loops.into_iter().map(|(_, condition)| condition);
            return Err(Some(
                Mistake::new(&at.range, message, help).suggest(&written, known),
            ));
        };
        let pipeline = &mut lists.pipeline;
        let counter = *lists
            .counters
            .entry(counted)
            .or_insert_with(|| add_counter(pipeline, &condition));
        Ok(word(counter, 0))
    }

    /// The time that a repeat has left.
    fn left(&self, at: &Expr, name: &Name, lists: &Lists) -> Result<Measure, Failure> {
        let mut loops = Vec::new();
        gather(lists, &mut loops);
        let clocks = loops.into_iter().filter_map(|(counted, _)| match counted {
            Counted::Clock(repeat) => Some(repeat),
            Counted::Buffer(_) => None,
        });
        let clocks: Vec<String> = clocks.collect();
        let written = name.to_string();
        match self.clock_of(&written).filter(|_| clocks.contains(&written)) {
            Some(clock) => Ok(word(clock, clock::CLOCK_LEFT.into())),
            None => {
                let message = format!("`{name}` is no repeat that goes through the time of the step");
                let help = "left(...) is for repeats with \"while\": \"clock.left\"";
                Err(Some(
                    Mistake::new(&at.range, message, help).suggest(&written, clocks),
                ))
            }
        }
    }
}

/// The repeats of `step` that the device ends: what they are counted under, and the name for people.
fn gather(lists: &Lists, into: &mut Vec<(Counted, String)>) {
    fn visit(actions: &[Action], into: &mut Vec<(Counted, String)>) {
        for action in actions {
            if let What::Loop(Loop {
                counted,
                name,
                condition,
                is_clock,
                iterations,
                ..
            }) = &action.what
            {
                let shown = if *is_clock { name } else { condition };
                into.push((counted.clone(), shown.clone()));
                iterations.iter().for_each(|actions| visit(actions, into));
            }
        }
    }
    lists
        .lists
        .iter()
        .filter(|(list, _)| *list == List::Step)
        .for_each(|(_, actions)| visit(actions, into));
}

/// One word of a buffer of the engine's.
fn word(field: FieldId, number: u64) -> Measure {
    let measured = Measured {
        only: Some(number),
        ..measured(field, Part::Component(0))
    };
    Measure::Of(measured, Reduction::Value)
}
