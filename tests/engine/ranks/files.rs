//! Runs with files on ranks: rank 0 writes what one rank writes, and all ranks end together.

use std::collections::BTreeMap;
use std::path::Path;

use sastrugi::run::{Ending, Event, Observer, RunError, RunRequest, run};
use serde_json::json;

use super::*;
use super::{changing, particles, runs, stencils, streaming, transforms};

const CELLS: [u64; 2] = [13, 11];

/// The stencils with outputs of cells, faces, arrays and sums.
pub(super) fn written(frames: u64) -> Pipeline {
    let mut file = stencils::file(&CELLS, "clamp");
    file["run"]["frames"] = json!(frames);
    file["run"]["checkpoint_every"] = json!(1);
    file["outputs"] = json!({
        "a": {"source": "box.a", "format": "npy"},
        "f": {"source": "box.f", "format": "npy", "every": 2},
        "l": {"source": "box.l", "format": "npy"},
        "sums": {"values": {"sum": "sum(box.a)", "most": "max(box.c.x)", "one": "box.n[3, 4]",
            "near": "box.n[9, 9]", "end": "box.f[13, 10]"}, "format": "csv"}
    });
    let kernels = stencils::kernels(2);
    let bodies: Vec<(&str, &str)> = kernels
        .iter()
        .map(|(name, body)| (*name, body.as_str()))
        .collect();
    pipeline(&file, &bodies)
}

/// Asks for the end after a frame.
struct Stops(u64, bool);

impl Observer for Stops {
    fn event(&mut self, event: Event) {
        if let Event::Frame(frame) = event {
            self.1 |= frame == self.0;
        }
    }

    fn stop(&mut self) -> bool {
        self.1
    }
}

/// A run of each pipeline on its own rank, into one directory. Ranks take the options in turn. `stops`: the frame after which each rank asks for the end.
fn run_all(
    gpu: &Gpu,
    pipelines: &[Pipeline],
    directory: &Path,
    options: &[Options],
    resume: bool,
    stops: &[u64],
) -> Vec<Result<Ending, RunError>> {
    let count = pipelines.len();
    let one = |ranks: Ranks| {
        let rank = ranks.rank();
        let swaps = BTreeMap::new();
        let request = RunRequest {
            options: options[rank % options.len()],
            resume,
            hash: true,
            ranks: Some(ranks).filter(|_| count > 1),
            ..RunRequest::new(
                gpu,
                pipelines[rank].clone(),
                Path::new("test.json"),
                directory,
                &swaps,
            )
        };
        run(
            request,
            &mut Stops(stops.get(rank).copied().unwrap_or(u64::MAX), false),
        )
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (Ranks::threads(count).into_iter())
            .map(|ranks| scope.spawn(move || one(ranks)))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn run_on(gpu: &Gpu, pipeline: &Pipeline, ranks: usize, directory: &Path, resume: bool) {
    let pipelines = vec![pipeline.clone(); ranks];
    for ending in run_all(gpu, &pipelines, directory, &[Options::PLAIN], resume, &[]) {
        assert_eq!(ending.unwrap_or_else(|error| panic!("{error}")), Ending::Done);
    }
}

/// All files but those with times.
pub(super) fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.is_file() && path.extension().is_some_and(|end| end != "json"));
    files
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            (name, std::fs::read(&path).unwrap())
        })
        .collect()
}

pub(super) fn manifest(directory: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(directory.join("manifest.json")).unwrap()).unwrap()
}

#[test]
fn files_of_ranks_equal_those_of_one() {
    compare_files(written);
}

#[test]
fn files_of_alternating_entries_equal_those_of_one_rank() {
    compare_files(streaming::written);
}

#[test]
fn files_of_transforms_equal_those_of_one_rank() {
    compare_files(transforms::written);
}

#[test]
#[ignore = "long: the kernels of particles for one, two and three ranks"]
fn files_of_particles_equal_those_of_one_rank() {
    compare_files(particles::written);
}

#[test]
#[ignore = "long: the kernels of particles for one, two and three ranks"]
fn files_of_a_liquid_equal_those_of_one_rank() {
    compare_files(liquids::written);
}

#[test]
#[ignore = "long: the kernels of a sort for one, two and three ranks"]
fn files_of_particles_that_jump_equal_those_of_one_rank() {
    compare_files(runs::written);
}

/// A rank finds its particles by their keys.
#[test]
#[ignore = "long: the kernels of a sort for one and three ranks"]
fn ranks_continue_between_two_sorts_of_particles_that_jump() {
    continue_on_three(runs::written, 5);
}

#[test]
#[ignore = "long: the kernels of particles for one and three ranks"]
fn ranks_continue_between_two_sorts_of_particles() {
    continue_on_three(particles::seldom_sorted, 4);
}

#[test]
#[ignore = "long: the kernels of particles for one, two and three ranks"]
fn files_of_particles_that_come_and_go_equal_those_of_one_rank() {
    compare_files(changing::snowfall);
    continue_on_three(changing::snowfall, 4);
    compare_files(changing::fountain);
    continue_on_three(changing::fountain, 4);
}

/// A run of one rank that continues on three after each frame.
fn continue_on_three(written: fn(u64) -> Pipeline, frames: u64) {
    let Some(gpu) = common::gpu() else { return };
    let directory = tempfile::tempdir().unwrap();
    let whole = written(frames);
    let one = directory.path().join("one");
    run_on(&gpu, &whole, 1, &one, false);
    let expected = files(&one);
    for after in 1..frames {
        let resumed = directory.path().join(after.to_string());
        run_on(&gpu, &written(after), 1, &resumed, false);
        run_on(&gpu, &whole, 3, &resumed, true);
        assert_eq!(files(&resumed), expected, "from frame {after}");
    }
}

