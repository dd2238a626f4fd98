//! Barriers of the segments of a list.

use super::bare::BareSegment;
use crate::plan::barriers::{self, Barrier, PlacedBarrier};
use crate::plan::{Accesses, Command, List, Runs, Segment};

/// Places barriers in the segments of a list, by segment.
///
/// Barriers before and after each part of a repeat order everything, so the number of parts does not matter: for the
/// segments around them, all parts are a single segment without commands.
pub(super) fn place(list: List, segments: &[BareSegment], some_measure: bool) -> Vec<Vec<PlacedBarrier>> {
    let cycle = cycle(segments, some_measure);
    let around = match list {
        // Runs once, after everything is in place: nothing is in flight before it.
        List::Init => barriers::place_once(&cycle),
        List::Step | List::Frame => barriers::place_cycle(&cycle),
    };
    let mut around = around
        .into_iter()
        .zip(&cycle)
        .filter(|(_, (_, runs))| *runs != Runs::Isolated);
    (segments.iter())
        .map(|segment| match segment.part {
            Some(_) => barriers::place(&segment.accesses(), &[]),
            None => around.next().map(|(placed, _)| placed).unwrap_or_default(),
        })
        .collect()
}

/// The segments of one pass, with all parts of a repeat as one.
fn cycle(segments: &[BareSegment], some_measure: bool) -> Vec<(Vec<Accesses>, Runs)> {
    let mut cycle = Vec::new();
    for (number, segment) in segments.iter().enumerate() {
        let earlier = number.checked_sub(1).and_then(|before| segments[before].part);
        match segment.part {
            None if segment.every > 1 || segment.call.is_some() || some_measure => {
                cycle.push((segment.accesses(), Runs::Sometimes))
            }
            None => cycle.push((segment.accesses(), Runs::Always)),
            Some(part) if earlier.is_some_and(|earlier| earlier.repeat == part.repeat) => {}
            Some(_) => cycle.push((Vec::new(), Runs::Isolated)),
        }
    }
    cycle
}

/// Inserts barriers before the commands that they precede.
pub(super) fn insert(
    list: List,
    segments: Vec<BareSegment>,
    placed: Vec<Vec<PlacedBarrier>>,
) -> Vec<Segment> {
    let all = barrier_for_all(&segments);
    let with_barriers = |(bare, placed): (BareSegment, Vec<PlacedBarrier>)| {
        let mut commands = Vec::with_capacity(bare.commands.len() + placed.len());
        let first_part = bare.part.is_some_and(|part| part.number == 0);
        commands.extend(first_part.then_some(Command::Barrier(all)));
        for (number, (command, _)) in bare.commands.into_iter().enumerate() {
            let barrier = placed.iter().find(|placed| placed.command == number);
            commands.extend(barrier.map(|placed| Command::Barrier(placed.barrier)));
            commands.push(command);
        }
        commands.extend(bare.part.map(|_| Command::Barrier(all)));
        Segment {
            list,
            every: bare.every,
            first: bare.first,
            collects: bare.collects,
            completes: bare.completes,
            applies: bare.applies,
            part: bare.part,
            measures: bare.measures,
            call: bare.call,
            split: None,
            commands,
        }
    };
    segments.into_iter().zip(placed).map(with_barriers).collect()
}

/// A barrier that orders all types of access in the list.
fn barrier_for_all(segments: &[BareSegment]) -> Barrier {
    let accesses = (segments.iter().flat_map(|segment| &segment.commands))
        .flat_map(|(_, accesses)| accesses.iter().map(|(_, access)| *access));
    let mut all = Barrier::default();
    for access in accesses {
        all.before.insert(access);
        all.after.insert(access);
    }
    all
}
