//! The log of changes made in a window.

use sastrugi::ChangeWriter;

/// A log that is created with the first change.
pub(super) enum Log {
    /// No change yet; the run started with these overrides.
    Empty(Vec<String>),
    Begun(ChangeWriter),
    /// A write failed, and a warning was printed.
    Failed,
}
