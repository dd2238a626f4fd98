//! Repeats that end when the device says so, on a device with the validation layer on, and on one that skips no commands
//! by itself.

use sastrugi::run::{Options, Simulation};
use sastrugi::spec::{self, Document};
use serde_json::{Value, json};

use super::super::common;
use super::without_conditions;

const PEBBLES: u32 = 100;
const TURNS: u32 = 9;

/// A step that sets out with `go`, and moves pebbles in up to nine turns, until `enough` have run.
fn file(go: u32, enough: u32) -> Value {
    json!({
        "run": {"dt": 1},
        "particles": {"pebbles": {"count": PEBBLES, "attributes": {"moves": {"type": "uint", "background": 0}}}},
        "buffers": {
            "runs": {"type": "uint", "length": 1, "background": 0},
            "going": {"type": "uint", "length": 1, "background": 0}
        },
        "step": [
            {"stage": "start", "over": 1, "writes": ["runs", "going"],
             "arguments": {"go": format!("uint({go})")}},
            {"repeat": "turn", "over": TURNS, "while": "going", "stages": [
                {"stage": "carry", "over": "pebbles", "reads": ["pebbles.moves"], "writes": ["pebbles.moves"]},
                {"stage": "count", "over": 1, "reads": ["runs"], "writes": ["runs", "going"],
                 "arguments": {"enough": format!("uint({enough})")}}
            ]}
        ]
    })
}

/// Runs of the last step's turns, and the moves of each pebble after three steps.
fn after_three_steps(file: &Value, options: Options, skips: bool) -> Option<(u32, u32)> {
    let gpu = if skips {
        common::gpu()?
    } else {
        without_conditions()?
    };
    let directory = crate::common::simulation::root().join("tests/data/repeats");
    let document = Document::parse("repeats.json", &file.to_string(), &directory).unwrap();
    let (pipeline, _) = spec::from_document("repeats", &document, &Default::default())
        .unwrap_or_else(|problems| panic!("{problems}"));
    let mut sim = Simulation::new(&gpu, pipeline, &Default::default(), options)
        .unwrap_or_else(|error| panic!("{error}"));
    (0..3).for_each(|_| sim.step(false).unwrap());
    let runs = common::words(&sim.read("runs").unwrap())[0];
    let moves = &common::words(&sim.read("pebbles.moves").unwrap())[..PEBBLES as usize];
    assert!(moves.iter().all(|m| *m == moves[0]), "{moves:?}");
    Some((runs, moves[0]))
}

#[test]
fn while_loop_runs_until_its_condition_fails() {
    let mut sweep = common::sweep(6, 16);
    for (go, enough, runs) in [(1, 4, 4), (1, 1, 1), (7, 99, TURNS), (0, 4, 0)] {
        for (full_barriers, skips) in [(false, true), (true, true), (false, false), (true, false)] {
            if sweep.skips() {
                continue;
            }
            let options = Options {
                checked: true,
                races: false,
                full_barriers,
                ..Options::default()
            };
            let Some(found) = after_three_steps(&file(go, enough), options, skips) else {
                return;
            };
            assert_eq!(found, (runs, 3 * runs), "go {go}, enough {enough}");
        }
    }
}

#[test]
fn control_without_condition_all_iterations_run() {
    let mut file = file(1, 4);
    file["step"][1].as_object_mut().unwrap().remove("while");
    let Some(found) = after_three_steps(&file, Options::default(), true) else {
        return;
    };
    assert_eq!(found, (TURNS, 3 * TURNS));
}

/// Stages whose dispatch takes its group counts from the device have a condition too.
#[test]
fn while_loops_work_on_dynamic_sets() {
    let mut file = file(1, 4);
    file["particles"]["pebbles"]["capacity"] = json!(2 * PEBBLES);
    for skips in [true, false] {
        let Some(found) = after_three_steps(&file, Options::default(), skips) else {
            return;
        };
        assert_eq!(found, (4, 12));
    }
}
