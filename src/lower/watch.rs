//! The watch: stages that search for NaN, infinities and values out of bounds, at the end of some steps or, to find the
//! stage that causes them, after every entry of the step list.

use super::DraftContext;
use super::meaning::Meaning;
use super::measures::{batches, dispatch, groups_of, measuring_stage, table};
use crate::element::Element;
use crate::ir::{
    FOUND_WORDS, Field, FieldId, Home, ITEM_WORDS, Invocation, List, Measured, MeasuredPart, Pipeline,
    Purpose, RECORD_WORDS, Stage, StageId, Watch, Watched,
};
use crate::problem::Problem;

/// The number of no step and of no part of a field.
const NEVER: u32 = u32::MAX;
const POINTER: &str = "/run/watch_every";

/// The fields of a watch by default: float fields that steps write, and all fields with bounds.
fn written(pipeline: &Pipeline) -> Vec<FieldId> {
    let writers = |id: FieldId| (pipeline.step.iter()).any(|entry| writes(&pipeline.stages[entry.stage], id));
    (0..pipeline.fields.len())
        .filter(|id| is_watchable(&pipeline.fields[*id]) && writers(*id) && !is_clock(pipeline, *id))
        .collect()
}

/// Clocks hold more than floats.
fn is_clock(pipeline: &Pipeline, field: FieldId) -> bool {
    pipeline.stages.iter().any(|stage| stage.clock == Some(field))
}

fn writes(stage: &Stage, field: FieldId) -> bool {
    stage.computes_values() && stage.writes().contains(&field)
}

fn is_watchable(field: &Field) -> bool {
    let of_floats = field.element.scalar().is_float();
    let of_stages = matches!(field.home, Home::Device | Home::Pages);
    let is_measurable = field.element != Element::Rgba8 && field.element.is_measurable();
    of_stages && is_measurable && (of_floats || field.bounds.is_some())
}

/// The items for a field: all components, four at a time.
fn measured(pipeline: &Pipeline, field: FieldId) -> impl Iterator<Item = Measured> + use<> {
    let components = pipeline.fields[field].element.components();
    (0..components).step_by(4).map(move |first| Measured {
        field,
        part: MeasuredPart::Components(first),
        is_squared: false,
        entry: None,
        only: None,
        within: None,
    })
}

/// Adds the watch that a file asks for.
pub(super) fn lower(meaning: &mut Meaning) {
    let Some(wanted) = meaning.watch.take() else {
        return;
    };
    let fields = wanted.fields.unwrap_or_else(|| written(&meaning.pipeline));
    if fields.is_empty() {
        let problem = Problem::new(POINTER, "there is nothing to watch: steps do not write floats");
        let help = "list `watch_fields`, add `bounds` to channels, or remove `watch_every`";
        return meaning.problems.push(problem.help(help));
    }
    add_watch(&mut meaning.pipeline, wanted.every, &fields);
}

/// Checks fields at the end of steps n, 2 n, ...; replaces an existing watch.
pub fn add_watch(pipeline: &mut Pipeline, every: u32, fields: &[FieldId]) {
    let items: Vec<Measured> = (fields.iter())
        .flat_map(|field| measured(pipeline, *field))
        .collect();
    let mut builder = WatchBuilder::new(pipeline, items.iter().map(|item| (*item, None)).collect(), every);
    let mut entries = Vec::new();
    for (first, items) in batches(builder.pipeline, &items) {
        let number = entries.len() / 2;
        let name = |verb: &str| match number {
            0 => format!("watch-{verb}"),
            more => format!("watch-{verb}-{}", more + 1),
        };
        let [find, note] = builder.stages(
            List::Step,
            [&name("find"), &name("note")],
            items,
            [every, every - 1],
        );
        entries.extend([dispatch(find, first), dispatch(note, first)]);
    }
    let swaps = pipeline.swaps.step.len();
    entries.iter_mut().for_each(|entry| entry.swaps = swaps);
    pipeline.step.extend(entries);
}

