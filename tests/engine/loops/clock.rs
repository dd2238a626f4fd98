//! Repeats that go through the time of the step: the lengths of their turns, what they leave, and where they may stand.

use std::collections::BTreeMap;
use std::path::Path;

use sastrugi::run::{self, Ending, Extent, NoObserver, Options, RunRequest, Simulation};
use serde_json::{Value, json};

use super::{all_options, common, pipeline, read_floats, read_words, simulation, without_conditions};
use crate::docs::markdown::{blocks, page};

const DT: f32 = 0.1;
const LENGTHS: usize = 8;
const ROWS: usize = 200;

const KERNELS: [(&str, &str); 4] = [
    (
        "choose",
        "void stage(uint i) { set_clock_dt(lengths((clock.iteration + clock.step) % 8u)); }",
    ),
    (
        "note",
        "void stage(uint i) {
            uint n = count(0u);
            set_log(n, vec4(clock.dt, clock.time, clock.left, float(100u * clock.step + clock.iteration)));
            set_count(0u, n + 1u);
        }",
    ),
    (
        "after",
        "void stage(uint i) { set_outside(clock.step, vec4(clock.dt, clock.time, clock.left, float(clock.iteration))); }",
    ),
    (
        "drift",
        "void stage(uint i) { set_dots_x(i, dots_x(i) + clock.dt * (1.0 + float(i))); }",
    ),
];

/// A step in `most` turns at most whose lengths are listed.
fn file(most: u32, lengths: [f32; LENGTHS]) -> Value {
    let bits: Vec<u32> = lengths.iter().map(|length| length.to_bits()).collect();
    let note = || json!({"stage": "note", "over": 1, "reads": ["count"], "writes": ["count", "log"]});
    json!({
        "run": {"dt": 0.1},
        "particles": {"dots": {"count": 65, "attributes": {"x": {"type": "float", "background": 0}}}},
        "buffers": {
            "bits": {"type": "uint", "values": bits},
            "lengths": {"type": "float", "length": LENGTHS, "background": 0},
            "count": {"type": "uint", "length": 1, "background": 0},
            "log": {"type": "vec4", "length": ROWS, "background": 0},
            "outside": {"type": "vec4", "length": 8, "background": 0}
        },
        // NaN has no number in a file.
        "init": [{"stage": "set_lengths", "over": LENGTHS, "reads": ["bits"], "writes": ["lengths"]}],
        "step": [
            {"repeat": "substep", "over": most, "while": "clock.left", "stages": [
                {"stage": "choose", "over": 1, "reads": ["lengths"], "writes": ["clock.dt"]},
                note(),
                {"stage": "drift", "over": "dots", "reads": ["dots.x"], "writes": ["dots.x"]}
            ]},
            {"stage": "after", "over": 1, "writes": ["outside"]}
        ]
    })
}

fn built(file: &Value) -> sastrugi::ir::Pipeline {
    let set = (
        "set_lengths",
        "void stage(uint i) { set_lengths(i, uintBitsToFloat(bits(i))); }",
    );
    pipeline(file, &[&KERNELS[..], &[set]].concat())
}

#[derive(Debug, Default, PartialEq, Clone)]
struct Twin {
    log: Vec<[f32; 4]>,
    dots: Vec<f32>,
    left: f32,
}

fn twin(most: u32, lengths: [f32; LENGTHS], steps: u32) -> Twin {
    let mut twin = Twin {
        dots: vec![0.0; 65],
        ..Twin::default()
    };
    for step in 0..steps {
        let time = step as f32 * DT;
        twin.left += DT;
        let mut turn = 0;
        while turn < most && twin.left > 0.0 {
            let length = lengths[((turn + step) % 8) as usize].min(twin.left);
            let number = (100 * step + turn) as f32;
            twin.log
                .push([length, time + (DT - twin.left), twin.left, number]);
            for (i, x) in twin.dots.iter_mut().enumerate() {
                *x += length * (1.0 + i as f32);
            }
            twin.left = if length < twin.left {
                twin.left - length
            } else {
                0.0
            };
            turn += 1;
        }
    }
    twin
}

