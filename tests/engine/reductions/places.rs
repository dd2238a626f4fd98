//! Stages over everything that a stage can run over.

use serde_json::{Value, json};

use super::*;
use crate::loops::all_options;

/// A stage that gives the value of element `i` to all kinds of results.
const GIVE: &str = "
void give(uint i) {
    float value = made(i);
    sum_total(value);
    max_most(i);
    min_least(int(i) - 7);
    count_many(i % 3u == 1u);
}
";

fn buffers() -> Value {
    json!({
        "total": {"type": "float", "length": 1}, "most": {"type": "uint", "length": 1},
        "least": {"type": "int", "length": 1}, "many": {"type": "uint", "length": 1, "background": 99},
        "list": {"type": "float", "length": 65}
    })
}

fn stage(over: Value) -> Value {
    json!({"stage": "give", "over": over,
           "reduces": {"total": "sum", "most": "max", "least": "min", "many": "count"}})
}

/// Results of elements 0 to n - 1, of which there could have been `most`.
fn check(sim: &mut Simulation, n: usize, most: usize, what: &str) {
    let values: Vec<f32> = (0..n).map(float).collect();
    assert_eq!(
        number(sim, "total").to_bits(),
        fold::sum(&values, most).to_bits(),
        "{what}"
    );
    assert_eq!(word(sim, "most"), n.saturating_sub(1) as u32, "{what}");
    assert_eq!(
        word(sim, "least") as i32,
        if n == 0 { i32::MAX } else { -7 },
        "{what}"
    );
    assert_eq!(word(sim, "many"), ((n + 1) / 3) as u32, "{what}");
}

#[test]
fn reductions_run_over_counts_buffers_columns_and_lattices() {
    let Some(gpu) = common::gpu() else { return };
    let lists = SIZES.map(|n| (json!(n), n, "uint i".to_string(), "i".to_string()));
    let grids = [
        (json!("list"), 65, "uint i", "i"),
        (
            json!("air"),
            13 * 7 * 5,
            "ivec3 i",
            "uint((i.z * 7 + i.y) * 13 + i.x)",
        ),
        (json!("air.columns"), 13 * 7, "ivec2 i", "uint(i.y * 13 + i.x)"),
        (json!("view"), 33 * 3, "ivec2 i", "uint(i.y * 33 + i.x)"),
        (json!("dots"), 301, "uint i", "i"),
    ];
    let others = grids.map(|(over, n, index, number)| (over, n, index.to_string(), number.to_string()));
    let mut sweep = common::sweep(6, 3 * (SIZES.len() + 5));
    for (over, n, index, number) in lists.into_iter().chain(others) {
        let file = json!({
            "run": {"dt": 1},
            "grids": {"air": {"cells": [13, 7, 5], "cell_size": 1, "channels": {"u": "float"}},
                      "view": {"pixels": [33, 3], "channels": {"v": "float"}}},
            "particles": {"dots": {"count": 301, "ring": 2, "attributes": {"x": "float"}}},
            "buffers": buffers(),
            "step": [stage(over.clone())]
        });
        let kernel = format!("{FLOAT}{GIVE}void stage({index}) {{ give({number}); }}");
        for options in all_options() {
            if sweep.skips() {
                continue;
            }
            let mut sim = simulation(&gpu, pipeline(&file, &[("give", &kernel)]), options);
            for _ in 0..2 {
                sim.step(false).unwrap();
            }
            check(&mut sim, n, n, &format!("{over} {options:?}"));
        }
    }
}

#[test]
fn reductions_run_over_dynamic_sets() {
    let Some(gpu) = common::gpu() else { return };
    for (start, births, capacity) in [(0, 0, 5000), (0, 100, 5000), (4097, 800, 5000), (33, 1, 40)] {
        let file = json!({
            "run": {"dt": 1},
            "particles": {"dots": {"count": start, "capacity": capacity, "attributes": {"x": "float"}}},
            "buffers": buffers(),
            "step": [
                {"stage": "born", "emits": {"dots": births}, "writes": ["dots.x"]},
                stage(json!("dots"))
            ]
        });
        let kernel = format!("{FLOAT}{GIVE}void stage(uint i) {{ give(i); }}");
        let kernels = [
            ("give", &*kernel),
            ("born", "void stage(uint i) { set_dots_x(i, 1.0); }"),
        ];
        let mut sim = simulation(&gpu, pipeline(&file, &kernels), Default::default());
        for step in 1..3 {
            sim.step(false).unwrap();
            let live = (start + births * step).min(capacity);
            check(
                &mut sim,
                live,
                capacity,
                &format!("{start} + {births}, step {step}"),
            );
        }
    }
}

