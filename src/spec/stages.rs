//! Stages: what their shaders are called with.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::arguments::MAX_ARGUMENTS;
use super::calls::At;
use super::file::{Number, Numbers, OperationFile, StageFile};
use super::kernels::{Kernel, is_of_clock};
use super::locals::{LocalField, LocalNames};
use super::names::wrong_stage_name;
use super::program::*;
use super::resolver::{Definition, Resolver, origin};
use super::scope::{LocalValue, Scope};
use crate::element::Element;
use crate::expr::{Expr, Name};
use crate::ir::{Domain, Draft, FieldId, Operation, Over, is_reducible};
use crate::lower::meaning::{Action, Births, Dispatch, What};
use crate::problem::{Place, Problem};
use crate::shader::facts::Facts;

/// Most results of a stage.
const MAX_RESULTS: usize = 8;
/// What a stage writes that sets how long an iteration is.
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
                let definition = self
                    .definition(file, name, (at, every), kernel, types)
                    .map(Rc::new);
                self.definitions.insert(key, definition.clone());
                definition?
            }
        };
        let values = self.values(&stated, &definition.draft.arguments)?;
        let what = What::Dispatch(Dispatch {
            draft: definition.draft.clone(),
            values,
            births: definition.births,
            group_count: definition.group_count,
            reduces: definition.reduces.clone(),
            has_outer_clock: false,
        });
        Some(Action {
            what,
            every,
            from: origin(&file.pointer, at.scope.instance),
        })
    }

    /// What a stage depends on besides the values of its arguments.
    fn key(&mut self, file: &'f StageFile, name: &str, at: &At<'f>, every: u32) -> String {
        let address = std::ptr::from_ref(file) as usize;
        let names = self
            .locals
            .entry(address)
            .or_insert_with(|| Rc::new(names_in(file)))
            .clone();
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
        if let Some(problem) = wrong_stage_name(last, place) {
            program.report(problem)
        }
        let names = self.local_names(file, &at.scope);
        let domain = self.domain_of_stage(file, at, facts);
        let reads = self.local_fields(&kernel.reads, &names, &at.scope);
        let writes = self.local_fields(&kernel.writes, &names, &at.scope);
        let sets_length = self.check_clock(kernel);
        let requests = self.requests(kernel, &names, at);
        self.check_local(&reads, &writes, file);
        let reduces = self.reduces(
            kernel,
            &names,
            &at.scope,
            domain.as_ref().map(|found| &found.domain),
        );
        let constants = self.constants(file, facts, &at.scope);
        let births = self.births(file, at);
        let group_count = match domain.as_ref().map(|found| found.domain.over) {
            Some(Over::CountedGroups(field)) => Some(field),
            _ => None,
        };
        let stated = domain
            .as_ref()
            .and_then(|found| self.shape((file, !reduces.is_empty()), found, facts, at));
        let (domain, stated, arguments) = (domain?, stated?, arguments?);
        if program.mistakes() > before {
            return None;
        }
        let mut draft = Draft::new(
            name,
            kernel.source(),
            domain.domain.clone(),
            at.list,
            &file.pointer,
        );
        for (of, resource) in names.calls(
            &self.pipeline,
            &reads,
            &writes,
            domain.name.as_deref(),
            &domain.domain,
        ) {
            draft.call(&of, resource);
        }
        for local in &reads {
            draft.read(&local.name, local.field);
        }
        for local in &writes {
            draft.write(&local.name, local.field);
        }
        for local in reads.iter().chain(&writes) {
            draft.belongs(&local.name, &local.of);
        }
        draft.absent = names.absent(kernel, self, &at.scope);
        draft.unordered = self.unordered(facts, &reads, &writes);
        self.check_facts(facts, &draft.absent, [&reads, &writes], file);
        draft.reaches = facts.is_text.then(|| facts.reaches.clone());
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
        if file.constants.len() > MAX_ARGUMENTS {
            let message = format!(
                "{} constants, more than the limit of {MAX_ARGUMENTS}",
                file.constants.len()
            );
            let problem = Problem::at_place(file.place.clone(), message);
            self.program.report(problem.help("pass many values in a buffer"));
        }
        let value = |number: &Number| {
            self.program
                .with(Effect::Rebuild, || self.program.number(scope, number))
        };
        let mut constants: Vec<(String, f64)> = (file.constants.good())
            .filter_map(|(name, number)| Some((name.to_string(), value(number)?)))
            .collect();
        for (constant, parameter) in &facts.constants_of {
            let tree = crate::expr::parse(parameter).ok();
            let is_known = |tree: &Expr| {
                tree.as_name()
                    .is_some_and(|name| self.program.is_known(scope, name))
            };
            if let Some(tree) = tree.filter(is_known)
                && file.constants.get(constant).is_none()
            {
                let number = Number {
                    place: file.place.clone(),
                    tree: Some(tree),
                };
                constants.extend(value(&number).map(|value| (constant.clone(), value)));
            }
        }
        constants
    }

    /// Whether a stage sets how long an iteration is; reports what else it lists of the clock.
    fn check_clock(&mut self, kernel: &Kernel) -> bool {
        for reference in kernel.reads.iter().filter(|reference| is_of_clock(reference)) {
            let name = reference.name.as_ref().map(Name::to_string).unwrap_or_default();
            let message = format!("every stage reads `{name}` without listing it");
            self.program
                .report(Problem::at_place(reference.place.clone(), message).help("leave it out"));
        }
        let mut sets = false;
        for reference in kernel.writes.iter().filter(|reference| is_of_clock(reference)) {
            let name = reference.name.as_ref().map(Name::to_string).unwrap_or_default();
            if name == CLOCK_DT {
                sets = self.sets_length(&reference.place);
            } else {
                let message = format!("stages do not write `{name}`");
                let help =
                    "a stage may write `clock.dt`, the length of an iteration; the rest follows from it";
                self.program
                    .report(Problem::at_place(reference.place.clone(), message).help(help));
            }
        }
        sets
    }

    /// Reports what a kernel states of itself in a wrong way, or of fields that the stage does not have.
    fn check_facts(&self, facts: &Facts, absent: &[String], fields: [&[LocalField]; 2], file: &StageFile) {
        self.program.check_pragmas(file, facts);
        for (name, place) in &facts.named {
            let is_there = fields
                .iter()
                .any(|fields| fields.iter().any(|local| local.name == *name))
                || absent.contains(name);
            if !is_there {
                let message = format!("the stage has no field that its kernel calls `{name}`");
                let problem = Problem::in_text(format!("{}/shader", file.pointer), place.clone(), message);
                let help = "name a field of `reads` or `writes` as its accessor does, such as `air_u`";
                self.program.report(problem.help(help));
            }
        }
    }

    /// The fields that elements read while others write them, as the kernel states.
    fn unordered(&self, facts: &Facts, reads: &[LocalField], writes: &[LocalField]) -> Vec<FieldId> {
        let both = reads
            .iter()
            .filter(|local| writes.iter().any(|other| other.field == local.field));
        both.filter(|local| facts.unordered.contains(&local.name))
            .map(|local| local.field)
            .collect()
    }

    /// How many particles a stage adds.
    fn births(&self, file: &StageFile, at: &At<'f>) -> Option<Births> {
        let (_, item) = file.emits.as_ref()?.iter().next()?;
        let number = item.value.as_ref()?;
        let program = self.program;
        if let Some(name) = number.tree.as_ref()?.as_name()
            && let Some(found) = program.noted(program.field_of(&at.scope, name, &number.place))?
        {
            let field = self.field_id(&found)?;
            let is_count =
                self.pipeline.resource_of(field).is_buffer() && self.pipeline.fields[field].is(Element::Uint);
            if !is_count {
                let problem =
                    Problem::at_place(number.place.clone(), format!("`{name}` is not a uint buffer"));
                program.report(problem.help("the number of births is the first element of a uint buffer"));
                return None;
            }
            return Some(Births::Buffer(field));
        }
        let count = program.with(Effect::Value, || {
            program.count(&at.scope, number, 0, u64::from(u32::MAX))
        });
        count.map(|count| Births::Number(count as u32))
    }

    /// The results of a stage.
    fn reduces(
        &self,
        kernel: &Kernel,
        names: &LocalNames,
        scope: &Scope,
        domain: Option<&Domain>,
    ) -> Vec<(String, Operation, FieldId)> {
        let Some((first, _)) = kernel.reduces.first() else {
            return Vec::new();
        };
        let problem = match domain.map(|domain| domain.over) {
            Some(Over::Newborn) => Some("a stage over newborn particles cannot have `reduces`"),
            Some(Over::Groups | Over::CountedGroups(_)) => {
                Some("a stage of workgroups cannot have `reduces`")
            }
            _ if kernel.reduces.len() > MAX_RESULTS => Some("a stage may have at most 8 results"),
            _ => None,
        };
        if let Some(message) = problem {
            let help = "use a stage over cells, vertices, particles or a number of elements";
            self.program
                .report(Problem::at_place(first.place.clone(), message).help(help));
            return Vec::new();
        }
        let mut results = Vec::new();
        for (reference, operation) in &kernel.reduces {
            let name = reference.name.as_ref().map(Name::to_string).unwrap_or_default();
            let Some(local) = self.local_field(reference, names, scope) else {
                continue;
            };
            let Some(into) = self.result(local.field, &name, &reference.place) else {
                continue;
            };
            if kernel.writes.iter().any(|written| {
                written
                    .name
                    .as_ref()
                    .is_some_and(|other| other.to_string() == name)
            }) {
                let problem = Problem::at_place(
                    reference.place.clone(),
                    format!("the stage both writes `{name}` and reduces to it"),
                );
                self.program
                    .report(problem.help("the engine writes the result: remove it from `writes`"));
                continue;
            }
            let operation = match operation {
                OperationFile::Sum => Operation::Sum,
                OperationFile::Min => Operation::Min,
                OperationFile::Max => Operation::Max,
                OperationFile::Count => Operation::Count,
            };
            let element = self.pipeline.fields[into].element;
            if operation == Operation::Count && element != Element::Uint {
                self.wrong_result(&name, element, Element::Uint, &reference.place);
                continue;
            }
            results.push((local.name, operation, into));
        }
        results
    }

    /// A buffer that takes a result.
    pub(super) fn result(&self, field: FieldId, name: &str, place: &Place) -> Option<FieldId> {
        let (resource, found) = (self.pipeline.resource_of(field), &self.pipeline.fields[field]);
        let is_number = is_reducible(found.element) && found.count.is_none();
        if resource.is_buffer() && resource.elements() == 1 && is_number {
            return Some(field);
        }
        let problem = Problem::at_place(
            place.clone(),
            format!("`{name}` is not a buffer of one 32-bit number or vector"),
        );
        let help = "a result requires its own buffer, such as \"buffers\": {\"dq\": {\"type\": \"float\", \"length\": 1}}";
        self.program.report(problem.help(help));
        None
    }

    pub(super) fn wrong_result(&self, name: &str, found: Element, wanted: Element, place: &Place) {
        let (found, wanted) = (found.name(), wanted.name());
        let problem = Problem::at_place(
            place.clone(),
            format!("`{name}` has type {found}, but the result has type {wanted}"),
        );
        self.program
            .report(problem.help(format!("change the type of `{name}` to {wanted}")));
    }
}