fn found(sim: &mut Simulation) -> Twin {
    let log = read_floats(sim, "log");
    let rows = read_words(sim, "count")[0] as usize;
    Twin {
        log: log
            .chunks(4)
            .take(rows)
            .map(|row| row.try_into().unwrap())
            .collect(),
        dots: read_floats(sim, "dots.x"),
        left: read_floats(sim, "sg_clock_substep")[0],
    }
}

fn devices() -> Option<[common::TestGpu; 2]> {
    Some([common::gpu()?, without_conditions()?])
}

#[test]
fn substeps_cover_the_step_time() {
    let Some(gpus) = devices() else { return };
    let mixed = [0.01, 0.03, 0.004, 0.05, 0.02, 0.1, 0.007, 0.03];
    let mut sweep = common::sweep(8, 42);
    for (most, lengths, ends) in [
        (40, [0.03; LENGTHS], true),
        (40, [0.1; LENGTHS], true),
        (3, [f32::INFINITY; LENGTHS], true),
        (40, mixed, true),
        // As long as the turns are long, but for what rounding leaves.
        (11, [0.01; LENGTHS], true),
        // Too few turns: time is left over, more in every step.
        (5, [0.013; LENGTHS], false),
        (1, mixed, false),
    ] {
        let wanted = twin(most, lengths, 3);
        assert_eq!(wanted.left == 0.0, ends, "{most} of {lengths:?}");
        for gpu in &gpus {
            for options in all_options() {
                if sweep.skips() {
                    continue;
                }
                let mut sim = simulation(gpu, built(&file(most, lengths)), options);
                (0..3).for_each(|_| sim.step(false).unwrap());
                sim.finish().unwrap();
                assert_eq!(sim.fault().unwrap(), None);
                assert_eq!(found(&mut sim), wanted, "{most} of {lengths:?}, {options:?}");
                let outside: Vec<f32> = (0..3).flat_map(|step| [DT, step as f32 * DT, DT, 0.0]).collect();
                assert_eq!(read_floats(&mut sim, "outside")[..12], outside);
            }
        }
    }
    // Control: the comparison sees another length.
    assert_ne!(
        twin(40, [0.03; LENGTHS], 3),
        twin(40, [0.030_000_001; LENGTHS], 3)
    );
    assert_ne!(twin(40, mixed, 3), twin(40, [0.03; LENGTHS], 3));
}

#[test]
fn checkpoints_keep_remaining_time() {
    let Some(gpus) = devices() else { return };
    let lengths = [0.01, 0.03, 0.004, 0.05, 0.02, 0.1, 0.007, 0.03];
    for gpu in &gpus {
        let mut sim = simulation(gpu, built(&file(2, lengths)), Options::default());
        (0..2).for_each(|_| sim.step(false).unwrap());
        assert!(read_floats(&mut sim, "sg_clock_substep")[0] > 0.0);
        let pending = sim.capture(Extent::Everything).unwrap();
        let state = sim.captured(pending).unwrap();
        let (modules, pipeline) = (sim.modules().to_vec(), (**sim.pipeline()).clone());
        let mut resumed = Simulation::resume(gpu, pipeline, modules, Options::default(), &state).unwrap();
        (0..3).for_each(|_| resumed.step(false).unwrap());
        assert_eq!(found(&mut resumed), twin(2, lengths, 5));
    }
}

