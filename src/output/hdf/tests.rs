//! Files that are cut off at every write, and continued. Other programs read such files in `tests/program/formats/steps.rs`.

use std::fs;
use std::path::Path;

use super::super::content::Scalar;
use super::*;

fn form(row: &[u64], is_stack: bool, deflate: Option<u32>) -> Form {
    Form {
        scalar: Scalar::F32,
        row: row.to_vec(),
        is_stack,
        rows: 7,
        deflate,
        attributes: vec![Attribute::new("Attribute", Value::Text("Scalars".into()))],
    }
}

/// Frames in parts side by side and whole, rows in place and packed again, numbers of each frame.
fn forms(side: u64) -> Vec<Form> {
    vec![
        form(&[5, side, 200], true, None),
        form(&[2, 3], true, Some(1)),
        form(&[3], false, None),
        form(&[3], false, Some(6)),
    ]
}

fn floats(count: u64, frame: u64) -> Vec<u8> {
    let float = |number: u64| (number * 3 % 101) as f32 + 1000.0 * frame as f32;
    (0..count)
        .flat_map(|number| float(number).to_ne_bytes())
        .collect()
}

fn add(file: &mut File, side: u64, frame: u64) -> std::io::Result<()> {
    let rows = [5 * side * 200, 6, 3 * (frame % 5), 3 * (4 + frame % 3)];
    for (number, count) in rows.into_iter().enumerate() {
        file.append(number, &floats(count, frame))?;
    }
    let members = (0..4).map(|number| (number.to_string(), Node::Dataset(number)));
    let group = Node::Group(
        vec![Attribute::new("NSteps", Value::Integer(1))],
        members.collect(),
    );
    file.commit(frame, vec![("data".to_owned(), group)]).map(|_| ())
}

fn opened(path: &Path) -> fs::File {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).open(path).unwrap()
}

fn resumed(path: &Path, side: u64, before: u64) -> File {
    match File::resume(opened(path), &forms(side), before) {
        Ok(Some(file)) => file,
        Ok(None) => panic!("no state before {before}"),
        Err(_) => panic!("refused"),
    }
}

/// The file of an uninterrupted run.
fn whole(path: &Path, side: u64, frames: u64) -> Vec<u8> {
    let mut file = File::create(fs::File::create(path).unwrap(), &forms(side));
    (0..frames).for_each(|frame| add(&mut file, side, frame).unwrap());
    fs::read(path).unwrap()
}

#[test]
fn file_killed_at_any_write_has_all_complete_frames_and_goes_on() {
    const FRAMES: u64 = 9;
    // Two parts side by side.
    const SIDE: u64 = 400;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("killed.h5");
    let wanted = whole(&path, SIDE, FRAMES);
    let mut kills = 0;
    loop {
        fs::write(&path, &wanted[..0]).unwrap();
        let mut file = File::create(opened(&path), &forms(SIDE));
        // The file gets its name with its first frame.
        add(&mut file, SIDE, 0).unwrap();
        file.disk.until_killed = Some(kills);
        let complete = (1..FRAMES)
            .take_while(|frame| add(&mut file, SIDE, *frame).is_ok())
            .count() as u64;
        drop(file);
        if complete + 1 == FRAMES {
            break;
        }
        let mut file = resumed(&path, SIDE, u64::MAX);
        let rows = file.rows(0);
        // The write of a superblock is the last one of a frame.
        assert!(
            rows == complete + 1 || rows == complete + 2,
            "{kills}: {rows} {complete}"
        );
        assert_eq!(file.rows(3), (0..rows).map(|frame| 4 + frame % 3).sum::<u64>());
        (rows..FRAMES).for_each(|frame| add(&mut file, SIDE, frame).unwrap());
        assert!(fs::read(&path).unwrap() == wanted, "killed at write {kills}");
        kills += 11;
    }
    assert!(kills > 70, "{kills}");
}

#[test]
fn any_earlier_state_is_restored_and_continued_to_equal_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("states.h5");
    // More frames than a node of an index has children.
    let shorter = [1, 2, 64, 65].map(|frames| (frames, whole(&path, 4, frames)));
    let wanted = whole(&path, 4, 70);
    for (frames, bytes) in shorter {
        let file = resumed(&path, 4, frames);
        assert_eq!(file.rows(0), frames);
        drop(file);
        // Rows of chunks that are not full may be those of later frames, to which nothing refers.
        let found = fs::read(&path).unwrap();
        assert_eq!(
            (found.len(), &found[..48]),
            (bytes.len(), &bytes[..48]),
            "{frames}"
        );
        let mut file = resumed(&path, 4, frames);
        (frames..70).for_each(|frame| add(&mut file, 4, frame).unwrap());
        assert!(fs::read(&path).unwrap() == wanted, "from frame {frames}");
    }
    assert!(matches!(File::resume(opened(&path), &forms(4), 0), Ok(None)));
}

#[test]
fn damaged_and_other_files_are_not_continued() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("other.h5");
    let bytes = whole(&path, 4, 2);
    let other = [&forms(4)[..3], &[form(&[4], false, None)]].concat();
    assert!(matches!(
        File::resume(opened(&path), &other, 9),
        Err(Unfit::Other)
    ));
    let end = bytes.len();
    for at in [0, 20, 40, 47, end - 3, end - 60] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        fs::write(&path, damaged).unwrap();
        assert!(
            matches!(File::resume(opened(&path), &forms(4), 9), Err(Unfit::Io(_))),
            "{at}"
        );
    }
    fs::write(&path, &bytes[..end - 1]).unwrap();
    assert!(matches!(
        File::resume(opened(&path), &forms(4), 9),
        Err(Unfit::Io(_))
    ));
    fs::write(&path, &bytes).unwrap();
    assert!(
        matches!(File::resume(opened(&path), &forms(4), 9), Ok(Some(_))),
        "control"
    );
}
