use std::fs;

use super::*;
use crate::output::formats::encode;
use crate::output::{Format, Picked, Scalar, Writers, frame_path};

/// Contents of all formats that take part: several columns, arrays, components, scales, wider numbers, and selections.
fn contents() -> Vec<Content> {
    let cells = Geometry::Cells {
        origin: [1.0, 0.0, -2.0],
        spacing: [0.5; 3],
    };
    let vertices = Geometry::Vertices {
        origin: [0.0; 3],
        spacing: [0.25, 0.5, 1.0],
    };
    let content = |format, scalar, components, geometry: &Geometry| Content {
        geometry: geometry.clone(),
        ..Content::array(format, scalar, components, &[6, 5, 7])
    };
    let npy = content(Format::Npy, Scalar::F32, 3, &cells);
    let mut array = content(Format::Npy, Scalar::U16, 5, &cells);
    array.columns[0].entries = Some(5);
    let mut vti = content(Format::Vti, Scalar::F32, 1, &cells);
    vti.columns[0].units = Some("m/s".to_owned());
    let mut second = content(Format::Vti, Scalar::F16, 2, &cells).columns.remove(0);
    second.scalar = Scalar::F32;
    vti.columns.push(second);
    let mut picked = content(Format::Vti, Scalar::I32, 1, &vertices);
    (picked.columns[0].picked, picked.columns[0].scale) = (Some(Picked { component: 1, of: 3 }), Some(0.1));
    picked.columns[0].scalar = Scalar::F32;
    let nrrd = content(Format::Nrrd, Scalar::I64, 2, &vertices);
    let mut contents = vec![npy, array, vti, picked, nrrd];
    for number in 0..contents.len() {
        let mut content = contents[number].clone();
        content.selection = Selection {
            first: [1, 0, 2],
            within: [5, 5, 3],
            stride: 1 + number as u64 % 2,
            region: None,
        };
        contents.push(content);
    }
    let mut flat = contents[0].clone();
    (flat.shape, flat.geometry) = (vec![5, 7], Geometry::Image);
    contents.push(flat);
    contents
}

/// The numbers of a column in memory: plane by plane in z, entry by entry.
fn memory(content: &Content, number: usize) -> Vec<u8> {
    let bytes = content.column_bytes(&content.columns[number]).unwrap();
    (0..bytes).map(|byte| (byte * 7 + byte / 251) as u8).collect()
}

/// The numbers of a box, as a rank packs them.
fn packed(content: &Content, number: usize, of: &Selected) -> Vec<u8> {
    let (whole, [nx, ny, _]) = (memory(content, number), content.sides());
    let column = &content.columns[number];
    let entries = u64::from(column.entries.unwrap_or(1));
    let size = column.element_bytes() / entries;
    let mut bytes = Vec::new();
    for z in of.low[2]..of.low[2] + of.size[2] {
        for entry in 0..entries {
            for y in of.low[1]..of.low[1] + of.size[1] {
                let row = (((z * entries + entry) * ny + y) * nx + of.low[0]) * size;
                bytes.extend_from_slice(&whole[row as usize..(row + of.size[0] * size) as usize]);
            }
        }
    }
    bytes
}

/// The boxes of a lattice that is cut at these planes.
fn boxes(sides: [u64; 3], cuts: [&[u64]; 3]) -> Vec<[[u64; 3]; 2]> {
    let ends: [Vec<u64>; 3] = std::array::from_fn(|axis| [&[0], cuts[axis], &[sides[axis]]].concat());
    let mut boxes = Vec::new();
    for z in ends[2].windows(2) {
        for y in ends[1].windows(2) {
            for x in ends[0].windows(2) {
                boxes.push([[x[0], y[0], z[0]], [x[1] - x[0], y[1] - y[0], z[1] - z[0]]]);
            }
        }
    }
    boxes
}