/// The first parts of the names in a stage, but for those in its arguments.
fn names_in(file: &StageFile) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut add = |name: &Name| {
        names.insert(name.parts[0].text.clone());
        let indices = name.parts.iter().flat_map(|part| part.indices.iter().flatten());
        indices.flat_map(|index| index.names()).for_each(|name| {
            names.insert(name.parts[0].text.clone());
        });
    };
    let references = file.reads.iter().chain(&file.writes).chain(&file.requests);
    let bound = file.bind.good().map(|(_, reference)| reference);
    references
        .chain(bound)
        .filter_map(|reference| reference.name.as_ref())
        .for_each(&mut add);
    let tuning = file.tuning.as_ref();
    let of_tuning = tuning
        .and_then(|tuning| tuning.workgroup.as_ref())
        .into_iter()
        .flat_map(Numbers::items);
    let single = tuning
        .into_iter()
        .flat_map(|tuning| [&tuning.cells_per_thread_z, &tuning.vector_width])
        .flatten();
    let numbers = file
        .over
        .iter()
        .chain(file.groups.iter().flat_map(Numbers::items))
        .chain(of_tuning)
        .chain(single);
    let emitted = file
        .emits
        .iter()
        .flat_map(|emits| emits.good())
        .map(|(_, number)| number);
    let numbers = numbers
        .chain(file.constants.good().map(|(_, number)| number))
        .chain(emitted);
    numbers
        .flat_map(|number| number.tree.iter())
        .flat_map(|tree| tree.names())
        .for_each(&mut add);
    names
}
