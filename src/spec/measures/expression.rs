//! The values of a series as they are written: `sum(ground.snow)`, `max(length(flakes.velocity))`, `ledger[3]`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::super::indexed::indexed;
use super::super::resolver::Resolver;
use crate::element::Element;
use crate::grid::header;
use crate::ir::*;
use crate::lower::turns;
use crate::particles::live;
use crate::problem::Problem;
use crate::words::clock;

/// What a text stands for.
pub(super) enum Measure {
    Known(u64),
    Of(Measured, Reduction),
}

/// Why a text stands for nothing.
#[derive(Default)]
pub(super) struct Misfit {
    pub message: String,
    pub help: String,
    /// What was written in the place of one of these names.
    pub written: String,
    pub known: Vec<String>,
}

const REDUCTIONS: [(&str, Reduction); 5] = [
    ("min", Reduction::Minimum),
    ("max", Reduction::Maximum),
    ("sum", Reduction::Sum),
    ("mean", Reduction::Mean),
    ("nonfinite", Reduction::NonFinite),
];

const FORMS: &str = "write a function of a field such as sum(ground.snow), or one element such as ledger[3]";

/// No component chosen.
const ALL: Part = Part::Components(0);

fn misfit(message: impl Into<String>, help: impl Into<String>) -> Misfit {
    Misfit {
        message: message.into(),
        help: help.into(),
        ..Misfit::default()
    }
}

