//! Exits with a message when the connection to the X server breaks.

use std::ffi::c_int;
use std::io::Write;
use std::panic::PanicHookInfo;

use x11_dl::xlib::{Display, Xlib};

/// Installs handlers that exit with a message when the connection to an X server breaks. Xlib would exit anyway, and
/// winit panics on its next request. Does nothing without Xlib.
pub(super) fn exit_on_lost_display() {
    let Ok(xlib) = Xlib::open() else { return };
    // SAFETY: Xlib is loaded, and nothing unloads it. The handler has the type that it asks for, and lives as long as
    // the program.
    unsafe { (xlib.XSetIOErrorHandler)(Some(lost)) };
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if is_of_the_connection(panic) {
            end()
        } else {
            before(panic)
        }
    }));
}

/// True for panics of winit about a broken connection.
fn is_of_the_connection(panic: &PanicHookInfo) -> bool {
    let in_winit = panic
        .location()
        .is_some_and(|place| place.file().contains("winit"));
    let text = panic.payload().downcast_ref::<String>();
    in_winit && text.is_some_and(|text| text.contains("IoError"))
}

/// Xlib would exit with its own message if this returned.
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
