//! Levels of grids by name: `air[l + 1].p` is `air[2].p` where `l` is 1, and level 0 is the grid itself, `air.p`.

use std::borrow::Cow;

use super::file::Number;
use super::indexed::{Indexed, indexed};
use super::resolver::Resolver;
use crate::ir::{Resource, ResourceId};
use crate::problem::Problem;
use crate::spec::scope::Failure;

impl Resolver<'_> {
    /// A name as the pipeline has it, with the number of its level in the place of an expression.
    pub(super) fn settled<'t>(&self, text: &'t str, pointer: &str) -> Result<Cow<'t, str>, Failure> {
        let Some(found) = indexed(text) else {
            return Ok(Cow::Borrowed(text));
        };
        let Indexed { grid, rest, .. } = found;
        let level = self.level(found, pointer)?;
        Ok(Cow::Owned(match level {
            0 => format!("{grid}{rest}"),
            level => format!("{grid}[{level}]{rest}"),
        }))
    }

    /// The same; a problem is recorded, and then the name is as it was.
    pub(super) fn settle(&mut self, text: &mut String, pointer: &str) -> bool {
        let settled = self.settled(text, pointer).map(Cow::into_owned);
        match settled {
            Ok(settled) => *text = settled,
            Err(problem) => {
                self.problems.list.extend(problem);
                return false;
            }
        }
        true
    }

    /// The number of a level.
    fn level(&self, found: Indexed, pointer: &str) -> Result<usize, Failure> {
        let Indexed {
            grid: name, index, ..
        } = found;
        let resources = &self.pipeline.resources;
        let Some(id) = resources.iter().position(|resource| resource.name == name) else {
            let grids = resources.iter().filter(|resource| resource.is_grid());
            let problem = Problem::new(pointer, format!("`{name}` is not a resource of this pipeline"))
                .help("a level is written `<grid>[<number>]`, such as `air[1]`");
            return Err(Some(problem.suggest(name, grids.map(|grid| grid.name.as_str()))));
        };
        if !resources[id].is_grid() {
            let message = format!("`{name}` is not a grid, and only grids have levels");
            return Err(Some(
                Problem::new(pointer, message).help("remove the index in brackets"),
            ));
        }
        // What is wrong with the levels of the grid has been reported.
        if self
            .file
            .grids
            .get(name)
            .is_some_and(|grid| grid.levels.is_some())
        {
            let count = Number::Expression(format!("{name}.levels"));
            self.scope.number(&count, pointer)?;
        }
        let value = self
            .scope
            .number(&Number::Expression(index.to_string()), pointer)?;
        if value.fract() != 0.0 {
            let message = format!("`{index}` is {value}, and levels have whole numbers");
            return Err(Some(
                Problem::new(pointer, message)
                    .help("floor(...), ceil(...) and round(...) make whole numbers"),
            ));
        }
        let count = levels(resources, id);
        if (0.0..count as f64).contains(&value) {
            return Ok(value as usize);
        }
        let (message, help) = match count {
            1 => (
                format!("`{name}` has no levels, so there is no `{name}[{value}]`"),
                "add \"levels\" to the grid, or remove the index in brackets".to_string(),
            ),
            _ => (
                format!("`{name}` has no level {value}"),
                format!(
                    "it has {count} levels, from `{name}[0]` to `{name}[{}]`",
                    count - 1
                ),
            ),
        };
        Err(Some(Problem::new(pointer, message).help(help)))
    }
}

/// How many levels a grid has.
fn levels(resources: &[Resource], id: ResourceId) -> usize {
    let of_grid = |resource: &&Resource| resource.level().is_some_and(|level| level.of == id);
    resources.iter().filter(of_grid).count().max(1)
}
