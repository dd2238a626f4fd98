//! The elements that an output contains: a region, a stride, and where particles are.

use super::super::file::{Number, OutputFile, RegionFile};
use super::super::resolver::Resolver;
use super::Source;
use crate::element::Element;
use crate::ir::*;
use crate::output::Selection;
use crate::problem::Problem;

/// Most elements that a stride passes over.
const LONGEST_STRIDE: u64 = 1 << 31;
/// The attribute that says where particles are.
const POSITION: &str = "position";

impl Resolver<'_> {
    /// The attribute with the positions of particles, where there is one.
    pub(super) fn position(
        &mut self,
        file: &OutputFile,
        source: &Source,
        pointer: &str,
    ) -> Result<Option<FieldId>, ()> {
        let resource = &self.pipeline.resources[source.resource];
        let name = format!(
            "{}.{}",
            resource.name,
            file.position.as_deref().unwrap_or(POSITION)
        );
        let known = self.field_ids.get(&name).copied();
        let known = known.filter(|field| self.pipeline.fields[*field].is(Element::Vec3));
        let is_set = resource.set().is_some();
        let Some(given) = &file.position else {
            return Ok(known.filter(|_| is_set));
        };
        if is_set && known.is_some() {
            return Ok(known);
        }
        let message = format!("`{given}` is not a vec3 attribute of `{}`", resource.name);
        let help = match is_set {
            true => "name the attribute with the positions of the particles",
            false => "only particles have positions: remove it",
        };
        let problem = Problem::new(format!("{pointer}/position"), message);
        self.problems.push(problem.help(help));
        Err(())
    }

    pub(super) fn selection(
        &mut self,
        file: &OutputFile,
        source: &Source,
        (location, size): (Location, [u64; 3]),
        position: Result<Option<FieldId>, ()>,
        pointer: &str,
    ) -> Option<Selection> {
        let mut selection = Selection::default();
        let one = Number::Value(1.0);
        let stride = file.stride.as_ref().unwrap_or(&one);
        let stride = self.count(stride, &format!("{pointer}/stride"), 1, LONGEST_STRIDE);
        if let Some(region) = &file.region {
            let pointer = format!("{pointer}/region");
            let least = match self.pipeline.resources[source.resource].axes() {
                2 => 2,
                _ => 3,
            };
            let corners = self.region(region, least, &pointer)?;
            let resource = &self.pipeline.resources[source.resource];
            let placed = match (resource.lattice(), resource.is_placed()) {
                (Some(lattice), true) => boxed(lattice, corners, location, &size[..resource.axes() as usize]),
                (None, _) if matches!(position, Ok(None)) => {
                    let message = format!("`{}` has no vec3 attribute `{POSITION}`", resource.name);
                    self.problems
                        .push(Problem::on_key(&pointer, message).help("name the attribute in `position`"));
                    return None;
                }
                (None, _) => Some(Selection {
                    region: Some(corners),
                    ..Selection::default()
                }),
                (Some(_), _) => {
                    let message = format!("`{}` has no position in world space", resource.name);
                    self.problems.push(Problem::on_key(&pointer, message).help(
                        "`region` requires a grid, height field or particle set; use `stride` to \
                                   write fewer elements",
                    ));
                    return None;
                }
            };
            let Some(placed) = placed else {
                let message = format!("the region contains no element of `{}`", resource.name);
                self.problems.push(
                    Problem::on_key(&pointer, message)
                        .help("it is in metres and selects cells by their centres"),
                );
                return None;
            };
            selection = placed;
        }
        selection.stride = stride?;
        Some(selection)
    }

    /// The corners of a box, of at least so many coordinates each.
    fn region(&mut self, region: &RegionFile, least: usize, pointer: &str) -> Option<[[f64; 3]; 2]> {
        let mut corners = [[0.0; 3]; 2];
        let mut complete = true;
        for (corner, (key, numbers)) in [("min", &region.min), ("max", &region.max)].iter().enumerate() {
            if numbers.len() < least {
                let message = format!(
                    "a position in three dimensions has 3 coordinates, not {}",
                    numbers.len()
                );
                let problem = Problem::new(format!("{pointer}/{key}"), message);
                self.problems.push(problem.help("add the z coordinate"));
                complete = false;
            }
            for (axis, number) in numbers.iter().enumerate().take(3) {
                match self.number(number, &format!("{pointer}/{key}/{axis}")) {
                    Some(value) => corners[corner][axis] = value,
                    None => complete = false,
                }
            }
        }
        let [min, max] = corners;
        if let Some(axis) = (0..3).find(|axis| complete && min[*axis] > max[*axis]) {
            let message = format!("{} is below `min`, {}", max[axis], min[axis]);
            let problem = Problem::new(format!("{pointer}/max/{axis}"), message);
            self.problems.push(problem.help("swap them"));
            return None;
        }
        complete.then_some(corners)
    }
}

/// The elements of a lattice whose places lie in a box, along its first axes. `None` when there are none.
fn boxed(
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
        // A cast brings what lies outside to the nearest end; rounding may be off by one, which the places decide.
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
