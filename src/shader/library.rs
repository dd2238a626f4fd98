//! Finds shaders and their includes: in the strings of the pipeline, beside the file that names them or above it,
//! beside the pipeline file, in `../shaders`, and last in the built-in library.

use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use crate::inline_shaders::{InlineShaders, normal};
use crate::input_file;
use crate::shared_constants;

static BUILT_IN: Dir = include_dir!("$CARGO_MANIFEST_DIR/shaders");

/// The directory of the built-in library in the repository.
const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");

/// Prefix of the names of built-in files in messages and manifests.
const BUILT_IN_PREFIX: &str = "built-in:";

/// Prefix of the names of files that a pipeline contains as strings.
const IN_MEMORY_PREFIX: &str = "in memory:";

/// The path of a file in memory, from its name.
pub fn path_in_memory(name: &str) -> Option<&str> {
    name.strip_prefix(IN_MEMORY_PREFIX)
}

/// Number of directories searched for an include: that of the including file, and its ancestors.
const MAX_LEVELS: usize = 4;

/// Maximum number of directory entries compared with the name of a missing file.
const MAX_LISTED: usize = 1000;

/// A shader file that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// Path, or a prefix and the path in memory or in the built-in library; unique per file.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The strings and directories of one pipeline, searched in order.
#[derive(Debug, Clone)]
pub struct Library {
    texts: InlineShaders,
    directories: Vec<PathBuf>,
}

impl Library {
    pub fn new(directory: &Path) -> Library {
        Library {
            texts: InlineShaders::default(),
            directories: vec![directory.to_path_buf(), directory.join("../shaders")],
        }
    }

    /// Looks among `texts` first.
    pub fn with_texts(self, texts: &InlineShaders) -> Library {
        let texts = texts.clone();
        Library { texts, ..self }
    }

    /// Finds the shader that a file in `directory` names.
    pub fn find_shader(&self, path: &str, directory: &Path) -> Option<Found> {
        let brought = in_memory(&self.texts, &normal(Path::new(path)));
        brought
            .or_else(|| on_disk(&directory.join(path)))
            .or_else(|| self.find(path, None))
    }

    /// Finds a file by the path that a pipeline or an include gives; `from` is the name of the including file.
    pub fn find(&self, path: &str, from: Option<&str>) -> Option<Found> {
        let beside = |name: &str| Some(normal(&Path::new(name).parent()?.join(path)));
        let beside = from.and_then(
            |name| match (path_in_memory(name), name.strip_prefix(BUILT_IN_PREFIX)) {
                (Some(inner), _) => in_memory(&self.texts, &beside(inner)?),
                // Built-in files include built-in files: one on disk may have another version.
                (_, Some(inner)) => built_in(&beside(inner)?).or_else(|| built_in(&normal(Path::new(path)))),
                _ => {
                    let above = Path::new(name).ancestors().skip(1).take(MAX_LEVELS);
                    above
                        .into_iter()
                        .find_map(|directory| on_disk(&directory.join(path)))
                }
            },
        );
        beside
            .or_else(|| in_memory(&self.texts, &normal(Path::new(path))))
            .or_else(|| {
                self.directories
                    .iter()
                    .find_map(|directory| on_disk(&directory.join(path)))
            })
            .or_else(|| built_in(&normal(Path::new(path))))
    }

