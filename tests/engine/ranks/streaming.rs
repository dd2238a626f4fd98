//! Arrays whose entries alternate between elements, on ranks.

use std::path::Path;

use serde_json::{Value, json};

use super::*;

const OFFSETS: &str = "#pragma offsets 5 1,0 0,1";
const ALTERNATES: &str = "#pragma alternates box_f last";

/// Values that stream through a plane in place, between cells that do nothing. Other stages read and write them where they are.
fn file() -> Value {
    json!({
        "run": {"dt": 1, "steps_per_frame": 3, "frames": 4},
        "grids": {"box": {"cells": [13, 11], "cell_size": 1, "channels": {
            "f": {"type": "float", "count": 5}, "g": {"type": "float", "count": 5}, "d": "float", "e": "float"}}},
        "init": [{"stage": "fill", "over": "box", "writes": ["box.f"]}],
        "step": [
            {"stage": "stream", "over": "box", "reads": ["box.f"], "writes": ["box.f"]},
            {"stage": "near", "over": "box", "reads": ["box.f"], "writes": ["box.d"], "every": 2},
            {"stage": "scale", "over": "box", "reads": ["box.f", "box.d"], "writes": ["box.f"], "every": 3},
            {"set": "box.g", "to": "box.f"}
        ],
        "frame": [{"stage": "see", "over": "box", "reads": ["box.g"], "writes": ["box.e"]}]
    })
}

/// The kernels, with the pragmas of the one that streams.
fn kernels(pragmas: &str) -> Vec<(&'static str, String)> {
    let kernel = |name: &'static str, pragmas: &str, body: &str| {
        let wall = "bool is_wall(ivec2 i) { return (7 * i.x + 3 * i.y) % 5 == 0; }";
        let text = format!("{pragmas}\n#include \"stage.glsl\"\n{wall}\nvoid stage(ivec2 i) {{ {body} }}");
        (name, text)
    };
    vec![
        kernel(
            "fill",
            "",
            "for (uint k = 0u; k < 5u; ++k) set_box_f(i, k, sin(float(i.x * 7 + i.y * 31 + int(k) * 5)));",
        ),
        kernel(
            "stream",
            pragmas,
            "if (is_wall(i)) return;
             uint odd = clock.step & 1u;
             ivec2 c[2] = ivec2[](ivec2(1, 0), ivec2(0, 1));
             float v[5], sum;
             sum = v[0] = box_f(i, 0u);
             for (int p = 0; p < 2; ++p) {
                 uint k = 2u * uint(p) + 1u;
                 ivec2 next = (i + c[p]) % box_cells, last = (i - c[p] + box_cells) % box_cells;
                 v[k] = is_wall(last) ? box_f(i, k + odd) : box_f(i, k + 1u - odd);
                 v[k + 1u] = is_wall(next) ? box_f(next, k + 1u - odd) : box_f(next, k + odd);
                 sum += v[k] - 0.5 * v[k + 1u];
             }
             set_box_f(i, 0u, cos(sum));
             for (int p = 0; p < 2; ++p) {
                 uint k = 2u * uint(p) + 1u;
                 ivec2 next = (i + c[p]) % box_cells;
                 set_box_f(next, k + odd, v[k] + 0.1 * sin(sum));
                 set_box_f(i, k + 1u - odd, v[k + 1u] - 0.1 * sin(sum));
             }",
        ),
        kernel(
            "near",
            "#pragma reach box_f 1",
            "ivec2 to = (i + ivec2(1, 1)) % box_cells; set_box_d(i, box_f(to, 1u) + box_f(i, 4u) - box_f(to, 3u));",
        ),
        kernel(
            "see",
            "#pragma reach box_g 1",
            "set_box_e(i, box_g((i + ivec2(1, 1)) % box_cells, 2u) - box_g(i, 3u));",
        ),
        kernel(
            "scale",
            "",
            "for (uint k = 0u; k < 5u; ++k) set_box_f(i, k, 0.5 * box_f(i, k) + 0.001 * box_d(i));",
        ),
    ]
}

fn streaming(offsets: &str, alternates: &str) -> Pipeline {
    let kernels = kernels(&format!("{offsets}\n{alternates}"));
    pipeline(&file(), &borrowed(&kernels))
}

fn borrowed<'a>(kernels: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    let bodies = kernels.iter();
    bodies.map(|(name, body)| (*name, body.as_str())).collect()
}

