//! Stencils of every reach, border, place and type, on parts of all shapes.

use serde_json::{Value, json};

use super::*;

/// A pipeline of stencils on a grid. Its stages read diagonally, write in place, into neighbours, into rings and swapped
/// fields, and not in every step.
pub(super) fn file(cells: &[u64], border: &str) -> Value {
    let start = |factor: u32| format!("sin({factor} * i)");
    json!({
        "run": {"dt": 0.1, "steps_per_frame": 2, "frames": 4},
        "grids": {"box": {"cells": cells, "cell_size": 0.1, "channels": {
            "a": {"type": "float", "border": border, "values": start(7)},
            "b": {"type": "float", "border": border},
            "d": "float",
            "h": {"type": "half", "border": border, "values": start(3)},
            "n": {"type": "uint8", "border": border, "values": "floor(100 + 90 * sin(5 * i))"},
            "m": {"type": "uint8", "border": border},
            "f": {"type": "float", "at": "face_x", "border": border, "values": start(5)},
            "c": {"type": "vec2", "at": "node", "border": border},
            "l": {"type": "float", "count": 3, "border": border},
            "s": {"type": "uint", "border": "repeat", "background": 0}
        }}},
        "init": [{"stage": "list", "over": "box", "reads": ["box.a"], "writes": ["box.l"]}],
        "step": [
            {"stage": "smooth", "over": "box", "reads": ["box.a", "box.l"], "writes": ["box.b"]},
            {"swap": ["box.a", "box.b"]},
            {"stage": "faces", "over": "box.f", "reads": ["box.a", "box.f"], "writes": ["box.f"]},
            {"stage": "corners", "over": "box.c", "reads": ["box.f", "box.h"], "writes": ["box.c"]},
            {"stage": "back", "over": "box", "reads": ["box.c", "box.f", "box.h"], "writes": ["box.h"]},
            {"stage": "life", "over": "box", "reads": ["box.n", "box.h"], "writes": ["box.m"]},
            {"set": "box.n", "to": "box.m"},
            {"stage": "scatter", "over": "box", "reads": ["box.n"], "writes": ["box.s"]},
            {"stage": "mix", "over": "box", "reads": ["box.s", "box.a"], "writes": ["box.a"], "every": 3},
            {"stage": "list", "over": "box", "reads": ["box.a"], "writes": ["box.l"]}
        ],
        "frame": [{"stage": "drift", "over": "box", "reads": ["box.a", "box.n"], "writes": ["box.d"]}]
    })
}

/// The kernels, with `VEC` for an index and `FOR(d, r)` for all offsets up to a distance.
pub(super) fn kernels(axes: usize) -> Vec<(&'static str, String)> {
    let prelude = if axes == 3 {
        "#define VEC ivec3\n#define FOR(d, r) for (int dz = -r; dz <= r; ++dz) for (int dy = -r; dy <= r; ++dy) for (int dx = -r; dx <= r; ++dx) { VEC d = VEC(dx, dy, dz);\n"
    } else {
        "#define VEC ivec2\n#define FOR(d, r) for (int dy = -r; dy <= r; ++dy) for (int dx = -r; dx <= r; ++dx) { VEC d = VEC(dx, dy);\n"
    };
    let kernel = |name: &'static str, pragmas: &str, body: &str| {
        (
            name,
            format!("{pragmas}\n#include \"stage.glsl\"\n{prelude}void stage(VEC i) {{ {body} }}"),
        )
    };
    vec![
        kernel(
            "smooth",
            "#pragma reach box_a 2\n#pragma reach box_l 1",
            "float sum = 0.0; FOR(d, 2) sum += box_a(i + d) * (1.0 + 0.01 * float(d.x)); }
             FOR(d, 1) sum += box_l(i + d, 2) * 0.125; }
             set_box_b(i, sin(sum));",
        ),
        kernel(
            "faces",
            "#pragma reach box_a 1",
            "VEC e = VEC(0); e.x = 1; set_box_f(i, 0.5 * box_f(i) + box_a(i) - box_a(i - e));",
        ),
        kernel(
            "corners",
            "#pragma reach box_f 1\n#pragma reach box_h 1",
            "VEC e = VEC(1); set_box_c(i, vec2(box_f(i - e) + box_f(i), box_h(i - e)));",
        ),
        kernel(
            "back",
            "#pragma reach box_c 1\n#pragma reach box_f 1",
            "VEC e = VEC(1); vec2 c = box_c(i + e) - box_c(i); VEC x = VEC(0); x.x = 1;
             set_box_h(i, cos(c.x + c.y + box_f(i + x) + box_h(i)));",
        ),
        kernel(
            "life",
            "#pragma reach box_n 3",
            "uint sum = 0u; FOR(d, 3) sum += box_n(i + d) * uint(dx + 7); }
             set_box_m(i, (sum + uint(box_h(i) > 0.5)) & 255u);",
        ),
        kernel(
            "scatter",
            "#pragma reach box_s 1",
            "FOR(d, 1) VEC to = (i + d + box_cells) % box_cells; add_box_s(to, box_n(i) * uint(dx + 2)); }",
        ),
        kernel(
            "mix",
            "#pragma reach box_s 1",
            "VEC e = VEC(1); set_box_a(i, box_a(i) + 0.001 * float((box_s((i + e) % box_cells) >> 3) & 255u));",
        ),
        kernel(
            "list",
            "",
            "for (int k = 0; k < 3; ++k) set_box_l(i, k, box_a(i) * float(k + 1));",
        ),
        kernel(
            "drift",
            "#pragma reach box_n 1",
            "VEC e = VEC(0); e.y = 1; set_box_d(i, box_a(i) + 0.01 * float(box_n(i + e)));",
        ),
    ]
}

