//! Pictures: png and exr, decoded by ffmpeg, and exr of several channels by a parser of its layout.

use serde_json::{Value, json};

use super::*;

const SIZE: [i64; 3] = [13, 10, 1];

/// The samples of a picture that ffmpeg decodes, as raw bytes of a pixel format.
fn decoded(path: &Path, format: &str) -> Vec<u8> {
    let output = Command::new("ffmpeg")
        .args(["-v", "error", "-i"])
        .arg(path)
        .args(["-f", "rawvideo", "-pix_fmt", format, "-"])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {error}", path.display());
    output.stdout
}

fn floats(bytes: &[u8]) -> Vec<f64> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| f64::from(f32::from_le_bytes(word.try_into().unwrap())))
        .collect()
}

/// Decodes every frame of an output; the control: another frame is told from it.
#[track_caller]
fn check_picture(
    out: &Path,
    name: &str,
    extension: &str,
    decode: impl Fn(&Path) -> Vec<f64>,
    wanted: impl Fn(u64) -> Vec<f64>,
) {
    for frame in 1..=FRAMES {
        let held = decode(&out.join(format!("{name}.{frame:04}.{extension}")));
        assert_eq!(held, wanted(frame), "{name}, frame {frame}");
        assert_ne!(held, wanted(frame + 1), "control: {name}");
    }
}

pub fn png_is_read_by_ffmpeg(out: &Path) {
    if !is_here("ffmpeg", &["-version"]) {
        return;
    }
    let bytes = |format: &'static str| {
        move |path: &Path| -> Vec<f64> { decoded(path, format).into_iter().map(f64::from).collect() }
    };
    check_picture(out, "view", "png", bytes("rgba"), |frame| {
        let level = 60.0 * frame as f64;
        lattice(SIZE, |_, _, _| vec![level, level, level, 255.0])
    });
    let words = |path: &Path| -> Vec<f64> {
        let bytes = decoded(path, "gray16be");
        let words = bytes.chunks_exact(2);
        words
            .map(|word| f64::from(u16::from_be_bytes([word[0], word[1]])))
            .collect()
    };
    check_picture(out, "depth", "png", words, |frame| {
        lattice(SIZE, |x, y, _| vec![(x + 100 * y) as f64 + 2000.0 * frame as f64])
    });
    // North is on top.
    check_picture(out, "relief", "png", bytes("gray"), |frame| {
        lattice([6, 4, 1], |x, row, _| {
            vec![(x + 10 * (3 - row)) as f64 + 40.0 * step(frame)]
        })
    });
}

pub fn exr_is_read_by_ffmpeg(out: &Path) {
    if !is_here("ffmpeg", &["-version"]) {
        return;
    }
    let glow = |frame: u64| {
        // ffmpeg's planes: green, blue, red, opacity.
        let plane = |value: &dyn Fn(i64, i64) -> f64| lattice(SIZE, |x, y, _| vec![value(x, y)]);
        [
            plane(&|_, y| y as f64),
            plane(&|_, _| frame as f64),
            plane(&|x, _| x as f64),
            plane(&|_, _| 0.5),
        ]
        .concat()
    };
    for name in ["glow", "glow_half"] {
        let planes = |path: &Path| floats(&decoded(path, "gbrapf32le"));
        check_picture(out, name, "exr", planes, glow);
    }
    // A slice of a grid: what is high is on top.
    let grey = |path: &Path| floats(&decoded(path, "grayf32le"));
    check_picture(out, "slice", "exr", grey, |frame| {
        lattice([9, 5, 1], |x, row, _| {
            vec![(x + 100 * (4 - row)) as f64 + 1000.0 * step(frame)]
        })
    });
}

pub fn exr_of_several_fields_is_read_by_a_parser_of_its_layout(out: &Path) {
    if !is_here(PYTHON, &["--version"]) {
        return;
    }
    // Float and back, as the file holds it.
    let single = |value: f64| f64::from(value as f32);
    let linear = |level: f64| single(((level / 255.0 + 0.055) / 1.055).powf(2.4));
    check(out, "exr_plain.py", "layers", "exr", |frame| {
        let channel = |value: &dyn Fn(i64, i64) -> f64| -> Value {
            json!({"type": "f", "values": lattice(SIZE, |x, y, _| vec![value(x, y)])})
        };
        let shade = linear(60.0 * frame as f64);
        let facts = json!({"time": 0.5 * frame as f64, "software": "sastrugi"});
        json!({"width": 13, "height": 10, "facts": facts, "arrays": {
            "color.R": channel(&|_, _| shade), "color.G": channel(&|_, _| shade), "color.B": channel(&|_, _| shade),
            "color.A": channel(&|_, _| 1.0),
            "glow.x": channel(&|x, _| x as f64), "glow.y": channel(&|_, y| y as f64),
            "glow.z": channel(&|_, _| frame as f64), "glow.w": channel(&|_, _| 0.5),
            "depth.V": channel(&|x, y| (x + 100 * y) as f64 + 2000.0 * frame as f64),
        }})
    });
}
