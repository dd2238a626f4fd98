//! Files to which every rank writes its part: they equal those of one rank, and rank 0 gathers nothing for them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sastrugi::plan;
use sastrugi::run::{Ending, Event, Observer, RunError, RunRequest, run};
use serde_json::{Value, json};

use super::files::files;
use super::*;

/// Cells, faces, nodes and arrays that change in each step.
fn written(frames: u64, outputs: Value) -> Pipeline {
    let file = json!({
        "run": {"dt": 0.5, "frames": frames, "checkpoint_every": 1},
        "grids": {"box": {"cells": [9, 8, 7], "cell_size": 0.5, "channels": {
            "a": {"type": "float", "border": "clamp", "values": "sin(3 * i)"}, "b": {"type": "float", "border": "clamp"},
            "h": "half", "n": "uint8", "v": "vec3", "l": {"type": "float", "count": 3},
            "f": {"type": "float", "at": "face_x"}, "c": {"type": "vec2", "at": "node"}}}},
        "step": [
            {"stage": "smooth", "over": "box", "reads": ["box.a"], "writes": ["box.b"]},
            {"swap": ["box.a", "box.b"]},
            {"stage": "spread", "over": "box", "reads": ["box.a"], "writes": ["box.h", "box.n", "box.v", "box.l"]},
            {"stage": "faces", "over": "box.f", "writes": ["box.f"]},
            {"stage": "corners", "over": "box.c", "writes": ["box.c"]}],
        "outputs": outputs
    });
    let number =
        "float number(ivec3 i) { return sin(float(i.x + 10 * i.y + 100 * i.z) + float(clock.step)); }";
    let kernel = |pragmas: &str, body: &str| {
        format!("{pragmas}\n#include \"stage.glsl\"\n{number}\nvoid stage(ivec3 i) {{ {body} }}")
    };
    let smooth =
        "set_box_b(i, 0.5 * box_a(i) + 0.25 * box_a(i + ivec3(1, 0, 0)) + 0.5 * box_a(i - ivec3(0, 1, 1)));";
    let spread =
        "float a = box_a(i); set_box_h(i, a * number(i)); set_box_n(i, uint(100.0 + 90.0 * a) & 255u);
        set_box_v(i, vec3(a, number(i), float(i.x)));
        for (uint k = 0u; k < 3u; ++k) set_box_l(i, k, a * float(k + 1u));";
    let kernels = [
        ("smooth", kernel("#pragma reach box_a 1", smooth)),
        ("spread", kernel("", spread)),
        ("faces", kernel("", "set_box_f(i, number(i));")),
        (
            "corners",
            kernel("", "set_box_c(i, vec2(number(i), -float(i.z)));"),
        ),
    ];
    let bodies: Vec<(&str, &str)> = (kernels.iter())
        .map(|(name, body)| (*name, body.as_str()))
        .collect();
    pipeline(&file, &bodies)
}

/// Outputs in all formats whose files ranks write together, and the only one for which rank 0 gathers a field.
fn outputs() -> Value {
    json!({
        "a": {"source": "box.a", "format": "npy", "initial": true},
        "l": {"source": "box.l", "format": "npy"},
        "f": {"source": "box.f", "format": "npy", "every": 2},
        "c": {"source": "box.c", "format": "vti"},
        "y": {"source": "box.v.y", "format": "nrrd"},
        "all": {"source": ["box.a", "box.h", "box.n", "box.v"], "format": "vti"},
        "some": {"source": "box.a", "format": "nrrd", "scale": 0.1, "stride": 2, "region": [[0.6, 0, 0.5], [4, 4, 3]]},
        "layer": {"source": "box.n", "format": "npy", "region": [[0, 0, 0.6], [9, 9, 0.9]]},
        "zip": {"source": "box.n", "format": "npz"}
    })
}

/// The wait of each rank before it writes.
struct Slow(Duration);

impl Probe for Slow {
    fn file_delay(&self) -> Duration {
        self.0
    }
}

/// Calls a function after each frame.
struct After<'a>(&'a dyn Fn(u64));

impl Observer for After<'_> {
    fn event(&mut self, event: Event) {
        if let Event::Frame(frame) = event {
            (self.0)(frame);
        }
    }
}

/// The directory of a rank, its wait before it writes, in milliseconds, and what it does after each frame.
struct Way<'a> {
    directory: &'a (dyn Fn(usize) -> PathBuf + Sync),
    delays: &'a [u64],
    after: &'a (dyn Fn(usize, u64) + Sync),
    resume: bool,
}

