//! Repeats that use all their iterations while there is still work: what the device counts, and what a run says and does.

use std::collections::BTreeMap;
use std::path::Path;

use sastrugi::gpu::Gpu;
use sastrugi::output::manifest::Manifest;
use sastrugi::run::unfinished::Unfinished;
use sastrugi::run::{self, Ending, Event, Extent, Observer, Options, RunError, RunRequest, Simulation};
use serde_json::{Value, json};

use super::{all_options, common, pipeline, simulation, without_conditions};

/// Turns that the work of each step takes.
const WORK: [u32; 8] = [2, 4, 0, 5, 1, 9, 3, 6];

const KERNELS: [(&str, &str); 3] = [
    ("begin", "void stage(uint i) { set_going(0u, work(clock.step)); }"),
    ("less", "void stage(uint i) { set_going(0u, going(0u) - 1u); }"),
    ("draw", "void stage(uint i) { set_waits(0u, clock.frame); }"),
];

/// Steps that take `most` turns at most for their work.
fn file(most: u32) -> Value {
    json!({
        "run": {"dt": 1, "frames": 4, "steps_per_frame": 2},
        "buffers": {
            "work": {"type": "uint", "values": WORK},
            "going": {"type": "uint", "length": 1, "background": 0},
            "waits": {"type": "uint", "length": 1, "background": 0}
        },
        "step": [
            {"stage": "begin", "over": 1, "reads": ["work"], "writes": ["going"]},
            {"repeat": "turn", "over": most, "while": "going", "stages": [
                {"stage": "less", "over": 1, "reads": ["going"], "writes": ["going"]}
            ]}
        ],
        "outputs": {"going": {"source": "going", "format": "npy"}}
    })
}

fn twin(most: u32) -> Option<(u32, u64)> {
    let late = WORK.iter().filter(|work| **work > most).count() as u32;
    let first = WORK.iter().position(|work| *work > most)?;
    Some((late, first as u64 + 1))
}

fn found(sim: &mut Simulation) -> Vec<Unfinished> {
    sim.finish().unwrap();
    sim.unfinished().unwrap()
}

fn times(sim: &mut Simulation) -> Option<(u32, u64)> {
    found(sim).first().map(|repeat| (repeat.times, repeat.step))
}

fn devices() -> Option<[common::TestGpu; 2]> {
    Some([common::gpu()?, without_conditions()?])
}

#[test]
fn unfinished_loops_are_counted() {
    let Some(gpus) = devices() else { return };
    // The last ones are submitted in parts; with 9 turns all work is done, with 8 one step is late.
    let mut sweep = common::sweep(8, 42);
    for most in [1, 3, 4, 0, 8, 9, 40] {
        for gpu in &gpus {
            for options in all_options() {
                if sweep.skips() {
                    continue;
                }
                let mut sim = simulation(gpu, pipeline(&file(most), &KERNELS), options);
                (0..WORK.len()).for_each(|_| sim.step(false).unwrap());
                assert_eq!(times(&mut sim), twin(most), "{most} turns, {options:?}");
                let iterations = found(&mut sim).first().map(|repeat| repeat.iterations);
                assert_eq!(iterations, twin(most).map(|_| most));
                assert_eq!(sim.fault().unwrap(), None);
            }
        }
    }
    // Control: the numbers differ between the cases.
    assert_eq!([twin(9), twin(8)], [None, Some((1, 6))]);
    assert_ne!(twin(4), twin(3));
}

/// An unfinished inner loop counts once for each outer iteration that runs.
#[test]
fn unfinished_inner_loops_count_per_outer_iteration() {
    let Some(gpus) = devices() else { return };
    let file = json!({
        "run": {"dt": 1},
        "buffers": {
            "going": {"type": "uint", "length": 1, "background": 0},
            "inner": {"type": "uint", "length": 1, "background": 0}
        },
        "step": [
            {"set": "going", "to": 5},
            {"repeat": "outer", "over": 7, "while": "going", "stages": [
                {"set": "inner", "to": 1},
                {"repeat": "deeper", "over": 3, "while": "inner", "stages": [
                    {"stage": "stop", "over": 1, "reads": ["going"], "writes": ["inner"]}
                ]},
                // The same buffer: the outer repeat decides.
                {"repeat": "same", "over": 1, "while": "going", "stages": [
                    {"stage": "less", "over": 1, "reads": ["going"], "writes": ["going"]}
                ]}
            ]}
        ]
    });
    let stop = "void stage(uint i) { set_inner(0u, going(0u) % 2u); }";
    for gpu in &gpus {
        for options in all_options() {
            let mut sim = simulation(gpu, pipeline(&file, &[KERNELS[1], ("stop", stop)]), options);
            (0..2).for_each(|_| sim.step(false).unwrap());
            let found: Vec<(String, u32, u64)> = (found(&mut sim).into_iter())
                .map(|repeat| (repeat.repeat, repeat.times, repeat.step))
                .collect();
            // Of 5, 4, 3, 2, 1 that are left, three are odd.
            assert_eq!(found, [("deeper".to_string(), 6, 1)], "{options:?}");
        }
    }
}

