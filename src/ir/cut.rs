//! A simulation that is cut into parts, one for each rank.
//!
//! A rank runs the stages over the cut grids on its part alone, grown so far that every write into the part is done here;
//! all other stages run whole on every rank. Fields keep the indices of one rank, but a rank has memory for what its
//! stages access.

mod balance;
mod boxes;
mod count;
mod crossing;
mod heights;
mod held;
mod lined;
mod lines;
mod particle_stages;
mod particles;
mod planes;
mod refusals;
mod requests;
mod runs;
mod sets;
mod shared;
mod shares;
mod spectra;
mod spent;
mod starts;
mod sums;
mod types;
mod wanted;
mod written;

pub use balance::{Load, rebalanced};
pub use boxes::{ElementBox, Partition, Scale, Valid};
pub use particles::{Held, Neighbours};
pub use planes::Planes;
pub use runs::Runs;
pub use sets::CutSet;
pub use shares::{alternation_of, is_of_tiles, lacking, more, more_of, reason, width};
use types::MAX_REPEATED;
pub use types::{Cut, CutGrid, CutRequest, Division, Layout, Reason, Share, Slots, Uncut, Whole};

use super::domain::Over;
use super::field::Field;
use super::ids::{FieldId, ResourceId, StageId};
use super::kernel::ShaderSource;
use super::owners::Owners;
use super::pipeline::Pipeline;
use super::resource::Resource;
use super::sorted::SortedCells;
use super::stage::Stage;

/// Largest number of cells of a level that all ranks repeat: exchanges between stages on its parts take longer.
const MAX_CELLS_OF_LEVEL: u64 = 1 << 21;
/// Such a level has at most one cell for this many of the finest level. Sizes of levels are rounded up.
const MIN_RATIO: u64 = 32;

impl Pipeline {
    /// Cuts the pipeline for one of `ranks` ranks. Call it before shaders are compiled. Returns notices about what this
    /// costs. The error names what cannot be cut.
    pub fn cut(
        &mut self,
        request: &CutRequest,
        rank: usize,
        ranks: usize,
    ) -> Result<Vec<String>, Vec<Uncut>> {
        self.cut_near(request, None, rank, ranks)
    }

    /// As [`Pipeline::cut`], into parts that end near these planes instead of equal ones.
    pub fn cut_near(
        &mut self,
        request: &CutRequest,
        wished: Option<&Planes>,
        rank: usize,
        ranks: usize,
    ) -> Result<Vec<String>, Vec<Uncut>> {
        let grids = self.grids_to_cut();
        let spectra = self.spectra_of(&grids);
        let all: Vec<ResourceId> = grids
            .iter()
            .copied()
            .chain(spectra.iter().map(|of| of.id))
            .collect();
        let partition = self.partition(request, wished, &all, ranks)?;
        let mut cut = Cut {
            rank,
            grids: [
                self.levels_to_cut(&grids, &partition),
                self.cut_spectra(&spectra, &partition),
            ]
            .concat(),
            partition,
            sets: Vec::new(),
            sums: Vec::new(),
            no_sums: Vec::new(),
            shares: Vec::new(),
            lined: Vec::new(),
            beyond: Vec::new(),
        };
        cut.sets = self.sets_to_cut(&cut, &request.whole)?;
        self.share_stages(&mut cut);
        cut.lined = self.stages_on_lines(&cut);
        let notices = refusals::check(self, &cut, &request.whole)?;
        self.cut_kernels(&cut);
        self.cut = Some(Box::new(cut));
        Ok(notices)
    }

    /// The elements that a stage runs over on this rank: its whole domain unless it is cut. For a transform, those through which
    /// its lines go.
    pub fn dispatched(&self, id: StageId) -> ElementBox {
        let sides = self.stages[id].domain.size;
        let whole = ElementBox {
            low: [0; 3],
            size: sides,
        };
        let cut = self.cut.as_deref();
        match cut.and_then(|cut| Some((cut, cut.grow(id)?))) {
            // The number of particles of a rank changes.
            Some((cut, _)) if cut.set_of(&self.stages[id]).is_some() => whole,
            // So does that of active blocks.
            Some(_) if listed(&self.stages[id]).is_some() => whole,
            Some((cut, _)) if self.stages[id].lines.is_some() => {
                let lines = self.stages[id].lines.as_deref();
                lines
                    .and_then(|lines| self.part_of_lines(cut, lines))
                    .unwrap_or(whole)
            }
            Some((cut, grow)) => {
                let scaled = cut.partition.scaled(cut.scale_of(&self.stages[id]));
                let scaled = scaled.and_then(|scaled| cut.division_of_stage(id).of(scaled));
                scaled.map_or(whole, |scaled| scaled.grown(cut.rank, sides, grow))
            }
            None => whole,
        }
    }

