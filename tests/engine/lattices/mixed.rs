//! Borders that differ from axis to axis: reads, samples, faults and other values for what is not there.

use sastrugi::run::fault::FaultKind;

use super::borders::{around, list};
use super::locations::{LOCATIONS, ORIGIN, SIDES, offsets};
use super::twin::Border;
use super::*;

const B: Border = Border::Background(-2.5);
const C: Border = Border::Clamp;
const R: Border = Border::Repeat;

/// Borders along x, y and z, and where values lie. 2-D grids have the first two; no values lie across z there.
const CHANNELS: [(&str, [Border; 3]); 12] = [
    ("centre", [R, C, B]),
    ("centre", [B, R, C]),
    ("centre", [C, B, R]),
    ("centre", [R, C, C]),
    ("centre", [B, C, R]),
    ("face_x", [R, C, C]),
    ("face_x", [C, R, B]),
    ("face_y", [R, B, R]),
    ("face_y", [C, R, C]),
    ("node", [R, C, B]),
    ("node", [C, R, R]),
    ("node", [R, R, R]),
];

/// Borders as a file lists them, and as a twin has them along all three axes.
fn listed(borders: [Border; 3], axes: usize) -> Value {
    borders[..axes].iter().map(|border| border.key()).collect()
}

/// Values along each axis: as many as cells where the border repeats.
pub(super) fn size_of(cells: [u64; 3], at: &str, borders: [Border; 3], axes: usize) -> [u64; 3] {
    let (_, more) = LOCATIONS.into_iter().find(|(name, _)| *name == at).unwrap();
    std::array::from_fn(|axis| {
        if axis >= axes {
            1
        } else if borders[axis] == R {
            cells[axis]
        } else {
            cells[axis] + more[axis]
        }
    })
}

/// A grid with all channels, and a stage that reads each at places of its own, by a statement.
fn file(
    cells: [u64; 3],
    axes: usize,
    places: impl Fn([u64; 3], &str) -> (String, Value),
    read: impl Fn(&str) -> String,
) -> (Value, String) {
    let (mut channels, mut buffers) = (json!({}), json!({}));
    let (mut reads, mut writes, mut kernel) = (Vec::new(), Vec::new(), String::new());
    for (number, (at, borders)) in CHANNELS.into_iter().enumerate() {
        channels[format!("c{number}")] =
            json!({"type": "float", "at": at, "border": listed(borders, axes), "background": -2.5});
        let (kind, places) = places(size_of(cells, at, borders, axes), at);
        let count = places.as_array().unwrap().len();
        buffers[format!("p{number}")] = json!({"type": kind, "values": places});
        for result in ["seen", "other"] {
            buffers[format!("{result}{number}")] = json!({"type": "float", "length": count});
            writes.push(format!("{result}{number}"));
        }
        reads.extend([format!("g.c{number}"), format!("p{number}")]);
        kernel += &format!("if (i < {count}u) {{ {} }}\n", read(&number.to_string()));
    }
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": cells[..axes], "cell_size": SIDES[..axes], "origin": ORIGIN[..axes], "channels": channels}},
        "buffers": buffers,
        "step": [{"stage": "probe", "over": 8192, "reads": reads, "writes": writes}]
    });
    (file, format!("void stage(uint i) {{ {kernel} }}"))
}

const CELLS: [[u64; 3]; 3] = [[1, 1, 1], [1, 5, 3], [4, 3, 2]];