/// A length that is no number above 0 takes all that is left, and is reported in every run.
#[test]
fn substeps_without_length_stop_the_run() {
    let Some(gpus) = devices() else { return };
    let mut sweep = common::sweep(8, 24);
    for (bad, told) in [
        (f32::NAN, "NaN"),
        (0.0, "0 s"),
        (-0.5, "-0.5 s"),
        (f32::NEG_INFINITY, "-inf"),
    ] {
        let mut lengths = [0.04; LENGTHS];
        lengths[1] = bad;
        for gpu in &gpus {
            for options in all_options() {
                if sweep.skips() {
                    continue;
                }
                let mut sim = simulation(gpu, built(&file(40, lengths)), options);
                sim.step(false).unwrap();
                sim.finish().unwrap();
                let fault = sim.fault().unwrap().expect("a fault").to_string();
                assert!(
                    fault.contains("`choose` set clock.dt") && fault.contains(told),
                    "{fault}"
                );
                let found = found(&mut sim);
                assert_eq!((found.log.len(), found.left), (2, 0.0));
            }
        }
    }
}

#[test]
fn run_reports_the_clock_error() {
    let Some(gpu) = common::gpu() else { return };
    let mut file = file(40, [0.0; LENGTHS]);
    file["run"]["frames"] = json!(2);
    file["outputs"] = json!({"dots": {"source": "dots.x", "format": "npy"}});
    let directory = tempfile::tempdir().unwrap();
    let swaps = BTreeMap::new();
    let run = RunRequest::new(
        &gpu,
        built(&file),
        Path::new("loops.json"),
        directory.path(),
        &swaps,
    );
    let error = run::run(run, &mut NoObserver).expect_err("no length").to_string();
    assert!(
        error.contains("`choose` set clock.dt, the length of an iteration, to 0 s"),
        "{error}"
    );
    assert!(error.contains("no frame was written"), "{error}");
}

#[test]
fn series_count_substeps_and_remaining_time() {
    let Some(gpus) = devices() else { return };
    for (most, lengths) in [(40, [0.03; LENGTHS]), (3, [0.03; LENGTHS])] {
        let mut file = file(most, lengths);
        file["run"]["frames"] = json!(3);
        file["run"]["steps_per_frame"] = json!(2);
        let values = json!({"turns": "iterations(substep)", "left": "left(substep)"});
        file["outputs"] = json!({"log": {"format": "csv", "values": values}});
        for gpu in &gpus {
            let directory = tempfile::tempdir().unwrap();
            let swaps = BTreeMap::new();
            let run = RunRequest::new(
                gpu,
                built(&file),
                Path::new("loops.json"),
                directory.path(),
                &swaps,
            );
            assert_eq!(run::run(run, &mut NoObserver).unwrap(), Ending::Done);
            let log = std::fs::read_to_string(directory.path().join("log.csv")).unwrap();
            let rows: Vec<(usize, f32)> = (log.lines().skip(1))
                .map(|line| {
                    let cells: Vec<&str> = line.split(',').collect();
                    (cells[3].parse().unwrap(), cells[4].parse().unwrap())
                })
                .collect();
            let turns = |steps| twin(most, lengths, steps).log.len();
            let wanted: Vec<(usize, f32)> = (0..=3)
                .map(|frame| {
                    (
                        turns(2 * frame) - turns((2 * frame).saturating_sub(2)),
                        twin(most, lengths, 2 * frame).left,
                    )
                })
                .collect();
            assert_eq!(rows, wanted, "{log}");
        }
    }
}

