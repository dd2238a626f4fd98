//! Solutions against elimination in 64-bit floats, and the number of iterations that they take.

use super::*;

fn solve(method: &str) -> Value {
    json!([method])
}

/// After a solve: the pressure, the right side as the solver has left it, iterations, and the relative residual that it
/// carried along and the true one.
struct Solved {
    p: Vec<f64>,
    b: Vec<f64>,
    iterations: u32,
    residual: f64,
    true_residual: f64,
}

fn solved(simulation: &mut Simulation) -> Solved {
    simulation.step(false).unwrap();
    assert_no_fault(simulation);
    let whole = read_doubles(simulation, "solver.limits")[2];
    Solved {
        p: read_doubles(simulation, "air.p"),
        b: read_doubles(simulation, "air.b"),
        iterations: read_words(simulation, "solver.iterations")[0],
        residual: read_doubles(simulation, "solver.residual")[0],
        true_residual: (read_doubles(simulation, "solver.true_square")[0] / whole).sqrt(),
    }
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    let rest: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    norm(&rest) / norm(b)
}

#[test]
fn solutions_match_gaussian_elimination() {
    let fills: [&[Fill]; 2] = [&[Fill::Foam], &[Fill::Pool, Fill::Rubble]];
    check_solutions([&[19, 13], &[9, 8, 7]], fills);
}

#[test]
#[ignore = "long: kernels for each level of more grids"]
fn solutions_of_any_fill_match_gaussian_elimination() {
    let all: &[Fill] = &[Fill::Fluid, Fill::Pool, Fill::Rubble, Fill::Foam];
    check_solutions([&[19, 13], &[9, 8, 7]], [all; 2]);
    check_solutions([&[33, 9, 1], &[6, 6, 9]], [all; 2]);
    check_solutions([&[33, 9, 1], &[13, 8, 7]], [&[], all]);
}

/// The coarsest grid has an odd number of cells round a period.
#[test]
fn odd_periods_take_few_iterations() {
    use Side::{Closed as C, Periodic as P};
    for (cells, sides) in [
        ([13, 14, 9], [P, C, C]),
        ([8, 15, 9], [C, P, P]),
        ([18, 8, 8], [P, C, C]),
    ] {
        check_iterations(Case::new(&cells, Fill::Rubble).sides(sides, sides), 9);
    }
}

/// Of an odd number of cells, half of the last coarser cell is beyond the border. In a box open at one end, the longest wave takes
/// the most sweeps on the coarsest grid.
#[test]
fn open_sides_take_few_iterations() {
    use Side::{Closed as C, Open as O, Periodic as P};
    for (cells, low, high) in [
        ([46, 46, 20], [O, O, C], [O, O, O]),
        ([32, 16, 16], [C, C, C], [O, C, C]),
        ([34, 12, 12], [P, C, O], [P, C, O]),
        ([34, 20, 1], [O, C, O], [O, C, O]),
    ] {
        check_iterations(Case::new(&cells, Fill::Fluid).sides(low, high), 6);
    }
}

fn check_iterations(case: Case, most: u32) {
    let Some(gpu) = common::gpu() else { return };
    let found = solved(&mut case.simulation(&gpu, solve("solver.solve"), &[]));
    assert!(
        found.residual <= 1e-6 && found.iterations <= most,
        "{case:?}: {} after {} iterations",
        found.residual,
        found.iterations
    );
}

