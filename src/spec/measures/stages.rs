//! The stages and fields that measures add to a pipeline, always after those that it has.

use std::collections::BTreeSet;

use super::super::model::*;
use super::super::sparse::engine_stage;
use super::super::{Element, FieldId};
use super::SeriesPlan;

/// Invocations of a workgroup of the stages that go over whole fields.
pub(super) const GROUP: u32 = 256;
/// Elements that an invocation takes one after the other, until there are more of them than so many groups take.
const ELEMENTS_EACH: u64 = 16;
const MOST_GROUPS: u64 = 1024;
/// Most items, resources and sparse grids of one stage; the interface has constants for not many more.
const MOST_ITEMS: usize = 64;
const MOST_RESOURCES: usize = 48;
const MOST_GRIDS: usize = 8;

/// Workgroups that go over an item. They follow from its size alone, so that sums are added up in the same order on
/// every device and whatever else is measured.
pub(super) fn groups(pipeline: &Pipeline, item: &Measured) -> u32 {
    let elements = match item.only {
        Some(_) => 1,
        None => pipeline.resources[pipeline.fields[item.field].resource].elements(),
    };
    elements
        .div_ceil(u64::from(GROUP) * ELEMENTS_EACH)
        .clamp(1, MOST_GROUPS) as u32
}

/// A buffer of words.
pub(super) fn words(
    pipeline: &mut Pipeline,
    name: &str,
    length: u64,
    background: u32,
    home: Home,
    values: Option<Vec<u32>>,
) -> FieldId {
    pipeline.resources.push(Resource {
        name: name.to_string(),
        kind: Kind::Buffer,
        size: [length, 1, 1],
        origin: [0.0; 3],
        spacing: [1.0; 3],
        sparse: None,
        live: None,
    });
    pipeline.fields.push(Field {
        name: name.to_string(),
        resource: pipeline.resources.len() - 1,
        element: Element::Uint,
        background: f64::from(background),
        given: true,
        bounds: None,
        values,
        ring: 1,
        home,
    });
    pipeline.fields.len() - 1
}

/// What a stage reads that measures items: fields, live counts, and the pages of sparse grids.
fn reads(pipeline: &Pipeline, items: &[Measured]) -> BTreeSet<FieldId> {
    let mut reads = BTreeSet::new();
    for item in items {
        reads.insert(item.field);
        let resource = &pipeline.resources[pipeline.fields[item.field].resource];
        reads.extend(resource.live);
        if let Some(grid) = pipeline.sparse_of(item.field) {
            let pages = grid.fields;
            reads.extend([pages.axes, pages.active, pages.table, pages.list, pages.header]);
        }
    }
    reads
}

/// Cuts a list of items into ones that a stage can take, each with the number of its first item.
pub(super) fn batches<'a>(pipeline: &Pipeline, items: &'a [Measured]) -> Vec<(usize, &'a [Measured])> {
    let fits = |items: &[Measured]| {
        let resources: BTreeSet<ResourceId> = reads(pipeline, items)
            .into_iter()
            .map(|field| pipeline.fields[field].resource)
            .collect();
        let sparse = |id: &&ResourceId| pipeline.resources[**id].sparse.is_some();
        items.len() <= MOST_ITEMS
            && resources.len() <= MOST_RESOURCES
            && resources.iter().filter(sparse).count() <= MOST_GRIDS
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

/// A stage over items: `axes` 2 for one whose workgroups go over whole fields, 1 for an invocation per item.
pub(super) fn measuring_stage(
    pipeline: &Pipeline,
    name: &str,
    shader: &str,
    items: &[Measured],
    axes: u32,
    pointer: &str,
) -> Stage {
    let most = items.iter().map(|item| groups(pipeline, item)).max().unwrap_or(1);
    let count = items.len() as u64;
    let size = match axes {
        1 => [count, 1, 1],
        _ => [u64::from(most) * u64::from(GROUP), count, 1],
    };
    let domain = Domain {
        size,
        axes,
        resource: None,
        over: Over::Elements,
        per_invocation: 1,
    };
    let mut stage = engine_stage(name.to_string(), &format!("measure/{shader}"), domain, pointer);
    if axes == 2 {
        stage.stated.workgroup = Some([GROUP, 1, 1]);
        stage.shape = stage.stated.on(DeviceClass::Gpu, axes);
    }
    stage.reads = reads(pipeline, items).into_iter().collect();
    stage.measured = items.to_vec();
    // The row of the stage's first item in the table of items.
    stage.arguments = vec![("first".into(), Element::Uint)];
    stage
}

/// The dispatch of a measuring stage whose first item is that of a row.
pub(super) fn dispatch(stage: StageId, first: usize) -> Invocation {
    Invocation {
        stage,
        values: vec![vec![first as u32]],
    }
}

/// Adds the stages of a series to the frame stages.
pub(in super::super) fn add_series(pipeline: &mut Pipeline, plan: SeriesPlan) {
    let groups: Vec<u32> = plan.items.iter().map(|item| groups(pipeline, item)).collect();
    let partials: u32 = groups.iter().sum();
    let mut table = Vec::new();
    let mut first = 0;
    for (item, groups) in plan.items.iter().zip(&groups) {
        table.extend([*groups, first, 0, pipeline.class_of(item) as u32]);
        first += groups;
    }
    // Names of the file never start with sg_.
    let prefix = format!("sg_series_{}", pipeline.series.len());
    let rows = words(
        pipeline,
        &format!("{prefix}_items"),
        table.len().max(1) as u64,
        0,
        Home::Device,
        (!table.is_empty()).then_some(table),
    );
    let partials = words(
        pipeline,
        &format!("{prefix}_partials"),
        PARTIAL_WORDS * u64::from(partials.max(1)),
        0,
        Home::Device,
        None,
    );
    for (number, (first, items)) in batches(pipeline, &plan.items).into_iter().enumerate() {
        let name = match number {
            0 => format!("measure-{}", plan.name),
            more => format!("measure-{}-{}", plan.name, more + 1),
        };
        let mut stage = measuring_stage(pipeline, &name, "partials.comp", items, 2, &plan.pointer);
        stage.reads.push(rows);
        stage.writes = vec![partials];
        // Outputs write frames n, 2 n, ... counted from 1.
        (stage.every, stage.first) = (plan.every, plan.every - 1);
        stage.aliases = vec![
            ("measure_items".into(), format!("{prefix}_items")),
            ("set_measure_partials".into(), format!("set_{prefix}_partials")),
        ];
        pipeline.frame.push(dispatch(pipeline.stages.len(), first));
        pipeline.stages.push(stage);
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
