//! `sastrugi view`: a pipeline in a window while it runs.
//!
//! Three threads: the main thread has the window and its events ([`app`]), one drives the simulation ([`live`]), and one
//! shows pictures ([`presenter`]). They meet at the [`board`]: finished pictures and the state go one way,
//! [commands](command::Command) the other. No thread waits for the display but the presenter.

mod app;
mod board;
mod camera;
mod command;
mod details;
mod input;
mod keys;
mod live;
mod log;
mod panel;
mod pictures;
mod presenter;
mod reading;
mod record;
mod scene;
mod variant;
mod watcher;

use std::sync::Arc;

use crossbeam::channel::unbounded;
use winit::error::EventLoopError;
use winit::event_loop::EventLoop;
use winit::raw_window_handle::HasDisplayHandle;

use crate::api::Error;
use crate::cache::Cache;
use crate::gpu::{Gpu, OpenOptions, Validation, surface_extensions, tell_of_a_lost_display};
use crate::run::RunError;

use command::Notice;
pub use command::{Base, Request};
pub use keys::help;

/// Opens a window and runs the pipeline in it until the window is closed.
pub fn view(request: Request) -> Result<(), Error> {
    run(request).map_err(Error::of_run)
}

fn run(request: Request) -> Result<(), RunError> {
    let events = EventLoop::<Notice>::with_user_event().build().map_err(|error| {
        RunError::Failed(format!(
            "there is no display for a window: {}\n  help: set DISPLAY or WAYLAND_DISPLAY, or write files with \
             `sastrugi run`",
            reason(&error)
        ))
    })?;
    tell_of_a_lost_display();
    let display = events.display_handle().map_err(|error| {
        RunError::Failed(format!(
            "the display has no handle: {error}\n  help: write files with `sastrugi run`"
        ))
    })?;
    let gpu = Gpu::open(&OpenOptions {
        device: request.device.clone(),
        validation: match request.validation {
            true => Validation::On,
            false => Validation::Off,
        },
        surface: surface_extensions(display.as_raw())?,
        cache: request.cache.as_ref().map_or_else(Cache::off, Cache::at),
        ..OpenOptions::default()
    })?;
    let (commands, orders) = unbounded();
    let board = Arc::new(board::Board::default());
    let (picture, camera) = {
        let start = live::Live::start(&gpu, &request, &board, events.create_proxy())?;
        let first = start.picture();
        let camera = start.camera();
        let thread = std::thread::Builder::new().name("simulation".into());
        let handle = thread.spawn(move || start.run(&orders));
        let handle = handle.map_err(|error| RunError::Failed(format!("cannot start a thread: {error}")))?;
        board.keep(handle);
        (first, camera)
    };
    let start = app::Start {
        picture,
        camera,
        panel: request.panel,
        variant: variant::name(&request.file),
    };
    let mut app = app::App::new(&gpu, &board, events.create_proxy(), commands, start);
    let ended = events.run_app(&mut app);
    app.close();
    let result = board.join();
    ended.map_err(|error| {
        let problem = match error {
            // What winit makes of a lost connection to a Wayland compositor.
            EventLoopError::ExitFailure(_) => "the display is gone".to_string(),
            error => format!("the window: {error}"),
        };
        RunError::Failed(format!("{problem}\n  help: `sastrugi run` needs none"))
    })?;
    app.into_result()?;
    result?;
    drop(board);
    messages(&gpu)
}

fn messages(gpu: &Gpu) -> Result<(), RunError> {
    let messages = gpu.take_validation_messages();
    match messages.is_empty() {
        true => Ok(()),
        false => Err(RunError::Failed(format!(
            "the validation layer reported errors:\n{}",
            messages.join("\n")
        ))),
    }
}

/// What an error of the library says, without the place in its sources that it puts before that.
fn reason(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    text.rsplit(": ").next().unwrap_or_default().to_string()
}

impl From<winit::error::OsError> for RunError {
    fn from(error: winit::error::OsError) -> RunError {
        RunError::Failed(format!(
            "cannot open a window: {}\n  help: `sastrugi run` needs none",
            reason(&error)
        ))
    }
}
