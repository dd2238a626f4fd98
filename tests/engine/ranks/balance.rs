//! Parts that move between frames: files, hashes and counts are those of one rank. Tests state the times of steps.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Mutex;
use std::thread::ThreadId;

use sastrugi::ir::ElementBox;
use sastrugi::run::{Ending, Event, Observer, RunError, RunRequest, Spoil, run};
use serde_json::json;

use super::files::{files, manifest};
use super::*;
use super::{files, heights, liquids, particles, runs, shipped, sparse};

/// Steps whose time is the sum of the planes of a part: up to a frame, low planes take long, and later high ones.
#[derive(Default)]
struct Stated {
    axis: usize,
    /// The frame after which high planes take long.
    until: u64,
    /// From this frame on, nothing is exchanged.
    spoils_from: Option<u64>,
    /// The last frame of each rank. Ranks are threads, and one may be behind the others.
    frames: Mutex<HashMap<ThreadId, u64>>,
}

impl Probe for Stated {
    fn load(&self, frame: u64, part: ElementBox) -> Option<f64> {
        self.frames.lock().unwrap().insert(thread::current().id(), frame);
        let (low, size) = (part.low[self.axis], part.size[self.axis]);
        let of_plane = |plane: u64| match 1.0 + plane as f64 {
            low if frame <= self.until => 1.0 / low,
            high => high * high,
        };
        Some((low..low + size).map(of_plane).sum::<f64>() * (part.elements() / size) as f64)
    }

    fn spoils(&self, _exchange: u64) -> Spoil {
        let frames = self.frames.lock().unwrap();
        let frame = frames.get(&thread::current().id()).copied().unwrap_or(0);
        match self.spoils_from {
            Some(first) if frame >= first => Spoil::Drop,
            _ => Spoil::None,
        }
    }
}

/// Collects notices of moves, and asks for the end after a frame.
#[derive(Default)]
struct Moves {
    notices: Vec<String>,
    stops: Option<u64>,
    frame: u64,
}

impl Observer for Moves {
    fn event(&mut self, event: Event) {
        match event {
            Event::Notice(text) if text.starts_with("parts along") => self.notices.push(text.to_string()),
            Event::Frame(frame) => self.frame = frame,
            _ => {}
        }
    }

    fn stop(&mut self) -> bool {
        self.stops == Some(self.frame)
    }
}

/// A run of a pipeline on ranks.
struct Case<'a> {
    gpu: &'a Gpu,
    pipeline: &'a Pipeline,
    parts: [usize; 3],
    directory: &'a Path,
    probe: Arc<dyn Probe>,
    balance: bool,
    resume: bool,
    stops: Option<u64>,
}

impl<'a> Case<'a> {
    /// A balanced run from the start to the last frame.
    fn new(
        gpu: &'a Gpu,
        pipeline: &'a Pipeline,
        parts: [usize; 3],
        directory: &'a Path,
        stated: Stated,
    ) -> Case<'a> {
        Case {
            gpu,
            pipeline,
            parts,
            directory,
            probe: Arc::new(stated),
            balance: parts != [1; 3],
            resume: false,
            stops: None,
        }
    }

    /// The notices of moves, and the ending on rank 0.
    fn run(&self) -> (Vec<String>, Result<Ending, RunError>) {
        let count: usize = self.parts.iter().product();
        let one = |ranks: Ranks| {
            let swaps = BTreeMap::new();
            let request = RunRequest {
                resume: self.resume,
                hash: true,
                ranks: Some(ranks).filter(|_| count > 1),
                cut: CutRequest {
                    parts: Some(self.parts),
                    ..CutRequest::default()
                },
                balance: self.balance,
                probe: Arc::clone(&self.probe),
                ..RunRequest::new(
                    self.gpu,
                    self.pipeline.clone(),
                    Path::new("test.json"),
                    self.directory,
                    &swaps,
                )
            };
            let mut moves = Moves {
                stops: self.stops,
                ..Moves::default()
            };
            let ending = run(request, &mut moves);
            (moves.notices, ending)
        };
        let one = &one;
        let mut all: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (Ranks::threads(count).into_iter())
                .map(|ranks| scope.spawn(move || one(ranks)))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        all.swap_remove(0)
    }

    fn done(&self) -> Vec<String> {
        let (notices, ending) = self.run();
        let expected = if self.stops.is_some() {
            Ending::Interrupted
        } else {
            Ending::Done
        };
        assert_eq!(ending.unwrap_or_else(|error| panic!("{error}")), expected);
        notices
    }
}

