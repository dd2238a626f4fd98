//! A simulation that is cut into parts, one for each rank.
//!
//! A rank runs the stages over the cut grids on its part alone, grown so far that every write into the part is done here;
//! all other stages run whole on every rank. Fields keep the indices of one rank, but a rank has memory for what its stages access.

mod boxes;
mod held;
mod refusals;
mod shares;
mod types;

use indexmap::IndexSet;

pub use boxes::{ElementBox, Partition, Valid};
pub use shares::reason;
pub use types::{Cut, CutRequest, Layout, Reason, Share, Uncut, Whole};

use super::field::Field;
use super::ids::{FieldId, ResourceId, StageId};
use super::kernel::ShaderSource;
use super::pipeline::Pipeline;
use super::resource::Resource;
use super::stage::Stage;

impl Pipeline {
    /// Cuts the pipeline for one of `ranks` ranks. Call it before shaders are compiled. Returns notices about what this
    /// costs. The error names what cannot be cut.
    pub fn cut(
        &mut self,
        request: &CutRequest,
        rank: usize,
        ranks: usize,
    ) -> Result<Vec<String>, Vec<Uncut>> {
        let grids = self.grids_to_cut();
        let partition = self.partition(request, &grids, ranks)?;
        let shares = (self.stages.iter())
            .map(|stage| shares::share(self, stage, &grids, &partition))
            .collect();
        let cut = Cut {
            rank,
            partition,
            grids,
            shares,
        };
        let notices = refusals::check(self, &cut, &request.whole)?;
        let mut kernels = IndexSet::new();
        for (stage, share) in self.stages.iter_mut().zip(&cut.shares) {
            let mut kernel = self.kernels[stage.kernel].clone();
            kernel.signature.cut = matches!(share, Share::Part { .. });
            (stage.kernel, _) = kernels.insert_full(kernel);
        }
        self.kernels = kernels;
        self.cut = Some(Box::new(cut));
        Ok(notices)
    }

    /// The elements that a stage runs over on this rank: its whole domain unless it is cut.
    pub fn dispatched(&self, id: StageId) -> ElementBox {
        let sides = self.stages[id].domain.size;
        let cut = self.cut.as_deref();
        match cut.and_then(|cut| Some((cut, cut.grow(id)?))) {
            Some((cut, grow)) => cut.partition.grown(cut.rank, sides, grow),
            None => ElementBox {
                low: [0; 3],
                size: sides,
            },
        }
    }

    /// The arrangement of a field in memory.
    pub fn layout_of(&self, field: FieldId) -> Layout {
        let found: &Field = &self.fields[field];
        Layout {
            sides: self.size_of(field),
            entries: found.entries() as u32,
            bytes: found.element.bytes() as u32,
        }
    }

    /// The dense grids that are cut: the largest that a stage of `step` runs over, and all that have its cells.
    fn grids_to_cut(&self) -> Vec<ResourceId> {
        let run_over = self.step.iter().filter_map(|entry| {
            let domain = &self.stages[entry.stage].domain;
            domain.resource.filter(|id| is_dense(&self.resources[*id]))
        });
        let largest = run_over.max_by_key(|id| (self.resources[*id].elements(), std::cmp::Reverse(*id)));
        let Some(largest) = largest else {
            return Vec::new();
        };
        let place = |resource: &Resource| {
            let lattice = resource.lattice()?;
            Some((resource.size, lattice.form.axes, lattice.origin, lattice.spacing))
        };
        let wanted = place(&self.resources[largest]);
        (0..self.resources.len())
            .filter(|id| is_dense(&self.resources[*id]) && place(&self.resources[*id]) == wanted)
            .collect()
    }

    fn partition(
        &self,
        request: &CutRequest,
        grids: &[ResourceId],
        ranks: usize,
    ) -> Result<Partition, Vec<Uncut>> {
        let Some(grid) = grids.first().map(|id| &self.resources[*id]) else {
            if request.whole == Whole::All {
                return Ok(Partition::new([ranks as u64, 1, 1], [ranks, 1, 1], 1));
            }
            let name = &self.name;
            return Err(Uncut::request(format!(
                "`{name}` cannot be cut into parts: its steps run over no dense grid without levels"
            )));
        };
        let align = self.largest_width(grids);
        let (cells, name) = (grid.size, &grid.name);
        let most = Partition::most(cells, align);
        let parts = match request.parts {
            None => Partition::chosen(cells, ranks, align).ok_or_else(|| {
                let [x, y, z] = cells;
                Uncut::request(format!(
                    "`{name}` has {x} x {y} x {z} cells, too few for {ranks} parts"
                ))
            })?,
            Some(parts) => parts,
        };
        let [x, y, z] = parts;
        let product = parts
            .iter()
            .try_fold(1usize, |product, n| product.checked_mul(*n));
        if product != Some(ranks) {
            let message = format!("a cut into {x} x {y} x {z} parts does not fit {ranks} ranks");
            return Err(Uncut::request(message));
        }
        for axis in 0..3 {
            if parts[axis] as u64 > most[axis] {
                let along = ["x", "y", "z"][axis];
                let unit = if axis == 0 && align > 1 {
                    format!(", and parts in x must be multiples of {align} cells wide")
                } else {
                    String::new()
                };
                let (count, cells) = (parts[axis], cells[axis]);
                return Err(Uncut::request(format!(
                    "a cut into {count} parts along {along}: `{name}` has {cells} cells there{unit}"
                )));
            }
        }
        Ok(Partition::new(cells, parts, align))
    }

    /// The largest number of cells in x that an invocation of a stage over the grids processes.
    fn largest_width(&self, grids: &[ResourceId]) -> u64 {
        let over =
            (self.stages.iter()).filter(|stage| stage.domain.resource.is_some_and(|id| grids.contains(&id)));
        over.map(shares::width).max().unwrap_or(1)
    }

    /// The built-in shader of a stage of the engine.
    pub fn built_in(&self, stage: &Stage) -> Option<&'static str> {
        match self.kernel_of(stage).source {
            ShaderSource::BuiltIn(path) => Some(path),
            _ => None,
        }
    }
}

/// Returns true for a grid of two or three axes whose cells are all in memory, without levels.
fn is_dense(resource: &Resource) -> bool {
    let lattice = resource.lattice().filter(|_| resource.is_grid());
    lattice.is_some_and(|lattice| {
        lattice.sparse.is_none() && lattice.level.is_none() && (2..=3).contains(&lattice.form.axes)
    })
}
