//! Arrays of halves wherever values lie and whatever lies beyond: a twin for each entry.

use half::f16;
use sastrugi::run::fault::FaultKind;
use sastrugi::run::measures::{Number, values};

use super::locations::{LOCATIONS, ORIGIN, SIDES, size_at};
use super::starts::npy;
use super::twin::Border;
use super::*;

const ENTRIES: usize = 3;
const BORDERS: [Border; 3] = [Border::Background(-2.5), Border::Clamp, Border::Repeat];

/// A half as a float.
fn rounded(value: f32) -> f32 {
    f16::from_f32(value).to_f32()
}

fn halves(values: &[f32]) -> Vec<u8> {
    (values.iter())
        .flat_map(|value| f16::from_f32(*value).to_bits().to_le_bytes())
        .collect()
}

fn read_halves(simulation: &mut Simulation, field: &str) -> Vec<f32> {
    let bytes = simulation.read(field).unwrap();
    let bits = bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    bits.map(|bits| f16::from_bits(bits).to_f32()).collect()
}

/// Fills an array of halves; the twins of its entries.
fn fill_halves(simulation: &mut Simulation, name: &str, size: [u64; 3]) -> Vec<Field> {
    let count = size.iter().product::<u64>() as usize;
    let values: Vec<f32> = random(ENTRIES * count, 5).into_iter().map(rounded).collect();
    simulation.write(name, &halves(&values)).unwrap();
    let twin = |values: &[f32]| Field {
        size,
        components: 1,
        values: values.to_vec(),
        ends: [false; 3],
    };
    values.chunks_exact(count).map(twin).collect()
}

fn grid(cells: [u64; 3], at: &str, border: Border) -> Value {
    let channel = json!({
        "type": "half", "count": ENTRIES, "at": at, "border": border.key(), "background": -2.5
    });
    json!({"cells": cells, "cell_size": SIDES, "origin": ORIGIN, "channels": {"c": channel, "d": channel}})
}

/// Indices of the ends of every axis and just beyond them, and of the middle.
fn indices(size: [u64; 3]) -> Vec<[i64; 3]> {
    let side = |axis: usize| {
        let n = size[axis] as i64;
        let mut side = vec![-1, 0, n / 2, n - 1, n];
        side.dedup();
        side
    };
    let mut indices = Vec::new();
    for z in side(2) {
        for y in side(1) {
            indices.extend(side(0).into_iter().map(|x| [x, y, z]));
        }
    }
    indices
}

/// Reads each entry at every index, and samples it there and a quarter of a cell aside.
const PROBE: (&str, &str) = (
    "probe.comp",
    "void stage(uint i) {
        for (uint k = 0u; k < g_c_entries; ++k) {
            set_seen(3u * i + k, g_c(places(i), k));
            set_other(3u * i + k, g_c(places(i), k, 99.0));
            set_sampled(3u * i + k, sample_g_c(g_c_position(places(i)) + vec3(0.5, 0, 0), k));
        }
    }",
);
/// Moves entry k to entry k + 1 of another channel.
const SHIFT: (&str, &str) = (
    "shift.comp",
    "void stage(ivec3 i) {
        for (uint k = 0u; k < 3u; ++k) set_g_d(i, (k + 1u) % 3u, 2.0 * g_c(i, k));
    }",
);

fn probe(cells: [u64; 3], at: &str, border: Border, places: &[[i64; 3]]) -> Value {
    let list = json!({"type": "float", "length": ENTRIES * places.len()});
    json!({
        "run": {"dt": 1},
        "grids": {"g": grid(cells, at, border)},
        "buffers": {"places": {"type": "ivec3", "values": places}, "seen": list, "other": list, "sampled": list},
        "step": [
            {"stage": "shift", "over": "g.c", "reads": ["g.c"], "writes": ["g.d"]},
            {"stage": "probe", "over": "places", "reads": ["g.c", "places"], "writes": ["seen", "other", "sampled"]}
        ]
    })
}

