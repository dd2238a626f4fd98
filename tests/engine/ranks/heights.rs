//! Height fields on ranks: they are cut like the columns of the grid over which they lie.

use sastrugi::run::Spoil;
use serde_json::{Value, json};

use super::controls::assert_changed;
use super::*;

/// Snow on the ground below a grid, with a vertex in the middle of each column, and a height field with a vertex at each
/// corner. Stages over vertices read and write the cells of columns near them, and stages over cells, faces, nodes and columns
/// read and write vertices.
fn file(border: &str) -> Value {
    let start = |factor: u32| format!("sin({factor} * i)");
    let count = json!({"type": "uint", "background": 0});
    let both = json!(["land.h", "land.low", "box.a"]);
    json!({
        "run": {"dt": 1, "steps_per_frame": 2, "frames": 4},
        "grids": {
            "box": {"cells": [9, 8, 11], "cell_size": 1, "channels": {
                "a": {"type": "float", "border": border, "values": start(7)},
                "b": {"type": "float", "border": border, "background": 0},
                "f": {"type": "float", "at": "face_x", "border": border, "values": start(5)},
                "c": {"type": "float", "at": "node", "border": border, "background": 0},
                "s": count}},
            "land": {"vertices": [9, 8], "cell_size": 1, "origin": [0.5, 0.5], "channels": {
                "h": {"type": "float", "values": start(3)}, "low": {"type": "float", "values": start(2)},
                "next": {"type": "float", "background": 0}, "t": count}},
            "edge": {"vertices": [10, 9], "cell_size": 1, "channels": {"q": {"type": "float", "values": start(11)}}}
        },
        "buffers": {"total": {"type": "float", "length": 1}, "gone": {"type": "uint", "length": 2, "background": 0}},
        "step": [
            {"stage": "settle", "over": "land", "reads": ["land.h", "box.a", "box.f"], "writes": ["land.next"],
             "reduces": {"total": "sum"}},
            {"swap": ["land.h", "land.next"]},
            {"stage": "lift", "over": "box.columns", "reads": ["land.h", "box.a", "total"], "writes": ["box.a", "land.low"]},
            {"stage": "blow", "over": "box", "reads": both, "writes": ["box.b", "land.t"]},
            {"stage": "lose", "over": "box", "reads": ["box.b"], "writes": ["gone"]},
            {"stage": "push", "over": "box.f", "reads": ["land.h", "edge.q", "box.f"], "writes": ["box.f"]},
            {"stage": "turn", "over": "box.c", "reads": ["edge.q", "land.low", "box.f"], "writes": ["box.c"]},
            {"stage": "corner", "over": "edge", "reads": ["edge.q", "land.h", "box.c"], "writes": ["edge.q"]},
            {"stage": "rain", "over": "land", "reads": ["land.t"], "writes": ["box.s", "land.t"], "every": 2},
            {"stage": "mix", "over": "box", "reads": ["box.b", "box.s"], "writes": ["box.a"]},
            {"set": "land.next", "to": "land.h"}
        ],
        "outputs": {"log": {"values": {"gone": "gone[0] + 2 ^ 32 * gone[1]", "high": "max(land.h)"}}}
    })
}

