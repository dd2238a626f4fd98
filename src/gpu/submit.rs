//! Submission: batches of recordings with their waits and signals, and what they keep alive until they are done.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use ash::vk;

use super::queues::Queues;
use super::record::Recorded;
use super::{Gpu, GpuError, Queue, Recording, Timeline};

/// Recordings that run after `waits` are reached and raise `signals` when they, and all that was submitted to the
/// queue before them, are done. Waits and signals cover every pipeline stage, so they are memory dependencies too.
#[derive(Default)]
pub struct Batch<'a> {
    pub waits: Vec<(Timeline, u64)>,
    pub recordings: Vec<&'a Recording>,
    pub signals: Vec<(Timeline, u64)>,
}

impl Gpu {
    /// Submits the batches in one call, in order. Recordings of one batch, and batches that do not wait for each
    /// other, may overlap but for the barriers recorded in them.
    pub fn submit(&self, queue: Queue, batches: &[Batch]) -> Result<(), GpuError> {
        if batches.is_empty() {
            return Ok(());
        }
        let device = &self.inner.device;
        let target = self.inner.queues.get(queue);
        for batch in batches {
            for recording in &batch.recordings {
                recording.check_submit(device, queue, target.family)?;
            }
            for (timeline, _) in batch.waits.iter().chain(&batch.signals) {
                if !timeline.of_device(device) {
                    let object = format!("timeline '{}'", timeline.name());
                    return Err(GpuError::misuse(object, "it belongs to another device"));
                }
            }
        }
        let mut in_flight = target.lock();
        in_flight.release_finished();
        let number = in_flight.submitted + 1;

        let points = |list: &[(Timeline, u64)]| {
            list.iter()
                .map(|(timeline, value)| point(timeline, *value))
                .collect()
        };
        let waits: Vec<Vec<_>> = batches.iter().map(|batch| points(&batch.waits)).collect();
        let mut signals: Vec<Vec<_>> = batches.iter().map(|batch| points(&batch.signals)).collect();
        if let Some(last) = signals.last_mut() {
            last.push(point(&in_flight.done, number));
        }
        let commands: Vec<Vec<_>> = batches
            .iter()
            .map(|batch| {
                let raw = batch.recordings.iter().map(|recording| recording.recorded.raw);
                raw.map(|raw| vk::CommandBufferSubmitInfo::default().command_buffer(raw))
                    .collect()
            })
            .collect();
        let submits: Vec<_> = (0..batches.len())
            .map(|i| {
                vk::SubmitInfo2::default()
                    .wait_semaphore_infos(&waits[i])
                    .command_buffer_infos(&commands[i])
                    .signal_semaphore_infos(&signals[i])
            })
            .collect();
        // SAFETY: all handles belong to this device and are kept alive by `in_flight` until `number` is reached;
        // the queue's lock is held; the recordings allow simultaneous use.
        unsafe { device.raw.queue_submit2(target.raw, &submits, vk::Fence::null()) }.map_err(|result| {
            let names = batches
                .iter()
                .flat_map(|batch| &batch.recordings)
                .map(|recording| recording.name());
            let object = format!(
                "{queue:?} queue, recordings {}",
                names.collect::<Vec<_>>().join(", ")
            );
            GpuError::vulkan("submitting", object, result)
        })?;
        in_flight.add(batches);
        Ok(())
    }
}

fn point(timeline: &Timeline, value: u64) -> vk::SemaphoreSubmitInfo<'static> {
    vk::SemaphoreSubmitInfo::default()
        .semaphore(timeline.raw())
        .value(value)
        .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
}

/// The unfinished submissions of one Vulkan queue.
pub(super) struct InFlight {
    /// Counts finished submissions.
    pub done: Timeline,
    submitted: u64,
    pending: VecDeque<Pending>,
}

struct Pending {
    number: u64,
    waits: Vec<(Timeline, u64)>,
    signals: Vec<(Timeline, u64)>,
    recordings: Vec<Arc<Recorded>>,
}

impl InFlight {
    pub fn new(done: Timeline) -> InFlight {
        InFlight {
            done,
            submitted: 0,
            pending: VecDeque::new(),
        }
    }

    fn add(&mut self, batches: &[Batch]) {
        self.submitted += 1;
        let recordings = batches.iter().flat_map(|batch| &batch.recordings);
        self.pending.push_back(Pending {
            number: self.submitted,
            waits: batches
                .iter()
                .flat_map(|batch| batch.waits.iter().cloned())
                .collect(),
            signals: batches
                .iter()
                .flat_map(|batch| batch.signals.iter().cloned())
                .collect(),
            recordings: recordings
                .map(|recording| Arc::clone(&recording.recorded))
                .collect(),
        });
    }

    /// Lets go of what finished submissions used. On a lost device nothing is let go: dropping the queues does that.
    ///
    /// The last finished submission keeps its timelines: Mesa's submission thread touches them once more after it has
    /// raised the counter, and is through with them for certain when it has taken up the next submission.
    pub fn release_finished(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let Ok(done) = self.done.value() else { return };
        while self.pending.front().is_some_and(|pending| pending.number < done) {
            self.pending.pop_front();
        }
        if let Some(last) = self.pending.front_mut().filter(|pending| pending.number == done) {
            last.recordings.clear();
        }
    }

    /// Lets go of everything: the device is idle.
    pub fn release_all(&mut self) {
        self.pending.clear();
    }

    /// True when the counter has reached the last submission; on a lost device it never does.
    fn is_finished(&self) -> bool {
        self.done.value().is_ok_and(|done| done >= self.submitted)
    }
}

/// Waits until all queues are done, also when submissions wait for something that nobody will signal any more
/// (a run that ends on an error leaves such): what no pending submission will raise is raised from here.
/// Returns at once when the device is lost.
pub(super) fn drain(queues: &mut Queues) {
    loop {
        let mut pending = Vec::new();
        let mut unfinished = None;
        for queue in queues.distinct_mut() {
            let in_flight = queue.in_flight.get_mut().unwrap_or_else(PoisonError::into_inner);
            in_flight.release_finished();
            if !in_flight.is_finished() {
                unfinished = Some((in_flight.done.clone(), in_flight.submitted));
            }
            pending.extend(&in_flight.pending);
        }
        let Some((done, submitted)) = unfinished else {
            return;
        };
        for (timeline, value) in pending.iter().flat_map(|pending| &pending.waits) {
            let Ok(now) = timeline.value() else { return };
            let comes =
                |(signalled, to): &(Timeline, u64)| signalled.same(timeline) && now < *to && to <= value;
            let abandoned = !pending.iter().flat_map(|pending| &pending.signals).any(comes);
            // The value stays below whatever pending submissions will still raise the timeline to.
            if now < *value && abandoned && timeline.signal(*value).is_err() {
                return;
            }
        }
        if done.wait(submitted, Duration::from_millis(50)).is_err() {
            return;
        }
    }
}
