//! Neither workgroups nor marches nor subgroups change a bit.

use serde_json::json;

use super::*;

fn sums(gpu: &sastrugi::gpu::Gpu) {
    let mut seen = Vec::new();
    for (workgroup, march) in [
        ([64, 1, 1], 1),
        ([8, 8, 4], 1),
        ([3, 5, 7], 1),
        ([4, 4, 4], 2),
        ([32, 2, 1], 8),
        ([1, 1, 1], 64),
    ] {
        let size = [33, 17, 29];
        let file = json!({
            "run": {"dt": 1},
            "grids": {"air": {"cells": size, "cell_size": 1, "channels": {"u": "float"}}},
            "buffers": {"total": {"type": "float", "length": 1}, "flow": {"type": "vec3", "length": 1},
                        "low": {"type": "float", "length": 1}},
            "step": [{"stage": "give", "over": "air",
                      "tuning": {"workgroup": workgroup, "cells_per_thread_z": march},
                      "reduces": {"total": "sum", "flow": "sum", "low": "min"}}]
        });
        let kernel = format!(
            "{FLOAT}void stage(ivec3 i) {{
                uint k = uint((i.z * 17 + i.y) * 33 + i.x);
                sum_total(made(k)); sum_flow(vec3(made(k + 1u), made(k + 2u), made(k + 3u))); min_low(made(k));
            }}"
        );
        let mut sim = simulation(gpu, pipeline(&file, &[("give", &kernel)]), Default::default());
        sim.step(false).unwrap();
        let found = (
            read_words(&mut sim, "total"),
            read_words(&mut sim, "flow"),
            read_words(&mut sim, "low"),
        );
        let n = 33 * 17 * 29;
        let twin = |first: usize| fold::sum(&(first..first + n).map(float).collect::<Vec<_>>(), n).to_bits();
        assert_eq!(found.0, [twin(0)]);
        assert_eq!(found.1, [twin(1), twin(2), twin(3)]);
        let least = (0..n).map(float).fold(f32::INFINITY, f32::min);
        assert_eq!(found.2, [least.to_bits()]);
        seen.push(found);
    }
    assert!(seen.iter().all(|found| *found == seen[0]));
}

#[test]
fn sums_are_bitwise_equal_for_every_workgroup_shape() {
    let Some(gpu) = common::gpu() else { return };
    sums(&gpu);
}

#[test]
fn sums_are_bitwise_equal_with_subgroups_of_four_where_possible() {
    let Some(gpu) = common::gpu() else { return };
    common::run_with_subgroups_of_four(
        gpu,
        &[concat!(
            module_path!(),
            "::sums_are_bitwise_equal_for_every_workgroup_shape"
        )],
    );
}

/// Were sums taken in another order, it would show: these values are such that it matters.
#[test]
fn control_another_summation_order_changes_bits() {
    let values: Vec<f32> = (0..33 * 17 * 29).map(float).collect();
    let plain = values.iter().fold(0.0f32, |sum, value| sum + value);
    let turned: f32 = values.iter().rev().sum();
    assert_ne!(plain.to_bits(), turned.to_bits());
    assert_ne!(plain.to_bits(), fold::sum(&values, values.len()).to_bits());
}
