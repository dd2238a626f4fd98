//! The worlds of a pipeline: the same document with other values.

use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Value, json};

use crate::ir::{self, Parameter, World};
use crate::problem::{Problem, Problems, pointer};
use crate::spec::WorldValues;
use crate::spec::document::Document;

use super::builder::Builder;
use super::error::Error;
use super::pipeline::Pipeline;
use super::simulation::Simulation;

/// The path of the seed, which is not a parameter.
const SEED: &str = "run.seed";

impl Builder {
    /// A pipeline with its worlds.
    pub(super) fn with_worlds(
        &self,
        pipeline: ir::Pipeline,
        document: &Document,
        worlds: &[WorldValues],
    ) -> Result<ir::Pipeline, Problems> {
        if worlds.is_empty() {
            return Ok(pipeline);
        }
        if worlds.len() > 1
            && let Some((pointer, name)) = pipeline.bars_worlds()
        {
            let message = format!("{name} cannot have several worlds");
            let help = "remove `worlds`, or use dense grids and particle sets of constant size";
            return Err(Problem::new(pointer, message).help(help).into());
        }
        check_paths(document, &worlds[0])?;
        let base = Arc::new(pipeline);
        let each: Vec<Result<World, Problems>> = (worlds.par_iter().enumerate())
            .map(|(number, values)| self.world(&base, document, number, values))
            .collect();
        let mut each = each.into_iter().collect::<Result<Vec<World>, Problems>>()?;
        let first = each.remove(0);
        Ok(ir::Pipeline {
            document: base.document.clone(),
            other_worlds: each,
            ..first.alone()
        })
    }

    fn world(
        &self,
        base: &Arc<ir::Pipeline>,
        document: &Document,
        number: usize,
        values: &WorldValues,
    ) -> Result<World, Problems> {
        let mut seed = base.seed.wrapping_add(number as u32);
        let mut others = Vec::new();
        for (path, values) in values {
            match (path.as_str(), values.as_slice()) {
                (SEED, [value]) if value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(value) => {
                    seed = *value as u32;
                }
                _ => others.push((path.clone(), values.clone())),
            }
        }
        if others.is_empty() {
            let pipeline = Arc::clone(base);
            return Ok(World { seed, pipeline });
        }
        let mut pipeline = base.as_ref().clone();
        let is_single = |(name, _): &(String, Vec<f64>)| document.is_single(name);
        if !others.iter().all(is_single) || !pipeline.set_arguments(&others) {
            pipeline = self.read_world(base, number, &others)?;
        }
        let pipeline = Arc::new(pipeline);
        Ok(World { seed, pipeline })
    }

    /// A world whose values change more than arguments: its document is read.
    fn read_world(
        &self,
        base: &ir::Pipeline,
        number: usize,
        values: &WorldValues,
    ) -> Result<ir::Pipeline, Problems> {
        let assignments = values.iter().map(Pipeline::assignment);
        let alone = self.clone().set_all(assignments);
        let (found, document) = alone.resolved(None)?;
        if !found.problems.is_empty() {
            return Err(found.problems.located(&document.source_map()));
        }
        let pipeline = found.meaning.pipeline;
        if pipeline.can_be_world_of(base) {
            return Ok(pipeline);
        }
        let paths: Vec<&str> = values.iter().map(|(path, _)| path.as_str()).collect();
        let message = format!(
            "the values of world {number} ({}) change more than initial values and arguments of kernels",
            paths.join(", ")
        );
        let help =
            "all worlds have the same sizes, origins, stages and length of a step: run this world by itself";
        Err(Problem::new("/worlds", message).help(help).into())
    }
}

/// Refuses paths that the document does not have.
fn check_paths(document: &Document, values: &WorldValues) -> Result<(), Problems> {
    let mut document = document.clone();
    let mut problems = Problems::default();
    for value in values {
        let Err(refused) = document.set(&Pipeline::assignment(value)) else {
            continue;
        };
        let place = pointer(&["worlds", "set", &value.0]);
        problems.list.extend(refused.list.into_iter().map(|refused| {
            let problem = Problem::on_key(place.clone(), refused.message);
            match refused.help {
                Some(help) => problem.help(help),
                None => problem,
            }
        }));
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

impl Pipeline {
    /// Number of worlds: independent copies that run in the same dispatches.
    pub fn worlds(&self) -> usize {
        self.inner.worlds()
    }

    /// The parameters of a world, which is smaller than [`Pipeline::worlds`].
    pub fn parameters_of(&self, world: usize) -> &[Parameter] {
        &self.inner.values_of(world).parameters
    }

    fn adopt_worlds(&mut self, values: &[(String, Vec<Vec<f64>>)]) {
        self.inner.set_arguments_by_world(values);
        for (name, of_worlds) in values {
            let listed = of_worlds.iter().map(|values| match values[..] {
                [value] => json!(value),
                _ => json!(values),
            });
            let assignment = format!("worlds.set.{name}={}", Value::Array(listed.collect()));
            self.builder.replace(&assignment);
            let _ = self.document.set(&assignment);
        }
        self.inner.document = self.document.value();
    }
}

impl Simulation {
    /// As [`Simulation::set`], with one value for each world.
    pub fn set_worlds(&mut self, values: &[(String, Vec<Vec<f64>>)]) -> Result<bool, Error> {
        let worlds = self.pipeline.worlds();
        for (name, of_worlds) in values {
            if of_worlds.len() != worlds {
                let count = of_worlds.len();
                return Err(Error::misuse(format!(
                    "`{name}` has {count} values for {worlds} worlds"
                )));
            }
            if !self.pipeline.document.is_single(name) {
                return Ok(false);
            }
        }
        let is_set = self.ask(|inner| inner.set_arguments_by_world(values))?;
        if is_set {
            self.pipeline.adopt_worlds(values);
        }
        Ok(is_set)
    }
}
