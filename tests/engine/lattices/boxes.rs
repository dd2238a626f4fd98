//! Cells whose sides differ: places and coordinates, dense and sparse, and kernels that need cubes.

use super::*;

fn file(cells: [u64; 3], cell_size: Value, storage: &str) -> Value {
    let mut file = json!({
        "run": {"dt": 1},
        "parameters": {"side": [2, 0.5, 4]},
        "grids": {"g": {"cells": cells, "cell_size": cell_size, "origin": [10, -4, 0.5],
            "channels": {"place": "vec3", "there": "vec3", "spacing": "vec3"}}},
        "buffers": {"volume": {"type": "float", "values": ["g.dx * g.dy * g.dz"]}},
        "init": [],
        "step": [{"stage": "look", "over": "g", "writes": ["g.place", "g.there", "g.gap"]}]
    });
    let channels = &mut file["grids"]["g"]["channels"];
    channels["gap"] = channels.as_object_mut().unwrap().remove("spacing").unwrap();
    if storage == "sparse" {
        file["grids"]["g"]["sparse"] = json!({"latency": 0, "keep": "always"});
        file["init"] =
            json!([{"stage": "ask", "over": "g.columns", "requests": ["g"]}, {"update_grid": "g"}]);
    }
    file
}

const ASK: (&str, &str) = (
    "ask.comp",
    "void stage(ivec2 i) { for (int z = 0; z < g_cells.z; ++z) request_g(ivec3(i, z)); }",
);
const LOOK: (&str, &str) = (
    "look.comp",
    "void stage(ivec3 cell) {
        vec3 place = g_position(cell);
        set_g_place(cell, place);
        set_g_there(cell, g_coordinates(place));
        set_g_gap(cell, g_spacing);
    }",
);

#[test]
fn anisotropic_cells_have_correct_positions() {
    let Some(gpu) = common::gpu() else { return };
    let sides = [2.0f32, 0.5, 4.0];
    for storage in ["dense", "sparse"] {
        for cell_size in [json!([2, "1 / 2", 4]), json!("side")] {
            for cells in SIZES {
                let mut sim = simulation(
                    &gpu,
                    &file(cells, cell_size.clone(), storage),
                    &[ASK, LOOK],
                    CHECKED,
                );
                sim.step(false).unwrap();
                assert_no_fault(&mut sim);
                let [nx, ny, nz] = cells;
                let mut places = Vec::new();
                let mut there = Vec::new();
                for z in 0..nz {
                    for y in 0..ny {
                        for x in 0..nx {
                            let at = [x, y, z].map(|i| i as f32 + 0.5);
                            places.extend(
                                [0, 1, 2].map(|axis| [10.0, -4.0, 0.5][axis] + at[axis] * sides[axis]),
                            );
                            there.extend(at);
                        }
                    }
                }
                let what = format!("{storage} {cells:?}");
                assert_same(&read_floats(&mut sim, "g.place"), &places, &what);
                assert_same(&read_floats(&mut sim, "g.there"), &there, &what);
                assert_same(
                    &read_floats(&mut sim, "g.gap"),
                    &sides.repeat(there.len() / 3),
                    &what,
                );
                assert_eq!(read_floats(&mut sim, "volume"), [4.0]);
            }
        }
    }
}

#[test]
fn cubic_kernels_do_not_compile_for_anisotropic_cells() {
    let Some(gpu) = common::gpu() else { return };
    let cubes = (
        "look.comp",
        "void stage(ivec3 cell) { set_g_gap(cell, g_spacing - g_dx); }",
    );
    for cell_size in [json!([2, 2, 2]), json!(2)] {
        let mut file = file([3, 4, 5], cell_size, "dense");
        file["step"][0]["writes"] = json!(["g.gap"]);
        let mut sim = simulation(&gpu, &file, &[cubes], CHECKED);
        sim.step(false).unwrap();
        assert!(read_floats(&mut sim, "g.gap").iter().all(|gap| *gap == 0.0));
    }
    let mut file = file([3, 4, 5], json!([2, 2, 3]), "dense");
    file["step"][0]["writes"] = json!(["g.gap"]);
    let error = try_simulation(&gpu, &file, &[cubes], CHECKED)
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(error.contains("use the vector `g_spacing`"), "{error}");
}
