//! Data races between the elements of a stage, found by name in a checked run: a planted race in each type of resource,
//! with a twin of the stage that has none.

use std::path::Path;

use sastrugi::gpu::Gpu;
use sastrugi::inline_shaders::InlineShaders;
use sastrugi::run::{Options, Simulation};
use sastrugi::spec::{self, Document};
use serde_json::{Value, json};

use super::common::{self, simulation::pipeline};

mod orders;
mod sets;

const CHECKED: Options = Options {
    checked: true,
    ..Options::PLAIN
};

/// A pipeline of one stage `s`, whose kernel is a text.
fn simulation(gpu: &Gpu, file: &Value, kernel: &str, options: Options) -> Simulation {
    common::simulation::simulation(gpu, pipeline(file, &[("s", kernel)]), options)
}

/// The fault of two steps and a frame of a checked run.
fn fault(gpu: &Gpu, file: &Value, kernel: &str, options: Options) -> Option<(String, &'static str)> {
    let mut simulation = simulation(gpu, file, kernel, options);
    simulation.step(false).unwrap();
    simulation.step(false).unwrap();
    simulation.frame(true).unwrap();
    simulation.finish().unwrap();
    let fault = simulation.fault().unwrap()?;
    Some((fault.to_string(), fault.help()))
}

#[track_caller]
fn assert_race(gpu: &Gpu, file: &Value, kernel: &str, wanted: &str, help: &str) {
    let (found, remedy) = fault(gpu, file, kernel, CHECKED).unwrap_or_else(|| panic!("no race: {kernel}"));
    assert_eq!(found, format!("stage `s`: {wanted}"));
    assert!(remedy.contains(help), "{remedy}");
    // The same again, and nothing if it is not asked for.
    assert_eq!(fault(gpu, file, kernel, CHECKED).unwrap().0, found);
    let without = Options {
        races: false,
        ..CHECKED
    };
    assert_eq!(fault(gpu, file, kernel, without), None);
}

#[track_caller]
fn assert_clean(gpu: &Gpu, file: &Value, kernel: &str) {
    let found = fault(gpu, file, kernel, CHECKED);
    assert!(found.is_none(), "{kernel}: {}", found.unwrap().0);
}

/// A stage over a resource that reads and writes it.
fn in_place(section: &str, name: &str, resource: Value, fields: &[&str]) -> Value {
    json!({
        "run": {"dt": 1},
        section: {name: resource},
        "step": [{"stage": "s", "over": name, "reads": fields, "writes": fields}]
    })
}

const BOTH_WRITE: &str = "let one element write each value";
const SWAP: &str = "\"swap\"";

#[test]
fn races_in_buffers_and_particles_are_found() {
    let Some(gpu) = common::gpu() else { return };
    for length in [2u32, 65, 1000] {
        let buffer = in_place("buffers", "b", json!({"type": "float", "length": length}), &["b"]);
        let last = length - 1;
        // The reader of the last element is the element before it; the lowest element is named.
        assert_race(
            &gpu,
            &buffer,
            "#pragma reach b 1\nvoid stage(uint i) { set_b(i, b(min(i + 1u, b_length - 1u))); }",
            "`b` at index 1: elements 1 and 0 race: 1 writes it and 0 reads it",
            SWAP,
        );
        assert_race(
            &gpu,
            &buffer,
            "#pragma reach b anywhere\nvoid stage(uint i) { set_b(b_length - 1u, float(i)); }",
            &format!("`b` at index {last}: elements 0 and {last} race: both write it"),
            BOTH_WRITE,
        );
        assert_clean(&gpu, &buffer, "void stage(uint i) { set_b(i, b(i) + 1.0); }");
        assert_clean(
            &gpu,
            &buffer,
            "#pragma reach b anywhere\nvoid stage(uint i) { uint j = b_length - 1u - i; set_b(j, b(j) + 1.0); }",
        );
    }
    // One element cannot race.
    let one = in_place("buffers", "b", json!({"type": "float", "length": 1}), &["b"]);
    assert_clean(
        &gpu,
        &one,
        "void stage(uint i) { set_b(0, b(0)); set_b(0, 2.0); }",
    );
    let particles = in_place(
        "particles",
        "p",
        json!({"count": 100, "ring": 1, "attributes": {"position": "vec3", "age": "half"}}),
        &["p.position", "p.age"],
    );
    assert_race(
        &gpu,
        &particles,
        "#pragma reach p_position 1\nvoid stage(uint i) { set_p_position(i, p_position(i ^ 1u)); }",
        "`p.position` at index 0: elements 0 and 1 race: 0 writes it and 1 reads it",
        SWAP,
    );
    assert_race(
        &gpu,
        &particles,
        "#pragma reach p_age 1
        void stage(uint i) { set_p_position(i, vec3(i)); set_p_age(i / 2u * 2u + 1u, 1.0); }",
        "`p.age` at index 1: elements 0 and 1 race: both write it",
        BOTH_WRITE,
    );
    assert_clean(
        &gpu,
        &particles,
        "void stage(uint i) { set_p_age(i, p_position(i).x + p_age(i)); }",
    );
}

