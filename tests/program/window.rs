//! The window, driven by synthetic input under a virtual X server, and under a Wayland compositor without a display. Every
//! run has the validation layer on, and any message of it makes the exit code 1.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Nothing here takes as long, unless it never comes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Red, green and blue of a picture.
#[derive(PartialEq)]
struct Pixels {
    size: [u32; 2],
    rgb: Vec<u8>,
}

impl Pixels {
    fn read(path: &Path) -> Pixels {
        let mut decoder = png::Decoder::new(BufReader::new(fs::File::open(path).unwrap()));
        decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let samples = info.color_type.samples();
        let rgb = bytes[..info.buffer_size()]
            .chunks_exact(samples)
            .flat_map(|pixel| match samples {
                1 | 2 => [pixel[0]; 3],
                _ => [pixel[0], pixel[1], pixel[2]],
            });
        Pixels {
            size: [info.width, info.height],
            rgb: rgb.collect(),
        }
    }

    fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let first = 3 * (y * self.size[0] + x) as usize;
        [self.rgb[first], self.rgb[first + 1], self.rgb[first + 2]]
    }
}

/// Asks again until there is an answer.
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(began.elapsed() < PATIENCE, "{what} does not come");
        std::thread::sleep(Duration::from_millis(40));
    }
}

/// A virtual X server.
struct Display {
    server: Child,
    name: String,
    directory: tempfile::TempDir,
}

impl Display {
    fn start() -> Display {
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1280x1024x24",
                "-nolisten",
                "tcp",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("scripts/setup installs Xvfb");
        let mut line = String::new();
        BufReader::new(server.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        Display {
            server,
            name: format!(":{}", line.trim()),
            directory: tempfile::tempdir().unwrap(),
        }
    }

    fn tool(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let mut command = Command::new(program);
        let output = command.env("DISPLAY", &self.name).args(arguments).output();
        let output = output.unwrap_or_else(|error| panic!("scripts/setup installs {program}: {error}"));
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    }

    /// A copy of the pipeline of these tests, which a test may edit.
    fn pipeline(&self) -> PathBuf {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/window");
        for file in fs::read_dir(from).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), self.directory.path().join(file.file_name())).unwrap();
        }
        self.directory.path().join("moving.json")
    }

    fn view(&self, arguments: &[&str]) -> View<'_> {
        let pipeline = self.pipeline();
        let mut child = crate::start()
            .env("DISPLAY", &self.name)
            .env_remove("WAYLAND_DISPLAY")
            .env("NO_COLOR", "1")
            .current_dir(self.directory.path())
            .arg("view")
            .arg(pipeline)
            .arg("--validation")
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut text = child.stderr.take().unwrap();
        let said = std::thread::spawn(move || {
            let mut all = String::new();
            let _ = text.read_to_string(&mut all);
            all
        });
        let window = until("the window", || {
            let found = self.tool(
                "xdotool",
                &["search", "--onlyvisible", "--name", "^sastrugi$|bar that moves"],
            )?;
            found.lines().next().map(str::to_string)
        });
        View {
            display: self,
            child,
            window,
            said: Some(said),
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The program with its window.
struct View<'a> {
    display: &'a Display,
    child: Child,
    window: String,
    said: Option<std::thread::JoinHandle<String>>,
}

