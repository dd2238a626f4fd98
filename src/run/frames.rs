//! Frames from the device to disk: downloads to staging buffers, which then go to the writer threads.
//!
//! A set of staging buffers belongs to the device until its download is done, then to a writer, then to the pool again.
//! When all sets are in use, the run waits, so a slow disk slows it down instead of filling memory.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, unbounded};

use crate::gpu::{Buffer, BufferKind, Gpu};
use crate::ir::{FieldId, Output, Pipeline};
use crate::output::{Content, Job, Writers, frame_path};
use crate::plan::{Lane, memory};

use super::error::RunError;
use super::measures::{self, Measures};
use super::simulation::Simulation;
use super::staged_frame::StagedFrame;
use super::watch::WatchedFrames;
use super::world_directories::{self, directory_of};

/// Largest number of pending downloads before the host waits for the oldest one.
const FRAMES_IN_FLIGHT: usize = 3;
/// Time between checks for failed writers, while the run waits for a writer.
const LOOK_FOR_ERRORS: Duration = Duration::from_millis(100);

struct OutputTarget {
    world: usize,
    /// Its directory.
    directory: PathBuf,
    output: Output,
    content: Arc<Content>,
    free: (Sender<Vec<Buffer>>, Receiver<Vec<Buffer>>),
}

struct FrameInFlight {
    frame: u64,
    /// The value of the download lane when the staging buffers are filled.
    value: u64,
    /// The values of the step and the frame lane when all stages of the frame are done.
    done: [(Lane, u64); 2],
    staged: Vec<(usize, Vec<Buffer>)>,
    measured: measures::StagedSeries,
}

/// The outputs of a run.
pub struct Frames {
    targets: Vec<OutputTarget>,
    in_flight: VecDeque<FrameInFlight>,
    pub writers: Writers,
    pub measures: Measures,
    /// False on ranks other than rank 0: nothing is downloaded, but each frame is checked.
    writes: bool,
    /// The last frame before this run, and the last one whose files were passed to the writers.
    before: u64,
    pub released: u64,
    /// Warnings about released frames that are not reported yet.
    pub warnings: Vec<String>,
    /// All warnings so far: each is reported once.
    warned: Vec<String>,
}

impl Frames {
    /// Allocates staging buffers and starts the writers, which wait for `delay` before each file, and no longer than
    /// `timeout` for an ffmpeg without progress. `after` is the last frame on disk.
    pub fn new(
        gpu: &Gpu,
        pipeline: &Pipeline,
        directory: &Path,
        after: u64,
        (delay, timeout): (Duration, Duration),
    ) -> Result<Frames, RunError> {
        world_directories::create(pipeline, directory)?;
        let mut targets = Vec::new();
        let mut max_jobs = 1;
        let worlds = 0..pipeline.worlds();
        for (world, output) in
            worlds.flat_map(|world| pipeline.outputs.iter().map(move |output| (world, output)))
        {
            let free = unbounded();
            let copies = memory::staging_buffers(pipeline, output);
            for number in 0..copies {
                let buffers = output.fields.iter().map(|field| {
                    let name = format!(
                        "staging {} {} {number}",
                        output.name, pipeline.fields[*field].name
                    );
                    gpu.buffer(&name, pipeline.field_bytes(*field), BufferKind::Download)
                });
                // The receiver lives as long as the sender.
                let _ = free.0.send(buffers.collect::<Result<Vec<_>, _>>()?);
            }
            max_jobs += copies as usize;
            targets.push(OutputTarget {
                world,
                directory: directory_of(pipeline, directory, world),
                output: output.clone(),
                content: Arc::new(output.content.clone()),
                free,
            });
        }
        let threads = (memory::writers() as usize).min(max_jobs);
        let writers = Writers::start_with(threads, max_jobs, delay, timeout)?;
        Ok(Frames {
            targets,
            in_flight: VecDeque::new(),
            writers,
            measures: Measures::new(gpu, pipeline, directory, after)?,
            writes: true,
            before: after,
            released: after,
            warnings: Vec::new(),
            warned: Vec::new(),
        })
    }

