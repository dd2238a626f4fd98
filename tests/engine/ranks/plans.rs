//! Plans of pipelines that are cut: where a list is split, and what is exchanged before each segment. No device.

use std::collections::BTreeSet;

use sastrugi::ir::Valid;
use sastrugi::plan::{self, Command, Halos, List, Plan};
use serde_json::{Value, json};

use super::*;

/// A line of ten planes that two ranks share.
fn cut(step: Value, bodies: &[(&str, &str)], more: Value) -> (Pipeline, Plan) {
    let mut file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": [4, 4, 10], "cell_size": 1, "channels": {
            "a": {"type": "float", "border": "clamp", "background": 0}, "b": {"type": "float", "border": "clamp", "background": 0},
            "c": {"type": "float", "border": "clamp", "background": 0}}}},
        "step": step
    });
    for (key, value) in more.as_object().unwrap() {
        file[key] = value.clone();
    }
    let mut pipeline = pipeline(&file, bodies);
    pipeline
        .cut(&CutRequest::default(), 0, 2)
        .unwrap_or_else(|uncut| panic!("{uncut:?}"));
    let plan = plan::plan(&pipeline).unwrap();
    (pipeline, plan)
}

/// The stages of each segment of a step, with the exchanges before it: field and depth.
fn described(pipeline: &Pipeline, plan: &Plan, halos: &mut Halos, step: u64) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, segment) in plan.segments(List::Step).iter().enumerate() {
        if !segment.is_due(step) {
            continue;
        }
        let mut line = String::new();
        let wants = halos.wants(pipeline, plan, (List::Step, number), step);
        for want in &wants {
            let depth = match want.valid {
                Valid::Depth(depth) => depth.to_string(),
                Valid::Box(area) => format!("{:?}", area.size),
                Valid::Lines(axis) => format!("lines {axis}"),
                Valid::All => "all".into(),
            };
            line += &format!("({} {depth}) ", pipeline.fields[want.at.0].name);
        }
        halos.exchanged(&wants);
        halos.ran(pipeline, plan, segment, step);
        let names = segment.commands.iter().filter_map(|command| match command {
            Command::Dispatch { invocation, .. } => {
                Some(pipeline.stages[pipeline.step[*invocation].stage].name.clone())
            }
            _ => None,
        });
        let names: Vec<String> = names.collect();
        if !names.is_empty() {
            lines.push(line + &names.join(" "));
        }
    }
    lines
}

fn entry(stage: &str, reads: &[&str], writes: &[&str]) -> Value {
    json!({"stage": stage, "over": "g", "reads": reads, "writes": writes})
}

const NEAR_A: &str = "#pragma reach g_a 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) { set_g_b(i, g_a(i + ivec3(0, 0, 1))); }";
const NEAR_B: &str = "#pragma reach g_b 2\n#include \"stage.glsl\"\nvoid stage(ivec3 i) { set_g_c(i, g_b(i + ivec3(0, 0, 2))); }";
const BACK: &str = "void stage(ivec3 i) { set_g_a(i, g_c(i)); }";

#[test]
fn chains_of_stencils_are_split_where_halos_are_needed() {
    let step = json!([
        entry("one", &["g.a"], &["g.b"]),
        entry("two", &["g.b"], &["g.c"]),
        entry("three", &["g.c"], &["g.a"])
    ]);
    let (pipeline, plan) = cut(
        step,
        &[("one", NEAR_A), ("two", NEAR_B), ("three", BACK)],
        json!({}),
    );
    let mut halos = Halos::default();
    // Fields begin whole.
    assert_eq!(
        described(&pipeline, &plan, &mut halos, 0),
        ["one", "(g.b 2) two three"]
    );
    for step in 1..4 {
        assert_eq!(
            described(&pipeline, &plan, &mut halos, step),
            ["(g.a 1) one", "(g.b 2) two three"]
        );
    }
}

#[test]
fn swapped_fields_are_followed() {
    let step = json!([entry("one", &["g.a"], &["g.b"]), {"swap": ["g.a", "g.b"]}]);
    let (pipeline, plan) = cut(step, &[("one", NEAR_A)], json!({}));
    let mut halos = Halos::default();
    assert_eq!(described(&pipeline, &plan, &mut halos, 0), ["one"]);
    assert_eq!(described(&pipeline, &plan, &mut halos, 1), ["(g.b 1) one"]);
    assert_eq!(described(&pipeline, &plan, &mut halos, 2), ["(g.a 1) one"]);
}

