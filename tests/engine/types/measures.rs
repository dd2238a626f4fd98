//! Series and the watch, of every type that they take.

use sastrugi::run::measures::{Number, values};

use super::*;

fn numbers_of(simulation: &mut Simulation) -> Vec<f64> {
    simulation.frame(false).unwrap();
    let pipeline = simulation.pipeline().clone();
    let name = &pipeline.fields[pipeline.series[0].partials].name;
    let words = simulation.read(name).unwrap();
    let numbers = values(&pipeline, &pipeline.series[0], &words);
    let number = |number: Number| match number {
        Number::Whole(value) => value as f64,
        Number::Float(value) => value,
    };
    numbers.into_iter().map(number).collect()
}

/// A measured expression, its channel, and the entries and components that it covers.
type Wanted = (String, Channel, Option<u32>, u32);

fn operands(channels: &[Channel], resource: &str) -> Vec<Wanted> {
    let mut operands = Vec::new();
    for channel in channels {
        let scalar = channel.element.scalar();
        // 64-bit whole numbers are not measured, and halves here overflow.
        if !channel.element.is_measurable() || scalar == sastrugi::element::Scalar::Half {
            continue;
        }
        let name = format!("{resource}.a_{}", channel.name);
        let columns = channel.element.columns();
        let components = channel.element.components();
        let (part, component) = match (columns, components) {
            (2.., _) => (format!(".c{}.y", columns - 1), (columns - 1) * columns + 1),
            (_, 1) => (String::new(), 0),
            _ => (
                format!(".{}", &"xyzw"[components as usize - 1..components as usize]),
                components - 1,
            ),
        };
        operands.push((format!("{name}{part}"), channel.clone(), None, component));
        if let Some(count) = channel.count {
            let text = format!("{name}[{}]{part}", count - 1);
            operands.push((text, channel.clone(), Some(count - 1), component));
        }
    }
    operands
}

/// Sum, least and greatest, as doubles have them.
fn twin_of(wanted: &Wanted, elements: &[u32]) -> [f64; 3] {
    let (_, channel, entry, component) = wanted;
    let entries = match entry {
        Some(entry) => *entry..*entry + 1,
        None => 0..channel.count.unwrap_or(1),
    };
    let numbers: Vec<f64> = entries
        .flat_map(|k| elements.iter().map(move |number| (*number, k)))
        .map(|(number, k)| channel.number(number, k, *component))
        .collect();
    [
        numbers.iter().sum(),
        numbers.iter().copied().fold(f64::INFINITY, f64::min),
        numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    ]
}

/// Compares every reduction of a series with the twin; sums of floats and rounded doubles to their digits.
fn compare(simulation: &mut Simulation, wanted: &[Wanted], elements: &[u32]) -> Vec<String> {
    let found = numbers_of(simulation);
    let mut differing = Vec::new();
    for (wanted, found) in wanted.iter().zip(found.chunks(3)) {
        let twin = twin_of(wanted, elements);
        let double = wanted.1.element.scalar() == sastrugi::element::Scalar::Double;
        let whole = !wanted.1.element.scalar().is_float();
        let most = elements.len() as f64 * twin[1].abs().max(twin[2].abs());
        let close = |a: f64, b: f64, digits: f64| (a - b).abs() <= digits * most;
        let same = match (whole, double) {
            (true, _) => found == twin,
            (_, true) => (0..3).all(|k| close(found[k], twin[k], 1e-7)),
            _ => close(found[0], twin[0], 1e-12) && found[1..] == twin[1..],
        };
        if !same {
            differing.push(format!("{}: {found:?}, not {twin:?}", wanted.0));
        }
    }
    differing
}

fn with_series(mut file: Value, wanted: &[Wanted]) -> Value {
    let mut values = json!({});
    for (number, (text, ..)) in wanted.iter().enumerate() {
        for function in ["sum", "min", "max"] {
            values[format!("{function}_{number}")] = json!(format!("{function}({text})"));
        }
    }
    file["outputs"] = json!({"series": {"format": "csv", "values": values}});
    file
}

#[test]
fn series_measure_every_type_and_single_entries() {
    let Some(gpu) = common::gpu() else { return };
    for (storage, channels) in [("dense", all()), ("sparse", few())] {
        let [make, _] = entries("air", &channels);
        let [made, _] = make_and_see("air", &channels, &Index::of(3, "air", "cells"));
        let wanted = operands(&channels, "air");
        assert!(wanted.len() > 6);
        let mut attributes = json!({});
        channels.iter().for_each(|channel| {
            attributes[format!("a_{}", channel.name)] = channel.file(channel.element);
        });
        let mut file = json!({
            "grids": {"air": {"cells": [13, 9, 7], "cell_size": 1, "channels": attributes}},
            "init": [],
            "step": make
        });
        let mut kernels = made;
        if storage == "sparse" {
            file["grids"]["air"]["sparse"] = json!({});
            file["init"] =
                json!([{"stage": "ask", "over": 819, "requests": ["air"]}, {"update_grid": "air"}]);
            kernels.push(kernel("ask.comp", ASK));
        }
        let mut simulation = simulation(&gpu, &with_series(file, &wanted), &kernels);
        simulation.step(false).unwrap();
        let found = compare(&mut simulation, &wanted, &numbers(819));
        assert!(found.is_empty(), "{storage}: {}", found.join("\n"));
        let other = compare(&mut simulation, &wanted, &numbers(818));
        assert_eq!(other.len(), wanted.len(), "control: one cell less");
        assert_no_fault(&mut simulation);
    }
}

