//! Levels of grids: averages to the next level and samples back, for sizes of all kinds.

mod uses;

use super::twin::Border;
use super::*;

const ORIGIN: [f64; 3] = [3.0, -2.0, 0.5];
const SIDES: [f64; 3] = [0.5, 1.0, 0.25];

/// Sizes of 2-D grids, with a third side of 1.
const PLANES: [[u64; 3]; 4] = [[1, 1, 1], [1, 7, 1], [65, 33, 1], [129, 2, 1]];
/// Past a workgroup on level 1 too.
const LARGE: [u64; 3] = [131, 11, 34];

fn halved(size: [u64; 3], level: u32) -> [u64; 3] {
    (0..level).fold(size, |size, _| size.map(|side| side.div_ceil(2)))
}

/// Levels until one cell is left.
fn count(size: [u64; 3]) -> u32 {
    (0..).find(|level| halved(size, *level) == [1; 3]).unwrap() + 1
}

fn name(level: u32, channel: &str) -> String {
    match level {
        0 => format!("g.{channel}"),
        _ => format!("g[{level}].{channel}"),
    }
}

/// Averages of `r` on every level, and on every level but the last the samples `s` of the level above.
fn multigrid(size: [u64; 3], axes: usize) -> Value {
    let channel = json!({"type": "float", "border": "clamp", "background": -1});
    json!({
        "run": {"dt": 1},
        "parameters": {"one": 1},
        "grids": {"g": {"cells": size[..axes], "cell_size": SIDES[..axes], "origin": ORIGIN[..axes], "levels": "all",
            "channels": {"r": channel, "s": channel}}},
        "step": [
            {"repeat": "l", "over": "g.levels - 1", "stages": [
                {"stage": "restrict", "over": "g[l + one]", "bind": {"fine": "g[l]", "coarse": "g[l + one]"},
                 "reads": ["fine.r"], "writes": ["coarse.r"]}
            ]},
            {"repeat": "l", "over": "g.levels - 1", "stages": [
                {"stage": "prolong", "over": "g[l].s", "bind": {"fine": "g[l]", "coarse": "g[l + 1]"},
                 "reads": ["coarse.r"], "writes": ["fine.s"]}
            ]}
        ]
    })
}

const KERNELS_3: [(&str, &str); 2] = [
    (
        "restrict.comp",
        "void stage(ivec3 cell) {
            float sum = 0.0;
            for (int k = 0; k < 8; ++k) sum += fine_r(2 * cell + ivec3(k & 1, k >> 1 & 1, k >> 2));
            if (coarse_is_active(cell)) set_coarse_r(cell, 0.125 * sum);
        }",
    ),
    (
        "prolong.comp",
        "#pragma reach coarse_r 1
        void stage(ivec3 cell) { set_fine_s(cell, sample_coarse_r(fine_s_position(cell))); }",
    ),
];
const KERNELS_2: [(&str, &str); 2] = [
    (
        "restrict.comp",
        "void stage(ivec2 cell) {
            float sum = 0.0;
            for (int k = 0; k < 4; ++k) sum += fine_r(2 * cell + ivec2(k & 1, k >> 1));
            if (coarse_is_active(cell)) set_coarse_r(cell, 0.25 * sum);
        }",
    ),
    (
        "prolong.comp",
        "#pragma reach coarse_r 1
        void stage(ivec2 cell) { set_fine_s(cell, sample_coarse_r(fine_s_position(cell))); }",
    ),
];

/// Every cell of a size, x fastest.
fn cells([nx, ny, nz]: [u64; 3]) -> impl Iterator<Item = [i64; 3]> {
    (0..nx * ny * nz).map(move |i| [i % nx, i / nx % ny, i / nx / ny].map(|i| i as i64))
}

fn coarsened(fine: &Field, axes: usize) -> Field {
    let size = halved(fine.size, 1);
    let parts = 1 << axes;
    let average = |cell: [i64; 3]| {
        let part = |k: i64| [k & 1, k >> 1 & 1, k >> 2];
        let add = |sum: f32, k: i64| {
            let part = part(k);
            sum + fine.read(
                std::array::from_fn(|axis| 2 * cell[axis] + part[axis]),
                Border::Clamp,
            )[0]
        };
        (0..parts).fold(0.0, add) / parts as f32
    };
    Field {
        size,
        components: 1,
        values: cells(size).map(average).collect(),
        ends: [false; 3],
    }
}

