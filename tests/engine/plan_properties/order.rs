//! The order of accesses in a run of a plan, and the plan without a barrier.

use std::collections::HashMap;

use sastrugi::ir::Pipeline;
use sastrugi::plan::{Access, Barrier, Command, List, Plan, Segment, When};

/// One command of a run, as far as order goes.
#[derive(Debug, Clone)]
pub enum Event {
    Barrier(Barrier),
    /// The accesses of a command: item, copy and kind. Reads come first.
    Touch(Vec<((usize, u32), Access)>),
}

/// Fields as a whole, as in plans, or copy by copy, as in memory.
#[derive(Clone, Copy, PartialEq)]
pub enum Grain {
    Fields,
    Copies,
}

/// The commands of `turns` turns of a list. `runs` says whether a segment takes part in a turn.
pub fn run(
    pipeline: &Pipeline,
    plan: &Plan,
    list: List,
    turns: u64,
    grain: Grain,
    runs: impl Fn(u64, usize, &Segment) -> bool,
) -> Vec<Event> {
    let [clock, counts, notes] = [0, 1, 2].map(|number| (pipeline.fields.len() + number, 0));
    let mut events = Vec::new();
    for turn in 0..turns {
        for (number, segment) in plan.segments(list).iter().enumerate() {
            if !runs(turn, number, segment) {
                continue;
            }
            events.extend(segment.commands.iter().map(|command| {
                let copy = |entry: usize, field: usize, written: bool| match grain {
                    Grain::Fields => (pipeline.swaps.family(field), 0),
                    Grain::Copies => {
                        let (read, write) = plan.copies(list, entry, field, turn);
                        (
                            plan.memory(list, entry, field, turn),
                            if written { write } else { read },
                        )
                    }
                };
                let touches = match command {
                    Command::Barrier(barrier) => return Event::Barrier(*barrier),
                    Command::AdvanceClock => vec![(clock, Access::ShaderWrite)],
                    Command::Note(part) => vec![
                        (copy(part.entry, part.condition, false), Access::TransferRead),
                        (notes, Access::TransferWrite),
                    ],
                    Command::Gate(gate) => {
                        let reads = plan.gates[*gate].reads(pipeline, &plan.stage_groups);
                        let reads =
                            reads.map(|(entry, field)| (copy(entry, field, false), Access::ShaderRead));
                        reads.chain([(counts, Access::ShaderWrite)]).collect()
                    }
                    Command::Dispatch { invocation, when, .. } => {
                        let stage = &pipeline.stages[list.entries(pipeline)[*invocation].stage];
                        let copies = |fields: &[usize], written: bool, access: Access| -> Vec<_> {
                            let copies = fields.iter().map(|field| copy(*invocation, *field, written));
                            copies.map(|copy| (copy, access)).collect()
                        };
                        let mut touches = vec![(clock, Access::ShaderRead)];
                        match when {
                            When::Always => {}
                            When::While(field) => {
                                touches.push((copy(*invocation, *field, false), Access::ConditionRead));
                            }
                            When::Gated(_) => touches.push((counts, Access::IndirectRead)),
                        }
                        touches.extend(copies(stage.reads(), false, Access::ShaderRead));
                        touches.extend(copies(stage.writes(), true, Access::ShaderWrite));
                        touches
                    }
                };
                Event::Touch(touches)
            }));
        }
    }
    events
}

/// The first pair of events that must be in order and is not: the later one's number, and what it is about.
///
/// Only neighbours in the history of one copy are looked at: a read against the last write; a write against all
/// reads since the last write, or against that write where nothing reads in between. All other pairs follow from
/// chains of these.
pub fn first_disorder(events: &[Event]) -> Option<(usize, &'static str)> {
    first_disorder_but(events, false)
}

/// Whether a write comes after an earlier access through barriers in between, one after another: the first of them makes
/// what was written available. Memory that is swapped may be written twice with a read of other memory in between.
pub fn follows(events: &[Event], (earlier, before): (usize, Access), number: usize, after: Access) -> bool {
    let mut reached: Vec<Access> = Vec::new();
    for event in &events[earlier..number] {
        let Event::Barrier(barrier) = event else { continue };
        let starts = if before.writes() {
            barrier.before.contains(before)
        } else {
            barrier.before.has_stage(before.stage())
        };
        if starts
            || reached
                .iter()
                .any(|access| barrier.before.has_stage(access.stage()))
        {
            reached.extend(barrier.after.iter());
        }
    }
    reached.iter().any(|access| access.stage() == after.stage())
}

pub fn first_disorder_but(events: &[Event], chains: bool) -> Option<(usize, &'static str)> {
    #[derive(Default, Clone)]
    struct History {
        write: Option<(usize, Access)>,
        reads: Vec<(usize, Access)>,
    }
    let mut histories: HashMap<(usize, u32), History> = HashMap::new();
    // Number of the newest barrier that orders the one kind of access before the other.
    let mut newest: HashMap<(Access, Access), usize> = HashMap::new();
    for (number, event) in events.iter().enumerate() {
        let touches = match event {
            Event::Barrier(barrier) => {
                for (before, after) in Access::ALL.iter().flat_map(|a| Access::ALL.map(|b| (*a, b))) {
                    if barrier.orders(before, after) {
                        newest.insert((before, after), number);
                    }
                }
                continue;
            }
            Event::Touch(touches) => touches,
        };
        let ordered = |(earlier, before): (usize, Access), after: Access| {
            newest
                .get(&(before, after))
                .is_some_and(|barrier| *barrier > earlier)
        };
        for (copy, access) in touches.iter().filter(|(_, access)| !access.writes()) {
            let write = histories.get(copy).and_then(|history| history.write);
            if write.is_some_and(|write| !ordered(write, *access)) {
                return Some((number, "read after write"));
            }
        }
        for (copy, access) in touches.iter().filter(|(_, access)| access.writes()) {
            let Some(history) = histories.get(copy) else {
                continue;
            };
            if (history.reads.iter()).any(|read| !ordered(*read, *access)) {
                return Some((number, "write after read"));
            }
            // The same command's own read does not count: it is no third command in between.
            let write = history.write.filter(|_| history.reads.is_empty());
            let follows = |write| chains && follows(events, write, number, *access);
            if write.is_some_and(|write| !ordered(write, *access) && !follows(write)) {
                return Some((number, "write after write"));
            }
        }
        for (copy, access) in touches.iter().filter(|(_, access)| !access.writes()) {
            histories.entry(*copy).or_default().reads.push((number, *access));
        }
        for (copy, access) in touches.iter().filter(|(_, access)| access.writes()) {
            *histories.entry(*copy).or_default() = History {
                write: Some((number, *access)),
                reads: Vec::new(),
            };
        }
    }
    None
}

/// The plan with one barrier taken out: each in turn.
pub fn without_each_barrier(plan: &Plan, list: List) -> impl Iterator<Item = Plan> {
    let places: Vec<(usize, usize)> = (plan.segments(list).iter().enumerate())
        .flat_map(|(segment, commands)| {
            let barriers = (commands.commands.iter().enumerate())
                .filter(|(_, command)| matches!(command, Command::Barrier(_)));
            barriers.map(move |(command, _)| (segment, command))
        })
        .collect();
    places.into_iter().map(move |(segment, command)| {
        let mut plan = plan.clone();
        let segments = match list {
            List::Init => &mut plan.init,
            List::Step => &mut plan.step,
            List::Frame => &mut plan.frame,
        };
        segments[segment].commands.remove(command);
        plan
    })
}
