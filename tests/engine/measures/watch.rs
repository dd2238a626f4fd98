//! The watch: what it names, when, and which frames are there then.

use std::collections::BTreeSet;
use std::fs;

use sastrugi::run::watch::WatchedFrames;
use sastrugi::run::{BadKind, FirstBad};
use serde_json::json;

use super::*;

fn dividing(numerator: f64) -> Value {
    json!({
        "run": {"dt": 0.1, "steps_per_frame": 2, "frames": 40, "watch_every": 1},
        "buffers": {
            "a": {"type": "float", "length": 1000, "background": 0},
            "b": {"type": "float", "length": 1000},
            "c": {"type": "vec3", "length": 1000, "background": 0},
        },
        "step": [
            {"stage": "count", "over": "a", "reads": ["a"], "writes": ["a"]},
            {"stage": "left", "over": "b", "writes": ["b"]},
            {"stage": "divide", "over": "c", "reads": ["a", "b", "c"], "writes": ["c"],
             "arguments": {"numerator": numerator}},
        ],
        "outputs": {"field": {"source": "c"}},
    })
}

/// Steps until something is bad, and says after how many steps.
fn first_bad(gpu: &Gpu, file: &Value, most: u64) -> Option<FirstBad> {
    let mut sim = simulation(gpu, pipeline(file));
    for _ in 0..most {
        sim.step(false).unwrap();
    }
    sim.finish().unwrap();
    sim.first_bad().unwrap()
}

#[test]
fn watch_names_step_position_and_kind_of_the_first_bad_value() {
    let Some(gpu) = common::gpu() else { return };
    assert_eq!(first_bad(&gpu, &dividing(1.0), 36), None);
    let bad = first_bad(&gpu, &dividing(1.0), 60).unwrap();
    assert_eq!(
        (bad.field.as_str(), bad.step, bad.index.as_slice()),
        ("c", 37, &[517][..])
    );
    assert_eq!(
        (bad.kind, bad.component, bad.stage),
        (BadKind::Infinite, Some(1), None)
    );
    assert_eq!(bad.to_string(), "`c` has inf at element 517.y after step 37");
    let bad = first_bad(&gpu, &dividing(0.0), 60).unwrap();
    assert_eq!((bad.step, bad.kind), (37, BadKind::NotANumber));
    // Looking less often.
    let mut file = dividing(-1.0);
    file["run"]["watch_every"] = json!(25);
    let bad = first_bad(&gpu, &file, 90).unwrap();
    assert_eq!((bad.step, bad.value), (50, f64::NEG_INFINITY));
    assert!(
        bad.to_string()
            .ends_with("after step 50; all values were good after step 25"),
        "{bad}"
    );
    // Other fields are none of its business.
    file["run"]["watch_fields"] = json!(["a", "b"]);
    assert_eq!(first_bad(&gpu, &file, 60), None);
    // Bounds: a counts the steps.
    file["buffers"]["a"]["bounds"] = json!([0, 52.5]);
    let bad = first_bad(&gpu, &file, 90).unwrap();
    assert_eq!((bad.field.as_str(), bad.step, bad.value), ("a", 75, 75.0));
    assert_eq!(
        (bad.kind, bad.index),
        (BadKind::OutOfBounds([0.0, 52.5]), vec![0])
    );
}

#[test]
fn watch_names_sparse_cells_in_every_paging() {
    let Some(gpu) = common::gpu() else { return };
    let residency = gpu.report().sparse.binding && gpu.report().sparse.residency_buffer;
    let mut cases = common::sweep(1, 3);
    for paging in ["table", "dense", "sparse"] {
        if cases.skips() || paging == "sparse" && !residency {
            continue;
        }
        let mut file = super::reductions::ball(paging, 25.0);
        file["step"] = json!([{"stage": "spoil", "over": "g", "reads": ["g.heat"], "writes": ["g.heat"],
                               "arguments": {"minus_one": -1}}]);
        file["run"]["watch_every"] = json!(1);
        assert_eq!(first_bad(&gpu, &file, 1), None);
        let bad = first_bad(&gpu, &file, 4).unwrap();
        assert_eq!(
            (bad.field.as_str(), bad.step, bad.kind),
            ("g.heat", 2, BadKind::NotANumber)
        );
        // The block of the one comes before that of the other in Morton order.
        assert_eq!(bad.index, [41, 22, 17], "{paging}");
        assert_eq!(
            bad.to_string(),
            "`g.heat` has NaN at cell (41, 22, 17) after step 2"
        );
        // Whole numbers with bounds.
        file["grids"]["g"]["channels"]["mark"]["bounds"] = json!([0, 70 * 41 * 33 - 1]);
        file["run"]["watch_fields"] = json!(["g.mark"]);
        assert_eq!(first_bad(&gpu, &file, 2), None);
        file["grids"]["g"]["channels"]["mark"]["bounds"] = json!([0, (17 * 41 + 22) * 70 + 40]);
        let bad = first_bad(&gpu, &file, 2).unwrap();
        assert_eq!(bad.kind, BadKind::OutOfBounds([0.0, 50_370.0]));
        let [x, y, z] = bad.index[..] else {
            panic!("{bad:?}")
        };
        assert_eq!(bad.value, ((z * 41 + y) * 70 + x) as f64);
        assert!(bad.value > 50_370.0);
    }
}

