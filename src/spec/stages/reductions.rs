//! Reductions: of what the elements of a stage give, and of fields.

use super::super::file::{OperationFile, ReduceFile, StageFile};
use super::Unroller;
use crate::element::Element;
use crate::ir::*;
use crate::lower::reductions::{Reduced, reduce};
use crate::problem::{Problem, pointer_part};

/// Most results of a stage.
const MOST_RESULTS: usize = 8;

impl Unroller<'_, '_> {
    /// The results of a stage, each with the field that takes the values of its elements.
    pub(super) fn reduces(
        &mut self,
        file: &StageFile,
        domain: &Domain,
        pointer: &str,
    ) -> Vec<(String, Operation, Element, FieldId)> {
        let mut reduces = Vec::new();
        if file.reduces.is_empty() {
            return reduces;
        }
        let at = format!("{pointer}/reduces");
        let problem = match domain.over {
            Over::Newborn => Some("a stage over newborn particles cannot have `reduces`"),
            Over::Groups | Over::CountedGroups(_) => Some("a stage with `groups` cannot have `reduces`"),
            _ if file.reduces.len() > MOST_RESULTS => Some("a stage may have at most 8 results"),
            _ => None,
        };
        if let Some(message) = problem {
            let help = "use a stage over cells, vertices, particles or a number of elements";
            self.resolver.problems.push(Problem::new(at, message).help(help));
            return reduces;
        }
        for (number, (name, with)) in file.reduces.iter().enumerate() {
            let at = format!("{at}/{}", pointer_part(name));
            let meant = file.bind.get(name).unwrap_or(name);
            let Some(into) = self.result(meant, &at) else {
                continue;
            };
            if file.writes.contains(name) {
                let problem = Problem::new(&at, format!("the stage both writes `{name}` and reduces to it"));
                self.resolver
                    .problems
                    .push(problem.help("the engine writes the result: remove it from `writes`"));
                continue;
            }
            let element = self.resolver.pipeline.fields[into].element;
            if *with == OperationFile::Count && element != Element::Uint {
                self.wrong_result(name, element, Element::Uint, &at);
                continue;
            }
            let values = self.values(domain, element, number);
            reduces.push((name.clone(), with.operation(), element, values));
        }
        reduces
    }

    /// The field that takes the values of a stage's elements for its n-th result. Stages of a list share it: it is used up
    /// when the next one runs.
    fn values(&mut self, domain: &Domain, element: Element, number: usize) -> FieldId {
        let resolver = &mut *self.resolver;
        let words = elements(&resolver.pipeline, domain).saturating_mul(u64::from(element.components()));
        let name = values_name(self.list, number);
        resolver.shared.get(&mut resolver.pipeline, name, words)
    }

    /// What follows a stage with results: their partial results, then the results.
    pub(super) fn finish_reductions(
        &mut self,
        file: &StageFile,
        id: StageId,
        pointer: &str,
        into: &mut Vec<Invocation>,
    ) {
        let mut last = Vec::new();
        for (number, (name, with)) in file.reduces.iter().enumerate() {
            let pipeline = &self.resolver.pipeline;
            let stage = &pipeline.stages[id];
            let meant = file.bind.get(name).unwrap_or(name);
            let Some(result) = self.resolver.field_ids.get(meant).copied() else {
                continue;
            };
            let element = pipeline.fields[result].element;
            let wanted = values_name(self.list, number);
            let is_values = |field: &FieldId| pipeline.fields[*field].name == wanted;
            let Some(values) = stage.writes().iter().copied().find(is_values) else {
                continue;
            };
            let over = stage.domain.over;
            let within = stage
                .domain
                .resource
                .filter(|_| over != Over::Elements)
                .map(|resource| (resource, over));
            let reduced = Reduced {
                field: values,
                element,
                within,
                elements: elements(pipeline, &stage.domain),
                operation: match with.operation() {
                    // Elements have given 0 or 1, or how often they counted.
                    Operation::Count => Operation::Sum,
                    other => other,
                },
                into: result,
            };
            let every = stage.every;
            let at = format!("{pointer}/reduces/{}", pointer_part(name));
            let stages = self.reduction(reduced, number, every, &at);
            let (first, rest) = stages.split_at(stages.len().min(1));
            into.extend(first.iter().copied().map(Invocation::without_arguments));
            last.extend(rest.iter().copied().map(Invocation::without_arguments));
        }
        into.extend(last);
    }

