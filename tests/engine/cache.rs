//! What is kept from one process to the next: shaders that were compiled, and pipelines of the driver. Nothing that
//! lies in the directory may change a result.

mod pipelines;
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sastrugi::cache::Cache;
use sastrugi::gpu::OpenOptions;
use sastrugi::shader::{self, Module};
use sastrugi::spec;
use sastrugi::workgroups::DeviceClass;
use tempfile::TempDir;

use super::common;

/// A pipeline of one stage whose shader includes a file beside it, which includes one from the
/// directory of the pipeline.
struct Project {
    directory: TempDir,
}

const PIPELINE: &str = r#"{
  "title": "Cached",
  "run": {"dt": 1, "steps_per_frame": 1, "frames": 1},
  "grids": {"picture": {"pixels": [8, 8], "channels": {"color": "rgba8"}}},
  "step": [{"stage": "paint", "shader": "shaders/paint.comp", "over": "picture", "writes": ["picture.color"]}],
  "outputs": {"picture": {"source": "picture.color"}}
}"#;
const PAINT: &str = "#version 460\n#include \"stage.glsl\"\n#include \"shade.glsl\"\n\
    void stage(ivec2 pixel) { set_picture_color(pixel, vec4(shade())); }\n";
const SHADE: &str = "#include \"level.glsl\"\n#include \"level.glsl\"\nfloat shade() { return LEVEL; }\n";
const LEVEL: &str = "#define LEVEL 0.25\n";
const OTHER_LEVEL: &str = "#define LEVEL 0.75\n";

