//! Places barriers from declared accesses alone.
//!
//! Kernels access all data by device address, so barriers are global memory barriers, and a good list has few of them.
//! A command needs a barrier only if it accesses an item that another command accessed since the last barrier, and at
//! least one of the two writes. Commands between two barriers overlap.

use std::collections::HashMap;

use crate::access::{Access, AccessSet};

/// An item that commands access: a field or a clock.
pub type Item = usize;

/// The accesses of one command.
pub type Accesses = Vec<(Item, Access)>;

/// Orders all earlier `before` accesses ahead of all later `after` accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Barrier {
    pub before: AccessSet,
    pub after: AccessSet,
}

impl Barrier {
    /// Returns true if an earlier access is ordered before a later one. After a read, an execution dependency is enough; a write must also
    /// become visible to the later type of access.
    pub fn orders(self, earlier: Access, later: Access) -> bool {
        if earlier.writes() {
            self.before.contains(earlier) && self.after.contains(later)
        } else {
            self.before.has_stage(earlier.stage()) && self.after.has_stage(later.stage())
        }
    }

    /// The types of later accesses that it orders after an earlier one.
    fn ordered_after(self, earlier: Access) -> AccessSet {
        let mut set = AccessSet::default();
        Access::ALL
            .into_iter()
            .filter(|later| self.orders(earlier, *later))
            .for_each(|later| set.insert(later));
        set
    }
}

/// A barrier and the command that it precedes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedBarrier {
    pub command: usize,
    pub barrier: Barrier,
}

/// An access whose effect may still be in flight, with the later accesses that are ordered after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingAccess {
    pub item: Item,
    pub access: Access,
    pub ordered: AccessSet,
}

#[derive(Default)]
struct History {
    /// Command number (-1 before the list), type of access, and the accesses that initial barriers already order.
    writes: Vec<(isize, Access, AccessSet)>,
    reads: Vec<(isize, Access, AccessSet)>,
}

/// Places barriers in one list of commands that starts with `entry` in flight.
pub fn place(commands: &[Accesses], entry: &[PendingAccess]) -> Vec<PlacedBarrier> {
    walk(commands, entry).0
}

/// The accesses in flight after the list, given its barriers.
pub fn exit(commands: &[Accesses], entry: &[PendingAccess]) -> Vec<PendingAccess> {
    let (placed, histories) = walk(commands, entry);
    in_flight(&placed, histories)
}

fn in_flight(placed: &[PlacedBarrier], histories: HashMap<Item, History>) -> Vec<PendingAccess> {
    let mut pending: Vec<PendingAccess> = Vec::new();
    for (item, history) in histories {
        let ordered = |position: isize, access: Access, ordered: AccessSet| {
            let barriers = later_than(placed, position).map(|placed| placed.barrier.ordered_after(access));
            barriers.fold(ordered, AccessSet::union)
        };
        for (position, access, entry) in &history.writes {
            // A later write that waits for a read of this write also waits for this write.
            let through_reads = (history.reads.iter().filter(|(read, ..)| read > position))
                .map(|(read, kind, entry)| ordered(*read, *kind, *entry).writes());
            let ordered = through_reads.fold(ordered(*position, *access, *entry), AccessSet::union);
            merge(
                &mut pending,
                PendingAccess {
                    item,
                    access: *access,
                    ordered,
                },
            );
        }
        for (position, access, entry) in &history.reads {
            merge(
                &mut pending,
                PendingAccess {
                    item,
                    access: *access,
                    ordered: ordered(*position, *access, *entry),
                },
            );
        }
    }
    pending.sort_by_key(|pending| (pending.item, pending.access));
    pending
}

/// Adds to a set of pending accesses. An access that occurs twice keeps only the order that both have.
pub fn merge(pending: &mut Vec<PendingAccess>, new: PendingAccess) {
    match pending
        .iter_mut()
        .find(|old| old.item == new.item && old.access == new.access)
    {
        Some(old) => old.ordered = old.ordered.intersection(new.ordered),
        None => pending.push(new),
    }
}

fn later_than(placed: &[PlacedBarrier], position: isize) -> impl Iterator<Item = &PlacedBarrier> {
    placed
        .iter()
        .rev()
        .take_while(move |placed| placed.command as isize > position)
}

