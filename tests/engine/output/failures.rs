//! Every way a frame can fail: the error says what and why, and no part stands under the final name.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use sastrugi::output::*;

use super::queue::within_seconds;
use super::{is_root, job, names, noise};

fn try_one(directory: &Path, length: u64) -> Result<Vec<Written>, OutputError> {
    let writers = Writers::start(1, 1)?;
    writers.submit(job(directory, 7, noise(7, length as usize), length))?;
    writers.finish()
}

#[test]
fn failed_write_leaves_no_file() {
    for (kind, remedy) in [
        (io::ErrorKind::StorageFull, "free some space"),
        (io::ErrorKind::QuotaExceeded, "free some space"),
        (io::ErrorKind::PermissionDenied, "permissions"),
        (io::ErrorKind::Other, "check the disk"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("view.0001.png");
        let error = write_atomically(&path, |out| {
            out.write_all(&noise(1, 200_000))?;
            assert_eq!(
                names(directory.path()).len(),
                1,
                "the part is on disk by now, under another name"
            );
            assert!(!path.exists());
            Err(kind.into())
        })
        .unwrap_err()
        .to_string();
        assert!(
            error.contains("view.0001.png") && error.contains(remedy),
            "{error}"
        );
        assert_eq!(names(directory.path()), [""; 0]);
    }
}

#[test]
fn failed_rewrite_keeps_the_old_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("manifest.json");
    write_atomically(&path, |out| out.write_all(b"old")).unwrap();
    write_atomically(&path, |_| Err(io::ErrorKind::StorageFull.into())).unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    let digest = write_atomically(&path, |out| out.write_all(b"newer")).unwrap();
    assert_eq!(
        (fs::read(&path).unwrap().as_slice(), digest.bytes),
        (&b"newer"[..], 5)
    );
    assert_eq!(names(directory.path()), ["manifest.json"]);
}

#[test]
fn full_disk_is_an_error_where_possible() {
    let mount = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
        .arg(mount.path())
        .output()
        .is_ok_and(|output| output.status.success());
    if !mounted {
        crate::common::skip("a small tmpfs cannot be mounted here (that takes root)");
        return;
    }
    let result = within_seconds(60, {
        let path = mount.path().to_owned();
        move || {
            let writers = Writers::start(2, 2).unwrap();
            for frame in 0..10 {
                if let Err(error) = writers.submit(job(&path, frame, noise(frame, 60_000), 60_000)) {
                    return (writers.written().len(), error);
                }
            }
            let error = writers.check().err();
            (
                writers.written().len(),
                error.unwrap_or_else(|| writers.finish().unwrap_err()),
            )
        }
    });
    let left = names(mount.path());
    let sizes: Vec<_> = left
        .iter()
        .map(|n| fs::metadata(mount.path().join(n)).unwrap().len())
        .collect();
    let unmounted = Command::new("umount")
        .arg(mount.path())
        .status()
        .unwrap()
        .success();
    let (_, error) = result;
    let error = error.to_string();
    assert!(
        error.contains("data.") && error.contains("No space left") && error.contains("--out"),
        "{error}"
    );
    assert!(
        !left.is_empty() && left.len() <= 4,
        "at most four frames fit: {left:?}"
    );
    assert!(
        left.iter().all(|name| name.starts_with("data.")),
        "no parts: {left:?}"
    );
    assert!(sizes.iter().all(|&size| size > 60_000), "whole files: {sizes:?}");
    assert!(unmounted);
}

#[test]
fn vanished_directory_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let gone = directory.path().join("gone");
    fs::create_dir(&gone).unwrap();
    try_one(&gone, 10).expect("control: it works while the directory is there");
    fs::remove_dir_all(&gone).unwrap();
    let error = try_one(&gone, 10).unwrap_err().to_string();
    assert!(
        error.contains("gone/data.0007.npy") && error.contains("its directory was removed"),
        "{error}"
    );
}

/// Set for the child process that runs one of these tests as another user.
const CHILD: &str = "SASTRUGI_TEST_CHILD_DIRECTORY";

#[test]
fn unwritable_directory_is_an_error_where_possible() {
    if let Some(directory) = std::env::var_os(CHILD) {
        return check_permission_error(Path::new(&directory));
    }
    let directory = tempfile::tempdir().unwrap();
    let closed = directory.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, Permissions::from_mode(0o555)).unwrap();
    if !is_root() {
        return check_permission_error(&closed);
    }
    // Root may write anywhere: run this very test as the user `nobody`, from a place that user can read.
    fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
    let program = directory.path().join("child");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let name = concat!(
        module_path!(),
        "::unwritable_directory_is_an_error_where_possible"
    );
    let name = name.split_once("::").unwrap().1;
    let mut command = Command::new(&program);
    command
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, &closed)
        .current_dir("/")
        .uid(65534)
        .gid(65534);
    match command.output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && text.contains("1 passed"), "{text}");
        }
        Err(e) => crate::common::skip(format_args!(
            "cannot run a process as another user from {}: {e}",
            program.display()
        )),
    }
}

