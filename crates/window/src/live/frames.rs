//! Frames of the simulation and their pictures.

use std::time::Instant;

use sastrugi::{Error, FrameOptions, Image};

use super::super::board::Frame;
use super::super::pictures;
use super::Live;

impl Live {
    /// Runs a frame, and draws its picture if the presenter needs one.
    pub(super) fn frame(&mut self) -> Result<(), Error> {
        self.read_input()?;
        let next = self.simulation.frame_count() + 1;
        let shows = self.board.wants() || self.paused || self.pause_after == Some(next);
        let timed = self.measures();
        self.simulation.frame_with(FrameOptions { draws: shows, timed })?;
        if shows {
            self.show()?;
        }
        if shows && let Some(scene) = &mut self.scene {
            scene.ask(&mut self.simulation)?;
        }
        if self.simulation.pipeline().is_watched() || self.options.checked {
            self.look()?;
        }
        let (since, frames, _) = self.counted;
        let passed = since.elapsed().as_secs_f64();
        if passed > 0.5 {
            let rate = (self.simulation.frame_count() - frames) as f64 / passed;
            self.counted = (Instant::now(), self.simulation.frame_count(), rate);
            self.simulation.collect_times()?;
            self.status();
        }
        Ok(())
    }

    /// Pauses at a bad value or a fault, and reports it.
    pub(super) fn look(&mut self) -> Result<(), Error> {
        if let Some(fault) = self.simulation.fault()? {
            self.complain(&format!("{fault}\n  help: {}", fault.help));
            self.paused = true;
        }
        Ok(())
    }

    pub(super) fn image(&self) -> &Image {
        &self.images[self.shown]
    }

    /// Sends the newest picture to the window.
    pub(super) fn show(&mut self) -> Result<(), Error> {
        let slot = self.board.free_slot();
        self.simulation.take(&mut self.pictures[slot])?;
        let picture = self.pictures[slot].clone();
        self.board.put(Frame { picture, slot });
        Ok(())
    }

    /// Draws a paused state again, after a change of values. A running simulation draws its next frame anyway.
    pub(super) fn redraw(&mut self) -> Result<(), Error> {
        if self.paused && self.simulation.frame_count() > 0 {
            self.simulation.redraw()?;
            self.show()?;
        }
        Ok(())
    }

    pub(super) fn look_at(&mut self, shown: usize) -> Result<(), Error> {
        self.shown = shown;
        self.board.clear();
        self.pictures = pictures::pictures(&self.simulation, &self.images[shown])?;
        Ok(())
    }

    pub(super) fn look_at_another(&mut self, shown: usize) -> Result<(), Error> {
        self.look_at(shown.min(self.images.len() - 1))?;
        match self.simulation.frame_count() {
            0 => Ok(()),
            _ => self.show(),
        }
    }
}