fn walk(commands: &[Accesses], entry: &[PendingAccess]) -> (Vec<PlacedBarrier>, HashMap<Item, History>) {
    let mut histories = histories_of(entry);
    let mut placed: Vec<PlacedBarrier> = Vec::new();
    for (number, accesses) in commands.iter().enumerate() {
        let unordered = conflicts(&histories, accesses, &placed);
        let last = placed.last().map_or(-1, |placed| placed.command as isize);
        // A conflict with a command after the last barrier needs a new one; others only widen the last one.
        if unordered.iter().any(|(position, ..)| *position >= last) {
            placed.push(PlacedBarrier {
                command: number,
                barrier: Barrier::default(),
            });
        }
        if let Some(newest) = placed.last_mut() {
            for (_, before, after) in unordered {
                newest.barrier.before.insert(before);
                newest.barrier.after.insert(after);
            }
        }
        record(&mut histories, accesses, number as isize);
    }
    (placed, histories)
}

/// The accesses in flight after a list with these barriers, or `None` if a conflict is not ordered.
fn exit_with(
    commands: &[Accesses],
    placed: &[PlacedBarrier],
    entry: &[PendingAccess],
) -> Option<Vec<PendingAccess>> {
    let mut histories = histories_of(entry);
    for (number, accesses) in commands.iter().enumerate() {
        let before = placed.partition_point(|placed| placed.command <= number);
        if !conflicts(&histories, accesses, &placed[..before]).is_empty() {
            return None;
        }
        record(&mut histories, accesses, number as isize);
    }
    Some(in_flight(placed, histories))
}

fn histories_of(entry: &[PendingAccess]) -> HashMap<Item, History> {
    let mut histories: HashMap<Item, History> = HashMap::new();
    for pending in entry {
        let history = histories.entry(pending.item).or_default();
        let list = if pending.access.writes() {
            &mut history.writes
        } else {
            &mut history.reads
        };
        list.push((-1, pending.access, pending.ordered));
    }
    histories
}

/// Earlier accesses that conflict with those of a command and are not ordered before them: position, their type, type
/// of the command's access.
fn conflicts(
    histories: &HashMap<Item, History>,
    accesses: &Accesses,
    placed: &[PlacedBarrier],
) -> Vec<(isize, Access, Access)> {
    let mut found = Vec::new();
    for (item, access) in accesses {
        let Some(history) = histories.get(item) else {
            continue;
        };
        for (position, earlier, ordered) in history.writes.iter().chain(&history.reads) {
            let is_ordered = || {
                // A later write waits for the readers of this write, and so for the write.
                let read_since = earlier.writes() && history.reads.iter().any(|(read, ..)| read > position);
                (access.writes() && read_since)
                    || ordered.contains(*access)
                    || later_than(placed, *position).any(|placed| placed.barrier.orders(*earlier, *access))
            };
            if earlier.conflicts(*access) && !is_ordered() {
                found.push((*position, *earlier, *access));
            }
        }
    }
    found
}

fn record(histories: &mut HashMap<Item, History>, accesses: &Accesses, number: isize) {
    // Later accesses are ordered after a write, and so after everything that the write was ordered after.
    for (item, access) in accesses.iter().filter(|(_, access)| access.writes()) {
        let history = histories.entry(*item).or_default();
        history.reads.clear();
        history.writes = vec![(number, *access, AccessSet::default())];
    }
    for (item, access) in accesses.iter().filter(|(_, access)| !access.writes()) {
        let history = histories.entry(*item).or_default();
        history.reads.retain(|(_, earlier, _)| earlier != access);
        history.reads.push((number, *access, AccessSet::default()));
    }
}

/// The passes in which a segment runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    Always,
    /// In some passes.
    Sometimes,
    /// Runs after everything before it, and before everything after it.
    Isolated,
}

/// Places barriers in segments that run once, one after another.
pub fn place_once(segments: &[(Vec<Accesses>, Runs)]) -> Vec<Vec<PlacedBarrier>> {
    let mut entry = Vec::new();
    let mut placed = Vec::new();
    for (commands, runs) in segments {
        placed.push(place(commands, &entry));
        entry = match runs {
            Runs::Isolated => Vec::new(),
            _ => exit(commands, &entry),
        };
    }
    placed
}

