//! The parts of ranks, and their exchanges, as text.

use std::fmt::Write;

use super::super::halos::{Halos, Particles, Want};
use super::super::{List, Plan, Segment};
use super::line;
use super::repeats::repeated;
use crate::ir::{
    Completed, Cut, CutSet, Division, FieldId, Neighbours, Pipeline, ResourceId, Share, StageId, Valid,
    reason,
};

/// Frames that a run is followed for; the last counts.
const FRAMES: u64 = 4;
const LETTERS: [char; 3] = ['x', 'y', 'z'];
/// Steps of a frame that are followed at most.
const MAX_STEPS: u64 = 64;

/// An exchange in a steady frame.
struct Exchange {
    list: List,
    segment: usize,
    wants: Vec<Want>,
    /// The segment sorts particles: their ghosts are exchanged after it.
    after: bool,
    times: u64,
}

/// The parts of a pipeline that is cut, the stages that are not, and the exchanges of a frame in the middle of a run. Empty
/// without a cut.
pub fn ranks(pipeline: &Pipeline, plan: &Plan) -> String {
    let mut text = String::new();
    let Some(cut) = pipeline.cut.as_deref() else {
        return text;
    };
    write_parts(&mut text, pipeline, cut);
    write_memory(&mut text, pipeline);
    write_shares(&mut text, pipeline, cut);
    let (exchanges, outputs) = steady(pipeline, plan);
    for (list, name) in [(List::Step, "step"), (List::Frame, "frame")] {
        line!(text, "exchanges of {name}:");
        let of_list = exchanges.iter().filter(|of| of.list == list);
        let described: Vec<String> = of_list
            .map(|exchange| described(pipeline, plan, cut, exchange))
            .collect();
        for found in repeated(&described) {
            text += &described[found.items.clone()].concat();
            if found.times > 1 {
                let these = match found.items.len() {
                    1 => "the same".to_string(),
                    count => format!("these {count}"),
                };
                line!(text, "    {these} again, {} times", found.times - 1);
            }
        }
        if described.is_empty() {
            line!(text, "  none");
        }
    }
    write_outputs(&mut text, pipeline, cut, &outputs);
    text
}

fn write_outputs(text: &mut String, pipeline: &Pipeline, cut: &Cut, outputs: &ForOutputs) {
    let ForOutputs { gathered, completed } = outputs;
    if !gathered.is_empty() {
        let bytes = received(pipeline, cut, gathered, 0);
        let names = names(pipeline, gathered);
        line!(text, "gathered on rank 0 for outputs: {names}: {}", size(bytes));
    }
    let in_parts = (pipeline.outputs.iter()).filter(|output| pipeline.is_written_in_parts(output));
    let outputs: Vec<&str> = in_parts.map(|output| output.name.as_str()).collect();
    if outputs.is_empty() {
        return;
    }
    let exchanged = if completed.is_empty() {
        String::new()
    } else {
        format!(", after an exchange of {}", names(pipeline, completed))
    };
    let outputs = outputs.join(", ");
    line!(
        text,
        "each rank writes its part of the files of {outputs}{exchanged}"
    );
}

fn write_parts(text: &mut String, pipeline: &Pipeline, cut: &Cut) {
    let partition = &cut.partition;
    let [x, y, z] = partition.parts;
    let count = partition.ranks();
    let Some(grid) = cut.grids.first().map(|grid| &pipeline.resources[grid.id]) else {
        line!(text, "ranks: {count}, each runs everything");
        return;
    };
    let [nx, ny, nz] = grid.size;
    line!(
        text,
        "ranks: {count}, cut {x} x {y} x {z} of `{}` ({nx} x {ny} x {nz} cells)",
        grid.name
    );
    for rank in 0..count {
        let part = partition.grown(rank, grid.size, [0; 3]);
        let range = |axis: usize| format!("{}..{}", part.low[axis], part.low[axis] + part.size[axis]);
        line!(
            text,
            "  rank {rank}: x {}, y {}, z {}",
            range(0),
            range(1),
            range(2)
        );
    }
    for set in &cut.sets {
        let name = &pipeline.resources[set.set()].name;
        let others = match set.ghosts {
            Some(planes) => format!(", and of {planes} planes beyond it"),
            None => "; a sort moves those that have changed parts".into(),
        };
        line!(text, "particles of `{name}`: those of the part{others}");
    }
}

fn write_memory(text: &mut String, pipeline: &Pipeline) {
    let sum = |bytes: &dyn Fn(FieldId) -> u64| -> u64 {
        let fields = pipeline.fields.iter().enumerate();
        fields.map(|(id, field)| bytes(id) * u64::from(field.ring)).sum()
    };
    let held = sum(&|id| pipeline.memory_bytes(id));
    let all = sum(&|id| pipeline.field_bytes(id));
    line!(
        text,
        "memory of fields: {} on rank 0, {} without ranks",
        size(held),
        size(all)
    );
}

