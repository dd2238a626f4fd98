//! Random pipelines of up to 200 stages: the plan keeps every order of reads and writes, and places no barrier
//! that could go.
//!
//! The order is checked on what stages really touch: the copies of rings, in runs of several turns with every-n-th
//! stages left out of some. That no barrier is redundant is shown for lists (`init`) and for cycles (`step`) whose
//! stages all run in every turn, whatever segments the outputs cut them into. Where stages run every n steps, one
//! recording serves turns with and without them, and may hold a barrier that no rhythm needs.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use proptest::prelude::*;
use sastrugi::ir::Pipeline;
use sastrugi::plan::{self, Access, Barrier, Command, List, Plan};
use sastrugi::spec::{self, Document};

const BUFFERS: usize = 6;
const ATTRIBUTES: usize = 3;

#[derive(Debug, Clone)]
struct RandomStage {
    reads: Vec<usize>,
    writes: Vec<usize>,
    every: u32,
}

fn stages(most: usize, most_every: u32) -> impl Strategy<Value = Vec<RandomStage>> {
    let fields = || proptest::collection::vec(0..BUFFERS + ATTRIBUTES, 0..4);
    let every = prop_oneof![6 => Just(1), 1 => 1..=most_every];
    let stage = (fields(), fields(), every).prop_map(|(mut reads, mut writes, every)| {
        for list in [&mut reads, &mut writes] {
            list.sort_unstable();
            list.dedup();
        }
        RandomStage { reads, writes, every }
    });
    proptest::collection::vec(stage, 1..=most)
}

fn field_name(number: usize) -> String {
    match number.checked_sub(BUFFERS) {
        None => format!("b{number}"),
        Some(attribute) => format!("p{attribute}.x"),
    }
}

fn list_text(list: &[RandomStage], prefix: &str) -> String {
    let names = |fields: &[usize]| {
        let quoted: Vec<String> = fields
            .iter()
            .map(|field| format!("\"{}\"", field_name(*field)))
            .collect();
        quoted.join(",")
    };
    let stages: Vec<String> = (list.iter().enumerate())
        .map(|(number, stage)| {
            let (reads, writes) = (names(&stage.reads), names(&stage.writes));
            let every = stage.every;
            format!(
                r#"{{"stage":"{prefix}{number}","over":9,"reads":[{reads}],"writes":[{writes}],"every":{every}}}"#
            )
        })
        .collect();
    stages.join(",\n")
}