/// A grid in a closed box, and one with open and periodic sides.
fn check_solutions(grids: [&[u64]; 2], fills: [&[Fill]; 2]) {
    use Side::{Closed as C, Open as O, Periodic as P};
    let Some(gpu) = common::gpu() else { return };
    let all = 2 * (fills[0].len() + fills[1].len());
    let mut cases = common::sweep(all / 2, all);
    for (number, cells) in grids.into_iter().enumerate() {
        for fill in fills[number].iter().copied() {
            let sides = [([C, C, C], [C, C, C]), ([P, O, C], [P, C, C])][number % 2];
            let case = Case::new(cells, fill).sides(sides.0, sides.1);
            for method in ["solver.solve", "solver.solve_cg"] {
                if cases.skips() {
                    continue;
                }
                let mut simulation = case.simulation(&gpu, solve(method), &[]);
                let mask = case.mask(&mut simulation);
                let found = solved(&mut simulation);
                let wanted = mask.solve(&found.b);
                let what = format!("{case:?} {method}");
                let limits = read_doubles(&mut simulation, "solver.limits");
                let square: f64 = (0..found.b.len())
                    .filter(|cell| mask.is_fluid(*cell))
                    .map(|cell| found.b[cell] * found.b[cell])
                    .sum();
                assert!(
                    (limits[2] / square - 1.0).abs() < 1e-5,
                    "{what}: {limits:?} {square}"
                );
                assert!(
                    (limits[0] / (1e-12 * square) - 1.0).abs() < 1e-5,
                    "{what}: {limits:?}"
                );
                assert!(
                    found.residual <= 1e-6 && found.iterations > 0,
                    "{what}: {}",
                    found.residual
                );
                // Rounding of p and of the updates of r: a few hundred units of 2^-24.
                assert!(found.true_residual < 3e-5, "{what}: {}", found.true_residual);
                // The condition number of as many cells is below 1,000; errors are far below its product with the residual.
                let error = difference(&found.p, &wanted);
                assert!(error < 5e-5, "{what}: {error}");
                // The reported residual is that of the pressure.
                let rest: Vec<f64> = mask
                    .apply(&found.p)
                    .iter()
                    .zip(&found.b)
                    .map(|(a, b)| b - a)
                    .collect();
                let rest: Vec<f64> = (0..rest.len())
                    .map(|i| if mask.is_fluid(i) { rest[i] } else { 0.0 })
                    .collect();
                let fluid_b: Vec<f64> = (0..rest.len())
                    .map(|i| if mask.is_fluid(i) { found.b[i] } else { 0.0 })
                    .collect();
                let share = norm(&rest) / norm(&fluid_b);
                // The device rounds b - A p to 24 bits.
                let rounding = 0.5 * f64::from(f32::EPSILON);
                assert!(
                    (share - found.true_residual).abs() < 0.02 * share + rounding,
                    "{what}: {share} {}",
                    found.true_residual
                );
                // Control: another pressure has another residual.
                assert!(difference(&vec![0.0; wanted.len()], &wanted) > 0.9);
                let outside = (0..wanted.len()).filter(|cell| !mask.is_fluid(*cell));
                assert!(
                    outside.into_iter().all(|cell| found.p[cell] == 0.0),
                    "{what}: pressure outside the fluid"
                );
            }
        }
    }
}

#[test]
fn solver_iterations_match_the_reference() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(1, 2);
    for (cells, fill) in [(&[16, 16, 16][..], Fill::Pool), (&[64, 48], Fill::Fluid)] {
        if sweep.skips() {
            continue;
        }
        let case = Case::new(cells, fill).with("max_iterations", 1000);
        let mut simulation = case.simulation(&gpu, solve("solver.solve_cg"), &[]);
        let mask = case.mask(&mut simulation);
        let found = solved(&mut simulation);
        let b: Vec<f64> = (0..found.b.len())
            .map(|i| if mask.is_fluid(i) { found.b[i] } else { 0.0 })
            .collect();
        let wanted = mask.iterations(&b, 1e-6);
        assert!(
            found.iterations.abs_diff(wanted) <= 1,
            "{case:?}: {} and {wanted}",
            found.iterations
        );
        // Control: a coarser tolerance takes fewer.
        assert!(mask.iterations(&b, 1e-3) + 1 < found.iterations);
    }
}

#[test]
fn multigrid_iterations_are_few() {
    check_multigrid(&[(16, Fill::Fluid, 12)]);
}

