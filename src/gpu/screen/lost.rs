//! What the program says when its X server goes away.

use std::ffi::c_int;
use std::io::Write;

use x11_dl::xlib::{Display, Xlib};

/// Lets Xlib, which ends the program when its connection breaks, end it with a message of ours. Without Xlib there is
/// nothing to do.
pub(crate) fn tell_of_a_lost_display() {
    let Ok(xlib) = Xlib::open() else { return };
    // SAFETY: Xlib is loaded, and nothing unloads it. The handler has the type that it asks for, and lives as long as the program.
    unsafe { (xlib.XSetIOErrorHandler)(Some(lost)) };
}

/// Xlib exits if this returns, with a line of its own.
///
/// # Safety
///
/// The argument is not used.
unsafe extern "C" fn lost(_: *mut Display) -> c_int {
    let _ = writeln!(
        std::io::stderr(),
        "error: the display is gone\n  help: `sastrugi run` needs none; files that were written before are complete"
    );
    std::process::exit(1)
}
