use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;
use crate::element::Element;
use crate::particles::fill::{Mesh, read_mesh};
use crate::particles::random::pcg4d;

fn file(directory: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn column<'a>(points: &'a Points, name: &str) -> &'a Column {
    let found = points.layout.column(name);
    found.unwrap_or_else(|| panic!("{name} is missing of {:?}", points.layout))
}

fn floats(points: &Points, name: &str, element: Element) -> Vec<f32> {
    let words = words_of(points, name, element).unwrap();
    words.into_iter().map(f32::from_bits).collect()
}

fn words_of(points: &Points, name: &str, element: Element) -> Result<Vec<u32>, String> {
    let bytes = points.bytes_of(column(points, name), element, 1);
    bytes.map(|bytes| crate::element::words(&bytes))
}

/// A PLY of two vertices (1, 2, 3) and (4, 5, -6) with a material and a velocity, in any of the three encodings.
fn ply_of(encoding: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat {encoding} 1.0\ncomment a comment\nelement note 1\nproperty uchar size\nelement vertex 2\n\
         property float x\nproperty uchar material\nproperty double y\nproperty float z\nproperty short velocity_x\n\
         property short velocity_y\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    )
    .into_bytes();
    if encoding == "ascii" {
        bytes.extend(b"7\n1 255 2 3 -1 -300\n4 0 5.5\n-6e0 1 2\n3 0 1 1\n");
        return bytes;
    }
    let big = encoding == "binary_big_endian";
    let mut put = |little: &[u8]| {
        if big {
            bytes.extend(little.iter().rev())
        } else {
            bytes.extend(little)
        }
    };
    put(&[7]);
    for (x, material, y, z, u, v) in [
        (1f32, 255u8, 2f64, 3f32, -1i16, -300i16),
        (4.0, 0, 5.5, -6.0, 1, 2),
    ] {
        put(&x.to_le_bytes());
        put(&[material]);
        put(&y.to_le_bytes());
        put(&z.to_le_bytes());
        put(&u.to_le_bytes());
        put(&v.to_le_bytes());
    }
    put(&[3]);
    [0i32, 1, 1].iter().for_each(|corner| put(&corner.to_le_bytes()));
    bytes
}

#[test]
fn all_ply_encodings_are_read() {
    let directory = tempfile::tempdir().unwrap();
    for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let path = file(&directory, "points.PLY", &ply_of(encoding));
        assert_eq!(Layout::of(&path).unwrap().points(), Ok(2));
        let points = Points::read(&path).unwrap();
        assert_eq!(
            points.positions().unwrap(),
            [[1.0, 2.0, 3.0], [4.0, 5.5, -6.0]],
            "{encoding}"
        );
        assert_eq!(
            floats(&points, "position", Element::Vec3),
            [1.0, 2.0, 3.0, 4.0, 5.5, -6.0]
        );
        let words = |name: &str, element| words_of(&points, name, element);
        assert_eq!(words("material", Element::Uint), Ok(vec![255, 0]));
        assert_eq!(
            words("velocity", Element::Ivec2),
            Ok(vec![-1i32 as u32, -300i32 as u32, 1, 2])
        );
        assert_eq!(words("velocity_y", Element::Int), Ok(vec![-300i32 as u32, 2]));
        // Values out of the range of the type, and other types.
        let error = words("velocity", Element::Uvec2).unwrap_err();
        assert_eq!(
            error,
            "`velocity` of point 0 is -1, which is not a value of type uvec2"
        );
        let error = words("velocity", Element::Vec2).unwrap_err();
        assert_eq!(error, "its `velocity` contains whole numbers, not vec2");
        let error = words("velocity", Element::Ivec3).unwrap_err();
        assert_eq!(
            error,
            "its `velocity` has 2 numbers per point, which does not match ivec3"
        );
        let soup = ply::mesh(&ply_of(encoding)).unwrap();
        assert_eq!(soup.vertices, points.positions().unwrap());
        assert_eq!(soup.triangles, [[0, 1, 1]]);
    }
}