/// Inside a repeat with `while` the time is gone through each time, and one inside another goes through its turns.
#[test]
fn substep_loops_nest() {
    let Some(gpus) = devices() else { return };
    let log = |stage: &str| json!({"stage": stage, "shader": "note.comp", "over": 1, "reads": ["count"], "writes": ["count", "log"]});
    let choose = |stage: &str, length: f32| json!({"stage": stage, "shader": "pick.comp", "over": 1, "writes": ["clock.dt"], "arguments": {"seconds": length}});
    let file = json!({
        "run": {"dt": 0.1},
        "buffers": {
            "going": {"type": "uint", "length": 1, "background": 0},
            "count": {"type": "uint", "length": 1, "background": 0},
            "log": {"type": "vec4", "length": ROWS, "background": 0}
        },
        "step": [
            {"set": "going", "to": 2},
            {"repeat": "pass", "over": 3, "while": "going", "stages": [
                {"repeat": "outer", "over": 5, "while": "clock.left", "stages": [
                    choose("choose_outer", 0.04),
                    {"repeat": "inner", "over": 4, "while": "clock.left", "stages": [
                        choose("choose_inner", 0.025), log("note_inner")
                    ]},
                    log("note_outer")
                ]},
                {"stage": "less", "over": 1, "reads": ["going"], "writes": ["going"]}
            ]}
        ]
    });
    let kernels = [
        KERNELS[1],
        ("pick", "void stage(uint i) { set_clock_dt(arg.seconds); }"),
        ("less", "void stage(uint i) { set_going(0u, going(0u) - 1u); }"),
    ];
    let mut wanted: Vec<[f32; 4]> = Vec::new();
    for step in 0..2 {
        for _pass in 0..2 {
            let (mut left, mut turn) = (DT, 0);
            while left > 0.0 {
                let time = step as f32 * DT + (DT - left);
                let length = left.min(0.04);
                let (mut inner, mut inner_turn) = (length, 0);
                while inner > 0.0 {
                    let short = inner.min(0.025);
                    wanted.push([
                        short,
                        time + (length - inner),
                        inner,
                        (100 * step + inner_turn) as f32,
                    ]);
                    inner = if short < inner { inner - short } else { 0.0 };
                    inner_turn += 1;
                }
                wanted.push([length, time, left, (100 * step + turn) as f32]);
                left = if length < left { left - length } else { 0.0 };
                turn += 1;
            }
        }
    }
    for gpu in &gpus {
        for options in all_options() {
            let mut sim = simulation(gpu, pipeline(&file, &kernels), options);
            (0..2).for_each(|_| sim.step(false).unwrap());
            let rows = read_words(&mut sim, "count")[0] as usize;
            let found: Vec<[f32; 4]> = (read_floats(&mut sim, "log").chunks(4).take(rows))
                .map(|row| row.try_into().unwrap())
                .collect();
            assert_eq!(found, wanted, "{options:?}");
        }
    }
}

/// The pipeline and the kernel of `docs/spec.md`, as they stand there.
#[test]
fn page_example_moves_in_substeps() {
    let Some(gpus) = devices() else { return };
    let blocks = blocks(&page("spec.md"));
    let kernel = blocks
        .iter()
        .position(|block| block.text.contains("set_clock_dt"))
        .unwrap();
    let text = &blocks[kernel - 1].text;
    let document = sastrugi::spec::Document::parse("page.json", text, Path::new("")).unwrap();
    let kernels = [
        ("choose", &*blocks[kernel].text),
        (
            "look",
            "void stage(uint i) { max_fastest(length(dots_velocity(i))); }",
        ),
        (
            "move",
            "void stage(uint i) {
                set_dots_position(i, dots_position(i) + clock.dt * dots_velocity(i));
                set_dots_velocity(i, 1.1 * dots_velocity(i));
            }",
        ),
    ];
    for gpu in &gpus {
        let mut sim = simulation(gpu, pipeline(&document.value(), &kernels), Options::default());
        sim.step(false).unwrap();
        // The faster, the shorter: 0.005 m a turn, until the rest of 1/60 s is less.
        let (mut left, mut speed, mut x) = (1.0f32 / 60.0, 1.0f32, 0.0f32);
        while left > 0.0 {
            let length = (0.5 * 0.01 / (3.0 * speed * speed).sqrt()).min(left);
            x += length * speed;
            speed *= 1.1;
            left = if length < left { left - length } else { 0.0 };
        }
        let found = read_floats(&mut sim, "dots.position");
        assert_eq!(found.len(), 3000);
        assert!(
            found.iter().all(|y| (y - x).abs() < 1e-6),
            "{} and not {x}",
            found[0]
        );
        assert!(speed > 1.9, "several turns: {speed}");
    }
}
