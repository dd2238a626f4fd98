//! Bytes of stages by declaration.

use std::path::Path;

use sastrugi::ir::{Pipeline, ResourceId};
use sastrugi::spec::{self, Document};

fn pipeline(text: &str) -> Pipeline {
    let document = Document::parse("t.json", text, Path::new("")).unwrap();
    spec::from_document("t", &document, &Default::default())
        .unwrap()
        .0
}

/// Bytes of each stage of the step list, where resource `r` has `present(r)` elements.
fn bytes(pipeline: &Pipeline, present: &dyn Fn(ResourceId) -> u64) -> Vec<Option<(u64, u64)>> {
    let stages = pipeline.step.iter().map(|entry| &pipeline.stages[entry.stage]);
    let traffic = stages.map(|stage| pipeline.traffic(stage, present));
    traffic
        .map(|traffic| traffic.map(|bytes| (bytes.read, bytes.written)))
        .collect()
}

#[test]
fn elements_of_every_field_count_once() {
    let pipeline = pipeline(
        r#"{"run": {"dt": 1},
            "grids": {"g": {"cells": [8, 4, 2], "cell_size": 1, "channels": {"a": {"type": "float", "background": 0}, "b": "vec3", "c": {"type": "half", "count": 19, "background": 0}}}},
            "buffers": {"one": {"type": "uint", "length": 1, "background": 0}},
            "particles": {"p": {"count": 10, "attributes": {"x": {"type": "vec3", "background": 0}}}, "q": {"count": 1000, "attributes": {"x": {"type": "vec3", "background": 0}}}},
            "step": [
                {"stage": "all", "over": "g", "reads": ["g.a", "g.c"], "writes": ["g.b", "g.c"]},
                {"stage": "same", "over": "g", "reads": ["g.a"], "writes": ["g.a"]},
                {"stage": "few", "over": "p", "reads": ["p.x", "g.a", "one"], "writes": ["one"]},
                {"stage": "many", "over": "q", "reads": ["q.x", "g.a"]}]}"#,
    );
    let all = |id: ResourceId| pipeline.resources[id].elements();
    let expected = [
        (64 * (4 + 2 * 19), 64 * (12 + 2 * 19)),
        (64 * 4, 64 * 4),
        (10 * 12 + 10 * 4 + 4, 4),
        // More particles than cells: each cell counts once.
        (1000 * 12 + 64 * 4, 0),
    ];
    assert_eq!(bytes(&pipeline, &all), expected.map(Some));
}

#[test]
fn absent_cells_and_particles_have_no_bytes() {
    let pipeline = pipeline(
        r#"{"run": {"dt": 1},
            "grids": {"g": {"cells": [64, 64, 64], "cell_size": 1, "sparse": {}, "channels": {"a": {"type": "float", "background": 0}, "b": "float"}}},
            "particles": {"p": {"capacity": 1000, "count": 10, "attributes": {"x": {"type": "vec3", "background": 0}}}},
            "step": [
                {"stage": "cells", "over": "g", "reads": ["g.a"], "writes": ["g.b"]},
                {"stage": "move", "over": "p", "reads": ["p.x"], "writes": ["p.x"]}]}"#,
    );
    let present = |id: ResourceId| {
        if pipeline.resources[id].name == "g" {
            512
        } else {
            20
        }
    };
    let some = bytes(&pipeline, &present);
    // The buffer with the live count is small, too.
    let (read, written) = some[1].unwrap();
    assert_eq!(written, 20 * 12);
    assert!((20 * 12..20 * 12 + 100).contains(&read), "{read}");
    let (read, written) = some[0].unwrap();
    assert_eq!(written, 512 * 4);
    // The pages of the active blocks are small beside their cells.
    assert!((512 * 4..512 * 4 * 5).contains(&read), "{read}");
    let none = bytes(&pipeline, &|_| 0);
    assert_eq!(none[1], Some((0, 0)));
}
