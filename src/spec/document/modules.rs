//! The modules that come with the program.

use include_dir::{Dir, include_dir};

static BUILT_IN: Dir = include_dir!("$CARGO_MANIFEST_DIR/pipelines/modules");

/// The text of the built-in module that is named `modules/<file>`.
pub(super) fn built_in(name: &str) -> Option<Vec<u8>> {
    let file = BUILT_IN.get_file(name.strip_prefix("modules/")?)?;
    Some(file.contents().to_vec())
}
