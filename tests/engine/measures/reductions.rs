//! Reductions against their twin, word by word, at sizes round workgroups and beyond all of them.

use sastrugi::grid::{Layout, OUTSIDE};
use sastrugi::ir::{Class, PARTIAL_WORDS};
use sastrugi::run::measures::{Number, values};
use serde_json::json;

use super::twin::{Partial, partials};
use super::*;

/// One less and one more than a workgroup, than what one workgroup takes, and more than all workgroups take at once.
const SIZES: [usize; 9] = [1, 31, 255, 256, 257, 4096, 4097, 70_001, 4_300_000];

/// Words that look like nothing in particular.
fn noise(seed: u32) -> impl Iterator<Item = u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    })
}

/// Finite floats of either sign, from 2^-20 to 2^20: their sums lose digits in plain floats.
fn floats(seed: u32) -> impl Iterator<Item = f32> {
    noise(seed).map(|word| {
        let exponent = 107 + (word >> 3) % 41;
        f32::from_bits(word & 0x807f_ffff | exponent << 23)
    })
}

/// The partial results of a series' items, as the device left them.
fn of_device(sim: &mut Simulation) -> Vec<Vec<Partial>> {
    sim.frame(false).unwrap();
    let series = sim.pipeline().series[0].clone();
    let name = sim.pipeline().fields[series.partials].name.clone();
    let words = common::words(&sim.read(&name).unwrap());
    let mut partials = words
        .chunks_exact(PARTIAL_WORDS as usize)
        .map(|words| Partial::try_from(words).unwrap());
    let of_item = |groups: &u32| partials.by_ref().take(*groups as usize).collect();
    series.groups.iter().map(of_item).collect()
}

fn numbers(sim: &mut Simulation) -> Vec<Number> {
    sim.frame(false).unwrap();
    let pipeline = sim.pipeline().clone();
    let name = &pipeline.fields[pipeline.series[0].partials].name;
    let words = sim.read(name).unwrap();
    values(&pipeline, &pipeline.series[0], &words)
}

/// Items per size in the next test.
const ITEMS: usize = 8;

#[test]
fn reductions_match_the_reference_at_awkward_sizes() {
    check_sizes(&SIZES[..8]);
}

#[test]
#[ignore = "long: millions of elements, several for each invocation"]
fn reductions_match_the_reference_at_all_sizes() {
    check_sizes(&SIZES);
}

fn check_sizes(sizes: &[usize]) {
    let Some(gpu) = common::gpu() else { return };
    let (mut buffers, mut columns) = (json!({}), json!({}));
    for &n in sizes {
        for (kind, element) in [("f", "float"), ("i", "int"), ("u", "uint"), ("v", "vec3")] {
            buffers[format!("{kind}{n}")] = json!({"type": element, "length": n, "background": 0});
        }
        columns[format!("f{n}")] = json!(format!("sum(f{n})"));
        columns[format!("i{n}")] = json!(format!("sum(i{n})"));
        columns[format!("u{n}")] = json!(format!("max(u{n})"));
        columns[format!("y{n}")] = json!(format!("min(v{n}.y)"));
        columns[format!("l{n}")] = json!(format!("max(length(v{n}))"));
        columns[format!("f2{n}")] = json!(format!("sum(f{n} ^ 2)"));
        columns[format!("i2{n}")] = json!(format!("sum(i{n} ^ 2)"));
        columns[format!("l2{n}")] = json!(format!("sum(length(v{n}) ^ 2)"));
    }
    let file = json!({
        "run": {"dt": 1}, "buffers": buffers, "step": [],
        "outputs": {"s": {"format": "csv", "values": columns}},
    });
    let mut sim = simulation(&gpu, pipeline(&file));
    let mut expected = Vec::new();
    let mut sums = Vec::new();
    for &n in sizes {
        let seed = n as u32;
        let floats_of = |seed: u32, n: usize| -> Vec<f32> { floats(seed).take(n).collect() };
        let f = floats_of(seed, n);
        let (i, u): (Vec<u32>, Vec<u32>) = (
            noise(seed + 1).take(n).collect(),
            noise(seed + 2).take(n).collect(),
        );
        let v = floats_of(seed + 3, 3 * n);
        let bits = |values: &[f32]| -> Vec<u32> { values.iter().map(|value| value.to_bits()).collect() };
        for (name, words) in [
            ("f", bits(&f)),
            ("i", i.clone()),
            ("u", u.clone()),
            ("v", bits(&v)),
        ] {
            sim.write(&format!("{name}{n}"), &common::bytes(&words)).unwrap();
        }
        let square = |v: &[f32]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        let length = |v: &[f32]| square(v).sqrt();
        let items = [
            (Class::Float, bits(&f)),
            (Class::Int, i.clone()),
            (Class::Uint, u),
            (Class::Float, v.chunks(3).map(|v| v[1].to_bits()).collect()),
            (Class::Float, v.chunks(3).map(|v| length(v).to_bits()).collect()),
            (Class::Float, f.iter().map(|f| (f * f).to_bits()).collect()),
            (
                Class::Float,
                i.iter().map(|i| (*i as i32 as f32).powi(2).to_bits()).collect(),
            ),
            (Class::Float, v.chunks(3).map(|v| square(v).to_bits()).collect()),
        ];
        let groups = n.div_ceil(4096).clamp(1, 1024);
        expected.extend(items.map(|(class, bits)| {
            let elements: Vec<Option<u32>> = bits.into_iter().map(Some).collect();
            partials(class, &elements, groups)
        }));
        let exact: i64 = i.iter().map(|word| i64::from(*word as i32)).sum();
        sums.push((f.iter().map(|value| f64::from(*value)).sum::<f64>(), exact));
    }
    let found = of_device(&mut sim);
    for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let (n, item) = (sizes[number / ITEMS], number % ITEMS);
        assert!(found == expected, "item {item} of {n} elements");
    }
    assert_eq!(found.len(), expected.len());
    // Sums of the partial results are as accurate as in double precision.
    let values = numbers(&mut sim);
    for (number, (sum, exact)) in sums.into_iter().enumerate() {
        let Number::Float(found) = values[ITEMS * number] else {
            panic!("{values:?}")
        };
        let scale = sizes[number] as f64 * 1e6;
        assert!((found - sum).abs() <= 1e-12 * scale, "{found} {sum}");
        assert_eq!(values[ITEMS * number + 1], Number::Whole(i128::from(exact)));
    }
    // Control: one number more, in the last place of the largest.
    let last = sizes.len() - 1;
    let n = sizes[last];
    let mut changed: Vec<u32> = noise(n as u32 + 1).take(n).collect();
    changed[n - 1] = changed[n - 1].wrapping_add(1);
    sim.write(&format!("i{n}"), &common::bytes(&changed)).unwrap();
    let different = of_device(&mut sim);
    // The square of a large number may be the same float.
    let differs: Vec<usize> = (0..found.len())
        .filter(|i| i % ITEMS != 6 && found[*i] != different[*i])
        .collect();
    assert_eq!(differs, [last * ITEMS + 1]);
}

