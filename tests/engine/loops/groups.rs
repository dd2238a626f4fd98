//! Stages that run as workgroups: shared memory, barriers, many groups, three axes.

use serde_json::json;

use super::{common, pipeline, simulation, uints};

#[test]
fn groups_share_memory_and_are_numbered_whatever_their_number() {
    let Some(gpu) = common::gpu() else { return };
    // The last one needs two axes of the device.
    for groups in [1u32, 3, 70_001] {
        let n = groups * 8;
        let file = json!({
            "time": {"dt": 1},
            "parameters": {"width": 8},
            "buffers": {"a": {"type": "uint", "length": n, "background": 7}, "b": {"type": "uint", "length": n}},
            "step": [
                {"stage": "turn", "groups": "ceil(a.count / width)", "workgroup": [4, 2, 1], "reads": ["a"], "writes": ["b"],
                 "arguments": {"by": {"type": "uint", "value": 5}}}
            ]
        });
        let kernel = "shared uint values[8];
            void stage(uvec3 group, uint local) {
                values[local] = group.x * 8u + local + a(group.x * 8u + local);
                barrier();
                set_b(group.x * 8u + local, values[7u - local] * arg.by);
            }";
        let mut sim = simulation(&gpu, pipeline(&file, &[("turn", kernel)]), Default::default());
        sim.step(false).unwrap();
        let twin: Vec<u32> = (0..n)
            .map(|i| ((i / 8 * 8 + 7 - i % 8) + 7).wrapping_mul(5))
            .collect();
        assert_eq!(uints(&mut sim, "b"), twin, "{groups} groups");
    }
}

#[test]
fn three_numbers_are_three_axes() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "time": {"dt": 1},
        "buffers": {"b": {"type": "uint", "length": 3 * 2 * 5 * 6, "background": 0},
                    "going": {"type": "uint", "length": 1, "background": 1}},
        "step": [{"repeat": "turn", "over": 3, "while": "going", "stages": [
            {"stage": "mark", "groups": [3, 2, 5], "workgroup": [3, 1, 2], "reads": ["b"], "writes": ["b"]}
        ]}]
    });
    let kernel = "void stage(uvec3 group, uint local) {
            uint at = ((group.z * 2u + group.y) * 3u + group.x) * 6u + local;
            set_b(at, b(at) + at);
        }";
    for gpu in [Some(gpu), super::without_conditions()] {
        let Some(gpu) = gpu else { return };
        let mut sim = simulation(&gpu, pipeline(&file, &[("mark", kernel)]), Default::default());
        sim.step(false).unwrap();
        assert_eq!(
            uints(&mut sim, "b"),
            (0..180).map(|i| 3 * i).collect::<Vec<u32>>()
        );
    }
}
