//! Drifting snow: balance to the unit, the closures of saltation, its growth with the fetch, and level sides.

mod obstacles;
mod profile;
mod saltation;
mod sublimation;
mod wind;

use sastrugi::run::{Options, Simulation};
use serde_json::{Value, json};

use super::common::{self, simulation::*};

const GRAVITY: f64 = 9.81;
const UNIT: f64 = 1e-8;

/// Wind over a bumpy surface, partly bare, into a domain whose ends are open; and drifting snow with suspension.
fn field(step: &Value) -> Value {
    let face = |at: &str, values: &str| json!({"type": "float", "at": at, "border": ["clamp", "repeat", "clamp"], "values": values});
    json!({
        "run": {"dt": 0.02},
        "use": {
            "wind": {"module": "modules/rough_wind.json", "roles": {"grid": "air"}, "parameters": {
                "sides": {"low": ["closed", "periodic", "closed"], "high": ["open", "periodic", "closed"]},
                "snow_unit": "drift.snow_unit"}},
            "drift": {"module": "modules/drift.json", "roles": {"grid": "wind.grid", "ground": "wind.ground"}, "after": ["wind"],
                "parameters": {"suspended": "yes", "inflow": 0.5, "fetch": 0.5, "speed_up": 100, "slide_every": 2,
                    "sides": {"low": ["open", "periodic", "closed"], "high": ["open", "periodic", "closed"]}}}
        },
        "grids": {
            "air": {"cells": [12, 4, 6], "cell_size": 0.5, "levels": "all", "channels": {
                "u": face("face_x", "3 * ln(z / 1e-4) * (1 + 0.3 * sin(2 * x + y))"), "v": face("face_y", "3 * sin(x + 2 * z)"),
                "w": face("face_z", "2 * cos(x + y)"),
                "p": {"type": "float", "background": 0}, "cell_type": {"type": "uint", "background": 0}}},
            "ground": {"vertices": [12, 4], "cell_size": 0.5, "channels": {
                "elevation": {"type": "float", "values": "0.3 + 0.3 * sin(2 * x)"},
                "snow": {"type": "uint", "values": "floor(50000000 * max(sin(x + 3 * y), 0))"}}}
        },
        "init": ["wind.init", "wind.friction"],
        "step": step
    })
}

fn sum(sim: &mut Simulation, name: &str) -> u64 {
    read_words(sim, name).into_iter().map(u64::from).sum()
}

fn counted(sim: &mut Simulation, name: &str) -> u64 {
    let words = read_words(sim, name);
    u64::from(words[0]) + (u64::from(words[1]) << 32)
}

/// Units on the ground, in the air and gone, and those that came in.
fn balance(sim: &mut Simulation) -> (u64, u64) {
    let there = sum(sim, "ground.snow") + sum(sim, "drift.ground.salt") + sum(sim, "drift.grid.suspended");
    (there + counted(sim, "drift.gone"), counted(sim, "drift.come"))
}

/// In every step, ground + saltation + suspension + gone = before + come: not one unit is lost while all of them change. A
/// unit that another stage takes away is found.
#[test]
fn every_unit_of_drifting_snow_is_counted() {
    let Some(gpu) = common::gpu() else { return };
    for planted in [false, true] {
        let mut file = field(&json!(["drift.step"]));
        if planted {
            file["step"] = json!(["drift.step", {"stage": "lose", "over": "ground", "reads": ["drift.ground.salt"],
                "writes": ["drift.ground.salt"]}]);
        }
        let body = "void stage(ivec2 v) { set_drift_ground_salt(v, drift_ground_salt(v) - uint(clock.step == 9u && v == ivec2(3, 1))); }";
        let pipeline = resolve(&root().join("pipelines"), &file, &kernels(&[("lose.comp", body)])).unwrap();
        let mut sim = simulation(&gpu, pipeline, if planted { Options::PLAIN } else { CHECKED });
        advance(&mut sim, 1);
        let (start, came) = balance(&mut sim);
        let before = start - came;
        for step in 2..=40 {
            advance(&mut sim, 1);
            let (there, came) = balance(&mut sim);
            assert_eq!(
                there - came + u64::from(planted && step >= 10),
                before,
                "step {step}"
            );
        }
        if !planted {
            let moved = ["drift.grid.suspended", "drift.ground.salt"].map(|name| sum(&mut sim, name));
            assert!(moved.iter().all(|&units| units > 100_000), "{moved:?}");
            assert!(counted(&mut sim, "drift.gone") > 100_000 && counted(&mut sim, "drift.come") > 100_000);
            advance(&mut sim, 1000);
            let (there, came) = balance(&mut sim);
            assert_eq!(there - came, before);
        }
    }
}

