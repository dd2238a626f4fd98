//! Decides which stages a rank runs on its part alone.

use super::super::{Alternation, BlockRuns, FieldId, Over, Pipeline, Reach, ResourceId, Stage, Tiles};
use super::{Cut, CutGrid, Reason, Share};

const LETTERS: [char; 3] = ['x', 'y', 'z'];

/// The reason for which a stage is not cut, as the end of a sentence about the stage.
pub fn reason(of: &Reason, pipeline: &Pipeline) -> String {
    let resource = |id: &ResourceId| &pipeline.resources[*id].name;
    let field = |id: &FieldId| &pipeline.fields[*id].name;
    match of {
        Reason::Elsewhere => "runs over no grid".into(),
        Reason::OtherGrid(id) => {
            format!("runs over `{}`, which is not the grid that is cut", resource(id))
        }
        Reason::Coarse(id) => format!("runs over `{}`, a level too small to be cut", resource(id)),
        Reason::Sparse(id) => format!("runs over blocks of `{}`, or reduces values of its cells", resource(id)),
        Reason::Particles(id) => {
            format!("runs over `{}`, particles that are not cut with the grid", resource(id))
        }
        Reason::Columns => "runs over columns, and the grid is cut along z".into(),
        Reason::Groups => "runs as workgroups that are no tiles of a grid".into(),
        Reason::SmallTransform => "transforms few values".into(),
        Reason::FewLines(id, axis) => {
            format!("transforms lines along {}, and `{}` is too small to give each rank some", LETTERS[*axis], resource(id))
        }
        Reason::Halved(id, axis) => format!(
            "uses `{}`, which has half of the waves along {}, an axis that is cut",
            resource(id),
            LETTERS[*axis]
        ),
        Reason::FewTiles(id) => format!("has fewer tiles of `{}` than there are parts along an axis", resource(id)),
        Reason::OwnNumbers => {
            "has a kernel with its own `main`, one that numbers invocations or workgroups, or one compiled in advance".into()
        }
        Reason::Engine => "is a stage of the engine that is not cut".into(),
        Reason::SetsClock => "sets the length of an iteration".into(),
        Reason::OtherParticles(id) => format!("reads `{}` of other particles anywhere", field(id)),
        Reason::WritesAnywhere(id) => format!("writes `{}` anywhere", field(id)),
        Reason::WritesElsewhere(id) => format!("writes `{}`, which is not on the grid", field(id)),
    }
}

/// The share of a stage.
pub(super) fn share(pipeline: &Pipeline, stage: &Stage, cut: &Cut) -> Share {
    if pipeline.sorts_cut_set(cut, stage) || pipeline.emits_into_cut_set(cut, stage) {
        return Share::Part { grow: [0; 3] };
    }
    if let Some(lines) = &stage.lines {
        return match pipeline.check_lines(cut, lines) {
            Ok(grow) => Share::Part { grow },
            Err(reason) => Share::Everywhere(reason),
        };
    }
    let grown = match (cut.set_of(stage), stage.tiles, stage.runs) {
        (Some(set), ..) => pipeline.check_particles(cut, stage, set),
        (None, Some(tiles), _) if pipeline.is_reduction(stage) => reduced(stage, tiles, cut),
        (None, _, Some(runs)) => cut.grid(runs.grid).map(|_| [0; 3]).ok_or(Reason::Engine),
        (None, ..) => grown(pipeline, stage, cut),
    };
    match grown {
        Ok(grow) => Share::Part { grow },
        Err(reason) => Share::Everywhere(reason),
    }
}

/// Tiles are reduced where the first cell of a tile is, if every rank has some.
fn reduced(stage: &Stage, tiles: Tiles, cut: &Cut) -> Result<[u64; 3], Reason> {
    let is_cut = cut.grid(tiles.grid).is_some_and(|grid| !grid.is_small);
    let has_tiles = || cut.partition.scaled(cut.scale_of(stage)).is_some();
    if is_cut && has_tiles() {
        Ok([0; 3])
    } else {
        Err(Reason::Engine)
    }
}

/// True if elements of a stage leave values that a reduction combines.
fn has_values(pipeline: &Pipeline, stage: &Stage) -> bool {
    !pipeline.kernel_of(stage).signature.reduces.is_empty()
}

/// True if a stage writes nothing but values that reductions combine.
fn only_reduces(pipeline: &Pipeline, stage: &Stage) -> bool {
    let signature = &pipeline.kernel_of(stage).signature;
    let mut written = (signature.fields.iter().enumerate()).filter(|(_, local)| local.writes);
    written.all(|(number, _)| signature.reduces.iter().any(|result| result.values == number))
}