#[test]
fn races_of_atomics_with_plain_accesses_are_found() {
    let Some(gpu) = common::gpu() else { return };
    let buffer = in_place("buffers", "b", json!({"type": "uint", "length": 70}), &["b"]);
    assert_clean(
        &gpu,
        &buffer,
        "#pragma reach b anywhere\nvoid stage(uint i) { add_b(i / 8u, 1u); max_b(69u, i); }",
    );
    assert_race(
        &gpu,
        &buffer,
        "#pragma reach b anywhere\nvoid stage(uint i) { if (i != 5u) add_b(7u, 1u); else set_b(7u, b(7u)); }",
        "`b` at index 7: elements 0 and 5 race: 0 changes it with atomics and 5 writes it",
        "atomics alone",
    );
    assert_race(
        &gpu,
        &buffer,
        "#pragma reach b anywhere\nvoid stage(uint i) { if (i < 3u) add_b(64u, b(64u)); }",
        "`b` at index 64: elements 0 and 2 race: 0 changes it with atomics and 2 reads it",
        "atomics alone",
    );
    // An element may use both on what is its own.
    assert_clean(
        &gpu,
        &buffer,
        "void stage(uint i) { add_b(i, 1u); set_b(i, b(i) + 1u); }",
    );
}

#[test]
fn races_in_cells_vertices_and_pixels_are_found() {
    let Some(gpu) = common::gpu() else { return };
    // Deeper than the cells that one invocation marches through on a processor, where the order hides the race.
    let grid = in_place(
        "grids",
        "g",
        json!({"cells": [9, 7, 40], "cell_size": 1, "channels": {"p": "float"}}),
        &["g.p"],
    );
    assert_race(
        &gpu,
        &grid,
        "#pragma reach g_p 1
        void stage(ivec3 i) { set_g_p(i, g_p(ivec3(i.xy, max(i.z - 1, 0)))); }",
        "`g.p` at index (0, 0, 0): elements (0, 0, 0) and (0, 0, 1) race: (0, 0, 0) writes it and (0, 0, 1) reads it",
        SWAP,
    );
    // Cells of one colour read those of the other: what is written is read by nobody else.
    assert_clean(
        &gpu,
        &grid,
        "#pragma reach g_p 1
        void stage(ivec3 i) {
            if ((i.x + i.y + i.z & 1) == 1) return;
            float sum = 0.0;
            for (int side = 0; side < 6; side++) {
                ivec3 j = i;
                j[side / 2] += side % 2 * 2 - 1;
                if (all(greaterThanEqual(j, ivec3(0))) && all(lessThan(j, g_cells))) sum += g_p(j);
            }
            set_g_p(i, sum / 6.0);
        }",
    );
    let nodes = in_place(
        "grids",
        "g",
        json!({"cells": [4, 3, 2], "cell_size": 1, "channels": {"p": {"type": "vec2", "at": "node"}}}),
        &["g.p"],
    );
    assert_race(
        &gpu,
        &nodes,
        "#pragma reach g_p 1\nvoid stage(ivec3 i) { set_g_p(i + 1, vec2(0)); set_g_p(i, vec2(1)); }",
        "`g.p` at index (1, 1, 1): elements (0, 0, 0) and (1, 1, 1) race: both write it",
        BOTH_WRITE,
    );
    let png = crate::common::simulation::root().join("tests/data/bad_specs/grey.png");
    let model = json!({"file": png, "metres_per_pixel": [1, 1], "metres_per_level": 1});
    let vertices = in_place(
        "grids",
        "h",
        json!({"vertices": [20, 30], "channels": {"z": {"type": "float", "values": model}, "d": "float"}}),
        &["h.d"],
    );
    assert_race(
        &gpu,
        &vertices,
        "#pragma reach h_d anywhere
        void stage(ivec2 i) { set_h_d(i, i.y == 29 ? h_d(ivec2(3, 17)) : 1.0); }",
        "`h.d` at index (3, 17): elements (3, 17) and (0, 29) race: (3, 17) writes it and (0, 29) reads it",
        SWAP,
    );
    assert_clean(
        &gpu,
        &vertices,
        "void stage(ivec2 i) { set_h_d(i, h_d(i) + 1.0); }",
    );
    let mut pixels = in_place(
        "grids",
        "m",
        json!({"pixels": [33, 5], "channels": {"c": "rgba8"}}),
        &["m.c"],
    );
    let race = "#pragma reach m_c anywhere\nvoid stage(ivec2 i) { set_m_c(i / 2, m_c(i / 2)); }";
    let wanted = "`m.c` at index (0, 0): elements (0, 0) and (1, 1) race: both write it";
    assert_race(&gpu, &pixels, race, wanted, BOTH_WRITE);
    assert_clean(&gpu, &pixels, "void stage(ivec2 i) { set_m_c(i, m_c(i).gbra); }");
    // The same of a frame stage.
    pixels["frame"] = pixels["step"].take();
    pixels["step"] = json!([]);
    assert_race(&gpu, &pixels, race, wanted, BOTH_WRITE);
}

