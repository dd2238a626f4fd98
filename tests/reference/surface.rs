//! Twin of shaders/snow/surface.glsl.

use super::{Ground, lattice};

impl Ground {
    pub fn vertex_surface(&self, vertex: [usize; 2], snow_unit: f32) -> f32 {
        let i = self.index(vertex);
        self.elevation[i] + self.snow[i] as f32 * snow_unit
    }

    /// Terrain plus snow, bilinear between vertices, level beyond the edge, m.
    pub fn surface_height(&self, world: [f32; 2], snow_unit: f32) -> f32 {
        let at = self.coordinates(world);
        lattice::bilinear(|v| self.vertex_surface(v, snow_unit), self.vertices, at)
    }
}
