//! Particles that read those of the cells around them, on ranks: ghosts at the outside lose their neighbours.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sastrugi::run::Spoil;
use serde_json::json;

use super::shipped::load;
use super::*;

/// Beads in a pipe that exchange heat with all beads up to `reach` cells away, twice in a step, and drift. Kernels state that they
/// read `stated` cells away.
fn beads([reach, stated]: [u32; 2], every: u32) -> Pipeline {
    let file = json!({
        "run": {"dt": 1},
        "grids": {"pipe": {"cells": [2, 2, 48], "cell_size": 1, "channels": {
            "first": {"type": "uint", "background": 0}, "end": {"type": "uint", "background": 0}}}},
        "particles": {"beads": {"count": 700, "attributes": {
            "spot": "vec3", "cell": "uint", "heat": "float", "warmth": {"type": "float", "background": 0}, "id": "uint"}}},
        "init": [{"stage": "place", "over": "beads", "writes": ["beads.spot", "beads.cell", "beads.heat", "beads.id"]}],
        "step": [
            {"every": every, "stages": [
                {"stage": "find", "over": "beads", "reads": ["beads.spot"], "writes": ["beads.cell"]},
                {"sort": "beads", "by": "beads.cell", "cells": "pipe", "drift": 1}]},
            {"stage": "clear", "over": "pipe", "writes": ["pipe.first", "pipe.end"]},
            {"stage": "range", "over": "beads", "reads": ["beads.cell"], "writes": ["pipe.first", "pipe.end"]},
            {"stage": "mix", "over": "beads", "reads": ["beads.cell", "beads.heat", "pipe.first", "pipe.end"],
             "writes": ["beads.warmth"]},
            {"stage": "keep", "over": "beads", "reads": ["beads.cell", "beads.warmth", "pipe.first", "pipe.end"],
             "writes": ["beads.heat"]},
            {"stage": "drift", "over": "beads", "reads": ["beads.spot", "beads.heat"], "writes": ["beads.spot"]}]
    });
    let place = "void stage(uint i) {
        set_beads_spot(i, vec3(i % 2u, i / 2u % 2u, float(i * 7919u % 4799u) * 0.01) + vec3(0.5, 0.5, 0.0));
        set_beads_cell(i, 0u); set_beads_heat(i, sin(float(i))); set_beads_id(i, i); }";
    let find = "void stage(uint i) {
        ivec3 at = clamp(ivec3(beads_spot(i)), ivec3(0), ivec3(1, 1, 47));
        set_beads_cell(i, uint((at.z * 2 + at.y) * 2 + at.x)); }";
    let clear = "void stage(ivec3 i) { set_pipe_first(i, 0u); set_pipe_end(i, 0u); }";
    let cell = "ivec3 cell_of(uint key) { return ivec3(key % 2u, key / 2u % 2u, key / 4u); }";
    let range = format!(
        "#pragma reach beads_cell 1\n#pragma reach pipe_first 0\n#pragma reach pipe_end 0\n#include \"stage.glsl\"\n{cell}\n\
         void stage(uint i) {{
             uint key = beads_cell(i);
             if (i == beads_held_first || beads_cell(i - 1u) != key) {{ set_pipe_first(cell_of(key), i); }}
             if (i + 1u == beads_held_end || beads_cell(i + 1u) != key) {{ set_pipe_end(cell_of(key), i + 1u); }} }}"
    );
    let mix = |from: &str, to: &str| {
        format!(
            "#pragma neighbours {stated}\n#pragma reach beads_{from} anywhere\n#pragma reach pipe_first {reach}\n\
             #pragma reach pipe_end {reach}\n#include \"stage.glsl\"\n{cell}\nvoid stage(uint i) {{
             ivec3 own = cell_of(beads_cell(i));
             float sum = 0.0, count = 0.0;
             for (int z = max(own.z - {reach}, 0); z <= min(own.z + {reach}, 47); z++) {{
                 for (int k = 0; k < 4; k++) {{
                     ivec3 at = ivec3(k % 2, k / 2, z);
                     for (uint other = pipe_first(at); other < pipe_end(at); other++) {{
                         sum += beads_{from}(other) * (1.0 + 0.1 * float(z - own.z)); count += 1.0; }} }} }}
             set_beads_{to}(i, sin(3.0 * sum / count + float(i % 5u))); }}"
        )
    };
    let drift = "void stage(uint i) {
        vec3 spot = beads_spot(i);
        spot.z = clamp(spot.z + 0.9 * beads_heat(i), 0.0, 47.99);
        set_beads_spot(i, spot); }";
    let bodies = [
        ("place", place),
        ("find", find),
        ("clear", clear),
        ("range", &range),
        ("mix", &mix("heat", "warmth")),
        ("keep", &mix("warmth", "heat")),
        ("drift", drift),
    ];
    pipeline(&file, &bodies)
}

