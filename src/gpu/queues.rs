//! Queue classes and their Vulkan queues.
//!
//! Each Vulkan queue has a lock and timelines that count its submissions and binds. Their objects are kept until the
//! count shows that they are done.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

use super::GpuError;
use super::device::{Device, QueueIndices};
use super::in_flight::{InFlight, drain};
use super::report::QueueFamily;
use super::timeline::Timeline;

/// Queue classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// The steps of the simulation.
    Compute,
    /// Frame stages (such as rendering), while the next step runs.
    Output,
    /// Downloads. It supports copies and fills, but no dispatches.
    Transfer,
    /// Binds memory to pages of sparse buffers; it does not support recordings. On a device without sparse binding it
    /// is the queue of Compute.
    Sparse,
}

#[cfg(feature = "internals")]
impl Queue {
    pub const ALL: [Queue; 4] = [Queue::Compute, Queue::Output, Queue::Transfer, Queue::Sparse];
}

/// Chooses the queue of each class. Classes share a queue if the device does not have enough.
///
/// Compute uses the first family that computes (if a family can also draw, it is the one with the full rate). Output
/// prefers a family that computes and does not draw, then a second queue of Compute's family. Transfer prefers a family
/// that only copies, then one more queue of Output's or Compute's family. Sparse prefers an unused queue of a family
/// that binds memory and neither computes nor draws, then of any family that binds; else it shares the queue of
/// Compute, or of another class.
pub(super) fn choose(families: &[QueueFamily], single: bool) -> QueueIndices {
    let main = families
        .iter()
        .find(|family| family.compute && family.graphics)
        .or_else(|| families.iter().find(|family| family.compute));
    let Some(main) = main else { return [(0, 0); 4] };
    let compute = (main.index, 0);
    if single {
        return [compute; 4];
    }
    let mut taken = vec![compute];
    let mut next_of = |family: &QueueFamily| {
        let used = taken.iter().filter(|(index, _)| *index == family.index).count() as u32;
        (used < family.queues).then(|| {
            taken.push((family.index, used));
            (family.index, used)
        })
    };
    let apart = families
        .iter()
        .find(|family| family.compute && !family.graphics && family.index != main.index);
    let output = apart
        .and_then(&mut next_of)
        .or_else(|| next_of(main))
        .unwrap_or(compute);
    let copies_only = |family: &&QueueFamily| family.transfer && !family.compute && !family.graphics;
    // Among transfer families, one without video is preferred.
    let copier = families
        .iter()
        .filter(copies_only)
        .min_by_key(|family| (family.other, family.index));
    let of_output = families.iter().find(|family| family.index == output.0);
    let transfer = copier
        .and_then(&mut next_of)
        .or_else(|| of_output.and_then(&mut next_of))
        .or_else(|| next_of(main))
        .unwrap_or(output);
    let binds = |place: &(u32, u32)| {
        families
            .iter()
            .any(|family| family.index == place.0 && family.sparse_binding)
    };
    let mut binders: Vec<_> = families.iter().filter(|family| family.sparse_binding).collect();
    binders.sort_by_key(|family| (family.compute || family.graphics, family.other, family.index));
    let sparse = binders
        .into_iter()
        .find_map(&mut next_of)
        .or_else(|| [compute, transfer, output].into_iter().find(binds))
        .unwrap_or(compute);
    [compute, output, transfer, sparse]
}

/// One Vulkan queue.
pub(super) struct VulkanQueue {
    pub raw: vk::Queue,
    pub family: u32,
    index: u32,
    /// Guards the queue, which Vulkan requires, and the objects that its submissions keep alive.
    in_flight: Mutex<InFlight>,
}

impl VulkanQueue {
    pub(super) fn lock(&self) -> MutexGuard<'_, InFlight> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All queues of a device.
pub(super) struct Queues {
    device: Arc<Device>,
    distinct: Vec<VulkanQueue>,
    /// Index into `distinct` per class.
    of_class: [usize; 4],
}

impl Queues {
    pub(super) fn new(device: &Arc<Device>, places: &QueueIndices) -> Result<Queues, GpuError> {
        let mut distinct: Vec<VulkanQueue> = Vec::new();
        let mut of_class = [0; 4];
        for (class, &(family, index)) in places.iter().enumerate() {
            let known = distinct
                .iter()
                .position(|queue| (queue.family, queue.index) == (family, index));
            of_class[class] = match known {
                Some(known) => known,
                None => {
                    // SAFETY: the device was created with this family and at least `index + 1` queues of it.
                    let raw = unsafe { device.raw.get_device_queue(family, index) };
                    let name = format!("queue {family}.{index}");
                    device.name(raw, &name);
                    let submissions = Timeline::new(device, &format!("submissions of {name}"))?;
                    let binds = Timeline::new(device, &format!("binds of {name}"))?;
                    distinct.push(VulkanQueue {
                        raw,
                        family,
                        index,
                        in_flight: Mutex::new(InFlight::new(submissions, binds)),
                    });
                    distinct.len() - 1
                }
            };
        }
        Ok(Queues {
            device: Arc::clone(device),
            distinct,
            of_class,
        })
    }

    pub(super) fn get(&self, queue: Queue) -> &VulkanQueue {
        &self.distinct[self.of_class[queue as usize]]
    }

