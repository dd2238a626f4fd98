//! The solvers of sparse grids against those of dense ones, on masks with closed regions.

use super::*;

const ASK: &str = "
void stage(ivec3 cell) {
    if (air_cell_type(cell) != 1u) request_wet(cell);
}";

const TAKE: &str = "
void stage(ivec3 cell) {
    set_wet_cell_type(cell, air_cell_type(cell));
    set_wet_b(cell, air_b(cell));
}";

const COMPARE: &str = "
void stage(ivec3 cell) {
    max_apart(abs(wet_p(cell) - air_p(cell)));
    max_most(abs(air_p(cell)));
    count_others(sparse_grid_region(cell) != solver_grid_region(cell));
}";

/// The largest difference between the pressures on a sparse and on a dense grid, over the largest pressure; cells with another label;
/// the number of closed regions on the sparse grid. `forgets` solves on the sparse grid as if no region were closed.
fn apart(gpu: &Gpu, case: &Case, module: &str, method: &str, forgets: bool) -> (f64, u32, u32) {
    let mut file = case.file(json!([
        format!("solver.{method}"),
        format!("sparse.{method}"),
        {"stage": "compare", "over": "air", "reads": ["air.p", "wet.p", "solver.grid.region", "sparse.grid.region"],
         "reduces": {"apart": "max", "most": "max", "others": "count"}}
    ]));
    // Unrolled iterations take most of the time: no more than these small grids need.
    let few = json!({"max_iterations": 40, "exact": {"max_rounds": 3, "max_iterations": 20}});
    let some = json!({"max_iterations": 240, "exact": {"max_rounds": 3, "max_iterations": 80}});
    let mut parameters = if module.ends_with("multigrid") {
        few.clone()
    } else {
        some
    };
    parameters["sides"] = file["use"]["solver"]["parameters"]["sides"].clone();
    for (key, value) in few.as_object().unwrap() {
        file["use"]["solver"]["parameters"][key] = value.clone();
    }
    file["use"]["sparse"] = json!({"module": format!("modules/{module}.json"), "roles": {"grid": "wet"},
                                   "parameters": parameters});
    file["grids"]["wet"] = json!({"cells": case.cells, "cell_size": 1, "sparse": {"block": [4, 4, 4]},
        "channels": {"cell_type": "uint", "b": "float", "p": "float"}});
    file["buffers"] = json!({"apart": {"type": "float", "length": 1}, "most": {"type": "float", "length": 1},
                             "others": {"type": "uint", "length": 1}});
    let init = file["init"].as_array_mut().unwrap();
    init.extend([
        json!({"stage": "ask", "over": "air", "reads": ["air.cell_type"], "requests": ["wet"]}),
        json!({"update_grid": "wet"}),
        json!({"stage": "take", "over": "wet", "reads": ["air.cell_type", "air.b"], "writes": ["wet.cell_type", "wet.b"]}),
        json!("sparse.mask"),
    ]);
    if forgets {
        init.push(json!({"set": "sparse.closed", "to": 0}));
    }
    let kernels = [("ask.comp", ASK), ("take.comp", TAKE), ("compare.comp", COMPARE)];
    let mut simulation = case.simulation_of(gpu, &file, &kernels);
    simulation.step(false).unwrap();
    assert_no_fault(&mut simulation);
    if method == "solve" && !forgets {
        let square = read_doubles(&mut simulation, "sparse.true_square")[0];
        let share = (square / read_doubles(&mut simulation, "sparse.limits")[2]).sqrt();
        assert!(share < 1e-3, "{case:?}, {module}: a residual of {share}");
    }
    let difference = read_doubles(&mut simulation, "apart")[0] / read_doubles(&mut simulation, "most")[0];
    let others = read_words(&mut simulation, "others")[0];
    (
        difference,
        others,
        read_words(&mut simulation, "sparse.closed")[0],
    )
}

/// Closed regions of these cases, by `solve` and `solve_exact` of these modules, against a dense grid.
fn check_closed_regions(gpu: &Gpu, cases: &[Case], modules: &[&str]) {
    for case in cases {
        for module in modules {
            for method in ["solve", "solve_exact"] {
                let (difference, others, closed) = apart(gpu, case, module, method, false);
                assert_eq!(others, 0, "{case:?}, {module}: labels");
                assert!(closed > 0, "{case:?}, {module}: no region is closed");
                assert!(difference < 1e-4, "{case:?}, {module}, {method}: {difference}");
            }
        }
    }
}

/// One large closed region, periodic in x: p of a single cell would be 0 in any case.
fn large_region() -> Case {
    use Side::{Closed as C, Periodic as P};
    Case::new(&[12, 9, 10], Fill::Rubble).sides([P, C, C], [P, C, C])
}

#[test]
fn closed_region_matches_dense_pressure() {
    let Some(gpu) = common::gpu() else { return };
    check_closed_regions(&gpu, &[large_region()], &["pressure_sparse"]);
    let (control, ..) = apart(&gpu, &large_region(), "pressure_sparse", "solve", true);
    assert!(
        control.is_nan() || control > 1e-3,
        "control, b keeps its means: {control}"
    );
}

#[test]
#[ignore = "long: two solvers with three arrangements of regions"]
fn closed_regions_match_dense_pressure() {
    use Side::{Closed as C, Open as O, Periodic as P};
    let Some(gpu) = common::gpu() else { return };
    let cases = [
        Case::new(&[19, 12, 9], Fill::Foam).sides([C, C, C], [C, C, C]),
        large_region(),
        Case::new(&[13, 14, 9], Fill::Foam).sides([P, O, C], [P, C, C]),
    ];
    check_closed_regions(&gpu, &cases, &["pressure_sparse", "pressure_sparse_multigrid"]);
}
