//! Refuses pipelines whose cut would not pay, and counts what others cost.

use super::super::{FieldId, Pipeline, Reach, Stage, StageId, max_elements};
use super::shares;
use super::types::MAX_REPEATED;
use super::{Cut, Reason, Share, Uncut, Whole};

/// Least number of gathered bytes that a notice states: an exchange of fewer takes as long as one of halos.
const MIN_NOTICED: u64 = 100_000;

/// Checks the stages of `step`. Returns notices about the fields that they gather.
pub(super) fn check(pipeline: &Pipeline, cut: &Cut, whole: &Whole) -> Result<Vec<String>, Vec<Uncut>> {
    if let Whole::Stages(names) = whole {
        let is_known = |name: &String| pipeline.stages.iter().any(|stage| stage.name == *name);
        if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
            return Err(Uncut::request(format!(
                "`--whole` names `{unknown}`, but no stage has this name"
            )));
        }
    }
    let written = families_written_in_parts(pipeline, cut);
    let (mut uncut, mut notices) = (Vec::new(), Vec::new());
    let mut seen = Vec::new();
    for entry in &pipeline.step {
        if seen.contains(&entry.stage) {
            continue;
        }
        seen.push(entry.stage);
        let stage = &pipeline.stages[entry.stage];
        if pipeline.sorts_cut_set(cut, stage) {
            continue;
        }
        let gathered = gathered(pipeline, cut, entry.stage, &written);
        let bytes: u64 = gathered.iter().map(|field| pipeline.field_bytes(*field)).sum();
        let cause = cause(pipeline, cut, entry.stage, &gathered);
        let crossing = if gathered.is_empty() {
            pipeline.crossing(cut, entry.stage)
        } else {
            0
        };
        let is_engines = pipeline.built_in(stage).is_some();
        let is_allowed = is_engines || stage.may_run_whole || is_named(whole, stage);
        match cause {
            Some(cause) if !is_allowed => uncut.push(Uncut {
                pointer: Some(stage.pointer.clone()),
                message: format!("stage `{}` cannot be cut into parts: it {cause}", stage.name),
                help: Some(match cut.shares[entry.stage] {
                    Share::Everywhere(Reason::FewTiles(_)) => {
                        "cut along another axis with `--cut`, or let every rank run it whole".into()
                    }
                    Share::Everywhere(Reason::Halved(..) | Reason::FewLines(..)) => {
                        "cut along other axes with `--cut`, or let every rank run it whole".into()
                    }
                    Share::Everywhere(Reason::Columns) => {
                        "cut along x and y alone with `--cut`, or let every rank run it whole".into()
                    }
                    _ => "state a reach in its kernel, such as `#pragma reach air_u 2`, or let every rank run it whole".into(),
                }),
            }),
            Some(cause) if stage.may_run_whole && gathered.is_empty() => {
                notices.push(format!("every rank runs `{}` whole: it {cause}", stage.name));
            }
            _ if crossing >= MIN_NOTICED => {
                let (size, name, when) = (size(crossing), &stage.name, when(stage));
                notices.push(format!("ranks exchange {size} {when} before `{name}`, between parts and whole lines"));
            }
            _ if bytes >= MIN_NOTICED => {
                // Also under a condition that steps change: the host does not know its value in advance.
                let constant = stage.conditions.first().filter(|field| !pipeline.steps_change(**field));
                let unless = constant.map_or(String::new(), |field| {
                    format!(", unless `{}` is 0", pipeline.fields[*field].name)
                });
                let (size, name) = (size(bytes), &stage.name);
                let when = when(stage);
                notices.push(format!("every rank gathers {size} {when} for `{name}`{unless}"));
            }
            _ => {}
        }
    }
    if uncut.is_empty() { Ok(notices) } else { Err(uncut) }
}

fn when(stage: &Stage) -> String {
    match stage.every {
        1 => "in every step".to_string(),
        steps => format!("every {steps} steps"),
    }
}

fn is_named(whole: &Whole, stage: &Stage) -> bool {
    match whole {
        Whole::None => false,
        Whole::Stages(names) => names.contains(&stage.name),
        Whole::All => true,
    }
}