pub(super) fn stencils(cells: &[u64], border: &str) -> Pipeline {
    let kernels = kernels(cells.len());
    let bodies: Vec<(&str, &str)> = kernels
        .iter()
        .map(|(name, body)| (*name, body.as_str()))
        .collect();
    pipeline(&file(cells, border), &bodies)
}

#[test]
fn stencils_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let space: &[[usize; 3]] = &[
        [1, 1, 2],
        [2, 1, 1],
        [1, 3, 1],
        [2, 2, 1],
        [1, 2, 2],
        [2, 2, 2],
        [1, 1, 7],
    ];
    let plane: &[[usize; 3]] = &[[1, 2, 1], [2, 1, 1], [2, 2, 1], [3, 2, 1]];
    let mut cuts = common::sweep(3, 33);
    for border in ["repeat", "clamp", "symmetric"] {
        for (cells, parts) in [(&[9, 8, 7][..], space), (&[13, 11], plane)] {
            for parts in parts {
                if !cuts.skips() {
                    assert_equal(&gpu, &stencils(cells, border), &[*parts], &Setting::steps(5));
                }
            }
        }
    }
}

#[test]
fn every_stage_of_the_stencils_is_cut() {
    let mut pipeline = stencils(&[9, 8, 7], "clamp");
    let notices = pipeline.cut(&CutRequest::default(), 0, 2).unwrap();
    assert!(notices.is_empty(), "{notices:?}");
    let cut = pipeline.cut.unwrap();
    for (stage, share) in pipeline.stages.iter().zip(&cut.shares) {
        let is_cut = matches!(share, Share::Part { .. });
        assert_eq!(
            is_cut,
            !stage.name.starts_with("copy"),
            "{}: {share:?}",
            stage.name
        );
    }
}

#[test]
#[ignore = "long: kernels that check every access"]
fn checked_stencils_have_no_fault_on_ranks() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        options: CHECKED,
        ..Setting::steps(3)
    };
    assert_equal(&gpu, &stencils(&[13, 11], "clamp"), &[[2, 2, 1]], &setting);
}

#[test]
fn unknown_whole_stage_is_refused_with_its_option() {
    let request = CutRequest {
        parts: None,
        whole: Whole::Stages(vec!["smoth".into()]),
    };
    let uncut = stencils(&[13, 11], "clamp").cut(&request, 0, 2).unwrap_err();
    assert_eq!(
        uncut[0].message,
        "`--whole` names `smoth`, but no stage has this name"
    );
}

/// A stage that runs whole, and writes without reading, changes values of all parts.
#[test]
fn whole_writers_see_the_values_of_all_parts() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1, "steps_per_frame": 2},
        "grids": {"box": {"cells": [13, 11], "cell_size": 1, "channels": {
            "s": {"type": "uint", "border": "repeat", "background": 0}, "a": {"type": "uint", "background": 0}}}},
        "step": [
            {"stage": "mark", "over": "box", "reads": ["box.a"], "writes": ["box.s"]},
            {"stage": "lower", "over": "box", "writes": ["box.s"]},
            {"stage": "near", "over": "box", "reads": ["box.s"], "writes": ["box.a"]}
        ]
    });
    let bodies = [
        (
            "mark",
            "void stage(ivec2 i) { set_box_s(i, 50u + (box_a(i) + uint(7 * i.x + 3 * i.y)) % 100u); }",
        ),
        (
            "lower",
            "#pragma reach box_s anywhere\n#include \"stage.glsl\"\nvoid stage(ivec2 i) {
             min_box_s(box_cells - 1 - i, uint(40 + 5 * i.x)); }",
        ),
        (
            "near",
            "#pragma reach box_s 1\n#include \"stage.glsl\"\nvoid stage(ivec2 i) {
             set_box_a(i, box_s(i - 1) + 2u * box_s(i + 1)); }",
        ),
    ];
    let setting = Setting {
        whole: Whole::Stages(vec!["lower".into()]),
        ..Setting::steps(3)
    };
    assert_equal(&gpu, &pipeline(&file, &bodies), &[[1, 2, 1], [2, 2, 1]], &setting);
}
