//! Grids of the spectra of grids that are cut.
//!
//! A spectrum is cut as its grid is. Of real numbers, half a spectrum is stored, so along one axis it has other sides than the
//! grid: it is not cut if the grid is cut along this axis.

use super::super::ids::ResourceId;
use super::super::pipeline::Pipeline;
use super::super::stage::{Lines, Stage};
use super::{Cut, CutGrid, Partition, Reason, Scale};

/// A grid with the transform of a grid that is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spectrum {
    pub id: ResourceId,
    /// The axis along which it has half of the waves.
    pub halved: Option<usize>,
}

impl Pipeline {
    /// The spectra of grids, without the grids.
    pub(super) fn spectra_of(&self, grids: &[ResourceId]) -> Vec<Spectrum> {
        let mut found: Vec<Spectrum> = Vec::new();
        loop {
            let is_known = |id: ResourceId| grids.contains(&id) || found.iter().any(|known| known.id == id);
            let next = self.divided_transforms(self.stages.iter()).find_map(|lines| {
                let [source, target] = lines.fields.map(|field| self.fields[field].resource);
                let (id, other) = match [source, target].map(is_known) {
                    [true, false] => (target, source),
                    [false, true] => (source, target),
                    _ => return None,
                };
                let known = found.iter().find(|known| known.id == other);
                let halved = lines.halved.or(known.and_then(|known| known.halved));
                let is_grid = self.resources[id].is_grid() && self.resources[id].sparse().is_none();
                let sizes = [id, other].map(|id| self.resources[id].size);
                let fits = |axis: usize| Some(axis) == halved || sizes[0][axis] == sizes[1][axis];
                (is_grid && (0..3).all(fits)).then_some(Spectrum { id, halved })
            });
            match next {
                Some(spectrum) => found.push(spectrum),
                None => return found,
            }
        }
    }

    /// The spectra that can be cut as their grids are.
    pub(super) fn cut_spectra(&self, spectra: &[Spectrum], partition: &Partition) -> Vec<CutGrid> {
        let is_cut = |spectrum: &&Spectrum| spectrum.halved.is_none_or(|axis| partition.parts[axis] == 1);
        let cut = spectra.iter().filter(is_cut).map(|spectrum| CutGrid {
            id: spectrum.id,
            scale: Scale {
                per: [1; 3],
                align: partition.align as u32,
            },
            cells: self.resources[spectrum.id].size,
            is_small: false,
        });
        cut.collect()
    }

    /// The reason for which a grid is not cut.
    pub(super) fn reason_beside(&self, id: ResourceId, cut: &Cut) -> Reason {
        let grids: Vec<ResourceId> = cut.grids.iter().map(|grid| grid.id).collect();
        let spectra = self.spectra_of(&grids);
        let halved = spectra.iter().find(|of| of.id == id).and_then(|of| of.halved);
        match halved {
            Some(axis) if cut.partition.parts[axis] > 1 => Reason::Halved(id, axis),
            _ => Reason::OtherGrid(id),
        }
    }

    /// The axis along which grids are best cut for the transforms of `step`: one along which no lines are transformed, or else
    /// one along which no spectrum is halved. `None` without transforms.
    pub(super) fn axis_beside_transforms(&self, cells: [u64; 3], ranks: usize) -> Option<usize> {
        let stages = || self.step.iter().map(|entry| &self.stages[entry.stage]);
        self.divided_transforms(stages()).next()?;
        let is_along = |axis: usize| self.divided_transforms(stages()).any(|lines| lines.axis == axis);
        let is_halved = |axis: usize| {
            let mut transforms = self.divided_transforms(stages());
            transforms.any(|lines| lines.halved == Some(axis))
        };
        let long = (0..3).filter(|axis| cells[*axis] >= ranks as u64);
        long.min_by_key(|axis| (is_halved(*axis), is_along(*axis), 3 - axis))
    }

    fn divided_transforms<'a>(
        &'a self,
        stages: impl Iterator<Item = &'a Stage>,
    ) -> impl Iterator<Item = &'a Lines> {
        let transforms = stages.filter_map(|stage| stage.lines.as_deref());
        transforms.filter(|lines| self.is_divided(lines))
    }
}
