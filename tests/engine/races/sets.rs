//! Races in dynamic sets, between workgroups, and of fields with several names.

use super::*;

#[test]
fn races_in_dynamic_sets_are_found() {
    let Some(gpu) = common::gpu() else { return };
    let file = |sorted: bool| {
        let mut step = vec![];
        if sorted {
            step.push(json!({"sort": "p", "by": "p.key", "bits": 4}));
        }
        step.push(json!({"stage": "s", "over": "p", "reads": ["p.x"], "writes": ["p.x"]}));
        json!({
            "run": {"dt": 1},
            "particles": {"p": {"count": 50, "ring": 2, "attributes": {"x": "float", "key": "uint"}}},
            "step": step
        })
    };
    let neighbour = "#pragma reach p_x anywhere\nvoid stage(uint i) { set_p_x(i, p_x((i + 1u) % p_count)); }";
    let own = "void stage(uint i) { set_p_x(i, p_x(i) + 1.0); }";
    // Reading another particle of a ring is safe, until a sort writes the next copy before the stage.
    assert_clean(&gpu, &file(false), neighbour);
    assert_race(
        &gpu,
        &file(true),
        neighbour,
        "`p.x` at index 0: elements 0 and 49 race: 0 writes it and 49 reads it",
        SWAP,
    );
    assert_clean(&gpu, &file(true), own);
}

#[test]
fn races_between_workgroups_are_found() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1},
        "buffers": {"b": {"type": "uint", "length": 640}},
        "step": [{"stage": "s", "groups": 10, "tuning": {"workgroup": [64, 1, 1]},
                  "reads": ["b"], "writes": ["b"]}]
    });
    // Invocations of a group order their accesses with barriers.
    assert_clean(
        &gpu,
        &file,
        "void stage(uvec3 group, uint local) {
            uint first = 64u * group.x;
            set_b(first + local, local);
            barrier();
            uint other = b(first + (local + 1u) % 64u);
            barrier();
            set_b(first + local, other);
        }",
    );
    assert_race(
        &gpu,
        &file,
        "void stage(uvec3 group, uint local) { set_b(64u * group.x + local, b((64u * group.x + local + 64u) % 640u)); }",
        "`b` at index 0: workgroups 0 and 9 race: 0 writes it and 9 reads it",
        SWAP,
    );
    let own_main = json!({
        "run": {"dt": 1},
        "buffers": {"b": {"type": "uint", "length": 640}},
        "step": [{"stage": "s", "over": "b", "tuning": {"workgroup": [64, 1, 1]},
                  "reads": ["b"], "writes": ["b"]}]
    });
    let kernel = |index: &str| {
        format!(
            "#pragma reach b anywhere\n#define OWN_MAIN\n#include \"stage.glsl\"
            void main() {{ stage_begin(); uint i = stage_linear(); set_b(i, 1u); barrier(); set_b({index}, 2u); }}"
        )
    };
    assert_clean(&gpu, &own_main, &kernel("i ^ 1u"));
    assert_race(
        &gpu,
        &own_main,
        &kernel("(i + 1u) % 640u"),
        "`b` at index 0: workgroups 0 and 9 race: both write it",
        BOTH_WRITE,
    );
}

#[test]
fn unordered_fields_race_only_on_writes() {
    let Some(gpu) = common::gpu() else { return };
    let buffer = in_place("buffers", "b", json!({"type": "float", "length": 300}), &["b"]);
    let relaxed = "#pragma reach b anywhere
        void stage(uint i) { set_b(i, 0.5 * (b(i) + b((i + 1u) % b_length))); }";
    assert_race(
        &gpu,
        &buffer,
        relaxed,
        "`b` at index 0: elements 0 and 299 race: 0 writes it and 299 reads it",
        SWAP,
    );
    assert_clean(&gpu, &buffer, &format!("#pragma unordered b\n{relaxed}"));
    assert_race(
        &gpu,
        &buffer,
        "#pragma unordered b\n#pragma reach b anywhere\nvoid stage(uint i) { set_b(i / 2u, b(i)); }",
        "`b` at index 0: elements 0 and 1 race: both write it",
        BOTH_WRITE,
    );
}

#[test]
fn races_between_two_names_of_a_field_are_found() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1},
        "buffers": {"b": {"type": "uint", "length": 300}},
        "step": [{"stage": "s", "over": "b", "bind": {"old": "b", "new": "b"}, "reads": ["old"], "writes": ["new"]}]
    });
    assert_race(
        &gpu,
        &file,
        "#pragma reach old 1\nvoid stage(uint i) { set_new(i, old(i ^ 1u)); }",
        "`b` at index 0: elements 0 and 1 race: 0 writes it and 1 reads it",
        SWAP,
    );
    assert_clean(&gpu, &file, "void stage(uint i) { set_new(i, old(i)); }");
}

#[test]
fn swapped_fields_do_not_race() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": [33, 5, 2], "cell_size": 1, "channels": {"now": "float", "next": "float"}}},
        "step": [
            {"stage": "s", "over": "g", "reads": ["g.now"], "writes": ["g.next"]},
            {"swap": ["g.now", "g.next"]}
        ]
    });
    assert_clean(
        &gpu,
        &file,
        "#pragma reach g_now anywhere
        void stage(ivec3 i) { set_g_next(i, g_now(ivec3((i.x + 1) % g_cells.x, i.yz))); }",
    );
}
