//! What reads beyond a border give: every index within a period of it, dense and sparse, of cells in 3-D and 2-D, pixels and
//! vertices.

use sastrugi::run::fault::FaultKind;

use super::twin::Border;
use super::*;

const BORDERS: [Border; 5] = [
    Border::Background(-2.5),
    Border::Clamp,
    Border::Repeat,
    Border::Symmetric,
    Border::Antisymmetric,
];

/// All indices less than a period away.
pub(super) fn around(size: [u64; 3], axes: usize) -> Vec<[i64; 3]> {
    let range = |axis: usize| {
        if axis < axes {
            -(size[axis] as i64)..2 * size[axis] as i64
        } else {
            0..1
        }
    };
    let mut places = Vec::new();
    for z in range(2) {
        for y in range(1) {
            // Long rows: the ends alone.
            let n = size[0] as i64;
            places.extend(
                range(0)
                    .filter(|x| n < 9 || *x < 2 - n || *x >= 2 * n - 2 || (x.rem_euclid(n) + 2) % n < 4)
                    .map(|x| [x, y, z]),
            );
        }
    }
    places
}

pub(super) fn list(places: &[[i64; 3]], axes: usize) -> Value {
    places.iter().map(|place| json!(place[..axes])).collect()
}

/// A stage that reads channel `c` of a grid `g` at places of a buffer, and with another value for what is not there.
fn probe(lattice: Value, places: &[[i64; 3]], axes: usize) -> Value {
    json!({
        "run": {"dt": 1},
        "grids": {"g": lattice},
        "buffers": {
            "places": {"type": format!("ivec{axes}"), "values": list(places, axes)},
            "seen": {"type": "float", "length": places.len()},
            "other": {"type": "float", "length": places.len()}
        },
        "step": [{"stage": "probe", "over": "places", "reads": ["g.c", "places"], "writes": ["seen", "other"]}]
    })
}

const PROBE: (&str, &str) = (
    "probe.comp",
    "void stage(uint i) { set_seen(i, g_c(places(i))); set_other(i, g_c(places(i))); }",
);
/// Of grids, what is read of a cell that is not there may be chosen.
const PROBE_CELLS: (&str, &str) = (
    "probe.comp",
    "void stage(uint i) { set_seen(i, g_c(places(i))); set_other(i, g_c(places(i), 99.0)); }",
);

fn channel(border: Border) -> Value {
    json!({"c": {"type": "float", "border": border.key(), "background": -2.5}})
}

#[test]
fn out_of_range_reads_follow_the_border_mode() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(6, 60);
    for options in [CHECKED, Options::PLAIN] {
        for border in BORDERS {
            for axes in [2, 3] {
                for size in SIZES {
                    if sweep.skips() {
                        continue;
                    }
                    let size: [u64; 3] = std::array::from_fn(|axis| if axis < axes { size[axis] } else { 1 });
                    let places = around(size, axes);
                    let grid = json!({"cells": size[..axes], "cell_size": 1, "channels": channel(border)});
                    let file = probe(grid, &places, axes);
                    let mut sim = simulation(&gpu, &file, &[PROBE_CELLS], options);
                    let twin = fill_random(&mut sim, "g.c", size, 1);
                    sim.step(false).unwrap();
                    assert_no_fault(&mut sim);
                    let wanted: Vec<f32> = places
                        .iter()
                        .flat_map(|place| twin.read(*place, border))
                        .collect();
                    let what = format!("{border:?} of {size:?}");
                    assert_same(&read_floats(&mut sim, "seen"), &wanted, &what);
                    // The caller's value replaces the background only.
                    let other: Vec<f32> = (wanted.iter())
                        .map(|value| if *value == -2.5 { 99.0 } else { *value })
                        .collect();
                    assert_same(&read_floats(&mut sim, "other"), &other, &what);
                }
            }
        }
    }
}

#[test]
fn pixels_and_vertices_have_borders() {
    let Some(gpu) = common::gpu() else { return };
    let size = [9, 7, 1];
    let places = around(size, 2);
    for border in BORDERS {
        let pixels = json!({"pixels": [9, 7], "channels": channel(border)});
        let png = crate::common::simulation::root().join("tests/data/bad_specs/grey.png");
        let mut channels = channel(border);
        let model = json!({"file": png, "metres_per_pixel": [1, 1], "metres_per_level": 1});
        channels["h"] = json!({"type": "float", "values": model});
        let vertices = json!({"vertices": [9, 7], "channels": channels});
        for (what, lattice) in [("pixels", pixels), ("vertices", vertices)] {
            let file = probe(lattice, &places, 2);
            let mut sim = simulation(&gpu, &file, &[PROBE], CHECKED);
            let mut twin = fill_random(&mut sim, "g.c", size, 1);
            twin.ends = [what == "vertices"; 3];
            sim.step(false).unwrap();
            assert_no_fault(&mut sim);
            let wanted: Vec<f32> = places
                .iter()
                .flat_map(|place| twin.read(*place, border))
                .collect();
            assert_same(&read_floats(&mut sim, "seen"), &wanted, what);
        }
    }
}

/// A sparse grid of which the blocks in the middle of x are active; cells hold their number.
fn sparse(border: Option<Border>, places: &[[i64; 3]]) -> Value {
    let mut channels = json!({"c": {"type": "float", "background": -2.5}});
    if let Some(border) = border {
        channels["c"]["border"] = json!(border.key());
    }
    let grid = json!({"cells": [40, 17, 9], "cell_size": 1,
        "sparse": {"block": [8, 8, 8], "latency": 0, "keep": "always"}, "channels": channels});
    let mut file = probe(grid, places, 3);
    file["init"] = json!([
        {"stage": "ask", "over": 6120, "requests": ["g"]},
        {"update_grid": "g"},
        {"stage": "number", "over": "g", "writes": ["g.c"]}
    ]);
    file
}

