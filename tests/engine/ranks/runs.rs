//! Particles without ghosts on ranks: they may be anywhere at the next sort, and ranks add up what they add to fields.

use sastrugi::run::Spoil;
use serde_json::{Value, json};

use super::controls::Spoils;
use super::*;

/// Birds that fly up a slope of a field, and sometimes to any other place, where they wait for the next sort. They leave marks on
/// another grid, which fade in each step.
fn birds(blocks: [u32; 2], every: u32) -> Pipeline {
    birds_with(blocks, every, &json!({}))
}

/// Birds with outputs, whose steps between two frames are no multiple of those between two sorts.
pub(super) fn written(frames: u64) -> Pipeline {
    let more = json!({
        "run": {"dt": 1, "steps_per_frame": 4, "frames": frames, "checkpoint_every": 1},
        "outputs": {
            "spot": {"source": "birds.spot", "format": "npy"}, "id": {"source": "birds.id", "format": "npy"},
            "faded": {"source": "marks.faded", "format": "npy"}, "sums": {"values": {"jumps": "jumps[0]"}}}
    });
    birds_with([4, 5], 3, &more)
}

fn birds_with(blocks: [u32; 2], every: u32, more: &Value) -> Pipeline {
    let mut file = json!({
        "run": {"dt": 1, "steps_per_frame": 2},
        "grids": {
            "field": {"cells": [12, 25], "cell_size": 1, "channels": {
                "a": {"type": "float", "border": "clamp", "values": "sin(3 * i)"}, "b": {"type": "float", "border": "clamp"}}},
            "marks": {"cells": [7, 5], "cell_size": 1, "channels": {"hits": "uint", "faded": "float"}}},
        "particles": {"birds": {"count": 500, "attributes": {"spot": "vec2", "key": "uint", "id": "uint"}}},
        "buffers": {"jumps": {"type": "uint", "length": 1, "background": 0}},
        "init": [{"stage": "place", "over": "birds", "writes": ["birds.spot", "birds.key", "birds.id"]}],
        "step": [
            {"stage": "relax", "over": "field", "reads": ["field.a"], "writes": ["field.b"]},
            {"stage": "keep", "over": "field", "reads": ["field.b"], "writes": ["field.a"]},
            {"every": every, "stages": [
                {"stage": "find", "over": "birds", "reads": ["birds.spot", "field.a"], "writes": ["birds.key"],
                 "arguments": {"sides": blocks}},
                {"sort": "birds", "by": "birds.key", "cells": "field", "blocks": blocks, "slowest": "y", "drift": 2, "ghosts": false}]},
            {"stage": "fly", "over": "birds", "reads": ["birds.spot", "birds.key", "birds.id", "field.a"],
             "writes": ["birds.spot", "birds.key", "marks.hits", "jumps"]},
            {"stage": "fade", "over": "marks", "reads": ["marks.hits", "marks.faded"], "writes": ["marks.hits", "marks.faded"]}]
    });
    for (key, value) in more.as_object().unwrap() {
        file[key] = value.clone();
    }
    let mixed = "uint mixed(uint x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ (x >> 16); }";
    let place = format!(
        "{mixed}\nvoid stage(uint i) {{ uint r = mixed(i);
         set_birds_spot(i, vec2(r & 0xffu, r >> 24) / 256.0 * vec2(12, 25)); set_birds_key(i, 0u); set_birds_id(i, i); }}"
    );
    let relax = "#pragma reach field_a 1\n#include \"stage.glsl\"\nvoid stage(ivec2 i) {
        set_field_b(i, 0.5 * field_a(i) + 0.26 * (field_a(i + ivec2(0, 1)) + field_a(i - ivec2(0, 1)))); }";
    let keep = "void stage(ivec2 i) { set_field_a(i, field_b(i)); }";
    let find =
        "#pragma argument ivec2 sides\n#pragma reach field_a 0\n#include \"stage.glsl\"\nvoid stage(uint i) {
        ivec2 block = ivec2(birds_spot(i)) / arg.sides, blocks = (field_cells + arg.sides - 1) / arg.sides;
        set_birds_key(i, uint(block.x + blocks.x * block.y)); }";
    let fly = format!(
        "#pragma reach field_a 1\n#pragma adds marks_hits\n#pragma adds jumps\n#include \"stage.glsl\"\n{mixed}\nvoid stage(uint i) {{
         uint key = birds_key(i);
         vec2 spot = birds_spot(i), size = vec2(field_cells);
         set_birds_key(i, key);
         set_birds_spot(i, spot);
         if (key == 0xffffffffu) {{ return; }}
         uint r = mixed(977u * birds_id(i) + clock.step);
         if (r % 5u == 0u) {{
             spot = vec2(r >> 8 & 0xfffu, r >> 20) / 4096.0 * size;
             set_birds_key(i, 0xffffffffu);
             add_marks_hits(ivec2(spot * vec2(marks_cells) / size), 1u + (r & 7u));
             add_jumps(0u, 1u);
         }} else {{
             ivec2 cell = ivec2(spot);
             float slope = field_a(cell + ivec2(0, 1)) - field_a(cell - ivec2(0, 1));
             spot.y = clamp(spot.y + 0.4 * sign(slope), 0.0, size.y - 0.01);
         }}
         set_birds_spot(i, spot); }}"
    );
    let fade = "void stage(ivec2 i) { set_marks_faded(i, 0.5 * marks_faded(i) + float(marks_hits(i)));
        set_marks_hits(i, marks_hits(i) & 3u); }";
    let bodies = [
        ("place", place.as_str()),
        ("relax", relax),
        ("keep", keep),
        ("find", find),
        ("fly", &fly),
        ("fade", fade),
    ];
    pipeline(&file, &bodies)
}

