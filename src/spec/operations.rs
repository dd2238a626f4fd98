//! Operations of the engine in lists, on the fields that they access.

use super::calls::At;
use super::file::{Numbers, OperationFile, Reference, RemoveFile, SetFile, SwapFile, UpdateFile};
use super::program::*;
use super::resolver::{Resolver, origin};
use crate::element::Element;
use crate::expr::{Expr, Kind};
use crate::ir::{FieldId, Home, Operation, is_reducible};
use crate::lower::meaning::{Action, ActionKind};
use crate::particles::live::MAX_PARTICLES;
use crate::problem::Place;

impl<'f> Resolver<'_, 'f> {
    pub(super) fn operation(&mut self, operation: &'f OperationFile, at: &At<'f>) -> Option<Action> {
        let every = at.every(self.program, None);
        let (kind, pointer) = match operation {
            OperationFile::Set(file) => (self.set(file, at), &file.pointer),
            OperationFile::Swap(file) => (self.swap(file, at), &file.pointer),
            OperationFile::Update(file) => (self.update(file, at), &file.pointer),
            OperationFile::Remove(file) => (self.remove(file, at), &file.pointer),
            OperationFile::Sort(file) => (self.sort(file, at), &file.pointer),
        };
        Some(Action {
            kind: kind?,
            every: every?,
            from: origin(pointer, at.scope.instance),
        })
    }

    /// An assignment of a value, a field, or the result of a function.
    fn set(&mut self, file: &'f SetFile, at: &At<'f>) -> Option<ActionKind> {
        let into = self.field(&at.scope, &file.set);
        if let Numbers::One(number) = &file.to
            && let Some(tree) = &number.tree
        {
            let place = &number.place;
            match &tree.kind {
                Kind::Call(function, arguments) => {
                    if let Some(what) = self.computed(file, at, into, (function, arguments, tree, place)) {
                        return what;
                    }
                }
                Kind::Name(name) => {
                    if let Some(found) = self.program.field_of(&at.scope, name, place)? {
                        let names = [(name.to_string(), place), (file.set.text(), &file.set.place)];
                        let from = self.field_id(&found)?;
                        let pair = self.pair([from, into?], names, "copied")?;
                        return Some(ActionKind::Copy(pair));
                    }
                }
                _ => {}
            }
        }
        let field = into?;
        let found = &self.pipeline.fields[field];
        if found.home != Home::Device {
            let message = format!(
                "`{}` cannot be set: it is a channel of a sparse grid",
                file.set.text()
            );
            let help = "set a channel of a dense grid, an attribute or a buffer; new blocks of sparse grids start with the \
                        background";
            return self.program.refuse(&file.set.place, message, help);
        }
        let value = self.program.with(Effect::Value, || {
            self.program.bytes(&at.scope, &file.to, found.element)
        })?;
        Some(ActionKind::Fill { field, value })
    }

    /// The action of a function of a field; `None` for a function of numbers.
    #[allow(clippy::type_complexity, reason = "the parts of a call")]
    fn computed(
        &mut self,
        file: &'f SetFile,
        at: &At<'f>,
        into: Option<FieldId>,
        (function, arguments, tree, place): (&str, &[Expr], &Expr, &Place),
    ) -> Option<Option<ActionKind>> {
        if let Some(transform) = super::transforms::transform_of(function) {
            return Some(self.transform(file, at, transform, (arguments, tree, place)));
        }
        let operation = Operation::WORDS.iter().find(|(word, _)| *word == function);
        if operation.is_none() && function != "scan" {
            return None;
        }
        // With two values, `min` and `max` are functions of numbers.
        let [argument] = arguments else { return None };
        let part = place.part(&argument.range);
        let Some(name) = argument.as_name() else {
            let message = format!("`{argument}` is not a field");
            let help = format!("write the name of a field: {function}(<field>)");
            return Some(self.program.refuse(&part, message, help));
        };
        let read = Reference {
            place: part,
            name: Some(name.clone()),
        };
        let fields = self.field(&at.scope, &read).zip(into);
        Some(fields.and_then(|(field, into)| match operation {
            Some((_, operation)) => self.reduce(field, into, *operation, [&read, &file.set]),
            None => self.scan([field, into], [&read, &file.set]),
        }))
    }

    fn reduce(
        &self,
        field: FieldId,
        result: FieldId,
        operation: Operation,
        [read, set]: [&Reference; 2],
    ) -> Option<ActionKind> {
        let (program, name) = (self.program, set.text());
        let into = self.result(result, &name, &set.place)?;
        let found = &self.pipeline.fields[field];
        let is_wrong = found.count.is_some() || !is_reducible(found.element);
        if is_wrong || operation == Operation::Count && found.element.components() > 1 {
            let (read_name, kind) = (read.text(), found.type_name());
            let message = format!(
                "`{read_name}` has type {kind}, which `{}` does not support",
                operation.name()
            );
            let help = "name a field of 32-bit numbers, or use a stage with \"reduces\"";
            return program.refuse(&read.place, message, help);
        }
        self.has_type(into, operation.result(found.element), &name, &set.place)?;
        if field == into {
            let message = format!("`{name}` cannot be reduced to itself");
            return program.refuse(&set.place, message, "name another buffer");
        }
        Some(ActionKind::Reduce {
            field,
            operation,
            into,
        })
    }

    fn scan(&self, pair: [FieldId; 2], names: [&Reference; 2]) -> Option<ActionKind> {
        let (program, [read, set]) = (self.program, names);
        let is_good = |(field, named): (FieldId, &Reference)| {
            let is_buffer = self.pipeline.resource_of(field).is_buffer();
            let is_good = is_buffer && self.pipeline.fields[field].is(Element::Uint);
            if !is_good {
                let message = format!("`{}` is not a uint buffer", named.text());
                program.wrong(
                    &named.place,
                    message,
                    "name one of the `buffers` whose type is uint",
                );
            }
            is_good
        };
        if [(pair[0], read), (pair[1], set)].map(is_good) != [true; 2] {
            return None;
        }
        let [length, room] = pair.map(|field| self.pipeline.resource_of(field).size[0]);
        if length > MAX_PARTICLES {
            let message = format!("{length} elements exceed the limit of scans, {MAX_PARTICLES}");
            return program.refuse(&read.place, message, "split the buffer");
        }
        if room < length {
            let message = format!(
                "`{}` has {room} elements, but there are {length} sums",
                set.text()
            );
            let help = "make it as long as the other buffer, or one element longer to store the total";
            return program.refuse(&set.place, message, help);
        }
        Some(ActionKind::Scan(pair))
    }

    fn swap(&mut self, file: &'f SwapFile, at: &At<'f>) -> Option<ActionKind> {
        self.not_in_frames(at.list, &file.place, "the list `frame` cannot swap fields")?;
        let [a, b] = &file.swap[..] else {
            let message = format!("a swap exchanges two fields, not {}", file.swap.len());
            return self.program.refuse(&file.place, message, "write [\"a\", \"b\"]");
        };
        let [first, second] = [a, b].map(|reference| self.field(&at.scope, reference));
        let names = [a, b].map(|reference| (reference.text(), &reference.place));
        let pair = self.pair([first?, second?], names, "swapped")?;
        for (field, reference) in pair.into_iter().zip([a, b]) {
            let name = reference.text();
            let ring = self.pipeline.fields[field].ring;
            if ring > 1 {
                let set = &self.pipeline.resource_of(field).name;
                let message = format!("`{name}` has a ring of {ring} copies");
                let help = format!("give `{set}` a \"ring\" of 1, or write `{name}` in place");
                return self.program.refuse(&reference.place, message, help);
            }
        }
        Some(ActionKind::Swap(pair))
    }

    /// Two different fields of the same type and size, in memory of their own.
    fn pair(&self, pair: [FieldId; 2], names: [(String, &Place); 2], done: &str) -> Option<[FieldId; 2]> {
        let (pipeline, program) = (&self.pipeline, self.program);
        let [(first, _), (second, place)] = &names;
        let [a, b] = pair;
        if a == b {
            let message = format!("`{first}` cannot be {done} with itself");
            return program.refuse(place, message, "name two different fields");
        }
        let mut named = pair.iter().zip(&names);
        let elsewhere = named.find(|(field, _)| pipeline.fields[**field].home != Home::Device);
        if let Some((_, (name, place))) = elsewhere {
            let message = format!("`{name}` cannot be {done}: it is a channel of a sparse grid");
            return program.refuse(place, message, "use a stage over the grid that copies the values");
        }
        let types = pair.map(|field| pipeline.fields[field].type_name());
        if types[0] != types[1] || pipeline.size_of(a) != pipeline.size_of(b) {
            let [a, b] = pair.map(|field| pipeline.elements_of(field));
            let [type_a, type_b] = types;
            let message = format!("`{first}` has {a} of type {type_a}, `{second}` {b} of type {type_b}");
            let help = format!("fields that are {done} must have the same type and size");
            return program.refuse(place, message, help);
        }
        let set = |field: FieldId| {
            let set = pipeline.resource_of(field).set();
            set.map(|_| pipeline.fields[field].resource)
        };
        if set(a) != set(b) && done == "swapped" {
            let message = format!("`{first}` and `{second}` do not belong to the same particles");
            return program.refuse(place, message, "swap attributes of one set");
        }
        Some(pair)
    }

    fn update(&mut self, file: &'f UpdateFile, at: &At<'f>) -> Option<ActionKind> {
        let place = &file.update_grid.place;
        self.not_in_frames(at.list, place, "the list `frame` cannot update grids")?;
        let grid = self.sparse_grid(&at.scope, &file.update_grid)?;
        if self.is_conditional() {
            let message =
                "a repeat with `while` cannot contain updates of sparse grids, because they need the host";
            return self
                .program
                .refuse(place, message, "move `update_grid` out of the repeat");
        }
        Some(ActionKind::Update(grid))
    }

    fn remove(&mut self, file: &'f RemoveFile, at: &At<'f>) -> Option<ActionKind> {
        let message = "the list `frame` cannot remove particles";
        self.not_in_frames(at.list, &file.remove.place, message)?;
        let set = self.dynamic_set(&at.scope, &file.remove)?;
        let marked = self.attribute(&at.scope, set, &file.marked)?;
        Some(ActionKind::Remove { set, marked })
    }
}