#[test]
fn obj_and_ply_meshes_agree() {
    let obj =
        b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 1\nf 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n";
    let ply = b"ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
        element face 5\nproperty uchar flags\nproperty list uchar uint vertex_index\nproperty list int float other\n\
        end_header\n0 0 0 1 0 0 1 1 0 0 1 0 0.5 0.5 1\n9 4 3 2 1 0 0\n9 3 0 1 4 1 2\n9 3 1 2 4 0\n9 3 2 3 4 0\n9 3 3 0 4 0\n";
    let [obj, ply] = [obj::read(obj).unwrap(), ply::mesh(ply).unwrap()];
    assert_eq!(obj, ply);
    assert_eq!(Mesh::new(obj).unwrap().triangles().len(), 6);
}

fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    while !(header.len() + 11).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn npy_arrays_of_any_order_and_width_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let rows = [1.0, 2.0, 3.0, 4.0, 5.0, -6.0];
    let columns = [1.0, 4.0, 2.0, 5.0, 3.0, -6.0];
    let data =
        |values: &[f64], bytes: fn(f64) -> Vec<u8>| values.iter().flat_map(|x| bytes(*x)).collect::<Vec<_>>();
    let half = |x: f64| half::f16::from_f64(x).to_le_bytes().to_vec();
    for (descr, fortran, data) in [
        ("<f8", "False", data(&rows, |x| x.to_le_bytes().to_vec())),
        (">f4", "False", data(&rows, |x| (x as f32).to_be_bytes().to_vec())),
        (
            "<f4",
            "True",
            data(&columns, |x| (x as f32).to_le_bytes().to_vec()),
        ),
        ("<f2", "False", data(&rows, half)),
    ] {
        let path = file(&directory, "points.npy", &npy(descr, fortran, "(2, 3)", &data));
        assert_eq!(Layout::of(&path).unwrap().points(), Ok(2));
        let points = Points::read(&path).unwrap();
        assert_eq!(
            points.positions().unwrap(),
            [[1.0, 2.0, 3.0], [4.0, 5.0, -6.0]],
            "{descr} {fortran}"
        );
        // One byte less is noticed by the header alone.
        let path = file(
            &directory,
            "short.npy",
            &npy(descr, fortran, "(2, 3)", &data[1..]),
        );
        assert!(Layout::of(&path).is_err_and(|error| error.starts_with("it is truncated: its 2 points")));
    }
}

