//! Contents of files: colours of numbers, equal particles in every frame, numbers beyond a format's range.

use std::fs;
use std::io::BufReader;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::device;

/// Runs a pipeline with kernels given as strings, in a directory of its own, into its `out`.
fn run(file: &Value, kernels: &[(&str, &str)], more: &[&str]) -> (TempDir, Output) {
    let directory = tempfile::tempdir().unwrap();
    for (name, body) in kernels {
        let text = format!("#version 460\n#include \"stage.glsl\"\n{body}\n");
        fs::write(directory.path().join(format!("{name}.comp")), text).unwrap();
    }
    let spec = directory.path().join("pipeline.json");
    fs::write(&spec, file.to_string()).unwrap();
    let output = crate::start()
        .env("NO_COLOR", "1")
        .args(["run", "--validation", "--out"])
        .arg(directory.path().join("out"))
        .arg(&spec)
        .args(more)
        .output()
        .unwrap();
    (directory, output)
}

fn text(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs to the end.
#[track_caller]
fn runs(file: &Value, kernels: &[(&str, &str)], more: &[&str]) -> TempDir {
    let (directory, output) = run(file, kernels, more);
    assert!(output.status.success(), "{}", text(&output));
    directory
}

/// The samples of a PNG and how many each pixel has.
fn pixels(directory: &TempDir, name: &str) -> (Vec<u8>, usize) {
    let path = directory.path().join("out").join(name);
    let file = BufReader::new(fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    (bytes, frame.color_type.samples())
}

/// The numbers of an npy file.
fn numbers<T: npyz::Deserialize>(directory: &TempDir, name: &str) -> Vec<T> {
    let bytes = fs::read(directory.path().join("out").join(name)).unwrap();
    npyz::NpyFile::new(&bytes[..]).unwrap().into_vec().unwrap()
}

/// The colours of the writers are those of `render/colormaps.glsl`.
#[test]
fn writer_colormaps_match_the_shaders() {
    if !device::is_here() {
        return;
    }
    let draw = "#include \"render/colormaps.glsl\"
void stage(ivec2 pixel) {
    ivec2 at = ivec2(pixel.x, plate_cells.y - 1 - pixel.y);
    float t = (plate_heat(at) + 1.0) / 5.0;
    set_view_color(pixel, vec4(viridis(t), 1.0));
    set_view_signed(pixel, vec4(diverging(2.0 * t - 1.0), 1.0));
}";
    let file = json!({
        "run": {"dt": 1, "frames": 1},
        "grids": {"plate": {"cells": [301, 7], "cell_size": 1, "channels": {
            "heat": {"type": "float", "values": "x / 50 - 1.5 + 0.01 * y"}
        }},
        "view": {"pixels": [301, 7], "channels": {"color": "rgba8", "signed": "rgba8"}}},
        "step": [],
        "frame": [{"stage": "draw", "over": "view", "reads": ["plate.heat"], "writes": ["view.color", "view.signed"]}],
        "outputs": {
            "color": {"source": "view.color"},
            "signed": {"source": "view.signed"},
            "viridis": {"source": "plate.heat", "colormap": "viridis", "range": [-1, 4]},
            "diverging": {"source": "plate.heat", "colormap": "diverging", "range": [-1, 4]},
            "grey": {"source": "plate.heat", "format": "png", "range": [-1, 4]}
        },
    });
    let directory = runs(&file, &[("draw", draw)], &[]);
    let difference = |drawn: &str, mapped: &str| {
        let (drawn, four) = pixels(&directory, drawn);
        let (mapped, three) = pixels(&directory, mapped);
        assert_eq!((four, three, mapped.len()), (4, 3, 3 * 301 * 7));
        let pairs = drawn.chunks_exact(4).zip(mapped.chunks_exact(3));
        let parts = pairs.flat_map(|(drawn, mapped)| drawn.iter().zip(mapped));
        parts.map(|(a, b)| a.abs_diff(*b)).max().unwrap()
    };
    assert!(difference("color.0001.png", "viridis.0001.png") <= 1);
    assert!(difference("signed.0001.png", "diverging.0001.png") <= 1);
    // Control: the other map has other colours.
    assert!(difference("color.0001.png", "diverging.0001.png") > 50);
    let (grey, one) = pixels(&directory, "grey.0001.png");
    assert_eq!((one, grey.len()), (1, 301 * 7));
}

#[test]
fn component_of_a_field_is_written_alone() {
    if !device::is_here() {
        return;
    }
    let draw = "void stage(ivec2 pixel) { set_view_color(pixel, vec4(pixel, 0, 255) / 255.0); }";
    let file = json!({
        "run": {"dt": 1, "frames": 1},
        "grids": {
            "plate": {"cells": [5, 3], "cell_size": 1, "channels": {"flow": {"type": "vec3", "values": ["x", "10 * y", 7]}}},
            "view": {"pixels": [5, 3], "channels": {"color": "rgba8"}}
        },
        "step": [],
        "frame": [{"stage": "draw", "over": "view", "writes": ["view.color"]}],
        "outputs": {
            "flow": {"source": "plate.flow"},
            "y": {"source": "plate.flow.y"},
            "box": {"source": "plate.flow.y", "region": [[1, 0], [4, 2]]},
            "green": {"source": "view.color.g"}
        },
    });
    let directory = runs(&file, &[("draw", draw)], &[]);
    let flow: Vec<f32> = numbers(&directory, "flow.0001.npy");
    let y: Vec<f32> = numbers(&directory, "y.0001.npy");
    let expected: Vec<f32> = flow.chunks(3).map(|flow| flow[1]).collect();
    assert_eq!((y.len(), &y), (15, &expected));
    // Control: the other components differ.
    assert_ne!(y[0], flow[0]);
    let part: Vec<f32> = numbers(&directory, "box.0001.npy");
    assert_eq!(part, [&y[1..4], &y[6..9]].concat());
    let green: Vec<u8> = numbers(&directory, "green.0001.npy");
    assert_eq!(green, (0..15).map(|pixel| pixel / 5).collect::<Vec<u8>>());
}

/// Particles change their places in every step: sorted by a key that changes, and where the set is dynamic some die and
/// others are born.
fn moving(dynamic: bool) -> Value {
    let mut file = json!({
        "run": {"dt": 1, "frames": 6},
        "particles": {"p": {"count": 72, "attributes": {"name": "uint", "key": "uint", "dead": "uint"}}},
        "init": [{"stage": "begin", "over": "p", "writes": ["p.name", "p.key", "p.dead"]}],
        "step": [
            {"stage": "mix", "over": "p", "reads": ["p.name"], "writes": ["p.key", "p.dead"]},
            {"sort": "p", "by": "p.key", "bits": 10}
        ],
        "outputs": {
            "all": {"source": "p.name"},
            "some": {"source": "p.name", "stride": 4},
            "whole": {"source": "p", "format": "npz", "stride": 4},
            "numbered": {"source": ["p.name"], "format": "npz", "id": true}
        },
    });
    if dynamic {
        file["particles"]["p"]["capacity"] = json!(300);
        let steps = file["step"].as_array_mut().unwrap();
        steps.push(json!({"remove": "p", "where": "p.dead"}));
        steps.push(json!({"stage": "spawn", "emits": {"p": 10}, "writes": ["p.name", "p.key", "p.dead"]}));
    }
    file
}

const KERNELS: [(&str, &str); 3] = [
    (
        "begin",
        "void stage(uint i) { set_p_name(i, i); set_p_key(i, 0u); set_p_dead(i, 0u); }",
    ),
    (
        "mix",
        "void stage(uint i) {
    uint name = p_name(i);
    set_p_key(i, (name * 2654435761u + clock.step * 40503u) >> 7 & 1023u);
    set_p_dead(i, uint((name * 7u + clock.step * 5u) % 23u == 0u));
}",
    ),
    (
        "spawn",
        "void stage(uint i) { set_p_name(i, 72u + 10u * clock.step + i - p_count); set_p_key(i, 0u); set_p_dead(i, 0u); }",
    ),
];

#[test]
fn strided_output_follows_particles() {
    if !device::is_here() {
        return;
    }
    // Checked kernels take a driver ten times as long to compile.
    let is_long = std::env::var_os("SASTRUGI_LONG").is_some();
    let checks: &[&str] = if is_long { &["--checked"] } else { &[] };
    for dynamic in [false, true] {
        let directory = runs(&moving(dynamic), &KERNELS, checks);
        let mut moved = 0;
        for frame in 1..=6 {
            let all: Vec<u32> = numbers(&directory, &format!("all.{frame:04}.npy"));
            let some: Vec<u32> = numbers(&directory, &format!("some.{frame:04}.npy"));
            // The name is the number: those that live, of every fourth.
            let mut wanted: Vec<u32> = all.iter().copied().filter(|name| name % 4 == 0).collect();
            moved += usize::from(!wanted.is_sorted());
            wanted.sort_unstable();
            assert_eq!(some, wanted, "dynamic: {dynamic}, frame {frame}");
            if dynamic {
                assert!(all.iter().any(|name| *name >= 72), "some were born: {all:?}");
            } else {
                assert_eq!(some, (0..72).step_by(4).collect::<Vec<u32>>());
            }
            let places: Vec<u32> = all.iter().copied().step_by(4).collect();
            assert_ne!(some, places, "control: every fourth place has others");
        }
        assert!(moved > 3, "control: the sort moves them");
        // Nobody sees the numbers but the stride.
        let names: Vec<u8> = fs::read(directory.path().join("out/whole.0001.npz")).unwrap();
        let contains = |name: &[u8]| names.windows(name.len()).any(|part| part == name);
        assert!(contains(b"name.npy") && !contains(b"identity"));
    }
}

/// The numbers of an array in an npz without compression.
fn array_of(directory: &TempDir, file: &str, array: &str) -> Vec<u32> {
    let bytes = fs::read(directory.path().join("out").join(file)).unwrap();
    let mut archive = npyz::npz::NpzArchive::new(std::io::Cursor::new(bytes)).unwrap();
    archive.by_name(array).unwrap().unwrap().into_vec().unwrap()
}

#[test]
fn ids_stay_with_particles_that_are_sorted_born_and_removed() {
    if !device::is_here() {
        return;
    }
    for dynamic in [false, true] {
        let directory = runs(&moving(dynamic), &KERNELS, &[]);
        for frame in 1..=6 {
            let [id, name] =
                ["id", "name"].map(|array| array_of(&directory, &format!("numbered.{frame:04}.npz"), array));
            // The name is the number.
            assert_eq!(id, name, "dynamic: {dynamic}, frame {frame}");
            assert!(!id.is_sorted(), "control: the sort moves them");
            assert_eq!(
                id.iter().any(|number| *number >= 72),
                dynamic,
                "control: some are born"
            );
        }
    }
}

#[test]
fn resumed_run_keeps_the_strided_particles() {
    if !device::is_here() {
        return;
    }
    let file = moving(true);
    let whole = runs(&file, &KERNELS, &[]);
    let parts = runs(&file, &KERNELS, &["--frames", "3", "--checkpoint", "3"]);
    let resumed = crate::start()
        .args(["run", "--quiet", "--frames", "6", "--resume"])
        .arg(parts.path().join("out"))
        .output()
        .unwrap();
    assert!(resumed.status.success(), "{}", text(&resumed));
    for frame in 4..=6 {
        let name = format!("some.{frame:04}.npy");
        let [a, b] = [&whole, &parts].map(|directory| numbers::<u32>(directory, &name));
        assert_eq!(a, b, "{name}");
    }
}

#[test]
fn half_precision_overflow_fails_the_run() {
    if !device::is_here() {
        return;
    }
    let file = |expression: &str| {
        json!({
            "run": {"dt": 1, "frames": 1},
            "grids": {"plate": {"cells": [9, 7], "cell_size": 1, "channels": {
                "heat": {"type": "float", "values": expression}
            }}},
            "step": [],
            "outputs": {"heat": {"source": "plate.heat", "precision": "half"}},
        })
    };
    for format in ["npy", "exr", "vti"] {
        let mut file = file("10000 * x");
        file["outputs"]["heat"]["format"] = json!(format);
        if format == "vti" {
            // Control: 32 bits hold it.
            file["outputs"]["heat"]["precision"] = json!("full");
            runs(&file, &[], &[]);
            continue;
        }
        let (directory, output) = run(&file, &[], &[]);
        assert_eq!(output.status.code(), Some(1));
        let says = text(&output);
        let wanted = "`heat` of element 7 is 75000.0, but 16-bit floats end at 65504; choose another format";
        assert!(says.contains(wanted), "{says}");
        assert!(!directory.path().join(format!("out/heat.0001.{format}")).exists());
    }
    let held = runs(&file("65504 * x / 8.5"), &[], &[]);
    assert!(held.path().join("out/heat.0001.npy").exists());
}

/// A value that becomes NaN between two looks of the watch is in frames that are on disk already.
#[test]
fn unwatched_frames_are_not_reported_good() {
    if !device::is_here() {
        return;
    }
    let file = json!({
        "run": {"dt": 1, "frames": 60, "watch_every": 25},
        "buffers": {"a": {"type": "float", "length": 100, "background": 0}},
        "step": [{"stage": "spoil", "over": "a", "reads": ["a"], "writes": ["a"]}],
        "outputs": {"a": {"source": "a"}},
    });
    let spoil =
        "void stage(uint i) { float n = a(i) + 1.0; set_a(i, i == 7u ? n * (22.0 - n) / (22.0 - n) : n); }";
    let (directory, output) = run(&file, &[("spoil", spoil)], &[]);
    assert_eq!(output.status.code(), Some(1));
    let says = text(&output);
    assert!(
        says.contains("`a` has NaN at element 7 after stage `spoil` of step 22 help:")
            && says.contains("frames up to 24 are complete, but 22 to 24 may hold bad values"),
        "{says}"
    );
    let nan = |frame: u64| numbers::<f32>(&directory, &format!("a.{frame:04}.npy"))[7].is_nan();
    assert_eq!([nan(21), nan(22), nan(24)], [false, true, true]);
    assert!(!Path::new(&directory.path().join("out/a.0025.npy")).exists());
}
