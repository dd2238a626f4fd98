//! A plan as text, and the hazards between its stages as a graph.

mod drawn;
mod ranks;
mod repeats;
mod waits;

use std::fmt::Write;
use std::ops::Range;

use super::hazards::{Hazard, hazards};
use super::{AccessSet, Command, List, Plan, Segment, When};
use crate::ir::{FieldId, Pipeline, Stage};
use crate::workgroups::Groups;

pub use drawn::{dot, mermaid};
pub use ranks::ranks;
use repeats::repeated;
use waits::steady_waits;

const LISTS: [(List, &str); 3] = [(List::Init, "init"), (List::Step, "step"), (List::Frame, "frame")];

fn names(pipeline: &Pipeline, fields: &[FieldId]) -> String {
    let names: Vec<&str> = fields
        .iter()
        .map(|field| pipeline.fields[*field].name.as_str())
        .collect();
    if names.is_empty() {
        "-".into()
    } else {
        names.join(" ")
    }
}

fn accesses(set: AccessSet) -> String {
    set.iter()
        .map(|access| format!("{access:?}"))
        .collect::<Vec<_>>()
        .join("+")
}

/// Lines are appended to a `String`, which cannot fail.
macro_rules! line {
    ($text:expr, $($arguments:tt)*) => { let _ = writeln!($text, $($arguments)*); };
}
use line;

/// Stages in order with their reads and writes, barriers with their reasons, and segments.
pub fn text(pipeline: &Pipeline, plan: &Plan) -> String {
    let mut text = String::new();
    let waits = steady_waits(pipeline, plan);
    for (list, name) in LISTS {
        let hazards = hazards(pipeline, list);
        let segments = plan.segments(list).iter().enumerate();
        let described: Vec<(String, Vec<Row>)> = segments
            .map(|(number, segment)| {
                let of_segment = (waits.iter()).filter(|(of, segment, _)| *of == list && *segment == number);
                let waits: String = of_segment
                    .map(|(.., lane)| format!(", waits for the {lane:?} queue").to_lowercase())
                    .collect();
                let how = how(pipeline, segment) + &waits;
                (how, rows(pipeline, plan, segment, &hazards))
            })
            .collect();
        for found in repeated(&described) {
            for number in found.items.clone() {
                let (how, rows) = &described[number];
                line!(text, "{name} segment {number} {how}");
                write_rows(&mut text, rows);
            }
            if found.times > 1 {
                let (first, next) = (found.items.start, found.items.end);
                let last = first + found.items.len() * found.times - 1;
                line!(
                    text,
                    "{name} {}: as {}",
                    numbered("segment", next..last + 1),
                    numbered("segment", found.items)
                );
            }
        }
    }
    for output in &pipeline.outputs {
        let every = if output.every == 1 {
            String::new()
        } else {
            format!(" every {} frames", output.every)
        };
        let initial = if output.initial {
            " and before the first step"
        } else {
            ""
        };
        line!(
            text,
            "output {}: {}{every}{initial}, downloaded on the download queue",
            output.name,
            output.source
        );
    }
    text
}

/// A command of a segment in words.
struct Described {
    /// The number of its entry in the list.
    entry: usize,
    line: String,
    /// Why a barrier precedes it.
    why: String,
}

/// A command, or several equal ones, after a barrier.
struct Row {
    /// The number of the first entry.
    entry: usize,
    barrier: String,
    line: String,
    times: usize,
}

/// Rows are alike if only the numbers of their entries differ.
impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        (&self.barrier, &self.line, self.times) == (&other.barrier, &other.line, other.times)
    }
}

impl Row {
    fn write(&self, text: &mut String) {
        let Row {
            entry,
            barrier,
            line,
            times,
        } = self;
        let times = if *times > 1 {
            format!("  x {times}")
        } else {
            String::new()
        };
        line!(text, "{barrier}    {entry:>3} {line}{times}");
    }
}

fn write_rows(text: &mut String, rows: &[Row]) {
    for found in repeated(rows) {
        rows[found.items.clone()].iter().for_each(|row| row.write(text));
        if found.times > 1 {
            line!(
                text,
                "        these {} again, {} times",
                found.items.len(),
                found.times - 1
            );
        }
    }
}

/// The queue of a segment, and when it runs.
fn how(pipeline: &Pipeline, segment: &Segment) -> String {
    let lane = if segment.list == List::Frame {
        "frame"
    } else {
        "step"
    };
    let often = match (segment.call, segment.every) {
        (Some(call), _) => format!(", when `{}` is called", pipeline.calls[call]),
        (None, 1) => String::new(),
        (None, every) => format!(", every {every} {lane}s"),
    };
    format!("on the {lane} queue{often}")
}