#[test]
fn false_headers_are_refused_before_allocation() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |name: &str, bytes: &[u8]| {
        let path = file(&directory, name, bytes);
        let [first, second] = [Layout::of(&path).map(drop), Points::read(&path).map(drop)];
        assert_eq!(first, second, "{name}");
        first.unwrap_err()
    };
    let shape = |shape: &str| refused("a.npy", &npy("<f4", "False", shape, &[0; 24]));
    assert_eq!(
        shape("(99999999999999, 3)"),
        "its shape (99999999999999, 3) is more than 16 GiB"
    );
    assert_eq!(
        shape("(18446744073709551615, 3)"),
        "its shape (18446744073709551615, 3) is more than 16 GiB"
    );
    assert_eq!(
        shape("(0, 18446744073709551615, 3)"),
        "its shape (0, 18446744073709551615, 3) is more than 16 GiB"
    );
    assert_eq!(
        shape("(4000000000, 3)"),
        "its 4000000000 x 3 numbers are more than 16 GiB"
    );
    assert_eq!(
        shape("(2, 3, 1)"),
        "its shape [2, 3, 1] is not points times components"
    );
    let long = [b"\x93NUMPY\x02\x00".as_slice(), &u32::MAX.to_le_bytes()].concat();
    assert_eq!(
        refused("a.npy", &long),
        "a header of 4294967295 bytes is longer than 64 KiB"
    );
    assert_eq!(refused("a.npy", b"\x93NUMPY\x01\x00"), "a header is incomplete");
    assert!(refused("a.npy", b"hello world").contains("it is not an npy array"));
    assert!(refused("a.npz", b"hello world").contains("it is not a complete npz file"));
    let objects = refused("a.npy", &npy("|O", "False", "(2, 3)", &[0; 24]));
    assert!(objects.contains("is not supported"), "{objects}");

    let header = |points: u32, attributes: u32| {
        let counts = [5, points, 0, 0, 0, attributes, 0, 0, 0]
            .map(u32::to_be_bytes)
            .concat();
        [b"BgeoV".as_slice(), &counts].concat()
    };
    assert_eq!(
        refused("a.bgeo", b"Bgeo"),
        "it is not a classic bgeo file, which begins with BgeoV"
    );
    let error = refused("a.bgeo", &header(u32::MAX, 0));
    assert_eq!(
        error,
        "it is truncated: its 4294967295 points require 68719476761 bytes, but it has 41"
    );
    assert_eq!(
        refused("a.bgeo", &header(1, 9999)),
        "it claims 9999 attributes, more than 1024"
    );
    assert!(refused("a.bgeo", &header(1, 1)).starts_with("its header is incomplete"));

    let whole = ply_of("binary_little_endian");
    for length in 0..whole.len() - 14 {
        refused("a.ply", &whole[..length]);
        assert!(ply::mesh(&whole[..length]).is_err());
    }
    // Elements without properties take no room, however many are claimed.
    let text = "ply\nformat ascii 1.0\nelement vertex 18446744073709551615\nend_header\n";
    assert!(
        Layout::of(&file(&directory, "b.ply", text.as_bytes())).is_ok_and(|layout| layout.points().is_err())
    );
    assert!(ply::mesh(text.as_bytes()).is_ok_and(|soup| soup.vertices.is_empty()));
    let text = "ply\nformat ascii 1.0\nelement vertex 18446744073709551615\nproperty float x\nend_header\n";
    assert!(
        refused("b.ply", text.as_bytes())
            .starts_with("it is truncated: it has fewer than 18446744073709551615 vertices")
    );
}

#[test]
fn bgeo_attributes_are_read_and_strings_skipped() {
    let directory = tempfile::tempdir().unwrap();
    let mut bytes = b"BgeoV".to_vec();
    bytes.extend([5u32, 2, 7, 0, 0, 3, 0, 0, 0].map(u32::to_be_bytes).concat());
    let define = |name: &str, size: u16, kind: u32| {
        [
            &(name.len() as u16).to_be_bytes(),
            name.as_bytes(),
            &size.to_be_bytes(),
            &kind.to_be_bytes(),
        ]
        .concat()
    };
    bytes.extend([define("v", 3, 5), vec![0; 12]].concat());
    // A list of texts: how many, then each with its length.
    bytes.extend(
        [
            define("s", 1, 4),
            1u32.to_be_bytes().to_vec(),
            b"\x00\x02hi".to_vec(),
        ]
        .concat(),
    );
    bytes.extend([define("id", 1, 1), vec![0; 4]].concat());
    for point in 0..2u32 {
        let x = point as f32;
        bytes.extend(
            [x, 1.0, 2.0, 1.0, 3.0, 4.0, 5.0 + x]
                .map(f32::to_be_bytes)
                .concat(),
        );
        bytes.extend([0, u32::MAX - point].map(u32::to_be_bytes).concat());
    }
    let points = Points::read(&file(&directory, "a.bgeo", &bytes)).unwrap();
    assert_eq!(points.positions().unwrap(), [[0.0, 1.0, 2.0], [1.0, 1.0, 2.0]]);
    let velocity = [3.0, 4.0, 5.0, 3.0, 4.0, 6.0];
    assert_eq!(floats(&points, "velocity", Element::Vec3), velocity);
    assert_eq!(floats(&points, "v", Element::Vec3), velocity);
    assert_eq!(column(&points, "id").components[0].kind, NumberType::Word);
    assert_eq!(
        words_of(&points, "id", Element::Uint),
        Ok(vec![u32::MAX, u32::MAX - 1])
    );
    assert_eq!(
        words_of(&points, "id", Element::Int),
        Ok(vec![u32::MAX, u32::MAX - 1])
    );
    assert_eq!(
        words_of(&points, "number", Element::Uint),
        words_of(&points, "id", Element::Uint)
    );
    assert!(points.layout.column("radius").is_none(), "control: no pscale");
}