#[test]
#[ignore = "long: kernels for each level of larger grids"]
fn multigrid_iterations_are_few_on_large_and_irregular_grids() {
    check_multigrid(&[
        (33, Fill::Fluid, 12),
        (64, Fill::Fluid, 12),
        (48, Fill::Pool, 14),
        (48, Fill::Rubble, 20),
    ]);
}

/// Sides and contents of cubes, each with the maximum number of iterations.
fn check_multigrid(cases: &[(u64, Fill, u32)]) {
    let Some(gpu) = common::gpu() else { return };
    for (n, fill, most) in cases.iter().copied() {
        let case = Case::new(&[n, n, n], fill);
        let mut simulation = case.simulation(&gpu, solve("solver.solve"), &[]);
        let found = solved(&mut simulation);
        assert!(found.iterations <= most, "{n} {fill:?}: {}", found.iterations);
        let history = read_doubles(&mut simulation, "solver.history");
        let last = found.iterations as usize;
        assert_eq!(history[last], found.residual);
        assert!(
            history[0] == 1.0 && history[last] <= 1e-6 && history[last - 1] > 1e-6,
            "{history:?}"
        );
    }
}

#[test]
fn zero_right_hand_side_gives_zero_solution() {
    check_zero("solver.solve", &[Fill::Fluid]);
}

#[test]
#[ignore = "long: both solvers, also without any fluid"]
fn zero_right_hand_side_gives_zero_solution_in_any_fill() {
    check_zero("solver.solve", &[Fill::Solid, Fill::Air]);
    check_zero("solver.solve_cg", &[Fill::Solid, Fill::Air, Fill::Fluid]);
}

fn check_zero(method: &str, fills: &[Fill]) {
    let Some(gpu) = common::gpu() else { return };
    for fill in fills.iter().copied() {
        let case = Case::new(&[9, 5, 17], fill).checked();
        let step = json!([{"set": "air.b", "to": if fill == Fill::Fluid { 0 } else { 1 }}, method]);
        let mut simulation = case.simulation(&gpu, step, &[]);
        let found = solved(&mut simulation);
        assert_eq!((found.iterations, found.residual), (0, 0.0), "{method} {fill:?}");
        assert!(found.p.iter().all(|p| *p == 0.0), "{method} {fill:?}");
    }
}

#[test]
fn cosine_right_hand_side_gives_a_cosine() {
    let Some(gpu) = common::gpu() else { return };
    let [nx, ny, nz] = [32u64, 16, 8];
    const COSINE: &str = "
    void stage(INDEX index) {
        vec3 phase = 3.14159265 * (vec3(CELL) + 0.5) / vec3(space_size(air_cells));
        set_air_b(index, cos(2.0 * phase.x) * cos(phase.y) * cos(phase.z));
    }";
    let case = Case::new(&[nx, ny, nz], Fill::Fluid);
    let step = json!([{"stage": "cosine", "over": "air", "writes": ["air.b"]}, "solver.solve"]);
    let mut simulation = case.simulation(&gpu, step, &[("cosine.comp", COSINE)]);
    let found = solved(&mut simulation);
    // The eigenvalue of a mode m of n cells: 4 sin^2(pi m / 2 n).
    let one = |mode: f64, n: u64| 4.0 * (std::f64::consts::PI * mode / (2.0 * n as f64)).sin().powi(2);
    let eigenvalue = one(2.0, nx) + one(1.0, ny) + one(1.0, nz);
    let wanted: Vec<f64> = found.b.iter().map(|b| b / eigenvalue).collect();
    assert!(
        difference(&found.p, &wanted) < 1e-5,
        "{}",
        difference(&found.p, &wanted)
    );
    let control: Vec<f64> = found.b.iter().map(|b| b / (eigenvalue - one(1.0, nz))).collect();
    assert!(difference(&found.p, &control) > 1e-2);
}