/// The kernels. Vertices near the ends are those of the other end.
const KERNELS: &[(&str, &str)] = &[
    (
        "settle",
        "#pragma reach land_h 2\n#pragma reach box_a 1\n#pragma reach box_f 1\n#include \"stage.glsl\"
         void stage(ivec2 i) {
            float sum = 0.0;
            for (int k = 0; k < 25; ++k) {
                ivec2 other = (i + ivec2(k % 5, k / 5) - 2 + land_vertices) % land_vertices;
                sum += land_h(other) * (1.0 + 0.1 * float(k % 5));
            }
            for (int z = 0; z < box_cells.z; ++z) {
                sum += box_a(ivec3(i - 1, z)) - 0.5 * box_a(ivec3(i + ivec2(1, 0), z)) + box_f(ivec3(i + ivec2(1, -1), z));
            }
            sum_total(sum);
            set_land_next(i, sin(sum));
         }",
    ),
    (
        "lift",
        "#pragma reach land_h 0\n#pragma reach land_low 0\n#include \"stage.glsl\"
         void stage(ivec2 i) {
            int z = int(float(box_cells.z - 1) * (0.5 + 0.5 * land_h(i)));
            set_land_low(i, box_a(ivec3(i, z)));
            set_box_a(ivec3(i, z), 0.5 * land_h(i) + 1e-3 * total(0u));
         }",
    ),
    (
        "blow",
        "#pragma reach land_h 2\n#pragma reach land_low 0\n#pragma reach land_t 1\n#pragma reach box_a 1
         #include \"stage.glsl\"
         void stage(ivec3 i) {
            ivec2 other = (i.xy + ivec2(2, -2) + land_vertices) % land_vertices;
            set_box_b(i, 0.5 * box_a(i + ivec3(1, 1, 0)) + land_h(other) + 0.1 * land_low(i.xy));
            add_land_t((i.xy + ivec2(1, 0)) % land_vertices, uint(i.z + 3 * i.y));
         }",
    ),
    (
        "lose",
        "#pragma adds gone carry
         #include \"stage.glsl\"
         void stage(ivec3 i) {
            uint lost = 3000000000u + uint(i.x) + (floatBitsToUint(box_b(i)) & 255u), before = add_gone(0u, lost);
            if (before + lost < before) add_gone(1u, 1u);
         }",
    ),
    (
        "push",
        "#pragma reach land_h 1\n#pragma reach edge_q 1\n#include \"stage.glsl\"
         void stage(ivec3 i) {
            ivec2 low = (i.xy - ivec2(1, 0) + land_vertices) % land_vertices;
            float slope = land_h(min(i.xy, land_vertices - 1)) - land_h(low);
            set_box_f(i, 0.5 * box_f(i) + slope + 0.2 * edge_q(i.xy + ivec2(0, 1)));
         }",
    ),
    (
        "turn",
        "#pragma reach edge_q 0\n#pragma reach land_low 1\n#pragma reach box_f 1\n#include \"stage.glsl\"
         void stage(ivec3 i) {
            ivec2 low = (i.xy - 1 + land_vertices) % land_vertices;
            set_box_c(i, edge_q(i.xy) + 0.5 * land_low(low) + box_f(i - ivec3(0, 1, 1)));
         }",
    ),
    (
        "corner",
        "#pragma reach edge_q 1 0\n#pragma reach land_h 1\n#pragma reach box_c 1\n#include \"stage.glsl\"
         void stage(ivec2 i) {
            ivec2 low = (i - 1 + land_vertices) % land_vertices;
            float sum = land_h(low) + land_h(min(i, land_vertices - 1));
            for (int z = 0; z < box_cells.z; ++z) sum += box_c(ivec3(min(i, box_cells.xy - 1), z));
            set_edge_q(i, cos(sum));
         }",
    ),
    (
        "rain",
        "#pragma reach box_s 1\n#pragma reach land_t 0\n#include \"stage.glsl\"
         void stage(ivec2 i) {
            ivec2 other = (i + ivec2(1, 1)) % land_vertices;
            add_box_s(ivec3(other, 2), land_t(i) & 255u);
            set_land_t(i, land_t(i) >> 1u);
         }",
    ),
    (
        "mix",
        "void stage(ivec3 i) { set_box_a(i, sin(box_b(i) + 0.01 * float(box_s(i) & 63u))); }",
    ),
];

fn heights(border: &str) -> Pipeline {
    pipeline(&file(border), KERNELS)
}

/// The fields with outputs of cells and vertices.
pub(super) fn written(frames: u64) -> Pipeline {
    let mut file = file("clamp");
    file["run"]["frames"] = json!(frames);
    file["outputs"]["a"] = json!({"source": "box.a", "format": "npy"});
    file["outputs"]["h"] = json!({"source": "land.h", "format": "npy"});
    pipeline(&file, KERNELS)
}

#[test]
fn height_fields_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let cuts: &[[usize; 3]] = &[[2, 1, 1], [1, 2, 1], [2, 2, 1], [3, 1, 1], [1, 4, 1], [3, 2, 1]];
    let mut chosen = common::sweep(2, 12);
    for border in ["repeat", "clamp"] {
        for parts in cuts {
            if !chosen.skips() {
                assert_equal(&gpu, &heights(border), &[*parts], &Setting::steps(5));
            }
        }
    }
}

#[test]
fn stages_over_vertices_and_columns_run_on_parts() {
    let mut pipeline = heights("clamp");
    let notices = pipeline.cut(&CutRequest::default(), 0, 2).unwrap();
    assert!(notices.is_empty(), "{notices:?}");
    let cut = pipeline.cut.as_deref().unwrap();
    assert_eq!(cut.partition.parts, [2, 1, 1]);
    for (name, _) in KERNELS {
        let mut stages = pipeline.stages.iter().zip(&cut.shares);
        let (_, share) = stages.find(|(stage, _)| stage.name == *name).unwrap();
        assert!(matches!(share, Share::Part { .. }), "{name}: {share:?}");
    }
    assert!(pipeline.is_held_in_parts(pipeline.field("edge.q").unwrap()));
}

#[test]
#[ignore = "long: kernels that check every access"]
fn checked_height_fields_have_no_fault_on_ranks() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        options: CHECKED,
        ..Setting::steps(2)
    };
    assert_equal(&gpu, &heights("clamp"), &[[2, 2, 1]], &setting);
}

