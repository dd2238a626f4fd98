use std::path::Path;

use super::*;
use crate::ir::Invocation;
use crate::spec::{self, Document};

fn pipeline(text: &str) -> Pipeline {
    let document = Document::parse("t.json", text, Path::new("")).unwrap();
    spec::from_document("t", &document, &Default::default())
        .unwrap()
        .0
}

/// A segment as one line: `|` for a barrier, stage names for dispatches.
fn line(pipeline: &Pipeline, segment: &Segment) -> String {
    let names = segment.commands.iter().map(|command| match command {
        Command::Barrier(_) => "|",
        Command::AdvanceClock => "clock",
        Command::Gate(_) => "gate",
        Command::Note(_) => "note",
        Command::Dispatch { invocation, .. } => &pipeline.stages[pipeline.step[*invocation].stage].name,
    });
    names.collect::<Vec<_>>().join(" ")
}

fn lines(pipeline: &Pipeline) -> Vec<String> {
    plan(pipeline)
        .unwrap()
        .step
        .iter()
        .map(|segment| line(pipeline, segment))
        .collect()
}

const BUFFERS_AND_FLAG: &str = r#""run": {"dt": 1}, "buffers": {"a": {"type": "float", "length": 9}, "b": {"type": "float", "length": 9, "background": 0}, "flag": {"type": "uint", "length": 1}}"#;
const BUFFERS: &str = r#""run": {"dt": 1}, "buffers": {"a": {"type": "float", "length": 9}, "b": {"type": "float", "length": 9}, "c": {"type": "float", "length": 9}}"#;

#[test]
fn dependency_chain_has_one_barrier_per_link() {
    let pipeline = pipeline(&format!(
        r#"{{{BUFFERS}, "step": [
            {{"stage": "first", "over": 9, "writes": ["a"]}},
            {{"stage": "second", "over": 9, "reads": ["a"], "writes": ["b"]}},
            {{"stage": "beside", "over": 9, "reads": ["a"], "writes": ["c"]}},
            {{"stage": "third", "over": 9, "reads": ["b", "c"], "writes": ["a"]}}]}}"#
    ));
    assert_eq!(lines(&pipeline), ["| first | second beside | third | clock"]);
}

#[test]
fn stages_every_n_steps_form_own_segments() {
    let pipeline = pipeline(&format!(
        r#"{{{BUFFERS}, "step": [
            {{"stage": "first", "over": 9, "writes": ["a"]}},
            {{"stage": "rare", "over": 9, "reads": ["a"], "writes": ["b"], "every": 4}},
            {{"stage": "last", "over": 9, "reads": ["a", "b"]}}]}}"#
    ));
    let plan = plan(&pipeline).unwrap();
    assert_eq!(plan.step.iter().map(|s| s.every).collect::<Vec<_>>(), [1, 4, 1]);
    // Without `rare`, `last` still needs a barrier after `first`.
    assert_eq!(lines(&pipeline), ["| first", "| rare", "| last | clock"]);
}

#[test]
fn segment_ends_before_the_first_write_of_frame_inputs() {
    let pipeline = pipeline(&format!(
        r#"{{{BUFFERS}, "step": [
            {{"stage": "first", "over": 9, "writes": ["a"]}},
            {{"stage": "second", "over": 9, "reads": ["a"], "writes": ["b"]}}],
            "frame": [{{"stage": "draw", "over": 9, "reads": ["b"], "writes": ["c"]}}],
            "outputs": {{"o": {{"source": "c"}}}}}}"#
    ));
    assert_eq!(lines(&pipeline), ["| first", "| second | clock"]);
}

