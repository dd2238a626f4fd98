//! Checks states before they become checkpoints: states with values that the watch rejects are not kept.

use crate::ir::{Field, FieldId, Home, Pipeline};
use crate::run::error::RunError;
use crate::run::state::SimulationState;

/// Returns true if every watched field of a state holds finite values within its bounds. Without a watch, every state is valid.
pub(super) fn is_valid(state: &SimulationState, pipeline: &Pipeline) -> Result<bool, RunError> {
    let items = pipeline.watch.iter().flat_map(|watch| &watch.items);
    for item in items {
        if !is_field_valid(state, pipeline, item.field)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_field_valid(state: &SimulationState, pipeline: &Pipeline, id: FieldId) -> Result<bool, RunError> {
    let field = &pipeline.fields[id];
    let good = |bytes: &[u8]| are_good(bytes, field);
    let resource = &pipeline.resources[field.resource];
    if let (Home::Pages, Some(grid)) = (field.home, pipeline.sparse_of(id)) {
        let channel = grid
            .channels
            .iter()
            .position(|channel| *channel == id)
            .unwrap_or(0);
        let first = grid.layout.channel_offset(channel) as usize;
        let bytes = (grid.layout.cells_per_block() * field.bytes()) as usize;
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
    let Some(count) = live else {
        return Ok(good(bytes));
    };
    // Only the values of live particles count, in each entry of an array.
    let live = u64::from(u32::from_le_bytes(*count)) * field.element.bytes();
    let entry = (resource.elements() * field.element.bytes()) as usize;
    Ok(bytes
        .chunks(entry)
        .all(|bytes| good(&bytes[..bytes.len().min(live as usize)])))
}

/// The newest copy of a field.
fn newest<'a>(state: &'a SimulationState, field: &Field) -> Result<Option<&'a [u8]>, RunError> {
    let name = format!("{}[{}]", field.name, state.steps % u64::from(field.ring));
    let part = state.parts.iter().find(|part| part.name == name);
    part.map(|part| part.bytes()).transpose()
}

/// Checks values like the watch does. All values of types that the watch does not support are valid.
fn are_good(bytes: &[u8], field: &Field) -> bool {
    let [least, greatest] = field.bounds.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let mut numbers = field.element.scalar().numbers(bytes);
    numbers.all(|value| value.is_finite() && (least..=greatest).contains(&value))
}
