use super::*;

fn cache() -> (tempfile::TempDir, Cache) {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::at(directory.path().join("made/when/needed"));
    (directory, cache)
}

fn path(cache: &Cache, name: &str) -> PathBuf {
    cache.shared.as_ref().unwrap().path(name)
}

fn held(cache: &Cache) -> u64 {
    let files = cache.shared.as_ref().unwrap().files().unwrap();
    files.iter().map(|file| file.bytes).sum()
}

fn used(cache: &Cache, name: &str, seconds_ago: u64) {
    let file = File::options().write(true).open(path(cache, name)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds_ago))
        .unwrap();
}

#[test]
fn stored_contents_are_returned() {
    let (_directory, cache) = cache();
    assert_eq!(cache.get("a"), None);
    for contents in [&b"one"[..], b"", &[7; 100_000]] {
        cache.put("a", contents);
        assert_eq!(cache.get("a").as_deref(), Some(contents));
        assert_eq!(cache.get("b"), None);
    }
    let again = Cache::at(cache.directory().unwrap());
    assert_eq!(again.get("a"), Some(vec![7; 100_000]), "for another process too");
}

#[test]
fn damaged_entries_are_misses_and_get_replaced() {
    let (_directory, cache) = cache();
    cache.put("a", b"contents");
    let path = path(&cache, "a");
    let whole = fs::read(&path).unwrap();
    let mut damaged: Vec<Vec<u8>> = (0..whole.len()).map(|length| whole[..length].to_vec()).collect();
    for byte in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[byte] ^= 1 << (byte % 8);
        damaged.push(flipped);
    }
    damaged.push([&whole[..], b"more"].concat());
    damaged.push(b"not ours at all, but of some length to speak of, say a hundred bytes or so".to_vec());
    for bytes in damaged {
        fs::write(&path, &bytes).unwrap();
        assert_eq!(cache.get("a"), None, "{bytes:?}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(cache.get("a").as_deref(), Some(&b"contents"[..]), "the control");
    fs::write(&path, b"").unwrap();
    cache.put("a", b"contents");
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn entry_copied_to_another_key_is_a_miss() {
    let (_directory, cache) = cache();
    cache.put("a", b"contents");
    fs::copy(path(&cache, "a"), path(&cache, "b")).unwrap();
    assert_eq!(cache.get("b"), None);
    assert!(cache.get("a").is_some());
}

#[test]
fn cache_without_usable_directory_misses_silently() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "in the way").unwrap();
    for cache in [Cache::off(), Cache::at(&file), Cache::at(file.join("below"))] {
        cache.put("a", b"contents");
        assert_eq!(cache.get("a"), None);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "in the way");
    // A directory that stands where a file should.
    let cache = Cache::at(directory.path());
    fs::create_dir(path(&cache, "a")).unwrap();
    cache.put("a", b"contents");
    assert_eq!(cache.get("a"), None);
    assert_eq!(held(&cache), 0, "nothing is left of the attempt");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
}

#[test]
fn size_limit_evicts_least_recently_used_entries() {
    let directory = tempfile::tempdir().unwrap();
    let limit = 20_000;
    let cache = Cache::with_limit(directory.path(), limit);
    fs::write(directory.path().join("of the user"), vec![0; 50_000]).unwrap();
    for number in 0..100 {
        cache.put(&format!("n{number}"), &vec![1; 100 + 37 * (number % 30)]);
        assert!(held(&cache) <= limit, "{number}: {}", held(&cache));
        assert!(cache.get("n0").is_some(), "used all the time: {number}");
        for other in 1..=number {
            if path(&cache, &format!("n{other}")).exists() {
                used(&cache, &format!("n{other}"), 1000 - other as u64);
            }
        }
    }
    assert!(held(&cache) > limit / 2, "it is used: {}", held(&cache));
    assert_eq!(cache.get("n1"), None, "the control: some went");
    assert!(cache.get("n99").is_some());
    assert!(directory.path().join("of the user").exists());
    cache.put("large", &vec![0; limit as usize]);
    assert_eq!(cache.get("large"), None, "larger than all of it");
}

#[test]
fn reads_refresh_the_age_of_an_entry() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::with_limit(directory.path(), 10_000);
    for name in ["a", "b", "c"] {
        cache.put(name, &[0; 3000]);
    }
    for (name, ago) in [("a", 300), ("b", 200), ("c", 100)] {
        used(&cache, name, ago);
    }
    assert!(cache.get("a").is_some());
    cache.put("d", &[0; 3000]);
    let left: Vec<_> = ["a", "b", "c", "d"]
        .map(|name| path(&cache, name).exists())
        .into();
    assert_eq!(left, [true, false, false, true], "a was read last but one");
}

#[test]
fn partial_files_of_killed_processes_are_removed() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (
        directory.path().join(format!("a.1-0{PARTIAL_ENDING}")),
        directory.path().join(format!("a.2-0{PARTIAL_ENDING}")),
    );
    fs::write(&old, "half").unwrap();
    fs::write(&new, "half").unwrap();
    let file = File::options().write(true).open(&old).unwrap();
    file.set_modified(SystemTime::now() - 2 * ABANDONED).unwrap();
    Cache::at(directory.path()).put("b", b"contents");
    assert!(!old.exists() && new.exists());
}

#[test]
fn concurrent_readers_see_only_complete_entries() {
    let directory = tempfile::tempdir().unwrap();
    let seen = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4u8)
            .map(|number| {
                let directory = directory.path();
                scope.spawn(move || {
                    // A cache of its own, as another process has.
                    let cache = Cache::with_limit(directory, 300_000);
                    let mut seen = 0;
                    for _ in 0..200 {
                        cache.put("shared", &vec![number; 50_000]);
                        cache.put(&format!("own-{number}"), &vec![number; 60_000]);
                        if let Some(contents) = cache.get("shared") {
                            assert!(contents.len() == 50_000 && contents.iter().all(|x| *x == contents[0]));
                            seen += 1;
                        }
                    }
                    seen
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum::<u32>()
    });
    assert!(seen > 400, "{seen} of 800 reads found a file");
    assert!(held(&Cache::at(directory.path())) <= 300_000 + 4 * 60_048);
}
