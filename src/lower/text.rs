//! The meaning of a pipeline as text, after any pass.

use std::fmt::Write;

use super::meaning::{Action, ActionKind, Births, Dispatch, Loop, Meaning};
use crate::element::shown;
use crate::ir::{Domain, FieldId, Over};

/// Lines are appended to a `String`, which cannot fail.
macro_rules! line {
    ($text:expr, $depth:expr, $($arguments:tt)*) => {
        let _ = writeln!($text, "{}{}", "  ".repeat($depth), format_args!($($arguments)*));
    };
}

impl Meaning {
    /// The lists with their entries, each with its JSON pointer.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (list, actions) in &self.lists {
            line!(text, 0, "{}", list.key());
            self.actions(actions, 1, &mut text);
            // The entries that have become stages.
            for entry in list.entries(&self.pipeline) {
                line!(text, 1, "{}", self.pipeline.stages[entry.stage].name);
            }
        }
        text
    }

    fn actions(&self, actions: &[Action], depth: usize, text: &mut String) {
        let mut rows: Vec<(String, usize)> = Vec::new();
        for action in actions {
            let mut row = String::new();
            self.action(action, depth, &mut row);
            match rows.last_mut() {
                Some((known, times)) if *known == row => *times += 1,
                _ => rows.push((row, 1)),
            }
        }
        for (row, times) in rows {
            let times = if times > 1 {
                format!("  x {times}\n")
            } else {
                "\n".into()
            };
            text.push_str(row.trim_end());
            text.push_str(&times);
        }
    }

    fn action(&self, action: &Action, depth: usize, text: &mut String) {
        let every = match action.every {
            1 => String::new(),
            every => format!("  every {every}"),
        };
        let entry = match &action.kind {
            ActionKind::Loop(inner) => {
                line!(text, depth, "{}{every}  {}", loop_of(inner), action.from.pointer);
                // Iterations differ in values alone.
                if let Some(first) = inner.iterations.first() {
                    self.actions(first, depth + 1, text);
                }
                return;
            }
            ActionKind::Dispatch(dispatch) => self.dispatch(dispatch),
            ActionKind::Fill { field, value } => {
                let element = self.pipeline.fields[*field].element;
                let numbers: Vec<String> = element.scalar().numbers(value).map(shown).collect();
                format!("set {} to {}", self.name(*field), numbers.join(", "))
            }
            ActionKind::Copy([from, into]) => format!("set {} to {}", self.name(*into), self.name(*from)),
            ActionKind::Swap([a, b]) => format!("swap {} and {}", self.name(*a), self.name(*b)),
            ActionKind::Reduce {
                field,
                operation,
                into,
            } => {
                format!(
                    "set {} to {}({})",
                    self.name(*into),
                    operation.name(),
                    self.name(*field)
                )
            }
            ActionKind::Scan([from, into]) => {
                format!("set {} to scan({})", self.name(*into), self.name(*from))
            }
            ActionKind::Transform(transform) => {
                let axes: String = transform.axes.iter().map(|axis| ["x", "y", "z"][*axis]).collect();
                let inverse = if transform.inverse { "inverse " } else { "" };
                let (source, target) = (self.name(transform.source), self.name(transform.target));
                format!("set {target} to the {inverse}transform of {source} along {axes}")
            }
            ActionKind::Update(grid) => format!("update {}", self.pipeline.resources[*grid].name),
            ActionKind::Remove { set, marked } => {
                format!(
                    "remove from {} where {}",
                    self.pipeline.resources[*set].name,
                    self.name(*marked)
                )
            }
            ActionKind::Sort {
                set,
                by,
                bits,
                offsets,
            } => {
                let offsets = offsets
                    .map(|field| format!(", offsets {}", self.name(field)))
                    .unwrap_or_default();
                let (set, last) = (&self.pipeline.resources[*set].name, bits.first + bits.count);
                format!(
                    "sort {set} by {}, bits {} to {last}{offsets}",
                    self.name(*by),
                    bits.first
                )
            }
        };
        line!(text, depth, "{entry}{every}  {}", action.from.pointer);
    }

    fn dispatch(&self, dispatch: &Dispatch) -> String {
        let draft = &dispatch.draft;
        let mut text = format!("{:<22} over {}", draft.name, self.domain(&draft.domain));
        let list = |fields: Vec<FieldId>| {
            fields
                .into_iter()
                .map(|field| self.name(field))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let (reads, writes) = (list(draft.reads().collect()), list(draft.writes().collect()));
        for (word, names) in [("reads", reads), ("writes", writes)] {
            if !names.is_empty() {
                let _ = write!(text, "  {word} {names}");
            }
        }
        for (name, operation, into) in &dispatch.reduces {
            let _ = write!(text, "  {}({name}) to {}", operation.name(), self.name(*into));
        }
        match dispatch.births {
            Some(Births::Number(count)) => drop(write!(text, "  adds {count}")),
            Some(Births::Buffer(field)) => drop(write!(text, "  adds {}[0]", self.name(field))),
            None => {}
        }
        text
    }

    fn domain(&self, domain: &Domain) -> String {
        let [x, y, z] = domain.size;
        let of = domain
            .resource
            .map_or("a count", |resource| &self.pipeline.resources[resource].name);
        match domain.over {
            Over::Groups => format!("{x} x {y} x {z} workgroups"),
            Over::CountedGroups(field) => format!("workgroups from {}", self.name(field)),
            Over::Live => format!("the live {of}"),
            Over::Newborn => format!("newborn {of}"),
            Over::ActiveCells => format!("the active cells of {of}"),
            Over::ActiveBlocks => format!("the active blocks of {of}"),
            Over::SubBlocks => format!("the sub-blocks of {of}"),
            _ => format!("{of} ({x} x {y} x {z})"),
        }
    }

    fn name(&self, field: FieldId) -> &str {
        &self.pipeline.fields[field].name
    }
}

fn loop_of(inner: &Loop) -> String {
    format!(
        "repeat {} while {}, at most {}",
        inner.name,
        inner.condition,
        inner.iterations.len()
    )
}
