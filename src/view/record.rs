//! Files from a window: screenshots, and recordings as `sastrugi run` writes them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::gpu::{Buffer, BufferKind, Gpu};
use crate::output::{Content, Format, Job, Payload, Scalar, Writers, frame_path};
use crate::plan::Lane;
use crate::run::{Frames, RunError, Simulation};

use super::pictures::Image;

/// The outputs of the frames from one on.
pub(super) struct Recording(Frames);

impl Recording {
    pub(super) fn start(gpu: &Gpu, simulation: &Simulation, directory: &Path) -> Result<Recording, RunError> {
        make(directory)?;
        let (pipeline, after) = (simulation.pipeline(), simulation.frames());
        let frames = Frames::new(gpu, pipeline, directory, after, std::time::Duration::ZERO)?;
        Ok(Recording(frames))
    }

    /// Writes the frame that was submitted last.
    pub(super) fn frame(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        let frame = simulation.frames();
        self.0.start(simulation, frame)?;
        Ok(self.0.writers.check()?)
    }

    /// Waits until all files are complete.
    pub(super) fn finish(mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        self.0.finish(simulation)
    }
}

fn make(directory: &Path) -> Result<(), RunError> {
    std::fs::create_dir_all(directory).map_err(|error| {
        RunError::Failed(format!(
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

/// Writes the newest picture as PNG, under the name that an output of its image has.
pub(super) fn screenshot(
    gpu: &Gpu,
    simulation: &mut Simulation,
    image: &Image,
    directory: &Path,
) -> Result<PathBuf, RunError> {
    make(directory)?;
    let pipeline = simulation.pipeline();
    let buffer = gpu.buffer(
        "screenshot",
        pipeline.field_bytes(image.field),
        BufferKind::Download,
    )?;
    let value = simulation.download(&[(image.field, buffer.clone())])?;
    simulation.wait(Lane::Download, value)?;
    let name = image.name.replace('.', "-");
    let frame = simulation.frames();
    let path = frame_path(directory, &name, frame, "png");
    let [width, height] = image.size.map(u64::from);
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
}
