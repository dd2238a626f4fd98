//! Films: the frames of an output, in order, through ffmpeg.
//!
//! The thread of a film writes raw pixels to the standard input of ffmpeg. ffmpeg writes a hidden file, which is renamed
//! after its first frame when ffmpeg ends without error. [`Ordered::settle`] ends a piece, so that the film up to then is on
//! disk.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::atomic_file::PartFile;
use super::content::{Compression, Content};
use super::ffmpeg::{self, Ffmpeg};
use super::formats::{encode, mp4};
use super::log::{Log, Written};
use super::ordered::Ordered;
use super::{Job, OutputError};

/// Longest time that `ffmpeg -version` may take.
const VERSION_TIME: Duration = Duration::from_secs(30);

/// Fails early, with a remedy, if films cannot be encoded. Waits for ffmpeg no longer than `timeout`.
pub fn check_ffmpeg(output: &str, timeout: Duration) -> Result<(), OutputError> {
    let mut command = Command::new("ffmpeg");
    command
        .arg("-version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let timeout = timeout.min(VERSION_TIME);
    match ffmpeg::status(&mut command, timeout) {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(None) => {
            let seconds = timeout.as_secs();
            Err(missing(
                output,
                &format!("`ffmpeg -version` did not end within {seconds} s"),
            ))
        }
        Ok(Some(status)) => Err(missing(output, &format!("`ffmpeg -version` ended with {status}"))),
        Err(error) => Err(missing(output, &error.to_string())),
    }
}

fn missing(output: &str, cause: &str) -> OutputError {
    OutputError::Film {
        output: output.to_owned(),
        cause: format!("cannot start ffmpeg: {cause}"),
        remedy: "install ffmpeg on the PATH, or choose the format png",
    }
}

/// A film that is being made.
pub(super) struct Movie {
    piece: Option<Piece>,
    log: Arc<Log>,
    /// The number of its thread.
    thread: usize,
    timeout: Duration,
}

impl Movie {
    /// A film that waits for an ffmpeg without progress no longer than `timeout`.
    pub(super) fn new(thread: usize, log: Arc<Log>, timeout: Duration) -> Movie {
        Movie {
            piece: None,
            log,
            thread,
            timeout,
        }
    }
}

impl Ordered for Movie {
    fn add(&mut self, job: Job) -> Result<(), OutputError> {
        let piece = match &mut self.piece {
            Some(piece) => piece,
            None => self.piece.insert(Piece::start(&job, self.thread, self.timeout)?),
        };
        let Some(pixels) = &mut piece.ffmpeg.pixels else {
            return Ok(());
        };
        if encode(&job.content, job.frame, &*job.payload, pixels).is_err() {
            // The cause of a broken pipe is in ffmpeg's messages.
            return Err(piece.died("ffmpeg stopped early"));
        }
        Ok(())
    }

    /// Ends the piece. The next frame starts another one.
    fn settle(&mut self) -> Result<(), OutputError> {
        if let Some(piece) = self.piece.take() {
            self.log.written(piece.finish()?);
        }
        Ok(())
    }

    fn abandon(&mut self) {
        self.piece = None;
    }
}

/// One file of a film.
struct Piece {
    output: String,
    first: u64,
    path: PathBuf,
    part: PartFile,
    ffmpeg: Ffmpeg,
    timeout: Duration,
    started: Instant,
    thread: usize,
}

impl Piece {
    fn start(job: &Job, thread: usize, timeout: Duration) -> Result<Piece, OutputError> {
        let (part, file) = PartFile::create(&job.path)?;
        drop(file);
        let mut command = Command::new("ffmpeg");
        command.args(arguments(&job.content)).arg(target(part.path()));
        let started = Ffmpeg::start(command, part.path().to_path_buf(), timeout);
        let ffmpeg = started.map_err(|error| missing(&job.output, &error.to_string()))?;
        Ok(Piece {
            output: job.output.clone(),
            first: job.frame,
            path: job.path.clone(),
            part,
            ffmpeg,
            timeout,
            started: Instant::now(),
            thread,
        })
    }

    /// Waits for ffmpeg to end, and gives the file its name.
    fn finish(mut self) -> Result<Written, OutputError> {
        match self.ffmpeg.wait() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(self.died(&format!("ffmpeg ended with {status}"))),
            Err(error) => return Err(self.died(&format!("cannot wait for ffmpeg: {error}"))),
        }
        if let Err(cause) = mp4::check_file(self.part.path()) {
            return Err(self.died(&format!(
                "ffmpeg reported success, but the film cannot be played ({cause})"
            )));
        }
        let io = |error: io::Error| OutputError::io("write", &self.path, error);
        let mut file = std::fs::File::open(self.part.path()).map_err(io)?;
        let mut hash = blake3::Hasher::new();
        let bytes = io::copy(&mut file, &mut hash).map_err(io)?;
        file.sync_all().map_err(io)?;
        let path = self.path.clone();
        // The rest of the piece is dropped, which does nothing.
        self.part.rename_to(&path)?;
        Ok(Written {
            output: self.output.clone(),
            frame: self.first,
            path,
            bytes,
            grows: false,
            start: self.started,
            end: Instant::now(),
            thread: self.thread,
            blake3: Some(hash.finalize()),
        })
    }

    /// The error of a film whose ffmpeg has ended, or is ended now.
    fn died(&mut self, cause: &str) -> OutputError {
        let _ = self.ffmpeg.wait();
        let (cause, remedy) = if self.ffmpeg.has_hung() {
            let seconds = self.timeout.as_secs();
            let cause = format!("ffmpeg made no progress for {seconds} s and was ended");
            (cause, "raise --timeout if ffmpeg or the disk is only slow")
        } else {
            (
                cause.to_string(),
                "check that the disk has space and that this ffmpeg has an encoder for H.264 (libx264)",
            )
        };
        let words = self.ffmpeg.last_messages();
        OutputError::Film {
            output: self.output.clone(),
            cause: match words.trim() {
                "" => format!("{cause} while writing {}", self.path.display()),
                words => format!("{cause} while writing {}: {words}", self.path.display()),
            },
            remedy,
        }
    }
}

