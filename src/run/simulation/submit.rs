//! Submits passes through the lists: finds the segments that are due and what they wait for, and runs the host's part
//! of sparse-grid updates between them.

use crate::gpu::{Batch, Queue, Recording, Timeline};
use crate::plan::{Lane, List, Part, Ticket};

use super::super::error::RunError;
use super::super::recordings::SegmentSet;
use super::Simulation;

/// The queue of a lane.
fn queue(lane: Lane) -> Queue {
    match lane {
        Lane::Step => Queue::Compute,
        Lane::Frame => Queue::Output,
        Lane::Download => Queue::Transfer,
    }
}

/// A segment on its way to its queue.
struct Queued {
    segment: usize,
    ticket: Ticket,
    /// What binds pages that it needs.
    bound: Option<(Timeline, u64)>,
}

/// Progress of a repeat with `while` whose parts are submitted one by one.
#[derive(Default)]
struct Progress {
    repeat: usize,
    /// The value that the submission of each part signals, and the word with its condition.
    submitted: Vec<(u64, usize)>,
    ended: bool,
}

impl Progress {
    /// The submission to wait for before a part is submitted, and the word to read then. One later part is always in
    /// flight, so that the device does not wait for the host.
    fn awaited(&mut self, part: Part) -> Option<(u64, usize)> {
        if part.number == 0 || part.repeat != self.repeat {
            *self = Progress {
                repeat: part.repeat,
                ..Progress::default()
            };
        }
        let before = part.number.checked_sub(2).filter(|_| !self.ended)?;
        self.submitted.get(before).copied()
    }
}

impl Simulation {
    /// One pass through a list: every segment that is due, in one submission unless an update requires a wait.
    pub(super) fn run_list(
        &mut self,
        list: List,
        lane: Lane,
        steps: u64,
        timed: bool,
    ) -> Result<(), RunError> {
        let turn = if list == List::Frame { self.frames } else { steps };
        let segments = self.prepared.plan.segments(list);
        let due: Vec<usize> = (0..segments.len())
            .filter(|number| segments[*number].is_due(turn))
            .filter(|number| list != List::Frame || segments[*number].is_wanted(self.draws))
            .collect();
        let mut ran = vec![false; segments.len()];
        let mut queued: Vec<Queued> = Vec::new();
        let mut progress = Progress::default();
        for number in due {
            if let Some(part) = self.prepared.plan.segments(list)[number].part {
                if let Some((value, note)) = progress.awaited(part) {
                    self.submit_queued(list, lane, steps, timed, std::mem::take(&mut queued))?;
                    self.wait(lane, value)?;
                    progress.ended |= self.prepared.loops.noted(note)? == 0;
                }
                if progress.ended {
                    continue;
                }
            }
            ran[number] = true;
            let segment = &self.prepared.plan.segments(list)[number];
            let (collects, applies) = (segment.collects, segment.applies);
            let touched = self
                .prepared
                .plan
                .touched(&self.prepared.pipeline, segment, steps);
            let mut bound = None;
            if let Some(grid) = applies {
                // Work that the host and its binds wait for must be submitted first.
                let (collected, applied) = self.prepared.pages.awaited(grid, list == List::Init);
                let awaited =
                    |queued: &Queued| [collected, Some(applied)].contains(&Some(queued.ticket.signal));
                if queued.iter().any(awaited) {
                    self.submit_queued(list, lane, steps, timed, std::mem::take(&mut queued))?;
                }
                self.wait(lane, collected.unwrap_or(0))?;
                let timeline = &self.timelines[lane as usize];
                let at_once = list == List::Init;
                let (host, probe) = (&self.prepared.host, &*self.prepared.probe);
                let update =
                    (self.prepared.pages).update(host, probe, grid, &self.prepared.memory, at_once, timeline);
                bound = match update {
                    Ok(bound) => bound,
                    Err(error) => {
                        // Submits the rest, so that nothing waits for it for ever.
                        self.submit_queued(list, lane, steps, timed, queued)?;
                        return Err(error);
                    }
                };
            }
            let ticket = self.schedule.submit(lane, &touched);
            if let Some(part) = segment.part {
                progress.submitted.push((ticket.signal, part.note));
            }
            if let Some(grid) = collects {
                self.prepared.pages.collected(grid, ticket.signal);
            }
            if let Some(grid) = applies {
                self.prepared.pages.applied(grid, ticket.signal);
            }
            queued.push(Queued {
                segment: number,
                ticket,
                bound,
            });
        }
        self.submit_queued(list, lane, steps, timed, queued)?;
        if timed {
            self.timing.started(list, ran);
            self.timed[lane as usize] = self.schedule.last(lane);
        }
        Ok(())
    }

