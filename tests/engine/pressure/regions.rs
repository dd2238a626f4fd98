//! Connected regions of fluid against a flood fill, and the means that closed ones lose.

use super::*;

#[test]
fn regions_match_a_flood_fill() {
    check_regions(&[&[31, 17], &[12, 9, 10]], &[Fill::Foam, Fill::Rubble]);
}

#[test]
#[ignore = "long: grids of one cell to 19,200"]
fn regions_of_any_grid_match_a_flood_fill() {
    let grids: [&[u64]; 5] = [&[1, 1, 1], &[31, 17], &[12, 9, 10], &[65, 3, 2], &[40, 40, 12]];
    check_regions(&grids, &[Fill::Foam, Fill::Rubble, Fill::Fluid, Fill::Solid]);
}

fn check_regions(grids: &[&[u64]], fills: &[Fill]) {
    use Side::{Closed as C, Open as O, Periodic as P};
    let Some(gpu) = common::gpu() else { return };
    for cells in grids.iter().copied() {
        for (low, high) in [([C, C, C], [C, C, C]), ([P, O, C], [P, C, C])] {
            for fill in fills.iter().copied() {
                let case = Case::new(cells, fill).sides(low, high);
                let step = json!(["solver.remove_nullspace"]);
                let mut simulation = case.simulation(&gpu, step, &[]);
                let mask = case.mask(&mut simulation);
                let before = read_doubles(&mut simulation, "air.b");
                let (regions, meets_air) = mask.regions();
                let wanted: Vec<u32> = regions
                    .iter()
                    .map(|root| root.map_or(0, |root| root as u32 + 1))
                    .collect();
                assert_eq!(
                    read_words(&mut simulation, "solver.grid.region"),
                    wanted,
                    "{case:?}"
                );
                let mut counts = vec![0; wanted.len()];
                for root in regions.iter().flatten() {
                    counts[*root] += 1;
                }
                let anchored = |cell: usize| if meets_air[cell] { 1 << 31 } else { 0 };
                let counts: Vec<u32> = (0..counts.len())
                    .map(|cell| counts[cell] | anchored(cell))
                    .collect();
                assert_eq!(
                    read_words(&mut simulation, "solver.grid.region_cells"),
                    counts,
                    "{case:?}"
                );
                let closed = counts
                    .iter()
                    .filter(|count| **count != 0 && **count >> 31 == 0)
                    .count();
                assert_eq!(
                    read_words(&mut simulation, "solver.closed")[0] as usize,
                    closed,
                    "{case:?}"
                );

                simulation.step(false).unwrap();
                assert_no_fault(&mut simulation);
                let after = read_doubles(&mut simulation, "air.b");
                let wanted = mask.without_means(&before);
                for cell in (0..after.len()).filter(|cell| mask.is_fluid(*cell)) {
                    assert!((after[cell] - wanted[cell]).abs() < 1e-6, "{case:?}: cell {cell}");
                }
                // The residual sum is the rounding of one value per column: it does not grow with the region.
                let columns = (mask.size[0] * mask.size[1]) as f64;
                for (root, _) in counts
                    .iter()
                    .enumerate()
                    .filter(|(_, count)| **count != 0 && **count >> 31 == 0)
                {
                    let cells = (0..after.len()).filter(|cell| regions[*cell] == Some(root));
                    let sum: f64 = cells.map(|cell| after[cell]).sum();
                    assert!(
                        sum.abs() < 6e-8 * (columns + 1.0),
                        "{case:?}: region {root} adds up to {sum}"
                    );
                }
            }
        }
    }
}