/// Arguments of ffmpeg: raw pixels in, and H.264 out, reproducible byte for byte on one machine. By default in a form
/// that every player supports; without loss as RGB, in which every size is possible.
fn arguments(content: &Content) -> Vec<String> {
    let selected = content.selected();
    let [width, height] = content
        .picture_axes()
        .unwrap_or([0, 1])
        .map(|axis| selected[axis]);
    let rate = content.style.rate;
    let lossless = "-c:v libx264rgb -preset veryfast -crf 0 -pix_fmt rgb24 \
                    -color_primaries bt709 -color_trc iec61966-2-1 -color_range pc";
    // Sizes are even, because chroma has half the resolution. Colours are converted with the matrix that the tags name.
    let lossy = |preset: &str| {
        format!(
            "-c:v libx264 -preset {preset} -crf 18 -pix_fmt yuv420p \
             -vf pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv:flags=bicubic+accurate_rnd+full_chroma_int \
             -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv"
        )
    };
    let coding = match content.style.compression {
        Some(Compression::None) => lossless.to_owned(),
        Some(Compression::Fast) | None => lossy("veryfast"),
        Some(Compression::Best) => lossy("slow"),
    };
    let text = format!(
        "-hide_banner -loglevel error -nostdin -f rawvideo -pix_fmt rgba -video_size {width}x{height} \
         -framerate {rate} -i pipe:0 -an {coding} -movflags +faststart -fflags +bitexact -flags:v +bitexact \
         -map_metadata -1 -f mp4 -y"
    );
    text.split_whitespace().map(str::to_owned).collect()
}

/// A path that ffmpeg always interprets as a file.
fn target(path: &Path) -> OsString {
    let mut target = OsString::from("file:");
    target.push(path);
    target
}
