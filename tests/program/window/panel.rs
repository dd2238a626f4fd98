//! The panel of the window.

use std::fs;
use std::time::Duration;

use super::driver::{Display, Pixels, View, until};
use super::frame;

const PICTURE: [u32; 2] = [160, 120];

/// The picture beside the panel, once the window has its size.
fn picture(view: &View) -> Pixels {
    let window = until("the window in its size", || {
        let pixels = view.pixels();
        (pixels.size[0] > 2 * PICTURE[0] && pixels.size[1] > PICTURE[1]).then_some(pixels)
    });
    let corner = [window.size[0] - PICTURE[0], (window.size[1] - PICTURE[1]) / 2];
    window.part(corner, PICTURE)
}

fn shows(view: &View, wanted: &Pixels) {
    until("the picture", || (picture(view) == *wanted).then_some(()));
}

#[test]
fn slider_changes_a_parameter_and_saves_it() {
    let display = Display::start();
    let (before, after) = (frame(&display, 5, &[]), frame(&display, 5, &["green=1"]));
    assert!(before != after, "a comparison that could not fail");
    let mut view = display.view_with_panel(&["--pause", "5"]);
    view.waits_for("frame 5, paused");
    shows(&view, &before);
    // The slider is in one of these rows, as the panel is today in the first; it goes from 0 to 1, and the drag goes beyond
    // its end.
    let slider = [136].into_iter().chain((100..200).step_by(6)).find(|row| {
        view.drag_from([262, *row], [80, 0]);
        std::thread::sleep(Duration::from_millis(400));
        picture(&view) != before
    });
    assert!(slider.is_some(), "no row has the slider");
    shows(&view, &after);
    let saved = display.directory.path().join("moving_changed.json");
    // From below, as a click on a group of parameters would open it and move the button.
    let button = [206].into_iter().chain((170..280).step_by(6).rev()).find(|row| {
        view.drag_from([284, *row], [0, 0]);
        std::thread::sleep(Duration::from_millis(400));
        saved.is_file()
    });
    // A key goes to the text that is edited, otherwise to the window: `q` does not quit, tab and space press no button.
    let Some(button) = button else {
        panic!("no row has the button")
    };
    view.drag_from([150, button], [0, 0]);
    std::thread::sleep(Duration::from_millis(400));
    view.key("q");
    view.drag_from([284, button], [0, 0]);
    until("a file of the edited name", || {
        let files = fs::read_dir(display.directory.path()).unwrap();
        files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            // On a busy machine the two clicks count as a double click, which selects the name, and the key replaces it.
            .find(|name| name.ends_with(".json") && name.contains('q'))
    });
    for key in ["Tab", "Tab", "Tab", "space"] {
        view.key(key);
    }
    until("a simulation that runs", || {
        (!view.title().contains("paused")).then_some(())
    });
    // The panel goes away and leaves the window to the picture.
    view.key("F1");
    until("the larger picture", || {
        let pixels = view.pixels();
        let left = [1, pixels.size[1] / 2];
        (pixels.at(left[0], left[1])[1] == 255).then_some(())
    });
    let said = view.ends();
    assert!(said.contains("green = 1"), "{said}");
    let out = display.directory.path().join("saved");
    let mut command = crate::start();
    command
        .arg("run")
        .arg(&saved)
        .args(["--quiet", "--frames", "5", "--out"])
        .arg(&out);
    assert!(command.status().unwrap().success());
    assert!(Pixels::read(&out.join("view.0005.png")) == after);
}
