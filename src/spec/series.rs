//! Series: values that expressions compute from fields.

use super::file::{FormatFile, Number, OutputFile};
use super::resolver::Resolver;
use super::scope::Scope;
use crate::element::Element;
use crate::expr::{Expr, Failure, Formula, Kind, Meaning, Name};
use crate::grid::header;
use crate::ir::{Column, FieldId, List, Measured, MeasuredPart, Reduction, Resource, SeriesFormat, Term};
use crate::lower::loops::add_counter;
use crate::lower::meaning::{Action, ActionKind, Counted, Meaning as Lists, SeriesPlan};
use crate::particles::live;
use crate::problem::Place;
use crate::shared_constants::clock;

/// Maximum number of values of a line.
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

/// The whole element, without a component.
const ALL: MeasuredPart = MeasuredPart::Components(0);

/// The meaning of a term in an expression of a series.
enum Measure {
    Known(u64),
    Of(Measured, Reduction),
}

/// A field, with the component and the indices that follow its name.
struct Operand {
    field: FieldId,
    part: MeasuredPart,
    indices: Option<Vec<u64>>,
}

/// One number of a field.
fn measured(field: FieldId, part: MeasuredPart) -> Measured {
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
        let (scope, most) = (Scope::of(0), u64::from(u32::MAX));
        let every = self.program.count_or(&scope, file.every.as_ref(), 1, [1, most])?;
        let mut plan = SeriesPlan {
            name: name.to_string(),
            format: match file.format {
                Some(FormatFile::JsonLines) => SeriesFormat::JsonLines,
                _ => SeriesFormat::Csv,
            },
            every: every as u32,
            columns: Vec::new(),
            items: Vec::new(),
            pointer: file.pointer.clone(),
        };
        if values.is_empty() || values.len() > MAX_VALUES {
            let message = format!("a line has 1 to {MAX_VALUES} values, not {}", values.len());
            let help = "for example {\"snow\": \"sum(ground.snow)\"}; use several outputs for more values";
            return self.program.refuse(&file.place, message, help);
        }
        for (name, item) in values.iter() {
            self.check_column(name, &item.key);
            let number = item.value.as_ref();
            let column = number.and_then(|number| self.column_of(&mut plan.items, name, number, lists));
            plan.columns.extend(column);
        }
        Some(plan)
    }

    fn check_column(&self, name: &str, place: &Place) {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || !name.chars().all(plain) {
            let message = format!("`{name}` is not a valid name of a value");
            self.program
                .wrong(place, message, "use letters, digits, `-` and `_`");
        } else if ["frame", "step", "time"].contains(&name) {
            let message = format!("every line already contains `{name}`");
            self.program.wrong(place, message, "choose another name");
        }
    }

    /// A value of a line: one measure, or an expression of several.
    fn column_of(
        &self,
        items: &mut Vec<Measured>,
        name: &str,
        number: &Number,
        lists: &mut Lists,
    ) -> Option<Column> {
        let (tree, program, scope) = (number.tree.as_ref()?, self.program, Scope::of(0));
        let mut terms: Vec<Term> = Vec::new();
        let mut meaning = |part: &Expr| {
            if part.as_name().is_some_and(|name| program.is_known(&scope, name)) {
                let value = program.value_of(&scope, part, &number.place);
                return value.map(Meaning::Known).ok_or(None);
            }
            let term = match self.measure(part, &number.place, lists)? {
                Measure::Known(value) => Term::Known(value),
                Measure::Of(measured, by) => {
                    // Equal measures are computed once.
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
        let formula = program.value_or_report(formula, &number.place)?;
        let formula = (!formula.is_variable()).then(|| Box::new(formula));
        let name = name.to_string();
        Some(Column { name, terms, formula })
    }

    /// The meaning of one term.
    fn measure(&self, at: &Expr, place: &Place, lists: &mut Lists) -> Result<Measure, Failure> {
        let (function, argument) = match &at.kind {
            Kind::Call(function, arguments) => match &arguments[..] {
                [argument] => (function.as_str(), argument),
                _ => return at.wrong(format!("`{function}` takes one field"), FORMS),
            },
            Kind::Name(name) => return self.element(at, name, place),
            _ => return at.wrong(format!("`{at}` is not a single value"), FORMS),
        };
        if let Some((_, reduction)) = REDUCTIONS.iter().find(|(name, _)| *name == function) {
            let (operand, is_length) = match &argument.kind {
                Kind::Call(inner, of) if inner == "length" && of.len() == 1 => (&of[0], true),
                _ => (argument, false),
            };
            let measured = self.reduction_of(operand, is_length, function, place)?;
            return Ok(Measure::Of(measured, *reduction));
        }
        let Some(name) = argument.as_name() else {
            return argument.wrong(format!("`{argument}` is not a name"), FORMS);
        };
        match function {
            "count" => self.live_count(argument, name, place),
            "blocks" => self.active_blocks(argument, name, place),
            "iterations" => self.iterations(argument, name, place, lists),
            "left" => self.left(argument, name, lists),
            _ => {
                let known = OTHERS.iter().copied().chain(REDUCTIONS.map(|(name, _)| name));
                let message = format!("`{function}` is not a function for series");
                at.unknown(message, FORMS, function, known.map(str::to_string))
            }
        }
    }

    /// The field at the beginning of a name, and the parts that follow.
    fn operand(&self, at: &Expr, name: &Name, place: &Place) -> Result<Operand, Failure> {
        let (program, scope) = (self.program, Scope::of(0));
        for left in (1..=name.parts.len()).rev().take(3) {
            let parts = name.parts[..left].to_vec();
            let mut whole = Name { parts };
            let indices = std::mem::take(&mut whole.parts[left - 1].indices);
            let Some(found) = program.field_of(&scope, &whole, place).ok_or(None)? else {
                continue;
            };
            let field = self.field_id(&found).ok_or(None)?;
            let rest: Vec<&str> = name.parts[left..].iter().map(|part| part.text.as_str()).collect();
            let part = self.part_of(at, field, &whole.to_string(), &rest)?;
            let index = |tree: &Expr| {
                let value = program.value_of(&scope, tree, place).ok_or(None)?;
                if value.fract() == 0.0 && value >= 0.0 {
                    return Ok(value as u64);
                }
                let message = format!("`{tree}` is {value}, not an index");
                tree.wrong(message, "indices are whole numbers from 0")
            };
            let indices = match indices.as_slice() {
                [] => None,
                [list] => Some(list.iter().map(index).collect::<Result<Vec<u64>, Failure>>()?),
                _ => return at.wrong(format!("`{at}` has too many indices"), FORMS),
            };
            return Ok(Operand { field, part, indices });
        }
        let message = format!("`{name}` is not a field here");
        let help = "a field is written `<resource>.<channel>`; a buffer has its own name";
        at.unknown(message, help, &name.to_string(), program.field_names(0))
    }

    /// The component after the name of a field: `.x`, or `.c0.x` of a matrix.
    fn part_of(&self, at: &Expr, field: FieldId, name: &str, rest: &[&str]) -> Result<MeasuredPart, Failure> {
        let element = self.pipeline.fields[field].element;
        let columns = element.columns();
        let (letters, count) = match element {
            Element::Rgba8 => ("rgba", 4),
            _ if columns > 1 => ("xyzw", columns),
            _ => ("xyzw", element.components()),
        };
        let letters = &letters[..count.min(4) as usize];
        let letter = |text: &str| match text.len() {
            1 => letters.find(text).map(|position| position as u32),
            _ => None,
        };
        let column = |text: &str| {
            let column = text.strip_prefix('c')?.parse::<u32>().ok()?;
            (column < columns).then_some(column)
        };
        let component = match *rest {
            [] => return Ok(ALL),
            [one] if columns == 1 => letter(one),
            [first, second] if columns > 1 => column(first)
                .zip(letter(second))
                .map(|(column, row)| column * columns + row),
            _ => None,
        };
        if let Some(component) = component {
            return Ok(MeasuredPart::Component(component));
        }
        let letters: Vec<String> = letters.chars().map(String::from).collect();
        let (letters, last) = (letters.join(", "), columns - 1);
        let help = match columns {
            1 => format!("it has {letters}"),
            _ => format!("it has columns c0 to c{last} with {letters} each, such as {name}.c{last}.x"),
        };
        at.wrong(format!("`{name}` has no component `{}`", rest.join(".")), help)
    }

    /// The operand of a reduction: a field of numbers, a component, an entry of an array, or the length of vectors.
    fn reduction_of(
        &self,
        at: &Expr,
        is_length: bool,
        function: &str,
        place: &Place,
    ) -> Result<Measured, Failure> {
        let Some(name) = at.as_name() else {
            return at.wrong(format!("`{at}` is not a field"), FORMS);
        };
        let Operand { field, part, indices } = self.operand(at, name, place)?;
        let found = &self.pipeline.fields[field];
        let entry = match (indices.as_deref(), found.count) {
            (None, _) => None,
            (Some(_), None) => {
                let message = format!("`{}` does not contain arrays, which have entries", found.name);
                return at.wrong(message, "remove the brackets: the function includes all elements");
            }
            (Some([entry]), Some(count)) if *entry < u64::from(count) => Some(*entry as u32),
            (Some(_), Some(count)) => {
                let message = format!("`{at}`: `{}` has {count} entries", found.name);
                return at.wrong(message, format!("they are numbered from 0 to {}", count - 1));
            }
        };
        if is_length {
            let element = found.element;
            let is_vector = (2..=4).contains(&element.components()) && element.scalar().is_float();
            if part != ALL || !is_vector || element == Element::Rgba8 {
                let message = format!("`{at}` has no length: only float vectors have one");
                return at.wrong(message, format!("write {function}({at})"));
            }
            let length = measured(field, MeasuredPart::Length);
            return Ok(Measured { entry, ..length });
        }
        let single = measured(field, self.single(at, field, part, function)?);
        Ok(Measured { entry, ..single })
    }

    /// A part with one number per element. The mistake suggests such a part.
    fn single(
        &self,
        at: &Expr,
        field: FieldId,
        part: MeasuredPart,
        function: &str,
    ) -> Result<MeasuredPart, Failure> {
        let element = self.pipeline.fields[field].element;
        if !element.is_measurable() {
            let message = format!("`{at}` contains {}, which series do not support", element.name());
            let help = "write the values to a field of type int, uint, float or double";
            return at.wrong(message, help);
        }
        let MeasuredPart::Components(_) = part else {
            return Ok(part);
        };
        if element == Element::Rgba8 {
            let help = format!("choose one, such as {function}({at}.r)");
            return at.wrong(format!("`{at}` has four components"), help);
        }
        let help = match (element.columns() > 1, element.components() > 1) {
            (true, _) => format!("choose one by its column and row, such as {function}({at}.c0.x)"),
            (false, true) if element.scalar().is_float() => {
                format!("choose one, such as {function}({at}.x), or {function}(length({at}))")
            }
            (false, true) => format!("choose one, such as {function}({at}.x)"),
            (false, false) => return Ok(MeasuredPart::Component(0)),
        };
        at.wrong(format!("`{at}` has {} components", element.components()), help)
    }

    /// `counters[3]`, `wind[0].x`, `air.u[4, 5, 6]`.
    fn element(&self, at: &Expr, name: &Name, place: &Place) -> Result<Measure, Failure> {
        let Operand { field, part, indices } = self.operand(at, name, place)?;
        let Some(mut indices) = indices else {
            return at.wrong(format!("`{at}` is not a single value"), FORMS);
        };
        let found = &self.pipeline.fields[field];
        let part = match part {
            MeasuredPart::Components(_) if found.element.components() > 1 => {
                let message = format!("`{at}` has {} components", found.element.components());
                let component = if found.element.columns() > 1 { "c0.x" } else { "x" };
                return at.wrong(message, format!("choose one, such as {at}.{component}"));
            }
            _ => self.single(at, field, part, "max")?,
        };
        let [nx, ny, nz] = self.pipeline.size_of(field);
        let mut size = [nx, ny, nz][..self.pipeline.resource_of(field).axes() as usize].to_vec();
        // The entry of an array follows the indices of the element.
        size.extend(found.count.map(u64::from));
        let is_inside =
            indices.len() == size.len() && indices.iter().zip(&size).all(|(index, size)| index < size);
        if !is_inside {
            let last: Vec<String> = size.iter().map(|size| (size - 1).to_string()).collect();
            let help = format!("its indices are whole numbers up to [{}]", last.join(", "));
            return at.wrong(format!("`{at}` is not an element of `{}`", found.name), help);
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
        let one = measured(field, part);
        Ok(Measure::Of(Measured { entry, only, ..one }, Reduction::Value))
    }

    fn resource_in_series(&self, name: &Name, place: &Place) -> Result<Option<&Resource>, Failure> {
        let found = self.program.resource_of(&Scope::of(0), name, place).ok_or(None)?;
        let Some(found) = found else { return Ok(None) };
        let id = found.at.and_then(|at| self.ids.resource(at)).ok_or(None)?;
        Ok(Some(&self.pipeline.resources[id]))
    }

    fn live_count(&self, at: &Expr, name: &Name, place: &Place) -> Result<Measure, Failure> {
        let found = self.resource_in_series(name, place)?;
        if let Some(set) = found.filter(|resource| resource.set().is_some()) {
            let live = set.live().map(|live| word(live, live::COUNT as u64));
            return Ok(live.unwrap_or(Measure::Known(set.size[0])));
        }
        let message = format!("`{name}` is not a particle set");
        let sets = self
            .names_of(|resource| resource.set().is_some())
            .map(str::to_string);
        at.unknown(
            message,
            "count(...) requires a particle set",
            &name.to_string(),
            sets,
        )
    }

    fn active_blocks(&self, at: &Expr, name: &Name, place: &Place) -> Result<Measure, Failure> {
        let found = self.resource_in_series(name, place)?;
        if let Some(grid) = found.and_then(|grid| grid.sparse()) {
            return Ok(word(grid.fields.header, header::ACTIVE as u64));
        }
        let message = format!("`{name}` is not a sparse grid");
        let grids = self
            .names_of(|resource| resource.sparse().is_some())
            .map(str::to_string);
        at.unknown(
            message,
            "blocks(...) requires a sparse grid",
            &name.to_string(),
            grids,
        )
    }

    /// The number of iterations of repeats in `step`.
    fn iterations(
        &self,
        at: &Expr,
        name: &Name,
        place: &Place,
        lists: &mut Lists,
    ) -> Result<Measure, Failure> {
        let loops = loops_of(lists);
        let buffer = self.program.field_of(&Scope::of(0), name, place).flatten();
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
            return at.unknown(message, help, &written, known);
        };
        let (pipeline, counter) = (&mut lists.pipeline, lists.counters.entry(counted));
        let counter = counter.or_insert_with(|| add_counter(pipeline, &condition));
        Ok(word(*counter, 0))
    }

    /// The remaining time of a sub-cycled repeat.
    fn left(&self, at: &Expr, name: &Name, lists: &Lists) -> Result<Measure, Failure> {
        let clocks = loops_of(lists)
            .into_iter()
            .filter_map(|(counted, _)| match counted {
                Counted::Clock(repeat) => Some(repeat),
                Counted::Buffer(_) => None,
            });
        let clocks: Vec<String> = clocks.collect();
        let written = name.to_string();
        if let Some(clock) = self.clock_of(&written).filter(|_| clocks.contains(&written)) {
            return Ok(word(clock, clock::CLOCK_LEFT.into()));
        }
        let message = format!("`{name}` is not a repeat with \"while\": \"clock.left\"");
        let help = "left(...) is for repeats with \"while\": \"clock.left\"";
        at.unknown(message, help, &written, clocks)
    }
}

/// The repeats with `while` in `step`: their counters, and their names in messages.
fn loops_of(lists: &Lists) -> Vec<(Counted, String)> {
    fn visit(actions: &[Action], into: &mut Vec<(Counted, String)>) {
        for action in actions {
            if let ActionKind::Loop(inner) = &action.kind {
                let shown = if inner.is_clock {
                    &inner.name
                } else {
                    &inner.condition
                };
                into.push((inner.counted.clone(), shown.clone()));
                inner.iterations.iter().for_each(|actions| visit(actions, into));
            }
        }
    }
    let mut loops = Vec::new();
    for (list, actions) in &lists.lists {
        if *list == List::Step {
            visit(actions, &mut loops);
        }
    }
    loops
}

/// One word of an internal buffer.
fn word(field: FieldId, number: u64) -> Measure {
    let (only, one) = (Some(number), measured(field, MeasuredPart::Component(0)));
    Measure::Of(Measured { only, ..one }, Reduction::Value)
}
