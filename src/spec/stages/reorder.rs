//! Entries that remove, sort and scan.

use super::super::file::{Number, RemoveFile, ScanFile, SortFile};
use super::Unroller;
use crate::element::Element;
use crate::ir::*;
use crate::lower::reorder::Reorder;
use crate::lower::scan;
use crate::lower::sort::Bits;
use crate::particles::live::MOST_PARTICLES;
use crate::problem::Problem;

impl Unroller<'_, '_> {
    pub(super) fn remove(
        &mut self,
        file: &RemoveFile,
        pointer: &str,
        depth: usize,
        into: &mut Vec<Invocation>,
    ) {
        if self.is_in_frames(pointer, "the list `frame` cannot remove particles") {
            return;
        }
        let set = self.dynamic_set(&file.remove, &format!("{pointer}/remove"));
        let every = self.every(file.every.as_ref(), pointer);
        let Some(set) = set else { return };
        let marked = self.attribute(set, &file.marked, &format!("{pointer}/where"));
        let (Some(marked), Some(every)) = (marked, every) else {
            return;
        };
        let direct = self.moved_on(set, every, depth, into);
        let ids = self.engine_stages(pointer, "removal", set, every, |resolver, entry| {
            let reorder = Reorder {
                pipeline: &mut resolver.pipeline,
                shared: &mut resolver.shared,
                set,
                direct,
                entry,
            };
            reorder.removal(marked)
        });
        into.extend(ids.into_iter().map(Invocation::without_arguments));
    }

    pub(super) fn sort(&mut self, file: &SortFile, pointer: &str, depth: usize, into: &mut Vec<Invocation>) {
        if self.is_in_frames(pointer, "the list `frame` cannot sort particles") {
            return;
        }
        let resources = &self.resolver.pipeline.resources;
        let is_set = |id: &ResourceId| resources[*id].set().is_some();
        let found = (0..resources.len()).find(|id| is_set(id) && resources[*id].name == file.sort);
        let Some(set) = found else {
            let sets = (0..resources.len()).filter(is_set).map(|id| &*resources[id].name);
            let message = format!("`{}` is not a particle set", file.sort);
            let problem = Problem::new(format!("{pointer}/sort"), message)
                .help("name a set of `particles`")
                .suggest(&file.sort, sets);
            return self.resolver.problems.push(problem);
        };
        let count = resources[set].size[0];
        if count > MOST_PARTICLES {
            let message = format!("{count} particles exceed the limit of sorts, {MOST_PARTICLES}");
            let problem = Problem::new(format!("{pointer}/sort"), message);
            self.resolver.problems.push(problem.help("split the set"));
        }
        let key = self.attribute(set, &file.by, &format!("{pointer}/by"));
        let bits = self.key_bits(file, pointer);
        let every = self.every(file.every.as_ref(), pointer);
        let offsets = match &file.offsets {
            Some(name) => match self.uint_buffer(name, &format!("{pointer}/offsets")) {
                Some(buffer) => Some(buffer),
                None => return,
            },
            None => None,
        };
        let (Some(key), Some(bits), Some(every)) = (key, bits, every) else {
            return;
        };
        let direct = self.moved_on(set, every, depth, into);
        let ids = self.engine_stages(pointer, "sort", set, every, |resolver, entry| {
            let reorder = Reorder {
                pipeline: &mut resolver.pipeline,
                shared: &mut resolver.shared,
                set,
                direct,
                entry,
            };
            reorder.sort(key, bits, offsets)
        });
        into.extend(ids.into_iter().map(Invocation::without_arguments));
    }

    pub(super) fn scan(&mut self, file: &ScanFile, pointer: &str, into: &mut Vec<Invocation>) {
        let from = self.uint_buffer(&file.scan, &format!("{pointer}/scan"));
        let target = self.uint_buffer(&file.into, &format!("{pointer}/into"));
        let every = self.every(file.every.as_ref(), pointer);
        let (Some(from), Some(target), Some(every)) = (from, target, every) else {
            return;
        };
        let resolver = &mut *self.resolver;
        let [length, room] = [from, target].map(|field| resolver.pipeline.resource_of(field).size[0]);
        if length > MOST_PARTICLES {
            let message = format!("{length} elements exceed the limit of scans, {MOST_PARTICLES}");
            let problem = Problem::new(format!("{pointer}/scan"), message);
            return resolver.problems.push(problem.help("split the buffer"));
        }
        if room < length {
            let message = format!("`{}` has {room} elements, but there are {length} sums", file.into);
            let problem = Problem::new(format!("{pointer}/into"), message);
            return resolver.problems.push(
                problem.help("make it as long as the other buffer, or one element longer for the total"),
            );
        }
        let resource = resolver.pipeline.fields[from].resource;
        let ids = self.engine_stages(pointer, "scan", resource, every, |resolver, entry| {
            scan::scan(
                &mut resolver.pipeline,
                &mut resolver.shared,
                [from, target],
                entry,
            )
        });
        into.extend(ids.into_iter().map(Invocation::without_arguments));
    }

    /// A uint attribute of a set.
    fn attribute(&mut self, set: ResourceId, name: &str, pointer: &str) -> Option<FieldId> {
        let resolver = &mut *self.resolver;
        let field = resolver.field_id(name, pointer)?;
        let found = &resolver.pipeline.fields[field];
        if found.resource == set && found.is(Element::Uint) {
            return Some(field);
        }
        let message = format!(
            "`{name}` is not a uint attribute of `{}`",
            resolver.pipeline.resources[set].name
        );
        let problem = Problem::new(pointer, message);
        resolver
            .problems
            .push(problem.help("name an attribute of the set whose type is uint"));
        None
    }

    pub(super) fn uint_buffer(&mut self, name: &str, pointer: &str) -> Option<FieldId> {
        let resolver = &mut *self.resolver;
        let field = resolver.field_id(name, pointer)?;
        let is_buffer = resolver.pipeline.resource_of(field).is_buffer();
        if is_buffer && resolver.pipeline.fields[field].is(Element::Uint) {
            return Some(field);
        }
        let problem = Problem::new(pointer, format!("`{name}` is not a uint buffer"));
        resolver
            .problems
            .push(problem.help("name one of the `buffers` whose type is uint"));
        None
    }

    fn key_bits(&mut self, file: &SortFile, pointer: &str) -> Option<Bits> {
        let zero = Number::Value(0.0);
        let first = file.first_bit.as_ref().unwrap_or(&zero);
        let first = self
            .resolver
            .count(first, &format!("{pointer}/first_bit"), 0, 31)? as u32;
        let rest = Number::Value(f64::from(32 - first));
        let bits = file.bits.as_ref().unwrap_or(&rest);
        let count = self
            .resolver
            .count(bits, &format!("{pointer}/bits"), 1, u64::from(32 - first))?;
        Some(Bits {
            first,
            count: count as u32,
        })
    }

    /// The attributes of a set whose rings an entry moves on: it may write their other copy at once.
    fn moved_on(&self, set: ResourceId, every: u32, depth: usize, earlier: &[Invocation]) -> Vec<FieldId> {
        if every != 1 || depth != 0 || self.list != List::Step {
            return Vec::new();
        }
        let pipeline = &self.resolver.pipeline;
        let fields = &pipeline.fields;
        let moved = |field: &FieldId| {
            earlier
                .iter()
                .any(|entry| pipeline.stages[entry.stage].moves_on(*field))
        };
        (0..fields.len())
            .filter(|field| fields[*field].resource == set && fields[*field].ring > 1 && !moved(field))
            .collect()
    }
}
