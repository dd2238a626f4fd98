//! The log of what a person changes in a window.

use sastrugi::ChangeWriter;

/// A log that begins with the first change.
pub(super) enum Log {
    /// Nothing has changed since the start with these overrides.
    Empty(Vec<String>),
    Begun(ChangeWriter),
    /// It could not be written, and a warning said so.
    Failed,
}