#[test]
fn reductions_cover_every_dense_resource_kind() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1}, "step": [],
        "grids": {
            "air": {"cells": [9, 7, 5], "cell_size": 1, "channels": {"u": {"type": "vec2", "background": 0}}},
            "view": {"pixels": [13, 11], "channels": {
                "depth": {"type": "float", "background": 0}, "color": {"type": "rgba8", "background": 0}}}
        },
        "particles": {"dots": {"count": 301, "attributes": {"age": {"type": "ivec2", "background": 0}}}},
        "outputs": {"s": {"format": "csv", "values": {
            "a": "mean(air.u.y)", "b": "air.u[8, 6, 4].x", "c": "min(view.depth)", "d": "sum(view.color.g)",
            "e": "sum(dots.age.y)", "f": "count(dots)", "g": "nonfinite(air.u.x)", "h": "dots.age[300].x"}}},
    });
    let mut sim = simulation(&gpu, pipeline(&file));
    let cells = 9 * 7 * 5;
    let mut u: Vec<f32> = (0..2 * cells).map(|k| k as f32 / 8.0).collect();
    let write = |sim: &mut Simulation, u: &[f32]| {
        let words: Vec<u32> = u.iter().map(|value| value.to_bits()).collect();
        sim.write("air.u", &common::bytes(&words)).unwrap();
    };
    write(&mut sim, &u);
    let depth: Vec<u32> = (0..143)
        .map(|k| (0.25f32 * (k as f32 - 70.0).abs() - 3.0).to_bits())
        .collect();
    sim.write("view.depth", &common::bytes(&depth)).unwrap();
    // Half of the pixels have green 255, the others 51.
    let color: Vec<u32> = (0..143)
        .map(|k| if k % 2 == 0 { 0x0000_ff00 } else { 0xffff_33ff })
        .collect();
    sim.write("view.color", &common::bytes(&color)).unwrap();
    let age: Vec<u32> = (0..602).map(|k| (k - 300i32) as u32).collect();
    sim.write("dots.age", &common::bytes(&age)).unwrap();
    let mean = (0..cells).map(|k| (2 * k + 1) as f64 / 8.0).sum::<f64>() / cells as f64;
    let green = 72.0 + 71.0 * f64::from(0.2f32);
    let expected = [
        Number::Float(mean),
        Number::Float((2 * cells - 2) as f64 / 8.0),
        Number::Float(-3.0),
        Number::Float(green),
        Number::Whole((0..301).map(|k| 2 * k + 1 - 300).sum()),
        Number::Whole(301),
        Number::Whole(0),
        Number::Whole(300),
    ];
    let found = numbers(&mut sim);
    for (found, expected) in found.iter().zip(&expected) {
        match (found, expected) {
            (Number::Float(a), Number::Float(b)) => {
                assert!((a - b).abs() <= 1e-6 * b.abs(), "{found:?} {expected:?}")
            }
            _ => assert_eq!(found, expected),
        }
    }
    assert_eq!(found.len(), expected.len());
    // A value that is not finite is counted, and shows in what it is part of.
    u[2 * 17] = f32::INFINITY;
    u[2 * 18] = f32::NAN;
    u[2 * 18 + 1] = f32::NAN;
    write(&mut sim, &u);
    let found = numbers(&mut sim);
    assert_eq!(found[6], Number::Whole(2));
    assert!(matches!(found[0], Number::Float(mean) if mean.is_nan()));
    assert_eq!(found[1..6], numbers(&mut sim)[1..6]);
}