impl View<'_> {
    fn title(&self) -> String {
        let title = self.display.tool("xdotool", &["getwindowname", &self.window]);
        title.unwrap_or_default()
    }

    fn waits_for(&self, text: &str) {
        until(text, || self.title().contains(text).then_some(()));
    }

    fn pixels(&self) -> Pixels {
        let path = self.display.directory.path().join("window.png");
        let name = path.to_str().unwrap();
        until("a capture of the window", || {
            self.display.tool("import", &["-window", &self.window, name])
        });
        Pixels::read(&path)
    }

    /// Waits until the window shows something else, and returns that.
    fn changes_from(&self, before: &Pixels) -> Pixels {
        until("another picture", || {
            let now = self.pixels();
            (now != *before).then_some(now)
        })
    }

    fn shows(&self, wanted: &Pixels) {
        until("the picture", || (self.pixels() == *wanted).then_some(()));
    }

    fn key(&self, key: &str) {
        let focused = || self.display.tool("xdotool", &["getwindowfocus"]);
        if focused().as_ref() != Some(&self.window) {
            let focus = ["windowfocus", "--sync", &self.window];
            until("the focus", || self.display.tool("xdotool", &focus));
            // A key that comes before the program has heard of the focus is lost.
            std::thread::sleep(Duration::from_millis(700));
        }
        self.display.tool("xdotool", &["key", key]).unwrap();
    }

    fn drag(&self, by: [i32; 2]) {
        let [x, y] = by.map(|pixels| pixels.to_string());
        let [x, y] = [x.as_str(), y.as_str()];
        let moves = [
            "mousemove",
            "--window",
            &self.window,
            "80",
            "60",
            "mousedown",
            "1",
        ];
        self.display.tool("xdotool", &moves).unwrap();
        self.display
            .tool("xdotool", &["mousemove_relative", "--", x, y])
            .unwrap();
        self.display.tool("xdotool", &["mouseup", "1"]).unwrap();
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.display.directory.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    }

    /// Closes the window with a key; returns what the program said.
    fn ends(&mut self) -> String {
        self.key("q");
        self.ended(0)
    }

    fn ended(&mut self, code: i32) -> String {
        let status = until("the end", || self.child.try_wait().unwrap());
        let said = self.said.take().unwrap().join().unwrap();
        assert_eq!(status.code(), Some(code), "{said}");
        said
    }
}

impl Drop for View<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A frame of the same pipeline as `run` writes it.
fn frame(display: &Display, number: u32, set: &[&str]) -> Pixels {
    let out = display.directory.path().join("run");
    let mut command = crate::start();
    let frames = number.to_string();
    command
        .arg("run")
        .arg(display.pipeline())
        .args(["--quiet", "--force", "--frames", &frames, "--out"]);
    command.arg(&out).args(set.iter().flat_map(|set| ["--set", set]));
    assert!(command.status().unwrap().success());
    Pixels::read(&out.join(format!("view.{number:04}.png")))
}

#[test]
fn the_window_shows_what_the_file_holds() {
    let display = Display::start();
    let (fifth, fourth) = (frame(&display, 5, &[]), frame(&display, 4, &[]));
    assert!(fifth != fourth, "a comparison that could not fail");
    let mut view = display.view(&["--pause", "5"]);
    view.waits_for("frame 5, paused");
    view.shows(&fifth);
    view.key("period");
    view.waits_for("frame 6, paused");
    view.shows(&frame(&display, 6, &[]));
    // A screenshot is the same picture again.
    view.key("p");
    let shot = display
        .directory
        .path()
        .join("out/moving-view/view-color.0006.png");
    until("the screenshot", || shot.is_file().then_some(()));
    view.key("r");
    view.waits_for("frame 0, paused");
    let said = view.ends();
    assert!(
        said.contains("wrote out/moving-view/view-color.0006.png"),
        "{said}"
    );
    assert!(Pixels::read(&shot) == frame(&display, 6, &[]));
}

#[test]
fn the_pointer_turns_the_camera_and_the_state_stays() {
    let display = Display::start();
    let mut view = display.view(&["--pause", "5"]);
    view.waits_for("frame 5, paused");
    let before = frame(&display, 5, &[]);
    view.shows(&before);
    view.drag([40, 0]);
    let turned = view.changes_from(&before);
    // The background depends on the camera, the bar on the state: 3 + 5 steps of 2 pixels.
    assert_ne!(turned.at(100, 60)[0], before.at(100, 60)[0]);
    assert_eq!(turned.at(13, 60), [255, 255, 0]);
    view.key("h");
    view.shows(&before);
    view.ends();
}

#[test]
fn changed_files_take_effect_and_broken_ones_do_not() {
    let display = Display::start();
    let mut view = display.view(&["--pause", "5"]);
    view.waits_for("frame 5, paused");
    let before = frame(&display, 5, &[]);
    view.shows(&before);
    // An include: the bar has another colour at the place that it has moved to.
    view.edit("colors.glsl", "vec3(1.0, 1.0, 0.0)", "vec3(0.0, 1.0, 1.0)");
    let blue = view.changes_from(&before);
    assert_eq!(blue.at(13, 60), [0, 255, 255]);
    assert_eq!(blue.at(100, 60), before.at(100, 60));
    // A mistake keeps the picture, and is told.
    view.edit("draw.comp", "set_view_color(pixel", "set_view_colour(pixel");
    view.waits_for("PROBLEM");
    view.shows(&blue);
    view.edit("draw.comp", "set_view_colour(pixel", "set_view_color(pixel");
    until("the end of the problem", || {
        (!view.title().contains("PROBLEM")).then_some(())
    });
    // A value of the file.
    view.edit("moving.json", "\"green\": 0.5", "\"green\": 1");
    let green = view.changes_from(&blue);
    assert_eq!(green.at(100, 60)[1], 255);
    view.key("period");
    view.waits_for("frame 6, paused");
    until("the next place of the bar", || {
        (view.pixels().at(15, 60) == [0, 255, 255]).then_some(())
    });
    let said = view.ends();
    assert!(
        said.contains("draw.comp:") && said.contains("set_view_colour"),
        "{said}"
    );
}