/// Whole numbers and extrema are those of the cells; sums of floats are the same on every paging and near the exact sum.
#[test]
fn reductions_run_over_sparse_cells() {
    let Some(gpu) = common::gpu() else { return };
    let size = [37usize, 20, 19];
    let n = size.iter().product::<usize>();
    for some in [false, true] {
        let mut sums = Vec::new();
        for paging in ["sparse", "table", "dense"] {
            let sparse = gpu.report().sparse;
            if paging == "sparse" && !(sparse.binding && sparse.residency_buffer) {
                continue;
            }
            let mut file = json!({
                "run": {"dt": 1},
                "grids": {"air": {"cells": size, "cell_size": 1,
                    "sparse": {"paging": paging, "latency": 0, "keep": "always", "block": [8, 8, 8]},
                    "channels": {"u": {"type": "float", "background": 0}}}},
                "buffers": buffers(),
                "init": [{"stage": "ask", "over": "air.blocks", "requests": ["air"]}, {"update_grid": "air"}],
                "step": [stage(json!("air"))]
            });
            file["step"][0]["writes"] = json!(["air.u"]);
            file["step"]
                .as_array_mut()
                .unwrap()
                .push(json!({"set": "again", "to": "sum(air.u)"}));
            file["buffers"]["again"] = json!({"type": "float", "length": 1});
            let kernel = format!(
                "{FLOAT}{GIVE}void stage(ivec3 i) {{ uint k = uint((i.z * 20 + i.y) * 37 + i.x); set_air_u(i, made(k)); give(k); }}"
            );
            let ask = if some {
                "void stage(ivec3 i) { if (i.x + i.y != 2) request_air_block(i); }"
            } else {
                "void stage(ivec3 i) { request_air_block(i); }"
            };
            let mut sim = simulation(
                &gpu,
                pipeline(&file, &[("give", &kernel), ("ask", ask)]),
                Default::default(),
            );
            sim.step(false).unwrap();
            let is_active = |k: usize| !some || k % 37 / 8 + k / 37 % 20 / 8 != 2;
            let active: Vec<usize> = (0..n).filter(|k| is_active(*k)).collect();
            let exact: f64 = active.iter().map(|k| f64::from(float(*k))).sum();
            let (total, again) = (number(&mut sim, "total"), number(&mut sim, "again"));
            assert!(
                (f64::from(total) - exact).abs() <= 2e-7 * exact.abs(),
                "{total} {exact}"
            );
            assert_eq!(
                total.to_bits(),
                again.to_bits(),
                "a field's values are taken in the same order"
            );
            assert_eq!(word(&mut sim, "most") as usize, active[active.len() - 1]);
            assert_eq!(word(&mut sim, "least") as i32, active[0] as i32 - 7);
            assert_eq!(
                word(&mut sim, "many") as usize,
                active.iter().filter(|k| **k % 3 == 1).count()
            );
            sums.push(total.to_bits());
        }
        assert!(
            sums.len() >= 2 && sums.iter().all(|sum| *sum == sums[0]),
            "{sums:?}"
        );
    }
}

/// Floats most of which cancel each other, so that the order of their sum shows even though it is compensated.
fn cancelling(i: usize) -> f32 {
    match i % 16 {
        4 | 5 => float(i),
        even if even % 2 == 0 => float(i / 2) * 1_073_741_824.0,
        _ => float(i / 2) * -1_073_741_824.0,
    }
}

/// The same for kernels.
const CANCELLING: &str = "
float cancelling(uint i) {
    if (i % 16u == 4u || i % 16u == 5u) return made(i);
    return made(i / 2u) * (i % 2u == 0u ? 1073741824.0 : -1073741824.0);
}
";

