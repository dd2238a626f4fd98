//! Changes of files and values while the simulation runs, and restarts.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::ir::Pipeline;
use crate::problem::Problems;
use crate::run::ChangeWriter;
use crate::run::{RunError, Simulation};
use crate::shader::{self, Module};

use super::super::command::Notice;
use super::super::pictures;
use super::super::reading::read_pipeline;
use super::super::scene::Scene;
use super::Live;

/// What became of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Applied,
    /// The state does not fit it, so it waits for a restart.
    ForRestart,
    /// It is not allowed or does not compile.
    Refused,
}

impl Live {
    /// Reads the file again. What does not compile leaves everything as it is and is told.
    pub(super) fn reload(&mut self, of_files: bool) -> Result<Outcome, RunError> {
        let overrides = self.all_overrides();
        let began = Instant::now();
        let pipeline = match read_pipeline(&self.gpu, &self.file, &overrides) {
            Ok(pipeline) => pipeline,
            Err(problems) => return Ok(self.refuse(&problems)),
        };
        let same = self.simulation.pipeline().differs_in_values_alone(&pipeline);
        if same && !of_files {
            return self.take_values(pipeline);
        }
        let modules = match shader::build(&pipeline, &BTreeMap::new(), self.gpu.cache()) {
            Ok(modules) => modules,
            Err(problems) => return Ok(self.refuse(&problems)),
        };
        if let Some(watcher) = &mut self.watcher {
            watcher.watch(&modules);
        }
        let hashes = |modules: &[Module]| modules.iter().map(|module| module.hash).collect::<Vec<_>>();
        if same && hashes(&modules) == hashes(self.simulation.modules()) {
            return self.take_values(pipeline);
        }
        if !self.has_images(&pipeline) {
            return Ok(Outcome::Refused);
        }
        let records = self.end_recording()?;
        let rebuilt = self.simulation.rebuild(pipeline, modules);
        if records {
            self.start_recording()?;
        }
        match rebuilt {
            Ok(()) => {
                self.replaced()?;
                if of_files {
                    self.log(ChangeWriter::files);
                }
                let seconds = began.elapsed().as_secs_f64();
                self.settled(Some(format!("the change took effect ({seconds:.2} s)")))?;
                Ok(Outcome::Applied)
            }
            Err(error @ RunError::Timeout { .. }) => Err(error),
            Err(error) => {
                self.complain(&format!(
                    "the change requires a restart: press R ({})",
                    error.to_string().lines().next().unwrap_or_default()
                ));
                Ok(Outcome::ForRestart)
            }
        }
    }

    fn take_values(&mut self, pipeline: Pipeline) -> Result<Outcome, RunError> {
        self.simulation.set_values(pipeline)?;
        self.values_changed();
        self.settled(None)?;
        Ok(Outcome::Applied)
    }

    fn refuse(&mut self, problems: &Problems) -> Outcome {
        let text = (self.render)(problems);
        (self.say)(text.trim_end());
        let messages: Vec<&str> = problems
            .list
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        self.board.complain(&messages.join("\n\n"));
        let _ = self.window.send_event(Notice::Status);
        Outcome::Refused
    }

    fn settled(&mut self, text: Option<String>) -> Result<(), RunError> {
        if let Some(text) = text {
            (self.say)(&text);
        }
        self.board.complain("");
        let _ = self.window.send_event(Notice::Status);
        self.redraw()
    }

    pub(super) fn complain(&mut self, problem: &str) {
        (self.say)(&format!("error: {problem}"));
        self.board.complain(problem);
        let _ = self.window.send_event(Notice::Status);
    }

    /// Begins again with the init stages.
    pub(super) fn restart(&mut self) -> Result<(), RunError> {
        let overrides = self.all_overrides();
        let read = read_pipeline(&self.gpu, &self.file, &overrides).and_then(|pipeline| {
            let modules = shader::build(&pipeline, &BTreeMap::new(), self.gpu.cache())?;
            Ok((pipeline, modules))
        });
        let (pipeline, modules) = match read {
            Ok(read) => read,
            Err(problems) => {
                self.refuse(&problems);
                return Ok(());
            }
        };
        if !self.has_images(&pipeline) {
            return Ok(());
        }
        self.end_recording()?;
        self.simulation.finish()?;
        self.simulation = Simulation::with_modules(&self.gpu, pipeline, modules, self.options)?;
        self.replaced()?;
        self.begin_log();
        self.board.complain("");
        let _ = self.window.send_event(Notice::Status);
        Ok(())
    }

    /// Whether a pipeline has something to show; if not, says so.
    fn has_images(&mut self, pipeline: &Pipeline) -> bool {
        let some = !pictures::images(pipeline).is_empty();
        if !some {
            self.complain("the pipeline has no image any more; the old one goes on");
        }
        some
    }

    /// Shows the same image of a simulation that was rebuilt or began again, if it has it.
    fn replaced(&mut self) -> Result<(), RunError> {
        let name = self.image().name.clone();
        let images = pictures::images(self.simulation.pipeline());
        self.values_changed();
        self.scene = Scene::of(&self.gpu, self.simulation.pipeline())?;
        let shown = images.iter().position(|image| image.name == name).unwrap_or(0);
        self.images = images;
        self.counted = (Instant::now(), self.simulation.frames(), self.counted.2);
        self.look_at(shown)
    }
}
