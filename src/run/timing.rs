//! Times of stages on the GPU: samples from timed passes, one of which is in flight at a time.

use crate::ir::{Invocation, Pipeline};
use crate::plan::List;

use super::error::RunError;
use super::recordings::Recordings;

/// Largest number of samples per stage.
const MAX_SAMPLES: usize = 4096;

/// Times of stages on the device, without waits for messages of other ranks: ms per pass. A stage that runs several times in a
/// pass has one sample, the sum.
pub struct Timing {
    all: Samples,
    /// Times since the last call of [`Timing::forget_recent`].
    recent: Samples,
    /// For the step and the frame list: the segments that run in the timed pass in flight.
    step: Option<Vec<bool>>,
    frame: Option<Vec<bool>>,
}

/// Samples per stage.
struct Samples(Vec<Vec<f64>>);

impl Samples {
    fn new(pipeline: &Pipeline) -> Samples {
        Samples(vec![Vec::new(); pipeline.stages.len()])
    }

    fn add(&mut self, sums: &[Option<f64>]) {
        for (samples, sum) in self.0.iter_mut().zip(sums) {
            samples.extend(sum.filter(|_| samples.len() < MAX_SAMPLES));
        }
    }

    fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }

    fn medians(&self) -> Vec<(usize, u64, f64)> {
        let timed = self
            .0
            .iter()
            .enumerate()
            .filter(|(_, samples)| !samples.is_empty());
        timed
            .map(|(stage, samples)| {
                let mut sorted = samples.clone();
                sorted.sort_by(f64::total_cmp);
                (stage, sorted.len() as u64, sorted[sorted.len() / 2])
            })
            .collect()
    }
}

impl Timing {
    pub fn new(pipeline: &Pipeline) -> Timing {
        Timing {
            all: Samples::new(pipeline),
            recent: Samples::new(pipeline),
            step: None,
            frame: None,
        }
    }

    /// Returns true if a timed pass may be submitted now.
    pub fn begin(&self, list: List) -> bool {
        match list {
            List::Init => false,
            List::Step => self.step.is_none(),
            List::Frame => self.frame.is_none(),
        }
    }

    pub fn started(&mut self, list: List, segments: Vec<bool>) {
        match list {
            List::Init => {}
            List::Step => self.step = Some(segments),
            List::Frame => self.frame = Some(segments),
        }
    }

    /// Returns true if a timed pass is in flight.
    pub fn is_pending(&self) -> bool {
        self.step.is_some() || self.frame.is_some()
    }

    /// Collects the samples of timed passes that have ended.
    pub fn collect(
        &mut self,
        recordings: &Recordings,
        pipeline: &Pipeline,
        has_ended: impl Fn(List) -> Result<bool, RunError>,
    ) -> Result<(), RunError> {
        for list in [List::Step, List::Frame] {
            if !has_ended(list)? {
                continue;
            }
            let (pending, times, entries) = match list {
                List::Frame => (&mut self.frame, &recordings.frame_times, &pipeline.frame),
                _ => (&mut self.step, &recordings.step_times, &pipeline.step),
            };
            let Some(ran) = pending.clone() else { continue };
            let mut sums = vec![None; pipeline.stages.len()];
            let mut complete = true;
            let mut first = 0;
            let segments = recordings.dispatched(list).iter().zip(ran).zip(times);
            for (number, ((segment, ran), times)) in segments.enumerate() {
                let next = first + segment;
                if ran && *segment > 0 {
                    match times.read()? {
                        Some(stamps) => {
                            let divided = recordings.divided(list, number);
                            add(&mut sums, &entries[first..next], &stamps, divided);
                        }
                        None => complete = false,
                    }
                }
                first = next;
            }
            if complete {
                *pending = None;
                self.all.add(&sums);
                self.recent.add(&sums);
            }
        }
        Ok(())
    }

    /// Forgets the samples so far.
    pub fn clear(&mut self) {
        self.all.clear();
        self.recent.clear();
    }

    /// Begins to collect recent samples anew.
    pub fn forget_recent(&mut self) {
        self.recent.clear();
    }

    /// Stage, number of samples and their median in ms, for timed stages.
    pub fn medians(&self) -> Vec<(usize, u64, f64)> {
        self.all.medians()
    }

    /// The same for recent samples.
    pub fn recent(&self) -> Vec<(usize, u64, f64)> {
        self.recent.medians()
    }
}

/// Adds the times of dispatches to the sums of their stages. In the dispatch `divided`, the last two stamps are around a wait.
fn add(sums: &mut [Option<f64>], entries: &[Invocation], stamps: &[f64], divided: Option<usize>) {
    let wait = match stamps {
        [.., begin, end] if divided.is_some() => end - begin,
        _ => 0.0,
    };
    for (number, (entry, stamps)) in entries.iter().zip(stamps.chunks_exact(2)).enumerate() {
        let waited = if divided == Some(number) { wait } else { 0.0 };
        let milliseconds = (stamps[1] - stamps[0] - waited) * 1e-6;
        *sums[entry.stage].get_or_insert(0.0) += milliseconds;
    }
}
