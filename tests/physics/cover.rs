//! Measurements of the snow cover: totals and slopes.

use sastrugi::gpu::Gpu;
use serde_json::json;

use super::super::reference::smooth_snow::Sliding;
use super::Row;
use super::checks::*;
use super::scene::{Scene, hills};
use super::wind::heaps;

/// The sliding rule of a scene, as its shader gets it.
pub fn rule(scene: &Scene) -> Sliding {
    Sliding {
        snow_unit: scene.parameter("snow_unit") as f32,
        retained: scene.parameter("snow.retained") as f32,
        k: scene.parameter("snow.mobility") as f32,
        tan_repose: scene.parameter("snow.repose").to_radians().tan() as f32,
    }
}

/// Snow on the ground against flakes landed, step by step and within a step.
pub fn totals(gpu: &Gpu) -> Vec<Row> {
    const WHY: &str = "exact: whole units";
    let mut file = hills();
    file["parameters"]["flakes"]["count"] = json!(20_000);
    file["parameters"]["flakes"]["units"] = json!(643); // no multiple of 16: leaves a remainder
    let mut scene = Scene::new(gpu, file);
    let units = 643;
    let mut wrong = 0;
    let mut landed = 0;
    for _ in 0..10 {
        scene.steps(15);
        landed = u64::from(scene.words("counters")[0]);
        wrong += usize::from(total(&scene.words("ground.snow")) != units * landed);
        wrong += usize::from(total(&scene.words("ground.fresh")) != 0);
    }
    assert!(landed > 1000, "only {landed} flakes landed");
    let mut rows = vec![
        Row::none(
            format!("samples in 150 steps in which snow is not {units} x {landed} landed flakes"),
            wrong,
            WHY,
        ),
        Row::none(
            "flakes lost (values not finite)",
            scene.words("counters")[3] as usize,
            "0 in a correct run",
        ),
    ];
    // One step, stage by stage, with heaps that slide and every other flake landing.
    let vertices = scene.ground().snow.len();
    let snow = heaps(vertices, 3000);
    scene.write_words("ground.snow", snow.clone());
    let mut flakes = scene.flakes();
    flakes.position.iter_mut().step_by(2).for_each(|p| p[2] = -50.0);
    scene.write_vectors("flakes.position", &flakes.position);
    let before = u64::from(scene.words("counters")[0]);
    scene.alone("deposit");
    let landed = u64::from(scene.words("counters")[0]) - before;
    let fresh = total(&scene.words("ground.fresh"));
    rows.push(Row::none(
        format!("deposit: fresh snow is not {units} x {landed} flakes"),
        usize::from(fresh != units * landed || landed < 9000),
        WHY,
    ));
    scene.alone("smooth_snow");
    let next = scene.words("ground.snow_next");
    rows.push(Row::none(
        format!(
            "smooth_snow: {} vertices change; change of the total",
            mismatches(&next, &snow)
        ),
        usize::from(total(&next) != total(&snow) || mismatches(&next, &snow) < 100),
        WHY,
    ));
    scene.alone("settle_snow");
    let settled = total(&scene.words("ground.snow"));
    rows.push(Row::none(
        "settle_snow: the total is not slid + fresh snow",
        usize::from(settled != total(&snow) + fresh),
        WHY,
    ));
    rows
}

/// Sliding until nothing moves, on 64 x 64 vertices of rock that is partly steeper than snow can stand.
pub fn rest(gpu: &Gpu) -> Vec<Row> {
    let mut file = hills();
    file["grids"]["ground"]["vertices"] = json!([64, 64]);
    file["init"] = json!([]);
    let sliding = |entry: &serde_json::Value| {
        entry["stage"]
            .as_str()
            .or(entry.as_str())
            .is_some_and(|name| ["smooth_snow", "settle_snow"].contains(&name))
    };
    file["step"].as_array_mut().unwrap().retain(sliding);
    let mut scene = Scene::new(gpu, file);
    let rule = rule(&scene);
    scene.write_words("ground.snow", heaps(64 * 64, 6000));
    let first = scene.ground();
    let (steepest_before, _) = steepest_excess(&first, &rule);
    // Each of the 8 directions gets its turn within 200 steps: it misses with probability (7/8)^200.
    let mut still = first.snow.clone();
    let mut taken = None;
    for block in 0..500 {
        scene.steps(200);
        let snow = scene.words("ground.snow");
        if snow == still {
            taken = Some(200 * block);
            break;
        }
        still = snow;
    }
    let last = scene.ground();
    let (steepest, pairs) = steepest_excess(&last, &rule);
    let taken = taken.map_or(f64::INFINITY, f64::from);
    vec![
        Row::new(
            "steps until nothing moves",
            taken,
            100_000.0,
            "it must end: see snow.md",
        ),
        Row::new(
            format!(
                "largest excess over the angle of repose of {pairs} pairs above m (initially {steepest_before:.0}), units"
            ),
            steepest,
            1.0 / f64::from(rule.k) + 0.05,
            "1/k = 8 units, plus 0.05 for about ten roundings of heights near 30 m (2e-6 m each, in units of 1e-3 m)",
        ),
        Row::none(
            "units of snow lost or gained",
            total(&last.snow).abs_diff(total(&first.snow)) as usize,
            "exact: whole units",
        ),
    ]
}