#[test]
fn particles_that_read_neighbours_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let cases: [(u32, &[[usize; 3]]); 2] = [(1, &[[1, 1, 2], [1, 1, 8]]), (2, &[[1, 1, 3], [1, 1, 4]])];
    let mut chosen = common::sweep(1, cases.len());
    for (reach, cuts) in cases {
        if !chosen.skips() {
            assert_equal(&gpu, &beads([reach; 2], 1), cuts, &Setting::steps(8));
        }
    }
}

/// A kernel that reads farther than it states has other bits on ranks: the ghosts are too few.
#[test]
fn control_neighbours_farther_away_than_stated_change_the_hash() {
    let Some(gpu) = common::gpu() else { return };
    let (pipeline, setting) = (beads([2, 1], 1), Setting::steps(8));
    let alone = hash_alone(&gpu, &pipeline, &setting);
    let found = catch_unwind(AssertUnwindSafe(|| hash_on(&gpu, &pipeline, [1, 1, 3], &setting)));
    assert_ne!(found.ok(), Some(alone));
}

/// Each stage that reads neighbours takes planes of ghosts: both of a step, and those of particles that cross a border.
#[test]
fn stages_that_read_neighbours_take_ghosts() {
    let mut pipeline = beads([2; 2], 1);
    pipeline.cut(&CutRequest::default(), 0, 2).unwrap();
    let set = &pipeline.cut.as_deref().unwrap().sets[0];
    assert_eq!((set.ghosts, set.spent), (Some(5), 4));
    let after = pipeline.spent_after(set.set());
    let spent = |name: &str| {
        let is_named = |(id, _): &&(usize, u64)| pipeline.stages[*id].name == name;
        after.iter().find(is_named).unwrap().1
    };
    let names = ["range", "mix", "keep", "drift", "find"];
    assert_eq!(names.map(spent), [0, 2, 4, 4, 4]);
}

/// Ghosts that lost their neighbours would be wrong up to the next sort.
#[test]
fn neighbours_without_a_sort_in_every_step_are_refused() {
    let mut pipeline = beads([1; 2], 2);
    let uncut = pipeline.cut(&CutRequest::default(), 0, 2).unwrap_err();
    let message = "stage `mix` cannot be cut into parts: it reads `beads.heat` of other particles anywhere";
    assert!(uncut[0].message.starts_with(message), "{uncut:?}");
}

/// A column of water whose halves collide at a border between parts.
fn dam(more: &[&str]) -> Pipeline {
    let settings = [
        "spacing=0.04",
        "size=[0.3, 0.3, 1.6]",
        "column=[0.2, 0.2, 1.5]",
        "particles.matter.from=[{\"box\": [[0, 0, 0], \"column\"], \"spacing\": \"spacing\", \"jitter\": 0.2, \
         \"set\": {\"velocity\": [0, 0, \"20 * (0.7 - z)\"], \"number\": \"i\"}}]",
        "use.draw=null",
        "outputs.view=null",
        "frame=[]",
    ];
    load("sph_dam", &[&settings, more].concat())
}

#[test]
#[ignore = "long: the kernels of two to four ranks"]
fn a_dam_of_smoothed_particles_breaks_equally() {
    let Some(gpu) = common::gpu() else { return };
    let cuts = [[1, 1, 2], [1, 1, 3], [1, 1, 4]];
    assert_equal(&gpu, &dam(&[]), &cuts, &Setting::steps(30));
    let checked = Setting {
        options: CHECKED,
        ..Setting::steps(4)
    };
    assert_equal(&gpu, &dam(&[]), &cuts[..1], &checked);
}

#[test]
#[ignore = "long: the kernels of two ranks, twice"]
fn control_a_dam_without_new_ghosts_has_other_bits() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting::steps(10);
    let alone = hash_alone(&gpu, &dam(&[]), &setting);
    for spoil in [Spoil::NoGhosts, Spoil::Drop] {
        let probe = Arc::new(controls::Spoils(spoil));
        let spoilt = Setting {
            probe,
            ..setting.clone()
        };
        let found = catch_unwind(AssertUnwindSafe(|| hash_on(&gpu, &dam(&[]), [1, 1, 2], &spoilt)));
        assert_ne!(found.ok(), Some(alone));
    }
}