/// Steps in which no stage of the repeat runs are not looked at.
#[test]
fn skipped_loops_are_not_counted_as_unfinished() {
    let Some(gpus) = devices() else { return };
    let mut file = file(3);
    file["step"][0]["every"] = json!(2);
    file["step"][1]["stages"][0]["every"] = json!(2);
    file["buffers"]["work"]["values"] = json!([4, 4, 1, 4, 4, 4, 1, 4]);
    for gpu in &gpus {
        let mut sim = simulation(gpu, pipeline(&file, &KERNELS), Options::default());
        (0..WORK.len()).for_each(|_| sim.step(false).unwrap());
        assert_eq!(times(&mut sim), Some((2, 1)));
    }
}

#[test]
fn checkpoints_keep_the_unfinished_count() {
    let Some(gpus) = devices() else { return };
    for gpu in &gpus {
        let mut sim = simulation(gpu, pipeline(&file(4), &KERNELS), Options::default());
        (0..5).for_each(|_| sim.step(false).unwrap());
        let pending = sim.capture(Extent::Everything).unwrap();
        let state = sim.captured(pending).unwrap();
        let (modules, pipeline) = (sim.modules().to_vec(), (**sim.pipeline()).clone());
        let mut resumed = Simulation::resume(gpu, pipeline, modules, Options::default(), &state).unwrap();
        assert_eq!(times(&mut resumed), Some((1, 4)));
        (0..3).for_each(|_| resumed.step(false).unwrap());
        assert_eq!(times(&mut resumed), twin(4));
    }
}

#[derive(Default)]
struct Warnings(Vec<String>);

impl Observer for Warnings {
    fn event(&mut self, event: Event) {
        if let Event::Warning(text) = event {
            self.0.push(text.to_string());
        }
    }
}

/// A whole run: how it ends, its warnings, its manifest and the files of frames.
fn whole(
    gpu: &Gpu,
    file: &Value,
    options: Options,
) -> (Result<Ending, RunError>, Vec<String>, Manifest, usize) {
    let directory = tempfile::tempdir().unwrap();
    let swaps = BTreeMap::new();
    let built = pipeline(file, &KERNELS);
    let mut run = RunRequest::new(gpu, built, Path::new("loops.json"), directory.path(), &swaps);
    run.options = options;
    let mut warnings = Warnings::default();
    let ending = run::run(run, &mut warnings);
    let manifest = Manifest::read(directory.path()).unwrap();
    let names = std::fs::read_dir(directory.path()).unwrap();
    let frames = names.filter(|name| {
        name.as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .ends_with("npy")
    });
    (ending, warnings.0, manifest, frames.count())
}

#[test]
fn unfinished_loops_warn_once_with_a_total() {
    let Some(gpus) = devices() else { return };
    let remedy = "\n  help: allow more iterations in `over` of the repeat, or set \"on_max_iterations\": \"continue\" in it if \
                  it need not end";
    let first = format!("repeat `turn` used all its 4 iterations in step 4 and `going` was not 0{remedy}");
    let total = "repeat `turn` used all its iterations 3 times in this run";
    for gpu in &gpus {
        for options in all_options() {
            for words in [None, Some("warn")] {
                let mut file = file(4);
                if let Some(word) = words {
                    file["step"][1]["on_max_iterations"] = json!(word);
                }
                let (ending, warnings, manifest, frames) = whole(gpu, &file, options);
                assert_eq!(ending.unwrap(), Ending::Done);
                assert_eq!(warnings, [first.as_str(), total]);
                let listed = &manifest.unfinished[0];
                assert_eq!(
                    (listed.times, listed.first_step, listed.first_frame),
                    (3, Some(4), None)
                );
                assert_eq!(frames, 4);
            }
        }
    }
    // Only once: no total.
    let (_, warnings, ..) = whole(&gpus[0], &file(8), Options::default());
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    // Controls: enough turns, and a repeat that need not end.
    let (_, warnings, manifest, _) = whole(&gpus[0], &file(9), Options::default());
    assert_eq!((warnings.len(), manifest.unfinished.len()), (0, 0));
    let mut file = file(4);
    file["step"][1]["on_max_iterations"] = json!("continue");
    let (ending, warnings, manifest, _) = whole(&gpus[0], &file, Options::default());
    assert_eq!(ending.unwrap(), Ending::Done);
    assert_eq!((warnings.len(), manifest.unfinished.len()), (0, 0));
}

