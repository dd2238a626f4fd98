//! Whether a state is worth going on from: one with values in it that the watch would find is not kept.

use crate::ir::{Class, Field, FieldId, Home, Pipeline};
use crate::run::error::RunError;
use crate::run::state::State;

/// Whether every watched field of a state holds finite values within its bounds. All is sound without a watch.
pub(super) fn is_sound(state: &State, pipeline: &Pipeline) -> Result<bool, RunError> {
    let items = pipeline.watch.iter().flat_map(|watch| &watch.items);
    for item in items {
        if !is_field_sound(state, pipeline, item.field)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_field_sound(state: &State, pipeline: &Pipeline, id: FieldId) -> Result<bool, RunError> {
    let field = &pipeline.fields[id];
    let good = |bytes: &[u8]| bytes.chunks_exact(4).all(|word| is_good(word, field));
    let resource = &pipeline.resources[field.resource];
    if let (Home::Pages, Some(grid)) = (field.home, pipeline.sparse_of(id)) {
        let channel = grid
            .channels
            .iter()
            .position(|channel| *channel == id)
            .unwrap_or(0);
        let first = grid.layout.channel_offset(channel) as usize;
        let bytes = (grid.layout.cells_per_block() * field.element.bytes()) as usize;
        let prefix = format!("{} blocks ", resource.name);
        for part in state.parts.iter().filter(|part| part.name.starts_with(&prefix)) {
            let blocks = part.bytes()?.chunks_exact(grid.layout.block_bytes as usize);
            if !blocks.map(|block| &block[first..first + bytes]).all(good) {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    let Some(bytes) = newest(state, field)? else {
        return Ok(true);
    };
    let live = match resource.live() {
        Some(live) => newest(state, &pipeline.fields[live])?.and_then(|bytes| bytes.first_chunk()),
        None => None,
    };
    let bytes = match live {
        // The rest of a set that grows is leftovers.
        Some(count) => {
            let live = u64::from(u32::from_le_bytes(*count)) * field.element.bytes();
            &bytes[..bytes.len().min(live as usize)]
        }
        None => bytes,
    };
    Ok(good(bytes))
}

/// The copy of a field's ring that is the newest.
fn newest<'a>(state: &'a State, field: &Field) -> Result<Option<&'a [u8]>, RunError> {
    let name = format!("{}[{}]", field.name, state.steps % u64::from(field.ring));
    let part = state.parts.iter().find(|part| part.name == name);
    part.map(|part| part.bytes()).transpose()
}

fn is_good(word: &[u8], field: &Field) -> bool {
    let bits = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
    let value = match field.element.class() {
        Class::Float => f64::from(f32::from_bits(bits)),
        Class::Int => f64::from(bits.cast_signed()),
        Class::Uint => f64::from(bits),
    };
    let [least, greatest] = field.bounds.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    value.is_finite() && (least..=greatest).contains(&value)
}