#[test]
fn bad_value_ends_the_run_and_keeps_earlier_frames() {
    let out = tempfile::tempdir().unwrap();
    let mut file = dividing(1.0);
    file["run"].as_object_mut().unwrap().remove("watch_every");
    let Some(ran) = program(&file, out.path(), &["--watch", "25"]) else {
        return;
    };
    assert_eq!(ran.code, Some(1), "{}", ran.text);
    // Found at step 50, and by the replay in the step and the stage that made it.
    let says = "`c` has inf at element 517.y after stage `divide` of step 37 help: look for divisions by zero, roots of \
                negative numbers and a `run.dt` that is too long; frames up to 24 are complete, but 19 to 24 may hold bad \
                values";
    assert!(ran.text.contains(says), "{}", ran.text);
    let frames = |out: &Path| -> BTreeSet<String> {
        let names = fs::read_dir(out)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".npy")).collect()
    };
    let expected: BTreeSet<String> = (1..=24).map(|frame| format!("field.{frame:04}.npy")).collect();
    assert_eq!(frames(out.path()), expected);
    let manifest = fs::read_to_string(out.path().join("manifest.json")).unwrap();
    assert!(manifest.contains("has inf at element 517"), "{manifest}");
    // What is good, the run has looked at: after a replay all steps before; a checkpoint or an earlier look, else.
    let known = |written: u64, good: Option<u64>, before: u64| {
        let gpu = common::gpu().unwrap();
        let mut bad = first_bad(&gpu, &dividing(1.0), 40).unwrap();
        bad.good = good;
        let frames = WatchedFrames {
            written,
            before,
            steps_per_frame: 2,
        };
        frames.text(&bad)
    };
    assert_eq!(known(18, Some(36), 0), "frames up to 18 are complete");
    assert_eq!(
        known(24, Some(25), 0),
        "frames up to 24 are complete, but 13 to 24 may hold bad values"
    );
    assert_eq!(
        known(2, None, 1),
        "frames up to 2 are complete, but frame 2 may hold bad values"
    );
    assert_eq!(known(0, None, 0), "no frame was written");
    // A file's own rhythm gives way.
    let out = tempfile::tempdir().unwrap();
    let ran = program(&dividing(1.0), out.path(), &["--watch", "20"]).unwrap();
    assert!(
        ran.text.contains("after stage `divide` of step 37"),
        "{}",
        ran.text
    );
    assert_eq!(frames(out.path()).len(), 19);
    // Control: without a watch it runs to its end.
    let out = tempfile::tempdir().unwrap();
    let ran = program(&file, out.path(), &[]).unwrap();
    assert_eq!(
        (ran.code, frames(out.path()).len()),
        (Some(0), 40),
        "{}",
        ran.text
    );
}

#[test]
fn watch_changes_no_results_and_is_deterministic() {
    let Some(gpu) = common::gpu() else { return };
    let last = |file: &Value| {
        let mut sim = simulation(&gpu, pipeline(file));
        (0..30).for_each(|_| sim.step(false).unwrap());
        sim.read("c").unwrap()
    };
    let mut unwatched = dividing(1.0);
    unwatched["run"].as_object_mut().unwrap().remove("watch_every");
    assert_eq!(last(&dividing(1.0)), last(&unwatched));
    // Bad values all over: still the first one, in whatever order they are found.
    let mut file = dividing(1.0);
    file["buffers"]["a"] = json!({"type": "float", "length": 300_000, "background": 0, "bounds": [0, 2.5]});
    for _ in 0..3 {
        let bad = first_bad(&gpu, &file, 9).unwrap();
        assert_eq!((bad.field.as_str(), bad.step, bad.index), ("a", 3, vec![0]));
    }
}

#[test]
fn bad_values_of_init_are_blamed_on_its_stages() {
    let out = tempfile::tempdir().unwrap();
    let mut file = dividing(1.0);
    file["init"] = json!([{"stage": "burst", "over": "c", "reads": ["a"], "writes": ["c"]}]);
    file["step"] = json!([{"stage": "keep", "over": "c", "reads": ["c"], "writes": ["c"]}]);
    let Some(ran) = program(&file, out.path(), &[]) else {
        return;
    };
    assert_eq!(ran.code, Some(1), "{}", ran.text);
    assert!(
        ran.text
            .contains("`c` has inf at element 517.y after stage `burst` of init"),
        "{}",
        ran.text
    );
}