    /// The outputs of a rank that writes no files: as [`Frames::new`], but without buffers.
    pub fn without_files(
        pipeline: &Pipeline,
        directory: &Path,
        after: u64,
        (delay, timeout): (Duration, Duration),
    ) -> Result<Frames, RunError> {
        let targets = pipeline.outputs.iter().map(|output| OutputTarget {
            world: 0,
            directory: directory.to_path_buf(),
            output: output.clone(),
            content: Arc::new(output.content.clone()),
            free: unbounded(),
        });
        Ok(Frames {
            targets: targets.collect(),
            in_flight: VecDeque::new(),
            writers: Writers::start_with(1, 1, delay, timeout)?,
            measures: Measures::without_files(pipeline),
            writes: false,
            before: after,
            released: after,
            warnings: Vec::new(),
            warned: Vec::new(),
        })
    }

    /// The fields that outputs write in a frame.
    pub fn due(&self, frame: u64) -> Vec<FieldId> {
        let due = self.targets.iter().filter(|target| target.output.is_due(frame));
        due.flat_map(|target| target.output.fields.iter().copied())
            .collect()
    }

    /// Returns true if an output writes one of `fields` in this frame.
    pub fn wants(&self, simulation: &Simulation, frame: u64, fields: &[FieldId]) -> bool {
        let mut due = self.targets.iter().filter(|target| target.output.is_due(frame));
        due.any(|target| target.output.fields.iter().any(|field| fields.contains(field)))
            || Measures::wants(simulation.pipeline(), frame, fields)
    }

    /// Starts the downloads of a frame, and passes older frames that have arrived to the writers.
    pub fn start(&mut self, simulation: &mut Simulation, frame: u64) -> Result<(), RunError> {
        self.start_downloads(simulation, frame)?;
        while self.in_flight.len() >= FRAMES_IN_FLIGHT {
            self.release_oldest(simulation)?;
        }
        Ok(self.measures.flush()?)
    }

    /// Starts the downloads of the state before the first step: of outputs with `initial`, and of the first lines of all
    /// series.
    pub fn start_initial(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        let is_any_due = self.targets.iter().any(|target| target.output.is_due(0));
        if is_any_due {
            simulation.redraw()?;
            simulation.gather(&self.due(0))?;
        } else if Measures::is_any_due(simulation.pipeline(), 0) {
            simulation.measure()?;
        } else {
            return Ok(());
        }
        self.start_downloads(simulation, 0)
    }

    fn start_downloads(&mut self, simulation: &mut Simulation, frame: u64) -> Result<(), RunError> {
        let mut staged = Vec::new();
        for number in 0..self.targets.len() {
            if self.writes && self.targets[number].output.is_due(frame) {
                staged.push((number, self.staging(simulation, number)?));
            }
        }
        let pipeline = simulation.pipeline().clone();
        let measured = loop {
            match self.measured(&pipeline, frame) {
                Some(measured) => break measured,
                None => self.release_oldest(simulation)?,
            }
        };
        let mut copies: Vec<(FieldId, usize, Buffer)> = (staged.iter())
            .flat_map(|(number, buffers)| {
                let target = &self.targets[*number];
                let fields = target.output.fields.iter().zip(buffers);
                fields.map(|(field, buffer)| (*field, target.world, buffer.clone()))
            })
            .collect();
        copies.extend(Measures::copies(&pipeline, &measured));
        let value = simulation.download(&copies)?;
        self.in_flight.push_back(FrameInFlight {
            frame,
            value,
            done: [Lane::Step, Lane::Frame].map(|lane| (lane, simulation.last(lane))),
            staged,
            measured,
        });
        Ok(())
    }

    /// Staging buffers for the series of a frame; `None` while older frames hold them all.
    fn measured(&mut self, pipeline: &Pipeline, frame: u64) -> Option<measures::StagedSeries> {
        if self.writes {
            self.measures.stage(pipeline, frame)
        } else {
            Some(Vec::new())
        }
    }

    /// Passes all frames to the writers and waits until they are on disk.
    pub fn finish(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        let mut released = Ok(());
        while released.is_ok() && !self.in_flight.is_empty() {
            released = self.release_oldest(simulation);
        }
        // Frames that were passed to the writers are written in any case.
        let written = self.writers.join();
        released?;
        self.measures.flush()?;
        Ok(written?)
    }

    /// Passes frames to the writers up to `frame`.
    pub fn release_until(&mut self, simulation: &mut Simulation, frame: u64) -> Result<(), RunError> {
        while self.released < frame && !self.in_flight.is_empty() {
            self.release_oldest(simulation)?;
        }
        Ok(())
    }

