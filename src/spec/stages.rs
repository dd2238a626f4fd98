//! Stages: the fields, arguments and constants of their kernels.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::arguments::MAX_ARGUMENTS;
use super::calls::At;
use super::domains::Found;
use super::file::{Number, Numbers, Reference, StageFile};
use super::kernels::{Kernel, is_of_clock};
use super::locals::{LocalField, LocalNames};
use super::program::*;
use super::resolver::{Definition, Resolver, origin};
use super::scope::{LocalValue, Scope};
use crate::element::Element;
use crate::expr::{Expr, Kind, Name};
use crate::ir::{Alternation, Draft, FieldId, Operation, Over, is_reducible};
use crate::lower::meaning::{Action, ActionKind, Births, Dispatch};
use crate::problem::{Place, Problem};
use crate::shader::facts::Facts;

/// Maximum number of results of a stage.
const MAX_RESULTS: usize = 8;
/// The name in `writes` of a stage that sets the length of an iteration.
const CLOCK_DT: &str = "clock.dt";

impl<'f> Resolver<'_, 'f> {
    /// A call of a stage.
    pub(super) fn dispatch(
        &mut self,
        file: &'f StageFile,
        name: &str,
        kernel: &Kernel<'f>,
        at: &At<'f>,
    ) -> Option<Action> {
        let every = at.every(self.program, file.every.as_ref());
        let stated = self.stated(file, &kernel.facts, at);
        let (every, stated) = (every?, stated?);
        let key = self.key(file, name, at, every);
        let definition = match self.definitions.get(&key) {
            Some(known) => known.clone()?,
            None => {
                let types = self.types(&stated, &kernel.facts, file);
                let definition = self.definition(file, name, (at, every), kernel, types);
                let definition = definition.map(Rc::new);
                self.definitions.insert(key, definition.clone());
                definition?
            }
        };
        let values = self.values(&stated, &definition.draft.arguments)?;
        let kind = ActionKind::Dispatch(Dispatch {
            draft: definition.draft.clone(),
            values,
            sources: self.sources(&stated, &definition.draft.arguments),
            births: definition.births,
            group_count: definition.group_count,
            reduces: definition.reduces.clone(),
            has_outer_clock: false,
        });
        let from = origin(&file.pointer, at.scope.instance);
        Some(Action { kind, every, from })
    }

    /// The text of everything that a stage depends on besides the values of its arguments.
    fn key(&mut self, file: &'f StageFile, name: &str, at: &At<'f>, every: u32) -> String {
        let address = std::ptr::from_ref(file) as usize;
        let names = self.locals.entry(address);
        let names = names.or_insert_with(|| Rc::new(names_in(file))).clone();
        let mut key = format!("{address} {name} {} {every} {}", at.scope.instance, at.list.key());
        let mut seen = BTreeSet::new();
        for (name, value) in at.scope.locals() {
            let is_letter = matches!(value, LocalValue::Letter(_));
            let first = name.split('.').next().unwrap_or_default();
            if (is_letter || names.contains(first)) && seen.insert(name) {
                key += &format!(" {name}={value:?}");
            }
        }
        for given in at.defaults.iter().chain(&at.overrides) {
            key += &format!(" {}", std::ptr::from_ref(given.arguments) as usize);
        }
        key
    }

    fn definition(
        &mut self,
        file: &'f StageFile,
        name: &str,
        (at, every): (&At<'f>, u32),
        kernel: &Kernel<'f>,
        arguments: Option<Vec<(String, Element)>>,
    ) -> Option<Definition> {
        let (program, facts) = (self.program, &*kernel.facts);
        let before = program.mistakes();
        let place = file.stage.as_ref().map_or(&file.place, |text| &text.place);
        let last = name.rsplit('.').next().unwrap_or(name);
        program.check_stage_name(last, place);
        let names = self.local_names(file, &at.scope);
        let constants = self.constants(file, facts, &at.scope);
        let domain = self.domain_of_stage(file, at, facts, &constants);
        let reads = self.local_fields(&kernel.reads, &names, &at.scope);
        let listed = self.written(file, kernel, &names, &at.scope);
        let writes = self.local_fields(&listed, &names, &at.scope);
        let sets_length = self.check_clock(kernel);
        let requests = self.requests(kernel, &names, at);
        let over = domain.as_ref().map(|found| found.domain.over);
        let reduces = self.reduces(kernel, &names, &at.scope, over);
        let births = self.births(file, at);
        let group_count = match over {
            Some(Over::CountedGroups(field)) => Some(field),
            _ => None,
        };
        let shape = |found| self.shape((file, !reduces.is_empty()), found, facts, at);
        let stated = domain.as_ref().and_then(shape);
        let (reads, writes) = (reads?, writes?);
        self.check_local(&reads, &writes, file);
        let (domain, stated, arguments) = (domain?, stated?, arguments?);
        if program.mistakes() > before {
            return None;
        }
        let Found {
            domain,
            name: of_domain,
            tiles,
        } = domain;
        let calls = names.calls(&self.pipeline, &reads, &writes, of_domain.as_deref(), &domain);
        let shares = self.shared_set(file, facts, &calls, &domain);
        let mut draft = Draft::new(name, kernel.source(), domain, at.list, &file.pointer);
        for (of, resource) in calls {
            draft.name_resource(&of, resource);
        }
        for local in &reads {
            draft.read(&local.name, local.field);
        }
        for local in &writes {
            draft.write(&local.name, local.field);
        }
        for local in reads.iter().chain(&writes) {
            draft.assign(&local.name, &local.of);
        }
        draft.tiles = tiles;
        (draft.may_run_whole, draft.neighbours) = (facts.whole, facts.neighbours);
        draft.shares = shares;
        draft.adds = facts.adds.clone();
        draft.absent = names.absent(kernel, self, &at.scope);
        draft.unordered = self.unordered(facts, &reads, &writes);
        self.check_facts(facts, &draft.absent, [&reads, &writes], file);
        draft.own_numbers = facts.numbers_itself();
        draft.reaches = facts.is_text.then(|| facts.reaches.clone());
        draft.keeps = facts.keeps.clone();
        draft.alternations = self.alternations(facts, reads.iter().chain(&writes));
        draft.every = every;
        draft.requests = requests;
        draft.arguments = arguments;
        draft.constants = constants;
        draft.stated = stated;
        draft.sets_length = sets_length;
        draft.unchecked = file.tuning.as_ref().is_some_and(|tuning| tuning.unchecked);
        Some(Definition {
            draft: Rc::new(draft),
            births,
            group_count,
            reduces,
        })
    }

    fn constants(&self, file: &StageFile, facts: &Facts, scope: &Scope) -> Vec<(String, f64)> {
        let program = self.program;
        if file.constants.len() > MAX_ARGUMENTS {
            let count = file.constants.len();
            let message = format!("{count} constants, more than the limit of {MAX_ARGUMENTS}");
            program.wrong(&file.place, message, "pass many values in a buffer");
        }
        let value = |number: &Number| program.with(Effect::Rebuild, || program.number(scope, number));
        let stated = file.constants.good();
        let mut constants: Vec<(String, f64)> = stated
            .filter_map(|(name, number)| Some((name.to_string(), value(number)?)))
            .collect();
        for (constant, parameter) in &facts.constants_of {
            let name = Reference::parsed(parameter, &file.place).name;
            if let Some(name) = name.filter(|name| program.is_known(scope, name))
                && file.constants.get(constant).is_none()
            {
                let number = Number::new(&file.place, Expr::new(Kind::Name(name)));
                constants.extend(value(&number).map(|value| (constant.clone(), value)));
            }
        }
        constants
    }

    /// True if a stage writes `clock.dt`. Reports other names of the clock in its lists.
    fn check_clock(&mut self, kernel: &Kernel) -> bool {
        let program = self.program;
        for reference in kernel.reads.iter().filter(|reference| is_of_clock(reference)) {
            let message = format!("every stage can read `{}` without listing it", reference.text());
            program.wrong(&reference.place, message, "leave it out");
        }
        let mut sets = false;
        for reference in kernel.writes.iter().filter(|reference| is_of_clock(reference)) {
            let name = reference.text();
            if name == CLOCK_DT {
                sets = self.sets_length(&reference.place);
                continue;
            }
            let help =
                "a stage can only write `clock.dt`, the length of an iteration; the rest follows from it";
            program.wrong(&reference.place, format!("stages do not write `{name}`"), help);
        }
        sets
    }

    /// Reports pragmas of a kernel that are wrong or name unknown fields.
    fn check_facts(&self, facts: &Facts, absent: &[String], fields: [&[LocalField]; 2], file: &StageFile) {
        self.program.check_pragmas(file, facts);
        for (name, place) in &facts.named {
            let mut fields = fields.into_iter().flatten();
            let is_there = fields.any(|local| local.name == *name) || absent.contains(name);
            if !is_there {
                let message = format!("the stage has no field that its kernel calls `{name}`");
                let problem = Problem::in_text(format!("{}/shader", file.pointer), place.clone(), message);
                let help = "name a field of `reads` or `writes` as its accessor does, such as `air_u`";
                self.program.report(problem.help(help));
            }
        }
    }

    /// The fields that a kernel writes, without those that it writes only with an optional field that is missing.
    fn written(
        &self,
        file: &StageFile,
        kernel: &Kernel,
        names: &LocalNames,
        scope: &Scope,
    ) -> Vec<Reference> {
        let is_present = |reference: &&Reference| {
            let condition = kernel.facts.writes_with.get(&reference.text());
            let Some(condition) = condition.filter(|_| file.writes.is_empty()) else {
                return true;
            };
            let condition = Reference::parsed(condition, &reference.place);
            let found = self.looked_up(&condition, names, scope);
            found.is_some_and(|(found, ..)| found.channel.is_some())
        };
        kernel.writes.iter().filter(is_present).cloned().collect()
    }

    /// The fields that the kernel declares with `#pragma alternates`.
    fn alternations<'l>(
        &self,
        facts: &Facts,
        locals: impl Iterator<Item = &'l LocalField>,
    ) -> BTreeMap<String, Alternation> {
        let found = locals.filter(|local| facts.alternates.contains_key(&local.name));
        let stated = found.filter_map(|local| {
            let entries = self.pipeline.fields[local.field].count;
            if let Some(alternation) = facts.alternation(&local.name, entries) {
                return Some((local.name.clone(), alternation));
            }
            let place = facts.named.get(&local.name)?;
            let entries = entries.unwrap_or(1);
            let message = format!(
                "no line `#pragma offsets {entries} ...` has offsets for the {entries} entries of `{}`",
                local.name
            );
            let problem = Problem::in_text(String::new(), place.clone(), message);
            self.program
                .report(problem.help("state them in the kernel, or in a file that it includes"));
            None
        });
        stated.collect()
    }

    /// The fields that the kernel declares with `#pragma unordered`.
    fn unordered(&self, facts: &Facts, reads: &[LocalField], writes: &[LocalField]) -> Vec<FieldId> {
        let is_written = |field: FieldId| writes.iter().any(|local| local.field == field);
        let is_stated = |local: &&LocalField| facts.unordered.contains(&local.name);
        let both = reads.iter().filter(is_stated).map(|local| local.field);
        both.filter(|field| is_written(*field)).collect()
    }

    /// The number of particles that a stage adds.
    fn births(&self, file: &StageFile, at: &At<'f>) -> Option<Births> {
        let (_, item) = file.emits.as_ref()?.iter().next()?;
        let number = item.value.as_ref()?;
        let program = self.program;
        if let Some(name) = number.tree.as_ref()?.as_name()
            && let Some(found) = program.field_of(&at.scope, name, &number.place)?
        {
            let field = self.field_id(&found)?;
            let is_buffer = self.pipeline.resource_of(field).is_buffer();
            if !is_buffer || !self.pipeline.fields[field].is(Element::Uint) {
                let message = format!("`{name}` is not a uint buffer");
                let help = "the number of births is the first element of a uint buffer";
                return program.refuse(&number.place, message, help);
            }
            return Some(Births::Buffer(field));
        }
        let most = u64::from(u32::MAX);
        let count = program.with(Effect::Value, || program.count(&at.scope, number, 0, most));
        count.map(|count| Births::Number(count as u32))
    }

    /// The results of a stage.
    fn reduces(
        &self,
        kernel: &Kernel,
        names: &LocalNames,
        scope: &Scope,
        over: Option<Over>,
    ) -> Vec<(String, Operation, FieldId)> {
        let program = self.program;
        let Some((first, _)) = kernel.reduces.first() else {
            return Vec::new();
        };
        let message = match over {
            Some(Over::Newborn) => "a stage over newborn particles cannot have `reduces`",
            Some(Over::Groups | Over::CountedGroups(_)) => "a stage of workgroups cannot have `reduces`",
            _ if kernel.reduces.len() > MAX_RESULTS => "a stage may have at most 8 results",
            _ => {
                let result = |(reference, operation): &(Reference, Operation)| {
                    let (local, into) = self.reduced(kernel, names, scope, reference, *operation)?;
                    Some((local, *operation, into))
                };
                return kernel.reduces.iter().filter_map(result).collect();
            }
        };
        let help = "use a stage over cells, vertices, particles or a number of elements";
        program.wrong(&first.place, message, help);
        Vec::new()
    }

    /// The local name of a result, and its buffer.
    fn reduced(
        &self,
        kernel: &Kernel,
        names: &LocalNames,
        scope: &Scope,
        reference: &Reference,
        operation: Operation,
    ) -> Option<(String, FieldId)> {
        let (name, place) = (reference.text(), &reference.place);
        let local = self.local_field(reference, names, scope)?;
        let into = self.result(local.field, &name, place)?;
        if kernel.writes.iter().any(|written| written.text() == name) {
            let message = format!("the stage both writes `{name}` and reduces to it");
            let help = "the engine writes the result: remove it from `writes`";
            return self.program.refuse(place, message, help);
        }
        if operation == Operation::Count {
            self.has_type(into, Element::Uint, &name, place)?;
        }
        Some((local.name, into))
    }

    /// A buffer that can receive a result.
    pub(super) fn result(&self, field: FieldId, name: &str, place: &Place) -> Option<FieldId> {
        let (resource, found) = (self.pipeline.resource_of(field), &self.pipeline.fields[field]);
        let is_number = is_reducible(found.element) && found.count.is_none();
        if resource.is_buffer() && resource.elements() == 1 && is_number {
            return Some(field);
        }
        let message = format!("`{name}` is not a buffer of one 32-bit number or vector");
        let help = "a result requires its own buffer, such as \"buffers\": {\"dq\": {\"type\": \"float\", \"length\": 1}}";
        self.program.refuse(place, message, help)
    }

    /// Reports a field whose type is not the type of its result.
    pub(super) fn has_type(&self, field: FieldId, wanted: Element, name: &str, place: &Place) -> Option<()> {
        let found = self.pipeline.fields[field].element;
        if found == wanted {
            return Some(());
        }
        let (found, wanted) = (found.name(), wanted.name());
        let message = format!("`{name}` has type {found}, but the result has type {wanted}");
        let help = format!("change the type of `{name}` to {wanted}");
        self.program.refuse(place, message, help)
    }
}

/// The first parts of the names in a stage, except for names in its arguments.
fn names_in(file: &StageFile) -> BTreeSet<String> {
    let references = file.reads.iter().chain(&file.writes).chain(&file.requests);
    let references = references.chain(file.bind.good().map(|(_, reference)| reference));
    let tuning = file.tuning.as_ref();
    let workgroup = tuning.and_then(|tuning| tuning.workgroup.as_ref());
    let single = tuning.map(|tuning| [&tuning.cells_per_thread_z, &tuning.vector_width]);
    let named = file
        .constants
        .good()
        .chain(file.emits.iter().flat_map(|emits| emits.good()));
    let numbers = [file.groups.as_ref(), workgroup].into_iter().flatten();
    let numbers = numbers.flat_map(Numbers::items).chain(&file.over);
    let numbers = numbers.chain(single.into_iter().flatten().flatten());
    let numbers = numbers.chain(named.map(|(_, number)| number));
    let trees = numbers.filter_map(|number| number.tree.as_ref());
    let names = references.filter_map(|reference| reference.name.as_ref());
    let all = names
        .flat_map(Name::with_indices)
        .chain(trees.flat_map(Expr::names));
    all.map(|name| name.parts[0].text.clone()).collect()
}