    /// A reduction of a field that is there.
    pub(super) fn reduce(&mut self, file: &ReduceFile, pointer: &str, into: &mut Vec<Invocation>) {
        let field = self.resolver.field_id(&file.reduce, &format!("{pointer}/reduce"));
        let at = format!("{pointer}/into");
        let result = self.result(&file.into, &at);
        let every = self.every(file.every.as_ref(), pointer);
        let (Some(field), Some(result), Some(every)) = (field, result, every) else {
            return;
        };
        let pipeline = &self.resolver.pipeline;
        let operation = file.with.operation();
        let (element, found) = (pipeline.fields[field].element, pipeline.fields[result].element);
        let is_array = pipeline.fields[field].count.is_some();
        let wrong = is_array || !is_reducible(element);
        if wrong || (operation == Operation::Count && element.components() > 1) {
            let found = pipeline.fields[field].type_name();
            let message = format!(
                "`{}` has type {found}, which `{}` does not support",
                file.reduce,
                operation.name()
            );
            let problem = Problem::new(format!("{pointer}/reduce"), message);
            let help = "name a field of 32-bit numbers, or use a stage with \"reduces\"";
            return self.resolver.problems.push(problem.help(help));
        }
        let wanted = operation.result(element);
        if found != wanted {
            return self.wrong_result(&file.into, found, wanted, &at);
        }
        if field == result {
            let problem = Problem::new(at, format!("`{}` cannot be reduced to itself", file.into));
            return self.resolver.problems.push(problem.help("name another buffer"));
        }
        let elements = most_elements(pipeline.resource_of(field));
        let reduced = Reduced {
            field,
            element,
            within: None,
            elements,
            operation,
            into: result,
        };
        let stages = self.reduction(reduced, 0, every, pointer);
        into.extend(stages.into_iter().map(Invocation::without_arguments));
    }

    fn reduction(&mut self, reduced: Reduced, number: usize, every: u32, pointer: &str) -> Vec<StageId> {
        let resource = self.resolver.pipeline.fields[reduced.into].resource;
        let partials = format!("sg_{}_partials_{number}", self.list.key());
        self.engine_stages(pointer, "reduction", resource, every, |resolver, entry| {
            let (pipeline, shared) = (&mut resolver.pipeline, &mut resolver.shared);
            let partials = |pipeline: &mut Pipeline, words| shared.get(pipeline, partials, words);
            reduce(pipeline, reduced, partials, entry)
        })
    }

    /// A buffer that takes a result.
    fn result(&mut self, name: &str, pointer: &str) -> Option<FieldId> {
        let field = self.resolver.field_id(name, pointer)?;
        let pipeline = &self.resolver.pipeline;
        let resource = pipeline.resource_of(field);
        let (element, count) = (pipeline.fields[field].element, pipeline.fields[field].count);
        let is_number = is_reducible(element) && count.is_none();
        if resource.is_buffer() && resource.elements() == 1 && is_number {
            return Some(field);
        }
        let problem = Problem::new(
            pointer,
            format!("`{name}` is not a buffer of one 32-bit number or vector"),
        );
        let help = "a result requires its own buffer, such as \"buffers\": {\"dq\": {\"type\": \"float\", \
                    \"length\": 1}}";
        self.resolver.problems.push(problem.help(help));
        None
    }

    fn wrong_result(&mut self, name: &str, found: Element, wanted: Element, pointer: &str) {
        let (found, wanted) = (found.name(), wanted.name());
        let message = format!("`{name}` has type {found}, but the result has type {wanted}");
        let problem = Problem::new(pointer, message);
        self.resolver
            .problems
            .push(problem.help(format!("change the type of `{name}` to {wanted}")));
    }
}

fn values_name(list: List, number: usize) -> String {
    format!("sg_{}_values_{number}", list.key())
}

/// The most elements of a domain.
fn elements(pipeline: &Pipeline, domain: &Domain) -> u64 {
    let resource = domain.resource.map(|id| &pipeline.resources[id]);
    let grid = resource.and_then(|resource| resource.sparse());
    match (domain.over, resource, grid) {
        (Over::ActiveCells, Some(resource), _) => most_elements(resource),
        (Over::ActiveBlocks, _, Some(grid)) => grid.most_blocks,
        (Over::SubBlocks, _, Some(grid)) => grid.most_blocks * u64::from(grid.layout.sub_blocks()),
        _ => domain.size.iter().product(),
    }
}
