//! Reductions of fields that are there.

use serde_json::json;

use super::*;

#[test]
fn field_reductions_match_for_every_kind_and_size() {
    let Some(gpu) = common::gpu() else { return };
    for n in SIZES {
        let file = json!({
            "run": {"dt": 1},
            "particles": {"dots": {"count": n, "ring": 3, "attributes": {"x": "float", "v": "vec2", "k": "int"}}},
            "buffers": {
                "marks": {"type": "uint", "length": n},
                "total": {"type": "float", "length": 1}, "drift": {"type": "vec2", "length": 1},
                "low": {"type": "int", "length": 1}, "high": {"type": "vec2", "length": 1},
                "marked": {"type": "uint", "length": 1}, "rare": {"type": "float", "length": 1, "background": -1}
            },
            "step": [
                {"stage": "make", "over": "dots", "writes": ["dots.x", "dots.v", "dots.k", "marks"]},
                {"set": "total", "to": "sum(dots.x)"},
                {"set": "drift", "to": "sum(dots.v)"},
                {"set": "high", "to": "max(dots.v)"},
                {"set": "low", "to": "min(dots.k)"},
                {"set": "marked", "to": "count(marks)"},
                {"every": 3, "stages": [{"set": "rare", "to": "max(dots.x)"}]}
            ]
        });
        let make = format!(
            "{FLOAT}void stage(uint i) {{
                set_dots_x(i, made(i) + float(clock.step)); set_dots_v(i, vec2(made(i + 1u), -made(i)));
                set_dots_k(i, 3 - int(i)); set_marks(i, i % 5u == 2u ? i : 0u);
            }}"
        );
        let mut sim = simulation(&gpu, pipeline(&file, &[("make", &make)]), Default::default());
        (0..2).for_each(|_| sim.step(false).unwrap());
        let sum = |value: fn(usize) -> f32| fold::sum(&(0..n).map(value).collect::<Vec<_>>(), n).to_bits();
        assert_eq!(word(&mut sim, "total"), sum(|i| float(i) + 1.0), "{n}");
        assert_eq!(
            read_words(&mut sim, "drift"),
            [sum(|i| float(i + 1)), sum(|i| -float(i))],
            "{n}"
        );
        let most = |value: fn(usize) -> f32| (0..n).map(value).fold(f32::NEG_INFINITY, f32::max).to_bits();
        assert_eq!(
            read_words(&mut sim, "high"),
            [most(|i| float(i + 1)), most(|i| -float(i))],
            "{n}"
        );
        assert_eq!(word(&mut sim, "low") as i32, 4 - n as i32);
        assert_eq!(
            word(&mut sim, "marked") as usize,
            (0..n).filter(|i| i % 5 == 2).count()
        );
        assert_eq!(word(&mut sim, "rare"), most(float), "from the first step");
    }
}
