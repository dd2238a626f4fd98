//! Values on the faces and corners of periodic grids: the last one along an axis is the first one, wherever it is counted.

use std::collections::BTreeMap;

use sastrugi::run::{self, Ending, NoObserver, RunRequest};

use super::locations::{LOCATIONS, ORIGIN, SIDES, offsets};
use super::mixed::size_of;
use super::twin::Border;
use super::*;

const R: Border = Border::Repeat;
const C: Border = Border::Clamp;

/// Borders as a file writes them, and along the axes.
fn cases() -> [(Value, [Border; 3]); 4] {
    [
        (json!("repeat"), [R; 3]),
        (json!(["repeat", "clamp", "clamp"]), [R, C, C]),
        (json!(["clamp", "repeat", "repeat"]), [C, R, R]),
        (json!("clamp"), [C; 3]),
    ]
}

#[test]
fn periodic_values_are_counted_and_measured_once() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(5, 60);
    for (at, more) in LOCATIONS {
        for (border, borders) in cases() {
            for cells in SIZES {
                if sweep.skips() {
                    continue;
                }
                let size = size_of(cells, at, borders, 3);
                let count: u64 = size.iter().product();
                let last = size.map(|n| n - 1);
                let file = json!({
                    "run": {"dt": 1, "frames": 1},
                    "grids": {"g": {"cells": cells, "cell_size": SIDES, "origin": ORIGIN, "channels": {
                        "c": {"type": "vec3", "at": at, "border": border},
                        "n": {"type": "uint", "at": at, "border": border, "background": 0},
                        "m": {"type": "float", "at": at, "border": border,
                              "values": "x + 10 * y + 100 * z + 0 * i"}
                    }}},
                    "step": [
                        {"stage": "place", "over": "g.c", "writes": ["g.c"]},
                        {"stage": "count", "over": "g.n", "writes": ["g.n"]}
                    ],
                    "outputs": {
                        "c": {"source": "g.c", "format": "npy"},
                        "log": {"format": "csv", "values": {
                            "sum": "sum(g.n)", "last": format!("g.c{last:?}.x"), "most": "max(g.c.y)"}}
                    }
                });
                let kernels = [
                    (
                        "place.comp",
                        "void stage(ivec3 i) { set_g_c(i, g_c_position(i)); }",
                    ),
                    ("count.comp", "void stage(ivec3 i) { add_g_n(i, 1u); }"),
                ];
                let offset = offsets(more);
                let place = |axis: usize, i: u64| {
                    ORIGIN[axis] as f32 + (i as f32 + offset[axis]) * SIDES[axis] as f32
                };
                let (mut wanted, mut formula) = (Vec::new(), Vec::new());
                for z in 0..size[2] {
                    for y in 0..size[1] {
                        for x in 0..size[0] {
                            let [x, y, z] = [place(0, x), place(1, y), place(2, z)];
                            wanted.extend([x, y, z]);
                            formula.push(x + 10.0 * y + 100.0 * z);
                        }
                    }
                }
                let what = format!("{at} {border} of {cells:?}");
                let mut sim = simulation(&gpu, &file, &kernels, CHECKED);
                sim.step(false).unwrap();
                assert_no_fault(&mut sim);
                assert_same(&read_floats(&mut sim, "g.c"), &wanted, &what);
                assert_eq!(read_words(&mut sim, "g.n"), vec![1; count as usize], "{what}");
                assert!(are_close(&read_floats(&mut sim, "g.m"), &formula), "{what}");
                if cells != SIZES[1] {
                    continue;
                }
                let directory = tempfile::tempdir().unwrap();
                let swaps = BTreeMap::new();
                let pipeline = resolve(&file, &kernels).unwrap();
                let run = RunRequest::new(
                    &gpu,
                    pipeline,
                    Path::new("periodic.json"),
                    directory.path(),
                    &swaps,
                );
                assert_eq!(run::run(run, &mut NoObserver).unwrap(), Ending::Done);
                let bytes = std::fs::read(directory.path().join("c.0001.npy")).unwrap();
                let array = npyz::NpyFile::new(&bytes[..]).unwrap();
                assert_eq!(array.shape(), [size[2], size[1], size[0], 3], "{what}");
                let log = std::fs::read_to_string(directory.path().join("log.csv")).unwrap();
                let line: Vec<f64> = (log.lines().last().unwrap().split(','))
                    .map(|number| number.parse().unwrap())
                    .collect();
                let wanted = [
                    count as f64,
                    f64::from(place(0, last[0])),
                    f64::from(place(1, last[1])),
                ];
                assert_eq!(line[3..], wanted, "{what}: {log}");
            }
        }
    }
}