impl Resolver<'_> {
    /// Reads one value of a series.
    pub(super) fn measure(&self, text: &str) -> Result<Measure, Misfit> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let text = self.with_level(&text)?;
        if let Some((function, rest)) = text.split_once('(') {
            let inner = rest
                .strip_suffix(')')
                .ok_or_else(|| misfit(format!("`{text}` has no closing parenthesis"), FORMS))?;
            return match function {
                "count" => self.live_count(inner),
                "blocks" => self.active_blocks(inner),
                "turns" => self.turns(inner),
                "left" => self.left(inner),
                _ => match REDUCTIONS.iter().find(|(name, _)| *name == function) {
                    Some((_, reduction)) => self
                        .operand(inner, function)
                        .map(|item| Measure::Of(item, *reduction)),
                    None => Err(Misfit {
                        message: format!("`{function}` is not a function for series"),
                        help: FORMS.into(),
                        written: function.into(),
                        known: ["count", "blocks", "turns", "left"]
                            .into_iter()
                            .chain(REDUCTIONS.map(|(name, _)| name))
                            .map(str::to_string)
                            .collect(),
                    }),
                },
            };
        }
        match self.bracket(&text) {
            Some((field, rest)) => self.element(&text, field, rest),
            None => Err(misfit(format!("`{text}` is not a single value"), FORMS)),
        }
    }

    /// A text with the number of the level that its field is of, in the place of an expression.
    fn with_level<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, Misfit> {
        let bracket = text.find('[').unwrap_or(0);
        let start = text[..bracket].rfind('(').map_or(0, |at| at + 1);
        let (functions, operand) = text.split_at(start);
        if !self.is_of_level(operand) {
            return Ok(Cow::Borrowed(text));
        }
        match self.settled(operand, "") {
            Ok(operand) => Ok(Cow::Owned(format!("{functions}{operand}"))),
            Err(problem) => {
                let message = |problem: &Problem| format!("`{text}`: {}", problem.message);
                Err(Misfit {
                    message: (problem.as_ref())
                        .map_or(format!("`{text}` names a level that is not there"), message),
                    help: problem
                        .and_then(|problem| problem.help)
                        .unwrap_or(FORMS.to_string()),
                    ..Misfit::default()
                })
            }
        }
    }

    /// Whether the first brackets of a text are those of a level.
    fn is_of_level(&self, text: &str) -> bool {
        let is_grid = |name: &str| {
            let mut resources = self.pipeline.resources.iter();
            resources.any(|resource| resource.name == name && resource.is_grid())
        };
        indexed(text).is_some_and(|found| is_grid(found.grid))
    }

    /// A text before and after the bracket of an element or an entry.
    fn bracket<'t>(&self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let after_level = match self.is_of_level(text) {
            true => text.find(']').map_or(0, |at| at + 1),
            false => 0,
        };
        let at = after_level + text[after_level..].find('[')?;
        Some((&text[..at], &text[at + 1..]))
    }

    /// What a reduction is of: a field of numbers, a component, or the length of vectors.
    fn operand(&self, text: &str, function: &str) -> Result<Measured, Misfit> {
        if let Some(inner) = text.strip_prefix("length(") {
            let name = inner
                .strip_suffix(')')
                .ok_or_else(|| misfit(format!("`{text}` has no closing parenthesis"), FORMS))?;
            let (field, part, entry) = self.field_entry(name)?;
            let element = self.pipeline.fields[field].element;
            if part != ALL || !(2..=4).contains(&element.components()) || !element.scalar().is_float() {
                let message = format!("`{name}` has no length: only float vectors have one");
                return Err(misfit(message, format!("write {function}({name})")));
            }
            return Ok(Measured {
                field,
                part: Part::Length,
                entry,
                only: None,
                within: None,
            });
        }
        let (field, part, entry) = self.field_entry(text)?;
        let part = self.single(field, part, text, function)?;
        Ok(Measured {
            field,
            part,
            entry,
            only: None,
            within: None,
        })
    }

    /// One number of each element, or what to write instead.
    fn single(&self, field: FieldId, part: Part, text: &str, function: &str) -> Result<Part, Misfit> {
        let element = self.pipeline.fields[field].element;
        if !element.is_measurable() {
            return Err(misfit(
                format!(
                    "`{text}` contains {}, which series do not support",
                    element.name()
                ),
                "write the values to a field of type int, uint, float or double",
            ));
        }
        match part {
            Part::Components(_) if element == Element::Rgba8 => Err(misfit(
                format!("`{text}` has four components"),
                format!("choose one, such as {function}({text}.r)"),
            )),
            Part::Components(_) if element.columns() > 1 => Err(misfit(
                format!("`{text}` has {} components", element.components()),
                format!("choose one by its column and row, such as {function}({text}.c0.x)"),
            )),
            Part::Components(_) if element.components() > 1 => {
                let length = match element.scalar().is_float() {
                    true => format!(", or {function}(length({text}))"),
                    false => String::new(),
                };
                Err(misfit(
                    format!("`{text}` has {} components", element.components()),
                    format!("choose one, such as {function}({text}.x){length}"),
                ))
            }
            Part::Components(_) => Ok(Part::Component(0)),
            part => Ok(part),
        }
    }

    /// One component of a matrix, `air.m.c0.x`; `None` for anything else.
    fn matrix_part(&self, text: &str) -> Option<Result<(FieldId, Part), Misfit>> {
        let (rest, row) = text.rsplit_once('.')?;
        let (name, column) = rest.rsplit_once('.').unwrap_or((rest, ""));
        let of = |name: &str| {
            let id = self.field_ids.get(name)?;
            let columns = self.pipeline.fields[*id].element.columns();
            (columns > 1).then_some((*id, columns))
        };
        if let Some((id, columns)) = of(name) {
            let letters = &"xyzw"[..columns as usize];
            let column = column
                .strip_prefix('c')
                .and_then(|column| column.parse::<u32>().ok());
            let row = letters.find(row).filter(|_| row.len() == 1);
            if let (Some(column), Some(row)) = (column.filter(|column| *column < columns), row) {
                return Some(Ok((id, Part::Component(column * columns + row as u32))));
            }
        }
        let (name, (_, columns)) = of(name)
            .map(|found| (name, found))
            .or_else(|| Some((rest, of(rest)?)))?;
        let last = columns - 1;
        Some(Err(misfit(
            format!(
                "`{name}` has no component `{}`",
                text[name.len()..].trim_start_matches('.')
            ),
            format!(
                "it has columns c0 to c{last} with {} each, such as {name}.c{last}.x",
                "x, y, z, w".split_at(3 * columns as usize - 2).0
            ),
        )))
    }

    /// What a reduction is of: a field, one entry of an array (`air.f[3]`), or a component of these (`air.f[3].x`).
    fn field_entry(&self, text: &str) -> Result<(FieldId, Part, Option<u32>), Misfit> {
        let Some((name, rest)) = self.bracket(text) else {
            let (field, part) = self.field_part(text)?;
            return Ok((field, part, None));
        };
        let (number, component) = match rest.split_once(']') {
            Some((number, component)) if component.is_empty() || component.starts_with('.') => {
                (number, component)
            }
            _ => return Err(misfit(format!("`{text}` has no closing bracket"), FORMS)),
        };
        let (field, part) = self.field_part(&format!("{name}{component}"))?;
        let found = &self.pipeline.fields[field];
        let Some(count) = found.count else {
            let message = format!("`{}` does not contain arrays, which have entries", found.name);
            return Err(misfit(
                message,
                "remove the brackets: the function includes all elements",
            ));
        };
        match number.parse().ok().filter(|number| *number < count) {
            Some(entry) => Ok((field, part, Some(entry))),
            None => Err(misfit(
                format!("`{text}`: `{}` has {count} entries", found.name),
                format!("they are numbered from 0 to {}", count - 1),
            )),
        }
    }

    /// A field, or a field with a component after a dot.
    fn field_part(&self, text: &str) -> Result<(FieldId, Part), Misfit> {
        if let Some(id) = self.field_ids.get(text) {
            return Ok((*id, ALL));
        }
        if let Some(found) = self.matrix_part(text) {
            return found;
        }
        if let Some((name, component)) = text.rsplit_once('.')
            && let Some(id) = self.field_ids.get(name)
        {
            let element = self.pipeline.fields[*id].element;
            let (letters, count) = match element {
                Element::Rgba8 => ("rgba", 4),
                element => ("xyzw", element.components() as usize),
            };
            let known = &letters[..count];
            return match known.find(component) {
                Some(number) if component.len() == 1 => Ok((*id, Part::Component(number as u32))),
                _ => Err(misfit(
                    format!("`{name}` has no component `{component}`"),
                    format!(
                        "it has {}",
                        known
                            .split("")
                            .filter(|c| !c.is_empty())
                            .collect::<Vec<_>>()
                            .join(", ")
                    ),
                )),
            };
        }
        Err(Misfit {
            message: format!("`{text}` is not a field of this pipeline"),
            help: "a field is written `<resource>.<channel>`; a buffer has its own name".into(),
            written: text.into(),
            known: self
                .pipeline
                .fields
                .iter()
                .map(|field| field.name.clone())
                .collect(),
        })
    }

    /// `ledger[3]`, `wind[0].x`, `air.u[4,5,6]`; `rest` follows the bracket.
    fn element(&self, text: &str, name: &str, rest: &str) -> Result<Measure, Misfit> {
        let (indices, component) = match rest.split_once(']') {
            Some((indices, "")) => (indices, ""),
            Some((indices, component)) if component.starts_with('.') => (indices, component),
            _ => return Err(misfit(format!("`{text}` has no closing bracket"), FORMS)),
        };
        let (field, part) = self.field_part(&format!("{name}{component}"))?;
        let part = match part {
            Part::Components(_) if self.pipeline.fields[field].element.components() > 1 => {
                let element = self.pipeline.fields[field].element;
                let message = format!("`{text}` has {} components", element.components());
                let component = if element.columns() > 1 { "c0.x" } else { "x" };
                return Err(misfit(message, format!("choose one, such as {text}.{component}")));
            }
            _ => self.single(field, part, text, "max")?,
        };
        let resource = &self.pipeline.resources[self.pipeline.fields[field].resource];
        let [nx, ny, nz] = self.pipeline.size_of(field);
        let mut size = [nx, ny, nz][..resource.axes() as usize].to_vec();
        // The entry of an array comes after the index.
        size.extend(self.pipeline.fields[field].count.map(u64::from));
        let indices: Option<Vec<u64>> = indices.split(',').map(|index| index.parse().ok()).collect();
        let indices = indices.filter(|indices| indices.len() == size.len());
        match indices.filter(|indices| indices.iter().zip(&size).all(|(index, size)| index < size)) {
            Some(mut indices) => {
                let entry = self.pipeline.fields[field].count.and_then(|_| indices.pop());
                let strides = [1, nx, nx * ny];
                let index = indices
                    .iter()
                    .zip(strides)
                    .map(|(index, stride)| index * stride)
                    .sum();
                let only = Some(index);
                let measured = Measured {
                    field,
                    part,
                    entry: entry.map(|entry| entry as u32),
                    only,
                    within: None,
                };
                Ok(Measure::Of(measured, Reduction::Value))
            }
            None => {
                let last: Vec<String> = size.iter().map(|size| (size - 1).to_string()).collect();
                let message = format!(
                    "`{text}` is not an element of `{}`",
                    self.pipeline.fields[field].name
                );
                let help = format!("its indices are whole numbers up to [{}]", last.join(", "));
                Err(misfit(message, help))
            }
        }
    }

    fn live_count(&self, name: &str) -> Result<Measure, Misfit> {
        let sets = || (self.pipeline.resources.iter()).filter(|resource| resource.set().is_some());
        let found = sets().find(|set| set.name == name);
        match found.map(|set| (set, set.live())) {
            Some((_, Some(live))) => Ok(word(live, live::COUNT as u64)),
            Some((set, None)) => Ok(Measure::Known(set.size[0])),
            None => Err(Misfit {
                message: format!("`{name}` is not a particle set"),
                help: "count(...) requires a particle set".into(),
                written: name.into(),
                known: sets().map(|set| set.name.clone()).collect(),
            }),
        }
    }

    /// Counters are made where the repeats are.
    fn turns(&self, name: &str) -> Result<Measure, Misfit> {
        if let Some(counter) = self.pipeline.field(&turns::counter(name)) {
            return Ok(word(counter, 0));
        }
        let conditions = self.pipeline.step.iter();
        let conditions = conditions.flat_map(|entry| &self.pipeline.stages[entry.stage].conditions);
        let known: BTreeSet<&str> = conditions
            .map(|field| &*self.pipeline.fields[*field].name)
            .map(|name| turns::of_clock(name).unwrap_or(name))
            .collect();
        Err(Misfit {
            message: format!("no repeat of `step` has \"while\": \"{name}\""),
            help: "turns(...) requires a buffer that a repeat names in `while`, or the name of a repeat over `clock.left`"
                .into(),
            written: name.into(),
            known: known.into_iter().map(str::to_string).collect(),
        })
    }

    /// The time that a repeat has left.
    fn left(&self, name: &str) -> Result<Measure, Misfit> {
        if let Some(clock) = self.pipeline.field(&turns::clock_name(name)) {
            return Ok(word(clock, clock::CLOCK_LEFT.into()));
        }
        let fields = self.pipeline.fields.iter();
        let known = fields.filter_map(|field| turns::of_clock(&field.name));
        Err(Misfit {
            message: format!("`{name}` is no repeat that goes through the time of the step"),
            help: "left(...) is for repeats with \"while\": \"clock.left\"".into(),
            written: name.into(),
            known: known.map(str::to_string).collect(),
        })
    }

    fn active_blocks(&self, name: &str) -> Result<Measure, Misfit> {
        let grids = || (self.pipeline.resources.iter()).filter(|resource| resource.sparse().is_some());
        let found = grids().find(|grid| grid.name == name);
        match found.and_then(|grid| grid.sparse()) {
            Some(grid) => Ok(word(grid.fields.header, header::ACTIVE as u64)),
            None => Err(Misfit {
                message: format!("`{name}` is not a sparse grid"),
                help: "blocks(...) requires a sparse grid".into(),
                written: name.into(),
                known: grids().map(|grid| grid.name.clone()).collect(),
            }),
        }
    }
}

/// One word of a buffer of the engine's.
fn word(field: FieldId, number: u64) -> Measure {
    let measured = Measured {
        field,
        part: Part::Component(0),
        entry: None,
        only: Some(number),
        within: None,
    };
    Measure::Of(measured, Reduction::Value)
}
