//! Frames from the device to disk: downloads to staging buffers, which then go to the writer threads.
//!
//! A set of staging buffers belongs to the device until its download is done, then to a writer, then to the pool again.
//! When all sets are in use, the run waits, so a slow disk slows it down instead of filling memory.

mod target;

use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use crate::gpu::{Buffer, Gpu};
use crate::ir::{FieldId, Pipeline};
use crate::output::Writers;
use crate::plan::{Lane, memory};

use super::error::RunError;
use super::measures::{self, Measures};
use super::simulation::Simulation;
use super::watch::WatchedFrames;
use super::world_directories;
use target::{Common, Staged, Target};

/// Largest number of pending downloads before the host waits for the oldest one.
const FRAMES_IN_FLIGHT: usize = 3;
/// Time between checks for failed writers, while the run waits for a writer.
const LOOK_FOR_ERRORS: Duration = Duration::from_millis(100);

struct FrameInFlight {
    frame: u64,
    /// The values of lanes when the staging buffers are filled.
    filled: [(Lane, u64); 2],
    /// The values of the step and the frame lane when all stages of the frame are done.
    done: [(Lane, u64); 2],
    staged: Vec<Staged>,
    measured: measures::StagedSeries,
}

/// The outputs of a run.
pub struct Frames {
    targets: Vec<Target>,
    in_flight: VecDeque<FrameInFlight>,
    pub writers: Writers,
    pub measures: Measures,
    /// False on ranks other than rank 0, which write only parts of files.
    is_root: bool,
    /// If ranks write files together, what is in the names of hidden ones.
    stamp: Option<String>,
    /// The last frame before this run, and the last one whose files were passed to the writers.
    before: u64,
    pub released: u64,
    /// All ranks have written their parts of the files of frames before this one.
    common_before: u64,
    /// Warnings about released frames that are not reported yet.
    pub warnings: Vec<String>,
    /// All warnings so far: each is reported once.
    warned: Vec<String>,
}

impl Frames {
    /// Allocates staging buffers and starts the writers, which wait for `delay` before each file, and no longer than
    /// `timeout` for an ffmpeg without progress. `after` is the last frame on disk, and `stamp` is in the names of hidden
    /// files to which all ranks write.
    pub fn new(
        gpu: &Gpu,
        pipeline: &Pipeline,
        directory: &Path,
        after: u64,
        (delay, timeout): (Duration, Duration),
        stamp: Option<String>,
    ) -> Result<Frames, RunError> {
        let is_root = pipeline.cut.as_deref().is_none_or(|cut| cut.rank == 0);
        if is_root {
            world_directories::create(pipeline, directory)?;
        }
        let targets = Target::all(gpu, pipeline, directory)?;
        let max_jobs = 1 + targets.iter().map(|target| target.copies as usize).sum::<usize>();
        let threads = (memory::writers() as usize).min(max_jobs);
        let measures = if is_root {
            Measures::new(gpu, pipeline, directory, after)?
        } else {
            Measures::without_files(pipeline)
        };
        Ok(Frames {
            targets,
            in_flight: VecDeque::new(),
            writers: Writers::start_with(threads, max_jobs, delay, timeout)?,
            measures,
            is_root,
            stamp,
            before: after,
            released: after,
            common_before: after + 1,
            warnings: Vec::new(),
            warned: Vec::new(),
        })
    }

