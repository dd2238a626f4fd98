//! The outputs of a process: where their frames are staged, and what the process writes of their files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossbeam::channel::{Receiver, Sender, unbounded};

use crate::gpu::{Buffer, BufferKind, Gpu};
use crate::ir::{ElementBox, FieldId, Output, Pipeline};
use crate::output::{CommonFile, Content, Job, OutputError, Selected, Share, Writers, frame_path};
use crate::plan::memory;
use crate::run::error::RunError;
use crate::run::staged_frame::StagedFrame;
use crate::run::world_directories::directory_of;

/// An output of a world.
pub struct Target {
    pub world: usize,
    /// Its directory.
    directory: PathBuf,
    pub output: Output,
    content: Arc<Content>,
    pub role: Role,
    /// The staging buffers that are free, and where they return to.
    pub free: (Sender<Vec<Buffer>>, Receiver<Vec<Buffer>>),
    pub copies: u64,
}

/// The share of this process in the files of an output.
pub enum Role {
    Whole,
    /// The elements of its part, if there are any. Other ranks write the others.
    Part(Option<Selected>),
    /// Nothing: rank 0 does.
    Nothing,
}

/// A frame of an output in staging buffers.
pub struct Staged {
    /// Number of the target.
    pub target: usize,
    pub buffers: Vec<Buffer>,
    /// On rank 0, the file to which all ranks write.
    pub file: Option<CommonFile>,
}

/// How the ranks that write files together know each other's hidden files.
pub struct Common<'a> {
    pub stamp: &'a str,
    pub is_root: bool,
}

impl Target {
    /// All outputs of all worlds, with their staging buffers.
    pub fn all(gpu: &Gpu, pipeline: &Pipeline, directory: &Path) -> Result<Vec<Target>, RunError> {
        let outputs = (0..pipeline.worlds())
            .flat_map(|world| pipeline.outputs.iter().map(move |output| (world, output)));
        outputs
            .map(|(world, output)| {
                Target::new(
                    gpu,
                    pipeline,
                    directory_of(pipeline, directory, world),
                    (world, output),
                )
            })
            .collect()
    }

    fn new(
        gpu: &Gpu,
        pipeline: &Pipeline,
        directory: PathBuf,
        (world, output): (usize, &Output),
    ) -> Result<Target, RunError> {
        let rank = pipeline.cut.as_deref().map_or(0, |cut| cut.rank);
        let role = match (pipeline.is_written_in_parts(output), rank) {
            (true, _) => Role::Part(pipeline.written_by_rank(output)),
            (false, 0) => Role::Whole,
            (false, _) => Role::Nothing,
        };
        let target = Target {
            world,
            directory,
            output: output.clone(),
            content: Arc::new(output.content.clone()),
            // Rank 0 makes the file even if it has no element of it.
            copies: match &role {
                Role::Nothing => 0,
                Role::Part(None) if rank > 0 => 0,
                _ => memory::staging_buffers(pipeline, output),
            },
            role,
            free: unbounded(),
        };
        for number in 0..target.copies {
            let fields = output
                .fields
                .iter()
                .filter(|_| !matches!(target.role, Role::Part(None)));
            let buffers = fields.map(|field| {
                let name = format!(
                    "staging {} {} {number}",
                    output.name, pipeline.fields[*field].name
                );
                gpu.buffer(&name, pipeline.staged_bytes(output, *field), BufferKind::Download)
            });
            // The receiver lives as long as the sender.
            let _ = target.free.0.send(buffers.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(target)
    }

    /// Returns true if this process writes something of the file of a frame.
    pub fn is_due(&self, frame: u64) -> bool {
        self.copies > 0 && self.output.is_due(frame)
    }

    pub fn is_in_parts(&self) -> bool {
        matches!(self.role, Role::Part(_))
    }

    /// The box of the elements of this process, with the fields and their staging buffers, if other ranks write the rest.
    pub fn boxes(&self, buffers: &[Buffer]) -> Vec<(FieldId, ElementBox, Buffer)> {
        let Role::Part(Some(elements)) = &self.role else {
            return Vec::new();
        };
        let area = ElementBox {
            low: elements.low,
            size: elements.size,
        };
        let fields = self.output.fields.iter().zip(buffers);
        fields
            .map(|(field, buffer)| (*field, area, buffer.clone()))
            .collect()
    }

    /// Makes the hidden file of a frame to which all ranks write.
    pub fn make(&self, frame: u64, stamp: &str) -> Result<CommonFile, OutputError> {
        CommonFile::create(&self.path(frame), stamp, &self.content, frame)
    }

    /// Passes a frame to the writers.
    pub fn submit(
        &self,
        frame: u64,
        staged: Staged,
        writers: &Writers,
        common: Option<Common>,
    ) -> Result<(), OutputError> {
        let job = Job {
            output: self.output.name.clone(),
            frame,
            path: self.path(frame),
            content: Arc::clone(&self.content),
            payload: Box::new(StagedFrame {
                buffers: staged.buffers,
                home: self.free.0.clone(),
            }),
        };
        match (&self.role, common) {
            (Role::Part(elements), Some(Common { stamp, is_root })) => {
                let share = Share::new(&job.path, stamp, elements.clone(), is_root);
                writers.submit_share(job, share, staged.file)
            }
            _ => writers.submit(job),
        }
    }

    fn path(&self, frame: u64) -> PathBuf {
        let extension = self.content.format.extension();
        frame_path(&self.directory, &self.output.name, frame, extension)
    }
}
