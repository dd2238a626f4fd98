//! A virtual X server, the program in a window of it, and what drives both.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Nothing here takes as long, unless it never comes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Red, green and blue of a picture.
#[derive(PartialEq)]
pub(super) struct Pixels {
    pub(super) size: [u32; 2],
    rgb: Vec<u8>,
}

impl Pixels {
    pub(super) fn read(path: &Path) -> Pixels {
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

    /// The part of some size from a corner on.
    pub(super) fn part(&self, [left, top]: [u32; 2], size: [u32; 2]) -> Pixels {
        let rows = (top..top + size[1]).flat_map(|y| (left..left + size[0]).flat_map(move |x| self.at(x, y)));
        Pixels {
            size,
            rgb: rows.collect(),
        }
    }

    pub(super) fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let first = 3 * (y * self.size[0] + x) as usize;
        [self.rgb[first], self.rgb[first + 1], self.rgb[first + 2]]
    }
}

/// Asks again until there is an answer.
pub(super) fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
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
pub(super) struct Display {
    server: Child,
    name: String,
    pub(super) directory: tempfile::TempDir,
}

impl Display {
    pub(super) fn start() -> Display {
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1280x1024x24",
                "-nolisten",
                "tcp",
                // Otherwise the server starts anew when a tool is its only client and ends, and drops who comes meanwhile.
                "-noreset",
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

    pub(super) fn tool(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let mut command = Command::new(program);
        let output = command.env("DISPLAY", &self.name).args(arguments).output();
        let output = output.unwrap_or_else(|error| panic!("scripts/setup installs {program}: {error}"));
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    }

    /// A copy of the pipeline of these tests, which a test may edit.
    pub(super) fn pipeline(&self) -> PathBuf {
        let from = Path::new(crate::ROOT).join("tests/data/window");
        for file in fs::read_dir(from).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), self.directory.path().join(file.file_name())).unwrap();
        }
        self.directory.path().join("moving.json")
    }

    /// `DISPLAY` of its clients.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Ends the server, with everything that shows on it.
    pub(super) fn breaks(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }

    /// The pipeline of these tests in a window without a panel.
    pub(super) fn view(&self, arguments: &[&str]) -> View<'_> {
        self.view_with_panel(&[arguments, &["--no-panel"]].concat())
    }

    pub(super) fn view_with_panel(&self, arguments: &[&str]) -> View<'_> {
        self.view_of(&self.pipeline(), arguments)
    }

    pub(super) fn view_of(&self, pipeline: &Path, arguments: &[&str]) -> View<'_> {
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
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "the program ended before its window came");
            let found = self.tool(
                "xdotool",
                &[
                    "search",
                    "--onlyvisible",
                    "--name",
                    "^sastrugi$|bar that moves|mark under|Stable fluids",
                ],
            )?;
            found.lines().next().map(str::to_string)
        });
        // At once, so that the program knows of the focus before the first key.
        until("the focus", || {
            self.tool("xdotool", &["windowfocus", "--sync", &window])
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
        self.breaks();
    }
}

/// A Wayland compositor without a display.
pub(super) struct Compositor {
    server: Child,
    pub directory: tempfile::TempDir,
}

impl Compositor {
    pub(super) fn start() -> Compositor {
        let directory = tempfile::tempdir().unwrap();
        let server = Command::new("weston")
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
        Compositor { server, directory }
    }

    /// The program with the pipeline of these tests, as a client.
    pub(super) fn view(&self) -> Command {
        let mut command = crate::start();
        command
            .args(["view", "tests/data/window/moving.json", "--out"])
            .arg(self.directory.path().join("out"))
            .current_dir(crate::ROOT)
            .env("XDG_RUNTIME_DIR", self.directory.path())
            .env("WAYLAND_DISPLAY", "wl-test")
            .env_remove("DISPLAY");
        command
    }

    pub(super) fn breaks(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Drop for Compositor {
    fn drop(&mut self) {
        self.breaks();
    }
}

/// The program with its window.
pub(super) struct View<'a> {
    display: &'a Display,
    child: Child,
    pub(super) window: String,
    said: Option<std::thread::JoinHandle<String>>,
}

impl View<'_> {
    pub(super) fn title(&self) -> String {
        let title = self.display.tool("xdotool", &["getwindowname", &self.window]);
        title.unwrap_or_default()
    }

    pub(super) fn waits_for(&self, text: &str) {
        until(text, || self.title().contains(text).then_some(()));
    }

    pub(super) fn pixels(&self) -> Pixels {
        let path = self.display.directory.path().join("window.png");
        let name = path.to_str().unwrap();
        until("a capture of the window", || {
            self.display.tool("import", &["-window", &self.window, name])
        });
        Pixels::read(&path)
    }

    /// Waits until the window shows something else, and returns that.
    pub(super) fn changes_from(&self, before: &Pixels) -> Pixels {
        until("another picture", || {
            let now = self.pixels();
            (now != *before).then_some(now)
        })
    }

    pub(super) fn shows(&self, wanted: &Pixels) {
        until("the picture", || (self.pixels() == *wanted).then_some(()));
    }

    pub(super) fn key(&self, key: &str) {
        let focused = || self.display.tool("xdotool", &["getwindowfocus"]);
        if focused().as_ref() != Some(&self.window) {
            let focus = ["windowfocus", "--sync", &self.window];
            until("the focus", || self.display.tool("xdotool", &focus));
            // A key that comes before the program has heard of the focus is lost.
            std::thread::sleep(Duration::from_millis(700));
        }
        self.display.tool("xdotool", &["key", key]).unwrap();
    }

    pub(super) fn drag(&self, by: [i32; 2]) {
        self.drag_from([80, 60], by);
    }

    /// Does something with the pointer: `mousemove` to a pixel of the window, `mousedown`, `mouseup`.
    pub(super) fn pointer(&self, what: &str, arguments: [i32; 2]) {
        let [x, y] = arguments.map(|pixels| pixels.to_string());
        let done = match what {
            "mousemove" => self
                .display
                .tool("xdotool", &["mousemove", "--window", &self.window, &x, &y]),
            button => self.display.tool("xdotool", &[button, "1"]),
        };
        done.unwrap();
    }

    /// Moves the pointer with its left button held, from a pixel of the window.
    pub(super) fn drag_from(&self, from: [i32; 2], by: [i32; 2]) {
        let [x, y] = from.map(|pixels| pixels.to_string());
        let moves = ["mousemove", "--window", &self.window, &x, &y, "mousedown", "1"];
        self.display.tool("xdotool", &moves).unwrap();
        let [x, y] = by.map(|pixels| pixels.to_string());
        let [x, y] = [x.as_str(), y.as_str()];
        self.display
            .tool("xdotool", &["mousemove_relative", "--", x, y])
            .unwrap();
        self.display.tool("xdotool", &["mouseup", "1"]).unwrap();
    }

    pub(super) fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.display.directory.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    }

    /// Closes the window with a key; returns what the program said.
    pub(super) fn ends(&mut self) -> String {
        self.key("q");
        self.ended(0)
    }

    pub(super) fn ended(&mut self, code: i32) -> String {
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
