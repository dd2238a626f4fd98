//! Marks for the detection of data races: each access to a value records its accessor in the shadow of the value.
//!
//! The accessor is the element that the stage function was called for, or the workgroup of a group kernel. A shadow has
//! the smallest and the largest accessor for each of three sorts of access. The upper half of each word is the number
//! of the dispatch, so marks of earlier dispatches are overwritten. [`crate::run`] compares the marks after the
//! dispatch.

use crate::ir::{Marks, Over};

use super::{Generator, line};

const SHADOWS: &str = include_str!("shadows.glsl");
const MARKS: &str = include_str!("marks.glsl");
const BLOCKS: &str = include_str!("pages/marks.glsl");
const SHUFFLED: &str = include_str!("shuffle.glsl");

/// The sorts of access, by their number in a shadow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Write = 0,
    Read = 1,
    Atomic = 2,
}

impl Generator<'_> {
    /// The types of the shadows in the argument block.
    pub(super) fn shadows(&mut self) {
        if self.signature.has_marks() {
            let fields = self.signature.fields.len().to_string();
            self.text.push_str(&SHADOWS.replace("SG_FIELDS", &fields));
        }
    }

    /// The function that leaves a mark.
    pub(super) fn marks(&mut self) {
        if self.signature.has_marks() {
            self.text.push_str(MARKS);
        }
    }

    /// The function from a cell of an active block to its shadow.
    pub(super) fn marks_of_blocks(&mut self, grid: &str) {
        if self.signature.has_marks() {
            self.template(BLOCKS, grid);
        }
    }

    /// The statement that marks an access to element `i` of a buffer, on a line of its own.
    pub(super) fn mark(&mut self, number: usize, access: Use) {
        if self.is_marked(number) {
            let index = self.flat(&self.signature.fields[number]);
            self.mark_at(number, access, &index);
        }
    }

    /// The statement that marks an access to cell `i` of an active block, given its `place`.
    pub(super) fn mark_in_block(&mut self, number: usize, access: Use) {
        if !self.is_marked(number) {
            return;
        }
        let field = &self.signature.fields[number];
        let g = &self.signature.resources[field.resource].name;
        let entry = field.count.map_or("0u", |_| "k");
        let index = format!("sg_{g}_shadow({number}, place, {entry})");
        match access {
            Use::Read => {
                line!(self, "    if (block != 0ul) {{");
                self.mark_at(number, access, &index);
                line!(self, "    }}");
            }
            Use::Write | Use::Atomic => self.mark_at(number, access, &index),
        }
    }

    fn mark_at(&mut self, number: usize, access: Use, index: &str) {
        let side = match access {
            Use::Read => "read",
            Use::Write | Use::Atomic => "written",
        };
        line!(
            self,
            "    sg_mark(sg_shadows.of[{number}].{side}, sg_shadows.of[{number}].held, uint64_t({index}), {}u);",
            access as u32
        );
    }

    fn is_marked(&self, number: usize) -> bool {
        let marks = self.signature.marks.get(number);
        marks.is_some_and(|marks| *marks != Marks::None)
    }

    /// The call of the stage function for an element, with the statements that marks and checks of reach need.
    pub(super) fn marked_call(&self, index: &str, number: &str) -> String {
        let own = self.own(index);
        if self.signature.has_marks() {
            format!("{{ {own}sg_user = uint({number}); stage({index}); }}")
        } else if own.is_empty() {
            format!("stage({index});")
        } else {
            format!("{{ {own}stage({index}); }}")
        }
    }

    /// The statements at the start of a stage that prepare its marks.
    pub(super) fn begin_marks(&mut self) {
        if !self.signature.has_marks() {
            return;
        }
        let of_groups = matches!(self.signature.over, Over::Groups | Over::CountedGroups(_));
        line!(self, "#ifdef OWN_MAIN");
        line!(self, "    sg_begin_marks(1u);");
        line!(self, "#else");
        line!(self, "    sg_begin_marks({}u);", u32::from(of_groups));
        line!(self, "#endif");
    }

    /// Replaces the built-in numbers of workgroups and invocations by shuffled ones.
    pub(super) fn shuffle(&mut self) {
        if self.signature.shuffled {
            self.text.push_str(SHUFFLED);
        }
    }
}
