//! Checks that span stages: what is read must have come from somewhere, and frames must not feed steps.

use std::collections::BTreeSet;

use super::file::OutputEntryFile;
use super::resolver::Resolver;
use crate::ir::{FieldId, Invocation, List};
use crate::problem::Problem;
use crate::problem::pointer_part;

/// Reports reads of fields that nothing fills, and fields that frames write and steps write or read: frame stages run only
/// for frames that somebody looks at, so outputs would change the simulation.
pub(super) fn check(resolver: &mut Resolver) {
    let pipeline = &resolver.pipeline;
    let written = |list: &[Invocation]| -> BTreeSet<FieldId> {
        // Filling fresh blocks with backgrounds is no source of values.
        list.iter()
            .map(|entry| &pipeline.stages[entry.stage])
            .filter(|stage| stage.computes_values())
            .flat_map(|stage| stage.writes().iter().copied())
            // What is written under one name is read under another one, where they are swapped.
            .map(|field| pipeline.swaps.family(field))
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
    let mut problems = Vec::new();
    for stage in &pipeline.stages {
        let of_frame = stage.list == List::Frame;
        for (position, field) in stage.reads().iter().enumerate() {
            let name = &pipeline.fields[*field].name;
            let pointer = format!("{}/reads/{position}", stage.pointer);
            let simulated = has(&init, field) || has(&step, field) || given(field);
            if !simulated && !has(&frame, field) {
                problems.push(
                    Problem::new(
                        pointer,
                        format!("stage `{}` reads `{name}`, which nothing writes", stage.name),
                    )
                    .help("list it in the `writes` of a stage, or give it a `background` (or `values`)"),
                );
            } else if !simulated && !of_frame {
                problems.push(
                    Problem::new(
                        pointer,
                        format!(
                            "stage `{}` reads `{name}`, which only frame stages write",
                            stage.name
                        ),
                    )
                    .help("frame stages run only for frames that outputs use; write it in `step`"),
                );
            }
        }
        for (position, field) in stage.writes().iter().enumerate().filter(|_| of_frame) {
            // What nothing but frames write is reported where steps read it.
            let simulated = has(&init, field) || given(field);
            let verb = match (has(&step, field), has(&read, field) && simulated) {
                (true, _) => "write too",
                (false, true) => "read",
                (false, false) => continue,
            };
            let name = &pipeline.fields[*field].name;
            problems.push(
                Problem::new(
                    format!("{}/writes/{position}", stage.pointer),
                    format!("frame stage `{}` writes `{name}`, which steps {verb}", stage.name),
                )
                .help(
                    "frame stages run only for frames that outputs use, so they must not change the \
                       simulation",
                ),
            );
        }
    }
    for (name, output) in &resolver.file.outputs {
        let OutputEntryFile::Fields(output) = output else {
            continue;
        };
        let pointer = format!("/outputs/{}", pointer_part(name));
        // A level that is not there is reported with the outputs.
        let Ok(source) = resolver.settled(&output.source, &pointer) else {
            continue;
        };
        let filled =
            |field: &FieldId| [&init, &step, &frame].iter().any(|list| has(list, field)) || given(field);
        // Of a whole resource, what nobody writes holds its background in files too.
        let listed = output.fields.iter().flatten().enumerate();
        let named = match &output.fields {
            None => vec![(source.to_string(), format!("{pointer}/source"))],
            Some(_) => listed
                .map(|(number, field)| (format!("{source}.{field}"), format!("{pointer}/fields/{number}")))
                .collect(),
        };
        for (name, pointer) in named {
            let Some(field) = resolver.field_ids.get(&name) else {
                continue;
            };
            if !filled(field) {
                problems.push(
                    Problem::new(pointer, format!("nothing writes `{name}`"))
                        .help("list it in the `writes` of a stage"),
                );
            }
        }
    }
    problems
        .into_iter()
        .for_each(|problem| resolver.problems.push(problem));
}
