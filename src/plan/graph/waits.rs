//! The queues that segments wait for.

use super::super::{Lane, List, Plan, Schedule, Touched};
use crate::ir::{FieldId, Pipeline};

/// The queues that segments wait for in the middle of a run: determined by a simulated submission of a few frames.
pub(super) fn steady_waits(pipeline: &Pipeline, plan: &Plan) -> Vec<(List, usize, Lane)> {
    let mut schedule = Schedule::default();
    let mut waits = Vec::new();
    let per_frame = u64::from(pipeline.steps_per_frame.min(64));
    let sorted = |mut fields: Vec<FieldId>| {
        fields.sort_unstable();
        fields.dedup();
        fields
    };
    let outputs = [
        (Lane::Download, sorted(pipeline.gathered_fields().collect())),
        (Lane::Frame, sorted(pipeline.fields_in_parts().collect())),
    ];
    let mut steps = 0;
    for frame in 0..4u64 {
        for _ in 0..per_frame {
            submit(
                pipeline,
                plan,
                &mut schedule,
                (List::Step, Lane::Step),
                steps,
                steps,
                &mut waits,
            );
            steps += 1;
        }
        submit(
            pipeline,
            plan,
            &mut schedule,
            (List::Frame, Lane::Frame),
            steps,
            frame,
            &mut waits,
        );
        for (lane, fields) in &outputs {
            let touched = Touched {
                reads: fields.iter().map(|field| plan.newest(*field, steps)).collect(),
                writes: Vec::new(),
            };
            schedule.submit(*lane, &touched);
        }
    }
    waits.sort_by_key(|(list, segment, lane)| (*list == List::Frame, *segment, *lane));
    waits.dedup();
    waits
}

fn submit(
    pipeline: &Pipeline,
    plan: &Plan,
    schedule: &mut Schedule,
    (list, lane): (List, Lane),
    steps: u64,
    turn: u64,
    waits: &mut Vec<(List, usize, Lane)>,
) {
    for (number, segment) in plan.segments(list).iter().enumerate() {
        if segment.call.is_none() && turn.is_multiple_of(u64::from(segment.every)) {
            let ticket = schedule.submit(lane, &plan.touched(pipeline, segment, steps));
            waits.extend(ticket.waits.iter().map(|(other, _)| (list, number, *other)));
        }
    }
}