#[test]
fn half_arrays_support_faces_and_borders() {
    let Some(gpu) = common::gpu() else { return };
    for (number, cells) in SIZES.into_iter().enumerate() {
        for (at, more) in LOCATIONS {
            let border = BORDERS[(number + more[0] as usize + more[2] as usize) % 3];
            let size = match border {
                Border::Repeat => cells,
                _ => size_at(cells, more, 3),
            };
            // Samples of a single layer reach farther than one period beyond it.
            if border == Border::Repeat && size.contains(&1) {
                continue;
            }
            let places = indices(size);
            let file = probe(cells, at, border, &places);
            let mut sim = simulation(&gpu, &file, &[PROBE, SHIFT], CHECKED);
            let twins = fill_halves(&mut sim, "g.c", size);
            sim.step(false).unwrap();
            assert_no_fault(&mut sim);

            let what = format!("{at}, {border:?}, {cells:?}");
            let of_all = |value: &dyn Fn(&Field, [i64; 3]) -> f32| -> Vec<f32> {
                let of_place =
                    |place: &[i64; 3]| twins.iter().map(|twin| value(twin, *place)).collect::<Vec<_>>();
                places.iter().flat_map(of_place).collect()
            };
            let wanted = of_all(&|twin, place| twin.read(place, border)[0]);
            assert_same(&read_floats(&mut sim, "seen"), &wanted, &what);
            let instead = |value: &f32| if *value == -2.5 { 99.0 } else { *value };
            let other: Vec<f32> = wanted.iter().map(instead).collect();
            assert_same(&read_floats(&mut sim, "other"), &other, &what);

            let aside = |place: [i64; 3]| [place[0] as f32 + 0.25, place[1] as f32, place[2] as f32];
            let sampled = of_all(&|twin, place| twin.sample(aside(place), 3, border)[0]);
            let far = read_floats(&mut sim, "sampled");
            let far = far
                .iter()
                .zip(&sampled)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f32::max);
            assert!(far < 4e-4, "{what}: {far}");

            let mut shifted = Vec::new();
            for k in 0..ENTRIES {
                let values = &twins[(k + ENTRIES - 1) % ENTRIES].values;
                shifted.extend(values.iter().map(|value| rounded(2.0 * value)));
            }
            assert_same(&read_halves(&mut sim, "g.d"), &shifted, &what);
            // Control: entries in another order are others.
            let all: Vec<f32> = twins.iter().rev().flat_map(|twin| twin.values.clone()).collect();
            assert_ne!(read_halves(&mut sim, "g.c"), all, "{what}");
        }
    }
}

#[test]
fn array_index_out_of_range_is_a_fault_with_any_border() {
    let Some(gpu) = common::gpu() else { return };
    let cells = [4, 3, 2];
    for border in BORDERS {
        for (body, wanted) in [
            ("set_g_d(ivec3(0), 0u, g_c(ivec3(4, 2, 1), 2u));", None),
            ("set_g_d(ivec3(0), 0u, g_c(ivec3(5, 2, 1), 2u));", None),
            (
                "set_g_d(ivec3(0), 0u, g_c(ivec3(4, 2, 1), 3u));",
                Some((false, 3, [4, 2, 1])),
            ),
            (
                "set_g_d(ivec3(0), 0u, g_c(ivec3(-1, 2, 1), -1));",
                Some((false, -1, [-1, 2, 1])),
            ),
            ("set_g_d(ivec3(3, 0, 0), 3u, 1.0);", Some((true, 3, [3, 0, 0]))),
        ] {
            let file = json!({
                "run": {"dt": 1},
                "grids": {"g": grid(cells, "face_x", border)},
                "step": [{"stage": "hit", "over": 1, "reads": ["g.c"], "writes": ["g.d"]}]
            });
            let kernel = format!("void stage(uint i) {{ {body} }}");
            let mut sim = simulation(&gpu, &file, &[("hit.comp", &kernel)], CHECKED);
            sim.step(false).unwrap();
            let found = fault(&mut sim).map(|fault| (fault.kind, fault.index));
            let wanted = wanted.map(|(writes, entry, index): (bool, i64, [i64; 3])| {
                let count = ENTRIES as u32;
                (FaultKind::Entry { writes, entry, count }, index.to_vec())
            });
            assert_eq!(found, wanted, "{border:?}: {body}");
        }
    }
}

#[test]
fn fields_report_entry_count_and_own_size() {
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": [4, 3, 2], "cell_size": 1, "channels": {
            "c": {"type": "hvec3", "count": 5, "at": "node"}, "d": "float"
        }}},
        "step": [{"set": "g.d", "to": 0}]
    });
    let pipeline = resolve(&file, &[]).unwrap();
    let fields = sastrugi::api::fields(&pipeline);
    let of = |name: &str| {
        let field = fields.iter().find(|field| field.name == name).unwrap();
        (field.count, field.size.clone(), field.bytes)
    };
    assert_eq!(of("g.c"), (Some(5), vec![5, 4, 3], 60 * 5 * 6));
    assert_eq!(of("g.d"), (None, vec![4, 3, 2], 24 * 4));
}

