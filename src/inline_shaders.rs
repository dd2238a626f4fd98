//! Shaders and includes that a pipeline contains as strings, without files.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Contents of shaders and includes, by the paths that pipelines and includes use.
#[derive(Debug, Clone, Default)]
pub struct InlineShaders(Arc<BTreeMap<String, Vec<u8>>>);

impl InlineShaders {
    /// Adds a text, or replaces the text of that path. The error says why the path is not allowed.
    pub fn insert(&mut self, path: &str, content: Vec<u8>) -> Result<(), String> {
        let plain = normal(Path::new(path));
        if path.is_empty() || plain.as_os_str() != path {
            return Err(format!("`{path}` is not a relative path without `.` and `..`"));
        }
        Arc::make_mut(&mut self.0).insert(path.to_string(), content);
        Ok(())
    }

    pub fn get(&self, path: &Path) -> Option<&[u8]> {
        self.0.get(path.to_str()?).map(Vec::as_slice)
    }

    /// Paths and contents.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0
            .iter()
            .map(|(path, content)| (path.as_str(), content.as_slice()))
    }
}

/// Resolves `.` and `..` without access to the file system.
pub fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(part) => parts.push(part),
            _ => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_outside_the_root_are_refused() {
        for path in ["", "../a.comp", "/a.comp", "./a.comp", "a/../b.comp", "a//b.comp"] {
            assert!(
                InlineShaders::default().insert(path, Vec::new()).is_err(),
                "{path}"
            );
        }
        let mut texts = InlineShaders::default();
        texts.insert("a/b.comp", b"text".to_vec()).unwrap();
        assert_eq!(texts.get(Path::new("a/b.comp")), Some(&b"text"[..]));
    }
}