/// The pipeline with a check after every entry of the step list, of the float fields and the fields with bounds that the
/// entry writes. All resources, fields and stages keep their numbers; new ones follow them. An existing watch is removed
/// from the steps.
pub fn watched_everywhere(pipeline: &Pipeline) -> Pipeline {
    let mut watched = pipeline.clone();
    let original = std::mem::take(&mut watched.step);
    let original: Vec<Invocation> = (original.into_iter())
        .filter(|entry| pipeline.stages[entry.stage].purpose != Purpose::Measure)
        .collect();
    let of_entry = |entry: &Invocation| -> Vec<Measured> {
        let stage = &pipeline.stages[entry.stage];
        let watchable = |field: &&FieldId| writes(stage, **field) && is_watchable(&pipeline.fields[**field]);
        let fields = stage.writes().iter().filter(watchable);
        fields.flat_map(|field| measured(pipeline, *field)).collect()
    };
    // The fields after the init stages come first, so that what these cause is not blamed on the first step.
    let from_init = written_by_init(pipeline);
    let mut items = from_init.clone();
    for (number, entry) in original.iter().enumerate() {
        items.extend((of_entry(entry).into_iter()).map(|item| (item, Some((entry.stage, number)))));
    }
    let mut builder = WatchBuilder::new(&mut watched, items, 1);
    let measured_by_init: Vec<Measured> = from_init.iter().map(|(item, _)| *item).collect();
    for (number, (first, items)) in batches(pipeline, &measured_by_init).into_iter().enumerate() {
        let name = |verb: &str| format!("watch-init-{verb}-{}", number + 1);
        let stages = builder.stages(List::Init, [&name("find"), &name("note")], items, [1, 0]);
        let looks = stages.map(|stage| Invocation {
            swaps: pipeline.swaps.init.len(),
            ..dispatch(stage, first)
        });
        builder.pipeline.init.extend(looks);
    }
    let mut step = Vec::new();
    let mut row = from_init.len();
    // Entries of one stage share the watching stages, which only write to different records.
    let mut known: Vec<(StageId, Vec<[StageId; 2]>)> = Vec::new();
    for entry in original {
        let (id, items) = (entry.stage, of_entry(&entry));
        let (iteration, swaps) = (entry.iteration, entry.swaps);
        let stage = &pipeline.stages[id];
        let batches = batches(pipeline, &items);
        if !known.iter().any(|(stage, _)| *stage == id) {
            let name = |verb: &str| format!("watch-{}-{verb}", stage.name);
            let rhythm = [stage.every, stage.first];
            let of_batch = |(_, items): &(usize, &[Measured])| {
                builder.stages(List::Step, [&name("find"), &name("note")], items, rhythm)
            };
            known.push((id, batches.iter().map(of_batch).collect()));
        }
        step.push(entry);
        let watches = known.iter().find(|(stage, _)| *stage == id);
        for ((first, _), [find, note]) in batches.iter().zip(watches.into_iter().flat_map(|(_, ids)| ids)) {
            let looks = [*find, *note].map(|stage| Invocation {
                iteration,
                swaps,
                ..dispatch(stage, row + first)
            });
            step.extend(looks);
        }
        row += items.len();
    }
    watched.step = step;
    watched
}

/// An item with the stage after which it is checked, and the number of that entry in its list.
type WatchedAfter = (Measured, Option<(StageId, usize)>);

/// The watchable fields that init stages write, each after the last of its writers. Other stages of the list may complete a
/// field, so its values count only then.
fn written_by_init(pipeline: &Pipeline) -> Vec<WatchedAfter> {
    let mut items = Vec::new();
    for (number, entry) in pipeline.init.iter().enumerate() {
        let later = &pipeline.init[number + 1..];
        let is_last = |field: FieldId| {
            !later
                .iter()
                .any(|entry| writes(&pipeline.stages[entry.stage], field))
        };
        let stage = &pipeline.stages[entry.stage];
        for field in stage.writes().iter().copied() {
            let is_wanted = is_watchable(&pipeline.fields[field]) && !is_clock(pipeline, field);
            if writes(stage, field) && is_wanted && is_last(field) {
                items.extend(measured(pipeline, field).map(|item| (item, Some((entry.stage, number)))));
            }
        }
    }
    items
}

/// Adds a watch to a pipeline.
struct WatchBuilder<'a> {
    pipeline: &'a mut Pipeline,
    rows: FieldId,
    found: FieldId,
    record: FieldId,
}

impl WatchBuilder<'_> {
    fn new(pipeline: &mut Pipeline, items: Vec<WatchedAfter>, every: u32) -> WatchBuilder<'_> {
        let mut rows = Vec::new();
        for (item, _) in &items {
            let field = &pipeline.fields[item.field];
            let class = field.element.class();
            let [least, greatest] = class.good_keys(field.bounds);
            rows.extend([groups_of(pipeline, item), least, greatest, class as u32]);
        }
        let count = items.len().max(1) as u64;
        rows.resize((ITEM_WORDS * count) as usize, 0);
        let earlier = pipeline.watch.is_some();
        let name = |what: &str| {
            if earlier {
                format!("sg_watch_again_{what}")
            } else {
                format!("sg_watch_{what}")
            }
        };
        let rows = table(pipeline, &name("items"), rows);
        let found = pipeline.add_words(&name("found"), FOUND_WORDS * count);
        pipeline.fields[found].background = f64::from(NEVER);
        let record = pipeline.add_words(&name("record"), RECORD_WORDS * count);
        pipeline.fields[record].home = Home::HostReads;
        let watched = |(item, after): (Measured, _)| Watched {
            field: item.field,
            first: match item.part {
                MeasuredPart::Components(first) => first,
                _ => 0,
            },
            after,
        };
        pipeline.watch = Some(Watch {
            every,
            items: items.into_iter().map(watched).collect(),
            record,
        });
        WatchBuilder {
            pipeline,
            rows,
            found,
            record,
        }
    }

    /// The stage that finds the parts of each field with bad values, and the one that records the first of them.
    fn stages(
        &mut self,
        list: List,
        names: [&str; 2],
        items: &[Measured],
        [every, first]: [u32; 2],
    ) -> [StageId; 2] {
        let pipeline = &mut *self.pipeline;
        let entry = DraftContext {
            list,
            every,
            suffix: "",
            pointer: POINTER,
        };
        let mut find = measuring_stage(pipeline, names[0], "measure/find.comp", items, 2, entry);
        let mut note = measuring_stage(pipeline, names[1], "measure/note.comp", items, 1, entry);
        find.write("watch_found", self.found);
        note.write("watch_record", self.record);
        [find, note].map(|mut stage| {
            stage.read("watch_items", self.rows);
            stage.read("watch_found", self.found);
            stage.first = first;
            stage.finish(pipeline)
        })
    }
}
