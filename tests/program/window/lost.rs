//! Displays that go away while a window shows.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use super::driver::{Compositor, Display, until};

const MESSAGE: &str = "the display is gone";

#[test]
fn lost_x_server_is_reported() {
    let mut display = Display::start();
    let pipeline = display.pipeline();
    let mut program = crate::start()
        .env("DISPLAY", display.name())
        .env_remove("WAYLAND_DISPLAY")
        .current_dir(display.directory.path())
        .arg("view")
        .arg(pipeline)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the window", || {
        display.tool(
            "xdotool",
            &["search", "--onlyvisible", "--name", "bar that moves"],
        )
    });
    assert!(program.try_wait().unwrap().is_none());
    display.breaks();
    let output = program.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains(MESSAGE) && said.contains("`sastrugi run`"),
        "{said}"
    );
}

#[test]
fn window_that_another_client_destroys_is_reported() {
    let display = Display::start();
    let mut view = display.view(&[]);
    let close = ["windowclose", &view.window];
    display.tool("xdotool", &close).unwrap();
    let said = view.ended(1);
    assert!(
        said.contains("another program destroyed the window") && !said.contains("panicked"),
        "{said}"
    );
}

#[test]
fn lost_wayland_compositor_is_reported() {
    let mut compositor = Compositor::start();
    let mut program = compositor
        .view()
        .env("WAYLAND_DEBUG", "1")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // First they exchange messages: a window that shows something.
    let mut text = BufReader::new(program.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains(".attach(") {
        said.clear();
        assert_ne!(
            text.read_line(&mut said).unwrap(),
            0,
            "the program ended before its window came"
        );
    }
    compositor.breaks();
    text.read_to_string(&mut said).unwrap();
    assert_eq!(program.wait().unwrap().code(), Some(1), "{said}");
    assert!(
        said.contains(MESSAGE) && said.contains("`sastrugi run`"),
        "{said}"
    );
}
