//! A checked run on ranks finds races of elements on both sides of a cut, and accesses beyond the halo.

use serde_json::json;

use super::*;

/// The fault of one rank, and those of two, after two steps of one kernel. The cut is between planes 4 and 5.
fn faults(gpu: &Gpu, kernel: &str) -> (Option<String>, Vec<Option<String>>) {
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": [4, 4, 10], "cell_size": 1, "channels": {
            "a": {"type": "float", "border": "clamp", "background": 0}, "b": {"type": "float", "border": "clamp"}}}},
        "step": [{"stage": "act", "over": "g", "reads": ["g.a"], "writes": ["g.b"]}]
    });
    let pipeline = pipeline(&file, &[("act", kernel)]);
    let run = |ranks: Option<Ranks>| {
        let mut pipeline = pipeline.clone();
        if let Some(ranks) = &ranks {
            pipeline
                .cut(&CutRequest::default(), ranks.rank(), 2)
                .unwrap_or_else(|uncut| panic!("{uncut:?}"));
        }
        let options = Options {
            races: true,
            ..CHECKED
        };
        let mut simulation = start(gpu, pipeline, options, Arc::new(NoProbe), ranks);
        for _ in 0..2 {
            simulation.step(false).unwrap();
        }
        simulation.finish().unwrap();
        simulation.fault().unwrap().map(|fault| fault.to_string())
    };
    let alone = run(None);
    let run = &run;
    let of_ranks = thread::scope(|scope| {
        let threads: Vec<_> = (Ranks::threads(2).into_iter())
            .map(|ranks| scope.spawn(move || run(Some(ranks))))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    (alone, of_ranks)
}

const NEAR_B: &str = "#pragma reach g_b 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {";

#[test]
fn races_across_a_cut_are_found() {
    let Some(gpu) = common::gpu() else { return };
    // The last plane before the cut also writes into the first one behind it.
    let across = format!("{NEAR_B} set_g_b(i, 1.0); if (i.z == 4) set_g_b(i + ivec3(0, 0, 1), 2.0); }}");
    let (alone, found) = faults(&gpu, &across);
    eprintln!("{alone:?} {found:?}");
    let named = found.iter().flatten();
    assert!(
        named.clone().count() > 0
            && named
                .clone()
                .all(|text| text.contains("`g.b`") && text.contains("race")),
        "{found:?}"
    );
    // One writer for each element.
    let apart =
        format!("{NEAR_B} if (i.z != 5) set_g_b(i, 1.0); if (i.z == 4) set_g_b(i + ivec3(0, 0, 1), 2.0); }}");
    assert_eq!(faults(&gpu, &apart), (None, vec![None, None]));
}

#[test]
fn accesses_beyond_the_halo_are_found() {
    let Some(gpu) = common::gpu() else { return };
    let read = |reach: u32| {
        let near = format!("#pragma reach g_a {reach}\n#include \"stage.glsl\"\n");
        near + "void stage(ivec3 i) { set_g_b(i, i.z < 8 ? g_a(i + ivec3(0, 0, 2)) : 0.0); }"
    };
    let (_, found) = faults(&gpu, &read(1));
    assert!(
        found
            .iter()
            .flatten()
            .any(|text| text.contains("`g.a`") && text.contains("1 cell")),
        "{found:?}"
    );
    assert_eq!(faults(&gpu, &read(2)), (None, vec![None, None]));
}
