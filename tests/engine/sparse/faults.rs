//! `--checked`: accesses to cells that are not there are found by name; without it they do no harm.

use sastrugi::run::fault::{Fault, FaultKind};
use serde_json::json;

use super::*;

const READ: u32 = 0;
const WRITE: u32 = 1;
const ADD: u32 = 2;
/// Their lines in touch.comp.
const WRITE_LINE: u32 = 10;
const ADD_LINE: u32 = 11;

/// One access to a cell of a grid of which the block at the origin is active. The fault, what was seen, and the grid.
fn touch(
    gpu: &Gpu,
    cell: [i32; 3],
    how: u32,
    paging: &str,
    options: Options,
) -> (Option<Fault>, u32, Vec<u32>) {
    let mut file = file("touch.json");
    file["parameters"] = json!({"cell": cell, "how": how});
    file["grids"]["g"]["sparse"]["paging"] = json!(paging);
    let mut sim = simulation(gpu, &file, options);
    sim.step(false).unwrap();
    let (seen, id) = (read_words(&mut sim, "seen")[0], read_words(&mut sim, "g.id"));
    assert_eq!(active_blocks(&sim), 1);
    (sim.fault().unwrap(), seen, id)
}

#[test]
fn writes_to_inactive_cells_are_faults() {
    let Some(gpu) = common::gpu() else { return };
    let cells = [
        ([8, 0, 0], [1, 0, 0]),
        ([7, 8, 3], [0, 1, 0]),
        ([29, 19, 9], [3, 2, 1]),
    ];
    let mut sweep = common::sweep(7, 6 * pagings(&gpu).len());
    for paging in pagings(&gpu) {
        for (cell, block) in cells {
            for how in [WRITE, ADD] {
                if sweep.skips() {
                    continue;
                }
                let (fault, _, id) = touch(&gpu, cell, how, paging, CHECKED);
                let fault = fault.unwrap_or_else(|| panic!("{paging}: {cell:?} is no fault"));
                assert_eq!((&*fault.stage, &*fault.field), ("touch", "g.id"));
                assert_eq!(fault.kind, FaultKind::WroteInactive { block });
                assert_eq!(fault.index, cell.map(i64::from));
                let line = if how == WRITE { WRITE_LINE } else { ADD_LINE };
                let place = fault.place.unwrap_or_default();
                assert!(place.ends_with(&format!("touch.comp:{line}")), "{place}");
                assert!(
                    id.iter().all(|id| *id == 4),
                    "{paging}: a dropped write left something"
                );
            }
            // A read is none: it gives the background.
            let (fault, seen, _) = touch(&gpu, cell, READ, paging, CHECKED);
            assert_eq!((fault, seen), (None, 4), "{paging}");
        }
        // Control: the same accesses to a cell that is there.
        for (how, value) in [(READ, 4), (WRITE, 5), (ADD, 9)] {
            let (fault, seen, id) = touch(&gpu, [7, 7, 7], how, paging, CHECKED);
            let changed: Vec<u32> = id.into_iter().filter(|id| *id != 4).collect();
            assert_eq!(fault, None, "{paging}");
            match how {
                READ => assert_eq!((seen, changed), (4, vec![])),
                _ => assert_eq!(changed, [value]),
            }
        }
    }
}

/// Cells outside the domain: far away, next to it, and in a block that stands out of it.
const OUTSIDE: [[i32; 3]; 5] = [
    [-1, 0, 0],
    [30, 0, 0],
    [0, 20, 9],
    [0, 0, 10],
    [1 << 20, -(1 << 20), 5],
];

#[test]
fn accesses_outside_the_domain_are_faults() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(15, 15 * pagings(&gpu).len());
    for paging in pagings(&gpu) {
        for cell in OUTSIDE {
            for (how, kind) in [
                (READ, FaultKind::ReadOutside),
                (WRITE, FaultKind::WroteOutside),
                (ADD, FaultKind::WroteOutside),
            ] {
                if sweep.skips() {
                    continue;
                }
                let (fault, ..) = touch(&gpu, cell, how, paging, CHECKED);
                let fault = fault.unwrap_or_else(|| panic!("{paging}: {cell:?} is no fault"));
                assert_eq!((&*fault.field, fault.kind), ("g.id", kind), "{paging}");
                assert_eq!(fault.index, cell.map(i64::from), "{paging}");
            }
        }
    }
}

#[test]
fn unchecked_runs_drop_faulting_writes() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(18, 21 * pagings(&gpu).len());
    for paging in pagings(&gpu) {
        for cell in OUTSIDE.into_iter().chain([[8, 0, 0], [29, 19, 9]]) {
            for how in [READ, WRITE, ADD] {
                if sweep.skips() {
                    continue;
                }
                let (fault, seen, id) = touch(&gpu, cell, how, paging, Options::default());
                assert_eq!(fault, None, "an unchecked run looks for none");
                assert!(id.iter().all(|id| *id == 4), "{paging}: {cell:?} changed a cell");
                assert_eq!(seen, if how == READ { 4 } else { 0 }, "{paging}: {cell:?}");
            }
        }
    }
}

#[test]
fn run_names_a_write_to_an_inactive_block() {
    let stray = ["--stage", "hit=tests/data/sparse/stray.comp"];
    let mut sweep = common::sweep(1, 2);
    for paging in ["table", "dense"] {
        if sweep.skips() {
            continue;
        }
        let paging = format!("grids.g.sparse.paging=\"{paging}\"");
        let with = |more: &[&str]| program("ball.json", &[&["--set", &paging], more].concat());
        let Some((checked, _)) = with(&["--checked", stray[0], stray[1]]) else {
            return;
        };
        assert_eq!(checked.code, Some(1), "{}", checked.text);
        for words in [
            "stage `hit` wrote `g.hits` at cell (69, 40, 32), in the inactive block (8, 5, 4)",
            "found before frame 1 was written",
            "request_<grid>(cell)",
            "no frame was written",
        ] {
            assert!(
                checked.text.contains(words),
                "`{words}` is missing in {}",
                checked.text
            );
        }
        let (plain, plain_frames) = with(&["--checked"]).unwrap();
        let (unchecked, unchecked_frames) = with(&stray).unwrap();
        assert_eq!(
            (plain.code, unchecked.code),
            (Some(0), Some(0)),
            "{}",
            unchecked.text
        );
        assert_eq!(plain_frames.len(), 10);
        assert_eq!(plain_frames, unchecked_frames);
        // Control: another run has other frames.
        let (_, other) = with(&["--set", "radius=8"]).unwrap();
        assert_ne!(plain_frames, other);
    }
}
