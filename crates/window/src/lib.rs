//! `sastrugi view`: runs a pipeline in a window. Uses only the public API of the library.
//!
//! There are three threads. The main thread handles events of the window (`app`), one runs the simulation (`live`), and
//! one shows pictures (`presenter`). The simulation publishes pictures and its state on the `board`; the window sends
//! commands to the simulation. Only the presenter waits for the display.

#![deny(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod app;
mod board;
mod camera;
mod command;
mod details;
mod input;
mod keys;
mod live;
mod log;
#[cfg(unix)]
#[allow(
    unsafe_code,
    reason = "Xlib has a handler for lost displays; the call argues its safety"
)]
mod lost_display;
mod panel;
mod pictures;
mod presenter;
mod scene;
mod variant;
mod watcher;

use std::sync::Arc;

use crossbeam::channel::unbounded;
use sastrugi::{Device, DeviceOptions, Error};
use winit::error::EventLoopError;
use winit::event_loop::EventLoop;

use command::Notice;
pub use command::{Base, Request};
pub use keys::help;

/// Opens a window and runs a pipeline in it until the window is closed.
pub fn view(request: Request) -> Result<(), Error> {
    let events = EventLoop::<Notice>::with_user_event().build().map_err(|error| {
        Error::failed(format!(
            "there is no display for a window: {}\n  help: set DISPLAY or WAYLAND_DISPLAY, or write files with \
             `sastrugi run`",
            reason(&error)
        ))
    })?;
    #[cfg(unix)]
    lost_display::exit_on_lost_display();
    let options = DeviceOptions {
        device: request.device.clone(),
        validation: request.validation,
        cache: request.cache.clone(),
        ..DeviceOptions::default()
    };
    let device = Device::open_for(&options, &events)?;
    let (commands, orders) = unbounded();
    let board = Arc::new(board::Board::default());
    let (picture, camera) = {
        let start = live::Live::start(&device, &request, &board, events.create_proxy())?;
        let first = start.picture();
        let camera = start.camera();
        let thread = std::thread::Builder::new().name("simulation".into());
        let handle = thread.spawn(move || start.run(&orders));
        let handle = handle.map_err(|error| Error::failed(format!("cannot start a thread: {error}")))?;
        board.keep(handle);
        (first, camera)
    };
    let start = app::Start {
        picture,
        camera,
        panel: request.panel,
        variant: variant::name(&request.file),
    };
    let mut app = app::App::new(&device, &board, events.create_proxy(), commands, start);
    let ended = events.run_app(&mut app);
    app.close();
    let result = board.join();
    ended.map_err(|error| {
        let problem = match error {
            // winit reports a lost connection to a Wayland compositor as an exit code.
            EventLoopError::ExitFailure(_) => "the display is gone".to_string(),
            error => format!("the window: {error}"),
        };
        Error::failed(format!("{problem}\n  help: `sastrugi run` needs none"))
    })?;
    app.into_result()?;
    result?;
    drop(board);
    device.validated(Ok(()))
}

/// The message of a winit error, without the source location that precedes it.
fn reason(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    text.rsplit(": ").next().unwrap_or_default().to_string()
}
