//! Files of a running simulation: recordings of its outputs, and single pictures.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::gpu::{Buffer, BufferKind};
use crate::output::{Content, Format, Job, Payload, Scalar, Writers, frame_path};
use crate::plan::Lane;
use crate::run::{Frames, Options};

use super::error::Error;
use super::pipeline::Image;
use super::simulation::{Recording, Simulation};

impl Simulation {
    /// Writes the outputs of all further frames into a directory, as a [`Run`](crate::Run) does, until
    /// [`Simulation::end_recording`].
    pub fn record(&mut self, directory: impl AsRef<Path>) -> Result<(), Error> {
        let directory = directory.as_ref().to_path_buf();
        make(&directory)?;
        let pipeline = self.pipeline.inner.clone();
        let frames = self.ask(|inner| {
            let after = inner.frames();
            let waits = (Duration::ZERO, Options::PLAIN.timeout);
            Frames::new(inner.gpu(), &pipeline, &directory, after, waits, None)
        })?;
        self.recording = Some(Recording { frames, directory });
        Ok(())
    }

    /// True while outputs are recorded.
    pub fn is_recording(&self) -> bool {
        self.recording.is_some()
    }

    /// Ends a recording and waits until its files are complete; returns its directory if there was one.
    pub fn end_recording(&mut self) -> Result<Option<PathBuf>, Error> {
        let Some(mut recording) = self.recording.take() else {
            return Ok(None);
        };
        self.ask(|inner| recording.frames.finish(inner))?;
        Ok(Some(recording.directory))
    }

    /// Writes the last submitted frame, if a recording is running.
    pub(super) fn record_frame(&mut self) -> Result<(), Error> {
        let Some(mut recording) = self.recording.take() else {
            return Ok(());
        };
        let written = self.ask(|inner| {
            let frame = inner.frames();
            recording.frames.start(inner, frame)?;
            Ok(recording.frames.writers.check()?)
        });
        self.recording = Some(recording);
        written
    }

    /// Writes the newest picture of an image as PNG into a directory, under the name that an output of it has; returns its
    /// path.
    pub fn save_picture(&mut self, image: &Image, directory: impl AsRef<Path>) -> Result<PathBuf, Error> {
        make(directory.as_ref())?;
        let id = self.field_id(&image.name)?;
        let bytes = self.pipeline.inner.field_bytes(id);
        let name = image.name.replace('.', "-");
        let [width, height] = image.size.map(u64::from);
        self.ask(|inner| {
            let buffer = inner.gpu().buffer("picture", bytes, BufferKind::Download)?;
            let value = inner.download(&[(id, 0, buffer.clone())])?;
            inner.wait(Lane::Download, value)?;
            let frame = inner.frames();
            let path = frame_path(directory.as_ref(), &name, frame, "png");
            let writers = Writers::start(1, 1)?;
            writers.submit(Job {
                output: name,
                frame,
                path: path.clone(),
                content: Arc::new(Content::array(Format::Png, Scalar::Colour, 4, &[height, width])),
                payload: Box::new(Staged(buffer)),
            })?;
            writers.finish()?;
            Ok(path)
        })
    }
}

fn make(directory: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(directory).map_err(|error| {
        Error::failed(format!(
            "cannot make {}: {error}\n  help: --out names another directory",
            directory.display()
        ))
    })
}

struct Staged(Buffer);

impl Payload for Staged {
    fn part(&self, _: usize) -> &[u8] {
        self.0.bytes().unwrap_or(&[])
    }
}