/// The boxes of active blocks whose values a reduction combines after a stage over their cells or sub-blocks; `None` if there are
/// none.
fn runs_of(pipeline: &Pipeline, stage: &Stage) -> Option<BlockRuns> {
    let values = &pipeline.kernel_of(stage).signature.reduces.first()?.values;
    let runs = |other: &Stage| other.runs.filter(|runs| Some(runs.grid) == stage.domain.resource);
    let mut readers =
        (pipeline.stages.iter()).filter(|other| other.reads().contains(&stage.bindings[*values]));
    let is_over = matches!(stage.domain.over, Over::ActiveCells | Over::SubBlocks);
    readers.find_map(runs).filter(|_| is_over)
}

/// By how many elements the part of a stage must grow so that every write into the part is done here.
fn grown(pipeline: &Pipeline, stage: &Stage, cut: &Cut) -> Result<[u64; 3], Reason> {
    let domain = check_domain(pipeline, stage, cut)?;
    let own = cut.scale_of(stage);
    let signature = &pipeline.kernel_of(stage).signature;
    let values: Vec<usize> = signature.reduces.iter().map(|result| result.values).collect();
    // Boxes that begin in the part are reduced here.
    let mut grow = runs_of(pipeline, stage).map_or([0; 3], |runs| cut.overhang(runs.per));
    let mut adds = None;
    for (number, (local, field)) in signature.fields.iter().zip(&stage.bindings).enumerate() {
        let is_request = pipeline.is_request(*field);
        if !local.writes || is_request || values.contains(&number) || is_of_tiles(pipeline, stage, number) {
            continue;
        }
        let Some(grid) = cut.grid(pipeline.fields[*field].resource) else {
            if pipeline.is_sum(cut, *field, local.adds) {
                adds = Some(*field);
                continue;
            }
            return Err(Reason::WritesElsewhere(*field));
        };
        let Reach::Cells(cells) = local.reach.writes else {
            return Err(Reason::WritesAnywhere(*field));
        };
        // Entries that alternate are written where they belong.
        let alternation = alternation_of(pipeline, cut, stage, *field);
        let cells = cells - alternation.map_or(0, |found| found.pairs.farthest()).min(cells);
        let mut slack = cut.slack_of(stage, grid.scale);
        let differs = (0..3).any(|axis| {
            cut.partition.parts[axis] > 1
                && more(pipeline, stage, domain, axis) != more_of(pipeline, *field, grid, axis)
        });
        let reach = u64::from(cells) + u64::from(differs);
        if reach > 0 {
            let lacking = lacking(pipeline, stage);
            for axis in 0..3 {
                slack[axis] += lacking[axis] * u64::from(domain.scale.per[axis]);
            }
        }
        for axis in 0..3 {
            let [own, other] = [own, grid.scale].map(|scale| u64::from(scale.per[axis]));
            let needed = (other * reach + slack[axis]).div_ceil(own);
            grow[axis] = needed.max(grow[axis]);
        }
    }
    // Elements beyond the part would count twice.
    if let Some(field) = adds.filter(|_| grow != [0; 3]) {
        return Err(Reason::WritesElsewhere(field));
    }
    if stage.tiles.is_none() {
        grow[0] = grow[0].next_multiple_of(width(stage));
    }
    Ok(grow)
}

/// The cells that the last tile of a stage lacks along each axis. Tiles that write beyond them write round the ends of the grid.
pub fn lacking(pipeline: &Pipeline, stage: &Stage) -> [u64; 3] {
    stage.tiles.map_or([0; 3], |tiles| {
        let cells = pipeline.resources[tiles.grid].size;
        std::array::from_fn(|axis| {
            let covered = stage.domain.size[axis] * u64::from(tiles.per[axis]);
            covered.saturating_sub(cells[axis] + tiles.more[axis])
        })
    })
}

/// How a stage accesses an array of its cells whose entries alternate. `None` if it does not state so wherever it accesses the
/// field.
pub fn alternation_of(pipeline: &Pipeline, cut: &Cut, stage: &Stage, field: FieldId) -> Option<Alternation> {
    let grid = cut.grid(pipeline.fields[field].resource)?;
    if grid.scale != cut.scale_of(stage) || pipeline.size_of(field) != stage.domain.size {
        return None;
    }
    let locals = pipeline.kernel_of(stage).signature.fields.iter();
    let bound = locals.zip(&stage.bindings).filter(|(_, bound)| **bound == field);
    let mut found = bound.map(|(local, _)| local.alternation);
    let first = found.next()??;
    found.all(|other| other == Some(first)).then_some(first)
}

