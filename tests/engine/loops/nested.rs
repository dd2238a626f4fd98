//! Repeats with `while` within others, on devices that skip commands by themselves and on those that do not.

use serde_json::{Value, json};

use super::{all_options, common, pipeline, read_words, simulation, without_conditions};

const PEBBLES: usize = 100;
const OUTER: u32 = 6;
const INNER: u32 = 5;

const KERNELS: [(&str, &str); 5] = [
    (
        "start",
        "void stage(uint i) { set_rounds(0u, 0u); set_outer(0u, arg.go); set_inner(0u, 7u); }",
    ),
    // Some rounds have no inner turn at all.
    (
        "open",
        "void stage(uint i) { set_inner(0u, rounds(0u) * 3u % 7u); }",
    ),
    (
        "carry",
        "void stage(uint i) { set_pebbles_moves(i, pebbles_moves(i) + 1u + rounds(0u)); }",
    ),
    ("close", "void stage(uint i) { set_inner(0u, inner(0u) - 1u); }"),
    (
        "decide",
        "void stage(uint i) { uint n = rounds(0u) + 1u; set_rounds(0u, n); if (n >= arg.enough) set_outer(0u, 0u); }",
    ),
];

fn file(go: u32, enough: u32, dynamic: bool) -> Value {
    let uint = |value: u32| format!("uint({value})");
    let buffer = || json!({"type": "uint", "length": 1, "background": 0});
    let mut file = json!({
        "run": {"dt": 1},
        "particles": {"pebbles": {"count": PEBBLES, "attributes": {"moves": {"type": "uint", "background": 0}}}},
        "buffers": {"rounds": buffer(), "outer": buffer(), "inner": buffer()},
        "step": [
            {"stage": "start", "over": 1, "writes": ["rounds", "outer", "inner"], "arguments": {"go": uint(go)}},
            {"repeat": "round", "over": OUTER, "while": "outer", "stages": [
                {"stage": "open", "over": 1, "reads": ["rounds"], "writes": ["inner"]},
                {"repeat": "turn", "over": INNER, "while": "inner", "stages": [
                    {"stage": "carry", "over": "pebbles", "reads": ["rounds", "pebbles.moves"], "writes": ["pebbles.moves"]},
                    {"stage": "close", "over": 1, "reads": ["inner"], "writes": ["inner"]}
                ]},
                {"stage": "decide", "over": 1, "reads": ["rounds"], "writes": ["rounds", "outer"],
                 "arguments": {"enough": uint(enough)}}
            ]}
        ]
    });
    if dynamic {
        file["particles"]["pebbles"]["capacity"] = json!(2 * PEBBLES);
    }
    file
}

/// Rounds of a step, what is left of the inner count, and the moves of a pebble.
fn twin(go: u32, enough: u32) -> (u32, u32, u32) {
    let (mut rounds, mut inner, mut moves) = (0, 7, 0);
    let mut outer = go;
    for _ in 0..OUTER {
        if outer == 0 {
            break;
        }
        inner = rounds * 3 % 7;
        for _ in 0..INNER.min(inner) {
            moves += 1 + rounds;
            inner -= 1;
        }
        rounds += 1;
        if rounds >= enough {
            outer = 0;
        }
    }
    (rounds, inner, moves)
}

#[test]
fn inner_loop_runs_while_both_conditions_hold() {
    let Some(skipping) = common::gpu() else { return };
    let Some(other) = without_conditions() else { return };
    let mut sweep = common::sweep(8, 48);
    for (go, enough) in [(1, 4), (1, 1), (5, 99), (0, 3)] {
        for gpu in [&skipping, &other] {
            for options in all_options() {
                for dynamic in [false, true] {
                    if sweep.skips() {
                        continue;
                    }
                    let pipeline = pipeline(&file(go, enough, dynamic), &KERNELS);
                    let mut sim = simulation(gpu, pipeline, options);
                    (0..2).for_each(|_| sim.step(false).unwrap());
                    let found = (
                        read_words(&mut sim, "rounds")[0],
                        read_words(&mut sim, "inner")[0],
                    );
                    let (rounds, inner, moves) = twin(go, enough);
                    assert_eq!(found, (rounds, inner), "go {go}, enough {enough}, {options:?}");
                    let pebbles = &read_words(&mut sim, "pebbles.moves")[..PEBBLES];
                    assert_eq!(
                        pebbles,
                        [2 * moves; PEBBLES],
                        "go {go}, enough {enough}, {options:?}"
                    );
                }
            }
        }
    }
}

/// A stage in the middle of a turn may end it: the rest of the turn does not run.
#[test]
fn failed_condition_skips_the_rest_of_the_iteration() {
    let file = json!({
        "run": {"dt": 1},
        "buffers": {"going": {"type": "uint", "length": 1, "background": 1},
                    "before": {"type": "uint", "length": 1, "background": 0},
                    "after": {"type": "uint", "length": 1, "background": 0}},
        "step": [{"repeat": "turn", "over": 5, "while": "going", "stages": [
            {"stage": "first", "over": 1, "reads": ["before"], "writes": ["before", "going"]},
            {"stage": "second", "over": 1, "reads": ["after"], "writes": ["after"]}
        ]}]
    });
    let kernels = [
        (
            "first",
            "void stage(uint i) { uint n = before(0u) + 1u; set_before(0u, n); if (n == 3u) set_going(0u, 0u); }",
        ),
        ("second", "void stage(uint i) { set_after(0u, after(0u) + 1u); }"),
    ];
    for gpu in [common::gpu(), without_conditions()] {
        let Some(gpu) = gpu else { return };
        let mut sim = simulation(&gpu, pipeline(&file, &kernels), Default::default());
        sim.step(false).unwrap();
        assert_eq!(
            (
                read_words(&mut sim, "before")[0],
                read_words(&mut sim, "after")[0]
            ),
            (3, 2)
        );
    }
}