fn sampled(coarse: &Field, size: [u64; 3], axes: usize) -> Vec<f32> {
    let place = |cell: [i64; 3]| {
        std::array::from_fn(|axis| {
            if axis < axes {
                (cell[axis] as f32 + 0.5) / 2.0 - 0.5
            } else {
                0.0
            }
        })
    };
    cells(size)
        .map(|cell| coarse.sample(place(cell), axes, Border::Clamp)[0])
        .collect()
}

fn agree(gpu: &Gpu, size: [u64; 3], axes: usize) {
    let kernels = if axes == 2 { KERNELS_2 } else { KERNELS_3 };
    let mut sim = simulation(gpu, &multigrid(size, axes), &kernels, CHECKED);
    let mut twin = fill_random(&mut sim, "g.r", size, 1);
    sim.step(false).unwrap();
    assert_no_fault(&mut sim);
    let levels = count(size);
    for level in 1..levels {
        let what = format!("{size:?}, level {level}");
        let coarse = coarsened(&twin, axes);
        assert_eq!(coarse.size, halved(size, level));
        let found = read_floats(&mut sim, &name(level, "r"));
        assert_same(&found, &coarse.values, &what);
        // Control: averages of other cells are others.
        if coarse.values.len() > 1 {
            let other: Vec<f32> = coarse.values.iter().rev().copied().collect();
            assert!(!are_close(&found, &other), "{what}");
        }
        let samples = read_floats(&mut sim, &name(level - 1, "s"));
        assert!(are_close(&samples, &sampled(&coarse, twin.size, axes)), "{what}");
        twin = coarse;
    }
    let last = read_floats(&mut sim, &name(levels - 1, "s"));
    assert_eq!(
        last,
        [-1.0],
        "{size:?}: the last level has one cell, which nothing wrote"
    );
    assert!(
        sim.read(&name(levels, "r")).is_err(),
        "{size:?}: there are {levels}"
    );
    // One pipeline for each of the two kernels, however many levels there are.
    let stages = sim.pipeline().stages.len() as u32;
    assert_eq!(stages, 2 * (levels - 1), "{size:?}");
    assert_eq!(sim.pipelines() as u32, 2.min(stages), "{size:?}");
}

#[test]
fn level_averages_and_samples_match_the_reference() {
    let Some(gpu) = common::gpu() else { return };
    for size in SIZES.into_iter().chain([LARGE]) {
        agree(&gpu, size, 3);
    }
}

#[test]
fn two_dimensional_grids_have_levels() {
    let Some(gpu) = common::gpu() else { return };
    PLANES.into_iter().for_each(|size| agree(&gpu, size, 2));
}

/// Control of the number of pipelines: grids of their own need one each.
#[test]
fn grids_without_levels_use_separate_pipelines() {
    let Some(gpu) = common::gpu() else { return };
    let grid = |cells: u64, levels: u64| json!({"cells": [cells, 4, 4], "cell_size": 1, "levels": levels, "channels": {"r": "float"}});
    for (levels, wanted) in [(1, 2), (2, 1)] {
        let file = json!({
            "run": {"dt": 1},
            "grids": {"a": grid(9, levels), "b": grid(65, levels)},
            "step": [
                {"stage": "one", "shader": "mark.comp", "over": "a", "bind": {"g": "a"}, "writes": ["g.r"]},
                {"stage": "two", "shader": "mark.comp", "over": "b", "bind": {"g": "b"}, "writes": ["g.r"]}
            ]
        });
        let kernel = "void stage(ivec3 cell) { set_g_r(cell, float(g_cells.x) + g_dx); }";
        let mut sim = simulation(&gpu, &file, &[("mark.comp", kernel)], CHECKED);
        sim.step(false).unwrap();
        assert_no_fault(&mut sim);
        assert_eq!(sim.pipelines(), wanted);
        assert_eq!(read_floats(&mut sim, "a.r"), [10.0; 9 * 16]);
        assert_eq!(read_floats(&mut sim, "b.r"), vec![66.0; 65 * 16]);
    }
}