/// Files and counts of parts that move along an axis, up to a frame one way and then the other, are those of one rank.
#[track_caller]
fn compare(gpu: &Gpu, pipeline: &Pipeline, axis: usize, until: u64, cuts: &[[usize; 3]]) {
    let directory = tempfile::tempdir().unwrap();
    let one = directory.path().join("one");
    let stated = || Stated {
        axis,
        until,
        ..Stated::default()
    };
    Case::new(gpu, pipeline, [1; 3], &one, stated()).done();
    let expected = files(&one);
    assert!(expected.contains_key("hashes.csv"), "{:?}", expected.keys());
    for parts in cuts {
        let moved = directory.path().join(format!("{parts:?}"));
        let notices = Case::new(gpu, pipeline, *parts, &moved, stated()).done();
        assert!(notices.len() >= 2, "{parts:?}: {notices:?}");
        assert_eq!(files(&moved), expected, "{parts:?}");
        let [found, wanted] = [&moved, &one].map(|directory| manifest(directory));
        for key in ["steps", "frames", "outputs", "state", "resumed_from"] {
            assert_eq!(found[key], wanted[key], "{key}");
        }
        // High planes take long at the end, so the last part is thinner than the first.
        let planes: Vec<u64> = serde_json::from_value(found["ranks"]["planes"][axis].clone()).unwrap();
        let widths: Vec<u64> = planes.windows(2).map(|ends| ends[1] - ends[0]).collect();
        assert!(widths[0] > widths[parts[axis] - 1], "{widths:?}");
        assert!(!moved.join("checkpoints").exists());
    }
}

/// A pipeline without checkpoints.
fn without_checkpoints(mut pipeline: Pipeline) -> Pipeline {
    pipeline.checkpoint.every = None;
    pipeline
}

/// Cells, faces, arrays and sums.
#[test]
fn moved_parts_of_stencils_have_the_files_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let mut chosen = common::sweep(1, 3);
    let pipeline = without_checkpoints(files::written(5));
    for parts in [[2, 1, 1], [2, 2, 1], [3, 1, 1]] {
        if !chosen.skips() {
            compare(&gpu, &pipeline, 0, 2, &[parts]);
        }
    }
}

#[test]
#[ignore = "long: the kernels of a sparse grid on two to four ranks"]
fn moved_parts_of_a_sparse_grid_have_the_files_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    compare(
        &gpu,
        &sparse::written(5),
        1,
        2,
        &[[1, 2, 1], [1, 3, 1], [1, 2, 2]],
    );
}

#[test]
#[ignore = "long: the kernels of height fields on two and four ranks"]
fn moved_parts_of_height_fields_have_the_files_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    compare(&gpu, &heights::written(5), 0, 2, &[[2, 1, 1], [2, 2, 1]]);
}

/// Ghosts of particles move with the planes of their cells.
#[test]
#[ignore = "long: the kernels of particles for one, two and three ranks"]
fn moved_parts_of_particles_have_the_files_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    compare(
        &gpu,
        &without_checkpoints(particles::written(5)),
        2,
        2,
        &[[1, 1, 2], [1, 1, 3]],
    );
}

#[test]
#[ignore = "long: the kernels of particles for one, two and three ranks"]
fn moved_parts_of_a_liquid_have_the_files_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    compare(
        &gpu,
        &without_checkpoints(liquids::written(5)),
        2,
        2,
        &[[1, 1, 2], [1, 1, 3]],
    );
}

/// Particles without ghosts: parts move before a sort alone, which divides them anew. Here that is after frames 3 and 6.
#[test]
#[ignore = "long: the kernels of a sort for one, two and three ranks"]
fn moved_parts_of_particles_that_jump_have_the_files_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    compare(
        &gpu,
        &without_checkpoints(runs::written(7)),
        1,
        4,
        &[[1, 2, 1], [1, 3, 1]],
    );
}

#[test]
#[ignore = "long: drifting snow with its pressure solver"]
fn moved_parts_of_drifting_snow_have_the_files_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    compare(
        &gpu,
        &shipped::drifting_over_ground(5),
        0,
        2,
        &[[2, 1, 1], [2, 2, 1]],
    );
}

