//! Operations of the engine in lists: what they do to which fields.

use super::calls::At;
use super::file::{Number, Numbers, Reference, RemoveFile, SetFile, SortFile, SwapFile, UpdateFile};
use super::program::*;
use super::resolver::Resolver;
use crate::element::Element;
use crate::expr::{Expr, Kind};
use crate::ir::{FieldId, Home, Operation, is_reducible};
use crate::lower::meaning::Bits;
use crate::lower::meaning::What;
use crate::particles::live::MOST_PARTICLES;
use crate::problem::{Place, Problem};

impl<'f> Resolver<'_, 'f> {
    /// An assignment: a value, a field, or what a function computes.
    pub(super) fn set(&mut self, file: &'f SetFile, at: &At<'f>) -> Option<What> {
        let into = self.field(&at.scope, &file.set);
        if let Numbers::One(Number {
            tree: Some(tree),
            place,
        }) = &file.to
        {
            match &tree.kind {
                Kind::Call(function, arguments) => {
                    if let Some(what) = self.computed(file, at, into, (function, arguments, tree, place)) {
                        return what;
                    }
                }
                Kind::Name(name) => {
                    if let Some(found) = self
                        .program
                        .noted(self.program.field_of(&at.scope, name, place))?
                    {
                        let names = [(name.to_string(), place), (file.set.text(), &file.set.place)];
                        let from = self.field_id(&found)?;
                        let pair = self.pair([from, into?], names, "copied")?;
                        return Some(What::Copy(pair));
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
            self.program
                .report(Problem::at_place(file.set.place.clone(), message).help(help));
            return None;
        }
        let value = self.program.with(Effect::Value, || {
            self.program.bytes(&at.scope, &file.to, found.element)
        })?;
        Some(What::Fill { field, value })
    }

    /// What a function of a field computes; `None` if it is one of numbers.
    #[allow(clippy::type_complexity, reason = "the parts of a call")]
    fn computed(
        &mut self,
        file: &'f SetFile,
        at: &At<'f>,
        into: Option<FieldId>,
        (function, arguments, tree, place): (&str, &[Expr], &Expr, &Place),
    ) -> Option<Option<What>> {
        if let Some(transform) = super::transforms::transform_of(function) {
            return Some(self.transform(file, at, transform, (arguments, tree, place)));
        }
        let operation = match function {
            "sum" => Some(Operation::Sum),
            "min" => Some(Operation::Min),
            "max" => Some(Operation::Max),
            "count" => Some(Operation::Count),
            "scan" => None,
            _ => return None,
        };
        // With two values, `min` and `max` are functions of numbers.
        let [argument] = arguments else { return None };
        let field = argument.as_name().map(|name| {
            let part = place.part(&argument.range);
            self.field(
                &at.scope,
                &Reference {
                    place: part,
                    name: Some(name.clone()),
                },
            )
        });
        Some(match (field, operation) {
            (Some(field), Some(operation)) => self.reduce(file, field?, into?, operation, (argument, place)),
            (Some(field), None) => self.scan(file, field?, into?, (argument, place)),
            (None, _) => {
                let problem = Problem::at_place(
                    place.part(&argument.range),
                    format!("`{argument}` is not a field"),
                );
                self.program
                    .report(problem.help(format!("write {function}(...) of the name of a field")));
                None
            }
        })
    }

    fn reduce(
        &self,
        file: &SetFile,
        field: FieldId,
        result: FieldId,
        operation: Operation,
        (argument, place): (&Expr, &Place),
    ) -> Option<What> {
        let name = file.set.text();
        let into = self.result(result, &name, &file.set.place)?;
        let found = &self.pipeline.fields[field];
        let is_wrong = found.count.is_some() || !is_reducible(found.element);
        if is_wrong || operation == Operation::Count && found.element.components() > 1 {
            let message = format!(
                "`{argument}` has type {}, which `{}` does not support",
                found.type_name(),
                operation.name()
            );
            let problem = Problem::at_place(place.part(&argument.range), message);
            self.program
                .report(problem.help("name a field of 32-bit numbers, or use a stage with \"reduces\""));
            return None;
        }
        let (has, wanted) = (
            self.pipeline.fields[into].element,
            operation.result(found.element),
        );
        if has != wanted {
            self.wrong_result(&name, has, wanted, &file.set.place);
            return None;
        }
        if field == into {
            let problem = Problem::at_place(
                file.set.place.clone(),
                format!("`{name}` cannot be reduced to itself"),
            );
            self.program.report(problem.help("name another buffer"));
            return None;
        }
        Some(What::Reduce {
            field,
            operation,
            into,
        })
    }

    fn scan(
        &self,
        file: &SetFile,
        from: FieldId,
        into: FieldId,
        (argument, place): (&Expr, &Place),
    ) -> Option<What> {
        let is_good = |field: FieldId, name: &str, place: &Place| {
            let is_good =
                self.pipeline.resource_of(field).is_buffer() && self.pipeline.fields[field].is(Element::Uint);
            if !is_good {
                let problem = Problem::at_place(place.clone(), format!("`{name}` is not a uint buffer"));
                self.program
                    .report(problem.help("name one of the `buffers` whose type is uint"));
            }
            is_good
        };
        let name = file.set.text();
        let part = place.part(&argument.range);
        let are_good = [
            is_good(from, &argument.to_string(), &part),
            is_good(into, &name, &file.set.place),
        ];
        if are_good != [true; 2] {
            return None;
        }
        let [length, room] = [from, into].map(|field| self.pipeline.resource_of(field).size[0]);
        let (place, message, help) = if length > MOST_PARTICLES {
            (
                part,
                format!("{length} elements exceed the limit of scans, {MOST_PARTICLES}"),
                "split the buffer",
            )
        } else if room < length {
            let help = "make it as long as the other buffer, or one element longer for the total";
            (
                file.set.place.clone(),
                format!("`{name}` has {room} elements, but there are {length} sums"),
                help,
            )
        } else {
            return Some(What::Scan([from, into]));
        };
        self.program.report(Problem::at_place(place, message).help(help));
        None
    }

    pub(super) fn swap(&mut self, file: &'f SwapFile, at: &At<'f>) -> Option<What> {
        if self.is_in_frames(at.list, &file.place, "the list `frame` cannot swap fields") {
            return None;
        }
        let [a, b] = &file.swap[..] else {
            let problem = Problem::at_place(
                file.place.clone(),
                format!("a swap exchanges two fields, not {}", file.swap.len()),
            );
            self.program.report(problem.help("write [\"a\", \"b\"]"));
            return None;
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
                self.program
                    .report(Problem::at_place(reference.place.clone(), message).help(help));
                return None;
            }
        }
        Some(What::Swap(pair))
    }

    /// Two different fields of the same type and size, in memory of their own.
    fn pair(&self, pair: [FieldId; 2], names: [(String, &Place); 2], done: &str) -> Option<[FieldId; 2]> {
        let pipeline = &self.pipeline;
        let [(first, _), (second, place)] = &names;
        let described = |field: FieldId| {
            format!(
                "{} of type {}",
                pipeline.elements_of(field),
                pipeline.fields[field].type_name()
            )
        };
        let set = |field: FieldId| {
            pipeline
                .resource_of(field)
                .set()
                .map(|_| pipeline.fields[field].resource)
        };
        let elsewhere = pair
            .iter()
            .zip(&names)
            .find(|(field, _)| pipeline.fields[**field].home != Home::Device);
        let [a, b] = pair;
        let is_alike = pipeline.fields[a].type_name() == pipeline.fields[b].type_name()
            && pipeline.size_of(a) == pipeline.size_of(b);
        let (place, message, help) = if a == b {
            (
                *place,
                format!("`{first}` cannot be {done} with itself"),
                "name two different fields".to_string(),
            )
        } else if let Some((_, (name, place))) = elsewhere {
            let message = format!("`{name}` cannot be {done}: it is a channel of a sparse grid");
            (
                *place,
                message,
                "use a stage over the grid that copies the values".to_string(),
            )
        } else if !is_alike {
            let message = format!("`{first}` has {}, `{second}` {}", described(a), described(b));
            (
                *place,
                message,
                format!("fields that are {done} must have the same type and size"),
            )
        } else if set(a) != set(b) && done == "swapped" {
            let message = format!("`{first}` and `{second}` do not belong to the same particles");
            (*place, message, "swap attributes of one set".to_string())
        } else {
            return Some(pair);
        };
        self.program
            .report(Problem::at_place(place.clone(), message).help(help));
        None
    }

    pub(super) fn update(&mut self, file: &'f UpdateFile, at: &At<'f>) -> Option<What> {
        let place = &file.update_grid.place;
        if self.is_in_frames(at.list, place, "the list `frame` cannot update grids") {
            return None;
        }
        let grid = self.sparse_grid(&at.scope, &file.update_grid)?;
        if self.is_conditional() {
            let message =
                "a repeat with `while` cannot contain updates of sparse grids, which involve the host";
            self.program.report(
                Problem::at_place(place.clone(), message).help("move `update_grid` out of the repeat"),
            );
            return None;
        }
        Some(What::Update(grid))
    }

    pub(super) fn remove(&mut self, file: &'f RemoveFile, at: &At<'f>) -> Option<What> {
        if self.is_in_frames(
            at.list,
            &file.remove.place,
            "the list `frame` cannot remove particles",
        ) {
            return None;
        }
        let set = self.dynamic_set(&at.scope, &file.remove)?;
        let marked = self.attribute(&at.scope, set, &file.marked)?;
        Some(What::Remove { set, marked })
    }

    pub(super) fn sort(&mut self, file: &'f SortFile, at: &At<'f>) -> Option<What> {
        let place = &file.sort.place;
        if self.is_in_frames(at.list, place, "the list `frame` cannot sort particles") {
            return None;
        }
        let set = self.resource(&at.scope, &file.sort)?;
        let resource = &self.pipeline.resources[set];
        if resource.set().is_none() {
            let sets = self
                .pipeline
                .resources
                .iter()
                .filter(|resource| resource.set().is_some());
            let name = file.sort.text();
            let problem = Problem::at_place(place.clone(), format!("`{name}` is not a particle set"));
            let problem = problem
                .help("name a set of `particles`")
                .suggest(&name, sets.map(|set| set.name.as_str()));
            self.program.report(problem);
            return None;
        }
        let count = resource.size[0];
        if count > MOST_PARTICLES {
            let message = format!("{count} particles exceed the limit of sorts, {MOST_PARTICLES}");
            self.program
                .report(Problem::at_place(place.clone(), message).help("split the set"));
        }
        let by = self.attribute(&at.scope, set, &file.by);
        let bits = self.program.with(Effect::Rebuild, || self.key_bits(file, at));
        let offsets = match &file.offsets {
            Some(reference) => Some(self.uint_buffer(&at.scope, reference)?),
            None => None,
        };
        Some(What::Sort {
            set,
            by: by?,
            bits: bits?,
            offsets,
        })
    }

    fn key_bits(&self, file: &SortFile, at: &At<'f>) -> Option<Bits> {
        let Some(bits) = &file.bits else {
            return Some(Bits { first: 0, count: 32 });
        };
        let values = self.program.numbers(&at.scope, bits)?;
        let place = |number: usize| bits.items().get(number).map_or(bits.place(), |item| &item.place);
        let (first, count) = match values[..] {
            [count] => (0, (count, place(0))),
            [first, count] => (
                self.program.whole(first, place(0), 0, 31)? as u32,
                (count, place(1)),
            ),
            _ => {
                let problem = Problem::at_place(
                    bits.place().clone(),
                    format!("`bits` has {} numbers", values.len()),
                );
                self.program
                    .report(problem.help("write the number of bits, or [first bit, number of bits]"));
                return None;
            }
        };
        let count = self.program.whole(count.0, count.1, 1, u64::from(32 - first))?;
        Some(Bits {
            first,
            count: count as u32,
        })
    }
}
