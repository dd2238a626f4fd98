//! Moves of parts between ranks: ranks measure their steps, and if one takes clearly longer than the others, the run continues
//! with other parts from a checkpoint of its last frame.

use std::path::PathBuf;
use std::time::Instant;

use crate::ir::{Cut, Load, Partition, Pipeline, Planes, rebalanced};
use crate::plan::compute_halos;

use super::checkpoint;
use super::request::RunRequest;
use super::simulation::Simulation;

/// Timed steps from which the time of a step is estimated.
const MIN_SAMPLES: u64 = 6;
/// Bytes of [`Measured`] in a message.
const BYTES: usize = 24;

/// The measured times of a rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    load: Load,
    /// Seconds that a move takes.
    seconds: f64,
}

/// New parts after a frame.
pub(super) struct Move {
    pub frame: u64,
    /// The pipeline, cut into them.
    pub pipeline: Box<Pipeline>,
    /// Says which planes move, and why.
    pub notice: String,
}

/// The balance of a run over several ranks.
pub(super) struct Balance {
    /// The pipeline before it was cut.
    whole: Pipeline,
    /// Start of the run, or of the last move.
    began: Instant,
    /// Seconds that a move takes.
    seconds: f64,
    /// Steps before those with the parts of now.
    since: u64,
    has_moved: bool,
    /// The run has other checkpoints than those of moves.
    keeps: bool,
    /// The checkpoint of the last move, if it is removed.
    checkpoint: Option<PathBuf>,
}

impl Measured {
    pub(super) fn to_bytes(self) -> [u8; BYTES] {
        let numbers = [self.load.parts, self.load.whole, self.seconds];
        let mut bytes = [0; BYTES];
        for (bytes, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// `None` if a rank has not measured enough yet.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Measured> {
        let bytes: &[u8; BYTES] = bytes.try_into().ok()?;
        let (numbers, _) = bytes.as_chunks();
        let number = |at: usize| f64::from_le_bytes(numbers[at]);
        let load = Load {
            parts: number(0),
            whole: number(1),
        };
        Some(Measured {
            load,
            seconds: number(2),
        })
    }
}

impl Balance {
    /// The balance of a run that asks for it, before the run is cut.
    pub(super) fn of(run: &RunRequest) -> Option<Balance> {
        run.balance.then(|| Balance {
            whole: run.pipeline.clone(),
            began: Instant::now(),
            seconds: 0.0,
            since: 0,
            has_moved: false,
            keeps: run.resume || run.pipeline.checkpoint.every.is_some(),
            checkpoint: None,
        })
    }

    /// True after the first move: the notices of a start were given.
    pub(super) fn has_moved(&self) -> bool {
        self.has_moved
    }

    /// Notes that the ranks are ready for steps. A move also writes a checkpoint, so it takes longer than the start of a run.
    pub(super) fn started(&mut self, steps: u64) {
        let factor = if self.has_moved { 1.0 } else { 2.0 };
        self.seconds = factor * self.began.elapsed().as_secs_f64();
        self.since = steps;
    }

    /// The time of a step on this rank, if enough steps were timed.
    pub(super) fn measured(&self, run: &RunRequest, simulation: &Simulation, frame: u64) -> Option<Measured> {
        let cut = run.pipeline.cut.as_deref()?;
        let cells = cut
            .partition
            .planes
            .each_ref()
            .map(|planes| planes.last().copied().unwrap_or(0));
        if let Some(parts) = run
            .probe
            .load(frame, cut.partition.grown(cut.rank, cells, [0; 3]))
        {
            let load = Load { parts, whole: 0.0 };
            return Some(Measured { load, seconds: 0.0 });
        }
        let times = simulation.timing().recent().into_iter();
        let of_steps = |stage: usize| run.pipeline.step.iter().any(|entry| entry.stage == stage);
        let times: Vec<(usize, u64, f64)> = times.filter(|(stage, ..)| of_steps(*stage)).collect();
        // A stage that does not run in every step has fewer samples.
        let steps = times.iter().map(|(_, samples, _)| *samples).max()?;
        let sum = |on_parts: bool| {
            let of_kind = times
                .iter()
                .filter(|(stage, ..)| cut.grow(*stage).is_some() == on_parts);
            of_kind
                .map(|(_, samples, median)| median * *samples as f64 / steps as f64)
                .sum()
        };
        (steps >= MIN_SAMPLES).then(|| Measured {
            load: Load {
                parts: sum(true),
                whole: sum(false),
            },
            seconds: self.seconds,
        })
    }

