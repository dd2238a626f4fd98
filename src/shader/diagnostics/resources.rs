//! Names of resources, requests and reductions that a stage does not list.

use super::Diagnostics;
use super::words::Words;
use crate::ir::{Form, LocalResource, Resource, SPARSE_CONSTANTS};

/// Functions of reductions.
const REDUCTIONS: [&str; 4] = ["sum_", "count_", "min_", "max_"];

impl Diagnostics<'_> {
    /// The sides of cells that are not cubes.
    pub(super) fn sides_of_boxes(&self, name: &str) -> Option<Words> {
        let grid = name.strip_suffix("_dx")?;
        let mut resources = self.shader.signature.resources.iter();
        resources.find(|resource| {
            let of_boxes = |form: &Form| form.constants.contains(&"dx") && !form.cubes;
            resource.name == grid && resource.form().is_some_and(of_boxes)
        })?;
        Some(Words::new(
            format!("`{name}` does not exist: the sides of the cells of `{grid}` are not equal"),
            format!("use the vector `{grid}_spacing`, or make them equal"),
        ))
    }

    /// A size, place or count of a resource that the stage does not use.
    pub(super) fn constant_of_resource(&self, name: &str) -> Option<Words> {
        let pipeline = self.shader.pipeline;
        let of = |resource: &&Resource| {
            let Some(rest) = name
                .strip_prefix(&resource.symbol())
                .and_then(|rest| rest.strip_prefix('_'))
            else {
                return false;
            };
            match resource.form() {
                Some(form) => {
                    form.constants.contains(&rest)
                        || (resource.sparse().is_some() && SPARSE_CONSTANTS.contains(&rest))
                }
                None => ["count", "capacity", "born"].contains(&rest),
            }
        };
        let resource = pipeline.resources.iter().find(of)?;
        let is_used = |known: &LocalResource| known.name == resource.symbol();
        if self.shader.signature.resources.iter().any(is_used) {
            return None;
        }
        let example = pipeline
            .fields
            .iter()
            .find(|field| pipeline.resources[field.resource].name == resource.name);
        let example = example.map_or(resource.name.as_str(), |field| field.name.as_str());
        Some(Words::new(
            format!(
                "`{name}` requires a field of `{}` in `reads` or `writes` of the stage",
                resource.name
            ),
            format!(
                "list a field of it, for example {}; or pass the number as an argument",
                self.list_with("reads", example)
            ),
        ))
    }

    /// A request of a grid that the stage does not list.
    pub(super) fn request(&self, name: &str) -> Option<Words> {
        let asked = name.strip_prefix("request_")?;
        let pipeline = self.shader.pipeline;
        let of = |name: &str| {
            pipeline
                .resources
                .iter()
                .find(|resource| resource.symbol() == name)
        };
        let resource = of(asked).or_else(|| of(asked.strip_suffix("_block")?))?;
        Some(match resource.sparse() {
            Some(_) => Words::new(
                format!(
                    "`{name}` requires `{}` in the `requests` of the stage",
                    resource.name
                ),
                format!(
                    "write {} in the stage",
                    self.list_with("requests", &resource.name)
                ),
            ),
            None => Words::new(
                format!(
                    "`{name}` does not exist: `{}` is not a sparse grid",
                    resource.name
                ),
                "remove the call: all cells of a dense grid are there; or add \"sparse\": {} to the grid",
            ),
        })
    }

    /// A reduction that the stage does not list.
    pub(super) fn reduction(&self, name: &str) -> Option<Words> {
        let (prefix, result) = REDUCTIONS
            .iter()
            .find_map(|prefix| Some((*prefix, name.strip_prefix(prefix)?)))?;
        let pipeline = self.shader.pipeline;
        let is_buffer = pipeline
            .resources
            .iter()
            .any(|buffer| buffer.is_buffer() && buffer.name == result);
        let operation = prefix.trim_end_matches('_');
        is_buffer.then(|| {
            Words::new(
                format!("`{name}` requires `{result}` in the `reduces` of the stage"),
                format!("write \"reduces\": {{\"{result}\": \"{operation}\"}} in the stage"),
            )
        })
    }
}