/// The values of the cells of the first blocks of a sparse grid, x fastest, in the order of the list of active blocks; 0 beyond
/// the grid.
fn in_blocks(layout: &sastrugi::grid::Layout, asks: usize) -> Vec<f32> {
    let [nx, ny, nz] = layout.cells.map(|cells| cells as u32);
    let is_asked = |number: &u32| {
        let corner = layout.corner(*number);
        let [x, y, z]: [u32; 3] = std::array::from_fn(|axis| corner[axis] >> layout.block_log2[axis]);
        let index = (z * layout.blocks[1] + y) * layout.blocks[0] + x;
        layout.contains(*number) && (index as usize) < asks
    };
    let active = (0..layout.numbers() as u32).filter(is_asked);
    let places = 0..layout.cells_per_block() as u32;
    let cells = active.flat_map(|number| places.clone().map(move |place| layout.cell_at(number, place)));
    let value = |[x, y, z]: [u32; 3]| {
        let is_inside = x < nx && y < ny && z < nz;
        if is_inside {
            cancelling(((z * ny + y) * nx + x) as usize)
        } else {
            0.0
        }
    };
    cells.map(value).collect()
}

/// Sums of a channel and of values of cells are those of the twin, if the first `asks` blocks are active.
fn check_sums(gpu: &sastrugi::gpu::Gpu, cells: [usize; 3], block: [usize; 3], asks: usize) {
    let file = json!({
        "run": {"dt": 1},
        "grids": {"air": {"cells": cells, "cell_size": 1,
            "sparse": {"latency": 0, "keep": "always", "block": block},
            "channels": {"u": {"type": "float", "background": 0}}}},
        "buffers": {"total": "float", "again": "float", "asks": {"type": "uint", "values": [asks]}},
        "init": [{"stage": "ask", "over": "air.blocks", "reads": ["asks"], "requests": ["air"]},
                 {"update_grid": "air"}],
        "step": [
            {"stage": "give", "over": "air", "writes": ["air.u"], "reduces": {"total": "sum"}},
            {"set": "again", "to": "sum(air.u)"}
        ]
    });
    let ask = "void stage(ivec3 i) {
        if (uint((i.z * air_blocks.y + i.y) * air_blocks.x + i.x) < asks(0u)) request_air_block(i); }";
    let give = format!(
        "{FLOAT}{CANCELLING}void stage(ivec3 i) {{ float value = cancelling(uint((i.z * air_cells.y + i.y) * air_cells.x + i.x));
         set_air_u(i, value); sum_total(value); }}"
    );
    let kernels = [("give", &*give), ("ask", ask)];
    let mut sim = simulation(gpu, pipeline(&file, &kernels), Default::default());
    sim.step(false).unwrap();
    let (_, grid) = sim.pipeline().sparse_grids().next().unwrap();
    let (layout, most) = (&grid.layout, grid.max_blocks * grid.layout.cells_per_block());
    let run = (layout.cells_per_block() as usize).min(4096);
    let twin = fold::sum_of_blocks(&in_blocks(layout, asks), run, most as usize);
    let [total, again] = ["total", "again"].map(|name| number(&mut sim, name).to_bits());
    assert_eq!([total, again], [twin.to_bits(); 2], "{block:?} {asks}");
}

/// Sums of channels and of values of cells, for blocks of many sizes of which none, one, some or all are active.
#[test]
fn sums_of_sparse_cells_match_in_the_order_of_blocks() {
    let Some(gpu) = common::gpu() else { return };
    let shapes = [
        ([37, 20, 19], [8, 8, 8]),
        ([37, 20, 19], [16, 16, 16]),
        ([70, 33, 19], [32, 16, 16]),
        ([39, 37, 34], [2, 2, 2]),
        ([5, 4, 3], [4, 4, 2]),
    ];
    for (cells, block) in shapes {
        for asks in [0, 1, 5, 13, 100_000] {
            check_sums(&gpu, cells, block, asks);
        }
    }
}

#[test]
#[ignore = "long: 18 million cells"]
fn sums_of_more_runs_than_workgroups_match() {
    let Some(gpu) = common::gpu() else { return };
    check_sums(&gpu, [272, 256, 256], [16, 16, 16], 100_000);
}

