//! Long repeats are submitted in parts, and no more of them than their end takes.

use sastrugi::plan::{self, Lane};
use sastrugi::run::Extent;
use serde_json::{Value, json};

use super::{all_options, common, pipeline, read_words, simulation, without_conditions};

const PEBBLES: u32 = 65;

const KERNELS: [(&str, &str); 4] = [
    (
        "start",
        "void stage(uint i) { set_runs(0u, 0u); set_going(0u, enough(0u) == 0u ? 0u : 1u); }",
    ),
    (
        "carry",
        "void stage(uint i) { set_pebbles_moves(i, pebbles_moves(i) * 3u + i); }",
    ),
    (
        "count",
        "void stage(uint i) { uint n = runs(0u) + 1u; set_runs(0u, n); if (n >= enough(0u)) set_going(0u, 0u); }",
    ),
    (
        "finish",
        "void stage(uint i) { set_total(0u, total(0u) * 5u + runs(0u)); set_enough(0u, enough(0u) + arg.more); }",
    ),
];

/// `most` turns of which `enough` are taken, and `more` in every further step.
fn file(most: u32, enough: u32, more: u32) -> Value {
    let uint = |value: u32| format!("uint({value})");
    let buffer = |value: u32| json!({"type": "uint", "length": 1, "background": value});
    json!({
        "run": {"dt": 1},
        "particles": {"pebbles": {"count": PEBBLES, "attributes": {"moves": {"type": "uint", "background": 1}}}},
        "buffers": {"runs": buffer(0), "total": buffer(0), "going": buffer(0), "enough": buffer(enough)},
        "step": [
            {"stage": "start", "over": 1, "reads": ["enough"], "writes": ["runs", "going"]},
            {"repeat": "turn", "over": most, "while": "going", "stages": [
                {"stage": "carry", "over": "pebbles", "reads": ["pebbles.moves"], "writes": ["pebbles.moves"]},
                {"stage": "count", "over": 1, "reads": ["runs", "enough"], "writes": ["runs", "going"]}
            ]},
            {"stage": "finish", "over": 1, "reads": ["runs", "total", "enough"], "writes": ["total", "enough"],
             "arguments": {"more": uint(more)}}
        ]
    })
}

fn twin(most: u32, enough: u32, more: u32, steps: u32) -> (u32, Vec<u32>) {
    let mut total = 0u32;
    let mut pebbles = vec![1u32; PEBBLES as usize];
    for step in 0..steps {
        let taken = most.min(enough + more * step);
        for _ in 0..taken {
            (0u32..)
                .zip(&mut pebbles)
                .for_each(|(i, moves)| *moves = moves.wrapping_mul(3).wrapping_add(i));
        }
        total = total.wrapping_mul(5).wrapping_add(taken);
    }
    (total, pebbles)
}

#[test]
fn split_loop_runs_the_iterations_the_device_asks_for() {
    let Some(skipping) = common::gpu() else { return };
    let Some(other) = without_conditions() else { return };
    let mut sweep = common::sweep(8, 42);
    for (most, enough, more) in [
        (40, 0, 1),
        (40, 3, 1),
        (40, 8, 1),
        (40, 39, 1),
        (13, 99, 0),
        (9, 1, 7),
        (1000, 10, 0),
    ] {
        for gpu in [&skipping, &other] {
            for options in all_options() {
                if sweep.skips() {
                    continue;
                }
                let mut sim = simulation(gpu, pipeline(&file(most, enough, more), &KERNELS), options);
                (0..3).for_each(|_| sim.step(false).unwrap());
                let (total, pebbles) = twin(most, enough, more, 3);
                assert_eq!(
                    read_words(&mut sim, "total"),
                    [total],
                    "{most} {enough} {more} {options:?}"
                );
                assert_eq!(
                    read_words(&mut sim, "pebbles.moves"),
                    pebbles,
                    "{most} {enough} {more} {options:?}"
                );
            }
        }
    }
}

