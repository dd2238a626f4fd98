//! Where shaders and their includes are found: beside the pipeline file, in its shader directory, in
//! `../shaders`, and last in the library that is built into the program.

use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use crate::words;

static BUILT_IN: Dir = include_dir!("$CARGO_MANIFEST_DIR/shaders");

/// Prefix of the names of built-in files in messages and manifests.
const BUILT_IN_PREFIX: &str = "built-in:";

/// A shader file that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// Path, or `built-in:` and the library path; unique per file.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The directories of one pipeline, searched in order.
#[derive(Debug, Clone)]
pub struct Library {
    directories: Vec<PathBuf>,
}

impl Library {
    pub fn new(directory: &Path, shaders: Option<&Path>) -> Library {
        let mut directories = vec![directory.to_path_buf()];
        directories.extend(shaders.map(Path::to_path_buf));
        directories.push(directory.join("../shaders"));
        Library { directories }
    }

    /// Finds the shader that a file in `directory` names.
    pub fn find_shader(&self, path: &str, directory: &Path) -> Option<Found> {
        on_disk(&directory.join(path)).or_else(|| self.find(path, None))
    }

    /// Finds a file by the path that a pipeline or an include gives; `from` is the name of the including file.
    pub fn find(&self, path: &str, from: Option<&str>) -> Option<Found> {
        let beside = from.and_then(|name| match name.strip_prefix(BUILT_IN_PREFIX) {
            Some(inner) => built_in(&normal(&Path::new(inner).parent()?.join(path)))
                // Built-in files belong together: one on disk may be of another version.
                .or_else(|| built_in(&normal(Path::new(path)))),
            None => on_disk(&Path::new(name).parent()?.join(path)),
        });
        beside
            .or_else(|| {
                self.directories
                    .iter()
                    .find_map(|directory| on_disk(&directory.join(path)))
            })
            .or_else(|| built_in(&normal(Path::new(path))))
    }

    /// Where a missing file was looked for, for messages.
    pub fn places(&self) -> String {
        let mut places: Vec<String> = self
            .directories
            .iter()
            .map(|d| {
                if d.as_os_str().is_empty() {
                    ".".into()
                } else {
                    d.display().to_string()
                }
            })
            .collect();
        places.push("the built-in shaders".into());
        places.join(", ")
    }
}

/// Regular files only: a device or a pipe may never end.
fn on_disk(path: &Path) -> Option<Found> {
    if !path.is_file() {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    Some(Found {
        name: path.display().to_string(),
        bytes,
    })
}

/// A shader of the engine's, which no file on disk replaces.
pub fn built_in_shader(path: &str) -> Option<Found> {
    built_in(Path::new(path))
}

/// A file of the library, or one of those that the program writes of the numbers that kernels share with it.
fn built_in(path: &Path) -> Option<Found> {
    let bytes = match BUILT_IN.get_file(path) {
        Some(file) => file.contents().to_vec(),
        None => words::glsl(path.to_str()?)?.into_bytes(),
    };
    Some(Found {
        name: format!("{BUILT_IN_PREFIX}{}", path.display()),
        bytes,
    })
}

/// Resolves `.` and `..` without looking at the disk.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::ParentDir => drop(parts.pop()),
            std::path::Component::Normal(part) => parts.push(part),
            _ => {}
        }
    }
    parts
}
