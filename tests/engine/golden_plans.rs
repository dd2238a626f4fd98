//! The plan of every shipped pipeline: order of stages, workgroups, barriers, submissions and memory. Three small ones are
//! recorded as text, tests/data/plans/NAME.txt, to be read; of all, tests/data/plans.txt has the number of lines in each part
//! and a digest of them. Needs no device.
//!
//! SASTRUGI_UPDATE=1 records them anew. SASTRUGI_PLANS=DIR writes the texts of all plans into a directory: those of two commits
//! show what has changed.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use sastrugi::ir::Pipeline;
use sastrugi::plan::paging::{self, Abilities};
use sastrugi::plan::{self, Command, Lane, List, Plan, Schedule, Segment, When, memory};
use sastrugi::spec;
use sastrugi::workgroups::{DeviceClass, Groups, Shape};

/// A device with sparse residency and room for everything.
const DEVICE: Abilities = Abilities {
    sparse_bytes: Some(1 << 40),
    largest_buffer: 1 << 40,
    memory: 150_000_000_000,
};
/// Turns whose submissions are written down: two frames of as many steps.
const STEPS: u64 = 3;
const FRAMES: u64 = 2;

fn pipelines() -> Vec<PathBuf> {
    let directory = crate::common::simulation::root().join("pipelines");
    let mut files: Vec<PathBuf> = (std::fs::read_dir(directory).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files
}

fn names(pipeline: &Pipeline, fields: &[usize]) -> String {
    let mut names: Vec<&str> = fields
        .iter()
        .map(|id| pipeline.fields[*id].name.as_str())
        .collect();
    names.sort_unstable();
    names.join(" ")
}

fn command(text: &mut String, pipeline: &Pipeline, list: List, command: &Command) {
    let _ = match command {
        Command::Barrier(barrier) => {
            writeln!(text, "    barrier {:?} -> {:?}", barrier.before, barrier.after)
        }
        Command::AdvanceClock => writeln!(text, "    advance clock"),
        Command::Gate(gate) => writeln!(text, "    gate {gate}"),
        Command::Note(part) => writeln!(text, "    note {}", pipeline.fields[part.condition].name),
        Command::Dispatch {
            invocation,
            groups,
            when,
        } => {
            let entry = &list.entries(pipeline)[*invocation];
            let stage = &pipeline.stages[entry.stage];
            let _ = write!(text, "    {}", stage.name);
            let _ = match groups {
                Groups::Direct([x, y, z]) => write!(text, " {x}x{y}x{z}"),
                Groups::Indirect { field, offset } => {
                    write!(text, " groups at {}+{offset}", pipeline.fields[*field].name)
                }
            };
            let shape = Shape::of_stage(pipeline, stage, DeviceClass::Gpu);
            let _ = write!(text, " of {:?}", shape.workgroup);
            if shape.cells_per_thread_z > 1 {
                let _ = write!(text, " marching {}", shape.cells_per_thread_z);
            }
            if let When::While(condition) = when {
                let _ = write!(text, " while {}", pipeline.fields[*condition].name);
            }
            for value in &entry.values {
                let _ = write!(text, " {value:x?}");
            }
            writeln!(text)
        }
    };
}

fn segment(text: &mut String, pipeline: &Pipeline, list: List, number: usize, segment: &Segment) {
    let _ = write!(
        text,
        "  segment {number} every {} first {}",
        segment.every, segment.first
    );
    for (word, grid) in [("collects", segment.collects), ("applies", segment.applies)] {
        if let Some(grid) = grid {
            let _ = write!(text, " {word} {}", pipeline.resources[grid].name);
        }
    }
    if let Some(part) = segment.part {
        let _ = write!(text, " part {} of repeat {}", part.number, part.repeat);
    }
    let _ = writeln!(text, "{}", if segment.measures { " measures" } else { "" });
    for entry in &segment.commands {
        command(text, pipeline, list, entry);
    }
}

/// Waits of each submission, for some frames of some steps with downloads of every output.
fn submissions(text: &mut String, pipeline: &Pipeline, plan: &Plan) {
    let mut schedule = Schedule::default();
    let mut submit = |text: &mut String, name: String, lane: Lane, touched: &plan::Touched| {
        let ticket = schedule.submit(lane, touched);
        let _ = writeln!(
            text,
            "  {name}: waits {:?} signals {}",
            ticket.waits, ticket.signal
        );
    };
    let mut steps = 0;
    for frame in 0..FRAMES {
        for _ in 0..STEPS {
            for (number, segment) in plan.step.iter().enumerate().filter(|(_, s)| s.is_due(steps)) {
                let touched = plan.touched(pipeline, segment, steps);
                submit(
                    text,
                    format!("step {steps} segment {number}"),
                    Lane::Step,
                    &touched,
                );
            }
            steps += 1;
        }
        for (number, segment) in plan.frame.iter().enumerate().filter(|(_, s)| s.is_due(frame)) {
            let touched = plan.touched(pipeline, segment, steps);
            submit(
                text,
                format!("frame {frame} segment {number}"),
                Lane::Frame,
                &touched,
            );
        }
        for output in &pipeline.outputs {
            let read = |field: &usize| (*field, plan.copies(List::Frame, 0, *field, steps).0);
            let touched = plan::Touched {
                reads: output.fields.iter().map(read).collect(),
                writes: Vec::new(),
            };
            submit(
                text,
                format!("output {} {frame}", output.name),
                Lane::Download,
                &touched,
            );
        }
    }
}

/// All of a pipeline's plan.
fn describe(path: &Path) -> String {
    let (pipeline, _) = spec::load(path, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let plan = plan::plan(&pipeline).unwrap();
    let mut text = String::new();
    let _ = writeln!(text, "stages");
    for stage in &pipeline.stages {
        let _ = writeln!(
            text,
            "  {} reads [{}] writes [{}]",
            stage.name,
            names(&pipeline, stage.reads()),
            names(&pipeline, stage.writes())
        );
    }
    for (name, list) in [("init", List::Init), ("step", List::Step), ("frame", List::Frame)] {
        let _ = writeln!(text, "{name}");
        for (number, part) in plan.segments(list).iter().enumerate() {
            segment(&mut text, &pipeline, list, number, part);
        }
    }
    let _ = writeln!(text, "submissions");
    submissions(&mut text, &pipeline, &plan);
    let _ = writeln!(text, "memory");
    let blocks: Vec<_> = (pipeline.sparse_grids())
        .map(|(id, grid)| (id, paging::choose(grid, &DEVICE).unwrap()))
        .collect();
    let memory = memory::MemoryPlan::of(&pipeline, &plan, &blocks);
    for item in memory.device.iter().chain(&memory.host) {
        // As many staging buffers as the machine has processors, and some.
        let copies = if item.name.starts_with("staging ") {
            "n".to_string()
        } else {
            item.copies.to_string()
        };
        let _ = writeln!(text, "  {} {} x {copies}", item.name, item.bytes);
    }
    text
}

/// Plans that are recorded as text: a flow, particles on a sparse grid, pictures.
const AS_TEXT: [&str; 3] = ["lbm_cavity", "pic_explosion", "pictures_volume"];

/// The parts of a plan, each with its number of lines and a digest of them.
fn digest(text: &str) -> String {
    let mut parts: Vec<(&str, usize, blake3::Hasher)> = Vec::new();
    for line in text.lines() {
        match (line.starts_with(' '), parts.last_mut()) {
            (true, Some((_, lines, hasher))) => {
                *lines += 1;
                hasher.update(line.as_bytes()).update(b"\n");
            }
            _ => parts.push((line, 0, blake3::Hasher::new())),
        }
    }
    let of_part = |(name, lines, hasher): &(&str, usize, blake3::Hasher)| {
        format!("{name} {lines} {}", &hasher.finalize().to_hex()[..8])
    };
    parts.iter().map(of_part).collect::<Vec<_>>().join(", ")
}

#[test]
fn plans_match_their_recorded_digests() {
    let update = std::env::var_os("SASTRUGI_UPDATE").is_some();
    let whole = std::env::var_os("SASTRUGI_PLANS").map(PathBuf::from);
    let data = crate::common::simulation::root().join("tests/data");
    let pipelines = pipelines();
    assert!(pipelines.len() >= 15, "{}", pipelines.len());
    let (mut digests, mut wrong) = (String::new(), Vec::new());
    for path in pipelines {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let text = describe(&path);
        let _ = writeln!(digests, "{name}: {}", digest(&text));
        if let Some(directory) = &whole {
            std::fs::create_dir_all(directory).unwrap();
            std::fs::write(directory.join(format!("{name}.txt")), &text).unwrap();
        }
        if AS_TEXT.contains(&name) {
            wrong.extend(compared(&data.join(format!("plans/{name}.txt")), &text, update));
        }
    }
    wrong.extend(compared(&data.join("plans.txt"), &digests, update));
    assert!(
        wrong.is_empty(),
        "{}\nSASTRUGI_PLANS=DIR writes the plans, here and at the commit before; SASTRUGI_UPDATE=1 records them as they are now",
        wrong.join("\n")
    );
}

/// The difference between a recorded file and a text; rewrites the file on update.
fn compared(path: &Path, text: &str, update: bool) -> Option<String> {
    if update {
        std::fs::write(path, text).unwrap();
        return None;
    }
    let recorded = std::fs::read_to_string(path).unwrap_or_default();
    let difference = difference(&recorded, text)?;
    Some(format!("{}: {difference}", path.file_name()?.display()))
}

/// The first line that differs.
fn difference(expected: &str, text: &str) -> Option<String> {
    let longest = expected.lines().count().max(text.lines().count());
    (0..longest).find_map(|line| {
        let [expected, found] = [expected, text].map(|text| text.lines().nth(line).unwrap_or("(nothing)"));
        (expected != found).then(|| format!("line {}: `{expected}` is now `{found}`", line + 1))
    })
}

#[test]
fn plan_differences_are_reported() {
    assert_eq!(difference("a\nb\n", "a\nb\n"), None);
    assert_eq!(difference("a\nb\n", "a\nc\n").unwrap(), "line 2: `b` is now `c`");
    assert_eq!(
        difference("a\nb\n", "a\n").unwrap(),
        "line 2: `b` is now `(nothing)`"
    );
    let [plan, other] = ["stages\n  a\nstep\n  b\n  c\n", "stages\n  a\nstep\n  c\n  b\n"].map(digest);
    assert!(
        plan.starts_with("stages 1 ") && plan.contains(", step 2 "),
        "{plan}"
    );
    assert_ne!(plan, other);
    assert_eq!(plan.split(',').next(), other.split(',').next());
}
