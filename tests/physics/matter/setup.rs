//! Scenes of matter: a shipped pipeline with other particles, another grid and other solids, without pictures.

use sastrugi::gpu::Gpu;
use sastrugi::spec::Document;
use serde_json::{Value, json};

use super::super::scene::Scene;

/// Three entries of the buffer `colliders`: see shaders/mpm/colliders.glsl.
pub type Solid = [[f64; 4]; 3];

pub const STICK: f64 = 0.0;
pub const SEPARATE: f64 = 2.0;

/// Half a space that is solid: below `at` (m) along an axis. Contact without friction.
pub fn wall(axis: usize, at: f64, contact: f64) -> Solid {
    let along = |value: f64| std::array::from_fn(|k| if k == axis { value } else { 0.0 });
    [[0.0, contact, 0.0, 0.0], along(at), along(1.0)]
}

/// Takes the component along an axis from the velocity of every node. Where all particles have one place along that
/// axis, they stay there, and nothing depends on it: with one axis still that is plane strain, with two it is strain in
/// one direction, and both exactly, since no wall beside the matter leaves it a surface.
pub fn still(axis: usize) -> Solid {
    const SLIP: f64 = 1.0;
    wall(axis, 1e6, SLIP)
}

/// Cells of a grid of which particles use one layer: the three whose nodes share them.
pub const LAYER: usize = 3;

/// Position of that layer, for cells of that side (m).
pub fn layer(cell: f64) -> f64 {
    1.5 * cell
}

/// Changes of a scene to its pipeline. SI units.
pub struct Setup<'a> {
    pub pipeline: &'a str,
    pub cells: [usize; 3],
    pub cell: f64,
    pub dt: f64,
    /// Merged into the parameters of the pipeline's modules, module by module.
    pub parameters: Value,
    pub solids: Vec<Solid>,
}

impl Setup<'_> {
    /// Starts particles at these places with these velocities.
    pub fn start(&self, gpu: &Gpu, places: &[[f64; 3]], velocities: &[[f64; 3]]) -> Scene {
        let path = crate::common::simulation::root()
            .join("pipelines")
            .join(self.pipeline);
        let mut file = Document::read(&path).unwrap().value();
        for key in ["frame", "outputs"] {
            file.as_object_mut().unwrap().remove(key);
        }
        let init = file["init"].as_array_mut().unwrap();
        init.retain(|entry| entry.as_str().is_some_and(|name| name.ends_with(".init")));
        file["run"] = json!({"dt": self.dt, "steps_per_frame": 1, "frames": 1});
        for (module, values) in self.parameters.as_object().unwrap() {
            for (key, value) in values.as_object().unwrap() {
                file["use"][module]["parameters"][key] = value.clone();
            }
        }
        file["grids"]["nodes"]["cells"] = json!(self.cells);
        file["grids"]["nodes"]["cell_size"] = json!(self.cell);
        let matter = &mut file["particles"]["matter"];
        matter["count"] = json!(places.len());
        for name in ["position", "velocity"] {
            matter["attributes"][name] = json!({"type": "vec3", "background": 0});
        }
        file["buffers"]["colliders"]["values"] = json!(self.solids.as_flattened());
        let mut scene = Scene::new(gpu, file);
        for (field, values) in [("matter.position", places), ("matter.velocity", velocities)] {
            let values: Vec<[f32; 3]> = values.iter().map(|v| v.map(|x| x as f32)).collect();
            scene.write_vectors(field, &values);
        }
        scene
    }
}

/// Of all particles by their numbers, in double precision: steps sort particles.
pub fn doubles<const N: usize>(scene: &mut Scene, field: &str) -> Vec<[f64; N]> {
    let values = scene.vectors::<N>(field);
    let mut ordered = vec![[f64::NAN; N]; values.len()];
    for (number, value) in scene.words("matter.number").into_iter().zip(values) {
        ordered[number as usize] = value.map(f64::from);
    }
    ordered
}

/// Numbers of contributions and nodes beyond the fixed-point range: 0 in a healthy run.
pub fn outside(scene: &mut Scene) -> usize {
    scene
        .words("transfer.counters")
        .into_iter()
        .map(|n| n as usize)
        .sum()
}

/// A lattice of `counts` points, `spacing` (m) apart, the first half of that from `low`.
pub fn lattice(counts: [usize; 3], spacing: f64, low: [f64; 3]) -> Vec<[f64; 3]> {
    let [nx, ny, nz] = counts;
    (0..nx * ny * nz)
        .map(|i| [i % nx, i / nx % ny, i / nx / ny])
        .map(|at| std::array::from_fn(|axis| low[axis] + (at[axis] as f64 + 0.5) * spacing))
        .collect()
}

/// First crossing of a value by a series, interpolated linearly; `None` if there is none.
pub fn reaches(series: &[(f64, f64)], value: f64) -> Option<f64> {
    series.windows(2).find_map(|pair| {
        let [(t0, x0), (t1, x1)] = [pair[0], pair[1]];
        let crosses = (x0 < value) != (x1 < value);
        crosses.then(|| t0 + (t1 - t0) * (value - x0) / (x1 - x0))
    })
}
