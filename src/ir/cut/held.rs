//! The part of a field that a rank keeps in memory: what its stages access.

use std::ops::Range;

use super::super::ids::{FieldId, StageId};
use super::super::pipeline::Pipeline;
use super::super::reach::Reach;
use super::super::{Home, Stage};
use super::{Cut, Division, ElementBox, Layout};

impl Pipeline {
    /// The bytes of a field that this rank needs in memory, in order. `None` for all of them.
    pub fn held_bytes(&self, field: FieldId) -> Option<Vec<Range<u64>>> {
        let cut = self.cut.as_deref()?;
        if cut.rank == 0 && self.is_gathered(field) {
            return None;
        }
        let depth = self.held_depth(field)?;
        let layout = self.layout_of(field);
        let sides = layout.sides;
        let partition = cut.partition.scaled(layout.scale)?;
        let unit = partition.align;
        let near = partition.grown(cut.rank, sides, [depth.next_multiple_of(unit), depth, depth]);
        let turned = (0..3).filter(|axis| self.has_lines(cut, field, *axis));
        let turned = turned.filter_map(|axis| Some(partition.turned(axis)?.grown(cut.rank, sides, [0; 3])));
        let boxes: Vec<ElementBox> = turned.chain([near]).collect();
        Some(ranges_of(&boxes, &layout))
    }

    /// Returns true if stages access a field, or one that shares memory with it, by whole lines along an axis: ranks have them
    /// besides their parts.
    fn has_lines(&self, cut: &Cut, field: FieldId, axis: usize) -> bool {
        let is_shared = |other: &FieldId| self.swaps.share(*other, field);
        let runs = |(id, stage): (StageId, &Stage)| {
            self.division_of(cut, id) == Division::Lines(axis) && stage.bindings.iter().any(is_shared)
        };
        self.stages.iter().enumerate().any(runs)
    }

    /// The bytes of memory that a copy of a field takes on this rank, without the rest of their pages.
    pub fn memory_bytes(&self, field: FieldId) -> u64 {
        match self.held_bytes(field) {
            Some(ranges) => ranges.iter().map(|range| range.end - range.start).sum(),
            None => self.bytes_of_worlds(field),
        }
    }

    /// Returns true if no rank holds all of a field.
    pub fn is_held_in_parts(&self, field: FieldId) -> bool {
        !self.is_gathered(field) && self.held_depth(field).is_some()
    }

    /// Returns true if some rank does not hold all of a field.
    pub fn is_partial(&self, field: FieldId) -> bool {
        self.held_depth(field).is_some()
    }

    /// Returns true if rank 0 gathers a field for outputs, or one that shares memory with it.
    fn is_gathered(&self, field: FieldId) -> bool {
        self.gathered_fields().any(|other| self.swaps.share(other, field))
    }

    /// The distance from the part of a rank up to which its stages access a field, in cells. `None` if a stage accesses it
    /// anywhere, or runs whole.
    fn held_depth(&self, field: FieldId) -> Option<u64> {
        let cut = self.cut.as_deref()?;
        let is_shared = |other: FieldId| self.swaps.share(other, field);
        let is_on_the_grid = cut.grid(self.fields[field].resource).is_some();
        if !is_on_the_grid || self.fields[field].home != Home::Device {
            return None;
        }
        let mut depth = 0;
        for entry in self.init.iter().chain(&self.step).chain(&self.frame) {
            let stage = &self.stages[entry.stage];
            let fields = stage.reads().iter().chain(stage.writes());
            if fields.copied().any(is_shared) {
                depth = depth.max(self.depth_in(cut, entry.stage, stage, &is_shared)?);
            }
        }
        Some(depth)
    }

    /// The distance up to which a stage accesses one of the fields that share memory.
    fn depth_in(
        &self,
        cut: &Cut,
        id: StageId,
        stage: &Stage,
        is_shared: &impl Fn(FieldId) -> bool,
    ) -> Option<u64> {
        let Some(grow) = cut.grow(id) else {
            // A fill or a copy of the engine treats all elements alike; those without memory are not missed.
            let built_in = self.built_in(stage)?;
            return built_in_moves(built_in).then_some(0);
        };
        if stage.lines.is_some() {
            // Lines are held besides.
            return Some(0);
        }
        let signature = &self.kernel_of(stage).signature;
        let mut depth = 0;
        for (number, (local, field)) in signature.fields.iter().zip(&stage.bindings).enumerate() {
            if !is_shared(*field) {
                continue;
            }
            let are_values = signature.reduces.iter().any(|result| result.values == number);
            let Reach::Cells(cells) = local.reach.all else {
                return None;
            };
            if are_values {
                return None;
            }
            depth = depth.max(self.distance(cut, stage, *field, grow, cells));
        }
        Some(depth)
    }

    /// The distance from the part of a field, in its elements, up to which a stage accesses it that runs over a grown part.
    fn distance(&self, cut: &Cut, stage: &Stage, field: FieldId, grow: [u64; 3], cells: u32) -> u64 {
        let scales = [cut.scale_of(stage), self.layout_of(field).scale];
        let slack = cut.slack_of(stage, scales[1]);
        let along = |axis: usize| {
            let [own, of_field] = scales.map(|scale| u64::from(scale.per[axis]));
            (own * grow[axis] + slack[axis]).div_ceil(of_field)
        };
        // Fields at faces and nodes may have one element more than the domain, and levels are rounded up.
        let axes = || (0..3).filter(|axis| cut.partition.parts[*axis] > 1);
        let sides = [self.size_of(field), stage.domain.size];
        let is_same = scales[0] == scales[1] && axes().all(|axis| sides[0][axis] == sides[1][axis]);
        let more = u64::from(cells) + u64::from(!is_same);
        more + axes().map(along).max().unwrap_or(0)
    }
}

/// True for the kernels of the engine that fill or copy whole fields.
fn built_in_moves(path: &str) -> bool {
    matches!(
        path,
        "engine/fill.comp" | "engine/fill_long.comp" | "engine/copy.comp"
    )
}

/// The bytes of boxes of a field, in order.
fn ranges_of(boxes: &[ElementBox], layout: &Layout) -> Vec<Range<u64>> {
    let (sides, entries) = (layout.sides, u64::from(layout.entries));
    let row = sides[0] * u64::from(layout.bytes);
    let mut all: Vec<Range<u64>> = Vec::new();
    for held in boxes {
        for z in planes(held, sides) {
            for entry in 0..entries {
                let plane = (z * entries + entry) * sides[1];
                all.extend(
                    rows(held, sides).map(|rows| (plane + rows.start) * row..(plane + rows.end) * row),
                );
            }
        }
    }
    all.sort_unstable_by_key(|range| range.start);
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for range in all {
        match ranges.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => ranges.push(range),
        }
    }
    ranges
}

/// The planes of a box in the order of memory.
fn planes(of: &ElementBox, sides: [u64; 3]) -> impl Iterator<Item = u64> {
    intervals(of.low[2], of.size[2], sides[2]).flatten()
}

/// The rows of a plane of a box, in the order of memory.
fn rows(of: &ElementBox, sides: [u64; 3]) -> impl Iterator<Item = Range<u64>> {
    intervals(of.low[1], of.size[1], sides[1])
}

/// An interval that may wrap around the end, in ascending pieces.
fn intervals(low: u64, size: u64, side: u64) -> impl Iterator<Item = Range<u64>> {
    let end = low + size;
    let pieces = [0..end.saturating_sub(side), low..end.min(side)];
    pieces.into_iter().filter(|piece| !piece.is_empty())
}