/// A stage over cells that reads a vertex farther away than it states, and one over vertices that reads such a cell.
#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_accesses_beyond_the_reach_are_found() {
    let Some(gpu) = common::gpu() else { return };
    for (stage, stated, less, field) in [
        ("blow", "land_h 2", "land_h 1", "land.h"),
        ("settle", "box_a 1", "box_a 0", "box.a"),
    ] {
        let mut kernels: Vec<(&str, String)> = KERNELS
            .iter()
            .map(|(name, text)| (*name, text.to_string()))
            .collect();
        let kernel = kernels.iter_mut().find(|(name, _)| *name == stage).unwrap();
        kernel.1 = kernel.1.replace(stated, less);
        let bodies: Vec<(&str, &str)> = kernels
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        let mut simulation = start(
            &gpu,
            pipeline(&file("clamp"), &bodies),
            CHECKED,
            Arc::new(NoProbe),
            None,
        );
        simulation.step(false).unwrap();
        simulation.finish().unwrap();
        let fault = simulation.fault().unwrap().expect(stage).to_string();
        assert!(fault.contains(stage) && fault.contains(field), "{fault}");
    }
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_mistakes_in_exchanges_change_the_hash() {
    assert_changed(&heights("repeat"), Spoil::Drop, [2, 1, 1]);
    assert_changed(&heights("repeat"), Spoil::Shallow, [1, 2, 1]);
    assert_changed(&heights("repeat"), Spoil::NoCorners, [2, 2, 1]);
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_part_one_vertex_short_changes_the_hash() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = heights("repeat");
    let setting = Setting::steps(4);
    let alone = hash_alone(&gpu, &pipeline, &setting);
    let spoil = |share: &mut Share| {
        if let Share::Part { grow } = share {
            *grow = grow.map(|cells| cells.saturating_sub(1));
        }
    };
    let found = hash_on(&gpu, &pipeline, [2, 1, 1], &Setting { spoil, ..setting });
    assert_ne!(found, alone);
}

/// Parts of a sum overflow more rarely than the sum.
#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_sums_without_a_carry_change_the_hash() {
    let Some(gpu) = common::gpu() else { return };
    let kernels: Vec<(&str, String)> = (KERNELS.iter())
        .map(|(name, text)| (*name, text.replace("adds gone carry", "adds gone")))
        .collect();
    let bodies: Vec<(&str, &str)> = (kernels.iter())
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let pipeline = pipeline(&file("repeat"), &bodies);
    let setting = Setting::steps(2);
    let alone = hash_alone(&gpu, &pipeline, &setting);
    assert_ne!(hash_on(&gpu, &pipeline, [2, 1, 1], &setting), alone);
}

/// Cut along z, several parts share a column: stages over vertices and columns are refused, unless they may run whole.
#[test]
fn columns_that_are_cut_are_refused_by_name() {
    let request = |whole| CutRequest {
        parts: Some([1, 1, 2]),
        whole,
    };
    let uncut = heights("clamp").cut(&request(Whole::None), 0, 2).unwrap_err();
    let messages: Vec<&str> = uncut.iter().map(|uncut| uncut.message.as_str()).collect();
    for stage in ["settle", "lift", "corner"] {
        let wanted = format!(
            "stage `{stage}` cannot be cut into parts: it runs over columns, and the grid is cut along z"
        );
        assert!(
            messages.iter().any(|message| message.starts_with(&wanted)),
            "{messages:?}"
        );
    }
    let help = uncut[0].help.as_deref().unwrap();
    assert!(help.starts_with("cut along x and y alone with `--cut`"), "{help}");
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        whole: Whole::All,
        ..Setting::steps(3)
    };
    assert_equal(&gpu, &heights("clamp"), &[[1, 1, 2], [2, 1, 2]], &setting);
}

/// A height field with another spacing lies over no columns.
#[test]
fn other_height_fields_stay_whole() {
    let mut file = file("clamp");
    file["grids"]["land"]["cell_size"] = json!(0.9);
    let uncut = pipeline(&file, KERNELS)
        .cut(&CutRequest::default(), 0, 2)
        .unwrap_err();
    let wanted = "stage `settle` cannot be cut into parts: it runs over `land`, which is not the grid that is cut, and it reads `box.a`";
    assert!(
        uncut.iter().any(|uncut| uncut.message.starts_with(wanted)),
        "{uncut:?}"
    );
}

/// Ranks add counters of two words exactly only if the kernels state the carry.
#[test]
fn kernels_with_counters_of_two_words_state_the_carry() {
    let without_carry = |text: &str| -> Vec<String> {
        let counters = text.lines().filter_map(|line| line.strip_prefix("DEFINE_COUNT("));
        let names =
            counters.filter_map(|rest| Some(rest.split_once(", ")?.1.trim_end_matches(')').to_owned()));
        names
            .filter(|name| !text.contains(&format!("#pragma adds {name} carry\n")))
            .collect()
    };
    let kernels = std::fs::read_dir(root().join("shaders/drift")).unwrap();
    let mut counters = 0;
    for kernel in kernels.map(|kernel| kernel.unwrap().path()) {
        if kernel.extension().is_some_and(|extension| extension == "comp") {
            let text = std::fs::read_to_string(&kernel).unwrap();
            assert_eq!(without_carry(&text), [""; 0], "{kernel:?}");
            counters += text.matches("DEFINE_COUNT(").count();
        }
    }
    assert!(counters >= 6, "{counters}");
    let control = "#pragma adds gone\nDEFINE_COUNT(count_gone, gone)\n";
    assert_eq!(without_carry(control), ["gone"]);
}