#[test]
fn dynamic_set_series_cover_live_particles_in_every_entry() {
    let Some(gpu) = common::gpu() else { return };
    let channels = few();
    let wanted = operands(&channels, "dust");
    let mut attributes = json!({});
    channels.iter().for_each(|channel| {
        attributes[format!("a_{}", channel.name)] = channel.file(channel.element);
    });
    let file = json!({
        "particles": {"dust": {"count": 300, "capacity": 411, "attributes": attributes}},
        "step": entries("dust", &channels)[0]
    });
    let [kernels, _] = make_and_see("dust", &channels, &Index::of(1, "dust", "count"));
    let mut simulation = simulation(&gpu, &with_series(file, &wanted), &kernels);
    simulation.step(false).unwrap();
    let found = compare(&mut simulation, &wanted, &numbers(300));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn series_measure_single_components_of_arrays_and_matrices() {
    let Some(gpu) = common::gpu() else { return };
    let of = |name: &str| -> Vec<Channel> { all().into_iter().filter(|c| c.name == name).collect() };
    let channels = [of("float_list"), of("mat3"), of("uint8")].concat();
    let file = json!({
        "grids": {"air": {"cells": [3, 2, 2], "cell_size": 1, "channels": {
            "a_float_list": {"type": "float", "count": 19}, "a_mat3": "mat3", "a_uint8": "uint8"
        }}},
        "step": entries("air", &channels)[0],
        "outputs": {"series": {"format": "csv", "values": {
            "a": "air.a_float_list[2,1,0,18]", "b": "air.a_mat3[2,1,1].c2.y", "c": "air.a_uint8[0,0,1]",
            "d": "nonfinite(air.a_float_list)", "e": "mean(air.a_float_list[0])"
        }}}
    });
    let [kernels, _] = make_and_see("air", &channels, &Index::of(3, "air", "cells"));
    let mut simulation = simulation(&gpu, &file, &kernels);
    simulation.step(false).unwrap();
    let found = numbers_of(&mut simulation);
    let mean = (0..12)
        .map(|number| channels[0].number(number, 0, 0))
        .sum::<f64>()
        / 12.0;
    let wanted = [
        channels[0].number(5, 18, 0),
        channels[1].number(11, 0, 7),
        channels[2].number(6, 0, 0),
        0.0,
    ];
    assert_eq!(found[..4], wanted);
    assert!((found[4] - mean).abs() < 1e-9 * mean.abs());
}

#[test]
fn watch_names_entries_and_components() {
    let Some(gpu) = common::gpu() else { return };
    for storage in ["dense", "sparse"] {
        for (statement, wanted) in [
            ("", None),
            (
                "set_air_f(ivec3(4, 2, 6), 17u, nan);",
                Some("`air.f` has NaN at cell (4, 2, 6), entry 17 after step 1"),
            ),
            (
                "set_air_f(ivec3(4, 2, 6), 0u, -nan);",
                Some("`air.f` has NaN at cell (4, 2, 6), entry 0 after step 1"),
            ),
            (
                "mat3 m = mat3(0.0); m[2][1] = 1.0 / zero; set_air_m(ivec3(0, 1, 2), m);",
                Some("`air.m` has inf at cell (0, 1, 2).c2.y after step 1"),
            ),
            (
                "set_air_p(ivec3(0, 0, 3), 1u, vec3(0.0, 1.0 / zero, 0.0));",
                Some("`air.p` has inf at cell (0, 0, 3), entry 1.y after step 1"),
            ),
            (
                "set_air_h(ivec3(1, 0, 0), 70000.0);",
                Some("`air.h` has inf at cell (1, 0, 0) after step 1"),
            ),
            (
                "set_air_b(ivec3(1, 0, 0), 200u);",
                Some("`air.b` has 200.0 at cell (1, 0, 0), outside its bounds 0 to 100, after step 1"),
            ),
            (
                "set_air_d(ivec3(1, 0, 0), 1.0lf / double(zero));",
                Some("`air.d` has inf at cell (1, 0, 0) after step 1"),
            ),
            // Beyond floats, which doubles are measured as.
            ("set_air_d(ivec3(1, 0, 0), 1e300lf);", None),
        ] {
            let channels = json!({
                "f": {"type": "float", "count": 19, "background": 1}, "m": {"type": "mat3", "background": 1},
                "p": {"type": "vec3", "count": 2, "background": 0}, "h": {"type": "half", "background": 0},
                "b": {"type": "uint8", "bounds": [0, 100], "background": 0},
                "d": {"type": "double", "background": 0}
            });
            let all = ["air.f", "air.m", "air.p", "air.h", "air.b", "air.d"];
            let mut file = json!({
                "grids": {"air": {"cells": [5, 3, 7], "cell_size": 1, "channels": channels}},
                "init": [],
                "step": [{"stage": "spoil", "over": 1, "writes": all, "arguments": {"zero": 0}}],
                "run": {"watch_every": 1}
            });
            if storage == "sparse" {
                file["grids"]["air"]["sparse"] = json!({});
                file["init"] =
                    json!([{"stage": "ask", "over": 105, "requests": ["air"]}, {"update_grid": "air"}]);
            }
            let spoil = format!(
                "#version 460\n#include \"stage.glsl\"\nvoid stage(uint i) {{ float zero = arg.zero, nan = zero / zero; \
                 {statement} }}\n"
            );
            let kernels = [kernel("spoil.comp", spoil), kernel("ask.comp", ASK)];
            let mut simulation = simulation(&gpu, &file, &kernels);
            simulation.step(false).unwrap();
            simulation.finish().unwrap();
            let found = simulation.first_bad().unwrap().map(|bad| bad.to_string());
            assert_eq!(found.as_deref(), wanted, "{storage}: {statement}");
        }
    }
}
