//! Fields that change places: against twins that really move them, in every phase and place where names are used.

use sastrugi::ir::Pipeline;
use sastrugi::run::{Extent, Simulation};
use serde_json::{Value, json};

use super::{all_options, common, pipeline, read_floats, read_words, simulation, without_conditions};

/// Heat on a ring of cells.
const SPREAD: (&str, &str) = (
    "spread",
    "void stage(uint i) {
        uint n = old_length;
        float left = old((i + n - 1u) % n), right = old((i + 1u) % n);
        set_new(i, 0.5 * old(i) + 0.25 * (left + right));
    }",
);
const HEAT: (&str, &str) = (
    "heat",
    "void stage(uint i) { set_old(i, float((i * 7u + 3u) % 11u)); }",
);

fn spread(old: &[f32]) -> Vec<f32> {
    let n = old.len();
    (0..n)
        .map(|i| 0.5 * old[i] + 0.25 * (old[(i + n - 1) % n] + old[(i + 1) % n]))
        .collect()
}

fn heat_file(count: usize, step: Value) -> Value {
    json!({
        "run": {"dt": 1},
        "buffers": {"old": {"type": "float", "length": count}, "new": {"type": "float", "length": count, "background": -1},
                    "seen": {"type": "float", "length": count}, "going": {"type": "uint", "length": 1, "background": 0}},
        "init": [{"stage": "heat", "over": count, "writes": ["old"]}],
        "step": step,
        "frame": [{"stage": "look", "over": count, "reads": ["old"], "writes": ["seen"]}],
        "outputs": {"old": {"source": "old"}, "seen": {"source": "seen"}}
    })
}

fn start(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7 + 3) % 11) as f32).collect()
}

const LOOK: (&str, &str) = ("look", "void stage(uint i) { set_seen(i, old(i)); }");

fn heat(count: usize) -> Pipeline {
    let step = json!([
        {"stage": "spread", "over": count, "reads": ["old"], "writes": ["new"]},
        {"swap": ["old", "new"]}
    ]);
    pipeline(&heat_file(count, step), &[SPREAD, HEAT, LOOK])
}

#[test]
fn swapped_names_follow_memory_in_steps_frames_and_reads() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(7, 18);
    for count in [1, 2, 63, 64, 65, 1000] {
        for options in all_options() {
            if sweep.skips() {
                continue;
            }
            let pipeline = heat(count);
            assert_eq!(pipeline.phases(), 2);
            let mut sim = simulation(&gpu, pipeline, options);
            let mut twin = start(count);
            for step in 0..5 {
                assert_eq!(read_floats(&mut sim, "old"), twin, "{count} cells, step {step}");
                let before = twin.clone();
                twin = spread(&twin);
                sim.step(false).unwrap();
                sim.frame(true).unwrap();
                assert_eq!(read_floats(&mut sim, "seen"), twin, "{count} cells, step {step}");
                assert_eq!(read_floats(&mut sim, "new"), before, "{count} cells, step {step}");
            }
        }
    }
}

#[test]
fn control_without_swap_nothing_spreads() {
    let Some(gpu) = common::gpu() else { return };
    let step = json!([{"stage": "spread", "over": 9, "reads": ["old"], "writes": ["new"]}]);
    let mut sim = simulation(
        &gpu,
        pipeline(&heat_file(9, step), &[SPREAD, HEAT, LOOK]),
        Default::default(),
    );
    (0..3).for_each(|_| sim.step(false).unwrap());
    assert_eq!(read_floats(&mut sim, "old"), start(9));
}

#[test]
fn host_writes_and_checkpoints_follow_swapped_names() {
    let Some(gpu) = common::gpu() else { return };
    let mut sim = simulation(&gpu, heat(65), Default::default());
    (0..3).for_each(|_| sim.step(false).unwrap());
    let other: Vec<u8> = (0..65).flat_map(|i| (i as f32 * 0.125).to_le_bytes()).collect();
    sim.write("old", &other).unwrap();
    assert_eq!(sim.read("old").unwrap(), other);
    let pending = sim.capture(Extent::Everything).unwrap();
    let state = sim.captured(pending).unwrap();
    (0..4).for_each(|_| sim.step(false).unwrap());
    let (pipeline, modules) = ((**sim.pipeline()).clone(), sim.modules().to_vec());
    let mut resumed = Simulation::resume(&gpu, pipeline, modules, Default::default(), &state).unwrap();
    (0..4).for_each(|_| resumed.step(false).unwrap());
    let (old, new) = (sim.read("old").unwrap(), sim.read("new").unwrap());
    assert_eq!(
        (resumed.read("old").unwrap(), resumed.read("new").unwrap()),
        (old, new)
    );
}

