//! The Gray-Scott model: its steady states, its balance of mass, and the growth of a Turing pattern.

use std::f64::consts::TAU;

use sastrugi::gpu::Gpu;
use sastrugi::run::Simulation;
use serde_json::json;

use super::*;

const FEED: f64 = 0.074;
const KILL: f64 = 0.062;
const DIFFUSION: [f64; 2] = [2e-5, 1e-5];
/// Of a cell, m.
const SIDE: f64 = 2.5 / 256.0;
const STEPS: usize = 100;

/// A dish of these cells, with steps of 1 s.
fn dish(gpu: &Gpu, cells: &[usize], kill: f64) -> Simulation {
    let changes = json!({
        "use": {"gel": {"parameters": {"feed": FEED, "kill": kill, "diffusion": DIFFUSION}}},
        "grids": {"dish": {"cells": cells}}
    });
    shipped(gpu, "gray_scott", changes, CHECKED)
}

/// The homogeneous steady state with the most v: u v² = F (1 - u) and u v = F + k.
fn steady_state(kill: f64) -> [f64; 2] {
    let ratio = (FEED + kill) / FEED;
    let u = 0.5 * (1.0 - (1.0 - 4.0 * ratio * ratio * FEED).sqrt());
    [u, (1.0 - u) / ratio]
}

fn fill(simulation: &mut Simulation, values: impl Iterator<Item = [f64; 2]>) {
    let (u, v): (Vec<f32>, Vec<f32>) = values.map(|[u, v]| (u as f32, v as f32)).unzip();
    write_floats(simulation, "dish.u", &u);
    write_floats(simulation, "dish.v", &v);
}

#[test]
fn gray_scott_steady_states_stay() {
    let Some(gpu) = common::gpu() else { return };
    let mut simulation = dish(&gpu, &[16, 8], KILL);
    let mut drift = |state: [f64; 2]| {
        fill(&mut simulation, std::iter::repeat_n(state, 16 * 8));
        advance(&mut simulation, STEPS);
        let [u, v] = ["dish.u", "dish.v"].map(|field| read_doubles(&mut simulation, field));
        let moved = |values: &[f64], from: f64| values.iter().map(|x| (x - from).abs()).fold(0.0, f64::max);
        moved(&u, state[0]).max(moved(&v, state[1]))
    };
    // Without v nothing reacts, and u is that of the feed.
    assert_eq!(drift([1.0, 0.0]), 0.0);
    // It attracts: rounding, 6e-8 per step at the rate 0.007.
    let [u, v] = steady_state(KILL);
    assert!(drift([u, v]) < 1e-5, "{}", drift([u, v]));
    let [u, v] = steady_state(KILL * 0.99);
    assert!(drift([u, v]) > 1e-3, "control: the steady state of another rate");
}

#[test]
fn gray_scott_mass_balance_is_that_of_the_feed() {
    let Some(gpu) = common::gpu() else { return };
    // In space, with the start of the pipeline.
    let mut simulation = dish(&gpu, &[12, 10, 8], KILL);
    let mut worst = [0.0_f64; 2];
    let sums = |simulation: &mut Simulation| {
        ["dish.u", "dish.v"].map(|field| read_doubles(simulation, field).iter().sum::<f64>())
    };
    let [mut u, mut v] = sums(&mut simulation);
    let cells = (12 * 10 * 8) as f64;
    assert!(v > 1.0, "the start has squares with v: {v}");
    for _ in 0..20 {
        advance(&mut simulation, 1);
        let expected = |kill: f64| u + v + FEED * (cells - u) - (FEED + kill) * v;
        let balances = [KILL, KILL * 1.01].map(expected);
        [u, v] = sums(&mut simulation);
        for (worst, balance) in worst.iter_mut().zip(balances) {
            *worst = worst.max((u + v - balance).abs());
        }
    }
    // Rounding: half a unit in the last place of u + v, 6e-8, per cell, as a random walk over the cells.
    assert!(worst[0] < 5e-5, "{worst:?}");
    assert!(worst[1] > 1e-3, "control: another rate, {worst:?}");
}

/// Amplitudes of u and v after `STEPS` steps of the linearized difference equations, for a wave of one period per side.
fn linear(cells: usize, start: [f64; 2], kill: f64) -> [f64; 2] {
    let [u, v] = steady_state(kill);
    let laplace = (2.0 * (TAU / cells as f64).cos() - 2.0) / (SIDE * SIDE);
    let rates = [
        [-v * v - FEED + DIFFUSION[0] * laplace, -2.0 * u * v],
        [v * v, 2.0 * u * v - (FEED + kill) + DIFFUSION[1] * laplace],
    ];
    let step = |[a, b]: [f64; 2]| [0, 1].map(|k| [a, b][k] + rates[k][0] * a + rates[k][1] * b);
    (0..STEPS).fold(start, |state, _| step(state))
}

#[test]
fn gray_scott_turing_pattern_grows_at_the_linear_rate() {
    let Some(gpu) = common::gpu() else { return };
    const N: usize = 16;
    const START: [f64; 2] = [2e-4, 1e-4];
    let wave = |i: usize| (TAU * (i % N) as f64 / N as f64).cos();
    let mut simulation = dish(&gpu, &[N, 4], KILL);
    let [u, v] = steady_state(KILL);
    fill(
        &mut simulation,
        (0..4 * N).map(|i| [u + START[0] * wave(i), v + START[1] * wave(i)]),
    );
    advance(&mut simulation, STEPS);
    let amplitude = |simulation: &mut Simulation, field: &str| {
        let values = read_doubles(simulation, field);
        let parts = values.iter().enumerate().map(|(i, x)| x * wave(i));
        parts.sum::<f64>() / (2 * N) as f64
    };
    let found = ["dish.u", "dish.v"].map(|field| amplitude(&mut simulation, field));
    let error = |expected: [f64; 2]| {
        (0..2)
            .map(|k| (found[k] / expected[k] - 1.0).abs())
            .fold(0.0, f64::max)
    };
    assert!(found[1] > 3.0 * START[1], "the pattern grows: {found:?}");
    // Cubic terms change the rates by (amplitude / v)² = 1e-5 of themselves; rounding adds 6e-8 sqrt(steps) of 1e-3.
    let expected = linear(N, START, KILL);
    assert!(error(expected) < 2e-3, "{found:?} {expected:?}");
    let other = linear(N, START, KILL * 0.998);
    assert!(error(other) > 0.02, "control: another rate, {found:?} {other:?}");
}
