//! The device of the program.

use std::sync::LazyLock;

/// Why there is none, if so.
static LACK: LazyLock<Option<String>> = LazyLock::new(|| {
    let output = crate::start().arg("devices").output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    // The device that a run would take is marked.
    let taken = output.status.success() && text.lines().any(|line| line.starts_with("* "));
    (!taken).then_some(text)
});

/// True if a run finds a device; otherwise the test counts as skipped.
///
/// With SASTRUGI_REQUIRE_GPU set, the lack of a device fails the test: where one is known to be there, a broken driver
/// must not pass for success.
pub fn is_here() -> bool {
    if let Some(lack) = &*LACK {
        assert!(std::env::var_os("SASTRUGI_REQUIRE_GPU").is_none(), "{lack}");
        crate::skip(format_args!("no Vulkan device: {lack}"));
    }
    LACK.is_none()
}
