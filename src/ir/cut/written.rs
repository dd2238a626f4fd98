//! Files to which every rank writes its part, and files for which rank 0 gathers fields.

use super::super::ids::FieldId;
use super::super::output::Output;
use super::super::pipeline::Pipeline;
use super::super::{Division, Home};
use crate::output::Selected;

impl Pipeline {
    /// Returns true if every rank writes its part of the files of an output: its fields are cut, and the places of elements
    /// in the files follow from their indices.
    pub fn is_written_in_parts(&self, output: &Output) -> bool {
        let Some(cut) = self.cut.as_deref().filter(|cut| cut.partition.ranks() > 1) else {
            return false;
        };
        let content = &output.content;
        let is_divided = |field: &FieldId| {
            let (layout, found) = (self.layout_of(*field), &self.fields[*field]);
            let is_of_device = found.home == Home::Device && layout.division == Division::Cells;
            let has_parts = || cut.partition.scaled(layout.scale).is_some();
            cut.grid(found.resource).is_some()
                && is_of_device
                && layout.sides == content.sides()
                && has_parts()
        };
        content.has_places()
            && output.fields.len() == content.columns.len()
            && output.fields.iter().all(is_divided)
    }

    /// The elements in the part of this rank that the files of an output contain, which every rank writes in parts.
    pub fn written_by_rank(&self, output: &Output) -> Option<Selected> {
        let cut = self.cut.as_deref()?;
        let part = self
            .layout_of(*output.fields.first()?)
            .part(&cut.partition, cut.rank);
        let area = part.first()?.area;
        output.content.selected_in(area.low, area.size)
    }

    /// Bytes of a field of an output that this rank stages for one frame.
    pub fn staged_bytes(&self, output: &Output, field: FieldId) -> u64 {
        match self.cut.as_deref() {
            Some(_) if self.is_written_in_parts(output) => {
                let layout = self.layout_of(field);
                let elements = self.written_by_rank(output);
                let elements: u64 = elements.map_or(0, |found| found.size.iter().product());
                elements * u64::from(layout.entries) * u64::from(layout.bytes)
            }
            Some(cut) if cut.rank > 0 => 0,
            _ => self.field_bytes(field),
        }
    }

    /// Every field of an output whose files one process writes. A field of several outputs appears several times.
    pub fn gathered_fields(&self) -> impl Iterator<Item = FieldId> {
        self.fields_of_outputs(false)
    }

    /// Every field of an output whose files all ranks write.
    pub fn fields_in_parts(&self) -> impl Iterator<Item = FieldId> {
        self.fields_of_outputs(true)
    }

    fn fields_of_outputs(&self, in_parts: bool) -> impl Iterator<Item = FieldId> {
        let outputs = self.outputs.iter();
        let outputs = outputs.filter(move |output| self.is_written_in_parts(output) == in_parts);
        outputs.flat_map(|output| output.fields.iter().copied())
    }
}
