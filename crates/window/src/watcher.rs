//! Detects changes of the files of a pipeline.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use sastrugi::Simulation;

/// Time without further writes before a change counts: editors write in several steps.
const QUIET: Duration = Duration::from_millis(60);

/// Watches the directories of the pipeline file, its modules, and its shaders with their includes.
pub(super) struct Watcher {
    inner: RecommendedWatcher,
    directories: BTreeSet<PathBuf>,
    changed: Arc<Mutex<Option<Instant>>>,
}

impl Watcher {
    pub(super) fn new(file: &Path, simulation: &Simulation) -> Result<Watcher, notify::Error> {
        let changed = Arc::new(Mutex::new(None));
        let noted = Arc::clone(&changed);
        let inner = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            let writes = matches!(
                event.kind,
                EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_)
            );
            if writes && event.paths.iter().any(|path| is_source(path)) {
                *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            }
        })?;
        let mut watcher = Watcher {
            inner,
            directories: BTreeSet::new(),
            changed,
        };
        let beside = file.parent().map_or(PathBuf::from("."), Path::to_path_buf);
        watcher.add(&beside)?;
        let of_modules = beside.join("modules");
        if of_modules.is_dir() {
            watcher.add(&of_modules)?;
        }
        watcher.watch(simulation);
        Ok(watcher)
    }

    /// Adds the directories of the shaders and their includes.
    pub(super) fn watch(&mut self, simulation: &Simulation) {
        let files = simulation.shader_files();
        let directories: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
        for directory in directories {
            // A shader in a directory that cannot be watched is only reloaded together with another change.
            let _ = self.add(directory);
        }
    }

    fn add(&mut self, directory: &Path) -> Result<(), notify::Error> {
        let directory = if directory.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            directory.to_path_buf()
        };
        let directory = directory.canonicalize().unwrap_or(directory);
        if self.directories.insert(directory.clone()) {
            self.inner.watch(&directory, RecursiveMode::NonRecursive)?;
        }
        Ok(())
    }

    /// True if files have changed since the last call, and the last write is older than `QUIET`.
    pub(super) fn has_changed(&self) -> bool {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        let quiet = changed.is_some_and(|at| at.elapsed() > QUIET);
        if quiet {
            *changed = None;
        }
        quiet
    }
}

/// True for the file extensions of pipelines and shaders.
fn is_source(path: &Path) -> bool {
    let endings = ["json", "comp", "glsl", "spv"];
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| endings.contains(&ending))
}