#[test]
fn races_in_arrays_are_found_per_entry() {
    let Some(gpu) = common::gpu() else { return };
    let grid = in_place(
        "grids",
        "g",
        json!({"cells": [6, 5, 1], "cell_size": 1, "channels": {"f": {"type": "float", "count": 3}}}),
        &["g.f"],
    );
    // Each entry is read and written by one element, but by another one in each: two-lattice streaming in place.
    assert_clean(
        &gpu,
        &grid,
        "#pragma reach g_f anywhere
        void stage(ivec3 i) {
            ivec3 next = ivec3((i.x + 1) % g_cells.x, i.yz);
            float here = g_f(i, 1u), there = g_f(next, 2u);
            set_g_f(next, 2u, here);
            set_g_f(i, 1u, there);
            set_g_f(i, 0u, 1.0);
        }",
    );
    assert_race(
        &gpu,
        &grid,
        "#pragma reach g_f anywhere
        void stage(ivec3 i) { set_g_f(i, 2u, g_f(ivec3(i.x, (i.y + 1) % g_cells.y, 0), 2u)); }",
        "entry 2 of `g.f` at index (0, 0, 0): elements (0, 0, 0) and (0, 4, 0) race: (0, 0, 0) writes it and (0, 4, 0) \
         reads it",
        SWAP,
    );
}

