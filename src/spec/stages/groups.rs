//! Stages of workgroups whose number stands in a buffer.

use super::super::file::{Number, Numbers, StageFile};
use super::Unroller;
use crate::ir::*;
use crate::lower::group_counts;
use crate::problem::Problem;

impl Unroller<'_, '_> {
    /// The resource that `groups` names, if it names one.
    pub(super) fn group_buffer(&self, groups: &Numbers) -> Option<ResourceId> {
        let Numbers::One(Number::Expression(name)) = groups else {
            return None;
        };
        let mut resources = self.resolver.pipeline.resources.iter();
        resources.position(|resource| resource.name == *name)
    }

    /// The stage that counts the workgroups of one whose `groups` names a buffer.
    pub(super) fn count_groups(&mut self, file: &StageFile, pointer: &str, into: &mut Vec<Invocation>) {
        let Some(resource) = file.groups.as_ref().and_then(|groups| self.group_buffer(groups)) else {
            return;
        };
        let at = format!("{pointer}/groups");
        let pipeline = &self.resolver.pipeline;
        let is_buffer = pipeline.resources[resource].is_buffer();
        let asked = pipeline
            .fields
            .iter()
            .position(|field| field.resource == resource);
        let found = asked.filter(|_| is_buffer).and_then(|asked| {
            let field = &pipeline.fields[asked];
            let axes = group_counts::axes(field.element).filter(|_| field.count.is_none())?;
            Some((asked, axes))
        });
        let Some((asked, axes)) = found else {
            let message = format!(
                "`{}` is no buffer of type uint or uvec3",
                pipeline.resources[resource].name
            );
            let help = "a number of groups stands in the first element of a buffer of type uint, or numbers along three \
                        axes in one of type uvec3";
            return self.resolver.problems.push(Problem::new(at, message).help(help));
        };
        let Some(every) = self.every(file.every.as_ref(), pointer) else {
            return;
        };
        let mut counted = None;
        let ids = self.engine_stages(&at, "count", resource, every, |resolver, entry| {
            let (counts, stage) = group_counts::count(&mut resolver.pipeline, asked, entry);
            counted = Some(counts);
            vec![stage]
        });
        if let Some(counts) = counted {
            self.group_counts.insert(pointer.to_string(), (counts, axes));
        }
        into.extend(ids.into_iter().map(Invocation::without_arguments));
    }
}