fn run_cut(gpu: &Gpu, pipeline: &Pipeline, parts: [usize; 3], way: &Way) -> Vec<Result<Ending, RunError>> {
    let count = parts.iter().product();
    let one = |ranks: Ranks| {
        let (rank, swaps) = (ranks.rank(), BTreeMap::new());
        let delay = way.delays.get(rank).copied().unwrap_or(0);
        let directory = (way.directory)(rank);
        let request = RunRequest {
            probe: Arc::new(Slow(Duration::from_millis(delay))),
            ranks: Some(ranks).filter(|_| count > 1),
            cut: CutRequest {
                parts: Some(parts),
                whole: Whole::None,
            },
            hash: true,
            resume: way.resume,
            ..RunRequest::new(gpu, pipeline.clone(), Path::new("test.json"), &directory, &swaps)
        };
        run(request, &mut After(&|frame| (way.after)(rank, frame)))
    };
    let one = &one;
    thread::scope(|scope| {
        let threads: Vec<_> = (Ranks::threads(count).into_iter())
            .map(|ranks| scope.spawn(move || one(ranks)))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// The files of a run with these delays.
fn files_of(gpu: &Gpu, pipeline: &Pipeline, parts: [usize; 3], delays: &[u64]) -> BTreeMap<String, Vec<u8>> {
    let directory = tempfile::tempdir().unwrap();
    let way = Way {
        directory: &|_| directory.path().to_path_buf(),
        delays,
        after: &|_, _| {},
        resume: false,
    };
    for ending in run_cut(gpu, pipeline, parts, &way) {
        assert_eq!(ending.unwrap_or_else(|error| panic!("{error}")), Ending::Done);
    }
    files(directory.path())
}

#[test]
fn files_in_parts_equal_those_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = written(3, outputs());
    let alone = files_of(&gpu, &pipeline, [1, 1, 1], &[]);
    // 8 outputs in 3 frames, one of them also in frame 0, one output in one frame, two lists of vti, hashes.
    assert_eq!(alone.len(), 8 * 3 + 1 + 1 + 2 + 1, "{:?}", alone.keys());
    let mut cuts = common::sweep(3, 9);
    for parts in [
        [1, 1, 2],
        [2, 1, 1],
        [1, 2, 1],
        [1, 1, 3],
        [3, 1, 1],
        [1, 3, 1],
        [2, 1, 2],
        [1, 2, 2],
        [2, 2, 1],
    ] {
        if !cuts.skips() {
            let found = files_of(&gpu, &pipeline, parts, &[]);
            assert!(found == alone, "{parts:?}: {:?}", found.keys());
        }
    }
}

/// The files of cuts along x and y equal those of one rank.
fn compare_planes(gpu: &Gpu, pipeline: &Pipeline) {
    let alone = files_of(gpu, pipeline, [1, 1, 1], &[]);
    let mut cuts = common::sweep(1, 3);
    for parts in [[2, 1, 1], [1, 3, 1], [2, 2, 1]] {
        if !cuts.skips() {
            assert!(files_of(gpu, pipeline, parts, &[]) == alone, "{parts:?}");
        }
    }
}

#[test]
fn entries_that_alternate_are_exchanged_before_parts_are_written() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = streaming::alone(2);
    let mut cut = pipeline.clone();
    (cut.cut(&CutRequest::default(), 0, 2)).unwrap_or_else(|uncut| panic!("{uncut:?}"));
    let text = plan::graph::ranks(&cut, &plan::plan(&cut).unwrap());
    let line =
        "each rank writes its part of the files of f, after an exchange of box.f (entries of the part)\n";
    assert!(text.contains(line) && !text.contains("gathered"), "{text}");
    compare_planes(&gpu, &pipeline);
}

#[test]
fn height_fields_are_written_in_parts() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = heights::written(2);
    let in_parts = |parts| {
        let (mut pipeline, whole) = (pipeline.clone(), Whole::All);
        let request = CutRequest { parts, whole };
        (pipeline.cut(&request, 0, 2)).unwrap_or_else(|uncut| panic!("{uncut:?}"));
        let mut outputs = pipeline.outputs.iter();
        outputs.all(|output| pipeline.is_written_in_parts(output))
    };
    // Cut along z, every rank has the whole ground.
    assert!(in_parts(Some([2, 1, 1])) && !in_parts(Some([1, 1, 2])));
    compare_planes(&gpu, &pipeline);
}

