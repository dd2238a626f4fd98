//! The grids of OpenVDB that the columns of an output become.

use std::ops::Range;

use super::super::content::{Column, Content};

/// The names of the grids of a file.
pub(super) fn names(content: &Content) -> Vec<String> {
    let channels = content.columns.iter().flat_map(parts);
    channels.map(|(name, _)| name).collect()
}

/// The grids of a column, each with its components: three components are one grid of vectors, others one grid each.
pub(super) fn parts(column: &Column) -> Vec<(String, Range<usize>)> {
    if column.components == 3 {
        return vec![(column.label.clone(), 0..3)];
    }
    let components = 0..column.components as usize;
    let one = |component: usize| {
        let name = match column.part_name(component) {
            Some(part) => format!("{}_{part}", column.label),
            None => column.label.clone(),
        };
        (name, component..component + 1)
    };
    components.map(one).collect()
}
