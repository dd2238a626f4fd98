//! Measures of a pipeline file: series of scalars and the watch. What they need are ordinary stages and fields of the
//! engine's, so that plans, barriers, memory and profiles know them without further rules.

use std::ops::Range;

use super::file::{Number, OutputEntryFile, SeriesFormatFile};
use super::resolver::Resolver;
use crate::element::Element;
use crate::expr::Formula;
use crate::ir::*;
use crate::lower::measures::SeriesPlan;
use crate::lower::watch;
use crate::problem::Problem;
use crate::problem::pointer_part;
use crate::spec::scope::Failure;

mod expression;
mod terms;

use expression::{Measure, Misfit};

/// Most values of a line.
const MOST_VALUES: usize = 256;

impl Resolver<'_> {
    /// The series among the outputs.
    pub(super) fn series(&mut self) -> Vec<SeriesPlan> {
        let mut plans = Vec::new();
        for (name, output) in &self.file.outputs {
            let OutputEntryFile::Series(series) = output else {
                continue;
            };
            let pointer = format!("/outputs/{}", pointer_part(name));
            self.output_name(name, &pointer);
            let one = Number::Value(1.0);
            let every = series.every.as_ref().unwrap_or(&one);
            let every = self.count(every, &format!("{pointer}/every"), 1, u64::from(u32::MAX));
            let mut plan = SeriesPlan {
                name: name.clone(),
                format: match series.format {
                    SeriesFormatFile::Csv => SeriesFormat::Csv,
                    SeriesFormatFile::Jsonl => SeriesFormat::JsonLines,
                },
                every: every.unwrap_or(1) as u32,
                columns: Vec::new(),
                items: Vec::new(),
                pointer: pointer.clone(),
            };
            if series.values.is_empty() || series.values.len() > MOST_VALUES {
                let message = format!(
                    "a line has 1 to {MOST_VALUES} values, not {}",
                    series.values.len()
                );
                self.problems
                    .push(Problem::new(format!("{pointer}/values"), message).help(
                        "for example {\"snow\": \"sum(ground.snow)\"}; use several outputs for more values",
                    ));
                continue;
            }
            for (column, text) in &series.values {
                let pointer = format!("{pointer}/values/{}", pointer_part(column));
                self.column_name(column, &pointer);
                let items = plan.items.len();
                match self.series_column(&mut plan.items, column, text, &pointer) {
                    Ok(column) => plan.columns.push(column),
                    Err(problem) => self.problems.list.extend(problem),
                }
                for item in &plan.items[items..] {
                    self.filled(item.field, text, &pointer);
                }
            }
            plans.push(plan);
        }
        plans
    }

    /// A value of a line: one measure, or an expression of several.
    fn series_column(
        &self,
        items: &mut Vec<Measured>,
        name: &str,
        text: &str,
        pointer: &str,
    ) -> Result<Column, Failure> {
        let problem = |misfit: Misfit| {
            let problem = Problem::new(pointer, misfit.message).help(misfit.help);
            let known = misfit.known.iter().map(String::as_str);
            Some(match misfit.known.is_empty() {
                true => problem,
                false => problem.suggest(&misfit.written, known),
            })
        };
        let column = |terms: Vec<Term>, formula: Option<Formula>| Column {
            name: name.to_string(),
            terms,
            formula: formula.map(Box::new),
        };
        let places = terms::terms(text);
        let is_alone = |place: &Range<usize>| text[place.clone()].len() == text.trim().len();
        if places.is_empty() || places.iter().any(is_alone) {
            let measure = self.measure(text).map_err(problem)?;
            return Ok(column(vec![term(items, measure)], None));
        }
        // Names of the file never start with sg_.
        let names: Vec<String> = (0..places.len()).map(|number| format!("sg_{number}_")).collect();
        let (mut rewritten, mut end) = (String::new(), 0);
        for (place, name) in places.iter().zip(&names) {
            rewritten += &text[end..place.start];
            rewritten += name;
            end = place.end;
        }
        rewritten += &text[end..];
        let as_written = |mut problem: Problem| {
            for (place, name) in places.iter().zip(&names) {
                problem.message = problem.message.replace(name, &text[place.clone()]);
            }
            problem
        };
        let variables: Vec<&str> = names.iter().map(String::as_str).collect();
        let formula = self.scope.formula(&rewritten, &variables, pointer);
        let formula = formula.map_err(|problem| problem.map(as_written))?;
        let measures = places.iter().map(|place| self.measure(&text[place.clone()]));
        let measures: Vec<Measure> = measures.collect::<Result<_, _>>().map_err(problem)?;
        let terms = measures.into_iter().map(|measure| term(items, measure)).collect();
        Ok(column(terms, Some(formula)))
    }

    fn column_name(&mut self, name: &str, pointer: &str) {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || !name.chars().all(plain) {
            let problem = Problem::on_key(pointer, format!("`{name}` is not a valid name of a value"));
            self.problems
                .push(problem.help("use letters, digits, `-` and `_`"));
        } else if ["frame", "step", "time"].contains(&name) {
            let problem = Problem::on_key(pointer, format!("every line already contains `{name}`"));
            self.problems.push(problem.help("choose another name"));
        }
    }

    /// Reports a field that nothing fills.
    fn filled(&mut self, field: FieldId, text: &str, pointer: &str) {
        let pipeline = &self.pipeline;
        let of_engine = !matches!(pipeline.fields[field].home, Home::Device | Home::Pages);
        let lists = [&pipeline.init, &pipeline.step, &pipeline.frame];
        let mut entries = lists.into_iter().flatten();
        let written = entries.any(|entry| pipeline.stages[entry.stage].writes().contains(&field));
        if !written && !of_engine && !pipeline.fields[field].given {
            let message = format!("`{text}`: nothing writes `{}`", pipeline.fields[field].name);
            self.problems
                .push(Problem::new(pointer, message).help("list it in the `writes` of a stage"));
        }
    }

    /// Bounds of a field's values.
    pub(super) fn bounds(
        &mut self,
        bounds: Option<&[Number; 2]>,
        element: Element,
        pointer: &str,
    ) -> Option<[f64; 2]> {
        let [least, greatest] = bounds?;
        let least = self.number(least, &format!("{pointer}/0"));
        let greatest = self.number(greatest, &format!("{pointer}/1"));
        let bounds = [least?, greatest?];
        let (message, help) = match bounds {
            _ if !element.is_measurable() => (
                format!("values of type {} cannot be watched", element.name()),
                "remove `bounds`, or use int or uint",
            ),
            _ if element == Element::Rgba8 => (
                "values of type rgba8 are always colours from 0 to 1".to_string(),
                "remove `bounds`",
            ),
            [least, greatest] if least > greatest => (
                format!("there is no value between {least} and {greatest}"),
                "write the smaller bound first",
            ),
            _ if bounds
                .iter()
                .any(|bound| element.component_bits(*bound).is_none()) =>
            {
                (
                    format!(
                        "{} and {} are not values of type {}",
                        bounds[0],
                        bounds[1],
                        element.name()
                    ),
                    match element.scalar().is_float() {
                        true => "write numbers in the range of the type",
                        false => "write whole numbers in the range of the type",
                    },
                )
            }
            _ => return Some(bounds),
        };
        self.problems.push(Problem::new(pointer, message).help(help));
        None
    }

    /// The rhythm of the watch and the fields it looks at.
    pub(super) fn watch(&mut self) -> Option<(u32, Vec<FieldId>)> {
        let watch = self.file.watch.as_ref()?;
        let every = self.count(&watch.every, "/watch/every", 1, 1 << 30)?;
        let mut fields = Vec::new();
        match &watch.fields {
            Some(names) => {
                for (i, name) in names.iter().enumerate() {
                    let pointer = format!("/watch/fields/{i}");
                    fields.extend(
                        self.watched_field(name, &pointer)
                            .filter(|id| !fields.contains(id)),
                    );
                }
            }
            None => fields = watch::written(&self.pipeline),
        }
        if fields.is_empty() && self.stages_known && watch.fields.as_ref().is_none_or(Vec::is_empty) {
            let problem = Problem::new("/watch", "there is nothing to watch: steps do not write floats");
            self.problems
                .push(problem.help("list `fields`, add `bounds` to channels, or remove `watch`"));
        }
        Some((every as u32, fields))
    }

    fn watched_field(&mut self, name: &str, pointer: &str) -> Option<FieldId> {
        let mut name = name.to_string();
        if !self.settle(&mut name, pointer) {
            return None;
        }
        let id = self.field_id(&name, pointer)?;
        let field = &self.pipeline.fields[id];
        let (message, help) = match field.element {
            Element::Rgba8 => (
                format!("`{name}` contains colours, which are never out of bounds"),
                "watch the fields that they are computed from".to_string(),
            ),
            element if !element.is_measurable() => (
                format!(
                    "`{name}` contains values of type {}, which cannot be watched",
                    element.name()
                ),
                "watch fields of 32 bits".to_string(),
            ),
            element if !element.scalar().is_float() && field.bounds.is_none() => (
                format!(
                    "`{name}` has no bounds, so every {} in it is valid",
                    element.name()
                ),
                format!(
                    "add bounds, such as {{\"type\": \"{}\", \"bounds\": [0, 9]}}",
                    element.name()
                ),
            ),
            _ => return Some(id),
        };
        self.problems.push(Problem::new(pointer, message).help(help));
        None
    }
}

/// The term of a measure. One pass over a field serves all that is asked of it.
fn term(items: &mut Vec<Measured>, measure: Measure) -> Term {
    match measure {
        Measure::Known(value) => Term::Known(value),
        Measure::Of(measured, by) => {
            let known = items.iter().position(|item| *item == measured);
            let item = known.unwrap_or_else(|| {
                items.push(measured);
                items.len() - 1
            });
            Term::Reduced { item, by }
        }
    }
}