#[test]
fn reads_follow_each_axis_border() {
    let Some(gpu) = common::gpu() else { return };
    for (options, cells) in [
        (CHECKED, CELLS[1]),
        (CHECKED, CELLS[2]),
        (Options::PLAIN, CELLS[0]),
    ] {
        for axes in [2, 3] {
            let places = |size, _: &str| (format!("ivec{axes}"), list(&around(size, axes), axes));
            let read =
                |n: &str| format!("set_seen{n}(i, g_c{n}(p{n}(i))); set_other{n}(i, g_c{n}(p{n}(i), 99.0));");
            let (file, kernel) = file(cells, axes, places, read);
            let mut sim = simulation(&gpu, &file, &[("probe.comp", &kernel)], options);
            let sizes = CHANNELS.map(|(at, borders)| size_of(cells, at, borders, axes));
            let twins: Vec<Field> = (sizes.iter().enumerate())
                .map(|(number, size)| fill_random(&mut sim, &format!("g.c{number}"), *size, 1))
                .collect();
            sim.step(false).unwrap();
            assert_no_fault(&mut sim);
            let mut differs = 0;
            for (number, (at, borders)) in CHANNELS.into_iter().enumerate() {
                let places = around(sizes[number], axes);
                let read = |borders| -> Vec<f32> {
                    (places.iter())
                        .flat_map(|place| twins[number].read_each(*place, borders))
                        .collect()
                };
                let wanted = read(borders);
                let what = format!("{at} {borders:?} of {:?}", &cells[..axes]);
                assert_same(&read_floats(&mut sim, &format!("seen{number}")), &wanted, &what);
                let other: Vec<f32> = (wanted.iter())
                    .map(|value| if *value == -2.5 { 99.0 } else { *value })
                    .collect();
                assert_same(&read_floats(&mut sim, &format!("other{number}")), &other, &what);
                let [x, y, z] = borders;
                differs += u32::from(read([y, z, x]) != wanted);
            }
            // Control: with the borders of other axes the values are others.
            assert!(differs >= 8 || cells == [1; 3], "{differs} of {cells:?}");
        }
    }
}

/// Places up to a period beyond the values, in spacings from the value at index 0.
fn aside(size: [u64; 3], axes: usize) -> Vec<[f32; 3]> {
    let numbers = random(3 * 300, 5);
    let mut places: Vec<[f32; 3]> = (numbers.chunks_exact(3))
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
    // Between the last value and the first one of the next period.
    places.push(std::array::from_fn(|axis| {
        if axis < axes {
            size[axis] as f32 - 0.25
        } else {
            0.0
        }
    }));
    places
}

#[test]
fn samples_follow_each_axis_border() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(2, 6);
    for (axes, cells) in [2, 3]
        .into_iter()
        .flat_map(|axes| CELLS.map(|cells| (axes, cells)))
    {
        if sweep.skips() {
            continue;
        }
        let world = |size, at: &str| {
            let (_, more) = LOCATIONS.into_iter().find(|(name, _)| *name == at).unwrap();
            let offset = offsets(more);
            let places = aside(size, axes).into_iter().map(|place| -> Value {
                (0..axes)
                    .map(|axis| ORIGIN[axis] + f64::from(place[axis] + offset[axis]) * SIDES[axis])
                    .collect()
            });
            (format!("vec{axes}"), places.collect())
        };
        let sample = |n: &str| format!("set_seen{n}(i, sample_g_c{n}(p{n}(i))); set_other{n}(i, 0.0);");
        let (file, kernel) = file(cells, axes, world, sample);
        let mut sim = simulation(&gpu, &file, &[("probe.comp", &kernel)], CHECKED);
        let sizes = CHANNELS.map(|(at, borders)| size_of(cells, at, borders, axes));
        let twins: Vec<Field> = (sizes.iter().enumerate())
            .map(|(number, size)| fill_random(&mut sim, &format!("g.c{number}"), *size, 1))
            .collect();
        sim.step(false).unwrap();
        assert_no_fault(&mut sim);
        for (number, (at, borders)) in CHANNELS.into_iter().enumerate() {
            let found = read_floats(&mut sim, &format!("seen{number}"));
            let far = |aside: f32| {
                let places = super::mixed::aside(sizes[number], axes).into_iter();
                let wanted = places
                    .map(|place| [place[0] + aside, place[1], place[2]])
                    .flat_map(|place| twins[number].sample_each(place, axes, borders));
                let far = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
                far.fold(0.0, f32::max)
            };
            let what = format!("{at} {borders:?} of {:?}", &cells[..axes]);
            assert!(far(0.0) < 4e-4, "{what}: {}", far(0.0));
            // Control: places half a cell aside have other values.
            assert!(cells[0] == 1 || far(0.5) > 0.05, "{what}: {}", far(0.5));
        }
    }
}

