//! Data for the panel, changes of parameters, and their log.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sastrugi::{ChangeWriter, Error};

use super::super::details::Details;
use super::super::input::wanted;
use super::super::log::Log;
use super::Live;
use super::reload::Outcome;

/// Minimum time between steps with timed stages: reading the times can make drivers wait for all work.
const TIMED: Duration = Duration::from_millis(500);

impl Live {
    /// True if the stages of the next step are to be timed; then restarts the interval.
    pub(super) fn measures(&mut self) -> bool {
        let due = self.panel && self.timed.elapsed() > TIMED;
        if due {
            self.timed = Instant::now();
        }
        due
    }

    /// Changes values; returns false if the pipeline refuses them.
    pub(super) fn set(&mut self, values: Vec<(String, String)>) -> Result<bool, Error> {
        let before = self.changes.clone();
        self.changes.extend(values.iter().cloned());
        let outcome = self.reload(false)?;
        match outcome {
            Outcome::Applied => self.log(|log, step| log.values(step, &values)),
            // The log of the restarted run begins with these values.
            Outcome::ForRestart => {}
            Outcome::Refused => self.changes = before,
        }
        Ok(outcome != Outcome::Refused)
    }

    /// Sets the parameters whose inputs have changed since the last frame.
    pub(super) fn read_input(&mut self) -> Result<(), Error> {
        if let (Some(scene), Some(at), Some(camera)) = (&self.scene, self.input.at(), self.camera()) {
            let place = scene.place(&mut self.simulation, &camera, at)?;
            self.input.scene = place.or(self.input.scene);
        }
        let values = self.input.changes(&self.reads);
        if !values.is_empty() {
            self.set(values)?;
        }
        Ok(())
    }

    /// Writes to the log, and creates it with the first change. A failed write ends the log with a warning.
    pub(super) fn log(&mut self, write: impl FnOnce(&mut ChangeWriter, u64) -> Result<(), String>) {
        let mut log = match std::mem::replace(&mut self.changed, Log::Failed) {
            Log::Empty(overrides) => {
                let path = self.directory.join("input.jsonl");
                let title = self.simulation.pipeline().title();
                ChangeWriter::create(path, title, &overrides).inspect(|log| {
                    (self.say)(&format!("changes are logged in {}", log.path().display()));
                })
            }
            Log::Begun(log) => Ok(log),
            Log::Failed => return,
        };
        let written = log.as_mut().map_err(|error| error.clone());
        match written
            .and_then(|log| write(log, self.simulation.step_count()))
            .and(log)
        {
            Ok(log) => self.changed = Log::Begun(log),
            Err(error) => (self.say)(&format!("warning: changes are not logged: {error}")),
        }
    }

    /// Starts a new log, with the current values as overrides.
    pub(super) fn begin_log(&mut self) {
        self.changed = Log::Empty(self.all_overrides());
        self.input.forget();
    }

    /// Values by path, of the command line and of the window.
    pub(super) fn all_changes(&self) -> BTreeMap<String, String> {
        let stated = self.overrides.iter().filter_map(|text| text.split_once('='));
        let mut all: BTreeMap<String, String> =
            stated.map(|(path, value)| (path.into(), value.into())).collect();
        all.extend(self.changes.clone());
        all
    }

    /// The current values as arguments of `--set`.
    pub(super) fn all_overrides(&self) -> Vec<String> {
        let changes = self.changes.iter().map(|(path, value)| format!("{path}={value}"));
        self.overrides.iter().cloned().chain(changes).collect()
    }

    /// Updates the copies of the parameters after a change.
    pub(super) fn values_changed(&mut self) {
        let pipeline = self.simulation.pipeline();
        self.parameters = Arc::new(pipeline.parameters().to_vec());
        self.reads = Arc::new(wanted(pipeline.parameters()));
    }

    pub(super) fn details(&self) -> Details {
        let pipeline = self.simulation.pipeline();
        let mut stages = self.simulation.stage_times();
        stages.sort_by(|one, other| other.1.total_cmp(&one.1));
        Details {
            title: pipeline.title().to_string(),
            frame: self.simulation.frame_count(),
            step: self.simulation.step_count(),
            time: self.simulation.time(),
            pace: self.counted.2 * f64::from(pipeline.steps_per_frame()),
            paused: self.paused,
            recording: self.simulation.is_recording(),
            images: self.images.iter().map(|image| image.name.clone()).collect(),
            shown: self.shown,
            picture: self.picture(),
            reads: Arc::clone(&self.reads),
            parameters: Arc::clone(&self.parameters),
            changed: self.changes.keys().cloned().collect(),
            stages,
        }
    }
}
