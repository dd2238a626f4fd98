//! The pipelines, modules and kernels that come with the library. Pipelines run by their names, from anywhere.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use include_dir::{Dir, File};

use crate::problem::{Problem, Problems};
use crate::shader::library::{built_in_names, built_in_shader};
use crate::spec::{SHIPPED, reference, unpack};

/// A pipeline or a module that comes with the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// Its name, without directory and extension.
    pub name: &'static str,
    /// The title that its text states.
    pub title: &'static str,
}

/// The pipelines, by their names.
pub fn pipelines() -> Vec<Shipped> {
    in_directory(&SHIPPED)
}

/// The modules, by their names.
pub fn modules() -> Vec<Shipped> {
    SHIPPED.get_dir("modules").map(in_directory).unwrap_or_default()
}

fn in_directory(directory: &'static Dir) -> Vec<Shipped> {
    let files = directory
        .files()
        .filter(|file| file.path().extension().is_some_and(|end| end == "json"));
    let mut found: Vec<Shipped> = files
        .filter_map(|file| {
            Some(Shipped {
                name: file.path().file_stem()?.to_str()?,
                title: title_of(file),
            })
        })
        .collect();
    found.sort_by_key(|shipped| shipped.name);
    found
}

/// The problem that no shipped pipeline has a name, with the nearest one as its remedy.
pub fn unknown(name: &str, message: String) -> Problem {
    let known = pipelines();
    Problem::without_place(message).suggest(name, known.iter().map(|shipped| shipped.name))
}

/// The title that the text of a file states.
fn title_of(file: &'static File) -> &'static str {
    let text = file.contents_utf8().unwrap_or_default();
    let title = text.split_once("\"title\": \"").map(|(_, rest)| rest);
    title.and_then(|rest| rest.split('"').next()).unwrap_or_default()
}

/// The file that a person means by `path`: an existing one, or that of a shipped pipeline of this name.
pub fn find(path: &Path) -> Result<PathBuf, Problems> {
    let name = match path.components().collect::<Vec<_>>()[..] {
        [Component::Normal(name)] if !path.is_file() && path.extension().is_none() => name.to_str(),
        _ => None,
    };
    let Some(name) = name else {
        return Ok(path.to_path_buf());
    };
    if SHIPPED.get_file(format!("{name}.json")).is_none() {
        let message = format!("there is no file `{name}`, and `sastrugi list` has no pipeline of this name");
        return Err(unknown(name, message).into());
    }
    let directory = unpack().map_err(|error| {
        let message = format!("cannot unpack the pipeline `{name}`: {error}");
        Problem::without_place(message).help("SASTRUGI_CACHE_DIR names a directory that can be written")
    })?;
    Ok(directory.join(format!("{name}.json")))
}

/// The text of a pipeline, a module (`modules/liquid`) or a kernel (`flow/advect.comp`). The extension of pipelines and
/// modules, and the directory of modules, may be left out. Files that kernels include count as kernels.
pub fn text(name: &str) -> Option<String> {
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let mut files = [format!("{stem}.json"), format!("modules/{stem}.json")].into_iter();
    let text = files.find_map(|path| SHIPPED.get_file(path)?.contents_utf8().map(str::to_string));
    text.or_else(|| String::from_utf8(built_in_shader(stem)?.bytes).ok())
}

/// The reference of a module as Markdown: what it does, its exports, roles and parameters. `None` if the library has no
/// module of this name.
pub fn module_reference(name: &str) -> Option<Result<String, Problems>> {
    let file = SHIPPED.get_file(format!("modules/{name}.json"))?;
    Some(reference::of(name, file.contents_utf8()?))
}

/// The paths of the kernels and the files that they include, without generated ones.
pub fn kernels() -> Vec<String> {
    built_in_names()
}

/// The files that a copy of a shipped pipeline needs beside it: itself, its bases, meshes and images, each with its path
/// from there. Modules and kernels are found anywhere. Empty if no pipeline has the name.
pub fn parts(name: &str) -> Vec<(&'static Path, &'static [u8])> {
    let mut open = vec![format!("{name}.json")];
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        let Some(file) = SHIPPED.get_file(&path).filter(|_| known.insert(path)) else {
            continue;
        };
        found.push((file.path(), file.contents()));
        let text = file.contents_utf8().unwrap_or_default();
        let named = text
            .split('"')
            .filter(|text| !text.starts_with("modules/") && SHIPPED.get_file(text).is_some());
        open.extend(named.map(String::from));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shipped_pipelines_and_modules_have_titles() {
        for shipped in pipelines().into_iter().chain(modules()) {
            assert!(!shipped.title.is_empty(), "{}", shipped.name);
        }
        assert!(pipelines().iter().any(|shipped| shipped.name == "snow"));
        assert!(modules().iter().any(|shipped| shipped.name == "liquid"));
    }

    #[test]
    fn copies_include_bases_and_assets_but_no_modules() {
        let paths = |name| {
            let mut paths: Vec<_> = parts(name)
                .iter()
                .map(|(path, _)| path.to_str().unwrap())
                .collect();
            paths.sort();
            paths
        };
        assert_eq!(paths("flip_fountain"), ["flip_dam.json", "flip_fountain.json"]);
        assert_eq!(paths("mpm_bunny")[..1], ["assets/bunny.obj"]);
        assert!(paths("no_such").is_empty());
    }
}
