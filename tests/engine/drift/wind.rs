//! The wind over a rough surface: its friction, and its eddy viscosity.

use sastrugi::run::Options;
use serde_json::{Value, json};

use super::super::common::{self, simulation::*};

/// A periodic layer of wind over a rough surface.
fn layer(cells: [usize; 3], dt: f64, [u, v, w]: [&str; 3], elevation: f64, parameters: &Value) -> Value {
    let face = |at: &str, values: &str| json!({"type": "float", "at": at, "border": ["repeat", "repeat", "clamp"], "values": values});
    let sides = json!(["periodic", "periodic", "closed"]);
    let mut file = json!({
        "run": {"dt": dt},
        "use": {"wind": {"module": "modules/rough_wind.json", "roles": {"grid": "air"}, "parameters": parameters}},
        "grids": {
            "air": {"cells": cells, "cell_size": 0.25, "levels": "all", "channels": {
                "u": face("face_x", u), "v": face("face_y", v), "w": face("face_z", w),
                "p": {"type": "float", "background": 0}, "cell_type": {"type": "uint", "background": 0}}},
            "ground": {"vertices": &cells[..2], "cell_size": 0.25, "channels": {
                "elevation": {"type": "float", "background": elevation}, "snow": {"type": "uint", "background": 0}}}
        },
        "init": ["wind.init"],
        "step": ["wind.step"]
    });
    file["use"]["wind"]["parameters"]["sides"] = json!({"low": sides, "high": sides});
    file
}

/// Wind that starts 20 % too slow over a rough surface, driven by the stress of u* = 0.4 m/s at its top: in the end the
/// friction of the surface and the slope of the profile give u* within 3 %, also where the surface cuts cells.
#[test]
#[ignore = "long: three winds of 2,000 steps"]
fn wind_over_a_rough_surface_has_the_prescribed_friction() {
    let Some(gpu) = common::gpu() else { return };
    for (lift, top) in [(0.0f64, 0.4f64), (0.1, 0.4), (0.0, 0.42)] {
        let parameters = json!({"top_friction": [top, 0], "roughness": 0.01, "mixing_length": 1000,
            "solver": {"max_iterations": 2}});
        let file = layer(
            [4, 2, 4],
            0.02,
            ["0.8 * ln(z / 0.01)", "0", "0"],
            lift,
            &parameters,
        );
        let mut sim = simulation(
            &gpu,
            pipeline_in(&root().join("pipelines"), &file),
            Options::PLAIN,
        );
        advance(&mut sim, 2000);
        let friction = f64::from(read_floats(&mut sim, "wind.ground.friction")[0]);
        let u = read_doubles(&mut sim, "air.u");
        let (low, high) = (u[8], u[24]);
        let slope = 0.4 * (high - low) / ((0.875 - lift) / (0.375 - lift)).ln();
        let close = |found: f64| (found / 0.4 - 1.0).abs() < 0.03;
        let wanted = top < 0.41;
        assert_eq!(
            (close(friction), close(slope)),
            (wanted, wanted),
            "{lift}, {top}: {friction}, {slope}"
        );
    }
}

/// Waves of two cells in fast wind with a large eddy viscosity grow, and with a bound of this viscosity they decay.
#[test]
#[ignore = "long: 400 steps of the wind, with and without the bound"]
fn bounded_eddy_viscosity_is_stable_in_fast_wind() {
    let Some(gpu) = common::gpu() else { return };
    for bounded in [true, false] {
        // u* = 0.4 m/s; at the top, 0.48 cells a step.
        let dt = 0.48 * 0.25 / (4e4f64).ln();
        let parameters = json!({"top_friction": [0.4, 0], "roughness": 1e-4, "mixing_length": 1000,
            "bounded": if bounded { "yes" } else { "no" }});
        let wave = "0.01 * cos(12.566371 * (x + y + z))";
        let file = layer([8, 4, 16], dt, ["ln(z / 1e-4)", wave, wave], 0.0, &parameters);
        let mut sim = simulation(
            &gpu,
            pipeline_in(&root().join("pipelines"), &file),
            Options::PLAIN,
        );
        advance(&mut sim, 400);
        let v = read_doubles(&mut sim, "air.v");
        let decays = v.iter().all(|v| v.abs() < 0.01);
        assert_eq!(
            decays,
            bounded,
            "{} m/s",
            v.iter().fold(0.0, |most: f64, v| most.max(v.abs()))
        );
    }
}
