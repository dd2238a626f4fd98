//! Grids with levels on ranks: each level is cut near the planes of the finest, and small ones run whole on every rank.

use sastrugi::run::Spoil;
use serde_json::{Value, json};

use super::controls::Spoils;
use super::*;

const LEVELS: usize = 4;

/// A cycle over the levels of a grid. Stages read and write finer and coarser levels, and in a neighbour's cells.
fn file(cells: &[u64], border: &str) -> Value {
    let number = json!({"type": "float", "border": border});
    let start = json!({"type": "float", "border": border, "values": "sin(5 * i)"});
    let both = json!({"fine": "box[l]", "coarse": "box[l + 1]"});
    let smooth = json!([
        {"stage": "relax", "over": "box[l]", "bind": {"grid": "box[l]"}, "reads": ["grid.p", "grid.r"], "writes": ["grid.q"]},
        {"stage": "accept", "over": "box[l]", "bind": {"grid": "box[l]"}, "reads": ["grid.q"], "writes": ["grid.p"]}
    ]);
    let down = json!([
        {"set": "box[l + 1].s", "to": 0},
        {"stage": "collect", "over": "box[l]", "bind": both, "reads": ["fine.p"], "writes": ["coarse.s"]},
        {"stage": "restrict", "over": "box[l + 1]", "bind": both, "reads": ["fine.r", "fine.p", "coarse.s"],
         "writes": ["coarse.r", "coarse.p"]}
    ]);
    let up = json!([
        {"stage": "prolong", "over": "box[l]", "bind": both, "reads": ["coarse.p", "fine.p"], "writes": ["fine.p"]},
        {"stage": "spread", "over": "box[l + 1]", "bind": both, "reads": ["coarse.r", "fine.p"], "writes": ["fine.p"]}
    ]);
    let joined = |a: &Value, b: &Value| [a.as_array().unwrap().as_slice(), b.as_array().unwrap()].concat();
    json!({
        "run": {"dt": 1, "steps_per_frame": 2},
        "grids": {"box": {"cells": cells, "cell_size": 1, "levels": LEVELS, "channels": {
            "r": start, "p": start, "q": number, "s": {"type": "uint", "border": "repeat", "background": 0}}}},
        "buffers": {"total": {"type": "float", "length": 1}},
        "step": [
            {"repeat": "l", "over": "box.levels - 1", "stages": joined(&smooth, &down)},
            {"repeat": "l", "over": ["box.levels - 1"], "stages": smooth},
            {"repeat": "k", "over": "box.levels - 1", "let": {"l": "box.levels - 2 - k"}, "stages": joined(&up, &smooth)},
            {"stage": "force", "over": "box", "reads": ["box.p"], "writes": ["box.r"], "reduces": {"total": "sum"}},
            {"stage": "shift", "over": "box", "reads": ["box.p", "total"], "writes": ["box.p"]}
        ]
    })
}

/// The kernels, with `VEC` for an index and `FOR(d, a, b)` for all offsets from `a` to `b` along each axis.
fn kernels(axes: usize) -> Vec<(&'static str, String)> {
    let prelude = if axes == 3 {
        "#define VEC ivec3\n#define FOR(d, a, b) for (int dz = a; dz <= b; ++dz) for (int dy = a; dy <= b; ++dy) for (int dx = a; dx <= b; ++dx) { VEC d = VEC(dx, dy, dz);\n"
    } else {
        "#define VEC ivec2\n#define FOR(d, a, b) for (int dy = a; dy <= b; ++dy) for (int dx = a; dx <= b; ++dx) { VEC d = VEC(dx, dy);\n"
    };
    let kernel = |name: &'static str, pragmas: &str, body: &str| {
        let text = format!("{pragmas}\n#include \"stage.glsl\"\n{prelude}void stage(VEC i) {{ {body} }}");
        (name, text)
    };
    vec![
        kernel(
            "relax",
            "#pragma reach grid_p 1",
            "float sum = 0.0; FOR(d, -1, 1) sum += grid_p(i + d) * (1.0 + 0.1 * float(dx)); }
             set_grid_q(i, 0.03 * sum + 0.1 * grid_r(i));",
        ),
        kernel("accept", "", "set_grid_p(i, sin(grid_q(i)));"),
        kernel(
            "collect",
            "#pragma reach coarse_s 1",
            "VEC to = (i / 2 + 1) % coarse_cells; add_coarse_s(to, uint(100.0 + 50.0 * fine_p(i)));
             add_coarse_s(i / 2, uint(i.x + 1));",
        ),
        kernel(
            "restrict",
            "#pragma reach fine_p 1",
            "float sum = 0.0; FOR(d, -1, 2) sum += fine_p(2 * i + d) * (1.0 + 0.1 * float(dy)); }
             FOR(d, 0, 1) sum -= fine_r(2 * i + d); }
             set_coarse_r(i, 0.1 * sum + 0.001 * float(coarse_s(i) & 255u)); set_coarse_p(i, 0.1 * cos(sum));",
        ),
        kernel(
            "prolong",
            "#pragma reach coarse_p 1",
            "float sum = 0.0; FOR(d, -1, 1) sum += coarse_p(i / 2 + d); } set_fine_p(i, fine_p(i) + 0.05 * sum);",
        ),
        kernel(
            "spread",
            "",
            "FOR(d, 0, 1) VEC at = 2 * i + d;
             if (all(lessThan(at, fine_cells))) set_fine_p(at, 0.9 * fine_p(at) + 0.02 * coarse_r(i)); }",
        ),
        kernel("force", "", "sum_total(box_p(i)); set_box_r(i, cos(3.0 * box_p(i)));"),
        kernel("shift", "", "set_box_p(i, box_p(i) - 1e-4 * total(0u));"),
    ]
}

