//! Flows of the second-order scheme where the answer is known: vortices that decay, and heat between two walls.

use std::f64::consts::TAU;

use sastrugi::gpu::Gpu;
use sastrugi::spec::Document;
use serde_json::{Value, json};

use super::scene::Scene;
use super::{Measurement, Row};

/// Text of the page before the tables.
pub const ABOUT: &str = "\
The scenes are the shipped pipelines on small grids. `scripts/validate-flows` measures more, on finer grids: cavities, a
cylinder, a sphere, heat at higher Rayleigh numbers and vortices in space; [flows.md](flows.md#what-was-measured) has its table.

- *Taylor-Green vortices*: G. Taylor and A. Green, *Mechanism of the production of small eddies from large ones* (1937), in a
  periodic plane: u = -cos x sin y exp(-2 ν t), v = sin x cos y exp(-2 ν t), ν = 0.05, t = 2.
- *Heated cavity*: G. de Vahl Davis, *Natural convection of air in a square cavity: a bench mark numerical solution* (1983),
  Ra = 1000, Pr = 0.71.
";

/// Every measurement of flows with its title, in the order of the table.
pub const MEASUREMENTS: &[(&str, Measurement)] = &[
    ("Taylor-Green vortices", vortices),
    ("Heated cavity", heated_cavity),
];

const VISCOSITY: f64 = 0.05;
const END: f64 = 2.0;

/// A shipped pipeline without pictures and files, `steps` of `dt` later, with these values in its parameters.
fn later(gpu: &Gpu, pipeline: &str, changes: &[(&str, Value)], dt: f64, steps: usize) -> Scene {
    let path = crate::common::simulation::root().join("pipelines").join(pipeline);
    let mut file = Document::read(&path).unwrap().value();
    for key in ["frame", "outputs"] {
        file.as_object_mut().unwrap().remove(key);
    }
    file["use"].as_object_mut().unwrap().remove("drawing");
    file["grids"].as_object_mut().unwrap().remove("view");
    file["run"] = json!({"dt": dt, "steps_per_frame": 1, "frames": 1});
    for (name, value) in changes {
        let (parameters, name) = match name.strip_prefix("flow.") {
            Some(name) => (&mut file["use"]["flow"]["parameters"], name),
            None => (&mut file["parameters"], *name),
        };
        *name.split('.').fold(parameters, |group, key| &mut group[key]) = value.clone();
    }
    let mut scene = Scene::new(gpu, file);
    scene.steps(steps);
    scene
}

/// Vortices at the end, on n x n cells.
pub struct Vortices {
    n: usize,
    /// Over that at the start.
    energy: f64,
    /// Of u, m/s.
    largest_error: f64,
}

/// `viscosity` is over that of the closed form, and `upwind` 1 for the first-order scheme: 1 and 0, but for controls.
pub fn decayed(gpu: &Gpu, n: usize, viscosity: f64, upwind: u32) -> Vortices {
    let steps = n * 5 / 2;
    let changes = [
        ("n", json!(n)),
        ("flow.viscosity", json!(VISCOSITY * viscosity)),
        ("flow.scheme.upwind", json!(upwind)),
    ];
    let mut scene = later(gpu, "taylor_green.json", &changes, END / steps as f64, steps);
    let [u, v] = ["box.u", "box.v"].map(|field| scene.floats(field));
    assert_eq!(
        [u.len(), v.len()],
        [n * n; 2],
        "a periodic axis has as many faces as cells"
    );
    let squares: f64 = u.iter().chain(&v).map(|x| f64::from(*x).powi(2)).sum();
    let (h, decay) = (TAU / n as f64, (-2.0 * VISCOSITY * END).exp());
    let error = |(i, u): (usize, &f32)| {
        let (x, y) = ((i % n) as f64 * h, ((i / n) as f64 + 0.5) * h);
        (f64::from(*u) + x.cos() * y.sin() * decay).abs()
    };
    Vortices {
        n,
        energy: squares / (n * n) as f64 / 0.5,
        largest_error: u.iter().enumerate().map(error).fold(0.0, f64::max),
    }
}

/// Of vortices whose energy is compared with what it should be.
pub fn energy(vortices: &Vortices) -> Row {
    let h = TAU / vortices.n as f64;
    let expected = (-4.0 * VISCOSITY * END * (2.0 - 2.0 * h.cos()) / (h * h)).exp();
    Row::new(
        format!(
            "{0}²: |energy over that of central differences - 1| at {END} s",
            vortices.n
        ),
        (vortices.energy / expected - 1.0).abs(),
        1e-4,
        "differences of second order change this mode at the rate ν (2 - 2 cos h) / h² along each axis; what remains is the \
         error of the time steps, in velocity (2 ν dt)² / 2 of the first and 5/12 (2 ν dt)³ of each other one: 1e-5 at 16²; and \
         rounding",
    )
}

pub fn order(coarse: &Vortices, fine: &Vortices) -> Row {
    let order = (coarse.largest_error / fine.largest_error).log2();
    Row::new(
        format!(
            "order {order:.3} of the largest error of u between {}² and {}²: distance from 2",
            coarse.n, fine.n
        ),
        (order - 2.0).abs(),
        0.1,
        "the term of fourth order is 1 % of that of second order at 16², which changes the order by 0.02; five times that",
    )
}

fn vortices(gpu: &Gpu) -> Vec<Row> {
    let [coarse, fine] = [16, 32].map(|n| decayed(gpu, n, 1.0, 0));
    vec![energy(&coarse), energy(&fine), order(&coarse, &fine)]
}

/// The Nusselt number of a heated cavity with n x n cells: heat that enters through the warm wall. `lift` is over that of
/// the published case.
pub fn nusselt(gpu: &Gpu, n: usize, lift: f64) -> f64 {
    const PRANDTL: f64 = 0.71;
    const RAYLEIGH: f64 = 1000.0;
    // Four fifths of what is stable for diffusion in a plane by Adams and Bashforth's method.
    let dt = 0.8 / (8 * n * n) as f64;
    let changes = [
        ("n", json!(n)),
        ("rayleigh", json!(RAYLEIGH)),
        ("flow.heat.lift", json!([0, RAYLEIGH * PRANDTL * lift, 0])),
    ];
    let mut scene = later(gpu, "convection.json", &changes, dt, (0.3 / dt) as usize);
    let heat = scene.floats("box.heat");
    // Half a cell from the wall, whose temperature is 0.5; the wall is as long as it is far from the other one.
    let entering: f64 = heat.chunks_exact(n).map(|row| 0.5 - f64::from(row[0])).sum();
    2.0 * entering
}

pub fn beside_published(nusselt: f64) -> Row {
    Row::new(
        format!("Nusselt number {nusselt:.4}: relative distance from 1.118"),
        (nusselt / 1.118 - 1.0).abs(),
        0.005,
        "second order: (h Nu)² is 0.0012 for cells of h = 1/32 beside a layer of 1/Nu; four times that",
    )
}

fn heated_cavity(gpu: &Gpu) -> Vec<Row> {
    vec![beside_published(nusselt(gpu, 32, 1.0))]
}