    /// The box in the argument block of a stage: elements, particles at the start of a run, or the cells of the grown part,
    /// for a stage over a list of blocks.
    pub fn box_of(&self, id: StageId) -> ElementBox {
        let stage = &self.stages[id];
        let cut = self.cut.as_deref();
        let Some((cut, grow)) = cut.and_then(|cut| Some((cut, cut.grow(id)?))) else {
            return self.dispatched(id);
        };
        match (cut.set_of(stage), listed(stage)) {
            (Some(set), _) => {
                let (ranks, count) = (cut.partition.ranks(), self.count_at_start(set.set()));
                Held::at_start(set, [cut.rank, ranks], count).as_box()
            }
            (None, Some(grid)) => cut.partition.grown(cut.rank, self.resources[grid].size, grow),
            (None, None) => self.dispatched(id),
        }
    }

    /// The arrangement of a field in memory.
    pub fn layout_of(&self, field: FieldId) -> Layout {
        let found: &Field = &self.fields[field];
        let cut = self.cut.as_deref();
        let grid = cut.and_then(|cut| cut.grid(found.resource));
        Layout {
            scale: grid.map_or(Scale::default(), |grid| grid.scale),
            sides: self.size_of(field),
            entries: found.entries() as u32,
            bytes: found.element.bytes() as u32,
            owners: Owners::Own,
            division: match cut {
                Some(cut) if cut.set(found.resource).is_some() => Division::Particles(found.resource),
                Some(cut) if cut.sums.contains(&field) => Division::Sum,
                _ => Division::Cells,
            },
        }
    }

    /// The grids that are cut: the largest one that a stage of `step` runs over, without one the largest height field, and
    /// all that have its cells. After them, the height fields over its columns.
    fn grids_to_cut(&self) -> Vec<ResourceId> {
        let run_over = self.step.iter().filter_map(|entry| {
            let stage = &self.stages[entry.stage];
            let finest = |id: ResourceId| self.resources[id].level().map_or(id, |level| level.of);
            let of_tiles = stage
                .tiles
                .filter(|_| !self.is_reduction(stage))
                .map(|tiles| tiles.grid);
            of_tiles
                .or(stage.domain.resource)
                .map(finest)
                .filter(|id| is_finest(&self.resources[*id]))
        });
        let rank = |id: &ResourceId| {
            let resource = &self.resources[*id];
            (resource.is_grid(), resource.elements(), std::cmp::Reverse(*id))
        };
        let largest = run_over.max_by_key(rank);
        let Some(largest) = largest else {
            return Vec::new();
        };
        let place = |resource: &Resource| {
            let lattice = resource.lattice()?;
            let form = (lattice.form.placement, lattice.form.axes);
            Some((resource.size, form, lattice.origin, lattice.spacing))
        };
        let wanted = place(&self.resources[largest]);
        let mut grids: Vec<ResourceId> = (0..self.resources.len())
            .filter(|id| is_finest(&self.resources[*id]) && place(&self.resources[*id]) == wanted)
            .collect();
        let heights: Vec<ResourceId> = (self.heights_over(largest))
            .filter(|id| !grids.contains(id))
            .collect();
        grids.extend(heights);
        grids
    }

    /// The grids with their levels, finest first; height fields follow the grid over which they lie.
    fn levels_to_cut(&self, grids: &[ResourceId], partition: &Partition) -> Vec<CutGrid> {
        let mut levels = Vec::new();
        for (id, resource) in self.resources.iter().enumerate() {
            let level = resource.level();
            let of = level.map_or(id, |level| level.of);
            if grids.contains(&of) && is_of_grid(resource) {
                levels.push((level.map_or(0, |level| level.number), !resource.is_grid(), id));
            }
        }
        levels.sort_unstable();
        let mut cut: Vec<CutGrid> = Vec::new();
        let mut first_small = u32::MAX;
        for (number, is_of_vertices, id) in levels {
            let size = match cut.first() {
                Some(_) if is_of_vertices && partition.parts[2] > 1 => continue,
                Some(grid) if is_of_vertices => grid.cells,
                _ => self.resources[id].size,
            };
            let scale = Scale {
                // An axis of one cell is not halved.
                per: std::array::from_fn(|axis| if partition.parts[axis] > 1 { 1 << number } else { 1 }),
                align: partition.align as u32,
            };
            let Some(scaled) = partition.scaled(scale) else {
                continue;
            };
            let cells: u64 = size.iter().product();
            let is_thin = scaled.thinnest() < planes::MIN_CELLS && cells <= MAX_REPEATED;
            let finest = cut
                .first()
                .map_or(cells, |grid| self.resources[grid.id].elements());
            let is_small = cells <= MAX_CELLS_OF_LEVEL.min(finest / MIN_RATIO);
            if number > 0 && (is_thin || is_small) {
                first_small = first_small.min(number);
            }
            cut.push(CutGrid {
                id,
                scale,
                cells: size,
                is_small: number >= first_small,
            });
        }
        cut
    }