#[test]
fn races_in_sparse_grids_are_found_in_every_paging() {
    let Some(gpu) = common::gpu() else { return };
    let sparse = gpu.report().sparse.binding && gpu.report().sparse.residency_buffer;
    for paging in ["dense", "table", "sparse"] {
        if paging == "sparse" && !sparse {
            crate::common::skip("no sparse residency");
            continue;
        }
        let file = |stage: Value, kernel: &str| {
            let mut pipeline = json!({
                "run": {"dt": 1},
                "grids": {"g": {
                    "cells": [40, 24, 16], "cell_size": 1,
                    "sparse": {"block": [8, 8, 8], "latency": 0, "keep": "always", "paging": paging},
                    "channels": {"id": "uint", "f": {"type": "float", "count": 2}}
                }},
                "step": [
                    {"stage": "ask", "shader": "ask.comp", "over": "g.blocks", "requests": ["g"]},
                    {"update_grid": "g"}
                ]
            });
            pipeline["step"].as_array_mut().unwrap().push(stage);
            let document = Document::parse("races.json", &pipeline.to_string(), Path::new("")).unwrap();
            let head = "#version 460\n#include \"stage.glsl\"\n";
            // Every other block along x, so that numbers and places in the list differ.
            let ask = "void stage(ivec3 block) { if (block.x % 2 == 0) request_g_block(block); }";
            let mut texts = InlineShaders::default();
            for (name, text) in [("ask.comp", ask), ("s.comp", kernel)] {
                let text = format!("{head}{text}\n");
                texts.insert(name, text.into_bytes()).unwrap();
            }
            let resolved = spec::from_document("races", &document, &texts);
            let (pipeline, _) = resolved.unwrap_or_else(|problems| panic!("{problems}"));
            let mut simulation = Simulation::new(&gpu, pipeline, &Default::default(), CHECKED)
                .unwrap_or_else(|error| panic!("{error}"));
            simulation.step(false).unwrap();
            simulation.step(false).unwrap();
            simulation.finish().unwrap();
            simulation.fault().unwrap().map(|fault| fault.to_string())
        };
        let cells = |fields: &[&str]| json!({"stage": "s", "over": "g", "reads": fields, "writes": fields});
        let clean = "void stage(ivec3 i) { set_g_id(i, g_id(i) + 1u); set_g_f(i, 1u, g_f(i, 0u)); }";
        assert_eq!(file(cells(&["g.id", "g.f"]), clean), None, "{paging}");
        let race = "#pragma reach g_id 2
            void stage(ivec3 i) { if (i == ivec3(33, 20, 9)) set_g_id(i, g_id(ivec3(35, 20, 9))); else set_g_id(i, 1u); }";
        assert_eq!(
            file(cells(&["g.id"]), race).unwrap(),
            "stage `s`: `g.id` at index (35, 20, 9): elements (35, 20, 9) and (33, 20, 9) race: (35, 20, 9) writes it and \
             (33, 20, 9) reads it",
            "{paging}"
        );
        let race = "#pragma reach g_f anywhere\nvoid stage(ivec3 i) { set_g_f(ivec3(16, 9, 3), 1u, 1.0); }";
        let found = file(cells(&["g.f"]), race).unwrap();
        assert!(
            found.starts_with("stage `s`: entry 1 of `g.f` at index (16, 9, 3): elements (0, 0, 0) and (39, 23, 15) race: both"),
            "{paging}: {found}"
        );
        let blocks = json!({"stage": "s", "over": "g.active", "writes": ["g.id"]});
        let race = "#pragma reach g_id anywhere
            void stage(uint i, ivec3 cell) { set_g_id(cell, 1u); set_g_id(ivec3(0), 1u); }";
        let found = file(blocks.clone(), race).unwrap();
        assert!(
            found.starts_with(
                "stage `s`: `g.id` at index (0, 0, 0): active blocks 0 and 17 race: both write it"
            ),
            "{paging}: {found}"
        );
        assert_eq!(
            file(blocks, "void stage(uint i, ivec3 cell) { set_g_id(cell, i); }"),
            None
        );
    }
}