/// kg / (m s), from the papers.
fn saturated(closure: &str, friction: f64, threshold: f64) -> f64 {
    let r = threshold / friction;
    match closure {
        _ if r >= 1.0 => 0.0,
        "sorensen" => 1.2 / GRAVITY * friction.powi(3) * (1.0 - r * r) * (2.6 + 2.0 * r + 2.5 * r * r),
        _ => 0.68 * 1.2 / GRAVITY * r * (friction.powi(2) - threshold.powi(2)),
    }
}

/// A row of vertices with friction velocities of 0.02 m/s to 1.2 m/s exchanges snow with its ground, without moving it.
fn fluxes(gpu: &sastrugi::gpu::Gpu, parameters: &Value) -> Vec<f64> {
    let mut given = json!({"threshold": {"fresh": 0.2, "hard": 0.2}, "fetch": 1});
    for (key, value) in parameters.as_object().unwrap() {
        given[key] = value.clone();
    }
    let file = json!({
        "run": {"dt": 0.05},
        "use": {"drift": {"module": "modules/drift.json", "parameters": given}},
        "grids": {"ground": {"vertices": [60, 2], "cell_size": 1, "channels": {
            "elevation": {"type": "float", "background": 0}, "snow": {"type": "uint", "background": 1_000_000_000},
            "friction": {"type": "vec2", "values": ["0", "0.02 * (x + 1)"]}}}},
        "step": ["drift.exchange"]
    });
    let mut sim = simulation(gpu, pipeline_in(&root().join("pipelines"), &file), Options::PLAIN);
    advance(&mut sim, 600);
    read_words(&mut sim, "drift.ground.salt")[..60]
        .iter()
        .map(|&units| f64::from(units) * UNIT)
        .collect()
}

/// After 17 times the time of saturation, the flux is that of the closure. One unit of 1e-8 kg/m^2 at 0.56 m/s is 6e-9
/// kg/(m s), and rounding to units leaves a few of them. Below the threshold nothing moves. The other closure is far off.
#[test]
fn flux_of_saltation_is_that_of_its_closure() {
    let Some(gpu) = common::gpu() else { return };
    for closure in ["sorensen", "pomeroy_gray"] {
        let masses = fluxes(&gpu, &json!({"closure": closure}));
        let apart = |closure: &str| {
            let each = masses.iter().enumerate().map(|(i, mass)| {
                let wanted = saturated(closure, 0.02 * (i + 1) as f64, 0.2);
                (mass * 2.8 * 0.2 - wanted).abs() / (1e-5 * wanted + 1e-7)
            });
            each.fold(0.0, f64::max)
        };
        assert!(apart(closure) < 1.0, "{closure}: {}", apart(closure));
        let other = if closure == "sorensen" {
            "pomeroy_gray"
        } else {
            "sorensen"
        };
        assert!(apart(other) > 1000.0);
        assert!(
            masses[..10].iter().all(|&mass| mass == 0.0),
            "below 0.2 m/s: {:?}",
            &masses[..10]
        );
        assert!(masses[11..].iter().all(|&mass| mass > 0.0));
    }
}

/// Snow hardens over 1000 s or 10 s, and is 30 s old at the end. (Little falls: it would make the surface fresh.)
#[test]
fn threshold_grows_as_snow_ages() {
    let Some(gpu) = common::gpu() else { return };
    for hardening in [1000.0f64, 10.0] {
        let masses = fluxes(
            &gpu,
            &json!({"threshold": {"fresh": 0.2, "hard": 0.6, "hardening": hardening},
            "crust": 1e9, "fetch": 0.1, "drop": 0.1}),
        );
        let threshold = 0.2 + 0.4 * (1.0 - (-30.0 / hardening).exp());
        let first = (threshold / 0.02) as usize;
        assert!(
            masses[..first - 1].iter().all(|&mass| mass < 5.0 * UNIT),
            "{hardening}: {masses:?}"
        );
        let flux = masses[first + 4] * 2.8 * threshold;
        let wanted = saturated("sorensen", 0.02 * (first + 5) as f64, threshold);
        assert!(
            (flux / wanted - 1.0).abs() < 0.02,
            "{hardening}: {flux}, {wanted}"
        );
    }
}

