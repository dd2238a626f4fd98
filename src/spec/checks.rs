//! Checks across stages: fields that are read must have values, frames must not affect steps, and instances that write
//! the same channel must have an order.

use std::collections::{BTreeMap, BTreeSet};

use super::program::*;
use super::resolver::Resolver;
use crate::ir::{FieldId, Invocation, List, Pipeline};
use crate::lower::meaning::{Action, ActionKind, Meaning};
use crate::problem::{Problem, Problems};

impl<'f> Resolver<'_, 'f> {
    /// Reports instances of one file that write the same channel without an order in `after`, or run against this
    /// order.
    pub fn check_siblings(&self, meaning: &Meaning) {
        // The first and last action of the list `step` in which an instance writes a field.
        let mut writers: BTreeMap<FieldId, BTreeMap<InstanceId, Option<[usize; 2]>>> = BTreeMap::new();
        for (list, actions) in &meaning.lists {
            let mut position = 0;
            // The order of calls is that of the client.
            let is_called = |action: &Action| matches!(action.kind, ActionKind::Called(_));
            let own = actions.iter().position(is_called).unwrap_or(actions.len());
            visit(&actions[..own], &mut |action| {
                position += 1;
                for field in action.kind.written() {
                    let span = writers
                        .entry(field)
                        .or_default()
                        .entry(action.from.instance)
                        .or_default();
                    if *list == List::Step {
                        *span = Some([span.map_or(position, |[first, _]| first), position]);
                    }
                }
            });
        }
        let channels = self.ids.fields.iter().map(|(at, field)| (*field, at.id));
        let of_fields: BTreeMap<FieldId, ChannelId> = channels.collect();
        let mut reported = BTreeSet::new();
        for (field, writers) in &writers {
            let Some(channel) = of_fields.get(field) else {
                continue;
            };
            for (one, span) in writers {
                for (other, other_span) in writers.range(..one) {
                    let Some((earlier, later)) = self.siblings(*other, *one) else {
                        continue;
                    };
                    let (mut order, mut spans) = ([earlier, later], [*other_span, *span]);
                    if self.comes_after(earlier, later) {
                        (order, spans) = ([later, earlier], [*span, *other_span]);
                    }
                    let is_ordered = self.comes_after(order[1], order[0]);
                    let runs_so = spans[0]
                        .zip(spans[1])
                        .is_none_or(|([_, last], [first, _])| last < first);
                    if !(is_ordered && runs_so) && reported.insert((order, is_ordered)) {
                        self.report_siblings(order, is_ordered, &self.program.channels[*channel].full);
                    }
                }
            }
        }
    }

    fn comes_after(&self, later: InstanceId, earlier: InstanceId) -> bool {
        self.program.instances[later].after.contains(&earlier)
    }

    /// The ancestors of two instances that belong to the same file, or these instances themselves. `None` if one of the
    /// two contains the other.
    fn siblings(&self, one: InstanceId, other: InstanceId) -> Option<(InstanceId, InstanceId)> {
        let line = |mut instance: InstanceId| {
            let mut line = vec![instance];
            while let Some((user, _)) = self.program.instances[instance].user {
                line.push(user);
                instance = user;
            }
            line.reverse();
            line
        };
        let (one, other) = (line(one), line(other));
        let at = one.iter().zip(&other).position(|(one, other)| one != other)?;
        Some((one[at], other[at]))
    }

    fn report_siblings(&self, [earlier, later]: [InstanceId; 2], is_ordered: bool, channel: &str) {
        let found = |id: InstanceId| &self.program.instances[id];
        let (Some((_, key)), Some((_, other))) = (found(later).user, found(earlier).user) else {
            return;
        };
        let [first, second] = [earlier, later].map(|id| found(id).path.as_str());
        let name = first.rsplit('.').next().unwrap_or(first);
        let problem = if is_ordered {
            Problem::at_place(
                key.clone(),
                format!("`{second}` comes after `{first}`, but writes `{channel}` before it in `step`"),
            )
            .help("change the order in `step`, or `after`")
        } else {
            Problem::at_place(key.clone(), format!("`{first}` and `{second}` both write `{channel}`")).help(format!(
                "add \"after\": [\"{name}\"] to the instance whose stages come later, or give one of them another channel in \
                 `roles`"
            ))
        };
        self.program.report(problem.note("the other", other));
    }
}

fn visit(actions: &[Action], act: &mut dyn FnMut(&Action)) {
    for action in actions {
        match &action.kind {
            ActionKind::Loop(inner) => inner
                .iterations
                .iter()
                .take(1)
                .for_each(|actions| visit(actions, act)),
            _ => act(action),
        }
    }
}

