//! The thread of the simulation: runs steps, draws pictures and executes commands.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError};
use sastrugi::{
    Builder, Device, Error, ErrorKind, Image, Options, Parameter, Pipeline, Problems, Simulation, Snapshot,
};
use winit::event_loop::EventLoopProxy;

use super::board::Board;
use super::camera::{self, Camera};
use super::command::{Base, Command, Notice, Request};
use super::input::{Input, Wanted, wanted};
use super::log::Log;
use super::pictures;
use super::scene::Scene;
use super::variant;
use super::watcher::Watcher;

mod frames;
mod panel;
mod reload;

/// Longest wait for a command before the thread checks for Ctrl-C.
const IDLE: Duration = Duration::from_millis(100);

pub(super) struct Live {
    device: Device,
    /// The file, without overrides.
    file: Builder,
    overrides: Vec<String>,
    /// Values that were set in the window, by path.
    changes: BTreeMap<String, String>,
    directory: PathBuf,
    options: Options,
    say: fn(&str),
    render: fn(&Problems) -> String,
    stop: Arc<AtomicBool>,
    board: Arc<Board>,
    window: EventLoopProxy<Notice>,
    simulation: Simulation,
    images: Vec<Image>,
    /// Index of the shown image.
    shown: usize,
    pictures: Vec<Snapshot>,
    paused: bool,
    pause_after: Option<u64>,
    end_after: Option<u64>,
    rate: Option<f64>,
    watcher: Option<Watcher>,
    counted: (Instant, u64, f64),
    base: Base,
    /// True while the panel is open, and stages are timed.
    panel: bool,
    parameters: Arc<Vec<Parameter>>,
    input: Input,
    /// Parameters with an input.
    reads: Arc<Vec<Wanted>>,
    /// Depths of the picture, for pipelines that read the position under the pointer.
    scene: Option<Scene>,
    changed: Log,
    /// Time of the last step with timed stages.
    timed: Instant,
}

impl Live {
    /// Reads the file, compiles, and runs the init stages.
    pub(super) fn start(
        device: &Device,
        request: &Request,
        board: &Arc<Board>,
        window: EventLoopProxy<Notice>,
    ) -> Result<Live, Error> {
        let mut file = Pipeline::from_file(&request.file);
        if let Some(cache) = &request.cache {
            file = file.cache(cache);
        }
        let pipeline = file.clone().set_all(request.overrides.clone()).build()?;
        let shown = pictures::find(&pipeline, request.picture.as_deref())?;
        let images = pipeline.images();
        (request.say)(&format!("{} on {}", pipeline.title(), device.info().name));
        let simulation = Simulation::with_options(device, &pipeline, request.options)?;
        let pictures = pictures::pictures(&simulation, &images[shown])?;
        let parameters = Arc::new(pipeline.parameters().to_vec());
        let reads = Arc::new(wanted(&parameters));
        let scene = Scene::of(&simulation)?;
        let mut watcher = None;
        match Watcher::new(&request.file, &simulation) {
            Ok(started) => watcher = Some(started),
            Err(error) => (request.say)(&format!("warning: changed files are not noticed: {error}")),
        }
        Ok(Live {
            device: device.clone(),
            file,
            overrides: request.overrides.clone(),
            changes: BTreeMap::new(),
            directory: request.directory.clone(),
            options: request.options,
            say: request.say,
            render: request.render,
            stop: Arc::clone(&request.stop),
            board: Arc::clone(board),
            window,
            simulation,
            images,
            shown,
            pictures,
            paused: false,
            pause_after: request.pause,
            end_after: request.frames,
            rate: None,
            watcher,
            counted: (Instant::now(), 0, 0.0),
            base: request.base.clone(),
            panel: false,
            parameters,
            input: Input::default(),
            reads,
            scene,
            changed: Log::Empty(request.overrides.clone()),
            timed: Instant::now(),
        })
    }

    /// Size of the shown picture, pixels.
    pub(super) fn picture(&self) -> [u32; 2] {
        self.images[self.shown].size
    }

    /// The camera of the pipeline, if it has one.
    pub(super) fn camera(&self) -> Option<Camera> {
        camera::of(&self.parameters)
    }

    /// Runs until `Quit`, Ctrl-C or the last frame. A failed step ends it with the error.
    pub(super) fn run(mut self, orders: &Receiver<Command>) -> Result<(), Error> {
        let (began, before) = (Instant::now(), self.simulation.step_count());
        let result = self.drive(orders).and_then(|()| self.simulation.wait());
        let steps = self.simulation.step_count().saturating_sub(before);
        if result.is_ok() && steps > 0 {
            let seconds = began.elapsed().as_secs_f64();
            (self.say)(&format!(
                "{steps} steps in {seconds:.1} s: {:.1} steps/s, pictures shown: {}",
                steps as f64 / seconds,
                self.board.count()
            ));
        }
        if result.is_ok() {
            self.simulation.end_recording()?;
        }
        // The presenter may still copy from the buffers; its `Snapshot` keeps them alive.
        let _ = self.window.send_event(Notice::Ended);
        if result
            .as_ref()
            .is_err_and(|error| error.kind() == ErrorKind::Timeout)
        {
            // The device still uses the pictures, and waiting for it in `drop` would hang again.
            std::mem::forget(self);
        }
        result
    }