type Found = Option<(FaultKind, Vec<i64>, Vec<u64>)>;

/// The fault of statements with an index, on a grid of 7 x 5 x 3 cells.
fn fault_at(gpu: &Gpu, channel: &Value, body: &str, place: [i64; 3]) -> Found {
    fault_of(gpu, channel, &format!("void stage(uint i) {{ {body} }}"), place)
}

fn fault_of(gpu: &Gpu, channel: &Value, kernel: &str, place: [i64; 3]) -> Found {
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": [7, 5, 3], "cell_size": 1, "channels": {"c": channel}}},
        "buffers": {"at": {"type": "ivec3", "values": [place]}, "seen": {"type": "float", "length": 1}},
        "step": [{"stage": "hit", "over": 1, "reads": ["at", "g.c"], "writes": ["seen", "g.c"]}]
    });
    let mut sim = simulation(gpu, &file, &[("hit.comp", kernel)], CHECKED);
    sim.step(false).unwrap();
    fault(&mut sim).map(|fault| (fault.kind, fault.index, fault.size))
}

/// Of several faults of an invocation the first one is reported, also if the kernel returns early or has its own `main`.
#[test]
fn first_fault_of_an_invocation_is_reported() {
    let Some(gpu) = common::gpu() else { return };
    let channel = json!({"type": "float", "border": "repeat"});
    let reads = |first: i64, second: i64| {
        format!(
            "float a = g_c(at(0) + ivec3({first}, 0, 0)) + g_c(at(0) + ivec3({second}, 0, 0)); if (a != 7.5) return;"
        )
    };
    let own_main = |body: &str| {
        format!(
            "#pragma reach g_c anywhere\n#define OWN_MAIN\n#include \"stage.glsl\"\nvoid main() {{ stage_begin(); {body} }}"
        )
    };
    for (first, second, wanted) in [
        (0, 1, None),
        (77, 99, Some(77)),
        (99, 77, Some(99)),
        (0, 77, Some(77)),
    ] {
        let body = reads(first, second);
        let kernels = [
            format!("void stage(uint i) {{ {body} set_seen(0, 1.0); }}"),
            own_main(&body),
        ];
        for kernel in kernels {
            let found = fault_of(&gpu, &channel, &kernel, [0, 1, 2]);
            let wanted = wanted.map(|x| (FaultKind::ReadOutside, vec![x, 1, 2], vec![7, 5, 3]));
            assert_eq!(found, wanted, "{kernel}");
        }
    }
}

#[test]
fn only_periodic_borders_are_limited_to_one_period() {
    let Some(gpu) = common::gpu() else { return };
    let read = "set_seen(0, g_c(at(0)));";
    let mixed = json!({"type": "float", "at": "face_x", "border": ["repeat", "clamp", "background"], "background": 0});
    for (place, is_fault) in [
        ([-7, 0, 0], false),
        ([-8, 0, 0], true),
        ([13, 0, 0], false),
        ([14, 0, 0], true),
        ([3, 999, 0], false),
        ([3, -999, 2], false),
        ([3, 0, 999], false),
        // The background is the same wherever it is read.
        ([999, 0, 3], false),
        ([999, 999, 2], true),
    ] {
        let found = fault_at(&gpu, &mixed, read, place);
        let wanted = is_fault.then(|| (FaultKind::ReadOutside, place.to_vec(), vec![7, 5, 3]));
        assert_eq!(found, wanted, "{place:?}");
    }
    // Without `repeat`, no read is a fault.
    let bounded = json!({"type": "float", "border": ["clamp", "background", "clamp"], "background": 0});
    assert_eq!(fault_at(&gpu, &bounded, read, [999, -999, 999]), None);
}