impl Project {
    fn new() -> Project {
        let project = Project {
            directory: tempfile::tempdir().unwrap(),
        };
        project.write("pipeline.json", PIPELINE);
        project.write("shaders/paint.comp", PAINT);
        project.write("shaders/shade.glsl", SHADE);
        project.write("level.glsl", LEVEL);
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn cache(&self) -> Cache {
        Cache::at(self.path("cache"))
    }

    fn build(&self, cache: &Cache) -> Module {
        let (pipeline, _) = spec::load(&self.path("pipeline.json"), &[]).unwrap();
        let modules = shader::build(&pipeline, DeviceClass::Gpu, &BTreeMap::new(), cache).unwrap();
        modules.into_iter().next().unwrap()
    }

    /// The one entry of the cache.
    fn entry(&self) -> PathBuf {
        let entries = entries(&self.path("cache"));
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries[0].clone()
    }

    /// Changes the words that the cache has, in a way that leaves a valid entry: a build that shows the change took its
    /// words from there.
    fn mark(&self) {
        let entry = self.entry();
        let name = entry.file_stem().unwrap().to_str().unwrap();
        let mut contents = self.cache().get(name).unwrap();
        let letters = b"shade(";
        let at = contents.windows(6).position(|window| window == letters).unwrap();
        contents[at..at + 6].copy_from_slice(b"MARKED");
        self.cache().put(name, &contents);
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory)
        .map(|files| files.map(|file| file.unwrap().path()).collect())
        .unwrap_or_default();
    entries.sort();
    entries
}

fn is_marked(module: &Module) -> bool {
    let bytes: Vec<u8> = module
        .kernel
        .words
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    bytes.windows(6).any(|window| window == b"MARKED")
}

/// The words of a build without a cache.
fn fresh(project: &Project) -> Module {
    project.build(&Cache::off())
}

fn assert_same(module: &Module, other: &Module) {
    assert!(!module.kernel.sources.is_empty() && !module.kernel.words.is_empty());
    assert_eq!(module.kernel.words, other.kernel.words);
    assert_eq!(module.kernel.sources, other.kernel.sources);
    assert_eq!(module.constants, other.constants);
}

#[test]
fn cache_hit_equals_a_fresh_compilation() {
    let project = Project::new();
    let plain = fresh(&project);
    assert!(entries(&project.path("cache")).is_empty());
    assert_same(&project.build(&project.cache()), &plain);
    assert_same(&project.build(&project.cache()), &plain);
    let names: Vec<_> = plain
        .kernel
        .sources
        .iter()
        .map(|(name, _)| Path::new(name).file_name().unwrap())
        .collect();
    assert_eq!(names, ["paint.comp", "shade.glsl", "level.glsl"]);
    // The control: the second build did take what the first one kept.
    project.mark();
    let marked = project.build(&project.cache());
    assert!(is_marked(&marked) && !is_marked(&plain));
    assert_eq!(marked.kernel.sources, plain.kernel.sources);
}

/// Changes between two builds, each of which requires a new compilation.
#[test]
fn changed_shader_inputs_miss_the_cache() {
    type Change = fn(&Project);
    let changes: [(&str, Change); 7] = [
        ("the shader", |project| {
            project.write("shaders/paint.comp", &format!("{PAINT}\n"))
        }),
        ("an include", |project| {
            project.write("shaders/shade.glsl", &SHADE.replace("LEVEL;", "2.0 * LEVEL;"))
        }),
        ("an include of an include", |project| {
            project.write("level.glsl", OTHER_LEVEL)
        }),
        ("a file beside the including one", |project| {
            project.write("shaders/level.glsl", OTHER_LEVEL)
        }),
        ("the directory of shaders", |project| {
            project.write("others/paint.comp", PAINT);
            project.write("others/shade.glsl", SHADE);
            project.write("others/level.glsl", OTHER_LEVEL);
            project.write(
                "pipeline.json",
                &PIPELINE.replace("shaders/paint.comp", "others/paint.comp"),
            );
        }),
        ("a file that goes, where another takes its place", |project| {
            fs::remove_file(project.path("level.glsl")).unwrap();
            project.write("../shaders/level.glsl", OTHER_LEVEL);
        }),
        ("the interface", |project| {
            project.write(
                "pipeline.json",
                &PIPELINE.replace("color\"]}", "color\"], \"arguments\": {\"own\": 1}}"),
            );
        }),
    ];
    for (what, change) in changes {
        // In a directory of its own, so that `../shaders` is too.
        let project = Project::new();
        let nested = Project {
            directory: tempfile::tempdir_in(project.directory.path()).unwrap(),
        };
        for name in [
            "pipeline.json",
            "shaders/paint.comp",
            "shaders/shade.glsl",
            "level.glsl",
        ] {
            nested.write(name, &fs::read_to_string(project.path(name)).unwrap());
        }
        let before = nested.build(&nested.cache());
        nested.mark();
        assert!(is_marked(&nested.build(&nested.cache())), "{what}: the control");
        change(&nested);
        let after = nested.build(&nested.cache());
        assert!(!is_marked(&after), "{what}");
        assert_same(&after, &fresh(&nested));
        assert!(
            after.kernel.words != before.kernel.words || after.kernel.sources != before.kernel.sources,
            "{what}"
        );
        assert_same(&nested.build(&nested.cache()), &after);
    }
}

#[test]
fn failed_compilations_are_not_cached() {
    let project = Project::new();
    project.write("shaders/shade.glsl", "float shade() { return nothing; }\n");
    let (pipeline, _) = spec::load(&project.path("pipeline.json"), &[]).unwrap();
    let text = |cache: &Cache| {
        shader::build(&pipeline, DeviceClass::Gpu, &BTreeMap::new(), cache)
            .unwrap_err()
            .to_string()
    };
    let first = text(&project.cache());
    assert!(first.contains("nothing"), "{first}");
    assert_eq!(first, text(&project.cache()));
    assert_eq!(first, text(&Cache::off()));
    assert!(entries(&project.path("cache")).is_empty());
    project.write("shaders/shade.glsl", SHADE);
    project.build(&project.cache());
    project.entry();
}

#[test]
fn damaged_shader_entries_are_replaced() {
    let project = Project::new();
    let plain = project.build(&project.cache());
    let entry = project.entry();
    let whole = fs::read(&entry).unwrap();
    let mut damaged: Vec<(String, Vec<u8>)> = vec![
        ("empty".into(), Vec::new()),
        ("foreign".into(), b"{\"what\": \"is this\"}".repeat(100)),
        ("longer".into(), [&whole[..], &whole[..]].concat()),
    ];
    for part in 1..6 {
        let at = whole.len() * part / 6;
        damaged.push((format!("cut at {at}"), whole[..at].to_vec()));
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (part % 8);
        damaged.push((format!("flipped at {at}"), flipped));
    }
    for (damage, bytes) in damaged {
        fs::write(&entry, bytes).unwrap();
        assert_same(&project.build(&project.cache()), &plain);
        assert!(
            fs::read(&entry).unwrap() == whole,
            "{damage}: the entry is whole again"
        );
    }
    // The control: what is there is read.
    project.mark();
    assert!(is_marked(&project.build(&project.cache())));
}

/// Entries that are whole and say nonsense, as another version of the program might leave.
#[test]
fn foreign_shader_entries_are_ignored() {
    let project = Project::new();
    let plain = project.build(&project.cache());
    let entry = project.entry();
    let name = entry.file_stem().unwrap().to_str().unwrap();
    let whole = project.cache().get(name).unwrap();
    let contents = [
        &b""[..],
        &[0xff; 64],
        &whole[..8],
        &whole[1..],
        &[&whole[..], &[0, 0, 0, 0]].concat(),
    ];
    for contents in contents {
        project.cache().put(name, contents);
        assert_eq!(
            project.cache().get(name).as_deref(),
            Some(contents),
            "it is whole"
        );
        assert_same(&project.build(&project.cache()), &plain);
        assert_eq!(project.cache().get(name).as_ref(), Some(&whole));
    }
}

#[test]
fn concurrent_builds_share_a_cache_directory() {
    let project = Project::new();
    let plain = fresh(&project);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    assert_same(&project.build(&project.cache()), &plain);
                }
            });
        }
        // Meanwhile the entry goes, comes back damaged, and goes again.
        scope.spawn(|| {
            for round in 0..100 {
                for entry in entries(&project.path("cache")) {
                    let _ = match round % 2 {
                        0 => fs::remove_file(entry),
                        _ => fs::write(entry, b"sastrugi cache 1"),
                    };
                }
                std::thread::yield_now();
            }
        });
    });
    assert_same(&project.build(&project.cache()), &plain);
}

#[test]
fn shipped_shaders_are_identical_from_the_cache() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::at(directory.path());
    for name in ["snow", "mpm_sand"] {
        let path = crate::common::simulation::root().join(format!("pipelines/{name}.json"));
        let (pipeline, _) = spec::load(&path, &[]).unwrap();
        let build =
            |cache: &Cache| shader::build(&pipeline, DeviceClass::Gpu, &BTreeMap::new(), cache).unwrap();
        let (first, second, plain) = (build(&cache), build(&cache), build(&Cache::off()));
        assert!(plain.len() > 5 && !entries(directory.path()).is_empty());
        for ((first, second), plain) in first.iter().zip(&second).zip(&plain) {
            assert_same(first, plain);
            assert_same(second, plain);
        }
    }
}