    /// Completes the fields that outputs write in a frame where they are written: on rank 0, or in the part of each rank. All
    /// ranks must call it.
    pub fn gather(&self, simulation: &mut Simulation, frame: u64) -> Result<(), RunError> {
        let due = |in_parts: bool| -> Vec<FieldId> {
            let targets = self.targets.iter().filter(|target| target.output.is_due(frame));
            let targets = targets.filter(|target| target.is_in_parts() == in_parts);
            targets
                .flat_map(|target| target.output.fields.iter().copied())
                .collect()
        };
        simulation.gather(&due(false))?;
        simulation.complete_parts(&due(true))
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
            self.gather(simulation, 0)?;
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
            if self.targets[number].is_due(frame) {
                staged.push(self.stage(simulation, number, frame)?);
            }
        }
        let pipeline = simulation.pipeline().clone();
        let measured = loop {
            match self.measured(&pipeline, frame) {
                Some(measured) => break measured,
                None => self.release_oldest(simulation)?,
            }
        };
        let (parts, whole): (Vec<&Staged>, Vec<&Staged>) =
            (staged.iter()).partition(|staged| self.targets[staged.target].is_in_parts());
        let parts = (parts.iter()).flat_map(|staged| self.targets[staged.target].boxes(&staged.buffers));
        let packed = simulation.stage_parts(&parts.collect::<Vec<_>>())?;
        let mut copies: Vec<(FieldId, usize, Buffer)> = (whole.iter())
            .flat_map(|staged| {
                let target = &self.targets[staged.target];
                let fields = target.output.fields.iter().zip(&staged.buffers);
                fields.map(|(field, buffer)| (*field, target.world, buffer.clone()))
            })
            .collect();
        copies.extend(Measures::copies(&pipeline, &measured));
        let value = simulation.download(&copies)?;
        self.in_flight.push_back(FrameInFlight {
            frame,
            filled: [(Lane::Download, value), (Lane::Frame, packed)],
            done: [Lane::Step, Lane::Frame].map(|lane| (lane, simulation.last(lane))),
            staged,
            measured,
        });
        Ok(())
    }

    /// Staging buffers for the series of a frame; `None` while older frames hold them all.
    fn measured(&mut self, pipeline: &Pipeline, frame: u64) -> Option<measures::StagedSeries> {
        if self.is_root {
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
        while self.in_flight.front().is_some_and(|oldest| oldest.frame <= frame) {
            self.release_oldest(simulation)?;
        }
        Ok(())
    }

    /// True if ranks write files together.
    pub fn has_common_files(&self) -> bool {
        self.stamp.is_some()
    }

    /// This rank has written its parts of the files of frames before this one.
    pub fn written_before(&self) -> u64 {
        let oldest = self.in_flight.front();
        let next = oldest.map_or(self.released + 1, |oldest| oldest.frame);
        self.writers.first_share().map_or(next, |first| first.min(next))
    }

    /// Gives names to the files of frames before one: all ranks have written their parts.
    pub fn name_common(&mut self, before: u64) -> Result<(), RunError> {
        self.common_before = before;
        Ok(self.writers.name_common(before)?)
    }

    /// The last frame whose files are complete, apart from what the writers of rank 0 still write.
    pub fn complete(&self) -> u64 {
        match self.stamp {
            Some(_) => self.released.min(self.common_before.saturating_sub(1)),
            None => self.released,
        }
    }

    /// Passes the frames that have arrived to the writers, without waiting for others: for a device that hangs.
    pub fn release_arrived(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        while let Some(oldest) = self.in_flight.front()
            && has_reached(simulation, &oldest.filled)?
            && is_done(simulation, oldest)?
        {
            self.release_oldest(simulation)?;
        }
        Ok(())
    }

    /// Takes staging buffers for a frame of an output. Rank 0 makes the file to which all ranks write: it is there before
    /// they agree on the end of the frame, and they open it afterwards.
    fn stage(&mut self, simulation: &mut Simulation, number: usize, frame: u64) -> Result<Staged, RunError> {
        let buffers = self.staging(simulation, number)?;
        let target = &self.targets[number];
        let stamp = (self.stamp.as_deref()).filter(|_| self.is_root && target.is_in_parts());
        Ok(Staged {
            target: number,
            buffers,
            file: stamp.map(|stamp| target.make(frame, stamp)).transpose()?,
        })
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
        match self.complete() {
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
        let records = oldest
            .done
            .into_iter()
            .filter(|_| has_records(simulation.pipeline()));
        let mut lanes = oldest.filled.into_iter().chain(records);
        lanes.try_for_each(|(lane, value)| simulation.wait(lane, value))?;
        let steps_per_frame = u64::from(simulation.pipeline().steps_per_frame);
        if let Some(mut bad) = simulation.first_bad()?
            && bad.step <= oldest.frame * steps_per_frame
        {
            // The watch of this run has not checked earlier steps.
            bad.good = bad.good.filter(|good| *good >= self.before * steps_per_frame);
            let frames = WatchedFrames {
                written: self.complete(),
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
        for staged in oldest.staged {
            let common = self.stamp.as_deref().map(|stamp| Common {
                stamp,
                is_root: self.is_root,
            });
            self.targets[staged.target].submit(oldest.frame, staged, &self.writers, common)?;
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
    Ok(!has_records(simulation.pipeline()) || has_reached(simulation, &frame.done)?)
}

/// Returns true if all lanes have reached their values. Does not wait.
fn has_reached(simulation: &Simulation, values: &[(Lane, u64)]) -> Result<bool, RunError> {
    for (lane, value) in values {
        if !simulation.has_reached(*lane, *value)? {
            return Ok(false);
        }
    }
    Ok(true)
}
