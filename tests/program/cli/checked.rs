//! `--checked`: what pointers would hide stops the run by name.

use super::*;

#[test]
fn an_index_out_of_range_stops_the_run_and_names_it() {
    let directory = tempfile::tempdir().unwrap();
    let more = [
        "--checked",
        "--frames",
        "60",
        "--stage",
        "spread=tests/data/tiny/out_of_range.comp",
    ];
    run_into(directory.path(), TINY, &more).exits(1).says(&[
        "stage `spread` wrote `box.next`",
        "index (3, 2, 7)",
        "size (9, 7, 5)",
        // In z an invocation may march through several cells.
        "invocation (3, 2, ",
    ]);
    // Step 40 belongs to frame 21, so no later one is released. The device runs ahead of the host by a few
    // frames, and what it has found by then counts: the last good frames may be missing too.
    let frames = frames(directory.path());
    let heat = frames.keys().filter(|name| name.starts_with("heat")).count() as u64;
    assert!((10..=20).contains(&heat), "{heat} frames were released");
    for frame in 1..=heat {
        assert!(
            frames.contains_key(&format!("heat.{frame:04}.npy")),
            "no gap before frame {heat}"
        );
    }
    assert_whole(&frames);
    let manifest = manifest(directory.path());
    assert_eq!(manifest["state"], "failed");
    assert!(
        manifest["error"]
            .as_str()
            .is_some_and(|error| error.contains("spread"))
    );
    assert_eq!(manifest["outputs"]["heat"]["files"], heat);
}
