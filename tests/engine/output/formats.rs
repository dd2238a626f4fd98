//! Contents of files, read back by the crates' decoders, and npy by numpy itself.

use std::fs::File;
use std::path::Path;
use std::process::Command;

use sastrugi::output::*;

use super::noise;

fn write_one(directory: &Path, content: Content, data: Vec<u8>) -> Written {
    let writers = Writers::start(1, 1).unwrap();
    let path = frame_path(directory, "view", 1, content.format.extension());
    let job = Job {
        output: "view".into(),
        frame: 1,
        path,
        content: content.into(),
        payload: Box::new(data),
    };
    writers.submit(job).unwrap();
    writers.finish().unwrap().remove(0)
}

/// Width, height and RGBA bytes.
fn decode_png(path: &Path) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::BufReader::new(File::open(path).unwrap()))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(
        (info.color_type, info.bit_depth),
        (png::ColorType::Rgba, png::BitDepth::Eight)
    );
    assert_eq!(
        reader.info().srgb,
        Some(png::SrgbRenderingIntent::Perceptual),
        "sRGB chunk"
    );
    (info.width, info.height, pixels)
}

#[test]
fn png_pixels_round_trip() {
    let directory = tempfile::tempdir().unwrap();
    for (width, height) in [(1, 1), (1, 7), (5, 3), (257, 129), (640, 360)] {
        let length = (width * height * 4) as usize;
        let gradient = (0..length).map(|i| (i / 4 % 251) as u8).collect();
        for pixels in [noise(length as u64, length), gradient] {
            let content = Content::array(Format::Png, Scalar::Colour, 4, &[height, width]);
            let written = write_one(directory.path(), content, pixels.clone());
            let (w, h, decoded) = decode_png(&written.path);
            assert_eq!((u64::from(w), u64::from(h)), (width, height));
            let differs = decoded.chunks(4).zip(pixels.chunks(4)).position(|(a, b)| a != b);
            assert_eq!(differs, None, "first pixel that differs in {width}x{height}");
        }
    }
}