    /// Passes the frames that have arrived to the writers, without waiting for others: for a device that hangs.
    pub fn release_arrived(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        while let Some(oldest) = self.in_flight.front()
            && simulation.has_reached(Lane::Download, oldest.value)?
            && is_done(simulation, oldest)?
        {
            self.release_oldest(simulation)?;
        }
        Ok(())
    }

    fn staging(&mut self, simulation: &mut Simulation, number: usize) -> Result<Vec<Buffer>, RunError> {
        loop {
            if let Ok(buffers) = self.targets[number].free.1.try_recv() {
                return Ok(buffers);
            }
            if self.in_flight.is_empty() {
                if let Ok(buffers) = self.targets[number].free.1.recv_timeout(LOOK_FOR_ERRORS) {
                    return Ok(buffers);
                }
                self.writers.check()?;
            } else {
                self.release_oldest(simulation)?;
            }
        }
    }

    /// The frames that are written, for a message about one that is not.
    fn files(&self) -> String {
        match self.released {
            0 => "no frame was written".to_string(),
            last => format!("frames up to {last} are complete"),
        }
    }

    /// Checks for repeats that used all their iterations before a frame was complete. Depending on the repeat, stops the run
    /// or warns once.
    fn check_repeats(&mut self, simulation: &Simulation, frame: u64) -> Result<(), RunError> {
        let mut unfinished = simulation.unfinished()?;
        unfinished.retain(|repeat| repeat.is_before(frame, simulation.pipeline()));
        if let Some(stops) = unfinished.iter().position(|repeat| repeat.stops) {
            return Err(RunError::Unfinished {
                unfinished: Box::new(unfinished.swap_remove(stops)),
                frame,
                files: self.files(),
            });
        }
        for repeat in unfinished {
            let warning = format!("{repeat}\n  help: {}", repeat.help());
            if !self.warned.contains(&warning) {
                self.warnings.push(warning.clone());
                self.warned.push(warning);
            }
        }
        Ok(())
    }

    /// Waits for the oldest frame and passes it to the writers. A run stops here, before it writes a frame with a fault or
    /// with bad values, or after a repeat that did not end as it must.
    fn release_oldest(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        let Some(oldest) = self.in_flight.pop_front() else {
            return Ok(());
        };
        simulation.wait(Lane::Download, oldest.value)?;
        if has_records(simulation.pipeline()) {
            let mut lanes = oldest.done.into_iter();
            lanes.try_for_each(|(lane, value)| simulation.wait(lane, value))?;
        }
        let steps_per_frame = u64::from(simulation.pipeline().steps_per_frame);
        if let Some(mut bad) = simulation.first_bad()?
            && bad.step <= oldest.frame * steps_per_frame
        {
            // The watch of this run has not checked earlier steps.
            bad.good = bad.good.filter(|good| *good >= self.before * steps_per_frame);
            let frames = WatchedFrames {
                written: self.released,
                before: self.before,
                steps_per_frame,
            };
            return Err(RunError::Bad {
                bad: Box::new(bad),
                frames,
            });
        }
        if let Some(fault) = simulation.fault()? {
            return Err(RunError::Fault {
                fault: Box::new(fault),
                // The first line of a series is not a frame.
                frame: oldest.frame.max(1),
                files: self.files(),
            });
        }
        self.check_repeats(simulation, oldest.frame)?;
        for (number, buffers) in oldest.staged {
            let target = &self.targets[number];
            let extension = target.content.format.extension();
            self.writers.submit(Job {
                output: target.output.name.clone(),
                frame: oldest.frame,
                path: frame_path(&target.directory, &target.output.name, oldest.frame, extension),
                content: Arc::clone(&target.content),
                payload: Box::new(StagedFrame {
                    buffers,
                    home: target.free.0.clone(),
                }),
            })?;
        }
        let pipeline = simulation.pipeline().clone();
        self.measures.append(&pipeline, oldest.frame, oldest.measured)?;
        self.released = oldest.frame;
        Ok(())
    }
}

/// Returns true if stages write records for the host.
fn has_records(pipeline: &Pipeline) -> bool {
    pipeline.watch.is_some() || !pipeline.loop_limits.is_empty()
}

/// Returns true if all stages that write records for a frame have ended. Does not wait.
fn is_done(simulation: &Simulation, frame: &FrameInFlight) -> Result<bool, RunError> {
    for (lane, value) in frame.done {
        if has_records(simulation.pipeline()) && !simulation.has_reached(lane, value)? {
            return Ok(false);
        }
    }
    Ok(true)
}
