//! A process that is killed while it writes: every file under a final name is whole all the same.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sastrugi::output::*;

use super::{names, noise};

const CHILD: &str = "SASTRUGI_TEST_KILLED_DIRECTORY";
const SIDE: u64 = 256;
const FORMATS: [Format; 2] = [Format::Png, Format::Npy];

/// Writes frames of both formats until it is killed.
fn child(directory: &Path) -> ! {
    let writers = Writers::start(2, 2).unwrap();
    for frame in 0.. {
        for format in FORMATS {
            let path = frame_path(directory, "view", frame, format.extension());
            let content = Content::array(format, Scalar::Colour, 4, &[SIDE, SIDE]).into();
            let payload = Box::new(noise(frame, (SIDE * SIDE * 4) as usize));
            writers
                .submit(Job {
                    output: "view".into(),
                    frame,
                    path,
                    content,
                    payload,
                })
                .unwrap();
        }
    }
    unreachable!("killed before it runs out of frames")
}

/// Checks that a file is complete and has the pixels of its frame.
fn is_whole(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    let frame = name.split('.').nth(1).unwrap().parse().unwrap();
    let data = match path.extension().unwrap().to_str().unwrap() {
        "png" => read_png(path),
        _ => npyz::NpyFile::new(fs::File::open(path).unwrap())
            .ok()
            .and_then(|npy| npy.into_vec::<u8>().ok()),
    };
    data.is_some_and(|data| data == noise(frame, (SIDE * SIDE * 4) as usize))
}

fn read_png(path: &Path) -> Option<Vec<u8>> {
    let mut reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).ok()?))
        .read_info()
        .ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    reader.next_frame(&mut pixels).ok()?;
    reader.finish().ok()?;
    Some(pixels)
}

#[test]
#[ignore = "long: 20 kills"]
fn killed_process_leaves_only_complete_files() {
    if let Some(directory) = std::env::var_os(CHILD) {
        child(Path::new(&directory));
    }
    let (mut whole, mut parts) = (0, 0);
    let test =
        module_path!().split_once("::").unwrap().1.to_owned() + "::killed_process_leaves_only_complete_files";
    for round in 0..20_u64 {
        let directory = tempfile::tempdir().unwrap();
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &test, "--nocapture", "--include-ignored"])
            .env(CHILD, directory.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // A moment that no write is in step with, once the first file is there.
        let deadline = Instant::now() + Duration::from_secs(30);
        while !names(directory.path())
            .iter()
            .any(|name| name.starts_with("view"))
        {
            assert!(
                Instant::now() < deadline && process.try_wait().unwrap().is_none(),
                "the child writes"
            );
            std::thread::sleep(Duration::from_micros(300));
        }
        std::thread::sleep(Duration::from_micros(round * 997 % 10_007));
        process.kill().unwrap();
        process.wait().unwrap();
        for name in names(directory.path()) {
            if name.ends_with(".part") {
                assert!(name.starts_with('.'), "{name}");
                parts += 1;
            } else {
                assert!(
                    is_whole(&directory.path().join(&name)),
                    "{name} after round {round}"
                );
                whole += 1;
            }
        }
    }
    assert!(whole >= 20, "{whole} whole files");
    assert!(
        parts > 0,
        "no kill came in the middle of a write, so this run proved nothing"
    );
}

#[test]
fn control_truncated_file_is_detected() {
    let directory = tempfile::tempdir().unwrap();
    let writers = Writers::start(1, 1).unwrap();
    for format in FORMATS {
        let path = frame_path(directory.path(), "view", 3, format.extension());
        let content = Content::array(format, Scalar::Colour, 4, &[SIDE, SIDE]).into();
        let payload = Box::new(noise(3, (SIDE * SIDE * 4) as usize));
        writers
            .submit(Job {
                output: "view".into(),
                frame: 3,
                path,
                content,
                payload,
            })
            .unwrap();
    }
    for file in writers.finish().unwrap() {
        assert!(is_whole(&file.path));
        let half = fs::read(&file.path).unwrap()[..file.bytes as usize / 2].to_vec();
        fs::write(&file.path, half).unwrap();
        assert!(!is_whole(&file.path), "{}", file.path.display());
    }
}
