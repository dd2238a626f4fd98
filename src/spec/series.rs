//! Series: values that expressions compute from fields.

use super::file::{FormatFile, Number, OutputFile};
use super::resolver::Resolver;
use super::scope::Scope;
use crate::expr::{Expr, Failure, Formula, Kind, Meaning, Operator};
use crate::ir::{Column, FieldId, Measured, MeasuredPart, Reduction, SeriesFormat, Term};
use crate::lower::meaning::{Meaning as Lists, SeriesPlan};
use crate::problem::Place;

mod counts;
mod operands;

pub(super) use operands::component_of;

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

/// The meaning of a term in an expression of a series.
enum Measure {
    Known(u64),
    Of(Measured, Reduction),
}

/// One number of a field.
fn measured(field: FieldId, part: MeasuredPart) -> Measured {
    Measured {
        field,
        part,
        is_squared: false,
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
            let (operand, is_squared) = match &argument.kind {
                Kind::Binary(Operator::Power, sides) if sides[1].kind == Kind::Number(2.0) => {
                    (&sides[0], true)
                }
                _ => (argument, false),
            };
            let (operand, is_length) = match &operand.kind {
                Kind::Call(inner, of) if inner == "length" && of.len() == 1 => (&of[0], true),
                _ => (operand, false),
            };
            let measured = self.reduction_of(operand, is_length, function, place)?;
            return Ok(Measure::Of(
                Measured {
                    is_squared,
                    ..measured
                },
                *reduction,
            ));
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
}