#[test]
fn a_change_of_sizes_asks_for_a_restart() {
    let display = Display::start();
    let mut view = display.view(&["--pause", "5"]);
    view.waits_for("frame 5, paused");
    view.edit("moving.json", "\"length\": 1}", "\"length\": 7}");
    view.waits_for("press R");
    view.key("r");
    until("the restart", || {
        (!view.title().contains("PROBLEM")).then_some(())
    });
    view.waits_for("frame 0");
    view.ends();
}

#[test]
fn windows_of_any_size_show_the_picture() {
    let display = Display::start();
    let mut view = display.view(&["--pause", "5"]);
    view.waits_for("frame 5, paused");
    for number in 0..60 {
        let [width, height] = [[1, 1], [1, 700], [900, 1], [1270, 1000], [320, 240]][number % 5];
        let size = [width, height].map(|side: u32| side.to_string());
        let resized = display.tool("xdotool", &["windowsize", &view.window, &size[0], &size[1]]);
        resized.unwrap();
    }
    // Twice as large; the borders of the bar are blended, and inside it is as it was.
    until("the picture in the last size", || {
        let pixels = view.pixels();
        (pixels.size == [320, 240] && pixels.at(26, 120) == [255, 255, 0]).then_some(())
    });
    view.ends();
}

#[test]
fn a_recording_holds_the_files_of_run() {
    let display = Display::start();
    let mut view = display.view(&["--pause", "2", "--out", "rec"]);
    view.waits_for("frame 2, paused");
    view.key("o");
    view.waits_for("RECORDING");
    for number in 3..6 {
        view.key("period");
        view.waits_for(&format!("frame {number}, paused"));
    }
    view.key("o");
    until("the end of the recording", || {
        (!view.title().contains("RECORDING")).then_some(())
    });
    view.ends();
    for number in 3..6 {
        let path = display.directory.path().join(format!("rec/view.{number:04}.png"));
        assert!(Pixels::read(&path) == frame(&display, number, &[]), "{number}");
    }
    assert!(!display.directory.path().join("rec/view.0002.png").exists());
}

#[test]
fn without_a_display_the_message_names_run() {
    let view = |name: Option<&str>| {
        let mut command = crate::start();
        command.args(["view", "tests/data/window/moving.json"]);
        command
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .env_remove("DISPLAY");
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        if let Some(name) = name {
            command.env("DISPLAY", name);
        }
        let output = command.output().unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    for name in [None, Some(":9999")] {
        let (code, said) = view(name);
        assert_eq!(code, Some(1), "{said}");
        assert!(
            said.contains("no display") && said.contains("sastrugi run") && !said.contains(".rs:"),
            "{said}"
        );
    }
}

#[test]
fn it_starts_draws_and_closes_under_wayland() {
    let directory = tempfile::tempdir().unwrap();
    let mut compositor = Command::new("weston")
        .args([
            "--backend=headless-backend.so",
            "--use-pixman",
            "--socket=wl-test",
            "--idle-time=0",
        ])
        .env("XDG_RUNTIME_DIR", directory.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("scripts/setup installs weston");
    let socket = directory.path().join("wl-test");
    until("the compositor", || socket.exists().then_some(()));
    let mut command = crate::start();
    let output = command
        .args([
            "view",
            "tests/data/window/moving.json",
            "--frames",
            "30",
            "--validation",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("XDG_RUNTIME_DIR", directory.path())
        .env("WAYLAND_DISPLAY", "wl-test")
        .env_remove("DISPLAY")
        .output()
        .unwrap();
    let _ = compositor.kill();
    let _ = compositor.wait();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
}