fn compare_files(written: fn(u64) -> Pipeline) {
    let Some(gpu) = common::gpu() else { return };
    let directory = tempfile::tempdir().unwrap();
    let [one, two, resumed] = ["one", "two", "resumed"].map(|name| directory.path().join(name));
    let whole = written(4);
    run_on(&gpu, &whole, 1, &one, false);
    let expected = files(&one);
    assert!(
        expected.len() > 8 && expected.contains_key("hashes.csv"),
        "{:?}",
        expected.keys()
    );
    run_on(&gpu, &whole, 2, &two, false);
    assert_eq!(files(&two), expected);
    assert_eq!(manifest(&two)["ranks"]["count"], 2);
    // A checkpoint of three ranks continues on one, and then on two.
    run_on(&gpu, &written(2), 3, &resumed, false);
    run_on(&gpu, &written(3), 1, &resumed, true);
    run_on(&gpu, &whole, 2, &resumed, true);
    assert_eq!(files(&resumed), expected);
}

#[test]
fn stop_of_one_rank_ends_all_after_the_same_frame() {
    let Some(gpu) = common::gpu() else { return };
    let directory = tempfile::tempdir().unwrap();
    let pipelines = vec![written(4); 2];
    let endings = run_all(
        &gpu,
        &pipelines,
        directory.path(),
        &[Options::PLAIN],
        false,
        &[3, 2],
    );
    for ending in endings {
        assert_eq!(
            ending.unwrap_or_else(|error| panic!("{error}")),
            Ending::Interrupted
        );
    }
    assert_eq!(manifest(directory.path())["frames"], 2);
}

#[test]
fn ranks_with_other_shaders_are_refused() {
    let Some(gpu) = common::gpu() else { return };
    let directory = tempfile::tempdir().unwrap();
    let kernel = |factor: f64| format!("void stage(ivec2 i) {{ set_box_a(i, {factor} * box_a(i)); }}");
    let one = |factor: f64| {
        let file = json!({
            "run": {"dt": 1, "frames": 1},
            "grids": {"box": {"cells": CELLS, "cell_size": 1, "channels": {"a": "float"}}},
            "step": [{"stage": "scale", "over": "box", "reads": ["box.a"], "writes": ["box.a"]}]
        });
        pipeline(&file, &[("scale", &kernel(factor))])
    };
    let endings = run_all(
        &gpu,
        &[one(0.5), one(0.25)],
        directory.path(),
        &[Options::PLAIN],
        false,
        &[],
    );
    for ending in endings {
        let text = ending.unwrap_err().to_string();
        assert!(
            text.contains("rank 1") && text.contains("the shader of stage `scale`"),
            "{text}"
        );
    }
    assert!(files(directory.path()).is_empty());
}

/// A pipeline whose fourteen rows are cut in the middle.
fn rows(pragma: &str, body: &str) -> Pipeline {
    let file = json!({
        "run": {"dt": 1, "frames": 2},
        "grids": {"box": {"cells": [5, 14], "cell_size": 1, "channels": {"a": {"type": "float", "background": 0.5}, "b": "float"}}},
        "step": [{"stage": "rows", "over": "box", "reads": ["box.a"], "writes": ["box.b"]}]
    });
    let body = format!("{pragma}\n#include \"stage.glsl\"\nvoid stage(ivec2 i) {{ {body} }}");
    pipeline(&file, &[("rows", &body)])
}

fn failures(gpu: &Gpu, pipeline: &Pipeline, options: Options) -> [String; 2] {
    let directory = tempfile::tempdir().unwrap();
    let pipelines = vec![pipeline.clone(); 2];
    let endings = run_all(gpu, &pipelines, directory.path(), &[options], false, &[]);
    let texts: Vec<String> = endings
        .into_iter()
        .map(|ending| ending.unwrap_err().to_string())
        .collect();
    let manifest = manifest(directory.path());
    assert_eq!(manifest["state"], "failed");
    assert_eq!(manifest["error"], json!(texts[0]));
    texts.try_into().unwrap()
}

#[test]
fn access_beyond_the_reach_is_named_on_ranks() {
    let Some(gpu) = common::gpu() else { return };
    let body = "set_box_b(i, box_a(i.y == 12 ? i - ivec2(0, 3) : i));";
    let texts = failures(&gpu, &rows("#pragma reach box_a 1", body), CHECKED);
    assert!(
        texts[1].contains("`rows`") && texts[1].contains("box.a"),
        "{}",
        texts[1]
    );
    assert!(
        texts[0].contains("rank 1 failed") && texts[0].contains("`rows`"),
        "{}",
        texts[0]
    );
}

#[test]
fn race_across_a_cut_is_named() {
    let Some(gpu) = common::gpu() else { return };
    let options = Options {
        checked: true,
        ..Options::PLAIN
    };
    // Rows 6 and 7 are on different ranks, and both write row 7.
    let body = "set_box_b(i.y == 6 ? i + ivec2(0, 1) : i, float(i.y) + box_a(i));";
    let texts = failures(&gpu, &rows("#pragma reach box_b 1", body), options);
    assert!(texts.iter().all(|text| text.contains("box.b")), "{texts:?}");
}

#[test]
fn ranks_with_other_options_are_refused() {
    let Some(gpu) = common::gpu() else { return };
    let directory = tempfile::tempdir().unwrap();
    let pipelines = vec![written(1); 2];
    let options = [Options::PLAIN, CHECKED];
    for ending in run_all(&gpu, &pipelines, directory.path(), &options, false, &[]) {
        let text = ending.unwrap_err().to_string();
        assert!(text.contains("`--checked` is yes on rank 1"), "{text}");
        assert!(text.contains("and no on rank 0"), "{text}");
    }
}
