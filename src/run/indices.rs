//! Indices of elements: from their numbers, and as text.

use std::fmt;

/// The index of an element from its number in memory, x fastest.
pub(super) fn indices(number: u64, size: &[u64]) -> Vec<i64> {
    let mut rest = number;
    let mut index = Vec::with_capacity(size.len());
    for side in &size[..size.len().saturating_sub(1)] {
        index.push((rest % side) as i64);
        rest /= side;
    }
    index.push(rest as i64);
    index
}

/// A single number without parentheses, several with them.
pub(super) fn tuple<T: fmt::Display>(values: &[T]) -> String {
    let text: Vec<String> = values.iter().map(T::to_string).collect();
    match text.len() {
        1 => text.concat(),
        _ => format!("({})", text.join(", ")),
    }
}