#[test]
fn rings_advance_at_their_first_writer() {
    let pipeline = pipeline(
        r#"{"run": {"dt": 1}, "particles": {"p": {"count": 9, "ring": 3, "attributes": {"x": "float", "m": {"type": "float", "background": 1}}}},
            "step": [{"stage": "look", "over": "p", "reads": ["p.x"]},
                     {"stage": "move", "over": "p", "reads": ["p.x"], "writes": ["p.x"]},
                     {"stage": "mend", "over": "p", "reads": ["p.x", "p.m"], "writes": ["p.x"]}]}"#,
    );
    assert_eq!(pipeline.fields[1].ring, 1, "no step writes m, so it has one copy");
    assert_eq!(pipeline.phases(), 3);
    let plan = plan(&pipeline).unwrap();
    assert_eq!(plan.copies(List::Step, 0, 0, 5), (2, 2));
    assert_eq!(plan.copies(List::Step, 1, 0, 5), (2, 0));
    assert_eq!(plan.copies(List::Step, 2, 0, 5), (0, 0));
    assert_eq!(plan.copies(List::Frame, 0, 0, 6), (0, 0));
}

#[test]
fn large_dispatches_split_over_two_axes() {
    for count in [1u64, 64, 65, 65_535 * 64, 65_535 * 64 + 1, 400_000_000] {
        let pipeline = pipeline(&format!(
            r#"{{"run": {{"dt": 1}}, "step": [{{"stage": "s", "over": {count}, "tuning": {{"workgroup": [64, 1, 1]}}}}]}}"#
        ));
        let Groups::Direct([x, y, z]) = plan(&pipeline).unwrap().stage_groups[0] else {
            panic!("the host knows the number of elements");
        };
        assert!(u64::from(x) * u64::from(y) * 64 >= count && z == 1 && x <= 65_535 && y <= 65_535);
        assert!(u64::from(x) * u64::from(y.saturating_sub(1)) * 64 < count);
    }
    // More groups than two axes hold.
    let text = r#"{"run": {"dt": 1}, "step": [{"stage": "s", "over": 4294967295, "tuning": {"workgroup": [1, 1, 1]}}]}"#;
    let document = Document::parse("t.json", text, Path::new("")).unwrap();
    let problems = spec::from_document("t", &document, &Default::default())
        .unwrap_err()
        .to_string();
    assert!(
        problems.contains("workgroup") && problems.contains("t.json:1:"),
        "{problems}"
    );
}

const SPARKS: &str = r#""run": {"dt": 1}, "particles": {"p": {"capacity": 9, "ring": 2, "attributes": {
    "x": {"type": "float", "background": 0}, "dead": {"type": "uint", "background": 0}}}}"#;
const EMISSION: &str = r#"{"stage": "born", "emits": {"p": 3}, "writes": ["p.x", "p.dead"]}"#;
const MOVE: &str = r#"{"stage": "move", "over": "p", "reads": ["p.x"], "writes": ["p.x", "p.dead"]}"#;

fn field(pipeline: &Pipeline, name: &str) -> FieldId {
    pipeline.field(name).unwrap()
}

fn entry(pipeline: &Pipeline, stage: &str) -> usize {
    let is_meant = |entry: &Invocation| pipeline.stages[entry.stage].name == stage;
    pipeline.step.iter().position(is_meant).unwrap()
}

fn barriers_of(segment: &Segment) -> Vec<Barrier> {
    let barriers = segment.commands.iter().filter_map(|command| match command {
        Command::Barrier(barrier) => Some(*barrier),
        _ => None,
    });
    barriers.collect()
}