/// Places barriers in segments that run in a cycle, some of them only in some passes.
///
/// The accesses in flight at the start of a segment are the union over all paths to it. A set is sound if it equals
/// that union for the barriers that result from it. The first rounds replace the sets, which leads to few barriers. If
/// they do not converge, later rounds only extend the sets, so the search ends.
pub fn place_cycle(segments: &[(Vec<Accesses>, Runs)]) -> Vec<Vec<PlacedBarrier>> {
    const REPLACING_ROUNDS: usize = 16;
    let mut entries: Vec<Vec<PendingAccess>> = vec![Vec::new(); segments.len()];
    for round in 0.. {
        let exits: Vec<Vec<PendingAccess>> = segments
            .iter()
            .zip(&entries)
            .map(|((commands, _), entry)| exit(commands, entry))
            .collect();
        let arriving = arriving(segments, &exits);
        let next: Vec<Vec<PendingAccess>> = if round < REPLACING_ROUNDS {
            arriving
        } else {
            entries
                .iter()
                .zip(arriving)
                .map(|(entry, new)| union(entry.iter().copied().chain(new)))
                .collect()
        };
        if next == entries {
            break;
        }
        entries = next;
    }
    let placed = (segments.iter().zip(&entries))
        .map(|((commands, _), entry)| place(commands, entry))
        .collect();
    without_redundant(segments, placed)
}

/// Removes barriers that others make redundant. They can remain because segments are processed one by one.
///
/// Only the first barrier of a segment can be redundant: each other one separates two commands of the segment that
/// conflict.
fn without_redundant(
    segments: &[(Vec<Accesses>, Runs)],
    mut placed: Vec<Vec<PlacedBarrier>>,
) -> Vec<Vec<PlacedBarrier>> {
    // Each check goes over the whole cycle a few times; the largest files would take minutes.
    const MAX_COMMANDS_SEARCHED: usize = 4_000_000;
    let commands: usize = segments.iter().map(|(commands, _)| commands.len()).sum();
    if commands * segments.len() > MAX_COMMANDS_SEARCHED {
        return placed;
    }
    for number in 0..segments.len() {
        if placed[number].is_empty() {
            continue;
        }
        let first = placed[number].remove(0);
        if !all_ordered(segments, &placed) {
            placed[number].insert(0, first);
        }
    }
    placed
}

/// Returns true if these barriers order every conflict, for every choice of optional segments.
fn all_ordered(segments: &[(Vec<Accesses>, Runs)], placed: &[Vec<PlacedBarrier>]) -> bool {
    const ROUNDS: usize = 64;
    let mut entries: Vec<Vec<PendingAccess>> = vec![Vec::new(); segments.len()];
    for _ in 0..ROUNDS {
        let exits: Option<Vec<Vec<PendingAccess>>> = (segments.iter().zip(placed).zip(&entries))
            .map(|(((commands, _), placed), entry)| exit_with(commands, placed, entry))
            .collect();
        let Some(exits) = exits else {
            return false;
        };
        let next = arriving(segments, &exits);
        if next == entries {
            return true;
        }
        entries = next;
    }
    false
}

/// The accesses in flight at the start of each segment: from the last segment that always runs, and from optional ones
/// since then.
fn arriving(segments: &[(Vec<Accesses>, Runs)], exits: &[Vec<PendingAccess>]) -> Vec<Vec<PendingAccess>> {
    let count = segments.len();
    let of_segment = |number: usize| {
        let mut predecessors = Vec::new();
        for distance in 1..=count {
            let predecessor = (number + count - distance) % count;
            predecessors.push(predecessor);
            if segments[predecessor].1 != Runs::Sometimes {
                break;
            }
        }
        union(
            predecessors
                .into_iter()
                .filter(|predecessor| segments[*predecessor].1 != Runs::Isolated)
                .flat_map(|predecessor| exits[predecessor].iter().copied()),
        )
    };
    (0..count).map(of_segment).collect()
}

fn union(pendings: impl Iterator<Item = PendingAccess>) -> Vec<PendingAccess> {
    let mut union = Vec::new();
    pendings.for_each(|pending| merge(&mut union, pending));
    union.sort_by_key(|pending| (pending.item, pending.access));
    union
}

#[cfg(test)]
mod tests;