/// A file of each kind, whole.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let numbers: Vec<u8> = (0..12).flat_map(|x| (x as f32).to_le_bytes()).collect();
    let array = npy("<f4", "False", "(4, 3)", &numbers);
    let mut archive = npyz::zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in ["position.npy", "velocity.npy"] {
        archive
            .start_file(name, npyz::zip::write::FileOptions::default())
            .unwrap();
        archive.write_all(&array).unwrap();
    }
    let archive = archive.finish().unwrap().into_inner();
    let counts = [5u32, 2, 0, 0, 0, 1, 0, 0, 0].map(u32::to_be_bytes).concat();
    let mut bgeo = [b"BgeoV".as_slice(), &counts, b"\0\x01v\0\x03\0\0\0\x05", &[0; 12]].concat();
    bgeo.extend((0..14).flat_map(|x| (x as f32).to_be_bytes()));
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n".to_vec();
    vec![
        ("ply", ply_of("ascii")),
        ("ply", ply_of("binary_little_endian")),
        ("ply", ply_of("binary_big_endian")),
        ("bgeo", bgeo),
        ("npy", array),
        ("npz", archive),
        ("obj", obj),
    ]
}

/// Reads a file as whatever it may be; whether anything could be read.
fn try_all(path: &Path) -> bool {
    let layout = Layout::of(path);
    let points = Points::read(path);
    if let Ok(points) = &points {
        let _ = points.positions();
        for column in &points.layout.columns {
            let _ = points.bytes_of(column, Element::Vec3, 1);
            let _ = points.bytes_of(column, Element::Uint, 1);
        }
    }
    let mesh = read_mesh(path);
    layout.is_ok() || points.is_ok() || mesh.is_ok()
}

#[test]
fn damaged_point_files_never_panic() {
    let directory = tempfile::tempdir().unwrap();
    let (mut good, mut bad) = (0, 0);
    for (number, (ending, whole)) in (0..).zip(samples()) {
        let name = format!("sample.{ending}");
        assert!(try_all(&file(&directory, &name, &whole)), "{ending} {number}");
        for case in 0..150 {
            let [kind, at, to, more] = pcg4d([case, number, 7, 7]);
            let mut bytes = whole.clone();
            let place = |random: u32| random as usize % whole.len();
            match kind % 4 {
                0 => bytes.truncate(place(at)),
                1 => bytes[place(at)] ^= 1 << (to % 8),
                // Digits into digits, so that headers still parse and claim something else.
                2 => {
                    let digits: Vec<usize> =
                        (0..bytes.len()).filter(|i| bytes[*i].is_ascii_digit()).collect();
                    if !digits.is_empty() {
                        bytes[digits[at as usize % digits.len()]] = b'0' + (to % 10) as u8;
                        bytes[digits[more as usize % digits.len()]] = b'9';
                    }
                }
                _ => {
                    let from = place(at);
                    let end = (from + 4).min(bytes.len());
                    bytes[from..end].fill(if to % 2 == 0 { 0xff } else { 0x7f });
                }
            }
            if try_all(&file(&directory, &name, &bytes)) {
                good += 1
            } else {
                bad += 1
            }
        }
    }
    assert!(good > 100 && bad > 200, "{good} read, {bad} refused");
}

#[test]
fn only_regular_files_of_known_endings_are_read() {
    let directory = tempfile::tempdir().unwrap();
    assert!(Layout::of(Path::new("a.csv")).is_err_and(|error| error.contains(".npy, .npz, .ply and .bgeo")));
    let path = directory.path().join("directory.ply");
    std::fs::create_dir(&path).unwrap();
    assert_eq!(Layout::of(&path), Err("it is not a regular file".into()));
    assert!(Layout::of(&directory.path().join("none.ply")).is_err());
}