#[test]
fn rare_stages_exchange_when_they_run() {
    let mut rare = entry("two", &["g.b"], &["g.c"]);
    rare["every"] = json!(3);
    let step = json!([entry("one", &["g.a"], &["g.b"]), rare]);
    let (pipeline, plan) = cut(step, &[("one", NEAR_A), ("two", NEAR_B)], json!({}));
    let mut halos = Halos::default();
    assert_eq!(described(&pipeline, &plan, &mut halos, 0), ["one", "(g.b 2) two"]);
    assert_eq!(described(&pipeline, &plan, &mut halos, 1), ["one"]);
    assert_eq!(described(&pipeline, &plan, &mut halos, 3), ["one", "(g.b 2) two"]);
}

#[test]
fn copies_and_fills_carry_validity() {
    let step = json!([
        entry("one", &["g.a"], &["g.b"]),
        {"set": "g.a", "to": "g.b"},
        entry("again", &["g.a"], &["g.c"]),
        {"set": "g.b", "to": 1.5},
        entry("two", &["g.b"], &["g.c"])
    ]);
    let again = "#pragma reach g_a 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) { set_g_c(i, g_a(i - ivec3(0, 0, 1))); }";
    let (pipeline, plan) = cut(
        step,
        &[("one", NEAR_A), ("again", again), ("two", NEAR_B)],
        json!({}),
    );
    let mut halos = Halos::default();
    let lines = described(&pipeline, &plan, &mut halos, 0);
    assert_eq!(lines[0], "one copy_g_b_to_g_a");
    assert!(lines[1].starts_with("(g.a 1) again"), "{lines:?}");
}

#[test]
fn parts_of_repeats_are_split_and_noted_once() {
    let step = json!([
        {"repeat": "turn", "over": 40, "while": "going", "stages": [
            entry("one", &["g.a"], &["g.b"]),
            entry("two", &["g.b"], &["g.c"]),
            entry("three", &["g.c"], &["g.a"]),
            {"stage": "count", "over": 1, "reads": ["going"], "writes": ["going"]}
        ]}
    ]);
    let count = "void stage(uint i) { set_going(0u, going(0u) - 1u); }";
    let bodies = [
        ("one", NEAR_A),
        ("two", NEAR_B),
        ("three", BACK),
        ("count", count),
    ];
    let buffers = json!({"buffers": {"going": {"type": "uint", "length": 1, "background": 5}}});
    let (_, plan) = cut(step, &bodies, buffers);
    let (mut notes, mut segments) = (BTreeSet::new(), 0);
    for segment in &plan.step {
        segments += usize::from(segment.part.is_some());
        for command in &segment.commands {
            if let Command::Note(part) = command {
                assert!(notes.insert(part.note), "noted twice");
            }
        }
    }
    assert_eq!(notes.len(), plan.notes);
    assert!(
        segments > 2 * notes.len(),
        "{segments} segments, {} parts",
        notes.len()
    );
}

/// The divided dispatch of each segment of a step: stage, planes of the interior, boxes of the border.
fn divided(pipeline: &Pipeline, plan: &Plan) -> Vec<Option<(String, [u64; 2], usize)>> {
    let of = |segment: &sastrugi::plan::Segment| {
        let split = segment.split.as_ref()?;
        let entry = &pipeline.step[segment.divided()?];
        let (low, planes) = (split.interior.area.low[2], split.interior.area.size[2]);
        let name = pipeline.stages[entry.stage].name.clone();
        Some((name, [low, low + planes], split.border.len()))
    };
    plan.step.iter().map(of).collect()
}

#[test]
fn first_stage_with_a_halo_is_divided() {
    let step = json!([
        entry("three", &["g.c"], &["g.a"]),
        entry("one", &["g.a"], &["g.b"]),
        entry("two", &["g.b"], &["g.c"])
    ]);
    let (pipeline, plan) = cut(
        step,
        &[("one", NEAR_A), ("two", NEAR_B), ("three", BACK)],
        json!({}),
    );
    // `three` needs no halo, and `two` reads two cells away. Rank 0 has planes 0 to 4.
    assert_eq!(
        divided(&pipeline, &plan),
        [
            None,
            Some(("one".to_string(), [1, 4], 2)),
            Some(("two".to_string(), [2, 3], 2))
        ]
    );
}

#[test]
fn stages_that_overwrite_what_they_read_have_a_smaller_interior() {
    let body = "#pragma reach g_a 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) { set_g_a(i, g_a(i + ivec3(0, 0, 1))); }";
    let step = json!([
        {"stage": "shift", "over": "g", "reads": ["g.a"], "writes": ["g.a"]}
    ]);
    let deep = json!({"grids": {"g": {"cells": [4, 4, 40], "cell_size": 1, "channels": {
        "a": {"type": "float", "border": "clamp", "background": 0}}}}});
    let (pipeline, plan) = cut(step.clone(), &[("shift", body)], deep.clone());
    // The stage may write one cell away: its part grows by one, its halo is two cells deep, and messages have the two
    // outermost planes.
    assert_eq!(
        divided(&pipeline, &plan),
        [Some(("shift".to_string(), [3, 17], 2))]
    );
    // It writes its own cell alone, and reads its neighbours.
    let (pipeline, plan) = cut(step, &[("shift", &body.replace("g_a 1", "g_a 1 0"))], deep);
    assert_eq!(
        divided(&pipeline, &plan),
        [Some(("shift".to_string(), [1, 19], 2))]
    );
}

