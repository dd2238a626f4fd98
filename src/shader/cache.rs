//! Results of compilations in earlier processes.
//!
//! The key of an entry contains everything known before compiling: source, interface, options, compiler. An entry
//! lists every `#include` of its compilation. It is valid only if each include still resolves to a file of the same
//! name and contents, so a changed file, or a new file in a directory searched earlier, invalidates it. Failures are
//! not cached.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::compile::{Compiled, Failure, GlslCompiler, Inclusion, OPTIONS};
use super::library::{Found, Library};
use super::{bounds, spirv, versions};
use crate::cache::Cache;

/// The version of the entry format.
const FORMAT: &str = concat!("spirv 1 of sastrugi ", env!("CARGO_PKG_VERSION"));

/// A compiler that searches a cache first. Threads share it.
pub struct CachedCompiler<'a> {
    cache: &'a Cache,
    /// The parts of a key besides source and interface.
    common: String,
    /// Started for the first compilation that is not in the cache, because the start takes longer than most
    /// compilations.
    compiler: OnceLock<Result<GlslCompiler, String>>,
}

/// The header of an entry, before the words.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    inclusions: Vec<Inclusion>,
    /// Files by their names, with the hashes of their contents in hexadecimal.
    files: Vec<(String, String)>,
}

impl<'a> CachedCompiler<'a> {
    pub fn new(cache: &'a Cache) -> CachedCompiler<'a> {
        CachedCompiler {
            cache,
            common: format!("{FORMAT}, {OPTIONS}, {}", versions::compiler()),
            compiler: OnceLock::new(),
        }
    }

    /// As [`GlslCompiler::compile`].
    pub fn compile(&self, source: &Found, interface: &str, library: &Library) -> Result<Compiled, Failure> {
        let key = key(&self.common, source, interface);
        if let Some(kept) = self.cache.get(&key).and_then(|entry| read(&entry, library)) {
            return Ok(kept);
        }
        bounds::check(source, interface, library).map_err(Failure::of)?;
        let compiler = self.compiler.get_or_init(GlslCompiler::new);
        let compiled = compiler
            .as_ref()
            .map_err(|error| Failure::of(error.clone()))?
            .compile(source, interface, library)?;
        if let Some(entry) = write(&compiled) {
            self.cache.put(&key, &entry);
        }
        Ok(compiled)
    }
}

/// The name is part of the key, because relative includes are searched for beside it.
fn key(common: &str, source: &Found, interface: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [
        common.as_bytes(),
        source.name.as_bytes(),
        &source.bytes,
        interface.as_bytes(),
    ] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    format!("spirv-{}", hasher.finalize().to_hex())
}

fn hash(file: &Found) -> String {
    blake3::hash(&file.bytes).to_hex().to_string()
}

/// The length of the header, the header, and the words.
fn write(compiled: &Compiled) -> Option<Vec<u8>> {
    let mut inclusions: Vec<Inclusion> = Vec::new();
    for inclusion in &compiled.inclusions {
        if !inclusions.contains(inclusion) {
            inclusions.push(inclusion.clone());
        }
    }
    let files = compiled.includes.iter();
    let entry = Entry {
        inclusions,
        files: files.map(|file| (file.name.clone(), hash(file))).collect(),
    };
    let entry = serde_json::to_vec(&entry).ok()?;
    let mut bytes = (entry.len() as u64).to_le_bytes().to_vec();
    bytes.extend(entry);
    bytes.extend(compiled.words.iter().flat_map(|word| word.to_le_bytes()));
    Some(bytes)
}

/// The words of an entry, provided that every include still resolves to an identical file.
fn read(bytes: &[u8], library: &Library) -> Option<Compiled> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (entry, words) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let Entry { inclusions, files } = serde_json::from_slice(entry).ok()?;
    let mut includes: Vec<Found> = Vec::new();
    for inclusion in &inclusions {
        let from = inclusion.relative.then_some(inclusion.includer.as_str());
        let found = library.find(&inclusion.wanted, from)?;
        let (_, kept) = files.iter().find(|(name, _)| *name == found.name)?;
        if found.name != inclusion.name || hash(&found) != *kept {
            return None;
        }
        if !includes.iter().any(|other| other.name == found.name) {
            includes.push(found);
        }
    }
    Some(Compiled {
        words: spirv::words(words).ok()?,
        includes,
        inclusions,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Found {
        Found {
            name: name.into(),
            bytes: text.into(),
        }
    }

    #[test]
    fn cache_key_covers_every_part_and_its_boundaries() {
        let keys = [
            key("common", &found("name", "source"), "interface"),
            key("other", &found("name", "source"), "interface"),
            key("common", &found("other", "source"), "interface"),
            key("common", &found("name", "other"), "interface"),
            key("common", &found("name", "source"), "other"),
            key("common", &found("names", "ource"), "interface"),
            key("common", &found("name", "sourcei"), "nterface"),
            key("commonname", &found("", "source"), "interface"),
        ];
        for (number, key) in keys.iter().enumerate() {
            assert!(!keys[..number].contains(key), "{number}");
        }
        assert_eq!(
            keys[0],
            key("common", &found("name", "source"), "interface"),
            "the control"
        );
    }

    #[test]
    fn cache_key_covers_options_and_versions() {
        let cache = Cache::off();
        let common = CachedCompiler::new(&cache).common;
        for part in [OPTIONS, &versions::compiler(), env!("CARGO_PKG_VERSION")] {
            assert!(!part.is_empty() && common.contains(part), "{common}");
        }
    }

    #[test]
    fn truncated_cache_entries_are_misses() {
        let library = Library::new(std::path::Path::new(""));
        let compiled = Compiled {
            words: vec![0x0723_0203, 0x0001_0600, 0, 1, 0],
            includes: Vec::new(),
            inclusions: Vec::new(),
        };
        let entry = write(&compiled).unwrap();
        assert_eq!(
            read(&entry, &library).unwrap().words,
            compiled.words,
            "the control"
        );
        for length in 0..entry.len() {
            assert!(read(&entry[..length], &library).is_none(), "{length}");
        }
    }
}