#[test]
fn writes_and_array_indices_are_checked_with_any_border() {
    let Some(gpu) = common::gpu() else { return };
    let mixed = |at: &str, count: u32| {
        json!({"type": "float", "at": at, "count": count, "background": 0,
        "border": ["repeat", "clamp", "background"]})
    };
    let write = "set_g_c(at(0), 0u, g_c(ivec3(0), 0u));";
    // Along x the last node is the first one; along y and z there is one more than cells.
    for (place, is_fault) in [
        ([6, 5, 3], false),
        ([7, 0, 0], true),
        ([0, 6, 0], true),
        ([0, 0, 4], true),
    ] {
        let found = fault_at(&gpu, &mixed("node", 2), write, place);
        let wanted = is_fault.then(|| (FaultKind::WroteOutside, place.to_vec(), vec![7, 6, 4]));
        assert_eq!(found, wanted, "{place:?}");
    }
    for place in [[0, 0, 0], [-1, -1, -1], [0, 0, 99]] {
        let read = "set_seen(0, g_c(at(0), 2u));";
        let found = fault_at(&gpu, &mixed("centre", 2), read, place).map(|(kind, ..)| kind);
        let entry = FaultKind::Entry {
            writes: false,
            entry: 2,
            count: 2,
        };
        assert_eq!(found, Some(entry), "{place:?}");
        assert_eq!(
            fault_at(&gpu, &mixed("centre", 3), read, place),
            None,
            "{place:?}"
        );
    }
}

/// A block that is not active reads as the background, also where a border leads to it.
#[test]
fn sparse_grids_have_per_axis_borders() {
    let Some(gpu) = common::gpu() else { return };
    let borders = [R, C, B];
    let mut places = Vec::new();
    for x in [-40, -25, -1, 0, 15, 16, 31, 32, 39, 40, 56, 79] {
        for y in [-99, -1, 0, 16, 17, 99] {
            places.extend([-99, -1, 0, 8, 9].map(|z| [x, y, z]));
        }
    }
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": [40, 17, 9], "cell_size": 1,
            "sparse": {"block": [8, 8, 8], "latency": 0, "keep": "always"},
            "channels": {"c": {"type": "float", "background": -2.5, "border": listed(borders, 3)}}}},
        "buffers": {"places": {"type": "ivec3", "values": list(&places, 3)},
                    "seen": {"type": "float", "length": places.len()}},
        "init": [
            {"stage": "ask", "over": 6120, "requests": ["g"]},
            {"update_grid": "g"},
            {"stage": "number", "over": "g", "writes": ["g.c"]}
        ],
        "step": [{"stage": "probe", "over": "places", "reads": ["g.c", "places"], "writes": ["seen"]}]
    });
    let kernels = [
        (
            "ask.comp",
            "void stage(uint i) {
                ivec3 cell = ivec3(i % 40u, i / 40u % 17u, i / 680u);
                if (cell.x < 16 || cell.x >= 32) request_g(cell);
            }",
        ),
        (
            "number.comp",
            "void stage(ivec3 cell) { set_g_c(cell, float((cell.z * 17 + cell.y) * 40 + cell.x)); }",
        ),
        (
            "probe.comp",
            "void stage(uint i) { set_seen(i, g_c(places(i))); }",
        ),
    ];
    let mut sim = simulation(&gpu, &file, &kernels, CHECKED);
    sim.step(false).unwrap();
    assert_no_fault(&mut sim);
    let values = (0..40 * 17 * 9).map(|i| match i % 40 {
        16..32 => -2.5,
        _ => i as f32,
    });
    let twin = Field {
        size: [40, 17, 9],
        components: 1,
        values: values.collect(),
        ends: [false; 3],
    };
    let wanted: Vec<f32> = (places.iter())
        .flat_map(|place| twin.read_each(*place, borders))
        .collect();
    assert!(wanted.contains(&-2.5) && wanted.iter().any(|value| *value > 0.0));
    assert_same(&read_floats(&mut sim, "seen"), &wanted, "sparse");
}