    #[cfg(feature = "internals")]
    pub(super) fn same(&self, a: Queue, b: Queue) -> bool {
        self.of_class[a as usize] == self.of_class[b as usize]
    }

    /// Waits until every queue is idle.
    #[cfg(feature = "internals")]
    pub(super) fn wait_idle(&self) -> Result<(), GpuError> {
        // Nobody may submit to any queue while the device waits for all of them.
        let mut in_flight: Vec<_> = self.distinct.iter().map(VulkanQueue::lock).collect();
        self.device.wait_idle()?;
        in_flight.iter_mut().for_each(|in_flight| in_flight.release_all());
        Ok(())
    }

    /// Releases the objects that finished submissions kept alive.
    pub(super) fn release_finished(&self) {
        for queue in &self.distinct {
            queue.lock().release_finished();
        }
    }

    #[cfg(feature = "internals")]
    pub(super) fn summary(&self) -> String {
        let describe = |class: &Queue| {
            let queue = self.get(*class);
            format!("{class:?} on family {} queue {}", queue.family, queue.index)
        };
        Queue::ALL.iter().map(describe).collect::<Vec<_>>().join(", ")
    }
}

impl Drop for Queues {
    /// The objects of unfinished submissions are dropped after this.
    fn drop(&mut self) {
        let in_flight = self.distinct.iter_mut();
        let mut in_flight: Vec<&mut InFlight> = in_flight
            .map(|queue| queue.in_flight.get_mut().unwrap_or_else(PoisonError::into_inner))
            .collect();
        drain(&mut in_flight);
        // The counters are reached; this also waits until the driver has released the submissions. A lost device
        // refuses, and has nothing in flight.
        let _ = self.device.wait_idle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(index: u32, queues: u32, abilities: &str) -> QueueFamily {
        let has = |letter| abilities.contains(letter);
        QueueFamily {
            index,
            queues,
            graphics: has('g'),
            compute: has('c'),
            transfer: true,
            sparse_binding: has('s'),
            other: has('v'),
            timestamp_bits: 64,
        }
    }

    #[test]
    fn queue_classes_prefer_dedicated_families() {
        let h200 = [
            family(0, 16, "gcs"),
            family(1, 2, "s"),
            family(2, 8, "cs"),
            family(3, 1, "sv"),
            family(4, 1, "sv"),
        ];
        assert_eq!(choose(&h200, false), [(0, 0), (2, 0), (1, 0), (1, 1)]);
        assert_eq!(choose(&h200, true), [(0, 0); 4]);
    }

    #[test]
    fn video_family_transfers_only_as_last_resort() {
        assert_eq!(
            choose(&[family(0, 1, "gc"), family(1, 1, "v"), family(2, 1, "")], false)[2],
            (2, 0)
        );
        assert_eq!(
            choose(&[family(0, 1, "gc"), family(1, 1, "v")], false),
            [(0, 0), (0, 0), (1, 0), (0, 0)]
        );
    }

    #[test]
    fn queues_of_one_family_are_distributed_until_exhausted() {
        assert_eq!(choose(&[family(0, 1, "gc")], false), [(0, 0); 4]);
        assert_eq!(
            choose(&[family(0, 2, "gc")], false),
            [(0, 0), (0, 1), (0, 1), (0, 0)]
        );
        assert_eq!(
            choose(&[family(0, 3, "gc")], false),
            [(0, 0), (0, 1), (0, 2), (0, 0)]
        );
        assert_eq!(
            choose(&[family(0, 2, "gc"), family(1, 1, "c")], false),
            [(0, 0), (1, 0), (0, 1), (0, 0)]
        );
    }

    #[test]
    fn compute_only_device_is_sufficient() {
        assert_eq!(
            choose(&[family(0, 1, ""), family(1, 4, "c")], false),
            [(1, 0), (1, 1), (0, 0), (1, 0)]
        );
    }

    fn sparse_place(families: &[QueueFamily]) -> (u32, u32) {
        choose(families, false)[3]
    }

    #[test]
    fn sparse_binding_takes_a_free_queue_else_shares_one() {
        let only_binds = [family(0, 4, "gcs"), family(1, 1, "s"), family(2, 1, "sv")];
        assert_eq!(sparse_place(&only_binds), (2, 0), "Transfer has the first");
        assert_eq!(sparse_place(&[family(0, 4, "gcs")]), (0, 3));
        assert_eq!(sparse_place(&[family(0, 4, "gcs"), family(1, 2, "cs")]), (0, 1));
        assert_eq!(sparse_place(&[family(0, 1, "gcs")]), (0, 0));
        assert_eq!(sparse_place(&[family(0, 3, "gc"), family(1, 2, "cs")]), (1, 1));
    }

    #[test]
    fn sparse_binding_shares_the_queue_of_any_class_that_can_bind() {
        assert_eq!(sparse_place(&[family(0, 1, "gc"), family(1, 1, "s")]), (1, 0));
        assert_eq!(sparse_place(&[family(0, 1, "gc"), family(1, 1, "cs")]), (1, 0));
        let none = [family(0, 8, "gc"), family(1, 2, "")];
        assert_eq!(sparse_place(&none), (0, 0), "nothing binds: Compute's");
        let elsewhere = [family(0, 1, "gc"), family(1, 1, "s")];
        assert_eq!(choose(&elsewhere, true), [(0, 0); 4]);
    }
}
