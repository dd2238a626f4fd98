//! Changes of files and values while the simulation runs, and restarts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use crate::problem::Problems;
use crate::run::changes::ChangeWriter;
use crate::run::{Extent, NoProbe, RunError, Simulation};
use crate::shader::{self, Module};

use super::super::command::Notice;
use super::super::pictures;
use super::super::reading::read_pipeline;
use super::Live;

impl Live {
    /// Reads the file again. What does not compile leaves everything as it is and is told; true if it took effect.
    pub(super) fn reload(&mut self, of_files: bool) -> Result<bool, RunError> {
        let overrides = self.all_overrides();
        let began = Instant::now();
        let pipeline = match read_pipeline(&self.gpu, &self.file, &overrides) {
            Ok(pipeline) => pipeline,
            Err(problems) => return Ok(self.refuse(&problems)),
        };
        let same = self.simulation.pipeline().differs_in_values_alone(&pipeline);
        if same && !of_files {
            self.simulation.set_values(pipeline)?;
            self.values_changed();
            self.settled(None)?;
            return Ok(true);
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
            self.simulation.set_values(pipeline)?;
            self.values_changed();
            self.settled(None)?;
            return Ok(true);
        }
        let pending = self.simulation.capture(Extent::Everything)?;
        let state = self.simulation.captured(pending)?;
        self.simulation.finish()?;
        let simulation = Simulation::probed(
            &self.gpu,
            pipeline,
            modules,
            self.options,
            Arc::new(NoProbe),
            Some(&state),
        );
        match simulation {
            Ok(simulation) => {
                self.replace(simulation)?;
                if of_files {
                    self.log(ChangeWriter::files);
                }
                let seconds = began.elapsed().as_secs_f64();
                self.settled(Some(format!("the change took effect ({seconds:.2} s)")))?;
                Ok(true)
            }
            Err(error @ RunError::Timeout { .. }) => Err(error),
            Err(error) => {
                self.complain(&format!(
                    "the change requires a restart: press R ({})",
                    error.to_string().lines().next().unwrap_or_default()
                ));
                // Kept, so that a restart uses it.
                Ok(true)
            }
        }
    }

    fn refuse(&mut self, problems: &Problems) -> bool {
        let text = (self.render)(problems);
        (self.say)(text.trim_end());
        let messages: Vec<&str> = problems
            .list
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        self.board.complain(&messages.join("\n\n"));
        let _ = self.window.send_event(Notice::Status);
        false
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
        self.simulation.finish()?;
        let simulation = Simulation::with_modules(&self.gpu, pipeline, modules, self.options)?;
        self.replace(simulation)?;
        self.begin_log();
        self.board.complain("");
        let _ = self.window.send_event(Notice::Status);
        Ok(())
    }

    /// Goes on with another simulation, and shows the same image of it, if there is one.
    fn replace(&mut self, simulation: Simulation) -> Result<(), RunError> {
        let name = self.image().name.clone();
        let images = pictures::images(simulation.pipeline());
        if images.is_empty() {
            self.complain("the pipeline has no image any more; the old one goes on");
            return Ok(());
        }
        if let Some(recording) = self.recording.take() {
            recording.finish(&mut self.simulation)?;
        }
        self.simulation = simulation;
        self.values_changed();
        self.trials = None;
        self.try_parameters()?;
        let shown = images.iter().position(|image| image.name == name).unwrap_or(0);
        self.images = images;
        self.counted = (Instant::now(), self.simulation.frames(), self.counted.2);
        self.look_at(shown)
    }
}