/// Values between two levels go to the nearest, values beyond the range to its ends, NaN to black.
#[test]
fn png_grey_levels_are_rounded_and_clamped() {
    let directory = tempfile::tempdir().unwrap();
    // In levels of 8 bits: the range is [-2, 3], 5/255 a level.
    let levels = [
        0.0f64, 0.49, 0.51, 1.0, 99.4, 99.6, 254.4, 254.6, 255.0, 300.0, -0.4, -20.0,
    ];
    let mut values: Vec<f32> = levels
        .iter()
        .map(|level| (level * 5.0 / 255.0 - 2.0) as f32)
        .collect();
    values.push(f32::NAN);
    values.push(f32::INFINITY);
    for bits in [8, 16] {
        let mut content = Content::array(Format::Png, Scalar::F32, 1, &[2, 7]);
        (content.style.bits, content.style.range) = (bits, Some([-2.0, 3.0]));
        let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let written = write_one(directory.path(), content, data);
        let file = std::io::BufReader::new(File::open(&written.path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!(info.color_type, png::ColorType::Grayscale);
        let found: Vec<f64> = match bits {
            16 => pixels
                .chunks(2)
                .map(|word| f64::from(u16::from_be_bytes([word[0], word[1]])))
                .collect(),
            _ => pixels.iter().map(|level| f64::from(*level)).collect(),
        };
        let expected = [
            0.0, 0.0, 1.0, 1.0, 99.0, 100.0, 254.0, 255.0, 255.0, 255.0, 0.0, 0.0, 0.0, 255.0,
        ];
        if bits == 8 {
            assert_eq!(found, expected);
            continue;
        }
        for ((level, value), expected) in found.iter().zip(&values).zip(expected) {
            let exact = (f64::from(*value) + 2.0) / 5.0 * 65535.0;
            let wanted = if value.is_nan() || expected == 255.0 && exact > 65535.0 {
                expected * 257.0
            } else {
                exact.max(0.0)
            };
            assert!((level - wanted).abs() <= 0.5001, "{value}: {level} for {wanted}");
        }
    }
}

#[test]
fn written_files_report_size_and_hash() {
    let directory = tempfile::tempdir().unwrap();
    let written = write_one(
        directory.path(),
        Content::array(Format::Png, Scalar::Colour, 4, &[9, 8]),
        noise(3, 9 * 8 * 4),
    );
    let file = std::fs::read(&written.path).unwrap();
    assert_eq!(
        (written.output.as_str(), written.frame, written.bytes),
        ("view", 1, file.len() as u64)
    );
    assert_eq!(written.blake3, Some(blake3::hash(&file)));
    assert!(written.end > written.start);
}

#[test]
fn npy_values_round_trip() {
    let directory = tempfile::tempdir().unwrap();
    let shapes: [&[u64]; 6] = [&[0], &[1], &[7], &[3, 5], &[2, 3, 4], &[70, 33, 17]];
    for shape in shapes {
        for components in 1..=4 {
            let mut whole_shape = shape.to_vec();
            if components > 1 {
                whole_shape.push(u64::from(components));
            }
            let count = whole_shape.iter().product::<u64>() as usize;
            let raw = noise(count as u64 + 1, count * 4);
            let words = || raw.chunks_exact(4).map(|b| <[u8; 4]>::try_from(b).unwrap());
            // NaNs compare as bits: noise holds some.
            let floats: Vec<u32> = words().map(u32::from_ne_bytes).collect();
            let read = |scalar, data: &[u8]| {
                let written = write_one(
                    directory.path(),
                    Content::array(Format::Npy, scalar, components, shape),
                    data.to_vec(),
                );
                let npy = npyz::NpyFile::new(File::open(&written.path).unwrap()).unwrap();
                assert_eq!((npy.shape(), npy.order()), (&whole_shape[..], npyz::Order::C));
                npy
            };
            let bits: Vec<u32> = read(Scalar::F32, &raw)
                .into_vec::<f32>()
                .unwrap()
                .iter()
                .map(|f| f.to_bits())
                .collect();
            assert_eq!(bits, floats);
            let signed: Vec<i32> = words().map(i32::from_ne_bytes).collect();
            assert_eq!(read(Scalar::I32, &raw).into_vec::<i32>().unwrap(), signed);
            assert_eq!(read(Scalar::U32, &raw).into_vec::<u32>().unwrap(), floats);
            assert_eq!(
                read(Scalar::Colour, &raw[..count]).into_vec::<u8>().unwrap(),
                &raw[..count]
            );
        }
    }
}

/// An independent reader: prints type, shape, order and the elements' bytes as NumPy sees them.
const READER: &str = "
import sys, numpy
for path in sys.argv[1:]:
    a = numpy.load(path)
    print(a.dtype.str, a.shape, a.flags.c_contiguous, a.tobytes().hex())
";

#[test]
fn numpy_reads_equal_values_where_possible() {
    let python = "/usr/bin/python3";
    let there = Command::new(python).args(["-c", "import numpy"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        crate::common::skip(format_args!("{python} with numpy is not here"));
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let (mut paths, mut expected) = (Vec::new(), String::new());
    let cases = [
        (Scalar::F32, 1, vec![5], "<f4", "(5,)"),
        (Scalar::F32, 3, vec![4, 2], "<f4", "(4, 2, 3)"),
        (Scalar::I32, 2, vec![3], "<i4", "(3, 2)"),
        (Scalar::U32, 1, vec![2, 3, 4], "<u4", "(2, 3, 4)"),
        (Scalar::Colour, 4, vec![2, 5], "|u1", "(2, 5, 4)"),
    ];
    for (index, (scalar, components, shape, dtype, whole_shape)) in cases.into_iter().enumerate() {
        let content = Content::array(Format::Npy, scalar, components, &shape);
        let length = content.column_bytes(&content.columns[0]).unwrap();
        let data = noise(index as u64, length as usize);
        let hex: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
        let own = directory.path().join(index.to_string());
        std::fs::create_dir(&own).unwrap();
        paths.push(write_one(&own, content, data).path);
        expected += &format!("{dtype} {whole_shape} True {hex}\n");
    }
    let output = Command::new(python)
        .args(["-c", READER])
        .args(paths)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn equal_frames_give_equal_files() {
    let write = |threads| {
        let directory = tempfile::tempdir().unwrap();
        let writers = Writers::start(threads, 3).unwrap();
        for frame in 0..12 {
            for format in [Format::Png, Format::Npy, Format::Npz, Format::Exr] {
                writers
                    .submit(Job {
                        output: "view".into(),
                        frame,
                        path: frame_path(directory.path(), "view", frame, format.extension()),
                        content: Content::array(format, Scalar::Colour, 4, &[48, 64]).into(),
                        payload: Box::new(noise(frame, 48 * 64 * 4)),
                    })
                    .unwrap();
            }
        }
        let written = writers.finish().unwrap();
        written
            .iter()
            .map(|w| {
                (
                    w.path.file_name().unwrap().to_owned(),
                    std::fs::read(&w.path).unwrap(),
                )
            })
            .collect::<Vec<_>>()
    };
    let (once, again) = (write(1), write(4));
    assert_eq!(once.len(), 48);
    assert!(
        once[0].1 != once[4].1,
        "control: different frames are different files"
    );
    let names = |files: &[(std::ffi::OsString, Vec<u8>)]| {
        let mut names: Vec<_> = files.iter().map(|file| file.0.clone()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&once), names(&again));
    for (name, bytes) in &once {
        let twin = again.iter().find(|file| file.0 == *name).unwrap();
        assert!(*bytes == twin.1, "{name:?} differs between two writings");
    }
}
