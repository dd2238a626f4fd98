//! Pointer and key events over the picture: inputs of the pipeline, motion of the camera, or scrolling and zooming.

use sastrugi::{Input, screen};
use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, KeyEvent, MouseButton};
use winit::event_loop::ActiveEventLoop;

use super::super::command::Command;
use super::super::input::InputEvent;
use super::super::keys;
use super::App;

impl App {
    /// Size of the shown image, pixels.
    pub(super) fn picture(&self) -> [u32; 2] {
        match self.board.details().0.picture {
            [0, _] | [_, 0] => self.start.picture,
            size => size,
        }
    }

    /// True if a parameter of the pipeline has an input that `is_meant` accepts.
    pub(super) fn reads(&self, is_meant: impl Fn(&Input) -> bool) -> bool {
        self.board
            .details()
            .0
            .reads
            .iter()
            .any(|(input, _)| is_meant(input))
    }

    /// Sends the position of the pointer to a pipeline that reads it.
    pub(super) fn point(&self) {
        if self.reads(|input| matches!(input, Input::PointerAt | Input::PointerMoved | Input::Scene(_))) {
            let picture = self.picture();
            let part = self.part.unwrap_or([[0.0; 2], picture.map(|side| side as f32)]);
            let pixel = [self.pointer.x, self.pointer.y];
            if let Some(at) = screen::position(picture, part, self.left(), self.size(), pixel) {
                self.send(Command::Input(InputEvent::At(at)));
            }
        }
    }

    /// Sends a button to a pipeline that reads it; returns true if it does.
    pub(super) fn press(&self, button: MouseButton, held: bool) -> bool {
        let (wanted, event) = match button {
            MouseButton::Left => (Input::PointerLeft, InputEvent::Left(held)),
            MouseButton::Right => (Input::PointerRight, InputEvent::Right(held)),
            _ => return false,
        };
        let reads = self.reads(|input| *input == wanted);
        if reads {
            self.send(Command::Input(event));
        }
        reads
    }

    /// Sends a key to a pipeline that reads it, and otherwise runs the action of the key.
    pub(super) fn key(&mut self, event: &KeyEvent, events: &ActiveEventLoop) {
        let pressed = event.state == ElementState::Pressed;
        match keys::name(&event.logical_key) {
            Some(key) if self.reads(|input| *input == Input::Key(key.clone())) && event.repeat => {}
            Some(key) if self.reads(|input| *input == Input::Key(key.clone())) => {
                self.send(Command::Input(InputEvent::Key(key, pressed)))
            }
            _ if pressed => {
                if let Some(action) = keys::action(&event.logical_key) {
                    self.act(action, events);
                }
            }
            _ => {}
        }
    }

    pub(super) fn moved(&mut self, to: PhysicalPosition<f64>) {
        let moved = [to.x - self.pointer.x, to.y - self.pointer.y];
        self.pointer = to;
        self.point();
        let Some(button) = self.held else { return };
        let height = f64::from(self.size()[1]);
        let turns_right = self.reads(|input| *input == Input::PointerLeft);
        match (&mut self.camera, button) {
            (Some(camera), MouseButton::Right) if turns_right => camera.orbit(moved),
            (Some(camera), MouseButton::Left) => camera.orbit(moved),
            (Some(camera), MouseButton::Right | MouseButton::Middle) => camera.pan(moved, height),
            (None, _) => {
                let part = self
                    .part
                    .unwrap_or([[0.0; 2], self.start.picture.map(|side| side as f32)]);
                let scale = (part[1][1] - part[0][1]) / height.max(1.0) as f32;
                let shift = moved.map(|pixels| -pixels as f32 * scale);
                self.part = Some(part.map(|corner| [corner[0] + shift[0], corner[1] + shift[1]]));
                self.resized();
            }
            _ => return,
        }
        self.send_camera();
    }

    pub(super) fn zoomed(&mut self, notches: f64) {
        match &mut self.camera {
            Some(camera) => {
                camera.zoom(notches);
                self.send_camera();
            }
            None => {
                let whole = [[0.0; 2], self.start.picture.map(|side| side as f32)];
                let part = self.part.unwrap_or(whole);
                let factor = 0.88_f32.powf(notches as f32);
                let middle = [0, 1].map(|axis| 0.5 * (part[0][axis] + part[1][axis]));
                let half = [0, 1].map(|axis| 0.5 * (part[1][axis] - part[0][axis]) * factor);
                let larger = half[0] * 2.0 >= self.start.picture[0] as f32;
                let part = [
                    [0, 1].map(|axis| middle[axis] - half[axis]),
                    [0, 1].map(|axis| middle[axis] + half[axis]),
                ];
                self.part = (!larger && half[0].min(half[1]) >= 2.0)
                    .then_some(part)
                    .or(if larger { None } else { self.part });
                self.resized();
            }
        }
    }
}