fn check_permission_error(closed: &Path) {
    let error = try_one(closed, 10).unwrap_err().to_string();
    assert!(
        error.contains("closed/data.0007.npy") && error.contains("no permission to write there"),
        "{error}"
    );
    assert_eq!(names(closed), [""; 0]);
}

#[test]
fn directory_in_place_of_the_file_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("data.0007.npy")).unwrap();
    let error = try_one(directory.path(), 10).unwrap_err().to_string();
    assert!(
        error.contains("rename") && error.contains("a directory has the name"),
        "{error}"
    );
    assert_eq!(names(directory.path()), ["data.0007.npy"]);
}

/// Panics when its bytes are asked for, or later, when it is dropped.
struct Bad {
    in_bytes: bool,
}

impl Payload for Bad {
    fn part(&self, _number: usize) -> &[u8] {
        assert!(!self.in_bytes, "lost the buffer");
        &[1, 2, 3]
    }
}

impl Drop for Bad {
    fn drop(&mut self) {
        assert!(self.in_bytes, "lost the buffer");
    }
}

#[test]
fn payload_panic_is_an_error_without_hang() {
    for in_bytes in [true, false] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_owned();
        let error = within_seconds(20, move || {
            let writers = Writers::start(1, 1).unwrap();
            writers.submit(job(&path, 0, Bad { in_bytes }, 3)).unwrap();
            let error = (1..50).find_map(|frame| writers.submit(job(&path, frame, vec![0; 3], 3)).err());
            let last = writers.finish().unwrap_err();
            assert_eq!(
                error.map_or(last.to_string(), |e| e.to_string()),
                last.to_string()
            );
            last
        });
        let text = error.to_string();
        assert!(
            text.contains("frame 0") && text.contains("lost the buffer"),
            "{text}"
        );
        let left = names(directory.path());
        assert!(
            !left
                .iter()
                .any(|name| name.contains("data.0000") || name.ends_with(".part")),
            "{left:?}"
        );
    }
}

#[test]
fn invalid_jobs_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let writers = Writers::start(1, 1).unwrap();
    let submit = |output: &str, name: &str, content: Content| {
        let length = content.column_bytes(&content.columns[0]).unwrap_or(0) as usize;
        let payload = Box::new(noise(1, length));
        let path = directory.path().join(name);
        writers.submit(Job {
            output: output.into(),
            frame: 1,
            path,
            content: content.into(),
            payload,
        })
    };
    let png = |scalar, components, shape: &[u64]| Content::array(Format::Png, scalar, components, shape);
    let rgba = || png(Scalar::Colour, 4, &[2, 2]);
    for name in [
        "",
        "..",
        "../view",
        "a/b",
        "a.b",
        "a b",
        "vi\u{e9}w",
        "a\n",
        "/etc/x",
    ] {
        let error = submit(name, &format!("{name}.0001.png"), rgba()).unwrap_err();
        assert!(matches!(error, OutputError::Name { .. }), "{name:?}: {error}");
        assert!(check_name(name).is_err());
    }
    let error = submit("view", "other.0001.png", rgba()).unwrap_err().to_string();
    assert!(error.contains("view.0001.png"), "{error}");
    for unfit in [
        png(Scalar::Colour, 3, &[2, 2]),
        png(Scalar::F32, 4, &[2, 2]),
        png(Scalar::Colour, 4, &[4]),
        png(Scalar::Colour, 4, &[0, 4]),
        png(Scalar::Colour, 4, &[1 << 32, 0]),
    ] {
        let error = submit("view", "view.0001.png", unfit).unwrap_err();
        assert!(
            matches!(error, OutputError::Unfit { .. }) && error.to_string().contains("npy"),
            "{error}"
        );
    }
    submit("view", "view.0001.png", rgba()).expect("control: a right one is taken");
    assert_eq!(writers.finish().unwrap().len(), 1);
    assert_eq!(names(directory.path()), ["view.0001.png"]);
}

#[test]
fn payload_of_wrong_size_is_an_error() {
    for (held, wanted) in [(9, 10), (11, 10), (8, u64::MAX)] {
        let directory = tempfile::tempdir().unwrap();
        let writers = Writers::start(1, 1).unwrap();
        let mut job = job(directory.path(), 0, noise(1, held), wanted);
        let mut content = Content::clone(&job.content);
        content.columns[0].components = 2;
        job.content = content.into();
        writers.submit(job).unwrap();
        let error = writers.finish().unwrap_err().to_string();
        assert!(error.contains(&format!("{held} were passed")), "{error}");
        assert_eq!(names(directory.path()), [""; 0]);
    }
}
