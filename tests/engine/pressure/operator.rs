//! The solver's operator equals the sparse matrix of Wepner 2019, entry by entry.

use super::*;

const UNIT: &str = "
void stage(INDEX index) {
    ivec3 c = CELL, size = space_size(air_cells);
    set_air_p(index, uint(c.x + size.x * (c.y + size.y * c.z)) == clock.step ? 1.0 : 0.0);
}";

/// Sides of every kind along each axis, with one axis of each pair.
fn cases(grids: &[&[u64]], fills: &[Fill]) -> Vec<Case> {
    use Side::{Closed as C, Open as O, Periodic as P};
    let sides = [
        ([C, C, C], [C, C, C]),
        ([O, C, O], [C, O, O]),
        ([P, C, O], [P, O, C]),
        ([P, P, P], [P, P, P]),
    ];
    let mut cases = Vec::new();
    for cells in grids.iter().copied() {
        for (low, high) in sides {
            let (mut low, mut high) = (low, high);
            if cells.len() == 2 {
                (low[2], high[2]) = (C, C);
            }
            for fill in fills.iter().copied() {
                cases.push(Case::new(cells, fill).sides(low, high).with("warm_start", 1));
            }
        }
    }
    cases
}

#[test]
fn operator_equals_the_matrix_of_the_mask() {
    check_operator(cases(&[&[5, 4], &[4, 3, 3]], &[Fill::Foam]));
}

#[test]
#[ignore = "long: thin grids, and grids without solids"]
fn operator_equals_the_matrix_of_any_mask() {
    let grids: [&[u64]; 5] = [&[5, 4], &[1, 3], &[4, 3, 3], &[1, 1, 2], &[9, 2, 1]];
    check_operator(cases(&grids, &[Fill::Foam, Fill::Fluid]));
}

fn check_operator(cases: Vec<Case>) {
    let Some(gpu) = common::gpu() else { return };
    let step = json!([
        {"set": "air.b", "to": 0},
        {"stage": "unit", "over": "air", "writes": ["air.p"]},
        "solver.begin_search"
    ]);
    for case in cases {
        let mut simulation = case.simulation(&gpu, step.clone(), &[("unit.comp", UNIT)]);
        let mut columns = Vec::new();
        let mask = case.mask(&mut simulation);
        for _ in 0..mask.types.len() {
            simulation.step(false).unwrap();
            columns.push(read_doubles(&mut simulation, "solver.grid.r"));
        }
        assert_no_fault(&mut simulation);
        for row in (0..mask.types.len()).filter(|cell| mask.is_fluid(*cell)) {
            let wanted = mask.row(row);
            for column in (0..mask.types.len()).filter(|cell| mask.is_fluid(*cell)) {
                // With b = 0 and p a unit vector, r = b - A p is minus a column.
                assert_eq!(
                    -columns[column][row], wanted[column],
                    "{case:?}: row {row}, column {column}"
                );
            }
        }
        // Control: the matrix of the other sides differs wherever the sides matter.
        let swapped = Mask {
            low: case.low.map(other),
            high: case.high.map(other),
            ..mask
        };
        let differs = (0..swapped.types.len())
            .filter(|cell| swapped.is_fluid(*cell))
            .any(|row| {
                let wanted = swapped.row(row);
                (0..wanted.len())
                    .any(|column| swapped.is_fluid(column) && -columns[column][row] != wanted[column])
            });
        assert!(
            differs || !swapped.types.contains(&0),
            "{case:?}: the comparison sees nothing"
        );
    }
}

fn other(side: Side) -> Side {
    if side == Side::Open {
        Side::Closed
    } else {
        Side::Open
    }
}
