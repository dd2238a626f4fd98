//! Outputs whose frames are states of one growing file, `<output>.<extension>`.
//!
//! The file gets its name with its first frame, and is complete after every frame. The first frame of a run that continues
//! another removes later frames from it.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::atomic_file::PartFile;
use super::formats::Rows;
use super::hdf::{File, Unfit};
use super::log::{Log, Written};
use super::ordered::Ordered;
use super::select::select;
use super::{Job, OutputError};

pub(super) struct Growing {
    rows: Rows,
    file: Option<Opened>,
    log: Arc<Log>,
    /// The number of its thread.
    thread: usize,
}

struct Opened {
    file: File,
    path: PathBuf,
    /// Until the first frame is complete.
    part: Option<PartFile>,
}

impl Growing {
    pub fn new(rows: Rows, thread: usize, log: Arc<Log>) -> Growing {
        Growing {
            rows,
            file: None,
            log,
            thread,
        }
    }

    /// The file for a job: a new one, or that of the run which this one continues.
    fn open(&self, job: &Job) -> Result<Opened, OutputError> {
        let path = job
            .path
            .with_file_name(format!("{}.{}", job.output, job.content.format.extension()));
        let forms = (self.rows.forms)(&job.content);
        if let Some(file) = earlier(&path)? {
            let resumed = File::resume(file, &forms, job.frame).map_err(|cause| refusal(&path, cause))?;
            if let Some(file) = resumed {
                let part = None;
                return Ok(Opened { file, path, part });
            }
        }
        let (part, file) = PartFile::create(&path)?;
        Ok(Opened {
            file: File::create(file, &forms),
            path,
            part: Some(part),
        })
    }
}

/// The file of an earlier run.
fn earlier(path: &Path) -> Result<Option<std::fs::File>, OutputError> {
    match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(OutputError::io("continue", path, error)),
    }
}

fn refusal(path: &Path, cause: Unfit) -> OutputError {
    let cause = match cause {
        Unfit::Io(error) if error.kind() != io::ErrorKind::InvalidData => {
            return OutputError::io("continue", path, error);
        }
        Unfit::Io(_) => "it is damaged, or no run wrote it",
        Unfit::Other => "its fields or its grid are not those of this run",
    };
    OutputError::Log {
        path: path.to_path_buf(),
        cause,
    }
}

impl Ordered for Growing {
    fn add(&mut self, job: Job) -> Result<(), OutputError> {
        let start = Instant::now();
        let mut opened = match self.file.take() {
            Some(opened) => opened,
            None => self.open(&job)?,
        };
        let failed = |path: &Path, error| OutputError::io("write", path, error);
        let Job {
            output,
            frame,
            content,
            payload,
            ..
        } = job;
        let added =
            select(&content, frame, &*payload).and_then(|view| (self.rows.append)(&view, &mut opened.file));
        // The buffers are free again before the wait for the disk.
        drop(payload);
        let committed = added.and_then(|members| opened.file.commit(frame, members));
        let (bytes, blake3) = committed.map_err(|error| failed(&opened.path, error))?;
        if let Some(mut part) = opened.part.take() {
            opened.file.flush().map_err(|error| failed(&opened.path, error))?;
            part.rename_to(&opened.path)?;
        }
        self.log.written(Written {
            output,
            frame,
            path: opened.path.clone(),
            bytes,
            grows: true,
            start,
            end: Instant::now(),
            thread: self.thread,
            blake3: Some(blake3),
        });
        self.file = Some(opened);
        Ok(())
    }

    fn settle(&mut self) -> Result<(), OutputError> {
        match &self.file {
            Some(opened) => {
                let flushed = opened.file.flush();
                flushed.map_err(|error| OutputError::io("flush", &opened.path, error))
            }
            None => Ok(()),
        }
    }

    fn abandon(&mut self) {
        self.file = None;
    }
}
