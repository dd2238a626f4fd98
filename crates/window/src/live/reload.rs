//! Reloads and restarts after changes of files and values.

use std::time::Instant;

use sastrugi::{ChangeWriter, Error, ErrorKind, Pipeline, Problems, Simulation, Update};

use super::super::command::Notice;
use super::super::scene::Scene;
use super::Live;

/// Result of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Applied,
    /// The change needs a restart, because the state does not fit it.
    ForRestart,
    /// The change is invalid or does not compile.
    Refused,
}

impl Live {
    /// Reads the file again. A file with problems changes nothing; its problems are reported.
    pub(super) fn reload(&mut self, of_files: bool) -> Result<Outcome, Error> {
        let began = Instant::now();
        let pipeline = match self.read() {
            Ok(pipeline) => pipeline,
            Err(problems) => return Ok(self.refuse(&problems)),
        };
        if !self.has_images(&pipeline) {
            return Ok(Outcome::Refused);
        }
        let updated = match self.simulation.update(&pipeline, of_files) {
            Ok(updated) => updated,
            Err(error) => {
                return match (error.kind(), error.problems()) {
                    (ErrorKind::Input, Some(problems)) => Ok(self.refuse(problems)),
                    _ => Err(error),
                };
            }
        };
        if let Some(watcher) = &mut self.watcher {
            watcher.watch(&self.simulation);
        }
        match updated {
            Update::Values => {
                self.values_changed();
                self.settled(None)?;
                Ok(Outcome::Applied)
            }
            Update::Kernels => {
                self.replaced()?;
                if of_files {
                    self.log(ChangeWriter::files);
                }
                let seconds = began.elapsed().as_secs_f64();
                self.settled(Some(format!("the change took effect ({seconds:.2} s)")))?;
                Ok(Outcome::Applied)
            }
            Update::Restart(error) => {
                self.complain(&format!(
                    "the change requires a restart: press R ({})",
                    error.to_string().lines().next().unwrap_or_default()
                ));
                Ok(Outcome::ForRestart)
            }
        }
    }

    /// Builds the pipeline from its files and the current values.
    fn read(&self) -> Result<Pipeline, Problems> {
        self.file.clone().set_all(self.all_overrides()).build()
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

    fn settled(&mut self, text: Option<String>) -> Result<(), Error> {
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

    /// Restarts the simulation with the init stages.
    pub(super) fn restart(&mut self) -> Result<(), Error> {
        let pipeline = match self.read() {
            Ok(pipeline) => pipeline,
            Err(problems) => {
                self.refuse(&problems);
                return Ok(());
            }
        };
        if !self.has_images(&pipeline) {
            return Ok(());
        }
        if let Err(problems) = pipeline.check_shaders() {
            self.refuse(&problems);
            return Ok(());
        }
        self.simulation.end_recording()?;
        self.simulation.wait()?;
        self.simulation = Simulation::with_options(&self.device, &pipeline, self.options)?;
        self.replaced()?;
        self.begin_log();
        self.board.complain("");
        let _ = self.window.send_event(Notice::Status);
        Ok(())
    }

    /// True if the pipeline has an image; reports a problem if not.
    fn has_images(&mut self, pipeline: &Pipeline) -> bool {
        let some = !pipeline.images().is_empty();
        if !some {
            self.complain("the pipeline has no image any more; the old one goes on");
        }
        some
    }

    /// Updates everything derived from the pipeline, and shows the image of the same name or the first one.
    fn replaced(&mut self) -> Result<(), Error> {
        let name = self.image().name.clone();
        let images = self.simulation.pipeline().images();
        self.values_changed();
        self.scene = Scene::of(&self.simulation)?;
        let shown = images.iter().position(|image| image.name == name).unwrap_or(0);
        self.images = images;
        self.counted = (Instant::now(), self.simulation.frame_count(), self.counted.2);
        self.look_at(shown)
    }
}
