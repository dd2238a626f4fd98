//! Values on faces and corners: how many there are, where they lie, and what lies between them.

use sastrugi::run::fault::FaultKind;

use super::twin::Border;
use super::*;

pub(super) const LOCATIONS: [(&str, [u64; 3]); 5] = [
    ("centre", [0, 0, 0]),
    ("face_x", [1, 0, 0]),
    ("face_y", [0, 1, 0]),
    ("face_z", [0, 0, 1]),
    ("node", [1, 1, 1]),
];
pub(super) const ORIGIN: [f64; 3] = [10.0, -4.0, 0.5];
pub(super) const SIDES: [f64; 3] = [2.0, 0.5, 4.0];

/// Cells, and more of them where values lie on both ends.
pub(super) fn size_at(cells: [u64; 3], more: [u64; 3], axes: usize) -> [u64; 3] {
    std::array::from_fn(|axis| if axis < axes { cells[axis] + more[axis] } else { 1 })
}

pub(super) fn offsets(more: [u64; 3]) -> [f32; 3] {
    more.map(|more| if more == 0 { 0.5 } else { 0.0 })
}

fn grid(cells: [u64; 3], axes: usize, at: &str, kind: &str, border: Option<Border>) -> Value {
    let mut channel = json!({"type": kind, "at": at, "background": -2.5});
    if let Some(border) = border {
        channel["border"] = json!(border.key());
    }
    json!({"cells": cells[..axes], "cell_size": SIDES[..axes], "origin": ORIGIN[..axes],
        "channels": {"c": channel, "centred": {"type": "uint", "background": 0}}})
}

#[test]
fn stage_over_a_channel_runs_once_per_value() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(5, 27);
    for axes in [2, 3] {
        for (at, more) in LOCATIONS
            .into_iter()
            .filter(|(at, _)| axes == 3 || *at != "face_z")
        {
            for cells in SIZES {
                if sweep.skips() {
                    continue;
                }
                let size = size_at(cells, more, axes);
                let file = json!({
                    "run": {"dt": 1},
                    "grids": {"g": grid(cells, axes, at, if axes == 2 { "vec2" } else { "vec3" }, None)},
                    "step": [
                        {"stage": "place", "over": "g.c", "writes": ["g.c"]},
                        {"stage": "count", "over": "g", "writes": ["g.centred"]}
                    ],
                    "outputs": {"s": {"values": {"a": "sum(g.c.x)", "b": format!("g.c{:?}.x", &size.map(|n| n - 1)[..axes])}, "format": "csv"}}
                });
                let place = format!("void stage(ivec{axes} i) {{ set_g_c(i, g_c_position(i)); }}");
                let count = format!("void stage(ivec{axes} i) {{ add_g_centred(i, 1u); }}");
                let kernels = [("place.comp", &*place), ("count.comp", &*count)];
                let mut sim = simulation(&gpu, &file, &kernels, CHECKED);
                sim.step(false).unwrap();
                assert_no_fault(&mut sim);
                let offset = offsets(more);
                let mut wanted = Vec::new();
                for z in 0..size[2] {
                    for y in 0..size[1] {
                        for x in 0..size[0] {
                            let index = [x, y, z];
                            wanted.extend((0..axes).map(|axis| {
                                ORIGIN[axis] as f32 + (index[axis] as f32 + offset[axis]) * SIDES[axis] as f32
                            }));
                        }
                    }
                }
                let what = format!("{at} of {:?}", &cells[..axes]);
                assert_same(&read_floats(&mut sim, "g.c"), &wanted, &what);
                let count = cells[..axes].iter().product::<u64>() as usize;
                assert_eq!(read_words(&mut sim, "g.centred"), vec![1; count], "{what}");
            }
        }
    }
}

#[test]
fn indices_are_checked_against_the_field_size() {
    let Some(gpu) = common::gpu() else { return };
    let cells = [7, 5, 3];
    let mut sweep = common::sweep(6, 60);
    for (at, more) in LOCATIONS {
        let size = size_at(cells, more, 3);
        for axis in 0..3 {
            for (past, is_fault) in [(0, false), (1, true)] {
                let mut place = [0i64; 3];
                place[axis] = size[axis] as i64 - 1 + past;
                for (kernel, kind) in [
                    ("set_g_c(at(0), 1.0);", FaultKind::WroteOutside),
                    ("set_g_c(ivec3(0), g_c(at(0)));", FaultKind::ReadOutside),
                ] {
                    if sweep.skips() {
                        continue;
                    }
                    let file = json!({
                        "run": {"dt": 1},
                        "grids": {"g": grid(cells, 3, at, "float", None)},
                        "buffers": {"at": {"type": "ivec3", "values": [place]}},
                        "step": [{"stage": "hit", "over": 1, "reads": ["at", "g.c"], "writes": ["g.c"]}]
                    });
                    let kernel = format!("void stage(uint i) {{ {kernel} }}");
                    let mut sim = simulation(&gpu, &file, &[("hit.comp", &kernel)], CHECKED);
                    sim.step(false).unwrap();
                    let fault = fault(&mut sim);
                    let found = fault.map(|fault| (fault.kind, fault.index, fault.size));
                    let wanted = is_fault.then(|| (kind, place.to_vec(), size.to_vec()));
                    assert_eq!(found, wanted, "{at} {place:?}");
                }
            }
        }
    }
}