fn write_shares(text: &mut String, pipeline: &Pipeline, cut: &Cut) {
    for (list, name) in super::LISTS {
        let mut stages: Vec<StageId> = Vec::new();
        for entry in list.entries(pipeline) {
            if !stages.contains(&entry.stage) {
                stages.push(entry.stage);
            }
        }
        line!(text, "{name}:");
        for id in stages {
            let stage = &pipeline.stages[id];
            let how = match &cut.shares[id] {
                Share::Part { .. } => {
                    let [grow, halos] = [cut.grow(id).unwrap_or_default(), cut.beyond(id)];
                    let most = |sides: [u64; 3]| sides.into_iter().max().unwrap_or(0);
                    match (most(grow), most(halos)) {
                        (0, _) => match pipeline.division_of(cut, id) {
                            Division::Lines(axis) => format!("on whole lines along {}", LETTERS[axis]),
                            _ => "on the part".to_string(),
                        },
                        (cells, 0) => format!("on the part grown by {cells}"),
                        (cells, halos) => {
                            format!("on the part grown by {cells}, {halos} of these to compute halos")
                        }
                    }
                }
                Share::Everywhere(share) => format!("whole on every rank: it {}", reason(share, pipeline)),
            };
            line!(text, "  `{}` runs {how}", stage.name);
        }
    }
}

/// An exchange in words.
fn described(pipeline: &Pipeline, plan: &Plan, cut: &Cut, exchange: &Exchange) -> String {
    let mut text = String::new();
    let segment = &plan.segments(exchange.list)[exchange.segment];
    let times = match exchange.times {
        1 => String::new(),
        times => format!(", {times} times a frame"),
    };
    line!(
        text,
        "  {} `{}`: {}{times}",
        if exchange.after { "after" } else { "before" },
        if exchange.after {
            last_stage(pipeline, segment)
        } else {
            first_stage(pipeline, segment)
        },
        names(pipeline, &exchange.wants)
    );
    let most = (0..cut.partition.ranks()).map(|rank| {
        let messages = senders(pipeline, cut, &exchange.wants, rank);
        (received(pipeline, cut, &exchange.wants, rank), messages)
    });
    if let Some((bytes, messages)) = most.max() {
        let plural = if messages == 1 { "" } else { "s" };
        line!(
            text,
            "    {messages} message{plural}, {} at most for a rank{}",
            size(bytes),
            meanwhile(pipeline, segment, &exchange.wants)
        );
    }
    text
}

/// The work that runs while the messages of an exchange travel, as the end of a line.
fn meanwhile(pipeline: &Pipeline, segment: &Segment, wants: &[Want]) -> String {
    let are_halos = wants.iter().all(Want::is_halo);
    match segment.divided().filter(|_| are_halos) {
        Some(entry) => {
            let stage = segment.list.entries(pipeline)[entry].stage;
            format!(", while the interior of `{}` runs", pipeline.stages[stage].name)
        }
        None => String::new(),
    }
}

/// The exchanges of a frame for its outputs.
#[derive(Default)]
struct ForOutputs {
    /// Exchanges after which rank 0 has the whole field.
    gathered: Vec<Want>,
    /// Exchanges after which each rank has its own part of the field.
    completed: Vec<Want>,
}

/// The exchanges of the last of a few frames, and those for its outputs.
fn steady(pipeline: &Pipeline, plan: &Plan) -> (Vec<Exchange>, ForOutputs) {
    let (mut halos, mut exchanges) = (Halos::default(), Vec::new());
    pass(pipeline, plan, &mut halos, (List::Init, 0, 0), &mut exchanges);
    let per_frame = u64::from(pipeline.steps_per_frame).min(MAX_STEPS);
    let (mut steps, mut outputs) = (0, ForOutputs::default());
    for frame in 0..FRAMES {
        exchanges.clear();
        for _ in 0..per_frame {
            pass(
                pipeline,
                plan,
                &mut halos,
                (List::Step, steps, steps),
                &mut exchanges,
            );
            steps += 1;
        }
        pass(
            pipeline,
            plan,
            &mut halos,
            (List::Frame, steps, frame),
            &mut exchanges,
        );
        let newest = |field: FieldId| plan.newest(field, steps);
        outputs = ForOutputs {
            gathered: halos.missing(pipeline.gathered_fields().map(newest)),
            completed: halos.lacking(pipeline, pipeline.fields_in_parts().map(newest)),
        };
        halos.exchanged(&outputs.completed);
    }
    (exchanges, outputs)
}

