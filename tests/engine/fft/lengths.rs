//! Lengths: every small one, and larger ones of every kind.

use serde_json::{Map, json};

use super::*;

/// False for lengths that need Bluestein's method, which takes two more transforms.
pub(super) fn is_direct(mut n: usize) -> bool {
    for prime in [2, 3, 5, 7, 11, 13] {
        while n.is_multiple_of(prime) {
            n /= prime;
        }
    }
    n == 1
}

/// Transforms three lines of each length forth, and every `back`-th length back into another field.
fn check(lengths: &[usize], back: usize) {
    let Some(gpu) = common::gpu() else { return };
    let returns = |n: &usize| n.is_multiple_of(back);
    let (mut grids, mut step) = (Map::new(), Vec::new());
    for n in lengths {
        let field = |name: &str| format!("g{n}.{name}");
        let channels = json!({"given": {"type": "vec2", "background": 0}, "found": "vec2", "back": "vec2"});
        grids.insert(
            format!("g{n}"),
            json!({"cells": [n, 3], "cell_size": 1, "channels": channels}),
        );
        step.push(json!({"set": field("found"), "to": format!("fft(g{n}.given, x)")}));
        if returns(n) {
            step.push(json!({"set": field("back"), "to": format!("inverse_fft(g{n}.found, x)")}));
        }
    }
    let file = json!({"run": {"dt": 1}, "grids": grids, "step": step});
    let mut sim = simulation(&gpu, &file, Options::default());
    let values = |n: usize| random(3 * n, n as u32);
    for n in lengths {
        write(&mut sim, &format!("g{n}.given"), &values(*n));
    }
    sim.step(false).unwrap();
    for n in lengths {
        let values = values(*n);
        let factor = if is_direct(*n) { 1.0 } else { 3.0 };
        let expected = twin::transform(&values, [*n, 3, 1], &[0], false);
        let found = read(&mut sim, &format!("g{n}.found"));
        assert_close(&found, &expected, *n, factor, &format!("{n} values"));
        if returns(n) {
            let back = read(&mut sim, &format!("g{n}.back"));
            assert_close(
                &back,
                &values,
                *n,
                2.0 * factor,
                &format!("{n} values forth and back"),
            );
        }
    }
}

#[test]
fn small_lengths_match_the_reference() {
    // All to 16; then a power of each radix, a product, a prime and twice a prime.
    let more = [17, 25, 27, 34, 49, 60, 64];
    check(&(1..=16).chain(more).collect::<Vec<_>>(), 5);
}

#[test]
fn large_lengths_match_the_reference() {
    // In one pass, by Bluestein's method, and in two passes.
    check(&[1920, 1009, 65_536], 1009);
}

#[test]
#[ignore = "long: a kernel for each length"]
fn lengths_1_to_64_match_the_reference() {
    check_range(1..=64);
}

#[test]
#[ignore = "long: a kernel for each length"]
fn large_lengths_of_every_kind_match_the_reference() {
    check(&[1000, 2187, 2401, 3125, 4096, 6561, 8192, 10_007], 10_007);
}

#[test]
fn column_transforms_match_the_reference() {
    check_columns(&[7, 512, 1000]);
}

#[test]
#[ignore = "long: a kernel for each length"]
fn long_column_transforms_match_the_reference() {
    check_columns(&[64, 384, 720, 1024, 2048, 4096]);
}

/// More columns than a workgroup takes, and the last one takes fewer.
fn check_columns(lengths: &[usize]) {
    let Some(gpu) = common::gpu() else { return };
    let across = 18;
    let (mut grids, mut step) = (Map::new(), Vec::new());
    for n in lengths {
        let channels = json!({"v": {"type": "vec2", "background": 0}});
        grids.insert(
            format!("g{n}"),
            json!({"cells": [across, n], "cell_size": 1, "channels": channels}),
        );
        step.push(json!({"set": format!("g{n}.v"), "to": format!("fft(g{n}.v, y)")}));
    }
    let file = json!({"run": {"dt": 1}, "grids": grids, "step": step});
    let mut sim = simulation(&gpu, &file, Options::default());
    for n in lengths.iter().copied() {
        write(&mut sim, &format!("g{n}.v"), &random(across * n, n as u32));
    }
    sim.step(false).unwrap();
    for n in lengths.iter().copied() {
        let expected = twin::transform(&random(across * n, n as u32), [across, n, 1], &[1], false);
        assert_close(
            &read(&mut sim, &format!("g{n}.v")),
            &expected,
            n,
            1.0,
            &format!("columns of {n}"),
        );
    }
}

/// In portions, forth, and every sixteenth length back.
fn check_range(lengths: std::ops::RangeInclusive<usize>) {
    let lengths: Vec<usize> = lengths.collect();
    lengths.chunks(32).for_each(|portion| check(portion, 16));
}

#[test]
#[ignore = "long: a kernel for each length"]
fn lengths_65_to_150_match_the_reference() {
    check_range(65..=150);
}

#[test]
#[ignore = "long: a kernel for each length"]
fn lengths_151_to_230_match_the_reference() {
    check_range(151..=230);
}

#[test]
#[ignore = "long: a kernel for each length"]
fn lengths_231_to_310_match_the_reference() {
    check_range(231..=310);
}

#[test]
#[ignore = "long: a kernel for each length"]
fn lengths_311_to_380_match_the_reference() {
    check_range(311..=380);
}

#[test]
#[ignore = "long: a kernel for each length"]
fn lengths_381_to_450_match_the_reference() {
    check_range(381..=450);
}

#[test]
#[ignore = "long: a kernel for each length"]
fn lengths_451_to_512_match_the_reference() {
    check_range(451..=512);
}

#[test]
#[ignore = "long: lines of up to four million values"]
fn lengths_up_to_2_22_match_the_reference() {
    check(&[1 << 17, 531_441, 1_000_003, 1 << 20, 1 << 22], 1);
}
