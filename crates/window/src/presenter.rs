//! The thread that shows pictures. No other thread waits for the display.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use sastrugi::screen::{Layout, Overlay, Screen, Shown};
use sastrugi::{Device, Error};
use winit::window::Window;

use super::board::{Board, Frame, Task};

/// Delay before the next attempt to show a picture while the window changes.
const AGAIN: Duration = Duration::from_millis(30);

/// Starts the thread. It ends when the board is closed, or calls `failed` after the first error.
pub(super) fn start(
    device: &Device,
    window: Arc<Window>,
    board: &Arc<Board>,
    failed: impl Fn() + Send + 'static,
) -> Result<JoinHandle<Result<(), Error>>, Error> {
    let screen = Screen::new(device, window)?;
    let board = Arc::clone(board);
    let thread = std::thread::Builder::new().name("presenter".into());
    thread
        .spawn(move || {
            let result = present(screen, &board);
            if result.is_err() {
                failed();
            }
            result
        })
        .map_err(|error| Error::failed(format!("cannot start a thread: {error}")))
}

fn present(mut screen: Screen, board: &Board) -> Result<(), Error> {
    let mut last: Option<Frame> = None;
    let mut overlay: Option<Overlay> = None;
    loop {
        let place = match board.task() {
            Task::Close => return Ok(()),
            Task::Show(frame, place) => {
                last = Some(frame);
                place
            }
            Task::Again(place) => place,
        };
        if let Some(newer) = board.take_overlay() {
            // Keep textures that have not been uploaded yet.
            let mut textures = overlay.take().unwrap_or_default().textures;
            textures.append(newer.textures);
            overlay = Some(Overlay { textures, ..newer });
        }
        let Some(frame) = &last else { continue };
        let picture = &frame.picture;
        let layout = Layout {
            window: place.window,
            left: place.left,
            part: place
                .part
                .unwrap_or([[0.0, 0.0], picture.size().map(|side| side as f32)]),
        };
        if screen.show(picture, &layout, overlay.as_mut())? == Shown::NotNow {
            std::thread::sleep(AGAIN);
            board.redraw();
        }
    }
}
