//! What stages touch and what they run over.

use super::super::file::{Number, Numbers, StageFile};
use super::Unroller;
use super::binding::LocalNames;
use crate::ir::*;
use crate::problem::Problem;
use crate::words::device;

impl Unroller<'_, '_> {
    pub(super) fn requests(
        &mut self,
        names: &[String],
        local: &LocalNames,
        pointer: &str,
    ) -> Vec<ResourceId> {
        if !names.is_empty() && self.list == List::Frame {
            let problem = Problem::new(pointer, "frame stages cannot request blocks");
            self.resolver
                .problems
                .push(problem.help("frame stages must not change the simulation: move it to `step`"));
        }
        let numbered = names.iter().enumerate();
        numbered
            .filter_map(|(i, name)| {
                let name = local.resource_name(name);
                self.resolver.sparse_id(name, &format!("{pointer}/{i}"))
            })
            .collect()
    }

    /// The elements of a channel of a dense lattice, such as `air.u`; parts of grids go before channels of their names.
    fn channel_domain(&self, text: &str) -> Option<Domain> {
        let field = *self.resolver.field_ids.get(text)?;
        let pipeline = &self.resolver.pipeline;
        let resource = pipeline.resource_of(field);
        let is_part = resource.is_grid() && text.ends_with(".columns");
        (resource.lattice().is_some() && resource.sparse().is_none() && !is_part).then(|| Domain {
            size: pipeline.size_of(field),
            axes: resource.axes(),
            resource: Some(pipeline.fields[field].resource),
            over: Over::Elements,
            per_invocation: 1,
        })
    }

    /// The domain that a text such as `air.columns` names, if it names one of a resource.
    fn named_domain(&mut self, text: &str, pointer: &str) -> Option<Result<Domain, Problem>> {
        const PARTS: [&str; 4] = ["columns", "blocks", "active", "sub_blocks"];
        if let Some(domain) = self.channel_domain(text) {
            return Some(Ok(domain));
        }
        let (name, part) = match text.rsplit_once('.') {
            Some((name, part)) if PARTS.contains(&part) => (name, part),
            // A channel of cells or an attribute: there is one for each element of the resource.
            Some((name, _)) if self.resolver.field_ids.contains_key(text) => (name, ""),
            _ => (text, ""),
        };
        let id = self
            .resolver
            .pipeline
            .resources
            .iter()
            .position(|resource| resource.name == name)?;
        let resource = &self.resolver.pipeline.resources[id];
        let sparse = resource.sparse();
        let [x, y, z] = resource.size;
        let (size, axes, over) = match (part, sparse) {
            ("", Some(_)) => (resource.size, 3, Over::ActiveCells),
            ("columns", _) if resource.is_grid() && resource.axes() < 3 => {
                let problem = Problem::new(
                    pointer,
                    format!("`{name}` is a 2-D grid, and 2-D grids have no columns"),
                );
                return Some(Err(problem.help(format!("write \"{name}\" for all of its cells"))));
            }
            ("", None) if resource.live().is_some() => (resource.size, 1, Over::Live),
            ("", None) => (resource.size, resource.axes(), Over::Elements),
            ("columns", _) if resource.is_grid() => ([x, y, 1], 2, Over::Elements),
            ("columns", _) => {
                let problem = Problem::new(pointer, format!("`{name}` has no columns: it is not a grid"));
                return Some(Err(
                    problem.help(format!("write \"{name}\" to run over all of it"))
                ));
            }
            ("blocks", Some(grid)) => (grid.layout.blocks.map(u64::from), 3, Over::Elements),
            ("active", Some(_)) => ([x * y * z, 1, 1], 1, Over::ActiveBlocks),
            (_, Some(_)) => ([x * y * z, 1, 1], 1, Over::SubBlocks),
            // What is wrong with its pages has been reported.
            ("blocks", None) if self.resolver.is_meant_sparse(name) => (resource.size, 3, Over::Elements),
            (_, None) if self.resolver.is_meant_sparse(name) => ([x * y * z, 1, 1], 1, Over::Elements),
            (_, None) => {
                let problem = Problem::new(
                    pointer,
                    format!("`{name}` has no blocks: it is not a sparse grid"),
                );
                return Some(Err(
                    problem.help(format!("write \"{name}\" to run over all of it"))
                ));
            }
        };
        Some(Ok(Domain {
            size,
            axes,
            resource: Some(id),
            over,
            per_invocation: 1,
        }))
    }

