//! `sastrugi graph`: the plan of a pipeline, as text, DOT or Mermaid.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::ir::{FieldId, Groups, Pipeline};
use crate::lower::passes::PASSES;
use crate::plan::hazards::{Hazard, hazards};
use crate::plan::{AccessSet, Command, Lane, List, Plan, Schedule, Segment, When};
use crate::problem::{Problem, Problems};
use crate::spec::{self, START};

/// Prints the plan: stages, hazards, barriers and segments; or a form between the file and the plan.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi graph pipelines/snow.json --format dot | dot -Tsvg -o snow.svg
  sastrugi graph pipelines/snow.json --after meaning     what the file means, before any pass")]
pub(super) struct Arguments {
    #[arg(value_name = "SPEC")]
    spec: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Prints the lists as they are after this pass: `meaning` (before the first), then loops, group_counts, emission, reductions,
    /// reorder, scan, fft, paging, fill, stages, unpack, measures, rings.
    #[arg(long, value_name = "PASS")]
    after: Option<String>,
    /// Sets a value, as for `run`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// Stages in order with their reads and writes, barriers with their reasons, and segments.
    Text,
    /// Graphviz.
    Dot,
    Mermaid,
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    match draw(arguments) {
        Ok(text) => super::print(&text),
        Err(problems) => {
            super::complain(&problems);
            2
        }
    }
}

fn draw(arguments: &Arguments) -> Result<String, Problems> {
    let path = super::shipped::find(&arguments.spec)?;
    if let Some(pass) = &arguments.after {
        return after(&path, &arguments.set, pass);
    }
    let (pipeline, _) = spec::load(&path, &arguments.set)?;
    let plan = crate::plan::plan(&pipeline).map_err(Problem::without_place)?;
    Ok(match arguments.format {
        Format::Text => text(&pipeline, &plan),
        Format::Dot => dot(&pipeline),
        Format::Mermaid => mermaid(&pipeline),
    })
}

fn after(path: &Path, overrides: &[String], pass: &str) -> Result<String, Problems> {
    let names = || std::iter::once(START).chain(PASSES.iter().map(|pass| pass.name));
    if !names().any(|name| name == pass) {
        let problem = Problem::without_place(format!("`{pass}` is not a pass"));
        return Err(problem.suggest(pass, names()).into());
    }
    let (resolved, document) = spec::examine(path, overrides, Some(pass))?;
    match resolved.problems.is_empty() {
        true => Ok(resolved.meaning.text()),
        false => Err(resolved.problems.located(&document)),
    }
}

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

fn text(pipeline: &Pipeline, plan: &Plan) -> String {
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
                let mut read: Vec<FieldId> = (gate.reads(pipeline)).map(|(_, field)| field).collect();
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

/// The queues that segments wait for in the middle of a run: determined by a simulated submission of a few frames.
fn steady_waits(pipeline: &Pipeline, plan: &Plan) -> Vec<(List, usize, Lane)> {
    let mut schedule = Schedule::default();
    let mut waits = Vec::new();
    let per_frame = u64::from(pipeline.steps_per_frame.min(64));
    let mut outputs: Vec<FieldId> = pipeline.output_fields().collect();
    outputs.sort_unstable();
    outputs.dedup();
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
        let reads = outputs.iter().map(|field| plan.newest(*field, steps)).collect();
        schedule.submit(
            Lane::Download,
            &crate::plan::Touched {
                reads,
                writes: Vec::new(),
            },
        );
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
        if turn.is_multiple_of(u64::from(segment.every)) {
            let ticket = schedule.submit(lane, &plan.touched(pipeline, segment, steps));
            waits.extend(ticket.waits.iter().map(|(other, _)| (list, number, *other)));
        }
    }
}