fn cycle(cells: &[u64], border: &str) -> Pipeline {
    let kernels = kernels(cells.len());
    let bodies: Vec<(&str, &str)> = kernels
        .iter()
        .map(|(name, body)| (*name, body.as_str()))
        .collect();
    pipeline(&file(cells, border), &bodies)
}

const BOX: &[u64] = &[21, 10, 70];

#[test]
fn levels_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let space: &[_] = &[[1, 1, 2], [1, 1, 3], [2, 1, 1], [1, 2, 1], [2, 1, 2], [1, 2, 2]];
    let plane: &[_] = &[[2, 2, 1], [3, 1, 1], [1, 4, 1]];
    let mut cuts = common::sweep(2, 18);
    for border in ["clamp", "repeat"] {
        for (cells, parts) in [(BOX, space), (&[75, 41], plane)] {
            for parts in parts {
                if !cuts.skips() {
                    assert_equal(&gpu, &cycle(cells, border), &[*parts], &Setting::steps(2));
                }
            }
        }
    }
}

#[test]
#[ignore = "long: kernels that check every access"]
fn checked_levels_have_no_fault_on_ranks() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        options: CHECKED,
        ..Setting::steps(1)
    };
    assert_equal(&gpu, &cycle(BOX, "clamp"), &[[1, 1, 2]], &setting);
}

#[test]
fn levels_are_cut_until_their_parts_are_small() {
    let mut pipeline = cycle(BOX, "clamp");
    let request = CutRequest {
        parts: Some([1, 1, 2]),
        whole: Whole::None,
    };
    let notices = pipeline.cut(&request, 0, 2).unwrap();
    assert!(notices.is_empty(), "{notices:?}");
    let shares = &pipeline.cut.as_ref().unwrap().shares;
    let whole = pipeline.stages.iter().zip(shares).filter(|(stage, share)| {
        stage.domain.resource.is_some()
            && !matches!(share, Share::Part { .. })
            && !stage.name.starts_with("fill")
    });
    let whole: Vec<(&str, &str)> = whole
        .map(|(stage, _)| {
            let domain = stage.domain.resource.unwrap();
            (stage.name.as_str(), pipeline.resources[domain].name.as_str())
        })
        .collect();
    // `restrict` to box[2] and `spread` from it use box[1] as well, which is cut.
    let down = [
        ("relax", "box[2]"),
        ("accept", "box[2]"),
        ("collect", "box[2]"),
        ("restrict", "box[3]"),
    ];
    let bottom = [("relax", "box[3]"), ("accept", "box[3]")];
    let up = [
        ("prolong", "box[2]"),
        ("spread", "box[3]"),
        ("relax", "box[2]"),
        ("accept", "box[2]"),
    ];
    assert_eq!(whole, [&down[..], &bottom, &up].concat());
}

/// A mistake in exchanges changes the results.
#[track_caller]
fn changes(spoil: Spoil) {
    let Some(gpu) = common::gpu() else { return };
    let (pipeline, setting) = (cycle(BOX, "repeat"), Setting::steps(2));
    let alone = hash_alone(&gpu, &pipeline, &setting);
    let probe = Arc::new(Spoils(spoil));
    let setting = Setting { probe, ..setting };
    assert_ne!(hash_on(&gpu, &pipeline, [1, 1, 2], &setting), alone);
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_dropped_exchanges_of_levels_change_the_hash() {
    changes(Spoil::Drop);
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_halos_of_levels_one_cell_short_change_the_hash() {
    changes(Spoil::Shallow);
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_parts_of_levels_one_cell_short_change_the_hash() {
    let Some(gpu) = common::gpu() else { return };
    let (pipeline, setting) = (cycle(BOX, "repeat"), Setting::steps(2));
    let alone = hash_alone(&gpu, &pipeline, &setting);
    let spoil = |share: &mut Share| {
        if let Share::Part { grow } = share {
            *grow = grow.map(|cells| cells.saturating_sub(1));
        }
    };
    assert_ne!(
        hash_on(&gpu, &pipeline, [1, 1, 2], &Setting { spoil, ..setting }),
        alone
    );
}