/// Parts have four turns here, and one part is under way when the host looks.
#[test]
fn unneeded_iterations_are_not_submitted() {
    let Some(gpu) = common::gpu() else { return };
    for (taken, parts) in [(0, 2), (1, 2), (4, 2), (5, 3), (10, 4), (1000, 250)] {
        let pipeline = pipeline(&file(1000, taken, 0), &KERNELS);
        assert_eq!(plan::plan(&pipeline).unwrap().notes, 250);
        let mut sim = simulation(&gpu, pipeline, Default::default());
        sim.step(false).unwrap();
        let before = sim.last(Lane::Step);
        sim.step(false).unwrap();
        // One before the repeat and one after it.
        assert_eq!(sim.last(Lane::Step) - before, parts + 2, "{taken} turns");
    }
}

/// Short repeats are not worth a look of the host.
#[test]
fn short_loops_are_not_split() {
    for (most, notes) in [(8, 0), (9, 3)] {
        let plan = plan::plan(&pipeline(&file(most, 1, 0), &KERNELS)).unwrap();
        assert_eq!(
            (plan.notes, plan.step.len()),
            (notes, if notes == 0 { 1 } else { 5 })
        );
    }
}

/// Also in `init`, with timings, and on from a checkpoint.
#[test]
fn split_loops_work_in_init_with_timings_and_checkpoints() {
    for gpu in [common::gpu(), without_conditions()] {
        let Some(gpu) = gpu else { return };
        let mut file = file(40, 3, 4);
        let mut init = file["step"].clone();
        for (entry, name) in [(0, "start"), (2, "finish")] {
            init[entry]["stage"] = json!(format!("first_{name}"));
            init[entry]["shader"] = json!(format!("{name}.comp"));
        }
        for (entry, name) in [(0, "carry"), (1, "count")] {
            init[1]["stages"][entry]["stage"] = json!(format!("first_{name}"));
            init[1]["stages"][entry]["shader"] = json!(format!("{name}.comp"));
        }
        file["init"] = init;
        let build = || pipeline(&file, &KERNELS);
        let mut sim = simulation(&gpu, build(), Default::default());
        (0..2).for_each(|_| sim.step(true).unwrap());
        let pending = sim.capture(Extent::Everything).unwrap();
        let state = sim.captured(pending).unwrap();
        (0..2).for_each(|_| sim.step(true).unwrap());
        sim.finish().unwrap();
        let carry = sim
            .pipeline()
            .stages
            .iter()
            .position(|stage| stage.name == "carry");
        assert!(
            sim.timing()
                .medians()
                .iter()
                .any(|(stage, ..)| Some(*stage) == carry)
        );
        // The turn of `init` is the first of five.
        let (total, pebbles) = twin(40, 3, 4, 5);
        let modules = sim.modules().to_vec();
        let pipeline = (**sim.pipeline()).clone();
        let mut resumed =
            sastrugi::run::Simulation::resume(&gpu, pipeline, modules, Default::default(), &state).unwrap();
        (0..2).for_each(|_| resumed.step(false).unwrap());
        for mut sim in [sim, resumed] {
            assert_eq!(
                (
                    read_words(&mut sim, "total")[0],
                    read_words(&mut sim, "pebbles.moves")
                ),
                (total, pebbles.clone())
            );
        }
    }
}

/// The memory plan lists what gates write, their blocks and the words for the host.
#[test]
fn plan_includes_loop_memory() {
    for gpu in [common::gpu(), without_conditions()] {
        let Some(gpu) = gpu else { return };
        let pipeline = pipeline(&file(40, 3, 1), &KERNELS);
        let plan = plan::plan_for(&pipeline, sastrugi::run::target(&gpu, &pipeline)).unwrap();
        let memory = plan::memory::MemoryPlan::of(&pipeline, &plan, &[]);
        let items = || memory.device.iter().chain(&memory.host);
        let has = |name: &str| items().any(|item| item.name == name);
        assert!(has("ends of repeats"));
        assert_eq!(has("gates"), !gpu.is_conditional());
        assert_eq!(has("gated group counts"), !gpu.is_conditional());
        let before = gpu.live_allocations().len();
        let sim = simulation(&gpu, pipeline, Default::default());
        let live = gpu.live_allocations();
        let (buffers, bytes) = (
            items().map(|item| item.copies).sum::<u64>(),
            items().map(|item| item.total()).sum::<u64>(),
        );
        assert_eq!((before, live.len() as u64), (0, buffers));
        let taken: u64 = live.iter().map(|live| live.bytes).sum();
        assert!(
            (bytes..=bytes + 256 * buffers).contains(&taken),
            "{taken} of {bytes}"
        );
        drop(sim);
    }
}