/// Follows the segments of a list once. Equal exchanges of several steps are counted.
fn pass(
    pipeline: &Pipeline,
    plan: &Plan,
    halos: &mut Halos,
    (list, steps, pass): (List, u64, u64),
    exchanges: &mut Vec<Exchange>,
) {
    for (number, segment) in plan.segments(list).iter().enumerate() {
        if !segment.is_due(pass) {
            continue;
        }
        let wants = halos.wants(pipeline, plan, (list, number), steps);
        halos.exchanged(&wants);
        halos.ran(pipeline, plan, segment, steps);
        let has_ghosts = |set: &ResourceId| {
            let found = pipeline.cut.as_deref().and_then(|cut| cut.set(*set));
            found.is_some_and(|set| set.ghosts.is_some())
        };
        let ghosts = match segment.completes {
            Some(Completed::Sort(set)) if has_ghosts(&set) => {
                plan.attributes(pipeline, list, number, set, steps)
            }
            _ => Vec::new(),
        };
        for (wants, after) in [(wants, false), (ghosts, true)] {
            if wants.is_empty() {
                continue;
            }
            let is_known = |of: &&mut Exchange| {
                (of.list, of.segment, of.after) == (list, number, after)
                    && names(pipeline, &of.wants) == names(pipeline, &wants)
            };
            match exchanges.iter_mut().find(is_known) {
                Some(known) => known.times += 1,
                None => exchanges.push(Exchange {
                    list,
                    segment: number,
                    wants,
                    after,
                    times: 1,
                }),
            }
        }
    }
}

/// The fields of an exchange, with the depths of their halos.
fn names(pipeline: &Pipeline, wants: &[Want]) -> String {
    let names = wants.iter().map(|want| {
        // Swaps exchange memory: the family has one name.
        let name = &pipeline.fields[pipeline.swaps.family(want.at.0)].name;
        match want.valid {
            Valid::Depth(_) if !want.is_of_cells() => format!("{name} (ghosts)"),
            Valid::Depth(0) if want.is_from_lines() => format!("{name} (the part)"),
            Valid::Depth(0) => format!("{name} (entries of the part)"),
            Valid::Depth(cells) => format!("{name} ({cells} cell{})", if cells == 1 { "" } else { "s" }),
            Valid::Box(area) => match area.elements() {
                1 => format!("{name} (1 value)"),
                elements => format!("{name} ({elements} values)"),
            },
            Valid::Lines(axis) => format!("{name} (lines along {})", LETTERS[axis]),
            Valid::All => format!("{name} (all)"),
        }
    });
    names.collect::<Vec<_>>().join(", ")
}

fn first_stage<'a>(pipeline: &'a Pipeline, segment: &Segment) -> &'a str {
    let first = segment.entries().next();
    first.map_or("", |entry| name_of(pipeline, segment, entry))
}

fn last_stage<'a>(pipeline: &'a Pipeline, segment: &Segment) -> &'a str {
    let last = segment.entries().last();
    last.map_or("", |entry| name_of(pipeline, segment, entry))
}

/// The name of the stage of an entry.
fn name_of<'a>(pipeline: &'a Pipeline, segment: &Segment, entry: usize) -> &'a str {
    &pipeline.stages[segment.list.entries(pipeline)[entry].stage].name
}

/// Bytes that a rank receives.
fn received(pipeline: &Pipeline, cut: &Cut, wants: &[Want], to: usize) -> u64 {
    let from_all = (0..cut.partition.ranks()).flat_map(|from| wants.iter().map(move |want| (from, want)));
    from_all
        .map(|(from, want)| bytes(pipeline, cut, want, [from, to]))
        .sum()
}

/// The number of ranks that send to a rank.
fn senders(pipeline: &Pipeline, cut: &Cut, wants: &[Want], to: usize) -> usize {
    let sends = |from: &usize| {
        wants
            .iter()
            .any(|want| bytes(pipeline, cut, want, [*from, to]) > 0)
    };
    (0..cut.partition.ranks()).filter(sends).count()
}

fn bytes(pipeline: &Pipeline, cut: &Cut, want: &Want, [from, to]: [usize; 2]) -> u64 {
    let pieces = want.pieces(&cut.partition, &spread(pipeline, cut), [from, to]);
    let entries: u64 = pieces.iter().map(|piece| piece.count()).sum();
    entries * u64::from(want.layout.bytes)
}

/// Particles that are spread evenly over the cells: a run knows where they are.
fn spread(pipeline: &Pipeline, cut: &Cut) -> Particles {
    let of_set = |set: &CutSet| {
        let count = pipeline.resources[set.set()].elements();
        let ghosts = set.ghosts.unwrap_or(0);
        let first_of =
            |plane: u64| (u128::from(count) * u128::from(set.row_from(plane)) / u128::from(set.rows)) as u64;
        let parts = cut.partition.planes[set.axis].windows(2);
        let neighbours = parts.map(|ends| Neighbours {
            own_first: first_of(ends[0]),
            own_end: first_of(ends[1]),
            below_end: first_of(ends[0] + ghosts),
            above_first: first_of(ends[1] - ghosts),
            spent: Vec::new(),
        });
        (set.set(), neighbours.collect())
    };
    cut.sets.iter().map(of_set).collect()
}

fn size(bytes: u64) -> String {
    match bytes {
        0..100_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
