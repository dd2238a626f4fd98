//! The pipelines and modules that come with the program.

use std::fs;
use std::path::PathBuf;

use include_dir::{Dir, File, include_dir};

use crate::cache::user_directory;

/// The directory of pipelines, including `modules` and `assets`.
pub static SHIPPED: Dir = include_dir!("$CARGO_MANIFEST_DIR/pipelines");

/// Prefix of the names of these files in messages.
pub const PREFIX: &str = "built-in:";

/// The text of the file that is named in the file `from`, and its path: relative to that file if it is shipped too, or
/// relative to the root. The extension may be omitted.
pub fn find(written: &str, from: &str) -> Option<(Vec<u8>, String)> {
    let beside = from.strip_prefix(PREFIX).and_then(|from| from.rsplit_once('/'));
    let beside = beside.map(|(directory, _)| format!("{directory}/{written}"));
    let names = beside.into_iter().chain([written.to_string()]);
    let mut names = names.flat_map(|name| [format!("{name}.json"), name]);
    names.find_map(|name| {
        let file = SHIPPED.get_file(&name).filter(|_| name.ends_with(".json"))?;
        Some((file.contents().to_vec(), name))
    })
}

/// The directory from which relative paths in a shipped file start, if it may name meshes and images. Unpacks it.
pub fn assets_of(name: &str) -> Option<Result<PathBuf, String>> {
    (!name.contains('/')).then(unpack)
}

/// The path of a shipped mesh or image, such as `assets/bunny.obj`. Unpacks it.
pub fn asset(name: &str) -> Option<PathBuf> {
    let file = SHIPPED.get_file(name).filter(|_| name.starts_with("assets/"))?;
    Some(unpack().ok()?.join(file.path()))
}

/// Writes missing shipped files into the user's cache and returns their directory.
pub fn unpack() -> Result<PathBuf, String> {
    let base = user_directory().unwrap_or_else(|| std::env::temp_dir().join("sastrugi"));
    let files = files_of(&SHIPPED);
    let mut hash = blake3::Hasher::new();
    for file in &files {
        hash.update(file.path().as_os_str().as_encoded_bytes())
            .update(file.contents());
    }
    let directory = base.join(format!("shipped-{}", &hash.finalize().to_hex()[..16]));
    for file in files {
        let path = directory.join(file.path());
        if fs::read(&path).is_ok_and(|found| found == file.contents()) {
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
        }
        // Another process may read or write the file at the same time.
        let partial = path.with_extension(format!("{}.part", std::process::id()));
        let written = fs::write(&partial, file.contents()).and_then(|()| fs::rename(&partial, &path));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(directory)
}

/// All files in a directory and those below it.
fn files_of(directory: &'static Dir) -> Vec<&'static File<'static>> {
    let below = directory.dirs().flat_map(files_of);
    directory.files().chain(below).collect()
}