/// Stages as nodes in clusters, direct hazards as edges.
fn dot(pipeline: &Pipeline) -> String {
    let mut text =
        String::from("digraph pipeline {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\"];\n");
    for (list, name) in LISTS {
        line!(text, "  subgraph cluster_{name} {{\n    label=\"{name}\";");
        for (number, entry) in list.entries(pipeline).iter().enumerate() {
            line!(
                text,
                "    {name}{number} [label=\"{}\"];",
                pipeline.stages[entry.stage].name
            );
        }
        line!(text, "  }}");
        for (from, to, label) in edges(pipeline, list) {
            line!(text, "  {name}{from} -> {name}{to} [label=\"{label}\"];");
        }
    }
    for (from, to, label) in joins(pipeline) {
        line!(text, "  {from} -> {to} [label=\"{label}\", style=dashed];");
    }
    text.push_str("}\n");
    text
}

fn mermaid(pipeline: &Pipeline) -> String {
    let mut text = String::from("flowchart TB\n");
    for (list, name) in LISTS {
        line!(text, "  subgraph {name}");
        for (number, entry) in list.entries(pipeline).iter().enumerate() {
            line!(
                text,
                "    {name}{number}[\"{}\"]",
                pipeline.stages[entry.stage].name
            );
        }
        line!(text, "  end");
        for (from, to, label) in edges(pipeline, list) {
            line!(text, "  {name}{from} -->|\"{label}\"| {name}{to}");
        }
    }
    for (from, to, label) in joins(pipeline) {
        line!(text, "  {from} -.->|\"{label}\"| {to}");
    }
    text
}

/// The edges between lists: from the last entry of an earlier list that writes a field to the entries of a later one that
/// read it before that list writes it.
fn joins(pipeline: &Pipeline) -> Vec<(String, String, String)> {
    let family = |field: &FieldId| pipeline.swaps.family(*field);
    let mut edges: Vec<(String, String, Vec<String>)> = Vec::new();
    for (position, (list, name)) in LISTS.iter().enumerate() {
        let mut written: Vec<FieldId> = Vec::new();
        for (number, entry) in list.entries(pipeline).iter().enumerate() {
            let stage = &pipeline.stages[entry.stage];
            for field in stage
                .reads()
                .iter()
                .filter(|field| !written.contains(&family(field)))
            {
                let earlier = LISTS[..position].iter().rev().find_map(|(list, name)| {
                    let writes = |entry: &crate::ir::Invocation| {
                        let writes = pipeline.stages[entry.stage].writes();
                        writes.iter().any(|other| family(other) == family(field))
                    };
                    let last = list.entries(pipeline).iter().rposition(writes)?;
                    Some(format!("{name}{last}"))
                });
                let (Some(from), to) = (earlier, format!("{name}{number}")) else {
                    continue;
                };
                let label = pipeline.fields[*field].name.clone();
                match edges.iter_mut().find(|(a, b, _)| *a == from && *b == to) {
                    Some((.., labels)) => labels.push(label),
                    None => edges.push((from, to, vec![label])),
                }
            }
            written.extend(stage.writes().iter().map(family));
        }
    }
    let joined = edges.into_iter();
    joined
        .map(|(from, to, labels)| (from, to, labels.join(", ")))
        .collect()
}

/// One edge per pair of entries, labelled with its fields.
fn edges(pipeline: &Pipeline, list: List) -> Vec<(usize, usize, String)> {
    let mut edges: Vec<(usize, usize, Vec<String>)> = Vec::new();
    for hazard in hazards(pipeline, list) {
        let label = format!("{} {}", hazard.kind.short(), pipeline.fields[hazard.field].name);
        match edges
            .iter_mut()
            .find(|(from, to, _)| *from == hazard.from && *to == hazard.to)
        {
            Some((.., labels)) => labels.push(label),
            None => edges.push((hazard.from, hazard.to, vec![label])),
        }
    }
    edges
        .into_iter()
        .map(|(from, to, labels)| (from, to, labels.join(", ")))
        .collect()
}
