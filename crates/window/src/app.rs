//! The window and its events.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam::channel::Sender;
use sastrugi::{Device, Error};
use winit::application::ApplicationHandler;
use winit::dpi::{PhysicalPosition, PhysicalSize};
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::{Window, WindowId};

use super::board::{Board, Place};
use super::camera::Camera;
use super::command::{Command, Notice};
use super::keys::Action;
use super::panel::{Ask, Panel};
use super::presenter;

mod pointer;

pub(super) const DESTROYED: &str = "another program destroyed the window";
pub(super) const HELP: &str = "`sastrugi run` needs no window; files that were written before are complete";
/// Maximum initial size of the window, pixels; larger pictures are scaled down.
const MAX_SIZE: [u32; 2] = [1600, 1000];
/// Minimum initial height of a window with a panel, pixels.
const MIN_HEIGHT: u32 = 480;
/// Maximum sleep of the event loop. The driver reads from the same X connection in threads of its own, and events that it
/// queues in the process meanwhile do not wake the loop.
const MAX_SLEEP: Duration = Duration::from_millis(50);
/// Limits of the frame rate, frames per second, in the order of the keys `+` and `-`.
const RATES: [Option<f64>; 8] = [
    None,
    Some(60.0),
    Some(30.0),
    Some(15.0),
    Some(8.0),
    Some(4.0),
    Some(2.0),
    Some(1.0),
];

/// Initial state of a window.
pub(super) struct Start {
    /// Size of the picture, pixels.
    pub picture: [u32; 2],
    pub camera: Option<Camera>,
    /// True if the panel is open.
    pub panel: bool,
    /// Proposed file name for saved values.
    pub variant: String,
}

pub(super) struct App {
    device: Device,
    board: Arc<Board>,
    commands: Sender<Command>,
    proxy: winit::event_loop::EventLoopProxy<Notice>,
    start: Start,
    /// The current camera, if the pipeline has one.
    camera: Option<Camera>,
    /// Visible rectangle of the picture, pixels; `None`: all of it.
    part: Option<[[f32; 2]; 2]>,
    rate: usize,
    window: Option<Arc<Window>>,
    panel: Option<Panel>,
    presenter: Option<JoinHandle<Result<(), Error>>>,
    pointer: PhysicalPosition<f64>,
    held: Option<MouseButton>,
    error: Option<Error>,
}

impl App {
    pub(super) fn new(
        device: &Device,
        board: &Arc<Board>,
        proxy: winit::event_loop::EventLoopProxy<Notice>,
        commands: Sender<Command>,
        start: Start,
    ) -> App {
        App {
            device: device.clone(),
            board: Arc::clone(board),
            commands,
            proxy,
            camera: start.camera.clone(),
            start,
            part: None,
            rate: 0,
            window: None,
            panel: None,
            presenter: None,
            pointer: PhysicalPosition::new(0.0, 0.0),
            held: None,
            error: None,
        }
    }

    /// Stops both threads, and waits for the presenter, which uses the window.
    pub(super) fn close(&mut self) {
        let _ = self.commands.send(Command::Quit);
        self.board.close();
        match self.presenter.take().map(JoinHandle::join) {
            None | Some(Ok(Ok(()))) => {}
            Some(Ok(Err(error))) => self.error = self.error.take().or(Some(error)),
            Some(Err(_)) => self.error = Some(Error::failed("the presenter panicked")),
        }
        self.window = None;
    }

    pub(super) fn into_result(self) -> Result<(), Error> {
        self.error.map_or(Ok(()), Err)
    }

    fn open(&mut self, events: &ActiveEventLoop) -> Result<(), Error> {
        let scale = [0, 1].map(|axis| f64::from(MAX_SIZE[axis]) / f64::from(self.start.picture[axis]));
        let scale = scale[0].min(scale[1]).min(1.0);
        let size = self
            .start
            .picture
            .map(|side| ((f64::from(side) * scale).round() as u32).max(1));
        let attributes = Window::default_attributes()
            .with_title("sastrugi")
            .with_inner_size(PhysicalSize::new(size[0], size[1]));
        let window = events.create_window(attributes).map_err(|error| {
            Error::failed(format!(
                "cannot open a window: {}\n  help: `sastrugi run` needs none",
                super::reason(&error)
            ))
        })?;
        let window = Arc::new(window);
        let proxy = self.proxy.clone();
        let failed = move || {
            let _ = proxy.send_event(Notice::Ended);
        };
        self.presenter = Some(presenter::start(
            &self.device,
            Arc::clone(&window),
            &self.board,
            failed,
        )?);
        let panel = Panel::new(&window, self.start.panel, self.start.variant.clone());
        if panel.open {
            // Room for the panel beside the picture, and enough height to read it.
            let size = PhysicalSize::new(size[0] + panel.left(&window), size[1].max(MIN_HEIGHT));
            let _ = window.request_inner_size(size);
        }
        self.send(Command::Panel(panel.open));
        self.panel = Some(panel);
        // Status notices from before the window existed were dropped.
        window.set_title(&self.board.text());
        self.window = Some(window);
        self.resized();
        Ok(())
    }

