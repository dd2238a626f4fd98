//! Entries about two whole fields: copies and swaps.

use super::Unroller;
use super::binding::LocalName;
use crate::ir::*;
use crate::lower::fill;
use crate::problem::Problem;
use crate::spec::file::{CopyFile, SwapFile};

impl Unroller<'_, '_> {
    pub(super) fn copy(&mut self, file: &CopyFile, pointer: &str, into: &mut Vec<Invocation>) {
        let every = self.every(file.every.as_ref(), pointer);
        let names = [(&*file.copy, "/copy"), (&*file.to, "/to")];
        let Some([from, to]) = self.pair(names, pointer, "copied") else {
            return;
        };
        let Some(every) = every else { return };
        self.check_writes(&[LocalName::own(&self.resolver.pipeline, to)], pointer);
        let resource = self.resolver.pipeline.fields[to].resource;
        let ids = self.engine_stages(pointer, "copy", resource, every, |resolver, entry| {
            vec![fill::copy(&resolver.pipeline, [from, to], entry)]
        });
        let words: Vec<_> = fill::words_of_level(&self.resolver.pipeline, to)
            .into_iter()
            .collect();
        into.extend((ids.into_iter()).map(|stage| Invocation::new(stage, words.clone())));
    }

    pub(super) fn swap(&mut self, file: &SwapFile, pointer: &str) {
        if self.is_in_frames(pointer, "the list `frame` cannot swap fields") {
            return;
        }
        let names = [(&*file.swap[0], "/swap/0"), (&*file.swap[1], "/swap/1")];
        let Some(pair) = self.pair(names, pointer, "swapped") else {
            return;
        };
        let problems = &mut self.resolver.problems;
        let pipeline = &self.resolver.pipeline;
        for (field, (name, at)) in pair.into_iter().zip(names) {
            let live = |resource: &Resource| resource.live() == Some(field);
            let (message, help) = if pipeline.resources.iter().any(live) {
                (
                    format!("`{name}` is managed by the engine"),
                    "swap fields of your own".to_string(),
                )
            } else if pipeline.fields[field].ring > 1 {
                let set = &pipeline.resource_of(field).name;
                (
                    format!("`{name}` has a ring of {} copies", pipeline.fields[field].ring),
                    format!("give `{set}` a \"ring\" of 1, or write `{name}` in place"),
                )
            } else {
                continue;
            };
            return problems.push(Problem::new(format!("{pointer}{at}"), message).help(help));
        }
        self.swaps.push(pair);
    }

    /// Two different fields of the same type and size, in memory of their own.
    fn pair(&mut self, names: [(&str, &str); 2], pointer: &str, done: &str) -> Option<[FieldId; 2]> {
        let [a, b] = names.map(|(name, at)| self.resolver.field_id(name, &format!("{pointer}{at}")));
        let pair @ [a, b] = [a?, b?];
        let pipeline = &self.resolver.pipeline;
        let second = format!("{pointer}{}", names[1].1);
        let [(first_name, _), (second_name, _)] = names;
        let described = |field: FieldId| {
            let elements: u64 = pipeline.size_of(field).iter().product();
            format!("{elements} of type {}", pipeline.fields[field].type_name())
        };
        let size = |field: FieldId| pipeline.size_of(field);
        let set = |field: FieldId| {
            pipeline
                .resource_of(field)
                .set()
                .map(|_| pipeline.fields[field].resource)
        };
        let elsewhere = pair
            .into_iter()
            .zip(names)
            .find(|(field, _)| pipeline.fields[*field].home != Home::Device);
        let problem = if a == b {
            Problem::new(second, format!("`{first_name}` cannot be {done} with itself"))
                .help("name two different fields")
        } else if let Some((_, (name, at))) = elsewhere {
            Problem::new(
                format!("{pointer}{at}"),
                format!("`{name}` cannot be {done}: it is a channel of a sparse grid"),
            )
            .help("use a stage over the grid that copies the values")
        } else if pipeline.fields[a].type_name() != pipeline.fields[b].type_name() || size(a) != size(b) {
            let message = format!(
                "`{first_name}` has {}, `{second_name}` {}",
                described(a),
                described(b)
            );
            Problem::new(second, message)
                .help(format!("fields that are {done} must have the same type and size"))
        } else if set(a) != set(b) && done == "swapped" {
            Problem::new(
                second,
                format!("`{first_name}` and `{second_name}` do not belong to the same particles"),
            )
            .help("swap attributes of one set")
        } else {
            return Some(pair);
        };
        self.resolver.problems.push(problem);
        None
    }
}