/// Writes the shares of some boxes, and returns the bytes of the file.
fn written(content: &Content, boxes: &[[[u64; 3]; 2]], change: impl Fn(&mut Selected)) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = frame_path(directory.path(), "o", 3, content.format.extension());
    let mark = Mark::create(directory.path()).unwrap();
    assert!(Mark::is_seen(directory.path(), &mark.stamp) && !Mark::is_seen(directory.path(), "1-0"));
    fs::write(hidden(&path, &mark.stamp), vec![7; 9999]).unwrap();
    let mut file = Some(CommonFile::create(&path, &mark.stamp, content, 3).unwrap());
    let mut writers = Writers::start(1, 4).unwrap();
    for (number, [low, size]) in boxes.iter().enumerate() {
        let mut elements = content.selected_in(*low, *size);
        let columns = 0..content.columns.len();
        let payload: Vec<Vec<u8>> = elements
            .iter()
            .flat_map(|of| columns.clone().map(|column| packed(content, column, of)))
            .collect();
        elements.iter_mut().for_each(&change);
        let job = Job {
            output: "o".to_owned(),
            frame: 3,
            path: path.clone(),
            content: Arc::new(content.clone()),
            payload: Box::new(payload),
        };
        let share = Share::new(&path, &mark.stamp, elements, number == 0);
        writers.submit_share(job, share, file.take()).unwrap();
    }
    writers.wait_for_shares(4).unwrap();
    assert!(!path.exists() && writers.written().is_empty());
    writers.name_common(4).unwrap();
    writers.join().unwrap();
    assert_eq!(writers.written().len(), 1);
    fs::read(&path).unwrap()
}

#[test]
fn shares_of_all_boxes_make_the_file_of_one_process() {
    for content in contents() {
        assert!(content.has_places());
        let payload: Vec<Vec<u8>> = (0..content.columns.len())
            .map(|number| memory(&content, number))
            .collect();
        let mut expected = Vec::new();
        encode(&content, 3, &payload, &mut expected).unwrap();
        let sides = content.sides();
        let z: &[u64] = if sides[2] > 1 { &[1, 4] } else { &[] };
        for cuts in [
            [&[][..], &[], z],
            [&[], &[2], &[]],
            [&[3, 4], &[], &[]],
            [&[5], &[1, 3], z],
        ] {
            let found = written(&content, &boxes(sides, cuts), |_| {});
            assert!(found == expected, "{content:?} cut at {cuts:?}");
        }
        // Controls: without a share, and with shares one row or one column too far.
        let boxes = boxes(sides, [&[3], &[2], &[]]);
        assert_ne!(written(&content, &boxes[..3], |_| {}), expected);
        for axis in [0, 1] {
            let found = written(&content, &boxes, |of| {
                of.first[axis] += u64::from(of.first[axis] == 0)
            });
            assert_ne!(found, expected);
        }
    }
}

#[test]
fn files_with_other_places_are_not_shared() {
    let plain = || contents().remove(2);
    let mut compressed = plain();
    compressed.style.compression = Some(Compression::Fast);
    let mut halves = contents().remove(0);
    halves.style.half = true;
    let list = Content::array(Format::Npy, Scalar::F32, 1, &[7]);
    let picture = Content::array(Format::Png, Scalar::Colour, 4, &[7, 5]);
    for content in [compressed, halves, list, picture] {
        assert!(!content.has_places(), "{content:?}");
    }
    assert!(plain().has_places());
}

#[test]
fn files_without_all_shares_get_no_name() {
    let directory = tempfile::tempdir().unwrap();
    let content = contents().remove(0);
    let path = frame_path(directory.path(), "o", 3, "npy");
    let job = || Job {
        output: "o".to_owned(),
        frame: 3,
        path: path.clone(),
        content: Arc::new(content.clone()),
        payload: Box::new(Vec::<u8>::new()),
    };
    let file = CommonFile::create(&path, "7-7", &content, 3).unwrap();
    let mut writers = Writers::start(1, 4).unwrap();
    let share = || Share::new(&path, "7-7", None, true);
    writers.submit_share(job(), share(), Some(file)).unwrap();
    let ticket = writers.ticket();
    writers.name_common(3).unwrap();
    let error = writers.join().unwrap_err();
    assert!(
        matches!(&error, OutputError::Incomplete { path: of } if *of == path),
        "{error}"
    );
    // A checkpoint that waits for the file learns of it.
    assert!(ticket.wait().is_err());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    // Another process finds no hidden file, and does not make one.
    let mut writers = Writers::start(1, 4).unwrap();
    writers.submit_share(job(), share(), None).unwrap();
    let error = writers.join().unwrap_err();
    assert!(matches!(&error, OutputError::Unseen { .. }), "{error}");
    assert_eq!(writers.first_share(), Some(3));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}
