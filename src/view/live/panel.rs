//! What the panel shows and asks for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::run::RunError;
use crate::spec;

use super::super::details::Details;
use super::super::effects::Trials;
use super::Live;

/// The time between two steps whose stages are timed: drivers may wait for all work when they read the times.
const TIMED: Duration = Duration::from_millis(500);

impl Live {
    /// Whether the stages of the next step are timed.
    pub(super) fn measures(&mut self) -> bool {
        let due = self.panel && self.timed.elapsed() > TIMED;
        if due {
            self.timed = Instant::now();
        }
        due
    }

    /// Changes values; false if the file does not allow them.
    pub(super) fn set(&mut self, values: Vec<(String, String)>) -> Result<bool, RunError> {
        let before = self.changes.clone();
        self.changes.extend(values);
        let took = self.reload(false)?;
        if !took {
            self.changes = before;
        }
        Ok(took)
    }

    /// Values by path: those of the command line, and those of the window.
    pub(super) fn all_changes(&self) -> BTreeMap<String, String> {
        let stated = self.overrides.iter().filter_map(|text| text.split_once('='));
        let mut all: BTreeMap<String, String> =
            stated.map(|(path, value)| (path.into(), value.into())).collect();
        all.extend(self.changes.clone());
        all
    }

    /// What `--set` would be given now.
    pub(super) fn all_overrides(&self) -> Vec<String> {
        let changes = self.changes.iter().map(|(path, value)| format!("{path}={value}"));
        self.overrides.iter().cloned().chain(changes).collect()
    }

    /// Starts to find out what changes require, if the panel shows it and it is not known.
    pub(super) fn try_parameters(&mut self) -> Result<(), RunError> {
        if self.panel && self.trials.is_none() {
            let pipeline = Arc::clone(self.simulation.pipeline());
            let source = (self.file.clone(), self.all_overrides());
            self.trials = Some(Trials::start(
                &self.gpu,
                source,
                pipeline,
                Arc::clone(&self.parameters),
            )?);
        }
        Ok(())
    }

    pub(super) fn take_effects(&mut self) {
        let found = self.trials.as_ref().map(Trials::found).unwrap_or_default();
        if !found.is_empty() {
            Arc::make_mut(&mut self.effects).extend(found);
        }
    }

    /// The values of the parameters have changed.
    pub(super) fn values_changed(&mut self) {
        self.parameters = Arc::new(spec::parameters(&self.simulation.pipeline().document));
    }

    pub(super) fn details(&self) -> Details {
        let pipeline = self.simulation.pipeline();
        let medians = self.simulation.timing().medians();
        let mut stages: Vec<(String, f64)> = medians
            .into_iter()
            .map(|(stage, _, time)| (pipeline.stages[stage].name.clone(), time))
            .collect();
        stages.sort_by(|one, other| other.1.total_cmp(&one.1));
        Details {
            title: pipeline.title.clone(),
            frame: self.simulation.frames(),
            step: self.simulation.steps(),
            time: self.simulation.steps() as f64 * pipeline.dt,
            pace: self.counted.2 * f64::from(pipeline.steps_per_frame),
            paused: self.paused,
            recording: self.recording.is_some(),
            images: self.images.iter().map(|image| image.name.clone()).collect(),
            shown: self.shown,
            parameters: Arc::clone(&self.parameters),
            effects: Arc::clone(&self.effects),
            changed: self.changes.keys().cloned().collect(),
            stages,
        }
    }
}
