//! Contributions of elements: none, several, NaN and infinity.

use serde_json::json;

use super::*;

fn results(n: usize, body: &str) -> [u32; 5] {
    let gpu = common::gpu().expect("a device");
    let one = |kind: &str| json!({"type": kind, "length": 1, "background": 5});
    let file = json!({
        "run": {"dt": 1},
        "buffers": {"s": one("float"), "lo": one("float"), "hi": one("float"), "n": one("uint"), "i": one("int")},
        "step": [{"stage": "give", "over": n,
                  "reduces": {"s": "sum", "lo": "min", "hi": "max", "n": "count", "i": "sum"}}]
    });
    let kernel = format!("void stage(uint i) {{ {body} }}");
    let mut sim = simulation(&gpu, pipeline(&file, &[("give", &kernel)]), Default::default());
    sim.step(false).unwrap();
    ["s", "lo", "hi", "n", "i"].map(|name| word(&mut sim, name))
}

#[test]
fn elements_without_contribution_change_nothing() {
    if common::gpu().is_none() {
        return;
    }
    let empty = [0, f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits(), 0, 0];
    assert_eq!(results(5000, ""), empty);
    let some = results(
        5000,
        "if (i == 4321u) { sum_s(2.5); min_lo(2.5); max_hi(2.5); count_n(true); sum_i(-3); }",
    );
    assert_eq!(
        some,
        [
            2.5f32.to_bits(),
            2.5f32.to_bits(),
            2.5f32.to_bits(),
            1,
            -3i32 as u32
        ]
    );
}

#[test]
fn elements_may_contribute_several_values() {
    if common::gpu().is_none() {
        return;
    }
    let body = "for (uint k = 0u; k <= i % 3u; k++) { sum_s(1.0); min_lo(float(i) - 9.0 * float(k)); \
                max_hi(float(i + k)); count_n(k != 1u); sum_i(int(k) - 1); }";
    let (mut sum, mut lo, mut hi, mut n, mut int) = (0.0f32, f32::MAX, f32::MIN, 0u32, 0i32);
    for i in 0..1000u32 {
        for k in 0..=i % 3 {
            sum += 1.0;
            lo = lo.min(i as f32 - 9.0 * k as f32);
            hi = hi.max((i + k) as f32);
            n += u32::from(k != 1);
            int += k as i32 - 1;
        }
    }
    assert_eq!(
        results(1000, body),
        [sum.to_bits(), lo.to_bits(), hi.to_bits(), n, int as u32]
    );
}

#[test]
fn nan_propagates_through_reductions() {
    if common::gpu().is_none() {
        return;
    }
    let at = |value: &str| format!("float v = i == 77u ? {value} : 1.0; sum_s(v); min_lo(v); max_hi(v);");
    let floats = |value: &str| -> [f32; 3] {
        let found = results(5000, &at(value));
        [found[0], found[1], found[2]].map(f32::from_bits)
    };
    for nan in ["uintBitsToFloat(0x7fc00000u)", "uintBitsToFloat(0xffc00001u)"] {
        assert!(floats(nan).iter().all(|value| value.is_nan()), "{nan}");
    }
    assert_eq!(
        floats("uintBitsToFloat(0x7f800000u)"),
        [f32::INFINITY, 1.0, f32::INFINITY]
    );
    assert_eq!(
        floats("uintBitsToFloat(0xff800000u)"),
        [f32::NEG_INFINITY, f32::NEG_INFINITY, 1.0]
    );
    assert_eq!(floats("1.0"), [5000.0, 1.0, 1.0]);
    // Of the two zeros -0 is the lesser one.
    let zeros = results(
        100,
        "min_lo(i == 50u ? -0.0 : 0.0); max_hi(i == 50u ? 0.0 : -0.0);",
    );
    assert_eq!((zeros[1], zeros[2]), ((-0.0f32).to_bits(), 0));
    // Whole numbers wrap.
    assert_eq!(results(4, "sum_i(0x40000000);")[4], 0);
}

/// The result is the sum as if by twice the digits: naive sums of such values lose everything.
#[test]
fn cancelling_sums_keep_precision() {
    if common::gpu().is_none() {
        return;
    }
    let body = "sum_s(i % 2u == 0u ? 1.0e7 + float(i) : -1.0e7); if (i == 9u) sum_s(0.0);";
    let exact: f64 = (0..4000u32)
        .map(|i| {
            if i % 2 == 0 {
                f64::from(1.0e7f32 + i as f32)
            } else {
                -1.0e7
            }
        })
        .sum();
    assert_eq!(f64::from(f32::from_bits(results(4000, body)[0])), exact);
    let naive = (0..4000u32).fold(0.0f32, |sum, i| {
        sum + if i % 2 == 0 {
            1.0e7 + 0.3 * i as f32
        } else {
            -1.0e7
        }
    });
    assert_ne!(f64::from(naive), exact);
}
