//! The place in the scene that the pointer is over, from a depth channel.

use sastrugi::{Error, Input, Simulation, Snapshot};

use super::camera::Camera;

/// Distances from here on, m, are those of the sky.
const FAR: f32 = 1e9;

/// The newest distances of a picture.
pub(super) struct Scene(Snapshot);

impl Scene {
    /// For a pipeline that reads the place.
    pub(super) fn of(simulation: &Simulation) -> Result<Option<Scene>, Error> {
        let mut inputs = simulation
            .pipeline()
            .parameters()
            .iter()
            .map(|parameter| &parameter.input);
        let depth = inputs.find_map(|input| match input {
            Some(Input::Scene(field)) => Some(field),
            _ => None,
        });
        depth
            .map(|field| Ok(Scene(simulation.snapshot(field)?)))
            .transpose()
    }

    /// Asks for the distances of the frame that was submitted last.
    pub(super) fn ask(&mut self, simulation: &mut Simulation) -> Result<(), Error> {
        simulation.take(&mut self.0)
    }

    /// The place under a position in the picture; `None` over the sky, and before the first frame.
    pub(super) fn place(
        &self,
        simulation: &mut Simulation,
        camera: &Camera,
        at: [f64; 2],
    ) -> Result<Option<[f64; 3]>, Error> {
        let size = self.0.size().map(f64::from);
        // Positions count upwards, and rows of pixels downwards.
        let pixel = [at[0] * size[0], (1.0 - at[1]) * size[1]];
        let pixel = [0, 1].map(|axis| pixel[axis].floor().clamp(0.0, size[axis] - 1.0));
        let number = pixel[0] as usize + size[0] as usize * pixel[1] as usize;
        let distance = simulation.taken::<f32>(&self.0, number)?;
        let distance = distance.filter(|distance| *distance < FAR);
        Ok(distance.and_then(|distance| camera.place(pixel, size, f64::from(distance))))
    }
}
