//! A division by zero at step 37: the watch stops the run, a replay names the stage, and the checkpoint before it is good.

use super::*;

fn pipeline(shaders: &Path) -> serde_json::Value {
    let shader = |name: &str| shaders.join(name);
    serde_json::json!({
        "run": {"dt": 0.1, "steps_per_frame": 2, "frames": 30, "checkpoint_every": 2, "watch_every": 10},
        "buffers": {
            "a": {"type": "float", "length": 1000, "background": 0},
            "b": {"type": "float", "length": 1000},
            "c": {"type": "vec3", "length": 1000, "background": 0},
        },
        "step": [
            {"stage": "count", "shader": shader("count.comp"), "over": "a", "reads": ["a"], "writes": ["a"]},
            {"stage": "left", "shader": shader("left.comp"), "over": "b", "writes": ["b"]},
            {"repeat": "turn", "over": [0, 1, 2], "stages": [
                {"stage": "divide", "shader": shader("divide.comp"), "over": "c", "reads": ["a", "b", "c"],
                 "writes": ["c"], "arguments": {"numerator": "turn - 2"}}]},
        ],
        "outputs": {"c": {"source": "c"}},
    })
}

fn says(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn watch_names_the_stage_and_an_earlier_checkpoint_resumes() {
    if !device::is_here() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let shaders = Path::new(crate::ROOT).join("tests/data/measures");
    let file = root.path().join("divide.json");
    std::fs::write(&file, pipeline(&shaders).to_string()).unwrap();
    let out = root.path().join("out");
    let output = sastrugi(&["run", "--out"]).arg(&out).arg(&file).output().unwrap();
    let text = says(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("replaying from the checkpoint of frame 18"),
        "{text}"
    );
    assert!(text.contains("after stage `divide` of step 37"), "{text}");
    assert!(text.contains("`c` has -inf at element 517.y"), "{text}");
    // Steps 35 and 36 make frame 18. Step 37 is in frame 19, which was on disk before the watch looked at step 40.
    assert_eq!(checkpoints(&out), ["0016.checkpoint", "0018.checkpoint"]);
    let whole = frames(&out);
    assert!(
        whole.contains_key("c.0018.npy") && !whole.contains_key("c.0020.npy"),
        "{:?}",
        whole.keys()
    );
    // It goes on from there, to the same end.
    std::fs::remove_file(out.join("c.0018.npy")).unwrap();
    let output = sastrugi(&["run", "--resume"]).arg(&out).output().unwrap();
    assert!(
        says(&output).contains("after stage `divide` of step 37"),
        "{}",
        says(&output)
    );
    // Control: without a watch nobody notices, and bad states are kept.
    let blind = root.path().join("blind");
    let unwatched = r#"run={"dt": 0.1, "steps_per_frame": 2, "frames": 30, "checkpoint_every": 2}"#;
    succeeds(
        sastrugi(&["run", "--quiet", "--set", unwatched, "--out"])
            .arg(&blind)
            .arg(&file),
    );
    assert_eq!(frames(&blind).len(), 30);
    assert_eq!(checkpoints(&blind), ["0028.checkpoint", "0030.checkpoint"]);
    // Without checkpoints the replay begins at the start.
    let bare = root.path().join("bare");
    let without = r#"run={"dt": 0.1, "steps_per_frame": 2, "frames": 30, "watch_every": 10}"#;
    let output = sastrugi(&["run", "--set", without, "--out"])
        .arg(&bare)
        .arg(&file)
        .output()
        .unwrap();
    let text = says(&output);
    assert!(text.contains("replaying from the start"), "{text}");
    assert!(text.contains("after stage `divide` of step 37"), "{text}");
}

/// A particle is infinite after step 6 only. Of a ring, the copy that this step wrote counts, and no other.
#[test]
fn checkpoints_of_a_watched_ring_hold_good_values_of_their_step() {
    if !device::is_here() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let shader = "#version 460\n#include \"stage.glsl\"\n\
        void stage(uint i) { set_dots_x(i, float(i) / (i == 57u && clock.step == 5u ? 0.0 : 1.0 + float(clock.step))); }\n";
    std::fs::write(root.path().join("move.comp"), shader).unwrap();
    // Of a dynamic set, all live particles count.
    for (ring, capacity) in [(1, None), (2, None), (3, None), (2, Some(300))] {
        let mut pipeline = serde_json::json!({
            "run": {"dt": 0.1, "steps_per_frame": 1, "frames": 7, "checkpoint_every": 1, "watch_every": 4},
            "particles": {"dots": {"count": 100, "ring": ring, "attributes": {"x": "float"}}},
            "step": [{"stage": "move", "shader": "move.comp", "over": "dots", "writes": ["dots.x"]}],
            "outputs": {"x": {"source": "dots.x"}},
        });
        if let Some(capacity) = capacity {
            let dots = &mut pipeline["particles"]["dots"];
            dots["capacity"] = serde_json::json!(capacity);
            dots["attributes"]["dead"] = serde_json::json!({"type": "uint", "background": 0});
            let removal = serde_json::json!({"remove": "dots", "where": "dots.dead"});
            pipeline["step"].as_array_mut().unwrap().push(removal);
        }
        let file = root.path().join("ring.json");
        std::fs::write(&file, pipeline.to_string()).unwrap();
        let out = root
            .path()
            .join(format!("ring{ring}_{}", capacity.unwrap_or(100)));
        succeeds(sastrugi(&["run", "--quiet", "--out"]).arg(&out).arg(&file));
        assert_eq!(
            checkpoints(&out),
            ["0005.checkpoint", "0007.checkpoint"],
            "a ring of {ring}, {capacity:?}"
        );
    }
}