/// Over a field that begins at x = 0, the flux grows as 1 - exp(-x / fetch). The upwind scheme is of first order: with
/// h / fetch = 1/20 it is within 3 %. A fetch 10 % longer is not.
#[test]
fn flux_grows_with_the_fetch() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 0.25},
        "use": {"drift": {"module": "modules/drift.json", "parameters": {"fetch": 5, "slide_every": 0}}},
        "grids": {"ground": {"vertices": [80, 2], "cell_size": 0.25, "channels": {
            "elevation": {"type": "float", "background": 0}, "snow": {"type": "uint", "background": 4_000_000_000u32},
            "friction": {"type": "vec2", "values": ["0.4", "0"]}}}},
        "step": ["drift.step"]
    });
    let mut sim = simulation(&gpu, pipeline_in(&root().join("pipelines"), &file), CHECKED);
    advance(&mut sim, 500);
    let salt = read_words(&mut sim, "drift.ground.salt");
    let apart = |fetch: f64| {
        let each = (8..80).map(|i| {
            let wanted = saturated("sorensen", 0.4, 0.2) * (1.0 - (-(i as f64 + 0.5) * 0.25 / fetch).exp());
            (f64::from(salt[i]) * UNIT * 2.8 * 0.2 / wanted - 1.0).abs()
        });
        each.fold(0.0, f64::max)
    };
    assert!(apart(5.0) < 0.03, "{}", apart(5.0));
    assert!(apart(5.5) > 0.05, "{}", apart(5.5));
}

/// Ground towards the sides becomes level; inside the margin it stays as it is.
#[test]
fn ground_is_levelled_towards_its_sides() {
    let Some(gpu) = common::gpu() else { return };
    for margin in [[6.0f64, 3.0], [6.0, 0.0]] {
        let file = json!({
            "run": {"dt": 1},
            "grids": {"ground": {"vertices": [20, 12], "cell_size": 1.5, "channels": {
                "elevation": {"type": "float", "values": "7 + sin(x) + y"}}}},
            "step": [{"stage": "level_sides", "shader": "drift/level_sides.comp", "over": "ground",
                "arguments": {"floor": 2, "margin": margin}}]
        });
        let pipeline = resolve(&root().join("pipelines"), &file, &kernels(&[])).unwrap();
        let mut sim = simulation(&gpu, pipeline, CHECKED);
        advance(&mut sim, 1);
        let found = read_floats(&mut sim, "ground.elevation");
        let mut kept = 0;
        for (at, found) in found.iter().enumerate() {
            let (x, y) = ((at % 20) as f64, (at / 20) as f64);
            let inside = |at: f64, count: f64, margin: f64| {
                let part = (1.5 * (at + 0.5).min(count - at - 0.5) / margin.max(1e-3)).min(1.0);
                part * part * (3.0 - 2.0 * part)
            };
            let part = inside(x, 20.0, margin[0]) * inside(y, 12.0, margin[1]);
            let ground = 7.0 + (1.5 * x).sin() + 1.5 * y;
            let wanted = 2.0 + part * (ground - 2.0);
            assert!(
                (f64::from(*found) - wanted).abs() < 1e-5,
                "({x}, {y}): {found}, not {wanted}"
            );
            kept += usize::from(part == 1.0);
        }
        assert!(kept >= 12 * 8, "{kept} vertices are as they were");
    }
}

/// Values that cannot be are told before anything runs, with what to change.
#[test]
fn bad_values_of_drift_are_told_with_what_to_change() {
    let mut plain = None;
    for (setting, help) in [
        (
            "drift.threshold.fresh=-0.1",
            "a friction velocity cannot be negative",
        ),
        ("fence.at=500", "change fence.at or fence.height"),
        ("top=1", "change fence.at or fence.height"),
        ("drift.fetch=0", "the length of saturation must be positive"),
        ("drift.crust=0", "some mass makes the surface fresh"),
        ("run.dt=1", "choose shorter steps"),
        (
            "run.dt=0.02",
            "the wind becomes unstable: choose shorter steps (run.dt)",
        ),
        ("fence.gap=3", "lower fence.gap, or raise fence.top"),
        (
            "roughness=0.2",
            "far below the size of a cell: choose larger cells",
        ),
        ("roughness=0", "ln(top / roughness)` is inf, not a finite number"),
        ("wind.mixing_length=0", "choose 0.1 cells or more"),
    ] {
        let told = |more: &[&str]| {
            let output = common::start()
                .current_dir(root())
                .args(["check", "pipelines/drift_fence.json"])
                .args(more)
                .output()
                .unwrap();
            let text =
                [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            text.concat()
        };
        assert!(told(&["--set", setting]).contains(help), "{setting}");
        let plain = plain.get_or_insert_with(|| told(&[]));
        assert!(!plain.contains(help), "control: {help}");
    }
}