/// The order of runs and that of their cells matter, so that the test above sees both.
#[test]
fn control_other_orders_of_blocks_change_bits() {
    let values: Vec<f32> = (0..16_384).map(cancelling).collect();
    let bits = |run| fold::sum_of_blocks(&values, run, values.len()).to_bits();
    assert_ne!(bits(4096), bits(512));
    assert_ne!(bits(4096), fold::sum(&values, values.len()).to_bits());
}

/// More sub-blocks than one workgroup reduces, of which some or all are active.
#[test]
fn sums_of_many_sub_blocks_match_in_the_order_of_blocks() {
    let Some(gpu) = common::gpu() else { return };
    for asks in [0usize, 1, 701, 1540] {
        let file = json!({
            "run": {"dt": 1},
            "grids": {"air": {"cells": [70, 44, 30], "cell_size": 1,
                "sparse": {"latency": 0, "keep": "always", "block": [2, 2, 16], "budget": 2e8},
                "channels": {"u": {"type": "float", "background": 0}}}},
            "buffers": {"total": "float", "asks": {"type": "uint", "values": [asks]}},
            "init": [{"stage": "ask", "over": "air.blocks", "reads": ["asks"], "requests": ["air"]},
                     {"update_grid": "air"}],
            "step": [{"stage": "give", "over": "air.sub_blocks", "reduces": {"total": "sum"}}]
        });
        let ask = "void stage(ivec3 i) {
            if (uint((i.z * air_blocks.y + i.y) * air_blocks.x + i.x) < asks(0u)) request_air_block(i); }";
        let give =
            format!("{FLOAT}{CANCELLING}void stage(uint i, ivec3 first) {{ sum_total(cancelling(i)); }}");
        let kernels = [("give", &*give), ("ask", ask)];
        let mut sim = simulation(&gpu, pipeline(&file, &kernels), Default::default());
        sim.step(false).unwrap();
        let values: Vec<f32> = (0..4 * asks).map(cancelling).collect();
        let twin = fold::sum_of_blocks(&values, 4, 4 * 1540);
        assert_eq!(number(&mut sim, "total").to_bits(), twin.to_bits(), "{asks}");
    }
}

/// Blocks and sub-blocks that are active, however many there are.
#[test]
fn reductions_run_over_sparse_blocks_and_sub_blocks() {
    let Some(gpu) = common::gpu() else { return };
    for over in ["air.active", "air.sub_blocks"] {
        for asks in [0, 1, 19, 64] {
            for paging in ["table", "dense"] {
                let file = json!({
                    "run": {"dt": 1},
                    "grids": {"air": {"cells": [63, 64, 61], "cell_size": 1,
                        "sparse": {"paging": paging, "latency": 0, "keep": "always", "block": [16, 16, 16]},
                        "channels": {"u": {"type": "float", "background": 0}}}},
                    "buffers": buffers(),
                    "init": [{"stage": "ask", "over": "air.blocks", "requests": ["air"]}, {"update_grid": "air"}],
                    "step": [stage(json!(over))]
                });
                let kernel = format!("{FLOAT}{GIVE}void stage(uint i, ivec3 first_cell) {{ give(i); }}");
                let ask = format!(
                    "void stage(ivec3 i) {{ if ((i.z * 4 + i.y) * 4 + i.x < {asks}) request_air_block(i); }}"
                );
                let kernels = [("give", &*kernel), ("ask", &*ask)];
                let mut sim = simulation(&gpu, pipeline(&file, &kernels), Default::default());
                sim.step(false).unwrap();
                let air = |resource: &&sastrugi::ir::Resource| resource.name == "air";
                let air = sim.pipeline().resources.iter().find(air).unwrap();
                let layout = &air.sparse().unwrap().layout;
                let each = match over {
                    "air.active" => 1,
                    _ => layout.sub_blocks() as usize,
                };
                assert!(over == "air.active" || each > 1);
                check(
                    &mut sim,
                    each * asks,
                    each * 64,
                    &format!("{over} {asks} {paging}"),
                );
            }
        }
    }
}
