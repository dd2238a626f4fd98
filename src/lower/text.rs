//! The meaning of a pipeline as text, after any pass.

use std::fmt::Write;

use super::meaning::{Action, ActionKind, Births, Dispatch, Loop, Meaning};
use crate::ir::{Domain, FieldId, Over, Pipeline};

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
        let entry = action.kind.text(&self.pipeline);
        line!(text, depth, "{entry}{every}  {}", action.from.pointer);
        // Iterations differ in values alone.
        if let ActionKind::Loop(inner) = &action.kind
            && let Some(first) = inner.iterations.first()
        {
            self.actions(first, depth + 1, text);
        }
    }
}

impl Dispatch {
    pub(super) fn text(&self, pipeline: &Pipeline) -> String {
        let draft = &self.draft;
        let name = |field: FieldId| pipeline.fields[field].name.as_str();
        let mut text = format!(
            "{:<22} over {}",
            draft.name,
            text_of_domain(&draft.domain, pipeline)
        );
        let list = |fields: Vec<FieldId>| fields.into_iter().map(name).collect::<Vec<_>>().join(" ");
        let (reads, writes) = (list(draft.reads().collect()), list(draft.writes().collect()));
        for (word, names) in [("reads", reads), ("writes", writes)] {
            if !names.is_empty() {
                let _ = write!(text, "  {word} {names}");
            }
        }
        for (reduced, operation, into) in &self.reduces {
            let _ = write!(text, "  {}({reduced}) to {}", operation.name(), name(*into));
        }
        match self.births {
            Some(Births::Number(count)) => drop(write!(text, "  adds {count}")),
            Some(Births::Buffer(field)) => drop(write!(text, "  adds {}[0]", name(field))),
            None => {}
        }
        text
    }
}

impl Loop {
    pub(super) fn text(&self) -> String {
        format!(
            "repeat {} while {}, at most {}",
            self.name,
            self.condition,
            self.iterations.len()
        )
    }
}

fn text_of_domain(domain: &Domain, pipeline: &Pipeline) -> String {
    let [x, y, z] = domain.size;
    let of = domain
        .resource
        .map_or("a count", |resource| &pipeline.resources[resource].name);
    match domain.over {
        Over::Groups => format!("{x} x {y} x {z} workgroups"),
        Over::CountedGroups(field) => format!("workgroups from {}", pipeline.fields[field].name),
        Over::Live => format!("the live {of}"),
        Over::Newborn => format!("newborn {of}"),
        Over::ActiveCells => format!("the active cells of {of}"),
        Over::ActiveBlocks => format!("the active blocks of {of}"),
        Over::SubBlocks => format!("the sub-blocks of {of}"),
        _ => format!("{of} ({x} x {y} x {z})"),
    }
}