    fn size(&self) -> [u32; 2] {
        let size = self.window.as_ref().map(|window| window.inner_size());
        size.map_or([0, 0], |size| [size.width, size.height])
    }

    fn left(&self) -> u32 {
        let panel = self.panel.as_ref().zip(self.window.as_ref());
        panel.map_or(0, |(panel, window)| panel.left(window))
    }

    fn resized(&self) {
        self.board.place(Place {
            window: self.size(),
            left: self.left(),
            part: self.part,
        });
    }

    /// Draws the panel and carries out its requests.
    fn paint(&mut self, events: &ActiveEventLoop) {
        let (Some(panel), Some(window)) = (&mut self.panel, &self.window) else {
            return;
        };
        let (details, problem) = self.board.details();
        let rate = match RATES[self.rate] {
            None => "as fast as it goes".to_string(),
            Some(rate) => format!("at most {rate} frames/s"),
        };
        let (overlay, asks) = panel.paint(window, (&details, &problem), &rate);
        self.board.cover(overlay);
        for ask in asks {
            match ask {
                Ask::Do(action) => self.act(action, events),
                Ask::Send(command) => self.send(command),
            }
        }
    }

    fn again(&self) -> Option<Instant> {
        self.panel.as_ref().and_then(|panel| panel.again)
    }

    fn send(&self, command: Command) {
        // Sending fails only after the simulation has ended; the window then closes.
        let _ = self.commands.send(command);
    }

    fn send_camera(&self) {
        if let Some(camera) = &self.camera {
            self.send(Command::Set(camera.values()));
        }
    }

    fn act(&mut self, action: Action, events: &ActiveEventLoop) {
        match action {
            Action::Pause => self.send(Command::TogglePause),
            Action::Step => self.send(Command::Step),
            Action::Faster | Action::Slower => {
                self.rate = match action {
                    Action::Faster => self.rate.saturating_sub(1),
                    _ => (self.rate + 1).min(RATES.len() - 1),
                };
                self.send(Command::Rate(RATES[self.rate]));
            }
            Action::Restart => self.send(Command::Restart),
            Action::Screenshot => self.send(Command::Screenshot),
            Action::Record => self.send(Command::Record),
            Action::NextPicture => {
                self.part = None;
                self.resized();
                self.send(Command::NextPicture);
            }
            Action::Home => {
                self.part = None;
                self.resized();
                self.camera.clone_from(&self.start.camera);
                self.send_camera();
            }
            Action::Panel => {
                if let Some(panel) = &mut self.panel {
                    panel.open = !panel.open;
                    let open = panel.open;
                    self.send(Command::Panel(open));
                }
                self.resized();
                self.paint(events);
            }
            Action::Fly([ahead, right]) => {
                if let Some(camera) = &mut self.camera {
                    camera.fly(ahead, right);
                }
                self.send_camera();
            }
            Action::Quit => events.exit(),
        }
    }
}

impl ApplicationHandler<Notice> for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.window.is_none()
            && let Err(error) = self.open(events)
        {
            self.error = Some(error);
            events.exit();
        }
    }

    fn user_event(&mut self, events: &ActiveEventLoop, notice: Notice) {
        match (notice, &self.window) {
            (Notice::Ended, _) => events.exit(),
            (Notice::Status, Some(window)) => {
                window.set_title(&self.board.text());
                self.paint(events);
            }
            (Notice::Status, None) => {}
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        if self.again().is_some_and(|again| again <= Instant::now()) {
            self.paint(events);
        }
        let latest = Instant::now() + MAX_SLEEP;
        let wake = self.again().map_or(latest, |again| again.min(latest));
        events.set_control_flow(ControlFlow::WaitUntil(wake));
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if let (Some(panel), Some(window)) = (&mut self.panel, &self.window) {
            let pointer = match &event {
                WindowEvent::CursorMoved { position, .. } => position.x,
                _ => self.pointer.x,
            };
            let takes = panel.takes(window, &event, pointer);
            // A drag that began on the picture continues over the panel.
            if takes && self.held.is_none() {
                if let WindowEvent::CursorMoved { position, .. } = event {
                    self.pointer = position;
                }
                return;
            }
        }
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::Destroyed => {
                // Nothing may ask for its size any more.
                self.window = None;
                self.error = Some(Error::failed(format!("{DESTROYED}\n  help: {HELP}")));
                events.exit();
            }
            WindowEvent::Resized(_) | WindowEvent::RedrawRequested | WindowEvent::Occluded(false) => {
                self.resized()
            }
            WindowEvent::KeyboardInput { event, .. } => self.key(&event, events),
            WindowEvent::MouseInput { state, button, .. } => {
                let pressed = state == ElementState::Pressed;
                self.held = (!self.press(button, pressed) && pressed).then_some(button);
            }
            WindowEvent::CursorMoved { position, .. } => self.moved(position),
            WindowEvent::MouseWheel { delta, .. } => self.zoomed(match delta {
                MouseScrollDelta::LineDelta(_, lines) => f64::from(lines),
                MouseScrollDelta::PixelDelta(by) => by.y / 40.0,
            }),
            _ => {}
        }
    }
}
