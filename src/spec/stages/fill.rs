//! Entries that fill a field with one value.

use super::Unroller;
use super::binding::LocalName;
use crate::ir::*;
use crate::lower::fill;
use crate::problem::Problem;
use crate::spec::file::FillFile;

impl Unroller<'_, '_> {
    pub(super) fn fill(&mut self, file: &FillFile, pointer: &str, into: &mut Vec<Invocation>) {
        let at = format!("{pointer}/fill");
        let field = self.resolver.field_id(&file.fill, &at);
        let every = self.every(file.every.as_ref(), pointer);
        let (Some(field), Some(every)) = (field, every) else {
            return;
        };
        let found = &self.resolver.pipeline.fields[field];
        let (element, resource) = (found.element, found.resource);
        if found.home != Home::Device {
            let problem = Problem::new(
                at,
                format!(
                    "`{}` cannot be filled: it is a channel of a sparse grid",
                    file.fill
                ),
            );
            let help = "fill a channel of a dense lattice, an attribute or a buffer; new blocks of sparse \
                        grids start with the background";
            return self.resolver.problems.push(problem.help(help));
        }
        self.check_writes(&[LocalName::own(&self.resolver.pipeline, field)], pointer);
        let value = self
            .resolver
            .bytes(&file.value, element, &format!("{pointer}/value"));
        let ids = self.engine_stages(pointer, "fill", resource, every, |resolver, entry| {
            vec![fill::fill(&resolver.pipeline, field, entry)]
        });
        let mut values = fill::pattern(element, &value);
        values.extend(fill::words_of_level(&self.resolver.pipeline, field));
        into.extend((ids.into_iter()).map(|stage| Invocation::new(stage, values.clone())));
    }
}