    /// Workgroups as the domain of a stage.
    pub(super) fn groups(&mut self, file: &StageFile, groups: &Numbers, pointer: &str) -> Option<Domain> {
        let at = format!("{pointer}/groups");
        let other = [
            (file.over.is_some(), "over"),
            (file.emits.is_some(), "emits"),
            (file.march.is_some(), "march"),
        ];
        if let Some((_, key)) = other.into_iter().find(|(is_there, _)| *is_there) {
            let problem = Problem::new(
                format!("{pointer}/{key}"),
                format!("`{key}` and `groups` exclude each other"),
            );
            self.resolver
                .problems
                .push(problem.help("a stage runs either over elements or as workgroups: remove one of them"));
            return None;
        }
        if file.workgroup.is_none() {
            let problem = Problem::new(at, "a stage with `groups` requires a `workgroup`");
            self.resolver
                .problems
                .push(problem.help("add \"workgroup\", for example [64, 1, 1]: shared memory depends on it"));
            return None;
        }
        if self.group_buffer(groups).is_some() {
            // What is wrong with the buffer has been reported.
            let (counts, axes) = *self.group_counts.get(pointer)?;
            return Some(Domain {
                over: Over::CountedGroups(counts),
                ..Domain::elements([1; 3], axes, None)
            });
        }
        let most = u64::from(device::MOST_GROUPS);
        let (size, axes) = match groups {
            Numbers::One(number) => {
                let count = self.resolver.count(number, &at, 1, most * most)?;
                ([count, 1, 1], 1)
            }
            Numbers::Many(numbers) if numbers.len() == 3 => {
                let mut size = [1; 3];
                for (axis, number) in numbers.iter().enumerate() {
                    size[axis] = self.resolver.count(number, &format!("{at}/{axis}"), 1, most)?;
                }
                (size, 3)
            }
            Numbers::Many(numbers) => {
                let message = format!("`groups` has {} numbers", numbers.len());
                let problem = Problem::new(at, message);
                self.resolver
                    .problems
                    .push(problem.help("write one number, or three for the axes"));
                return None;
            }
        };
        Some(Domain {
            over: Over::Groups,
            ..Domain::elements(size, axes, None)
        })
    }

    pub(super) fn domain(&mut self, over: &Number, pointer: &str) -> Option<Domain> {
        if let Number::Expression(text) = over {
            match self.named_domain(text, pointer) {
                Some(Ok(domain)) => return Some(domain),
                Some(Err(problem)) => {
                    self.resolver.problems.push(problem);
                    return None;
                }
                None => {}
            }
            let names: Vec<String> = self
                .resolver
                .pipeline
                .resources
                .iter()
                .map(|r| r.name.clone())
                .collect();
            let scope = &self.resolver.scope;
            if let Err(problem) = scope.number(over, pointer) {
                let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
                let is_unknown = |problem: &Problem| problem.message.ends_with("is not defined here");
                let problem = problem.map(|problem| match text.chars().all(plain) && is_unknown(&problem) {
                    true => {
                        let message = format!("`{text}` is neither a resource nor a number");
                        let known = names.iter().map(String::as_str).chain(scope.names());
                        Problem::new(pointer, message)
                            .help("name a resource or give a count")
                            .suggest(text, known)
                    }
                    false => problem,
                });
                self.resolver.problems.list.extend(problem);
                return None;
            }
        }
        let count = self.resolver.count(over, pointer, 1, u64::from(u32::MAX))?;
        Some(Domain::list(count, None))
    }
}
