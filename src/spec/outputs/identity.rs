//! Which particle is which: sorts and removals move particles, but an output with a `stride` takes the same ones in
//! every frame.

use serde_json::Value;

use super::super::file::{Number, OutputEntryFile};
use super::super::resolver::Resolver;
use crate::element::words;
use crate::ir::*;
use crate::particles::live;

/// Entries that move the particles of the set that they name.
const MOVES: [&str; 2] = ["sort", "remove"];

impl Resolver<'_> {
    /// Gives a set whose particles move an attribute with their numbers, if an output takes every n-th of them. The
    /// entries that move the other attributes move it too.
    pub(in crate::spec) fn identify(&mut self, set: ResourceId, ring: u32) {
        let name = self.pipeline.resources[set].name.clone();
        let document = &self.pipeline.document;
        if !self.is_thinned(&name) || !["init", "step"].iter().any(|list| moves(&document[*list], &name)) {
            return;
        }
        let Ok(number) = self.scope.formula("i", &VARIABLES, "") else {
            return;
        };
        // It is not among the known names: stages and outputs of the file cannot name it.
        let field = self.pipeline.add_field(Field {
            ring,
            start: Start::Formula(vec![Component::Formula(Box::new(number))]),
            ..Field::words(format!("{name}.sg_identity"), set)
        });
        self.fields_known += 1;
        let live = self.pipeline.resources[set].live();
        let next = live.map(|live| {
            let count = match &self.pipeline.fields[live].start {
                Start::Values(bytes) => words(bytes).get(live::COUNT).copied(),
                _ => None,
            };
            let next = self.pipeline.add_words(&format!("sg_{name}_next"), 1);
            self.pipeline.fields[next].start = Start::words(&[count.unwrap_or(0)]);
            next
        });
        self.take_in("particles");
        if let Kind::Set(found) = &mut self.pipeline.resources[set].kind {
            found.identity = Some(Identity { field, next });
        }
    }

    /// Whether an output has some of the particles of a set.
    fn is_thinned(&self, set: &str) -> bool {
        self.file.outputs.values().any(|output| {
            let OutputEntryFile::Fields(output) = output else {
                return false;
            };
            let rest = output.source.strip_prefix(set);
            let is_of_set = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            is_of_set && !matches!(output.stride, None | Some(Number::Value(1.0)))
        })
    }
}

/// Whether a list, or a repeat in it, moves the particles of a set.
fn moves(entries: &Value, set: &str) -> bool {
    match entries {
        Value::Array(entries) => entries.iter().any(|entry| moves(entry, set)),
        Value::Object(entry) => {
            let is_set = |key: &&str| entry.get(*key).and_then(Value::as_str) == Some(set);
            MOVES.iter().any(is_set) || entry.values().any(|value| moves(value, set))
        }
        _ => false,
    }
}
