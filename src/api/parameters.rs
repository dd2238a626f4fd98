//! Changes of parameters between steps.

use serde_json::json;

use super::error::Error;
use super::pipeline::Pipeline;
use super::simulation::Simulation;

impl Simulation {
    /// Sets parameters for the next step, each to a number or to the components of a vector. This takes much less time
    /// than [`Pipeline::with`] and [`Simulation::update`], because the pipeline is not read again. Returns false, and
    /// changes nothing, if reading it is necessary: for parameters with another effect than
    /// [`Effect::Argument`](crate::Effect::Argument), for members of a group that a module takes whole from its user, and for
    /// values that do not fit.
    pub fn set(&mut self, values: &[(String, Vec<f64>)]) -> Result<bool, Error> {
        let is_single = |(name, _): &(String, Vec<f64>)| self.pipeline.document.is_single(name);
        if !values.iter().all(is_single) {
            return Ok(false);
        }
        let is_set = self.ask(|inner| inner.set_arguments(values))?;
        if is_set {
            self.pipeline.adopt_arguments(values);
        }
        Ok(is_set)
    }
}

impl Pipeline {
    /// The text of an assignment as for [`Builder::set`](crate::Builder::set).
    pub(super) fn assignment((name, values): &(String, Vec<f64>)) -> String {
        match values[..] {
            [value] => format!("{name}={}", json!(value)),
            _ => format!("{name}={}", json!(values)),
        }
    }

    /// Removes a value for each world of a parameter.
    fn unlist(&mut self, name: &str) {
        if self.document.root().at(&["worlds", "set", name]).is_some() {
            // The list may have stated their number.
            let count = format!("worlds.count={}", self.worlds());
            for assignment in [count, format!("worlds.set.{name}=null")] {
                self.builder.replace(&assignment);
                let _ = self.document.set(&assignment);
            }
        }
    }

    fn adopt_arguments(&mut self, values: &[(String, Vec<f64>)]) {
        self.inner.set_arguments(values);
        for assignment in values.iter().map(Pipeline::assignment) {
            self.builder.replace(&assignment);
            // Names of parameters are in every document that has them.
            let _ = self.document.set(&assignment);
        }
        for (name, _) in values {
            self.unlist(name);
        }
        self.inner.document = self.document.value();
    }
}

#[cfg(test)]
mod tests {
    use super::super::shipped;
    use super::*;
    use crate::ir::{Effect, Invocation};

    fn arguments(pipeline: &Pipeline) -> Vec<&Vec<Vec<u32>>> {
        let lists = [&pipeline.inner.init, &pipeline.inner.step, &pipeline.inner.frame];
        let all = lists.into_iter().flatten();
        all.map(|invocation: &Invocation| &invocation.values).collect()
    }

    /// For each parameter that allows it, a new value has the same effect as reading the pipeline with this value.
    #[test]
    fn set_arguments_equal_those_of_a_pipeline_read_again() {
        // Reading all pipelines takes too long.
        check_arguments(14);
    }

    #[test]
    #[ignore = "long: every third pipeline"]
    fn set_arguments_equal_those_of_many_pipelines_read_again() {
        check_arguments(3);
    }

    fn check_arguments(pipelines_apart: usize) {
        let (mut set, mut changed) = (0, 0);
        for found in shipped::pipelines().iter().step_by(pipelines_apart) {
            let path = shipped::find(found.name.as_ref()).unwrap();
            let pipeline = Pipeline::from_file(path).build().unwrap();
            let parameters = pipeline.parameters().iter();
            let few = parameters.filter(|parameter| parameter.effect <= Effect::Argument);
            for parameter in few.step_by(7) {
                let values = parameter.values.iter().map(|value| 0.75 * value + 0.5).collect();
                let values = [(parameter.name.clone(), values)];
                let mut fast = pipeline.clone();
                let is_single = fast.document.is_single(&parameter.name);
                if !is_single || !fast.inner.clone().set_arguments(&values) {
                    continue;
                }
                fast.adopt_arguments(&values);
                let Ok(slow) = pipeline.with([Pipeline::assignment(&values[0])]) else {
                    panic!("{}: {values:?} is refused when it is read", found.name);
                };
                assert_eq!(arguments(&fast), arguments(&slow), "{}: {values:?}", found.name);
                assert_eq!(fast.inner.document, slow.inner.document);
                for (fast, slow) in fast.parameters().iter().zip(slow.parameters()) {
                    assert_eq!((&fast.name, &fast.values), (&slow.name, &slow.values));
                }
                set += 1;
                changed += usize::from(arguments(&fast) != arguments(&pipeline));
            }
        }
        assert!(
            set > 75 / pipelines_apart && changed > 36 / pipelines_apart,
            "{set} set, {changed} of them changed arguments"
        );
    }
}
