//! Tests that cannot do their work here.

use std::fmt::Display;
use std::io::Write;

/// Prints why a test does nothing, or less than all, and adds a line to the file SASTRUGI_SKIPPED, from which `make test`
/// counts: a runner shows such a test as passed.
pub fn skip(reason: impl Display) {
    println!("skipped: {reason}");
    let Some(list) = std::env::var_os("SASTRUGI_SKIPPED") else {
        return;
    };
    let thread = std::thread::current();
    let test = std::env::var("NEXTEST_TEST_NAME");
    let test = test.as_deref().unwrap_or(thread.name().unwrap_or("a test"));
    let reason = reason.to_string();
    let line = format!("{test}: {}\n", reason.lines().next().unwrap_or_default());
    let file = std::fs::File::options().create(true).append(true).open(list);
    file.unwrap().write_all(line.as_bytes()).unwrap();
}
