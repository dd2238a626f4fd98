//! Stages that run as workgroups: shared memory, barriers, many groups, three axes.

use sastrugi::run::Options;
use serde_json::json;

use super::{all_options, common, pipeline, read_words, simulation, without_conditions};

#[test]
fn workgroups_share_memory_and_are_numbered_for_any_count() {
    let Some(gpu) = common::gpu() else { return };
    // The last one needs two axes of the device.
    for groups in [1u32, 3, 70_001] {
        let n = groups * 8;
        let file = json!({
            "run": {"dt": 1},
            "parameters": {"width": 8},
            "buffers": {"a": {"type": "uint", "length": n, "background": 7}, "b": {"type": "uint", "length": n}},
            "step": [
                {"stage": "turn", "groups": "ceil(a.count / width)", "tuning": {"workgroup": [4, 2, 1]},
                 "reads": ["a"], "writes": ["b"], "arguments": {"by": "uint(5)"}}
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
        assert_eq!(read_words(&mut sim, "b"), twin, "{groups} groups");
    }
}

#[test]
fn workgroup_counts_may_have_three_axes() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1},
        "buffers": {"b": {"type": "uint", "length": 3 * 2 * 5 * 6, "background": 0},
                    "going": {"type": "uint", "length": 1, "background": 1}},
        "step": [{"repeat": "turn", "over": 3, "while": "going", "stages": [
            {"stage": "mark", "groups": [3, 2, 5], "tuning": {"workgroup": [3, 1, 2]},
             "reads": ["b"], "writes": ["b"]}
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
            read_words(&mut sim, "b"),
            (0..180).map(|i| 3 * i).collect::<Vec<u32>>()
        );
    }
}

/// A stage whose number of groups stands in a buffer: `asked`, then none, one, then 70,001.
#[test]
fn buffer_gives_indirect_workgroup_counts() {
    let mut sweep = common::sweep(6, 30);
    for gpu in [common::gpu(), without_conditions()] {
        let Some(gpu) = gpu else { return };
        let cases = [0u32, 1, 65_535, 65_536, 70_001].into_iter();
        for (asked, options) in cases.flat_map(|asked| all_options().map(|options| (asked, options))) {
            if sweep.skips() {
                continue;
            }
            let n = 2 * 70_001;
            let file = json!({
                "run": {"dt": 1},
                "buffers": {
                    "a": {"type": "uint", "length": n, "background": 7},
                    "tiles": {"type": "uint", "length": 3, "background": 9},
                    "going": {"type": "uint", "length": 1, "background": 0}
                },
                "step": [
                    {"set": "going", "to": 2},
                    {"repeat": "turn", "over": 3, "while": "going", "stages": [
                        {"stage": "ask", "over": 1, "reads": ["going"], "writes": ["tiles"],
                         "arguments": {"asked": format!("uint({asked})")}},
                        {"stage": "mark", "groups": "tiles", "tuning": {"workgroup": [2, 1, 1]},
                         "reads": ["a"], "writes": ["a"]},
                        {"stage": "less", "over": 1, "reads": ["going"], "writes": ["going"]}
                    ]},
                    // Again, as many as in the last turn.
                    {"stage": "mark_again", "shader": "mark.comp", "groups": "tiles",
                     "tuning": {"workgroup": [2, 1, 1]}, "reads": ["a"], "writes": ["a"]}
                ]
            });
            let kernels = [
                // The second turn asks for half as many.
                (
                    "ask",
                    "void stage(uint i) { set_tiles(0u, arg.asked / (3u - going(0u))); }",
                ),
                (
                    "mark",
                    "shared uint values[2];
                    void stage(uvec3 group, uint local) {
                        values[local] = a(2u * group.x + local);
                        barrier();
                        set_a(2u * group.x + local, values[1u - local] * 3u + local);
                    }",
                ),
                ("less", "void stage(uint i) { set_going(0u, going(0u) - 1u); }"),
            ];
            let mut sim = simulation(&gpu, pipeline(&file, &kernels), options);
            sim.step(false).unwrap();
            sim.finish().unwrap();
            assert_eq!(sim.fault().unwrap(), None);
            let mut twin = vec![7u32; n as usize];
            for groups in [asked, asked / 2, asked / 2] {
                for pair in twin.chunks_mut(2).take(groups as usize) {
                    let [x, y] = [pair[0], pair[1]];
                    (pair[0], pair[1]) = (y.wrapping_mul(3), x.wrapping_mul(3) + 1);
                }
            }
            assert!(read_words(&mut sim, "a") == twin, "{asked} groups, {options:?}");
            // Control: the comparison sees one group less.
            let one_less = asked > 0 && twin[2 * (asked as usize - 1)] != 7;
            assert_eq!(one_less, asked > 0);
        }
    }
}

#[test]
fn buffer_of_three_gives_counts_on_three_axes() {
    for gpu in [common::gpu(), without_conditions()] {
        let Some(gpu) = gpu else { return };
        for asked in [[3u32, 2, 5], [0, 2, 5], [3, 2, 1]] {
            let file = json!({
                "run": {"dt": 1},
                "buffers": {"b": {"type": "uint", "length": 180, "background": 0},
                            "shape": {"type": "uvec3", "values": [asked]}},
                "step": [{"stage": "mark", "groups": "shape", "tuning": {"workgroup": [3, 1, 2]},
                          "reads": ["b"], "writes": ["b"]}]
            });
            let kernel = "void stage(uvec3 group, uint local) {
                    uint at = ((group.z * 2u + group.y) * 3u + group.x) * 6u + local;
                    set_b(at, b(at) + at + 1u);
                }";
            let mut sim = simulation(&gpu, pipeline(&file, &[("mark", kernel)]), Default::default());
            sim.step(false).unwrap();
            let taken = 6 * asked.iter().product::<u32>();
            let twin: Vec<u32> = (0..180).map(|i| if i < taken { i + 1 } else { 0 }).collect();
            assert_eq!(read_words(&mut sim, "b"), twin, "{asked:?}");
        }
    }
}

/// More groups than devices run: as many as they do, and a fault of checked runs.
#[test]
fn excess_workgroups_are_reported() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1},
        "buffers": {"n": {"type": "uint", "length": 1, "background": 0}, "shape": {"type": "uvec3", "values": [[70_000, 1, 1]]}},
        "step": [{"stage": "mark", "groups": "shape", "tuning": {"workgroup": [1, 1, 1]},
                  "reads": ["n"], "writes": ["n"]}]
    });
    for checked in [false, true] {
        let kernel = "void stage(uvec3 group, uint local) { add_n(0u, 1u); }";
        let options = Options {
            checked,
            ..Options::default()
        };
        let mut sim = simulation(&gpu, pipeline(&file, &[("mark", kernel)]), options);
        sim.step(false).unwrap();
        sim.finish().unwrap();
        assert_eq!(read_words(&mut sim, "n"), [65_535]);
        let fault = sim.fault().unwrap().map(|fault| fault.to_string());
        let told = "stage `count_groups_of_shape` found 70000 workgroups in `shape`, more than devices run";
        assert_eq!(fault.as_deref(), checked.then_some(told));
    }
}