/// The numbers of items from 0: `segment 3` or `segments 3 to 5`.
fn numbered(what: &str, numbers: Range<usize>) -> String {
    match numbers.len() {
        1 => format!("{what} {}", numbers.start),
        _ => format!("{what}s {} to {}", numbers.start, numbers.end - 1),
    }
}

/// The commands of a segment.
fn rows(pipeline: &Pipeline, plan: &Plan, segment: &Segment, hazards: &[Hazard]) -> Vec<Row> {
    let mut barrier = None;
    // Hazards with entries before the last barrier are settled.
    let mut since = 0;
    let mut rows: Vec<Row> = Vec::new();
    for command in &segment.commands {
        if let Command::Barrier(placed) = command {
            barrier = Some(*placed);
            continue;
        }
        let Some(Described { entry, line, why }) =
            described(pipeline, plan, segment.list, command, hazards, since)
        else {
            continue;
        };
        let barrier = barrier.take().map_or(String::new(), |placed| {
            since = entry;
            let (before, after) = (accesses(placed.before), accesses(placed.after));
            format!("      barrier {before} -> {after}  ({why})\n")
        });
        match rows.last_mut() {
            Some(last) if last.barrier == barrier && last.line == line => last.times += 1,
            _ => rows.push(Row {
                entry,
                barrier,
                line,
                times: 1,
            }),
        }
    }
    rows
}

/// A command in words; `None` for a barrier. Entries before `since` are settled.
fn described(
    pipeline: &Pipeline,
    plan: &Plan,
    list: List,
    command: &Command,
    hazards: &[Hazard],
    since: usize,
) -> Option<Described> {
    let entries = list.entries(pipeline);
    Some(match command {
        Command::Barrier(_) => return None,
        Command::AdvanceClock => Described {
            entry: entries.len(),
            line: "advance the clock".into(),
            why: "earlier stages read it".into(),
        },
        Command::Gate(gate) => {
            let gate = &plan.gates[*gate];
            let mut read: Vec<FieldId> = (gate.reads(pipeline, &plan.stage_groups))
                .map(|(_, field)| field)
                .collect();
            read.sort_unstable();
            read.dedup();
            let (count, read) = (gate.entries.len(), names(pipeline, &read));
            Described {
                entry: gate.entries[0],
                line: format!(
                    "{:<22} reads {read}  writes the workgroup counts of {count} dispatches",
                    "gate"
                ),
                why: "what it reads".into(),
            }
        }
        Command::Note(part) => {
            let name = &pipeline.fields[part.condition].name;
            Described {
                entry: entries.len(),
                line: format!("tell the host of {name}, to end the repeat"),
                why: name.clone(),
            }
        }
        Command::Dispatch {
            invocation,
            groups,
            when,
        } => Described {
            entry: *invocation,
            line: dispatch(
                pipeline,
                &pipeline.stages[entries[*invocation].stage],
                *groups,
                *when,
            ),
            why: reasons(pipeline, list, hazards, since, *invocation),
        },
    })
}

/// A stage with its fields, its workgroups and its conditions.
fn dispatch(pipeline: &Pipeline, stage: &Stage, groups: Groups, when: When) -> String {
    let (reads, writes) = (names(pipeline, stage.reads()), names(pipeline, stage.writes()));
    let groups = match groups {
        Groups::Direct([x, y, z]) => format!("{x} x {y} x {z} workgroups"),
        Groups::Indirect { field, .. } => format!("workgroups from {}", pipeline.fields[field].name),
    };
    let condition = match when {
        When::Always => String::new(),
        When::While(_) | When::Gated(_) => {
            let names = stage
                .conditions
                .iter()
                .map(|field| &*pipeline.fields[*field].name);
            format!(" while {}", names.collect::<Vec<_>>().join(" and "))
        }
    };
    format!(
        "{:<22} reads {reads}  writes {writes}  [{groups}{condition}]",
        stage.name
    )
}

/// Why entry `to` needs a barrier: its conflicts with entries from `since` on.
fn reasons(pipeline: &Pipeline, list: List, hazards: &[Hazard], since: usize, to: usize) -> String {
    let entries = list.entries(pipeline);
    let unsettled = hazards
        .iter()
        .filter(|hazard| hazard.to == to && hazard.from >= since);
    let reasons: Vec<String> = unsettled
        .map(|hazard| {
            let from = &pipeline.stages[entries[hazard.from].stage].name;
            format!(
                "{} {} after {from}",
                hazard.kind.short(),
                pipeline.fields[hazard.field].name
            )
        })
        .collect();
    if reasons.is_empty() {
        "the previous step".into()
    } else {
        reasons.join(", ")
    }
}
