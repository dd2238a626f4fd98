//! Films: what ffprobe and ffmpeg find in them, and what happens when ffmpeg cannot make one.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// Brightness of the middle pixel, frame by frame.
fn levels(film: &Path, width: usize, height: usize) -> Vec<u8> {
    let output = Command::new("ffmpeg")
        .args(["-v", "error", "-i"])
        .arg(film)
        .args(["-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        .output()
        .unwrap();
    assert!(output.status.success());
    let frames = output.stdout.chunks_exact(3 * width * height);
    frames
        .map(|frame| frame[3 * (width * (height / 2) + width / 2)])
        .collect()
}

#[test]
fn film_frames_are_in_order() {
    let Some(out) = run("formats", &["--frames", "4", "--delay-writes", "3"]) else {
        return;
    };
    if !is_here("ffmpeg", &["-version"]) || !is_here("ffprobe", &["-version"]) {
        return;
    }
    let film = out.path().join("film.0001.mp4");
    let probe = Command::new("ffprobe")
        .args([
            "-v",
            "error",
            "-count_frames",
            "-select_streams",
            "v:0",
            "-show_entries",
        ])
        .args([
            "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames",
            "-of",
            "csv=p=0",
        ])
        .arg(&film)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&probe.stdout).trim(),
        "h264,13,10,gbrp,10/1,4"
    );
    let found = levels(&film, 13, 10);
    assert_eq!(found, [60, 120, 180, 240]);
}

/// A directory with a program called ffmpeg in it.
fn fake_ffmpeg(script: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ffmpeg");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    directory
}

#[test]
fn missing_ffmpeg_fails_before_the_run_with_help() {
    if !device::is_here() {
        return;
    }
    let dies = "[ \"$1\" = -version ] && exit 0; echo 'Unknown encoder: no luck today' >&2; exit 3";
    for (script, words, computes) in [
        (None, ["cannot start ffmpeg", "on the PATH"], false),
        (Some("exit 1"), ["ffmpeg -version", "on the PATH"], false),
        (Some(dies), ["no luck today", "libx264"], true),
    ] {
        let (out, path) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = script.map_or(path, fake_ffmpeg);
        // Frames enough to fill any pipe, so that one which nobody reads breaks.
        let output = program(
            "tests/data/formats/formats.json",
            out.path(),
            &["--frames", "200"],
        )
        .env("PATH", path.path())
        .output()
        .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        for word in ["film"].iter().chain(&words) {
            assert!(error.contains(word), "`{word}` is missing in: {error}");
        }
        let names = fs::read_dir(out.path()).unwrap();
        let names: Vec<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(
            names.iter().any(|name| name == "resolved.json"),
            computes,
            "{names:?}"
        );
        assert!(
            !names
                .iter()
                .any(|name| name.ends_with(".mp4") || name.ends_with(".part")),
            "{names:?}"
        );
    }
}

#[test]
fn empty_or_damaged_film_fails_the_run() {
    if !device::is_here() {
        return;
    }
    let writes = |text: &str| {
        format!(
            "[ \"$1\" = -version ] && exit 0; cat >/dev/null; for last; do :; done; printf '{text}' > \"${{last#file:}}\""
        )
    };
    for (script, word) in [
        (writes(""), "it is empty"),
        (writes("no film"), "truncated or is not an MP4 file"),
    ] {
        let (out, path) = (tempfile::tempdir().unwrap(), fake_ffmpeg(&script));
        let own = std::env::var("PATH").unwrap();
        let output = program("tests/data/formats/formats.json", out.path(), &["--frames", "2"])
            .env("PATH", format!("{}:{own}", path.path().display()))
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(
            error.contains("ffmpeg reported success") && error.contains(word),
            "{error}"
        );
        assert!(!out.path().join("film.0001.mp4").exists());
    }
}