    /// Submits the frame stages that measure, for the state before the first step. No frame is counted.
    pub fn measure(&mut self) -> Result<(), RunError> {
        let segments = &self.prepared.plan.frame;
        let measuring = (0..segments.len()).filter(|number| segments[*number].measures);
        let queued = measuring.map(|segment| Queued {
            segment,
            ticket: (self.schedule).submit(
                Lane::Frame,
                &self
                    .prepared
                    .plan
                    .touched(&self.prepared.pipeline, &segments[segment], self.steps),
            ),
            bound: None,
        });
        let queued = queued.collect();
        self.submit_queued(List::Frame, Lane::Frame, self.steps, false, queued)
    }

    fn submit_queued(
        &self,
        list: List,
        lane: Lane,
        steps: u64,
        timed: bool,
        queued: Vec<Queued>,
    ) -> Result<(), RunError> {
        let slot = (steps % u64::from(self.prepared.pipeline.slots())) as u32;
        let set: &SegmentSet = self.recordings.of(list, slot, timed);
        // A segment that waits for nothing new joins the batch before it, unless the host waits for the end of that
        // batch.
        let mut batches: Vec<Batch> = Vec::new();
        let mut awaited = false;
        for Queued {
            segment,
            ticket,
            bound,
        } in queued
        {
            let recording = &set.segments[segment];
            let signal = (self.timelines[lane as usize].clone(), ticket.signal);
            match batches.last_mut() {
                Some(batch) if ticket.waits.is_empty() && bound.is_none() && !awaited => {
                    batch.recordings.push(recording);
                    batch.signals = vec![signal];
                }
                _ => {
                    let mut batch = self.batch(lane, &ticket.waits, vec![recording], ticket.signal);
                    batch.waits.extend(bound);
                    batches.push(batch);
                }
            }
            let of_plan = &self.prepared.plan.segments(list)[segment];
            awaited = of_plan.collects.is_some() || of_plan.part.is_some();
        }
        let name = match list {
            List::Init => "init".to_string(),
            List::Step => format!("step {}", steps + 1),
            List::Frame if steps == 0 => "start".to_string(),
            List::Frame => format!("frame {}", self.frames + 1),
        };
        self.submit(lane, &name, batches)
    }

    /// The way of every submission to its queue.
    pub(super) fn submit(&self, lane: Lane, name: &str, batches: Vec<Batch>) -> Result<(), RunError> {
        match &self.trace {
            Some(trace) => trace.submit(&self.prepared.host.gpu, lane, queue(lane), name, batches)?,
            None => self.prepared.host.gpu.submit(queue(lane), &batches)?,
        }
        Ok(())
    }

    /// A frame that is not drawn still counts.
    pub(super) fn run_clock_only(&mut self) -> Result<(), RunError> {
        let touched = self.prepared.plan.touched_by_clock(List::Frame);
        let ticket = self.schedule.submit(Lane::Frame, &touched);
        let batch = self.batch(
            Lane::Frame,
            &ticket.waits,
            vec![&self.recordings.frame_clock],
            ticket.signal,
        );
        self.submit(Lane::Frame, "frame clock", vec![batch])
    }

    pub(super) fn batch<'a>(
        &self,
        lane: Lane,
        waits: &[(Lane, u64)],
        recordings: Vec<&'a Recording>,
        signal: u64,
    ) -> Batch<'a> {
        let dropped = self.prepared.probe.drops_waits(lane);
        let waits = waits.iter().filter(|_| !dropped);
        Batch {
            waits: waits
                .map(|(lane, value)| (self.timelines[*lane as usize].clone(), *value))
                .collect(),
            recordings,
            signals: vec![(self.timelines[lane as usize].clone(), signal)],
        }
    }
}
