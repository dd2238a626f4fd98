//! What the program says when its X server goes away.

use std::ffi::c_int;
use std::io::Write;
use std::panic::PanicHookInfo;

use x11_dl::xlib::{Display, Xlib};

/// Ends the program with a message when the connection to an X server breaks. Xlib ends it in any case, and winit panics
/// where it asks the server for something. Without Xlib there is nothing to do.
pub(super) fn tell_of_a_lost_display() {
    let Ok(xlib) = Xlib::open() else { return };
    // SAFETY: Xlib is loaded, and nothing unloads it. The handler has the type that it asks for, and lives as long as the program.
    unsafe { (xlib.XSetIOErrorHandler)(Some(lost)) };
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| match is_of_the_connection(panic) {
        true => end(),
        false => before(panic),
    }));
}

/// Whether winit could not reach its server.
fn is_of_the_connection(panic: &PanicHookInfo) -> bool {
    let in_winit = panic
        .location()
        .is_some_and(|place| place.file().contains("winit"));
    let text = panic.payload().downcast_ref::<String>();
    in_winit && text.is_some_and(|text| text.contains("IoError"))
}

/// Xlib exits if this returns, with a line of its own.
///
/// # Safety
///
/// The argument is not used.
unsafe extern "C" fn lost(_: *mut Display) -> c_int {
    end()
}

fn end() -> ! {
    let _ = writeln!(
        std::io::stderr(),
        "error: the display is gone\n  help: `sastrugi run` needs none; files that were written before are complete"
    );
    std::process::exit(1)
}