/// A run that ends early, and one that resumes it with other parts than it ended with.
#[test]
fn interrupted_runs_with_moved_parts_resume() {
    let Some(gpu) = common::gpu() else { return };
    let directory = tempfile::tempdir().unwrap();
    let [one, moved] = ["one", "moved"].map(|name| directory.path().join(name));
    let pipeline = files::written(6);
    let stated = || Stated {
        until: 4,
        ..Stated::default()
    };
    Case::new(&gpu, &pipeline, [1; 3], &one, stated()).done();
    let on_two = || Case::new(&gpu, &pipeline, [2, 1, 1], &moved, stated());
    let first = Case {
        stops: Some(3),
        ..on_two()
    };
    assert!(!first.done().is_empty());
    assert_eq!(manifest(&moved)["frames"], 3);
    let rest = Case {
        resume: true,
        ..on_two()
    };
    assert!(rest.done().len() >= 2);
    assert_eq!(files(&moved), files(&one));
    assert_eq!(manifest(&moved)["resumed_from"], 3);
    // Checkpoints of moves are kept where the run has others.
    assert!(moved.join("checkpoints").exists());
}

/// The files are the same on every machine, although measured times decide whether parts move. After nine frames, ranks compare
/// their times.
#[test]
fn measured_steps_leave_the_files_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let directory = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| directory.path().join(name));
    let pipeline = without_checkpoints(files::written(12));
    let case = |parts, directory| Case {
        probe: Arc::new(NoProbe),
        ..Case::new(&gpu, &pipeline, parts, directory, Stated::default())
    };
    case([1; 3], one.as_path()).done();
    case([2, 1, 1], two.as_path()).done();
    assert_eq!(files(&two), files(&one));
}

/// Nothing is exchanged after the first move.
#[test]
fn control_dropped_exchanges_after_a_move_change_the_files() {
    let Some(gpu) = common::gpu() else { return };
    let directory = tempfile::tempdir().unwrap();
    let pipeline = without_checkpoints(files::written(4));
    let hashes = |name: &str, spoils_from| {
        let directory = directory.path().join(name);
        let stated = Stated {
            until: 9,
            spoils_from,
            ..Stated::default()
        };
        let case = Case::new(&gpu, &pipeline, [2, 1, 1], &directory, stated);
        assert!(case.done()[0].starts_with("parts along x: 7, 6 -> "));
        let text = String::from_utf8(files(&directory)["hashes.csv"].clone()).unwrap();
        text.lines().map(str::to_string).collect::<Vec<_>>()
    };
    let (sound, spoilt) = (hashes("sound", None), hashes("spoilt", Some(1)));
    assert_eq!(sound[..2], spoilt[..2]);
    assert!((2..sound.len()).all(|line| sound[line] != spoilt[line]));
}

#[test]
fn balance_without_parts_is_refused() {
    let Some(gpu) = common::gpu() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = json!({
        "run": {"dt": 1, "frames": 1},
        "grids": {"box": {"cells": [6, 8], "cell_size": 1, "channels": {
            "a": {"type": "float", "background": 1}, "sum": "float"}}},
        "step": [{"stage": "sum", "over": "box", "reads": ["box.a"], "writes": ["box.sum"]}]
    });
    let pipeline = |body| pipeline(&file, &[("sum", body)]);
    // A stage that reads anywhere runs on parts, one that writes anywhere does not.
    let near = pipeline("void stage(ivec2 i) { set_box_sum(i, box_a(i)); }");
    let far = pipeline(
        "#pragma whole\n#pragma reach box_sum anywhere\n#include \"stage.glsl\"\nvoid stage(ivec2 i) { set_box_sum(box_cells - 1 - i, box_a(i)); }",
    );
    for (pipeline, parts, cause) in [
        (&near, [1; 3], "one rank has all parts"),
        (&far, [2, 1, 1], "every rank runs all stages of `step` whole"),
    ] {
        let mut case = Case::new(&gpu, pipeline, parts, directory.path(), Stated::default());
        case.balance = true;
        let text = case.run().1.unwrap_err().to_string();
        assert!(
            text.contains("`--balance` has no parts to move") && text.contains(cause),
            "{text}"
        );
    }
    assert!(files(directory.path()).is_empty());
}
