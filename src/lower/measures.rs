//! Stages and fields for series. They are added after all others of the pipeline.

use std::collections::BTreeSet;

use super::DraftContext;
use super::meaning::{Meaning, SeriesPlan};
use crate::element::Element;
use crate::ir::{
    Domain, Draft, FieldId, ITEM_WORDS, Invocation, List, Measured, PARTIAL_WORDS, Pipeline, Purpose,
    ResourceId, Series, StageId, Start,
};

/// Workgroup size of the stages over whole fields.
pub(super) const GROUP: u32 = 256;
/// Elements per invocation, unless this requires more than the largest number of workgroups.
const ELEMENTS_EACH: u64 = 16;
const MAX_GROUPS: u64 = 1024;
/// Largest numbers of items, resources and sparse grids of a stage. The limits of the interface are slightly higher.
const MAX_ITEMS: usize = 64;
const MAX_RESOURCES: usize = 48;
const MAX_GRIDS: usize = 8;

/// Number of workgroups for an item.
pub(super) fn groups_of(pipeline: &Pipeline, item: &Measured) -> u32 {
    groups(match item.only {
        Some(_) => 1,
        None => {
            let entries = item.entry.map_or(pipeline.fields[item.field].entries(), |_| 1);
            pipeline.elements_of(item.field) * entries
        }
    })
}

/// Number of workgroups for a number of elements. It depends on nothing else, so that sums have the same order on every
/// device and with every set of measures.
pub(super) fn groups(elements: u64) -> u32 {
    elements
        .div_ceil(u64::from(GROUP) * ELEMENTS_EACH)
        .clamp(1, MAX_GROUPS) as u32
}

/// A buffer with a table of items.
pub(super) fn table(pipeline: &mut Pipeline, name: &str, words: Vec<u32>) -> FieldId {
    let field = pipeline.add_words(name, words.len().max(1) as u64);
    if !words.is_empty() {
        pipeline.fields[field].start = Start::words(&words);
    }
    field
}

/// The fields that a stage reads to measure items: the measured fields, live counts, and page fields of sparse grids.
pub(super) fn reads(pipeline: &Pipeline, items: &[Measured]) -> BTreeSet<FieldId> {
    let mut reads = BTreeSet::new();
    for item in items {
        reads.insert(item.field);
        let resource = &pipeline.resources[pipeline.fields[item.field].resource];
        reads.extend(resource.live());
        if let Some(grid) = pipeline.sparse_of(item.field) {
            let pages = grid.fields;
            reads.extend([pages.axes, pages.active, pages.table, pages.list, pages.header]);
        }
    }
    reads
}

/// Splits a list of items into portions for one stage each, with the number of the first item.
pub(super) fn batches<'a>(pipeline: &Pipeline, items: &'a [Measured]) -> Vec<(usize, &'a [Measured])> {
    let fits = |items: &[Measured]| {
        let resources: BTreeSet<ResourceId> = reads(pipeline, items)
            .into_iter()
            .map(|field| pipeline.fields[field].resource)
            .collect();
        let sparse = |id: &&ResourceId| pipeline.resources[**id].sparse().is_some();
        items.len() <= MAX_ITEMS
            && resources.len() <= MAX_RESOURCES
            && resources.iter().filter(sparse).count() <= MAX_GRIDS
    };
    let mut batches = Vec::new();
    let mut first = 0;
    for end in 1..=items.len() {
        if end == items.len() || !fits(&items[first..=end]) {
            batches.push((first, &items[first..end]));
            first = end;
        }
    }
    batches
}

/// A stage over items. With `axes` 2, workgroups go over whole fields; with 1, there is one invocation per item.
pub(super) fn measuring_stage(
    pipeline: &Pipeline,
    name: &str,
    shader: &'static str,
    items: &[Measured],
    axes: u32,
    entry: DraftContext,
) -> Draft {
    let most = items
        .iter()
        .map(|item| groups_of(pipeline, item))
        .max()
        .unwrap_or(1);
    let count = items.len() as u64;
    let size = match axes {
        1 => [count, 1, 1],
        _ => [u64::from(most) * u64::from(GROUP), count, 1],
    };
    let mut stage = entry.draft(name, shader, Domain::elements(size, axes, None));
    if axes == 2 {
        stage.stated.workgroup = Some([GROUP, 1, 1]);
    }
    for field in reads(pipeline, items) {
        stage.read(pipeline.fields[field].symbol(), field);
    }
    stage.measured = items.to_vec();
    stage.purpose = Purpose::Measure;
    // The row of the stage's first item in the table of items.
    stage.arguments = vec![("first".into(), Element::Uint)];
    stage
}

/// The dispatch of a measuring stage whose first item is `first`.
pub(super) fn dispatch(stage: StageId, first: usize) -> Invocation {
    Invocation::new(stage, vec![vec![first as u32]])
}

/// Adds the stages of the series.
pub(super) fn lower(meaning: &mut Meaning) {
    for plan in std::mem::take(&mut meaning.series) {
        add_series(&mut meaning.pipeline, plan);
    }
}

/// Adds the stages of a series to the frame stages.
fn add_series(pipeline: &mut Pipeline, plan: SeriesPlan) {
    let groups: Vec<u32> = plan.items.iter().map(|item| groups_of(pipeline, item)).collect();
    let partials: u32 = groups.iter().sum();
    let mut rows = Vec::new();
    let mut first = 0;
    for (item, groups) in plan.items.iter().zip(&groups) {
        rows.extend([*groups, first, 0, pipeline.class_of(item) as u32]);
        first += groups;
    }
    debug_assert_eq!(rows.len() as u64, ITEM_WORDS * plan.items.len() as u64);
    // Names in pipeline files never start with sg_.
    let prefix = format!("sg_series_{}", pipeline.series.len());
    let rows = table(pipeline, &format!("{prefix}_items"), rows);
    let partials = pipeline.add_words(
        &format!("{prefix}_partials"),
        PARTIAL_WORDS * u64::from(partials.max(1)),
    );
    let entry = DraftContext {
        list: List::Frame,
        every: plan.every,
        suffix: "",
        pointer: &plan.pointer,
    };
    for (number, (first, items)) in batches(pipeline, &plan.items).into_iter().enumerate() {
        let name = match number {
            0 => format!("measure-{}", plan.name),
            more => format!("measure-{}-{}", plan.name, more + 1),
        };
        let mut stage = measuring_stage(pipeline, &name, "measure/partials.comp", items, 2, entry);
        stage.read("measure_items", rows);
        stage.write("measure_partials", partials);
        // Outputs write frames n, 2 n, ... counted from 1.
        stage.first = plan.every - 1;
        let stage = stage.finish(pipeline);
        pipeline.frame.push(dispatch(stage, first));
    }
    pipeline.series.push(Series {
        name: plan.name,
        format: plan.format,
        every: u64::from(plan.every),
        columns: plan.columns,
        items: plan.items,
        groups,
        partials,
    });
}
