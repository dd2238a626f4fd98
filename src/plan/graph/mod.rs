//! A plan as text, and the hazards between its stages as a graph.

mod drawn;
mod waits;

use std::fmt::Write;

use super::hazards::{Hazard, hazards};
use super::{AccessSet, Command, List, Plan, Segment, When};
use crate::ir::{FieldId, Pipeline};
use crate::workgroups::Groups;

pub use drawn::{dot, mermaid};
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
        let lane = if list == List::Frame { "frame" } else { "step" };
        for (number, segment) in plan.segments(list).iter().enumerate() {
            let often = if segment.every == 1 {
                String::new()
            } else {
                format!(", every {} {lane}s", segment.every)
            };
            let of_segment = waits
                .iter()
                .filter(|(of, segment, _)| *of == list && *segment == number);
            let waits: String = of_segment
                .map(|(.., lane)| format!(", waits for the {lane:?} queue").to_lowercase())
                .collect();
            line!(text, "{name} segment {number} on the {lane} queue{often}{waits}");
            write_segment(&mut text, pipeline, plan, segment, &hazards);
        }
    }
    for output in &pipeline.outputs {
        let every = if output.every == 1 {
            String::new()
        } else {
            format!(" every {} frames", output.every)
        };
        line!(
            text,
            "output {}: {}{every}, downloaded on the download queue",
            output.name,
            output.source
        );
    }
    text
}

fn write_segment(text: &mut String, pipeline: &Pipeline, plan: &Plan, segment: &Segment, hazards: &[Hazard]) {
    let entries = segment.list.entries(pipeline);
    let mut barrier = None;
    // Hazards with entries before the last barrier are settled.
    let mut since = 0;
    // Number of the first, barrier line, stage line, number of consecutive ones.
    let mut rows: Vec<(usize, String, String, usize)> = Vec::new();
    for command in &segment.commands {
        let (number, why, line) = match command {
            Command::Barrier(placed) => {
                barrier = Some(*placed);
                continue;
            }
            Command::AdvanceClock => (
                entries.len(),
                "earlier stages read it".to_string(),
                "advance the clock".into(),
            ),
            Command::Gate(gate) => {
                let gate = &plan.gates[*gate];
                let mut read: Vec<FieldId> = (gate.reads(pipeline, plan)).map(|(_, field)| field).collect();
                read.sort_unstable();
                read.dedup();
                let count = gate.entries.len();
                let line = format!(
                    "{:<22} reads {}  writes the workgroup counts of {count} dispatches",
                    "gate",
                    names(pipeline, &read)
                );
                (gate.entries[0], "what it reads".to_string(), line)
            }
            Command::Note(part) => {
                let name = &pipeline.fields[part.condition].name;
                let line = format!("tell the host of {name}, to end the repeat");
                (entries.len(), name.to_string(), line)
            }
            Command::Dispatch {
                invocation,
                groups,
                when,
            } => {
                let stage = &pipeline.stages[entries[*invocation].stage];
                let why = reasons(pipeline, segment.list, hazards, since, *invocation);
                let (reads, writes) = (names(pipeline, stage.reads()), names(pipeline, stage.writes()));
                let groups = match groups {
                    Groups::Direct([x, y, z]) => format!("{x} x {y} x {z} workgroups"),
                    Groups::Indirect { field, .. } => {
                        format!("workgroups from {}", pipeline.fields[*field].name)
                    }
                };
                let names_of: Vec<&str> = (stage.conditions.iter())
                    .map(|field| &*pipeline.fields[*field].name)
                    .collect();
                let condition = match when {
                    When::Always => String::new(),
                    When::While(_) | When::Gated(_) => format!(" while {}", names_of.join(" and ")),
                };
                let line = format!(
                    "{:<22} reads {reads}  writes {writes}  [{groups}{condition}]",
                    stage.name
                );
                (*invocation, why, line)
            }
        };
        let barrier = barrier.take().map(|placed| {
            since = number;
            format!(
                "      barrier {} -> {}  ({why})\n",
                accesses(placed.before),
                accesses(placed.after)
            )
        });
        let barrier = barrier.unwrap_or_default();
        match rows.last_mut() {
            Some((.., last_barrier, last_line, times)) if *last_barrier == barrier && *last_line == line => {
                *times += 1
            }
            _ => rows.push((number, barrier, line, 1)),
        }
    }
    for (number, barrier, line, times) in rows {
        let times = if times > 1 {
            format!("  x {times}")
        } else {
            String::new()
        };
        line!(text, "{barrier}    {number:>3} {line}{times}");
    }
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