/// Work is left in step 4, the last one of frame 2: the run writes frame 1 alone.
#[test]
fn unfinished_loop_stops_the_run_before_the_next_frame() {
    let Some(gpus) = devices() else { return };
    let mut file = file(4);
    file["step"][1]["on_max_iterations"] = json!("stop");
    for gpu in &gpus {
        for options in all_options() {
            let (ending, warnings, _, frames) = whole(gpu, &file, options);
            let error = ending.expect_err("work is left");
            let text = error.to_string();
            let words = "repeat `turn` used all its 4 iterations in step 4 and `going` was not 0, found before frame 2 was \
                         written\n  help: allow more iterations in `over` of the repeat, or find out why it does not end; frames \
                         up to 1 are complete";
            assert_eq!((text.as_str(), frames), (words, 1));
            assert_eq!(warnings, [""; 0]);
        }
    }
    // Control: with enough turns it does not stop.
    file["step"][1]["over"] = json!(9);
    assert_eq!(
        whole(&gpus[0], &file, Options::default()).0.unwrap(),
        Ending::Done
    );
}

#[test]
fn unfinished_loops_are_found_in_every_list() {
    let Some(gpus) = devices() else { return };
    let over = |turns: u32, name: &str, buffer: &str| {
        let stages = json!([{"set": "work", "to": 1}]);
        json!({"repeat": name, "over": turns, "while": buffer, "stages": stages})
    };
    let mut file = file(9);
    file["init"] = json!([{"set": "going", "to": 1}, over(1, "early", "going")]);
    file["step"] = json!([]);
    file["frame"] = json!([
        {"stage": "draw", "over": 1, "writes": ["waits"]},
        {"repeat": "late", "over": 2, "while": "waits", "stages": [{"set": "drawn", "to": 1}]}
    ]);
    file["buffers"]["drawn"] = json!({"type": "uint", "length": 1});
    file["outputs"] = json!({"drawn": {"source": "drawn", "format": "npy"}});
    for gpu in &gpus {
        let (ending, warnings, manifest, _) = whole(gpu, &file, Options::default());
        assert_eq!(ending.unwrap(), Ending::Done);
        let first: Vec<&str> = warnings.iter().filter_map(|text| text.lines().next()).collect();
        assert_eq!(
            first,
            [
                "repeat `early` used its only iteration in `init` and `going` was not 0",
                "repeat `late` used all its 2 iterations in frame 1 and `waits` was not 0",
                "repeat `late` used all its iterations 4 times in this run",
            ]
        );
        let steps: Vec<_> = (manifest.unfinished.iter())
            .map(|repeat| (repeat.first_step, repeat.first_frame))
            .collect();
        assert_eq!(steps, [(None, None), (None, Some(1))]);
    }
}

/// Time that is left is carried over, and told.
#[test]
fn remaining_time_counts_as_unfinished() {
    let Some(gpus) = devices() else { return };
    let file = |most: u32| {
        json!({
            "run": {"dt": 0.1, "frames": 3},
            "step": [{"repeat": "substep", "over": most, "while": "clock.left", "stages": [
                {"stage": "choose", "over": 1, "writes": ["clock.dt"]}
            ]}]
        })
    };
    let choose = [("choose", "void stage(uint i) { set_clock_dt(0.04); }")];
    for gpu in &gpus {
        for options in all_options() {
            for (most, wanted) in [(3, None), (2, Some((3, 1)))] {
                let mut sim = simulation(gpu, pipeline(&file(most), &choose), options);
                (0..3).for_each(|_| sim.step(false).unwrap());
                assert_eq!(times(&mut sim), wanted, "{most} turns");
                if let Some(repeat) = found(&mut sim).first() {
                    let words =
                        "repeat `substep` used all its 2 iterations in step 1 and `clock.left` was not 0";
                    assert_eq!(repeat.to_string(), words);
                }
            }
        }
    }
}