/// The families of fields whose halos become invalid in every step.
fn families_written_in_parts(pipeline: &Pipeline, cut: &Cut) -> Vec<FieldId> {
    let family = |field: &FieldId| pipeline.swaps.family(*field);
    let mut written: Vec<FieldId> = Vec::new();
    let step = || pipeline.step.iter().map(|entry| entry.stage);
    for id in step().filter(|id| cut.grow(*id).is_some()) {
        let fields = pipeline.stages[id].writes().iter();
        written.extend(fields.filter(|field| !pipeline.is_request(**field)).map(family));
    }
    // Copies spread it.
    loop {
        let before = written.len();
        for stage in step().map(|id| &pipeline.stages[id]) {
            let copies = pipeline.built_in(stage) == Some("engine/copy.comp");
            if copies && stage.reads().iter().any(|field| written.contains(&family(field))) {
                let new = stage.writes().iter().map(family);
                written.extend(new.filter(|field| !written.contains(field)).collect::<Vec<_>>());
            }
        }
        if written.len() == before {
            return written;
        }
    }
}

/// The fields written in parts that a stage needs as a whole.
fn gathered(pipeline: &Pipeline, cut: &Cut, id: StageId, written: &[FieldId]) -> Vec<FieldId> {
    let (stage, share) = (&pipeline.stages[id], &cut.shares[id]);
    let is_part = matches!(share, Share::Part { .. });
    if is_part && stage.lines.is_some() {
        return Vec::new();
    }
    if pipeline.built_in(stage) == Some("engine/copy.comp") || is_part && pipeline.is_reduction(stage) {
        return Vec::new();
    }
    let locals = &pipeline.kernel_of(stage).signature.fields;
    let accesses = locals.iter().zip(&stage.bindings);
    // It reads the particles of this rank alone.
    let own = cut.set_of(stage).filter(|_| is_part).map(|set| set.set());
    let is_own = |field: &FieldId| Some(pipeline.fields[*field].resource) == own;
    let is_whole = |reach: Reach| matches!(share, Share::Everywhere(_)) || reach == Reach::Anywhere;
    let mut fields: Vec<FieldId> = accesses
        .filter(|(local, _)| local.reads && is_whole(local.reach.all))
        .map(|(_, field)| *field)
        .filter(|field| !is_own(field) && written.contains(&pipeline.swaps.family(*field)))
        .collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

/// Why a stage of `step` should not run on ranks, as the end of a sentence about it.
fn cause(pipeline: &Pipeline, cut: &Cut, id: StageId, gathered: &[FieldId]) -> Option<String> {
    let stage = &pipeline.stages[id];
    let grid = |field: &FieldId| cut.grid(pipeline.fields[*field].resource);
    // A small level, or the results of tiles. Levels with few tiles are small as well.
    let has_few_tiles = matches!(cut.shares[id], Share::Everywhere(Reason::FewTiles(_)));
    let is_small = |field: &FieldId| match grid(field) {
        Some(grid) if !has_few_tiles && pipeline.resources[grid.id].is_grid() => grid.is_small,
        _ => pipeline.elements_of(*field) <= MAX_REPEATED,
    };
    let are_small = gathered.iter().all(is_small);
    let is_cheap =
        |reason: &Reason| matches!(reason, Reason::Coarse(_)) || elements(pipeline, stage) <= MAX_REPEATED;
    let field = gathered.first().map(|field| &pipeline.fields[*field].name);
    match (&cut.shares[id], field) {
        (Share::Part { .. }, Some(_)) if are_small => None,
        (Share::Part { .. }, Some(field)) => {
            Some(format!("reads `{field}` anywhere, and steps write it in parts"))
        }
        (Share::Everywhere(reason), Some(_)) if are_small && is_cheap(reason) => None,
        (Share::Everywhere(reason), Some(field)) => Some(format!(
            "{}, and it reads `{field}`, which steps write in parts",
            shares::reason(reason, pipeline)
        )),
        (Share::Everywhere(reason), None) if !is_cheap(reason) => Some(shares::reason(reason, pipeline)),
        _ => None,
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.0} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// Elements that a stage runs over, at most.
fn elements(pipeline: &Pipeline, stage: &Stage) -> u64 {
    let size: u64 = stage.domain.size.iter().product();
    let resource = stage.domain.resource.map(|id| &pipeline.resources[id]);
    // Not every cell of a sparse grid belongs to its blocks or columns.
    let counted = resource.filter(|resource| resource.sparse().is_none() || stage.domain.over.is_counted());
    size.max(counted.map_or(0, max_elements))
}