    /// Paths that a file could include: beside it, in the directories, in the strings of the pipeline, and built in.
    pub fn names_beside(&self, file: &str) -> Vec<String> {
        let beside = Path::new(file).parent().map(Path::to_path_buf);
        let listed = beside.iter().chain(&self.directories).filter_map(|directory| {
            let directory = if directory.as_os_str().is_empty() {
                Path::new(".")
            } else {
                directory
            };
            std::fs::read_dir(directory).ok()
        });
        let on_disk = listed
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let is_text = |name: &String| name.ends_with(".glsl");
        let texts = self.texts.iter().map(|(path, _)| path.to_string());
        let mut names: Vec<String> = (on_disk.take(MAX_LISTED).chain(texts))
            .chain(built_in_names())
            .filter(is_text)
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// The places that were searched for a file, for messages.
    pub fn places(&self) -> String {
        let mut places = Vec::new();
        if self.texts.iter().next().is_some() {
            places.push("the pipeline's strings".to_string());
        }
        places.extend(self.directories.iter().map(|d| {
            if d.as_os_str().is_empty() {
                ".".into()
            } else {
                d.display().to_string()
            }
        }));
        places.push("the built-in shaders".into());
        places.join(", ")
    }
}

/// Largest file that is read as a shader.
pub(super) const MAX_SHADER_BYTES: u64 = 64 << 20;

fn on_disk(path: &Path) -> Option<Found> {
    let full = std::path::absolute(path).ok()?;
    let full = normal(&full);
    let shipped = full.strip_prefix(normal(Path::new(SHIPPED))).ok();
    let bytes = match shipped.and_then(replacement) {
        Some(bytes) => bytes,
        None => input_file::read(path, MAX_SHADER_BYTES).ok()?,
    };
    Some(Found {
        name: path.display().to_string(),
        bytes,
    })
}

/// Paths of the built-in files, without the generated ones.
pub fn built_in_names() -> Vec<String> {
    let mut names = Vec::new();
    let mut open = vec![&BUILT_IN];
    while let Some(directory) = open.pop() {
        names.extend(directory.files().map(|file| file.path().display().to_string()));
        open.extend(directory.dirs());
    }
    names.sort();
    names
}

/// A built-in shader of the engine, which files on disk cannot replace.
pub fn built_in_shader(path: &str) -> Option<Found> {
    built_in(Path::new(path))
}

/// A shader that the engine has written.
pub fn written_shader(name: &str, text: &str) -> Found {
    Found {
        name: format!("{BUILT_IN_PREFIX}{name}"),
        bytes: text.as_bytes().to_vec(),
    }
}

fn in_memory(texts: &InlineShaders, path: &Path) -> Option<Found> {
    Some(Found {
        name: format!("{IN_MEMORY_PREFIX}{}", path.display()),
        bytes: texts.get(path)?.to_vec(),
    })
}

/// For scripts/mutants, which tests the tests: a file of the directory that `SASTRUGI_SHADERS` names takes the place of
/// the one with its path in `shaders`, on disk and built in. Only builds for tests know the variable.
fn replacement(path: &Path) -> Option<Vec<u8>> {
    let directory = std::env::var_os("SASTRUGI_SHADERS").filter(|_| cfg!(feature = "internals"))?;
    input_file::read(&Path::new(&directory).join(path), MAX_SHADER_BYTES).ok()
}

/// A file of the library, or a generated file with the numbers that kernels share with the program.
fn built_in(path: &Path) -> Option<Found> {
    let bytes = match (replacement(path), BUILT_IN.get_file(path)) {
        (Some(bytes), _) => bytes,
        (None, Some(file)) => file.contents().to_vec(),
        (None, None) => shared_constants::glsl(path.to_str()?)?.into_bytes(),
    };
    Some(Found {
        name: format!("{BUILT_IN_PREFIX}{}", path.display()),
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[(&str, &str)]) -> InlineShaders {
        let mut texts = InlineShaders::default();
        for (path, content) in list {
            texts.insert(path, content.as_bytes().to_vec()).unwrap();
        }
        texts
    }

    fn text(found: Option<Found>) -> Option<String> {
        found.map(|found| String::from_utf8(found.bytes).unwrap())
    }

    #[test]
    fn in_memory_texts_take_precedence_over_files() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.comp"), "on disk").unwrap();
        let library = Library::new(directory.path());
        assert_eq!(
            text(library.find_shader("a.comp", directory.path())).unwrap(),
            "on disk"
        );
        let library = library.with_texts(&texts(&[("a.comp", "brought")]));
        assert_eq!(
            text(library.find_shader("./a.comp", directory.path())).unwrap(),
            "brought"
        );
        assert_eq!(text(library.find_shader("b.comp", directory.path())), None);
    }

    #[test]
    fn includes_resolve_relative_to_their_text_first() {
        let library = Library::new(Path::new("/nonexistent")).with_texts(&texts(&[
            ("snow/a.comp", "a"),
            ("snow/near.glsl", "near"),
            ("near.glsl", "far"),
            ("far.glsl", "far"),
        ]));
        let from = library.find("snow/a.comp", None).unwrap().name;
        assert_eq!(text(library.find("near.glsl", Some(&from))).unwrap(), "near");
        assert_eq!(text(library.find("../near.glsl", Some(&from))).unwrap(), "far");
        assert_eq!(text(library.find("far.glsl", Some(&from))).unwrap(), "far");
        // The built-in library is still available.
        assert!(library.find("lib/random.glsl", Some(&from)).is_some());
        assert_eq!(text(library.find("nowhere.glsl", Some(&from))), None);
    }
}