#[test]
fn conditions_have_barriers_before_read_and_overwrite() {
    let pipeline = pipeline(&format!(
        r#"{{{BUFFERS_AND_FLAG}, "step": [{{"repeat": "turn", "over": 2, "while": "flag", "stages": [
            {{"stage": "work", "over": 9, "writes": ["a"]}},
            {{"stage": "decide", "over": 1, "reads": ["b"], "writes": ["flag"]}}]}}]}}"#
    ));
    // `decide` may not write the flag that `work` is still being judged by.
    assert_eq!(
        lines(&pipeline),
        ["| work | decide | work | decide | note_unfinished_flag | clock"]
    );
    let plan = plan(&pipeline).unwrap();
    let barriers = barriers_of(&plan.step[0]);
    // Stages after the loop see the result of the last iteration.
    assert!(barriers[4].orders(Access::ShaderWrite, Access::ShaderRead));
    assert!(barriers[1].orders(Access::ConditionRead, Access::ShaderWrite));
    assert!(barriers[2].orders(Access::ShaderWrite, Access::ConditionRead));
    let flag = field(&pipeline, "flag");
    assert!(
        plan.touched(&pipeline, &plan.step[0], 0)
            .reads
            .contains(&(flag, 0))
    );
    // Stages that may be skipped do not advance a ring.
    let written = field(&pipeline, "a");
    assert!(pipeline.stages.iter().all(|stage| !stage.advances_ring(written)));
}

#[test]
fn long_repeats_are_cut_into_parts_of_sixteen_dispatches_or_four_iterations() {
    // Stages of an iteration, iterations, and iterations of a part; none if the repeat is not worth it.
    for (stages, iterations, part) in [
        (1, 100, Some(4)),
        (3, 100, Some(4)),
        (5, 100, Some(3)),
        (8, 99, Some(2)),
        (16, 20, Some(1)),
        (40, 20, Some(1)),
        (1, 9, Some(4)),
        (1, 8, None),
        (8, 4, None),
        (8, 5, Some(2)),
    ] {
        let work = |number| format!(r#"{{"stage": "work_{number}", "over": 9, "writes": ["a"]}},"#);
        let pipeline = pipeline(&format!(
            r#"{{{BUFFERS_AND_FLAG}, "step": [{{"repeat": "turn", "over": {iterations}, "while": "flag", "stages": [
                {} {{"stage": "decide", "over": 1, "reads": ["b"], "writes": ["flag"]}}]}}]}}"#,
            (1..stages).map(work).collect::<String>()
        ));
        let plan = plan(&pipeline).unwrap();
        let parts = plan.step.iter().filter(|segment| segment.part.is_some());
        let dispatches: Vec<usize> = parts
            .clone()
            .map(|segment| {
                let is_dispatch = |command: &&Command| matches!(command, Command::Dispatch { .. });
                segment.commands.iter().filter(is_dispatch).count()
            })
            .collect();
        let wanted: Vec<usize> = part.map_or(Vec::new(), |part| {
            let left = |first: usize| stages * part.min(iterations - first);
            (0..iterations).step_by(part).map(left).collect()
        });
        assert_eq!(dispatches, wanted, "{iterations} iterations of {stages}");
        // The first part begins with a barrier, since earlier stages may have written any field. Later parts need none: each
        // part ends with a barrier.
        for (number, segment) in parts.enumerate() {
            let is_barrier = |command: Option<&Command>| matches!(command, Some(Command::Barrier(_)));
            assert_eq!(is_barrier(segment.commands.first()), number == 0, "part {number}");
            assert!(is_barrier(segment.commands.last()), "part {number}");
            // The word for the host is no field: stages do not write it, so no barrier within a part is for its sake.
            let inner = barriers_of(segment);
            let inner = &inner[usize::from(number == 0)..inner.len() - 1];
            let waits = |barrier: &Barrier| barrier.orders(Access::ShaderWrite, Access::TransferWrite);
            assert!(!inner.is_empty() && !inner.iter().any(waits), "part {number}");
        }
    }
}