    /// Decides on a move after a frame, alike on all ranks. It must save more time than it takes, in as many steps as have run with
    /// the parts of now and are left: so moves never take more than half of the time, even if each is in vain.
    pub(super) fn decide(&self, run: &RunRequest, simulation: &Simulation, all: &[Measured]) -> Option<Move> {
        let now = run.pipeline.cut.as_deref()?;
        let (steps, per_frame) = (simulation.steps(), u64::from(run.pipeline.steps_per_frame));
        let left = run
            .pipeline
            .frames
            .saturating_mul(per_frame)
            .saturating_sub(steps);
        let counted = left.min(steps - self.since);
        if counted == 0 {
            return None;
        }
        let loads: Vec<Load> = all.iter().map(|measured| measured.load).collect();
        let seconds = all.iter().map(|measured| measured.seconds).fold(0.0, f64::max);
        let least_gain = 1e3 * seconds / counted as f64;
        let found = rebalanced(&now.partition, &loads, least_gain, |planes| {
            self.near(run, now, planes)
        })?;
        let mut pipeline = self.cut(run, &found.wished)?;
        compute_halos(&mut pipeline);
        Some(Move {
            frame: simulation.frames(),
            pipeline: Box::new(pipeline),
            notice: notice(&now.partition, &found.partition, found.slowest),
        })
    }

    /// The parts near planes; `None` if they cannot be cut, or stages would run whole that run on parts now.
    fn near(&self, run: &RunRequest, now: &Cut, planes: &Planes) -> Option<Partition> {
        let found = self.cut(run, planes)?.cut?;
        let mut stages = self.whole.step.iter().map(|entry| entry.stage);
        let are_alike = stages.all(|stage| found.grow(stage).is_some() == now.grow(stage).is_some());
        are_alike.then_some(found.partition)
    }

    /// The pipeline, cut near planes for this rank; `None` if that is not possible.
    fn cut(&self, run: &RunRequest, planes: &Planes) -> Option<Pipeline> {
        let mut pipeline = self.whole.clone();
        let (rank, ranks) = run
            .ranks
            .as_ref()
            .map_or((0, 1), |ranks| (ranks.rank(), ranks.count()));
        let cut = pipeline.cut_near(&run.cut, Some(planes), rank, ranks);
        cut.ok().map(|_| pipeline)
    }

    /// Keeps the checkpoints of moves from now on: the run has others.
    pub(super) fn keep_checkpoints(&mut self) {
        self.keeps = true;
    }

    /// Begins a move, whose checkpoint is removed later if the run keeps none.
    pub(super) fn begin(&mut self, run: &RunRequest, moved: &Move) {
        (self.began, self.has_moved) = (Instant::now(), true);
        let is_removed = run.writes() && !self.keeps;
        self.checkpoint = is_removed.then(|| checkpoint::path(run.directory, moved.frame));
    }

    /// Removes the checkpoint of the last move, after all ranks have started from it.
    pub(super) fn remove_checkpoint(&mut self) {
        if let Some(path) = self.checkpoint.take() {
            // If it cannot be removed, it does no harm. Nor can its directory be, if there are others.
            let _ = std::fs::remove_file(&path);
            let _ = path.parent().map(std::fs::remove_dir);
        }
    }
}

/// Says which planes move, and what that saves.
fn notice(from: &Partition, to: &Partition, [before, after]: [f64; 2]) -> String {
    let widths = |planes: &[u64]| {
        let widths = planes.windows(2).map(|ends| (ends[1] - ends[0]).to_string());
        widths.collect::<Vec<_>>().join(", ")
    };
    let axes = ["x", "y", "z"]
        .into_iter()
        .zip(from.planes.iter().zip(&to.planes));
    let moved = axes.filter(|(_, (from, to))| from != to);
    let moved =
        moved.map(|(axis, (from, to))| format!("along {axis}: {} -> {} cells", widths(from), widths(to)));
    let moved = moved.collect::<Vec<_>>().join(", ");
    format!("parts {moved}; a step of the slowest rank took {before:.3} ms, now {after:.3} are expected")
}
