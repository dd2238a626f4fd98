//! Requests beyond the budget.

use serde_json::json;

use super::*;

/// The blocks that are active after each of 24 steps, and what the grid holds at the end.
fn run(gpu: &Gpu, blocks: u64, when_full: &str, paging: &str) -> Result<(Vec<u64>, Vec<Vec<u32>>), RunError> {
    let mut file = file("budget.json");
    file["parameters"]["blocks"] = json!(blocks);
    file["grids"]["g"]["sparse"]["when_full"] = json!(when_full);
    file["grids"]["g"]["sparse"]["paging"] = json!(paging);
    let mut sim = try_simulation(gpu, &file, Options::default())?;
    assert_eq!(sparse_grid(&sim).max_blocks, blocks);
    let mut active = Vec::new();
    for _ in 0..24 {
        sim.step(false)?;
        active.push(active_blocks(&sim));
    }
    let fields = ["g.heat", "g.hits", "g.flow", "total"].map(|field| read_words(&mut sim, field));
    Ok((active, fields.to_vec()))
}

#[test]
#[ignore = "long: every paging"]
fn exceeding_the_budget_stops_the_run_in_every_paging() {
    let Some(gpu) = common::gpu() else { return };
    for paging in pagings(&gpu) {
        match run(&gpu, 60, "stop", paging) {
            Err(RunError::Full {
                grid,
                wanted,
                wanted_bytes,
                holds,
                holds_bytes,
                active,
            }) => {
                assert_eq!((&*grid, holds, holds_bytes), ("g", 60, 60 << 16), "{paging}");
                assert!(wanted > 60 && active <= 60, "{paging}: {wanted} {active}");
                assert_eq!(wanted_bytes, wanted << 16);
            }
            other => panic!("{paging}: {:?}", other.map(|(active, _)| active)),
        }
        // Control: with enough it goes on.
        let (active, _) = run(&gpu, 270, "stop", paging).unwrap_or_else(|error| panic!("{error}"));
        assert!(active[23] > 60 && active[0] < 60, "{active:?}");
    }
}

#[test]
fn dropping_blocks_is_equal_in_every_paging() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(1, 3);
    for blocks in [30, 7, 60] {
        if sweep.skips() {
            continue;
        }
        let reference = run(&gpu, blocks, "drop", "dense").unwrap_or_else(|error| panic!("{error}"));
        assert!(
            reference.0.iter().all(|active| *active <= blocks),
            "{:?}",
            reference.0
        );
        assert!(
            reference.0.iter().any(|active| active + 8 > blocks),
            "{:?}",
            reference.0
        );
        for paging in pagings(&gpu) {
            let found = run(&gpu, blocks, "drop", paging).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(found.0, reference.0, "{paging}");
            assert!(found.1 == reference.1, "{paging}: other contents");
        }
        // Control: another budget leaves other contents.
        let other = run(&gpu, blocks + 5, "drop", "dense").unwrap_or_else(|error| panic!("{error}"));
        assert!(other.1 != reference.1);
    }
}

/// Frames of two steps that come before the step in which the budget is used up.
fn frames_before_it_is_full() -> usize {
    let gpu = common::gpu().unwrap();
    let mut sim = simulation(&gpu, &file("budget.json"), Options::default());
    let steps = (0..24).take_while(|_| sim.step(false).is_ok()).count();
    steps / 2
}

#[test]
fn budget_error_names_the_request_and_keeps_frames() {
    let Some((enough, all)) = program("budget.json", &["--set", "blocks=270"]) else {
        return;
    };
    assert_eq!(enough.code, Some(0), "{}", enough.text);
    let (full, frames) = program("budget.json", &[]).unwrap();
    assert_eq!(full.code, Some(1), "{}", full.text);
    for words in [
        "blocks of grid `g`",
        "its budget holds 60 (3932160 bytes;",
        "sparse.budget",
        "when_full",
    ] {
        assert!(full.text.contains(words), "`{words}` is missing in {}", full.text);
    }
    let heat = frames.keys().filter(|name| name.starts_with("heat")).count();
    assert_eq!(
        heat,
        frames_before_it_is_full(),
        "frames before the budget is used up"
    );
    assert!((1..12).contains(&heat), "{heat} frames");
    for (name, data) in &frames {
        // The frames of a run that goes on are the measure of what is whole.
        assert!(
            all[name] == *data,
            "{name} is not what it would be without the budget"
        );
    }
    for frame in 1..=heat {
        assert!(
            frames.contains_key(&format!("heat.{frame:04}.npy")),
            "no gap before {heat}"
        );
    }
    let (dropped, rest) = program("budget.json", &["--set", "grids.g.sparse.when_full=\"drop\""]).unwrap();
    assert_eq!(dropped.code, Some(0), "{}", dropped.text);
    assert!(rest.keys().eq(all.keys()) && rest != all);
}
