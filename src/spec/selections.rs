//! The elements that an output selects: in a region, with a stride.

use super::file::OutputFile;
use super::output_sources::Source;
use super::outputs::POSITION;
use super::resolver::Resolver;
use super::scope::Scope;
use crate::ir::*;
use crate::output::Selection;

/// Maximum stride.
const MAX_STRIDE: u64 = 1 << 31;

impl Resolver<'_, '_> {
    /// The elements of a source that the keys `region` and `stride` of an output select.
    pub(super) fn selection(
        &self,
        file: &OutputFile,
        source: &Source,
        (location, size): (Location, [u64; 3]),
        position: Option<Option<FieldId>>,
    ) -> Option<Selection> {
        let (scope, program) = (Scope::of(0), self.program);
        let stride = program.count_or(&scope, file.stride.as_ref(), 1, [1, MAX_STRIDE]);
        let mut selection = Selection::default();
        if let Some(region) = &file.region {
            let resource = &self.pipeline.resources[source.resource];
            let (name, axes) = (&resource.name, resource.axes() as usize);
            let corners = program.corners(&scope, region, if axes == 2 { 2 } else { 3 })?;
            match (resource.lattice(), resource.is_placed()) {
                (Some(lattice), true) => {
                    let Some(boxed) = elements_in_box(lattice, corners, location, &size[..axes]) else {
                        let message = format!("the region contains no element of `{name}`");
                        let help = "it is in metres and selects cells by their centres";
                        return program.refuse(&region.place, message, help);
                    };
                    selection = boxed;
                }
                (None, _) if position == Some(None) => {
                    let message = format!("`{name}` has no vec3 attribute `{POSITION}`");
                    return program.refuse(&region.place, message, "name the attribute in `position`");
                }
                (None, _) => selection.region = Some(corners),
                (Some(_), _) => {
                    let message = format!("`{name}` has no position in world space");
                    let help =
                        "`region` is for cells, vertices and particles; use `stride` to write fewer elements";
                    return program.refuse(&region.place, message, help);
                }
            }
        }
        selection.stride = stride?;
        Some(selection)
    }
}

/// The ranges of elements of a lattice whose positions are in a box, along its first axes. `None` if there are none.
fn elements_in_box(
    lattice: &Lattice,
    [min, max]: [[f64; 3]; 2],
    location: Location,
    size: &[u64],
) -> Option<Selection> {
    let mut selection = Selection::default();
    for (axis, size) in size.iter().copied().enumerate() {
        let inside = lattice.form.placement.offset(location, axis)?;
        let place = |index: u64| lattice.origin[axis] + (index as f64 + inside) * lattice.spacing[axis];
        let guess = |at: f64| ((at - lattice.origin[axis]) / lattice.spacing[axis] - inside).round();
        // The cast saturates. Rounding may be off by one, so the exact ends follow from the positions.
        let first = (guess(min[axis]) as u64).saturating_sub(1);
        let first = (first..size.min(first + 4)).find(|index| place(*index) >= min[axis])?;
        let last = (guess(max[axis]) as u64).saturating_add(1).min(size - 1);
        let last = (first..=last)
            .rev()
            .take(4)
            .find(|index| place(*index) <= max[axis])?;
        selection.first[axis] = first;
        selection.within[axis] = last - first + 1;
    }
    Some(selection)
}
