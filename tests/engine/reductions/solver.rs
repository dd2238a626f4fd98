//! A solver whose loop ends by reductions: conjugate gradients for a Poisson equation in one dimension.

use serde_json::json;

use super::*;
use crate::loops::without_conditions;

const CELLS: usize = 200;
const MAX_ITERATIONS: usize = 400;

/// A = -1 2 -1 with zero beyond the ends.
fn apply(d: &[f32], i: usize) -> f32 {
    let left = if i > 0 { d[i - 1] } else { 0.0 };
    let right = if i + 1 < d.len() { d[i + 1] } else { 0.0 };
    2.0 * d[i] - (left + right)
}

/// Turns taken, and the solution.
fn twin(tolerance: f32) -> (u32, Vec<f32>) {
    let b: Vec<f32> = (0..CELLS)
        .map(|i| ((i * 37 + 11) % 101) as f32 / 101.0 - 0.4)
        .collect();
    let dot =
        |a: &[f32], b: &[f32]| fold::sum(&a.iter().zip(b).map(|(a, b)| a * b).collect::<Vec<_>>(), CELLS);
    let (mut x, mut r) = (vec![0.0f32; CELLS], b);
    let mut d = r.clone();
    let mut rr = dot(&r, &r);
    let mut turns = 0;
    while turns < MAX_ITERATIONS as u32 {
        turns += 1;
        let q: Vec<f32> = (0..CELLS).map(|i| apply(&d, i)).collect();
        let alpha = rr / dot(&d, &q);
        for i in 0..CELLS {
            x[i] += alpha * d[i];
            r[i] -= alpha * q[i];
        }
        let next = dot(&r, &r);
        let beta = next / rr;
        rr = next;
        if rr <= tolerance {
            break;
        }
        for i in 0..CELLS {
            d[i] = r[i] + beta * d[i];
        }
    }
    (turns, x)
}

#[test]
fn conjugate_gradients_stop_at_the_residual_limit() {
    let float = || json!({"type": "float", "length": 1, "background": 0});
    let list = || json!({"type": "float", "length": CELLS, "background": 0});
    let tolerance = 1e-6f32;
    let file = json!({
        "run": {"dt": 1},
        "buffers": {"x": list(), "r": list(), "d": list(), "q": list(), "dq": float(), "rr": float(), "before": float(),
                    "going": {"type": "uint", "length": 1}, "turns": {"type": "uint", "length": 1, "background": 0}},
        "step": [
            {"stage": "begin", "over": "x", "writes": ["x", "r", "d"], "reduces": {"rr": "sum", "going": "count"}},
            {"repeat": "turn", "over": MAX_ITERATIONS, "while": "going", "stages": [
                {"stage": "spread", "over": "d", "reads": ["d"], "writes": ["q"], "reduces": {"dq": "sum"}},
                {"set": "before", "to": "rr"},
                {"stage": "go", "over": "x", "reads": ["d", "q", "dq", "before", "x", "r"], "writes": ["x", "r"],
                 "reduces": {"rr": "sum"}},
                {"stage": "decide", "over": 1, "reads": ["rr", "turns"], "writes": ["going", "turns"],
                 "arguments": {"tolerance": tolerance}},
                {"stage": "turn_round", "over": "d", "reads": ["r", "d", "rr", "before"], "writes": ["d"]}
            ]}
        ]
    });
    let kernels = [
        (
            "begin",
            "void stage(uint i) { float b = float((i * 37u + 11u) % 101u) / 101.0 - 0.4;
             set_x(i, 0.0); set_r(i, b); set_d(i, b); sum_rr(b * b); count_going(true); }",
        ),
        (
            "spread",
            "#pragma reach d 1
             void stage(uint i) { float left = i > 0u ? d(i - 1u) : 0.0, right = i + 1u < d_length ? d(i + 1u) : 0.0;
             float q = 2.0 * d(i) - (left + right); set_q(i, q); sum_dq(d(i) * q); }",
        ),
        (
            "go",
            "void stage(uint i) { float alpha = before(0u) / dq(0u); set_x(i, x(i) + alpha * d(i));
             float next = r(i) - alpha * q(i); set_r(i, next); sum_rr(next * next); }",
        ),
        (
            "decide",
            "void stage(uint i) { set_turns(0u, turns(0u) + 1u); if (rr(0u) <= arg.tolerance) set_going(0u, 0u); }",
        ),
        ("turn_round", "void stage(uint i) { set_d(i, r(i) + rr(0u) / before(0u) * d(i)); }"),
    ];
    let (turns, x) = twin(tolerance);
    assert!((50..MAX_ITERATIONS as u32).contains(&turns), "{turns}");
    for gpu in [common::gpu(), without_conditions()] {
        let Some(gpu) = gpu else { return };
        let mut sim = simulation(&gpu, pipeline(&file, &kernels), Default::default());
        sim.step(false).unwrap();
        assert_eq!(word(&mut sim, "turns"), turns);
        let found: Vec<f32> = read_words(&mut sim, "x")
            .into_iter()
            .map(f32::from_bits)
            .collect();
        assert_eq!(found, x, "bit for bit");
    }
}
