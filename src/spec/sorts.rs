//! Sorts of particles: the bits of the key, and the cells or blocks that it numbers.

use super::calls::At;
use super::file::{Numbers, Reference, SortFile};
use super::program::*;
use super::resolver::Resolver;
use crate::ir::SortedCells;
use crate::lower::meaning::{ActionKind, Bits};
use crate::particles::live::MAX_PARTICLES;
use crate::problem::Problem;

/// Cells that a particle may move between two sorts.
const DEFAULT_DRIFT: u32 = 2;
const MAX_DRIFT: u64 = 1024;

impl<'f> Resolver<'_, 'f> {
    pub(super) fn sort(&mut self, file: &'f SortFile, at: &At<'f>) -> Option<ActionKind> {
        let place = &file.sort.place;
        self.not_in_frames(at.list, place, "the list `frame` cannot sort particles")?;
        let set = self.resource(&at.scope, &file.sort)?;
        let resource = &self.pipeline.resources[set];
        if resource.set().is_none() {
            let name = file.sort.text();
            let message = format!("`{name}` is not a particle set");
            let problem = Problem::at(place, message, "name a set of `particles`");
            let sets = self.names_of(|resource| resource.set().is_some());
            return self.program.fail(problem.suggest(&name, sets));
        }
        let count = resource.size[0];
        if count > MAX_PARTICLES {
            let message = format!("{count} particles exceed the limit of sorts, {MAX_PARTICLES}");
            self.program.wrong(place, message, "split the set");
        }
        let by = self.attribute(&at.scope, set, &file.by);
        let cells = match &file.cells {
            Some(reference) => Some(self.sorted_cells(file, reference, at)?),
            None => None,
        };
        let bits = self
            .program
            .with(Effect::Rebuild, || self.key_bits(file, cells, at));
        let offsets = match &file.offsets {
            Some(reference) => Some(self.uint_buffer(&at.scope, reference)?),
            None => None,
        };
        let (by, bits) = (by?, bits?);
        if let Some(cells) = &cells {
            self.check_bits_of_cells(file, cells, bits);
        }
        Some(ActionKind::Sort {
            set,
            by,
            bits,
            offsets,
            cells,
        })
    }

    /// The bits of the numbers of cells or blocks.
    fn bits_of_cells(&self, cells: &SortedCells) -> u32 {
        let blocks: u64 = cells
            .counts(self.pipeline.resources[cells.grid].size)
            .iter()
            .product();
        blocks.max(2).next_power_of_two().ilog2()
    }

    /// Reports a sort by cell that does not compare all bits of the numbers of cells.
    fn check_bits_of_cells(&self, file: &SortFile, cells: &SortedCells, bits: Bits) {
        let needed = self.bits_of_cells(cells);
        if bits.first == 0 && bits.count >= needed {
            return;
        }
        let place = file.bits.as_ref().map_or(&file.sort.place, Numbers::place);
        let count: u64 = cells
            .counts(self.pipeline.resources[cells.grid].size)
            .iter()
            .product();
        let of = if cells.blocks == [1; 3] { "cells" } else { "blocks" };
        let message = format!("a sort by {count} {of} compares the lowest {needed} bits of the key");
        self.program.wrong(
            place,
            message,
            "state that number of `bits` or more, or leave out `bits` or `cells`",
        );
    }

    /// The cells that the key of a sort numbers.
    fn sorted_cells(&self, file: &SortFile, reference: &Reference, at: &At<'f>) -> Option<SortedCells> {
        let program = self.program;
        let grid = self.resource(&at.scope, reference)?;
        let found = &self.pipeline.resources[grid];
        if !found.is_grid() {
            let message = format!("`{}` is not a grid of cells", reference.text());
            let help = "name a grid whose cells the key numbers, or leave out `cells`";
            return program.refuse(&reference.place, message, help);
        }
        let drift = match &file.drift {
            Some(number) => {
                let value = program.with(Effect::Rebuild, || program.number(&at.scope, number))?;
                program.whole(value, &number.place, 1, MAX_DRIFT)? as u32
            }
            None => DEFAULT_DRIFT,
        };
        let last = found.axes() as usize - 1;
        let cells = SortedCells {
            grid,
            blocks: self.sides_of_blocks(file, at)?,
            slowest: file.slowest.map_or(last, |axis| axis.0),
            drift,
            ghosts: file.ghosts != Some(false),
        };
        if cells.slowest > last {
            let message = format!("`{}` has {} axes", reference.text(), last + 1);
            return program.refuse(&reference.place, message, "name one of its axes in `slowest`");
        }
        if cells.ghosts && (cells.blocks != [1; 3] || cells.slowest != last) {
            let message = "a sort by blocks, or with another `slowest` axis than the last, has no ghosts";
            let help = "add `\"ghosts\": false`, or sort by cells";
            return program.refuse(&file.sort.place, message, help);
        }
        Some(cells)
    }

    /// The cells along each axis of the blocks that the key of a sort numbers.
    fn sides_of_blocks(&self, file: &SortFile, at: &At<'f>) -> Option<[u32; 3]> {
        let Some(blocks) = &file.blocks else {
            return Some([1; 3]);
        };
        let program = self.program;
        let values = program.with(Effect::Rebuild, || program.numbers(&at.scope, blocks))?;
        let mut sides = [1; 3];
        if !matches!(values.len(), 1..=3) {
            let message = format!("`blocks` has {} numbers", values.len());
            return program.refuse(blocks.place(), message, "write one number, or one for each axis");
        }
        for (axis, side) in sides.iter_mut().enumerate() {
            let value = match values[..] {
                [side] => side,
                _ => values.get(axis).copied().unwrap_or(1.0),
            };
            *side = program.whole(value, blocks.place(), 1, 1024)? as u32;
        }
        Some(sides)
    }

    fn key_bits(&self, file: &SortFile, cells: Option<SortedCells>, at: &At<'f>) -> Option<Bits> {
        let Some(bits) = &file.bits else {
            let count = cells.map_or(32, |cells| self.bits_of_cells(&cells));
            return Some(Bits { first: 0, count });
        };
        let program = self.program;
        let values = program.numbers(&at.scope, bits)?;
        let (first, count, place) = match values[..] {
            [count] => (0, count, bits.place_of(0)),
            [first, count] => {
                let first = program.whole(first, bits.place_of(0), 0, 31)?;
                (first as u32, count, bits.place_of(1))
            }
            _ => {
                let message = format!("`bits` has {} numbers", values.len());
                let help = "write the number of bits, or [first bit, number of bits]";
                return program.refuse(bits.place(), message, help);
            }
        };
        let count = program.whole(count, place, 1, u64::from(32 - first))? as u32;
        Some(Bits { first, count })
    }
}