/// Places within, on, and beyond the lattice, in spacings from the value at index 0; no more than a period away.
fn places(size: [u64; 3], axes: usize) -> Vec<[f32; 3]> {
    let numbers = random(3 * 400, 11);
    let mut places: Vec<[f32; 3]> = numbers
        .chunks_exact(3)
        .map(|three| {
            std::array::from_fn(|axis| {
                if axis < axes {
                    (3.0 * (three[axis] - 0.25) - 1.0) * (size[axis] as f32 - 1.01).max(0.4)
                } else {
                    0.0
                }
            })
        })
        .collect();
    let last = |axis: usize| if axis < axes { size[axis] as f32 - 1.0 } else { 0.0 };
    places.push([0.0; 3]);
    places.push(std::array::from_fn(last));
    places
}

const BORDERS: [(&str, Option<Border>); 6] = [
    ("none", None),
    ("background", Some(Border::Background(-2.5))),
    ("clamp", Some(Border::Clamp)),
    ("repeat", Some(Border::Repeat)),
    ("symmetric", Some(Border::Symmetric)),
    ("antisymmetric", Some(Border::Antisymmetric)),
];

fn farthest(found: &[f32], wanted: &[f32]) -> f32 {
    assert_eq!(found.len(), wanted.len());
    let far = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
    far.fold(0.0, f32::max)
}

/// Samples of channels with a border each at places of a buffer.
fn samples(
    borders: &[(&str, Option<Border>)],
    (cells, axes): ([u64; 3], usize),
    at: &str,
    kind: &str,
    world: Value,
) -> (Value, String) {
    let mut grid = grid(cells, axes, at, kind, None);
    let mut buffers = json!({"places": {"type": format!("vec{axes}"), "values": world}});
    let (mut reads, mut writes, mut kernel) = (vec!["places".to_string()], Vec::new(), String::new());
    for (name, border) in borders.iter().copied() {
        let mut channel = grid["channels"]["c"].clone();
        if let Some(border) = border {
            channel["border"] = json!(border.key());
        }
        grid["channels"][name] = channel;
        buffers[format!("seen_{name}")] = json!({"type": kind, "length": "places.count"});
        reads.push(format!("g.{name}"));
        writes.push(format!("seen_{name}"));
        kernel += &format!("set_seen_{name}(i, sample_g_{name}(places(i))); ");
    }
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": grid},
        "buffers": buffers,
        "step": [{"stage": "probe", "over": "places", "reads": reads, "writes": writes}]
    });
    (file, format!("void stage(uint i) {{ {kernel} }}"))
}

