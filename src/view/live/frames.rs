//! Frames of the simulation, and the pictures of them that the window shows.

use std::sync::Arc;
use std::time::Instant;

use crate::plan::Lane;
use crate::run::RunError;

use super::super::board::Frame;
use super::super::pictures::{self, Image};
use super::Live;

impl Live {
    /// The steps of a frame, and its picture if the window can show it.
    pub(super) fn frame(&mut self) -> Result<(), RunError> {
        self.read_input()?;
        let pipeline = Arc::clone(self.simulation.pipeline());
        let done = self.simulation.steps();
        let until = (self.simulation.frames() + 1) * u64::from(pipeline.steps_per_frame);
        let measures = self.measures();
        for step in done..until {
            self.simulation.step(measures && step == done)?;
        }
        let shows =
            self.board.wants() || self.paused || self.pause_after == Some(self.simulation.frames() + 1);
        self.simulation.frame(shows || self.recording.is_some())?;
        if let Some(recording) = &mut self.recording {
            recording.frame(&mut self.simulation)?;
        }
        if shows {
            self.show()?;
        }
        if shows && let Some(scene) = &mut self.scene {
            scene.ask(&mut self.simulation)?;
        }
        if pipeline.watch.is_some() || self.options.checked {
            self.look()?;
        }
        let (since, frames, _) = self.counted;
        let passed = since.elapsed().as_secs_f64();
        if passed > 0.5 {
            let rate = (self.simulation.frames() - frames) as f64 / passed;
            self.counted = (Instant::now(), self.simulation.frames(), rate);
            self.simulation.collect_times()?;
            self.status();
        }
        Ok(())
    }

    /// Stops at a bad value or a fault, and says so.
    pub(super) fn look(&mut self) -> Result<(), RunError> {
        self.simulation.finish()?;
        let fault = self
            .simulation
            .fault()?
            .map(|fault| format!("{fault}\n  help: {}", fault.help()));
        let bad = self
            .simulation
            .first_bad()?
            .map(|bad| format!("{bad}\n  help: {}", bad.help()));
        if let Some(problem) = fault.or(bad) {
            self.complain(&problem);
            self.paused = true;
        }
        Ok(())
    }

    pub(super) fn image(&self) -> &Image {
        &self.images[self.shown]
    }

    /// Sends the newest picture to the window.
    pub(super) fn show(&mut self) -> Result<(), RunError> {
        let slot = self.board.free_slot();
        let buffer = self.buffers[slot].clone();
        let (field, size) = (self.image().field, self.image().size);
        let value = self.simulation.download(&[(field, buffer.clone())])?;
        self.board.put(Frame {
            buffer,
            size,
            filled: (self.simulation.timeline(Lane::Download), value),
            slot,
        });
        Ok(())
    }

    /// Draws a paused state again, with other values; one that goes on is drawn with its next frame.
    pub(super) fn redraw(&mut self) -> Result<(), RunError> {
        if self.paused && self.simulation.frames() > 0 {
            self.simulation.redraw()?;
            self.show()?;
        }
        Ok(())
    }

    pub(super) fn look_at(&mut self, shown: usize) -> Result<(), RunError> {
        self.shown = shown;
        self.board.clear();
        self.buffers = pictures::buffers(&self.gpu, self.simulation.pipeline(), &self.images[shown])?;
        Ok(())
    }

    pub(super) fn look_at_another(&mut self, shown: usize) -> Result<(), RunError> {
        self.look_at(shown.min(self.images.len() - 1))?;
        match self.simulation.frames() {
            0 => Ok(()),
            _ => self.show(),
        }
    }
}
