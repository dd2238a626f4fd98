//! One value in every element of a field.

use super::Entry;
use crate::element::Element;
use crate::ir::{Domain, Draft, FieldId, Pipeline};

/// Most invocations: each fills as many words as it takes.
const MOST_INVOCATIONS: u64 = 1 << 22;

/// The stage that fills a field. Its argument is a [`pattern`].
pub(crate) fn fill(pipeline: &Pipeline, field: FieldId, entry: Entry) -> Draft {
    let target = &pipeline.fields[field];
    let components = u64::from(target.element.components());
    let words = pipeline.elements_of(field) * components;
    let name = format!("fill_{}{}", target.symbol(), entry.suffix);
    let domain = Domain::list(words.min(MOST_INVOCATIONS), Some(target.resource));
    let mut stage = entry.draft(name, "engine/fill.comp", domain);
    stage.call("target", target.resource);
    stage.words("target_words", field, true);
    stage.arguments.push(("pattern".into(), Element::Uvec4));
    stage.constants = vec![
        ("COMPONENTS".into(), components as f64),
        ("WORDS_LOW".into(), (words & 0xffff_ffff) as f64),
        ("WORDS_HIGH".into(), (words >> 32) as f64),
    ];
    stage
}

/// The bits of a value, as the stage takes them.
pub(crate) fn pattern(bits: &[u32]) -> Vec<u32> {
    (0..4)
        .map(|component| bits.get(component).copied().unwrap_or(0))
        .collect()
}
