//! Reductions of fields that are there.

use serde_json::json;

use super::*;

#[test]
fn field_reductions_match_for_every_kind_and_size() {
    let Some(gpu) = common::gpu() else { return };
    for n in SIZES {
        let file = json!({
            "run": {"dt": 1},
            "particles": {"dots": {"count": n, "ring": 3, "attributes": {"x": "float", "v": "vec2", "k": "int"}}},
            "buffers": {
                "marks": {"type": "uint", "length": n},
                "total": {"type": "float", "length": 1}, "drift": {"type": "vec2", "length": 1},
                "low": {"type": "int", "length": 1}, "high": {"type": "vec2", "length": 1},
                "marked": {"type": "uint", "length": 1}, "rare": {"type": "float", "length": 1, "background": -1}
            },
            "step": [
                {"stage": "make", "over": "dots", "writes": ["dots.x", "dots.v", "dots.k", "marks"]},
                {"set": "total", "to": "sum(dots.x)"},
                {"set": "drift", "to": "sum(dots.v)"},
                {"set": "high", "to": "max(dots.v)"},
                {"set": "low", "to": "min(dots.k)"},
                {"set": "marked", "to": "count(marks)"},
                {"every": 3, "stages": [{"set": "rare", "to": "max(dots.x)"}]}
            ]
        });
        let make = format!(
            "{FLOAT}void stage(uint i) {{
                set_dots_x(i, made(i) + float(clock.step)); set_dots_v(i, vec2(made(i + 1u), -made(i)));
                set_dots_k(i, 3 - int(i)); set_marks(i, i % 5u == 2u ? i : 0u);
            }}"
        );
        let mut sim = simulation(&gpu, pipeline(&file, &[("make", &make)]), Default::default());
        (0..2).for_each(|_| sim.step(false).unwrap());
        let sum = |value: fn(usize) -> f32| fold::sum(&(0..n).map(value).collect::<Vec<_>>(), n).to_bits();
        assert_eq!(word(&mut sim, "total"), sum(|i| float(i) + 1.0), "{n}");
        assert_eq!(
            read_words(&mut sim, "drift"),
            [sum(|i| float(i + 1)), sum(|i| -float(i))],
            "{n}"
        );
        let most = |value: fn(usize) -> f32| (0..n).map(value).fold(f32::NEG_INFINITY, f32::max).to_bits();
        assert_eq!(
            read_words(&mut sim, "high"),
            [most(|i| float(i + 1)), most(|i| -float(i))],
            "{n}"
        );
        assert_eq!(word(&mut sim, "low") as i32, 4 - n as i32);
        assert_eq!(
            word(&mut sim, "marked") as usize,
            (0..n).filter(|i| i % 5 == 2).count()
        );
        assert_eq!(word(&mut sim, "rare"), most(float), "from the first step");
    }
}

/// Grids are reduced in tiles: few tiles, many, and more than one workgroup combines. Faces at both ends count.
#[test]
fn grid_reductions_match_for_cells_and_faces() {
    let Some(gpu) = common::gpu() else { return };
    for cells in [[5, 4, 3], [40, 30, 9], [33, 17, 70], [300, 260, 1], [2, 2, 5000]] {
        let axes = if cells[2] == 1 { 2 } else { 3 };
        let file = json!({
            "run": {"dt": 1},
            "grids": {"box": {"cells": cells[..axes], "cell_size": 1, "channels": {
                "a": "float", "v": "vec2", "u": {"type": "float", "at": "face_x"}}}},
            "buffers": {"total": "float", "drift": "vec2", "flux": "float", "faces": "uint", "least": "float"},
            "step": [
                {"stage": "make", "over": "box", "writes": ["box.a", "box.v"]},
                {"stage": "make_u", "over": "box.u", "writes": ["box.u"]},
                {"set": "total", "to": "sum(box.a)"}, {"set": "drift", "to": "sum(box.v)"},
                {"set": "flux", "to": "sum(box.u)"}, {"set": "least", "to": "min(box.u)"},
                {"stage": "tally", "over": "box.u", "reduces": {"faces": "count"}}
            ]
        });
        let faces = [cells[0] + 1, cells[1], cells[2]];
        let kernel = |[x, y, _]: [usize; 3], body: &str| {
            let (index, z) = if axes == 3 {
                ("ivec3", "i.z")
            } else {
                ("ivec2", "0")
            };
            format!("{FLOAT}void stage({index} i) {{ uint k = uint(({z} * {y} + i.y) * {x} + i.x); {body} }}")
        };
        let bodies = [
            (
                "make",
                kernel(
                    cells,
                    "set_box_a(i, made(k)); set_box_v(i, vec2(made(k + 1u), -made(k)));",
                ),
            ),
            ("make_u", kernel(faces, "set_box_u(i, made(k) - float(k));")),
            ("tally", kernel(faces, "count_faces(true);")),
        ];
        let bodies = bodies.each_ref().map(|(name, body)| (*name, body.as_str()));
        let mut sim = simulation(&gpu, pipeline(&file, &bodies), Default::default());
        sim.step(false).unwrap();
        let sum = |sides: [usize; 3], value: fn(usize) -> f32| {
            let values: Vec<f32> = (0..sides.iter().product()).map(value).collect();
            fold::sum_of_grid(&values, sides).to_bits()
        };
        assert_eq!(word(&mut sim, "total"), sum(cells, float), "{cells:?}");
        let drift = [sum(cells, |i| float(i + 1)), sum(cells, |i| -float(i))];
        assert_eq!(read_words(&mut sim, "drift"), drift, "{cells:?}");
        let face = |k: usize| float(k) - k as f32;
        assert_eq!(word(&mut sim, "flux"), sum(faces, face), "{cells:?}");
        let count: usize = faces.iter().product();
        let least = (0..count).map(face).fold(f32::INFINITY, f32::min);
        assert_eq!(number(&mut sim, "least"), least, "{cells:?}");
        assert_eq!(word(&mut sim, "faces") as usize, count, "{cells:?}");
    }
}