/// Three fields that go round, in `init` too, among stages that leave their marks; with a particle ring beside them.
#[test]
fn many_swaps_equal_moving_memory() {
    let Some(gpu) = common::gpu() else { return };
    let names = ["a", "b", "c"];
    let mark = |stage: &str, number: u32, field: &str| {
        json!({"stage": stage, "shader": format!("mark_{field}.comp"), "over": 65, "reads": [field], "writes": [field],
               "arguments": {"by": format!("uint({number})")}})
    };
    let file = json!({
        "run": {"dt": 1},
        "particles": {"dots": {"count": 65, "ring": 2, "attributes": {"x": {"type": "uint", "background": 0}}}},
        "grids": {"g": {"cells": [13, 5, 1], "cell_size": 1, "channels": {"u": {"type": "uint", "background": 7}, "v": {"type": "uint", "background": 9}}}},
        "buffers": {"a": {"type": "uint", "length": 65, "background": 1}, "b": {"type": "uint", "length": 65, "background": 2},
                    "c": {"type": "uint", "length": 65, "background": 3}},
        "init": [mark("i0", 3, "a"), {"swap": ["a", "c"]}, mark("i1", 5, "a")],
        "step": [
            mark("s0", 7, "a"), {"swap": ["a", "b"]}, mark("s1", 11, "a"), {"swap": ["b", "c"]}, mark("s2", 13, "b"),
            {"stage": "move", "over": "dots", "reads": ["dots.x", "c"], "writes": ["dots.x"]},
            {"stage": "stir", "over": "g", "reads": ["g.u"], "writes": ["g.v"], "every": 2},
            {"swap": ["g.u", "g.v"]}
        ]
    });
    let kernel = |field: &str| format!("void stage(uint i) {{ set_{field}(i, {field}(i) * arg.by + i); }}");
    let kernels: Vec<(String, String)> = names.map(|field| (format!("mark_{field}"), kernel(field))).into();
    let mut all: Vec<(&str, &str)> = kernels.iter().map(|(name, text)| (&**name, &**text)).collect();
    all.push(("move", "void stage(uint i) { set_dots_x(i, dots_x(i) + c(i)); }"));
    all.push((
        "stir",
        "void stage(ivec3 i) { set_g_v(i, g_u(i) * 3u + uint(i.x)); }",
    ));
    for options in all_options() {
        let pipeline = pipeline(&file, &all);
        assert_eq!(pipeline.swaps.order(), 6);
        let mut sim = simulation(&gpu, pipeline, options);
        let mut memory = [vec![1u32; 65], vec![2u32; 65], vec![3u32; 65]];
        let mut dots = vec![0u32; 65];
        let (mut u, mut v) = (vec![7u32; 65], vec![9u32; 65]);
        let mark = |field: &mut Vec<u32>, by: u32| {
            (0u32..)
                .zip(field)
                .for_each(|(i, value)| *value = value.wrapping_mul(by).wrapping_add(i));
        };
        mark(&mut memory[0], 3);
        memory.swap(0, 2);
        mark(&mut memory[0], 5);
        for step in 0..8 {
            mark(&mut memory[0], 7);
            memory.swap(0, 1);
            mark(&mut memory[0], 11);
            memory.swap(1, 2);
            mark(&mut memory[1], 13);
            dots.iter_mut()
                .zip(&memory[2])
                .for_each(|(dot, c)| *dot = dot.wrapping_add(*c));
            if step % 2 == 0 {
                for (i, (u, v)) in (0u32..).zip(u.iter().zip(&mut v)) {
                    *v = u.wrapping_mul(3).wrapping_add(i % 13);
                }
            }
            std::mem::swap(&mut u, &mut v);
            sim.step(false).unwrap();
            for (name, memory) in names.iter().zip(&memory) {
                assert_eq!(read_words(&mut sim, name), *memory, "{name} after step {step}");
            }
            assert_eq!(read_words(&mut sim, "dots.x"), dots, "step {step}");
            assert_eq!(
                (read_words(&mut sim, "g.u"), read_words(&mut sim, "g.v")),
                (u.clone(), v.clone()),
                "step {step}"
            );
        }
    }
}

/// Two sweeps a turn, so that the repeat may end after any.
#[test]
fn early_loop_exit_keeps_swap_parity() {
    const STAGES: [(&str, &str); 2] = [
        ("begin", "void stage(uint i) { set_going(0u, arg.turns); }"),
        ("decide", "void stage(uint i) { set_going(0u, going(0u) - 1u); }"),
    ];
    let turns = |turns: u32| {
        let sweep = |name: &str| json!({"stage": name, "shader": "spread.comp", "over": 65, "reads": ["old"], "writes": ["new"]});
        let step = json!([
            {"stage": "begin", "over": 1, "writes": ["going"], "arguments": {"turns": format!("uint({turns})")}},
            {"repeat": "turn", "over": 20, "while": "going", "stages": [
                sweep("there"), {"swap": ["old", "new"]}, sweep("back"), {"swap": ["new", "old"]},
                {"stage": "decide", "over": 1, "reads": ["going"], "writes": ["going"]}
            ]},
            sweep("last"), {"swap": ["old", "new"]}
        ]);
        pipeline(&heat_file(65, step), &[SPREAD, HEAT, LOOK, STAGES[0], STAGES[1]])
    };
    for gpu in [common::gpu(), without_conditions()] {
        let Some(gpu) = gpu else { return };
        for taken in [0u32, 1, 7, 20] {
            let mut sim = simulation(&gpu, turns(taken), Default::default());
            let mut twin = start(65);
            for step in 0..3 {
                (0..2 * taken + 1).for_each(|_| twin = spread(&twin));
                sim.step(false).unwrap();
                assert_eq!(read_floats(&mut sim, "old"), twin, "{taken} turns, step {step}");
            }
        }
    }
}
