//! Exits with a message when the connection to the X server breaks, or when another client destroys the window.

use std::ffi::c_int;
use std::io::Write;
use std::panic::PanicHookInfo;

use x11_dl::xlib::{Display, Xlib};

use super::app::{DESTROYED, HELP};

const LOST: &str = "the display is gone";

/// Installs handlers that exit with a message when the connection to an X server breaks, or when a window is gone before
/// its event arrives. Xlib would exit anyway, and winit panics on its next request. Does nothing without Xlib.
pub(super) fn exit_on_lost_display() {
    let Ok(xlib) = Xlib::open() else { return };
    // SAFETY: Xlib is loaded, and nothing unloads it. The handler has the type that it asks for, and lives as long as
    // the program.
    unsafe { (xlib.XSetIOErrorHandler)(Some(lost)) };
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| match cause(panic) {
        Some(cause) => end(cause),
        None => before(panic),
    }));
}

/// The cause of a panic of winit about a broken connection or a window that does not exist.
fn cause(panic: &PanicHookInfo) -> Option<&'static str> {
    let text = panic.payload().downcast_ref::<String>()?;
    let says = |part: &str| text.contains(part);
    if !panic.location()?.file().contains("winit") {
        None
    } else if says("IoError") {
        Some(LOST)
    } else if says("error_kind: Drawable") || says("error_kind: Window") {
        Some(DESTROYED)
    } else {
        None
    }
}

/// Xlib would exit with its own message if this returned.
///
/// # Safety
///
/// The argument is not used.
unsafe extern "C" fn lost(_: *mut Display) -> c_int {
    end(LOST)
}

/// Ends the process without the exit handlers of the libraries: these free what the thread of the simulation still uses,
/// and that can kill the process with a signal.
fn end(cause: &str) -> ! {
    let _ = writeln!(std::io::stderr(), "error: {cause}\n  help: {HELP}");
    // SAFETY: `_exit` uses no memory of this process, and standard error has no buffer to write out.
    unsafe { libc::_exit(1) }
}