/// Number of elements of a stage minus number of cells of its grid along an axis.
pub fn more(pipeline: &Pipeline, stage: &Stage, grid: &CutGrid, axis: usize) -> u64 {
    let elements = match stage.tiles {
        Some(tiles) => pipeline.resources[grid.id].size[axis] + tiles.more[axis],
        None if stage.domain.over == Over::SubBlocks => grid.cells[axis],
        None => stage.domain.size[axis],
    };
    elements.saturating_sub(grid.cells[axis])
}

/// Returns true if a local field of a stage is a buffer with one element for each of its tiles.
pub fn is_of_tiles(pipeline: &Pipeline, stage: &Stage, number: usize) -> bool {
    let local = &pipeline.kernel_of(stage).signature.fields[number];
    let field = stage.bindings[number];
    let tiles: u64 = stage.domain.size.iter().product();
    stage.tiles.is_some()
        && local.reach.all == Reach::Cells(0)
        && pipeline.resource_of(field).is_buffer()
        && pipeline.elements_of(field) == tiles
}

/// Number of values of a field minus number of cells of its grid along an axis.
pub fn more_of(pipeline: &Pipeline, field: FieldId, grid: &CutGrid, axis: usize) -> u64 {
    pipeline.size_of(field)[axis].saturating_sub(grid.cells[axis])
}

/// How the grid of a stage is cut, or the reason if a stage cannot run over a part of it.
fn check_domain<'a>(pipeline: &Pipeline, stage: &Stage, cut: &'a Cut) -> Result<&'a CutGrid, Reason> {
    match stage.domain.over {
        Over::Elements => {}
        Over::ActiveCells if !has_values(pipeline, stage) || runs_of(pipeline, stage).is_some() => {}
        Over::SubBlocks if only_reduces(pipeline, stage) && runs_of(pipeline, stage).is_some() => {}
        Over::Groups if stage.tiles.is_some() => {}
        Over::Groups | Over::CountedGroups(_) => return Err(Reason::Groups),
        _ => match stage.domain.resource {
            Some(id) if pipeline.resources[id].set().is_some() => return Err(Reason::Particles(id)),
            Some(id) => return Err(Reason::Sparse(id)),
            None => return Err(Reason::Elsewhere),
        },
    }
    if pipeline.built_in(stage).is_some() {
        return Err(Reason::Engine);
    }
    let of_tiles = stage.tiles.map(|tiles| tiles.grid);
    let id = of_tiles.or(stage.domain.resource).ok_or(Reason::Elsewhere)?;
    let resource = &pipeline.resources[id];
    let Some(grid) = cut.grid(id) else {
        return Err(match resource.lattice() {
            None => Reason::Particles(id),
            Some(_) if pipeline.is_over_columns(id, cut) => Reason::Columns,
            Some(_) if resource.is_placed() => pipeline.reason_beside(id, cut),
            Some(_) => Reason::Elsewhere,
        });
    };
    let are_sub_blocks = stage.domain.over == Over::SubBlocks;
    let are_columns = stage.domain.axes < resource.axes() && !are_sub_blocks;
    if resource.sparse().is_some() && !are_columns && stage.domain.over == Over::Elements {
        return Err(Reason::Sparse(id));
    }
    if of_tiles.is_none() && are_columns && cut.partition.parts[2] > 1 {
        return Err(Reason::Columns);
    }
    let fits = |axis: usize| (0..=1).contains(&stage.domain.size[axis].wrapping_sub(resource.size[axis]));
    if of_tiles.is_none() && !are_columns && !are_sub_blocks && !(0..3).all(fits) {
        return Err(Reason::Elsewhere);
    }
    if stage.own_numbers {
        return Err(Reason::OwnNumbers);
    }
    let signature = &pipeline.kernel_of(stage).signature;
    if signature.sets_length {
        return Err(Reason::SetsClock);
    }
    let of_field = |field: &FieldId| cut.grid(pipeline.fields[*field].resource);
    let is_large = |field: &FieldId| of_field(field).is_some_and(|grid| !grid.is_small);
    if grid.is_small && !stage.bindings.iter().any(is_large) {
        return Err(Reason::Coarse(id));
    }
    if cut.partition.scaled(cut.scale_of(stage)).is_none() {
        return Err(Reason::FewTiles(id));
    }
    Ok(grid)
}

/// Cells in x that an invocation of a stage processes.
pub fn width(stage: &Stage) -> u64 {
    u64::from(stage.stated.vector_width.unwrap_or(1))
}
