//! Names, numbers, times and other conventions of the programs that read files: one pipeline with a sorted set, a dense and
//! a sparse grid, and pictures.

use serde_json::{Value, json};

use super::*;

/// Runs the pipeline; `None` where there is no device.
pub fn guests(more: &[&str]) -> Option<tempfile::TempDir> {
    run("guests", more)
}

#[test]
#[ignore = "long: pictures, meshes, volumes and films in four programs"]
fn outputs_have_the_conventions_of_other_programs() {
    let Some(out) = guests(&[]) else { return };
    for part in [
        points_have_conventional_names_and_lasting_numbers,
        vtk_finds_active_arrays_times_and_hidden_cells,
        volumes::openvdb_reads_integers_classes_and_pruned_grids,
        volumes::points_of_openvdb_are_those_of_the_set,
        volumes::openvdb_tools_count_compressed_points,
        exr_has_layers_and_times,
        films_are_tagged_and_lossless_where_they_say_so,
        frame_zero_is_the_state_before_the_first_step,
        manifest_has_the_times_of_frames,
    ] {
        part(out.path());
    }
}

/// The one file that a reader prints.
pub fn one(reader: &str, path: PathBuf) -> Value {
    read(reader, &[path]).unwrap().remove(0)
}

pub fn values(array: &Value) -> Vec<f64> {
    let values = array["values"].as_array().unwrap();
    values.iter().map(|value| value.as_f64().unwrap()).collect()
}

