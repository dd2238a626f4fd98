//! Transforms of lines on ranks.
//!
//! Along an axis that is not cut, a rank transforms the lines of its part. Along an axis that is cut, it transforms whole lines
//! of all parts: the lattice is divided anew, along other axes alone, and ranks exchange what differs between both divisions.

use std::borrow::Cow;

use super::super::ids::FieldId;
use super::super::owners::Owners;
use super::super::pipeline::Pipeline;
use super::super::stage::Lines;
use super::boxes::{Partition, Valid};
use super::types::MAX_REPEATED;
use super::{Cut, Division, ElementBox, Layout, Reason, Scale};

impl Cut {
    /// How ranks divide lines along an axis.
    pub fn division_of(&self, axis: usize) -> Division {
        if self.partition.parts[axis] > 1 {
            Division::Lines(axis)
        } else {
            Division::Cells
        }
    }
}

impl Division {
    /// The elements that a rank must have where values are divided in this way.
    pub fn own(self) -> Valid {
        match self {
            Division::Lines(axis) => Valid::Lines(axis),
            _ => Valid::Depth(0),
        }
    }

    /// The division in this way of a lattice that is divided by cells; `None` if a rank would have no lines.
    pub fn of(self, cells: Cow<'_, Partition>) -> Option<Cow<'_, Partition>> {
        match self {
            Division::Lines(axis) => Some(Cow::Owned(cells.turned(axis)?)),
            _ => Some(cells),
        }
    }
}

impl Pipeline {
    /// The elements through which a rank transforms lines. Along the axis of the lines, the box has no meaning.
    pub(super) fn part_of_lines(&self, cut: &Cut, lines: &Lines) -> Option<ElementBox> {
        let cells = cut.partition.scaled(self.scale_of_lines(cut, lines))?;
        let divided = cut.division_of(lines.axis).of(cells)?;
        Some(divided.grown(cut.rank, lines.ends[1].sides, [0; 3]))
    }

    fn scale_of_lines(&self, cut: &Cut, lines: &Lines) -> Scale {
        let grid = cut.grid(self.fields[lines.fields[0]].resource);
        grid.map_or(Scale::default(), |grid| grid.scale)
    }

    /// The arrangement of the values that a pass loads, `end` 0, or stores, `end` 1, as ranks divide them for it.
    pub fn layout_of_lines(&self, cut: &Cut, lines: &Lines, end: usize) -> Layout {
        let division = cut.division_of(lines.axis);
        let end = &lines.ends[end];
        if !end.is_scratch {
            return self.layout_of(end.field).divided(division);
        }
        Layout {
            sides: end.sides,
            entries: end.entries,
            bytes: end.bytes,
            scale: self.scale_of_lines(cut, lines),
            owners: Owners::Own,
            division,
        }
    }

    /// Returns true for a transform that ranks divide if they can: not of a small height field, which each of them transforms
    /// whole.
    pub(super) fn is_divided(&self, lines: &Lines) -> bool {
        let is_large = |field: &FieldId| self.elements_of(*field) > MAX_REPEATED;
        let is_of_grid = |field: &FieldId| self.resource_of(*field).is_grid();
        lines
            .fields
            .iter()
            .any(|field| is_large(field) || is_of_grid(field))
    }

    /// Checks that ranks can divide the lines of a pass.
    pub(super) fn check_lines(&self, cut: &Cut, lines: &Lines) -> Result<[u64; 3], Reason> {
        if !self.is_divided(lines) {
            return Err(Reason::SmallTransform);
        }
        let resources = lines.fields.map(|field| self.fields[field].resource);
        if let Some(id) = resources.into_iter().find(|id| cut.grid(*id).is_none()) {
            return Err(self.reason_beside(id, cut));
        }
        let scales = resources.map(|id| cut.grid(id).map(|grid| grid.scale));
        if scales[0] != scales[1] {
            return Err(Reason::OtherGrid(resources[1]));
        }
        match self.part_of_lines(cut, lines) {
            Some(_) => Ok([0; 3]),
            None => Err(Reason::FewLines(resources[1], lines.axis)),
        }
    }
}
