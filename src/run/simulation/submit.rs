//! Submits passes through the lists: finds the segments that are due and what they wait for, and runs the host's part
//! of sparse-grid updates between them.

use crate::gpu::{Batch, Queue, Recording, Timeline};
use crate::plan::{Command, Lane, List, Touched, Want};

use super::super::error::RunError;
use super::super::exchange::Signalled;
use super::super::prepared::Prepared;
use super::super::recordings::SegmentSet;
use super::Simulation;
use super::pass::{ListPass, Portion, Queued, Work};

/// The queue of a lane.
fn queue(lane: Lane) -> Queue {
    match lane {
        Lane::Step => Queue::Compute,
        Lane::Frame => Queue::Output,
        Lane::Download => Queue::Transfer,
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
        let due = self.due_segments(list, steps);
        let ran = self.run_segments(ListPass::new(list, lane, steps, timed), due)?;
        if timed {
            self.timing.started(list, ran);
            self.timed[lane as usize] = self.schedule.last(lane);
        }
        Ok(())
    }

    /// One run of a group between two steps, by its number among the calls of the pipeline. Waits for it.
    pub fn call(&mut self, call: usize) -> Result<(), RunError> {
        self.alone_for("calls between steps")?;
        // It continues the step before it; before the first step, the one that would precede it.
        let phases = u64::from(self.prepared.pipeline.phases());
        let steps = self.steps.checked_sub(1).unwrap_or(phases - 1);
        let segments = self.prepared.plan.segments(List::Step).iter().enumerate();
        let of_call = segments.filter(|(_, segment)| segment.call == Some(call));
        let due = of_call.map(|(number, _)| number).collect();
        // The barriers of the list assume that each of its segments runs once, in its order.
        self.prepared.host.run_once("before a call", |_| Ok(()))?;
        self.run_segments(ListPass::new(List::Step, Lane::Step, steps, false), due)?;
        self.prepared.host.run_once("after a call", |_| Ok(()))?;
        self.finish()
    }

    /// Submits segments of a pass in order; true for those that ran.
    fn run_segments(&mut self, mut pass: ListPass, due: Vec<usize>) -> Result<Vec<bool>, RunError> {
        let mut ran = vec![false; self.prepared.plan.segments(pass.list).len()];
        for number in due {
            if self.has_ended(&mut pass, number)? {
                continue;
            }
            ran[number] = true;
            let portion = self.exchange_before(&mut pass, number)?;
            let bound = self.update_grid(&mut pass, number)?;
            self.queue_segment(&mut pass, number, portion, bound);
            if self.has_signals() && pass.queued.len() >= pass.flush_at {
                pass.flush_at *= 2;
                self.submit_queued(&mut pass)?;
            }
            if self.prepared.plan.segments(pass.list)[number].completes.is_some() {
                self.submit_queued(&mut pass)?;
                self.follow_change(&mut pass, number)?;
            }
        }
        self.submit_queued(&mut pass)?;
        Ok(ran)
    }

    /// The segments of a list that take part in its next pass.
    fn due_segments(&self, list: List, steps: u64) -> Vec<usize> {
        let pass = if list == List::Frame { self.frames } else { steps };
        let segments = self.prepared.plan.segments(list);
        (0..segments.len())
            .filter(|number| segments[*number].is_due(pass))
            .filter(|number| list != List::Frame || segments[*number].is_wanted(self.draws))
            .collect()
    }

    /// Exchanges the halos that a segment needs with other ranks. If it can be divided, its interior runs meanwhile. Returns
    /// the portion that is still to be queued.
    fn exchange_before(&mut self, pass: &mut ListPass, number: usize) -> Result<Portion, RunError> {
        self.zero_shares(pass, number)?;
        let wants = self.wanted(pass.list, number, pass.steps);
        let mut portion = Portion::Whole;
        let is_divided =
            self.prepared.plan.segments(pass.list)[number].split.is_some() && wants.iter().all(Want::is_halo);
        if !wants.is_empty()
            && let Some(signalled) = self.signals_before(pass, &wants)?
        {
            if let Some(Signalled { pack, unpack }) = signalled {
                let copies = || wants.iter().map(|want| want.at).collect();
                self.queue_alone(pass, pack, &Touched::reads(copies()))?;
                if is_divided {
                    self.queue_segment(pass, number, Portion::First, None);
                    portion = Portion::Rest;
                }
                self.queue_alone(pass, unpack, &Touched::writes(copies()))?;
            }
        } else if !wants.is_empty() {
            self.submit_queued(pass)?;
            let what = self.before(pass, number);
            let begun = self.begin_exchange(wants, None)?;
            if is_divided {
                self.queue_segment(pass, number, Portion::First, None);
                self.submit_queued(pass)?;
                portion = Portion::Rest;
            }
            if let Some(begun) = begun {
                self.finish_exchange(begun, &what)?;
            }
        }
        self.left(pass.list, number, pass.steps);
        Ok(portion)
    }

    /// The recordings of an exchange in which devices wait for each other; `None` if the host must wait.
    fn signals_before(
        &mut self,
        pass: &mut ListPass,
        wants: &[Want],
    ) -> Result<Option<Option<Signalled>>, RunError> {
        if !self.may_signal(wants)? {
            return Ok(None);
        }
        if !self.knows_signals(wants) {
            self.submit_queued(pass)?;
        }
        self.signals(wants)
    }

    /// Queues a recording that is no segment.
    pub(super) fn queue_alone(
        &mut self,
        pass: &mut ListPass,
        recording: Recording,
        touched: &Touched,
    ) -> Result<(), RunError> {
        if pass.lane != Lane::Step {
            self.submit_queued(pass)?;
            return self.submit_alone(&recording, touched).map(|_| ());
        }
        let ticket = self.schedule.submit(Lane::Step, touched);
        pass.queued.push(Queued {
            work: Work::Alone(recording),
            ticket,
            bound: None,
        });
        Ok(())
    }

    /// The exchange before a segment, for messages.
    fn before(&self, pass: &ListPass, number: usize) -> String {
        let (plan, pipeline) = (&self.prepared.plan, &self.prepared.pipeline);
        let entries = pass.list.entries(pipeline);
        let mut commands = plan.segments(pass.list)[number].commands.iter();
        let stage = commands.find_map(|command| match command {
            Command::Dispatch { invocation, .. } => Some(&pipeline.stages[entries[*invocation].stage].name),
            _ => None,
        });
        let name = stage.map_or("", |name| name);
        match pass.list {
            List::Init => format!("before `{name}` of `init`"),
            List::Step => format!("before `{name}` of step {}", pass.steps + 1),
            List::Frame => format!("before `{name}` after step {}", pass.steps),
        }
    }

    /// Updates the sparse grid whose decision a segment applies. Returns the bind that the segment must wait for.
    fn update_grid(
        &mut self,
        pass: &mut ListPass,
        number: usize,
    ) -> Result<Option<(Timeline, u64)>, RunError> {
        let Some(grid) = self.prepared.plan.segments(pass.list)[number].applies else {
            return Ok(None);
        };
        let at_once = pass.list == List::Init;
        // Work that the host and its binds wait for must be submitted first.
        let (collected, applied) = self.prepared.pages.awaited(grid, at_once);
        let is_awaited = |queued: &Queued| [collected, Some(applied)].contains(&Some(queued.ticket.signal));
        if pass.queued.iter().any(is_awaited) {
            self.submit_queued(pass)?;
        }
        self.wait(pass.lane, collected.unwrap_or(0))?;
        let unite = self.unite(grid);
        let Prepared {
            host,
            probe,
            pages,
            memory,
            ..
        } = &mut self.prepared;
        let timeline = &self.timelines[pass.lane as usize];
        let bound = pages.update(host, &**probe, grid, memory, at_once, (timeline, &unite));
        if bound.is_err() {
            // Submits the rest, because other submissions may wait for it.
            self.submit_queued(pass)?;
        }
        if let Some((name, blocks)) = self.prepared.pages.take_first_drop(grid) {
            let when = match pass.list {
                List::Init => "`init`".to_string(),
                _ => format!("step {}", pass.steps + 1),
            };
            self.warnings.push(format!(
                "the update in {when} dropped {blocks} of the blocks of grid `{name}` that stages request: its budget is \
                 full. Later updates may drop more without a warning; raise `sparse.budget`, or request fewer blocks"
            ));
        }
        bound
    }

    /// Queues a segment for the next submission.
    pub(super) fn queue_segment(
        &mut self,
        pass: &mut ListPass,
        number: usize,
        portion: Portion,
        bound: Option<(Timeline, u64)>,
    ) {
        let Prepared {
            pipeline,
            plan,
            pages,
            ..
        } = &mut self.prepared;
        let segment = &plan.segments(pass.list)[number];
        let touched = plan.touched(pipeline, segment, pass.steps);
        let ticket = self.schedule.submit(pass.lane, &touched);
        if portion != Portion::First {
            if let Some(part) = segment.part.filter(|_| segment.ends_part()) {
                pass.progress.submitted.push((ticket.signal, part.note));
            }
            if let Some(grid) = segment.collects {
                pages.collected(grid, ticket.signal);
            }
            if let Some(grid) = segment.applies {
                pages.applied(grid, ticket.signal);
            }
        }
        pass.queued.push(Queued {
            work: Work::Segment(number, portion),
            ticket,
            bound,
        });
    }

    /// Submits the frame stages that measure, for the state before the first step. No frame is counted.
    pub fn measure(&mut self) -> Result<(), RunError> {
        let mut pass = ListPass::new(List::Frame, Lane::Frame, self.steps, false);
        for number in 0..self.prepared.plan.frame.len() {
            if self.prepared.plan.frame[number].measures {
                let portion = self.exchange_before(&mut pass, number)?;
                self.queue_segment(&mut pass, number, portion, None);
            }
        }
        self.submit_queued(&mut pass)
    }

    /// Submits what is queued of a pass.
    pub(super) fn submit_queued(&self, pass: &mut ListPass) -> Result<(), RunError> {
        let (list, lane, steps) = (pass.list, pass.lane, pass.steps);
        let phase = (steps % u64::from(self.prepared.pipeline.phases())) as u32;
        let set: &SegmentSet = self.recordings.of(list, phase, pass.timed);
        // A segment that waits for nothing new joins the batch before it, unless the host waits for the end of that
        // batch.
        let mut batches: Vec<Batch> = Vec::new();
        let mut awaited = false;
        let queued = std::mem::take(&mut pass.queued);
        for Queued { work, ticket, bound } in &queued {
            let recordings: Vec<&Recording> = match work {
                Work::Segment(segment, portion) => {
                    let recorded = &set.segments[*segment];
                    let recordings = match portion {
                        Portion::Whole => [Some(&recorded.first), recorded.rest.as_ref()],
                        Portion::First => [Some(&recorded.first), None],
                        Portion::Rest => [recorded.rest.as_ref(), None],
                    };
                    recordings.into_iter().flatten().collect()
                }
                Work::Alone(recording) => vec![recording],
            };
            let signal = (self.timelines[lane as usize].clone(), ticket.signal);
            match batches.last_mut() {
                Some(batch) if ticket.waits.is_empty() && bound.is_none() && !awaited => {
                    batch.recordings.extend(recordings);
                    batch.signals = vec![signal];
                }
                _ => {
                    let mut batch = self.batch(lane, &ticket.waits, recordings, ticket.signal);
                    batch.waits.extend(bound.clone());
                    batches.push(batch);
                }
            }
            awaited = match work {
                Work::Segment(segment, _) => {
                    let of_plan = &self.prepared.plan.segments(list)[*segment];
                    of_plan.collects.is_some() || of_plan.ends_part()
                }
                Work::Alone(_) => false,
            };
        }
        let name = match list {
            List::Init => "init".to_string(),
            List::Step => format!("step {}", steps + 1),
            List::Frame if steps == 0 => "start".to_string(),
            List::Frame => format!("frame {}", self.frames + 1),
        };
        self.submit(lane, &name, batches)
    }

    /// Submits batches to the queue of a lane, with timestamps if the run is traced. `name` is that of segments in the trace.
    pub(super) fn submit(&self, lane: Lane, name: &str, mut batches: Vec<Batch>) -> Result<(), RunError> {
        if let (Some(sharing), Some(first)) = (&self.sharing, batches.first_mut()) {
            first.waits.extend(sharing.waits(lane)?);
        }
        match &self.trace {
            Some(trace) => trace.submit(&self.prepared.host.gpu, lane, queue(lane), name, batches)?,
            None => self.prepared.host.gpu.submit(queue(lane), &batches)?,
        }
        Ok(())
    }

    /// Advances the frame clock for a frame that is neither drawn nor measured.
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