/// A sparse grid with a ball of active blocks.
pub fn ball(paging: &str, radius: f64) -> Value {
    json!({
        "run": {"dt": 1},
        "grids": {"g": {
            "cells": [70, 41, 33], "cell_size": 1,
            "sparse": {"block": [8, 8, 8], "keep": 0, "paging": paging},
            "channels": {"mark": {"type": "uint", "background": 7}, "heat": {"type": "float", "background": -1}},
        }},
        "init": [
            {"stage": "ask", "over": "g.blocks", "requests": ["g"], "arguments": {"radius": radius}},
            {"update_grid": "g"},
            {"stage": "warm", "over": "g", "writes": ["g.heat", "g.mark"]},
        ],
        "step": [],
        "outputs": {"s": {"format": "csv", "values": {
            "heat": "sum(g.heat)", "mark": "max(g.mark)", "blocks": "blocks(g)", "one": "g.heat[20, 20, 16]",
            "outside": "g.mark[69, 40, 32]"}}},
    })
}

#[test]
fn sparse_reductions_cover_active_cells_in_every_paging() {
    let Some(gpu) = common::gpu() else { return };
    let residency = gpu.report().sparse.binding && gpu.report().sparse.residency_buffer;
    let pagings = ["dense", "table", "sparse"];
    let pagings = &pagings[..if residency { 3 } else { 2 }];
    let mut first: Option<Vec<Vec<Partial>>> = None;
    for paging in pagings {
        let mut sim = simulation(&gpu, pipeline(&ball(paging, 25.0)));
        let found = of_device(&mut sim);
        let list = common::words(&sim.read("g_list").unwrap());
        let active = sim.pages()[0].active_blocks;
        let layout: Layout = sim.pipeline().sparse_grids().next().unwrap().1.layout.clone();
        let heat = common::words(&sim.read("g.heat").unwrap());
        let elements: Vec<Option<u32>> = (list[..active as usize].iter())
            // Without the mark of blocks whose neighbours are active.
            .flat_map(|number| (0..512).map(|place| layout.cell_at(*number & !OUTSIDE, place)))
            .map(|[x, y, z]| {
                let inside = x < 70 && y < 41 && z < 33;
                inside.then(|| heat[((z * 41 + y) * 70 + x) as usize])
            })
            .collect();
        assert!(elements.contains(&None) && active > 50, "{active}");
        let groups = (70 * 41 * 33usize).div_ceil(4096);
        assert!(found[0] == partials(Class::Float, &elements, groups), "{paging}");
        let values = numbers(&mut sim);
        assert_eq!(values[2], Number::Whole(i128::from(active)));
        let one = heat[(16 * 41 + 20) * 70 + 20];
        assert_eq!(values[3], Number::Float(f64::from(f32::from_bits(one))));
        assert_eq!(values[4], Number::Whole(7), "the background of an inactive block");
        assert_eq!(first.get_or_insert(found.clone()), &found, "{paging}");
        // Control: another ball.
        let other = of_device(&mut simulation(&gpu, pipeline(&ball(paging, 20.0))));
        assert_ne!(other[0], found[0]);
        // No active block at all.
        let mut empty = simulation(&gpu, pipeline(&ball(paging, -1.0)));
        let values = numbers(&mut empty);
        assert_eq!((values[0], values[2]), (Number::Float(0.0), Number::Whole(0)));
        assert!(matches!(values[1], Number::Float(most) if most.is_nan()));
    }
}

#[test]
fn dynamic_set_reductions_cover_live_particles() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1}, "step": [],
        "particles": {"sparks": {"capacity": 5000, "attributes": {"heat": {"type": "float", "background": 0}}}},
        "outputs": {"s": {"format": "csv", "values": {
            "sum": "sum(sparks.heat)", "live": "count(sparks)", "most": "max(sparks.heat)"}}},
    });
    let mut sim = simulation(&gpu, pipeline(&file));
    let heat: Vec<f32> = (0..5000).map(|k| k as f32).collect();
    let words: Vec<u32> = heat.iter().map(|value| value.to_bits()).collect();
    sim.write("sparks.heat", &common::bytes(&words)).unwrap();
    for live in [0u32, 1, 255, 257, 5000] {
        let mut words = common::words(&sim.read("sparks_live").unwrap());
        words[0] = live;
        sim.write("sparks_live", &common::bytes(&words)).unwrap();
        let found = numbers(&mut sim);
        let sum: f64 = heat[..live as usize].iter().map(|value| f64::from(*value)).sum();
        assert_eq!(found[..2], [Number::Float(sum), Number::Whole(i128::from(live))]);
        match live {
            0 => assert!(matches!(found[2], Number::Float(most) if most.is_nan())),
            _ => assert_eq!(found[2], Number::Float(f64::from(live - 1))),
        }
    }
}