/// A pipeline file of buffers and of particle sets with rings of 1 to 3, through the same door as any other.
fn pipeline(init: &[RandomStage], step: &[RandomStage], outputs: &[usize]) -> Pipeline {
    let mut text = String::from("{\"time\":{\"dt\":1},\n\"buffers\":{");
    for number in 0..BUFFERS {
        let comma = if number > 0 { "," } else { "" };
        write!(
            text,
            r#"{comma}"b{number}":{{"type":"float","length":9,"background":1}}"#
        )
        .unwrap();
    }
    text.push_str("},\n\"particles\":{");
    for number in 0..ATTRIBUTES {
        let comma = if number > 0 { "," } else { "" };
        let ring = number + 1;
        let attribute = r#"{"x":{"type":"float","background":1}}"#;
        write!(
            text,
            r#"{comma}"p{number}":{{"count":9,"ring":{ring},"attributes":{attribute}}}"#
        )
        .unwrap();
    }
    let outputs: Vec<String> = (outputs.iter().enumerate())
        .map(|(number, field)| format!(r#""o{number}":{{"source":"{}"}}"#, field_name(*field)))
        .collect();
    write!(
        text,
        "}},\n\"init\":[{}],\n\"step\":[{}],\n\"outputs\":{{{}}}}}",
        list_text(init, "i"),
        list_text(step, "s"),
        outputs.join(",")
    )
    .unwrap();
    let document = Document::parse("random.json", &text, Path::new("")).unwrap();
    spec::from_document("random", &document).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// One command of a run, as far as order goes.
#[derive(Debug, Clone)]
enum Event {
    Barrier(Barrier),
    /// What a dispatch touches: item and copy.
    Touch {
        reads: Vec<(usize, u32)>,
        writes: Vec<(usize, u32)>,
    },
}

/// Whether fields count as a whole, as plans see them, or copy by copy, as they are in memory.
#[derive(Clone, Copy, PartialEq)]
enum Grain {
    Fields,
    Copies,
}

/// The commands of `turns` turns of a list. `runs` says whether a segment takes part in a turn.
fn run(
    pipeline: &Pipeline,
    plan: &Plan,
    list: List,
    turns: u64,
    grain: Grain,
    runs: impl Fn(u64, usize, u32) -> bool,
) -> Vec<Event> {
    let clock = pipeline.fields.len();
    let mut events = Vec::new();
    for turn in 0..turns {
        for (number, segment) in plan.segments(list).iter().enumerate() {
            if !runs(turn, number, segment.every) {
                continue;
            }
            events.extend(segment.commands.iter().map(|command| match command {
                Command::Barrier(barrier) => Event::Barrier(*barrier),
                Command::AdvanceClock => Event::Touch {
                    reads: Vec::new(),
                    writes: vec![(clock, 0)],
                },
                Command::Dispatch { invocation, .. } => {
                    let stage = &pipeline.stages[list.entries(pipeline)[*invocation].stage];
                    let copy = |field: usize, written: bool| match grain {
                        Grain::Fields => (field, 0),
                        Grain::Copies => {
                            let (read, write) = plan.copies(list, *invocation, field, turn);
                            (field, if written { write } else { read })
                        }
                    };
                    let reads = stage.reads().iter().map(|field| copy(*field, false));
                    Event::Touch {
                        reads: reads.chain([(clock, 0)]).collect(),
                        writes: stage.writes().iter().map(|field| copy(*field, true)).collect(),
                    }
                }
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
fn first_disorder(events: &[Event]) -> Option<(usize, &'static str)> {
    #[derive(Default, Clone)]
    struct History {
        write: Option<usize>,
        reads: Vec<usize>,
    }
    let mut histories: HashMap<(usize, u32), History> = HashMap::new();
    // Number of the newest barrier that orders the one kind of access before the other.
    let mut newest: HashMap<(Access, Access), usize> = HashMap::new();
    let kinds = [Access::ShaderRead, Access::ShaderWrite];
    for (number, event) in events.iter().enumerate() {
        let (reads, writes) = match event {
            Event::Barrier(barrier) => {
                for (before, after) in kinds.iter().flat_map(|a| kinds.map(|b| (*a, b))) {
                    if barrier.orders(before, after) {
                        newest.insert((before, after), number);
                    }
                }
                continue;
            }
            Event::Touch { reads, writes } => (reads, writes),
        };
        let ordered = |earlier: usize, before: Access, after: Access| {
            newest
                .get(&(before, after))
                .is_some_and(|barrier| *barrier > earlier)
        };
        for copy in reads {
            let write = histories.get(copy).and_then(|history| history.write);
            if write.is_some_and(|write| !ordered(write, Access::ShaderWrite, Access::ShaderRead)) {
                return Some((number, "read after write"));
            }
        }
        for copy in writes {
            let Some(history) = histories.get(copy) else {
                continue;
            };
            if (history.reads.iter()).any(|read| !ordered(*read, Access::ShaderRead, Access::ShaderWrite)) {
                return Some((number, "write after read"));
            }
            // The same command's own read does not count: it is no third command in between.
            let write = history.write.filter(|_| history.reads.is_empty());
            if write.is_some_and(|write| !ordered(write, Access::ShaderWrite, Access::ShaderWrite)) {
                return Some((number, "write after write"));
            }
        }
        for copy in reads {
            histories.entry(*copy).or_default().reads.push(number);
        }
        for copy in writes {
            *histories.entry(*copy).or_default() = History {
                write: Some(number),
                reads: Vec::new(),
            };
        }
    }
    None
}

/// The plan with one barrier taken out: each in turn.
fn without_each_barrier(plan: &Plan, list: List) -> impl Iterator<Item = Plan> {
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

fn always(_: u64, _: usize, _: u32) -> bool {
    true
}

fn cases() -> u32 {
    std::env::var("SASTRUGI_PLAN_CASES").map_or(200, |cases| cases.parse().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_order_is_kept(
        init in stages(40, 1),
        step in stages(200, 5),
        outputs in proptest::collection::vec(0..BUFFERS + ATTRIBUTES, 0..3),
        chosen in any::<u64>(),
    ) {
        let pipeline = pipeline(&init, &step, &outputs);
        let plan = plan::plan(&pipeline).unwrap();
        for grain in [Grain::Copies, Grain::Fields] {
            prop_assert_eq!(first_disorder(&run(&pipeline, &plan, List::Init, 1, grain, always)), None);
            let as_planned = |turn: u64, _: usize, every: u32| turn.is_multiple_of(u64::from(every));
            prop_assert_eq!(first_disorder(&run(&pipeline, &plan, List::Step, 7, grain, as_planned)), None);
            // Whatever the rhythm: each optional segment in or out at random.
            let at_random = |turn: u64, segment: usize, every: u32| {
                every == 1 || (chosen.rotate_left((turn * 13 + segment as u64) as u32 % 64) & 1) == 1
            };
            prop_assert_eq!(first_disorder(&run(&pipeline, &plan, List::Step, 5, grain, at_random)), None);
        }
    }

    #[test]
    fn no_barrier_of_a_list_is_redundant(init in stages(200, 1)) {
        let pipeline = pipeline(&init, &[], &[]);
        let plan = plan::plan(&pipeline).unwrap();
        for (number, less) in without_each_barrier(&plan, List::Init).enumerate() {
            let events = run(&pipeline, &less, List::Init, 1, Grain::Fields, always);
            prop_assert!(first_disorder(&events).is_some(), "barrier {} of the list is redundant", number);
        }
    }

    #[test]
    fn no_barrier_of_a_cycle_is_redundant(
        step in stages(200, 1),
        outputs in proptest::collection::vec(0..BUFFERS + ATTRIBUTES, 0..3),
    ) {
        let pipeline = pipeline(&[], &step, &outputs);
        let plan = plan::plan(&pipeline).unwrap();
        for (number, less) in without_each_barrier(&plan, List::Step).enumerate() {
            let events = run(&pipeline, &less, List::Step, 3, Grain::Fields, always);
            prop_assert!(first_disorder(&events).is_some(), "barrier {} of the cycle is redundant", number);
        }
    }
}

/// Placed one by one, the segments of this cycle would each bring a barrier that the other's makes needless.
#[test]
fn segments_do_not_each_bring_a_barrier_for_the_same_conflicts() {
    let stage = |field| RandomStage {
        reads: vec![],
        writes: vec![field],
        every: 1,
    };
    let pipeline = pipeline(&[], &[stage(0), stage(6)], &[6]);
    let plan = plan::plan(&pipeline).unwrap();
    let as_planned = run(&pipeline, &plan, List::Step, 3, Grain::Fields, always);
    assert_eq!(first_disorder(&as_planned), None);
    for less in without_each_barrier(&plan, List::Step) {
        let events = run(&pipeline, &less, List::Step, 3, Grain::Fields, always);
        assert!(first_disorder(&events).is_some());
    }
}

#[test]
fn the_order_check_finds_a_missing_barrier_of_each_kind() {
    let stage = |reads: &[usize], writes: &[usize]| RandomStage {
        reads: reads.to_vec(),
        writes: writes.to_vec(),
        every: 1,
    };
    for (first, second, kind) in [
        (stage(&[], &[0]), stage(&[0], &[]), "read after write"),
        (stage(&[0], &[]), stage(&[], &[0]), "write after read"),
        (stage(&[], &[0]), stage(&[], &[0]), "write after write"),
    ] {
        let pipeline = pipeline(&[first, second], &[], &[]);
        let plan = plan::plan(&pipeline).unwrap();
        assert_eq!(
            first_disorder(&run(&pipeline, &plan, List::Init, 1, Grain::Copies, always)),
            None
        );
        let broken: Vec<Plan> = without_each_barrier(&plan, List::Init).collect();
        assert_eq!(broken.len(), 1);
        let events = run(&pipeline, &broken[0], List::Init, 1, Grain::Copies, always);
        assert_eq!(first_disorder(&events), Some((1, kind)));
    }
}
