//! Position in the scene under the pointer, from a depth channel.

use sastrugi::{Error, Input, Simulation, Snapshot};

use super::camera::Camera;

/// Minimum depth of the sky, m.
const FAR: f32 = 1e9;

/// Depths of the newest frame.
pub(super) struct Scene(Snapshot);

impl Scene {
    /// `None` unless a parameter of the pipeline has the input `scene`.
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

    /// Requests the depths of the last submitted frame.
    pub(super) fn ask(&mut self, simulation: &mut Simulation) -> Result<(), Error> {
        simulation.take(&mut self.0)
    }

    /// Position in the scene at a position in the picture; `None` for the sky, and before the first frame.
    pub(super) fn place(
        &self,
        simulation: &mut Simulation,
        camera: &Camera,
        at: [f64; 2],
    ) -> Result<Option<[f64; 3]>, Error> {
        let size = self.0.size().map(f64::from);
        // Positions have y upwards; rows of pixels count downwards.
        let pixel = [at[0] * size[0], (1.0 - at[1]) * size[1]];
        let pixel = [0, 1].map(|axis| pixel[axis].floor().clamp(0.0, size[axis] - 1.0));
        let number = pixel[0] as usize + size[0] as usize * pixel[1] as usize;
        let distance = simulation.taken::<f32>(&self.0, number)?;
        let distance = distance.filter(|distance| *distance < FAR);
        Ok(distance.and_then(|distance| camera.place(pixel, size, f64::from(distance))))
    }
}
