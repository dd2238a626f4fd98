//! Removes hidden partial files of killed runs.

use std::fs;
use std::path::Path;
use std::time::Duration;

/// Without a way to look up processes, younger parts may still be in use.
const SURELY_OLD: Duration = Duration::from_secs(24 * 3600);

/// Removes the partial files (`.<name>.<process>-<count>.part`) in `directory` whose process has ended, and returns
/// their number. Files that cannot be removed are ignored.
pub fn remove_stale_parts(directory: &Path) -> usize {
    let Ok(entries) = fs::read_dir(directory) else {
        return 0;
    };
    let abandoned = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let process = name.to_str().and_then(process_of);
        process.is_some_and(|process| is_gone(process, entry))
    };
    let entries = entries.flatten().filter(abandoned);
    entries
        .filter(|entry| fs::remove_file(entry.path()).is_ok())
        .count()
}

/// The process in the name of a part.
fn process_of(name: &str) -> Option<u32> {
    let inner = name.strip_prefix('.')?.strip_suffix(".part")?;
    let (_, number) = inner.rsplit_once('.')?;
    let (process, count) = number.split_once('-')?;
    count.parse::<u64>().ok()?;
    process.parse().ok()
}

fn is_gone(process: u32, entry: &fs::DirEntry) -> bool {
    let processes = Path::new("/proc");
    if processes.join("self").exists() {
        return !processes.join(process.to_string()).exists();
    }
    let age = entry
        .metadata()
        .ok()
        .and_then(|data| data.modified().ok()?.elapsed().ok());
    age.is_some_and(|age| age > SURELY_OLD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweep_removes_only_parts_of_dead_processes() {
        let directory = tempfile::tempdir().unwrap();
        let own = format!(".view.0001.png.{}-3.part", std::process::id());
        // Process numbers end far below this one.
        let kept = [
            &own,
            "view.0001.png",
            ".view.0002.png.part",
            ".x.4294967295.part",
            "x.4294967295-1.part",
        ];
        let gone = [
            ".view.0002.png.4294967295-0.part",
            ".view.0001.mp4.4294967295-12.part",
        ];
        for name in kept.iter().chain(&gone) {
            fs::write(directory.path().join(name), b"").unwrap();
        }
        if Path::new("/proc/self").exists() {
            assert_eq!(remove_stale_parts(directory.path()), 2);
        }
        for name in kept {
            assert!(directory.path().join(name).exists(), "{name}");
        }
    }
}
