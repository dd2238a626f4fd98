//! Directories for the outputs of worlds.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ir::Pipeline;

use super::error::RunError;

/// The start of the name of such a directory, before the number of the world.
const WORLD: &str = "world-";

/// The directory for the outputs of a world: that of the run, if there is only one world.
pub(super) fn directory_of(pipeline: &Pipeline, directory: &Path, world: usize) -> PathBuf {
    match pipeline.named_world(world) {
        None => directory.to_path_buf(),
        Some(world) => directory.join(world_name(world)),
    }
}

/// Creates the directories of all worlds.
pub(super) fn create(pipeline: &Pipeline, directory: &Path) -> Result<(), RunError> {
    (0..pipeline.worlds()).try_for_each(|world| {
        let path = directory_of(pipeline, directory, world);
        fs::create_dir_all(&path).map_err(|error| {
            RunError::Failed(format!(
                "cannot create the directory {}: {error}\n  help: choose another one with --out",
                path.display()
            ))
        })
    })
}

/// The name of the directory of a world.
fn world_name(world: usize) -> String {
    format!("{WORLD}{world:04}")
}

/// Returns true for names of directories of worlds.
pub(super) fn is_of_world(name: &str) -> bool {
    let number = name.strip_prefix(WORLD).and_then(|digits| digits.parse().ok());
    number.is_some_and(|number| world_name(number) == name)
}