/// Fluxes on a torus conserve the total.
#[test]
fn periodic_staggered_grid_is_translation_invariant() {
    let Some(gpu) = common::gpu() else { return };
    for (border, is_torus) in [(json!("repeat"), true), (json!(["repeat", "clamp"]), false)] {
        for [nx, ny] in [[1u64, 1], [1, 6], [7, 5], [65, 33]] {
            let file = json!({
                "run": {"dt": 1},
                "grids": {"g": {"cells": [nx, ny], "cell_size": 1, "channels": {
                    "u": {"type": "float", "at": "face_x", "border": border},
                    "v": {"type": "float", "at": "face_y", "border": border},
                    "gain": {"type": "float", "background": 0}
                }}},
                "step": [
                    {"stage": "blow_u", "over": "g.u", "writes": ["g.u"]},
                    {"stage": "blow_v", "over": "g.v", "writes": ["g.v"]},
                    {"stage": "sum_up", "over": "g", "reads": ["g.u", "g.v"], "writes": ["g.gain"]}
                ]
            });
            let kernels = [
                (
                    "blow_u.comp",
                    "void stage(ivec2 i) { set_g_u(i, float((i.x * 7 + i.y * 13) % 31)); }",
                ),
                (
                    "blow_v.comp",
                    "void stage(ivec2 i) { set_g_v(i, float((i.x * 11 + i.y * 5) % 29)); }",
                ),
                (
                    "sum_up.comp",
                    "#pragma reach g_u 1
                    #pragma reach g_v 1
                    void stage(ivec2 i) {
                        set_g_gain(i, g_u(i + ivec2(1, 0)) - g_u(i) + g_v(i + ivec2(0, 1)) - g_v(i));
                    }",
                ),
            ];
            let mut sim = simulation(&gpu, &file, &kernels, CHECKED);
            sim.step(false).unwrap();
            assert_no_fault(&mut sim);
            // Along y of a duct there is one more face than there are cells.
            let rows = if is_torus { ny } else { ny + 1 };
            let u = |x: u64, y: u64| (((x % nx) * 7 + y * 13) % 31) as f32;
            let v = |x: u64, y: u64| ((x * 11 + (y % rows) * 5) % 29) as f32;
            let mut wanted = Vec::new();
            for y in 0..ny {
                wanted.extend((0..nx).map(|x| u(x + 1, y) - u(x, y) + v(x, y + 1) - v(x, y)));
            }
            assert_same(
                &read_floats(&mut sim, "g.gain"),
                &wanted,
                &format!("{border} {nx} x {ny}"),
            );
            let total: f32 = wanted.iter().sum();
            // Control: through the walls of the duct it does flow.
            assert_eq!(total == 0.0, is_torus, "{border} {nx} x {ny}: {total}");
        }
    }
}

/// Copies, swaps and arrays go by the number of values: a periodic face channel has as many as cells.
#[test]
fn sizes_must_match_with_periodic_borders() {
    let file = |entry: Value| {
        json!({
            "run": {"dt": 1},
            "grids": {"g": {"cells": [4, 3], "cell_size": 1, "channels": {
                "centred": {"type": "float", "background": 1},
                "periodic": {"type": "float", "at": "face_x", "border": "repeat", "background": 1},
                "bounded": {"type": "float", "at": "face_x", "border": ["clamp", "repeat"], "background": 1}
            }}},
            "step": [entry]
        })
    };
    for entry in [
        json!({"set": "g.periodic", "to": "g.centred"}),
        json!({"swap": ["g.centred", "g.periodic"]}),
    ] {
        assert!(resolve(&file(entry.clone()), &[]).is_ok(), "{entry}");
    }
    for entry in [
        json!({"set": "g.periodic", "to": "g.bounded"}),
        json!({"swap": ["g.bounded", "g.periodic"]}),
    ] {
        assert!(resolve(&file(entry.clone()), &[]).is_err(), "{entry}");
    }
}