pub fn names(arrays: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = arrays.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

fn points_have_conventional_names_and_lasting_numbers(out: &Path) {
    if !has_module("numpy") {
        return;
    }
    for frame in 0..=FRAMES {
        let bgeo = &one("bgeo.py", out.join(format!("houdini.{frame:04}.bgeo")))["arrays"];
        assert_eq!(names(bgeo), ["Cd", "P", "id", "key", "pscale", "v"]);
        let numbers = values(&bgeo["id"]);
        let is_sorted = numbers
            .iter()
            .enumerate()
            .all(|(at, number)| at as f64 == *number);
        assert_eq!(is_sorted, frame == 0, "control: the sort moves particles");
        let ply = &one("ply.py", out.join(format!("ply.{frame:04}.ply")))["arrays"];
        assert_eq!(names(ply), ["blue", "green", "id", "red", "x", "y", "z"]);
        let kinds = ["red", "green", "blue", "id"].map(|name| ply[name]["type"].as_str().unwrap());
        assert_eq!(kinds, ["uchar", "uchar", "uchar", "uint"]);
        // The hidden number is the one that the attribute has.
        assert_eq!(values(&ply["id"]), numbers);
        assert_eq!(values(&ply["x"]), numbers);
        let red: Vec<f64> = numbers.iter().map(|number| 5.0 * number).collect();
        assert_eq!(values(&ply["red"]), red);
        assert!(values(&ply["green"]).iter().all(|part| *part == 128.0));
        // Beyond 1, colours are clamped.
        assert!(values(&ply["blue"]).iter().all(|part| *part == 255.0));
    }
    let kept = &one("numpy_arrays.py", out.join("kept.0003.npz"))["arrays"];
    assert_eq!(names(kept), ["id", "position", "width"]);
    assert_eq!(
        values(&kept["id"]),
        (0..51).step_by(5).map(f64::from).collect::<Vec<f64>>()
    );
    assert!(
        values(&kept["width"]).iter().all(|width| *width == 0.5),
        "twice the radius"
    );
}

fn vtk_finds_active_arrays_times_and_hidden_cells(out: &Path) {
    if !has_module("vtk") {
        return;
    }
    for frame in 0..=FRAMES {
        let points = one("vtk_facts.py", out.join(format!("vtk.{frame:04}.vtp")));
        let wanted = json!({"time": 0.5 * frame as f64, "scalars": "number", "vectors": "velocity", "ghosts": null,
            "arrays": ["color", "key", "number", "size", "velocity"],
            "units": {"color": null, "key": null, "number": null, "size": null, "velocity": null}});
        assert_eq!(difference(&wanted, &points), None);
        // Compressed in blocks, the numbers are the same.
        let data = &one("vtk_data.py", out.join(format!("vtk.{frame:04}.vtp")))["arrays"];
        let bgeo = &one("bgeo.py", out.join(format!("houdini.{frame:04}.bgeo")))["arrays"];
        for (here, there) in [("number", "id"), ("velocity", "v"), ("color", "Cd")] {
            assert_eq!(values(&data[here]), values(&bgeo[there]), "{here}");
        }
    }
    // Before the first step no block is active.
    for frame in 0..=FRAMES {
        let cells = one("vtk_facts.py", out.join(format!("sparse_vti.{frame:04}.vti")));
        assert_eq!(cells["scalars"], "density");
        assert_eq!(cells["vectors"], "wind");
        let hidden: Vec<f64> = lattice([20, 12, 10], |x, _, z| {
            let is_active = z < 4 && x < 4 * frame as i64;
            vec![if is_active { 0.0 } else { 32.0 }]
        });
        assert_eq!(
            difference(&json!(hidden), &cells["ghosts"]),
            None,
            "frame {frame}"
        );
    }
    let text = fs::read(out.join("vtk.0001.vtp")).unwrap();
    let is_compressed = |bytes: &[u8]| bytes.windows(21).any(|words| words == b"vtkZLibDataCompressor");
    assert!(is_compressed(&text));
}

fn exr_has_layers_and_times(out: &Path) {
    if !is_here(PYTHON, &["--version"]) {
        return;
    }
    for frame in 0..=FRAMES {
        let layers = one("exr_plain.py", out.join(format!("screen.{frame:04}.exr")));
        let wanted = json!({"time": 0.5 * frame as f64, "software": "sastrugi"});
        assert_eq!(difference(&wanted, &layers["facts"]), None);
        let arrays = &layers["arrays"];
        assert_eq!(
            names(arrays),
            ["color.A", "color.B", "color.G", "color.R", "depth.V"]
        );
        let depth = lattice([13, 11, 1], |x, _, _| vec![x as f64 + 100.25 * frame as f64]);
        assert_eq!(values(&arrays["depth.V"]), depth);
    }
    let half = fs::read(out.join("screen_half.0001.exr")).unwrap();
    let has = |word: &[u8]| half.windows(word.len()).any(|bytes| bytes == word);
    // A name of one's own, and two bytes a number, also of colours.
    assert!(has(b"z.V\0\x01\0\0\0") && has(b"color.R\0\x01\0\0\0"));
    assert!(!has(b"depth"));
}

/// The frames of a film as bytes of RGB, with the matrix that its tags name or with another.
fn frames(path: &Path, matrix: &str) -> Vec<u8> {
    let output = Command::new("ffmpeg")
        .args(["-v", "error", "-i"])
        .arg(path)
        .args([
            "-vf",
            &format!("scale=in_color_matrix={matrix}:flags=accurate_rnd"),
        ])
        .args(["-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        .output()
        .unwrap();
    assert!(output.status.success());
    output.stdout
}

/// The properties of a film that ffprobe prints.
fn facts(path: &Path) -> String {
    let probe = Command::new("ffprobe")
        .args(["-v", "error", "-select_streams", "v:0", "-of", "csv=p=0", "-show_entries"])
        .arg(
            "stream=profile,width,height,pix_fmt,color_range,color_space,color_transfer,color_primaries,r_frame_rate",
        )
        .arg(path)
        .output()
        .unwrap();
    assert!(probe.status.success());
    String::from_utf8(probe.stdout).unwrap().trim().to_owned()
}

/// The pixels of a PNG without opacity.
fn pixels(path: &Path) -> Vec<u8> {
    let file = std::io::BufReader::new(fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    bytes
        .chunks_exact(4)
        .flat_map(|pixel| &pixel[..3])
        .copied()
        .collect()
}

fn films_are_tagged_and_lossless_where_they_say_so(out: &Path) {
    if !is_here("ffmpeg", &["-version"]) || !is_here("ffprobe", &["-version"]) {
        return;
    }
    // From frame 0 on, two frames a second: the time of a frame is half a second.
    let lossless = out.join("lossless.0000.mp4");
    assert_eq!(
        facts(&lossless),
        "High 4:4:4 Predictive,13,11,gbrp,pc,gbr,iec61966-2-1,bt709,2/1"
    );
    let drawn: Vec<u8> = (0..=FRAMES)
        .flat_map(|frame| pixels(&out.join(format!("colors.{frame:04}.png"))))
        .collect();
    assert_eq!(frames(&lossless, "auto"), drawn);
    let film = out.join("film.0002.mp4");
    assert_eq!(facts(&film), "High,14,12,yuv420p,tv,bt709,bt709,bt709,1/1");
    let drawn = pixels(&out.join("bars.0002.png"));
    // Red in the middles of the two bars, away from their edge.
    let red = |bytes: &[u8], width: usize| [2, 10].map(|x| bytes[3 * (5 * width + x)]);
    let is_close = |matrix: &str| {
        let held = red(&frames(&film, matrix), 14);
        held.iter().zip(red(&drawn, 13)).all(|(a, b)| a.abs_diff(b) <= 3)
    };
    assert!(is_close("auto"));
    assert!(!is_close("bt601"), "control: the colours of another matrix");
}

fn frame_zero_is_the_state_before_the_first_step(out: &Path) {
    let exists = |name: &str| out.join(name).exists();
    assert!(exists("houdini.0000.bgeo") && exists("volume.0000.vdb") && exists("colors.0000.png"));
    assert!(
        !exists("kept.0000.npz") && !exists("bars.0000.png"),
        "control: not asked for"
    );
    let first = &one("bgeo.py", out.join("houdini.0000.bgeo"))["arrays"];
    let place: Vec<f64> = (0..51)
        .flat_map(|i| [f64::from(i), 2.0 * f64::from(i), 0.0, 1.0])
        .collect();
    assert_eq!(values(&first["P"]), place);
}

fn manifest_has_the_times_of_frames(out: &Path) {
    let text = fs::read_to_string(out.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(manifest["frame_seconds"], 0.5);
    let outputs = &manifest["outputs"];
    assert_eq!(outputs["bars"]["every"], 2);
    let entry = |name: &str| {
        let entry = &outputs[name];
        (
            entry["initial"].as_bool().unwrap(),
            entry["files"].as_u64().unwrap(),
        )
    };
    assert_eq!([entry("colors"), entry("bars")], [(true, 4), (false, 1)]);
}

/// A frame 0 changes nothing after it, also of what stages of frames draw.
#[test]
fn frame_zero_leaves_later_frames_as_they_are() {
    let Some(with) = guests(&[]) else { return };
    let without = guests(&[
        "--set",
        "outputs.screen.initial=false",
        "--set",
        "outputs.colors.initial=false",
        "--set",
        "outputs.lossless.initial=false",
        "--set",
        "outputs.houdini.initial=false",
        "--set",
        "outputs.ply.initial=false",
        "--set",
        "outputs.vtk.initial=false",
        "--set",
        "outputs.volume.initial=false",
    ])
    .unwrap();
    let read = |directory: &tempfile::TempDir, name: &str| fs::read(directory.path().join(name));
    assert!(read(&without, "screen.0000.exr").is_err());
    for name in ["screen", "houdini", "colors", "volume", "sparse_vti"] {
        let extension = match name {
            "screen" => "exr",
            "houdini" => "bgeo",
            "colors" => "png",
            "volume" => "vdb",
            _ => "vti",
        };
        for frame in 1..=FRAMES {
            let file = format!("{name}.{frame:04}.{extension}");
            assert!(
                read(&with, &file).unwrap() == read(&without, &file).unwrap(),
                "{file}"
            );
        }
    }
    let [first, second] = [1, 2].map(|frame| read(&with, &format!("colors.{frame:04}.png")).unwrap());
    assert_ne!(first, second, "control");
}

/// Integers that no float of an OpenVDB equals end the run by name.
#[test]
fn integers_beyond_floats_of_openvdb_are_refused_by_name() {
    if !device::is_here() {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let run = |source: &str, more: &[&str]| {
        let set = format!("outputs.air_vdb.source={source}");
        let mut arguments = vec!["--set", &set, "--force"];
        arguments.extend(more);
        program("tests/data/formats/formats.json", out.path(), &arguments)
            .output()
            .unwrap()
    };
    let refused = run("\"air.id\"", &[]);
    let error = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{error}");
    let words = error.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("`id` of element 0 is 4000000001, which no float of an OpenVDB equals"),
        "{words}"
    );
    let floats = run("\"air.id\"", &["--set", "outputs.air_vdb.scale=1"]);
    assert!(
        floats.status.success(),
        "{}",
        String::from_utf8_lossy(&floats.stderr)
    );
}