#[test]
fn entries_that_alternate_leave_one_plane_to_the_border() {
    let body = "#pragma offsets 3 0,0,1\n#pragma alternates g_f last\n#include \"stage.glsl\"\nvoid stage(ivec3 i) { set_g_f(i, 0u, g_f(i, 0u)); }";
    let step = json!([
        {"stage": "stream", "over": "g", "reads": ["g.f"], "writes": ["g.f"]}
    ]);
    let array = json!({"grids": {"g": {"cells": [4, 4, 40], "cell_size": 1, "channels": {
        "f": {"type": "float", "count": 3}}}}});
    let (pipeline, plan) = cut(step, &[("stream", body)], array);
    assert_eq!(
        divided(&pipeline, &plan),
        [Some(("stream".to_string(), [1, 19], 2))]
    );
}

#[test]
fn lines_are_exchanged_before_transforms_and_after_them() {
    let grids = |cells: [u64; 3]| {
        json!({"grids": {"g": {"cells": cells, "cell_size": 1, "channels": {
            "a": {"type": "vec2", "border": "clamp", "background": 0}, "b": {"type": "vec2", "background": 0}}}}})
    };
    let near = entry("near", &["g.a"], &["g.b"]);
    let own = entry("own", &["g.b"], &["g.b"]);
    let step = json!([
        near,
        {"set": "g.b", "to": "fft(g.b)"},
        own,
        {"set": "g.a", "to": "inverse_fft(g.b, z)"},
        {"set": "g.a", "to": "inverse_fft(g.a, x, y)"}
    ]);
    let bodies = [
        (
            "near",
            "#pragma reach g_a 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) { set_g_b(i, g_a(i + ivec3(0, 0, 1))); }",
        ),
        ("own", "void stage(ivec3 i) { set_g_b(i, 0.5 * g_b(i)); }"),
    ];
    let (pipeline, plan) = cut(step.clone(), &bodies, grids([4, 4, 10]));
    let mut halos = Halos::default();
    described(&pipeline, &plan, &mut halos, 0);
    for step in 1..3 {
        assert_eq!(
            described(&pipeline, &plan, &mut halos, step),
            [
                // A stage may leave elements as they are, so it needs its part of what it writes.
                "(g.a 1) (g.b 0) near fft_x_g_b fft_y_g_b",
                "(g.b lines 2) fft_z_g_b own fft_z_g_a_2",
                "(g.a 0) fft_x_g_a_3 fft_y_g_a_3"
            ]
        );
    }
    // Along y alone, no transform along z is cut.
    let (pipeline, plan) = cut(
        json!([{"set": "g.b", "to": "fft(g.a, z)"}, own, {"set": "g.a", "to": "inverse_fft(g.b, z)"}]),
        &bodies[1..],
        grids([4, 10, 4]),
    );
    let lines = described(&pipeline, &plan, &mut Halos::default(), 1);
    assert_eq!(lines, ["fft_z_g_b own fft_z_g_a_2"]);
}

/// The exchanges of two iterations of the pressure solver on two ranks, after which the loop is tested.
fn exchanges_of_iterations(change: fn(&mut Pipeline)) -> usize {
    let mut pipeline = shipped::load("../benches/pressure/pressure", &["n=96"]);
    pipeline
        .cut(&CutRequest::default(), 0, 2)
        .unwrap_or_else(|uncut| panic!("{uncut:?}"));
    change(&mut pipeline);
    let plan = plan::plan(&pipeline).unwrap();
    let lines = described(&pipeline, &plan, &mut Halos::default(), 0);
    let ends = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.contains("solver.advance"));
    let ends: Vec<usize> = ends.map(|(number, _)| number).collect();
    // The first iterations also read halos of the guess.
    let iterations = &lines[ends[3] + 1..=ends[5]];
    iterations.iter().filter(|line| line.starts_with('(')).count()
}

#[test]
fn two_iterations_of_the_pressure_solver_have_eight_exchanges() {
    assert_eq!(exchanges_of_iterations(compute_halos), 8);
    assert_eq!(exchanges_of_iterations(|_| {}), 24);
}