#[test]
fn arrays_initialize_from_expressions_and_files() {
    let Some(gpu) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a.npy");
    let (cells, size) = ([4, 3, 2], [5usize, 3, 2]);
    let count: usize = size.iter().product();
    // Element by element in the file, entry by entry in memory.
    let values: Vec<f32> = random(ENTRIES * count, 8).into_iter().map(rounded).collect();
    std::fs::write(&path, npy("<f2", "(2, 3, 5, 3)", false, &halves(&values))).unwrap();
    let channel = |values: Value| json!({"type": "half", "count": ENTRIES, "at": "face_x", "values": values});
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": cells, "cell_size": 1, "channels": {
            "read": channel(json!({"file": path})),
            "made": channel(json!(["i", "100 * x + y", -0.25])),
            "small": {"type": "int8", "values": "i - 9"},
            "long": {"type": "dvec2", "at": "node", "values": ["i / 3", "z"]}
        }}},
        "step": [{"set": "g.read", "to": 0}]
    });
    let mut sim = simulation(&gpu, &file, &[], CHECKED);
    let entry = |k: usize| values.iter().skip(k).step_by(ENTRIES).copied();
    let wanted: Vec<f32> = (0..ENTRIES).flat_map(entry).collect();
    assert_same(&read_halves(&mut sim, "g.read"), &wanted, "npy");
    assert_ne!(wanted, values, "control: another order");

    let made = |k: usize, i: usize| match k {
        0 => i as f32,
        1 => (100 * (i % size[0])) as f32 + (i / size[0] % size[1]) as f32 + 0.5,
        _ => -0.25,
    };
    let made: Vec<f32> = (0..ENTRIES * count)
        .map(|at| made(at / count, at % count))
        .collect();
    assert_same(&read_halves(&mut sim, "g.made"), &made, "expression");
    let small: Vec<u8> = (0..24).map(|i| (i - 9) as i8 as u8).collect();
    assert_eq!(sim.read("g.small").unwrap(), small);
    let long: Vec<u8> = (0..60)
        .flat_map(|i| [f64::from(i) / 3.0, f64::from(i / 20)])
        .flat_map(f64::to_le_bytes)
        .collect();
    assert_eq!(sim.read("g.long").unwrap(), long);
}

#[test]
fn mesh_masks_fill_narrow_channels_but_not_arrays() {
    let Some(gpu) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("t.obj");
    std::fs::write(&path, super::starts::TETRAHEDRON).unwrap();
    let file = |channel: Value| {
        let mut channel = channel;
        channel["values"] = json!({"mesh": path, "scale": 9});
        json!({
            "run": {"dt": 1},
            "grids": {"g": {"cells": [5, 3, 3], "cell_size": 1, "channels": {"c": channel}}},
            "step": [{"set": "g.c", "to": 0}]
        })
    };
    let mut sim = simulation(&gpu, &file(json!({"type": "uint8"})), &[], CHECKED);
    let marks = sim.read("g.c").unwrap();
    let mut sim = simulation(&gpu, &file(json!({"type": "half"})), &[], CHECKED);
    let halves = read_halves(&mut sim, "g.c");
    let as_floats: Vec<f32> = marks.iter().map(|mark| f32::from(*mark)).collect();
    assert_eq!(halves, as_floats);
    assert!(marks.contains(&0) && marks.contains(&1), "{marks:?}");
    let problems = resolve(&file(json!({"type": "uint8", "count": 2})), &[]).unwrap_err();
    assert!(problems.contains("uint8[2] has several"), "{problems}");
}

/// Numbers of an array on faces: entry k of the face at x is 100 k + x, but for one, which is as given.
fn numbered(odd: f32, file: Value) -> (Value, String) {
    let mut whole = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": [4, 3, 2], "cell_size": 1, "channels": {
            "c": {"type": "half", "count": ENTRIES, "at": "face_x", "border": "clamp", "bounds": [-1, 1000]}
        }}},
        "step": [{"stage": "number", "over": "g.c", "writes": ["g.c"]}]
    });
    for (key, value) in file.as_object().unwrap() {
        whole[key] = value.clone();
    }
    let kernel = format!(
        "void stage(ivec3 i) {{
            for (uint k = 0u; k < 3u; ++k)
                set_g_c(i, k, i == ivec3(4, 1, 1) && k == 1u ? {odd:?} : float(100u * k) + float(i.x));
        }}"
    );
    (whole, kernel)
}

