//! Assignments to fields: one value for every element, or the values of another field.

use super::DraftContext;
use super::meaning::{Action, ActionKind, Meaning};
use crate::element::{Element, words};
use crate::ir::{Domain, Draft, FieldId, Pipeline};

/// Largest number of invocations; each fills as many words as necessary.
const MAX_INVOCATIONS: u64 = 1 << 22;
/// Arguments of the stage with the pattern: only the first one, or all of them.
const PATTERN: [&str; 4] = ["pattern", "pattern_1", "pattern_2", "pattern_3"];

/// Replaces assignments and copies by stages.
pub(super) fn lower(meaning: &mut Meaning) {
    meaning.replace(|meaning, list, action, into| {
        let at = (list, action.every, &action.from);
        let (drafts, field, mut values) = match &action.kind {
            ActionKind::Fill { field, value } => {
                let (field, found) = (*field, &meaning.pipeline.fields[*field]);
                let (resource, element) = (found.resource, found.element);
                let make = |pipeline: &mut Pipeline, _: &mut _, entry: DraftContext| {
                    vec![fill(pipeline, field, entry)]
                };
                (
                    meaning.engine(at, ("fill", resource, &field.to_string()), make),
                    field,
                    pattern(element, value),
                )
            }
            ActionKind::Copy(pair) => {
                let (pair, resource) = (*pair, meaning.pipeline.fields[pair[1]].resource);
                let make = |pipeline: &mut Pipeline, _: &mut _, entry: DraftContext| {
                    vec![copy(pipeline, pair, entry)]
                };
                (
                    meaning.engine(at, ("copy", resource, &format!("{pair:?}")), make),
                    pair[1],
                    Vec::new(),
                )
            }
            _ => return into.push(action),
        };
        values.extend(words_of_level(&meaning.pipeline, field));
        into.extend(
            drafts
                .into_iter()
                .map(|draft| Action::dispatch(draft, values.clone(), action.every, &action.from)),
        );
    });
}

/// The stage that fills a field, all entries of an array. Its arguments are a [`pattern`].
fn fill(pipeline: &Pipeline, field: FieldId, entry: DraftContext) -> Draft {
    let target = &pipeline.fields[field];
    let words = words_of(pipeline, field);
    let period = period(target.element);
    let name = format!("fill_{}{}", target.symbol(), entry.suffix);
    let domain = Domain::list(words.min(MAX_INVOCATIONS), Some(target.resource));
    let (shader, arguments) = if period <= 4 {
        ("engine/fill.comp", 1)
    } else {
        ("engine/fill_long.comp", PATTERN.len())
    };
    let mut stage = entry.draft(name, shader, domain);
    stage.name_resource("target", target.resource);
    stage.write_as("target_words", field, Element::Uint);
    for name in &PATTERN[..arguments] {
        stage.arguments.push(((*name).into(), Element::Uvec4));
    }
    stage.constants = vec![("COMPONENTS".into(), period as f64)];
    count_words(pipeline, field, &mut stage);
    stage
}

/// Passes the number of words of a field to a stage: as constants, or for a level of a grid as its last argument, so that
/// all levels share one pipeline.
fn count_words(pipeline: &Pipeline, field: FieldId, stage: &mut Draft) {
    match words_of_level(pipeline, field) {
        Some(_) => stage.arguments.push(("words".into(), Element::Uint64)),
        None => {
            let words = words_of(pipeline, field);
            let constants = [("WORDS_LOW", words & 0xffff_ffff), ("WORDS_HIGH", words >> 32)];
            let constants = constants.map(|(name, value)| (name.to_string(), value as f64));
            stage.constants.extend(constants);
        }
    }
}

/// Words of a field; buffers end with whole words.
fn words_of(pipeline: &Pipeline, field: FieldId) -> u64 {
    pipeline.field_bytes(field).div_ceil(4)
}

/// The argument with the number of words of a level's field; `None` for other fields.
fn words_of_level(pipeline: &Pipeline, field: FieldId) -> Option<Vec<u32>> {
    let words = words_of(pipeline, field);
    let is_level = pipeline.resource_of(field).level().is_some();
    is_level.then(|| vec![words as u32, (words >> 32) as u32])
}

/// Number of words after which consecutive equal values of a type repeat.
fn period(element: Element) -> u64 {
    let bytes = element.bytes();
    match bytes % 4 {
        0 => bytes / 4,
        2 if bytes > 2 => bytes / 2,
        _ => 1,
    }
}

/// The bytes of a value as arguments of the stage.
fn pattern(element: Element, value: &[u8]) -> Vec<Vec<u32>> {
    let period = period(element) as usize;
    let mut pattern = words(&value.repeat(4 * period / value.len().max(1)));
    pattern.resize(if period <= 4 { 4 } else { 16 }, 0);
    pattern.chunks(4).map(<[u32]>::to_vec).collect()
}

/// The stage that copies a field to another one of the same type and size.
fn copy(pipeline: &Pipeline, [from, to]: [FieldId; 2], entry: DraftContext) -> Draft {
    let [source, target] = [from, to].map(|field| &pipeline.fields[field]);
    let words = words_of(pipeline, to);
    let name = format!("copy_{}_to_{}{}", source.symbol(), target.symbol(), entry.suffix);
    let domain = Domain::list(words.min(MAX_INVOCATIONS), Some(target.resource));
    let mut stage = entry.draft(name, "engine/copy.comp", domain);
    stage.name_resource("target", target.resource);
    if source.resource != target.resource {
        stage.name_resource("source", source.resource);
    }
    stage.read_as("source_words", from, Element::Uint);
    stage.write_as("target_words", to, Element::Uint);
    count_words(pipeline, to, &mut stage);
    stage
}