    fn partition(
        &self,
        request: &CutRequest,
        wished: Option<&Planes>,
        grids: &[ResourceId],
        ranks: usize,
    ) -> Result<Partition, Vec<Uncut>> {
        let Some(grid) = grids.first().map(|id| &self.resources[*id]) else {
            if request.whole == Whole::All {
                return Ok(Partition::new([ranks as u64, 1, 1], [ranks, 1, 1], 1));
            }
            let name = &self.name;
            return Err(Uncut::request(format!(
                "`{name}` cannot be cut into parts: its steps run over no grid of cells or height field"
            )));
        };
        let align = self.largest_width(grids);
        let (cells, name) = (grid.size, &grid.name);
        let most = Partition::most(cells, align);
        let mut preferred = self.min_tiles(grids);
        if self.runs_over_columns(grids) {
            preferred[2] = 1;
        }
        if let Some(axis) = self.axis_beside_transforms(cells, ranks) {
            (0..3)
                .filter(|other| *other != axis)
                .for_each(|other| preferred[other] = 1);
        }
        let of_particles = |cells: SortedCells| {
            let mut parts = [1; 3];
            parts[cells.slowest] = ranks;
            parts
        };
        let stated = wished.map(planes::counts).or(request.parts);
        let parts = match stated.or(self.sorts_by(grids).map(of_particles)) {
            None => Partition::chosen(cells, ranks, align, preferred).ok_or_else(|| {
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
        let wanted = self.wanted_planes(grids, cells, parts);
        match wished {
            None => Ok(Partition::preferring(cells, parts, align, wanted)),
            Some(wished) => Partition::near(cells, wished, align, wanted)
                .ok_or_else(|| Uncut::request(format!("a part of `{name}` would have no cells"))),
        }
    }

    /// The fewest tiles of a stage along each axis: more parts would leave ranks without one.
    fn min_tiles(&self, grids: &[ResourceId]) -> [u64; 3] {
        let stages = self.step.iter().map(|entry| &self.stages[entry.stage]);
        let stages = stages.filter(|stage| !self.is_reduction(stage));
        let tiled = stages.filter(|stage| stage.tiles.is_some_and(|tiles| grids.contains(&tiles.grid)));
        let counts = tiled.map(|stage| stage.domain.size);
        counts.fold([u64::MAX; 3], |least, size| {
            std::array::from_fn(|axis| least[axis].min(size[axis]))
        })
    }

    /// Returns true for the first level of a reduction over a grid.
    pub fn is_reduction(&self, stage: &Stage) -> bool {
        stage.runs.is_some() || self.built_in(stage) == Some("measure/reduce_tiles.comp")
    }

    /// The built-in shader of a stage of the engine.
    pub fn built_in(&self, stage: &Stage) -> Option<&'static str> {
        match self.kernel_of(stage).source {
            ShaderSource::BuiltIn(path) => Some(path),
            _ => None,
        }
    }
}

/// The sparse grid of a stage over a list of its blocks or sub-blocks: of a reduction, or of sub-blocks.
fn listed(stage: &Stage) -> Option<ResourceId> {
    let of_sub_blocks = stage
        .domain
        .resource
        .filter(|_| stage.domain.over == Over::SubBlocks);
    stage.runs.map(|runs| runs.grid).or(of_sub_blocks)
}

/// Returns true for a grid of two or three axes, its finest level, or a height field.
fn is_finest(resource: &Resource) -> bool {
    is_of_grid(resource) && resource.level().is_none_or(|level| level.number == 0)
}

/// Returns true for a grid of two or three axes, a level of one, or a height field.
fn is_of_grid(resource: &Resource) -> bool {
    let lattice = resource.lattice().filter(|_| resource.is_placed());
    lattice.is_some_and(|lattice| (2..=3).contains(&lattice.form.axes))
}