#[test]
fn series_measure_array_entries_on_faces() {
    let Some(gpu) = common::gpu() else { return };
    let (file, kernel) = numbered(
        7.0,
        json!({"outputs": {"s": {"values": {
        "all": "sum(g.c)", "one": "sum(g.c[1])", "last": "g.c[4, 2, 1, 2]", "most": "max(g.c[2])"
    }, "format": "csv"}}}),
    );
    let mut sim = simulation(&gpu, &file, &[("number.comp", &kernel)], CHECKED);
    sim.step(false).unwrap();
    sim.frame(false).unwrap();
    let pipeline = sim.pipeline().clone();
    let series = &pipeline.series[0];
    let partials = read_words(&mut sim, &pipeline.fields[series.partials].name);
    let bytes: Vec<u8> = partials.iter().flat_map(|word| word.to_le_bytes()).collect();
    let numbers = values(&pipeline, series, &bytes);
    let numbers: Vec<f64> = (numbers.into_iter())
        .map(|number| match number {
            Number::Whole(value) => value as f64,
            Number::Float(value) => value,
        })
        .collect();
    // 30 faces; 7 stands for 104.
    assert_eq!(numbers, [9180.0 - 97.0, 3060.0 - 97.0, 204.0, 204.0]);
}

/// A bad value in an array on faces is reported with its index and entry.
#[test]
fn watch_names_array_entries_on_faces() {
    let Some(gpu) = common::gpu() else { return };
    for (odd, wanted) in [
        (7.0, None),
        (-2.0, Some("`g.c` has -2.0 at cell (4, 1, 1), entry 1")),
    ] {
        let (file, kernel) = numbered(odd, json!({"run": {"dt": 1, "watch_every": 1}}));
        let mut sim = simulation(&gpu, &file, &[("number.comp", &kernel)], CHECKED);
        sim.step(false).unwrap();
        sim.finish().unwrap();
        let found = sim.first_bad().unwrap().map(|bad| bad.to_string());
        match wanted {
            None => assert_eq!(found, None),
            Some(wanted) => assert!(
                found.as_ref().is_some_and(|found| found.starts_with(wanted)),
                "{found:?}"
            ),
        }
    }
}

/// A kernel of a module sees the location and the border that its role states, of channels that state none or less.
#[test]
fn roles_state_locations_and_borders() {
    let root = tempfile::tempdir().unwrap();
    let module = json!({
        "roles": {"air": {"cells": {"u": {"type": "half", "count": 3, "at": "face_x", "border": "clamp"}}}},
        "step": [{"stage": "blow", "over": "air.u", "reads": ["air.u"], "writes": ["air.u"]}]
    });
    std::fs::write(root.path().join("wind.json"), module.to_string()).unwrap();
    for own in [
        json!({"other": "float"}),
        json!({"u": {"type": "half", "count": 3, "at": "face_x", "bounds": [0, 9]}}),
        json!({"u": {"type": "half", "count": 3, "at": "face_x", "border": "clamp"}}),
        json!({"u": {"type": "half", "count": 3, "at": "face_x", "border": ["clamp", "clamp", "clamp"]}}),
    ] {
        let file = json!({
            "use": {"wind": {"module": "wind.json", "roles": {"air": "sky"}}},
            "run": {"dt": 1},
            "grids": {"sky": {"cells": [4, 3, 2], "cell_size": 1, "channels": own}},
            "step": ["wind.step"]
        });
        let document = Document::parse("modules.json", &file.to_string(), root.path()).unwrap();
        let (pipeline, _) = spec::from_document("modules", &document, &Default::default())
            .unwrap_or_else(|problems| panic!("{problems}"));
        // A channel that the grid lacks belongs to the instance.
        let name = if own.get("u").is_some() {
            "sky.u"
        } else {
            "wind.air.u"
        };
        let field = pipeline.field(name).unwrap();
        assert_eq!(pipeline.size_of(field), [5, 3, 2], "{own}");
        let field = &pipeline.fields[field];
        assert_eq!(field.border, Some(sastrugi::ir::Border::Clamp.into()), "{own}");
        let stage = &pipeline.stages[0];
        assert_eq!((stage.domain.size, field.count), ([5, 3, 2], Some(3)), "{own}");
    }
}