#[test]
fn rank_0_gathers_no_field_that_ranks_write_in_parts() {
    let mut outputs = outputs();
    let gathered = |outputs: &Value, rank: usize| {
        let mut pipeline = written(1, outputs.clone());
        let request = CutRequest {
            parts: Some([1, 1, 3]),
            whole: Whole::None,
        };
        (pipeline.cut(&request, rank, 3)).unwrap_or_else(|uncut| panic!("{uncut:?}"));
        let plan = plan::plan(&pipeline).unwrap();
        let held = |name: &str| pipeline.held_bytes(pipeline.field(name).unwrap()).is_some();
        let in_parts: Vec<String> = (pipeline.outputs.iter())
            .filter(|output| !pipeline.is_written_in_parts(output))
            .map(|output| output.name.clone())
            .collect();
        let staged: u64 = (pipeline.outputs.iter())
            .map(|output| pipeline.staged_bytes(output, output.fields[0]))
            .sum();
        let text = plan::graph::ranks(&pipeline, &plan);
        (in_parts, ["box.a", "box.n", "box.f"].map(held), staged, text)
    };
    let (names, held, _, text) = gathered(&outputs, 0);
    assert_eq!((names, held), (vec!["zip".to_string()], [true, false, true]));
    assert!(
        text.contains("gathered on rank 0 for outputs: box.n (all)"),
        "{text}"
    );
    assert!(
        text.contains("each rank writes its part of the files of a, l, f, c, y, all, some, layer\n"),
        "{text}"
    );
    outputs.as_object_mut().unwrap().remove("zip");
    let (names, held, staged, text) = gathered(&outputs, 0);
    assert_eq!((names, held), (Vec::new(), [true; 3]));
    assert!(!text.contains("gathered"), "{text}");
    // Three parts of 2, 3 and 2 planes: no rank stages all of a field.
    let all: u64 = [0, 1, 2].map(|rank| gathered(&outputs, rank).2).iter().sum();
    assert!(2 * staged < all, "{staged} of {all}");
}

#[test]
fn slow_disk_of_one_rank_stops_no_checkpoint() {
    let Some(gpu) = common::gpu() else { return };
    let outputs =
        json!({"a": {"source": "box.a", "format": "npy"}, "c": {"source": "box.c", "format": "vti"}});
    let pipeline = written(7, outputs);
    let alone = files_of(&gpu, &pipeline, [1, 1, 1], &[]);
    for delays in [[0, 60], [60, 0]] {
        assert!(
            files_of(&gpu, &pipeline, [1, 1, 2], &delays) == alone,
            "{delays:?}"
        );
    }
}

/// After frame 3, rank 1 no longer sees the directory: all ranks end, and no file with its name is incomplete.
#[test]
#[cfg(unix)]
fn failing_rank_leaves_no_incomplete_file() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = written(6, json!({"a": {"source": "box.a", "format": "npy"}}));
    let alone = files_of(&gpu, &pipeline, [1, 1, 1], &[]);
    let place = tempfile::tempdir().unwrap();
    let [directory, link] = ["real", "link"].map(|name| place.path().join(name));
    std::fs::create_dir(&directory).unwrap();
    std::os::unix::fs::symlink(&directory, &link).unwrap();
    let of_rank = |rank| {
        if rank == 0 {
            directory.clone()
        } else {
            link.clone()
        }
    };
    let fails = |rank, frame| {
        if (rank, frame) == (1, 3) {
            std::fs::remove_file(&link).unwrap();
        }
    };
    let way = Way {
        directory: &of_rank,
        delays: &[],
        after: &fails,
        resume: false,
    };
    let endings = run_cut(&gpu, &pipeline, [1, 1, 2], &way);
    let texts: Vec<String> = (endings.into_iter())
        .map(|ending| ending.unwrap_err().to_string())
        .collect();
    assert!(
        texts[1].contains("cannot open the hidden file of") && texts[1].contains("--out"),
        "{texts:?}"
    );
    assert!(
        texts[0].contains("rank 1 failed") && texts[0].contains(&texts[1]),
        "{texts:?}"
    );
    let left = files(&directory);
    assert!(
        left.contains_key("a.0001.npy") && !left.contains_key("a.0006.npy"),
        "{:?}",
        left.keys()
    );
    for (name, bytes) in left.iter().filter(|(name, _)| name.starts_with("a.")) {
        assert!(*bytes == alone[name], "{name}");
    }
    assert!(
        !left.keys().any(|name| name.ends_with(".part")),
        "{:?}",
        left.keys()
    );
    // The run continues from its last checkpoint, whose frames are there.
    std::os::unix::fs::symlink(&directory, &link).unwrap();
    let way = Way {
        after: &|_, _| {},
        resume: true,
        ..way
    };
    for ending in run_cut(&gpu, &pipeline, [1, 1, 2], &way) {
        assert_eq!(ending.unwrap_or_else(|error| panic!("{error}")), Ending::Done);
    }
    assert!(files(&directory) == alone);
}

#[test]
fn rank_with_another_directory_is_refused() {
    let Some(gpu) = common::gpu() else { return };
    let place = tempfile::tempdir().unwrap();
    let way = Way {
        directory: &|rank| place.path().join(format!("of_{rank}")),
        delays: &[],
        after: &|_, _| {},
        resume: false,
    };
    let pipeline = written(1, json!({"a": {"source": "box.a", "format": "npy"}}));
    let endings = run_cut(&gpu, &pipeline, [1, 1, 2], &way);
    let texts: Vec<String> = (endings.into_iter())
        .map(|ending| ending.unwrap_err().to_string())
        .collect();
    assert!(
        texts[1].contains("of_1 is not the directory in which rank 0 writes files"),
        "{texts:?}"
    );
    assert!(texts[0].contains("rank 1 failed"), "{texts:?}");
    assert!(files(&place.path().join("of_0")).is_empty());
}
