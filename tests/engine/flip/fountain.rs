//! The fountain on its sparse grid against the same on a dense one.

use std::collections::BTreeMap;

use sastrugi::particles::live;

use super::*;

/// The fountain of `flip_fountain.json` with fewer cells, and a lid at 0.45 m that takes away what rises beyond it.
fn fountain(module: &str, changes: &Value) -> Value {
    let mut file = json!({
        "extends": "pipelines/flip_fountain.json",
        "use": {
            "water": {"module": module, "parameters": {"solver": {"rtol": 1e-6}}},
            "draw": {"parameters": {"size": [48, 32], "sun": {"pixels": 64}}}
        },
        "parameters": {"n": 12, "drain": {"high": [1.3, 1.3, 0.45]}}
    });
    for (key, value) in changes.as_object().unwrap() {
        file[key] = value.clone();
    }
    file
}

/// The places (m) of the particles that live, by their numbers.
fn water(simulation: &mut Simulation) -> BTreeMap<u32, [f64; 3]> {
    let words = |simulation: &mut Simulation, field: &str| common::words(&simulation.read(field).unwrap());
    let count = words(simulation, "matter_live")[live::COUNT] as usize;
    let numbers = words(simulation, "matter.number");
    let places = vectors(simulation, "matter.position");
    numbers.into_iter().zip(places).take(count).collect()
}

/// The root mean square of the distances (cells) between particles that both have.
fn apart(a: &BTreeMap<u32, [f64; 3]>, b: &BTreeMap<u32, [f64; 3]>) -> f64 {
    let both: Vec<_> = a
        .iter()
        .filter_map(|(number, place)| Some((place, b.get(number)?)))
        .collect();
    let square = |(a, b): &(&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
    12.0 * (both.iter().map(square).sum::<f64>() / both.len() as f64).sqrt()
}

#[test]
#[ignore = "long: 48 steps on a sparse grid, a dense one, and with less gravity"]
fn sparse_fountain_equals_dense_fountain() {
    let Some(gpu) = common::gpu() else { return };
    let end = |module: &str, changes: Value, gravity: f64| {
        let mut file = fountain(module, &changes);
        file["use"]["water"]["parameters"]["gravity"] = json!([0, 0, -gravity]);
        let mut simulation = simulation(&gpu, pipeline(&file, &[]), Options::PLAIN);
        let first = water(&mut simulation);
        for _ in 0..48 {
            advance(&mut simulation, 1);
        }
        (first, water(&mut simulation))
    };
    let dense = json!({
        "grids": {"tank": {"sparse": null, "levels": "all"}},
        "stages": {"request_jet": null},
        "init": ["mark_basin", "water.sort"],
        "step": ["water.step", "drain", {"remove": "matter", "where": "matter.spent"}, "jet"],
        "outputs": {"log": {"values": {"blocks": null}}}
    });
    let blocks = json!({"grids": {"tank": {"sparse": {"block": [4, 4, 4]}}}});
    let (first, here) = end("modules/liquid_sparse.json", blocks, 9.81);
    let (_, there) = end("modules/liquid.json", dense.clone(), 9.81);
    assert!(
        here.keys().eq(there.keys()),
        "{} and {} particles",
        here.len(),
        there.len()
    );
    let new = here.keys().filter(|number| !first.contains_key(number)).count();
    assert!(new > 20, "{new} particles of the jet are left");
    assert!(here.len() < first.len() + 48, "the lid took nothing away");
    // Both solve to 1e-6.
    let difference = apart(&here, &there);
    assert!(difference < 1e-3, "{difference} cells");
    let (_, lighter) = end("modules/liquid.json", dense, 9.0);
    let control = apart(&here, &lighter);
    assert!(control > 0.02, "control, less gravity: {control} cells");
}
