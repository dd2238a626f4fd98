//! Copies of whole fields.

use serde_json::json;

use super::{all_options, common, pipeline, read_words, simulation};

#[test]
fn copies_of_every_field_kind_are_complete() {
    let Some(gpu) = common::gpu() else { return };
    for count in [1u32, 63, 64, 65, 100_003] {
        let file = json!({
            "run": {"dt": 1},
            "grids": {"air": {"cells": [count.min(9), 7, 5], "cell_size": 1, "channels": {"u": "vec3", "v": "vec3"}}},
            "particles": {"dots": {"count": count, "ring": 3, "attributes": {"x": "uint", "y": "uint"}}},
            "buffers": {"a": {"type": "uint", "length": count}},
            "step": [
                {"stage": "make", "over": "dots", "writes": ["dots.x"]},
                {"stage": "blow", "over": "air", "writes": ["air.u"]},
                {"set": "dots.y", "to": "dots.x"},
                {"every": 2, "stages": [{"set": "a", "to": "dots.y"}]},
                {"set": "air.v", "to": "air.u"}
            ]
        });
        let kernels = [
            (
                "make",
                "void stage(uint i) { set_dots_x(i, (i + 1u) * 2654435761u + clock.step); }",
            ),
            ("blow", "void stage(ivec3 i) { set_air_u(i, vec3(i) + 0.5); }"),
        ];
        for options in all_options() {
            let mut sim = simulation(&gpu, pipeline(&file, &kernels), options);
            (0..4).for_each(|_| sim.step(false).unwrap());
            let made = |step: u32| -> Vec<u32> {
                (0..count)
                    .map(|i| (i + 1).wrapping_mul(2_654_435_761).wrapping_add(step))
                    .collect()
            };
            assert_eq!(read_words(&mut sim, "dots.y"), made(3));
            assert_eq!(read_words(&mut sim, "a"), made(2), "every other step only");
            let (u, v) = (read_words(&mut sim, "air.u"), read_words(&mut sim, "air.v"));
            assert!(u == v && u.contains(&4.5f32.to_bits()));
        }
    }
}
