//! Decides which stages a rank runs on its part alone.

use super::super::{FieldId, Over, Pipeline, Reach, ResourceId, Stage};
use super::{Partition, Reason, Share};

/// The reason for which a stage is not cut, as the end of a sentence about the stage.
pub fn reason(of: &Reason, pipeline: &Pipeline) -> String {
    let resource = |id: &ResourceId| &pipeline.resources[*id].name;
    let field = |id: &FieldId| &pipeline.fields[*id].name;
    match of {
        Reason::Elsewhere => "runs over no grid".into(),
        Reason::OtherGrid(id) => {
            format!("runs over `{}`, which is not the grid that is cut", resource(id))
        }
        Reason::Levels(id) => {
            format!(
                "runs over `{}`, and grids with levels are not cut yet",
                resource(id)
            )
        }
        Reason::Sparse(id) => format!("runs over `{}`, and sparse grids are not cut yet", resource(id)),
        Reason::Particles(id) => format!("runs over `{}`, and particles are not cut yet", resource(id)),
        Reason::Columns => "runs over columns, which are not cut yet".into(),
        Reason::Groups => "runs as workgroups, which are not cut yet".into(),
        Reason::OwnNumbers => {
            "has a kernel with its own `main`, with workgroups, or compiled in advance".into()
        }
        Reason::Engine => "is a stage of the engine that is not cut".into(),
        Reason::SetsClock => "sets the length of an iteration".into(),
        Reason::Requests => "requests blocks of a sparse grid".into(),
        Reason::WritesAnywhere(id) => format!("writes `{}` anywhere", field(id)),
        Reason::WritesElsewhere(id) => format!("writes `{}`, which is not on the grid", field(id)),
    }
}

/// The share of a stage.
pub(super) fn share(
    pipeline: &Pipeline,
    stage: &Stage,
    grids: &[ResourceId],
    partition: &Partition,
) -> Share {
    match grown(pipeline, stage, grids, partition) {
        Ok(grow) => Share::Part { grow },
        Err(reason) => Share::Everywhere(reason),
    }
}

/// By how many cells the part of a stage must grow so that every write into the part is done here.
fn grown(
    pipeline: &Pipeline,
    stage: &Stage,
    grids: &[ResourceId],
    partition: &Partition,
) -> Result<[u64; 3], Reason> {
    check_domain(pipeline, stage, grids)?;
    let signature = &pipeline.kernel_of(stage).signature;
    let values: Vec<usize> = signature.reduces.iter().map(|result| result.values).collect();
    let mut reach = 0;
    for (number, (local, field)) in signature.fields.iter().zip(&stage.bindings).enumerate() {
        if !local.writes || values.contains(&number) {
            continue;
        }
        if !grids.contains(&pipeline.fields[*field].resource) {
            return Err(Reason::WritesElsewhere(*field));
        }
        let Reach::Cells(cells) = local.reach else {
            return Err(Reason::WritesAnywhere(*field));
        };
        let sides = pipeline.size_of(*field);
        let differs = (0..3).any(|axis| partition.parts[axis] > 1 && sides[axis] != stage.domain.size[axis]);
        reach = reach.max(u64::from(cells) + u64::from(differs));
    }
    Ok([reach.next_multiple_of(width(stage)), reach, reach])
}

/// Returns the reason if a stage cannot run over a part of its domain.
fn check_domain(pipeline: &Pipeline, stage: &Stage, grids: &[ResourceId]) -> Result<(), Reason> {
    match stage.domain.over {
        Over::Elements => {}
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
    let id = stage.domain.resource.ok_or(Reason::Elsewhere)?;
    let resource = &pipeline.resources[id];
    if !grids.contains(&id) {
        return Err(match resource.lattice() {
            None => Reason::Particles(id),
            Some(lattice) if lattice.sparse.is_some() => Reason::Sparse(id),
            Some(lattice) if lattice.level.is_some() => Reason::Levels(id),
            Some(_) if resource.is_grid() => Reason::OtherGrid(id),
            Some(_) => Reason::Elsewhere,
        });
    }
    let fits = |axis: usize| (0..=1).contains(&stage.domain.size[axis].wrapping_sub(resource.size[axis]));
    if stage.domain.axes != resource.axes() || !(0..3).all(fits) {
        return Err(Reason::Columns);
    }
    if stage.own_numbers {
        return Err(Reason::OwnNumbers);
    }
    let signature = &pipeline.kernel_of(stage).signature;
    if signature.sets_length {
        return Err(Reason::SetsClock);
    }
    if !signature.requests.is_empty() {
        return Err(Reason::Requests);
    }
    Ok(())
}

/// Cells in x that an invocation of a stage processes.
pub(super) fn width(stage: &Stage) -> u64 {
    u64::from(stage.stated.vector_width.unwrap_or(1))
}
