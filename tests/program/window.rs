//! The window, driven by synthetic input under a virtual X server, and under a Wayland compositor without a display. Every
//! run has the validation layer on, and any message of it makes the exit code 1.

mod driver;
mod input;
mod lost;
mod panel;

use driver::{Compositor, Display, Pixels, until};

/// A frame of the same pipeline as `run` writes it.
fn frame(display: &Display, number: u32, set: &[&str]) -> Pixels {
    let out = display.directory.path().join("run");
    let mut command = crate::start();
    let frames = number.to_string();
    command
        .arg("run")
        .arg(display.pipeline())
        .args(["--quiet", "--force", "--frames", &frames, "--out"]);
    command.arg(&out).args(set.iter().flat_map(|set| ["--set", set]));
    assert!(command.status().unwrap().success());
    Pixels::read(&out.join(format!("view.{number:04}.png")))
}

#[test]
fn window_shows_the_file_picture() {
    let display = Display::start();
    let (fifth, fourth) = (frame(&display, 5, &[]), frame(&display, 4, &[]));
    assert!(fifth != fourth, "a comparison that could not fail");
    let mut view = display.view(&["--pause", "5"]);
    view.waits_for("frame 5, paused");
    view.shows(&fifth);
    view.key("period");
    view.waits_for("frame 6, paused");
    view.shows(&frame(&display, 6, &[]));
    // A screenshot is the same picture again.
    view.key("p");
    let shot = display
        .directory
        .path()
        .join("out/moving-view/view-color.0006.png");
    until("the screenshot", || shot.is_file().then_some(()));
    view.key("r");
    view.waits_for("frame 0, paused");
    let said = view.ends();
    assert!(
        said.contains("wrote out/moving-view/view-color.0006.png"),
        "{said}"
    );
    assert!(Pixels::read(&shot) == frame(&display, 6, &[]));
}

#[test]
fn pointer_orbits_the_camera_and_keeps_the_state() {
    let display = Display::start();
    let mut view = display.view(&["--pause", "5"]);
    view.waits_for("frame 5, paused");
    let before = frame(&display, 5, &[]);
    view.shows(&before);
    view.drag([40, 0]);
    let turned = view.changes_from(&before);
    // The background depends on the camera, the bar on the state: 3 + 5 steps of 2 pixels.
    assert_ne!(turned.at(100, 60)[0], before.at(100, 60)[0]);
    assert_eq!(turned.at(13, 60), [255, 255, 0]);
    view.key("h");
    view.shows(&before);
    view.ends();
}

#[test]
fn edited_files_are_reloaded_unless_invalid() {
    let display = Display::start();
    let mut view = display.view(&["--pause", "5"]);
    view.waits_for("frame 5, paused");
    let before = frame(&display, 5, &[]);
    view.shows(&before);
    // An include: the bar has another colour at the place that it has moved to.
    view.edit("colors.glsl", "vec3(1.0, 1.0, 0.0)", "vec3(0.0, 1.0, 1.0)");
    let blue = view.changes_from(&before);
    assert_eq!(blue.at(13, 60), [0, 255, 255]);
    assert_eq!(blue.at(100, 60), before.at(100, 60));
    // A mistake keeps the picture, and is told.
    view.edit("draw.comp", "set_view_color(pixel", "set_view_colour(pixel");
    view.waits_for("PROBLEM");
    view.shows(&blue);
    view.edit("draw.comp", "set_view_colour(pixel", "set_view_color(pixel");
    until("the end of the problem", || {
        (!view.title().contains("PROBLEM")).then_some(())
    });
    // A value of the file.
    view.edit("moving.json", "\"value\": 0.5", "\"value\": 1");
    let green = view.changes_from(&blue);
    assert_eq!(green.at(100, 60)[1], 255);
    view.key("period");
    view.waits_for("frame 6, paused");
    until("the next place of the bar", || {
        (view.pixels().at(15, 60) == [0, 255, 255]).then_some(())
    });
    let said = view.ends();
    assert!(
        said.contains("draw.comp:") && said.contains("set_view_colour"),
        "{said}"
    );
}

#[test]
fn changed_sizes_require_a_restart() {
    let display = Display::start();
    let mut view = display.view(&["--pause", "5"]);
    view.waits_for("frame 5, paused");
    view.edit("moving.json", "\"length\": 1}", "\"length\": 7}");
    view.waits_for("press R");
    view.key("r");
    until("the restart", || {
        (!view.title().contains("PROBLEM")).then_some(())
    });
    view.waits_for("frame 0");
    view.ends();
}

#[test]
fn any_window_size_shows_the_picture() {
    let display = Display::start();
    let mut view = display.view(&["--pause", "5"]);
    view.waits_for("frame 5, paused");
    for number in 0..60 {
        let [width, height] = [[1, 1], [1, 700], [900, 1], [1270, 1000], [320, 240]][number % 5];
        let size = [width, height].map(|side: u32| side.to_string());
        let resized = display.tool("xdotool", &["windowsize", &view.window, &size[0], &size[1]]);
        resized.unwrap();
    }
    // Twice as large; the borders of the bar are blended, and inside it is as it was.
    until("the picture in the last size", || {
        let pixels = view.pixels();
        (pixels.size == [320, 240] && pixels.at(26, 120) == [255, 255, 0]).then_some(())
    });
    view.ends();
}

#[test]
fn recording_equals_the_files_of_run() {
    let display = Display::start();
    let mut view = display.view(&["--pause", "2", "--out", "rec"]);
    view.waits_for("frame 2, paused");
    view.key("o");
    view.waits_for("RECORDING");
    for number in 3..6 {
        view.key("period");
        view.waits_for(&format!("frame {number}, paused"));
    }
    view.key("o");
    until("the end of the recording", || {
        (!view.title().contains("RECORDING")).then_some(())
    });
    view.ends();
    for number in 3..6 {
        let path = display.directory.path().join(format!("rec/view.{number:04}.png"));
        assert!(Pixels::read(&path) == frame(&display, number, &[]), "{number}");
    }
    assert!(!display.directory.path().join("rec/view.0002.png").exists());
}

#[test]
fn missing_display_error_suggests_run() {
    let view = |name: Option<&str>| {
        let mut command = crate::start();
        command.args(["view", "tests/data/window/moving.json"]);
        command
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .env_remove("DISPLAY");
        command.current_dir(crate::ROOT);
        if let Some(name) = name {
            command.env("DISPLAY", name);
        }
        let output = command.output().unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    for name in [None, Some(":9999")] {
        let (code, said) = view(name);
        assert_eq!(code, Some(1), "{said}");
        assert!(
            said.contains("no display") && said.contains("sastrugi run") && !said.contains(".rs:"),
            "{said}"
        );
    }
}

#[test]
fn window_starts_draws_and_closes_under_wayland() {
    let compositor = Compositor::start();
    let output = compositor
        .view()
        .args(["--frames", "30", "--validation"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
}
