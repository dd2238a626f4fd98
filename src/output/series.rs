//! Logs of scalars over time: files that grow by one line at a time, with complete lines only.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::input_file;

use super::{OutputError, write_atomically};

/// Minimum time between flushes to disk; the log is also flushed when it is closed. The system keeps the lines of a
/// killed run in any case.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

/// A log that is open for appending.
pub struct Series {
    path: PathBuf,
    file: File,
    /// Bytes of all complete lines.
    length: u64,
    /// Number of lines below the header when the log was opened.
    continued: u64,
    flushed: Instant,
}

/// Position of the frame number in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameColumn(pub &'static str);

impl FrameColumn {
    /// `12,24,...`
    pub const CSV: FrameColumn = FrameColumn("");
    /// `{"frame": 12, ...`
    pub const JSON: FrameColumn = FrameColumn("{\"frame\": ");

    /// The frame of a line.
    fn of(self, line: &str) -> Option<u64> {
        let rest = line.strip_prefix(self.0)?;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok()
    }
}

impl Series {
    /// Starts a new log with these lines at the top.
    pub fn create(path: &Path, header: &str) -> Result<Series, OutputError> {
        write_atomically(path, |out| out.write_all(header.as_bytes()))?;
        Series::open(path, header.len() as u64, 0)
    }

    /// Continues a log after the line of a frame, and removes later lines. A log with other values in its header is
    /// refused. If there is no log, starts a new one.
    pub fn resume(
        path: &Path,
        header: &str,
        column: FrameColumn,
        after_frame: u64,
    ) -> Result<Series, OutputError> {
        let refuse = |cause: &'static str| OutputError::Log {
            path: path.to_path_buf(),
            cause,
        };
        if std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Series::create(path, header);
        }
        let opened = input_file::open(path).map_err(io::Error::other);
        let (file, _) = opened.map_err(|e| OutputError::io("continue", path, e))?;
        let mut lines = BufReader::new(file);
        let mut continued = 0;
        let mut length = 0;
        let mut line = String::new();
        let mut next = |line: &mut String| {
            line.clear();
            (lines.read_line(line)).map_err(|e| OutputError::io("continue", path, e))
        };
        for expected in header.split_inclusive('\n') {
            next(&mut line)?;
            if line != expected {
                return Err(refuse("its values are not those of this run"));
            }
            length += line.len() as u64;
        }
        loop {
            let bytes = next(&mut line)?;
            if bytes == 0 || !line.ends_with('\n') {
                break;
            }
            match column.of(&line) {
                Some(frame) if frame <= after_frame => {
                    length += bytes as u64;
                    continued += 1;
                }
                Some(_) => break,
                None => return Err(refuse("it has a line without a frame number")),
            }
        }
        let series = Series::open(path, length, continued)?;
        let cut = series.file.set_len(length);
        cut.map_err(|e| OutputError::io("cut", path, e))?;
        Ok(series)
    }

    fn open(path: &Path, length: u64, continued: u64) -> Result<Series, OutputError> {
        let fail = |e| OutputError::io("open", path, e);
        let mut file = OpenOptions::new().write(true).open(path).map_err(fail)?;
        file.seek(SeekFrom::Start(length)).map_err(fail)?;
        Ok(Series {
            path: path.to_path_buf(),
            file,
            length,
            continued,
            flushed: Instant::now(),
        })
    }

    /// Adds a line, which ends in a line feed, with one write. If the write fails, removes its part of the line.
    pub fn append(&mut self, line: &str) -> Result<(), OutputError> {
        let written = match self.file.write(line.as_bytes()) {
            Ok(bytes) if bytes == line.len() => Ok(()),
            Ok(_) => Err(io::ErrorKind::StorageFull.into()),
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            // The first error is reported, not a failure to remove the partial line.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(OutputError::io("append to", &self.path, error));
        }
        self.length += line.len() as u64;
        if self.flushed.elapsed() >= FLUSH_EVERY {
            self.flush()?;
        }
        Ok(())
    }

    /// A warning if the log was continued after fewer lines than it should have.
    pub fn gap(&self, expected: u64, after_frame: u64) -> Option<String> {
        let (name, found) = (self.path.display(), self.continued);
        (found < expected).then(|| {
            format!(
                "{name} has {found} of the {expected} lines up to frame {after_frame}\n  help: lines cannot be written \
                 again; run the pipeline from the start to get them"
            )
        })
    }

    /// Ensures that all lines survive a power failure.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.flushed = Instant::now();
        let flushed = self.file.sync_data();
        flushed.map_err(|e| OutputError::io("flush", &self.path, e))
    }

    /// Bytes of the lines so far.
    pub fn bytes(&self) -> u64 {
        self.length
    }
}