    fn drive(&mut self, orders: &Receiver<Command>) -> Result<(), Error> {
        let mut next = Instant::now();
        self.counted = (Instant::now(), self.simulation.frame_count(), 0.0);
        loop {
            let now = Instant::now();
            let wait = if self.paused {
                IDLE
            } else {
                next.saturating_duration_since(now).min(IDLE)
            };
            match orders.recv_timeout(wait) {
                Ok(Command::Quit) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Ok(command) => {
                    // Merge the changes that arrived during a frame: one reload serves all of them.
                    let mut command = command;
                    while let Ok(later) = orders.try_recv() {
                        match (&mut command, later) {
                            (Command::Set(sets), Command::Set(more)) => sets.extend(more),
                            (Command::Change(sets), Command::Change(more)) => sets.extend(more),
                            (_, Command::Quit) => return Ok(()),
                            (_, later) => {
                                self.obey(std::mem::replace(&mut command, later))?;
                            }
                        }
                    }
                    self.obey(command)?;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.stop.load(Ordering::SeqCst) {
                return Ok(());
            }
            if self.watcher.as_ref().is_some_and(Watcher::has_changed) {
                self.obey(Command::Reload)?;
            }
            if self.paused || Instant::now() < next {
                continue;
            }
            self.frame()?;
            next = match self.rate {
                Some(rate) => (next + Duration::from_secs_f64(1.0 / rate)).max(now),
                None => Instant::now(),
            };
            let frames = self.simulation.frame_count();
            if self.end_after.is_some_and(|last| frames >= last) {
                return Ok(());
            }
            if self.pause_after == Some(frames) {
                self.paused = true;
                self.status();
            }
        }
    }

    fn obey(&mut self, command: Command) -> Result<(), Error> {
        match command {
            Command::TogglePause => self.paused = !self.paused,
            Command::Step => {
                self.paused = true;
                self.frame()?;
            }
            Command::Rate(rate) => self.rate = rate,
            Command::Restart => self.restart()?,
            Command::Set(values) => {
                self.set(values)?;
            }
            // The next frame reads the input; the status stays the same.
            Command::Input(event) => {
                self.input.add(event);
                return Ok(());
            }
            Command::Change(values) => {
                // A drag of a slider sends many values: print only the last one.
                let last = values.last().map(|(path, value)| format!("{path} = {value}"));
                if self.set(values)?
                    && let Some(last) = last
                {
                    (self.say)(&last);
                }
            }
            Command::SaveAs(name) => {
                let document = self.simulation.pipeline().document();
                match variant::save(&self.base, &name, document, &self.all_changes()) {
                    Ok(path) => (self.say)(&format!("wrote {}", path.display())),
                    Err(problem) => self.complain(&problem),
                }
            }
            Command::ShowPicture(number) => self.look_at_another(number)?,
            Command::Panel(open) => {
                self.panel = open;
            }
            Command::Reload => {
                self.reload(true)?;
            }
            Command::Screenshot => {
                let image = self.image().clone();
                let path = self.simulation.save_picture(&image, &self.directory)?;
                (self.say)(&format!("wrote {}", path.display()));
            }
            Command::Record => self.record()?,
            Command::NextPicture => self.look_at_another((self.shown + 1) % self.images.len())?,
            Command::Quit => {}
        }
        self.status();
        Ok(())
    }

    fn record(&mut self) -> Result<(), Error> {
        if self.simulation.end_recording()?.is_some() {
            (self.say)("the recording has ended");
            return Ok(());
        }
        (self.say)(&format!("records into {}", self.directory.display()));
        self.simulation.record(&self.directory)
    }

    /// Publishes the state on the board.
    fn status(&mut self) {
        let pipeline = self.simulation.pipeline();
        let rate = if self.paused {
            "paused".to_string()
        } else {
            format!(
                "{:.1} steps/s",
                self.counted.2 * f64::from(pipeline.steps_per_frame())
            )
        };
        let recording = if self.simulation.is_recording() {
            ", RECORDING"
        } else {
            ""
        };
        let status = format!(
            "{}: {}, frame {}, {rate}{recording}",
            pipeline.title(),
            self.image().name,
            self.simulation.frame_count(),
        );
        if self.board.say(status, self.details()) {
            let _ = self.window.send_event(Notice::Status);
        }
    }
}
