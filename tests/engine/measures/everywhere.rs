//! A watch after every stage names the first one that makes a bad value.

use sastrugi::lower::watch::watched_everywhere;
use sastrugi::run::BadKind;
use serde_json::json;

use super::*;

fn repeating() -> Value {
    json!({
        "run": {"dt": 0.1, "watch_every": 25},
        "buffers": {
            "a": {"type": "float", "length": 1000, "background": 0},
            "b": {"type": "float", "length": 1000},
            "c": {"type": "vec3", "length": 1000, "background": 0},
        },
        "step": [
            {"stage": "count", "over": "a", "reads": ["a"], "writes": ["a"]},
            {"stage": "left", "over": "b", "writes": ["b"]},
            {"repeat": "turn", "over": [0, 1, 2], "stages": [
                {"stage": "divide", "over": "c", "reads": ["a", "b", "c"], "writes": ["c"],
                 "arguments": {"numerator": "turn - 2"}}]},
            {"stage": "again", "shader": "divide.comp", "over": "c", "reads": ["a", "b", "c"], "writes": ["c"],
             "arguments": {"numerator": 1}, "every": 3},
        ],
    })
}

#[test]
fn watch_everywhere_names_stage_and_step() {
    let Some(gpu) = common::gpu() else { return };
    let original = pipeline(&repeating());
    let watched = watched_everywhere(&original);
    // Existing stages keep their numbers.
    for (before, after) in original.fields.iter().zip(&watched.fields) {
        assert_eq!(before.name, after.name);
    }
    for (before, after) in original.stages.iter().zip(&watched.stages) {
        assert_eq!(before.name, after.name);
    }
    let mut sim = simulation(&gpu, watched);
    for step in 1..=40 {
        sim.step(false).unwrap();
        sim.finish().unwrap();
        let bad = sim.first_bad().unwrap();
        assert_eq!(bad.is_some(), step >= 37, "step {step}");
        let Some(bad) = bad else { continue };
        let stage = &original.stages[bad.stage.unwrap()];
        assert_eq!((stage.name.as_str(), bad.invocation), ("divide", Some(2)));
        assert_eq!(
            (bad.field.as_str(), bad.step, bad.index.as_slice()),
            ("c", 37, &[517][..])
        );
        assert_eq!((bad.component, bad.kind), (Some(1), BadKind::Infinite));
        assert_eq!(
            bad.to_string(),
            "`c` has -inf at element 517.y after stage `divide` of step 37"
        );
    }
}

#[test]
fn watch_everywhere_changes_no_results() {
    let Some(gpu) = common::gpu() else { return };
    let last = |pipeline: Pipeline| {
        let mut sim = simulation(&gpu, pipeline);
        (0..20).for_each(|_| sim.step(false).unwrap());
        ["a", "b", "c"].map(|field| sim.read(field).unwrap())
    };
    let original = pipeline(&repeating());
    assert_eq!(last(watched_everywhere(&original)), last(original.clone()));
    // Rings and sparse grids, whose updates are left alone.
    let mut file = Document::read(&directory().join("../tiny.json")).unwrap().value();
    file["outputs"] = json!({});
    let document = Document::parse("tiny.json", &file.to_string(), &directory().join("..")).unwrap();
    let (tiny, _) = spec::from_document("tiny", &document, &Default::default()).unwrap();
    let mut sims = [watched_everywhere(&tiny), tiny].map(|pipeline| simulation(&gpu, pipeline));
    for sim in &mut sims {
        (0..5).for_each(|_| sim.step(false).unwrap());
    }
    let [watched, plain] = &mut sims;
    for field in ["box.heat", "dots.position", "visits"] {
        assert_eq!(watched.read(field).unwrap(), plain.read(field).unwrap());
    }
    assert_eq!(watched.first_bad().unwrap(), None);
}