/// Reports reads of fields without values, and fields that both frames and steps use and frames write: frame stages run
/// only for frames that are output, so outputs would change the simulation.
pub fn inconsistencies(pipeline: &Pipeline) -> Problems {
    let written = |list: &[Invocation]| -> BTreeSet<FieldId> {
        // Filling new blocks with backgrounds does not count as writing.
        let stages = list
            .iter()
            .map(|entry| &pipeline.stages[entry.stage])
            .filter(|stage| stage.computes_values());
        // A swapped field is written under one name and read under another.
        stages
            .flat_map(|stage| stage.writes())
            .map(|field| pipeline.swaps.family(*field))
            .collect()
    };
    let has = |list: &BTreeSet<FieldId>, field: &FieldId| list.contains(&pipeline.swaps.family(*field));
    let given = |field: &FieldId| {
        let mut fields = pipeline.fields.iter().enumerate();
        fields.any(|(other, found)| found.given && pipeline.swaps.share(other, *field))
    };
    let (init, step, frame) = (
        written(&pipeline.init),
        written(&pipeline.step),
        written(&pipeline.frame),
    );
    let read: BTreeSet<FieldId> = (pipeline.step.iter())
        .map(|entry| &pipeline.stages[entry.stage])
        .flat_map(|stage| stage.reads().iter().chain(&stage.conditions))
        .map(|field| pipeline.swaps.family(*field))
        .collect();
    let mut problems = Problems::default();
    let mut reported = BTreeSet::new();
    let mut rewritten = BTreeSet::new();
    for stage in &pipeline.stages {
        let of_frame = stage.list == List::Frame;
        for (position, field) in stage.reads().iter().enumerate() {
            let name = &pipeline.fields[*field].name;
            let pointer = format!("{}/reads/{position}", stage.pointer);
            let simulated = has(&init, field) || has(&step, field) || given(field);
            if !simulated && !has(&frame, field) {
                // One cause, however many stages read it.
                if reported.insert(pipeline.swaps.family(*field)) {
                    problems.push(never_written(pipeline, &stage.name, *field, pointer));
                }
            } else if !simulated && !of_frame {
                let message = format!(
                    "stage `{}` reads `{name}`, which only frame stages write",
                    stage.name
                );
                let help = "frame stages run only for frames that outputs use; write it in `step`";
                problems.push(Problem::new(pointer, message).help(help));
            }
        }
        for (position, field) in stage.writes().iter().enumerate().filter(|_| of_frame) {
            // Fields that only frames write are reported at the step that reads them.
            let simulated = has(&init, field) || given(field);
            let verb = match (has(&step, field), has(&read, field) && simulated) {
                (true, _) => "write too",
                (false, true) => "read",
                (false, false) => continue,
            };
            // The engine's stages of an entry may write one field several times.
            if !rewritten.insert((&stage.pointer, pipeline.swaps.family(*field))) {
                continue;
            }
            let name = &pipeline.fields[*field].name;
            let message = format!("frame stage `{}` writes `{name}`, which steps {verb}", stage.name);
            let help =
                "frame stages run only for frames that outputs use, so they must not change the simulation";
            problems.push(Problem::new(format!("{}/writes/{position}", stage.pointer), message).help(help));
        }
    }
    let filled = |field: &FieldId| [&init, &step, &frame].iter().any(|list| has(list, field)) || given(field);
    report_outputs(pipeline, &filled, &mut problems);
    problems
}

/// Reports columns and triangles of outputs that are not filled.
fn report_outputs(pipeline: &Pipeline, filled: &dyn Fn(&FieldId) -> bool, problems: &mut Problems) {
    for output in &pipeline.outputs {
        // In an output of a whole resource, unwritten fields contain their backgrounds.
        let is_whole = !output.source.contains(',') && pipeline.field(&output.source).is_none();
        let columns = output.fields.iter().take(output.content.column_parts());
        let columns = columns.filter(|_| !is_whole).map(|field| ("source", field));
        let faces = output.content.faces.iter();
        let faces = faces.map(|faces| ("faces", &output.fields[faces.part]));
        for (key, field) in columns.chain(faces).filter(|(_, field)| !filled(field)) {
            let pointer = format!("/outputs/{}/{key}", pointer_of(&output.name));
            problems.push(unwritten(pipeline, *field, &pointer));
        }
    }
}

/// The problem of a stage, at `pointer`, that reads a field without values. If the field is a channel that a role needs,
/// the problem is of the instance.
fn never_written(pipeline: &Pipeline, stage: &str, field: FieldId, pointer: String) -> Problem {
    let found = &pipeline.fields[field];
    let (name, resource) = (&found.name, &pipeline.resources[found.resource].name);
    let message = format!("stage `{stage}` reads `{name}`, which nothing writes");
    let needed = found
        .pointer
        .rsplit_once("/module/roles/")
        .and_then(|(instance, rest)| {
            let [role, _, channel] = rest.split('/').collect::<Vec<_>>()[..] else {
                return None;
            };
            (!found.pointer.contains("/adds/")).then_some((instance, role, channel))
        });
    let Some((instance, role, channel)) = needed else {
        let help = "list it in the `writes` of a stage, or give it a `background` (or `values`)";
        return Problem::new(pointer, message).help(help);
    };
    Problem::on_key(
        instance,
        format!("{message}: the role `{role}` needs a channel `{channel}`, and `{resource}` has none"),
    )
    .help(format!(
        "name a channel of `{resource}` for it, \"roles\": {{\"{role}.{channel}\": \"{resource}.CHANNEL\"}}, or write `{name}` in a \
         stage"
    ))
}

/// The problem of an output or series with a field that is never written.
pub(super) fn unwritten(pipeline: &Pipeline, field: FieldId, pointer: &str) -> Problem {
    let message = format!("nothing writes `{}`", pipeline.fields[field].name);
    Problem::new(pointer, message).help("list it in the `writes` of a stage")
}

fn pointer_of(name: &str) -> String {
    crate::problem::pointer_part(name)
}