/// Parts that end between rows of blocks, and parts that do not.
#[test]
fn particles_that_jump_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let cases = [
        ([4, 5], 2, [1, 5, 1]),
        ([1, 1], 2, [1, 2, 1]),
        ([4, 7], 3, [1, 3, 1]),
    ];
    let mut chosen = common::sweep(1, cases.len());
    for (blocks, every, parts) in cases {
        if !chosen.skips() {
            assert_equal(&gpu, &birds(blocks, every), &[parts], &Setting::steps(7));
        }
    }
}

#[test]
#[ignore = "long: checked kernels of a sort"]
fn checked_particles_that_jump_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        options: CHECKED,
        ..Setting::steps(4)
    };
    assert_equal(&gpu, &birds([4, 5], 2), &[[1, 2, 1]], &setting);
}

/// Particles that stay with the rank that had them, and sums of no other rank.
#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_dropped_particles_and_shares_change_the_hash() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting::steps(6);
    let pipeline = birds([4, 5], 2);
    let alone = hash_alone(&gpu, &pipeline, &setting);
    let probe = Arc::new(Spoils(Spoil::Drop));
    let found = hash_on(&gpu, &pipeline, [1, 2, 1], &Setting { probe, ..setting });
    assert_ne!(found, alone);
}

/// The second sort of a step must read the copies of attributes that the first one has written.
#[test]
fn particles_that_are_sorted_in_every_step_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = birds([4, 5], 1);
    let spot = pipeline.field("birds.spot").unwrap();
    assert!(pipeline.fields[spot].ring > 1);
    assert_equal(&gpu, &pipeline, &[[1, 2, 1], [1, 3, 1]], &Setting::steps(5));
}

#[test]
fn stages_over_particles_without_ghosts_run_on_parts() {
    let mut pipeline = birds([4, 5], 2);
    pipeline.cut(&CutRequest::default(), 0, 3).unwrap();
    let cut = pipeline.cut.as_deref().unwrap();
    // Rows of 5 planes; a part of 10 is a fifth larger than one of 25 / 3.
    assert_eq!(
        (cut.partition.parts, cut.sets[0].axis, cut.sets[0].ghosts),
        ([1, 3, 1], 1, None)
    );
    for (name, is_cut) in [("find", true), ("fly", true), ("fade", false)] {
        let id = pipeline
            .stages
            .iter()
            .position(|stage| stage.name == name)
            .unwrap();
        assert_eq!(cut.grow(id).is_some(), is_cut, "{name}: {:?}", cut.shares[id]);
    }
}
