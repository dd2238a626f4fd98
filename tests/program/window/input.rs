//! The pointer as a pipeline reads it, and runs that repeat what was done.

use std::path::Path;

use super::driver::{Display, Pixels, until};

const LAST: u32 = 9;

/// All frames of the fluid of the window, as `run` writes them.
fn frames(display: &Display, name: &str, arguments: &[&str]) -> Vec<Pixels> {
    let out = display.directory.path().join(name);
    let mut command = crate::start();
    command.args([
        "run",
        "fluids",
        "--quiet",
        "--set",
        "n=128",
        "--set",
        &format!("run.frames={LAST}"),
        "--out",
    ]);
    command.arg(&out).args(arguments);
    assert!(command.status().unwrap().success());
    all(&out)
}

fn all(directory: &Path) -> Vec<Pixels> {
    let path = |number: u32| directory.join(format!("view.{number:04}.png"));
    (3..=LAST).map(|number| Pixels::read(&path(number))).collect()
}

#[test]
fn pointer_input_replays_to_equal_frames() {
    let display = Display::start();
    let fluids = Path::new(crate::ROOT).join("pipelines/fluids.json");
    let mut view = display.view_of(
        &fluids,
        &["--set", "n=128", "--no-panel", "--pause", "2", "--out", "rec"],
    );
    view.waits_for("frame 2, paused");
    view.key("o");
    view.waits_for("RECORDING");
    view.pointer("mousemove", [30, 40]);
    view.pointer("mousedown", [0, 0]);
    for number in 3..=LAST {
        let along = 10 * (number as i32 - 3);
        view.pointer("mousemove", [30 + along, 40 + along / 2]);
        if number == 7 {
            view.pointer("mouseup", [0, 0]);
        }
        view.key("period");
        view.waits_for(&format!("frame {number}, paused"));
    }
    view.key("o");
    let said = view.ends();
    assert!(said.contains("changes are logged in rec/input.jsonl"), "{said}");
    let recorded = all(&display.directory.path().join("rec"));
    let log = display.directory.path().join("rec/input.jsonl");
    let log = log.to_str().unwrap();
    let replayed = frames(&display, "replayed", &["--replay", log]);
    let plain = frames(&display, "plain", &[]);
    let differ = |others: &[Pixels]| {
        recorded
            .iter()
            .zip(others)
            .filter(|(one, other)| one != other)
            .count()
    };
    assert_eq!(differ(&replayed), 0);
    assert!(
        differ(&plain) >= 5,
        "the pointer changed {} frames",
        differ(&plain)
    );
}

#[test]
fn pointer_has_a_scene_position() {
    let display = Display::start();
    let pipeline = Path::new(crate::ROOT).join("tests/data/window/scene.json");
    let mut view = display.view_of(&pipeline, &["--no-panel", "--pause", "2", "--out", "rec"]);
    view.waits_for("frame 2, paused");
    let (red, blue) = ([255, 0, 0], [0, 0, 255]);
    let places = [[40, 40], [120, 90]];
    for (number, place) in places.into_iter().enumerate() {
        view.pointer("mousemove", place);
        view.key("period");
        view.waits_for(&format!("frame {}, paused", number + 3));
        let [x, y] = place.map(|at| at as u32);
        let drawn = until("the mark", || {
            let pixels = view.pixels();
            (pixels.at(x, y) == red).then_some(pixels)
        });
        let [x, y] = places[1 - number].map(|at| at as u32);
        assert_eq!(drawn.at(x, y), blue);
    }
    view.ends();
    let log = std::fs::read_to_string(display.directory.path().join("rec/input.jsonl")).unwrap();
    let last = log.lines().last().unwrap();
    assert!(last.contains("brush.place"), "{log}");
    let heights = log.matches(", 0.000000]").count() + log.matches(", -0.000000]").count();
    assert_eq!(heights, 2, "{log}");
}
