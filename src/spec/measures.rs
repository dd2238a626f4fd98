//! Measures of a pipeline file: series of scalars and the watch. What they need are ordinary stages and fields of the
//! engine's, so that plans, barriers, memory and profiles know them without further rules.

use super::file::{Number, OutputEntryFile, SeriesFormatFile};
use super::resolver::Resolver;
use crate::element::Element;
use crate::ir::*;
use crate::lower::measures::SeriesPlan;
use crate::lower::watch;
use crate::problem::Problem;
use crate::problem::pointer_part;

mod expression;

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
                match self.measure(text) {
                    Ok(measure) => add(&mut plan, column, text, measure),
                    Err(misfit) => {
                        let problem = Problem::new(&pointer, misfit.message);
                        let problem = match misfit.known.as_slice() {
                            [] => problem.help(misfit.help),
                            known => problem
                                .help(misfit.help)
                                .suggest(&misfit.written, known.iter().map(String::as_str)),
                        };
                        self.problems.push(problem);
                    }
                }
                if let Some(item) = plan.items.get(items) {
                    self.filled(item.field, text, &pointer);
                }
            }
            plans.push(plan);
        }
        plans
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

/// Adds a column to a series.
fn add(plan: &mut SeriesPlan, name: &str, text: &str, measure: expression::Measure) {
    let value = match measure {
        expression::Measure::Known(value) => ColumnValue::Known(value),
        expression::Measure::Of(measured, by) => {
            // One pass over a field serves all that is asked of it.
            let known = plan.items.iter().position(|item| *item == measured);
            let item = known.unwrap_or_else(|| {
                plan.items.push(measured);
                plan.items.len() - 1
            });
            ColumnValue::Reduced { item, by }
        }
    };
    plan.columns.push(Column {
        name: name.to_string(),
        text: text.to_string(),
        value,
    });
}