/// Scripts in the place of ffmpeg that hang: asked for the version, while pixels arrive, at the end, at the end with
/// endless messages, and in a child of their own. `PID` is a file for the process that hangs.
const HANGS: [(&str, &str); 5] = [
    ("did not end within 2 s", "[ \"$1\" = -version ] && sleep 1000"),
    (
        "no progress for 2 s",
        "[ \"$1\" = -version ] && exit 0; exec sleep 1000",
    ),
    (
        "no progress for 2 s",
        "[ \"$1\" = -version ] && exit 0; cat >/dev/null; sleep 1000",
    ),
    (
        "no progress for 2 s",
        "[ \"$1\" = -version ] && exit 0; cat >/dev/null; while :; do echo much to say >&2; done",
    ),
    (
        "no progress for 2 s",
        "[ \"$1\" = -version ] && exit 0; sleep 1000 & echo $! > \"$PID\"; cat >/dev/null; wait",
    ),
];

#[test]
fn hanging_ffmpeg_is_ended_with_its_children() {
    end_hangs(&[HANGS[0], HANGS[4]]);
}

#[test]
#[ignore = "long: five ways to hang"]
fn ffmpeg_that_hangs_anyhow_is_ended() {
    end_hangs(&HANGS);
}

fn end_hangs(hangs: &'static [(&str, &str)]) {
    if !device::is_here() {
        return;
    }
    // Each run waits for its limit: all at once.
    std::thread::scope(|scope| {
        for (words, script) in hangs {
            scope.spawn(move || ends_a_hang(words, script));
        }
    });
}

fn ends_a_hang(words: &str, script: &str) {
    let own = std::env::var("PATH").unwrap();
    let (out, path) = (tempfile::tempdir().unwrap(), fake_ffmpeg(script));
    let pid = path.path().join("pid");
    let started = std::time::Instant::now();
    // Where nobody reads, enough frames to fill the pipe.
    let frames = if script.contains("exec") { "200" } else { "2" };
    let arguments = ["--frames", frames, "--timeout", "2"];
    let output = program("tests/data/formats/formats.json", out.path(), &arguments)
        .env("PATH", format!("{}:{own}", path.path().display()))
        .env("PID", &pid)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{script}: {error}");
    assert!(error.contains(words), "{script}: {error}");
    assert!(
        started.elapsed().as_secs() < 100,
        "{script}: {:?}",
        started.elapsed()
    );
    if let Ok(child) = fs::read_to_string(&pid) {
        let state = fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        assert!(
            state.is_empty() || state.contains(") Z "),
            "the child lives: {state}"
        );
    }
}

#[test]
fn resumed_run_continues_the_film_in_a_new_piece() {
    if !device::is_here() || !is_here("ffmpeg", &["-version"]) {
        return;
    }
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let succeeds = |command: &mut Command| {
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
    };
    let spec = "tests/data/formats/formats.json";
    succeeds(&mut program(
        spec,
        whole.path(),
        &["--frames", "5", "--checkpoint", "2"],
    ));
    succeeds(&mut program(
        spec,
        parts.path(),
        &["--frames", "2", "--checkpoint", "2"],
    ));
    succeeds(
        crate::start()
            .args(["run", "--quiet", "--validation", "--frames", "5", "--resume"])
            .arg(parts.path()),
    );
    let piece = |directory: &Path, first: u64| directory.join(format!("film.{first:04}.mp4"));
    for (first, wanted) in [(1, &[60, 120][..]), (3, &[180, 240]), (5, &[255])] {
        let found = levels(&piece(whole.path(), first), 13, 10);
        assert_eq!(found, wanted);
        let bytes = |directory: &Path| fs::read(piece(directory, first)).unwrap();
        assert!(bytes(whole.path()) == bytes(parts.path()), "piece {first}");
    }
    assert!(!piece(whole.path(), 2).exists() && !piece(whole.path(), 4).exists());
    let series = |directory: &Path| fs::read_to_string(directory.join("air.pvd")).unwrap();
    assert_eq!(series(whole.path()), series(parts.path()));
    assert_eq!(series(whole.path()).matches("<DataSet").count(), 5);
}
