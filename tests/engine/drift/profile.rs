//! The friction of the wind over a rough surface, in a logarithmic profile.

use sastrugi::run::Options;
use serde_json::json;

use super::super::common::{self, simulation::*};

/// One step after u = (u* / 0.4) ln(z / roughness) the friction is u* = 0.4 m/s, also where the surface cuts cells. In a wind with
/// a fifth less it is a fifth less.
#[test]
fn friction_is_that_of_a_logarithmic_wind() {
    let Some(gpu) = common::gpu() else { return };
    for lift in [0.0, 0.1] {
        let friction = [1.0, 0.8].map(|scale| {
            let face = |at: &str, values: &str| {
                json!({"type": "float", "at": at, "border": ["repeat", "repeat", "clamp"], "values": values})
            };
            let sides =
                json!({"low": ["periodic", "periodic", "closed"], "high": ["periodic", "periodic", "closed"]});
            let file = json!({
                "run": {"dt": 0.001},
                "use": {"wind": {"module": "modules/rough_wind.json", "roles": {"grid": "air"}, "parameters": {
                    "sides": sides, "top_friction": [0.4 * scale, 0], "roughness": 0.01, "mixing_length": 1000,
                    "solver": {"max_iterations": 2}}}},
                "grids": {
                    "air": {"cells": [4, 2, 4], "cell_size": 0.25, "levels": "all", "channels": {
                        "u": face("face_x", &format!("{scale} * ln(max(z - {lift}, 0.02) / 0.01)")),
                        "v": face("face_y", "0"), "w": face("face_z", "0"),
                        "p": {"type": "float", "background": 0}, "cell_type": {"type": "uint", "background": 0}}},
                    "ground": {"vertices": [4, 2], "cell_size": 0.25, "channels": {
                        "elevation": {"type": "float", "background": lift}, "snow": {"type": "uint", "background": 0}}}
                },
                "init": ["wind.init"],
                "step": ["wind.step"]
            });
            let pipeline = pipeline_in(&root().join("pipelines"), &file);
            let mut sim = simulation(&gpu, pipeline, Options::PLAIN);
            advance(&mut sim, 1);
            f64::from(read_floats(&mut sim, "wind.ground.friction")[0])
        });
        for (found, wanted) in friction.into_iter().zip([0.4, 0.32]) {
            assert!((found / wanted - 1.0).abs() < 0.03, "{lift}: {friction:?}");
        }
    }
}