#[test]
fn indirect_counts_have_barriers_before_read_and_overwrite() {
    let pipeline = pipeline(&format!(r#"{{{SPARKS}, "step": [{MOVE}, {EMISSION}]}}"#));
    assert_eq!(lines(&pipeline), ["| move | admit_p | born | emit_p | clock"]);
    let plan = plan(&pipeline).unwrap();
    let barriers = barriers_of(&plan.step[0]);
    // `emit_p` and `admit_p` write the group counts of `move` and `born`, and overwrite them later.
    assert!(barriers[0].orders(Access::ShaderWrite, Access::IndirectRead));
    assert!(barriers[1].orders(Access::IndirectRead, Access::ShaderWrite));
    assert!(barriers[2].orders(Access::ShaderWrite, Access::IndirectRead));
    assert!(barriers[3].orders(Access::IndirectRead, Access::ShaderWrite));
    let live = field(&pipeline, "p_live");
    for (stage, counted) in [("move", 1), ("born", 0)] {
        let number = entry(&pipeline, stage);
        assert!(matches!(plan.groups(List::Step, number), Groups::Indirect { field, .. } if field == live));
        // `admit_p` moves the ring of the live count on.
        assert_eq!(plan.counted(List::Step, number, live, 1), counted, "{stage}");
    }
    let touched = plan.touched(&pipeline, &plan.step[0], 1);
    assert!(touched.reads.contains(&(live, 1)) && touched.reads.contains(&(live, 0)));
}

#[test]
fn partial_and_periodic_writers_write_in_place() {
    let rare = EMISSION
        .replace("\"born\"", "\"rare\"")
        .replace("3},", "3}, \"every\": 2,");
    let pipeline = pipeline(&format!(r#"{{{SPARKS}, "step": [{rare}, {MOVE}, {EMISSION}]}}"#));
    let plan = plan(&pipeline).unwrap();
    let x = field(&pipeline, "p.x");
    assert_eq!(plan.copies(List::Step, entry(&pipeline, "rare"), x, 1), (1, 1));
    assert_eq!(plan.copies(List::Step, entry(&pipeline, "move"), x, 1), (1, 0));
    assert_eq!(plan.copies(List::Step, entry(&pipeline, "born"), x, 1), (0, 0));
}

#[test]
fn growing_sets_have_one_copy() {
    let pipeline = pipeline(&format!(r#"{{{SPARKS}, "step": [{EMISSION}]}}"#));
    assert_eq!(pipeline.fields[field(&pipeline, "p.x")].ring, 1);
    assert_eq!(pipeline.fields[field(&pipeline, "p_live")].ring, 2);
}

#[test]
fn sort_and_removal_work_in_place() {
    let pipeline = pipeline(
        r#"{"run": {"dt": 1}, "particles": {"p": {"capacity": 9, "attributes": {"x": "uint", "dead": "uint"}}}, "step": [
            {"stage": "move", "over": "p", "writes": ["p.x", "p.dead"]},
            {"every": 4, "stages": [{"sort": "p", "by": "p.x", "bits": 8}]},
            {"every": 8, "stages": [{"remove": "p", "where": "p.dead"}]}]}"#,
    );
    for name in ["gather_p_x", "gather_p_x_2", "compact_p_2"] {
        entry(&pipeline, name);
    }
}

#[test]
fn removal_uses_scratch_only_without_a_ring_advance() {
    let removal = r#"{"remove": "p", "where": "p.dead"}"#;
    let first = pipeline(&format!(r#"{{{SPARKS}, "step": [{removal}, {MOVE}]}}"#));
    assert_eq!(
        lines(&first),
        ["| tally_p | scan_p | compact_p | retire_p | move_p_x move_p_dead | move | clock"]
    );
    let last = pipeline(&format!(r#"{{{SPARKS}, "step": [{MOVE}, {removal}]}}"#));
    assert_eq!(
        lines(&last),
        [
            "| move | tally_p | scan_p | compact_p | retire_p | gather_p_x | settle_p_x | gather_p_dead | settle_p_dead | clock"
        ]
    );
    let x = field(&first, "p.x");
    let plan = plan(&first).unwrap();
    assert_eq!(plan.copies(List::Step, entry(&first, "move_p_x"), x, 0), (0, 1));
    assert_eq!(plan.copies(List::Step, entry(&first, "move"), x, 0), (1, 1));
}
