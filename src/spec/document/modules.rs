//! The pipelines and modules that come with the program.

use include_dir::{Dir, include_dir};

/// The directory of pipelines, with `modules` and `assets` in it.
pub(crate) static SHIPPED: Dir = include_dir!("$CARGO_MANIFEST_DIR/pipelines");

/// The text of the built-in module that is named `modules/<file>`.
pub(super) fn built_in(name: &str) -> Option<Vec<u8>> {
    let file = SHIPPED.get_file(name)?;
    name.starts_with("modules/").then(|| file.contents().to_vec())
}