#[test]
fn sampling_is_linear_at_every_location() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(5, 27);
    for axes in [2, 3] {
        for (at, more) in LOCATIONS
            .into_iter()
            .filter(|(at, _)| axes == 3 || *at != "face_z")
        {
            for (number, cells) in [[1, 1, 1], [1, 5, 3], [9, 6, 5]].into_iter().enumerate() {
                if sweep.skips() {
                    continue;
                }
                let size = size_at(cells, more, axes);
                let places = places(size, axes);
                // Periodic faces and corners are one fewer: `mixed` has them.
                let mut borders = BORDERS.to_vec();
                borders.retain(|(_, border)| *border != Some(Border::Repeat) || more == [0; 3]);
                let offset = offsets(more);
                let world: Value = (places.iter())
                    .map(|place| -> Value {
                        (0..axes)
                            .map(|axis| ORIGIN[axis] + f64::from(place[axis] + offset[axis]) * SIDES[axis])
                            .collect()
                    })
                    .collect();
                let (kind, components) = [("float", 1), ("vec2", 2), ("vec4", 4)][number];
                let (file, kernel) = samples(&borders, (cells, axes), at, kind, world);
                let mut sim = simulation(&gpu, &file, &[("probe.comp", &kernel)], CHECKED);
                let twins: Vec<Field> = (borders.iter())
                    .map(|(name, _)| Field {
                        ends: more.map(|more| more > 0),
                        ..fill_random(&mut sim, &format!("g.{name}"), size, components)
                    })
                    .collect();
                sim.step(false).unwrap();
                assert_no_fault(&mut sim);
                for ((name, border), twin) in borders.into_iter().zip(twins) {
                    let twin_at = |aside: f32| -> Vec<f32> {
                        (places.iter())
                            .map(|place| [place[0] + aside, place[1], place[2]])
                            .flat_map(|place| twin.sample(place, axes, border.unwrap_or(Border::Clamp)))
                            .collect()
                    };
                    let found = read_floats(&mut sim, &format!("seen_{name}"));
                    let what = format!("{at}, {name}, {:?}", &cells[..axes]);
                    let far = farthest(&found, &twin_at(0.0));
                    assert!(far < 4e-4, "{what}: {far}");
                    // Control: values that lie half a cell aside are others.
                    if cells[0] > 1 {
                        let far = farthest(&found, &twin_at(0.5));
                        assert!(far > 0.05, "{what}: {far}");
                    }
                }
            }
        }
    }
}

#[test]
fn sparse_sampling_uses_cell_centres() {
    let Some(gpu) = common::gpu() else { return };
    let cells = [20, 9, 9];
    let places = places(cells, 3);
    let world: Vec<Value> = (places.iter())
        .map(|place| [0, 1, 2].map(|axis| ORIGIN[axis] + (f64::from(place[axis]) + 0.5) * SIDES[axis]))
        .map(|place| json!(place))
        .collect();
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": cells, "cell_size": SIDES, "origin": ORIGIN,
            "sparse": {"block": [8, 8, 8], "latency": 0, "keep": "always"},
            "channels": {"c": {"type": "float", "at": "centre", "border": "clamp", "background": -2.5}}}},
        "buffers": {"places": {"type": "vec3", "values": world}, "seen": {"type": "float", "length": places.len()}},
        "init": [
            {"stage": "ask", "over": "g.columns", "requests": ["g"]},
            {"update_grid": "g"},
            {"stage": "number", "over": "g.c", "writes": ["g.c"]}
        ],
        "step": [{"stage": "probe", "over": "places", "reads": ["g.c", "places"], "writes": ["seen"]}]
    });
    let kernels = [
        (
            "ask.comp",
            "void stage(ivec2 i) { if (i.x < 16) for (int z = 0; z < 9; ++z) request_g(ivec3(i, z)); }",
        ),
        (
            "number.comp",
            "void stage(ivec3 i) { vec3 p = g_c_position(i); set_g_c(i, p.x * p.y - p.z); }",
        ),
        (
            "probe.comp",
            "void stage(uint i) { set_seen(i, sample_g_c(places(i))); }",
        ),
    ];
    let mut sim = simulation(&gpu, &file, &kernels, CHECKED);
    sim.step(false).unwrap();
    assert_no_fault(&mut sim);
    let mut values = Vec::new();
    for z in 0..9 {
        for y in 0..9 {
            for x in 0..20 {
                let at = |axis: usize, i: i32| (ORIGIN[axis] + (f64::from(i) + 0.5) * SIDES[axis]) as f32;
                values.push(if x < 16 {
                    at(0, x) * at(1, y) - at(2, z)
                } else {
                    -2.5
                });
            }
        }
    }
    let twin = Field {
        size: cells,
        components: 1,
        values,
        ends: [false; 3],
    };
    let wanted: Vec<f32> = places
        .iter()
        .flat_map(|place| twin.sample(*place, 3, Border::Clamp))
        .collect();
    let found = read_floats(&mut sim, "seen");
    let far = farthest(&found, &wanted);
    assert!(far < 0.02, "{far}");
    assert!(wanted.contains(&-2.5));
}

#[test]
fn sampling_requires_a_stated_location() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": [4, 4, 4], "cell_size": 1, "channels": {"c": {"type": "float", "background": 0}, "d": "float"}}},
        "step": [{"stage": "copy", "over": "g", "reads": ["g.c"], "writes": ["g.d"]}]
    });
    let kernel = [(
        "copy.comp",
        "#pragma reach g_c 1
        void stage(ivec3 i) { set_g_d(i, sample_g_c(g_position(i))); }",
    )];
    let error = try_simulation(&gpu, &file, &kernel, CHECKED)
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("only channels of cells or vertices with `at` or `border` have"),
        "{error}"
    );
}
