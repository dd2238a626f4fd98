//! Submission: batches of recordings with their waits and signals.

use std::sync::Arc;

use ash::vk;

use super::in_flight::{Kept, Pending};
use super::{Gpu, GpuError, Queue, Recording, Timeline};

/// Recordings that run after `waits` are reached, and raise `signals` when they and all earlier submissions to the
/// queue are done. Waits and signals cover every pipeline stage, so they are also memory dependencies.
#[derive(Default)]
pub struct Batch<'a> {
    pub waits: Vec<(Timeline, u64)>,
    pub recordings: Vec<&'a Recording>,
    pub signals: Vec<(Timeline, u64)>,
}

impl Gpu {
    /// Submits the batches in one call, in order. Recordings of one batch, and batches that do not wait for each other,
    /// may overlap unless recorded barriers order them.
    pub fn submit(&self, queue: Queue, batches: &[Batch]) -> Result<(), GpuError> {
        if batches.is_empty() {
            return Ok(());
        }
        let device = &self.inner.device;
        if queue == Queue::Sparse {
            return Err(GpuError::misuse("Sparse queue", "it supports only binds"));
        }
        let target = self.inner.queues.get(queue);
        for batch in batches {
            for recording in &batch.recordings {
                recording.check_submit(device, queue, target.family)?;
            }
            for (timeline, _) in batch.waits.iter().chain(&batch.signals) {
                timeline.check_device(device)?;
            }
        }
        let mut in_flight = target.lock();
        in_flight.release_finished();
        let submissions = &mut in_flight.submissions;
        let number = submissions.next();

        let points = |list: &[(Timeline, u64)]| {
            list.iter()
                .map(|(timeline, value)| point(timeline, *value))
                .collect()
        };
        let waits: Vec<Vec<_>> = batches.iter().map(|batch| points(&batch.waits)).collect();
        let mut signals: Vec<Vec<_>> = batches.iter().map(|batch| points(&batch.signals)).collect();
        if let Some(last) = signals.last_mut() {
            last.push(point(submissions.done(), number));
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
        let _lock = device.command_pools();
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
        let waits = batches.iter().flat_map(|batch| batch.waits.iter().cloned());
        let signals = batches.iter().flat_map(|batch| batch.signals.iter().cloned());
        let recordings = batches.iter().flat_map(|batch| &batch.recordings);
        submissions.add(Pending {
            waits: waits.collect(),
            signals: signals.collect(),
            used: recordings
                .map(|recording| Arc::clone(&recording.recorded) as Kept)
                .collect(),
        });
        Ok(())
    }
}

fn point(timeline: &Timeline, value: u64) -> vk::SemaphoreSubmitInfo<'static> {
    vk::SemaphoreSubmitInfo::default()
        .semaphore(timeline.raw())
        .value(value)
        .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
}