/// The same with outputs, and checkpoints after odd numbers of steps.
pub(super) fn written(frames: u64) -> Pipeline {
    let mut file = file();
    file["run"]["frames"] = json!(frames);
    file["run"]["checkpoint_every"] = json!(1);
    file["outputs"] = json!({
        "f": {"source": "box.f", "format": "npy"},
        "e": {"source": "box.e", "format": "npy"},
        "one": {"values": {"near": "box.f[3, 4, 2]", "end": "box.f[12, 10, 4]"}, "format": "csv"}
    });
    let kernels = kernels(&format!("{OFFSETS}\n{ALTERNATES}"));
    pipeline(&file, &borrowed(&kernels))
}

/// Streams alone, whose entries are on other ranks than their cells after odd numbers of steps, with an output.
pub(super) fn alone(frames: u64) -> Pipeline {
    let mut file = file();
    file["run"]["frames"] = json!(frames);
    file["step"] = json!([file["step"][0]]);
    file["frame"] = json!([]);
    file["outputs"] = json!({"f": {"source": "box.f", "format": "npy"}});
    let kernels = kernels(&format!("{OFFSETS}\n{ALTERNATES}"));
    pipeline(&file, &borrowed(&kernels))
}

#[test]
fn streams_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = streaming(OFFSETS, ALTERNATES);
    let mut cuts = common::sweep(2, 6);
    for (steps, parts) in [
        (5, [1, 2, 1]),
        (6, [2, 1, 1]),
        (7, [2, 2, 1]),
        (8, [3, 2, 1]),
        (5, [1, 11, 1]),
        (5, [13, 1, 1]),
    ] {
        if !cuts.skips() {
            assert_equal(&gpu, &pipeline, &[parts], &Setting::steps(steps));
        }
    }
}

/// A stage that streams writes nothing into the part of another rank.
#[test]
fn streaming_stages_run_on_their_part_alone() {
    let grown = |alternates: &str| {
        let mut pipeline = streaming(OFFSETS, alternates);
        pipeline.cut(&CutRequest::default(), 0, 2).unwrap();
        let stream = pipeline.stages.iter().position(|stage| stage.name == "stream");
        pipeline.cut.as_ref().unwrap().grow(stream.unwrap())
    };
    assert_eq!(grown(ALTERNATES), Some([0; 3]));
    assert_eq!(grown("#pragma reach box_f 1"), Some([1; 3]));
}

fn hash_of_two(gpu: &Gpu, offsets: &str) -> blake3::Hash {
    let pipeline = streaming(offsets, ALTERNATES);
    hash_on(gpu, &pipeline, [2, 2, 1], &Setting::steps(5))
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_wrong_offsets_change_the_hash() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = streaming(OFFSETS, ALTERNATES);
    let alone = hash_alone(&gpu, &pipeline, &Setting::steps(5));
    assert_eq!(hash_of_two(&gpu, OFFSETS), alone);
    for wrong in ["#pragma offsets 5 1,0 0,-1", "#pragma offsets 5 1,0 1,0"] {
        assert_ne!(hash_of_two(&gpu, wrong), alone, "{wrong}");
    }
}

#[test]
fn checked_streams_have_no_fault_on_ranks() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        options: CHECKED,
        ..Setting::steps(3)
    };
    let pipeline = streaming(OFFSETS, ALTERNATES);
    assert_equal(&gpu, &pipeline, &[[1, 2, 1]], &setting);
}

#[test]
fn entries_of_other_elements_are_reported_with_their_number() {
    let Some(gpu) = common::gpu() else { return };
    let fault = |offsets: &str, alternates: &str| {
        let pipeline = streaming(offsets, alternates);
        let mut simulation = start(&gpu, pipeline, CHECKED, Arc::new(NoProbe), None);
        simulation.step(false).unwrap();
        simulation.finish().unwrap();
        let fault = simulation.fault().unwrap();
        fault.map_or(String::new(), |fault| fault.to_string())
    };
    assert_eq!(fault(OFFSETS, ALTERNATES), "");
    for (offsets, alternates) in [
        (OFFSETS, "#pragma alternates box_f"),
        ("#pragma offsets 5 1,0 0,-1", ALTERNATES),
    ] {
        let text = fault(offsets, alternates);
        assert!(
            text.contains("stage `stream`")
                && text.contains("of `box.f`")
                && text.contains("another element"),
            "{offsets} {alternates}: {text}"
        );
    }
}

#[test]
fn arrays_without_offsets_are_refused() {
    let kernels = kernels("#pragma offsets 3 1,0\n#pragma alternates box_f");
    let names: Vec<String> = kernels.iter().map(|(name, _)| format!("{name}.comp")).collect();
    let bodies = names
        .iter()
        .map(String::as_str)
        .zip(kernels.iter().map(|(_, body)| body.as_str()));
    let texts = common::simulation::kernels(&bodies.collect::<Vec<_>>());
    let problems = resolve(Path::new(""), &file(), &texts).unwrap_err().to_string();
    assert!(problems.contains("offsets 5"), "{problems}");
}
