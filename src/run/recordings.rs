//! Segments as command buffers, recorded once per phase of the rings, with and without timestamps.

mod segment;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::gpu::{Access, Buffer, GpuError, Queue, Recording, Timestamps};
use crate::ir::FieldId;
use crate::plan::{List, Segment};

use super::error::RunError;
use super::prepared::Prepared;
use segment::{Portion, SegmentRecorder, Source, dispatches};

#[cfg(feature = "internals")]
pub(super) use segment::dispatch_groups;

/// Part of the names of recorded segments.
const SEGMENT: &str = " segment ";

/// True for a segment, or a portion of one.
pub fn is_segment(recording: &Recording) -> bool {
    recording.name().contains(SEGMENT)
}

/// The segments of a list for one phase.
pub struct SegmentSet {
    pub segments: Vec<Recorded>,
}

/// A recorded segment.
pub struct Recorded {
    /// All of it, or as far as the interior of the dispatch that is divided.
    pub first: Recording,
    /// The border of the divided dispatch, and the commands after it.
    pub rest: Option<Recording>,
}

pub struct Recordings {
    init: SegmentSet,
    /// By phase: plain, timed.
    step: Vec<[SegmentSet; 2]>,
    frame: Vec<[SegmentSet; 2]>,
    pub frame_clock: Recording,
    /// Timestamps by segment, two per dispatch and two around the wait in a divided one, shared by the phases.
    pub step_times: Vec<Timestamps>,
    pub frame_times: Vec<Timestamps>,
    /// Dispatches by segment.
    step_dispatches: Vec<usize>,
    frame_dispatches: Vec<usize>,
    /// The dispatch of each segment of the step list that is divided.
    divided: Vec<Option<usize>>,
    /// By field, copy and address of the staging buffer.
    downloads: HashMap<(FieldId, u32, u64), Recording>,
}

impl Recordings {
    pub fn new(prepared: &Prepared) -> Result<Recordings, RunError> {
        let (gpu, plan) = (&prepared.host.gpu, &prepared.plan);
        let times = |segments: &[Segment]| -> Result<Vec<Timestamps>, GpuError> {
            segments
                .iter()
                .map(|segment| gpu.timestamps(segment::timestamps(segment)))
                .collect()
        };
        let step_times = times(&plan.step)?;
        let frame_times = times(&plan.frame)?;
        let phases = prepared.pipeline.phases();
        let per_phase = |segments: &[Segment], times: &[Timestamps]| {
            (0..phases)
                .map(|phase| {
                    Ok([
                        record(prepared, segments, phase, None)?,
                        record(prepared, segments, phase, Some(times))?,
                    ])
                })
                .collect::<Result<Vec<_>, GpuError>>()
        };
        let frame_clock = gpu.record("frame clock", Queue::Output, |recorder| {
            recorder.full_barrier();
            let address = prepared.arguments.of_clock(List::Frame);
            recorder.dispatch(
                &prepared.programs.advance_clock,
                address,
                prepared.stacked([1, 1, 1]),
            )
        })?;
        Ok(Recordings {
            init: record(prepared, &plan.init, 0, None)?,
            step: per_phase(&plan.step, &step_times)?,
            frame: per_phase(&plan.frame, &frame_times)?,
            frame_clock,
            step_times,
            frame_times,
            step_dispatches: count(&plan.step),
            frame_dispatches: count(&plan.frame),
            divided: plan.step.iter().map(segment::divided).collect(),
            downloads: HashMap::new(),
        })
    }

    pub fn of(&self, list: List, phase: u32, timed: bool) -> &SegmentSet {
        match list {
            List::Init => &self.init,
            List::Step => &self.step[phase as usize][usize::from(timed)],
            List::Frame => &self.frame[phase as usize][usize::from(timed)],
        }
    }

    /// Number of dispatches of each segment of a list.
    pub fn dispatched(&self, list: List) -> &[usize] {
        if list == List::Frame {
            &self.frame_dispatches
        } else {
            &self.step_dispatches
        }
    }

    /// The dispatch of a segment that is divided into interior and border. The two last timestamps of the segment are around the
    /// wait for messages between them.
    pub fn divided(&self, list: List, segment: usize) -> Option<usize> {
        let divided = self.divided.get(segment).copied().flatten();
        divided.filter(|_| list == List::Step)
    }

    /// Records the download of a field into a staging buffer, unless it is recorded already: from a world on, as many bytes as
    /// the buffer has.
    pub fn record_download(
        &mut self,
        prepared: &Prepared,
        (field, copy): (FieldId, u32),
        world: usize,
        staging: &Buffer,
    ) -> Result<(), RunError> {
        if let Entry::Vacant(place) = self.downloads.entry((field, copy, staging.address())) {
            let source = prepared.memory.field(field, copy);
            let first = prepared.pipeline.world_bytes(field) * world as u64;
            let name = format!("download {}", source.name());
            place.insert(prepared.host.gpu.record(&name, Queue::Transfer, |recorder| {
                recorder.copy(source, first, staging, 0, staging.size())?;
                recorder.barrier(&[Access::TransferWrite], &[Access::HostRead])
            })?);
        }
        Ok(())
    }

    /// The recorded download of a field into a staging buffer.
    pub fn download(&self, field: FieldId, copy: u32, staging: &Buffer) -> Option<&Recording> {
        self.downloads.get(&(field, copy, staging.address()))
    }

    /// Frees the recorded downloads to a buffer that will not be used again.
    pub fn forget_downloads(&mut self, staging: &Buffer) {
        self.downloads
            .retain(|(_, _, address), _| *address != staging.address());
    }
}

/// Number of dispatches of each segment.
fn count(segments: &[Segment]) -> Vec<usize> {
    let each = segments.iter();
    each.map(|segment| dispatches(&segment.commands)).collect()
}

/// Records the segments of a list for one phase.
fn record(
    prepared: &Prepared,
    segments: &[Segment],
    phase: u32,
    times: Option<&[Timestamps]>,
) -> Result<SegmentSet, GpuError> {
    let mut barriers = 0;
    let mut recorded = Vec::with_capacity(segments.len());
    for (number, segment) in segments.iter().enumerate() {
        let queue = match segment.list {
            List::Init | List::Step => Queue::Compute,
            List::Frame => Queue::Output,
        };
        let source = Source {
            prepared,
            segment,
            number,
            phase,
            times: times.map(|times| &times[number]),
        };
        let mut portion = |portion: Portion| {
            let name = format!("{}{SEGMENT}{number} phase {phase}", segment.list.key());
            prepared.host.gpu.record(&name, queue, |recorder| {
                SegmentRecorder::new(source, portion, recorder, &mut barriers).record()
            })
        };
        recorded.push(Recorded {
            first: portion(Portion::First)?,
            rest: match segment.split {
                Some(_) => Some(portion(Portion::Rest)?),
                None => None,
            },
        });
    }
    Ok(SegmentSet { segments: recorded })
}