const ASK: (&str, &str) = (
    "ask.comp",
    "void stage(uint i) {
        ivec3 cell = ivec3(i % 40u, i / 40u % 17u, i / 680u);
        if (cell.x < 16 || cell.x >= 32) request_g(cell);
    }",
);
const NUMBER: (&str, &str) = (
    "number.comp",
    "void stage(ivec3 cell) { set_g_c(cell, float((cell.z * 17 + cell.y) * 40 + cell.x)); }",
);

#[test]
fn sparse_border_applies_before_block_lookup() {
    let Some(gpu) = common::gpu() else { return };
    let size = [40, 17, 9];
    let mut places: Vec<[i64; 3]> = Vec::new();
    for x in [-40, -25, -24, -10, -1, 0, 15, 16, 20, 31, 32, 39, 40, 55, 56, 79] {
        for y in [-17, -1, 0, 16, 17, 33] {
            places.extend([-9, -1, 0, 8, 9, 17].map(|z| [x, y, z]));
        }
    }
    let values = (0..40 * 17 * 9).map(|i| match i % 40 {
        16..32 => -2.5,
        _ => i as f32,
    });
    let twin = Field {
        size,
        components: 1,
        values: values.collect(),
        ends: [false; 3],
    };
    for border in BORDERS {
        if border == Border::Antisymmetric {
            // The background has no sign.
            continue;
        }
        let file = sparse(Some(border), &places);
        let mut sim = simulation(&gpu, &file, &[ASK, NUMBER, PROBE_CELLS], CHECKED);
        sim.step(false).unwrap();
        assert_no_fault(&mut sim);
        let wanted: Vec<f32> = places
            .iter()
            .flat_map(|place| twin.read(*place, border))
            .collect();
        assert!(wanted.contains(&-2.5) && wanted.iter().any(|value| *value > 0.0));
        assert_same(&read_floats(&mut sim, "seen"), &wanted, &format!("{border:?}"));
        let other: Vec<f32> = (wanted.iter())
            .map(|value| if *value == -2.5 { 99.0 } else { *value })
            .collect();
        assert_same(&read_floats(&mut sim, "other"), &other, &format!("{border:?}"));
    }
}

/// The first fault of a read at one place.
fn fault_of(gpu: &Gpu, file: &Value, kernels: &[(&str, &str)]) -> Option<(FaultKind, Vec<i64>)> {
    let mut sim = simulation(gpu, file, kernels, CHECKED);
    sim.step(false).unwrap();
    fault(&mut sim).map(|fault| (fault.kind, fault.index))
}

#[test]
fn reads_beyond_one_period_are_faults() {
    let Some(gpu) = common::gpu() else { return };
    let cases = [
        ([-8, 0, 0], true),
        ([-7, 4, 2], false),
        ([14, 0, 0], true),
        ([13, 9, 5], false),
        ([0, -6, 0], true),
        ([0, 0, 6], true),
        ([i64::from(i32::MIN), 0, 0], true),
        ([0, i64::from(i32::MAX), 0], true),
    ];
    for (place, is_fault) in cases {
        let grid = json!({"cells": [7, 5, 3], "cell_size": 1, "channels": channel(Border::Repeat)});
        let found = fault_of(&gpu, &probe(grid, &[place], 3), &[PROBE]);
        let wanted = is_fault.then(|| (FaultKind::ReadOutside, place.to_vec()));
        assert_eq!(found, wanted, "{place:?}");
        for border in BORDERS.into_iter().filter(|border| *border != Border::Repeat) {
            let grid = json!({"cells": [7, 5, 3], "cell_size": 1, "channels": channel(border)});
            let found = fault_of(&gpu, &probe(grid, &[place], 3), &[PROBE]);
            assert_eq!(found, None, "{border:?} {place:?}");
        }
    }
    for (place, is_fault) in [
        ([-41, 0, 0], true),
        ([-40, 0, 0], false),
        ([0, 34, 0], true),
        ([0, 33, 0], false),
    ] {
        let file = sparse(Some(Border::Repeat), &[place]);
        let found = fault_of(&gpu, &file, &[ASK, NUMBER, PROBE]);
        assert_eq!(
            found,
            is_fault.then(|| (FaultKind::ReadOutside, place.to_vec())),
            "{place:?}"
        );
    }
    // Control: without a border the first step over it is one.
    let grid =
        json!({"cells": [7, 5, 3], "cell_size": 1, "channels": {"c": {"type": "float", "background": 0}}});
    let found = fault_of(&gpu, &probe(grid, &[[7, 0, 0]], 3), &[PROBE]);
    assert_eq!(found, Some((FaultKind::ReadOutside, vec![7, 0, 0])));
}

#[test]
fn out_of_range_writes_are_faults_with_any_border() {
    let Some(gpu) = common::gpu() else { return };
    for border in BORDERS {
        for (at, is_fault) in [([-1, 2], true), ([0, 5], true), ([6, 4], false)] {
            let file = json!({
                "run": {"dt": 1},
                "grids": {"g": {"cells": [7, 5], "cell_size": 1, "channels": channel(border)}},
                "buffers": {"at": {"type": "ivec2", "values": [at]}},
                "step": [{"stage": "hit", "over": 1, "reads": ["at"], "writes": ["g.c"]}]
            });
            let found = fault_of(
                &gpu,
                &file,
                &[("hit.comp", "void stage(uint i) { set_g_c(at(0), 1.0); }")],
            );
            let wanted = is_fault.then(|| (FaultKind::WroteOutside, at.map(i64::from).to_vec()));
            assert_eq!(found, wanted, "{border:?} {at:?}");
        }
    }
}
