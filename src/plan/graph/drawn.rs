//! Stages as nodes and hazards as edges.

use std::fmt::Write;

use super::super::List;
use super::super::hazards::hazards;
use super::{LISTS, line};
use crate::ir::{FieldId, Invocation, Pipeline};

/// For Graphviz: stages as nodes in clusters, direct hazards as edges.
pub fn dot(pipeline: &Pipeline) -> String {
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

/// For Mermaid.
pub fn mermaid(pipeline: &Pipeline) -> String {
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
                    let writes = |entry: &Invocation| {
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
