//! The place in the scene that the pointer is over, from a depth channel.

use crate::gpu::{Buffer, BufferKind, Gpu};
use crate::ir::{FieldId, Input, Pipeline};
use crate::plan::Lane;
use crate::run::{RunError, Simulation};

use super::camera::Camera;

/// Distances from here on, m, are those of the sky.
const FAR: f32 = 1e9;

/// The newest distances of a picture.
pub(super) struct Scene {
    field: FieldId,
    size: [usize; 2],
    buffer: Buffer,
    /// The value of the lane of downloads when they have arrived.
    filled: Option<u64>,
}

impl Scene {
    /// For a pipeline that reads the place.
    pub(super) fn of(gpu: &Gpu, pipeline: &Pipeline) -> Result<Option<Scene>, RunError> {
        let depth = pipeline
            .parameters
            .iter()
            .find_map(|parameter| match parameter.input {
                Some(Input::Scene(field)) => Some(field),
                _ => None,
            });
        let Some(field) = depth else { return Ok(None) };
        let [width, height, _] = pipeline.size_of(field);
        let bytes = pipeline.field_bytes(field);
        Ok(Some(Scene {
            field,
            size: [width as usize, height as usize],
            buffer: gpu.buffer("depth", bytes, BufferKind::Download)?,
            filled: None,
        }))
    }

    /// Asks for the distances of the frame that was submitted last.
    pub(super) fn ask(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        self.filled = Some(simulation.download(&[(self.field, self.buffer.clone())])?);
        Ok(())
    }

    /// The place under a position in the picture; `None` over the sky, and before the first frame.
    pub(super) fn place(
        &self,
        simulation: &Simulation,
        camera: &Camera,
        at: [f64; 2],
    ) -> Result<Option<[f64; 3]>, RunError> {
        let Some(filled) = self.filled else {
            return Ok(None);
        };
        simulation.wait(Lane::Download, filled)?;
        let size = self.size.map(|side| side as f64);
        // Positions count upwards, and rows of pixels downwards.
        let pixel = [at[0] * size[0], (1.0 - at[1]) * size[1]];
        let pixel = [0, 1].map(|axis| pixel[axis].floor().clamp(0.0, size[axis] - 1.0));
        let number = pixel[0] as usize + self.size[0] * pixel[1] as usize;
        let bytes = self.buffer.bytes()?.chunks_exact(4).nth(number);
        let distance = bytes.and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
        let distance = distance
            .map(f32::from_le_bytes)
            .filter(|distance| *distance < FAR);
        Ok(distance.and_then(|distance| camera.place(pixel, size, f64::from(distance))))
    }
}
